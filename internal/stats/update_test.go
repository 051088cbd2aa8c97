package stats_test

// goldie registers the -update flag, which go test ./... -update hands to every package.
import _ "github.com/sebdah/goldie/v2"

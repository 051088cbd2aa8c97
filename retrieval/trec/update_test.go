package trec

// goldie registers the flag -update, which "go test ./... -update" passes to
// every package.
import _ "github.com/sebdah/goldie/v2"

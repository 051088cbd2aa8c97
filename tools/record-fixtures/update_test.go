package main

// goldie registers the -update flag, so that `go test ./... -update` is
// understood here as in every other package.
import _ "github.com/sebdah/goldie/v2"

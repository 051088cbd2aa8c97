package main

// The -update flag, so that `go test ./... -update` works.
import _ "github.com/sebdah/goldie/v2"

package atomicfile_test

// Registers the -update flag that `go test ./... -update` passes to every
// package.
import _ "github.com/sebdah/goldie/v2"

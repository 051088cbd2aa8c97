package keyword_test

// The package has no golden files; the import registers the -update flag, so
// that go test ./... -update works.
import _ "github.com/sebdah/goldie/v2"

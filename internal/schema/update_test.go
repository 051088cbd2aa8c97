package schema_test

// The flag -update comes with goldie.
import _ "github.com/sebdah/goldie/v2"

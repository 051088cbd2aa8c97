package schema_test

import (
	"fmt"

	"github.com/karat-eval/karat/internal/schema"
)

func ExampleGenerate() {
	schemas, err := schema.Generate("../..")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schemas["gate.schema.json"].Properties["min_cases"].Description)
	// Output:
	// min_cases is the number of cases that a metric must go over for its value to be judged, overall and in every slice that does not state its own. A metric over fewer is insufficient, and the gate does not pass on it.
}

package gate_test

import (
	"fmt"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/gate"
)

func Example() {
	rules, err := gate.Read("gate.yaml", []byte(`
version: 1
metrics:
  recall@5: {min: 0.60}
slices:
  scenario_id:
    min_cases: 2
    metrics: {recall@5: {min: 0.80}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := evaluation.New(definition(), []evaluation.Row{
		row("leave-1", recall(1), label("scenario_id", "enterprise")),
		row("leave-2", recall(1), label("scenario_id", "enterprise")),
		row("beam-1", recall(1), label("scenario_id", "engineering")),
		row("beam-2", recall(0), label("scenario_id", "engineering")),
		row("hs-1", recall(1), label("scenario_id", "trade")),
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := rules.Check(report, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("passed:", result.Passed())
	fmt.Println(result.Verdict())
	for _, r := range result.Failed() {
		fmt.Printf("%s, %s: %s: %s\n", r.Place(), r.Requirement(), r.State, r.Reason)
		for i := range r.Cases {
			fmt.Println("  ", r.Cases[i].Text())
		}
	}
	// Output:
	// passed: false
	// 1 of 3 rules does not pass (1 fail); 1 slice value not gated
	// scenario_id = engineering, recall@5 ≥ 0.8: fail: 0.500 is under 0.8
	//    beam-2 (0)
}

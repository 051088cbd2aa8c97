package input_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/karat-eval/karat/internal/input"
)

// A case set is decoded case by case. Everything that is wrong with it comes
// back together, what the caller found included.
func Example() {
	type golden struct {
		ID       string   `json:"id" alias:"case_id"`
		Query    string   `json:"query" alias:"question"`
		Keywords []string `json:"expected_keywords"`
		Minimum  *float64 `json:"min_keyword_coverage"`
	}
	file, err := input.Parse("cases.yaml", []byte(`
defaults: {min_keyword_coverage: 1}
cases:
  - id: 09
    question: How do I reset the token?
    expected_keywords: reset
  - id: vpn-1
    query: Why does the VPN fail?
    expected_keyword: gateway
    min_keyword_coverage: 1.4
`), input.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	cases := input.DecodeCases(file, input.CaseSet{}, func(c input.Case, g *golden) *golden {
		if *g.Minimum > 1 {
			c.At("min_keyword_coverage").Errorf("%v is outside [0, 1]", *g.Minimum)
		}
		return g
	})
	fmt.Println(cases[0].ID, cases[0].Keywords, *cases[0].Minimum)
	fmt.Println(file.Err())
	// Output:
	// 09 [reset] 1
	// cases.yaml:9: case "vpn-1": unknown field "expected_keyword"; did you mean "expected_keywords"?
	// cases.yaml:10: case "vpn-1": min_keyword_coverage: 1.4 is outside [0, 1]
}

// A walk hands on every case's fixture once, and says what is left over.
func ExampleFixtures_Each() {
	files := fstest.MapFS{"runs/today.jsonl": {Data: []byte(`{"case_id": "a", "answer": "yes"}
{"case_id": "c", "answer": "no"}
`)}}
	fixtures, err := input.OpenFixturesFS(files, "runs/today.jsonl", input.FixtureOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fixtures.Close()
	ids := []string{"a", "b"}
	found, err := fixtures.Each(context.Background(), input.Walk{IDs: ids, Workers: 1}, func(i int, data []byte, problem error) {
		fmt.Printf("%s: %s, %v\n", ids[i], data, problem)
	})
	fmt.Println(found.Warnings(), err)
	// Output:
	// a: {"case_id": "a", "answer": "yes"}, <nil>
	// b: , no fixture
	// [today.jsonl: fixture "c" belongs to no case] <nil>
}

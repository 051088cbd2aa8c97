package trec_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/karat-eval/karat/retrieval/measure"
	"github.com/karat-eval/karat/retrieval/trec"
)

const (
	exampleQrels = `1 0 vpn.md 2
1 0 proxy.md 1
2 0 leave.md 1
`
	exampleRun = `1 Q0 proxy.md 1 9.5 bm25
1 Q0 vpn.md 2 8.1 bm25
2 Q0 travel.md 1 7.7 bm25
2 Q0 leave.md 2 7.7 bm25
`
)

// A run against judgments, in trec_eval's form. Files come from trec.File.
func Example() {
	qrels, err := trec.ReadQrels(trec.Reader("qrels.txt", strings.NewReader(exampleQrels)))
	if err != nil {
		panic(err)
	}
	measures, err := measure.ParseList("ndcg_cut.5,10")
	if err != nil {
		panic(err)
	}
	result, err := trec.Evaluate(qrels, trec.Reader("run.txt", strings.NewReader(exampleRun)), trec.Options{Measures: measures})
	if err != nil {
		panic(err)
	}
	if err := result.WriteText(os.Stdout, trec.TextOptions{}); err != nil {
		panic(err)
	}
	for _, note := range result.Notes() {
		fmt.Println("note:", note)
	}
	// Output:
	// ndcg_cut_5            	all	0.7453
	// ndcg_cut_10           	all	0.7453
	// note: unjudged: 1 of 4 documents retrieved (25.0%); they count as not relevant
	// note: ties: 1 query ranks a judged document among others of its score; under any order of the tied: ndcg_cut_5 0.7453 to 0.9299, ndcg_cut_10 0.7453 to 0.9299
}

// One query's results in memory, without files.
func ExampleNewRanking() {
	ranking, err := trec.NewRanking(
		[]trec.Document{{ID: "vpn.md", Score: 8.1}, {ID: "proxy.md", Score: 9.5}},
		map[string]int{"vpn.md": 2, "proxy.md": 1},
	)
	if err != nil {
		panic(err)
	}
	m, err := measure.Parse("nDCG@10")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", m.Score(ranking))
	// Output: 0.8597
}

// Judgments and a run as maps, query by query.
func ExampleResult_Queries() {
	qrels, err := trec.NewQrels("judgments", map[string]map[string]int{
		"vpn":   {"vpn.md": 1},
		"leave": {"leave.md": 1},
	})
	if err != nil {
		panic(err)
	}
	rr, err := measure.Parse("RR")
	if err != nil {
		panic(err)
	}
	result, err := trec.EvaluateRun(qrels, trec.Run{
		"vpn": {"proxy.md": 9.5, "vpn.md": 8.1},
	}, trec.Options{Measures: []measure.Measure{rr}})
	if err != nil {
		panic(err)
	}
	for id, query := range result.Queries() {
		fmt.Println(id, query.Values[0], query.Retrieved)
	}
	fmt.Println("all", result.Summary[0])
	// Output:
	// leave 0 false
	// vpn 0.5 true
	// all 0.25
}

// Two runs over the same judgments.
func ExampleCompare() {
	qrels, err := trec.NewQrels("judgments", map[string]map[string]int{"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})
	if err != nil {
		panic(err)
	}
	measures, err := measure.ParseList("recip_rank")
	if err != nil {
		panic(err)
	}
	evaluate := func(run trec.Run) *trec.Result {
		result, err := trec.EvaluateRun(qrels, run, trec.Options{Measures: measures})
		if err != nil {
			panic(err)
		}
		return result
	}
	old := evaluate(trec.Run{"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 2}, "3": {"a": 1}})
	now := evaluate(trec.Run{"1": {"a": 2, "b": 1}, "2": {"a": 2, "b": 1}, "3": {"a": 1}})
	comparison, err := trec.Compare(old, now, trec.CompareOptions{})
	if err != nil {
		panic(err)
	}
	m := comparison.Measures[0]
	fmt.Printf("%s %.4f to %.4f, %d better, %d worse, p = %.2f\n", m.Measure, m.MeanA, m.MeanB, m.Better, m.Worse, m.P)
	// Output: RR 0.6667 to 1.0000, 2 better, 0 worse, p = 0.50
}

package stats_test

import (
	"fmt"

	"github.com/karat-eval/karat/internal/stats"
)

// Eight cases before and after a change of the retriever: two metrics, and what they say together.
func Example() {
	recallBefore := []float64{1, 1, 0.5, 1, 1, 1, 0.5, 1}
	recallAfter := []float64{1, 0.5, 0, 0.5, 1, 0.5, 0, 1}
	rankBefore := []float64{1, 1, 2, 1, 1, 3, 2, 1}
	rankAfter := []float64{1, 2, 5, 1, 1, 2, 4, 1}

	recall, err := stats.Compare(recallBefore, recallAfter, stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rank, err := stats.Compare(rankBefore, rankAfter, stats.Options{LowerIsBetter: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	adjusted, err := stats.Holm([]float64{recall.PRandomization, rank.PRandomization})
	if err != nil {
		fmt.Println(err)
		return
	}

	fmt.Printf("recall: %d better, %d worse, mean %+.4f\n", recall.Better, recall.Worse, recall.MeanDiff)
	fmt.Printf("rank: %d better, %d worse, mean %+.4f\n", rank.Better, rank.Worse, rank.MeanDiff)
	fmt.Printf("p = %.4f and %.4f, adjusted %.4f and %.4f\n",
		recall.PRandomization, rank.PRandomization, adjusted[0], adjusted[1])
	// Output:
	// recall: 0 better, 5 worse, mean -0.3125
	// rank: 1 better, 3 worse, mean +0.6250
	// p = 0.0625 and 0.3750, adjusted 0.1250 and 0.3750
}

func ExampleMcNemar() {
	// Three cases that passed fail now, and none that failed passes: too few to rule chance out.
	fmt.Println(stats.McNemar(3, 0))
	// Output: 0.25
}

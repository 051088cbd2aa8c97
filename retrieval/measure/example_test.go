package measure_test

import (
	"fmt"

	"github.com/karat-eval/karat/retrieval/measure"
)

func Example() {
	// Three documents came back: the first is relevant (grade 2), the second
	// was never judged, the third was judged not relevant. Another relevant
	// document (grade 1) was not found.
	ranking, err := measure.NewRanking([]int{2, measure.Unjudged, 0}, []int{2, 1, 0})
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"nDCG@3", "AP", "recall_3", "Judged@3"} {
		m, err := measure.Parse(name)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%-9s %.4f\n", m.Label(), m.Score(ranking))
	}
	_, err = measure.Parse("ndgc@10")
	fmt.Println(err)
	// Output:
	// nDCG@3    0.7602
	// AP        0.5000
	// recall_3  0.5000
	// Judged@3  0.6667
	// unknown measure "ndgc@10": near: nDCG@10
}

func ExampleNDCG() {
	// Grades in rank order, and those of all relevant documents.
	fmt.Printf("%.4f\n", measure.NDCG([]float64{1, 2}, []float64{2, 1}, 10))
	// Output: 0.8597
}

package stats_test

import (
	"math/rand/v2"
	"testing"

	"github.com/karat-eval/karat/internal/stats"
)

func BenchmarkCompare(b *testing.B) {
	for _, row := range []struct {
		name      string
		n, differ int
	}{
		{"pairs=12/differ=all", 12, 12},
		{"pairs=1000/differ=all", 1000, 1000},
		{"pairs=100000/differ=500", 100_000, 500},     // two runs of a system that changed a little
		{"pairs=100000/differ=all", 100_000, 100_000}, // durations: the worst case
	} {
		b.Run(row.name, func(b *testing.B) {
			source := rand.New(rand.NewPCG(1, 1))
			before, after := make([]float64, row.n), make([]float64, row.n)
			for i := range before {
				before[i] = 100 * source.Float64()
				after[i] = before[i]
				if i < row.differ {
					after[i] += source.NormFloat64()
				}
			}
			for b.Loop() {
				if _, err := stats.Compare(before, after, stats.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMcNemar(b *testing.B) {
	for b.Loop() {
		stats.McNemar(49_000, 51_000)
	}
}

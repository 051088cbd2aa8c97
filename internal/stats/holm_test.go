package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/internal/stats"
)

func TestHolmGivesWorkedValues(t *testing.T) {
	for _, row := range []struct {
		name, reason string
		p, want      []float64
	}{
		{"step down", "0.04·1 may not be less than 0.03·2", []float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}},
		{"one", "a single test needs no adjustment", []float64{0.2}, []float64{0.2}},
		{"none", "nothing to adjust", nil, nil},
		{"ties", "equal values are adjusted equally", []float64{0.02, 0.02, 0.5}, []float64{0.06, 0.06, 0.5}},
		{"capped", "no p value is above 1", []float64{0.6, 0.7, 1}, []float64{1, 1, 1}},
		{"four", "0.01·4, 0.02·3, 0.03·2, 0.04·1", []float64{0.04, 0.01, 0.03, 0.02}, []float64{0.06, 0.04, 0.06, 0.06}},
		{"zero", "0 is a p value that other tests may give", []float64{0, 0.5}, []float64{0, 0.5}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := stats.Holm(row.p)
			require.NoError(t, err)
			require.Len(t, got, len(row.want))
			for i := range got {
				assert.InDelta(t, row.want[i], got[i], precision, row.reason)
			}
		})
	}
}

func TestHolmRefusesWhatIsNoPValue(t *testing.T) {
	for _, p := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.01, 1.01} {
		_, err := stats.Holm([]float64{0.5, p})
		assert.ErrorContains(t, err, "p value 2 of 2")
		assert.ErrorContains(t, err, "is outside [0, 1]")
	}
}

func TestHolmPropertiesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "p")
		got, err := stats.Holm(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if got[i] < p[i] || got[i] > min(1, p[i]*float64(len(p))) {
				t.Fatalf("%v became %v: not between itself and Bonferroni's", p[i], got[i])
			}
			for j := range p {
				if p[i] < p[j] && got[i] > got[j] || p[i] == p[j] && got[i] != got[j] {
					t.Fatalf("%v and %v became %v and %v", p[i], p[j], got[i], got[j])
				}
			}
		}
		order := rapid.Permutation(indices(len(p))).Draw(t, "order")
		permuted, err := stats.Holm(pick(p, order))
		if err != nil {
			t.Fatal(err)
		}
		for i, from := range order {
			if permuted[i] != got[from] {
				t.Fatalf("in another order %v became %v, not %v", p[from], permuted[i], got[from])
			}
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func pick(values []float64, order []int) []float64 {
	picked := make([]float64, len(order))
	for i, from := range order {
		picked[i] = values[from]
	}
	return picked
}

package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm adjusts p values of several tests made at once, so that holding each against a level α keeps the chance of even
// one false finding at α or less, however the tests depend on one another (Holm 1979, step-down). The result is in the
// order of p, in [0, 1], and nowhere smaller than p. A value outside [0, 1] or NaN is an error.
func Holm(p []float64) ([]float64, error) {
	order := make([]int, len(p))
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("p value %d of %d: %v is outside [0, 1]", i+1, len(p), v)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })

	adjusted := make([]float64, len(p))
	var highest float64
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted, nil
}

package evaluation_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation"
)

// The definition: the float64 next to the decimal of 12 significant digits.
func TestRoundingGivesTwelveSignificantDigits(t *testing.T) {
	check := func(t require.TestingT, v float64) {
		want, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 11, 64), 64)
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(want), math.Float64bits(evaluation.Round(v)), "%v", v)
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, 0.2, 0.1 + 0.2, 1.0 / 3, 2.0 / 3, 0.995, 1e-7, 123456.789, 1e15 + 0.5, 99999.999999999, -0.6, 5e-324} {
		check(t, v)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Float64Range(-1e13, 1e13).Draw(t, "v"))
		check(t, float64(rapid.IntRange(-1e9, 1e9).Draw(t, "n"))/float64(rapid.IntRange(1, 1e7).Draw(t, "d")))
	})
}

package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/internal/stats"
)

// precision is what the package promises of a p value.
const precision = 1e-9

func TestMcNemarGivesWorkedValues(t *testing.T) {
	for _, row := range []struct {
		name, reason string
		b, c         int
		want         float64
	}{
		{"three to none", "2/2^3", 3, 0, 0.25},
		{"one to eight", "2·(1+9)/2^9", 1, 8, 0.0390625},
		{"none to none", "nothing changed", 0, 0, 1},
		{"one to none", "one case says nothing: 2/2^1", 1, 0, 1},
		{"five to five", "both sides of the distribution, and the middle only once", 5, 5, 1},
		{"five to six", "two halves", 5, 6, 1},
		{"ten to five", "2·(1+15+105+455+1365+3003)/2^15", 10, 5, 9888.0 / 32768},
		{"ten to none", "2/2^10", 10, 0, 1.0 / 512},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.InDelta(t, row.want, stats.McNemar(row.b, row.c), precision, row.reason)
			assert.InDelta(t, row.want, stats.SignTest(row.b, row.c), precision, row.reason)
		})
	}
}

func TestSignTestOfFiveOfFiveIsOneSixteenth(t *testing.T) {
	assert.InDelta(t, 0.0625, stats.SignTest(5, 0), precision)
}

// exactFairCoin adds up whole binomial coefficients.
func exactFairCoin(b, c int) float64 {
	n := b + c
	tail := new(big.Int)
	coefficient := big.NewInt(1)
	for i := range min(b, c) + 1 {
		tail.Add(tail, coefficient)
		coefficient.Mul(coefficient, big.NewInt(int64(n-i)))
		coefficient.Quo(coefficient, big.NewInt(int64(i+1)))
	}
	p := new(big.Rat).SetFrac(tail.Lsh(tail, 1), new(big.Int).Lsh(big.NewInt(1), uint(n)))
	f, _ := p.Float64()
	return min(1, f)
}

func TestMcNemarAgreesWithWholeNumbers(t *testing.T) {
	check := func(b, c int) {
		t.Helper()
		want, got := exactFairCoin(b, c), stats.McNemar(b, c)
		if math.Abs(got-want) > 1e-13 || want > 1e-300 && math.Abs(got-want) > precision*want {
			t.Errorf("McNemar(%d, %d) = %v, want %v", b, c, got, want)
		}
	}
	for n := range 41 {
		for b := range n + 1 {
			check(b, n-b)
		}
	}
	// Around 2000 the central probability changes from a product to a series.
	for _, n := range []int{999, 1000, 1996, 1997, 1998, 1999, 2000, 2001, 2002} {
		for _, b := range []int{0, 1, 100, n/2 - 200, n/2 - 50, n/2 - 20, n/2 - 5, n/2 - 1, n / 2} {
			check(b, n-b)
		}
	}
}

func TestMcNemarStaysSaneForManyCases(t *testing.T) {
	// With the continuity correction the normal distribution is close to the binomial, by symmetry to the order of 1/n.
	for _, c := range []int{50_001, 50_100, 50_158, 50_310, 50_500, 51_000} {
		b := 100_000 - c
		want := math.Erfc((float64(c-b) - 1) / math.Sqrt(2*100_000))
		assert.InDelta(t, want, stats.McNemar(b, c), 2e-6, "%d to %d", b, c)
	}
	assert.Equal(t, 1.0, stats.McNemar(50_000, 50_000))
	assert.Equal(t, math.SmallestNonzeroFloat64, stats.McNemar(0, 100_000), "2^-99999 is no float64, and p is never 0")
	assert.InDelta(t, 1, stats.McNemar(1_000_000_000, 1_000_000_002), 1e-4)
}

func TestMcNemarOfCountsThatCannotBeIsNoPValue(t *testing.T) {
	assert.True(t, math.IsNaN(stats.McNemar(-1, 4)))
	assert.True(t, math.IsNaN(stats.McNemar(4, math.MinInt)))
	assert.True(t, math.IsNaN(stats.McNemar(math.MaxInt, math.MaxInt/2)))
}

func TestMcNemarPropertiesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.IntRange(0, 200_000).Draw(t, "b")
		c := rapid.IntRange(0, 200_000).Draw(t, "c")
		p := stats.McNemar(b, c)
		if !(p > 0 && p <= 1) {
			t.Fatalf("p = %v is outside (0, 1]", p)
		}
		if swapped := stats.McNemar(c, b); swapped != p {
			t.Fatalf("p = %v, swapped %v", p, swapped)
		}
		// A further case on the longer side is further evidence.
		if more := stats.McNemar(max(b, c)+1, min(b, c)); more > p {
			t.Fatalf("p = %v, with one more on the longer side %v", p, more)
		}
	})
}

package stats

import "math"

// McNemar returns the exact two-sided p value of McNemar's test on discordant pairs: onlyBefore cases passed before and
// not after, onlyAfter passed after and not before. Cases that went the same way both times carry no information and
// are not asked for.
//
// Under the hypothesis that nothing changed, each discordant pair is a fair coin: p is twice the probability of the
// smaller count or less under Binomial(n, 1/2), at most 1 (McNemar 1947, in the exact form of Liddell 1983).
//
// The result is in (0, 1]: a probability too small for a float64 is given as the smallest one, never as 0. Without
// discordant pairs it is 1. A count that is negative or above 2^40 gives NaN. The time is of the order of the square
// root of the counts: some microseconds for 100,000.
func McNemar(onlyBefore, onlyAfter int) float64 { return fairCoin(onlyBefore, onlyAfter) }

// SignTest returns the exact two-sided p value of the sign test (Dixon and Mood 1946): plus cases rose, minus cases
// fell, ties are dropped. Range and limits are those of [McNemar], which is the same test on pass and fail.
func SignTest(plus, minus int) float64 { return fairCoin(plus, minus) }

// fairCoin returns min(1, 2·P(X ≤ min(heads, tails))) for X ~ Binomial(heads+tails, 1/2).
//
// It starts from the central probability, walks down to the smaller count by the ratio of neighbouring binomial
// coefficients, and goes on to sum the tail. Logarithms of factorials would lose eight digits at 100,000 and differ
// between processors; nothing here overflows, and the error grows with the walk only, which ends by underflow about
// twenty standard deviations out.
func fairCoin(heads, tails int) float64 {
	low, high := float64(min(heads, tails)), float64(max(heads, tails))
	if low < 0 || high > 0x1p40 {
		return math.NaN() // the walk below would take seconds, or forever where a float64 no longer counts by one
	}
	if high-low <= 1 {
		return 1 // half of the distribution or more lies on either side
	}
	n := low + high
	at := math.Floor(n / 2)
	probability := centralProbability(math.Ceil(n / 2))
	for ; at > low && probability > 0; at-- {
		probability = probability * at / (n - at + 1)
	}
	var tail float64
	for ; at >= 0 && probability > tail*0x1p-60; at-- {
		tail += probability
		probability = probability * at / (n - at + 1)
	}
	return min(1, max(2*tail, math.SmallestNonzeroFloat64))
}

// centralProbability returns C(2m, m)/4^m, the probability of exactly m heads in 2m tosses. It is also that of m−1 heads
// in 2m−1 tosses.
func centralProbability(m float64) float64 {
	if m < 1000 {
		probability := 1.0
		for i := 1.0; i <= m; i++ {
			probability = probability * (2*i - 1) / (2 * i)
		}
		return probability
	}
	// The asymptotic series of the central binomial coefficient; from m = 1000 on the next term is below 1e-17.
	x := 1 / m
	series := 1 + float64(x*(-1.0/8+float64(x*(1.0/128+float64(x*(5.0/1024+float64(x*(-21.0/32768))))))))
	return series / math.Sqrt(math.Pi*m)
}

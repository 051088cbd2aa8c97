package stats

import (
	"math/rand/v2"
	"slices"
)

const (
	exactPairs = 16     // the most pairs whose 2^n patterns of signs are all visited
	draws      = 10_000 // of patterns, beyond; a multiple of eight

	mostResamples   = 10_000
	fewestResamples = 2_000
	resampledValues = 200_000_000

	// The two kinds of draws take different streams of the generator, so that neither depends on the other's needs.
	signStream  = 1
	indexStream = 2
)

// randomization returns the two-sided p value of the paired randomisation test, and whether it is exact.
func (u units) randomization(seed uint64) (p float64, exact bool) {
	// Pairs that are equal stay so under either sign and cancel out of the test.
	magnitudes := slices.Concat(u.rises, u.falls)
	slices.Sort(magnitudes)
	// Rounded to units, two sums that are equal may come apart by one unit for each pair that has another sign in them.
	least := magnitude(total(u.rises)-total(u.falls)) - int64(len(magnitudes))

	if len(magnitudes) <= exactPairs {
		sums := signedSums(make([]int64, 0, 1<<len(magnitudes)), magnitudes)
		return float64(countFar(sums, least)) / float64(len(sums)), true
	}
	far := countFar(drawSignedSums(magnitudes, seed), least)
	return float64(1+far) / float64(1+draws), false
}

// signedSums appends to an empty slice the sums of the magnitudes under every pattern of signs.
func signedSums(sums, magnitudes []int64) []int64 {
	sums = append(sums, -total(magnitudes))
	for _, m := range magnitudes {
		for _, s := range sums {
			sums = append(sums, s+2*m)
		}
	}
	return sums
}

// drawSignedSums returns the sums of the magnitudes under random patterns of signs.
//
// It takes eight magnitudes at a time through all the draws: their 256 signed sums make a table that stays in the
// nearest cache, and one random word looks up eight draws. That is one addition for eight signs.
func drawSignedSums(magnitudes []int64, seed uint64) []int64 {
	source := rand.NewPCG(seed, signStream)
	sums := make([]int64, draws)
	var table [256]int64
	for block := range slices.Chunk(magnitudes, 8) {
		var eight [8]int64
		copy(eight[:], block)
		signedSums(table[:0], eight[:])
		for part := range slices.Chunk(sums, 8) {
			word := source.Uint64()
			for i := range part {
				part[i] += table[byte(word>>(8*i))]
			}
		}
	}
	return sums
}

// countFar returns how many sums are at least so far from zero.
func countFar(sums []int64, least int64) int {
	far := 0
	for _, s := range sums {
		if magnitude(s) >= least {
			far++
		}
	}
	return far
}

// interval returns the bounds of the 95% percentile interval of the mean difference, and of how many resamples.
func (u units) interval(seed uint64) (low, high float64, resamples int) {
	sums := u.resampledSums(seed)
	slices.Sort(sums)
	outside := len(sums) / 40 // 2.5%
	return u.mean(sums[outside-1]), u.mean(sums[len(sums)-outside]), len(sums)
}

// resampledSums returns the sums of resamples: n differences each, drawn with replacement. Every second resample is
// antithetic to the one before: where that drew the i-th smallest difference, this takes the i-th largest.
func (u units) resampledSums(seed uint64) []int64 {
	// With the differences in ascending order, the i-th and the i-th last are both zero but for the outer places. Only
	// draws that hit those matter, and how many do is drawn first: most cases are equal in most comparisons.
	outer := min(u.n, 2*max(len(u.falls), len(u.rises)))
	// A difference and its opposite lie side by side, so that one visit to memory fetches both.
	twos := make([][2]int64, outer)
	for i, m := range u.falls {
		place := len(u.falls) - 1 - i
		twos[place][0], twos[outer-1-place][1] = -m, -m
	}
	for i, m := range u.rises {
		place := outer - len(u.rises) + i
		twos[place][0], twos[outer-1-place][1] = m, m
	}

	source := rand.NewPCG(seed, indexStream)
	hits := newHits(u.n, outer)
	places := uint64(outer)
	sums := make([]int64, min(mostResamples, max(fewestResamples, resampledValues/outer))/2*2)
	for two := range slices.Chunk(sums, 2) {
		var a, b int64
		left := hits.draw(source)
		for ; left >= 2; left -= 2 {
			// Half a word times the places, over 2^32, is one of them; their chances differ by less than outer/2^32.
			word := source.Uint64()
			x, y := &twos[word>>32*places>>32], &twos[word&0xffffffff*places>>32]
			a += x[0] + y[0]
			b += x[1] + y[1]
		}
		if left == 1 {
			x := &twos[source.Uint64()>>32*places>>32]
			a += x[0]
			b += x[1]
		}
		two[0], two[1] = a, b
	}
	return sums
}

// hits is the distribution of how many of n draws hit one of m places among n, Binomial(n, m/n), without the counts
// that are too unlikely to come up.
type hits struct {
	first      int       // the smallest count
	cumulative []float64 // cumulative[i] is in proportion to the probability of first+i or less
}

func newHits(n, m int) hits {
	const never = 0x1p-64
	odds := float64(m) / float64(n-m) // +Inf if every draw hits: then m alone is left
	var weights []float64             // in proportion to that of m, which is the mean and the likeliest count
	first := m
	for w := 1.0; w > never; first-- {
		weights = append(weights, w)
		w = w * float64(first) / float64(n-first+1) / odds
	}
	first++
	slices.Reverse(weights)
	for k, w := m, 1.0; k < n; k++ {
		w = w * float64(n-k) / float64(k+1) * odds
		if w <= never {
			break
		}
		weights = append(weights, w)
	}
	for i := 1; i < len(weights); i++ {
		weights[i] += weights[i-1]
	}
	return hits{first: first, cumulative: weights}
}

func (h hits) draw(source *rand.PCG) int {
	last := len(h.cumulative) - 1
	if last == 0 {
		return h.first
	}
	// 53 random bits make a number in [0, 1).
	at := float64(source.Uint64()>>11) * 0x1p-53 * h.cumulative[last]
	i, found := slices.BinarySearch(h.cumulative, at)
	if found {
		i++
	}
	return h.first + min(i, last)
}

func total(values []int64) int64 {
	var t int64
	for _, v := range values {
		t += v
	}
	return t
}

func magnitude(v int64) int64 { return max(v, -v) }

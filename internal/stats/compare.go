package stats

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Options of a comparison. The zero value fits a metric of which more is better.
type Options struct {
	// LowerIsBetter counts a fall as better, as for durations. It changes Better and Worse and nothing else.
	LowerIsBetter bool

	// Seed of the draws. Every seed is as good as any other; 0 is one of them.
	Seed uint64
}

// Result of a comparison of two runs over the same cases, by one metric.
type Result struct {
	// N is the number of pairs; each is one of Better, Worse or Equal.
	N, Better, Worse, Equal int

	// MeanDiff is the mean of after − before, in the metric's unit.
	MeanDiff float64

	// Low and High bound the 95% interval of MeanDiff: the percentile interval (Efron 1979) of Resamples resamples of
	// the pairs, from the value that 2.5% of the resamples do not exceed to the one that 2.5% do not fall below.
	// Resamples come in antithetic twos (Hall 1989), which makes the interval of the swapped runs its mirror image.
	// There are 10,000; where more than 10,000 pairs rise or fall, as many as draw 200 million values, and never fewer
	// than 2,000. Where no pair differs there is nothing to draw: 0, and the interval is [0, 0].
	Low, High float64
	Resamples int

	// PSign is the p value of [SignTest]. For a metric of 0 and 1, such as fail and pass, it is that of [McNemar].
	PSign float64

	// PRandomization is the two-sided p value of the paired randomisation test on the mean (Fisher 1935): how often
	// chance signs on the differences give a mean at least as far from 0. If Exact, all 2^(Better+Worse) patterns of
	// signs were visited, up to 2^16. Otherwise 10,000 were drawn, and p is (1 + as far) / (1 + drawn), which is never
	// 0 (Phipson and Smyth 2010).
	PRandomization float64
	Exact          bool

	// Inconclusive is empty, or why nothing can be concluded: fewer than two cases differ. P values are then 1.
	Inconclusive string
}

// ErrNoPairs is the error of a comparison of nothing: it has no mean, and no p value.
var ErrNoPairs = errors.New("no pairs to compare")

// Compare compares the values of one metric for the same cases, before and after: before[i] and after[i] belong to one
// case. The order of the cases does not matter. Compare leaves its arguments as they are.
//
// Slices of different length, a NaN, an infinity and a difference beyond a float64 are errors; so is the absence of
// pairs, [ErrNoPairs].
func Compare(before, after []float64, opt Options) (Result, error) {
	d, err := subtract(before, after)
	if err != nil {
		return Result{}, err
	}
	differing := len(d.rises) + len(d.falls)
	r := Result{
		N:              d.n,
		Better:         len(d.rises),
		Worse:          len(d.falls),
		Equal:          d.n - differing,
		MeanDiff:       d.mean(),
		PSign:          SignTest(len(d.rises), len(d.falls)),
		PRandomization: 1,
		Exact:          true,
	}
	if opt.LowerIsBetter {
		r.Better, r.Worse = r.Worse, r.Better
	}
	if differing < 2 {
		r.Inconclusive = fmt.Sprintf("%d of %d cases differ, 2 are needed", differing, d.n)
	}
	if differing == 0 {
		return r, nil
	}
	u := d.units()
	r.PRandomization, r.Exact = u.randomization(opt.Seed)
	r.Low, r.High, r.Resamples = u.interval(opt.Seed)
	return r, nil
}

// toleranceBits is how close equal values are: to 2^-toleranceBits of the larger. It leaves thirteen bits for what
// the computation of a metric may have lost.
const toleranceBits = 40

// differences are what n pairs come to: the magnitudes of rises and of falls, each ascending, which makes everything
// that follows independent of the order of the pairs; the other pairs are equal.
type differences struct {
	n            int
	rises, falls []float64
	exponent     int // of the largest value in a pair that differs: it is less than 2^exponent
}

func subtract(before, after []float64) (differences, error) {
	if len(before) != len(after) {
		return differences{}, fmt.Errorf("%d values before and %d after: pairs need as many of each", len(before), len(after))
	}
	if len(before) == 0 {
		return differences{}, ErrNoPairs
	}
	d := differences{n: len(before)}
	var largest float64
	for i, b := range before {
		a := after[i]
		diff := a - b
		if math.IsNaN(diff) || math.IsInf(diff, 0) {
			return differences{}, fmt.Errorf("pair %d: %v before, %v after: values and their difference must be finite", i+1, b, a)
		}
		size := max(math.Abs(a), math.Abs(b))
		if math.Abs(diff) <= size*(1.0/(1<<toleranceBits)) {
			continue
		}
		largest = max(largest, size)
		if diff > 0 {
			d.rises = append(d.rises, diff)
		} else {
			d.falls = append(d.falls, -diff)
		}
	}
	_, d.exponent = math.Frexp(largest)
	slices.Sort(d.rises)
	slices.Sort(d.falls)
	return d, nil
}

// mean returns the mean of all differences. It sums parts of 2^exponent, whose sum cannot overflow.
func (d differences) mean() float64 {
	return math.Ldexp((d.sum(d.rises)-d.sum(d.falls))/float64(d.n), d.exponent)
}

// sum adds magnitudes up by Kahan's compensated summation, in parts of 2^exponent.
func (d differences) sum(magnitudes []float64) float64 {
	var sum, lost float64
	for _, m := range magnitudes {
		m = math.Ldexp(m, -d.exponent) - lost
		next := sum + m
		lost = (next - sum) - m
		sum = next
	}
	return sum
}

// units are differences in whole units of 2^exponent, so small that they lose nothing that matters and so large that
// the sum of all of them fits an int64.
type units struct {
	n            int
	rises, falls []int64 // ascending magnitudes
	exponent     int
}

func (d differences) units() units {
	// A difference is less than 2^(1+d.exponent), n of them less than 2^(1+d.exponent+Len(n)).
	shift := min(toleranceBits, 61-bits.Len(uint(d.n))) - d.exponent
	whole := func(magnitudes []float64) []int64 {
		w := make([]int64, len(magnitudes))
		for i, m := range magnitudes {
			w[i] = int64(math.RoundToEven(math.Ldexp(m, shift)))
		}
		return w
	}
	return units{n: d.n, rises: whole(d.rises), falls: whole(d.falls), exponent: -shift}
}

// mean returns the mean of n differences that sum up to sum.
func (u units) mean(sum int64) float64 {
	return math.Ldexp(float64(sum)/float64(u.n), u.exponent)
}

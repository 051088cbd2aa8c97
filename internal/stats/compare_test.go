package stats_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/internal/stats"
)

func compare(t require.TestingT, before, after []float64, opt stats.Options) stats.Result {
	r, err := stats.Compare(before, after, opt)
	require.NoError(t, err)
	return r
}

// compareDifferences compares runs that differ by so much.
func compareDifferences(t require.TestingT, differences ...float64) stats.Result {
	return compare(t, make([]float64, len(differences)), differences, stats.Options{})
}

func TestRandomizationGivesWorkedValues(t *testing.T) {
	third := 1.0 / 3
	for _, row := range []struct {
		name, reason string
		differences  []float64
		want         float64
	}{
		{"Darwin's maize", "Fisher 1935, section 21: 863 of 32,768 patterns on either side",
			[]float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}, 1726.0 / 32768},
		{"one two three", "only +++ and −−− reach 6", []float64{1, 2, 3}, 2.0 / 8},
		{"minus one, two, three", "4 is reached by 6, 4, −4, −6", []float64{-1, 2, 3}, 4.0 / 8},
		{"one, minus two, three", "2 is reached by all but 0 and 0", []float64{1, -2, 3}, 6.0 / 8},
		{"cancelled", "every sum is as far from 0 as 0 is", []float64{1, 2, -3}, 1},
		{"equal pairs drop out", "as without the zeros", []float64{0, 1, 0, 2, 3, 0}, 2.0 / 8},
		{"two", "two of four", []float64{1, 5}, 2.0 / 4},
		{"thirds", "2/3 − 1/3 and 1 − 2/3 are not the same float64, but the same difference: |1/3| is reached by all",
			[]float64{2*third - third, 1 - 2*third, -third}, 1},
		{"tenths", "0.1 + 0.2 equals 0.3: the sum 0.6 and its opposite, no other", []float64{0.1, 0.2, 0.3}, 2.0 / 8},
		{"tenths against each other", "0.1 + 0.2 − 0.3 is 0 like the other sum, and 0 is no distance", []float64{0.1, 0.2, -0.3}, 1},
		{"thirds to one sum", "as 2, 2, 1, 1: all but the sums of 0 reach 2, which floats and whole units miss by rounding",
			[]float64{-2 * third, -2 * third, third, third}, 12.0 / 16},
		{"sixths to one sum", "as 6, 5, 1, 4: 6 is reached with {}, {1}, {4}, {5}, {1, 4} and their complements negative",
			[]float64{-1, -5.0 / 6, 1.0 / 6, 4.0 / 6}, 10.0 / 16},
		{"sixteen", "the most that is exact", slices.Repeat([]float64{0.5}, 16), 2.0 / 65536},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := compareDifferences(t, row.differences...)
			assert.InDelta(t, row.want, r.PRandomization, precision, row.reason)
			assert.True(t, r.Exact)
		})
	}
}

func TestRandomizationByDrawsIsNearTheExactValue(t *testing.T) {
	// 18 differences: two more than are enumerated here, few enough to enumerate in the test.
	differences := []float64{5, -3, 8, 1, -2, 7, 4, -6, 9, 2, -1, 3, 6, -4, 10, -5, 2, -8}
	var observed float64
	for _, d := range differences {
		observed += d
	}
	far := 0
	for pattern := range 1 << len(differences) {
		var sum float64
		for i, d := range differences {
			if pattern>>i&1 == 1 {
				d = -d
			}
			sum += d
		}
		if math.Abs(sum) >= observed {
			far++
		}
	}
	exact := float64(far) / float64(int(1)<<len(differences))
	fourErrors := 4 * math.Sqrt(exact*(1-exact)/10_000)
	for seed := range uint64(5) {
		r := compare(t, make([]float64, len(differences)), differences, stats.Options{Seed: seed})
		assert.False(t, r.Exact)
		assert.InDelta(t, exact, r.PRandomization, fourErrors, "seed %d", seed)
	}
}

func TestDrawnPValueIsNeverZero(t *testing.T) {
	r := compareDifferences(t, slices.Repeat([]float64{1}, 1000)...)
	assert.InDelta(t, 1.0/10_001, r.PRandomization, precision)
	assert.False(t, r.Exact)
}

func TestThreeRegressionsAndNoFixGiveMcNemarOneQuarter(t *testing.T) {
	before, after := slices.Repeat([]float64{1}, 46), slices.Repeat([]float64{1}, 46)
	after[3], after[17], after[40] = 0, 0, 0
	got := compare(t, before, after, stats.Options{})
	want := stats.Result{N: 46, Worse: 3, Equal: 43, MeanDiff: -3.0 / 46, PSign: 0.25, PRandomization: 0.25, Exact: true}
	ignored := cmpopts.IgnoreFields(stats.Result{}, "Low", "High", "Resamples")
	if diff := cmp.Diff(want, got, ignored, cmpopts.EquateApprox(0, precision)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	// 46 draws hit one of 3 cases in 46 seven times or more with probability 0.0285, eight or more with 0.0092, and never
	// with 0.0449: these are the bounds that leave 2.5% outside.
	assert.InDelta(t, -7.0/46, got.Low, precision)
	assert.InDelta(t, 0, got.High, precision)
}

func TestIdenticalRunsHaveAPValueOfOne(t *testing.T) {
	values := []float64{0.5, 1, 0, 0.25}
	want := stats.Result{N: 4, Equal: 4, PSign: 1, PRandomization: 1, Exact: true, Inconclusive: "0 of 4 cases differ, 2 are needed"}
	if diff := cmp.Diff(want, compare(t, values, values, stats.Options{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOneDifferingCaseIsInconclusive(t *testing.T) {
	r := compareDifferences(t, 0, -1, 0, 0)
	assert.Equal(t, "1 of 4 cases differ, 2 are needed", r.Inconclusive)
	assert.Equal(t, 1.0, r.PSign)
	assert.Equal(t, 1.0, r.PRandomization)
	assert.Empty(t, compareDifferences(t, 0, -1, 0, -1).Inconclusive)
}

func TestValuesThatDifferByRoundingAreEqual(t *testing.T) {
	third := 1.0 / 3
	r := compare(t, []float64{0.3, third, 1000}, []float64{float64(0.1) + 0.2, 1 - 2*third, 1000 + 1e-10}, stats.Options{})
	assert.Equal(t, 3, r.Equal)
	assert.Zero(t, r.MeanDiff)
	r = compare(t, []float64{0.79996, 1e-20}, []float64{0.79997, 2e-20}, stats.Options{})
	assert.Equal(t, 2, r.Better)
}

func TestLowerIsBetterTurnsTheCountsOnly(t *testing.T) {
	before, after := []float64{100, 200, 300, 400}, []float64{90, 150, 310, 400}
	higher := compare(t, before, after, stats.Options{})
	lower := compare(t, before, after, stats.Options{LowerIsBetter: true})
	assert.Equal(t, [3]int{1, 2, 1}, [3]int{higher.Better, higher.Worse, higher.Equal})
	assert.Equal(t, [3]int{2, 1, 1}, [3]int{lower.Better, lower.Worse, lower.Equal})
	higher.Better, higher.Worse = lower.Better, lower.Worse
	assert.Equal(t, higher, lower)
	assert.InDelta(t, -12.5, lower.MeanDiff, precision)
}

func TestWhatHasNoPValueIsAnError(t *testing.T) {
	for _, row := range []struct {
		name          string
		before, after []float64
		want          string
	}{
		{"no pairs", nil, []float64{}, "no pairs to compare"},
		{"more before than after", []float64{1, 2}, []float64{1}, "2 values before and 1 after: pairs need as many of each"},
		{"NaN before", []float64{1, math.NaN()}, []float64{1, 1}, "pair 2: NaN before, 1 after: values and their difference must be finite"},
		{"NaN after", []float64{1}, []float64{math.NaN()}, "pair 1: 1 before, NaN after"},
		{"infinity", []float64{math.Inf(1)}, []float64{0}, "pair 1: +Inf before, 0 after"},
		{"the same infinity twice", []float64{math.Inf(-1)}, []float64{math.Inf(-1)}, "pair 1: -Inf before, -Inf after"},
		{"beyond a float64", []float64{-1e308}, []float64{1e308}, "pair 1: -1e+308 before, 1e+308 after"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := stats.Compare(row.before, row.after, stats.Options{})
			assert.ErrorContains(t, err, row.want)
			assert.Equal(t, stats.Result{}, r)
		})
	}
	_, err := stats.Compare(nil, nil, stats.Options{})
	assert.ErrorIs(t, err, stats.ErrNoPairs)
}

func TestExtremeValuesKeepTheirMean(t *testing.T) {
	for _, row := range []struct {
		name          string
		before, after []float64
		want          float64
	}{
		{"sum beyond a float64", []float64{0, 0, 0}, []float64{1.5e308, 1.5e308, 1.5e308}, 1.5e308},
		{"smallest", []float64{0, 0}, []float64{5e-324, 1.5e-323}, 1e-323},
		{"small beside large", []float64{0, 1e15}, []float64{3, 1e15}, 1.5},
		{"large and back", []float64{0, 1e15, 0}, []float64{1e15, 0, 3}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.InEpsilon(t, row.want, compare(t, row.before, row.after, stats.Options{}).MeanDiff, 1e-12)
		})
	}
}

func TestIntervalAgreesWithEveryResample(t *testing.T) {
	// All 5^5 resamples of five differences whose sums are all distinct enough for the bounds to lie between few of them.
	differences := []float64{-1, 0, 2, 5, 11}
	var means []float64
	for code := range 3125 {
		var sum float64
		for range 5 {
			sum += differences[code%5]
			code /= 5
		}
		means = append(means, sum/5)
	}
	slices.Sort(means)
	at := func(part float64) float64 { return means[int(part*float64(len(means)))] }
	for seed := range uint64(5) {
		r := compare(t, make([]float64, 5), differences, stats.Options{Seed: seed})
		assert.Equal(t, 10_000, r.Resamples)
		// 10,000 draws place the bound within four standard errors, 0.0062, of 2.5%.
		assert.GreaterOrEqual(t, r.Low, at(0.0188), "seed %d", seed)
		assert.LessOrEqual(t, r.Low, at(0.0312), "seed %d", seed)
		assert.GreaterOrEqual(t, r.High, at(0.9688), "seed %d", seed)
		assert.LessOrEqual(t, r.High, at(0.9812), "seed %d", seed)
	}
}

func TestIntervalOfManyPairsIsThatOfTheNormalDistribution(t *testing.T) {
	for _, row := range []struct {
		name      string
		n, differ int
	}{
		{"all differ", 4000, 4000},
		{"few differ", 40_000, 1000},
	} {
		t.Run(row.name, func(t *testing.T) {
			source := rand.New(rand.NewPCG(7, 7))
			after := make([]float64, row.n)
			var sum, squares float64
			for i := range row.differ {
				after[i] = source.NormFloat64() + 0.5
				sum += after[i]
				squares += after[i] * after[i]
			}
			n := float64(row.n)
			mean := sum / n
			deviation := math.Sqrt((squares/n - mean*mean) / n)
			r := compareDifferences(t, after...)
			assert.InDelta(t, mean, r.MeanDiff, precision)
			assert.InDelta(t, mean-1.959964*deviation, r.Low, 0.15*deviation)
			assert.InDelta(t, mean+1.959964*deviation, r.High, 0.15*deviation)
		})
	}
}

func TestSameSeedSameResultAcross1000Calls(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	source := rand.New(rand.NewPCG(3, 3))
	before, after := make([]float64, 20), make([]float64, 20)
	for i := range before {
		before[i], after[i] = source.Float64(), source.Float64()
	}
	want := compare(t, before, after, stats.Options{Seed: 11})
	require.False(t, want.Exact)
	for _, procs := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(procs)
		var workers sync.WaitGroup
		for range procs {
			workers.Go(func() {
				for range 250 / procs {
					if got, err := stats.Compare(before, after, stats.Options{Seed: 11}); err != nil || got != want {
						t.Errorf("GOMAXPROCS %d: got %+v, %v, want %+v", procs, got, err, want)
						return
					}
				}
			})
		}
		workers.Wait()
	}
	assert.NotEqual(t, want, compare(t, before, after, stats.Options{Seed: 12}), "the seed must matter")
}

func TestComparePropertiesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few distinct values make ties, halves of them fractions that are no float64; up to 40 pairs reach both paths.
		value := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 6).Draw(t, "sixths")) / 6 })
		if rapid.Bool().Draw(t, "continuous") {
			value = rapid.Float64Range(-1e6, 1e6)
		}
		n := rapid.IntRange(1, 40).Draw(t, "n")
		before := rapid.SliceOfN(value, n, n).Draw(t, "before")
		after := rapid.SliceOfN(value, n, n).Draw(t, "after")
		opt := stats.Options{Seed: rapid.Uint64().Draw(t, "seed")}
		r := compare(t, before, after, opt)

		for _, p := range []float64{r.PSign, r.PRandomization} {
			if !(p > 0 && p <= 1) {
				t.Fatalf("p = %v is outside (0, 1]", p)
			}
		}
		if r.Better+r.Worse+r.Equal != r.N || r.N != n {
			t.Fatalf("counts of %+v do not add up to %d", r, n)
		}
		if differing := r.Better + r.Worse; r.Exact != (differing <= 16) || (r.Inconclusive != "") != (differing < 2) {
			t.Fatalf("%+v with %d differing pairs", r, differing)
		}
		if r.Low > r.High {
			t.Fatalf("interval [%v, %v]", r.Low, r.High)
		}

		mirror := r
		mirror.Better, mirror.Worse = r.Worse, r.Better
		mirror.MeanDiff, mirror.Low, mirror.High = -r.MeanDiff, -r.High, -r.Low
		if diff := cmp.Diff(mirror, compare(t, after, before, opt)); diff != "" {
			t.Fatalf("swapped runs are no mirror image: -want +got\n%s", diff)
		}
		order := rapid.Permutation(indices(n)).Draw(t, "order")
		if diff := cmp.Diff(r, compare(t, pick(before, order), pick(after, order), opt)); diff != "" {
			t.Fatalf("the order of the pairs matters: -want +got\n%s", diff)
		}
	})
}

// A metric of 0 and 1 has differences of one size: the three tests are then one.
func TestPassAndFailGiveOnePValueByEveryTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fixed := rapid.IntRange(0, 8).Draw(t, "fixed")
		broken := rapid.IntRange(0, 8).Draw(t, "broken")
		differences := slices.Concat(slices.Repeat([]float64{1}, fixed), slices.Repeat([]float64{-1}, broken), []float64{0})
		r := compareDifferences(t, differences...)
		want := stats.McNemar(broken, fixed)
		if r.PSign != want || math.Abs(r.PRandomization-want) > precision {
			t.Fatalf("McNemar %v, sign %v, randomisation %v", want, r.PSign, r.PRandomization)
		}
	})
}

func FuzzCompare(f *testing.F) {
	f.Add(0.0, 1.0, 1.0, 0.0, uint64(0))
	f.Add(1e308, -1e308, 5e-324, 0.0, uint64(1))
	f.Add(math.NaN(), 1.0, math.Inf(1), 0.5, uint64(2))
	f.Add(1e300, 0.0, 1e-300, 2e-300, uint64(3))
	f.Fuzz(func(t *testing.T, b1, a1, b2, a2 float64, seed uint64) {
		r, err := stats.Compare([]float64{b1, b2, 0}, []float64{a1, a2, 1}, stats.Options{Seed: seed})
		if err != nil {
			return
		}
		for _, p := range []float64{r.PSign, r.PRandomization} {
			if !(p > 0 && p <= 1) {
				t.Errorf("p = %v is outside (0, 1]", p)
			}
		}
		for _, v := range []float64{r.MeanDiff, r.Low, r.High} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%+v is not finite", r)
			}
		}
	})
}

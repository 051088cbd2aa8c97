package compare_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
)

func tested(t testing.TB, old, now *evaluation.Report, o compare.TestOptions) map[string]compare.Test {
	t.Helper()
	c := compare.Compare(old, now, compare.Options{})
	require.NoError(t, c.Test(o))
	out := map[string]compare.Test{}
	for _, x := range c.Statistics.Tests {
		out[x.Name] = x
	}
	return out
}

func TestIdenticalRunsGiveAPOfOne(t *testing.T) {
	r := report(t, row("a"), row("b", metric(0), fails("ranking", "r")), row("c"))
	tests := tested(t, r, r, compare.TestOptions{})
	require.Len(t, tests, 4)
	for name, x := range tests {
		assert.Equal(t, 1.0, x.PSign, name)
		assert.Equal(t, 1.0, x.PRandomization, name)
		assert.Equal(t, 1.0, x.PHolm, name)
		assert.Equal(t, 3, x.Equal, name)
		assert.Zero(t, x.MeanDiff, name)
		assert.Zero(t, x.Low, name)
		assert.Zero(t, x.High, name)
		assert.NotEmpty(t, x.Inconclusive, name)
	}
}

func TestOneDifferingCaseIsInconclusive(t *testing.T) {
	old := report(t, row("a"), row("b"), row("c"))
	now := report(t, row("a", metric(0), fails("ranking", "r")), row("b"), row("c"))
	for _, name := range []string{"pass_rate", "recall@5"} {
		x := tested(t, old, now, compare.TestOptions{})[name]
		assert.Equal(t, [3]int{0, 1, 2}, [3]int{x.Better, x.Worse, x.Equal}, name)
		assert.Equal(t, 1.0, x.PSign, name)
		assert.Equal(t, 1.0, x.PRandomization, name)
		assert.NotEmpty(t, x.Inconclusive, name)
	}
}

// Of n discordant pairs that all go one way, McNemar's exact p is 2·(1/2)^n.
func TestMcNemarForPassAndFail(t *testing.T) {
	var old, now []evaluation.Row
	for i := range 35 {
		id := fmt.Sprintf("case-%02d", i)
		old = append(old, row(id))
		if i < 3 {
			now = append(now, row(id, metric(0), fails("ranking", "r")))
		} else {
			now = append(now, row(id))
		}
	}
	tests := tested(t, report(t, old...), report(t, now...), compare.TestOptions{})
	x := tests["pass_rate"]
	assert.Equal(t, [4]int{35, 0, 3, 32}, [4]int{x.N, x.Better, x.Worse, x.Equal})
	assert.InDelta(t, 0.25, x.PSign, 1e-9)
	assert.InDelta(t, -3.0/35, x.MeanDiff, 1e-9)
	assert.Empty(t, x.Inconclusive)
	assert.LessOrEqual(t, x.Low, x.MeanDiff)
	assert.GreaterOrEqual(t, x.High, x.MeanDiff)
	assert.InDelta(t, 0.25, tests["recall@5"].PRandomization, 1e-9, "2 of the 8 patterns of signs are as far from 0")
	// Four tests: 0.25 twice and 1 twice. Holm: 4·0.25 = 1.
	assert.InDelta(t, 1.0, x.PHolm, 1e-9)
	alone := tested(t, report(t, old...), report(t, now...), compare.TestOptions{Metrics: []string{"average_rank"}})
	assert.InDelta(t, 0.5, alone["pass_rate"].PHolm, 1e-9, "with one more test beside it, 2·0.25")
}

func TestStatisticsKnowTheDirection(t *testing.T) {
	old := report(t, row("a", fact("rank", 1.0)), row("b", fact("rank", 1.0)), row("c", fact("rank", 2.0)))
	now := report(t, row("a", fact("rank", 3.0)), row("b", fact("rank", 2.0)), row("c", fact("rank", 1.0)))
	x := tested(t, old, now, compare.TestOptions{})["average_rank"]
	assert.Equal(t, [2]int{1, 2}, [2]int{x.Better, x.Worse}, "of ranks, less is better")
	assert.InDelta(t, 2.0/3, x.MeanDiff, 1e-9)
}

func TestCasesThatCannotBePairedAreLeftOutAndCounted(t *testing.T) {
	old := report(t, row("a"), row("b"), row("c"), row("d"), row("e"))
	now := report(t, row("a"), row("b", digest("d2")), row("c", fact("rank", nil)), row("d", metric(math.NaN())), row("f"))
	c := compare.Compare(old, now, compare.Options{})
	require.NoError(t, c.Test(compare.TestOptions{}))
	s := c.Statistics
	assert.Equal(t, 3, s.Cases, "a, c and d")
	assert.Equal(t, 3, s.LeftOut, "b was changed, e removed, f added")
	for _, x := range s.Tests {
		switch x.Name {
		case "recall@5", "average_rank":
			assert.Equal(t, [2]int{2, 1}, [2]int{x.N, x.Unpaired}, x.Name)
		default:
			assert.Equal(t, [2]int{3, 0}, [2]int{x.N, x.Unpaired}, x.Name)
		}
	}
}

func TestIncomparableRunsHaveNoStatistics(t *testing.T) {
	old := report(t, row("a"))
	def := definition()
	def.Config[0].Value = 10.0
	now, err := evaluation.New(def, old.Rows, nil)
	require.NoError(t, err)
	tests := tested(t, old, now, compare.TestOptions{})
	require.Len(t, tests, 1)
	assert.Equal(t, "no case has a value in both reports", tests["pass_rate"].Inconclusive)
	assert.Equal(t, 1.0, tests["pass_rate"].PHolm)
}

func TestAskingForAMetricThatCannotBeTestedIsAnError(t *testing.T) {
	r := report(t, row("a"))
	c := compare.Compare(r, r, compare.Options{})
	assert.EqualError(t, c.Test(compare.TestOptions{Metrics: []string{"recall"}}), `the report has no metric "recall"`)
	assert.ErrorContains(t, c.Test(compare.TestOptions{Metrics: []string{"verdicts"}}), "distribution")
	assert.Nil(t, c.Statistics)
}

// The p values by listing every pattern of signs.
func TestPValuesAgreeWithExactEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		var old, now []evaluation.Row
		var diffs []float64
		for i := range n {
			id := fmt.Sprintf("case-%02d", i)
			a := rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(t, "old")
			b := rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(t, "new")
			old, now = append(old, row(id, metric(a))), append(now, row(id, metric(b)))
			if a != b {
				diffs = append(diffs, b-a)
			}
		}
		a, err := evaluation.New(definition(), old, nil)
		require.NoError(t, err)
		b, err := evaluation.New(definition(), now, nil)
		require.NoError(t, err)
		c := compare.Compare(a, b, compare.Options{})
		require.NoError(t, c.Test(compare.TestOptions{Metrics: []string{"recall@5"}}))
		got := c.Statistics.Tests[1]

		var observed float64
		plus := 0
		for _, d := range diffs {
			observed += d
			if d > 0 {
				plus++
			}
		}
		far, asUneven := 0, 0
		for pattern := range 1 << len(diffs) {
			sum, k := 0.0, 0
			for i, d := range diffs {
				if pattern>>i&1 == 1 {
					sum, k = sum+math.Abs(d), k+1
				} else {
					sum -= math.Abs(d)
				}
			}
			if math.Abs(sum) >= math.Abs(observed) {
				far++
			}
			if min(k, len(diffs)-k) <= min(plus, len(diffs)-plus) {
				asUneven++
			}
		}
		all := float64(int(1) << len(diffs))
		wantRandomization, wantSign := float64(far)/all, float64(asUneven)/all
		if len(diffs) < 2 {
			wantRandomization, wantSign = 1, 1
		}
		if math.Abs(got.PRandomization-wantRandomization) > 1e-9 || math.Abs(got.PSign-wantSign) > 1e-9 {
			t.Fatalf("differences %v: randomisation %v, by enumeration %v; sign %v, by enumeration %v", diffs, got.PRandomization, wantRandomization, got.PSign, wantSign)
		}
		if len(diffs) > 0 && !got.Exact {
			t.Fatal("the test was not exact")
		}
	})
}

// twoRuns are reports of n cases of which every third moved a little.
func twoRuns(t testing.TB, n int) (old, now *evaluation.Report) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var a, b []evaluation.Row
	for i := range n {
		id := fmt.Sprintf("case-%06d", i)
		v := rnd.Float64()
		w := v
		if i%3 == 0 {
			w = rnd.Float64()
		}
		was, is := fact("duration_ms", 100*rnd.Float64()), fact("duration_ms", 100*rnd.Float64())
		a = append(a, row(id, metric(v), was))
		if i%50 == 0 {
			b = append(b, row(id, metric(w), is, fails("ranking", "r")))
		} else {
			b = append(b, row(id, metric(w), is))
		}
	}
	return report(t, a...), report(t, b...)
}

func TestTheSameSeedGivesTheSameStatisticsAtAnyGOMAXPROCS(t *testing.T) {
	old, now := twoRuns(t, 300)
	write := func(procs int, seed uint64) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		c := compare.Compare(old, now, compare.Options{})
		require.NoError(t, c.Test(compare.TestOptions{Seed: seed}))
		var b bytes.Buffer
		require.NoError(t, c.WriteJSON(&b))
		return b.String()
	}
	want := write(1, 7)
	for _, procs := range []int{1, 2, 5} {
		assert.Empty(t, cmp.Diff(want, write(procs, 7)))
	}
	assert.NotEqual(t, want, write(1, 8), "another seed draws other cases")
}

// BenchmarkTest compares two reports of 100,000 cases with statistics of twenty
// metrics, a third of whose values differ, and of durations, which all do: what
// karat compare --stats does after it has read them.
func BenchmarkTest(b *testing.B) {
	def := definition()
	for i := range 20 {
		name := fmt.Sprintf("ratio-%02d", i)
		def.Metrics = append(def.Metrics, evaluation.Metric{Name: name, Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: name})
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	var old, now []evaluation.Row
	for i := range 100_000 {
		was := row(fmt.Sprintf("case-%06d", i), fact("duration_ms", 100*rnd.Float64()))
		is := row(was.ID, fact("duration_ms", 100*rnd.Float64()))
		for _, m := range def.Metrics[len(def.Metrics)-20:] {
			v := float64(rnd.IntN(5)) / 4
			was.Metrics = append(was.Metrics, evaluation.Value{Name: m.Name, Value: v})
			if rnd.IntN(3) == 0 {
				v = float64(rnd.IntN(5)) / 4
			}
			is.Metrics = append(is.Metrics, evaluation.Value{Name: m.Name, Value: v})
		}
		old, now = append(old, was), append(now, is)
	}
	before, err := evaluation.New(def, old, nil)
	require.NoError(b, err)
	after, err := evaluation.New(def, now, nil)
	require.NoError(b, err)
	for b.Loop() {
		c := compare.Compare(before, after, compare.Options{})
		if err := c.Test(compare.TestOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

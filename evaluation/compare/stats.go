package compare

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/internal/stats"
)

// Statistics says of two reports over the same cases whether they differ by more
// than chance would make them.
type Statistics struct {
	// Cases is the number of cases that were compared. LeftOut counts those that
	// were not: added, removed and incomparable ones.
	Cases, LeftOut int
	// Tests has pass and fail first, then the metrics in the order of the report.
	Tests []Test
}

// Test compares the values of one metric for the same cases, before and after.
type Test struct {
	// Name is the metric's name; pass_rate for pass and fail.
	Name string
	// Metric describes it.
	Metric evaluation.Metric
	// N is the number of cases that have a value in both reports; each is one of
	// Better, Worse or Equal. Unpaired counts those with a value in one report
	// only, or with one that is no number of the metric's range.
	N, Better, Worse, Equal, Unpaired int

	// MeanDiff is the mean of new − old over the N cases, in the metric's unit.
	MeanDiff float64
	// Low and High bound its 95% bootstrap interval (percentile interval over
	// resampled cases).
	Low, High float64

	// PSign is the two-sided p value of the exact sign test; for pass and fail
	// that is the exact test of McNemar. In (0, 1].
	PSign float64
	// PRandomization is the two-sided p value of the paired randomisation test
	// on the mean, in (0, 1]. Exact says that it visited every pattern of signs
	// of the cases that differ, instead of 10,000 drawn ones.
	PRandomization float64
	Exact          bool
	// PHolm is the p value adjusted for how many tests are shown (Holm 1979): of
	// PSign for pass and fail, of PRandomization for the others.
	PHolm float64

	// Inconclusive is empty, or why nothing can be concluded: fewer than two
	// cases differ, or none can be paired. P values are then 1.
	Inconclusive string
}

// TestOptions adjusts [Comparison.Test].
type TestOptions struct {
	// Metrics are the metrics to test. Where none are named, those are tested
	// that are a mean over cases, have a better direction, and have a value for
	// the same case in both reports. Fewer metrics leave more significance to
	// each.
	Metrics []string
	// Seed of what is drawn. The same seed gives the same result, on any machine.
	Seed uint64
}

// passRate is what [Comparison.Test] holds pass and fail to be.
var passRate = evaluation.Metric{
	Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio",
	Aggregation: evaluation.Rate, Of: "status", Equals: string(evaluation.Pass),
}

// Test adds statistics to the comparison. Only cases that can be compared are
// looked at; the metrics are those of the new report. A metric that the report
// does not have, or that has no value of each case, is an error.
func (c *Comparison) Test(o TestOptions) error {
	metrics := []evaluation.Metric{passRate}
	for _, name := range o.Metrics {
		m := c.New.Metric(name)
		switch {
		case m == nil:
			return fmt.Errorf("the report has no metric %q", name)
		case m.Aggregation == evaluation.Distribution:
			return fmt.Errorf("metric %q is a distribution, and has no value of each case", name)
		case slices.ContainsFunc(metrics, func(x evaluation.Metric) bool { return x.Name == name }):
			continue
		}
		metrics = append(metrics, *m)
	}
	if len(o.Metrics) == 0 {
		for _, m := range c.New.Metrics {
			if m.Aggregation == evaluation.Mean && (m.Better == evaluation.Higher || m.Better == evaluation.Lower) {
				metrics = append(metrics, m)
			}
		}
	}
	s := &Statistics{Tests: make([]Test, len(metrics))}
	var cases []*Case
	for i := range c.Cases {
		if x := &c.Cases[i]; x.Old != nil && x.New != nil && x.Kind != Incomparable {
			cases = append(cases, x)
		}
	}
	s.Cases, s.LeftOut = len(cases), len(c.Cases)-len(cases)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range metrics {
		g.Go(func() error {
			s.Tests[i] = test(&metrics[i], cases, o.Seed)
			return nil
		})
	}
	_ = g.Wait()
	if len(o.Metrics) == 0 {
		s.Tests = slices.DeleteFunc(s.Tests, func(t Test) bool { return t.N == 0 && t.Name != passRate.Name })
	}
	p := make([]float64, len(s.Tests))
	for i, t := range s.Tests {
		p[i] = t.PRandomization
		if t.Name == passRate.Name {
			p[i] = t.PSign
		}
	}
	adjusted, err := stats.Holm(p)
	if err != nil {
		return err
	}
	for i := range s.Tests {
		s.Tests[i].PHolm = adjusted[i]
	}
	c.Statistics = s
	return nil
}

func test(m *evaluation.Metric, cases []*Case, seed uint64) Test {
	t := Test{Name: m.Name, Metric: *m, PSign: 1, PRandomization: 1}
	before, after := make([]float64, 0, len(cases)), make([]float64, 0, len(cases))
	for _, c := range cases {
		a, hadA := caseValue(m, c.Old)
		b, hadB := caseValue(m, c.New)
		switch {
		case hadA && hadB:
			before, after = append(before, a), append(after, b)
		case hadA || hadB:
			t.Unpaired++
		}
	}
	if t.N = len(before); t.N == 0 {
		t.Inconclusive = "no case has a value in both reports"
		return t
	}
	r, err := stats.Compare(before, after, stats.Options{LowerIsBetter: m.Better == evaluation.Lower, Seed: seed})
	if err != nil {
		t.Equal, t.Inconclusive = t.N, err.Error()
		return t
	}
	t.Better, t.Worse, t.Equal = r.Better, r.Worse, r.Equal
	t.MeanDiff, t.Low, t.High = r.MeanDiff, r.Low, r.High
	t.PSign, t.PRandomization, t.Exact = r.PSign, r.PRandomization, r.Exact
	t.Inconclusive = r.Inconclusive
	return t
}

// caseValue gives a row's value where it is a number of the metric's range.
func caseValue(m *evaluation.Metric, r *evaluation.Row) (float64, bool) {
	v, ok := m.CaseValue(r)
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) || v < m.Min-tolerance || v > m.Max+tolerance {
		return 0, false
	}
	return v, true
}

type jsonStatistics struct {
	Cases   int        `json:"cases"`
	LeftOut int        `json:"left_out"`
	Tests   []jsonTest `json:"tests"`
}

type jsonTest struct {
	Name           string     `json:"name"`
	N              int        `json:"n"`
	Better         int        `json:"better"`
	Worse          int        `json:"worse"`
	Equal          int        `json:"equal"`
	Unpaired       int        `json:"unpaired"`
	MeanDiff       jsonNumber `json:"mean_difference"`
	Low            jsonNumber `json:"low"`
	High           jsonNumber `json:"high"`
	PSign          jsonNumber `json:"p_sign"`
	PRandomization jsonNumber `json:"p_randomization"`
	Exact          bool       `json:"exact"`
	PHolm          jsonNumber `json:"p_holm"`
	Inconclusive   string     `json:"inconclusive,omitempty"`
}

// jsonNumber is a number with the digits that reports have.
type jsonNumber float64

// MarshalJSON writes the number; what is none is null.
func (n jsonNumber) MarshalJSON() ([]byte, error) {
	if v := float64(n); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return []byte(evaluation.Number(v)), nil
	}
	return []byte("null"), nil
}

func (s *Statistics) json() *jsonStatistics {
	if s == nil {
		return nil
	}
	out := &jsonStatistics{Cases: s.Cases, LeftOut: s.LeftOut}
	for i := range s.Tests {
		t := &s.Tests[i]
		out.Tests = append(out.Tests, jsonTest{
			Name: t.Name, N: t.N, Better: t.Better, Worse: t.Worse, Equal: t.Equal, Unpaired: t.Unpaired,
			MeanDiff: jsonNumber(t.MeanDiff), Low: jsonNumber(t.Low), High: jsonNumber(t.High),
			PSign: jsonNumber(t.PSign), PRandomization: jsonNumber(t.PRandomization), Exact: t.Exact, PHolm: jsonNumber(t.PHolm),
			Inconclusive: t.Inconclusive,
		})
	}
	return out
}

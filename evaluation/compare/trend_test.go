package compare_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
)

func runOf(better evaluation.Better, unit string, names []string, values ...float64) *compare.Run {
	s := compare.RunSuite{Name: "retrieval", Kind: "retrieval"}
	for i, v := range values {
		s.Summary = append(s.Summary, compare.RunEntry{Entry: evaluation.Entry{Name: names[i], Value: v, OK: true, N: 100}, Better: better, Unit: unit})
	}
	return &compare.Run{Suites: []compare.RunSuite{s}}
}

func ratios(names []string, values ...float64) *compare.Run {
	return runOf(evaluation.Higher, "ratio", names, values...)
}

// table shows a trend as the article does.
func table(t *compare.Trend) []string {
	var out []string
	for _, r := range t.Rows {
		s := r.Label + ":"
		for _, c := range r.Cells {
			if !c.OK {
				s += " –"
			} else {
				s += fmt.Sprintf(" %.3f", c.Value)
			}
			if c.Fell {
				s += " ⚠"
			}
		}
		out = append(out, s)
	}
	return out
}

func trendOf(t testing.TB, o compare.TrendOptions, runs ...*compare.Run) *compare.Trend {
	t.Helper()
	var rows []compare.TrendRun
	for i, r := range runs {
		rows = append(rows, compare.TrendRun{Label: fmt.Sprintf("v%d", i+1), Run: r})
	}
	trend, err := compare.NewTrend(rows, o)
	require.NoError(t, err)
	return trend
}

func TestTheTrendTableOfTheArticleReproducesWithItsMarksAndNoOther(t *testing.T) {
	names := []string{"keyword_recall@5", "mrr", "keyword_coverage", "source_accuracy", "scenario_isolation"}
	trend, err := compare.NewTrend([]compare.TrendRun{
		{Label: "2026-05-01 v1", Run: ratios(names, 1.000, 0.900, 0.933, 1.000, 1.000)},
		{Label: "2026-05-07 v2", Run: ratios(names, 1.000, 0.920, 0.945, 1.000, 1.000)},
		{Label: "2026-05-14 v3", Run: ratios(names, 0.980, 0.910, 0.940, 0.980, 1.000)},
	}, compare.TrendOptions{})
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff([]string{
		"2026-05-01 v1: 1.000 0.900 0.933 1.000 1.000",
		"2026-05-07 v2: 1.000 0.920 0.945 1.000 1.000",
		"2026-05-14 v3: 0.980 ⚠ 0.910 0.940 0.980 ⚠ 1.000",
	}, table(trend)))
}

func TestAFallIsMarkedFromAboveOneHundredthOn(t *testing.T) {
	for _, x := range []struct {
		name     string
		better   evaluation.Better
		unit     string
		was, is  float64
		expected bool
	}{
		{"just one hundredth", evaluation.Higher, "ratio", 0.92, 0.91, false},
		{"a little more", evaluation.Higher, "ratio", 0.92, 0.90999, true},
		{"a rise", evaluation.Higher, "ratio", 0.5, 1, false},
		{"a rank that rises got worse", evaluation.Lower, "rank", 1.2, 1.3, true},
		{"a rank that falls got better", evaluation.Lower, "rank", 1.3, 1.2, false},
		{"one more error", evaluation.Lower, "count", 0, 1, true},
		{"a metric without a direction", evaluation.NoBetter, "count", 100, 5, false},
		{"milliseconds always differ a little", evaluation.Lower, "ms", 200, 219, false},
		{"milliseconds that rise by more than a tenth", evaluation.Lower, "ms", 200, 221, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			names := []string{"m"}
			trend := trendOf(t, compare.TrendOptions{Metrics: names}, runOf(x.better, x.unit, names, x.was), runOf(x.better, x.unit, names, x.is))
			assert.Equal(t, x.expected, trend.Rows[1].Cells[0].Fell)
			assert.False(t, trend.Rows[0].Cells[0].Fell, "there is nothing to fall from")
		})
	}
}

func TestALostValueIsMarkedAndTheNextIsHeldAgainstTheLastKnown(t *testing.T) {
	lost := ratios([]string{"mrr"}, 0)
	lost.Suites[0].Summary[0].Entry = evaluation.Entry{Name: "mrr", Why: "no case has mrr"}
	trend := trendOf(t, compare.TrendOptions{}, ratios([]string{"mrr"}, 0.9), lost, &compare.Run{Suites: []compare.RunSuite{{Kind: "retrieval"}}}, ratios([]string{"mrr"}, 0.8))
	assert.Empty(t, cmp.Diff([]string{"v1: 0.900", "v2: – ⚠", "v3: – ⚠", "v4: 0.800 ⚠"}, table(trend)))
	assert.Equal(t, "the run does not have it", trend.Rows[2].Cells[0].Why)
}

func TestColumnsAreTheMetricsOneJudgesByUnlessNamed(t *testing.T) {
	r := compare.NewRunSuite("retrieval", report(t, row("a"), row("b", metric(0.5))))
	run := &compare.Run{Suites: []compare.RunSuite{r}}
	columns := func(o compare.TrendOptions) (out []string) {
		for _, c := range trendOf(t, o, run).Columns {
			out = append(out, c.Metric)
		}
		return out
	}
	assert.Equal(t, []string{"pass_rate", "recall@5", "average_rank"}, columns(compare.TrendOptions{}))
	assert.Equal(t, []string{"duration_ms_mean", "case_count"}, columns(compare.TrendOptions{Metrics: []string{"duration_ms_mean", "case_count"}}))
	_, err := compare.NewTrend([]compare.TrendRun{{Label: "v1", Run: run}}, compare.TrendOptions{Metrics: []string{"recall"}})
	assert.EqualError(t, err, `no run has a metric "recall"`)
	_, err = compare.NewTrend(nil, compare.TrendOptions{})
	assert.Error(t, err)
}

func TestSuitesOfARunHaveColumnsOfTheirOwn(t *testing.T) {
	suite := func(name, kind string, v float64) compare.RunSuite {
		s := ratios([]string{"pass_rate"}, v).Suites[0]
		s.Name, s.Kind = name, kind
		return s
	}
	trend := trendOf(t, compare.TrendOptions{},
		&compare.Run{Suites: []compare.RunSuite{suite("search", "retrieval", 1), suite("agent", "diagnosis", 0.8)}},
		&compare.Run{Suites: []compare.RunSuite{suite("agent", "diagnosis", 0.9), suite("search", "retrieval", 0.9)}})
	require.Len(t, trend.Columns, 2)
	assert.Equal(t, "search", trend.Columns[0].Suite)
	assert.Equal(t, []string{"v1: 1.000 0.800", "v2: 0.900 ⚠ 0.900"}, table(trend))
	trend = trendOf(t, compare.TrendOptions{},
		&compare.Run{Suites: []compare.RunSuite{suite("dense", "retrieval", 1)}},
		&compare.Run{Suites: []compare.RunSuite{suite("hybrid", "retrieval", 0.9)}})
	assert.Equal(t, []string{"v1: 1.000", "v2: 0.900 ⚠"}, table(trend), "two reports of one kind are one suite, whatever its name")
}

func TestARunSummaryIsReadAsItWasWritten(t *testing.T) {
	r := report(t, row("a"), row("b", fails("ranking", "r"), metric(1.0/3)), row("c", status(evaluation.Error)), row("d", status(evaluation.NotRun)))
	s := compare.NewRunSuite("retrieval", r)
	worse := 2
	s.Worse, s.Gate = &worse, &compare.RunGate{Verdict: "1 of 2 rules does not pass (1 fail)"}
	run := &compare.Run{Suites: []compare.RunSuite{s, {Name: "agent", Kind: "diagnosis"}}}
	assert.Equal(t, [4]int{1, 1, 1, 1}, [4]int{s.Pass, s.Fail, s.NotRun, s.Error})
	var b bytes.Buffer
	require.NoError(t, run.WriteJSON(&b))
	back, err := compare.ReadRun(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	var again bytes.Buffer
	require.NoError(t, back.WriteJSON(&again))
	assert.Empty(t, cmp.Diff(b.String(), again.String()))
	assert.Contains(t, b.String(), `{
  "schema": "karat/run/v1",
  "suites": [
    {
      "name": "test",
      "kind": "retrieval",
      "gate": {
        "passed": false,
        "verdict": "1 of 2 rules does not pass (1 fail)"
      },
      "worse": 2,
      "counts": {
        "pass": 1,
        "fail": 1,
        "not_run": 1,
        "error": 1
      },
      "summary": {
        "case_count": {
          "value": 4,
          "n": 4,
          "better": "none",
          "unit": "count"
        },
        "pass_rate": {
          "value": 0.25,
          "n": 4,
          "better": "higher",
          "unit": "ratio"
        },
`)
}

func TestAReportStandsForARunOfItsSuite(t *testing.T) {
	def := definition()
	def.Schema = "karat/retrieval-report/v1"
	r, err := evaluation.New(def, []evaluation.Row{row("a")}, nil)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	run, err := compare.ReadRun(&b)
	require.NoError(t, err)
	require.Len(t, run.Suites, 1)
	assert.Equal(t, "retrieval", run.Suites[0].Kind)
	assert.Equal(t, 1, run.Suites[0].Pass)
}

func TestWhatIsNoRunIsRefused(t *testing.T) {
	for name, x := range map[string]struct{ data, want string }{
		"nothing":           {"", "the file is empty"},
		"a list":            {"[]", "it is no JSON object"},
		"no schema":         {`{"suites": []}`, `it has no "schema"`},
		"another format":    {`{"schema": "karat/comparison/v1"}`, `its schema is "karat/comparison/v1"`},
		"another version":   {`{"schema": "karat/run/v2"}`, `its schema is "karat/run/v2"`},
		"a foreign report":  {`{"schema": "other/retrieval-report/v1"}`, "neither"},
		"torn":              {`{"schema": "karat/run/v1", "suites": [`, "not a run summary: the JSON ends too early"},
		"a value of text":   {`{"schema": "karat/run/v1", "suites": [{"summary": {"mrr": {"value": "NaN"}}}]}`, "not a run summary: /suites/0/summary/mrr/value cannot be a string"},
		"a value too large": {`{"schema": "karat/run/v1", "suites": [{"summary": {"mrr": {"value": 1e999}}}]}`, "/suites/0/summary/mrr/value cannot be the number 1e999"},
		"a literal NaN":     {`{"schema": "karat/run/v1", "suites": [{"summary": {"mrr": {"value": NaN}}}]}`, "invalid character 'N' at start of value at byte 68"},
		"no suites":         {`{"schema": "karat/run/v1", "suites": []}`, "not a run summary: it has no suites"},
		"one suite twice":   {`{"schema": "karat/run/v1", "suites": [{"name": "a", "summary": {}}, {"name": "a", "summary": {}}]}`, `not a run summary: two suites are called "a"`},
		"two of one metric": {`{"schema": "karat/run/v1", "suites": [{"summary": {"mrr": {}, "mrr": {}}}]}`, "not a run summary"},
		"a summary of text": {`{"schema": "karat/run/v1", "suites": [{"summary": "mrr"}]}`, "not a run summary"},
	} {
		_, err := compare.ReadRun(strings.NewReader(x.data))
		require.Error(t, err, name)
		assert.ErrorContains(t, err, x.want, name)
	}
}

func TestAValueThatCannotBeIsLost(t *testing.T) {
	for _, x := range []struct{ name, entry, why string }{
		{"a sentinel", `{"value": -1, "n": 9, "better": "higher", "unit": "ratio"}`, "the run states -1, which no ratio can be"},
		{"a percentage", `{"value": 93, "n": 9, "better": "higher", "unit": "ratio"}`, "the run states 93, which no ratio can be"},
		{"a time before it began", `{"value": -5, "n": 9, "better": "lower", "unit": "ms"}`, "the run states -5, which no ms can be"},
		{"over no cases", `{"value": 1, "n": 0, "better": "higher", "unit": "ratio"}`, "the run states 1 over n = 0 cases"},
		{"null", `{"value": null, "n": 0, "why": "no case has mrr", "better": "higher", "unit": "ratio"}`, "no case has mrr"},
	} {
		t.Run(x.name, func(t *testing.T) {
			now, err := compare.ReadRun(strings.NewReader(`{"schema": "karat/run/v1", "suites": [{"name": "retrieval", "kind": "retrieval", "summary": {"mrr": ` + x.entry + `}}]}`))
			require.NoError(t, err)
			cell := trendOf(t, compare.TrendOptions{}, ratios([]string{"mrr"}, 0.9), now, ratios([]string{"mrr"}, 0.9)).Rows[1].Cells[0]
			assert.False(t, cell.OK)
			assert.True(t, cell.Fell)
			assert.Equal(t, x.why, cell.Why)
		})
	}
}

func TestAColumnIsDescribedByTheNewestRunThatStatesADirection(t *testing.T) {
	now := ratios([]string{"mrr"}, 0.5)
	now.Suites[0].Summary[0].Better = ""
	assert.Equal(t, []string{"v1: 0.900", "v2: 0.500 ⚠"}, table(trendOf(t, compare.TrendOptions{}, ratios([]string{"mrr"}, 0.9), now)))
}

func TestTheTrendAsJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, trendOf(t, compare.TrendOptions{}, ratios([]string{"mrr"}, 1), ratios([]string{"mrr"}, 0.5)).WriteJSON(&b))
	assert.Equal(t, `{
  "schema": "karat/trend/v1",
  "columns": [
    {
      "metric": "mrr",
      "better": "higher",
      "unit": "ratio"
    }
  ],
  "runs": [
    {
      "label": "v1",
      "values": [
        {
          "metric": "mrr",
          "value": 1,
          "n": 100,
          "fell": false
        }
      ]
    },
    {
      "label": "v2",
      "values": [
        {
          "metric": "mrr",
          "value": 0.5,
          "n": 100,
          "fell": true
        }
      ]
    }
  ]
}
`, b.String())
}

// endless gives one character for ever, as a device does.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestWhatDoesNotBeginAsARunIsNotReadToItsEnd(t *testing.T) {
	for _, c := range []endless{0, '[', '7'} {
		_, err := compare.ReadRun(c)
		assert.EqualError(t, err, "neither a run summary nor a report: it is no JSON object")
	}
	_, err := compare.ReadRun(iotest.ErrReader(errors.New("broken")))
	assert.EqualError(t, err, "broken")
}

func FuzzReadRun(f *testing.F) {
	f.Add([]byte(`{"schema": "karat/run/v1", "suites": [{"name": "a", "kind": "retrieval", "gate": {"passed": true}, "counts": {"pass": 1}, "summary": {"mrr": {"value": 1, "n": 1, "better": "higher"}}}]}`))
	f.Add([]byte(`{"schema": "karat/retrieval-report/v1", "cases": [{"id": "a", "status": "pass"}]}`))
	f.Add([]byte(`{"suites": null, "schema": "karat/run/v1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := compare.ReadRun(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := run.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := compare.ReadRun(bytes.NewReader(b.Bytes())); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		trend, err := compare.NewTrend([]compare.TrendRun{{Label: "a", Run: run}, {Label: "b", Run: run}}, compare.TrendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range trend.Rows[1].Cells {
			if c.Fell {
				t.Fatal("a run fell from itself")
			}
		}
	})
}

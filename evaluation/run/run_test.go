package run_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/run"
)

var definition = evaluation.Definition{
	Schema: "karat/test-report/v1",
	Suite:  "test",
	Config: []evaluation.Setting{{Name: "k", Value: 5.0}, {Name: "ruleset", Value: "1"}},
	Metrics: []evaluation.Metric{
		{Name: "case_count", Better: evaluation.NoBetter, Min: 0, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count},
		{Name: "pass_rate", Better: evaluation.Higher, Min: 0, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
		{Name: "recall@5", Better: evaluation.Higher, Min: 0, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "recall@5"},
		{Name: "verdicts", Better: evaluation.NoBetter, Min: 0, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Distribution, Of: "verdict"},
	},
	Facts: []evaluation.FactInfo{{Name: "verdict", Transitions: true}},
}

// row is a case that passes where recall is 1.
func row(id string, recall float64) evaluation.Row {
	r := evaluation.Row{
		ID: id, Digest: "d", Status: evaluation.Pass,
		Facts:   []evaluation.Fact{{Name: "verdict", Value: "PASS"}},
		Checks:  []evaluation.Check{{Name: "ranking", Status: evaluation.CheckPass}},
		Metrics: []evaluation.Value{{Name: "recall@5", Value: recall}},
	}
	if recall < 1 {
		r.Status, r.Checks[0].Status = evaluation.Fail, evaluation.CheckFail
	}
	return r
}

func report(t testing.TB, rows ...evaluation.Row) *evaluation.Report {
	t.Helper()
	r, err := evaluation.New(definition, rows, nil)
	require.NoError(t, err)
	return r
}

func rules(t testing.TB, text string) *gate.Rules {
	t.Helper()
	if text == "" {
		return nil
	}
	r, err := gate.Read("gate.yaml", []byte(text))
	require.NoError(t, err)
	return r
}

func TestOneRuleSaysWhetherAllIsWell(t *testing.T) {
	good, bad := row("a", 1), row("b", 0.5)
	half := "metrics: {pass_rate: {min: 0.5}}"
	most := "metrics: {pass_rate: {min: 0.9}}"
	for _, tt := range []struct {
		name, why string
		now       []evaluation.Row
		baseline  []evaluation.Row
		gate      string
		partial   bool
		want      bool
		verdict   string
	}{
		{"all pass", "nothing else is asked", []evaluation.Row{good}, nil, "", false, true, "1 of 1 case passes; no gate, no baseline"},
		{"one does not pass", "with neither gate nor baseline, every case must", []evaluation.Row{good, bad}, nil, "", false, false, "1 of 2 cases pass; no gate, no baseline"},
		{"known", "the baseline says so already", []evaluation.Row{good, bad}, []evaluation.Row{good, bad}, "", false, true, "1 of 2 cases pass; none worse than the baseline; 1 known failure"},
		{"worse", "b passed", []evaluation.Row{good, bad}, []evaluation.Row{good, row("b", 1)}, "", false, false, "1 of 2 cases pass; 1 worse than the baseline"},
		{"fixed", "b failed", []evaluation.Row{good, row("b", 1)}, []evaluation.Row{good, bad}, "", false, true, "2 of 2 cases pass; none worse than the baseline; 1 fixed"},
		{"a case is gone", "removing a case must not mend a suite", []evaluation.Row{good}, []evaluation.Row{good, bad}, "", false, false, "1 of 1 case passes; 1 worse than the baseline"},
		{"a case was left out", "a filter was asked for", []evaluation.Row{good}, []evaluation.Row{good, bad}, "", true, true, "1 of 1 case passes; none worse than the baseline"},
		{"within the gate", "it bounds how many may fail", []evaluation.Row{good, bad}, nil, half, false, true, "1 of 2 cases pass; gate passed: "},
		{"beyond the gate", "0.5 < 0.9", []evaluation.Row{good, bad}, nil, most, false, false, "1 of 2 cases pass; gate not passed: "},
		{"a gate without rules", "it holds nothing", []evaluation.Row{good}, nil, "version: 1", false, false, "gate not passed: "},
		{"within the gate and worse", "a mean excuses nothing", []evaluation.Row{good, bad}, []evaluation.Row{good, row("b", 1)}, half, false, false, "1 worse than the baseline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var baseline *evaluation.Report
			if tt.baseline != nil {
				baseline = report(t, tt.baseline...)
			}
			v, err := run.Judge(report(t, tt.now...), baseline, rules(t, tt.gate), run.Options{Partial: tt.partial})
			require.NoError(t, err)
			assert.Equal(t, tt.want, v.Passed(), tt.why)
			assert.Contains(t, v.String(), tt.verdict)
			status := run.Fail
			if tt.want {
				status = run.Pass
			}
			assert.Equal(t, status, run.NewSuite("s", "test", v).Status)
		})
	}
}

func TestAGateThatDoesNotFitTheReportIsAnError(t *testing.T) {
	_, err := run.Judge(report(t, row("a", 1)), nil, rules(t, "metrics: {recal@5: {min: 1}}"), run.Options{})
	assert.ErrorContains(t, err, "recall@5")
}

func summary(t testing.TB) *run.Summary {
	t.Helper()
	v, err := run.Judge(report(t, row("a", 1), row("b", 0.5)), report(t, row("a", 1), row("b", 1)), rules(t, "metrics: {recall@5: {min: 0.8}}"), run.Options{})
	require.NoError(t, err)
	return &run.Summary{Suites: []run.Suite{
		run.NewSuite("search", "retrieval", v),
		run.FailedSuite("agent", "diagnosis", errors.New("traces: no such file or folder")),
	}}
}

func TestASummaryReadsBackAsItWasWritten(t *testing.T) {
	want := summary(t)
	var first, again bytes.Buffer
	require.NoError(t, want.WriteJSON(&first))
	got, err := run.Read(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	require.NoError(t, got.WriteJSON(&again))
	if diff := cmp.Diff(first.String(), again.String()); diff != "" {
		t.Errorf("written again (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff(want.Suites[0].Definition.Metrics, got.Suites[0].Definition.Metrics); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Suites[0].Entries, got.Suites[0].Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	assert.Equal(t, []string{"b"}, got.Suites[0].Worse)
	assert.Equal(t, []string{"b"}, got.Suites[0].NotPassing)
	require.NotEmpty(t, got.Suites[0].Rules)
	assert.Equal(t, "recall@5 ≥ 0.8, overall", got.Suites[0].Rules[0].Rule)
	assert.Equal(t, run.Error, got.Suites[1].Status)
	assert.Equal(t, "traces: no such file or folder", got.Suites[1].Error)
	assert.NotContains(t, first.String(), "null")
}

func TestARunIsAsWellAsItsWorstSuite(t *testing.T) {
	of := func(statuses ...run.Status) run.Status {
		s := run.Summary{}
		for i, st := range statuses {
			s.Suites = append(s.Suites, run.Suite{Name: fmt.Sprint(i), Status: st})
		}
		return s.Status()
	}
	assert.Equal(t, run.Pass, of(run.Pass, run.Pass))
	assert.Equal(t, run.Fail, of(run.Pass, run.Fail, run.Pass))
	assert.Equal(t, run.Error, of(run.Fail, run.Error, run.Pass))
	assert.Equal(t, run.Error, of(), "a run of nothing is no success")
	assert.Equal(t, run.Error, of("passed"), "a status of no known name is none")
}

func TestWhatIsNoSummaryIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"empty":          {"", "not a summary of a run"},
		"cut short":      {`{"schema": "karat/run/v1", "suites": [`, "not a summary of a run"},
		"a report":       {`{"schema": "karat/retrieval-report/v1", "suites": []}`, `its schema is "karat/retrieval-report/v1"; "karat/run/v1" is needed`},
		"no suites":      {`{"schema": "karat/run/v1"}`, "it has no suites"},
		"a wrong type":   {`{"schema": "karat/run/v1", "suites": [{"name": 3}]}`, "/suites/0/name is not what belongs there"},
		"a wrong metric": {`{"schema": "karat/run/v1", "suites": [{"name": "a", "metrics": {"m": {"better": 3}}}]}`, `suite "a"`},
		"a list":         {`[]`, "not a summary of a run"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run.Read(strings.NewReader(tt.content))
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestAnEntryWithoutAValueHasNoneAfterReading(t *testing.T) {
	s, err := run.Read(strings.NewReader(`{"schema": "karat/run/v1", "suites": [{"name": "a", "summary": {"x": {"value": null, "n": 0, "why": "no case"}, "y": "high", "z": {"value": "0.9"}}}]}`))
	require.NoError(t, err)
	for i, why := range []string{"no case", "the summary states no value", "the summary states no value"} {
		assert.False(t, s.Suites[0].Entries[i].OK)
		assert.Equal(t, why, s.Suites[0].Entries[i].Why)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, summary(f).WriteJSON(&b))
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema": "karat/run/v1", "suites": [{"metrics": {"a": {}}, "summary": {"a": {"value": 1e400}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := run.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		s.Status()
		var b bytes.Buffer
		require.NoError(t, s.WriteJSON(&b))
	})
}

func ExampleJudge() {
	definition := evaluation.Definition{Schema: "example/v1", Suite: "example", Metrics: []evaluation.Metric{
		{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
	}}
	report, err := evaluation.New(definition, []evaluation.Row{
		{ID: "vpn-1", Status: evaluation.Pass},
		{ID: "vpn-2", Status: evaluation.NotRun},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, err := gate.Read("gate.yaml", []byte("metrics: {pass_rate: {min: 0.85}}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := run.Judge(report, nil, rules, run.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verdict.Passed())
	fmt.Println(verdict.Gate.Failed()[0].Reason)

	summary := run.Summary{Suites: []run.Suite{run.NewSuite("example", "retrieval", verdict)}}
	fmt.Println(summary.Status())
	// Output:
	// false
	// 0.500 is under 0.85
	// fail
}

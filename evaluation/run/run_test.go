package run_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
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
		{"others were chosen than the baseline has", "nothing was compared, so that every case must pass", []evaluation.Row{bad}, []evaluation.Row{good}, "", true, false, "0 of 1 case passes; no case is in the baseline; 1 added, and it does not pass"},
		{"others were chosen, and pass", "as without a baseline", []evaluation.Row{row("b", 1)}, []evaluation.Row{good}, "", true, true, "1 of 1 case passes; no case is in the baseline; 1 added"},
		{"others were chosen, under a gate", "that no case is worse was not measured", []evaluation.Row{row("b", 1)}, []evaluation.Row{good}, half, true, false, "1 of 2 rules does not pass (1 unmeasured)"},
		{"a new case passes", "the baseline will have it", []evaluation.Row{good, row("b", 1)}, []evaluation.Row{good}, "", false, true, "2 of 2 cases pass; none worse than the baseline; 1 added"},
		{"a new case does not pass", "neither gate nor baseline judges it: nobody knows that it fails", []evaluation.Row{good, bad}, []evaluation.Row{good}, "", false, false, "1 of 2 cases pass; none worse than the baseline; 1 added, and it does not pass"},
		{"a new case was not run", "its fixture was forgotten", []evaluation.Row{good, {ID: "b", Status: evaluation.NotRun}}, []evaluation.Row{good}, "", false, false, "1 added, and it does not pass"},
		{"new cases, of which some pass", "each is judged for itself", []evaluation.Row{good, bad, row("c", 0), row("d", 1)}, []evaluation.Row{good}, "", false, false, "3 added, 2 of which do not pass"},
		{"a new case does not pass, within the gate", "the gate judges it", []evaluation.Row{good, bad}, []evaluation.Row{good}, half, false, true, "1 added, and it does not pass"},
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
			assert.Equal(t, status, v.Suite("s", "test").Status)
		})
	}
}

func TestAGateThatDoesNotFitTheReportIsAnError(t *testing.T) {
	_, err := run.Judge(report(t, row("a", 1)), nil, rules(t, "metrics: {recal@5: {min: 1}}"), run.Options{})
	assert.ErrorContains(t, err, "recall@5")
}

func TestASummaryKeepsWhatARunCameTo(t *testing.T) {
	v, err := run.Judge(report(t, row("a", 1), row("b", 0.5)), report(t, row("a", 1), row("b", 1)), rules(t, "metrics: {recall@5: {min: 0.8}}"), run.Options{})
	require.NoError(t, err)
	want := &compare.Run{Suites: []compare.RunSuite{
		v.Suite("search", "retrieval"),
		run.Unusable("agent", "diagnosis", errors.New("traces: no such file or folder")),
	}}
	assert.Equal(t, run.Error, run.Status(want))
	var b bytes.Buffer
	require.NoError(t, want.WriteJSON(&b))
	got, err := compare.ReadRun(&b)
	require.NoError(t, err)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	s := got.Suites[0]
	assert.Equal(t, "search", s.Name)
	assert.Equal(t, run.Fail, s.Status)
	assert.Equal(t, []string{"b"}, s.NotPassing)
	assert.Equal(t, []string{"b"}, s.WorseCases)
	assert.Equal(t, 1, *s.Worse)
	assert.False(t, s.Gate.Passed)
	assert.Equal(t, "traces: no such file or folder", got.Suites[1].Failing)
}

func TestARunIsAsWellAsItsWorstSuite(t *testing.T) {
	of := func(statuses ...string) string {
		r := &compare.Run{}
		for i, st := range statuses {
			r.Suites = append(r.Suites, compare.RunSuite{Name: fmt.Sprint(i), Status: st})
		}
		return run.Status(r)
	}
	assert.Equal(t, run.Pass, of(run.Pass, run.Pass))
	assert.Equal(t, run.Fail, of(run.Pass, run.Fail, run.Pass))
	assert.Equal(t, run.Error, of(run.Fail, run.Error, run.Pass))
	assert.Equal(t, run.Error, of(), "a run of nothing is no success")
	assert.Equal(t, run.Error, of("passed"), "a status of no known name is none")
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

	fmt.Println(verdict.Suite("example", "retrieval").Status)
	// Output:
	// false
	// 0.500 is under 0.85
	// fail
}

func TestABaselineOfAnotherKindIsRefused(t *testing.T) {
	row := []evaluation.Row{{ID: "a", Status: evaluation.Pass}}
	a, err := evaluation.New(evaluation.Definition{Schema: "karat/retrieval-report/v1"}, row, nil)
	require.NoError(t, err)
	b, err := evaluation.New(evaluation.Definition{Schema: "karat/diagnosis-report/v1"}, row, nil)
	require.NoError(t, err)
	_, err = run.Judge(a, b, nil, run.Options{})
	assert.ErrorContains(t, err, "the baseline is a karat/diagnosis-report/v1 and the report a karat/retrieval-report/v1")
}

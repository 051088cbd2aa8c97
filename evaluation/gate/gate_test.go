package gate_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
)

func definition() evaluation.Definition {
	inf := math.Inf(1)
	ratio := func(name string) evaluation.Metric {
		return evaluation.Metric{Name: name, Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: name}
	}
	return evaluation.Definition{
		Schema: "karat/test-report/v1",
		Suite:  "test",
		Config: []evaluation.Setting{{Name: "k", Value: 5.0}},
		Metrics: []evaluation.Metric{
			{Name: "case_count", Better: evaluation.NoBetter, Max: inf, Unit: "count", Aggregation: evaluation.Count},
			{Name: "strong_count", Better: evaluation.Higher, Max: inf, Unit: "count", Aggregation: evaluation.Count, Of: "hit_level", Equals: "strong"},
			{Name: "error_count", Better: evaluation.Lower, Max: inf, Unit: "count", Aggregation: evaluation.Count, Of: "status", Equals: "error"},
			{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			ratio("recall@5"),
			ratio("followup_rewrite_rate"),
			{Name: "average_first_hit_rank", Better: evaluation.Lower, Min: 1, Max: inf, Unit: "rank", Aggregation: evaluation.Mean, Of: "rank"},
			{Name: "duration_ms_p95", Better: evaluation.Lower, Max: inf, Unit: "ms", Aggregation: evaluation.Percentile, Of: "duration_ms", P: 95, Except: "warm_up"},
			{Name: "verdicts", Aggregation: evaluation.Distribution, Of: "verdict"},
		},
	}
}

type edit func(*evaluation.Row)

func row(id string, edits ...edit) evaluation.Row {
	r := evaluation.Row{ID: id, Digest: "d", Status: evaluation.Pass, Checks: []evaluation.Check{{Name: "ranking", Status: evaluation.CheckPass}}}
	for _, e := range edits {
		e(&r)
	}
	return r
}

func value(name string, v float64) edit {
	return func(r *evaluation.Row) { r.Metrics = append(r.Metrics, evaluation.Value{Name: name, Value: v}) }
}

func recall(v float64) edit { return value("recall@5", v) }

func label(name string, values ...string) edit {
	return func(r *evaluation.Row) { r.Labels = append(r.Labels, evaluation.Label{Name: name, Values: values}) }
}

func fact(name string, v any) edit {
	return func(r *evaluation.Row) { r.Facts = append(r.Facts, evaluation.Fact{Name: name, Value: v}) }
}

func fails(r *evaluation.Row) {
	r.Status = evaluation.Fail
	r.Checks[0].Status = evaluation.CheckFail
}

func errs(r *evaluation.Row) { r.Status, r.Checks = evaluation.Error, nil }

func report(t testing.TB, rows ...evaluation.Row) *evaluation.Report {
	t.Helper()
	r, err := evaluation.New(definition(), rows, nil)
	require.NoError(t, err)
	return r
}

// saved is the report as it comes back from its file, where edits may have torn
// it.
func saved(t testing.TB, r *evaluation.Report, edits ...string) *evaluation.Report {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	s := b.String()
	for i := 0; i < len(edits); i += 2 {
		require.Contains(t, s, edits[i])
		s = strings.Replace(s, edits[i], edits[i+1], 1)
	}
	back, err := evaluation.ReadReport(strings.NewReader(s))
	require.NoError(t, err)
	return back
}

func rules(t testing.TB, yaml string) *gate.Rules {
	t.Helper()
	r, err := gate.Read("gate.yaml", []byte(yaml))
	require.NoError(t, err)
	return r
}

func check(t testing.TB, yaml string, r, baseline *evaluation.Report) *gate.Result {
	t.Helper()
	result, err := rules(t, yaml).Check(r, baseline)
	require.NoError(t, err)
	return result
}

// lines says of each rule what a reader is told.
func lines(result *gate.Result) []string {
	var out []string
	for _, r := range result.Rules {
		s := fmt.Sprintf("%s: %s, %s: %s", r.State, r.Place(), r.Requirement(), r.Reason)
		for i := range r.Cases {
			s += []string{" | ", ", "}[min(i, 1)] + r.Cases[i].Text()
		}
		out = append(out, s)
	}
	return out
}

func assertLines(t *testing.T, result *gate.Result, passed bool, want ...string) {
	t.Helper()
	assert.Empty(t, cmp.Diff(want, lines(result)), "-want +got")
	assert.Equal(t, passed, result.Passed(), result.Verdict())
}

func many(n int, id string, edits ...edit) []evaluation.Row {
	out := make([]evaluation.Row, n)
	for i := range out {
		out[i] = row(fmt.Sprintf("%s-%03d", id, i+1), edits...)
	}
	return out
}

func TestNaNIsUnmeasuredAndDoesNotPass(t *testing.T) {
	r := report(t, row("a", recall(1)), row("b", recall(math.NaN())))
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.85}}", r, nil), false,
		`unmeasured: overall, recall@5 ≥ 0.85: case "b": NaN is outside [0, 1] | b (NaN)`)
	assertLines(t, check(t, "metrics: {recall@5: {max: 0.85}}", r, nil), false,
		`unmeasured: overall, recall@5 ≤ 0.85: case "b": NaN is outside [0, 1] | b (NaN), a (1)`)
}

func TestNaNInASummaryMadeByHandDoesNotPass(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		r := report(t, row("a", recall(1)))
		r.Summary[4].Value = v
		for _, bound := range []string{"min: 0", "max: 1"} {
			result := check(t, "metrics: {recall@5: {"+bound+"}}", r, nil)
			assert.False(t, result.Passed())
			assert.Equal(t, 1, result.Count(gate.Unmeasured))
		}
	}
}

func TestNaNInASliceIsUnmeasuredEvenUnderMinCases(t *testing.T) {
	r := report(t, row("a", recall(1), label("tag", "x")), row("b", recall(math.NaN()), label("tag", "y")))
	assertLines(t, check(t, "slices: {tag: {min_cases: 1, metrics: {recall@5: {min: 0.5}}}}", r, nil), false,
		"pass: tag = x, recall@5 ≥ 0.5: 1.000 is at least 0.5",
		`unmeasured: tag = y, recall@5 ≥ 0.5: case "b": NaN is outside [0, 1] | b (NaN)`)
	assertLines(t, check(t, "slices: {tag: {min_cases: 3, metrics: {recall@5: {min: 0.5}}}}", r, nil), false,
		`unmeasured: tag = y, recall@5 ≥ 0.5: case "b": NaN is outside [0, 1] | b (NaN)`)
}

func TestANullMetricIsUnmeasured(t *testing.T) {
	r := report(t, row("a"), row("b"))
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.85}}", r, nil), false,
		"unmeasured: overall, recall@5 ≥ 0.85: no case has recall@5")
	torn := saved(t, report(t, row("a", recall(1))), "\"recall@5\": {\n      \"value\": 1,", "\"recall@5\": {\n      \"value\": null,")
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.85}}", torn, nil), false,
		"unmeasured: overall, recall@5 ≥ 0.85: the report states no value")
}

func TestAMissingMetricIsUnmeasured(t *testing.T) {
	r := saved(t, report(t, row("a", recall(1))), "\"recall@5\": {\n      \"value\": 1,\n      \"n\": 1\n    },\n", "")
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.85}}", r, nil), false,
		"unmeasured: overall, recall@5 ≥ 0.85: the report does not state it")
}

func TestAValueThatTheRowsDenyIsUnmeasured(t *testing.T) {
	r := saved(t, report(t, row("a", recall(0.5))), "\"recall@5\": {\n      \"value\": 0.5,", "\"recall@5\": {\n      \"value\": 0.95,")
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.85}}", r, nil), false,
		"unmeasured: overall, recall@5 ≥ 0.85: the report states 0.95 (n = 1), its rows give 0.5 (n = 1) | a (0.5)")
}

func TestASentinelOfMinusOneIsUnmeasured(t *testing.T) {
	r := report(t, row("a", fact("duration_ms", -1.0), recall(-1)), row("b", fact("duration_ms", 90.0), recall(1)))
	assertLines(t, check(t, "metrics: {duration_ms_p95: {max: 3000}, recall@5: {max: 1}}", r, nil), false,
		`unmeasured: overall, recall@5 ≤ 1: case "a": -1 is outside [0, 1] | a (-1)`,
		`unmeasured: overall, duration_ms_p95 ≤ 3000: case "a": -1 is outside [0, +Inf] | a (-1)`)
}

func TestZeroCasesDoNotPass(t *testing.T) {
	_, err := evaluation.New(definition(), nil, nil)
	require.Error(t, err, "an evaluation of nothing is an error before any gate")
	empty := &evaluation.Report{Definition: definition(), Summary: []evaluation.Entry{{Name: "error_count", OK: true}, {Name: "recall@5", OK: true, Value: 1}}}
	assertLines(t, check(t, "metrics: {error_count: {max: 0}, recall@5: {min: 0.85}}", empty, nil), false,
		"unmeasured: overall, error_count ≤ 0: no cases",
		"unmeasured: overall, recall@5 ≥ 0.85: no cases")
}

func TestAGateFileWithoutRulesDoesNotPass(t *testing.T) {
	r := report(t, row("a", recall(1)))
	for _, yaml := range []string{"version: 1", "version: 1\nmin_cases: 10", "{}", "metrics:", "metrics: {}\nslices: {}\nmax_drop: {}"} {
		result := check(t, yaml, r, nil)
		assert.False(t, result.Passed(), yaml)
		assert.Equal(t, "the gate has no rules, and nothing passes on nothing", result.Verdict())
		assert.False(t, check(t, yaml, r, r).Passed(), "a baseline is no rule")
	}
	result, err := new(gate.Rules).Check(r, nil)
	require.NoError(t, err)
	assert.False(t, result.Passed())
	assert.False(t, new(gate.Result).Passed())
}

func TestAFilterThatMatchesNothingLeavesNoReportToGate(t *testing.T) {
	r := report(t, row("a", recall(1)))
	var rows []evaluation.Row
	for _, x := range r.Rows {
		if strings.HasPrefix(x.ID, "vpn-") {
			rows = append(rows, x)
		}
	}
	_, err := evaluation.New(r.Definition, rows, nil)
	assert.ErrorContains(t, err, "no cases")
}

func TestARequiredSliceThatIsAbsentIsUnmeasured(t *testing.T) {
	r := report(t, row("a", recall(1), label("scenario_id", "other")))
	const yaml = "slices: {scenario_id: {required: [enterprise_knowledge], metrics: {recall@5: {min: 0.8}}}}"
	result := check(t, yaml, r, nil)
	assertLines(t, result, false,
		"unmeasured: scenario_id = enterprise_knowledge, recall@5 ≥ 0.8: no case has the scenario_id enterprise_knowledge",
		"pass: scenario_id = other, recall@5 ≥ 0.8: 1.000 is at least 0.8")
	assert.Equal(t, "1 of 2 rules does not pass (1 unmeasured)", result.Verdict())
	assertLines(t, check(t, yaml, report(t, row("a", recall(1))), nil), false,
		"unmeasured: scenario_id = enterprise_knowledge, recall@5 ≥ 0.8: no case has a scenario_id")
}

func TestARequiredSliceWithoutMetricsHasToBeThere(t *testing.T) {
	r := report(t, row("a", label("source", "hr")), row("b", label("source", "hr")), row("c", label("source", "it")))
	assertLines(t, check(t, "slices: {source: {required: [hr, it, law], min_cases: 2}}", r, nil), false,
		"pass: source = hr, it is there, over 2 cases or more: it is there",
		"insufficient: source = it, it is there, over 2 cases or more: n = 1 is under the minimum of 2 cases",
		"unmeasured: source = law, it is there, over 2 cases or more: no case has the source law")
}

func TestALabelThatNoCaseHasIsUnmeasured(t *testing.T) {
	r := report(t, row("a", recall(1), label("tag", "x")))
	assertLines(t, check(t, "slices: {source: {min_cases: 3, metrics: {recall@5: {min: 0.75}}}}", r, nil), false,
		"unmeasured: each source, recall@5 ≥ 0.75: no case has a source")
}

func TestARequiredSliceUnderMinCasesIsInsufficient(t *testing.T) {
	r := report(t, row("a", recall(1), label("tag", "x")), row("b", recall(1), label("tag", "y")))
	result := check(t, "slices: {tag: {required: [x], min_cases: 3, metrics: {recall@5: {min: 0.8}}}}", r, nil)
	assertLines(t, result, false,
		"insufficient: tag = x, recall@5 ≥ 0.8: n = 1 is under the minimum of 3 cases")
	assert.Equal(t, "1 of 1 rule does not pass (1 insufficient); 1 slice value not gated", result.Verdict())
}

func TestASliceUnderMinCasesThatIsNotRequiredIsListed(t *testing.T) {
	rows := append(many(3, "x", recall(1), label("tag", "x")), row("y", recall(0), label("tag", "y")), row("z", label("tag", "z")))
	result := check(t, "slices: {tag: {min_cases: 3, metrics: {recall@5: {min: 0.8}}}}", report(t, rows...), nil)
	assertLines(t, result, true, "pass: tag = x, recall@5 ≥ 0.8: 1.000 is at least 0.8")
	assert.Empty(t, cmp.Diff([]gate.NotGated{
		{Label: "tag", Value: "y", Metric: "recall@5", N: 1, MinCases: 3},
		{Label: "tag", Value: "z", Metric: "recall@5", N: 0, MinCases: 3},
	}, result.NotGated))
	assert.Equal(t, "1 rule passes; 2 slice values not gated", result.Verdict())
}

func TestAGateThatGatesNoSliceAtAllDoesNotPass(t *testing.T) {
	r := report(t, row("y", recall(1), label("tag", "y")))
	result := check(t, "slices: {tag: {min_cases: 3, metrics: {recall@5: {min: 0.8}}}}", r, nil)
	assert.False(t, result.Passed())
	assert.Equal(t, "no rule of the gate was judged, and nothing passes on nothing; 1 slice value not gated", result.Verdict())
	assert.False(t, check(t, "slices: {tag: {min_cases: 3, metrics: {recall@5: {min: 0.8}}}}", r, r).Passed(), "nor beside a baseline")
}

func TestASliceWithoutTheMetricDoesNotPassUnlessMinCasesLeavesItOut(t *testing.T) {
	r := report(t, row("a", recall(1), label("tag", "x")), row("b", label("tag", "unanswerable")))
	assertLines(t, check(t, "slices: {tag: {metrics: {recall@5: {min: 0.8}}}}", r, nil), false,
		"unmeasured: tag = unanswerable, recall@5 ≥ 0.8: no case has recall@5; with min_cases: 1 such a slice is not gated",
		"pass: tag = x, recall@5 ≥ 0.8: 1.000 is at least 0.8")
	assertLines(t, check(t, "slices: {tag: {min_cases: 1, metrics: {recall@5: {min: 0.8}}}}", r, nil), true,
		"pass: tag = x, recall@5 ≥ 0.8: 1.000 is at least 0.8")
}

// Each slice would be left out for its n of 0, and the rule with them.
func TestAMetricThatNoSliceHasIsUnmeasuredOnceForAll(t *testing.T) {
	r := report(t, row("a", recall(1), label("tag", "x")), row("b", recall(1), label("tag", "y")))
	for _, minCases := range []string{"", "min_cases: 3, "} {
		result := check(t, "metrics: {recall@5: {min: 0.8}}\nslices: {tag: {"+minCases+"metrics: {followup_rewrite_rate: {min: 0.5}}}}", r, nil)
		assertLines(t, result, false,
			"pass: overall, recall@5 ≥ 0.8: 1.000 is at least 0.8",
			"unmeasured: each tag, followup_rewrite_rate ≥ 0.5: no case with a tag has a value of it")
		assert.Empty(t, result.NotGated)
	}
	assertLines(t, check(t, "slices: {tag: {required: [x], min_cases: 3, metrics: {followup_rewrite_rate: {min: 0.5}}}}", r, nil), false,
		"unmeasured: tag = x, followup_rewrite_rate ≥ 0.5: no case has followup_rewrite_rate")
}

func TestMinCasesAtTheTopIsTheNumberOfValuesAtThePlace(t *testing.T) {
	rows := append(many(10, "a", recall(1), label("tag", "x")), row("f", recall(1), value("followup_rewrite_rate", 1), label("tag", "y")))
	r := report(t, rows...)
	assertLines(t, check(t, "min_cases: 10\nmetrics: {recall@5: {min: 0.8}, followup_rewrite_rate: {min: 0.5}}", r, nil), false,
		"pass: overall, recall@5 ≥ 0.8: 1.000 is at least 0.8",
		"insufficient: overall, followup_rewrite_rate ≥ 0.5: n = 1 is under the minimum of 10 cases")
	result := check(t, "min_cases: 10\nslices: {tag: {metrics: {recall@5: {min: 0.8}}}}", r, nil)
	assertLines(t, result, true, "pass: tag = x, recall@5 ≥ 0.8: 1.000 is at least 0.8")
	assert.Len(t, result.NotGated, 1)
	result = check(t, "min_cases: 10\nslices: {tag: {min_cases: 0, metrics: {recall@5: {min: 0.8}}}}", r, nil)
	assert.Empty(t, result.NotGated, "a label's own min_cases stands, and 0 is one")
	assert.Len(t, result.Rules, 2)
}

func Test079996DoesNotPass080AndIsShownSo(t *testing.T) {
	r := report(t, row("a", recall(0.79996)))
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.80}}", r, nil), false,
		"fail: overall, recall@5 ≥ 0.8: 0.79996 is under 0.8 | a (0.79996)")
	r = report(t, row("a", recall(0.8000004)))
	assertLines(t, check(t, "metrics: {recall@5: {max: 0.80}}", r, nil), false,
		"fail: overall, recall@5 ≤ 0.8: 0.8000004 is over 0.8 | a (0.8000004)")
	r = report(t, row("a", fact("duration_ms", 3000.04)))
	assertLines(t, check(t, "metrics: {duration_ms_p95: {max: 3000}}", r, nil), false,
		"fail: overall, duration_ms_p95 ≤ 3000: 3000.04 is over 3000 | a (3000.04)")
}

func TestThreeOfFivePasses06(t *testing.T) {
	rows := append(many(3, "hit", recall(1)), many(2, "miss", recall(0), fails)...)
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.6}, pass_rate: {min: 0.6, max: 0.6}}", report(t, rows...), nil), true,
		"pass: overall, pass_rate ≥ 0.6: 0.600 is at least 0.6",
		"pass: overall, pass_rate ≤ 0.6: 0.600 is at most 0.6",
		"pass: overall, recall@5 ≥ 0.6: 0.600 is at least 0.6")
	thirds := many(3, "a", recall(0.1+0.2)) // 0.30000000000000004, and its mean
	assert.True(t, check(t, "metrics: {recall@5: {max: 0.3}}", report(t, thirds...), nil).Passed())
}

func TestFortyThreePassedAndFiftySevenErrorsAre043(t *testing.T) {
	rows := append(many(43, "pass"), many(57, "error", errs)...)
	result := check(t, "metrics: {pass_rate: {min: 0.9}, error_count: {max: 0}}", report(t, rows...), nil)
	require.Len(t, result.Rules, 2)
	assert.Equal(t, "57 is over 0", result.Rules[0].Reason)
	assert.Equal(t, "0.430 is under 0.9", result.Rules[1].Reason)
	assert.Equal(t, 100, result.Rules[1].Got.N)
	for _, r := range result.Rules {
		require.Len(t, r.Cases, 57)
		assert.Equal(t, "error-001", r.Cases[0].ID)
		assert.Equal(t, evaluation.Error, r.Cases[0].Row.Status)
	}
}

func TestARemovedCaseDoesNotPass(t *testing.T) {
	old := report(t, row("a", recall(1)), row("b", recall(0.5)))
	now := report(t, row("a", recall(1)))
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.6}}\nmax_drop: {recall@5: 0.02}", now, old), false,
		"pass: overall, recall@5 ≥ 0.6: 1.000 is at least 0.6",
		"pass: overall, recall@5 at most 0.02 worse than the baseline: it is no worse than the baseline's 0.750",
		"fail: overall, no case worse than the baseline: 1 case worse than the baseline | b (removed)")
}

func TestAChangedCaseIsIncomparable(t *testing.T) {
	old := report(t, row("a", recall(1)))
	now := report(t, row("a", recall(1), func(r *evaluation.Row) { r.Digest = "another" }))
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.6}}", now, old), false,
		"pass: overall, recall@5 ≥ 0.6: 1.000 is at least 0.6",
		"fail: overall, no case worse than the baseline: 1 case worse than the baseline | a (incomparable: the case itself was changed)")
}

func TestAnotherKIsIncomparable(t *testing.T) {
	old := report(t, row("a", recall(1)))
	def := definition()
	def.Config = []evaluation.Setting{{Name: "k", Value: 10.0}}
	now, err := evaluation.New(def, old.Rows, nil)
	require.NoError(t, err)
	assertLines(t, check(t, "max_drop: {recall@5: 0.02}", now, old), false,
		"unmeasured: overall, recall@5 at most 0.02 worse than the baseline: the baseline is not comparable: k was 5 and is 10",
		"unmeasured: overall, no case worse than the baseline: the baseline is not comparable: k was 5 and is 10 | a (incomparable: k was 5 and is 10)")
}

func TestIdenticalRunsPass(t *testing.T) {
	r := report(t, row("a", recall(1)), row("b", recall(0), fails))
	assertLines(t, check(t, "max_drop: {recall@5: 0}", r, r), true,
		"pass: overall, recall@5 at most 0 worse than the baseline: it is no worse than the baseline's 0.500",
		"pass: overall, no case worse than the baseline: no case is worse")
}

func TestAMeanThatRisesWhileOneCaseBreaksDoesNotPass(t *testing.T) {
	old := report(t, row("a", recall(1)), row("b", recall(0), fails), row("c", recall(0), fails))
	now := report(t, row("a", recall(0), fails), row("b", recall(1)), row("c", recall(1)))
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.6}}\nmax_drop: {recall@5: 0.02}", now, old), false,
		"pass: overall, recall@5 ≥ 0.6: 0.667 is at least 0.6",
		"pass: overall, recall@5 at most 0.02 worse than the baseline: it is no worse than the baseline's 0.333",
		"fail: overall, no case worse than the baseline: 1 case worse than the baseline | a (status fell from pass to fail)")
}

// The gates of the article: 0.85 over all, 0.80 for each scenario, 0.75 for each
// source.
func TestOneWeakScenarioHiddenByTheMeanDoesNotPass(t *testing.T) {
	const article = `
version: 1
metrics: {recall@5: {min: 0.85}}
slices:
  scenario_id: {metrics: {recall@5: {min: 0.80}}}
  source: {metrics: {recall@5: {min: 0.75}}}
`
	rows := many(16, "strong", recall(1), label("scenario_id", "enterprise_knowledge"), label("source", "hr"))
	rows = append(rows, many(2, "weak", recall(1), label("scenario_id", "engineering"), label("source", "quality"))...)
	rows = append(rows, row("broken", recall(0), fails, label("scenario_id", "engineering"), label("source", "quality")))
	assertLines(t, check(t, article, report(t, rows...), nil), false,
		"pass: overall, recall@5 ≥ 0.85: 0.947 is at least 0.85",
		"fail: scenario_id = engineering, recall@5 ≥ 0.8: 0.667 is under 0.8 | broken (0)",
		"pass: scenario_id = enterprise_knowledge, recall@5 ≥ 0.8: 1.000 is at least 0.8",
		"pass: source = hr, recall@5 ≥ 0.75: 1.000 is at least 0.75",
		"fail: source = quality, recall@5 ≥ 0.75: 0.667 is under 0.75 | broken (0)")
}

func TestAMisspelledMetricIsAnErrorThatNamesTheNearest(t *testing.T) {
	r := report(t, row("a", recall(1), label("team", "x")))
	_, err := rules(t, `version: 1
metrics:
  recal@5: {min: 0.85}
  pass_rate: {min: 1.2}
  verdicts: {min: 1}
slices:
  tags: {metrics: {recall@5: {min: 0.8}}}
  team: {metrics: {recall@10: {max: 1}}}
  source: {metrics: {completely_else: {min: 0.8}}}
max_drop:
  case_count: 1
  recall@5: 1.5
  passrate: 0.1
  average_first_hit_rank: 3
`).Check(r, nil)
	require.Error(t, err)
	assert.Empty(t, cmp.Diff([]string{
		`gate.yaml:3: metrics.recal@5: the report has no metric "recal@5"; did you mean "recall@5"?`,
		`gate.yaml:4: metrics.pass_rate.min: 1.2 is outside the range of pass_rate, [0, 1]`,
		`gate.yaml:5: metrics.verdicts: verdicts is a distribution, and has no single value to bound`,
		`gate.yaml:7: slices.tags: no case has a label "tags"; did you mean "tag"?`,
		`gate.yaml:8: slices.team.metrics.recall@10: the report has no metric "recall@10"; it has "recall@5"; evaluate with k = 10 to have the other`,
		`gate.yaml:9: slices.source.metrics.completely_else: the report has no metric "completely_else"; known are case_count, strong_count, error_count, pass_rate, recall@5, followup_rewrite_rate, average_first_hit_rank, duration_ms_p95, verdicts`,
		`gate.yaml:11: max_drop.case_count: case_count has no better direction, so that nothing is a drop; bound it under metrics`,
		`gate.yaml:12: max_drop.recall@5: 1.5 is wider than the range of recall@5, [0, 1]`,
		`gate.yaml:13: max_drop.passrate: the report has no metric "passrate"; did you mean "pass_rate"?`,
	}, strings.Split(err.Error(), "\n")))
}

func TestABrokenGateFileReportsEverythingTogether(t *testing.T) {
	_, err := gate.Read("gate.yaml", []byte(`version: 2
min_case: 3
metrics:
  recall@5: {min: 0.9, max: 0.8}
  mrr: {}
  pass_rate: {mim: 0.5}
  error_count: {max: none}
slices: {tag: {min_cases: -1, metrics: {recall@5: {min: 1}}}}
`))
	require.Error(t, err)
	assert.Empty(t, cmp.Diff([]string{
		`gate.yaml:1: version: found the number 2; 1 is the only version`,
		`gate.yaml:2: unknown field "min_case"; did you mean "min_cases"?`,
		`gate.yaml:4: metrics.recall@5.min: 0.9 is above the max of 0.8: no value can pass`,
		`gate.yaml:5: metrics.mrr: it has no bound; state min, max, or both`,
		`gate.yaml:6: metrics.pass_rate: unknown field "mim"; did you mean "min"?`,
		`gate.yaml:7: metrics.error_count.max: a number is needed, found the string "none"`,
		`gate.yaml:8: slices.tag.min_cases: -1 is negative; it must be 0 or more`,
	}, strings.Split(err.Error(), "\n")))
	_, err = gate.Read("gate.json", []byte(`{"min_cases": -1,
"metrics": {
"recall@5": {"min": 0.9, "max": 0.8},
"mrr": {}},
"slices": {
"tag": {},
"source": {"min_cases": -2, "required": ["hr", "", "hr"]}},
"max_drop": {"mrr": -0.1}}`))
	require.Error(t, err)
	assert.Empty(t, cmp.Diff([]string{
		`gate.json:1: min_cases: -1 is negative; it must be 0 or more`,
		`gate.json:3: metrics.recall@5.min: 0.9 is above the max of 0.8: no value can pass`,
		`gate.json:4: metrics.mrr: it has no bound; state min, max, or both`,
		`gate.json:6: slices.tag: it has no rule; state metrics, or values that are required`,
		`gate.json:7: slices.source.min_cases: -2 is negative; it must be 0 or more`,
		`gate.json:7: slices.source.required[1]: it is empty; a value of the label is needed`,
		`gate.json:7: slices.source.required[2]: "hr" stands there twice`,
		`gate.json:8: max_drop.mrr: -0.1 is not allowed; it must be 0 or more`,
	}, strings.Split(err.Error(), "\n")))
}

// A name without a value reads as if it stood there not at all.
func TestANameWithoutAValueIsAnErrorOfTheGateFile(t *testing.T) {
	for _, x := range []struct{ yaml, place string }{
		{"min_cases:\nmetrics: {recall@5: {min: 0.8}}", "min_cases"},
		{"metrics: {recall@5: {min: , max: 1}}", "metrics.recall@5.min"},
		{"metrics: {recall@5: {min: null}}", "metrics.recall@5.min"},
		{"max_drop: {recall@5: }", "max_drop.recall@5"},
		{"slices: {tag: {min_cases: , metrics: {recall@5: {min: 0.8}}}}", "slices.tag.min_cases"},
		{"slices: {tag: {required: , metrics: {recall@5: {min: 0.8}}}}", "slices.tag.required"},
		{"slices: {tag: {required: [x], metrics: }}", "slices.tag.metrics"},
		{"slices: {tag: {metrics: {recall@5: {max: ~, min: 0.8}}}}", "slices.tag.metrics.recall@5.max"},
	} {
		_, err := gate.Read("gate.yaml", []byte(x.yaml))
		assert.ErrorContains(t, err, x.place+": it has no value; state one, or leave the name out", x.yaml)
		assert.Equal(t, 1, strings.Count(err.Error(), "gate.yaml:"), "said once: %v", err)
	}
	_, err := gate.Read("gate.yaml", []byte("metrics: {recall@5: {min: 0.8}}\nslices:\n# tag: {}\nmax_drop:\n"))
	assert.NoError(t, err, "a section may be empty")
}

func TestBoundsThatAreNoNumbersAreErrors(t *testing.T) {
	for _, bound := range []string{"{min: .nan}", "{max: .inf}", "{min: high}", "0.85", "[0.8]"} {
		_, err := gate.Read("gate.yaml", []byte("metrics: {recall@5: "+bound+"}"))
		assert.Error(t, err, bound)
	}
	r := report(t, row("a", recall(1)))
	nan := math.NaN()
	for name, rules := range map[string]*gate.Rules{
		"a bound of NaN":      {Metrics: map[string]gate.Bound{"recall@5": {Min: &nan}}},
		"a drop of NaN":       {MaxDrop: map[string]float64{"recall@5": nan}},
		"an unknown version":  {Version: 2},
		"a metric misspelled": {Metrics: map[string]gate.Bound{"recall": {Min: new(float64)}}},
	} {
		_, err := rules.Check(r, r)
		assert.Error(t, err, name)
	}
}

func TestMaxDropWithoutABaselineIsUnmeasured(t *testing.T) {
	assertLines(t, check(t, "max_drop: {recall@5: 0.02}", report(t, row("a", recall(1))), nil), false,
		"unmeasured: overall, recall@5 at most 0.02 worse than the baseline: no baseline")
}

func TestMaxDropKnowsTheDirection(t *testing.T) {
	old := report(t, row("a", recall(1), fact("rank", 1.0)), row("b", recall(1), fact("rank", 2.0)), row("c", recall(0.5), fact("rank", 1.0)))
	now := report(t, row("a", recall(0.9), fact("rank", 3.0)), row("b", recall(0.7), fact("rank", 2.0)), row("c", recall(0.5), fact("rank", 1.0)))
	const yaml = "max_drop: {recall@5: 0.1, average_first_hit_rank: 0.5}"
	worse := check(t, yaml, now, old)
	assertLines(t, worse, false,
		"fail: overall, recall@5 at most 0.1 worse than the baseline: it fell by 0.133, from 0.833 to 0.700; 0.1 is allowed | b (1 → 0.7), a (1 → 0.9)",
		"fail: overall, average_first_hit_rank at most 0.5 worse than the baseline: it rose by 0.667, from 1.333 to 2; 0.5 is allowed | a (1 → 3)",
		"pass: overall, no case worse than the baseline: no case is worse")
	assert.True(t, check(t, yaml, old, now).Passed(), "what got better is no drop")
	exact := report(t, row("a", recall(0.9)), row("b", recall(0.9)), row("c", recall(0.4)))
	assert.Equal(t, gate.Pass, check(t, "max_drop: {recall@5: 0.1}", exact, old).Rules[0].State, "a drop of just what is allowed")
}

// Were the direction that of the new report alone, a fall would be no drop.
func TestMaxDropOfAMetricThatTheBaselineDescribesOtherwiseIsUnmeasured(t *testing.T) {
	old, now := report(t, row("a", recall(1))), report(t, row("a", recall(0.5)))
	for _, x := range []struct {
		name   string
		change func(*evaluation.Metric)
		why    string
	}{
		{"the direction", func(m *evaluation.Metric) { m.Better = evaluation.Lower }, "the better direction of recall@5 was higher and is lower"},
		{"what it is of", func(m *evaluation.Metric) { m.Of = "rank" }, "the source of recall@5 was recall@5 and is rank"},
		{"the aggregation", func(m *evaluation.Metric) { m.Aggregation, m.P = evaluation.Percentile, 50 }, "the aggregation of recall@5 was mean and is percentile"},
		{"the exception", func(m *evaluation.Metric) { m.Except = "warm_up" }, "the exception of recall@5 was (none) and is warm_up"},
	} {
		t.Run(x.name, func(t *testing.T) {
			bent := now.Definition
			bent.Metrics = slices.Clone(bent.Metrics)
			i := slices.IndexFunc(bent.Metrics, func(m evaluation.Metric) bool { return m.Name == "recall@5" })
			x.change(&bent.Metrics[i])
			r, err := evaluation.New(bent, []evaluation.Row{row("a", recall(0.5), fact("rank", 1.0))}, nil)
			require.NoError(t, err)
			rule := check(t, "max_drop: {recall@5: 0.1}", r, old).Rules[0]
			assert.Equal(t, gate.Unmeasured, rule.State)
			assert.Equal(t, "the baseline is not comparable: "+x.why, rule.Reason)
		})
	}
}

func TestMaxDropOverTooFewCasesIsInsufficient(t *testing.T) {
	old, now := report(t, row("a", recall(1))), report(t, row("a", recall(1)), row("b", recall(1)))
	assert.Equal(t, gate.Insufficient, check(t, "min_cases: 2\nmax_drop: {recall@5: 0.1}", now, old).Rules[0].State)
}

func TestABaselineWithoutAValueIsUnmeasured(t *testing.T) {
	r := check(t, "max_drop: {recall@5: 0.1}", report(t, row("a", recall(1))), report(t, row("a"))).Rules[0]
	assert.Equal(t, gate.Unmeasured, r.State)
	assert.Equal(t, "the baseline has no value: no case has recall@5", r.Reason)
}

func TestAddedCasesPullAMeanDownToo(t *testing.T) {
	old := report(t, row("a", recall(1)))
	now := report(t, row("a", recall(1)), row("b", recall(0), fails))
	r := check(t, "max_drop: {recall@5: 0.1}", now, old).Rules[0]
	assert.Equal(t, gate.Fail, r.State)
	require.Len(t, r.Cases, 1)
	assert.Equal(t, "b (0)", r.Cases[0].Text())
}

func TestAddedErrorsAreADropOfTheirCount(t *testing.T) {
	old := report(t, row("a"), row("b"))
	now := report(t, row("a"), row("b", errs), row("c", errs))
	result := check(t, "max_drop: {error_count: 1, strong_count: 0}", now, old)
	assertLines(t, result, false,
		"pass: overall, strong_count at most 0 worse than the baseline: it is no worse than the baseline's 0",
		"fail: overall, error_count at most 1 worse than the baseline: it rose by 2, from 0 to 2; 1 is allowed | b (0 → 1), c (1)",
		"fail: overall, no case worse than the baseline: 1 case worse than the baseline | b (status fell from pass to error)")
}

func TestCasesThatPulledAMetricDownAreNamedWorstFirst(t *testing.T) {
	r := report(t,
		row("d", recall(0.5), fact("hit_level", "strong"), fact("duration_ms", 900.0)),
		row("b", recall(0), fact("duration_ms", 4000.0)),
		row("a", recall(0.5), fact("duration_ms", 5000.0)),
		row("c", recall(1), fact("duration_ms", 100.0)),
		row("w", recall(1), fact("duration_ms", 9000.0), fact("warm_up", true)))
	assertLines(t, check(t, "metrics: {recall@5: {min: 0.8}, strong_count: {min: 3}, case_count: {max: 3}, duration_ms_p95: {max: 3000}}", r, nil), false,
		"fail: overall, case_count ≤ 3: 5 is over 3 | a (1), b (1), c (1), d (1), w (1)",
		"fail: overall, strong_count ≥ 3: 1 is under 3 | a (0), b (0), c (0), w (0)",
		"fail: overall, recall@5 ≥ 0.8: 0.600 is under 0.8 | b (0), a (0.5), d (0.5)",
		"fail: overall, duration_ms_p95 ≤ 3000: 5000 is over 3000 | a (5000), b (4000)")
}

func TestTheWorstOfVeryManyCasesAreNamedAndAllAreCounted(t *testing.T) {
	var rows []evaluation.Row
	for i := range 1000 {
		rows = append(rows, row(fmt.Sprintf("case-%04d", i), recall(float64((i*7919)%1000)/2000)))
	}
	r := check(t, "metrics: {recall@5: {min: 0.8}}", report(t, rows...), nil).Rules[0]
	assert.Equal(t, 1000, r.CaseCount)
	require.Len(t, r.Cases, 100)
	for i, c := range r.Cases {
		assert.InDelta(t, float64(i)/2000, c.Value, 1e-12)
	}
	rows = many(1000, "same", recall(0))
	r = check(t, "metrics: {recall@5: {min: 0.8}}", report(t, rows...), nil).Rules[0]
	assert.Equal(t, "same-001", r.Cases[0].ID)
	assert.Equal(t, "same-100", r.Cases[99].ID)
}

func TestPercentilesOfFewValuesAreRemarkedOn(t *testing.T) {
	few, enough := many(19, "a", fact("duration_ms", 100.0)), many(20, "a", fact("duration_ms", 100.0))
	const yaml = "metrics: {duration_ms_p95: {min: 0, max: 3000}}"
	result := check(t, yaml, report(t, few...), nil)
	assert.True(t, result.Passed(), "a warning fails nothing")
	assert.Equal(t, []string{"duration_ms_p95: of n = 19 values, p95 is near the maximum: one slow case decides it"}, result.Warnings)
	assert.Empty(t, check(t, yaml, report(t, enough...), nil).Warnings)
	result = check(t, "slices: {tag: {metrics: {duration_ms_p95: {max: 3000}}}}", report(t, row("a", fact("duration_ms", 100.0), label("tag", "x"))), nil)
	assert.Equal(t, []string{"duration_ms_p95 (tag x): of n = 1 values, p95 is near the maximum: one slow case decides it"}, result.Warnings)
}

func TestFollowUpsAreGatedAsAnyMetric(t *testing.T) {
	r := report(t, row("vpn-1"), row("vpn-2", value("followup_rewrite_rate", 1)), row("vpn-3", value("followup_rewrite_rate", 0)))
	assertLines(t, check(t, "metrics: {followup_rewrite_rate: {min: 0.9}}", r, nil), false,
		"fail: overall, followup_rewrite_rate ≥ 0.9: 0.500 is under 0.9 | vpn-3 (0)")
}

func TestACaseInSeveralSlicesCountsInEach(t *testing.T) {
	r := report(t, row("a", recall(0), label("tag", "x", "y")), row("b", recall(1), label("tag", "y")))
	assertLines(t, check(t, "slices: {tag: {metrics: {recall@5: {min: 0.5}}}}", r, nil), false,
		"fail: tag = x, recall@5 ≥ 0.5: 0.000 is under 0.5 | a (0)",
		"pass: tag = y, recall@5 ≥ 0.5: 0.500 is at least 0.5")
}

func TestASavedReportIsGatedAsTheOneThatWasSaved(t *testing.T) {
	rows := append(many(3, "hit", recall(1.0/3), label("tag", "x")), row("miss", recall(0), fails, label("tag", "y")))
	r := report(t, rows...)
	const yaml = "metrics: {recall@5: {min: 0.25}, pass_rate: {min: 0.8}}\nslices: {tag: {metrics: {recall@5: {min: 0.333333333333}}}}"
	assert.Empty(t, cmp.Diff(lines(check(t, yaml, r, nil)), lines(check(t, yaml, saved(t, r), nil))))
}

func TestTheResultAsJSON(t *testing.T) {
	old := report(t, row("a", recall(1)), row("b", recall(1)))
	now := report(t, row("a", recall(1), label("tag", "x")), row("b", recall(0), fails))
	var b bytes.Buffer
	require.NoError(t, check(t, "metrics: {recall@5: {min: 0.8}, followup_rewrite_rate: {min: 1}}\nslices: {tag: {min_cases: 2, metrics: {recall@5: {min: 0.8}}}}\nmax_drop: {recall@5: 0.1}", now, old).WriteJSON(&b))
	assert.Equal(t, `{
  "schema": "karat/gate-result/v1",
  "suite": "test",
  "passed": false,
  "verdict": "4 of 4 rules do not pass (3 fail, 1 unmeasured); 1 slice value not gated",
  "counts": {
    "fail": 3,
    "insufficient": 0,
    "pass": 0,
    "unmeasured": 1
  },
  "rules": [
    {
      "state": "fail",
      "kind": "min",
      "metric": "recall@5",
      "bound": 0.8,
      "value": 0.5,
      "n": 2,
      "reason": "0.500 is under 0.8",
      "case_count": 1,
      "cases": [
        {
          "id": "b",
          "status": "fail",
          "value": 0
        }
      ]
    },
    {
      "state": "unmeasured",
      "kind": "min",
      "metric": "followup_rewrite_rate",
      "bound": 1,
      "value": null,
      "n": 0,
      "reason": "no case has followup_rewrite_rate",
      "case_count": 0,
      "cases": []
    },
    {
      "state": "fail",
      "kind": "max_drop",
      "metric": "recall@5",
      "bound": 0.1,
      "value": 0.5,
      "n": 2,
      "baseline": 1,
      "reason": "it fell by 0.500, from 1.000 to 0.500; 0.1 is allowed",
      "case_count": 1,
      "cases": [
        {
          "id": "b",
          "status": "fail",
          "value": 0,
          "baseline": 1
        }
      ]
    },
    {
      "state": "fail",
      "kind": "not_worse",
      "value": 1,
      "n": 2,
      "reason": "1 case worse than the baseline",
      "case_count": 1,
      "cases": [
        {
          "id": "b",
          "status": "fail",
          "change": "regressed"
        }
      ]
    }
  ],
  "not_gated": [
    {
      "label": "tag",
      "slice": "x",
      "metric": "recall@5",
      "n": 1,
      "min_cases": 2
    }
  ],
  "warnings": []
}
`, b.String())
}

func TestACheckedComparisonIsTakenAsItIs(t *testing.T) {
	old := report(t, row("a", recall(1)), row("b", recall(1)))
	now := report(t, row("a", recall(1)))
	c := compare.Compare(old, now, compare.Options{Partial: true})
	result, err := rules(t, "max_drop: {recall@5: 0}").CheckComparison(c)
	require.NoError(t, err)
	assert.True(t, result.Passed(), result.Verdict())
	assert.Same(t, c, result.Comparison)
}

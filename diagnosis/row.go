package diagnosis

import (
	"math"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/evaluation/suite"
)

// Schema names the format of diagnosis reports.
const Schema = "karat/diagnosis-report/v1"

// definition is what every diagnosis report says of itself.
func definition(suite string) evaluation.Definition {
	inf := math.Inf(1)
	metrics := []evaluation.Metric{
		{Name: "case_count", Better: evaluation.NoBetter, Min: 0, Max: inf, Unit: "count", Aggregation: evaluation.Count},
	}
	count := func(name, status string, better evaluation.Better) {
		metrics = append(metrics, evaluation.Metric{Name: name, Better: better, Min: 0, Max: inf, Unit: "count", Aggregation: evaluation.Count, Of: "status", Equals: status})
	}
	count("pass_count", "pass", evaluation.Higher)
	count("fail_count", "fail", evaluation.Lower)
	count("not_run_count", "not_run", evaluation.Lower)
	count("error_count", "error", evaluation.Lower)
	mean := func(name, of, unit string, better evaluation.Better, most float64) {
		metrics = append(metrics, evaluation.Metric{Name: name, Better: better, Min: 0, Max: most, Unit: unit, Aggregation: evaluation.Mean, Of: of})
	}
	metrics = append(metrics, evaluation.Metric{Name: "pass_rate", Better: evaluation.Higher, Min: 0, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"})
	mean("evidence_coverage", "evidence_coverage", "ratio", evaluation.Higher, 1)
	mean("keyword_coverage", "keyword_coverage", "ratio", evaluation.Higher, 1)
	mean("tool_calls_mean", "tool_calls", "calls", evaluation.Lower, inf)
	mean("failed_tool_calls_mean", "failed_tool_calls", "calls", evaluation.Lower, inf)
	mean("duration_ms_mean", "duration_ms", "ms", evaluation.Lower, inf)
	for _, p := range []struct {
		name string
		p    float64
	}{{"p50", 50}, {"p95", 95}, {"p99", 99}} {
		metrics = append(metrics, evaluation.Metric{Name: "duration_ms_" + p.name, Better: evaluation.Lower, Min: 0, Max: inf, Unit: "ms", Aggregation: evaluation.Percentile, Of: "duration_ms", P: p.p})
	}
	mean("input_tokens_mean", "input_tokens", "tokens", evaluation.Lower, inf)
	mean("output_tokens_mean", "output_tokens", "tokens", evaluation.Lower, inf)
	metrics = append(metrics, evaluation.Metric{Name: "verdicts", Better: evaluation.NoBetter, Min: 0, Max: inf, Unit: "count", Aggregation: evaluation.Distribution, Of: "verdict"})
	return evaluation.Definition{
		Schema:  Schema,
		Suite:   suite,
		Config:  []evaluation.Setting{{Name: "ruleset", Value: evaluation.Ruleset}},
		Metrics: metrics,
		Facts: []evaluation.FactInfo{
			{Name: "verdict", Transitions: true, Title: "Verdict"},
			{Name: "evidence_coverage", Title: "Evidence"},
			{Name: "keyword_coverage", Title: "Keywords"},
			{Name: "tool_calls", Title: "Tool calls"},
			{Name: "failed_tool_calls", Title: "Failed calls"},
			{Name: "distinct_tools", Title: "Distinct tools"},
			{Name: "duration_ms", Volatile: true, Title: "Duration (ms)"},
			{Name: "input_tokens", Volatile: true, Title: "Input tokens"},
			{Name: "output_tokens", Volatile: true, Title: "Output tokens"},
		},
	}
}

// Row gives the result in the form that reports are made of.
func (r *Result) Row() evaluation.Row {
	c := r.Case
	row := evaluation.Row{
		ID: c.ID, Digest: r.digest, Query: c.Question,
		Status: r.Status, Checks: r.Checks, Warnings: r.Warnings, Reason: c.Reason,
		Labels: c.labels(),
	}
	var verdict, calls, failed, distinct any
	if r.ran {
		verdict, calls, failed, distinct = r.Verdict.Bucket(), float64(r.ToolCalls), float64(r.FailedToolCalls), float64(r.DistinctTools)
	}
	recorded := func(v float64) any {
		if !r.ran || v < 0 {
			return nil
		}
		return v
	}
	row.Facts = []evaluation.Fact{
		{Name: "verdict", Value: verdict},
		{Name: "evidence_coverage", Value: r.EvidenceCoverage()},
		{Name: "keyword_coverage", Value: r.KeywordCoverage()},
		{Name: "tool_calls", Value: calls},
		{Name: "failed_tool_calls", Value: failed},
		{Name: "distinct_tools", Value: distinct},
		{Name: "duration_ms", Value: recorded(r.DurationMS)},
		{Name: "input_tokens", Value: recorded(r.InputTokens)},
		{Name: "output_tokens", Value: recorded(r.OutputTokens)},
	}
	row.Evidence = make([]evaluation.Evidence, 0, len(r.Tools)+len(r.Keywords.Groups))
	for i := range r.Tools {
		e := &r.Tools[i]
		out := evaluation.Evidence{Kind: "tool", Expected: e.Required.String(), Covered: e.Satisfied, By: e.By, Where: e.Where, Around: e.Around, Note: e.Note}
		if e.Satisfied && len(e.Required.Any) > 1 {
			out.Where = joinWords(e.Tool, e.Where)
		}
		row.Evidence = append(row.Evidence, out)
	}
	for _, g := range r.Keywords.Groups {
		out := evaluation.Evidence{Kind: "keyword", Expected: g.Keyword, Covered: g.Covered}
		switch {
		case g.Covered:
			out.By, out.Where, out.Around = g.Hit.Alternative, "final answer", keyword.Snippet(r.answer, g.Hit.Start, g.Hit.End, 40)
			if g.Hit.Negated {
				out.Note = "negated in its clause"
			}
		case g.NearMiss != nil:
			out.Note = g.NearMiss.String()
		}
		row.Evidence = append(row.Evidence, out)
	}
	return row
}

func joinWords(a, b string) string {
	if b == "" {
		return a
	}
	return a + ", " + b
}

// labels are the slices that the case belongs to.
func (c *Case) labels() []evaluation.Label {
	var out []evaluation.Label
	add := func(name string, values ...string) {
		if len(values) > 0 && values[0] != "" {
			out = append(out, evaluation.Label{Name: name, Values: values})
		}
	}
	add("scenario_type", c.ScenarioType)
	add("scenario_id", c.ScenarioID)
	add("tag", c.Tags...)
	add("split", c.Split)
	return out
}

// remarks are those on a whole report.
func remarks(r *evaluation.Report) []string { return suite.FewDurations(r, "duration_ms") }

package render_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
)

// The reports of these tests are of one small suite, with the shape of a
// retrieval report.

func definition() evaluation.Definition {
	return evaluation.Definition{
		Schema: "karat/test-report/v1",
		Suite:  "test",
		Config: []evaluation.Setting{{Name: "k", Value: 5.0}, {Name: "ruleset", Value: "1"}},
		Metrics: []evaluation.Metric{
			{Name: "case_count", Better: evaluation.NoBetter, Max: 1e9, Unit: "count", Aggregation: evaluation.Count},
			{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			{Name: "recall@5", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "recall@5"},
			{Name: "average_first_hit_rank", Better: evaluation.Lower, Min: 1, Max: 1e9, Unit: "rank", Aggregation: evaluation.Mean, Of: "first_expected_rank"},
			{Name: "duration_ms_mean", Better: evaluation.Lower, Max: 1e9, Unit: "ms", Aggregation: evaluation.Mean, Of: "duration_ms"},
			{Name: "citation_accuracy", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "citation_accuracy"},
			{Name: "verdicts", Better: evaluation.NoBetter, Max: 1e9, Unit: "count", Aggregation: evaluation.Distribution, Of: "verdict"},
		},
		Facts: []evaluation.FactInfo{
			{Name: "hit_level", Order: []string{"miss", "medium", "strong"}},
			{Name: "duration_ms", Volatile: true},
			{Name: "top_candidates", Title: "came"},
			{Name: "verdict", Transitions: true},
		},
	}
}

func passing(id, query string) evaluation.Row {
	return evaluation.Row{
		ID: id, Digest: "d", Query: query, Status: evaluation.Pass,
		Facts: []evaluation.Fact{
			{Name: "hit_level", Value: "strong"}, {Name: "first_expected_rank", Value: 1.0},
			{Name: "duration_ms", Value: 120.0}, {Name: "top_candidates", Value: []string{"it/vpn.md", "it/mfa.md"}},
			{Name: "verdict", Value: "PASS"},
		},
		Checks: []evaluation.Check{
			{Name: "expected_document", Status: evaluation.CheckPass},
			{Name: "ranking", Status: evaluation.CheckPass},
			{Name: "evidence", Status: evaluation.CheckPass},
		},
		Metrics:  []evaluation.Value{{Name: "recall@5", Value: 1}},
		Evidence: []evaluation.Evidence{{Kind: "keyword", Expected: "5.7", Covered: true, By: "5.7", Where: "it/vpn.md"}},
		Labels:   []evaluation.Label{{Name: "source", Values: []string{"it"}}},
	}
}

func failing(id, query string) evaluation.Row {
	r := passing(id, query)
	r.Status, r.Stage = evaluation.Fail, "ranking"
	r.Facts[0].Value, r.Facts[1].Value, r.Facts[4].Value = "medium", 8.0, "REJECT"
	r.Checks[1] = evaluation.Check{Name: "ranking", Status: evaluation.CheckFail, Expected: "rank 5 or better", Got: "rank 8", Reason: "found at rank 8, beyond k = 5"}
	r.Checks[2] = evaluation.Check{Name: "evidence", Status: evaluation.CheckFail, Expected: "1 of 1 keywords", Got: "0 of 1", Reason: "a keyword is missing"}
	r.Metrics[0].Value = 0
	r.Evidence[0] = evaluation.Evidence{Kind: "keyword", Expected: "5.7", Note: `found inside "5.7.38"`}
	r.Labels[0].Values = []string{"ops"}
	r.Warnings = []string{"the same document stands twice"}
	r.Reason = "on-call staff look this up at night"
	return r
}

func report(t testing.TB, rows ...evaluation.Row) *evaluation.Report {
	r, err := evaluation.New(definition(), rows, []string{"fixture of no case: old.json"})
	require.NoError(t, err)
	return r
}

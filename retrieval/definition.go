package retrieval

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/input"
)

// Schema names the format of retrieval reports.
const Schema = "karat/retrieval-report/v1"

// definition says what a retrieval report of these options holds.
func definition(opt *rules) evaluation.Definition {
	count := func(name, fact, equals string, better evaluation.Better) evaluation.Metric {
		return evaluation.Metric{Name: name, Better: better, Min: 0, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count, Of: fact, Equals: equals}
	}
	ratio := func(name string) evaluation.Metric {
		return evaluation.Metric{Name: name, Better: evaluation.Higher, Min: 0, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: name}
	}
	rank := func(name, fact string) evaluation.Metric {
		return evaluation.Metric{Name: name, Better: evaluation.Lower, Min: 1, Max: math.Inf(1), Unit: "rank", Aggregation: evaluation.Mean, Of: fact}
	}
	names := opt.names
	metrics := []evaluation.Metric{
		count("case_count", "", "", evaluation.NoBetter),
		count("pass_count", "status", "pass", evaluation.Higher),
		count("fail_count", "status", "fail", evaluation.Lower),
		count("strong_count", "hit_level", "strong", evaluation.Higher),
		count("medium_count", "hit_level", "medium", evaluation.NoBetter),
		count("miss_count", "hit_level", "miss", evaluation.Lower),
		count("none_count", "hit_level", "none", evaluation.NoBetter),
		count("not_run_count", "status", "not_run", evaluation.Lower),
		count("error_count", "status", "error", evaluation.Lower),
		{Name: "pass_rate", Better: evaluation.Higher, Min: 0, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
		ratio(names.recall),
		ratio(names.precision),
		ratio(names.success),
		ratio("mrr"),
		ratio(names.ndcg),
		ratio(names.keywordRecall),
		ratio("keyword_coverage"),
		ratio("answer_keyword_coverage"),
		ratio("grounded_facts"),
		ratio("hit_type_accuracy"),
		ratio("source_accuracy"),
		ratio("scenario_isolation"),
		ratio("prompt_profile_accuracy"),
		ratio("citation_accuracy"),
		ratio("unanswerable_accuracy"),
		ratio("followup_rewrite_rate"),
		ratio("followup_context_rate"),
		ratio("followup_source_accuracy"),
		rank("average_first_hit_rank", "first_expected_rank"),
		rank("average_first_source_rank", "first_source_rank"),
	}
	for _, fact := range []string{"duration_ms", "first_token_ms"} {
		metrics = append(metrics, evaluation.Metric{
			Name: fact + "_mean", Better: evaluation.Lower, Min: 0, Max: math.Inf(1), Unit: "ms", Aggregation: evaluation.Mean, Of: fact, Except: "warm_up",
		})
		for _, p := range []float64{50, 95, 99} {
			metrics = append(metrics, evaluation.Metric{
				Name: fact + "_p" + strconv.Itoa(int(p)), Better: evaluation.Lower, Min: 0, Max: math.Inf(1), Unit: "ms",
				Aggregation: evaluation.Percentile, Of: fact, P: p, Except: "warm_up",
			})
		}
	}
	metrics = append(metrics, count("warm_up_count", "warm_up", "true", evaluation.NoBetter))
	config := []evaluation.Setting{
		{Name: "k", Value: float64(opt.K)},
		{Name: "min_keyword_coverage", Value: opt.MinKeywordCoverage},
		{Name: "min_hit_level", Value: string(opt.MinHitLevel)},
		{Name: "ruleset", Value: evaluation.Ruleset},
	}
	if opt.ownNoAnswer {
		config = append(config, evaluation.Setting{Name: "no_answer_hit_types", Value: strings.Join(opt.NoAnswerHitTypes, ", ")})
	}
	if len(opt.RefusalPhrases) > 0 {
		config = append(config, evaluation.Setting{Name: "refusal_phrases", Value: input.Digest(opt.RefusalPhrases)})
	}
	return evaluation.Definition{
		Schema:  Schema,
		Suite:   opt.Name,
		Config:  config,
		Metrics: metrics,
		Facts: []evaluation.FactInfo{
			{Name: "hit_level", Order: []string{string(Miss), string(Medium), string(Strong)}, Transitions: true, Title: "Hit level"},
			{Name: "first_expected_rank", Title: "First expected rank"},
			{Name: "first_source_rank", Title: "First rank of the source"},
			{Name: "duration_ms", Volatile: true, Title: "Duration (ms)"},
			{Name: "first_token_ms", Volatile: true, Title: "First token (ms)"},
			{Name: "warm_up", Title: "Warm-up"},
			{Name: "top_candidates", Title: "What came"},
		},
	}
}

// names are the metrics that carry k in their names.
type names struct{ recall, precision, success, ndcg, keywordRecall string }

func metricNames(k int) names {
	at := func(name string) string { return fmt.Sprintf("%s@%d", name, k) }
	return names{at("recall"), at("precision"), at("success"), at("ndcg"), at("keyword_recall")}
}

// remarks are those on a whole report.
func remarks(r *evaluation.Report) []string {
	return suite.FewDurations(r, "duration_ms", "first_token_ms")
}

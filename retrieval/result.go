package retrieval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/karat-eval/karat/evaluation"
)

// Measured is a number that a case may or may not have.
type Measured struct {
	Value float64
	// OK tells that the number applies to the case.
	OK bool
}

// measured is 1 for true and 0 for false.
func measured(ok bool) Measured {
	if ok {
		return Measured{1, true}
	}
	return Measured{0, true}
}

// Result is what evaluating one case came to. It holds nothing of the fixture.
type Result struct {
	// Case is the case that was evaluated.
	Case *Case
	// Digest identifies the case's definition.
	Digest string
	// K is the rank that the measures at k look down to.
	K      int
	Status evaluation.Status
	// Stage is where the case broke first: not_run, system_error, fixture,
	// routing, retrieval, ranking, evidence, answer or citation; "" where it
	// passed.
	Stage string
	// HitLevel is "" where the case did not run, or ended as an error.
	HitLevel HitLevel
	// FirstExpectedRank is the first rank of an expected document, and
	// FirstSourceRank that of the expected source, from 1, over all candidates; 0
	// where there is none.
	FirstExpectedRank, FirstSourceRank int

	// Ranking measures at k, in [0, 1]; ReciprocalRank looks at all candidates.
	Recall, Precision, Success, ReciprocalRank, NDCG Measured
	// KeywordRecall is the keyword coverage of the first k candidates,
	// KeywordCoverage that of all, in [0, 1].
	KeywordRecall, KeywordCoverage Measured
	// AnswerKeywordCoverage and GroundedFacts are shares, in [0, 1].
	AnswerKeywordCoverage, GroundedFacts Measured
	// 1 where the system did what the case states, else 0.
	HitType, Source, ScenarioIsolation, PromptProfile, Citation, Unanswerable Measured
	// 1 where a follow-up was rewritten, its context carried, its source right,
	// else 0.
	FollowUpRewritten, FollowUpContextCarried, FollowUpSource Measured

	// DurationMS and FirstTokenMS are as recorded, in milliseconds; nil where
	// they are not.
	DurationMS, FirstTokenMS *float64
	WarmUp                   bool
	// TopCandidates are the labels of the first k candidates.
	TopCandidates []string
	Checks        []evaluation.Check
	Evidence      []evaluation.Evidence
	Warnings      []string

	names  *names
	labels []evaluation.Label
}

func (r *Result) check(name string, status evaluation.CheckStatus, expected, got, reason string) {
	if r.Checks == nil {
		r.Checks = make([]evaluation.Check, 0, 6)
	}
	r.Checks = append(r.Checks, evaluation.Check{Name: name, Status: status, Expected: expected, Got: got, Reason: reason})
}

func (r *Result) pass(name string) { r.check(name, evaluation.CheckPass, "", "", "") }

func (r *Result) fail(name, expected, got, reason string) {
	r.check(name, evaluation.CheckFail, expected, got, reason)
}

// equal checks that the fixture records what the case states; differs takes what
// it records and what is stated.
func (r *Result) equal(name, want, got, differs string) bool {
	want, got = strings.TrimSpace(want), strings.TrimSpace(got)
	switch got {
	case "":
		r.fail(name, want, absent, "the fixture records no "+name)
	case want:
		r.pass(name)
		return true
	default:
		r.fail(name, want, short(got), fmt.Sprintf(differs, short(got), want))
	}
	return false
}

func (r *Result) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// stages are where a case can break, first to last, with their checks.
var stages = []struct {
	name   string
	checks []string
}{
	{"routing", []string{"scenario_isolation", "source", "hit_type", "prompt_profile", "rewrite_keywords"}},
	{"retrieval", []string{"expected_document", "min_expected_sources"}},
	{"ranking", []string{"ranking"}},
	{"evidence", []string{"evidence", "hit_level", "forbidden_documents"}},
	{"answer", []string{"answer_keywords", "answerable", "grounded"}},
	{"citation", []string{"citations"}},
}

// conclude sets status and stage by the checks.
func (r *Result) conclude() {
	r.Status = evaluation.Pass
	for _, stage := range stages {
		for i := range r.Checks {
			if r.Checks[i].Status == evaluation.CheckFail && slices.Contains(stage.checks, r.Checks[i].Name) {
				r.Status, r.Stage = evaluation.Fail, stage.name
				return
			}
		}
	}
}

// Row is the result in the form that reports are made of.
func (r *Result) Row() evaluation.Row {
	row := evaluation.Row{
		ID: r.Case.ID, Digest: r.Digest, Query: r.Case.Query, Status: r.Status, Stage: r.Stage,
		Checks: r.Checks, Evidence: r.Evidence, Labels: r.labels, Warnings: r.Warnings, Reason: r.Case.Reason,
	}
	var roomForFacts [7]evaluation.Fact
	facts := roomForFacts[:0]
	if r.HitLevel != "" {
		facts = append(facts, evaluation.Fact{Name: "hit_level", Value: string(r.HitLevel)})
	}
	rank := func(name string, rank int) {
		f := evaluation.Fact{Name: name}
		if rank > 0 {
			f.Value = float64(rank)
		}
		facts = append(facts, f)
	}
	rank("first_expected_rank", r.FirstExpectedRank)
	rank("first_source_rank", r.FirstSourceRank)
	duration := func(name string, ms *float64) {
		if ms != nil {
			facts = append(facts, evaluation.Fact{Name: name, Value: *ms})
		}
	}
	duration("duration_ms", r.DurationMS)
	duration("first_token_ms", r.FirstTokenMS)
	top := r.TopCandidates
	if top == nil {
		top = []string{}
	}
	row.Facts = slices.Clone(append(facts, evaluation.Fact{Name: "warm_up", Value: r.WarmUp}, evaluation.Fact{Name: "top_candidates", Value: top}))

	var room [18]evaluation.Value
	values := room[:0]
	add := func(name string, m *Measured) {
		if m.OK {
			values = append(values, evaluation.Value{Name: name, Value: m.Value})
		}
	}
	add(r.names.recall, &r.Recall)
	add(r.names.precision, &r.Precision)
	add(r.names.success, &r.Success)
	add("mrr", &r.ReciprocalRank)
	add(r.names.ndcg, &r.NDCG)
	add(r.names.keywordRecall, &r.KeywordRecall)
	add("keyword_coverage", &r.KeywordCoverage)
	add("answer_keyword_coverage", &r.AnswerKeywordCoverage)
	add("grounded_facts", &r.GroundedFacts)
	add("hit_type_accuracy", &r.HitType)
	add("source_accuracy", &r.Source)
	add("scenario_isolation", &r.ScenarioIsolation)
	add("prompt_profile_accuracy", &r.PromptProfile)
	add("citation_accuracy", &r.Citation)
	add("unanswerable_accuracy", &r.Unanswerable)
	add("followup_rewrite_rate", &r.FollowUpRewritten)
	add("followup_context_rate", &r.FollowUpContextCarried)
	add("followup_source_accuracy", &r.FollowUpSource)
	row.Metrics = slices.Clone(values)
	return row
}

package retrieval

import (
	"reflect"
	"slices"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// fixtureMembers and candidateMembers tell slips from what belongs to the
// application, where a member turns out to be missing.
var (
	fixtureMembers = suitefiles.Members{
		What:  "the fixture",
		Known: input.FieldNames(reflect.TypeFor[Fixture]()),
		Others: map[string]string{
			"documents": "candidates", "docs": "candidates", "results": "candidates", "hits": "candidates", "chunks": "candidates", "contexts": "candidates",
			"response": "answer", "output": "answer", "rewritten": "rewritten_query", "rewrite": "rewritten_query",
			"latency_ms": "duration_ms", "elapsed_ms": "duration_ms",
		},
	}
	candidateMembers = suitefiles.Members{
		What:  "candidate 1",
		Known: input.FieldNames(reflect.TypeFor[Candidate]()),
		Others: map[string]string{
			"content": "text", "contents": "text", "body": "text", "chunk": "text", "passage": "text", "snippet": "text", "page_content": "text",
			"doc_id": "document_id", "docid": "document_id", "doc": "document_id", "document": "document_id", "chunk_id": "id",
			"title": "label", "name": "label", "path": "breadcrumb", "headings": "breadcrumb", "scenario": "scenario_id",
		},
	}
)

// The checks that fail where a member is missing.
var (
	needFixture = map[string][]string{
		"rewritten_query": {"rewrite_keywords"},
		"hit_type":        {"hit_type", "answerable"},
		"source":          {"source"},
		"prompt_profile":  {"prompt_profile"},
		"answer":          {"answer_keywords", "answerable", "grounded"},
		"citations":       {"citations"},
	}
	needCandidate = map[string][]string{
		"id":          {"expected_document", "min_expected_sources", "citations"},
		"document_id": {"expected_document", "min_expected_sources", "citations"},
		"label":       {"expected_document", "citations"},
		"source":      {"expected_document", "min_expected_sources"},
		"scenario_id": {"scenario_isolation"},
		"breadcrumb":  {"evidence", "hit_level"},
		"text":        {"fixture", "evidence", "hit_level", "grounded"},
	}
)

// hint says which names of the fixture may be slips, where the case needs what is
// missing under the right ones.
func (r *Result) hint(f *Fixture, d *fixtureDecoder) {
	for _, h := range fixtureMembers.Hints(&d.unknown) {
		if input.Lacks(f, h.Known) {
			r.hinted(h, needFixture[h.Known])
		}
	}
	for _, h := range candidateMembers.Hints(&d.unknownOfFirst) {
		if len(f.Candidates) > 0 && input.Lacks(&f.Candidates[0], h.Known) {
			r.hinted(h, needCandidate[h.Known])
		}
	}
}

// hinted puts a hint behind the reason of the first failed check that may fail for
// it. Without one, it is a warning where the case goes unchecked for it, and where
// the name is wrong for sure.
func (r *Result) hinted(h suitefiles.Hint, checks []string) {
	for i := range r.Checks {
		if c := &r.Checks[i]; c.Status == evaluation.CheckFail && slices.Contains(checks, c.Name) {
			c.Reason = suitefiles.WithHint(c.Reason, h)
			return
		}
	}
	unchecked := false
	switch h.Known {
	case "scenario_id":
		unchecked = r.Case.ScenarioID != "" && !r.ScenarioIsolation.OK
	case "answer", "citations":
		unchecked = !slices.ContainsFunc(r.Checks, func(c evaluation.Check) bool { return c.Name == "citations" })
	case "rewritten_query":
		unchecked = r.FollowUpRewritten.OK
	}
	if h.Sure || unchecked {
		r.warn("%s", h.Text)
	}
}

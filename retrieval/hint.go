package retrieval

import (
	"slices"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// fixtureMembers and candidateMembers tell slips from what belongs to the
// application, where a member turns out to be missing.
var (
	fixtureMembers = suitefiles.Members{
		What: "the fixture",
		Known: []string{"case_id", "query", "rewritten_query", "candidates", "hit_type", "source", "prompt_profile", "answer",
			"citations", "duration_ms", "first_token_ms", "warm_up", "usage", "error"},
		Others: map[string]string{
			"documents": "candidates", "docs": "candidates", "results": "candidates", "hits": "candidates", "chunks": "candidates", "contexts": "candidates",
			"response": "answer", "output": "answer", "rewritten": "rewritten_query", "rewrite": "rewritten_query",
			"latency_ms": "duration_ms", "elapsed_ms": "duration_ms",
		},
	}
	candidateMembers = suitefiles.Members{
		What:  "candidate 1",
		Known: []string{"id", "document_id", "label", "source", "scenario_id", "breadcrumb", "score", "text"},
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
		if lacks(f, h.Known) {
			r.hinted(h, needFixture[h.Known])
		}
	}
	for _, h := range candidateMembers.Hints(&d.unknownOfFirst) {
		if len(f.Candidates) > 0 && lacksCandidate(&f.Candidates[0], h.Known) {
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

// lacks reports whether a fixture is without a member.
func lacks(f *Fixture, member string) bool {
	switch member {
	case "case_id":
		return f.CaseID == ""
	case "query":
		return f.Query == ""
	case "rewritten_query":
		return f.RewrittenQuery == ""
	case "candidates":
		return f.Candidates == nil
	case "hit_type":
		return f.HitType == ""
	case "source":
		return f.Source == ""
	case "prompt_profile":
		return f.PromptProfile == ""
	case "answer":
		return f.Answer == nil
	case "citations":
		return f.Citations == nil
	case "duration_ms":
		return f.DurationMS == nil
	case "first_token_ms":
		return f.FirstTokenMS == nil
	case "warm_up":
		return !f.WarmUp
	case "usage":
		return f.Usage == nil
	case "error":
		return f.Error == ""
	}
	return false
}

// lacksCandidate reports whether a candidate is without a member.
func lacksCandidate(c *Candidate, member string) bool {
	switch member {
	case "id":
		return c.ID == ""
	case "document_id":
		return c.DocumentID == ""
	case "label":
		return c.Label == ""
	case "source":
		return c.Source == ""
	case "scenario_id":
		return c.ScenarioID == ""
	case "breadcrumb":
		return len(c.Breadcrumb) == 0
	case "score":
		return c.Score == nil
	case "text":
		return c.Text == ""
	}
	return false
}

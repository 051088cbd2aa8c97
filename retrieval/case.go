package retrieval

import (
	"encoding/json"
	"strings"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// Case is one golden case: a question, and what a good retrieval of it must
// bring.
type Case struct {
	// ID names the case and its fixture: 1 to 128 letters, digits, ".", "_" and
	// "-", not starting with "." or "-", unique in its set also without case.
	ID string `json:"id" alias:"case_id"`
	// Query is the question that is asked.
	Query string `json:"query" alias:"question"`
	// ScenarioType says what kind of retrieval the case covers: chat (somebody
	// looks something up), aiops (an alert is diagnosed), or another name.
	ScenarioType string `json:"scenario_type"`
	// ScenarioID is the scenario (tenant, knowledge base) that candidates may
	// come from. A candidate labelled with another one is a leak.
	ScenarioID string `json:"scenario_id,omitempty"`

	// ExpectedDocuments are the documents that must be found. Needed, unless
	// there is an expected_source (then any candidate of that source is the
	// expected document) or answerable is false.
	ExpectedDocuments []Document `json:"expected_documents,omitempty" alias:"relevant_doc_id,relevant_documents,expected_source_contains"`
	// ExpectedKeywords must stand in the texts of the candidates. At least one of
	// expected_keywords and expected_breadcrumbs is needed, unless answerable is
	// false.
	ExpectedKeywords []keyword.Keyword `json:"expected_keywords,omitempty"`
	// MinKeywordCoverage is the share of the expected keywords that is enough, in
	// [0, 1]; 1 where it is not given.
	MinKeywordCoverage *float64 `json:"min_keyword_coverage,omitempty"`
	// ExpectedBreadcrumbs are paths of headings, one of which must be that of a
	// candidate of an expected document, or a part of it.
	ExpectedBreadcrumbs []Breadcrumb `json:"expected_breadcrumbs,omitempty"`
	// MinHitLevel is the level that is enough: strong (where it is not given) or
	// medium.
	MinHitLevel HitLevel `json:"min_hit_level,omitempty"`

	// ExpectedSource is the source (category, collection) that must be searched.
	ExpectedSource string `json:"expected_source,omitempty" alias:"expected_effective_source"`
	// MinExpectedSources is how many different documents of the expected source
	// must be among the candidates, at least 1.
	MinExpectedSources int `json:"min_expected_sources,omitempty"`
	// ExpectedHitType is how the system must take the question: rag, faq_direct, …
	ExpectedHitType string `json:"expected_hit_type,omitempty"`
	// ExpectedPromptProfile is the prompt template that must be chosen.
	ExpectedPromptProfile string `json:"expected_prompt_profile,omitempty"`
	// ForbiddenDocuments must not be among the candidates.
	ForbiddenDocuments []Document `json:"forbidden_documents,omitempty"`

	// AnswerKeywords must stand in the answer.
	AnswerKeywords []keyword.Keyword `json:"answer_keywords,omitempty"`
	// MinAnswerKeywordCoverage is the share of the answer keywords that is
	// enough, in [0, 1]; 1 where it is not given.
	MinAnswerKeywordCoverage *float64 `json:"min_answer_keyword_coverage,omitempty"`
	// MinGroundedFacts is the share of the answer's facts (numbers with their
	// unit, identifiers, code) that must stand in a candidate or in the question,
	// in [0, 1].
	MinGroundedFacts *float64 `json:"min_grounded_facts,omitempty"`

	// Answerable is false where the documents do not answer the question, and
	// the system must say so. True where it is not given.
	Answerable *bool `json:"answerable,omitempty"`
	// NoAnswerHitTypes are the hit types that claim nothing; where they are not
	// given, insufficient_context, no_answer, source_boundary, scenario_boundary
	// and refused.
	NoAnswerHitTypes []string `json:"no_answer_hit_types,omitempty"`

	// ConversationID names the conversation that the question is asked in.
	ConversationID string `json:"conversation_id,omitempty"`
	// Turn is the question's place in the conversation, from 1. The questions of
	// turn 2 and later are follow-ups.
	Turn int `json:"turn,omitempty"`
	// ExpectedRewriteKeywords must stand in the rewritten question: what the
	// follow-up leaves to the conversation.
	ExpectedRewriteKeywords []keyword.Keyword `json:"expected_rewrite_keywords,omitempty"`

	// Tags sort cases into slices of the report.
	Tags []string `json:"tags,omitempty"`
	// Split says which part of the set the case belongs to: dev, test, …
	Split string `json:"split,omitempty"`
	// Notes are for those who maintain the case.
	Notes string `json:"notes,omitempty"`
	// Reason is printed when the case fails: why it matters.
	Reason string `json:"reason,omitempty"`
	// Metadata is anything of the user's own.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Document says which candidates are an expected (or forbidden) document.
type Document struct {
	// ID equals the candidate's document_id, id or label, spaces around aside.
	ID string `json:"id"`
	// Contains, where ID is empty, is a part of the candidate's label,
	// document_id or source, in any case.
	Contains string `json:"contains"`
	// Grade is the gain of finding the document, above 0; 0 stands for 1.
	Grade float64 `json:"grade"`
}

// gain is the document's gain in nDCG.
func (d Document) gain() float64 {
	if d.Grade == 0 {
		return 1
	}
	return d.Grade
}

func (d Document) String() string {
	if d.ID == "" {
		return "*" + d.Contains + "*"
	}
	return d.ID
}

// key is the same for two entries that say the same candidates.
func (d Document) key(text *keyword.Text) string {
	if id := strings.TrimSpace(d.ID); id != "" {
		return "id " + id
	}
	text.Reset(d.Contains)
	return "contains " + text.String()
}

// MarshalJSON writes the shortest form that a case file may have.
func (d Document) MarshalJSON() ([]byte, error) {
	if d.Contains == "" && d.gain() == 1 {
		return json.Marshal(d.ID)
	}
	long := struct {
		ID       string  `json:"id,omitempty"`
		Contains string  `json:"contains,omitempty"`
		Grade    float64 `json:"grade,omitempty"`
	}{d.ID, d.Contains, d.Grade}
	if d.gain() == 1 {
		long.Grade = 0
	}
	return json.Marshal(long)
}

// Breadcrumb is a path of headings, outermost first. In a case file it may also
// be a string, which is split on ">", "›" or "»" (on "::" or "/" only where none
// of those stands in it).
type Breadcrumb []string

// answerable reports whether the documents answer the question.
func (c *Case) answerable() bool { return c.Answerable == nil || *c.Answerable }

// HitLevel is the quality of a retrieval.
type HitLevel string

const (
	// Strong: an expected document was found, and it shows the expected
	// breadcrumb or the candidates cover the expected keywords.
	Strong HitLevel = "strong"
	// Medium: an expected document was found, the evidence was not.
	Medium HitLevel = "medium"
	// Miss: no expected document was found.
	Miss HitLevel = "miss"
	// None: the question cannot be answered, so nothing is to be found.
	None HitLevel = "none"
)

// rank orders the levels that a case may ask for.
func (l HitLevel) rank() int {
	switch l {
	case Strong:
		return 2
	case Medium:
		return 1
	}
	return 0
}

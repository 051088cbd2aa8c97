package diagnosis

import (
	"encoding/json"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// Case is one golden case: a question to a diagnosis agent, and what a good
// trace of it must show.
type Case struct {
	// ID names the case and its trace: 1 to 128 letters, digits, ".", "_" and
	// "-", not starting with "." or "-", unique in its set also without case.
	ID string `json:"id" alias:"case_id"`
	// Question is what the user asked, or the alert that was raised.
	Question string `json:"question" alias:"query"`
	// RootCauseKeywords must stand in the final answer.
	RootCauseKeywords []keyword.Keyword `json:"root_cause_keywords"`
	// MinKeywordCoverage is the share of the root-cause keywords that is enough;
	// 1 where it is not given.
	MinKeywordCoverage Minimum `json:"min_keyword_coverage,omitzero"`
	// RequiredTools are the tools whose evidence the diagnosis must rest on.
	RequiredTools []RequiredTool `json:"required_tools"`
	// ForbiddenTools must not be called, not even without success.
	ForbiddenTools []string `json:"forbidden_tools,omitempty"`
	// ToolAliases gives the names that traces use for tools, each with the name
	// that the case uses. Names compare exactly otherwise.
	ToolAliases map[string]string `json:"tool_aliases,omitempty"`
	// AllowedVerdicts are the verifier's verdicts that are right here.
	AllowedVerdicts []string `json:"allowed_verdicts"`
	// ForbiddenVerdicts are verdicts that are a failure of their own.
	ForbiddenVerdicts []string `json:"forbidden_verdicts,omitempty"`
	// ForbiddenKeywords must not stand in the final answer: dangerous advice.
	ForbiddenKeywords []keyword.Keyword `json:"forbidden_keywords,omitempty"`
	// MaxToolCalls is the largest number of tool calls that is accepted, 0 or
	// more.
	MaxToolCalls *int `json:"max_tool_calls,omitempty"`
	// MaxDurationMS is the longest duration that is accepted, in milliseconds, 0
	// or more.
	MaxDurationMS *float64 `json:"max_duration_ms,omitempty"`
	// Degraded changes what is asked of a degraded answer.
	Degraded *Degraded `json:"degraded,omitempty"`

	// ScenarioType and ScenarioID sort cases into slices of the report.
	ScenarioType string `json:"scenario_type,omitempty"`
	ScenarioID   string `json:"scenario_id,omitempty"`
	// Tags sort cases into slices too.
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

// RequiredTool is one piece of evidence that is asked for. In a case file it is
// a name, {"any": ["query_logs", "query_es"]}, or {"name": "query_logs",
// "accept": "attempted"}.
type RequiredTool struct {
	// Any lists the tools of which one is enough.
	Any []string `json:"any"`
	// Attempted accepts a call that failed.
	Attempted bool `json:"attempted,omitempty"`
}

// MarshalJSON writes the shortest form that a case file may have.
func (r RequiredTool) MarshalJSON() ([]byte, error) {
	if len(r.Any) == 1 && !r.Attempted {
		return json.Marshal(r.Any[0])
	}
	var long struct {
		Name   string   `json:"name,omitempty"`
		Any    []string `json:"any,omitempty"`
		Accept string   `json:"accept,omitempty"`
	}
	if len(r.Any) == 1 {
		long.Name = r.Any[0]
	} else {
		long.Any = r.Any
	}
	if r.Attempted {
		long.Accept = acceptAttempted
	}
	return json.Marshal(long)
}

const (
	acceptAttempted = "attempted"
	acceptSucceeded = "succeeded"
)

// Minimum is a minimum coverage, from 0 to 1: one number, or one for each
// verdict. The zero Minimum is 1.
type Minimum struct {
	// Value goes for every verdict, except that an answer under a degraded
	// verdict needs no coverage; nil where it is not given.
	Value *float64 `json:"value,omitempty"`
	// ByVerdict has a minimum for each verdict it names, and one named "default"
	// for the others; nil where it is not given.
	ByVerdict map[string]float64 `json:"by_verdict,omitempty"`
}

// MarshalJSON writes the form of a case file: a number or an object.
func (m Minimum) MarshalJSON() ([]byte, error) {
	switch {
	case m.ByVerdict != nil:
		return json.Marshal(m.ByVerdict)
	case m.Value != nil:
		return json.Marshal(*m.Value)
	}
	return []byte("1"), nil
}

// IsZero reports whether the minimum is not given.
func (m Minimum) IsZero() bool { return m.Value == nil && m.ByVerdict == nil }

// Degraded changes the contract of degraded answers for a case. What is not
// given keeps its default.
type Degraded struct {
	// Verdicts are the verdicts under which the answer must be a degraded one;
	// REJECT where they are not given.
	Verdicts []string `json:"verdicts,omitempty"`
	// Markers replace [DefaultMarkers], AddMarkers come on top of them.
	Markers    []keyword.Keyword `json:"markers,omitempty"`
	AddMarkers []keyword.Keyword `json:"add_markers,omitempty"`
	// ConfirmedPhrases replace [DefaultConfirmedPhrases].
	ConfirmedPhrases []keyword.Keyword `json:"confirmed_phrases,omitempty"`
	// AllowUnder are further verdicts under which an answer may be degraded.
	AllowUnder []string `json:"allow_under,omitempty"`
}

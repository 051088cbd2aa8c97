package diagnosis

import (
	"slices"
	"sync"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// unknowns are what the objects of a trace have beside what is read of them.
type unknowns struct {
	trace, call /* the first */, evaluation, verifier suitefiles.Unknown
}

func (u *unknowns) reset() {
	u.trace.Reset()
	u.call.Reset()
	u.evaluation.Reset()
	u.verifier.Reset()
}

var unknownsPool = sync.Pool{New: func() any { return new(unknowns) }}

// verdictPath is where a trace has its verdict.
const verdictPath = "selfEvaluation.verifier_evaluation.verdict"

// The members of a trace and of its objects, to tell slips from what belongs to
// the application where a member turns out to be missing.
var (
	traceMembers = suitefiles.Members{
		What: "the trace",
		Known: []string{"caseId", "traceId", "question", "toolInvocations", "selfEvaluation", "executorAnswer", "draftAnswer", "finalAnswer",
			"degraded", "status", "error", "startedAt", "finishedAt", "durationMs", "usage"},
		Others: map[string]string{
			"toolCalls": "toolInvocations", "tool_calls": "toolInvocations", "tools": "toolInvocations", "calls": "toolInvocations", "invocations": "toolInvocations",
			"evaluation": "selfEvaluation", "selfEval": "selfEvaluation", "self_eval": "selfEvaluation", "verifier_evaluation": verdictPath, "verifierEvaluation": verdictPath, "verdict": verdictPath,
			"response": "finalAnswer", "output": "finalAnswer", "draft": "executorAnswer",
			"latencyMs": "durationMs", "latency_ms": "durationMs", "elapsedMs": "durationMs", "elapsed_ms": "durationMs",
		},
	}
	callMembers = suitefiles.Members{
		What:  "the first tool invocation",
		Known: []string{"toolName", "toolCallId", "arguments", "result", "status", "error", "success", "durationMs", "startedAt", "finishedAt"},
		Others: map[string]string{
			"function": "toolName", "output": "result", "response": "result", "state": "status", "outcome": "status",
		},
	}
	evaluationMembers = suitefiles.Members{
		What:   "selfEvaluation",
		Known:  []string{"verifier_evaluation"},
		Others: map[string]string{"verifier": "verifier_evaluation", "evaluation": "verifier_evaluation", "verdict": "verifier_evaluation.verdict"},
	}
	verifierMembers = suitefiles.Members{
		What:   "verifier_evaluation",
		Known:  []string{"verdict", "reason", "trace_summary"},
		Others: map[string]string{"decision": "verdict", "summary": "trace_summary", "tools": "trace_summary"},
	}
)

// hint says which names of the trace may be slips, where the case needs what is
// missing under the right ones.
func (p *Evaluator) hint(r *Result, t *Trace, u *unknowns) {
	lacksVerdict := !t.Verdict.Present() && !t.Verdict.NotString
	lacksSummary := len(t.Summary.Tools) == 0 && len(t.Summary.Texts) == 0
	for _, h := range traceMembers.Hints(&u.trace) {
		switch h.Known {
		case "caseId":
			r.hinted(h, t.CaseID == "", false)
		case "question":
			r.hinted(h, t.Question == "", false)
		case "toolInvocations":
			r.hinted(h, len(t.Calls) == 0, false, "required_tools")
		case "selfEvaluation", verdictPath:
			r.hinted(h, lacksVerdict, false, "verdict_present")
		case "executorAnswer", "draftAnswer":
			r.hinted(h, t.Draft == "", p.degraded.has(t.Verdict.Text), "degraded_no_leak")
		case "finalAnswer":
			r.hinted(h, t.Answer == "", false, "final_answer")
		case "degraded":
			r.hinted(h, !t.Degraded, false, "degraded_declared")
		case "status":
			r.hinted(h, t.Status == "", false)
		case "error":
			r.hinted(h, t.Error == "", false)
		case "startedAt", "finishedAt", "durationMs":
			_, took := t.DurationMS()
			r.hinted(h, !took, false, "max_duration")
		case "usage":
			r.hinted(h, t.InputTokens < 0 && t.OutputTokens < 0, false)
		}
	}
	for _, h := range callMembers.Hints(&u.call) {
		if len(t.Calls) == 0 {
			break
		}
		first := &t.Calls[0]
		switch h.Known {
		case "toolName":
			r.hinted(h, first.Name == "", true, "required_tools")
		case "result", "status", "success":
			r.hinted(h, first.Outcome == Unknown, false, "required_tools")
		}
	}
	for _, h := range evaluationMembers.Hints(&u.evaluation) {
		r.hinted(h, lacksVerdict, false, "verdict_present")
	}
	for _, h := range verifierMembers.Hints(&u.verifier) {
		switch h.Known {
		case "verdict":
			r.hinted(h, lacksVerdict, false, "verdict_present")
		case "trace_summary":
			r.hinted(h, lacksSummary, false, "required_tools")
		}
	}
}

// hinted puts a hint, where the member is missing, behind the reason of the first
// failed check that may fail for it. Without one, it is a warning where the case
// goes unchecked for it, and where the name is wrong for sure.
func (r *Result) hinted(h suitefiles.Hint, missing, unchecked bool, checks ...string) {
	if !missing {
		return
	}
	for i := range r.Checks {
		if c := &r.Checks[i]; c.Status == evaluation.CheckFail && slices.Contains(checks, c.Name) {
			c.Reason = suitefiles.WithHint(c.Reason, h)
			return
		}
	}
	if unchecked || h.Sure {
		r.Warnings = append(slices.Clip(r.Warnings), h.Text)
	}
}

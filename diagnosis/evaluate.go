package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/keyword"
)

// Result is what a trace comes to against its case.
type Result struct {
	Case   *Case
	Status evaluation.Status
	// Verdict is the verifier's; meaningful where the case ran.
	Verdict Verdict
	// Tools has the evidence for each required tool, in the case's order.
	Tools []ToolEvidence
	// Keywords is what the final answer covers of the root-cause keywords.
	Keywords keyword.Coverage
	// Forbidden are the hits of forbidden keywords in the final answer.
	Forbidden []keyword.IndexedHit
	// Leaks are the places of the final answer that repeat the unverified draft,
	// as byte ranges.
	Leaks [][2]int
	// Checks are the checks that apply, in the order of their names in reports.
	Checks []evaluation.Check
	// ToolCalls counts calls, joined by id; retries are calls of their own.
	ToolCalls, FailedToolCalls, DistinctTools int
	// DurationMS, InputTokens and OutputTokens are negative where they were not
	// recorded.
	DurationMS, InputTokens, OutputTokens float64
	Warnings                              []string

	digest string
	answer string
	ran    bool
}

// EvidenceCoverage is the share of the required tools that are satisfied, 0
// where the case did not run.
func (r *Result) EvidenceCoverage() float64 {
	if len(r.Tools) == 0 {
		return 0
	}
	n := 0
	for i := range r.Tools {
		if r.Tools[i].Satisfied {
			n++
		}
	}
	return float64(n) / float64(len(r.Tools))
}

// KeywordCoverage is the share of the root-cause keywords that the final answer
// covers, 0 where the case did not run.
func (r *Result) KeywordCoverage() float64 {
	v, _ := r.Keywords.Value()
	return v
}

// Evaluate judges a trace by a case. To judge several traces, [Compile] the case
// once. The error tells what is wrong with the case.
func Evaluate(c Case, t *Trace) (Result, error) {
	p, err := Compile(c)
	if err != nil {
		return Result{}, err
	}
	return p.Evaluate(t), nil
}

// Evaluate judges a trace. It is a pure function of the case and the trace.
func (p *Evaluator) Evaluate(t *Trace) Result {
	r := Result{
		Case:        &p.Case,
		digest:      p.digest(),
		Verdict:     t.Verdict,
		ToolCalls:   len(t.Calls),
		DurationMS:  -1,
		InputTokens: t.InputTokens, OutputTokens: t.OutputTokens,
		FailedToolCalls: t.FailedCalls(),
		DistinctTools:   p.distinctTools(t),
		Warnings:        t.Warnings,
		answer:          t.Answer,
	}
	if ms, ok := t.DurationMS(); ok {
		r.DurationMS = ms
	}
	if why := t.SystemFailure(); why != "" {
		r.Status = evaluation.Error
		r.fail("system_error", "a run that ended well", why, "the run itself failed: "+why)
		return r
	}
	r.ran = true
	text := textPool.Get().(*keyword.Text)
	defer textPool.Put(text)
	text.Reset(t.Answer)
	r.Checks = make([]evaluation.Check, 0, 12)
	e := judge{Result: &r, p: p, t: t, text: text}
	e.tools()
	e.verdict()
	e.finalAnswer()
	e.degraded()
	e.cost()
	r.Status = evaluation.Pass
	for i := range r.Checks {
		if r.Checks[i].Status == evaluation.CheckFail {
			r.Status = evaluation.Fail
			break
		}
	}
	return r
}

// NotRun is the result of the case without a trace.
func (p *Evaluator) NotRun() Result {
	r := p.unevaluated(evaluation.NotRun)
	r.fail("fixture", "a trace", absent, "no trace was recorded for this case")
	return r
}

// Unreadable is the result of the case with a trace that cannot be read.
func (p *Evaluator) Unreadable(err error) Result {
	r := p.unevaluated(evaluation.Error)
	r.fail("fixture", "a readable trace", "", err.Error())
	return r
}

func (p *Evaluator) unevaluated(status evaluation.Status) Result {
	return Result{Case: &p.Case, digest: p.digest(), Status: status, DurationMS: -1, InputTokens: -1, OutputTokens: -1}
}

// absent is what a trace does not record.
const absent = "(absent)"

func (r *Result) pass(name string) {
	r.Checks = append(r.Checks, evaluation.Check{Name: name, Status: evaluation.CheckPass})
}

func (r *Result) fail(name, expected, got, reason string) {
	r.Checks = append(r.Checks, evaluation.Check{Name: name, Status: evaluation.CheckFail, Expected: expected, Got: got, Reason: reason})
}

var textPool = sync.Pool{New: func() any { return new(keyword.Text) }}

type judge struct {
	*Result
	p    *Evaluator
	t    *Trace
	text *keyword.Text // of the final answer
}

func (e *judge) tools() {
	e.Tools = make([]ToolEvidence, len(e.p.RequiredTools))
	satisfied := true
	for i, required := range e.p.RequiredTools {
		e.Tools[i] = e.p.requiredTool(e.t, required)
		satisfied = satisfied && e.Tools[i].Satisfied
	}
	if satisfied {
		e.pass("required_tools")
	} else {
		var expected, got, reasons []string
		for i := range e.Tools {
			tool := &e.Tools[i]
			expected = append(expected, tool.Required.String())
			if tool.Satisfied {
				got = append(got, tool.Tool)
			} else {
				reasons = append(reasons, tool.Reason)
			}
		}
		e.fail("required_tools", list(expected), list(got), strings.Join(reasons, "; "))
	}
	if len(e.p.ForbiddenTools) > 0 {
		if called, stories := e.p.attempts(e.t); len(called) > 0 {
			e.fail("forbidden_tools", "no call of "+list(e.p.ForbiddenTools), list(called), strings.Join(stories, "; "))
		} else {
			e.pass("forbidden_tools")
		}
	}
}

func list(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}

func (e *judge) verdict() {
	v := e.Verdict
	if !v.Present() {
		reason := "the verifier gave no verdict: selfEvaluation.verifier_evaluation.verdict is missing or blank"
		if v.NotString {
			reason = "the verdict is not a string: " + v.Recorded
		}
		e.fail("verdict_present", "a verdict", v.Bucket(), reason)
		return
	}
	e.pass("verdict_present")
	switch allowed := e.p.AllowedVerdicts; {
	case e.p.denied.has(v.Text):
		e.fail("verdict_forbidden", list(allowed), v.Text, "verdict "+v.Text+" is forbidden here")
		return
	case e.p.allowed.has(v.Text):
		e.pass("verdict_allowed")
	default:
		e.fail("verdict_allowed", list(allowed), v.Text, "verdict "+v.Text+" is not among "+list(allowed))
	}
	if len(e.p.denied) > 0 {
		e.pass("verdict_forbidden")
	}
}

func (e *judge) finalAnswer() {
	if e.answered() {
		e.pass("final_answer")
	} else {
		e.fail("final_answer", "an answer", "none", "the final answer is empty; a tool's output is never taken for one")
	}

	minimum := e.p.minimum(e.Verdict.Text)
	e.Keywords = e.p.keywords.Cover(e.text)
	coverage := e.KeywordCoverage()
	if keyword.Reaches(coverage, minimum) {
		e.pass("root_cause_keywords")
	} else {
		var missing []string
		for _, g := range e.Keywords.Groups {
			if g.Covered {
				continue
			}
			text := g.Keyword
			if g.NearMiss != nil {
				text += " (" + g.NearMiss.String() + ")"
			}
			missing = append(missing, text)
		}
		share := fmt.Sprintf("%d of %d", e.Keywords.Covered, len(e.Keywords.Groups))
		e.fail("root_cause_keywords", "coverage of at least "+evaluation.Number(minimum), evaluation.Number(coverage),
			fmt.Sprintf("the answer has %s root-cause keywords; missing: %s", share, strings.Join(missing, ", ")))
	}
	for _, g := range e.Keywords.Groups {
		if g.Covered && g.Hit.Negated {
			e.warn("root-cause keyword %s stands in a negated clause: %s", g.Keyword, e.around(g.Hit))
		}
	}

	if e.p.forbidden == nil {
		return
	}
	e.Forbidden = e.p.forbidden.FindAll(e.text)
	var found, hits []string
	for _, hit := range e.Forbidden {
		if !slices.Contains(found, hit.Alternative) {
			found = append(found, hit.Alternative)
		}
		hits = append(hits, fmt.Sprintf("%s in %s", hit.Alternative, quoted(e.around(hit.Hit))))
		if hit.Negated {
			e.warn("forbidden keyword %s stands in a negated clause: %s; unless_negated would let it pass", hit.Alternative, e.around(hit.Hit))
		}
	}
	if len(hits) == 0 {
		e.pass("forbidden_keywords")
	} else {
		e.fail("forbidden_keywords", "none of "+list(keywordTexts(e.p.ForbiddenKeywords)), list(found), "the answer has forbidden words: "+strings.Join(hits, "; "))
	}
}

// answered reports whether the final answer has anything that a reader sees.
func (e *judge) answered() bool { return !e.text.Blank() }

func keywordTexts(ks []keyword.Keyword) []string {
	out := make([]string, len(ks))
	for i, k := range ks {
		out[i] = k.String()
	}
	return out
}

func (e *judge) around(hit keyword.Hit) string { return e.text.Snippet(hit, 40) }

func quoted(s string) string { return "「" + s + "」" }

func (e *judge) warn(format string, args ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
}

// degraded holds the contract of degraded output: under a degraded verdict the
// answer says that it is degraded and keeps the unverified draft back; under
// any other it is not degraded.
func (e *judge) degraded() {
	verdict := e.Verdict.Text
	if verdict == "" || !e.answered() {
		return
	}
	if !e.p.degraded.has(verdict) {
		if !e.p.allowUnder.has(verdict) {
			e.unexpected(verdict)
		}
		return
	}
	declared := e.t.Degraded
	if !declared {
		_, declared = e.p.phrases.markerIn(e.plain())
	}
	if declared {
		e.pass("degraded_declared")
	} else {
		e.fail("degraded_declared", "an answer that says that it is degraded", "neither the degraded flag nor such a phrase",
			"verdict "+verdict+", and nothing in the answer says that the cause is not confirmed")
	}
	e.leaks()
}

// plain gives the final answer without the marks of emphasis, which part
// phrases: **根因**：未知. Offsets stay those of the answer.
func (e *judge) plain() *keyword.Text {
	if !strings.Contains(e.answer, "**") && !strings.Contains(e.answer, "__") {
		return e.text
	}
	// A soft hyphen has two bytes, and no matcher sees it.
	return keyword.NewText(strings.NewReplacer("**", "\u00ad", "__", "\u00ad").Replace(e.answer))
}

func (e *judge) unexpected(verdict string) {
	if e.t.Degraded {
		e.fail("degraded_unexpected", "an answer that is not degraded", "degraded: true", "the trace is flagged as degraded under verdict "+verdict)
		return
	}
	// Most answers give their cause as confirmed, which is quicker to see.
	if _, confirmed := e.p.phrases.confirmedIn(e.plain()); !confirmed {
		if hit, marked := e.p.phrases.markerIn(e.plain()); marked {
			e.fail("degraded_unexpected", "an answer that is not degraded", quoted(e.answer[hit.Start:hit.End]),
				"the answer is a degraded one under verdict "+verdict+": "+quoted(e.around(hit)))
			return
		}
	}
	e.pass("degraded_unexpected")
}

func (e *judge) leaks() {
	if strings.TrimSpace(e.t.Draft) == "" {
		hit, confirmed := e.p.phrases.confirmedIn(e.plain())
		if !confirmed {
			e.pass("degraded_no_leak")
			return
		}
		e.Leaks = [][2]int{{hit.Start, hit.End}}
		e.fail("degraded_no_leak", "no confirmed cause", quoted(e.answer[hit.Start:hit.End]), "the answer gives a cause as confirmed: "+quoted(e.around(hit)))
		return
	}
	leaks := findLeaks(e.t.Draft, e.answer, []string{e.p.Question, e.t.Question}, e.evidence)
	if len(leaks) == 0 {
		e.pass("degraded_no_leak")
		return
	}
	var parts []string
	for _, l := range leaks {
		e.Leaks = append(e.Leaks, [2]int{l.start, l.end})
		if len(parts) < 3 {
			parts = append(parts, quoted(shorten(strings.Join(strings.Fields(e.answer[l.start:l.end]), " "))))
		}
	}
	e.fail("degraded_no_leak", "nothing of the unverified draft", list(parts), "the answer repeats the unverified draft: "+list(parts))
}

// evidence gives the texts that an answer may repeat: what tools returned, and
// what the verifier says of them.
func (e *judge) evidence() []string {
	var texts []string
	for i := range e.t.Calls {
		texts = append(texts, resultText(e.t.Calls[i].Result))
	}
	for i := range e.t.Summary.Tools {
		texts = append(texts, e.t.Summary.Tools[i].Text)
	}
	return append(texts, e.t.Summary.Texts...)
}

func (e *judge) cost() {
	if limit := e.p.MaxToolCalls; limit != nil {
		if e.ToolCalls <= *limit {
			e.pass("max_tool_calls")
		} else {
			e.fail("max_tool_calls", fmt.Sprintf("at most %d", *limit), fmt.Sprint(e.ToolCalls), fmt.Sprintf("%d tool calls, more than %d", e.ToolCalls, *limit))
		}
	}
	if limit := e.p.MaxDurationMS; limit != nil {
		expected := "at most " + evaluation.Number(*limit) + " ms"
		switch took := evaluation.Number(e.DurationMS) + " ms"; {
		case e.DurationMS < 0:
			e.fail("max_duration", expected, absent, "the trace records no duration")
		case e.DurationMS <= *limit:
			e.pass("max_duration")
		default:
			e.fail("max_duration", expected, took, took+", longer than "+evaluation.Number(*limit)+" ms")
		}
	}
}

// distinctTools counts the tools that were called, by the case's names.
func (p *Evaluator) distinctTools(t *Trace) int {
	names := make([]string, 0, 32)
	for i := range t.Calls {
		names = append(names, p.nameOf(t.Calls[i].Name))
	}
	slices.Sort(names)
	return len(slices.Compact(names))
}

// String names the tools, as reports do: "query_logs", "query_logs | query_es".
func (r RequiredTool) String() string {
	s := strings.Join(r.Any, " | ")
	if r.Attempted {
		s += " (attempted)"
	}
	return s
}

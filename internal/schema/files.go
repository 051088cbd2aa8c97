package schema

// The structs of this file stand for formats whose reader or writer is written
// out by hand, so that there is no struct of that shape to take the schema from.
// Tests hold them equal to what is read and written.

// trace is a diagnosis trace as an application stores it.
type trace struct {
	// CaseID is the id of the case that this trace belongs to. In a folder it may
	// be left out, since the file is named by it; in a bundle it is needed.
	CaseID label `json:"caseId,omitempty" alias:"case_id"`
	// TraceID is the application's own id of the run.
	TraceID label `json:"traceId,omitempty" alias:"trace_id"`
	// Question is what the agent was asked.
	Question string `json:"question,omitempty"`
	// ToolInvocations are the agent's tool calls, in their order. Entries with one
	// id are one call: the last known outcome wins. The list may also be JSON text
	// inside a string.
	ToolInvocations []invocation `json:"toolInvocations,omitempty" alias:"tool_invocations"`
	// SelfEvaluation is what the agent's verifier said. It may also be JSON text
	// inside a string.
	SelfEvaluation *selfEvaluation `json:"selfEvaluation,omitempty" alias:"self_evaluation"`
	// ExecutorAnswer is the executor's draft, before it was verified.
	ExecutorAnswer any `json:"executorAnswer,omitempty" alias:"executor_answer,draftAnswer,draft_answer"`
	// FinalAnswer is the answer as the user saw it.
	FinalAnswer string `json:"finalAnswer,omitempty" alias:"final_answer,answer"`
	// Degraded is the application's own word that the answer is degraded.
	Degraded bool `json:"degraded,omitempty"`
	// Status is how the run ended. failed, failure, error, timeout, cancelled and
	// aborted make the case an error.
	Status label `json:"status,omitempty"`
	// Error is what the run failed with. Where it is not empty, the case is an
	// error.
	Error any `json:"error,omitempty"`
	// StartedAt is when the run started, as RFC 3339.
	StartedAt any `json:"startedAt,omitempty" alias:"started_at"`
	// FinishedAt is when the run ended, as RFC 3339.
	FinishedAt any `json:"finishedAt,omitempty" alias:"finished_at"`
	// DurationMS is how long the run took, in milliseconds, 0 or more; where it is
	// not given, the time from the first start to the last end.
	DurationMS amount `json:"durationMs,omitempty" alias:"duration_ms"`
	// Usage counts the tokens of the run.
	Usage *usage `json:"usage,omitempty"`
}

type invocation struct {
	// ToolCallID joins the records of one call.
	ToolCallID label `json:"toolCallId,omitempty" alias:"tool_call_id,id"`
	// ToolName is the tool's name, compared exactly.
	ToolName label `json:"toolName,omitempty" alias:"tool_name,name,tool"`
	// Arguments are what the tool was called with: JSON, or text.
	Arguments any `json:"arguments,omitempty"`
	// Status is how the call ended: success, succeeded, ok, completed, done; or
	// error, failed, failure, timeout, timed_out, cancelled, canceled, denied,
	// rejected, aborted.
	Status any `json:"status,omitempty"`
	// Result is what the tool gave. Its own status, error, isError, success and
	// exit_code count as the call's.
	Result any `json:"result,omitempty"`
	// Error is what the call failed with.
	Error any `json:"error,omitempty"`
	// IsError says that the call failed.
	IsError any `json:"isError,omitempty" alias:"is_error"`
	// Success says whether the call succeeded.
	Success any `json:"success,omitempty"`
	// ExitCode is 0 where the call succeeded.
	ExitCode any `json:"exitCode,omitempty" alias:"exit_code"`
	// DurationMS is how long the call took, in milliseconds, 0 or more.
	DurationMS amount `json:"durationMs,omitempty" alias:"duration_ms"`
	// StartedAt is when the call started, as RFC 3339.
	StartedAt any `json:"startedAt,omitempty" alias:"started_at"`
	// FinishedAt is when the call ended, as RFC 3339.
	FinishedAt any `json:"finishedAt,omitempty" alias:"finished_at"`
}

// label is a short text, or a number that is read as one.
type label string

// amount is a number of milliseconds or tokens, 0 or more.
type amount float64

type selfEvaluation struct {
	// VerifierEvaluation is the verifier's evaluation of the run. It may also be
	// JSON text inside a string.
	VerifierEvaluation *verifierEvaluation `json:"verifier_evaluation,omitempty" alias:"verifierEvaluation"`
}

type verifierEvaluation struct {
	// Verdict is the verifier's verdict: PASS, REVISE, REJECT, or another word.
	// Compared trimmed and without case.
	Verdict any `json:"verdict,omitempty"`
	// Reason is why.
	Reason any `json:"reason,omitempty"`
	// TraceSummary is what the verifier saw of the trace: a list of objects with a
	// tool's name, a list of texts, or one text.
	TraceSummary any `json:"trace_summary,omitempty" alias:"traceSummary,tool_summaries"`
}

type usage struct {
	// InputTokens are the tokens that went into the model.
	InputTokens amount `json:"inputTokens,omitempty" alias:"input_tokens"`
	// OutputTokens are the tokens that came out of it.
	OutputTokens amount `json:"outputTokens,omitempty" alias:"output_tokens"`
}

// report is a report of any domain, as it is written.
type report struct {
	// Schema names the format and its version.
	Schema string `json:"schema"`
	// Suite names what was evaluated.
	Suite string `json:"suite"`
	// Config is what, besides cases and fixtures, decided the values. Reports of
	// different settings are not comparable.
	Config map[string]any `json:"config"`
	// Metrics describes the entries of the summary, by name.
	Metrics map[string]metric `json:"metrics"`
	// Facts describes the facts that stand in the cases, by name.
	Facts map[string]factInfo `json:"facts"`
	// Summary has one entry for each metric.
	Summary map[string]entry `json:"summary"`
	// Slices are the summaries of the cases that share a label's value: by label,
	// then by value.
	Slices map[string]map[string]map[string]entry `json:"slices"`
	// Warnings are remarks on the set as a whole.
	Warnings []string `json:"warnings"`
	// Cases are the results of the cases, in the order of their ids.
	Cases []row `json:"cases"`
}

type metric struct {
	// Better says in which direction the metric improves: higher, lower or none.
	Better string `json:"better,omitempty"`
	// Min is the lowest value that is possible; absent where there is none.
	Min float64 `json:"min,omitempty"`
	// Max is the highest value that is possible; absent where there is none.
	Max float64 `json:"max,omitempty"`
	// Unit is ratio, count, rank, ms, tokens or calls.
	Unit string `json:"unit,omitempty"`
	// Aggregation says how the value comes from the cases: mean, percentile,
	// count, rate or distribution.
	Aggregation string `json:"aggregation"`
	// Of names the case's metric or fact that is aggregated.
	Of string `json:"of,omitempty"`
	// Equals is the text that a count or a rate counts.
	Equals string `json:"equals,omitempty"`
	// P is the percentile, above 0 and up to 100.
	P float64 `json:"p,omitempty"`
	// Except names a fact; cases in which it is true are left out.
	Except string `json:"except,omitempty"`
}

type factInfo struct {
	// Order lists the fact's values from worst to best.
	Order []string `json:"order,omitempty"`
	// Volatile facts differ between two runs of the same system, and are no
	// change.
	Volatile bool `json:"volatile,omitempty"`
	// Transitions says that comparisons count how the fact's values moved.
	Transitions bool `json:"transitions,omitempty"`
	// Title heads the fact where it is shown.
	Title string `json:"title,omitempty"`
}

// entry is a value, or the counts of a distribution by name.
type entry struct{}

type row struct {
	// ID is the case's id.
	ID string `json:"id"`
	// Digest identifies the case's definition. Cases of different digests are not
	// comparable.
	Digest string `json:"digest,omitempty"`
	// Query is the question that the case asks.
	Query string `json:"query,omitempty"`
	// Status is pass, fail, not_run (no fixture), or error (the fixture could not
	// be read, or the system failed).
	Status string `json:"status"`
	// Stage is the first place in the pipeline where the case broke.
	Stage string `json:"stage,omitempty"`
	// FailedChecks names the checks that failed.
	FailedChecks []string `json:"failed_checks"`
	// Checks are the checks that apply to the case.
	Checks []check `json:"checks"`
	// Metrics are the case's own values, by name.
	Metrics map[string]float64 `json:"metrics,omitempty"`
	// Evidence is what the case expects to see, and whether and where it was
	// seen.
	Evidence []evidence `json:"evidence"`
	// Labels are the case's slices, by label.
	Labels map[string][]string `json:"labels"`
	// Warnings are remarks that fail nothing.
	Warnings []string `json:"warnings"`
	// Reason is what the case's author wants a reader to know when it fails.
	Reason string `json:"reason,omitempty"`
}

type check struct {
	// Name is the check's fixed name.
	Name string `json:"name"`
	// Status is pass, fail, or info: it does not hold, and the case does not ask
	// that it does.
	Status string `json:"status"`
	// Expected is what was expected, in short.
	Expected string `json:"expected,omitempty"`
	// Got is what came, in short.
	Got string `json:"got,omitempty"`
	// Reason says why the check failed.
	Reason string `json:"reason,omitempty"`
}

type evidence struct {
	// Kind says what was looked for: keyword, answer_keyword, tool, …
	Kind string `json:"kind,omitempty"`
	// Expected is what was looked for.
	Expected string `json:"expected,omitempty"`
	// Covered says whether it was found.
	Covered bool `json:"covered"`
	// By is the alternative or the source that covered it.
	By string `json:"by,omitempty"`
	// Where is the document or the call in which it stands.
	Where string `json:"where,omitempty"`
	// Around is the text around it.
	Around string `json:"around,omitempty"`
	// Note adds the near miss of what was not found, a negation, a contradiction.
	Note string `json:"note,omitempty"`
}

// runSummary is the summary of a run of several suites.
type runSummary struct {
	// Schema names the format and its version.
	Schema string `json:"schema"`
	// Suites are in the order in which they ran.
	Suites []suiteSummary `json:"suites"`
}

type suiteSummary struct {
	// Name is the suite's name in the project file.
	Name string `json:"name"`
	// Kind is retrieval or diagnosis.
	Kind string `json:"kind"`
	// Status is pass; fail: the gate did not pass, a case is worse than the
	// baseline, or one that neither judges does not pass; or error: the suite could
	// not be evaluated.
	Status string `json:"status,omitempty"`
	// Verdict says on one line how it came out.
	Verdict string `json:"verdict,omitempty"`
	// Error says why the suite could not be evaluated.
	Error string `json:"error,omitempty"`
	// Gate is how the suite's gate came out.
	Gate *gateOutcome `json:"gate,omitempty"`
	// Worse is the number of cases that are worse than the baseline.
	Worse int `json:"worse,omitempty"`
	// Counts are the cases by status.
	Counts counts `json:"counts"`
	// Summary has the report's metrics, without its distributions.
	Summary map[string]runEntry `json:"summary"`
	// NotPassing are the ids of the cases that do not pass.
	NotPassing []string `json:"not_passing,omitempty"`
	// WorseCases are the ids of the cases that are worse than the baseline.
	WorseCases []string `json:"worse_cases,omitempty"`
}

type gateOutcome struct {
	// Passed says whether every rule passes.
	Passed bool `json:"passed"`
	// Verdict says on one line on what that rests.
	Verdict string `json:"verdict"`
}

type counts struct {
	// Pass counts the cases that pass.
	Pass int `json:"pass"`
	// Fail counts those that do not.
	Fail int `json:"fail"`
	// NotRun counts those without a fixture.
	NotRun int `json:"not_run"`
	// Error counts those whose fixture could not be read, or whose system failed.
	Error int `json:"error"`
}

type runEntry struct {
	// Value is the metric's value; null where there is none.
	Value nullable `json:"value"`
	// N is the number of cases over which the value goes.
	N int `json:"n"`
	// Why says why there is no value.
	Why string `json:"why,omitempty"`
	// Better says in which direction the metric improves: higher, lower or none.
	Better string `json:"better,omitempty"`
	// Unit is the metric's unit.
	Unit string `json:"unit,omitempty"`
}

// nullable is a number or null.
type nullable float64

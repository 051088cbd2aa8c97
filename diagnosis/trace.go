package diagnosis

import (
	"time"
)

// Trace is one recorded run of a diagnosis agent.
type Trace struct {
	CaseID   string
	TraceID  string
	Question string
	// Calls are the agent's tool calls in the order in which they were first
	// recorded. Records that share an id are one call.
	Calls []ToolCall
	// Verdict is the verifier's.
	Verdict Verdict
	// Summary is what the verifier says of the trace.
	Summary Summary
	// Draft is the executor's answer before it was verified, empty where none
	// was recorded.
	Draft string
	// Answer is the final answer, as the user saw it.
	Answer string
	// Degraded is the application's own word that the answer is degraded.
	Degraded bool
	// Status and Error are the run's own; see [Trace.SystemFailure].
	Status, Error string
	// StartedAt and FinishedAt are zero where they were not recorded.
	StartedAt, FinishedAt time.Time
	// RecordedMS is the recorded duration in milliseconds, negative where none
	// was; see [Trace.DurationMS].
	RecordedMS float64
	// InputTokens and OutputTokens are negative where they were not recorded.
	InputTokens, OutputTokens float64
	// Warnings are remarks of the reader that fail nothing.
	Warnings []string
}

// ToolCall is one call of a tool.
type ToolCall struct {
	// ID joins the records of one call; empty where the application gives none.
	ID   string
	Name string
	// Arguments is JSON as it was recorded, or the text where it is no JSON.
	Arguments []byte
	// Result is JSON as it was recorded, nil where it is absent.
	Result  []byte
	Outcome Outcome
	// Why says in a few words how a failed call failed: "timeout",
	// "exit code 2".
	Why string
	// DurationMS is negative where it was not recorded.
	DurationMS            float64
	StartedAt, FinishedAt time.Time
}

// Outcome is how a tool call ended.
type Outcome uint8

const (
	// Unknown: neither a sign of failure nor of success was recorded.
	Unknown Outcome = iota
	Succeeded
	Failed
)

func (o Outcome) String() string {
	switch o {
	case Succeeded:
		return "succeeded"
	case Failed:
		return "failed"
	}
	return "unknown"
}

// Verdict is the verifier's verdict as it was recorded.
type Verdict struct {
	// Text is the verdict, trimmed and in upper case; empty where there is
	// none.
	Text string
	// Recorded is the verdict in the trace's own spelling, or, where it is not
	// a string, its JSON.
	Recorded string
	// NotString: something stands in the verdict's place, and is not a string.
	NotString bool
}

const (
	verdictMissing   = "(missing)"
	verdictNotString = "(not a string)"
)

// Present reports whether there is a verdict.
func (v Verdict) Present() bool { return v.Text != "" }

// Bucket names the verdict in a distribution: its text, "(missing)" or
// "(not a string)".
func (v Verdict) Bucket() string {
	switch {
	case v.Text != "":
		return v.Text
	case v.NotString:
		return verdictNotString
	}
	return verdictMissing
}

// Summary is what the verifier says of the trace, in one of several forms.
type Summary struct {
	// Tools are the objects that name a tool.
	Tools []SummaryTool
	// Texts are its texts, each of which may be a tool's name or mention some.
	Texts []string
}

// SummaryTool is an entry of a summary that names a tool.
type SummaryTool struct {
	Name string
	// Text is what the entry says of the tool.
	Text string
	// Failed: the entry's own status is a failure; Why says which.
	Failed bool
	Why    string
}

// DurationMS is how long the run took, in milliseconds: the recorded duration,
// else the time from the first start to the last end of the trace and its
// calls. It is never a sum of the calls, which may overlap. ok is false where
// nothing was recorded.
func (t *Trace) DurationMS() (ms float64, ok bool) {
	if t.RecordedMS >= 0 {
		return t.RecordedMS, true
	}
	start, end := t.StartedAt, t.FinishedAt
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.StartedAt.IsZero() && (start.IsZero() || c.StartedAt.Before(start)) {
			start = c.StartedAt
		}
		if e := c.end(); !e.IsZero() && e.After(end) {
			end = e
		}
	}
	if start.IsZero() || end.IsZero() || end.Before(start) {
		return 0, false
	}
	return float64(end.Sub(start)) / float64(time.Millisecond), true
}

// end is when the call ended: as recorded, or its start and its duration.
func (c *ToolCall) end() time.Time {
	if c.FinishedAt.IsZero() && !c.StartedAt.IsZero() && c.DurationMS >= 0 && c.DurationMS < maxMS {
		return c.StartedAt.Add(time.Duration(c.DurationMS * float64(time.Millisecond)))
	}
	return c.FinishedAt
}

// maxMS is the longest duration in milliseconds that time.Duration holds.
const maxMS = float64(1<<63-1) / float64(time.Millisecond)

// SystemFailure says how the run itself failed, empty where it did not: its
// status is a failure, or it carries an error.
func (t *Trace) SystemFailure() string {
	if t.Error != "" {
		return t.Error
	}
	switch statusWord(t.Status) {
	case "failed", "failure", "error", "timeout", "timed_out", "cancelled", "canceled", "aborted":
		return "status " + t.Status
	}
	return ""
}

// FailedCalls counts the calls that failed.
func (t *Trace) FailedCalls() int {
	n := 0
	for i := range t.Calls {
		if t.Calls[i].Outcome == Failed {
			n++
		}
	}
	return n
}

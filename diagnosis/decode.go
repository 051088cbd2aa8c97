package diagnosis

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/karat-eval/karat/internal/jsonscan"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// reader reads what applications write into traces.
type reader struct {
	jsonscan.Reader
	unknown *unknowns // nil where nobody asks
}

func newReader(data []byte) *reader { return &reader{Reader: jsonscan.New(data)} }

// within reads a text of the document as a document.
func (r *reader) within(text []byte) *reader { return &reader{r.Within(text), r.unknown} }

// skip passes over the value of a member that is not known.
func (r *reader) skip(beside *suitefiles.Unknown, name []byte) error {
	if r.Peek() != 'n' {
		beside.Add(name)
	}
	return r.Skip()
}

// DecodeTrace reads one trace as an application stores it: camelCase or
// snake_case names, and toolInvocations, selfEvaluation and
// verifier_evaluation also as JSON text inside a string, as databases hand them
// back. Unknown members belong to the application and are ignored.
//
// The first thing that is wrong ends the reading, with its place: the byte and
// the path. Objects and lists may nest 1,000 deep. The trace keeps parts of data,
// which must not be changed while the trace is used.
func DecodeTrace(data []byte) (*Trace, error) { return decodeTrace(data, nil) }

// decodeTrace is DecodeTrace, and keeps in unknown what it does not know.
func decodeTrace(data []byte, unknown *unknowns) (*Trace, error) {
	t := &Trace{RecordedMS: -1, InputTokens: -1, OutputTokens: -1}
	m := traceReader{Trace: t, reader: newReader(data)}
	m.unknown = unknown
	if err := m.Document("trace", m.member); err != nil {
		return nil, err
	}
	if start, end := t.StartedAt, t.FinishedAt; t.RecordedMS < 0 && !start.IsZero() && !end.IsZero() && end.Before(start) {
		return nil, errors.New("finishedAt is before startedAt: a duration is 0 or more")
	}
	return t, nil
}

// once keeps a member that has several names from being taken twice: the name
// that comes first in the list of names wins, whatever the order in the file.
type once struct{ rank int }

func (o *once) take(rank int) bool {
	if o.rank != 0 && o.rank < rank {
		return false
	}
	o.rank = rank
	return true
}

// read reads a text, unless it is null or another name has given it.
func (o *once) read(r *reader, rank int, to *string, text func() (string, error)) (err error) {
	if r.Null() {
		return nil
	}
	if !o.take(rank) {
		return r.Skip()
	}
	*to, err = text()
	return err
}

// traceReader reads the members of a trace.
type traceReader struct {
	*Trace
	*reader
	draft, answer once
}

func (t *traceReader) member(name []byte) (err error) {
	r := t.reader
	switch string(name) {
	case "caseId", "case_id":
		r.Peek() // past the white space
		before, at := t.CaseID, r.Pos()
		if t.CaseID, err = r.Label(); err == nil && before != "" && t.CaseID != before {
			return r.Errorf(at, "the trace says that it is of case %q, and of case %q", before, t.CaseID)
		}
	case "traceId", "trace_id":
		t.TraceID, err = r.Label()
	case "question":
		t.Question, err = r.Text()
	case "toolInvocations", "tool_invocations":
		return r.inside(t.invocations, '[', "a list of tool invocations")
	case "selfEvaluation", "self_evaluation":
		if r.Null() {
			return nil
		}
		return r.inside(t.selfEvaluation, '{', "an object")
	case "executorAnswer":
		return t.draft.read(r, 1, &t.Draft, r.textOrJSON)
	case "executor_answer":
		return t.draft.read(r, 2, &t.Draft, r.textOrJSON)
	case "draftAnswer":
		return t.draft.read(r, 3, &t.Draft, r.textOrJSON)
	case "draft_answer":
		return t.draft.read(r, 4, &t.Draft, r.textOrJSON)
	case "finalAnswer":
		return t.answer.read(r, 1, &t.Answer, r.Text)
	case "final_answer":
		return t.answer.read(r, 2, &t.Answer, r.Text)
	case "answer":
		return t.answer.read(r, 3, &t.Answer, r.Text)
	case "degraded":
		t.Degraded, err = r.flag()
	case "status":
		t.Status, err = r.Label()
		t.Status = strings.TrimSpace(t.Status)
	case "error":
		var raw []byte
		if raw, err = r.Value(); err == nil {
			t.Error = errorText(raw)
		}
	case "startedAt", "started_at":
		t.StartedAt, err = r.time(t.Trace)
	case "finishedAt", "finished_at":
		t.FinishedAt, err = r.time(t.Trace)
	case "durationMs", "duration_ms":
		t.RecordedMS, err = r.amount()
	case "usage":
		if r.Null() {
			return nil
		}
		if r.Peek() != '{' {
			return r.Needed("an object")
		}
		return r.Object(func(name []byte) (err error) {
			switch string(name) {
			case "inputTokens", "input_tokens":
				t.InputTokens, err = r.amount()
			case "outputTokens", "output_tokens":
				t.OutputTokens, err = r.amount()
			default:
				return r.Skip()
			}
			return err
		})
	default:
		if r.unknown != nil {
			return r.skip(&r.unknown.trace, name)
		}
		return r.Skip()
	}
	return err
}

// invocations reads the list of tool invocations and joins the records of one
// call.
func (t *Trace) invocations(r *reader) error {
	var byID map[string]int
	t.Calls = t.Calls[:0]
	if cap(t.Calls) == 0 {
		t.Calls = make([]ToolCall, 0, 8)
	}
	return r.Array(func(int) error {
		if r.Peek() != '{' {
			return r.Needed("an object, the tool invocation,")
		}
		call, err := t.invocation(r)
		if err != nil {
			return err
		}
		if call.ID != "" {
			if i, again := byID[call.ID]; again {
				same := &t.Calls[i]
				if same.Name == call.Name || same.Name == "" || call.Name == "" {
					same.join(call)
					return nil
				}
				t.Warnings = append(t.Warnings, fmt.Sprintf("the id %q is given to a call of %s and to one of %s; they are counted as two calls", call.ID, same.Name, call.Name))
			} else {
				if byID == nil {
					byID = make(map[string]int, 8)
				}
				byID[call.ID] = len(t.Calls)
			}
		}
		if call.Name == "" {
			t.Warnings = append(t.Warnings, fmt.Sprintf("tool invocation %d has no name", len(t.Calls)+1))
		}
		t.Calls = append(t.Calls, call)
		return nil
	})
}

// join adds a later record of the same call. The last outcome that is known
// wins.
func (c *ToolCall) join(later ToolCall) {
	if c.Name == "" {
		c.Name = later.Name
	}
	if later.Arguments != nil {
		c.Arguments = later.Arguments
	}
	if later.Outcome != Unknown {
		c.Outcome, c.Why = later.Outcome, later.Why
	}
	if later.Result != nil {
		c.Result = later.Result
	}
	if later.DurationMS >= 0 {
		c.DurationMS = later.DurationMS
	}
	if c.StartedAt.IsZero() {
		c.StartedAt = later.StartedAt
	}
	if !later.FinishedAt.IsZero() {
		c.FinishedAt = later.FinishedAt
	}
}

func (t *Trace) invocation(r *reader) (ToolCall, error) {
	c := ToolCall{DurationMS: -1}
	var s signs
	var name, id once
	var oddStatus string
	err := r.Object(func(member []byte) (err error) {
		switch string(member) {
		case "toolName":
			return name.read(r, 1, &c.Name, r.Label)
		case "tool_name":
			return name.read(r, 2, &c.Name, r.Label)
		case "name":
			return name.read(r, 3, &c.Name, r.Label)
		case "tool":
			return name.read(r, 4, &c.Name, r.Label)
		case "toolCallId":
			return id.read(r, 1, &c.ID, r.Label)
		case "tool_call_id":
			return id.read(r, 2, &c.ID, r.Label)
		case "id":
			return id.read(r, 3, &c.ID, r.Label)
		case "arguments":
			c.Arguments, err = r.Value()
		case "result":
			c.Result, err = r.result(&s)
		case "durationMs", "duration_ms":
			c.DurationMS, err = r.amount()
		case "startedAt", "started_at":
			c.StartedAt, err = r.time(t)
		case "finishedAt", "finished_at":
			c.FinishedAt, err = r.time(t)
		default:
			if !isSign(member) {
				if r.unknown != nil && len(t.Calls) == 0 {
					return r.skip(&r.unknown.call, member)
				}
				return r.Skip()
			}
			var raw []byte
			if raw, err = r.Value(); err == nil && !s.member(member, raw) {
				oddStatus = string(raw)
			}
		}
		return err
	})
	if err != nil {
		return c, err
	}
	c.ID = strings.TrimSpace(c.ID)
	c.Outcome = s.outcome()
	if c.Outcome == Failed {
		c.Why = s.why
		if s.rank == tellsLittle && len(c.Result) > 0 && c.Result[0] == '{' {
			if m := messageIn(c.Result); m != "" {
				c.Why = m
			}
		}
	}
	if oddStatus != "" {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s: the status %s tells neither success nor failure", c.Name, shorten(oddStatus)))
	}
	return c, nil
}

// result reads a tool's result and the signs of its outcome: at the top level
// of an object, or of a text that is one object. Nothing in running text is a
// sign.
func (r *reader) result(s *signs) ([]byte, error) {
	if r.Null() {
		return nil, nil
	}
	s.succeeded = true
	start := r.Pos()
	if r.Peek() == '{' {
		err := r.Members(func(name []byte) error { return r.sign(s, name) })
		return r.Since(start), err
	}
	raw, err := r.Value()
	if err != nil || raw[0] != '"' || !mayHoldSigns(raw) {
		return raw, err
	}
	buf := quotePool.Get().(*[]byte)
	defer quotePool.Put(buf)
	text := jsonscan.AppendUnquoted((*buf)[:0], raw)
	*buf = text
	inner := r.within(text)
	var found signs
	if inner.Peek() != '{' || inner.Members(func(name []byte) error { return inner.sign(&found, name) }) != nil || inner.End() != nil {
		return raw, nil // it is text
	}
	if found.failed {
		if found.rank == tellsLittle {
			if m := messageIn(text); m != "" {
				found.why = m
			}
		}
		s.fail(found.rank, found.why)
	}
	return raw, nil
}

// quotePool holds the texts of results while they are looked at.
var quotePool = sync.Pool{New: func() any { return new([]byte) }}

// sign reads one member of a result.
func (r *reader) sign(s *signs, name []byte) error {
	if !isSign(name) {
		return r.Skip()
	}
	raw, err := r.Value()
	if err == nil {
		s.member(name, raw)
	}
	return err
}

// mayHoldSigns says quickly that a quoted text is no object with signs: most
// results are running text.
func mayHoldSigns(quoted []byte) bool {
	inner := bytes.TrimLeft(quoted[1:], " ")
	for bytes.HasPrefix(inner, []byte(`\n`)) || bytes.HasPrefix(inner, []byte(`\r`)) || bytes.HasPrefix(inner, []byte(`\t`)) {
		inner = bytes.TrimLeft(inner[2:], " ")
	}
	if len(inner) == 0 || inner[0] != '{' && inner[0] != '\\' {
		return false
	}
	// A name may be written with escapes, so any backslash-u asks for a look.
	for _, name := range []string{"rror", "success", "exit", "status", `\u`} {
		if bytes.Contains(inner, []byte(name)) {
			return true
		}
	}
	return false
}

func (t *Trace) selfEvaluation(r *reader) error {
	return r.Object(func(name []byte) error {
		switch string(name) {
		case "verifier_evaluation", "verifierEvaluation":
			if r.Null() {
				return nil
			}
			return r.inside(t.verifierEvaluation, '{', "an object")
		}
		if r.unknown != nil {
			return r.skip(&r.unknown.evaluation, name)
		}
		return r.Skip()
	})
}

func (t *Trace) verifierEvaluation(r *reader) error {
	var summary once
	return r.Object(func(name []byte) error {
		rank := 0
		switch string(name) {
		case "verdict":
			raw, err := r.Value()
			if err != nil {
				return err
			}
			t.Verdict = verdictOf(raw)
			return nil
		case "trace_summary":
			rank = 1
		case "traceSummary":
			rank = 2
		case "tool_summaries":
			rank = 3
		case "toolSummaries":
			rank = 4
		}
		if rank == 0 {
			if r.unknown != nil {
				return r.skip(&r.unknown.verifier, name)
			}
			return r.Skip()
		}
		if r.Null() {
			return nil
		}
		if !summary.take(rank) {
			return r.Skip()
		}
		raw, err := r.Value()
		if err != nil {
			return err
		}
		t.Summary = summaryOf(raw)
		return nil
	})
}

func verdictOf(raw []byte) Verdict {
	switch raw[0] {
	case 'n':
		return Verdict{}
	case '"':
		text := jsonText(raw)
		return Verdict{Text: strings.ToUpper(strings.TrimSpace(text)), Recorded: text}
	}
	return Verdict{Recorded: shorten(string(raw)), NotString: true}
}

// inside reads a value that may also be JSON text inside a string.
func (r *reader) inside(read func(*reader) error, want byte, what string) error {
	c := r.Peek()
	if c == want {
		return read(r)
	}
	if c != '"' {
		return r.Needed(what)
	}
	start := r.Pos()
	raw, err := r.Value()
	if err != nil {
		return err
	}
	text := jsonscan.Unquote(raw)
	inner := r.within(text)
	switch c := inner.Peek(); {
	case c == 0 && want == '{':
		return nil // an empty column
	case c != want:
		if inner.Skip() == nil && inner.End() == nil {
			return r.Errorf(start, "%s is needed, found a string that holds %s", what, jsonscan.Kind(c))
		}
		return r.Errorf(start, "%s is needed, found a string that is no JSON: %q", what, shorten(string(text)))
	}
	err = read(inner)
	if err == nil {
		err = inner.End()
	}
	if err != nil {
		return r.Errorf(start, "in the string: %v", err)
	}
	return nil
}

// textOrJSON reads a text, or keeps another value as its JSON.
func (r *reader) textOrJSON() (string, error) {
	switch r.Peek() {
	case '{', '[':
		raw, err := r.Value()
		return string(raw), err
	}
	return r.Text()
}

// flag reads a boolean; databases write them as 0 and 1 too.
func (r *reader) flag() (bool, error) {
	start := r.Pos()
	raw, err := r.Value()
	if err != nil {
		return false, err
	}
	switch truth(raw) {
	case "true", "1":
		return true, nil
	case "false", "0", "":
		if raw[0] != '{' && raw[0] != '[' {
			return false, nil
		}
	}
	return false, r.Errorf(start, "true or false is needed, found %s", shorten(string(raw)))
}

// amount reads a number of 0 or more; null is none, -1.
func (r *reader) amount() (float64, error) {
	if r.Null() {
		return -1, nil
	}
	return r.Amount()
}

// time reads a time stamp: RFC 3339, the same without a zone (UTC), or
// milliseconds since 1970. Others are left out, with a warning.
func (r *reader) time(t *Trace) (time.Time, error) {
	raw, err := r.Value()
	if err != nil {
		return time.Time{}, err
	}
	switch raw[0] {
	case 'n':
		return time.Time{}, nil
	case '"':
		text := raw[1 : len(raw)-1]
		for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00"} {
			if at, err := time.Parse(layout, string(text)); err == nil {
				return at, nil
			}
		}
		if len(text) == 0 {
			return time.Time{}, nil
		}
	default:
		if ms, err := strconv.ParseFloat(string(raw), 64); err == nil && ms > 0 && ms < 1e14 {
			return time.UnixMicro(int64(ms * 1000)).UTC(), nil
		}
	}
	t.Warnings = append(t.Warnings, fmt.Sprintf("%s is no time stamp that is understood", shorten(string(raw))))
	return time.Time{}, nil
}

// jsonText gives the text of a JSON string, empty for other kinds.
func jsonText(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	return string(jsonscan.Unquote(value))
}

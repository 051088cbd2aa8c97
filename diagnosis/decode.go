package diagnosis

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// DecodeTrace reads one trace as an application stores it: camelCase or
// snake_case names, and toolInvocations, selfEvaluation and
// verifier_evaluation also as JSON text inside a string, as databases hand them
// back. Unknown members belong to the application and are ignored.
//
// The first thing that is wrong ends the reading, with its place: the byte and
// the JSON pointer. The trace keeps parts of data, which must not be changed
// while the trace is used.
func DecodeTrace(data []byte) (*Trace, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the trace is empty; want a JSON object")
	}
	t := &Trace{RecordedMS: -1, InputTokens: -1, OutputTokens: -1}
	r := newReader(data, "")
	defer r.release()
	if err := r.document("a trace", func(name []byte) error { return t.member(r, name) }); err != nil {
		return nil, err
	}
	if start, end := t.StartedAt, t.FinishedAt; t.RecordedMS < 0 && !start.IsZero() && !end.IsZero() && end.Before(start) {
		return nil, fmt.Errorf("finishedAt is before startedAt: a duration is 0 or more")
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

func (t *Trace) member(r *reader, name []byte) (err error) {
	switch string(name) {
	case "caseId", "case_id":
		t.CaseID, err = r.label()
	case "traceId", "trace_id":
		t.TraceID, err = r.label()
	case "question":
		t.Question, err = r.text()
	case "toolInvocations", "tool_invocations":
		return r.inside(func(r *reader) error { return t.invocations(r) }, '[', "a list of tool invocations")
	case "selfEvaluation", "self_evaluation":
		if r.dec.PeekKind() == 'n' {
			return r.skip()
		}
		return r.inside(t.selfEvaluation, '{', "an object")
	case "executorAnswer", "executor_answer", "draftAnswer", "draft_answer":
		if r.take("draft", map[string]int{"executorAnswer": 1, "executor_answer": 2, "draftAnswer": 3, "draft_answer": 4}[string(name)]) {
			t.Draft, err = r.textOrJSON()
			return err
		}
		return r.skip()
	case "finalAnswer", "final_answer", "answer":
		if r.take("answer", map[string]int{"finalAnswer": 1, "final_answer": 2, "answer": 3}[string(name)]) {
			t.Answer, err = r.text()
			return err
		}
		return r.skip()
	case "degraded":
		t.Degraded, err = r.flag()
	case "status":
		t.Status, err = r.label()
		t.Status = strings.TrimSpace(t.Status)
	case "error":
		var raw []byte
		if raw, err = r.value(); err == nil {
			t.Error = errorText(raw)
		}
	case "startedAt", "started_at":
		t.StartedAt, err = r.time(t)
	case "finishedAt", "finished_at":
		t.FinishedAt, err = r.time(t)
	case "durationMs", "duration_ms":
		t.RecordedMS, err = r.amount("a duration", "milliseconds")
	case "usage":
		return r.object(func(name []byte) (err error) {
			switch string(name) {
			case "inputTokens", "input_tokens":
				t.InputTokens, err = r.amount("a number of tokens", "tokens")
			case "outputTokens", "output_tokens":
				t.OutputTokens, err = r.amount("a number of tokens", "tokens")
			default:
				return r.skip()
			}
			return err
		})
	default:
		return r.skip()
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
	return r.array(func() error {
		if r.dec.PeekKind() != '{' {
			return r.want("a tool invocation, which is an object")
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
	err := r.object(func(member []byte) (err error) {
		take := func(o *once, rank int, to *string) error {
			if r.dec.PeekKind() == 'n' || !o.take(rank) {
				return r.skip()
			}
			*to, err = r.label()
			return err
		}
		switch string(member) {
		case "toolName":
			return take(&name, 1, &c.Name)
		case "tool_name":
			return take(&name, 2, &c.Name)
		case "name":
			return take(&name, 3, &c.Name)
		case "tool":
			return take(&name, 4, &c.Name)
		case "toolCallId":
			return take(&id, 1, &c.ID)
		case "tool_call_id":
			return take(&id, 2, &c.ID)
		case "id":
			return take(&id, 3, &c.ID)
		case "arguments":
			c.Arguments, err = r.value()
		case "result":
			c.Result, err = r.result(&s)
		case "durationMs", "duration_ms":
			c.DurationMS, err = r.amount("a duration", "milliseconds")
		case "startedAt", "started_at":
			c.StartedAt, err = r.time(t)
		case "finishedAt", "finished_at":
			c.FinishedAt, err = r.time(t)
		default:
			if !isSign(member) {
				return r.skip()
			}
			var raw []byte
			if raw, err = r.value(); err == nil && !s.member(member, raw) {
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
	switch r.dec.PeekKind() {
	case 'n':
		return nil, r.skip()
	case '{':
		s.succeeded = true
		return r.span(func() error {
			return r.object(func(name []byte) error {
				if !isSign(name) {
					return r.skip()
				}
				raw, err := r.value()
				if err == nil {
					s.member(name, raw)
				}
				return err
			})
		})
	}
	s.succeeded = true
	raw, err := r.value()
	if err != nil || raw[0] != '"' || !mayHoldSigns(raw) {
		return raw, err
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return raw, nil
	}
	inner := newReader(text, "")
	defer inner.release()
	var found signs
	if inner.document("an object", func(name []byte) error {
		if !isSign(name) {
			return inner.skip()
		}
		value, err := inner.value()
		if err == nil {
			found.member(name, value)
		}
		return err
	}) != nil {
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
	return r.object(func(name []byte) error {
		switch string(name) {
		case "verifier_evaluation", "verifierEvaluation":
			if r.dec.PeekKind() == 'n' {
				return r.skip()
			}
			return r.inside(t.verifierEvaluation, '{', "an object")
		}
		return r.skip()
	})
}

func (t *Trace) verifierEvaluation(r *reader) error {
	var summary once
	return r.object(func(name []byte) error {
		rank := 0
		switch string(name) {
		case "verdict":
			raw, err := r.value()
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
		if rank == 0 || r.dec.PeekKind() == 'n' || !summary.take(rank) {
			return r.skip()
		}
		raw, err := r.value()
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

// reader reads one JSON document token by token.
type reader struct {
	data []byte
	at   string // the pointer of the string that the document stands in
	buf  bytes.Buffer
	dec  *jsontext.Decoder
	// taken holds the ranks of members that have several names.
	taken [2]once
}

var readers = sync.Pool{New: func() any {
	return &reader{dec: jsontext.NewDecoder(new(bytes.Buffer))}
}}

func newReader(data []byte, at string) *reader {
	r := readers.Get().(*reader)
	r.data, r.at, r.taken = data, at, [2]once{}
	r.buf = *bytes.NewBuffer(data)
	r.dec.Reset(&r.buf)
	return r
}

func (r *reader) release() {
	r.data, r.buf = nil, bytes.Buffer{}
	readers.Put(r)
}

func (r *reader) take(what string, rank int) bool {
	if r.dec.PeekKind() == 'n' {
		return false
	}
	if what == "draft" {
		return r.taken[0].take(rank)
	}
	return r.taken[1].take(rank)
}

// document reads an object that is the whole of the data.
func (r *reader) document(what string, member func(name []byte) error) error {
	if k := r.dec.PeekKind(); k != '{' {
		if _, err := r.dec.ReadValue(); err != nil {
			return r.broken(err)
		}
		return fmt.Errorf("found %s, want %s, which is a JSON object", kindWord(k), what)
	}
	if err := r.object(member); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(r.data[r.dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("byte %d: more follows the end of the object", r.dec.InputOffset())
	}
	return nil
}

func (r *reader) object(member func(name []byte) error) error {
	switch r.dec.PeekKind() {
	case 'n':
		return r.skip()
	case '{':
	default:
		return r.want("an object")
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.broken(err)
	}
	for r.dec.PeekKind() == '"' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return r.broken(err)
		}
		end := int(r.dec.InputOffset())
		name := r.data[end-len(raw)+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			if name, err = jsontext.AppendUnquote(nil, raw); err != nil {
				return r.broken(err)
			}
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return r.broken(err)
}

func (r *reader) array(element func() error) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return r.broken(err)
	}
	for {
		switch r.dec.PeekKind() {
		case ']', jsontext.KindInvalid:
			_, err := r.dec.ReadToken()
			return r.broken(err)
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// inside reads a value that may also be JSON text inside a string.
func (r *reader) inside(read func(*reader) error, want jsontext.Kind, what string) error {
	switch r.dec.PeekKind() {
	case want:
		return read(r)
	case '"':
	default:
		return r.want(what)
	}
	raw, err := r.value()
	if err != nil {
		return err
	}
	place := r.place()
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return r.broken(err)
	}
	if want == '{' && len(bytes.TrimSpace(text)) == 0 {
		return nil // an empty column
	}
	inner := newReader(text, string(r.dec.StackPointer()))
	defer inner.release()
	if inner.dec.PeekKind() != want {
		if jsontext.Value(text).IsValid() {
			return fmt.Errorf("%s: found text that holds %s, want %s", place, kindWord(inner.dec.PeekKind()), what)
		}
		return fmt.Errorf("%s: found a text that is no JSON (%s), want %s", place, strconv.Quote(shorten(string(text))), what)
	}
	if err := read(inner); err != nil {
		return fmt.Errorf("%s: in its text: %w", place, err)
	}
	if rest := bytes.TrimSpace(text[inner.dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%s: in its text: more follows the end of the value", place)
	}
	return nil
}

func (r *reader) skip() error { return r.broken(r.dec.SkipValue()) }

// value gives the next value as it is written, as a part of the data.
func (r *reader) value() ([]byte, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, r.broken(err)
	}
	end := int(r.dec.InputOffset())
	return r.data[end-len(raw) : end : end], nil
}

// span gives what read reads as it is written.
func (r *reader) span(read func() error) ([]byte, error) {
	start := int(r.dec.InputOffset())
	err := read()
	end := int(r.dec.InputOffset())
	raw := r.data[start:end:end]
	if i := bytes.IndexByte(raw, '{'); i >= 0 {
		raw = raw[i:]
	}
	return raw, err
}

// text reads a text; null is an empty one.
func (r *reader) text() (string, error) {
	switch r.dec.PeekKind() {
	case '"':
		raw, err := r.value()
		if err != nil {
			return "", err
		}
		return jsonText(raw), nil
	case 'n':
		return "", r.skip()
	}
	return "", r.want("a text")
}

// label reads a short text, for which a number is accepted too.
func (r *reader) label() (string, error) {
	if r.dec.PeekKind() == '0' {
		raw, err := r.value()
		return string(raw), err
	}
	return r.text()
}

// textOrJSON reads a text, or keeps another value as its JSON.
func (r *reader) textOrJSON() (string, error) {
	switch r.dec.PeekKind() {
	case '{', '[':
		raw, err := r.value()
		return string(raw), err
	}
	return r.text()
}

// flag reads a boolean; databases write them as 0 and 1 too.
func (r *reader) flag() (bool, error) {
	raw, err := r.value()
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
	return false, fmt.Errorf("%s: found %s, want true or false", r.place(), shorten(string(raw)))
}

// amount reads a number of 0 or more; null is none, -1.
func (r *reader) amount(what, unit string) (float64, error) {
	switch r.dec.PeekKind() {
	case 'n':
		return -1, r.skip()
	case '0':
	default:
		return -1, r.want("a number of " + unit)
	}
	raw, err := r.value()
	if err != nil {
		return -1, err
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(v, 0) {
		return -1, fmt.Errorf("%s: %s is out of range", r.place(), shorten(string(raw)))
	}
	if v < 0 {
		return -1, fmt.Errorf("%s: %s is negative; %s is 0 or more %s", r.place(), string(raw), what, unit)
	}
	return v + 0, nil
}

// time reads a time stamp: RFC 3339, the same without a zone (UTC), or
// milliseconds since 1970. Others are left out, with a warning.
func (r *reader) time(t *Trace) (time.Time, error) {
	raw, err := r.value()
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

// want is the error of a value of the wrong kind, which comes next.
func (r *reader) want(what string) error {
	k := r.dec.PeekKind()
	if _, err := r.dec.ReadValue(); err != nil {
		return r.broken(err)
	}
	return fmt.Errorf("%s: found %s, want %s", r.place(), kindWord(k), what)
}

// place names the value that was read last.
func (r *reader) place() string {
	return fmt.Sprintf("byte %d (%s)", r.dec.InputOffset(), shorten(r.at+string(r.dec.StackPointer())))
}

// broken puts an error of syntax in our words, with its place.
func (r *reader) broken(err error) error {
	if err == nil {
		return nil
	}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("no JSON: %w", err)
	}
	why := syntax.Err.Error()
	pointer := string(syntax.JSONPointer)
	if pointer != "" {
		pointer = " (" + shorten(r.at+pointer) + ")"
	}
	if int(syntax.ByteOffset) >= len(r.data) {
		why = "the text ends too early"
	}
	return fmt.Errorf("no JSON: byte %d%s: %s", syntax.ByteOffset, pointer, why)
}

func kindWord(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "no JSON"
}

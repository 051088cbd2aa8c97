package evaluation

import (
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// encoder writes JSON with an indent of two spaces. It is written out by hand
// because a report of many rows is most of what an evaluation writes; its output
// is held equal to the JSON library's by a test.
type encoder struct {
	b     []byte
	depth int
	empty bool // nothing was written yet at this depth
}

// indent is the comma, the line break and the indents of as many depths as a
// report has.
const indent = ",\n                "

func (e *encoder) line() { e.b = append(e.b, indent[1:2+2*e.depth]...) }

func (e *encoder) next() {
	from := 0
	if e.empty {
		from, e.empty = 1, false
	}
	e.b = append(e.b, indent[from:2+2*e.depth]...)
}

func (e *encoder) open(c byte) {
	e.b = append(e.b, c)
	e.depth++
	e.empty = true
}

func (e *encoder) close(c byte) {
	e.depth--
	if !e.empty {
		e.line()
	}
	e.empty = false
	e.b = append(e.b, c)
}

func (e *encoder) key(name string) {
	e.next()
	e.quote(name)
	e.b = append(e.b, ':', ' ')
}

// field is key for a name of ours, which needs no escape.
func (e *encoder) field(name string) {
	e.next()
	e.b = append(append(append(e.b, '"'), name...), `": `...)
}

func (e *encoder) quote(s string) {
	if escapes, ascii := scan(s); !escapes && (ascii || utf8.ValidString(s)) {
		e.b = slices.Grow(e.b, len(s)+2)
		n := len(e.b)
		e.b = e.b[:n+len(s)+2]
		e.b[n] = '"'
		copy(e.b[n+1:], s)
		e.b[n+1+len(s)] = '"'
		return
	}
	// The error is for invalid UTF-8, which is replaced.
	e.b, _ = jsontext.AppendQuote(e.b, s)
}

// scan reports whether a character of ASCII in s has to be escaped, and whether
// all of s is ASCII. It looks at eight bytes at once; a byte's answer is its high
// bit.
func scan(s string) (escapes, ascii bool) {
	if len(s) < 8 {
		ascii = true
		for i := range len(s) {
			c := s[i]
			escapes = escapes || c < ' ' || c == '"' || c == '\\' || c == 0x7f
			ascii = ascii && c < utf8.RuneSelf
		}
		return escapes, ascii
	}
	eight := func(s string) uint64 { return binary.LittleEndian.Uint64([]byte(s)) } // not copied
	var found, seen uint64
	for i := 0; i+8 <= len(s); i += 8 {
		v := eight(s[i : i+8])
		seen |= v
		found |= escaped(v)
	}
	v := eight(s[len(s)-8:]) // what is left, and some again
	return (found|escaped(v))&highBits != 0, (seen|v)&highBits == 0
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// escaped has the high bit of every byte of v that is a control character, a quote
// or a backslash. A byte of 7 bits with its high bit set stays at 0x80 or more
// unless it is under what is taken away.
func escaped(v uint64) uint64 {
	low := v &^ highBits
	control := (low | highBits) - ' '*eachByte
	quote := (low ^ '"'*eachByte | highBits) - eachByte
	slash := (low ^ '\\'*eachByte | highBits) - eachByte
	del := (low ^ 0x7f*eachByte | highBits) - eachByte
	return ^(control & quote & slash & del) &^ v
}

// number writes null for what is no number: JSON has no NaN.
func (e *encoder) number(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		e.b = append(e.b, "null"...)
		return
	}
	e.b = appendNumber(e.b, v)
}

func (e *encoder) text(name, v string) {
	if v != "" {
		e.field(name)
		e.quote(v)
	}
}

func (e *encoder) list(values []string) {
	e.open('[')
	for _, v := range values {
		e.next()
		e.quote(v)
	}
	e.close(']')
}

func (e *encoder) any(v any) {
	switch v := v.(type) {
	case string:
		e.quote(v)
	case float64:
		e.number(v)
	case bool:
		e.b = strconv.AppendBool(e.b, v)
	case []string:
		e.list(v)
	default:
		e.b = append(e.b, "null"...)
	}
}

func (e *encoder) entries(entries []Entry, skipEmpty bool) {
	e.open('{')
	for i := range entries {
		x := &entries[i]
		if skipEmpty && x.N == 0 {
			continue
		}
		e.key(x.Name)
		e.open('{')
		switch {
		case x.Buckets != nil:
			for _, b := range x.Buckets {
				e.key(b.Name)
				e.open('{')
				e.field("value")
				e.number(float64(b.Count))
				e.field("n")
				e.number(float64(x.N))
				e.close('}')
			}
		case x.OK:
			e.field("value")
			e.number(x.Value)
			e.field("n")
			e.number(float64(x.N))
		default:
			e.field("value")
			e.any(nil)
			e.field("n")
			e.number(0)
			e.text("why", x.Why)
		}
		e.close('}')
	}
	e.close('}')
}

func (e *encoder) metric(m *Metric) {
	e.open('{')
	e.text("better", string(m.Better))
	if !isInf(m.Min) {
		e.field("min")
		e.number(m.Min)
	}
	if !isInf(m.Max) {
		e.field("max")
		e.number(m.Max)
	}
	e.text("unit", m.Unit)
	e.text("aggregation", string(m.Aggregation))
	e.text("of", m.Of)
	e.text("equals", m.Equals)
	if m.P != 0 {
		e.field("p")
		e.number(m.P)
	}
	e.text("except", m.Except)
	e.close('}')
}

func isInf(v float64) bool { return v > 1e300 || v < -1e300 }

func (e *encoder) row(r *Row) {
	e.open('{')
	e.field("id")
	e.quote(r.ID)
	e.text("digest", r.Digest)
	e.text("query", r.Query)
	e.field("status")
	e.quote(string(r.Status))
	e.text("stage", r.Stage)
	for i := range r.Facts {
		e.key(r.Facts[i].Name)
		e.any(r.Facts[i].Value)
	}
	e.field("failed_checks")
	e.list(r.FailedChecks())
	e.field("checks")
	e.open('[')
	for i := range r.Checks {
		c := &r.Checks[i]
		e.next()
		e.open('{')
		e.field("name")
		e.quote(c.Name)
		e.field("status")
		e.quote(string(c.Status))
		e.text("expected", c.Expected)
		e.text("got", c.Got)
		e.text("reason", c.Reason)
		e.close('}')
	}
	e.close(']')
	if len(r.Metrics) > 0 {
		e.field("metrics")
		e.open('{')
		for _, m := range r.Metrics {
			e.key(m.Name)
			e.number(m.Value)
		}
		e.close('}')
	}
	e.field("evidence")
	e.open('[')
	for i := range r.Evidence {
		v := &r.Evidence[i]
		e.next()
		e.open('{')
		e.text("kind", v.Kind)
		e.text("expected", v.Expected)
		e.field("covered")
		e.any(v.Covered)
		e.text("by", v.By)
		e.text("where", v.Where)
		e.text("around", v.Around)
		e.text("note", v.Note)
		e.close('}')
	}
	e.close(']')
	e.field("labels")
	e.open('{')
	for _, l := range r.Labels {
		e.key(l.Name)
		e.list(l.Values)
	}
	e.close('}')
	e.field("warnings")
	e.list(r.Warnings)
	e.text("reason", r.Reason)
	e.close('}')
}

// WriteJSON writes the report as JSON: two-space indent, a last newline, no
// escaped angle brackets, no null lists, cases in the order of their ids.
// Equal reports are equal bytes.
func (r *Report) WriteJSON(w io.Writer) error {
	e := &encoder{}
	e.open('{')
	e.field("schema")
	e.quote(r.Schema)
	e.field("suite")
	e.quote(r.Suite)
	e.field("config")
	e.open('{')
	for _, s := range r.Config {
		e.key(s.Name)
		e.any(s.Value)
	}
	e.close('}')
	e.field("metrics")
	e.open('{')
	for i := range r.Metrics {
		e.key(r.Metrics[i].Name)
		e.metric(&r.Metrics[i])
	}
	e.close('}')
	e.field("facts")
	e.open('{')
	for i := range r.Facts {
		f := &r.Facts[i]
		e.key(f.Name)
		e.open('{')
		if f.Order != nil {
			e.field("order")
			e.list(f.Order)
		}
		if f.Volatile {
			e.field("volatile")
			e.any(true)
		}
		if f.Transitions {
			e.field("transitions")
			e.any(true)
		}
		e.text("title", f.Title)
		e.close('}')
	}
	e.close('}')
	e.field("summary")
	e.entries(r.Summary, false)
	e.field("slices")
	e.open('{')
	for i := 0; i < len(r.Slices); {
		label := r.Slices[i].Label
		e.key(label)
		e.open('{')
		for ; i < len(r.Slices) && r.Slices[i].Label == label; i++ {
			e.key(r.Slices[i].Value)
			e.entries(r.Slices[i].Summary, true)
		}
		e.close('}')
	}
	e.close('}')
	e.field("warnings")
	e.list(r.Warnings)
	e.field("cases")
	e.open('[')
	if _, err := w.Write(e.b); err != nil {
		return err
	}

	// Rows are encoded side by side, some at a time, and written in order, so that
	// memory does not grow with the report.
	const some = 32
	buffers := make(chan []byte, 2*runtime.GOMAXPROCS(0))
	for range cap(buffers) {
		buffers <- nil
	}
	parts := make(chan chan []byte, cap(buffers))
	go func() {
		defer close(parts)
		for rows := range slices.Chunk(r.Rows, some) {
			b, part := <-buffers, make(chan []byte, 1)
			parts <- part
			go func() {
				e := encoder{b: b[:0], depth: e.depth, empty: &rows[0] == &r.Rows[0]}
				for i := range rows {
					e.next()
					e.row(&rows[i])
				}
				part <- e.b
			}()
		}
	}()
	var err error
	for part := range parts {
		b := <-part
		if err == nil {
			_, err = w.Write(b)
		}
		buffers <- b
	}
	if err != nil {
		return err
	}
	e.b = e.b[:0]
	e.empty = len(r.Rows) == 0
	e.close(']')
	e.close('}')
	e.b = append(e.b, '\n')
	_, err = w.Write(e.b)
	return err
}

// MarshalJSON gives the report as [Report.WriteJSON] writes it.
func (r *Report) MarshalJSON() ([]byte, error) {
	var b byteWriter
	err := r.WriteJSON(&b)
	return slices.Clip(b), err
}

type byteWriter []byte

func (b *byteWriter) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

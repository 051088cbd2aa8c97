package retrieval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// Fixture is what a retrieval system gave for one case: recorded once, and read
// ever after instead of the system.
type Fixture struct {
	// CaseID is the id of the case that this fixture belongs to. In a folder it
	// may be left out, since the file is named by it; in a bundle it is needed.
	CaseID string `json:"case_id,omitempty" alias:"caseId"`
	// Query is the question that the system was asked.
	Query string `json:"query,omitempty"`
	// RewrittenQuery is the question as the system rewrote it before it searched.
	RewrittenQuery string `json:"rewritten_query,omitempty"`
	// Candidates are what was retrieved, best first. An empty list is a result:
	// nothing was found. The list may only be left out where error is set.
	Candidates []Candidate `json:"candidates"`
	// HitType says how the system took the question: rag, faq_direct, no_answer, …
	HitType string `json:"hit_type,omitempty"`
	// Source is the source (category, collection) that the system searched.
	Source string `json:"source,omitempty"`
	// PromptProfile is the prompt template that the system chose.
	PromptProfile string `json:"prompt_profile,omitempty"`
	// Answer is the generated answer. An empty answer is not the same as none.
	Answer *string `json:"answer,omitempty"`
	// Citations are what the answer cites: 1-based positions among the
	// candidates, or their ids. Where there is no list, the marks in the answer
	// are read instead.
	Citations []Citation `json:"citations,omitempty"`
	// DurationMS is how long the whole request took, in milliseconds, 0 or more.
	DurationMS *float64 `json:"duration_ms,omitempty"`
	// FirstTokenMS is how long it took to the answer's first token, in
	// milliseconds, 0 or more.
	FirstTokenMS *float64 `json:"first_token_ms,omitempty"`
	// WarmUp marks a request that warmed the system up. Its durations are left
	// out of the latency.
	WarmUp bool `json:"warm_up,omitempty"`
	// Usage counts the tokens that the request used.
	Usage *Usage `json:"usage,omitempty"`
	// Error is what the system failed with. A case with such a fixture is an
	// error, whatever else was recorded.
	Error string `json:"error,omitempty"`
}

// Candidate is one retrieved piece of a document.
type Candidate struct {
	// ID names the piece (the chunk). Two candidates with one id are copies: the
	// first counts, the others keep their places and score nothing.
	ID string `json:"id,omitempty"`
	// DocumentID names the document that the piece was cut from.
	DocumentID string `json:"document_id,omitempty"`
	// Label is what people call the document.
	Label string `json:"label,omitempty"`
	// Source is the source (category, collection) of the document.
	Source string `json:"source,omitempty"`
	// ScenarioID is the scenario (tenant, knowledge base) of the document.
	ScenarioID string `json:"scenario_id,omitempty"`
	// Breadcrumb is the path of headings down to the piece, outermost first: a
	// list, or a string split on ">", "›" or "»" (on "::" or "/" only where none
	// of those stands in it).
	Breadcrumb []string `json:"breadcrumb,omitempty"`
	// Score is the system's own score, for readers. Candidates count in the
	// order in which they are listed.
	Score *float64 `json:"score,omitempty"`
	// Text is the text of the piece. Keywords are looked for in it.
	Text string `json:"text,omitempty"`
}

// Usage counts the tokens of a request.
type Usage struct {
	// InputTokens are the tokens that went into the model.
	InputTokens float64 `json:"input_tokens,omitempty"`
	// OutputTokens are the tokens that came out of it.
	OutputTokens float64 `json:"output_tokens,omitempty"`
}

// Citation points at a candidate: by its 1-based position, or by its
// document_id, id or label.
type Citation struct {
	// ID is the id that was cited; empty where a position was.
	ID string
	// Position is the position that was cited, where ID is empty. Positions are
	// judged as they were recorded: 0, -1 and 1.5 point at nothing.
	Position float64
}

// MarshalJSON writes a string or a number.
func (c Citation) MarshalJSON() ([]byte, error) {
	if c.ID != "" {
		return json.Marshal(c.ID)
	}
	return json.Marshal(c.Position)
}

func (c Citation) String() string {
	if c.ID != "" {
		return strconv.Quote(c.ID)
	}
	return strconv.FormatFloat(c.Position, 'f', -1, 64)
}

// identity is what tells one candidate's document from another's: document_id,
// else id, else its place.
func (c *Candidate) identity(place int) string {
	if id := strings.TrimSpace(c.DocumentID); id != "" {
		return id
	}
	if id := strings.TrimSpace(c.ID); id != "" {
		return id
	}
	return "#" + strconv.Itoa(place)
}

// label is what readers see of a candidate: label, else document_id, else id,
// else its place.
func (c *Candidate) label(place int) string {
	if l := strings.TrimSpace(c.Label); l != "" {
		return l
	}
	return c.identity(place)
}

// DecodeFixture reads a fixture as an application wrote it: one JSON object.
// Unknown members belong to the application and are ignored. The first thing
// that is wrong is the error, with its place: no JSON, a member twice, a value of
// a wrong type, a negative duration, no candidates where there is no error
// either. A null is a member that is not there.
//
// The fixture shares no memory with data.
func DecodeFixture(data []byte) (*Fixture, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	var d fixtureDecoder
	return d.decode(data, string(data))
}

// UnmarshalJSON reads a fixture as [DecodeFixture] does.
func (f *Fixture) UnmarshalJSON(data []byte) error {
	read, err := DecodeFixture(data)
	if err == nil {
		*f = *read
	}
	return err
}

// fixtureDecoder knows a fixture's members.
type fixtureDecoder struct {
	scanner
	member string // where the decoder is, for messages
	item   int    // the candidate or citation it is in; -1 outside
	inner  string // the candidate's member

	// Memory that candidates and their parts are taken from.
	candidates []Candidate
	segments   []string
	scores     []float64
}

var byteOrderMark = []byte("\uFEFF")

// decode reads data, of which src is the text: the fixture's strings are parts
// of src, so that whoever changes one must be done with the other.
func (d *fixtureDecoder) decode(data []byte, src string) (*Fixture, error) {
	d.scanner = scanner{data: data, src: src}
	d.member, d.item, d.inner = "", -1, ""
	d.candidates, d.segments, d.scores = d.candidates[:0], d.segments[:0], d.scores[:0]
	f := &Fixture{}
	if err := d.fixture(f); err != nil {
		return nil, err
	}
	return f, nil
}

var decoders = sync.Pool{New: func() any { return new(fixtureDecoder) }}

// withFixture calls fn with the fixture that data holds, or with what is wrong
// with it. The fixture is fn's during the call only: it lies in data and in
// memory that the next one will use.
func withFixture(data []byte, fn func(f *Fixture, err error)) {
	d := decoders.Get().(*fixtureDecoder)
	data = bytes.TrimPrefix(data, byteOrderMark)
	fn(d.decode(data, unsafe.String(unsafe.SliceData(data), len(data))))
	d.scanner = scanner{}
	d.member, d.inner = "", ""
	clear(d.candidates)
	clear(d.segments)
	if cap(d.candidates) <= maxPooled {
		decoders.Put(d)
	}
}

// maxPooled is how many candidates' memory is kept for the next fixture.
const maxPooled = 1024

func (d *fixtureDecoder) fixture(f *Fixture) error {
	listed := false
	err := d.object(&d.member, "a fixture", func(name string) error {
		switch name {
		case "case_id":
			return d.id(&f.CaseID)
		case "caseId":
			if f.CaseID != "" {
				return d.skip()
			}
			return d.id(&f.CaseID)
		case "query":
			return d.text(&f.Query)
		case "rewritten_query":
			return d.text(&f.RewrittenQuery)
		case "candidates":
			if d.null() {
				return nil
			}
			listed = true
			if d.candidates == nil {
				d.candidates, d.segments = make([]Candidate, 0, 8), make([]string, 0, 16)
			}
			err := d.list(func() error {
				d.candidates = append(d.candidates, Candidate{})
				return d.candidate(&d.candidates[len(d.candidates)-1])
			})
			f.Candidates = d.candidates
			return err
		case "hit_type":
			return d.text(&f.HitType)
		case "source":
			return d.text(&f.Source)
		case "prompt_profile":
			return d.text(&f.PromptProfile)
		case "answer":
			if d.null() {
				return nil
			}
			f.Answer = new(string)
			return d.text(f.Answer)
		case "citations":
			if d.null() {
				return nil
			}
			f.Citations = []Citation{}
			return d.list(func() error {
				f.Citations = append(f.Citations, Citation{})
				return d.citation(&f.Citations[len(f.Citations)-1])
			})
		case "duration_ms":
			return d.duration(&f.DurationMS)
		case "first_token_ms":
			return d.duration(&f.FirstTokenMS)
		case "warm_up":
			return d.bool(&f.WarmUp)
		case "usage":
			if d.null() {
				return nil
			}
			f.Usage = new(Usage)
			return d.object(&d.inner, "an object", func(name string) error {
				switch name {
				case "input_tokens":
					return d.number(&f.Usage.InputTokens)
				case "output_tokens":
					return d.number(&f.Usage.OutputTokens)
				}
				return d.skip()
			})
		case "error":
			return d.text(&f.Error)
		}
		return d.skip()
	})
	if err != nil {
		return err
	}
	if d.peek(); d.at < len(d.src) {
		return fmt.Errorf("byte %d: something follows the fixture's object", d.at)
	}
	if !listed && f.Error == "" {
		return errors.New("candidates: a list is needed where there is no error (an empty list says that nothing was found)")
	}
	return nil
}

func (d *fixtureDecoder) candidate(c *Candidate) error {
	return d.object(&d.inner, "an object", func(name string) error {
		switch name {
		case "id":
			return d.id(&c.ID)
		case "document_id":
			return d.id(&c.DocumentID)
		case "label":
			return d.text(&c.Label)
		case "source":
			return d.text(&c.Source)
		case "scenario_id":
			return d.text(&c.ScenarioID)
		case "breadcrumb":
			if d.null() {
				return nil
			}
			if d.peek() == '"' {
				var s string
				err := d.text(&s)
				c.Breadcrumb = splitBreadcrumb(s)
				return err
			}
			from := len(d.segments)
			err := d.array("a list of strings, or a string", func() error {
				d.segments = append(d.segments, "")
				return d.text(&d.segments[len(d.segments)-1])
			})
			c.Breadcrumb = d.segments[from:len(d.segments):len(d.segments)]
			return err
		case "score":
			if d.null() {
				return nil
			}
			d.scores = append(d.scores, 0)
			c.Score = &d.scores[len(d.scores)-1]
			return d.number(c.Score)
		case "text":
			return d.text(&c.Text)
		}
		return d.skip()
	})
}

func (d *fixtureDecoder) citation(c *Citation) error {
	if d.peek() == '"' {
		return d.text(&c.ID)
	}
	if isNumber(d.peek()) {
		return d.number(&c.Position)
	}
	return d.wrong("a position or an id")
}

// object calls member with the name of each member of the object that comes
// next; member consumes the value.
func (d *fixtureDecoder) object(at *string, what string, member func(name string) error) error {
	if d.peek() != '{' {
		return d.wrong(what)
	}
	return d.scanner.object(func(name string) error {
		*at = name
		err := member(name)
		if err == nil {
			*at = ""
		}
		return err
	})
}

func (d *fixtureDecoder) array(what string, element func() error) error {
	if d.peek() != '[' {
		return d.wrong(what)
	}
	return d.scanner.array(element)
}

// list is an array whose elements have a place in messages.
func (d *fixtureDecoder) list(element func() error) error {
	if d.peek() != '[' {
		return d.wrong("a list")
	}
	d.item = 0
	err := d.scanner.array(func() error {
		err := element()
		if err == nil {
			d.item++
		}
		return err
	})
	if err == nil {
		d.item = -1
	}
	return err
}

// null consumes a null, if one comes next.
func (d *fixtureDecoder) null() bool {
	return d.peek() == 'n' && d.literal("null") == nil
}

// text reads a string, or a null, which leaves dst as it is.
func (d *fixtureDecoder) text(dst *string) (err error) {
	switch d.peek() {
	case '"':
		*dst, err = d.quoted()
		return err
	case 'n':
		return d.literal("null")
	}
	return d.wrong("a string")
}

// id reads a string or a number; a number is an id by its source text.
func (d *fixtureDecoder) id(dst *string) (err error) {
	if isNumber(d.peek()) {
		*dst, err = d.numeral()
		return err
	}
	return d.text(dst)
}

func (d *fixtureDecoder) number(dst *float64) error {
	switch c := d.peek(); {
	case isNumber(c):
	case c == 'n':
		return d.literal("null")
	default:
		return d.wrong("a number")
	}
	text, err := d.numeral()
	if err != nil {
		return err
	}
	if *dst, err = strconv.ParseFloat(text, 64); err != nil {
		return fmt.Errorf("%s: the number %.40s is too large", d.path(), text)
	}
	return nil
}

func (d *fixtureDecoder) duration(dst **float64) error {
	if d.null() {
		return nil
	}
	*dst = new(float64)
	if err := d.number(*dst); err != nil {
		return err
	}
	if v := **dst; v < 0 {
		return fmt.Errorf("%s: %s is negative; 0 or more is allowed", d.path(), strconv.FormatFloat(v, 'f', -1, 64))
	}
	return nil
}

func (d *fixtureDecoder) bool(dst *bool) error {
	switch d.peek() {
	case 't':
		*dst = true
		return d.literal("true")
	case 'f':
		*dst = false
		return d.literal("false")
	case 'n':
		return d.literal("null")
	}
	return d.wrong("true or false")
}

// wrong reports a value of a wrong type.
func (d *fixtureDecoder) wrong(want string) error {
	var found string
	switch c := d.peek(); {
	case c == 'n':
		found = "null"
	case c == 't', c == 'f':
		found = "true or false"
	case c == '"':
		found = "a string"
	case isNumber(c):
		found = "a number"
	case c == '{':
		found = "an object"
	case c == '[':
		found = "a list"
	default:
		if d.at == len(d.src) && d.member == "" {
			return errors.New("the fixture is empty")
		}
		return d.unexpected("a value")
	}
	if path := d.path(); path != "" {
		return fmt.Errorf("%s: %s is needed, found %s", path, want, found)
	}
	return fmt.Errorf("%s is needed, found %s", want, found)
}

// path is where the decoder is: candidates[2].score.
func (d *fixtureDecoder) path() string {
	s := d.member
	if d.item >= 0 {
		s += "[" + strconv.Itoa(d.item) + "]"
	}
	if d.inner != "" {
		s += "." + d.inner
	}
	return s
}

package retrieval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
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
	d := decoders.Get().(*fixtureDecoder)
	defer decoders.Put(d)
	return d.decode(data)
}

// UnmarshalJSON reads a fixture as [DecodeFixture] does.
func (f *Fixture) UnmarshalJSON(data []byte) error {
	read, err := DecodeFixture(data)
	if err == nil {
		*f = *read
	}
	return err
}

var decoders = sync.Pool{New: func() any { return &fixtureDecoder{dec: jsontext.NewDecoder(strings.NewReader(""))} }}

// fixtureDecoder reads tokens by hand: fixtures are most of what an evaluation
// reads, and their texts are taken out of one copy of the input, not allocated
// one by one.
type fixtureDecoder struct {
	dec    *jsontext.Decoder
	buf    bytes.Buffer
	src    string // the copy
	member string // where the decoder is, for messages
	item   int    // the candidate or citation it is in; -1 outside
	inner  string // the candidate's member
}

var byteOrderMark = []byte("\uFEFF")

func (d *fixtureDecoder) decode(data []byte) (*Fixture, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	d.src = string(data)
	d.buf = *bytes.NewBuffer(data)
	d.dec.Reset(&d.buf)
	d.member, d.item, d.inner = "", -1, ""
	f := &Fixture{}
	err := d.fixture(f)
	d.buf = bytes.Buffer{} // the pool must not hold the input
	d.dec.Reset(&d.buf)
	d.src = ""
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *fixtureDecoder) fixture(f *Fixture) error {
	listed := false
	err := d.object(&d.member, "a fixture", func(name []byte) error {
		switch string(name) {
		case "case_id":
			return d.id(&f.CaseID)
		case "caseId":
			if f.CaseID != "" {
				return d.dec.SkipValue()
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
			f.Candidates = make([]Candidate, 0, 8)
			return d.list("candidates", func() error {
				f.Candidates = append(f.Candidates, Candidate{})
				return d.candidate(&f.Candidates[len(f.Candidates)-1])
			})
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
			return d.list("citations", func() error {
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
			return d.object(&d.inner, "an object", func(name []byte) error {
				switch string(name) {
				case "input_tokens":
					return d.number(&f.Usage.InputTokens)
				case "output_tokens":
					return d.number(&f.Usage.OutputTokens)
				}
				return d.dec.SkipValue()
			})
		case "error":
			return d.text(&f.Error)
		}
		return d.dec.SkipValue()
	})
	if err != nil {
		return d.place(err)
	}
	if _, err := d.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("byte %d: something follows the fixture's object", d.dec.InputOffset())
	}
	if !listed && f.Error == "" {
		return errors.New("candidates: a list is needed where there is no error (an empty list says that nothing was found)")
	}
	return nil
}

func (d *fixtureDecoder) candidate(c *Candidate) error {
	return d.object(&d.inner, "an object", func(name []byte) error {
		switch string(name) {
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
			if d.dec.PeekKind() == '"' {
				var s string
				err := d.text(&s)
				c.Breadcrumb = splitBreadcrumb(s)
				return err
			}
			if err := d.open('[', "a list of strings, or a string"); err != nil {
				return err
			}
			c.Breadcrumb = make([]string, 0, 4)
			for d.dec.PeekKind() != ']' {
				var s string
				if err := d.text(&s); err != nil {
					return err
				}
				c.Breadcrumb = append(c.Breadcrumb, s)
			}
			_, err := d.dec.ReadToken()
			return err
		case "score":
			if d.null() {
				return nil
			}
			c.Score = new(float64)
			return d.number(c.Score)
		case "text":
			return d.text(&c.Text)
		}
		return d.dec.SkipValue()
	})
}

func (d *fixtureDecoder) citation(c *Citation) error {
	switch d.dec.PeekKind() {
	case '"':
		if err := d.text(&c.ID); err != nil {
			return err
		}
		return nil
	case '0':
		return d.number(&c.Position)
	}
	return d.wrong("a position or an id")
}

// object calls member with the name of each member of the object that comes
// next; member consumes the value.
func (d *fixtureDecoder) object(at *string, what string, member func(name []byte) error) error {
	if err := d.open('{', what); err != nil {
		return err
	}
	for d.dec.PeekKind() != '}' {
		name, err := d.dec.ReadValue()
		if err != nil {
			return err
		}
		end := int(d.dec.InputOffset())
		*at = d.src[end-len(name)+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			if name, err = jsontext.AppendUnquote(nil, name); err != nil {
				return err
			}
		} else {
			name = name[1 : len(name)-1]
		}
		if err := member(name); err != nil {
			return err
		}
		*at = ""
	}
	_, err := d.dec.ReadToken()
	return err
}

func (d *fixtureDecoder) list(name string, element func() error) error {
	if err := d.open('[', "a list"); err != nil {
		return err
	}
	for d.item = 0; d.dec.PeekKind() != ']'; d.item++ {
		if err := element(); err != nil {
			return err
		}
	}
	d.item = -1
	_, err := d.dec.ReadToken()
	return err
}

func (d *fixtureDecoder) open(kind jsontext.Kind, what string) error {
	if k := d.dec.PeekKind(); k != kind {
		return d.wrong(what)
	}
	_, err := d.dec.ReadToken()
	return err
}

// null consumes a null, if one comes next.
func (d *fixtureDecoder) null() bool {
	if d.dec.PeekKind() != 'n' {
		return false
	}
	_, err := d.dec.ReadToken()
	return err == nil
}

// text reads a string, or a null, which leaves dst as it is.
func (d *fixtureDecoder) text(dst *string) error {
	switch d.dec.PeekKind() {
	case '"':
	case 'n':
		return d.dec.SkipValue()
	default:
		return d.wrong("a string")
	}
	raw, err := d.dec.ReadValue()
	if err != nil {
		return err
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		end := int(d.dec.InputOffset())
		*dst = d.src[end-len(raw)+1 : end-1]
		return nil
	}
	plain, err := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	*dst = string(plain)
	return err
}

// id reads a string or a number; a number is an id by its source text.
func (d *fixtureDecoder) id(dst *string) error {
	if d.dec.PeekKind() != '0' {
		return d.text(dst)
	}
	raw, err := d.dec.ReadValue()
	*dst = string(raw)
	return err
}

func (d *fixtureDecoder) number(dst *float64) error {
	switch d.dec.PeekKind() {
	case '0':
	case 'n':
		return d.dec.SkipValue()
	default:
		return d.wrong("a number")
	}
	raw, err := d.dec.ReadValue()
	if err != nil {
		return err
	}
	if *dst, err = strconv.ParseFloat(string(raw), 64); err != nil || math.IsInf(*dst, 0) {
		return fmt.Errorf("%s: the number %.40s is too large", d.path(), raw)
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
	switch d.dec.PeekKind() {
	case 't', 'f':
		t, err := d.dec.ReadToken()
		*dst = err == nil && t.Kind() == 't'
		return err
	case 'n':
		return d.dec.SkipValue()
	}
	return d.wrong("true or false")
}

// wrong reports a value of a wrong type, or what keeps the decoder from reading
// any.
func (d *fixtureDecoder) wrong(want string) error {
	var found string
	switch d.dec.PeekKind() {
	case 'n':
		found = "null"
	case 't', 'f':
		found = "true or false"
	case '"':
		found = "a string"
	case '0':
		found = "a number"
	case '{':
		found = "an object"
	case '[':
		found = "a list"
	default:
		_, err := d.dec.ReadToken()
		if err == nil {
			err = errors.New("no value")
		}
		return err
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

// place puts errors of the JSON itself into words.
func (d *fixtureDecoder) place(err error) error {
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntactic):
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("byte %d: the JSON ends too early", syntactic.ByteOffset)
		}
		at := ""
		if p := syntactic.JSONPointer; p != "" {
			at = ", at " + strconv.Quote(string(p))
		}
		return fmt.Errorf("byte %d%s: no valid JSON: %w", syntactic.ByteOffset, at, syntactic.Err)
	case errors.Is(err, io.EOF):
		return errors.New("the fixture is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("byte %d: the JSON ends too early", len(d.src))
	}
	return err
}

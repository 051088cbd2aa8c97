package retrieval

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/karat-eval/karat/internal/jsonscan"
	"github.com/karat-eval/karat/internal/suitefiles"
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
	// InputTokens are the tokens that went into the model, 0 or more.
	InputTokens float64 `json:"input_tokens,omitempty"`
	// OutputTokens are the tokens that came out of it, 0 or more.
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
// that is wrong is the error, with its place, the byte and the path: no JSON, a
// member twice, a value of a wrong type, a negative duration, more than 1,000
// levels of objects and lists, no candidates where there is no error either. A
// null is a member that is not there.
//
// The fixture shares no memory with data.
func DecodeFixture(data []byte) (*Fixture, error) {
	return new(fixtureDecoder).decode(bytes.Clone(data))
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
	jsonscan.Reader

	// Memory that the fixture, its candidates and their parts are taken from.
	f          Fixture
	candidates []Candidate
	segments   []string
	scores     []float64

	// What the fixture and its first candidate have beside.
	unknown, unknownOfFirst suitefiles.Unknown
}

// decode reads data. The fixture's strings are parts of it.
func (d *fixtureDecoder) decode(data []byte) (*Fixture, error) {
	d.Reader = jsonscan.Borrow(data)
	d.candidates, d.segments, d.scores = d.candidates[:0], d.segments[:0], d.scores[:0]
	d.unknown.Reset()
	d.unknownOfFirst.Reset()
	d.f = Fixture{}
	if err := d.fixture(&d.f); err != nil {
		return nil, err
	}
	return &d.f, nil
}

var decoders = sync.Pool{New: func() any { return new(fixtureDecoder) }}

// withFixture calls fn with the fixture that data holds, or with what is wrong
// with it. The fixture and its decoder are fn's during the call only: they lie in
// data and in memory that the next one will use.
func withFixture(data []byte, fn func(d *fixtureDecoder, f *Fixture, err error)) {
	d := decoders.Get().(*fixtureDecoder)
	f, err := d.decode(data)
	fn(d, f, err)
	d.Reader, d.f = jsonscan.Reader{}, Fixture{}
	d.unknown.Reset()
	d.unknownOfFirst.Reset()
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
	err := d.Document("fixture", func(name []byte) (err error) {
		if d.Null() {
			return nil
		}
		switch string(name) {
		case "case_id", "caseId":
			before, at := f.CaseID, d.Pos()
			if f.CaseID, err = d.Label(); err == nil && before != "" && f.CaseID != before {
				return d.Errorf(at, "the fixture says that it is of case %q, and of case %q", before, f.CaseID)
			}
		case "query":
			f.Query, err = d.Text()
		case "rewritten_query":
			f.RewrittenQuery, err = d.Text()
		case "candidates":
			listed = true
			if d.candidates == nil {
				d.candidates, d.segments = make([]Candidate, 0, 8), make([]string, 0, 16)
			}
			err = d.list("a list", func() error {
				d.candidates = append(d.candidates, Candidate{})
				return d.candidate(&d.candidates[len(d.candidates)-1])
			})
			f.Candidates = d.candidates
		case "hit_type":
			f.HitType, err = d.Text()
		case "source":
			f.Source, err = d.Text()
		case "prompt_profile":
			f.PromptProfile, err = d.Text()
		case "answer":
			f.Answer = new(string)
			*f.Answer, err = d.Text()
		case "citations":
			f.Citations = []Citation{}
			return d.list("a list", func() error {
				f.Citations = append(f.Citations, Citation{})
				return d.citation(&f.Citations[len(f.Citations)-1])
			})
		case "duration_ms":
			f.DurationMS = new(float64)
			*f.DurationMS, err = d.Amount()
		case "first_token_ms":
			f.FirstTokenMS = new(float64)
			*f.FirstTokenMS, err = d.Amount()
		case "warm_up":
			f.WarmUp, err = d.Bool()
		case "usage":
			f.Usage = new(Usage)
			return d.object(func(name []byte) (err error) {
				switch string(name) {
				case "input_tokens":
					f.Usage.InputTokens, err = d.Amount()
				case "output_tokens":
					f.Usage.OutputTokens, err = d.Amount()
				default:
					return d.Skip()
				}
				return err
			})
		case "error":
			f.Error, err = d.Text()
		default:
			d.unknown.Add(name)
			return d.Skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	if !listed && f.Error == "" {
		reason := "candidates: a list is needed where there is no error (an empty list says that nothing was found)"
		for _, h := range fixtureMembers.Hints(&d.unknown) {
			if h.Known == "candidates" {
				reason = suitefiles.WithHint(reason, h)
			}
		}
		return errors.New(reason)
	}
	return nil
}

func (d *fixtureDecoder) candidate(c *Candidate) error {
	return d.object(func(name []byte) (err error) {
		switch string(name) {
		case "id":
			c.ID, err = d.Label()
		case "document_id":
			c.DocumentID, err = d.Label()
		case "label":
			c.Label, err = d.Text()
		case "source":
			c.Source, err = d.Text()
		case "scenario_id":
			c.ScenarioID, err = d.Text()
		case "breadcrumb":
			c.Breadcrumb, err = d.breadcrumb()
		case "score":
			d.scores = append(d.scores, 0)
			c.Score = &d.scores[len(d.scores)-1]
			*c.Score, err = d.Number()
		case "text":
			c.Text, err = d.Text()
		default:
			if len(d.candidates) == 1 {
				d.unknownOfFirst.Add(name)
			}
			return d.Skip()
		}
		return err
	})
}

func (d *fixtureDecoder) breadcrumb() ([]string, error) {
	if d.Peek() == '"' {
		text, err := d.Text()
		return splitBreadcrumb(text), err
	}
	from := len(d.segments)
	err := d.list("a list of strings, or a string,", func() error {
		segment, err := d.Text()
		d.segments = append(d.segments, segment)
		return err
	})
	return d.segments[from:len(d.segments):len(d.segments)], err
}

func (d *fixtureDecoder) citation(c *Citation) (err error) {
	switch first := d.Peek(); {
	case first == '"':
		c.ID, err = d.Text()
	case jsonscan.IsNumber(first):
		c.Position, err = d.Number()
	default:
		return d.Needed("a position or an id")
	}
	return err
}

// object reads an object and calls member for each of its members that is not
// null; member reads the value.
func (d *fixtureDecoder) object(member func(name []byte) error) error {
	if d.Peek() != '{' {
		return d.Needed("an object")
	}
	return d.Object(func(name []byte) error {
		if d.Null() {
			return nil
		}
		return member(name)
	})
}

// list reads a list and calls element for each of its values, which element
// reads.
func (d *fixtureDecoder) list(what string, element func() error) error {
	if d.Peek() != '[' {
		return d.Needed(what)
	}
	return d.Array(func(int) error { return element() })
}

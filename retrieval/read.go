package retrieval

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// ReadCases reads a case set: JSON, YAML or JSONL, as its name says. All that is
// wrong with it comes back as one error, a line each, with the place, what was
// found and what is allowed. The cases have the set's defaults.
func ReadCases(name string, data []byte, opt Options) ([]Case, error) {
	r, err := opt.rules()
	if err != nil {
		return nil, err
	}
	file, err := input.Parse(name, data, inputOptions(opt))
	if err != nil {
		return nil, err
	}
	evaluators, err := readCases(file, r)
	if err != nil {
		return nil, err
	}
	cases := make([]Case, len(evaluators))
	for i, e := range evaluators {
		cases[i] = *e.c
	}
	return cases, nil
}

func inputOptions(opt Options) input.Options {
	decoders := suitefiles.Decoders()
	decoders[reflect.TypeFor[Document]()] = func(s input.Scope, dst any) { decodeDocument(s, dst.(*Document)) }
	decoders[reflect.TypeFor[Breadcrumb]()] = func(s input.Scope, dst any) { decodeBreadcrumb(s, dst.(*Breadcrumb)) }
	return input.Options{MaxCases: opt.MaxCases, Workers: opt.Workers, Decoders: decoders, Deferred: true}
}

func readCases(file *input.File, r *rules) ([]*Evaluator, error) {
	type turn struct {
		conversation string
		turn         int
	}
	type read struct {
		e  *Evaluator
		at *input.Scope // of the turn; nil where there is none
	}
	cases := input.DecodeCases(file, input.CaseSet{Turns: true}, func(s input.Case, c *Case) read {
		c.ID = s.ID
		e := &Evaluator{rules: r, c: c}
		at := site{scope: s.Scope, inFile: true}
		e.compile(&at)
		refuseZero(s.At("turn"), c.Turn)
		refuseZero(s.At("min_expected_sources"), c.MinExpectedSources)
		for _, p := range at.problems {
			s.At(p.path...).Errorf("%s", p.message)
		}
		if c.ConversationID == "" || c.Turn == 0 {
			return read{e: e}
		}
		turn := s.At("turn")
		return read{e, &turn}
	})
	evaluators := make([]*Evaluator, len(cases))
	turns := map[turn]string{}
	for i := range cases {
		e := cases[i].e
		evaluators[i] = e
		if cases[i].at == nil {
			continue
		}
		t := turn{e.c.ConversationID, e.c.Turn}
		if other, again := turns[t]; again {
			cases[i].at.Errorf("turn %d of conversation %q is the case %q already", t.turn, t.conversation, other)
		}
		turns[t] = e.c.ID
	}
	if err := file.Err(); err != nil {
		return nil, err
	}
	return evaluators, nil
}

// refuseZero reports a 0 that a file states, which a struct cannot tell from a
// field that was left out.
func refuseZero(at input.Scope, decoded int) {
	if v := at.Value(); decoded == 0 && v != nil && v.Kind == input.Number {
		at.Errorf("0 is under 1")
	}
}

const documentForms = `a document is a string, {"id": "…", "grade": 2} or {"contains": "…"}`

// decodeDocument reads "id", {"id", "grade"} and {"contains"}.
func decodeDocument(s input.Scope, dst *Document) {
	switch v := s.Value(); v.Kind {
	case input.String, input.Number:
		text := strings.TrimSpace(v.Text)
		if text == "" {
			s.Errorf("the document's id is empty")
		}
		if s.Name() == "expected_source_contains" {
			dst.Contains = text
		} else {
			dst.ID = text
		}
	case input.Object:
		var form struct {
			ID       *string  `json:"id"`
			Contains *string  `json:"contains"`
			Grade    *float64 `json:"grade"`
		}
		if !s.DecodeForm(&form, documentForms) {
			return
		}
		if (form.ID == nil) == (form.Contains == nil) {
			s.Errorf(`a document has either "id" or "contains"`)
			return
		}
		name, text := "id", form.ID
		if text == nil {
			name, text = "contains", form.Contains
		}
		if strings.TrimSpace(*text) == "" {
			s.At(name).Errorf("the text is empty")
			return
		}
		if form.ID != nil {
			dst.ID = strings.TrimSpace(*text)
		} else {
			dst.Contains = strings.TrimSpace(*text)
		}
		if form.Grade != nil {
			if *form.Grade <= 0 {
				s.At("grade").Errorf("%v is not above 0; an expected document has a gain", *form.Grade)
				return
			}
			if *form.Grade != 1 { // what 0 stands for
				dst.Grade = *form.Grade
			}
		}
	default:
		s.Errorf("%s; found %s", documentForms, v.Describe())
	}
}

// decodeBreadcrumb reads a list of segments, or a string that is split.
func decodeBreadcrumb(s input.Scope, dst *Breadcrumb) {
	switch v := s.Value(); v.Kind {
	case input.String, input.Number:
		*dst = splitBreadcrumb(v.Text)
	case input.List:
		s.Decode((*[]string)(dst))
	default:
		s.Errorf("a breadcrumb is a list of segments or a string, found %s", v.Describe())
		return
	}
	if len(*dst) == 0 {
		s.Errorf("the breadcrumb is empty")
	}
	for i, segment := range *dst {
		if strings.TrimSpace(segment) == "" {
			s.At(i).Errorf("the segment is empty")
		}
	}
}

// site collects what is wrong with a case.
type site struct {
	scope    input.Scope
	inFile   bool // scope is the case's; else a Go program made the case
	problems []problem
}

type problem struct {
	path    []any // names of fields, and places in lists
	message string
}

func (s *site) errorf(path []any, format string, args ...any) {
	s.problems = append(s.problems, problem{path, fmt.Sprintf(format, args...)})
}

// doubtful reports whether one of the fields is there after all, under a name that
// is not known or with a value of a wrong type. That is the problem then, and none
// that follows from the field's absence.
func (s *site) doubtful(fields ...string) bool {
	return s.inFile && slices.ContainsFunc(fields, func(field string) bool { return s.scope.At(field).Doubtful() })
}

// inherited reports whether a field was stated for many cases at once.
func (s *site) inherited(field string) bool {
	return s.inFile && strings.Contains(s.scope.At(field).Path(), ".")
}

// set compiles a field's keywords; nil where there are none, or one is wrong.
func (r *rules) set(at *site, field string, keywords []keyword.Keyword) *keyword.Set {
	if len(keywords) == 0 {
		return nil
	}
	set, err := r.sets.CompileSet(keywords)
	if err == nil {
		return set
	}
	for i, k := range keywords {
		if err := k.Validate(); err != nil {
			at.errorf([]any{field, i}, "%v", err)
		}
	}
	return nil
}

// err is what is wrong with the case that has this id, a line each.
func (s *site) err(id string) error {
	if len(s.problems) == 0 {
		return nil
	}
	lines := make([]string, len(s.problems))
	for i, p := range s.problems {
		lines[i] = fmt.Sprintf("case %q: %s: %s", id, input.PathText(p.path), p.message)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// compile checks the case and makes it ready; what is wrong goes to at.
func (e *Evaluator) compile(at *site) {
	c := e.c
	needs := func(field, value string) {
		if strings.TrimSpace(value) == "" {
			at.errorf([]any{field}, "a text is needed")
		}
	}
	needs("query", c.Query)
	if strings.TrimSpace(c.ScenarioType) == "" {
		at.errorf([]any{"scenario_type"}, `a text is needed, here or in the defaults: chat, aiops, or another name`)
	}
	if c.answerable() {
		if len(c.ExpectedDocuments) == 0 && c.ExpectedSource == "" && !at.doubtful("expected_documents", "expected_source", "answerable") {
			at.errorf([]any{"expected_documents"}, "at least one document is needed, or an expected_source, or answerable: false")
		}
		if len(c.ExpectedKeywords) == 0 && len(c.ExpectedBreadcrumbs) == 0 && !at.doubtful("expected_keywords", "expected_breadcrumbs", "answerable") {
			at.errorf([]any{"expected_keywords"}, "at least one of expected_keywords and expected_breadcrumbs is needed, or answerable: false")
		}
	}

	e.minCoverage = e.MinKeywordCoverage
	e.share(at, "min_keyword_coverage", c.MinKeywordCoverage, &e.minCoverage)
	e.minAnswer = 1
	e.share(at, "min_answer_keyword_coverage", c.MinAnswerKeywordCoverage, &e.minAnswer)
	e.share(at, "min_grounded_facts", c.MinGroundedFacts, &e.minGrounded)
	bounds := func(minimum string, given bool, bounded string, there bool) {
		if given && !there && !at.inherited(minimum) && !at.doubtful(bounded) {
			at.errorf([]any{minimum}, "it bounds %s, and the case has none", bounded)
		}
	}
	bounds("min_keyword_coverage", c.MinKeywordCoverage != nil, "expected_keywords", len(c.ExpectedKeywords) > 0)
	bounds("min_answer_keyword_coverage", c.MinAnswerKeywordCoverage != nil, "answer_keywords", len(c.AnswerKeywords) > 0)
	bounds("min_expected_sources", c.MinExpectedSources != 0, "expected_source", c.ExpectedSource != "")
	if c.MinExpectedSources < 0 {
		at.errorf([]any{"min_expected_sources"}, "%d is under 1", c.MinExpectedSources)
	}
	e.minLevel = e.MinHitLevel
	if c.MinHitLevel != "" {
		if e.minLevel = c.MinHitLevel; c.MinHitLevel.rank() == 0 {
			at.errorf([]any{"min_hit_level"}, "%q is neither strong nor medium", string(c.MinHitLevel))
		}
	}
	if c.Turn < 0 {
		at.errorf([]any{"turn"}, "%d is under 1", c.Turn)
	}
	if c.Turn != 0 && c.ConversationID == "" && !at.doubtful("conversation_id") {
		at.errorf([]any{"turn"}, "a turn needs a conversation_id")
	}
	texts := func(field string, list []string) {
		for i, text := range list {
			if strings.TrimSpace(text) == "" {
				at.errorf([]any{field, i}, "the text is empty")
			}
		}
	}
	texts("tags", c.Tags)
	texts("no_answer_hit_types", c.NoAnswerHitTypes)

	e.entries = e.documents(at, "expected_documents", c.ExpectedDocuments)
	if len(c.ExpectedDocuments) == 0 && c.ExpectedSource != "" {
		e.entries = []documentMatcher{{source: strings.TrimSpace(c.ExpectedSource), gain: 1}}
	}
	e.forbidden = e.documents(at, "forbidden_documents", c.ForbiddenDocuments)
	for i, d := range c.ForbiddenDocuments {
		if d.Grade != 0 {
			at.errorf([]any{"forbidden_documents", i}, "a forbidden document has no grade")
		}
	}
	var text keyword.Text
	if c.answerable() && len(c.ForbiddenDocuments) > 0 {
		expected := map[string]bool{}
		for _, d := range c.ExpectedDocuments {
			expected[d.key(&text)] = true
		}
		for i, d := range c.ForbiddenDocuments {
			if expected[d.key(&text)] {
				at.errorf([]any{"forbidden_documents", i}, "%v is both expected and forbidden", d)
			}
		}
	}
	for _, b := range c.ExpectedBreadcrumbs {
		e.breadcrumbs = append(e.breadcrumbs, normalised(b, &text))
	}
	e.keywords = e.set(at, "expected_keywords", c.ExpectedKeywords)
	e.answerKeywords = e.set(at, "answer_keywords", c.AnswerKeywords)
	e.rewriteKeywords = e.set(at, "expected_rewrite_keywords", c.ExpectedRewriteKeywords)

	e.noAnswer = e.NoAnswerHitTypes
	if len(c.NoAnswerHitTypes) > 0 {
		e.noAnswer = c.NoAnswerHitTypes
	}
	e.labels = c.labels()
	if c.Answerable != nil && *c.Answerable { // to state it says nothing
		unstated := *c
		unstated.Answerable = nil
		c = &unstated
	}
	e.digest = input.Digest(c, "notes", "reason", "tags", "metadata")
}

// labels are the slice keys of a case.
func (c *Case) labels() []evaluation.Label {
	all := [...]evaluation.Label{
		{Name: "scenario_type", Values: []string{c.ScenarioType}},
		{Name: "scenario_id", Values: []string{c.ScenarioID}},
		{Name: "source", Values: []string{c.ExpectedSource}},
		{Name: "tag", Values: c.Tags},
		{Name: "split", Values: []string{c.Split}},
	}
	stated := slices.DeleteFunc(all[:], func(l evaluation.Label) bool { return len(l.Values) == 0 || l.Values[0] == "" })
	return slices.Clone(stated)
}

// share takes a minimum that the case states.
func (e *Evaluator) share(at *site, field string, stated *float64, into *float64) {
	if stated == nil {
		return
	}
	if *stated < 0 || *stated > 1 || math.IsNaN(*stated) {
		at.errorf([]any{field}, "%v is outside [0, 1]", *stated)
		return
	}
	*into = *stated
}

func (e *Evaluator) documents(at *site, field string, documents []Document) []documentMatcher {
	var out []documentMatcher
	for i, d := range documents {
		m := documentMatcher{id: strings.TrimSpace(d.ID), gain: d.gain()}
		if m.id == "" {
			contains, err := keyword.Compile(keyword.Keyword{Substring: d.Contains})
			if err != nil {
				at.errorf([]any{field, i}, "%v", err)
				continue
			}
			m.contains = contains
		}
		if !(m.gain > 0) || math.IsInf(m.gain, 0) {
			at.errorf([]any{field, i}, "grade: %v is not above 0 and finite", m.gain)
		}
		out = append(out, m)
	}
	return out
}

func normalised(segments []string, text *keyword.Text) []string {
	out := make([]string, len(segments))
	for i, s := range segments {
		text.Reset(s)
		out[i] = text.String()
	}
	return out
}

package retrieval

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/evaluation/suite"
)

// Show lays the case and its fixture out for a reader: what was asked and
// expected, the candidates in their order, the answer, the checks. Keywords are
// marked where they stand.
func (e *Evaluator) Show(f *Fixture) *evaluation.Display {
	result := e.Evaluate(f)
	return e.display(f, &result)
}

func (e *Evaluator) show(source suite.Source, data []byte, problem error) *evaluation.Display {
	if problem != nil {
		result := e.without(problem)
		return e.display(nil, &result)
	}
	var d fixtureDecoder
	f, err := d.decode(bytes.Clone(data)) // which the display keeps texts of
	result := e.decoded(source, data, &d, f, err)
	return e.display(f, &result)
}

func (e *Evaluator) display(f *Fixture, r *Result) *evaluation.Display {
	d := &evaluation.Display{Title: e.c.ID, Subtitle: e.c.Query}
	d.Sections = append(d.Sections, verdictSection(r), e.expectedSection(r))
	if f != nil {
		d.Sections = append(d.Sections, e.recordedSection(f), e.candidatesSection(f))
		if f.Answer != nil {
			d.Sections = append(d.Sections, e.answerSection(f))
		}
	}
	d.Sections = slices.DeleteFunc(d.Sections, func(s evaluation.Section) bool { return len(s.Items) == 0 })
	return d
}

func verdictSection(r *Result) evaluation.Section {
	s := evaluation.Section{Title: "Checks"}
	for _, c := range r.Checks {
		item := evaluation.Item{Label: c.Name, Detail: string(c.Status)}
		switch c.Status {
		case evaluation.CheckPass:
			item.Mark = evaluation.Good
		case evaluation.CheckFail:
			item.Mark = evaluation.Bad
		default:
			item.Mark = evaluation.Faint
		}
		if c.Status != evaluation.CheckPass {
			item.Detail = fmt.Sprintf("expected %s, got %s: %s", c.Expected, cmp.Or(c.Got, "nothing"), c.Reason)
		}
		s.Items = append(s.Items, item)
	}
	for _, w := range r.Warnings {
		s.Items = append(s.Items, evaluation.Item{Label: "warning", Detail: w})
	}
	return s
}

func (e *Evaluator) expectedSection(r *Result) evaluation.Section {
	s := evaluation.Section{Title: "Expected"}
	add := func(label, detail string) {
		if detail != "" {
			s.Items = append(s.Items, evaluation.Item{Label: label, Detail: detail})
		}
	}
	names := make([]string, len(e.c.ExpectedDocuments))
	for i, document := range e.c.ExpectedDocuments {
		names[i] = document.String()
	}
	if !e.c.answerable() {
		add("answerable", "no")
	}
	add("documents", strings.Join(names, ", "))
	add("source", e.c.ExpectedSource)
	add("hit type", e.c.ExpectedHitType)
	add("prompt profile", e.c.ExpectedPromptProfile)
	for i := range r.Evidence {
		v := &r.Evidence[i]
		item := evaluation.Item{Mark: evaluation.Bad, Label: strings.ReplaceAll(v.Kind, "_", " "), Detail: v.Expected + ": not covered"}
		if v.Covered {
			item.Mark, item.Detail = evaluation.Good, v.Expected+": in "+v.Where
		}
		if v.Note != "" {
			item.Detail += " (" + v.Note + ")"
		}
		s.Items = append(s.Items, item)
	}
	add("reason", e.c.Reason)
	add("notes", e.c.Notes)
	return s
}

func (e *Evaluator) recordedSection(f *Fixture) evaluation.Section {
	s := evaluation.Section{Title: "Recorded"}
	add := func(label, detail string) {
		if detail != "" {
			s.Items = append(s.Items, evaluation.Item{Label: label, Detail: detail})
		}
	}
	add("error", f.Error)
	if strings.TrimSpace(f.Query) != strings.TrimSpace(e.c.Query) {
		add("query", f.Query)
	}
	add("rewritten query", f.RewrittenQuery)
	add("hit type", f.HitType)
	add("source", f.Source)
	add("prompt profile", f.PromptProfile)
	duration := func(label string, ms *float64) {
		if ms != nil {
			add(label, evaluation.Number(*ms)+" ms")
		}
	}
	duration("duration", f.DurationMS)
	duration("first token", f.FirstTokenMS)
	if f.WarmUp {
		add("warm-up", "yes, left out of the latency")
	}
	if f.Usage != nil {
		add("tokens", fmt.Sprintf("%s in, %s out", evaluation.Number(f.Usage.InputTokens), evaluation.Number(f.Usage.OutputTokens)))
	}
	return s
}

func (e *Evaluator) candidatesSection(f *Fixture) evaluation.Section {
	var text keyword.Text
	var cr credits
	cr.credit(e.entries, f.Candidates, &text)
	s := evaluation.Section{Title: fmt.Sprintf("Candidates (k = %d)", e.K)}
	for i := range f.Candidates {
		c := &f.Candidates[i]
		item := evaluation.Item{Label: fmt.Sprintf("%d. %s", i+1, c.label(i+1)), Text: c.Text, Spans: hits(e.keywords, c.Text)}
		var details []string
		add := func(text string) {
			if text != "" {
				details = append(details, text)
			}
		}
		switch {
		case cr.gains[i] > 0:
			item.Mark = evaluation.Good
			add("expected")
		case cr.expected[i]:
			item.Mark = evaluation.Good
			add("of an expected document")
		case cr.isCopy(i):
			item.Mark = evaluation.Faint
			add(fmt.Sprintf("copy of %d", cr.copies[i]))
		case i >= e.K:
			item.Mark = evaluation.Faint
		}
		for j := range e.forbidden {
			if e.forbidden[j].matches(c, &text) {
				item.Mark = evaluation.Bad
				add("forbidden")
				break
			}
		}
		if want := strings.TrimSpace(e.c.ScenarioID); want != "" && c.ScenarioID != "" && strings.TrimSpace(c.ScenarioID) != want {
			item.Mark = evaluation.Bad
			add("leaked from " + c.ScenarioID)
		}
		if id := c.identity(i + 1); id != c.label(i+1) {
			add(id)
		}
		if c.ID != "" && c.ID != c.identity(i+1) && c.ID != c.Label {
			add(c.ID)
		}
		if c.Source != "" {
			add("source " + c.Source)
		}
		add(strings.Join(c.Breadcrumb, " > "))
		if c.Score != nil {
			add("score " + evaluation.Number(*c.Score))
		}
		item.Detail = strings.Join(details, " · ")
		s.Items = append(s.Items, item)
	}
	if len(f.Candidates) == 0 {
		s.Items = append(s.Items, evaluation.Item{Mark: evaluation.Faint, Label: "nothing was found"})
	}
	return s
}

func (e *Evaluator) answerSection(f *Fixture) evaluation.Section {
	s := evaluation.Section{Title: "Answer"}
	item := evaluation.Item{Label: "answer", Text: *f.Answer, Spans: hits(e.answerKeywords, *f.Answer)}
	if strings.TrimSpace(*f.Answer) == "" {
		item.Detail = "empty"
	}
	s.Items = append(s.Items, item)
	if f.Citations != nil {
		cited := make([]string, len(f.Citations))
		for i, c := range f.Citations {
			cited[i] = c.String()
		}
		s.Items = append(s.Items, evaluation.Item{Label: "citations", Detail: cmp.Or(strings.Join(cited, ", "), "none")})
	}
	return s
}

// hits marks where keywords stand in a text, ascending and apart.
func hits(set *keyword.Set, s string) []evaluation.Span {
	if set == nil || s == "" {
		return nil
	}
	var spans []evaluation.Span
	for _, h := range set.FindAll(keyword.NewText(s)) {
		mark := evaluation.Good
		if h.Negated {
			mark = evaluation.Faint
		}
		if n := len(spans); n > 0 && h.Start < spans[n-1].End {
			if h.End > spans[n-1].End {
				spans[n-1].End = h.End
			}
			continue
		}
		spans = append(spans, evaluation.Span{Start: h.Start, End: h.End, Mark: mark})
	}
	return spans
}

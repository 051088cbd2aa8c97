package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/keyword"
)

// Show lays the case and a trace of it out for a reader: the checks, what was
// expected, the tool calls in their order, the answer beside the draft. Keywords,
// forbidden words and what the answer repeats of an unverified draft are marked
// where they stand.
func (p *Evaluator) Show(t *Trace) *evaluation.Display {
	result := p.Evaluate(t)
	return p.display(t, &result)
}

func (p *Evaluator) display(t *Trace, r *Result) *evaluation.Display {
	d := &evaluation.Display{Title: p.ID, Subtitle: p.Question}
	d.Sections = append(d.Sections, checksSection(r), p.expectedSection(r))
	if t != nil {
		d.Sections = append(d.Sections, p.runSection(t, r), p.callsSection(t), summarySection(t), p.answerSection(t, r))
	}
	d.Sections = slices.DeleteFunc(d.Sections, func(s evaluation.Section) bool { return len(s.Items) == 0 })
	return d
}

func checksSection(r *Result) evaluation.Section {
	s := evaluation.Section{Title: "Checks"}
	for _, c := range r.Checks {
		item := evaluation.Item{Label: c.Name, Detail: string(c.Status), Mark: evaluation.Good}
		if c.Status != evaluation.CheckPass {
			item.Mark = evaluation.Bad
			item.Detail = fmt.Sprintf("expected %s, got %s: %s", c.Expected, cmp.Or(c.Got, "nothing"), c.Reason)
		}
		s.Items = append(s.Items, item)
	}
	for _, w := range r.Warnings {
		s.Items = append(s.Items, evaluation.Item{Label: "warning", Detail: w})
	}
	return s
}

func (p *Evaluator) expectedSection(r *Result) evaluation.Section {
	s := evaluation.Section{Title: "Expected"}
	row := r.Row()
	for i := range row.Evidence {
		v := &row.Evidence[i]
		item := evaluation.Item{Mark: evaluation.Bad, Label: v.Kind, Detail: v.Expected + ": not found"}
		if v.Covered {
			item.Mark, item.Detail = evaluation.Good, v.Expected+": "+strings.ReplaceAll(v.By, "_", " ")
			if v.Where != "" {
				item.Detail += ", " + v.Where
			}
		}
		if v.Note != "" {
			item.Detail += " (" + v.Note + ")"
		}
		s.Items = append(s.Items, item)
	}
	add := func(label string, items []string) {
		if len(items) > 0 {
			s.Items = append(s.Items, evaluation.Item{Label: label, Detail: strings.Join(items, ", ")})
		}
	}
	add("allowed verdicts", p.AllowedVerdicts)
	add("forbidden verdicts", p.ForbiddenVerdicts)
	add("forbidden tools", p.ForbiddenTools)
	add("forbidden words", keywordTexts(p.ForbiddenKeywords))
	if p.Reason != "" {
		add("reason", []string{p.Reason})
	}
	if p.Notes != "" {
		add("notes", []string{p.Notes})
	}
	return s
}

func (p *Evaluator) runSection(t *Trace, r *Result) evaluation.Section {
	s := evaluation.Section{Title: "Run"}
	add := func(label, detail string) {
		if detail != "" {
			s.Items = append(s.Items, evaluation.Item{Label: label, Detail: detail})
		}
	}
	add("trace", t.TraceID)
	if strings.TrimSpace(t.Question) != strings.TrimSpace(p.Question) {
		add("question", t.Question)
	}
	add("verdict", t.Verdict.Bucket())
	add("status", t.Status)
	add("error", t.Error)
	if t.Degraded {
		add("degraded", "yes, by the application's own flag")
	}
	if r.DurationMS >= 0 {
		add("duration", evaluation.Number(r.DurationMS)+" ms")
	}
	if t.InputTokens >= 0 {
		add("input tokens", evaluation.Number(t.InputTokens))
	}
	if t.OutputTokens >= 0 {
		add("output tokens", evaluation.Number(t.OutputTokens))
	}
	return s
}

// shownText is how many characters of an argument or a result are shown.
const shownText = 1200

func (p *Evaluator) callsSection(t *Trace) evaluation.Section {
	s := evaluation.Section{Title: fmt.Sprintf("Tool calls (%d)", len(t.Calls))}
	start := t.StartedAt
	for i := range t.Calls {
		if at := t.Calls[i].StartedAt; !at.IsZero() && (start.IsZero() || at.Before(start)) {
			start = at
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		item := evaluation.Item{Label: fmt.Sprintf("%d. %s", i+1, cmp.Or(c.Name, "(no name)"))}
		if name := p.nameOf(c.Name); name != c.Name {
			item.Label += " = " + name
		}
		details := []string{c.Outcome.String()}
		switch c.Outcome {
		case Succeeded:
			item.Mark = evaluation.Good
		case Failed:
			item.Mark = evaluation.Bad
			if c.Why != "" {
				details[0] += " (" + c.Why + ")"
			}
		}
		if !c.StartedAt.IsZero() {
			details = append(details, "after "+c.StartedAt.Sub(start).Round(time.Millisecond).String())
		}
		if c.DurationMS >= 0 {
			details = append(details, "took "+evaluation.Number(c.DurationMS)+" ms")
		}
		item.Detail = strings.Join(details, " · ")
		var texts []string
		for _, text := range []string{argumentText(c.Arguments), strings.TrimSpace(resultText(c.Result))} {
			if text != "" {
				texts = append(texts, cut(text))
			}
		}
		item.Text = strings.Join(texts, "\n→ ")
		s.Items = append(s.Items, item)
	}
	if len(t.Calls) == 0 {
		s.Items = append(s.Items, evaluation.Item{Mark: evaluation.Faint, Label: "no tool was called"})
	}
	return s
}

// argumentText is what a call was given: JSON as recorded, of a string its text.
func argumentText(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return jsonText(raw)
	}
	return string(raw)
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= shownText {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > shownText {
			return s[:i] + " …"
		}
	}
	return s
}

func summarySection(t *Trace) evaluation.Section {
	s := evaluation.Section{Title: "Verifier's summary"}
	for i := range t.Summary.Tools {
		e := &t.Summary.Tools[i]
		item := evaluation.Item{Label: e.Name, Text: cut(e.Text)}
		if e.Failed {
			item.Mark, item.Detail = evaluation.Bad, cmp.Or(e.Why, "failed")
		}
		s.Items = append(s.Items, item)
	}
	for _, text := range t.Summary.Texts {
		s.Items = append(s.Items, evaluation.Item{Label: "text", Text: cut(text)})
	}
	return s
}

func (p *Evaluator) answerSection(t *Trace, r *Result) evaluation.Section {
	s := evaluation.Section{Title: "Answer and draft"}
	answer := evaluation.Item{Label: "final answer", Text: t.Answer}
	if strings.TrimSpace(t.Answer) == "" {
		answer.Mark, answer.Detail = evaluation.Bad, "empty"
	}
	var spans []evaluation.Span
	for _, l := range r.Leaks {
		spans = append(spans, evaluation.Span{Start: l[0], End: l[1], Mark: evaluation.Bad})
	}
	for _, h := range r.Forbidden {
		spans = append(spans, evaluation.Span{Start: h.Start, End: h.End, Mark: evaluation.Bad})
	}
	for _, h := range p.keywords.FindAll(keyword.NewText(t.Answer)) {
		mark := evaluation.Good
		if h.Negated {
			mark = evaluation.Faint
		}
		spans = append(spans, evaluation.Span{Start: h.Start, End: h.End, Mark: mark})
	}
	answer.Spans = apart(spans)
	s.Items = append(s.Items, answer)
	if strings.TrimSpace(t.Draft) != "" {
		s.Items = append(s.Items, evaluation.Item{Label: "executor's draft", Text: t.Draft, Spans: apart(repeated(t.Draft, t.Answer, r.Leaks))})
	}
	return s
}

// repeated finds where a draft has what leaked.
func repeated(draft, answer string, leaks [][2]int) []evaluation.Span {
	if len(leaks) == 0 {
		return nil
	}
	words := weighty(split(draft))
	index := indexGrams(words, 2)
	var spans []evaluation.Span
	for _, l := range leaks {
		index.common(weighty(split(answer[l[0]:l[1]])), func(at, n int) {
			if weightOf(words[at:at+n]) >= wholeRun {
				spans = append(spans, evaluation.Span{Start: words[at].start, End: words[at+n-1].end, Mark: evaluation.Bad})
			}
		})
	}
	return spans
}

// apart orders spans and takes the later ones out of those they overlap: spans
// that come first in the list win.
func apart(spans []evaluation.Span) []evaluation.Span {
	var out []evaluation.Span
	for _, s := range spans {
		if s.Start < s.End && !slices.ContainsFunc(out, func(o evaluation.Span) bool { return s.Start < o.End && o.Start < s.End }) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b evaluation.Span) int { return a.Start - b.Start })
	return out
}

package render

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/internal/text"
)

// Text writes the report for a terminal: first the rules of the gate that do not
// pass and the cases that need eyes, then known failures, then the summary and
// the warnings; the verdict last, where it is seen. A case that neither a gate
// nor a baseline judges has to pass.
func Text(w io.Writer, r *evaluation.Report, o Options) error {
	return report(w, r, &o, outcome(r, &o))
}

func report(w io.Writer, r *evaluation.Report, o *Options, v verdict) error {
	t := newTerminal(w, o)
	if o.Gate != nil {
		t.gate(o.Gate)
	}
	for _, g := range groups(r, o) {
		t.group(r, g)
	}
	t.summary(r, o)
	if o.Comparison != nil {
		t.transitions(o.Comparison)
		t.statistics(o.Comparison.Statistics)
	}
	t.warnings("Warnings", r.Warnings, remarks(r, o))
	t.put("\n").marked(bold, cmp.Or(r.Suite, "report")).put(": ").text(tally(r)).put("\n")
	t.marked(v.mark, v.word).put(": ").text(v.text).put("\n")
	t.flush(0)
	return t.err
}

// Case writes one case of a report as it stands under a heading of [Text],
// with what became of it where the comparison of that case is given.
func Case(w io.Writer, r *evaluation.Report, row *evaluation.Row, was *compare.Case, o Options) error {
	t := newTerminal(w, &o)
	mark := evaluation.Bad
	switch {
	case was != nil && was.Kind == compare.Fixed:
		mark = evaluation.Good
	case row.Status == evaluation.Pass && (was == nil || !was.Kind.Worse()), was != nil && !was.Kind.Worse() && was.Kind != compare.Added:
		mark = evaluation.Faint
	}
	t.entry(r, entry{row: row, was: was}, mark, false)
	t.flush(0)
	return t.err
}

// Warnings writes the warnings of a report, and those of its passing cases, as
// they stand in [Text], under a heading with the suite's name; nothing where there
// are none. It is for a suite that is not shown in full.
func Warnings(w io.Writer, r *evaluation.Report, o Options) error {
	t := newTerminal(w, &o)
	t.warnings("Warnings of "+cmp.Or(r.Suite, "the report"), r.Warnings, remarks(r, &o))
	t.flush(0)
	return t.err
}

type terminal struct {
	writer
	color bool
	width int
	limit int
}

func newTerminal(w io.Writer, o *Options) *terminal {
	return &terminal{
		writer: writer{w: w},
		color:  o.Color,
		width:  o.Width,
		limit:  cmp.Or(max(o.Limit, 0), 50),
	}
}

// put writes what is ours, text what may come from an input.
func (t *terminal) put(s string) *terminal {
	t.b = append(t.b, s...)
	return t
}

func (t *terminal) text(s string) *terminal {
	t.b = text.AppendTerminal(t.b, s)
	return t
}

var colors = map[evaluation.Mark]string{
	evaluation.Good:  "\x1b[32m",
	evaluation.Bad:   "\x1b[31m",
	evaluation.Faint: "\x1b[2m",
	bold:             "\x1b[1m",
}

const bold evaluation.Mark = "bold"

// marked writes a text in the colour of its mark.
func (t *terminal) marked(m evaluation.Mark, s string) *terminal {
	c := colors[m]
	if !t.color || c == "" {
		return t.text(s)
	}
	return t.put(c).text(s).put("\x1b[0m")
}

// wrapped writes a text over as many lines as it takes, all but the first
// indented.
func (t *terminal) wrapped(s string, indent int) *terminal {
	if t.width <= 0 {
		return t.text(s)
	}
	for i, line := range text.Wrap(text.Terminal(s), max(t.width-indent, 20)) {
		if i > 0 {
			t.put("\n").put(strings.Repeat(" ", indent))
		}
		t.put(line)
	}
	return t
}

func (t *terminal) heading(s string) {
	if len(t.b) > 0 {
		t.put("\n")
	}
	t.marked(bold, s).put("\n")
}

func (t *terminal) group(r *evaluation.Report, g group) {
	t.heading(g.title + " (" + strconv.Itoa(len(g.entries)) + ")")
	for i, e := range g.entries {
		if i == g.shown(t.limit) {
			t.put("  … and ").put(strconv.Itoa(len(g.entries) - i)).put(" more (see --json)\n")
			break
		}
		t.entry(r, e, g.mark, g.brief)
	}
}

var signs = map[evaluation.Mark]string{evaluation.Good: "✓", evaluation.Bad: "✗", evaluation.Faint: "·"}

func (t *terminal) entry(r *evaluation.Report, e entry, mark evaluation.Mark, brief bool) {
	t.marked(mark, cmp.Or(signs[mark], "·")).put(" ").marked(bold, e.id())
	if e.row != nil && e.row.Status != evaluation.Pass {
		status := words(string(e.row.Status))
		if e.row.Stage != "" && e.row.Stage != string(e.row.Status) {
			status += " at " + e.row.Stage
		}
		t.put("  ").marked(mark, status)
	}
	if q := e.query(); q != "" {
		t.put("  ").text(text.Truncate(q, 100))
	}
	t.put("\n")
	lines := notes(r, e)
	if brief {
		if len(lines) > 0 {
			t.put("    ").wrapped(changesBrief(lines, noteColumns), 4).put("\n")
		}
		return
	}
	columns := 0
	for _, n := range lines {
		columns = max(columns, min(text.Width(text.Terminal(n.label)), 24))
	}
	for _, n := range lines {
		t.put("    ").marked(n.mark, text.Pad(text.Terminal(n.label), columns)).put("  ")
		t.wrapped(text.Truncate(n.text, noteColumns), columns+6).put("\n")
	}
}

func (t *terminal) summary(r *evaluation.Report, o *Options) {
	lines := metricLines(r, o)
	name, width := 0, 0
	for i := range lines {
		if d := &lines[i]; d.New.OK || d.Old.OK {
			name = max(name, min(text.Width(text.Terminal(metricName(d))), 40))
			width = max(width, len(value(d.New)))
		}
	}
	t.heading("Metrics")
	var without []string
	for i := range lines {
		d := &lines[i]
		if !d.New.OK && !d.Old.OK {
			without = append(without, metricName(d))
			continue
		}
		t.put("  ").put(text.Pad(text.Terminal(metricName(d)), name)).put("  ")
		t.put(strings.Repeat(" ", max(width-text.Width(value(d.New)), 0))).put(value(d.New))
		if d.New.OK && d.New.N != len(r.Rows) {
			t.marked(evaluation.Faint, "  n = "+strconv.Itoa(d.New.N))
		}
		if change, mark := moved(d); o.Comparison != nil {
			over := otherCases(d, o.Comparison)
			switch {
			case change != "" && over:
				t.put("  ").marked(mark, change).marked(evaluation.Faint, " (was "+value(d.Old)+", n = "+strconv.Itoa(d.Old.N)+")")
			case change != "":
				t.put("  ").marked(mark, change).marked(evaluation.Faint, " (was "+value(d.Old)+")")
			case over:
				t.marked(evaluation.Faint, " (was n = "+strconv.Itoa(d.Old.N)+")")
			}
		}
		t.put("\n")
	}
	if n := len(without); n > 0 {
		verb := " have"
		if n == 1 {
			verb = " has"
		}
		names := strings.Join(without[:min(n, 3)], ", ")
		if n > 3 {
			names += ", …"
		}
		t.put("  ").wrapped(plural(n, "metric")+verb+" no value ("+names+"); the JSON report says why", 4).put("\n")
	}
}

func (t *terminal) transitions(c *compare.Comparison) {
	if len(c.Transitions) == 0 {
		return
	}
	t.heading("Transitions")
	for _, x := range c.Transitions {
		t.put("  ").text(x.Fact).put(": ").text(x.From).put(" → ").text(x.To).put(": ")
		t.put(plural(len(x.Cases), "case")).put(" (")
		t.wrapped(text.Truncate(strings.Join(x.Cases, ", "), noteColumns), 4).put(")\n")
	}
}

func (t *terminal) warnings(title string, all []string, cases []remark) {
	if len(all)+len(cases) == 0 {
		return
	}
	t.heading(title)
	for i, s := range all {
		if i == t.limit {
			t.put("  … and ").put(strconv.Itoa(len(all) - i)).put(" more (see --json)\n")
			break
		}
		t.put("  ⚠ ").wrapped(text.Truncate(s, noteColumns), 4).put("\n")
	}
	for i := range cases {
		if i == mostRemarks(t.limit) {
			t.put("  … and ").put(strconv.Itoa(len(cases) - i)).put(" more of passing cases (see --json)\n")
			break
		}
		t.put("  ⚠ ").wrapped(text.Truncate(cases[i].head()+": "+cases[i].text, noteColumns), 4).put("\n")
	}
}

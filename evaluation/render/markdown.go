package render

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/internal/text"
)

// Columns that a text takes at most: a query in a table, and a note in a list.
const (
	queryColumns = 60
	noteColumns  = 400
)

// Markdown writes the report for a review in a repository: the verdict, the
// cases that need eyes, the metrics, the slices, and a line for every case. One
// changed case changes a few lines: columns are not padded, and no line depends
// on another case but the sums.
func Markdown(w io.Writer, r *evaluation.Report, o Options) error {
	m := newMarkdown(w, &o)
	m.put("# ").text(cmp.Or(r.Suite, "Report")).put("\n\n")
	v := judge(&o)
	if o.Comparison != nil && o.Comparison.InBoth() > 0 {
		v = outcome(r, &o) // new cases are judged too
	}
	m.overview(r, &o, v)
	m.metrics(r, &o)
	m.slices(r, &o)
	m.cases(r)
	m.warnings(r.Warnings, remarks(r, &o))
	m.flush(0)
	return m.err
}

type markdown struct {
	writer
	limit int
}

func newMarkdown(w io.Writer, o *Options) *markdown {
	return &markdown{writer: writer{w: w}, limit: cmp.Or(max(o.Limit, 0), 200)}
}

// overview writes the verdict and the cases that need eyes.
func (m *markdown) overview(r *evaluation.Report, o *Options, v verdict) {
	m.put("**").text(v.word).put("**: ").text(v.text).put(".\n\n")
	m.text(tally(r)).put(".")
	for i, s := range r.Config {
		m.put([]string{" ", ", "}[min(i, 1)]).text(s.Name).put(" = ").text(factText(s.Value))
		if i == len(r.Config)-1 {
			m.put(".")
		}
	}
	m.put("\n")
	if o.Gate != nil {
		m.gate(o.Gate)
	}
	for _, g := range groups(r, o) {
		m.group(r, g)
	}
	if o.Comparison != nil {
		m.transitions(o.Comparison)
		m.statistics(o.Comparison.Statistics)
	}
}

// put writes our own markup, text what may come from an input.
func (m *markdown) put(s string) *markdown {
	m.b = append(m.b, s...)
	return m
}

func (m *markdown) text(s string) *markdown {
	m.b = text.AppendMarkdown(m.b, s)
	return m
}

// cell writes the next cell of a table's line.
func (m *markdown) cell(s string) *markdown {
	if s != "" {
		m.put(" ").text(text.Truncate(s, queryColumns))
	}
	return m.put(" |")
}

func (m *markdown) int(n int) *markdown {
	m.b = strconv.AppendInt(m.b, int64(n), 10)
	return m
}

func (m *markdown) heading(s string) *markdown { return m.put("\n## ").text(s).put("\n\n") }

func (m *markdown) group(r *evaluation.Report, g group) {
	m.put("\n## ").put(g.title).put(" (").int(len(g.entries)).put(")\n\n")
	for i, e := range g.entries {
		if i == g.shown(m.limit) {
			m.put("- … and ").int(len(g.entries) - i).put(" more: see the table of cases\n")
			break
		}
		m.put("- **").text(e.id()).put("**")
		if q := e.query(); q != "" {
			m.put(" ").text(text.Truncate(q, noteColumns))
		}
		if e.row != nil && e.row.Status != evaluation.Pass {
			m.put(" (").text(words(string(e.row.Status)))
			if e.row.Stage != "" && e.row.Stage != string(e.row.Status) {
				m.put(" at ").text(e.row.Stage)
			}
			m.put(")")
		}
		if g.brief {
			if lines := notes(r, e); len(lines) > 0 {
				m.put(": ").text(changesBrief(lines, noteColumns))
			}
			m.put("\n")
			continue
		}
		m.put("\n")
		for _, n := range notes(r, e) {
			m.put("  - **").text(n.label).put("** ").text(text.Truncate(n.text, noteColumns)).put("\n")
		}
		m.flush(1 << 16)
	}
}

func (m *markdown) transitions(c *compare.Comparison) {
	if len(c.Transitions) == 0 {
		return
	}
	m.heading("Transitions")
	for _, t := range c.Transitions {
		m.put("- **").text(t.Fact).put("** ").text(t.From).put(" → ").text(t.To)
		m.put(": ").put(plural(len(t.Cases), "case")).put(" (")
		for i, id := range t.Cases {
			if i == m.limit {
				m.put(", …")
				break
			}
			if i > 0 {
				m.put(", ")
			}
			m.text(id)
		}
		m.put(")\n")
	}
}

func (m *markdown) metrics(r *evaluation.Report, o *Options) {
	m.heading("Metrics")
	against := o.Comparison != nil
	if against {
		m.put("| metric | value | baseline | change | n |\n|---|---:|---:|---|---:|\n")
	} else {
		m.put("| metric | value | n |\n|---|---:|---:|\n")
	}
	lines := metricLines(r, o)
	for i := range lines {
		d := &lines[i]
		if !d.Old.OK && !d.New.OK {
			continue
		}
		m.put("| ").text(metricName(d)).put(" | ").put(value(d.New))
		if against {
			change, _ := moved(d)
			m.put(" | ").put(value(d.Old)).put(" | ").put(change)
		}
		m.put(" | ").int(d.New.N)
		if against && otherCases(d, o.Comparison) {
			m.put(" (was ").int(d.Old.N).put(")")
		}
		m.put(" |\n")
	}
	first := true
	for i := range lines {
		if d := &lines[i]; !d.New.OK {
			if first {
				m.put("\nWithout a value:\n\n")
				first = false
			}
			m.put("- **").text(metricName(d)).put("** ").text(cmp.Or(d.New.Why, "none is stated")).put("\n")
		}
	}
}

// sliceLines gives the slices of a report, beside the baseline's where there is
// one.
func sliceLines(r *evaluation.Report, o *Options) []compare.SliceDelta {
	if o.Comparison != nil {
		return o.Comparison.Slices
	}
	out := make([]compare.SliceDelta, len(r.Slices))
	for i := range r.Slices {
		s := &r.Slices[i]
		d := compare.SliceDelta{Label: s.Label, Value: s.Value, NewCases: len(s.Rows), Metrics: make([]compare.Delta, 0, len(s.Summary))}
		for j, e := range s.Summary {
			x := compare.Delta{Name: e.Name, New: e}
			if j < len(r.Metrics) && r.Metrics[j].Name == e.Name {
				x.Metric = r.Metrics[j]
			}
			d.Metrics = append(d.Metrics, x)
		}
		out[i] = d
	}
	return out
}

// inSlices reports whether a metric has a column in the tables of slices: those
// by which one judges do, costs and counts do not.
func inSlices(m *evaluation.Metric) bool {
	return m.Unit == "ratio" && (m.Better == evaluation.Higher || m.Better == evaluation.Lower)
}

func (m *markdown) slices(r *evaluation.Report, o *Options) {
	all := sliceLines(r, o)
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].Label == all[from].Label {
			to++
		}
		// A label with one value for all cases says what the summary says.
		if to-from > 1 || all[from].NewCases < len(r.Rows) {
			m.sliceTable(all[from:to], o.Comparison != nil)
		}
		from = to
	}
}

func (m *markdown) sliceTable(lines []compare.SliceDelta, against bool) {
	var columns []string
	for i := range lines {
		for j := range lines[i].Metrics {
			d := &lines[i].Metrics[j]
			if (d.New.OK || d.Old.OK) && inSlices(&d.Metric) && !slices.Contains(columns, d.Name) {
				columns = append(columns, d.Name)
			}
		}
	}
	// In the order of the metrics, whichever slice named them first.
	if len(lines) > 0 {
		place := map[string]int{}
		for i, d := range lines[0].Metrics {
			place[d.Name] = i
		}
		slices.SortStableFunc(columns, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
	}
	m.heading("By " + words(lines[0].Label))
	m.put("| ").text(lines[0].Label).put(" | cases |")
	for _, c := range columns {
		m.put(" ").text(c).put(" |")
	}
	m.put("\n|---|---:|")
	for range columns {
		m.put("---:|")
	}
	m.put("\n")
	for i := range lines {
		l := &lines[i]
		m.put("| ").text(text.Truncate(l.Value, queryColumns)).put(" | ").int(l.NewCases)
		if against && l.OldCases != l.NewCases {
			m.put(" (was ").int(l.OldCases).put(")")
		}
		m.put(" |")
		for _, c := range columns {
			k := slices.IndexFunc(l.Metrics, func(d compare.Delta) bool { return d.Name == c && d.Bucket == "" })
			if k < 0 {
				m.put(" |")
				continue
			}
			d := &l.Metrics[k]
			m.put(" ").put(value(d.New))
			if d.New.OK && d.New.N != l.NewCases {
				m.put(" of ").int(d.New.N)
			}
			if change, _ := moved(d); against && change != "" {
				m.put(" (was ").put(value(d.Old)).put(")")
			}
			m.put(" |")
		}
		m.put("\n")
		m.flush(1 << 16)
	}
}

// caseColumns names the facts that have a column in the table of cases: not
// lists, and not what differs between two runs of the same system.
func caseColumns(r *evaluation.Report) []string {
	var names []string
	list := map[string]bool{}
	for i := range r.Rows {
		for j := range r.Rows[i].Facts {
			f := &r.Rows[i].Facts[j]
			if j >= len(names) || names[j] != f.Name {
				if !slices.Contains(names, f.Name) {
					names = append(names, f.Name)
				}
			}
			if _, ok := f.Value.([]string); ok {
				list[f.Name] = true
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return list[name] || r.FactInfo(name).Volatile })
}

func (m *markdown) warnings(all []string, cases []remark) {
	if len(all)+len(cases) == 0 {
		return
	}
	m.heading("Warnings")
	for _, s := range all {
		m.put("- ⚠ ").text(text.Truncate(s, noteColumns)).put("\n")
	}
	for i := range cases {
		if i == mostRemarks(m.limit) {
			m.put("- … and ").int(len(cases) - i).put(" more of passing cases\n")
			break
		}
		m.put("- ⚠ ").text(text.Truncate(cases[i].head()+": "+cases[i].text, noteColumns)).put("\n")
	}
}

func (m *markdown) cases(r *evaluation.Report) {
	columns := caseColumns(r)
	m.heading("Cases")
	m.put("| case | query | status | stage |")
	for _, c := range columns {
		m.cell(words(c))
	}
	m.put(" failed checks |\n|---|---|---|---|")
	for range columns {
		m.put("---|")
	}
	m.put("---|\n")
	for i := range r.Rows {
		row := &r.Rows[i]
		m.put("| ").text(row.ID).put(" |")
		m.cell(row.Query).cell(words(string(row.Status))).cell(row.Stage)
		for j, c := range columns {
			var v any
			if j < len(row.Facts) && row.Facts[j].Name == c {
				v = row.Facts[j].Value
			} else {
				v = row.Fact(c)
			}
			m.cell(factText(v))
		}
		separator := " "
		for j := range row.Checks {
			if row.Checks[j].Status == evaluation.CheckFail {
				m.put(separator).text(row.Checks[j].Name)
				separator = ", "
			}
		}
		m.put(" |\n")
		m.flush(1 << 16)
	}
}

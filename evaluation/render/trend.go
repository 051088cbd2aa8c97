package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/internal/text"
)

// TrendText writes a trend for a terminal: a row for each run, ⚠ where a value
// fell.
func TrendText(w io.Writer, tr *compare.Trend, o Options) error {
	t := newTerminal(w, &o)
	t.table(trend(tr))
	for i, s := range lost(tr) {
		if i == 0 {
			t.put("\n")
		}
		t.put("  ").wrapped(s, 4).put("\n")
	}
	t.flush(0)
	return t.err
}

// TrendMarkdown writes a trend as a table of Markdown.
func TrendMarkdown(w io.Writer, tr *compare.Trend, o Options) error {
	m := newMarkdown(w, &o)
	m.table(trend(tr))
	for i, s := range lost(tr) {
		if i == 0 {
			m.put("\n")
		}
		m.put("- ").text(s).put("\n")
	}
	m.flush(0)
	return m.err
}

func columnName(c *compare.TrendColumn) string {
	if c.Suite != "" {
		return c.Suite + ": " + c.Metric
	}
	return c.Metric
}

// lost says why marked values are none, a line for each run and reason.
func lost(tr *compare.Trend) []string {
	var out []string
	for _, r := range tr.Rows {
		var reasons []string
		metrics := map[string][]string{}
		for i, c := range r.Cells {
			if c.OK || !c.Fell {
				continue
			}
			why := cmp.Or(c.Why, "none is stated")
			if metrics[why] == nil {
				reasons = append(reasons, why)
			}
			metrics[why] = append(metrics[why], columnName(&tr.Columns[i]))
		}
		for _, why := range reasons {
			out = append(out, fmt.Sprintf("%s: no value of %s: %s", r.Label, strings.Join(metrics[why], ", "), why))
		}
	}
	return out
}

func trend(tr *compare.Trend) [][]string {
	head := []string{"run"}
	for i := range tr.Columns {
		head = append(head, columnName(&tr.Columns[i]))
	}
	out := [][]string{head}
	for _, r := range tr.Rows {
		line := []string{r.Label}
		for i, c := range r.Cells {
			s := "–"
			switch {
			case c.OK && tr.Columns[i].Unit == "ratio":
				s = fmt.Sprintf("%.3f", c.Value)
			case c.OK:
				s = number(c.Value)
			}
			if c.Fell {
				s += " ⚠"
			}
			line = append(line, s)
		}
		out = append(out, line)
	}
	return out
}

// table writes lines of one length with their columns under one another.
func (t *terminal) table(lines [][]string) {
	var columns []int
	for _, line := range lines {
		for i, cell := range line {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], text.Width(text.Terminal(cell)))
		}
	}
	for _, line := range lines {
		s := ""
		for i, cell := range line {
			s += "  " + text.Pad(text.Terminal(cell), columns[i])
		}
		t.put(strings.TrimRight(s, " ")).put("\n")
		t.flush(1 << 16)
	}
}

// table writes lines of one length, the first of them the head. Columns are not
// padded, so that a value that changed is one line of a diff.
func (m *markdown) table(lines [][]string) {
	for i, line := range lines {
		m.put("|")
		for _, cell := range line {
			m.put(" ").text(cell).put(" |")
		}
		m.put("\n")
		if i == 0 {
			m.put("|---|").put(strings.Repeat("---:|", len(line)-1)).put("\n")
		}
		m.flush(1 << 16)
	}
}

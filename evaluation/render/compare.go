package render

import (
	"cmp"
	"io"

	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/internal/text"
)

// CompareText writes a comparison for a terminal: what became of the cases, and
// the metrics of both reports. The Comparison of the options is not looked at.
func CompareText(w io.Writer, c *compare.Comparison, o Options) error {
	o.Comparison = c
	return report(w, c.New, &o, judge(&o))
}

// CompareMarkdown writes a comparison for a review. The Comparison of the
// options is not looked at.
func CompareMarkdown(w io.Writer, c *compare.Comparison, o Options) error {
	o.Comparison = c
	m := newMarkdown(w, &o)
	m.put("# ").text(cmp.Or(c.New.Suite, "Comparison")).put(" against its baseline\n\n")
	m.overview(c.New, &o, judge(&o))
	m.metrics(c.New, &o)
	m.slices(c.New, &o)
	m.flush(0)
	return m.err
}

// changesBrief puts what changed of a case into one line.
func changesBrief(lines []note, columns int) string {
	s := ""
	for i, n := range lines {
		if i > 0 {
			s += "; "
		}
		s += n.text
	}
	return text.Truncate(s, columns)
}

package render

import (
	"io"
	"strings"

	"github.com/karat-eval/karat/evaluation"
)

// DisplayText writes one case in full for a terminal. Hits are coloured, and
// stand between « and » where there is no colour.
func DisplayText(w io.Writer, d *evaluation.Display, o Options) error {
	t := newTerminal(w, &o)
	t.marked(bold, d.Title)
	if d.Subtitle != "" {
		t.put("  ").text(d.Subtitle)
	}
	t.put("\n")
	for _, s := range d.Sections {
		t.heading(s.Title)
		for _, it := range s.Items {
			t.put("  ")
			if sign := signs[it.Mark]; sign != "" {
				t.marked(it.Mark, sign).put(" ")
			}
			t.marked(it.Mark, it.Label)
			if it.Detail != "" {
				if it.Label != "" {
					t.put("  ")
				}
				t.text(it.Detail)
			}
			t.put("\n")
			if it.Text == "" {
				continue
			}
			t.put("      ")
			pieces(it.Text, it.Spans, func(s string, mark evaluation.Mark, hit bool) {
				if hit && !t.color {
					t.put("«")
				}
				for i, line := range strings.Split(s, "\n") {
					if i > 0 {
						t.put("\n      ")
					}
					t.marked(mark, strings.TrimSuffix(line, "\r"))
				}
				if hit && !t.color {
					t.put("»")
				}
			})
			t.put("\n")
		}
	}
	t.flush(0)
	return t.err
}

// DisplayMarkdown writes one case in full as Markdown, its hits in bold.
func DisplayMarkdown(w io.Writer, d *evaluation.Display) error {
	m := newMarkdown(w, &Options{})
	m.put("# ").text(d.Title).put("\n")
	if d.Subtitle != "" {
		m.put("\n**Query**: ").text(d.Subtitle).put("\n")
	}
	for _, s := range d.Sections {
		m.heading(s.Title)
		for _, it := range s.Items {
			m.put("- ")
			if sign := signs[it.Mark]; sign != "" {
				m.put(sign).put(" ")
			}
			m.put("**").text(it.Label).put("** ").text(it.Detail)
			if it.Text != "" {
				m.put("<br>")
				pieces(it.Text, it.Spans, func(s string, _ evaluation.Mark, hit bool) {
					if hit {
						m.put("<b>")
					}
					for i, line := range strings.Split(s, "\n") {
						if i > 0 {
							m.put("<br>")
						}
						m.text(strings.TrimSuffix(line, "\r"))
					}
					if hit {
						m.put("</b>")
					}
				})
			}
			m.put("\n")
			m.flush(1 << 16)
		}
	}
	m.flush(0)
	return m.err
}

// pieces cuts a text at its spans. Spans that are not ascending, or not inside
// the text, are left out.
func pieces(s string, spans []evaluation.Span, piece func(s string, mark evaluation.Mark, hit bool)) {
	from := 0
	for _, x := range spans {
		if x.Start < from || x.End <= x.Start || x.End > len(s) {
			continue
		}
		if x.Start > from {
			piece(s[from:x.Start], evaluation.Plain, false)
		}
		mark := x.Mark
		if mark == evaluation.Plain {
			mark = evaluation.Good
		}
		piece(s[x.Start:x.End], mark, true)
		from = x.End
	}
	if from < len(s) {
		piece(s[from:], evaluation.Plain, false)
	}
}

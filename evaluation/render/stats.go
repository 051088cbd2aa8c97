package render

import (
	"strconv"

	"github.com/karat-eval/karat/evaluation/compare"
)

// statisticsLegend says what the columns hold.
const statisticsLegend = "p sign: exact sign test, of pass_rate McNemar's; p mean: paired randomisation test on the mean; " +
	"p Holm: adjusted for the number of tests shown, of McNemar for pass_rate, of the mean for the others; " +
	"the interval holds 95% of bootstrap resamples"

// statistics gives the lines of a table of tests, its head first.
func statistics(s *compare.Statistics) [][]string {
	out := [][]string{{"metric", "n", "better", "worse", "equal", "mean change", "95% interval", "p sign", "p mean", "p Holm", ""}}
	for i := range s.Tests {
		t := &s.Tests[i]
		note := ""
		if t.Inconclusive != "" {
			note = "inconclusive: " + t.Inconclusive
		} else if !t.Exact {
			note = "p mean by drawing"
		}
		if t.Unpaired > 0 {
			if note != "" {
				note += "; "
			}
			note += plural(t.Unpaired, "case") + " with a value on one side only"
		}
		count := strconv.Itoa
		out = append(out, []string{
			t.Name, count(t.N), count(t.Better), count(t.Worse), count(t.Equal),
			difference(t.MeanDiff), "[" + difference(t.Low) + ", " + difference(t.High) + "]",
			probability(t.PSign), probability(t.PRandomization), probability(t.PHolm), note,
		})
	}
	return out
}

// difference shows a mean of new − old.
func difference(v float64) string {
	if s := number(v); s == "0" {
		return s
	}
	return signed(v)
}

func probability(p float64) string {
	if p < 1e-4 {
		return "< 0.0001"
	}
	return number(p)
}

// statisticsTitle says over how many cases statistics go.
func statisticsTitle(s *compare.Statistics) string {
	title := "Statistics over " + plural(s.Cases, "case") + " in both"
	if s.LeftOut > 0 {
		title += " (" + strconv.Itoa(s.LeftOut) + " left out: added, removed, or not comparable)"
	}
	return title
}

func (t *terminal) statistics(s *compare.Statistics) {
	if s == nil {
		return
	}
	t.heading(statisticsTitle(s))
	t.table(statistics(s))
	t.put("  ").wrapped(statisticsLegend, 2).put("\n")
}

func (m *markdown) statistics(s *compare.Statistics) {
	if s == nil {
		return
	}
	m.heading(statisticsTitle(s))
	lines := statistics(s)
	lines[0][len(lines[0])-1] = "note"
	m.table(lines)
	m.put("\nColumns: ").text(statisticsLegend).put(".\n")
}

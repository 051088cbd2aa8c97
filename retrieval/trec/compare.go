package trec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/karat-eval/karat/internal/stats"
	"github.com/karat-eval/karat/internal/text"
	"github.com/karat-eval/karat/retrieval/measure"
)

// ComparisonSchema names the form of the JSON that [Comparison.WriteJSON] writes.
const ComparisonSchema = "karat/trec-comparison/v1"

// Comparison is two runs, query by query, over the same judgments.
type Comparison struct {
	// A and B are the names of the runs, TagA and TagB their tags.
	A, B, TagA, TagB string
	// Queries is the number of queries.
	Queries  int
	Measures []MeasureComparison
}

// MeasureComparison is one measure of two runs.
type MeasureComparison struct {
	Measure measure.Measure
	// MeanA and MeanB are the measure over all queries.
	MeanA, MeanB float64
	// Better, Worse and Equal count the queries by how B compares with A.
	Better, Worse, Equal int
	// Diff is the mean of B − A. Low and High bound its 95% interval
	// (bootstrap over the queries).
	Diff, Low, High float64
	// P is the two-sided p value of the paired randomisation test on the mean:
	// exact where Exact, else from seeded draws.
	P     float64
	Exact bool
	// PHolm is P adjusted for all measures of the comparison (Holm).
	PHolm float64
	// PSign is the exact p value of the sign test; for a measure of 0 and 1
	// such as Success@k it is McNemar's.
	PSign float64
	// Inconclusive says why nothing can be concluded, where that is so.
	Inconclusive string
}

// CompareOptions of a comparison.
type CompareOptions struct {
	// Seed of the draws; every seed serves, 0 too.
	Seed uint64
}

// ComparedMeasures are the measures that the command compares where none is
// named: few, since each further one costs power.
func ComparedMeasures() []measure.Measure {
	var list []measure.Measure
	for _, name := range []string{"AP", "nDCG@10", "RR", "P@10", "R@1000"} {
		m, err := measure.Parse(name)
		if err != nil {
			panic(err) // a name of the package's own table
		}
		list = append(list, m)
	}
	return list
}

// Compare says by which measures run B differs from run A by more than chance
// would make them: pairs of queries, a paired randomisation test and a sign test
// for each measure, Holm's adjustment over all of them. Both results must come
// from the same judgments and hold the same measures. Counts, and measures that
// have no value for a single query (gm_map), cannot be compared so and are
// errors.
func Compare(a, b *Result, opt CompareOptions) (*Comparison, error) {
	if !slices.EqualFunc(a.queries, b.queries, func(x, y qrelsQuery) bool { return x.id == y.id }) {
		return nil, errors.New("the runs were scored against judgments of different queries")
	}
	if !slices.EqualFunc(a.Measures, b.Measures, func(x, y measure.Measure) bool { return x.String() == y.String() }) {
		return nil, errors.New("the runs were scored by different measures")
	}
	c := &Comparison{A: a.RunName, B: b.RunName, TagA: a.Tag, TagB: b.Tag, Queries: a.Len()}
	var ps []float64
	for k, m := range a.Measures {
		info := m.Info()
		if info.Count || info.SummaryOnly {
			return nil, fmt.Errorf("measure %s: has no value for each query to compare by", m.Label())
		}
		before, after := a.column(k), b.column(k)
		s, err := stats.Compare(before, after, stats.Options{LowerIsBetter: info.Better == measure.Lower, Seed: opt.Seed})
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", m.Label(), err)
		}
		c.Measures = append(c.Measures, MeasureComparison{
			Measure: m, MeanA: a.Summary[k], MeanB: b.Summary[k],
			Better: s.Better, Worse: s.Worse, Equal: s.Equal, Diff: s.MeanDiff, Low: s.Low, High: s.High,
			P: s.PRandomization, Exact: s.Exact, PSign: s.PSign, Inconclusive: s.Inconclusive,
		})
		ps = append(ps, s.PRandomization)
	}
	adjusted, err := stats.Holm(ps)
	if err != nil {
		return nil, err
	}
	for k := range c.Measures {
		c.Measures[k].PHolm = adjusted[k]
	}
	return c, nil
}

// WriteText writes the comparison as a table.
func (c *Comparison) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	queries := "queries"
	if c.Queries == 1 {
		queries = "query"
	}
	fmt.Fprintf(b, "A: %s (%s)\nB: %s (%s)\n%d %s\n\n", show(c.A), text.Terminal(c.TagA), show(c.B), text.Terminal(c.TagB), c.Queries, queries)
	rows := [][]string{{"measure", "A", "B", "B - A", "95% interval", "better", "worse", "equal", "p", "p (Holm)", "p (sign)"}}
	var footnotes []string
	for _, m := range c.Measures {
		rows = append(rows, []string{
			text.Terminal(m.Measure.Label()), decimals(m.MeanA), decimals(m.MeanB), signed(m.Diff),
			"[" + signed(m.Low) + ", " + signed(m.High) + "]",
			strconv.Itoa(m.Better), strconv.Itoa(m.Worse), strconv.Itoa(m.Equal),
			pValue(m.P), pValue(m.PHolm), pValue(m.PSign),
		})
		if m.Inconclusive != "" {
			footnotes = append(footnotes, text.Terminal(m.Measure.Label())+": inconclusive: "+m.Inconclusive)
		}
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], text.Width(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(row)-1 {
				fmt.Fprintln(b, cell)
			} else {
				fmt.Fprint(b, text.Pad(cell, widths[i]), "  ")
			}
		}
	}
	for _, note := range footnotes {
		fmt.Fprintln(b, note)
	}
	return b.Flush()
}

func decimals(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }

func signed(f float64) string {
	s := decimals(f)
	switch {
	case s == "-0.0000":
		return "0.0000"
	case f > 0 && s != "0.0000":
		return "+" + s
	}
	return s
}

func pValue(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return decimals(p)
}

// WriteJSON writes the comparison as JSON with two-space indent and a last
// newline; numbers carry 12 significant digits.
func (c *Comparison) WriteJSON(w io.Writer) error {
	j := newJSON(w)
	j.object(func() {
		j.key("schema").string(ComparisonSchema)
		j.key("a").object(func() { j.key("name").string(c.A); j.key("run").string(c.TagA) })
		j.key("b").object(func() { j.key("name").string(c.B); j.key("run").string(c.TagB) })
		j.key("queries").number(float64(c.Queries))
		j.key("measures").object(func() {
			for _, m := range c.Measures {
				j.key(m.Measure.Label()).object(func() {
					j.key("a").number(m.MeanA)
					j.key("b").number(m.MeanB)
					j.key("diff").number(m.Diff)
					j.key("low").number(m.Low)
					j.key("high").number(m.High)
					j.key("better").number(float64(m.Better))
					j.key("worse").number(float64(m.Worse))
					j.key("equal").number(float64(m.Equal))
					j.key("p").number(m.P)
					j.key("p_exact").bool(m.Exact)
					j.key("p_holm").number(m.PHolm)
					j.key("p_sign").number(m.PSign)
					if m.Inconclusive != "" {
						j.key("inconclusive").string(m.Inconclusive)
					}
				})
			}
		})
	})
	return j.close()
}

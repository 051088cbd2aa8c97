package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Better says in which direction a metric improves.
type Better string

const (
	Higher    Better = "higher"
	Lower     Better = "lower"
	NoBetter  Better = "none"
	tolerance        = 1e-9
)

// Aggregation says how the value of a metric comes from the rows.
type Aggregation string

const (
	// Mean is the arithmetic mean of the rows that have the value.
	Mean Aggregation = "mean"
	// Percentile is the value at rank ceil(n·P/100) of the rows that have the
	// value, sorted (the nearest-rank definition).
	Percentile Aggregation = "percentile"
	// Count is the number of rows in which the text Of equals Equals, or of all
	// rows where Of is empty. Its n is the number of all rows.
	Count Aggregation = "count"
	// Rate is that count divided by the number of all rows.
	Rate Aggregation = "rate"
	// Distribution counts the rows by the text Of.
	Distribution Aggregation = "distribution"
)

// Metric describes one entry of a summary: where gates and comparisons learn
// its range and direction, and how it is derived from the rows.
type Metric struct {
	Name   string
	Better Better
	// Min and Max bound the values that are possible; an infinite bound is
	// none.
	Min, Max float64
	// Unit is "ratio", "count", "rank", "ms", "tokens" or "calls".
	Unit        string
	Aggregation Aggregation
	// Of names the row's metric, numeric fact, or text that is aggregated.
	Of string
	// Equals is the text that Count and Rate count.
	Equals string
	// P is the percentile, in (0, 100].
	P float64
	// Except names a boolean fact; rows in which it is true are left out.
	Except string
}

// Volatile reports whether the metric measures time or tokens, which differ
// between two runs of the same system.
func (m *Metric) Volatile() bool { return m.Unit == "ms" || m.Unit == "tokens" }

// Entry is one value of a summary.
type Entry struct {
	Name string
	// Value is meaningful where OK.
	Value float64
	OK    bool
	// N is the number of cases over which the value goes.
	N int
	// Why says why there is no value.
	Why string
	// Buckets are the counts of a distribution, sorted by name.
	Buckets []Bucket
}

// Bucket is one count of a distribution.
type Bucket struct {
	Name  string
	Count int
}

// Float gives the entry's value, NaN where it has none.
func (e Entry) Float() float64 {
	if !e.OK {
		return math.NaN()
	}
	return e.Value
}

// column holds one metric's values over all rows of a report, so that every
// slice is a sum over indices. Values are rounded as the report states them, so
// that reports that were written and read give the same sums.
type column struct {
	metric *Metric
	values []float64 // NaN where the row has none
	hit    []bool    // Count, Rate: whether the row counts
	text   []string  // Distribution; "" where the row has none
	bad    map[int]string
}

// newColumns makes room for the values of n rows.
func newColumns(metrics []Metric, n int) []column {
	columns := make([]column, len(metrics))
	for k := range columns {
		c := &columns[k]
		c.metric = &metrics[k]
		switch c.metric.Aggregation {
		case Count, Rate:
			c.hit = make([]bool, n)
		case Distribution:
			c.text = make([]string, n)
		default:
			c.values = make([]float64, n)
		}
	}
	return columns
}

// A source says where in a row a named value stands. Most rows are alike, so that
// it is found for one of them, and good for the next.
type source struct {
	kind  sourceKind
	index int
}

type sourceKind uint8

const (
	nowhere sourceKind = iota
	inStatus
	inMetrics
	inFacts
)

// sourceOf finds the status or a fact.
func (r *Row) sourceOf(name string) source {
	if name == "status" {
		return source{kind: inStatus}
	}
	for i := range r.Facts {
		if r.Facts[i].Name == name {
			return source{inFacts, i}
		}
	}
	return source{}
}

// fact, text and number are what stands at a source that was found for a row with
// the same names.
func (r *Row) fact(s source) any {
	if s.kind == inFacts {
		return r.Facts[s.index].Value
	}
	return nil
}

func (r *Row) text(s source) (string, bool) {
	if s.kind == inStatus {
		return string(r.Status), true
	}
	return asText(r.fact(s))
}

func (r *Row) number(s source) (value float64, ok bool) {
	if s.kind == inMetrics {
		return r.Metrics[s.index].Value, true
	}
	value, ok = r.fact(s).(float64)
	return value, ok
}

// alike reports whether the metrics and facts of two rows have the same names.
func (r *Row) alike(o *Row) bool {
	return slices.EqualFunc(r.Metrics, o.Metrics, func(a, b Value) bool { return a.Name == b.Name }) &&
		slices.EqualFunc(r.Facts, o.Facts, func(a, b Fact) bool { return a.Name == b.Name })
}

// sources are where a column's value stands, and what leaves a row out of it.
type sources struct{ of, except source }

// sources finds them for a row and those that are alike.
func (c *column) sources(r *Row) (s sources) {
	m := c.metric
	switch m.Aggregation {
	case Count, Rate, Distribution:
		s.of = r.sourceOf(m.Of)
		return s
	}
	if m.Except != "" {
		s.except = r.sourceOf(m.Except)
	}
	for i := range r.Metrics {
		if r.Metrics[i].Name == m.Of {
			s.of = source{inMetrics, i}
			return s
		}
	}
	s.of = r.sourceOf(m.Of)
	return s
}

// read takes over what row i has of the metric; why says what is wrong with it.
func (c *column) read(i int, row *Row, s sources) (why string) {
	m := c.metric
	switch m.Aggregation {
	case Count, Rate:
		got, ok := row.text(s.of)
		c.hit[i] = m.Of == "" || ok && got == m.Equals
		return ""
	case Distribution:
		c.text[i], _ = row.text(s.of)
		return ""
	}
	c.values[i] = math.NaN()
	if row.fact(s.except) == true {
		return ""
	}
	v, ok := row.number(s.of)
	if !ok {
		return ""
	}
	if math.IsNaN(v) || math.IsInf(v, 0) || v < m.Min-tolerance || v > m.Max+tolerance {
		return fmt.Sprintf("case %q: %s is outside [%s, %s]", row.ID, Number(v), Number(m.Min), Number(m.Max))
	}
	c.values[i] = Round(v)
	return ""
}

// entry derives the value over the rows of these indices, in their order.
// Percentiles of one value share what was sorted for the first of them.
func (c *column) entry(indices []int, shared *sorted) Entry {
	m := c.metric
	e := Entry{Name: m.Name}
	switch m.Aggregation {
	case Count, Rate:
		hits := 0
		for _, i := range indices {
			if c.hit[i] {
				hits++
			}
		}
		e.N = len(indices)
		if m.Aggregation == Count {
			e.Value, e.OK = float64(hits), true
		} else if e.N > 0 {
			e.Value, e.OK = float64(hits)/float64(e.N), true
		} else {
			e.Why = "no cases"
		}
		return e
	case Distribution:
		counts := map[string]int{}
		for _, i := range indices {
			if c.text[i] != "" {
				counts[c.text[i]]++
				e.N++
			}
		}
		for name, n := range counts {
			e.Buckets = append(e.Buckets, Bucket{name, n})
		}
		slices.SortFunc(e.Buckets, func(a, b Bucket) int {
			if a.Name < b.Name {
				return -1
			}
			return 1
		})
		e.Why = "a distribution has no single value"
		return e
	}

	if m.Aggregation == Percentile && shared.of(m) {
		return m.percentile(shared.values)
	}
	var values []float64
	sum := 0.0
	for _, i := range indices {
		if why, bad := c.bad[i]; bad {
			return Entry{Name: m.Name, Why: why}
		}
		v := c.values[i]
		if math.IsNaN(v) {
			continue
		}
		e.N++
		sum += v
		if m.Aggregation == Percentile {
			values = append(values, v)
		}
	}
	if e.N == 0 {
		e.Why = "no case has " + m.Of
		return e
	}
	e.OK = true
	if m.Aggregation == Mean {
		e.Value = sum / float64(e.N)
		return e
	}
	slices.Sort(values)
	*shared = sorted{m, values}
	return m.percentile(values)
}

// percentile gives the entry over values that are sorted, one at least.
func (m *Metric) percentile(values []float64) Entry {
	rank := int(math.Ceil(float64(len(values))*m.P/100 - tolerance)) // 99.9% of 1000 is 999
	return Entry{Name: m.Name, OK: true, N: len(values), Value: values[min(max(rank, 1), len(values))-1]}
}

// sorted holds the values of one metric over some rows, sorted.
type sorted struct {
	metric *Metric
	values []float64
}

// of reports whether they are those of m too.
func (s *sorted) of(m *Metric) bool {
	return s.metric != nil && s.metric.Of == m.Of && s.metric.Except == m.Except && s.metric.Min == m.Min && s.metric.Max == m.Max
}

// Number writes a value as reports do: the shortest decimal that has at most 12
// significant digits, so that two machines whose last bits differ write the
// same bytes.
func Number(v float64) string { return string(appendNumber(nil, v)) }

func appendNumber(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e12 {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	v = Round(v)
	format := byte('f')
	if a := math.Abs(v); a < 1e-6 || a >= 1e21 {
		format = 'e'
	}
	return strconv.AppendFloat(dst, v, format, -1, 64)
}

// Round gives v with 12 significant digits.
func Round(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	// A value of few decimals, as most are, is the float64 next to a decimal of
	// at most 12 digits already.
	if scaled := v * 1e6; scaled == math.Trunc(scaled) && scaled/1e6 == v && math.Abs(scaled) < 1e12 {
		return v
	}
	// Most values are decimals of a few digits, and are their own rounding.
	if k := math.Round(v * 1e6); math.Abs(k) < 1e12 && k/1e6 == v {
		return v
	}
	var buf [32]byte
	r, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], v, 'e', 11, 64)), 64)
	if err != nil {
		return v
	}
	return r
}

// CaseValue gives what one row brings to the metric: its value, or 1 and 0 for
// a row that a count counts or not. ok is false where the row has no part in it.
func (m *Metric) CaseValue(r *Row) (value float64, ok bool) {
	switch m.Aggregation {
	case Count, Rate:
		got, has := r.text(r.sourceOf(m.Of))
		if m.Of == "" || has && got == m.Equals {
			return 1, true
		}
		return 0, true
	case Distribution:
		return 0, false
	}
	if m.Except != "" && r.Fact(m.Except) == true {
		return 0, false
	}
	return r.Number(m.Of)
}

package gate

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
)

// tolerance is what rounding may take from a value: 3 of 5 passes 0.6.
const tolerance = 1e-9

// Check holds a report against the rules. With a baseline, which may be nil, two
// more things are judged: max_drop, and that no case is worse than it was, by
// the rule of package compare.
//
// The error is for rules that do not fit the report: a metric or a label that it
// does not know, a bound outside a metric's range. All of them are reported
// together.
func (r *Rules) Check(report, baseline *evaluation.Report) (*Result, error) {
	if baseline == nil {
		return r.check(report, nil)
	}
	return r.check(report, compare.Compare(baseline, report, compare.Options{}))
}

// CheckComparison is [Rules.Check] for a report that was compared with its
// baseline already.
func (r *Rules) CheckComparison(c *compare.Comparison) (*Result, error) { return r.check(c.New, c) }

func (r *Rules) check(report *evaluation.Report, c *compare.Comparison) (*Result, error) {
	if err := r.err(append(r.faults(), r.against(report)...)); err != nil {
		return nil, err
	}
	k := &checker{report: report, comparison: c, columns: map[*evaluation.Metric]column{}, result: &Result{Suite: report.Suite, Comparison: c}}
	for i := range report.Metrics {
		m := &report.Metrics[i]
		k.bounds(place{summary: report.Summary}, m, r.Metrics[m.Name], r.MinCases)
	}
	for _, label := range slices.Sorted(maps.Keys(r.Slices)) {
		minCases := r.MinCases
		if own := r.Slices[label].MinCases; own != nil {
			minCases = *own
		}
		k.slices(label, r.Slices[label], minCases)
	}
	for i := range report.Metrics {
		m := &report.Metrics[i]
		if d, ok := r.MaxDrop[m.Name]; ok {
			k.drop(m, d, r.MinCases)
		}
	}
	k.result.NoRules = len(k.result.Rules) == 0
	if c != nil {
		k.worse()
	}
	return k.result, nil
}

type checker struct {
	report     *evaluation.Report
	comparison *compare.Comparison
	result     *Result
	columns    map[*evaluation.Metric]column
}

// place is where a rule looks: the whole report, or one slice of it.
type place struct {
	label, value string
	summary      []evaluation.Entry
	// rows are the indices of the place's rows; nil stands for all.
	rows     []int
	absent   bool // the slice is not there
	optional bool // too few cases leave the place out, instead of failing
}

// each gives what the rows of the place bring to the metric, by their index, in
// the order of their ids.
func (k *checker) each(p *place, m *evaluation.Metric) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		c := k.column(m)
		if p.label != "" {
			for _, i := range p.rows {
				if i >= 0 && i < len(c.values) && c.has[i] && !yield(i, c.values[i]) {
					return
				}
			}
			return
		}
		for i := range c.values {
			if c.has[i] && !yield(i, c.values[i]) {
				return
			}
		}
	}
}

// column holds what every row brings to a metric: a case may be in many slices.
type column struct {
	values []float64
	has    []bool
}

func (k *checker) column(m *evaluation.Metric) column {
	c, ok := k.columns[m]
	if !ok {
		n := len(k.report.Rows)
		c = column{make([]float64, n), make([]bool, n)}
		for i := range k.report.Rows {
			c.values[i], c.has[i] = m.CaseValue(&k.report.Rows[i])
		}
		k.columns[m] = c
	}
	return c
}

func (k *checker) slices(label string, s Slice, minCases int) {
	var places []place
	for i := range k.report.Slices {
		if x := &k.report.Slices[i]; x.Label == label {
			places = append(places, place{label: label, value: x.Value, summary: x.Summary, rows: x.Rows, optional: !slices.Contains(s.Required, x.Value)})
		}
	}
	if len(places) == 0 && len(s.Required) == 0 {
		// Nothing to judge where something was to be judged.
		places = append(places, place{label: label, absent: true})
	}
	for _, v := range s.Required {
		if !slices.ContainsFunc(places, func(p place) bool { return p.value == v }) {
			places = append(places, place{label: label, value: v, absent: true})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.value, b.value) })
	gone := k.valueless(label, places, s.Metrics)
	for i := range places {
		p := &places[i]
		if len(s.Metrics) == 0 {
			if !p.optional {
				k.present(p, minCases)
			}
			continue
		}
		for j := range k.report.Metrics {
			m := &k.report.Metrics[j]
			if !gone[m.Name] {
				k.bounds(*p, m, s.Metrics[m.Name], minCases)
			}
		}
	}
}

// valueless gives the metrics that no slice of the label has a value of, and
// that no required one has to have. They are unmeasured once, for all slices:
// were each left out for having too few cases, the rule would hold nothing and
// fail nothing.
func (k *checker) valueless(label string, places []place, bounds map[string]Bound) map[string]bool {
	gone := map[string]bool{}
	for i := range k.report.Metrics {
		m := &k.report.Metrics[i]
		ends := bounds[m.Name].ends()
		if len(ends) == 0 || slices.ContainsFunc(places, func(p place) bool { return !p.optional || k.values(&p, m) > 0 }) {
			continue
		}
		gone[m.Name] = true
		for _, end := range ends {
			k.result.Rules = append(k.result.Rules, Rule{State: Unmeasured, Kind: end.kind, Metric: m.Name, Label: label, Bound: end.bound,
				Got: evaluation.Entry{Name: m.Name}, Reason: "no case with a " + label + " has a value of it", unit: m.Unit})
		}
	}
	return gone
}

// present judges a required value without metrics.
func (k *checker) present(p *place, minCases int) {
	rule := Rule{Kind: Required, Label: p.label, Value: p.value, Bound: float64(max(minCases, 1)), Got: evaluation.Entry{Value: float64(len(p.rows)), OK: !p.absent, N: len(p.rows)}}
	switch {
	case p.absent:
		rule.State, rule.Reason = Unmeasured, k.absence(p)
	case len(p.rows) < minCases:
		rule.State, rule.Reason = Insufficient, tooFew(len(p.rows), minCases)
	default:
		rule.State, rule.Reason = Pass, "it is there"
	}
	k.result.Rules = append(k.result.Rules, rule)
}

func (k *checker) absence(p *place) string {
	if !slices.ContainsFunc(k.report.Slices, func(s evaluation.Slice) bool { return s.Label == p.label }) {
		return "no case has a " + p.label
	}
	return fmt.Sprintf("no case has the %s %s", p.label, p.value)
}

func tooFew(n, minCases int) string {
	return fmt.Sprintf("n = %d is under the minimum of %s", n, plural(minCases, "case"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func find(entries []evaluation.Entry, name string) (evaluation.Entry, bool) {
	for i := range entries {
		if entries[i].Name == name {
			return entries[i], true
		}
	}
	return evaluation.Entry{Name: name, Why: "the report does not state it"}, false
}

// measured says why an entry cannot be judged, "" where it can.
func measured(e evaluation.Entry) string {
	switch {
	case !e.OK:
		return cmp.Or(e.Why, "it has no value")
	case math.IsNaN(e.Value) || math.IsInf(e.Value, 0):
		return "its value is " + evaluation.Number(e.Value)
	case e.N <= 0:
		return "no cases"
	}
	return ""
}

// bounds judges one metric at one place.
func (k *checker) bounds(p place, m *evaluation.Metric, b Bound, minCases int) {
	ends := b.ends()
	if len(ends) == 0 {
		return
	}
	rule := Rule{Metric: m.Name, Label: p.label, Value: p.value, unit: m.Unit}
	rule.Got.Name = m.Name
	if p.absent {
		rule.State, rule.Reason = Unmeasured, k.absence(&p)
	} else {
		rule.Got, _ = find(p.summary, m.Name)
		why := measured(rule.Got)
		n := rule.Got.N
		if why != "" {
			n = k.values(&p, m)
		}
		switch {
		case p.optional && n < minCases && (why == "" || n == 0):
			k.result.NotGated = append(k.result.NotGated, NotGated{Label: p.label, Value: p.value, Metric: m.Name, N: n, MinCases: minCases})
			return
		case why != "":
			rule.State, rule.Reason = Unmeasured, why
			if p.optional && n == 0 && minCases == 0 {
				rule.Reason += "; with min_cases: 1 such a slice is not gated"
			}
		case n < minCases:
			rule.State, rule.Reason = Insufficient, tooFew(n, minCases)
		}
	}
	for _, end := range ends {
		rule := rule
		rule.Kind, rule.Bound = end.kind, end.bound
		if rule.State == "" {
			rule.hold()
		}
		if rule.State != Pass {
			rule.name(k.culprits(&p, m, end))
		}
		k.result.Rules = append(k.result.Rules, rule)
	}
	k.warn(&p, m, rule.Got)
}

// name gives the rule its cases.
func (r *Rule) name(w worst) { r.Cases, r.CaseCount = w.cases, w.count }

// hold compares a measured value with a min or a max.
func (r *Rule) hold() {
	got := r.Got.Value
	value, bound := figures(got, r.Bound, r.unit), evaluation.Number(r.Bound)
	switch {
	case r.Kind == Min && got >= r.Bound-tolerance:
		r.State, r.Reason = Pass, value+" is at least "+bound
	case r.Kind == Min:
		r.State, r.Reason = Fail, value+" is under "+bound
	case got <= r.Bound+tolerance:
		r.State, r.Reason = Pass, value+" is at most "+bound
	default:
		r.State, r.Reason = Fail, value+" is over "+bound
	}
}

// values counts the rows of a place that have a value of the metric, be it a bad
// one. It is asked where an entry without a value does not say.
func (k *checker) values(p *place, m *evaluation.Metric) int {
	n := 0
	for range k.each(p, m) {
		n++
	}
	return n
}

// culprits gives the cases that pulled a metric beyond a bound, worst first:
// those whose own value is beyond it, or, where a metric counts, those that
// count (for a max) or do not (for a min). Values that are none, or outside the
// metric's range, come first of all.
func (k *checker) culprits(p *place, m *evaluation.Metric, end end) worst {
	bound := end.bound
	if m.Aggregation == evaluation.Count {
		bound = 0.5
	}
	w := worst{}
	for i, v := range k.each(p, m) {
		badness := bound - v
		if end.kind == Max {
			badness = v - bound
		}
		if math.IsNaN(v) || math.IsInf(v, 0) || v < m.Min-tolerance || v > m.Max+tolerance {
			badness = math.Inf(1)
		}
		if badness > tolerance {
			w.add(badness, Case{ID: k.report.Rows[i].ID, Value: v, Row: &k.report.Rows[i], bound: bound})
		}
	}
	return w
}

// listedCases is how many cases a rule names.
const listedCases = 100

// worst keeps the cases that are worst, and counts all. Cases come in the order
// of their ids, and among equally bad ones the first stays first.
type worst struct {
	cases   []Case
	badness []float64
	count   int
}

func (w *worst) add(badness float64, c Case) {
	w.count++
	if w.count > listedCases && badness <= w.badness[listedCases-1] {
		return
	}
	at, _ := slices.BinarySearchFunc(w.badness, badness, func(kept, x float64) int {
		if kept >= x {
			return -1
		}
		return 1
	})
	if len(w.cases) == listedCases {
		w.cases, w.badness = w.cases[:listedCases-1], w.badness[:listedCases-1]
	}
	w.cases, w.badness = slices.Insert(w.cases, at, c), slices.Insert(w.badness, at, badness)
}

// drop judges a metric against the baseline.
func (k *checker) drop(m *evaluation.Metric, allowed float64, minCases int) {
	rule := Rule{Kind: MaxDrop, Metric: m.Name, Bound: allowed, unit: m.Unit}
	rule.Got, _ = find(k.report.Summary, m.Name)
	c := k.comparison
	switch why := measured(rule.Got); {
	case why != "":
		rule.State, rule.Reason = Unmeasured, why
	case c == nil:
		rule.State, rule.Reason = Unmeasured, "no baseline"
	case c.Incomparable != "":
		rule.State, rule.Reason = Unmeasured, "the baseline is not comparable: "+c.Incomparable
	default:
		rule.Was, _ = find(c.Old.Summary, m.Name)
		if why := described(c.Old.Metric(m.Name), m); why != "" {
			rule.State, rule.Reason = Unmeasured, "the baseline is not comparable: "+why
		} else if why := measured(rule.Was); why != "" {
			rule.State, rule.Reason = Unmeasured, "the baseline has no value: "+why
		} else if n := min(rule.Got.N, rule.Was.N); n < minCases {
			rule.State, rule.Reason = Insufficient, tooFew(n, minCases)
		}
	}
	if rule.State == "" {
		rule.holdDrop(m.Better)
	}
	if rule.State != Pass && c != nil {
		rule.name(k.fallen(m, rule.Was))
	}
	k.result.Rules = append(k.result.Rules, rule)
	k.warn(&place{}, m, rule.Got)
}

// described says how the baseline describes a metric otherwise, "" where it does
// not: two values of which more is better in one, and less in the other, or that
// come from other facts, say nothing of a drop.
func described(was, is *evaluation.Metric) string {
	if was == nil {
		return "" // it has no value there, and that is said
	}
	for _, x := range []struct{ what, was, is string }{
		{"better direction", string(was.Better), string(is.Better)},
		{"unit", was.Unit, is.Unit},
		{"aggregation", string(was.Aggregation), string(is.Aggregation)},
		{"source", was.Of, is.Of},
		{"counted value", was.Equals, is.Equals},
		{"percentile", evaluation.Number(was.P), evaluation.Number(is.P)},
		{"exception", was.Except, is.Except},
	} {
		if x.was != x.is {
			return fmt.Sprintf("the %s of %s was %s and is %s", x.what, is.Name, cmp.Or(x.was, "(none)"), cmp.Or(x.is, "(none)"))
		}
	}
	return ""
}

func (r *Rule) holdDrop(better evaluation.Better) {
	d, verb := r.Was.Value-r.Got.Value, "fell"
	if better == evaluation.Lower {
		d, verb = -d, "rose"
	}
	from, to := figures(r.Was.Value, r.Got.Value, r.unit), figures(r.Got.Value, r.Was.Value, r.unit)
	allowed := evaluation.Number(r.Bound)
	switch {
	case d > r.Bound+tolerance:
		r.State = Fail
		r.Reason = fmt.Sprintf("it %s by %s, from %s to %s; %s is allowed", verb, figures(d, r.Bound, r.unit), from, to, allowed)
	case d > tolerance:
		r.State = Pass
		r.Reason = fmt.Sprintf("it %s by %s, from %s to %s; %s is allowed", verb, figures(d, r.Bound, r.unit), from, to, allowed)
	default:
		r.State, r.Reason = Pass, "it is no worse than the baseline's "+from
	}
}

// fallen gives the cases whose value is worse than in the baseline, the largest
// fall first. A case that the baseline does not have is held against the
// baseline's value over all.
func (k *checker) fallen(m *evaluation.Metric, was evaluation.Entry) worst {
	var w worst
	for i := range k.comparison.Cases {
		c := &k.comparison.Cases[i]
		if c.New == nil || c.Kind == compare.Incomparable {
			continue
		}
		x := Case{ID: c.ID, Row: c.New, Was: was.Float(), bound: was.Float()}
		var ok bool
		if x.Value, ok = m.CaseValue(c.New); !ok {
			continue
		}
		if c.Old != nil {
			if x.Was, ok = m.CaseValue(c.Old); !ok {
				continue
			}
			x.HasWas = true
		} else if m.Aggregation == evaluation.Count {
			x.Was = 0
			if m.Better == evaluation.Higher {
				x.Was = 1
			}
		}
		fall := x.Was - x.Value
		if m.Better == evaluation.Lower {
			fall = -fall
		}
		if fall > tolerance {
			w.add(fall, x)
		}
	}
	return w
}

// worse judges that no case is worse than in the baseline: a mean that rose
// makes up for none.
func (k *checker) worse() {
	c := k.comparison
	rule := Rule{Kind: NotWorse, State: Pass, Reason: "no case is worse", Got: evaluation.Entry{OK: true, N: len(c.Cases)}}
	var w worst
	for i := range c.Cases {
		if x := &c.Cases[i]; x.Kind.Worse() {
			w.add(float64(-slices.Index(compare.Kinds, x.Kind)), Case{ID: x.ID, Row: cmp.Or(x.New, x.Old), Change: x, Value: math.NaN()})
		}
	}
	if w.count > 0 {
		rule.name(w)
		rule.Got.Value = float64(w.count)
		rule.State, rule.Reason = Fail, plural(w.count, "case")+" worse than the baseline"
	}
	if c.Incomparable != "" {
		rule.State, rule.Reason = Unmeasured, "the baseline is not comparable: "+c.Incomparable
	} else if len(c.Cases) == 0 {
		rule.State, rule.Reason = Unmeasured, "there is no case to compare"
	} else if w.count == 0 && c.InBoth() == 0 {
		rule.State, rule.Reason = Unmeasured, "no case is in the baseline"
	}
	k.result.Rules = append(k.result.Rules, rule)
}

// warn remarks on a percentile of so few values that it is their maximum.
func (k *checker) warn(p *place, m *evaluation.Metric, e evaluation.Entry) {
	if m.Aggregation != evaluation.Percentile || !e.OK || e.N < 1 || m.P <= 50 || math.Ceil(float64(e.N)*m.P/100) < float64(e.N) {
		return
	}
	where := ""
	if p.label != "" {
		where = fmt.Sprintf(" (%s %s)", p.label, p.value)
	}
	k.result.warn(fmt.Sprintf("%s%s: of n = %d values, p%s is near the maximum: one slow case decides it", m.Name, where, e.N, evaluation.Number(m.P)))
}

// figures shows a value with as many digits as it takes to see on which side of
// the bound it is: 0.79996 beside 0.80, and 0.714.
func figures(v, bound float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) || v == math.Trunc(v) && unit != "ratio" && math.Abs(v) < 1e15 {
		return evaluation.Number(v)
	}
	side := func(x float64) int {
		switch {
		case x < bound-tolerance:
			return -1
		case x > bound+tolerance:
			return 1
		}
		return 0
	}
	digits := 3
	if unit != "ratio" && math.Abs(v) >= 100 {
		digits = 0
	}
	for ; digits < 12; digits++ {
		s := strconv.FormatFloat(v, 'f', digits, 64)
		shown, err := strconv.ParseFloat(s, 64)
		if err == nil && side(shown) == side(v) {
			return s
		}
	}
	return evaluation.Number(v)
}

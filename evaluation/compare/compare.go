// Package compare says what became of each case between two reports, and which
// of it is worse.
//
// One rule says worse, for tests, gates and the command alike. A case has
// regressed if its status fell, an ordered fact such as the hit level fell, or a
// check that passed in the baseline no longer does. Regressed, removed and
// incomparable cases are worse; no mean that rose makes up for one of them.
package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/karat-eval/karat/evaluation"
)

// Kind says what became of a case.
type Kind string

const (
	// Regressed: the status fell, an ordered fact fell, or a check that passed
	// no longer does, whatever else became better.
	Regressed Kind = "regressed"
	// Removed: the case is in the baseline only.
	Removed Kind = "removed"
	// Incomparable: the case, the configuration or the rules changed, so that
	// neither better nor worse can be said.
	Incomparable Kind = "incomparable"
	// Fixed is the reverse of regressed: something rose, and nothing fell.
	Fixed Kind = "fixed"
	// Changed: any other difference of checks, facts or metrics; durations and
	// tokens aside.
	Changed Kind = "changed"
	// Added: the case is not in the baseline.
	Added Kind = "added"
	Equal Kind = "equal"
)

// Kinds lists the kinds, those that are worse first.
var Kinds = []Kind{Regressed, Removed, Incomparable, Fixed, Changed, Added, Equal}

// Worse reports whether a case of this kind is worse than the baseline.
func (k Kind) Worse() bool { return k == Regressed || k == Removed || k == Incomparable }

// Direction says where a value moved: -1 for the worse, 1 for the better, 0
// where neither can be said.
type Direction int

const (
	Worse  Direction = -1
	Moved  Direction = 0
	Better Direction = 1
)

// Change is one difference between two rows of a case.
type Change struct {
	// Of is what changed: "status", "check", "fact" or "metric". Name is its
	// name, "status" for the status.
	Of, Name string
	// Old and New are the values as text; "" where there is none.
	Old, New string
	// Direction is where it moved.
	Direction Direction
	// Decides says that the change makes the case regressed or fixed.
	Decides bool
	// Why is the reason that a failed check gives, or how a list changed.
	Why string
}

// String gives the change in words: "hit_level fell from strong to medium".
func (c Change) String() string {
	old, now := cmp.Or(c.Old, "(none)"), cmp.Or(c.New, "(none)")
	if c.Of == "check" {
		return c.check(now)
	}
	if c.Why != "" {
		return c.Name + " changed: " + c.Why
	}
	verb := "changed"
	switch {
	case c.Direction == Worse && c.Decides:
		verb = "fell"
	case c.Direction == Better && c.Decides:
		verb = "rose"
	case c.Direction == Worse:
		verb = "got worse"
	case c.Direction == Better:
		verb = "got better"
	}
	return c.Name + " " + verb + " from " + old + " to " + now
}

func (c Change) check(now string) string {
	s := "check " + c.Name
	pass := string(evaluation.CheckPass)
	switch {
	case c.New == "":
		s += " does not apply any more"
		if c.Old == pass {
			s += ", it passed"
		}
	case c.Old == c.New:
		s += " has another result"
	case c.New == pass && c.Old == "":
		s += " applies now, and passes"
	case c.New == pass:
		s += " passes now"
	case c.Old == pass:
		s += " no longer passes"
	case c.Old == "":
		s += " applies now: " + now
	default:
		s += " changed from " + c.Old + " to " + now
	}
	if c.Why != "" {
		s += ": " + c.Why
	}
	return s
}

// Case is one case of a comparison.
type Case struct {
	ID   string
	Kind Kind
	// Changes are the differences, those that decide the kind first.
	Changes []Change
	// Why says why the case is incomparable.
	Why string
	// Old and New are the case's rows, nil where a report has none.
	Old, New *evaluation.Row
}

// Delta is a metric in both reports.
type Delta struct {
	Name string
	// Bucket is set where the metric is a distribution: the name of one count.
	Bucket string
	// Metric describes it: the new report's description, else the old one's.
	Metric evaluation.Metric
	// Old and New are the entries; without a value where a report has none.
	Old, New evaluation.Entry
}

// Change gives new − old, NaN where either has no value.
func (d Delta) Change() float64 { return d.New.Float() - d.Old.Float() }

// Direction says where the metric moved. A value that was lost is worse.
func (d Delta) Direction() Direction {
	if d.Metric.Better != evaluation.Higher && d.Metric.Better != evaluation.Lower {
		return Moved
	}
	switch {
	case d.Old.OK && !d.New.OK:
		return Worse
	case !d.Old.OK || !d.New.OK:
		return Moved
	}
	return direction(d.Metric.Better, d.Old.Value, d.New.Value)
}

// Same reports whether both reports give the same value over as many cases.
func (d Delta) Same() bool {
	return d.Old.OK == d.New.OK && d.Old.N == d.New.N && (!d.Old.OK || near(d.Old.Value, d.New.Value))
}

// SliceDelta holds the metrics of one slice in both reports.
type SliceDelta struct {
	Label, Value string
	// OldCases and NewCases count the slice's cases.
	OldCases, NewCases int
	Metrics            []Delta
}

// Transition counts how a fact, such as the verdict, moved.
type Transition struct {
	Fact, From, To string
	// Cases are the ids of the cases that moved so.
	Cases []string
}

// Comparison is what became of a baseline.
type Comparison struct {
	// Old is the baseline, New what is held against it. Under
	// [Options.Partial], Old holds the cases of New only.
	Old, New *evaluation.Report
	// Cases has every case of either report, by id.
	Cases   []Case
	Metrics []Delta
	Slices  []SliceDelta
	// Transitions are sorted by fact, then the most frequent first.
	Transitions []Transition
	// Incomparable says why no case can be compared; empty where they can.
	Incomparable string
	// Statistics is what [Comparison.Test] found; nil before.
	Statistics *Statistics
}

// Options adjusts a comparison.
type Options struct {
	// Partial says that New holds a chosen part of the suite: cases that it
	// lacks are left out instead of being removed, from the metrics too.
	Partial bool
}

// Compare holds a report against its baseline.
func Compare(old, now *evaluation.Report, opts Options) *Comparison {
	if opts.Partial {
		old = part(old, now)
	}
	c := &Comparison{Old: old, New: now}
	rules := NewRules(&old.Definition, &now.Definition)
	c.Incomparable = rules.incomparable

	c.Cases = make([]Case, 0, max(len(old.Rows), len(now.Rows)))
	for i, j := 0, 0; i < len(old.Rows) || j < len(now.Rows); {
		var a, b *evaluation.Row
		if i < len(old.Rows) {
			a = &old.Rows[i]
		}
		if j < len(now.Rows) {
			b = &now.Rows[j]
		}
		switch {
		case a != nil && b != nil && a.ID == b.ID:
			i++
			j++
		case b == nil || a != nil && a.ID < b.ID:
			i++
			b = nil
		default:
			j++
			a = nil
		}
		c.Cases = append(c.Cases, rules.Case(a, b))
	}

	c.Metrics = deltas(old, now, old.Summary, now.Summary)
	c.Slices = sliceDeltas(old, now)
	c.Transitions = transitions(rules, c.Cases)
	return c
}

// part gives the report of those cases of old that now has too.
func part(old, now *evaluation.Report) *evaluation.Report {
	var rows []evaluation.Row
	for i := range old.Rows {
		if now.Row(old.Rows[i].ID) != nil {
			rows = append(rows, old.Rows[i])
		}
	}
	if len(rows) == len(old.Rows) {
		return old
	}
	some, err := evaluation.New(old.Definition, rows, old.Warnings)
	if err != nil { // no case is in both
		return &evaluation.Report{Definition: old.Definition}
	}
	return some
}

// Worse reports whether any case is worse than the baseline.
func (c *Comparison) Worse() bool {
	return slices.ContainsFunc(c.Cases, func(x Case) bool { return x.Kind.Worse() })
}

// InBoth gives the number of cases that both reports have. Of none, nothing was
// compared: that no case is worse then says nothing.
func (c *Comparison) InBoth() int {
	n := 0
	for i := range c.Cases {
		if c.Cases[i].Old != nil && c.Cases[i].New != nil {
			n++
		}
	}
	return n
}

// NewFailing gives the rows of added cases that do not pass. They are not worse than
// anything; but no baseline says that they are known to fail.
func (c *Comparison) NewFailing() []*evaluation.Row {
	var rows []*evaluation.Row
	for i := range c.Cases {
		if x := &c.Cases[i]; x.Kind == Added && x.New.Status != evaluation.Pass {
			rows = append(rows, x.New)
		}
	}
	return rows
}

// Count gives the number of cases of a kind.
func (c *Comparison) Count(k Kind) int {
	n := 0
	for i := range c.Cases {
		if c.Cases[i].Kind == k {
			n++
		}
	}
	return n
}

// Case gives the comparison of one case, or nil.
func (c *Comparison) Case(id string) *Case {
	i, ok := slices.BinarySearchFunc(c.Cases, id, func(x Case, id string) int { return cmp.Compare(x.ID, id) })
	if !ok {
		return nil
	}
	return &c.Cases[i]
}

// Metric gives the delta of a metric of the summary.
func (c *Comparison) Metric(name string) (Delta, bool) {
	for _, d := range c.Metrics {
		if d.Name == name && d.Bucket == "" {
			return d, true
		}
	}
	return Delta{}, false
}

// deltas pairs two summaries: the metrics of the new report in its order, then
// those that only the old one has.
func deltas(old, now *evaluation.Report, a, b []evaluation.Entry) []Delta {
	index := make(map[string]int, len(a))
	for i := range a {
		index[a[i].Name] = i
	}
	out := make([]Delta, 0, len(b))
	add := func(r *evaluation.Report, a, b evaluation.Entry) {
		name := cmp.Or(b.Name, a.Name)
		m := r.Metric(name)
		if m == nil {
			m = &evaluation.Metric{Name: name, Better: evaluation.NoBetter, Min: math.Inf(-1), Max: math.Inf(1)}
		}
		a.Name, b.Name = name, name
		if m.Aggregation == evaluation.Distribution {
			out = append(out, buckets(*m, a, b)...)
			return
		}
		out = append(out, Delta{Name: name, Metric: *m, Old: a, New: b})
	}
	missing := func(report string) evaluation.Entry {
		return evaluation.Entry{Why: "the " + report + " does not state it"}
	}
	for i := range b {
		from := missing("baseline")
		if k, ok := index[b[i].Name]; ok {
			from = a[k]
			delete(index, b[i].Name)
		}
		add(now, from, b[i])
	}
	for i := range a {
		if _, left := index[a[i].Name]; left {
			add(old, a[i], missing("new report"))
		}
	}
	return out
}

// buckets pairs the counts of a distribution. A bucket that one side lacks
// counts nothing there.
func buckets(m evaluation.Metric, a, b evaluation.Entry) []Delta {
	counts := map[string]*Delta{}
	get := func(name string) *Delta {
		d := counts[name]
		if d == nil {
			d = &Delta{Name: m.Name, Bucket: name, Metric: m}
			d.Old = evaluation.Entry{Name: name, OK: a.N > 0, N: a.N, Why: a.Why}
			d.New = evaluation.Entry{Name: name, OK: b.N > 0, N: b.N, Why: b.Why}
			counts[name] = d
		}
		return d
	}
	for _, x := range a.Buckets {
		get(x.Name).Old.Value = float64(x.Count)
	}
	for _, x := range b.Buckets {
		get(x.Name).New.Value = float64(x.Count)
	}
	out := make([]Delta, 0, len(counts))
	for _, d := range counts {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(x, y Delta) int { return cmp.Compare(x.Bucket, y.Bucket) })
	return out
}

func sliceDeltas(old, now *evaluation.Report) []SliceDelta {
	var out []SliceDelta
	order := func(a, b *evaluation.Slice) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Value, b.Value))
	}
	var none evaluation.Slice
	for i, j := 0, 0; i < len(old.Slices) || j < len(now.Slices); {
		a, b := &none, &none
		switch {
		case i == len(old.Slices):
			b = &now.Slices[j]
		case j == len(now.Slices):
			a = &old.Slices[i]
		default:
			if c := order(&old.Slices[i], &now.Slices[j]); c <= 0 {
				a = &old.Slices[i]
				if c == 0 {
					b = &now.Slices[j]
				}
			} else {
				b = &now.Slices[j]
			}
		}
		d := SliceDelta{Label: a.Label, Value: a.Value, OldCases: len(a.Rows), NewCases: len(b.Rows)}
		if a == &none {
			d.Label, d.Value = b.Label, b.Value
		} else {
			i++
		}
		if b != &none {
			j++
		}
		d.Metrics = deltas(old, now, a.Summary, b.Summary)
		out = append(out, d)
	}
	return out
}

func transitions(rules *Rules, cases []Case) []Transition {
	var out []Transition
	for _, fact := range rules.transitions {
		moved := map[[2]string][]string{}
		for i := range cases {
			x := &cases[i]
			if x.Old == nil || x.New == nil {
				continue
			}
			from, to := factText(x.Old.Fact(fact)), factText(x.New.Fact(fact))
			if from != to {
				k := [2]string{cmp.Or(from, "(none)"), cmp.Or(to, "(none)")}
				moved[k] = append(moved[k], x.ID)
			}
		}
		from := len(out)
		for k, ids := range moved {
			out = append(out, Transition{Fact: fact, From: k[0], To: k[1], Cases: ids})
		}
		slices.SortFunc(out[from:], func(a, b Transition) int {
			return cmp.Or(cmp.Compare(len(b.Cases), len(a.Cases)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
	}
	return out
}

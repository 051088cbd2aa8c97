package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Setting is one entry of a report's configuration: what, besides cases and
// fixtures, decides its values. Reports of different settings are not
// comparable. Value is a string, a float64 or a bool.
type Setting struct {
	Name  string
	Value any
}

// FactInfo tells readers and comparisons of one fact of the rows.
type FactInfo struct {
	Name string
	// Order lists a text fact's values from worst to best; a fall along it is
	// a regression. Values that are not listed have no order.
	Order []string
	// Volatile facts (durations, tokens) differ between two runs of the same
	// system and are no change.
	Volatile bool
	// Transitions asks comparisons to count how the fact's values moved.
	Transitions bool
	// Title heads the fact where it is shown with a case that needs eyes.
	Title string
}

// Definition is what a domain says of its reports. It is the same for every
// report of one schema and configuration.
type Definition struct {
	// Schema names the format and its version, "karat/retrieval-report/v1".
	Schema string
	// Suite names what was evaluated, for readers.
	Suite   string
	Config  []Setting
	Metrics []Metric
	Facts   []FactInfo
}

// Slice is the part of a report's rows that share one label value.
type Slice struct {
	// Label and Value are the slice key, such as "source" and "hr".
	Label, Value string
	// Rows are indices into the report's rows, ascending.
	Rows    []int
	Summary []Entry
}

// Report is the result of evaluating a set of cases.
type Report struct {
	Definition
	// Summary has one entry for each metric, in the order of Metrics.
	Summary []Entry
	// Slices are sorted by label and value.
	Slices []Slice
	// Rows are sorted by id.
	Rows []Row
	// Warnings are remarks on the set as a whole.
	Warnings []string
}

// New makes a report from rows in any order. It is an error where there are no
// rows, where two rows have one id, and where a row has no id, no status, or a
// status that its checks deny.
func New(def Definition, rows []Row, warnings []string) (*Report, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("no cases: a report needs at least one")
	}
	order := sortedOrder(rows)
	for i := range order {
		id := rows[order[i]].ID
		if id == "" {
			return nil, fmt.Errorf("a row has no id")
		}
		if i > 0 && id == rows[order[i-1]].ID {
			return nil, fmt.Errorf("case %q: two rows have this id", id)
		}
	}
	r := &Report{Definition: def, Rows: make([]Row, len(rows))}
	r.Warn(warnings...)
	if err := r.take(rows, order); err != nil {
		return nil, err
	}
	return r, nil
}

// Warn adds remarks on the set as a whole.
func (r *Report) Warn(remarks ...string) {
	r.Warnings = slices.Concat(r.Warnings, remarks)
	slices.Sort(r.Warnings)
	r.Warnings = slices.Compact(r.Warnings)
}

// Merge joins reports of one definition into the report that evaluating all
// their cases together would have given.
func Merge(reports ...*Report) (*Report, error) {
	if len(reports) == 0 {
		return nil, fmt.Errorf("no reports to merge")
	}
	first := reports[0]
	var rows []Row
	var warnings []string
	for _, r := range reports {
		if r.Schema != first.Schema || r.Suite != first.Suite || !slices.EqualFunc(r.Config, first.Config, sameSetting) {
			return nil, fmt.Errorf("reports of suite %q (%s) and suite %q (%s) do not belong together: schema, suite and config must be the same",
				first.Suite, first.Schema, r.Suite, r.Schema)
		}
		rows = append(rows, r.Rows...)
		warnings = append(warnings, r.Warnings...)
	}
	return New(first.Definition, rows, warnings)
}

// sameSetting does not use ==, which panics on a list that a file may state.
func sameSetting(a, b Setting) bool { return reflect.DeepEqual(a, b) }

type sliceKey struct{ label, value string }

// take checks the rows, takes them over in that order, and makes the summaries. It
// goes over the rows once, for all metrics and slices: a row is read from memory
// more slowly than anything is found in it.
func (r *Report) take(rows []Row, order []int) error {
	columns := newColumns(r.Metrics, len(r.Rows))
	const chunk = 256
	type badValue struct {
		column, row int
		why         string
	}
	type part struct {
		wrong   error
		bad     []badValue
		members map[sliceKey][]int
	}
	parts := make([]part, (len(r.Rows)+chunk-1)/chunk)
	parallel(len(parts), func(n int) {
		p := &parts[n]
		p.members = map[sliceKey][]int{}
		from := make([]sources, len(columns))
		first := n * chunk
		for i := first; i < min(len(r.Rows), first+chunk); i++ {
			row := &r.Rows[i]
			*row = rows[order[i]]
			if p.wrong = row.check(); p.wrong != nil {
				return
			}
			if i == first || !row.alike(&r.Rows[i-1]) {
				for k := range columns {
					from[k] = columns[k].sources(row)
				}
			}
			for k := range columns {
				if why := columns[k].read(i, row, from[k]); why != "" {
					p.bad = append(p.bad, badValue{k, i, why})
				}
			}
			for _, l := range row.Labels {
				for _, v := range l.Values {
					k := sliceKey{l.Name, v}
					if m := p.members[k]; len(m) == 0 || m[len(m)-1] != i {
						p.members[k] = append(m, i)
					}
				}
			}
		}
	})
	members := map[sliceKey][]int{}
	for i := range parts {
		if err := parts[i].wrong; err != nil {
			return err
		}
		for _, b := range parts[i].bad {
			c := &columns[b.column]
			if c.bad == nil {
				c.bad = map[int]string{}
			}
			c.bad[b.row] = b.why
		}
		for k, rows := range parts[i].members {
			members[k] = append(members[k], rows...)
		}
	}
	r.Slices = make([]Slice, 0, len(members))
	for k, rows := range members {
		r.Slices = append(r.Slices, Slice{Label: k.label, Value: k.value, Rows: rows})
	}
	slices.SortFunc(r.Slices, func(a, b Slice) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Value, b.Value))
	})
	entries := func(indices []int) []Entry {
		out := make([]Entry, len(columns))
		var shared sorted
		for i := range columns {
			out[i] = columns[i].entry(indices, &shared)
		}
		return out
	}
	parallel(1+len(r.Slices), func(i int) {
		if i == 0 {
			for i := range order {
				order[i] = i
			}
			r.Summary = entries(order)
			return
		}
		s := &r.Slices[i-1]
		s.Summary = entries(s.Rows)
	})
	return nil
}

// parallel calls fn for 0 to n-1, on every processor.
func parallel(n int, fn func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wait.Wait()
}

// reconcile compares the entries that a report file states with those that its
// rows give, and takes the value from every entry in which they disagree: such a
// file was edited or torn, and nothing may pass on it.
func reconcile(stated map[string]Entry, derived []Entry) []Entry {
	out := slices.Clone(derived)
	for i, d := range derived {
		s, ok := stated[d.Name]
		switch {
		case !ok:
			out[i] = Entry{Name: d.Name, Why: "the report does not state it"}
		case d.Buckets != nil && s.Buckets == nil:
			out[i] = Entry{Name: d.Name, Why: cmp.Or(s.Why, "the report states no counts")}
		case d.Buckets != nil:
			slices.SortFunc(s.Buckets, func(a, b Bucket) int { return cmp.Compare(a.Name, b.Name) })
			if !slices.Equal(s.Buckets, d.Buckets) {
				out[i] = Entry{Name: d.Name, Why: "the report states other counts than its rows give"}
			}
		case !s.OK:
			out[i] = Entry{Name: d.Name, Why: cmp.Or(s.Why, d.Why, "the report states no value")}
		case !d.OK:
			out[i] = Entry{Name: d.Name, Why: fmt.Sprintf("the report states %s, its rows give no value: %s", Number(s.Value), d.Why)}
		case s.N < 0:
			out[i] = Entry{Name: d.Name, Why: "the report states an n that is no number of cases"}
		case s.N != d.N || math.Abs(s.Value-d.Value) > tolerance*max(1, math.Abs(d.Value)):
			out[i] = Entry{Name: d.Name, Why: fmt.Sprintf("the report states %s (n = %d), its rows give %s (n = %d)", Number(s.Value), s.N, Number(d.Value), d.N)}
		}
	}
	return out
}

// Metric gives the description of a metric, or nil.
func (r *Report) Metric(name string) *Metric {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return &r.Metrics[i]
		}
	}
	return nil
}

// Entry gives an entry of the summary.
func (r *Report) Entry(name string) (Entry, bool) { return find(r.Summary, name) }

// Entry gives an entry of the slice's summary.
func (s *Slice) Entry(name string) (Entry, bool) { return find(s.Summary, name) }

func find(entries []Entry, name string) (Entry, bool) {
	for _, e := range entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// Row gives the row of a case, or nil.
func (r *Report) Row(id string) *Row {
	i, ok := slices.BinarySearchFunc(r.Rows, id, func(row Row, id string) int { return cmp.Compare(row.ID, id) })
	if !ok {
		return nil
	}
	return &r.Rows[i]
}

// FactInfo gives what the report says of a fact, the zero value where nothing.
func (r *Report) FactInfo(name string) FactInfo {
	for _, f := range r.Facts {
		if f.Name == name {
			return f
		}
	}
	return FactInfo{Name: name}
}

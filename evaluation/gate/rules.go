package gate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/internal/input"
)

// Rules is a gate: what a report must hold to pass. The struct is the format of
// the gate file. Nothing has a default: a gate without rules does not pass.
type Rules struct {
	// Version is the version of the format, 1.
	Version int `json:"version,omitempty"`
	// MinCases is the number of cases that a metric must go over for its value
	// to be judged, overall and in every slice that does not state its own. A
	// metric over fewer is insufficient, and the gate does not pass on it.
	MinCases int `json:"min_cases,omitempty"`
	// Metrics bounds metrics of the summary, by name: recall@5, error_count.
	Metrics map[string]Bound `json:"metrics,omitempty"`
	// Slices bounds metrics for each value of a label (scenario_type,
	// scenario_id, source, tag, split), so that a good mean cannot hide a weak
	// part.
	Slices map[string]Slice `json:"slices,omitempty"`
	// MaxDrop is how much worse than the baseline a metric may be, by name, in
	// the metric's own unit: 0.02. A metric of which less is better may rise by
	// that much. Without a baseline such a rule is unmeasured, and the gate does
	// not pass.
	MaxDrop map[string]float64 `json:"max_drop,omitempty"`

	name string       // of the file, as the user named it
	root *input.Scope // where its fields stand
}

// Bound is the range that a metric must keep to; at least one end of it.
type Bound struct {
	// Min is the lowest value that passes, in the metric's range.
	Min *float64 `json:"min,omitempty"`
	// Max is the highest value that passes, in the metric's range.
	Max *float64 `json:"max,omitempty"`
}

// Slice bounds metrics for each value that a label has.
type Slice struct {
	// Required are values that must be there, over enough cases. Without them,
	// a value that lost all its cases would not be missed.
	Required []string `json:"required,omitempty"`
	// MinCases is min_cases for this label; where it is not given, that of the
	// whole gate. A value that is not required and has a metric over fewer cases
	// is not gated by that metric, and is listed.
	MinCases *int `json:"min_cases,omitempty"`
	// Metrics bounds metrics of each slice, by name. Where there are none, the
	// required values only have to be there.
	Metrics map[string]Bound `json:"metrics,omitempty"`
}

// Read reads a gate file. The name gives the format (.yaml, .yml, .json) and
// stands in messages. Everything that is wrong with the file is reported
// together, each with its line; what can only be seen beside a report, such as
// a metric that does not exist, is reported by [Rules.Check].
func Read(name string, data []byte) (*Rules, error) {
	f, err := input.Parse(name, data, input.Options{})
	if err != nil {
		return nil, err
	}
	return decode(f)
}

// ReadFile reads a gate file of the operating system, as [Read] does.
func ReadFile(name string) (*Rules, error) {
	f, err := input.ReadFile(name, input.Options{})
	if err != nil {
		return nil, err
	}
	return decode(f)
}

func decode(f *input.File) (*Rules, error) {
	root := f.Root()
	r := &Rules{name: f.Name, root: &root}
	f.CheckVersion()
	root.Decode(r)
	if v := root.Value(); v != nil {
		unstated(root, v, nil)
	}
	for _, x := range r.faults() {
		at := root.At(x.path...)
		if v := at.Value(); x.empty && v != nil && (v.Kind != input.Object || len(v.Fields) > 0) && v.Kind != input.Null {
			continue // what it states could not be decoded, and that is reported
		}
		at.Errorf("%s", x.message)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// unstated reports names without a value. A decoder takes them for not given,
// and a bound that somebody forgot to fill in would be asked of no report. The
// sections of the file may be empty, as they are where every rule under them is
// commented out; that a metric or a slice has no rule is said by faults.
func unstated(at input.Scope, v *input.Value, path []any) {
	for i := range v.Fields {
		f := &v.Fields[i]
		path := append(path, f.Name)
		section := len(path) == 1 && f.Name != "min_cases"
		ruled := len(path) == 2 && path[0] != "max_drop"
		if f.Value.Kind == input.Null && !section && !ruled {
			at.At(path...).Errorf("it has no value; state one, or leave the name out")
		}
		unstated(at, &f.Value, path)
	}
}

// fault is something wrong with the rules, and the fields that lead to it.
type fault struct {
	path    []any
	message string
	empty   bool // the place states nothing
}

type faults []fault

func (fs *faults) add(path []any, format string, args ...any) {
	*fs = append(*fs, fault{path: slices.Clone(path), message: fmt.Sprintf(format, args...)})
}

// addEmpty adds a fault that is true only where the place states nothing.
func (fs *faults) addEmpty(path []any, message string) {
	*fs = append(*fs, fault{slices.Clone(path), message, true})
}

// faults gives what is wrong with the rules themselves.
func (r *Rules) faults() faults {
	var fs faults
	if r.root == nil && r.Version != 0 && r.Version != 1 { // a file's was checked
		fs.add([]any{"version"}, "%d is not known; 1 is the only version", r.Version)
	}
	if r.MinCases < 0 {
		fs.add([]any{"min_cases"}, "%d is negative; it must be 0 or more", r.MinCases)
	}
	boundFaults(&fs, []any{"metrics"}, r.Metrics)
	for _, label := range slices.Sorted(maps.Keys(r.Slices)) {
		s := r.Slices[label]
		at := []any{"slices", label}
		if len(s.Metrics) == 0 && len(s.Required) == 0 {
			fs.addEmpty(at, "it has no rule; state metrics, or values that are required")
		}
		if s.MinCases != nil && *s.MinCases < 0 {
			fs.add(append(at, "min_cases"), "%d is negative; it must be 0 or more", *s.MinCases)
		}
		for i, v := range s.Required {
			switch {
			case v == "":
				fs.add(append(at, "required", i), "it is empty; a value of the label is needed")
			case slices.Contains(s.Required[:i], v):
				fs.add(append(at, "required", i), "%q stands there twice", v)
			}
		}
		boundFaults(&fs, append(at, "metrics"), s.Metrics)
	}
	for _, name := range slices.Sorted(maps.Keys(r.MaxDrop)) {
		if d := r.MaxDrop[name]; !(d >= 0) || math.IsInf(d, 0) {
			fs.add([]any{"max_drop", name}, "%s is not allowed; it must be 0 or more", evaluation.Number(d))
		}
	}
	return fs
}

func boundFaults(fs *faults, at []any, bounds map[string]Bound) {
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		at := append(slices.Clone(at), name)
		b := bounds[name]
		if b.Min == nil && b.Max == nil {
			fs.addEmpty(at, "it has no bound; state min, max, or both")
		}
		finite := true
		for _, end := range b.ends() {
			if math.IsNaN(end.bound) || math.IsInf(end.bound, 0) {
				fs.add(append(at, string(end.kind)), "%s is not allowed; a finite number is needed", evaluation.Number(end.bound))
				finite = false
			}
		}
		if finite && b.Min != nil && b.Max != nil && *b.Min > *b.Max {
			fs.add(append(at, "min"), "%s is above the max of %s: no value can pass", evaluation.Number(*b.Min), evaluation.Number(*b.Max))
		}
	}
}

type end struct {
	kind  Kind
	bound float64
}

// ends gives the bound's ends, one rule each.
func (b Bound) ends() []end {
	var out []end
	if b.Min != nil {
		out = append(out, end{Min, *b.Min})
	}
	if b.Max != nil {
		out = append(out, end{Max, *b.Max})
	}
	return out
}

// sliceLabels are the labels that cases have by their fields. A gate may name
// one that no case of the report has (its rules are then unmeasured); any other
// that none has is a mistake.
var sliceLabels = []string{"scenario_type", "scenario_id", "source", "tag", "split"}

// against gives what is wrong with the rules for this report.
func (r *Rules) against(report *evaluation.Report) faults {
	var fs faults
	metrics := make([]string, len(report.Metrics))
	for i := range report.Metrics {
		metrics[i] = report.Metrics[i].Name
	}
	bounds := func(at []any, bounds map[string]Bound) {
		for _, name := range slices.Sorted(maps.Keys(bounds)) {
			at := append(slices.Clone(at), name)
			m := metric(&fs, at, report, metrics)
			if m == nil {
				continue
			}
			for _, end := range bounds[name].ends() {
				if end.bound < m.Min || end.bound > m.Max {
					fs.add(append(at, string(end.kind)), "%s is outside the range of %s, %s", evaluation.Number(end.bound), name, interval(m))
				}
			}
		}
	}
	bounds([]any{"metrics"}, r.Metrics)

	labels := slices.Clone(sliceLabels)
	for i := range report.Slices {
		if l := report.Slices[i].Label; !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(r.Slices)) {
		if !slices.Contains(labels, label) {
			fs.add([]any{"slices", label}, "no case has a label %q; %s", label, suggestion(label, labels))
		}
		bounds([]any{"slices", label, "metrics"}, r.Slices[label].Metrics)
	}
	for _, name := range slices.Sorted(maps.Keys(r.MaxDrop)) {
		at := []any{"max_drop", name}
		m := metric(&fs, at, report, metrics)
		switch d := r.MaxDrop[name]; {
		case m == nil:
		case m.Better != evaluation.Higher && m.Better != evaluation.Lower:
			fs.add(at, "%s has no better direction, so that nothing is a drop; bound it under metrics", name)
		case d > m.Max-m.Min:
			fs.add(at, "%s is wider than the range of %s, %s", evaluation.Number(d), name, interval(m))
		}
	}
	return fs
}

// metric gives the metric that the last name of a path means, or reports that
// there is none by which a gate can judge.
func metric(fs *faults, at []any, report *evaluation.Report, known []string) *evaluation.Metric {
	name := at[len(at)-1].(string)
	m := report.Metric(name)
	switch {
	case m == nil:
		fs.add(at, "the report has no metric %q; %s", name, suggestion(name, known))
	case m.Aggregation == evaluation.Distribution:
		fs.add(at, "%s is a distribution, and has no single value to bound", name)
		m = nil
	}
	return m
}

func suggestion(name string, known []string) string {
	if base, k, cut := strings.Cut(name, "@"); cut && k != "" && strings.Trim(k, "0123456789") == "" {
		for _, other := range known {
			if strings.HasPrefix(other, base+"@") {
				return fmt.Sprintf("it has %q; evaluate with k = %s to have the other", other, k)
			}
		}
	}
	if near := input.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "it has none"
	}
	return "known are " + strings.Join(known, ", ")
}

func interval(m *evaluation.Metric) string {
	low, high := "(-∞", "∞)"
	if !math.IsInf(m.Min, 0) {
		low = "[" + evaluation.Number(m.Min)
	}
	if !math.IsInf(m.Max, 0) {
		high = evaluation.Number(m.Max) + "]"
	}
	return low + ", " + high
}

// err gives faults as the error that reading the file would have given.
func (r *Rules) err(fs faults) error {
	if len(fs) == 0 {
		return nil
	}
	problems := make(input.Problems, len(fs))
	for i, x := range fs {
		p := input.Problem{File: r.name, Message: x.message}
		if r.root != nil {
			at := r.root.At(x.path...)
			p.Line, p.Field = at.Line(), at.Path()
		} else {
			p.Field = input.PathText(x.path)
		}
		problems[i] = p
	}
	slices.SortStableFunc(problems, func(a, b input.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems
}

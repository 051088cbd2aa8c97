package evaluation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadReport reads a report that [Report.WriteJSON] wrote. The summary and the
// slices are derived from the rows again; an entry that the file states
// otherwise, or does not state, has no value in the report that is returned, and
// says why. A slice of which there is no case is an error, since whoever gates
// slices would not miss it, and so is a schema of karat's that is no report of
// this version. Unknown members are ignored, except in rows, where they are
// facts.
func ReadReport(r io.Reader) (*Report, error) {
	d := &decoder{Decoder: jsontext.NewDecoder(r), names: map[string]string{}}
	report, stated, err := d.report()
	if err != nil {
		var syntactic *jsontext.SyntacticError
		var unread *fs.PathError
		switch {
		case errors.As(err, &unread):
			return nil, unread
		case errors.Is(err, io.EOF):
			return nil, errors.New("not a report: the file is empty")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("not a report: the JSON ends too early")
		case errors.As(err, &syntactic):
			return nil, fmt.Errorf("not a report: %w at byte %d", syntactic.Err, syntactic.ByteOffset)
		}
		return nil, fmt.Errorf("not a report: %w", err)
	}
	full, err := New(report.Definition, report.Rows, report.Warnings)
	if err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	if err := stated.beyond(full); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	full.Summary = reconcile(stated.summary, full.Summary)
	for i := range full.Slices {
		s := &full.Slices[i]
		// The file leaves entries without cases out of its slices.
		for j, e := range reconcile(stated.slices[s.Label][s.Value], s.Summary) {
			if s.Summary[j].N > 0 {
				s.Summary[j] = e
			}
		}
	}
	return full, nil
}

type stated struct {
	summary map[string]Entry
	slices  map[string]map[string]map[string]Entry
}

// beyond says which slice the file states that the rows do not have, or which
// value of a slice no row has: a part of the cases, or of what they hold, is
// gone.
func (s *stated) beyond(r *Report) error {
	for _, label := range slices.Sorted(maps.Keys(s.slices)) {
		for _, value := range slices.Sorted(maps.Keys(s.slices[label])) {
			i, ok := slices.BinarySearchFunc(r.Slices, Slice{Label: label, Value: value}, func(a, b Slice) int {
				return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Value, b.Value))
			})
			if !ok {
				return fmt.Errorf("it states the slice %q of %q, and no case is in it; write the report again", value, label)
			}
			for j, d := range r.Slices[i].Summary {
				e := s.slices[label][value][d.Name]
				if d.N == 0 && (e.OK || e.N != 0 || e.Buckets != nil) && !slices.ContainsFunc(r.Slices[i].Rows, func(row int) bool {
					_, has := r.Metrics[j].CaseValue(&r.Rows[row])
					return has
				}) {
					return fmt.Errorf("of the slice %q of %q it states %q, and no case in it has one; write the report again", value, label, d.Name)
				}
			}
		}
	}
	return nil
}

type decoder struct {
	*jsontext.Decoder
	// names holds the strings that stand in every row, as the file quotes them:
	// the names of members, checks and statuses.
	names map[string]string
}

// name reads a string that is likely to come again.
func (d *decoder) name(dst *string) error {
	if d.PeekKind() != '"' {
		return d.string(dst)
	}
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	s, known := d.names[string(v)]
	if !known {
		b, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return err
		}
		s = string(b)
		if len(d.names) < 4096 {
			d.names[string(v)] = s
		}
	}
	*dst = s
	return nil
}

// object calls member for each member of the object that comes next; member
// consumes the value.
func (d *decoder) object(member func(name string) error) error {
	if err := d.expect('{'); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		var name string
		if err := d.name(&name); err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// array calls element for each element of the array that comes next.
func (d *decoder) array(element func() error) error {
	if err := d.expect('['); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func (d *decoder) expect(kind jsontext.Kind) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != kind {
		return d.wrong(kind.String(), t.Kind())
	}
	return nil
}

func (d *decoder) wrong(want string, got jsontext.Kind) error {
	place := string(d.StackPointer())
	if strings.ContainsFunc(place, unicode.IsControl) {
		place = strconv.Quote(place) // a message is one line
	}
	if place != "" {
		place += ": "
	}
	return fmt.Errorf("%swant %s, got %s", place, want, got)
}

func (d *decoder) string(dst *string) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '"' {
		return d.wrong("string", t.Kind())
	}
	*dst = t.String()
	return nil
}

func (d *decoder) number(dst *float64) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '0' {
		return d.wrong("number", t.Kind())
	}
	if *dst, err = t.Float(); err != nil {
		return fmt.Errorf("%s: the number is beyond what a float64 holds", d.StackPointer())
	}
	return nil
}

func (d *decoder) bool(dst *bool) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != 't' && t.Kind() != 'f' {
		return d.wrong("boolean", t.Kind())
	}
	*dst = t.Bool()
	return nil
}

func (d *decoder) strings(dst *[]string) error {
	*dst = []string{}
	return d.array(func() error {
		*dst = append(*dst, "")
		return d.string(&(*dst)[len(*dst)-1])
	})
}

// any reads a fact or a setting.
func (d *decoder) any(dst *any) (err error) {
	switch d.PeekKind() {
	case '"':
		var s string
		err = d.string(&s)
		*dst = s
	case '0':
		var f float64
		err = d.number(&f)
		*dst = f
	case 't', 'f':
		var b bool
		err = d.bool(&b)
		*dst = b
	case '[':
		var l []string
		err = d.strings(&l)
		*dst = l
	default:
		*dst = nil
		err = d.SkipValue()
	}
	return err
}

func (d *decoder) report() (*Report, stated, error) {
	r := &Report{}
	st := stated{slices: map[string]map[string]map[string]Entry{}}
	err := d.object(func(name string) error {
		switch name {
		case "schema":
			return d.string(&r.Schema)
		case "suite":
			return d.string(&r.Suite)
		case "config":
			return d.object(func(name string) error {
				r.Config = append(r.Config, Setting{Name: name})
				return d.any(&r.Config[len(r.Config)-1].Value)
			})
		case "metrics":
			return d.object(func(name string) error { return d.metric(name, r) })
		case "facts":
			return d.object(func(name string) error { return d.factInfo(name, r) })
		case "summary":
			var err error
			st.summary, err = d.entries()
			return err
		case "slices":
			return d.object(func(label string) error {
				st.slices[label] = map[string]map[string]Entry{}
				return d.object(func(value string) error {
					var err error
					st.slices[label][value], err = d.entries()
					return err
				})
			})
		case "warnings":
			return d.strings(&r.Warnings)
		case "cases":
			return d.array(func() error {
				r.Rows = append(r.Rows, Row{})
				return d.row(&r.Rows[len(r.Rows)-1])
			})
		}
		return d.SkipValue()
	})
	if err != nil {
		return nil, st, err
	}
	if r.Schema == "" {
		return nil, st, errors.New(`it has no "schema"`)
	}
	if r.Schema == "karat/run/v1" {
		return nil, st, fmt.Errorf("its schema is %q: the summary of a run, for a trend; the report of one suite is needed", r.Schema)
	}
	if rest, ours := strings.CutPrefix(r.Schema, "karat/"); ours && !strings.HasSuffix(rest, "-report/v1") {
		return nil, st, fmt.Errorf("its schema is %q; this version of karat reads reports of version 1, such as %q", r.Schema, "karat/retrieval-report/v1")
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, st, errors.New("something follows the report's JSON value")
	}
	return r, st, nil
}

func (d *decoder) metric(name string, r *Report) error {
	m := Metric{Name: name, Min: math.Inf(-1), Max: math.Inf(1)}
	err := d.object(func(name string) error {
		switch name {
		case "better":
			return d.string((*string)(&m.Better))
		case "min":
			return d.number(&m.Min)
		case "max":
			return d.number(&m.Max)
		case "unit":
			return d.string(&m.Unit)
		case "aggregation":
			return d.string((*string)(&m.Aggregation))
		case "of":
			return d.string(&m.Of)
		case "equals":
			return d.string(&m.Equals)
		case "p":
			return d.number(&m.P)
		case "except":
			return d.string(&m.Except)
		}
		return d.SkipValue()
	})
	if err != nil {
		return err
	}
	switch m.Better {
	case Higher, Lower, NoBetter, "":
	default:
		return fmt.Errorf("metric %q: better is %q, none of higher, lower, none", name, m.Better)
	}
	if m.Min > m.Max {
		return fmt.Errorf("metric %q: min %s is above max %s", name, Number(m.Min), Number(m.Max))
	}
	switch m.Aggregation {
	case Mean, Count, Rate, Distribution:
	case Percentile:
		if !(m.P > 0 && m.P <= 100) {
			return fmt.Errorf("metric %q: p is %s, outside (0, 100]", name, Number(m.P))
		}
	default:
		return fmt.Errorf("metric %q: unknown aggregation %q", name, m.Aggregation)
	}
	if m.Of == "" && m.Aggregation != Count {
		return fmt.Errorf("metric %q: it does not state what it is of", name)
	}
	r.Metrics = append(r.Metrics, m)
	return nil
}

func (d *decoder) factInfo(name string, r *Report) error {
	f := FactInfo{Name: name}
	err := d.object(func(name string) error {
		switch name {
		case "order":
			return d.strings(&f.Order)
		case "volatile":
			return d.bool(&f.Volatile)
		case "transitions":
			return d.bool(&f.Transitions)
		case "title":
			return d.string(&f.Title)
		}
		return d.SkipValue()
	})
	r.Facts = append(r.Facts, f)
	return err
}

// entries reads a summary. An entry with a value that is no number (a string,
// say) has none.
func (d *decoder) entries() (map[string]Entry, error) {
	out := map[string]Entry{}
	err := d.object(func(name string) error {
		e := Entry{Name: name}
		if d.PeekKind() != '{' {
			e.Why = "the report states no value"
			out[name] = e
			return d.SkipValue()
		}
		err := d.object(func(name string) error {
			if d.PeekKind() == '{' { // a bucket may have any name, "n" too
				count := math.NaN()
				err := d.object(func(name string) error {
					if name == "value" && d.PeekKind() == '0' {
						return d.number(&count)
					}
					return d.SkipValue()
				})
				b := Bucket{Name: name, Count: -1}
				if count >= 0 && count <= math.MaxInt32 && count == math.Trunc(count) {
					b.Count = int(count)
				}
				e.Buckets = append(e.Buckets, b)
				return err
			}
			switch name {
			case "value":
				if d.PeekKind() == '0' {
					e.OK = true
					return d.number(&e.Value)
				}
			case "n":
				if d.PeekKind() == '0' {
					var n float64
					err := d.number(&n)
					if e.N = -1; n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n) {
						e.N = int(n)
					}
					return err
				}
			case "why":
				if d.PeekKind() == '"' {
					return d.string(&e.Why)
				}
			}
			return d.SkipValue()
		})
		out[name] = e
		return err
	})
	return out, err
}

func (d *decoder) row(r *Row) error {
	return d.object(func(name string) error {
		switch name {
		case "id":
			return d.string(&r.ID)
		case "digest":
			return d.string(&r.Digest)
		case "query":
			return d.string(&r.Query)
		case "status":
			return d.name((*string)(&r.Status))
		case "stage":
			return d.name(&r.Stage)
		case "failed_checks":
			return d.SkipValue() // derived from the checks
		case "checks":
			return d.array(func() error {
				r.Checks = append(r.Checks, Check{})
				return d.check(&r.Checks[len(r.Checks)-1])
			})
		case "metrics":
			return d.object(func(name string) error {
				r.Metrics = append(r.Metrics, Value{Name: name, Value: math.NaN()})
				if d.PeekKind() != '0' {
					// What is no number must not leave the mean: NaN takes
					// the value from it.
					return d.SkipValue()
				}
				return d.number(&r.Metrics[len(r.Metrics)-1].Value)
			})
		case "evidence":
			return d.array(func() error {
				r.Evidence = append(r.Evidence, Evidence{})
				return d.evidence(&r.Evidence[len(r.Evidence)-1])
			})
		case "labels":
			return d.object(func(name string) error {
				r.Labels = append(r.Labels, Label{Name: name})
				return d.strings(&r.Labels[len(r.Labels)-1].Values)
			})
		case "warnings":
			return d.strings(&r.Warnings)
		case "reason":
			return d.string(&r.Reason)
		}
		r.Facts = append(r.Facts, Fact{Name: name})
		return d.any(&r.Facts[len(r.Facts)-1].Value)
	})
}

func (d *decoder) check(c *Check) error {
	return d.object(func(name string) error {
		switch name {
		case "name":
			return d.name(&c.Name)
		case "status":
			return d.name((*string)(&c.Status))
		case "expected":
			return d.string(&c.Expected)
		case "got":
			return d.string(&c.Got)
		case "reason":
			return d.string(&c.Reason)
		}
		return d.SkipValue()
	})
}

func (d *decoder) evidence(v *Evidence) error {
	return d.object(func(name string) error {
		switch name {
		case "kind":
			return d.name(&v.Kind)
		case "expected":
			return d.string(&v.Expected)
		case "covered":
			return d.bool(&v.Covered)
		case "by":
			return d.string(&v.By)
		case "where":
			return d.string(&v.Where)
		case "around":
			return d.string(&v.Around)
		case "note":
			return d.string(&v.Note)
		}
		return d.SkipValue()
	})
}

// UnmarshalJSON reads the report as [ReadReport] does.
func (r *Report) UnmarshalJSON(data []byte) error {
	read, err := ReadReport(bytes.NewReader(data))
	if err != nil {
		return err
	}
	*r = *read
	return nil
}

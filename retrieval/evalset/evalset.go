// Package evalset turns evaluation sets that were written for other tools into
// case sets of retrieval.
//
// Such a set is a list of questions with what is expected of each, often without
// ids and without a scenario type:
//
//	[{"query": "忘记密码怎么办", "expected_source": "it", "expected_keywords": ["密码", "重置"]}]
//
// Every field that a case knows, by any of its names, is taken over. What is left
// is kept under metadata, and listed.
package evalset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/retrieval"
)

// Options adjusts reading. The zero value is useful.
type Options struct {
	// ScenarioType is that of cases which state none; "" means chat.
	ScenarioType string
}

// Set is an evaluation set that was read.
type Set struct {
	// Cases are valid cases, in the order of the file.
	Cases []retrieval.Case
	// ScenarioType is what was given to cases that state none.
	ScenarioType string
	// Entries is how many entries the file has: as many as there are cases, and
	// one more for each that was left out.
	Entries int
	// Notes say what could not be taken over as it stands: first of the entries
	// that were left out, then of the rest, each by line.
	Notes []Note
}

// Note says of one thing in the file that it could not be taken over as it
// stands.
type Note struct {
	// File and Line are the place.
	File string
	Line int
	// Case is the id of the case, where it has one.
	Case string
	// Message says what, and what became of it.
	Message string
	// LeftOut says that it is about a whole entry, of which no case became.
	LeftOut bool
}

func (n Note) String() string {
	s := fmt.Sprintf("%s:%d: ", n.File, n.Line)
	if n.Case != "" {
		s += fmt.Sprintf("case %q: ", n.Case)
	}
	return s + n.Message
}

// Read reads an evaluation set: JSON, YAML or JSONL, as its name says; a list of
// cases, an object with "cases", or one case alone.
//
// A case without an id gets one from its question (and its scenario, where it has
// one): a few of its letters and a short hash. It depends on nothing else, in
// particular not on the case's place. Where a case before it asks the same of the
// same scenario, a hash of all of its fields stands behind that; a case that is
// equal to one before it is left out.
//
// A field that a case does not know is kept under metadata. So is one that says
// what no case may say; a case that is none without it is left out. Each is a
// note. It is an error where the file cannot be read, and where no case is left.
func Read(name string, data []byte, o Options) (*Set, error) {
	if o.ScenarioType == "" {
		o.ScenarioType = "chat"
	}
	file, err := input.Parse(name, data, input.Options{})
	if err != nil {
		return nil, err
	}
	if err := file.Err(); err != nil {
		return nil, err
	}
	r := newReader(name, o)
	entries, err := r.entries(&file.Value)
	if err != nil {
		return nil, err
	}
	r.set.Entries = len(entries)
	for i := range entries {
		r.entry(&entries[i])
	}
	r.identify()
	if err := r.accept(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.set.Notes, func(a, b Note) int {
		if a.LeftOut != b.LeftOut {
			if a.LeftOut {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Line, b.Line)
	})
	if len(r.set.Cases) == 0 {
		errs := []error{fmt.Errorf("%s: none of its %d entries can be taken over", name, len(entries))}
		for i, n := range r.set.Notes {
			if i == maxNotes {
				errs = append(errs, fmt.Errorf("… and %d more", len(r.set.Notes)-i))
				break
			}
			errs = append(errs, errors.New(n.String()))
		}
		return nil, errors.Join(errs...)
	}
	return r.set, nil
}

// maxNotes is how many notes the error of a set has of which nothing was taken over.
const maxNotes = 50

// names gives the first name of every name that a case's field has.
func names() map[string]string {
	out := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[retrieval.Case]()) {
		first, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if first == "" || first == "-" {
			continue
		}
		out[first] = first
		for alias := range strings.SplitSeq(f.Tag.Get("alias"), ",") {
			if alias != "" {
				out[alias] = first
			}
		}
	}
	return out
}

type reader struct {
	file   string
	set    *Set
	names  map[string]string
	known  []string // the keys of names, sorted
	drafts []*draft
}

func newReader(name string, o Options) *reader {
	known := names()
	return &reader{
		file: name, set: &Set{ScenarioType: o.ScenarioType},
		names: known, known: slices.Sorted(maps.Keys(known)),
	}
}

// draft is an entry on its way to a case.
type draft struct {
	line     int
	id       string
	fields   []input.Field
	metadata []input.Field
	pending  []Note // of a draft that has no id yet
	left     bool   // out
}

func (d *draft) pend(file string, f input.Field, message string) {
	d.pending = append(d.pending, Note{File: file, Line: f.Line, Message: f.Name + ": " + message})
}

func (r *reader) note(line int, id, format string, args ...any) {
	r.set.Notes = append(r.set.Notes, Note{File: r.file, Line: line, Case: id, Message: fmt.Sprintf(format, args...)})
}

// leaveOut notes that no case becomes of an entry.
func (r *reader) leaveOut(line int, id, format string, args ...any) {
	r.note(line, id, "left out: "+format, args...)
	r.set.Notes[len(r.set.Notes)-1].LeftOut = true
}

// entries finds the list of cases in a file.
func (r *reader) entries(v *input.Value) ([]input.Value, error) {
	switch v.Kind {
	case input.List:
		if len(v.Items) == 0 {
			return nil, fmt.Errorf("%s: no cases; at least one is needed", r.file)
		}
		return v.Items, nil
	case input.Object:
		cases := v.Get("cases")
		if cases == nil {
			return []input.Value{*v}, nil // one case alone
		}
		for _, f := range v.Fields {
			if f.Name != "cases" && f.Name != "version" {
				r.note(f.Line, "", "%q beside the cases is not taken over", f.Name)
			}
		}
		if cases.Kind != input.List || len(cases.Items) == 0 {
			return nil, fmt.Errorf("%s:%d: cases: a list of at least one case is needed, found %s", r.file, cases.Line, cases.Describe())
		}
		return cases.Items, nil
	}
	return nil, fmt.Errorf("%s:%d: a list of cases is needed, found %s", r.file, v.Line, v.Describe())
}

// entry sorts the fields of an entry.
func (r *reader) entry(v *input.Value) {
	if v.Kind != input.Object {
		r.leaveOut(v.Line, "", "a case is an object, found %s", v.Describe())
		return
	}
	d := &draft{line: v.Line}
	taken := map[string]bool{}
	for _, f := range v.Fields {
		first, known := r.names[f.Name]
		switch {
		case f.Value.Kind == input.Null:
		case first == "metadata" && f.Value.Kind == input.Object:
			d.metadata = append(d.metadata, f.Value.Fields...)
		case first == "metadata":
			d.metadata = append(d.metadata, f)
		case known && !taken[first]:
			taken[first] = true
			d.fields = append(d.fields, f)
		case known:
			r.keep(d, f, "another name of "+first+" is there too")
		default:
			r.unknown(d, f)
		}
	}
	r.drafts = append(r.drafts, d)
}

// keep puts a field under metadata, and says why.
func (r *reader) keep(d *draft, f input.Field, why string) {
	d.pend(r.file, f, why+"; it is kept under metadata")
	d.keep(f)
}

// unknown puts a field that no case has under metadata, and says which it may have
// meant.
func (r *reader) unknown(d *draft, f input.Field) {
	near := input.Nearest(f.Name, r.known)
	if near == "" {
		r.keep(d, f, "no field of a case")
		return
	}
	d.pend(r.file, f, fmt.Sprintf("no field of a case; did you mean %q? It is kept under metadata", r.names[near]))
	d.keep(f)
}

// keep puts a field under metadata.
func (d *draft) keep(f input.Field) {
	for slices.ContainsFunc(d.metadata, func(g input.Field) bool { return g.Name == f.Name }) {
		f.Name += "_"
	}
	d.metadata = append(d.metadata, f)
}

// text gives the text of a field, by its first name.
func (r *reader) text(d *draft, first string) string {
	for i := range d.fields {
		if r.names[d.fields[i].Name] == first {
			return d.fields[i].Value.Text
		}
	}
	return ""
}

// identify gives every draft its id, leaves out what is equal to a draft before it,
// and says what lies under metadata.
func (r *reader) identify() {
	taken := map[string]bool{}   // folded ids
	given := map[string]*draft{} // the drafts to which the file itself gives an id
	for _, d := range r.drafts {
		field, ok := r.takeID(d)
		if !ok {
			continue
		}
		id := field.Value.Text
		first := given[id]
		switch err := input.ValidateID(id); {
		case field.Value.Kind != input.String && field.Value.Kind != input.Number:
			r.keep(d, field, "an id is a text, found "+field.Value.Describe())
		case err != nil:
			r.keep(d, field, err.Error())
		case first != nil && canonical(r, first) == canonical(r, d):
			d.left = true
			r.leaveOut(d.line, id, "it is equal to the case on line %d", first.line)
		case taken[strings.ToLower(id)]:
			r.keep(d, field, "the id is taken")
		default:
			taken[strings.ToLower(id)] = true
			given[id] = d
			d.id = id
		}
	}
	asked := map[string]bool{}
	said := map[string]*draft{}
	for _, d := range r.drafts {
		if d.left {
			continue
		}
		if d.id == "" {
			all := canonical(r, d)
			if first := said[all]; first != nil {
				d.left = true
				r.leaveOut(d.line, "", "it is equal to the case on line %d", first.line)
				continue
			}
			said[all] = d
			key := r.question(d)
			plain := makeID(r.text(d, "query"), key)
			d.id = plain
			for again := asked[key]; again || taken[d.id]; again = false {
				d.id = plain + "-" + hash(all)
				all += "+" // where even that is taken
			}
			asked[key], taken[d.id] = true, true
		}
		for _, n := range d.pending {
			n.Case = d.id
			r.set.Notes = append(r.set.Notes, n)
		}
	}
}

// takeID takes the id out of a draft's fields.
func (r *reader) takeID(d *draft) (input.Field, bool) {
	i := slices.IndexFunc(d.fields, func(f input.Field) bool { return r.names[f.Name] == "id" })
	if i < 0 {
		return input.Field{}, false
	}
	f := d.fields[i]
	d.fields = slices.Delete(d.fields, i, i+1)
	return f, true
}

// question is what a case asks of whom.
func (r *reader) question(d *draft) string {
	return strings.Join(strings.Fields(r.text(d, "query")), " ") + "\x00" + r.text(d, "scenario_id")
}

// canonical is all that a draft says.
func canonical(r *reader, d *draft) string {
	fields := slices.Clone(d.fields)
	slices.SortStableFunc(fields, func(a, b input.Field) int { return cmp.Compare(r.names[a.Name], r.names[b.Name]) })
	var b strings.Builder
	for _, f := range fields {
		f.Name, f.Line = r.names[f.Name], 1
		writeField(&b, f)
	}
	fields = slices.Clone(d.metadata)
	slices.SortStableFunc(fields, func(a, b input.Field) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range fields {
		writeField(&b, f)
	}
	return b.String()
}

// slugLength is how many letters of its question an id shows.
const slugLength = 32

// makeID makes an id of some letters of a question and a hash of what is asked of
// whom.
func makeID(question, asked string) string {
	var slug []rune
	gap := false
	for _, c := range strings.ToLower(question) {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			gap = len(slug) > 0
			continue
		}
		if gap {
			slug = append(slug, '-')
			gap = false
		}
		slug = append(slug, c)
		if len(slug) >= slugLength {
			break
		}
	}
	if len(slug) == 0 {
		return "case-" + hash(asked)
	}
	return strings.TrimRight(string(slug), "-") + "-" + hash(asked)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// accept makes cases of the drafts. What a case may not say goes under metadata,
// and once more from the start, until all that is left is a case.
func (r *reader) accept() error {
	for {
		text, any := r.write()
		if !any {
			return nil
		}
		cases, err := retrieval.ReadCases("set.json", []byte(text), retrieval.Options{})
		if err == nil {
			r.set.Cases = cases
			return nil
		}
		var problems input.Problems
		if !errors.As(err, &problems) || !r.mend(problems) {
			return err
		}
	}
}

// mend takes out what problems are about, and reports whether that was anything.
func (r *reader) mend(problems input.Problems) bool {
	type place struct {
		d     *draft
		field string
	}
	out := map[place]bool{}
	done := false
	drafts := make(map[string]*draft, len(r.drafts))
	for _, d := range r.drafts {
		if drafts[d.id] == nil && !d.left {
			drafts[d.id] = d
		}
	}
	for _, p := range problems {
		d := drafts[p.Case]
		if d == nil || d.left {
			continue
		}
		field, _, _ := strings.Cut(p.Field, "[")
		field, _, _ = strings.Cut(field, ".")
		if out[place{d, field}] {
			continue // one problem is enough
		}
		message := p.Message
		if p.Field != "" {
			message = p.Field + ": " + message
		}
		done = true
		j := slices.IndexFunc(d.fields, func(f input.Field) bool { return f.Name == field })
		if j < 0 {
			d.left = true
			r.leaveOut(d.line, d.id, "%s", message)
			continue
		}
		out[place{d, field}] = true
		r.note(p.Line, d.id, "%s; it is kept under metadata", message)
		d.keep(d.fields[j])
		d.fields = slices.Delete(d.fields, j, j+1)
	}
	return done
}

// write gives the drafts as a case set in JSON in which every field stands on its
// line in the file, so that what is wrong with one is told with that line. any is
// false where no draft is left.
func (r *reader) write() (text string, any bool) {
	w := lineWriter{line: 1}
	w.WriteByte('[')
	for _, d := range r.drafts {
		if d.left {
			continue
		}
		if any {
			w.WriteByte(',')
		}
		any = true
		w.goTo(d.line)
		w.WriteString(`{"id":`)
		writeString(&w.Builder, d.id)
		if r.text(d, "scenario_type") == "" {
			w.WriteString(`,"scenario_type":`)
			writeString(&w.Builder, r.set.ScenarioType)
		}
		for _, f := range d.fields {
			w.WriteByte(',')
			w.goTo(f.Line)
			writeField(&w.Builder, f)
		}
		if len(d.metadata) > 0 {
			w.WriteByte(',')
			writeField(&w.Builder, input.Field{Name: "metadata", Value: input.Value{Kind: input.Object, Fields: d.metadata}})
		}
		w.WriteByte('}')
	}
	w.WriteByte(']')
	return w.String(), any
}

// lineWriter knows on which line it is.
type lineWriter struct {
	strings.Builder
	line int
}

func (w *lineWriter) goTo(line int) {
	for ; w.line < line; w.line++ {
		w.WriteByte('\n')
	}
}

func writeField(b *strings.Builder, f input.Field) {
	writeString(b, f.Name)
	b.WriteByte(':')
	writeValue(b, &f.Value)
}

// writeValue writes a value as JSON on one line.
func writeValue(b *strings.Builder, v *input.Value) {
	switch v.Kind {
	case input.Null:
		b.WriteString("null")
	case input.Bool:
		b.WriteString(v.Text)
	case input.Number:
		if jsontext.Value(v.Text).IsValid() {
			b.WriteString(v.Text)
		} else { // YAML has more numbers than JSON
			writeString(b, v.Text)
		}
	case input.String:
		writeString(b, v.Text)
	case input.List:
		b.WriteByte('[')
		for i := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeValue(b, &v.Items[i])
		}
		b.WriteByte(']')
	case input.Object:
		b.WriteByte('{')
		for i, f := range v.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			writeField(b, f)
		}
		b.WriteByte('}')
	}
}

func writeString(b *strings.Builder, s string) {
	quoted, _ := jsontext.AppendQuote(nil, s) // the reader has refused invalid UTF-8
	b.Write(quoted)
}

package input

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Case is one case of a set: its place, with the defaults put in.
type Case struct {
	Scope
	ID string
}

// CaseSet says what the cases of a set look like.
type CaseSet struct {
	// Turns allows conversations among the cases: an entry with turns,
	//
	//	{"conversation_id": "vpn", "scenario_type": "chat", "turns": [{"query": "…"}, {"query": "…"}]}
	//
	// where each turn is a case that inherits every other field of the entry. A
	// turn without a turn gets its place, from 1; one without an id gets
	// <conversation_id>-<turn>.
	Turns bool
}

// DecodeCases decodes the cases of a file into values of T, a struct with a field
// id, and gives what each makes of them, in the file's order. A set is an object
// with version (1, or left out), defaults and cases; or a bare list of cases; or
// JSONL, a case a line. Defaults may set every field but id and turns: a case that
// states the field, by any of its names and even as null, has its own value, and
// lists are replaced, never joined.
//
// Several goroutines call each, in no order, and where something is wrong with the
// file it is called again for all cases, one by one: what is told of a case depends
// on what was found before. It may report through the case's scope. The values of
// the scope are of use during the call only, its place also later.
//
// Entries without a valid id of their own, unique in the set also without case,
// are reported, and handed on all the same, so that what else is wrong with them
// is found at once; their ID may be anything. All that is wrong comes out of
// [File.Err]; a set without cases is such a problem.
func DecodeCases[T, R any](f *File, set CaseSet, each func(c Case, decoded *T) R) []R {
	t := reflect.TypeFor[T]()
	if out, ok := decodeParts(f, set, t, each); ok {
		return out
	}
	if f.rest != nil && parseRest(f) != nil {
		return nil
	}
	var out []R
	r := newCaseReader(f, set, t, func(c Case) {
		decoded := new(T)
		c.Decode(decoded)
		out = append(out, each(c, decoded))
	})
	r.ids = map[string]seenID{}
	if entries := r.list(t); entries.value != nil {
		r.entries(entries)
	}
	return out
}

// decodeParts is DecodeCases with several goroutines, as long as nothing is wrong
// with the file.
func decodeParts[T, R any](f *File, set CaseSet, t reflect.Type, each func(c Case, decoded *T) R) (out []R, ok bool) {
	parts, defaults, ok := f.parts(set, t)
	if !ok {
		return nil, false
	}
	type result struct {
		file *File
		out  []R
		ids  []string // folded
	}
	results := make([]result, len(parts))
	var values, cases atomic.Int64
	var wrong atomic.Bool
	parallel(len(parts), 1, f.options.workers(), func(i, _ int) {
		if wrong.Load() {
			return
		}
		trial := newFile(f.Name, f.options)
		res := result{file: trial}
		var room []T
		r := newCaseReader(trial, set, t, func(c Case) {
			if len(room) == 0 {
				room = make([]T, 32)
			}
			decoded := &room[0]
			room = room[1:]
			c.Decode(decoded)
			res.out = append(res.out, each(c, decoded))
		})
		r.defaults = defaults
		values.Add(int64(parts[i].each(trial, func(v *Value) { cases.Add(int64(r.entry(v))) })))
		res.ids = r.folded
		results[i] = res
		if trial.reported > 0 || values.Load() > int64(f.options.MaxValues) || cases.Load() > int64(f.options.MaxCases) {
			wrong.Store(true)
		}
	})
	if wrong.Load() {
		return nil, false
	}
	ids := make(map[string]struct{}, cases.Load())
	out = make([]R, 0, cases.Load())
	for _, res := range results {
		for _, id := range res.ids {
			if _, again := ids[id]; again {
				return nil, false
			}
			ids[id] = struct{}{}
		}
		out = append(out, res.out...)
	}
	for _, res := range results {
		res.file.whole = f
	}
	return out, len(out) > 0
}

// A part is some entries of a file, or some of its lines.
type part struct {
	items []Value
	lines []byte
	line  int // the number of the first line
}

// partItems and partBytes are how much of a file is decoded at a time.
const (
	partItems = 128
	partBytes = 128 << 10
)

// parts are the parts of a file, and the defaults of its cases; ok is false where
// something is wrong with the file already.
func (f *File) parts(set CaseSet, t reflect.Type) (parts []part, defaults []Field, ok bool) {
	if f.reported > 0 {
		return nil, nil, false
	}
	if f.rest != nil {
		for data, line := f.rest, 1; len(data) > 0; {
			end := min(partBytes, len(data))
			if more := bytes.IndexByte(data[end:], '\n'); more >= 0 {
				end += more + 1
			} else {
				end = len(data)
			}
			parts = append(parts, part{lines: data[:end], line: line})
			line += bytes.Count(data[:end], []byte{'\n'})
			data = data[end:]
		}
		return parts, nil, true
	}
	trial := newFile(f.Name, f.options)
	trial.Value, trial.lines = f.Value, f.lines
	r := newCaseReader(trial, set, t, nil)
	entries := r.list(t)
	if trial.reported > 0 || entries.value == nil || entries.value.Kind != List {
		return nil, nil, false
	}
	for items := range slices.Chunk(entries.value.Items, partItems) {
		parts = append(parts, part{items: items})
	}
	return parts, r.defaults, true
}

// each calls fn for every entry of the part, and says how many values were parsed
// for it. What is wrong with a line stays with f.
func (p part) each(f *File, fn func(v *Value)) (values int) {
	if p.lines == nil {
		for i := range p.items {
			fn(&p.items[i])
		}
		return 0
	}
	parseLines(f, p.lines, p.line, &values, true, fn)
	return values
}

type caseReader struct {
	file     *File
	set      CaseSet
	plan     *plan
	each     func(c Case)
	defaults []Field
	ids      map[string]seenID // by folded id; nil where only a part of the file is read
	folded   []string          // the ids then
	outer    []string          // the names of an entry with turns
	nameless int               // how many cases have no valid id
}

type seenID struct {
	id   string
	line int
}

func newCaseReader(f *File, set CaseSet, t reflect.Type, each func(c Case)) *caseReader {
	r := &caseReader{file: f, set: set, plan: planOf(t), each: each}
	r.outer = append([]string{"turns"}, r.plan.names...)
	f.learn(r.plan)
	return r
}

// list is the place of the list of cases.
func (r *caseReader) list(t reflect.Type) Scope {
	if !r.file.lines && r.file.Value.Kind == Object {
		return r.header(t)
	}
	return r.file.Root()
}

// header reads the object around the cases, and gives the place of the list.
func (r *caseReader) header(t reflect.Type) Scope {
	root := r.file.Root()
	known := []string{"version", "defaults", "cases"}
	for i := range root.value.Fields {
		if f := &root.value.Fields[i]; !slices.Contains(known, f.Name) {
			root.unknown(f, known)
		}
	}
	root.checkVersion()
	if defaults := root.At("defaults"); defaults.value != nil && defaults.value.Kind != Null {
		r.readDefaults(defaults, t)
	}
	list := root.At("cases")
	switch {
	case list.value == nil && list.Doubtful():
	case list.value == nil:
		root.Errorf("the object has no \"cases\"; a case set is a list of cases, or an object with version, defaults and cases")
	case list.value.Kind == Null:
		list.Errorf("no cases; at least one is needed")
		list.value = nil
	}
	return list
}

// CheckVersion reports a version of the file's format other than 1, which is
// the only one there is. None stated is 1.
func (f *File) CheckVersion() { f.Root().checkVersion() }

func (s Scope) checkVersion() {
	if v := s.At("version"); v.value != nil && v.value.Kind != Null && (v.value.Kind != Number || v.value.Text != "1") {
		v.Errorf("found %s; 1 is the only version", v.value.Describe())
	}
}

func (r *caseReader) readDefaults(s Scope, t reflect.Type) {
	if s.value.Kind != Object {
		s.needs("an object")
		return
	}
	// Decoded once for themselves, so that a mistake in them is found even
	// where every case has a value of its own.
	s.check(t)
	stated := map[int]bool{}
	for _, f := range s.value.Fields {
		n, known := r.plan.byName[f.Name]
		if known && r.plan.fields[n].name == "id" {
			s.into(&f).Errorf("an id cannot be a default")
			continue
		}
		if known && (stated[n] || f.Value.Kind == Null) {
			continue
		}
		if known {
			stated[n] = true
		}
		// An unknown one makes a field of each case doubtful.
		f.from = &origin{"defaults", joinPath("defaults", f.Name), !known}
		r.defaults = append(r.defaults, f)
	}
}

func (r *caseReader) entries(s Scope) {
	if s.value.Kind != List {
		s.Errorf("a list of cases is needed, found %s", s.value.Describe())
		return
	}
	if len(s.value.Items) == 0 {
		s.Errorf("no cases; at least one is needed")
		return
	}
	count := 0
	for i := range s.value.Items {
		count += r.entry(&s.value.Items[i])
		if limit := r.file.options.MaxCases; count > limit {
			r.place(&s.value.Items[i]).Errorf("more than %d cases", limit)
			return
		}
	}
}

// entry hands on the cases of an entry, and says how many they are.
func (r *caseReader) entry(v *Value) int {
	entry := r.place(v)
	if v.Kind != Object {
		hint := ""
		if v.Kind == String && formatOf(r.file.Name) == yamlFormat && strings.Contains(v.Text, "：") {
			hint = fullWidthColon
		}
		entry.Errorf("a case is an object, found %s%s", v.Describe(), hint)
		return 0
	}
	if r.set.Turns && v.Get("turns") != nil {
		return r.conversation(entry)
	}
	if len(r.defaults) > 0 {
		entry.value = &Value{Kind: Object, Fields: r.inherit(v.Fields, r.defaults), Line: v.Line}
	}
	r.one(entry)
	return 1
}

// place is that of an entry or a turn. The line says where it is; its position in
// the list helps only where it has no id yet.
func (r *caseReader) place(v *Value) Scope {
	return Scope{file: r.file, value: v, line: v.Line, index: -1}
}

// inherit is an entry's own fields and those of others that it does not state.
func (r *caseReader) inherit(own, others []Field) []Field {
	if len(others) == 0 {
		return own
	}
	var few [64]bool
	stated := few[:]
	if len(r.plan.fields) > len(few) {
		stated = make([]bool, len(r.plan.fields))
	}
	for i := range own {
		if n, ok := r.plan.byName[own[i].Name]; ok {
			stated[n] = true
		}
	}
	out := append(make([]Field, 0, len(own)+len(others)), own...)
	for i := range others {
		if n, ok := r.plan.byName[others[i].Name]; !ok || !stated[n] {
			out = append(out, others[i])
		}
	}
	return out
}

// conversation hands on the turns of a conversation, and says how many they are.
func (r *caseReader) conversation(s Scope) int {
	id := s.At("conversation_id")
	if id.value == nil || id.value.Kind == Null {
		s.Errorf("an entry with turns needs a conversation_id")
		return 0
	}
	if id.value.Kind != String && id.value.Kind != Number {
		id.needs("a string")
		return 0
	}
	conversation := id.value.Text
	if err := ValidateID(conversation); err != nil {
		id.Errorf("%v", err)
		return 0
	}
	parent := "conversation " + quote(conversation)
	turns := s.At("turns")
	var outer []Field
	for _, f := range s.value.Fields {
		n, known := r.plan.byName[f.Name]
		switch {
		case f.Name == "turns":
		case known && (r.plan.fields[n].name == "id" || r.plan.fields[n].name == "turn"):
			s.into(&f).Errorf("a conversation has none; each of its turns may have one")
		default:
			if !known {
				s.unknown(&f, r.outer)
			}
			f.from = &origin{parent, joinPath(parent, f.Name), !known}
			outer = append(outer, f)
		}
	}
	if turns.value.Kind != List || len(turns.value.Items) == 0 {
		found := turns.value.Describe()
		if turns.value.Kind == List {
			found = "an empty list"
		}
		turns.Errorf("a list of at least one turn is needed, found %s", found)
		return 0
	}
	outer = r.inherit(outer, r.defaults)
	numbers := map[string]int{} // turn → line
	for i := range turns.value.Items {
		v := &turns.value.Items[i]
		turn := r.place(v)
		if v.Kind != Object {
			turn.Errorf("a turn is an object, found %s", v.Describe())
			continue
		}
		own := slices.Clip(v.Fields)
		number := turn.At("turn")
		if number.value == nil || number.value.Kind == Null {
			own = slices.DeleteFunc(slices.Clone(own), func(f Field) bool { return f.Name == "turn" })
			own = append(own, Field{Name: "turn", Line: v.Line, Value: Value{Kind: Number, Text: strconv.Itoa(i + 1), Line: v.Line}})
			number.value = &own[len(own)-1].Value
		}
		if line, again := numbers[number.value.Text]; again {
			turn.Errorf("conversation %s has turn %s twice, first on line %d", quote(conversation), number.value.Text, line)
			continue
		}
		numbers[number.value.Text] = v.Line
		if other := turn.At("conversation_id"); other.value != nil && other.value.Text != conversation {
			other.Errorf("%s stands inside the conversation %s", other.value.Describe(), quote(conversation))
		}
		if r.own(own, "id") == nil {
			own = append(own, Field{Name: "id", Line: v.Line, Value: Value{Kind: String, Text: conversation + "-" + number.value.Text, Line: v.Line}})
		}
		turn.value = &Value{Kind: Object, Fields: r.inherit(own, outer), Line: v.Line}
		r.one(turn)
	}
	return len(turns.value.Items)
}

// own is the field that states the known field of that name, by any name.
func (r *caseReader) own(fields []Field, name string) *Field {
	for i := range fields {
		if n, ok := r.plan.byName[fields[i].Name]; ok && r.plan.fields[n].name == name && fields[i].Value.Kind != Null {
			return &fields[i]
		}
	}
	return nil
}

// check reports what cannot be decoded, of a place that is not handed on.
func (s Scope) check(t reflect.Type) { s.Decode(reflect.New(t).Interface()) }

// one hands on one case.
func (r *caseReader) one(s Scope) {
	id := r.own(s.value.Fields, "id")
	text, valid := "", false
	switch {
	case id == nil:
		s.Errorf("the case has no id")
	case id.Value.Kind == String || id.Value.Kind == Number:
		text = id.Value.Text
		err := ValidateID(text)
		if valid = err == nil; !valid {
			s.into(id).Errorf("%v", err)
		}
	} // decoding it reports any other kind
	if !valid {
		r.nameless++
		s.nameless = "\x00" + strconv.Itoa(r.nameless)
		r.each(Case{Scope: s, ID: text})
		return
	}
	s.caseID = text
	folded := foldID(text)
	if r.ids == nil {
		r.folded = append(r.folded, folded)
	} else if first, again := r.ids[folded]; again {
		at := s.into(id)
		if first.id == text {
			at.Errorf("used twice, first on line %d", first.line)
		} else {
			at.Errorf("differs from %s on line %d only in case, or in how a letter is encoded", quote(first.id), first.line)
		}
	} else {
		r.ids[folded] = seenID{text, id.Line}
	}
	r.each(Case{Scope: s, ID: text})
}

// learn makes the aliases of a struct known to Scope.At before it is decoded.
func (f *File) learn(p *plan) {
	if len(p.aliases) == 0 || f.learned[p] {
		return
	}
	f.learned[p] = true
	for name, others := range p.aliases {
		for _, other := range others {
			if !slices.Contains(f.aliases[name], other) {
				f.aliases[name] = append(slices.Clip(f.aliases[name]), other)
			}
		}
	}
}

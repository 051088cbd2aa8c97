package input

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Case is one case of a set: its place, with the defaults put in.
type Case struct {
	Scope
	ID string
}

// CaseSet says what the cases of a set look like.
type CaseSet struct {
	// Case is a value of the struct that cases are decoded into. Its tags tell
	// which names are known; it must have a field id.
	Case any
	// Turns allows conversations among the cases: an entry with turns,
	//
	//	{"conversation_id": "vpn", "scenario_type": "chat", "turns": [{"query": "…"}, {"query": "…"}]}
	//
	// where each turn is a case that inherits every other field of the entry. A
	// turn without a turn gets its place, from 1; one without an id gets
	// <conversation_id>-<turn>.
	Turns bool
}

// Cases hands on the cases of a file, in its order. A set is an object with
// version (1, or left out), defaults and cases; or a bare list of cases; or
// JSONL, a case a line. Defaults may set every field but id and turns: a case
// that states the field, by any of its names and even as null, has its own
// value, and lists are replaced, never joined.
//
// Entries without a valid id of their own, unique in the set also without case,
// are reported, and handed on all the same, so that what else is wrong with them
// is found at once; their ID may be anything. What each reports through its scope, and all
// else that is wrong with the file, is the [Problems] that come back; a set
// without cases is such a problem.
func (f *File) Cases(set CaseSet, each func(c Case)) error {
	t := reflect.TypeOf(set.Case)
	r := caseReader{file: f, set: set, plan: planOf(t), each: each}
	r.outer = append([]string{"turns"}, r.plan.names...)
	r.file.learn(r.plan)
	entries := f.Root()
	if !f.lines && f.Value.Kind == Object {
		entries = r.header(t)
	}
	if entries.value != nil {
		r.entries(entries)
	}
	return f.Err()
}

// DecodeCases hands on the cases of a file as [File.Cases] does, in its order,
// each with a pointer to the new value of the type of set.Case that it was decoded
// into. It decodes with several goroutines.
func (f *File) DecodeCases(set CaseSet, each func(c Case, decoded any)) error {
	if cases, decoded, ok := f.faultless(set); ok {
		for i, c := range cases {
			each(c, decoded.Index(i).Addr().Interface())
		}
		return f.Err()
	}
	t := reflect.TypeOf(set.Case)
	return f.Cases(set, func(c Case) {
		decoded := reflect.New(t).Interface()
		c.Decode(decoded)
		each(c, decoded)
	})
}

// faultless reads and decodes the cases of a file as long as nothing is wrong with
// them. What is wrong is found again, and told, by reading them one by one: what is
// told of a case depends on what was found before. decoded is the slice of what
// the cases were decoded into.
func (f *File) faultless(set CaseSet) (cases []Case, decoded reflect.Value, ok bool) {
	if f.reported > 0 {
		return nil, decoded, false
	}
	trial := newFile(f.Name, f.options)
	trial.Value, trial.lines = f.Value, f.lines
	if f.Value.Kind == List {
		cases = make([]Case, 0, min(len(f.Value.Items), f.options.MaxCases))
	}
	if trial.Cases(set, func(c Case) { cases = append(cases, c) }) != nil {
		return nil, decoded, false
	}
	t := reflect.SliceOf(reflect.TypeOf(set.Case))
	decoded = reflect.MakeSlice(t, len(cases), len(cases))
	var lock sync.Mutex
	learned := map[*plan]bool{}
	var wrong atomic.Bool
	parallel(len(cases), 128, f.options.workers(), func(from, to int) {
		trial := newFile(f.Name, f.options)
		for i := from; i < to && !wrong.Load(); i++ {
			c := &cases[i]
			c.file = trial
			if !c.Decode(decoded.Index(i).Addr().Interface()) {
				wrong.Store(true)
			}
			c.file = f
		}
		lock.Lock()
		defer lock.Unlock()
		maps.Copy(learned, trial.learned)
	})
	if wrong.Load() {
		return nil, decoded, false
	}
	for p := range learned { // in any order: no object here has two names of one field
		f.learn(p)
	}
	return cases, decoded, true
}

type caseReader struct {
	file     *File
	set      CaseSet
	plan     *plan
	each     func(c Case)
	defaults []Field
	ids      map[string]seenID // by folded id
	outer    []string          // the names of an entry with turns
	nameless int               // how many cases have no valid id
}

type seenID struct {
	id   string
	line int
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
	r.ids = make(map[string]seenID, min(len(s.value.Items), r.file.options.MaxCases))
	for i := range s.value.Items {
		// The line says where an entry is; its position in the list helps only
		// where it has no id yet.
		v := &s.value.Items[i]
		entry := Scope{file: r.file, value: v, line: v.Line, index: -1}
		if v.Kind != Object {
			hint := ""
			if v.Kind == String && formatOf(r.file.Name) == yamlFormat && strings.Contains(v.Text, "：") {
				hint = fullWidthColon
			}
			entry.Errorf("a case is an object, found %s%s", v.Describe(), hint)
			continue
		}
		if r.set.Turns && v.Get("turns") != nil {
			count += r.conversation(entry)
		} else {
			count++
			r.one(entry, r.inherit(v.Fields, r.defaults))
		}
		if limit := r.file.options.MaxCases; count > limit {
			entry.Errorf("more than %d cases", limit)
			return
		}
	}
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
		turns.Errorf("a list of at least one turn is needed, found %s", turns.value.Describe())
		return 0
	}
	outer = r.inherit(outer, r.defaults)
	numbers := map[string]int{} // turn → line
	for i := range turns.value.Items {
		v := &turns.value.Items[i]
		turn := Scope{file: r.file, value: v, line: v.Line, index: -1}
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
		r.one(turn, r.inherit(own, outer))
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
func (r *caseReader) one(s Scope, fields []Field) {
	s.value = &Value{Kind: Object, Fields: fields, Line: s.line}
	id := r.own(fields, "id")
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
	if first, again := r.ids[folded]; again {
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
	if f.learned[p] {
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

package input

import (
	"encoding"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// plan is what the decoder knows of a struct type.
type plan struct {
	fields  []planField
	sorted  []int // the fields in the order of their names
	byName  map[string]int
	names   []string            // first names, then aliases: in the order in which they are suggested
	aliases map[string][]string // by first name
}

type planField struct {
	name  string
	label []byte // the name as JSON, with its colon
	index []int
	texts bool // whether it has a MarshalText
}

var plans sync.Map // reflect.Type → *plan

// planOf reads a struct's tags: json:"first_name", alias:"other,another".
// Fields without a json tag are not the file's business.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{byName: map[string]int{}, aliases: map[string][]string{}}
	var aliases []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		n := len(p.fields)
		p.fields = append(p.fields, planField{name, append(canonicalString(nil, name), ':'), f.Index, hasMarshalText(f.Type)})
		p.byName[name] = n
		p.names = append(p.names, name)
		if tag := f.Tag.Get("alias"); tag != "" {
			others := strings.Split(tag, ",")
			for _, other := range others {
				p.byName[other] = n
			}
			p.aliases[name] = others
			aliases = append(aliases, others...)
		}
	}
	p.names = append(p.names, aliases...)
	for n := range p.fields {
		p.sorted = append(p.sorted, n)
	}
	slices.SortFunc(p.sorted, func(a, b int) int { return strings.Compare(p.fields[a].name, p.fields[b].name) })
	plans.Store(t, p)
	return p
}

// FieldNames are the names that a struct's fields have in files, in their order,
// without their aliases.
func FieldNames(t reflect.Type) []string {
	p := planOf(t)
	names := make([]string, len(p.fields))
	for i := range p.fields {
		names[i] = p.fields[i].name
	}
	return names
}

// Lacks reports whether the field that has this name in files is empty in a struct:
// zero, or a list or map with nothing in it.
func Lacks(v any, name string) bool {
	x := reflect.Indirect(reflect.ValueOf(v))
	p := planOf(x.Type())
	n, known := p.byName[name]
	if !known {
		return false
	}
	x, ok := fieldOf(x, p.fields[n].index)
	return !ok || isEmpty(x)
}

// Decode decodes the value at this place into what dst points to, and reports
// whether it could be decoded whole. It never stops at the first problem; each
// is reported at its own place. Structs are decoded by their tags:
//
//	Documents []string `json:"expected_documents" alias:"relevant_doc_id,relevant_documents"`
//
// Unknown fields, two names of one field, values of a wrong type, numbers that
// are not finite or out of the type's range are problems. Null is "not stated":
// the field keeps its value. A pointer tells whether a field was stated. Types
// with an UnmarshalText take any scalar's text. An `any` becomes nil, bool,
// int64, float64, string, []any or map[string]any.
func (s Scope) Decode(dst any) bool {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic("input: Decode needs a pointer")
	}
	if s.value == nil {
		return true
	}
	before := s.file.reported
	s.decoding = true
	s.decode(v.Elem())
	return s.file.reported == before
}

// DecodeForm is [Scope.Decode] for a value that has one of several forms. forms
// says them all, for the message of a field that none of them has.
func (s Scope) DecodeForm(dst any, forms string) bool {
	s.forms = forms
	ok := s.Decode(dst)
	if !ok { // what is missing in it then is no mistake of its own
		s.doubt(s.Path())
	}
	return ok
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

var texts sync.Map // reflect.Type → whether it has an UnmarshalText

func hasText(t reflect.Type) bool {
	if has, ok := texts.Load(t); ok {
		return has.(bool)
	}
	has := reflect.PointerTo(t).Implements(textUnmarshaler)
	texts.Store(t, has)
	return has
}

var (
	stringType  = reflect.TypeFor[string]()
	stringsType = reflect.TypeFor[[]string]()
)

func (s Scope) decode(dst reflect.Value) {
	t := dst.Type()
	// Most values are of these two types.
	switch t {
	case stringType:
		s.text(dst)
		return
	case stringsType:
		if s.texts(dst.Addr().Interface().(*[]string)) {
			return
		}
	}
	if decoder := s.file.options.Decoders[t]; decoder != nil {
		decoder(s, dst.Addr().Interface())
		return
	}
	if t.Kind() != reflect.Pointer && hasText(t) {
		if s.scalar("a string") {
			if err := dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s.value.Text)); err != nil {
				s.Errorf("%v", err)
			}
		}
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		before := s.file.reported
		if s.decode(p.Elem()); s.file.reported == before {
			dst.Set(p)
		}
	case reflect.Struct:
		s.object(dst)
	case reflect.Map:
		s.mapping(dst)
	case reflect.Slice:
		s.list(dst)
	case reflect.Interface:
		if x := s.any(s.value); x != nil {
			dst.Set(reflect.ValueOf(x))
		}
	case reflect.String:
		s.text(dst)
	case reflect.Bool:
		if s.value.Kind == Bool && (s.value.Text == "true" || s.value.Text == "false") {
			dst.SetBool(s.value.Text == "true")
		} else {
			s.needs("true or false")
		}
	case reflect.Float64, reflect.Float32:
		if x, ok := s.float("a number"); ok {
			dst.SetFloat(x)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.integer(dst)
	default:
		panic("input: cannot decode into " + t.String())
	}
}

func (s Scope) text(dst reflect.Value) {
	if s.value.Kind == String || s.value.Kind == Number {
		dst.SetString(s.value.Text)
	} else {
		s.needs("a string")
	}
}

// texts takes over a list of strings alone; ok is false for any other value.
func (s Scope) texts(dst *[]string) (ok bool) {
	items := s.value.Items
	if s.value.Kind != List || slices.ContainsFunc(items, func(v Value) bool { return v.Kind != String }) {
		return false
	}
	out := make([]string, len(items))
	for i := range items {
		out[i] = items[i].Text
	}
	*dst = out
	return true
}

// field decodes the value of a field or an item, where null is no value.
func (s Scope) field(dst reflect.Value) {
	if s.value.Kind != Null {
		s.decode(dst)
	}
}

// needs reports a value of a wrong type.
func (s Scope) needs(what string) {
	s.Errorf("%s is needed, found %s", what, s.value.Describe())
}

// scalar reports whether the value has a text, and a problem where not.
func (s Scope) scalar(what string) bool {
	switch s.value.Kind {
	case String, Number, Bool:
		return true
	}
	s.needs(what)
	return false
}

func (s Scope) object(dst reflect.Value) {
	if s.value.Kind != Object {
		s.needs("an object")
		return
	}
	p := planOf(dst.Type())
	s.file.learn(p)
	var few [32]int32 // for each field of the struct, 1 + the field of the file that states it
	stated := few[:]
	if len(p.fields) > len(few) {
		stated = make([]int32, len(p.fields))
	}
	for i := range s.value.Fields {
		f := &s.value.Fields[i]
		n, ok := p.byName[f.Name]
		if !ok {
			s.unknown(f, p.names)
			continue
		}
		if j := stated[n]; j > 0 {
			if first := &s.value.Fields[j-1]; first.Name != f.Name { // the same name twice is the parser's to report
				s.at(f).Errorf("%s and %s are two names of one field; give one of them", quote(first.Name), quote(f.Name))
			}
			continue
		}
		stated[n] = int32(i + 1)
		s.into(f).field(fieldByIndex(dst, p.fields[n].index))
	}
}

// at is this place, on the line of a field in it: where the field itself has no
// path, being unknown or one of two.
func (s Scope) at(f *Field) Scope {
	s.line, s.decoding = f.Line, false
	if f.from != nil {
		s.caseID, s.nameless, s.path, s.index = "", "", f.from.parent, -1
	}
	return s
}

// unknown reports a field that is not known. It makes the known one that it is
// near to doubtful, and the value that it stands in.
func (s Scope) unknown(f *Field, names []string) {
	best := ""
	if !s.file.full() { // looking for a near name takes long
		best = s.file.near(f.Name, names)
	}
	if best != "" {
		s.doubt(joinPath(s.Path(), best))
		for first, others := range s.file.aliases {
			if slices.Contains(others, best) {
				s.doubt(joinPath(s.Path(), first))
			}
		}
	}
	if s.Path() != "" {
		s.doubt(s.path)
		s.doubt(s.Path())
	}
	if f.from != nil && f.from.told {
		return
	}
	forms := s.forms
	s = s.at(f)
	switch {
	case best != "":
		s.errorf("unknown field %s; did you mean %s?", quote(f.Name), quote(best))
	case forms != "":
		s.errorf("unknown field %s; %s", quote(f.Name), forms)
	default:
		s.errorf("unknown field %s", quote(f.Name))
	}
}

// near is Nearest, which files ask for the same names again and again.
func (f *File) near(name string, names []string) string {
	key := nearKey{name, &names[0]}
	best, ok := f.nearest[key]
	if !ok {
		best = Nearest(name, names)
		if len(f.nearest) < maxProblems {
			f.nearest[key] = best
		}
	}
	return best
}

// fieldByIndex is reflect's FieldByIndex, except that it makes the embedded
// pointers on the way.
func fieldByIndex(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

func (s Scope) mapping(dst reflect.Value) {
	if s.value.Kind != Object {
		s.needs("an object")
		return
	}
	t := dst.Type()
	if t.Key().Kind() != reflect.String {
		panic("input: cannot decode into " + t.String())
	}
	m := reflect.MakeMapWithSize(t, len(s.value.Fields))
	for i := range s.value.Fields {
		f := &s.value.Fields[i]
		item := reflect.New(t.Elem()).Elem()
		s.into(f).field(item)
		m.SetMapIndex(reflect.ValueOf(f.Name).Convert(t.Key()), item)
	}
	dst.Set(m)
}

func (s Scope) list(dst reflect.Value) {
	if s.value.Kind != List {
		// One value stands for a list of one.
		out := reflect.MakeSlice(dst.Type(), 1, 1)
		s.decode(out.Index(0))
		dst.Set(out)
		return
	}
	out := reflect.MakeSlice(dst.Type(), len(s.value.Items), len(s.value.Items))
	decoder := s.file.options.Decoders[dst.Type().Elem()]
	for i := range s.value.Items {
		item := s.item(i)
		switch {
		case item.value.Kind == Null:
			item.Errorf("a value is needed, found null")
		case decoder != nil:
			decoder(item, out.Index(i).Addr().Interface())
		default:
			item.decode(out.Index(i))
		}
	}
	dst.Set(out)
}

// any is a value of a user's own, as plain Go values.
func (s Scope) any(v *Value) any {
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case String:
		return v.Text
	case Number:
		if i, err := strconv.ParseInt(v.Text, 10, 64); err == nil && !leadingZero(v.Text) {
			return i
		}
		x, problem := parseFloat(v.Text)
		switch {
		case problem != "":
			return v.Text
		case x == math.Trunc(x) && math.Abs(x) < 1<<53:
			return int64(x) // 1.0 and 1e3 are spellings
		}
		return x
	case List:
		items := make([]any, len(v.Items))
		for i := range v.Items {
			items[i] = s.any(&v.Items[i])
		}
		return items
	case Object:
		fields := make(map[string]any, len(v.Fields))
		for i := range v.Fields {
			fields[v.Fields[i].Name] = s.any(&v.Fields[i].Value)
		}
		return fields
	}
	return nil
}

// float is the number at this place, and a problem where there is none. A text
// is no number, even where it reads as one.
func (s Scope) float(what string) (float64, bool) {
	if s.value.Kind != Number {
		if s.value.Kind == String && slices.Contains([]string{"nan", "inf", "+inf", "-inf", "infinity", "-infinity"}, strings.ToLower(s.value.Text)) {
			s.Errorf("%s is not allowed, a finite number is needed", s.value.Text)
		} else {
			s.needs(what)
		}
		return 0, false
	}
	x, problem := parseFloat(s.value.Text)
	if problem != "" {
		s.Errorf("%s", problem)
	}
	return x, problem == ""
}

// parseFloat reads a number's source text. YAML allows forms that mean
// different numbers to different readers (010, 1_000, 0x1F); they are refused.
func parseFloat(text string) (x float64, problem string) {
	switch strings.ToLower(strings.TrimLeft(text, "+-.")) {
	case "nan":
		return 0, "NaN is not allowed, a finite number is needed"
	case "inf":
		return 0, "an infinite number is not allowed, a finite number is needed"
	}
	if strings.Trim(text, "+-.0123456789eE") != "" || leadingZero(text) {
		return 0, "the number " + clip(text) + " can be read in two ways; write a plain decimal number"
	}
	x, err := strconv.ParseFloat(text, 64)
	if math.IsInf(x, 0) {
		return 0, "the number " + clip(text) + " is too large, a finite number is needed"
	}
	if err != nil {
		return 0, "a number is needed, found " + quote(text)
	}
	return x, ""
}

func leadingZero(text string) bool {
	text = strings.TrimLeft(text, "+-")
	return len(text) > 1 && text[0] == '0' && '0' <= text[1] && text[1] <= '9'
}

func (s Scope) integer(dst reflect.Value) {
	x, ok := s.float("a whole number")
	if !ok {
		return
	}
	i, err := strconv.ParseInt(s.value.Text, 10, 64)
	if err != nil {
		if x != math.Trunc(x) {
			s.Errorf("a whole number is needed, found the number %s", clip(s.value.Text))
			return
		}
		if math.Abs(x) > 1<<53 {
			s.Errorf("the number %s is too large for a whole number", clip(s.value.Text))
			return
		}
		i = int64(x) // 5.0 and 1e3 are whole
	}
	if dst.OverflowInt(i) {
		bits := dst.Type().Bits()
		s.Errorf("%d is outside [%d, %d]", i, int64(-1)<<(bits-1), int64(1)<<(bits-1)-1)
		return
	}
	dst.SetInt(i)
}

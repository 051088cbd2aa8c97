package input

import (
	"cmp"
	"fmt"
	"strconv"
)

// Scope is a place in a file: a value (or the place where one is missing), the
// case it belongs to, and the path that leads to it. It is what problems are
// reported at.
type Scope struct {
	file   *File
	value  *Value // nil where the file does not state it
	line   int
	caseID string
	path   string
	index  int // of an item in the list at path; -1 for path itself
	name   string

	decoding bool   // whether it is the decoder that reports here
	nameless string // tells cases without a valid id apart
	forms    string // what the value may be, in words
}

// Value is the value at this place, or nil where the file states none.
func (s Scope) Value() *Value { return s.value }

// Line is the line of the value; of a missing one, the line of what should
// hold it.
func (s Scope) Line() int { return s.line }

// Name is the name of the field as the file spells it, of an item that of its
// list's field: an alias tells a decoder which way of writing was meant.
func (s Scope) Name() string { return s.name }

// Path is the whole path of the field: degraded.verdicts[0].
func (s Scope) Path() string {
	if s.index < 0 {
		return s.path
	}
	return s.path + "[" + strconv.Itoa(s.index) + "]"
}

// At is the place of a field below this one, by names (string) and positions
// (int) on the way. A field is found by any of its names, once its struct has
// been decoded. Where the file does not state it, the place is the line of the
// nearest value that would hold it.
func (s Scope) At(path ...any) Scope {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			s = s.child(step)
		case int:
			s = s.item(step)
		}
	}
	return s
}

func (s Scope) child(name string) Scope {
	if s.value != nil && s.value.Kind == Object {
		if f := s.value.field(name); f != nil {
			return s.into(f)
		}
		for _, alias := range s.file.aliases[name] {
			if f := s.value.field(alias); f != nil {
				return s.into(f)
			}
		}
	}
	s.path, s.index, s.name, s.value = joinPath(s.Path(), name), -1, name, nil
	return s
}

// into is the place of a field that the value has.
func (s Scope) into(f *Field) Scope {
	s.value, s.name, s.line, s.forms = &f.Value, f.Name, f.Line, ""
	if f.from != nil {
		s.caseID, s.nameless = "", ""
		s.path, s.index = f.from.path, -1
		return s
	}
	s.path, s.index = joinPath(s.Path(), f.Name), -1
	return s
}

func (s Scope) item(i int) Scope {
	if s.value == nil || s.value.Kind != List {
		if s.value != nil && i == 0 {
			return s // a list of one
		}
		s.value = nil
	}
	s.path, s.index = s.Path(), i
	if s.value != nil && i >= 0 && i < len(s.value.Items) {
		s.value = &s.value.Items[i]
		s.line = s.value.Line
	} else {
		s.value = nil
	}
	return s
}

// PathText is the path that names (string) and positions (int) make, as
// [Scope.Path] gives it, of what was not read from a file.
func PathText(path []any) string {
	return Scope{index: -1}.At(path...).Path()
}

// joinPath adds a name to a path; a name that could be mistaken for a path is
// quoted.
func joinPath(path, name string) string {
	if !plainName(name) {
		name = quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// plainName reports whether a name is one of ASCII letters, digits, _, - and @.
func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '-' && c != '@' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return name != ""
}

// Doubtful reports whether the field at this place could not be decoded, or whether
// its case has an unknown field that most likely means it. What follows from it
// alone, such as that it is missing, need not be said.
func (s Scope) Doubtful() bool { return s.file.broken[s.key(s.Path())] }

func (s Scope) key(path string) fieldOfCase {
	return fieldOfCase{cmp.Or(s.caseID, s.nameless), path}
}

// doubt makes a field doubtful.
func (s Scope) doubt(path string) { s.file.broken[s.key(path)] = true }

// Errorf reports a problem at this place. It comes out of [File.Err]. What is
// said of a field that is [Scope.Doubtful] after it was decoded is left out: that
// a field of the wrong type is also missing helps nobody.
func (s Scope) Errorf(format string, args ...any) {
	if s.file.full() {
		s.file.reported++
		return
	}
	if s.decoding {
		s.doubt(s.path)
		if s.index >= 0 {
			s.doubt(s.Path())
		}
	} else if s.Doubtful() {
		return
	}
	s.errorf(format, args...)
}

// errorf is Errorf whether the field is in doubt or not.
func (s Scope) errorf(format string, args ...any) {
	if s.file.full() {
		s.file.reported++
		return
	}
	s.file.add(Problem{Line: s.line, Case: s.caseID, Field: s.Path(), Message: fmt.Sprintf(format, args...)})
}

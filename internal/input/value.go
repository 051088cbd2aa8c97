package input

// Kind is what a [Value] is.
type Kind uint8

// The kinds of value, those of JSON.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String names the kind as messages do: "a number".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "true or false"
	case Number:
		return "a number"
	case String:
		return "a string"
	case List:
		return "a list"
	case Object:
		return "an object"
	}
	return "an unknown value"
}

// Value is a node of the tree that a file is read into, the same for JSON and
// YAML. Trees are read, never changed: YAML aliases and defaults share them.
type Value struct {
	Kind Kind
	// Text is a scalar's text: of a string its content, of a number its source
	// (09, 1.0, .nan), of a boolean true or false.
	Text   string
	Items  []Value // of a List
	Fields []Field // of an Object, in the order of the file
	Line   int     // 1-based
}

// Field is a named value of an object.
type Field struct {
	Name  string
	Line  int // of the name
	Value Value

	from *origin // where it was inherited from; nil for the object's own
}

// origin tells where a case's inherited field stands, so that what is wrong
// with it is reported there, once, and not at every case that inherits it.
type origin struct {
	parent string // defaults, or conversation "vpn"
	path   string // of the field: defaults.answerable
	told   bool   // whether it is known to be an unknown field, and reported
}

// Get is the value of the field of that name, or nil.
func (v *Value) Get(name string) *Value {
	if f := v.field(name); f != nil {
		return &f.Value
	}
	return nil
}

func (v *Value) field(name string) *Field {
	if v == nil {
		return nil
	}
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i]
		}
	}
	return nil
}

// Describe says what the value is, for a message: the string "high".
func (v *Value) Describe() string {
	switch v.Kind {
	case Bool:
		return v.Text
	case Number:
		return "the number " + clip(v.Text)
	case String:
		return "the string " + quote(v.Text)
	}
	return v.Kind.String()
}

// clip shortens a number's text, which is printable by its grammar.
func clip(s string) string {
	if len(s) > quotedLength {
		return s[:quotedLength] + "…"
	}
	return s
}

package diagnosis

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// reader reads JSON value by value. Most of a trace is the text of tools'
// results, which is only checked and kept as it stands; doing that by whole words
// is what makes this worth having beside jsontext, whose syntax it holds to (a
// fuzz test compares the two).
type reader struct {
	data []byte
	pos  int
	// depth is how many objects and lists are open.
	depth int
}

// maxDepth is how deep a trace may nest.
const maxDepth = 1000

// placeError is an error with its place in a document.
type placeError struct {
	offset int
	path   []string // the innermost name first
	syntax bool
	text   string
}

func (e *placeError) Error() string {
	path := slices.Clone(e.path)
	slices.Reverse(path)
	if len(path) > 12 {
		path = append(path[:12], "…")
	}
	at := fmt.Sprintf("byte %d", e.offset)
	if len(path) > 0 {
		at += " (" + shorten(strings.ReplaceAll(strings.Join(path, "."), ".[", "[")) + ")"
	}
	if e.syntax {
		return "no JSON: " + at + ": " + e.text
	}
	return at + ": " + e.text
}

// in adds the name of what an error happened in.
func in(name string, err error) error {
	if e, ok := err.(*placeError); ok && len(e.path) < 64 {
		e.path = append(e.path, name)
	}
	return err
}

func (r *reader) syntaxError(format string, args ...any) error {
	if r.pos >= len(r.data) {
		return &placeError{offset: len(r.data), syntax: true, text: "the text ends too early"}
	}
	return &placeError{offset: r.pos, syntax: true, text: fmt.Sprintf(format, args...)}
}

// errorAt is an error of a value that is JSON and is not what is wanted.
func (r *reader) errorAt(offset int, format string, args ...any) error {
	return &placeError{offset: offset, text: fmt.Sprintf(format, args...)}
}

// peek gives the first byte of the next value or mark, 0 at the end.
func (r *reader) peek() byte {
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

func (r *reader) unexpected(what string) error {
	c, _ := utf8.DecodeRune(r.data[min(r.pos, len(r.data)):])
	return r.syntaxError("found %q, want %s", c, what)
}

func (r *reader) open() error {
	if r.depth++; r.depth > maxDepth {
		return r.syntaxError("nested deeper than %d", maxDepth)
	}
	r.pos++
	return nil
}

// object reads an object and calls member for each of its names, with the value
// to be read next. A name of an object that is read stands in it once.
func (r *reader) object(member func(name []byte) error) error {
	var seen names
	return r.members(func(name []byte) error {
		if seen.again(name) {
			return &placeError{offset: r.pos, text: "the name is there twice"}
		}
		return member(name)
	})
}

// members is object without the check that a name stands once.
func (r *reader) members(member func(name []byte) error) error {
	if err := r.open(); err != nil {
		return err
	}
	if r.peek() == '}' {
		r.pos++
		r.depth--
		return nil
	}
	for {
		if r.peek() != '"' {
			return r.unexpected("a name")
		}
		name, err := r.name()
		if err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.unexpected("a colon")
		}
		r.pos++
		if err := member(name); err != nil {
			return in(shorten(string(name)), err)
		}
		switch r.peek() {
		case ',':
			r.pos++
		case '}':
			r.pos++
			r.depth--
			return nil
		default:
			return r.unexpected("a comma or the end of the object")
		}
	}
}

// array reads a list and calls element before each of its values.
func (r *reader) array(element func(i int) error) error {
	if err := r.open(); err != nil {
		return err
	}
	if r.peek() == ']' {
		r.pos++
		r.depth--
		return nil
	}
	for i := 0; ; i++ {
		r.peek()
		if err := element(i); err != nil {
			return in(fmt.Sprintf("[%d]", i), err)
		}
		switch r.peek() {
		case ',':
			r.pos++
		case ']':
			r.pos++
			r.depth--
			return nil
		default:
			return r.unexpected("a comma or the end of the list")
		}
	}
}

// name reads a name.
func (r *reader) name() ([]byte, error) {
	start := r.pos
	escaped, err := r.string()
	if err != nil {
		return nil, err
	}
	if !escaped {
		return r.data[start+1 : r.pos-1], nil
	}
	return unquote(r.data[start:r.pos]), nil
}

// value reads any value and gives it as it is written, without the space around.
func (r *reader) value() ([]byte, error) {
	r.peek()
	start := r.pos
	if err := r.skip(); err != nil {
		return nil, err
	}
	return r.data[start:r.pos:r.pos], nil
}

// skip reads over any value.
func (r *reader) skip() error {
	switch c := r.peek(); c {
	case '"':
		_, err := r.string()
		return err
	case '{':
		return r.members(func([]byte) error { return r.skip() })
	case '[':
		return r.array(func(int) error { return r.skip() })
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return r.number()
		}
	}
	return r.unexpected("a value")
}

func (r *reader) literal(word string) error {
	if !bytes.HasPrefix(r.data[r.pos:], []byte(word)) {
		return r.unexpected("a value")
	}
	r.pos += len(word)
	return nil
}

func (r *reader) number() error {
	digits := func() bool {
		start := r.pos
		for r.pos < len(r.data) && '0' <= r.data[r.pos] && r.data[r.pos] <= '9' {
			r.pos++
		}
		return r.pos > start
	}
	is := func(c byte) bool { return r.pos < len(r.data) && r.data[r.pos] == c }
	if is('-') {
		r.pos++
	}
	if is('0') {
		r.pos++
	} else if !digits() {
		return r.unexpected("a digit")
	}
	if is('.') {
		r.pos++
		if !digits() {
			return r.unexpected("a digit")
		}
	}
	if is('e') || is('E') {
		r.pos++
		if is('+') || is('-') {
			r.pos++
		}
		if !digits() {
			return r.unexpected("a digit")
		}
	}
	return nil
}

// string reads over a string and tells whether it has escapes.
func (r *reader) string() (escaped bool, err error) {
	data := r.data
	start := r.pos
	from := start + 1 // what is not yet checked
	quote := from
	for {
		n := bytes.IndexByte(data[quote:], '"')
		if n < 0 {
			r.pos = len(data)
			return false, r.syntaxError("")
		}
		quote += n
		for from < quote {
			n := bytes.IndexByte(data[from:quote], '\\')
			if n < 0 {
				break
			}
			escaped = true
			if err := r.plain(from, from+n); err != nil {
				return false, err
			}
			if from, err = r.escape(from + n); err != nil {
				return false, err
			}
		}
		if from > quote { // it was escaped
			quote = from
			continue
		}
		if err := r.plain(from, quote); err != nil {
			return false, err
		}
		r.pos = quote + 1
		return escaped, nil
	}
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// plain checks a part of a string that has no escapes: no control characters,
// and UTF-8.
func (r *reader) plain(start, end int) error {
	b := r.data[start:end]
	i, high := 0, uint64(0)
	for ; i+8 <= len(b); i += 8 {
		v := binary.LittleEndian.Uint64(b[i:])
		high |= v
		// A byte under 0x20 borrows into its high bit.
		if under := (v - 0x20*lowBits) &^ v & highBits; under != 0 {
			r.pos = start + i + bits.TrailingZeros64(under)/8
			return r.syntaxError("a control character in a string")
		}
	}
	for ; i < len(b); i++ {
		if b[i] < 0x20 {
			r.pos = start + i
			return r.syntaxError("a control character in a string")
		}
		high |= uint64(b[i])
	}
	if high&highBits != 0 && !utf8.Valid(b) {
		r.pos = start
		for r.pos < end {
			c, size := utf8.DecodeRune(r.data[r.pos:end])
			if c == utf8.RuneError && size <= 1 {
				break
			}
			r.pos += size
		}
		return r.syntaxError("a string that is not UTF-8")
	}
	return nil
}

// escape reads the escape at i and gives the place behind it.
func (r *reader) escape(i int) (int, error) {
	r.pos = i
	if i+1 >= len(r.data) {
		r.pos = len(r.data)
		return 0, r.syntaxError("")
	}
	switch r.data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, nil
	case 'u':
		first, ok := hex4(r.data, i+2)
		if !ok {
			break
		}
		if first < 0xD800 || first > 0xDFFF {
			return i + 6, nil
		}
		if second, ok := hex4(r.data, i+8); first <= 0xDBFF && ok && r.data[i+6] == '\\' && r.data[i+7] == 'u' && 0xDC00 <= second && second <= 0xDFFF {
			return i + 12, nil
		}
		return 0, r.syntaxError("half of a surrogate pair in a string")
	}
	return 0, r.syntaxError("an escape that JSON does not have")
}

func hex4(data []byte, i int) (v int, ok bool) {
	if i+4 > len(data) {
		return 0, false
	}
	for _, c := range data[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		v = v<<4 | int(c)
	}
	return v, true
}

// names remembers the names of an object.
type names struct {
	few  [16][]byte
	n    int
	many map[string]bool
}

// again reports whether a name was there before.
func (s *names) again(name []byte) bool {
	if s.many != nil {
		if s.many[string(name)] {
			return true
		}
		s.many[string(name)] = true
		return false
	}
	for _, other := range s.few[:s.n] {
		if bytes.Equal(other, name) {
			return true
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return false
	}
	s.many = make(map[string]bool, 64)
	for _, other := range s.few {
		s.many[string(other)] = true
	}
	s.many[string(name)] = true
	return false
}

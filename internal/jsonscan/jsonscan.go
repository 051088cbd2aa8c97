// Package jsonscan reads the JSON that machines write, fixtures and traces,
// value by value: a [Reader] calls back for each member of an object and each
// element of a list, and the callback takes the value or passes over it.
//
// It reads RFC 8259 as strictly as jsontext does (no invalid UTF-8, no half of a
// surrogate pair, no name twice in an object that is read), which a fuzz test
// holds it to. It stands beside jsontext since nearly all of a fixture is long
// texts, which are only checked and taken over as they stand: by whole words that
// takes a third of the time.
//
// The first thing that is wrong ends the reading. Its error has a place, the
// byte and the path, says what was found and what is needed, and keeps nothing of
// what is read.
package jsonscan

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// MaxDepth is how deep objects and lists may nest.
const MaxDepth = 1000

// Reader reads one JSON document. After an error it is of no use.
type Reader struct {
	data   []byte
	pos    int
	depth  int  // how many objects and lists are open
	borrow bool // texts without an escape are parts of data
}

// New reads data. The texts that the reader gives are copies; names and raw
// values are parts of data.
func New(data []byte) Reader { return Reader{data: data} }

// Borrow reads data, which must not change as long as a text that the reader
// gave is in use: a text without an escape is a part of data, and keeps all of
// it in memory.
func Borrow(data []byte) Reader { return Reader{data: data, borrow: true} }

// Within reads a document that is a text of r's document. It may nest as deep as
// r may from where it is. Texts are copies.
func (r *Reader) Within(text []byte) Reader { return Reader{data: text, depth: r.depth} }

// Pos is the offset of what comes next, in bytes. Call [Reader.Peek] before, to
// pass over white space.
func (r *Reader) Pos() int { return r.pos }

// Peek passes over white space and gives the byte that comes next, 0 at the end.
func (r *Reader) Peek() byte {
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

// Document reads an object that is the whole of the data, behind a byte order
// mark or without one. what is the document's name in messages: trace.
func (r *Reader) Document(what string, member func(name []byte) error) error {
	if bytes.HasPrefix(r.data, []byte("\uFEFF")) {
		r.pos = len("\uFEFF")
	}
	if r.Peek() == 0 && r.pos == len(r.data) {
		return fmt.Errorf("the %s is empty; a JSON object is needed", what)
	}
	if r.Peek() != '{' {
		return r.Needed("a JSON object")
	}
	if err := r.Object(member); err != nil {
		return err
	}
	return r.End()
}

// End checks that nothing follows.
func (r *Reader) End() error {
	if r.Peek(); r.pos < len(r.data) {
		return r.syntaxError("more follows the end of the value")
	}
	return nil
}

// Object reads an object, which must come next (see [Reader.Peek]), and calls
// member for each of its members; member reads the value. A name that the object
// has already is an error.
func (r *Reader) Object(member func(name []byte) error) error {
	var seen names
	return r.object(member, &seen)
}

// Members is [Reader.Object] for an object whose names may stand more than once.
func (r *Reader) Members(member func(name []byte) error) error {
	return r.object(member, nil)
}

func (r *Reader) object(member func(name []byte) error, seen *names) error {
	if err := r.open(); err != nil {
		return err
	}
	if r.Peek() == '}' {
		r.close()
		return nil
	}
	for {
		if r.Peek() != '"' {
			return r.unexpected("a name")
		}
		start := r.pos
		escaped, err := r.string()
		if err != nil {
			return err
		}
		name := r.data[start+1 : r.pos-1]
		if escaped {
			name = Unquote(r.data[start:r.pos])
		}
		if seen != nil && seen.again(name) {
			return in(name, r.Errorf(start, "the name stands twice in one object"))
		}
		if r.Peek() != ':' {
			return r.unexpected("a colon")
		}
		r.pos++
		if err := member(name); err != nil {
			return in(name, err)
		}
		switch r.Peek() {
		case ',':
			r.pos++
		case '}':
			r.close()
			return nil
		default:
			return r.unexpected("a comma or the end of the object")
		}
	}
}

// Array reads a list, which must come next (see [Reader.Peek]), and calls element
// for each of its values, counted from 0; element reads the value.
func (r *Reader) Array(element func(i int) error) error {
	if err := r.open(); err != nil {
		return err
	}
	if r.Peek() == ']' {
		r.close()
		return nil
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return at(i, err)
		}
		switch r.Peek() {
		case ',':
			r.pos++
		case ']':
			r.close()
			return nil
		default:
			return r.unexpected("a comma or the end of the list")
		}
	}
}

// open enters an object or a list.
func (r *Reader) open() error {
	if r.depth++; r.depth > MaxDepth {
		return r.Errorf(r.pos, "nested deeper than %d levels", MaxDepth)
	}
	r.pos++
	return nil
}

func (r *Reader) close() {
	r.pos++
	r.depth--
}

// Skip passes over any value. It is checked to be JSON; the names of its objects
// may stand more than once.
func (r *Reader) Skip() error {
	switch c := r.Peek(); c {
	case '"':
		_, err := r.string()
		return err
	case '{':
		return r.Members(func([]byte) error { return r.Skip() })
	case '[':
		return r.Array(func(int) error { return r.Skip() })
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	default:
		if IsNumber(c) {
			return r.number()
		}
	}
	return r.unexpected("a value")
}

// Value reads any value as [Reader.Skip] does and gives it as it is written,
// without white space around: a part of the data.
func (r *Reader) Value() ([]byte, error) {
	r.Peek()
	start := r.pos
	if err := r.Skip(); err != nil {
		return nil, err
	}
	return r.Since(start), nil
}

// Since gives what was read from an offset on: a part of the data.
func (r *Reader) Since(start int) []byte { return r.data[start:r.pos:r.pos] }

// Null reads a null, where one comes next.
func (r *Reader) Null() bool { return r.Peek() == 'n' && r.literal("null") == nil }

// Text reads a string, or a null, which is an empty one.
func (r *Reader) Text() (string, error) {
	switch r.Peek() {
	case '"':
	case 'n':
		return "", r.literal("null")
	default:
		return "", r.Needed("a string")
	}
	start := r.pos
	escaped, err := r.string()
	if err != nil {
		return "", err
	}
	if escaped {
		text := Unquote(r.data[start:r.pos])
		return unsafe.String(unsafe.SliceData(text), len(text)), nil // nobody else has text
	}
	text := r.data[start+1 : r.pos-1]
	if r.borrow && len(text) > 0 {
		return unsafe.String(unsafe.SliceData(text), len(text)), nil
	}
	return string(text), nil
}

// Label reads a string, a null, or a number, which is given as it is written.
func (r *Reader) Label() (string, error) {
	if !IsNumber(r.Peek()) {
		return r.Text()
	}
	raw, err := r.Value()
	return string(raw), err
}

// Number reads a number; one beyond the finite ones is an error.
func (r *Reader) Number() (float64, error) {
	if !IsNumber(r.Peek()) {
		return 0, r.Needed("a number")
	}
	start := r.pos
	raw, err := r.Value()
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, r.Errorf(start, "the number %s is too large", clip(string(raw)))
	}
	return v, nil
}

// Amount reads a number of 0 or more. A -0 is a 0.
func (r *Reader) Amount() (float64, error) {
	r.Peek()
	start := r.pos
	v, err := r.Number()
	if err == nil && v < 0 {
		err = r.Errorf(start, "%s is negative; 0 or more is allowed", clip(string(r.Since(start))))
	}
	return v + 0, err
}

// Bool reads true or false.
func (r *Reader) Bool() (bool, error) {
	switch r.Peek() {
	case 't':
		return true, r.literal("true")
	case 'f':
		return false, r.literal("false")
	}
	return false, r.Needed("true or false")
}

// Needed is the error of a value of another kind than is needed, which comes
// next.
func (r *Reader) Needed(what string) error {
	c, start := r.Peek(), r.pos
	if err := r.Skip(); err != nil {
		return err
	}
	return r.Errorf(start, "%s is needed, found %s", what, Kind(c))
}

// Kind names the kind of a value by its first byte.
func Kind(c byte) string {
	switch c {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "a number"
}

// IsNumber reports whether a value that begins with c is a number.
func IsNumber(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

func (r *Reader) literal(word string) error {
	rest := r.data[r.pos:]
	if len(rest) >= len(word) {
		if string(rest[:len(word)]) == word {
			r.pos += len(word)
			return nil
		}
	} else if string(rest) == word[:len(rest)] {
		r.pos = len(r.data)
	}
	return r.unexpected("a value")
}

func (r *Reader) number() error {
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

const (
	lowBits  = 0x0101010101010101
	highBits = 0x80 * lowBits
)

// string reads over a string and tells whether it has escapes.
func (r *Reader) string() (escaped bool, err error) {
	data, i := r.data, r.pos+1
	start := i
	var high uint64 // has a high bit where a byte is no ASCII
	for {
		// Eight bytes at a time up to a quote, a backslash or a control
		// character: the classic test for a byte that is zero, or below n. The
		// lowest mark that it sets is right.
		for i+8 <= len(data) {
			v := binary.LittleEndian.Uint64(data[i:])
			quote, back := v^('"'*lowBits), v^('\\'*lowBits)
			found := ((quote-lowBits)&^quote | (back-lowBits)&^back | (v-0x20*lowBits)&^v) & highBits
			if found != 0 {
				high |= v & (found&-found - 1)
				i += bits.TrailingZeros64(found) / 8
				break
			}
			high |= v
			i += 8
		}
		for i < len(data) && data[i] != '"' && data[i] != '\\' && data[i] >= 0x20 {
			high |= uint64(data[i])
			i++
		}
		if i == len(data) {
			r.pos = i
			return false, r.syntaxError("")
		}
		if data[i] == '"' {
			break
		}
		if data[i] < 0x20 {
			r.pos = i
			return false, r.syntaxError("a control character in a string")
		}
		escaped = true
		if i, err = r.escape(i); err != nil {
			return false, err
		}
	}
	if high&highBits != 0 {
		if n := validPrefix(data[start:i]); n < i-start {
			r.pos = start + n
			return false, r.syntaxError("a string that is not UTF-8")
		}
	}
	r.pos = i + 1
	return escaped, nil
}

// validPrefix gives how many bytes from the start are UTF-8. Beside ASCII it is
// quick with characters of three bytes, as Chinese has them: eight bytes hold two
// of them, and what begins with E0 or ED is left to the decoder.
func validPrefix(b []byte) int {
	i := 0
	for i < len(b) {
		for i+8 <= len(b) {
			v := binary.LittleEndian.Uint64(b[i:])
			switch {
			case v&highBits == 0:
				i += 8
				continue
			case v&0xC0C0F0C0C0F0 == 0x8080E08080E0 && plainLead[v&0xF] && plainLead[v>>24&0xF]:
				i += 6
				continue
			case v&0xC0C0F0 == 0x8080E0 && plainLead[v&0xF]:
				i += 3
				continue
			}
			break
		}
		if i == len(b) {
			break
		}
		c, size := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && size <= 1 {
			break
		}
		i += size
	}
	return i
}

// plainLead tells which first bytes of three (their low four bits) may have any
// two behind them: 80 to BF.
var plainLead = [16]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: true, 11: true, 12: true, 14: true, 15: true}

// escape reads the escape at i and gives the place behind it.
func (r *Reader) escape(i int) (int, error) {
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

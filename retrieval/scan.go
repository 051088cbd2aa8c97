package retrieval

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads JSON by RFC 8259, as strictly as jsontext does: no duplicate
// names, no invalid UTF-8. It is written out because fixtures are most of what an
// evaluation reads, and nearly all of a fixture is long texts without an escape,
// which it takes over as they are, in a third of the time. What it accepts is
// held equal to jsontext's by a fuzz test.
type scanner struct {
	data  []byte // what is read
	src   string // a copy of it, which strings are parts of
	at    int
	depth int
}

// maxDepth is how deep lists and objects may nest.
const maxDepth = 10000

// peek passes over white space and gives the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; c {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// unexpected reports what is no JSON.
func (s *scanner) unexpected(want string) error {
	if s.at >= len(s.src) {
		return fmt.Errorf("byte %d: the JSON ends too early", len(s.src))
	}
	r, _ := utf8.DecodeRuneInString(s.src[s.at:])
	return s.invalid(fmt.Sprintf("%s is needed, found %s", want, strconv.QuoteRune(r)))
}

func (s *scanner) invalid(what string) error {
	return fmt.Errorf("byte %d: no valid JSON: %s", s.at, what)
}

func isNumber(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

// object calls member with the name of each member of the object that begins
// here; member consumes the value.
func (s *scanner) object(member func(name string) error) error {
	if s.depth++; s.depth > maxDepth {
		return s.invalid(fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	s.at++
	var few [16]string
	seen := few[:0]
	var many map[string]bool
	for first := true; ; first = false {
		switch c := s.peek(); {
		case c == '}' && first:
			s.at++
			s.depth--
			return nil
		case c != '"':
			return s.unexpected("a name")
		}
		start := s.at
		name, err := s.quoted()
		if err != nil {
			return err
		}
		duplicate := many[name]
		if many == nil {
			for _, other := range seen {
				duplicate = duplicate || other == name
			}
		}
		if duplicate {
			s.at = start
			return s.invalid("the name " + strconv.Quote(name) + " stands twice in one object")
		}
		switch {
		case many != nil:
			many[name] = true
		case len(seen) < cap(seen):
			seen = append(seen, name)
		default:
			many = map[string]bool{name: true}
			for _, other := range seen {
				many[other] = true
			}
		}
		if s.peek() != ':' {
			return s.unexpected("a colon")
		}
		s.at++
		if err := member(name); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			s.at++
		case '}':
			s.at++
			s.depth--
			return nil
		default:
			return s.unexpected("a comma or a brace")
		}
	}
}

// array calls element for each element of the list that begins here; element
// consumes the value.
func (s *scanner) array(element func() error) error {
	if s.depth++; s.depth > maxDepth {
		return s.invalid(fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	s.at++
	if s.peek() == ']' {
		s.at++
		s.depth--
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			s.at++
		case ']':
			s.at++
			s.depth--
			return nil
		default:
			return s.unexpected("a comma or a bracket")
		}
	}
}

// skip passes over a value.
func (s *scanner) skip() error {
	switch c := s.peek(); {
	case c == '"':
		_, err := s.quoted()
		return err
	case isNumber(c):
		_, err := s.numeral()
		return err
	case c == '{':
		return s.object(func(string) error { return s.skip() })
	case c == '[':
		return s.array(s.skip)
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return s.unexpected("a value")
}

func (s *scanner) literal(word string) error {
	if !strings.HasPrefix(s.src[s.at:], word) {
		if strings.HasPrefix(word, s.src[s.at:]) {
			s.at = len(s.src)
		}
		return s.unexpected(word)
	}
	s.at += len(word)
	return nil
}

// numeral reads a number and gives its source text.
func (s *scanner) numeral() (string, error) {
	start := s.at
	if s.src[s.at] == '-' {
		s.at++
	}
	digits := func() bool {
		from := s.at
		for s.at < len(s.src) && '0' <= s.src[s.at] && s.src[s.at] <= '9' {
			s.at++
		}
		return s.at > from
	}
	next := func() byte {
		if s.at < len(s.src) {
			return s.src[s.at]
		}
		return 0
	}
	if next() == '0' {
		s.at++
	} else if !digits() {
		return "", s.unexpected("a digit")
	}
	if next() == '.' {
		s.at++
		if !digits() {
			return "", s.unexpected("a digit")
		}
	}
	if c := next(); c == 'e' || c == 'E' {
		s.at++
		if c := next(); c == '+' || c == '-' {
			s.at++
		}
		if !digits() {
			return "", s.unexpected("a digit")
		}
	}
	return s.src[start:s.at], nil
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// quoted reads the string that begins here.
func (s *scanner) quoted() (string, error) {
	start := s.at + 1
	i := start
	var high uint64 // has a high bit where a byte is no ASCII
	escaped := false
	data := s.data
	for {
		// Eight bytes at a time up to a quote, a backslash or a control
		// character: the classic test for a byte that is zero, or below n.
		for i+8 <= len(data) {
			v := binary.LittleEndian.Uint64(data[i:])
			quote, back := v^('"'*everyByte), v^('\\'*everyByte)
			found := (quote-everyByte)&^quote | (back-everyByte)&^back | (v-0x20*everyByte)&^v
			if found&highBits != 0 {
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
			s.at = i
			return "", s.unexpected("a quote")
		}
		if data[i] == '"' {
			break
		}
		if data[i] < 0x20 {
			s.at = i
			return "", s.invalid("a control character in a string")
		}
		escaped = true
		i += 2
		if i > len(data) {
			s.at = len(data)
			return "", s.unexpected("a quote")
		}
	}
	text := s.src[start:i]
	if escaped {
		plain, err := jsontext.AppendUnquote(make([]byte, 0, len(text)), data[start-1:i+1])
		if err != nil {
			return "", s.invalid("the string has an invalid escape or invalid UTF-8")
		}
		s.at = i + 1
		return string(plain), nil
	}
	if high&highBits != 0 && !utf8.ValidString(text) {
		return "", s.invalid("the string has invalid UTF-8")
	}
	s.at = i + 1
	return text, nil
}

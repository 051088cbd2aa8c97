package jsonscan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// placeError is an error with its place in a document.
type placeError struct {
	offset int
	path   []string // the innermost name first
	syntax bool
	text   string
}

// shownSteps is how much of a path is shown.
const shownSteps = 12

func (e *placeError) Error() string {
	path := slices.Clone(e.path)
	slices.Reverse(path)
	if len(path) > shownSteps {
		path = append(path[:shownSteps], "…")
	}
	at := fmt.Sprintf("byte %d", e.offset)
	if len(path) > 0 {
		at += " (" + clip(strings.ReplaceAll(strings.Join(path, "."), ".[", "[")) + ")"
	}
	if e.syntax {
		at = "no JSON: " + at
	}
	return at + ": " + e.text
}

// Offset is the byte at which the reading ended. Errors have this method where
// they are of a place.
func (e *placeError) Offset() int { return e.offset }

// in adds the name of the member that an error is in.
func in(name []byte, err error) error {
	if e, ok := err.(*placeError); ok {
		step := clip(string(name))
		if strings.ContainsFunc(step, func(c rune) bool { return !unicode.IsPrint(c) }) {
			step = strconv.Quote(step)
		}
		e.path = append(e.path, step)
	}
	return err
}

// at adds the place of the element that an error is in.
func at(i int, err error) error {
	if e, ok := err.(*placeError); ok {
		e.path = append(e.path, "["+strconv.Itoa(i)+"]")
	}
	return err
}

// Errorf is the error of a value that is JSON, and not what is needed: the
// offset is where it begins. The objects and lists around add its path.
func (r *Reader) Errorf(offset int, format string, args ...any) error {
	return &placeError{offset: offset, text: fmt.Sprintf(format, args...)}
}

// syntaxError reports what comes next as no JSON.
func (r *Reader) syntaxError(what string) error {
	if r.pos >= len(r.data) {
		return &placeError{offset: len(r.data), syntax: true, text: "the text ends too early"}
	}
	return &placeError{offset: r.pos, syntax: true, text: what}
}

func (r *Reader) unexpected(needed string) error {
	c, _ := utf8.DecodeRune(r.data[min(r.pos, len(r.data)):])
	return r.syntaxError(fmt.Sprintf("%s is needed, found %q", needed, c))
}

// clip cuts a text to a length that fits a message.
func clip(s string) string {
	const limit = 80
	n := 0
	for i := range s {
		if n == limit {
			return strings.Clone(s[:i]) + "…"
		}
		n++
	}
	return s
}

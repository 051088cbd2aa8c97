// Package text makes foreign text fit to be shown: as one cell of Markdown, or
// as one line on a terminal.
//
// What comes from an input never becomes markup or a command to a terminal.
// Characters that act on the text around them, or that cannot be seen (control
// characters, terminal escapes, bidirectional overrides, zero-width and other
// invisible characters, line ends, invalid UTF-8) are shown as what they are:
// \n, \x1b, \u202e.
package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// hidden holds the characters from U+0080 on that are shown as escapes, as
// ascending ranges: control characters, line and paragraph separators, and all
// that Unicode calls format characters or default ignorable. It is written out
// so that a report's bytes do not depend on the Unicode version of the
// toolchain; a test holds it against package unicode.
var hidden = [][2]rune{
	{0x80, 0x9f}, {0xad, 0xad}, {0x34f, 0x34f}, {0x600, 0x605}, {0x61c, 0x61c},
	{0x6dd, 0x6dd}, {0x70f, 0x70f}, {0x890, 0x891}, {0x8e2, 0x8e2}, {0x115f, 0x1160},
	{0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
	{0x2800, 0x2800}, {0x3164, 0x3164}, {0xe000, 0xf8ff}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
	{0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
	{0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	{0xf0000, 0x10ffff},
}

// emojiSelector asks for the coloured form of the symbol before it, as in ⚠️.
// There it is ordinary text; anywhere else it is hidden.
const emojiSelector = 0xfe0f

func endsInSymbol(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r >= utf8.RuneSelf && unicode.Is(unicode.So, r)
}

func isHidden(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' || r == 0x7f
	case r >= 0x2e80 && r < 0x3164, r > 0x3164 && r < 0xe000:
		return false // most of the CJK text there is
	}
	for _, h := range hidden {
		if r <= h[1] {
			return r >= h[0]
		}
	}
	return false
}

// appendHidden writes a hidden character as an escape; slash is how the target
// writes a backslash.
func appendHidden(dst []byte, r rune, slash string) []byte {
	dst = append(dst, slash...)
	switch r {
	case '\n':
		return append(dst, 'n')
	case '\r':
		return append(dst, 'r')
	case '\t':
		return append(dst, 't')
	}
	letter, digits := byte('x'), 2
	switch {
	case r > 0xffff:
		letter, digits = 'U', 8
	case r > 0xff:
		letter, digits = 'u', 4
	}
	dst = append(dst, letter)
	return appendHex(dst, uint32(r), digits)
}

func appendHex(dst []byte, v uint32, digits int) []byte {
	const hex = "0123456789abcdef"
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hex[v>>(4*i)&15])
	}
	return dst
}

// Bytes of ASCII that a target cannot take as they are.
var terminalSpecial, markdownSpecial = specials(""), specials("\\`*_[]<>&|~$#:.@")

func specials(marks string) (t [256]bool) {
	for c := range 256 {
		t[c] = c < ' ' || c >= 0x7f
	}
	for i := range len(marks) {
		t[marks[i]] = true
	}
	return t
}

// Terminal gives s as one line of a terminal.
func Terminal(s string) string {
	if !anyOf(&terminalSpecial, s) {
		return s
	}
	return string(AppendTerminal(nil, s))
}

// AppendTerminal appends s as one line of a terminal.
func AppendTerminal(dst []byte, s string) []byte {
	return appendSafe(dst, s, &terminalSpecial, `\`, nil)
}

// Markdown gives s as inline text of GitHub Flavored Markdown, fit for a table
// cell: it shows as s and has no effect. It must not be the first on its line,
// where digits and signs may open a list.
func Markdown(s string) string {
	if !anyOf(&markdownSpecial, s) {
		return s
	}
	return string(AppendMarkdown(nil, s))
}

// AppendMarkdown appends s as [Markdown] gives it.
func AppendMarkdown(dst []byte, s string) []byte {
	return appendSafe(dst, s, &markdownSpecial, `\\`, appendMark)
}

// JSON gives a JSON text fit for a terminal: what acts on a terminal, or on the
// order in which letters are shown, is written as an escape, which means the same.
// JSON itself escapes only what is below U+0020.
func JSON(data []byte) []byte {
	acts := func(r rune) bool {
		return r == 0x7f || r >= 0x80 && r <= 0x9f || r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}
	if bytes.IndexFunc(data, acts) < 0 {
		return data
	}
	var out []byte
	for _, r := range string(data) {
		if acts(r) {
			out = appendHex(append(out, '\\', 'u'), uint32(r), 4)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

func anyOf(special *[256]bool, s string) bool {
	for i := range len(s) {
		if special[s[i]] {
			return true
		}
	}
	return false
}

func appendSafe(dst []byte, s string, special *[256]bool, slash string, mark func(dst []byte, s string, i int) []byte) []byte {
	from := 0 // what stands before it is written
	for i := 0; i < len(s); {
		c := s[i]
		if !special[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[from:i]...)
			if c < ' ' || c == 0x7f {
				dst = appendHidden(dst, rune(c), slash)
			} else {
				dst = mark(dst, s, i)
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(append(dst, s[from:i]...), slash...), 'x')
			dst = appendHex(dst, uint32(c), 2)
			from = i + 1
		case r == emojiSelector && i > 0 && endsInSymbol(s[:i]):
		case isHidden(r):
			dst = appendHidden(append(dst, s[from:i]...), r, slash)
			from = i + n
		}
		i += n
	}
	return append(dst, s[from:]...)
}

// appendMark writes the Markdown mark s[i] so that it is a character.
func appendMark(dst []byte, s string, i int) []byte {
	c := s[i]
	switch c {
	case '<':
		return append(dst, "&lt;"...)
	case '>':
		return append(dst, "&gt;"...)
	case '&':
		return append(dst, "&amp;"...)
	case '_':
		// Inside a word it is no emphasis, and names are easier to read and to
		// find without the backslash.
		if i > 0 && i+1 < len(s) && isWord(s[i-1]) && isWord(s[i+1]) {
			return append(dst, c)
		}
	case '#':
		// Only at the ends of a heading, and of a list's item.
		if i > 0 && i+1 < len(s) {
			return append(dst, c)
		}
	case ':':
		// An address must not become a link.
		if len(s) < i+3 || s[i:i+3] != "://" {
			return append(dst, c)
		}
	case '@':
		// Nor must one of mail. recall@5 is none.
		if !isMail(s, i) {
			return append(dst, c)
		}
	case '.':
		if i < 3 || s[i-3]|' ' != 'w' || s[i-2]|' ' != 'w' || s[i-1]|' ' != 'w' {
			return append(dst, c)
		}
	}
	return append(dst, '\\', c)
}

// isMail reports whether the @ at s[i] stands in what looks like an address of
// mail: behind a word or one of its signs, and before a name with a dot inside.
func isMail(s string, i int) bool {
	if i == 0 || !isWord(s[i-1]) && s[i-1] != '.' && s[i-1] != '_' && s[i-1] != '-' && s[i-1] != '+' {
		return false
	}
	for j := i + 1; j < len(s); j++ {
		switch c := s[j]; {
		case c == '.' && j > i+1 && j+1 < len(s) && isWord(s[j+1]):
			return true
		case !isWord(c) && c != '-' && c != '_':
			return false
		}
	}
	return false
}

func isWord(c byte) bool {
	return c|' ' >= 'a' && c|' ' <= 'z' || c >= '0' && c <= '9'
}

package jsonscan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote gives the text of a string that a [Reader] gave as it is written,
// quotes and escapes and all. It is a copy.
func Unquote(raw []byte) []byte { return AppendUnquoted(make([]byte, 0, len(raw)), raw) }

// AppendUnquoted appends what [Unquote] gives.
func AppendUnquoted(dst, raw []byte) []byte {
	rest := raw[1 : len(raw)-1]
	for {
		n := bytes.IndexByte(rest, '\\')
		if n < 0 || n+1 >= len(rest) {
			return append(dst, rest...)
		}
		dst = append(dst, rest[:n]...)
		c := rest[n+1]
		rest = rest[n+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			v, _ := hex4(rest, 0)
			rest = rest[min(4, len(rest)):]
			if utf16.IsSurrogate(rune(v)) && len(rest) >= 6 {
				low, _ := hex4(rest, 2)
				v = int(utf16.DecodeRune(rune(v), rune(low)))
				rest = rest[6:]
			}
			dst = utf8.AppendRune(dst, rune(v))
			continue
		}
		dst = append(dst, c)
	}
}

// hex4 reads four hexadecimal digits.
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

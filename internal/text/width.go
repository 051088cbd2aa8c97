package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width gives the number of columns that s takes on a terminal: two for wide
// and full-width characters, none for combining marks, one for any other. A
// character of ambiguous width counts as one.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r >= 0x4e00 && r <= 0x9fff:
		return 2
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Truncate cuts s to at most columns columns, the last of them an ellipsis
// where something was cut. Fewer than one column leaves nothing.
func Truncate(s string, columns int) string {
	if len(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	used, cut := 0, 0 // cut is where the ellipsis would go
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		used += runeWidth(r)
		if used > columns {
			return s[:cut] + "…"
		}
		i += n
		if used < columns {
			cut = i
		}
	}
	return s
}

// Pad appends spaces to s until it takes columns columns.
func Pad(s string, columns int) string {
	if n := columns - Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// Wrap cuts s into lines of at most columns columns: at a space where there is
// one, before any wide character, and else where the line is full.
func Wrap(s string, columns int) []string {
	columns = max(columns, 2)
	var lines []string
	from, cut, used := 0, 0, 0 // cut is the best place for a break, 0 for none
	for i, r := range s {
		w := runeWidth(r)
		if (r == ' ' || w == 2) && used > 0 {
			cut = i
		}
		for used+w > columns && i > from && w > 0 { // what is left of the line may be too long still
			at := i
			if cut > from {
				at = cut
			}
			lines = append(lines, strings.TrimRight(s[from:at], " "))
			from = at + len(s[at:]) - len(strings.TrimLeft(s[at:], " "))
			if from > i {
				from = i + utf8.RuneLen(r)
				w = 0
			}
			cut, used = 0, Width(s[from:max(i, from)])
		}
		used += w
	}
	if from < len(s) || len(lines) == 0 {
		lines = append(lines, s[from:])
	}
	return lines
}

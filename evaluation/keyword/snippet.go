package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Snippet gives the words around the piece of s from start to end, in at most
// limit characters, an ellipsis where something was cut off aside. It cuts
// between words where there are words, and never inside a character; white
// space becomes single spaces.
func Snippet(s string, start, end, limit int) string {
	start = min(max(start, 0), len(s))
	for start > 0 && start < len(s) && isTail(s[start]) {
		start--
	}
	end = min(max(end, start), len(s))
	for end < len(s) && isTail(s[end]) {
		end++
	}
	for start > 0 && start < len(s) && !utf8.RuneStart(s[start]) {
		start--
	}
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end++
	}
	room := limit - utf8.RuneCountInString(s[start:end])
	from, to := start, end
	if room < 0 {
		for to = start; to < end && limit > 0; limit-- {
			_, w := utf8.DecodeRuneInString(s[to:])
			to += w
		}
	} else {
		left, before := backward(s, start, room/2)
		right, behind := forward(s, end, room-before)
		from, _ = backward(s, left, room-before-behind)
		from, to = wordBorders(s, from, start, end, right)
		from, to = min(from, start), max(to, end)
	}
	var b strings.Builder // also so that the snippet does not hold the text
	b.Grow(to - from + 2*len(cutMark))
	if !blank(s[:from]) {
		b.WriteString(cutMark)
	}
	if piece := strings.Trim(s[from:to], " "); spacedSingly(piece) {
		b.WriteString(piece)
	} else {
		between := false
		for field := range strings.FieldsSeq(piece) {
			if between {
				b.WriteByte(' ')
			}
			between = true
			b.WriteString(field)
		}
	}
	if !blank(s[to:]) {
		b.WriteString(cutMark)
	}
	return b.String()
}

// blank reports whether s is white space alone.
func blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// spacedSingly reports whether all white space in s is single spaces of ASCII.
func spacedSingly(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			if i > 0 && s[i-1] == ' ' {
				return false
			}
		case '\t' <= c && c <= '\r':
			return false
		case c == 0xC2, c == 0xE1, c == 0xE2, c == 0xE3: // all others begin with these
			if r, _ := utf8.DecodeRuneInString(s[i:]); unicode.IsSpace(r) {
				return false
			}
		}
	}
	return true
}

const cutMark = "…"

// Snippet is the words around h in the original text; see [Snippet].
func (t *Text) Snippet(h Hit, limit int) string { return Snippet(t.src, h.Start, h.End, limit) }

// backward goes n characters back from i, or as many as there are, and tells how
// many those were.
func backward(s string, i, n int) (to, went int) {
	for ; went < n && i > 0; went++ {
		if s[i-1] < utf8.RuneSelf {
			i--
			continue
		}
		if i >= 3 && threeBytes(s[i-3:]) {
			i -= 3
			continue
		}
		_, w := utf8.DecodeLastRuneInString(s[:i])
		i -= w
	}
	return i, went
}

// forward is backward in the other direction.
func forward(s string, i, n int) (to, went int) {
	for ; went < n && i < len(s); went++ {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		if threeBytes(s[i:]) {
			i += 3
			continue
		}
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return i, went
}

// threeBytes reports whether s begins with a character of three bytes, such as a
// Chinese one. It may say no where it does.
func threeBytes(s string) bool {
	return len(s) >= 3 && s[0]&0xF0 == 0xE0 && s[0] != 0xE0 && s[0] != 0xED && isTail(s[1]) && isTail(s[2])
}

// wordBorders narrows from and to, towards start and end, to where no word
// is cut; a word that fills all the room is cut after all.
func wordBorders(s string, from, start, end, to int) (int, int) {
	joined := func(i int) bool {
		if i <= 0 || i >= len(s) {
			return false
		}
		if a, b := s[i-1], s[i]; a < utf8.RuneSelf && b < utf8.RuneSelf {
			return inWord(rune(a)) && inWord(rune(b))
		}
		a, _ := utf8.DecodeLastRuneInString(s[:i])
		b, _ := utf8.DecodeRuneInString(s[i:])
		if 0x4E00 <= b && b <= 0x9FFF && a != '\u200D' {
			return false // Chinese is cut anywhere
		}
		return unicode.IsMark(b) || b == '\u200D' || a == '\u200D' || inWord(a) && inWord(b)
	}
	f := from
	for f < start && joined(f) {
		f, _ = forward(s, f, 1)
	}
	if f < start || !joined(start) {
		from = f
	}
	e := to
	for e > end && joined(e) {
		e, _ = backward(s, e, 1)
	}
	if e > end || !joined(end) {
		to = e
	}
	return from, to
}

func inWord(r rune) bool {
	switch classOf(r) {
	case letter, mark, hangul, digit:
		return true
	}
	return false
}

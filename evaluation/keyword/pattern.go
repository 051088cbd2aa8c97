package keyword

import (
	"sort"
	"unicode"
	"unicode/utf8"
)

// edge is what an end of a pattern asks of the text beside it.
type edge uint8

const (
	free      edge = iota // nothing
	wordEdge              // an end of a word: the pattern has a letter there
	digitEdge             // an end of a number: the pattern has a digit there
	separator             // a hyphen or low line, which the keyword has there
)

// A pattern is one alternative of a keyword, in word or in substring mode.
type pattern struct {
	// text is the normalised keyword, folded, without a separator at its ends.
	text []byte
	// humps tells of each byte of text whether a hump stands before it; nil where
	// there is none.
	humps      []bool
	start, end edge

	// word is how many letters the last word has, where it is Latin and ends the
	// pattern; 0 where the pattern takes no endings.
	word    int32
	acronym bool // the last word, or what follows its last hump, is in capitals
	noS     bool // a protocol, of which s makes another
	es      bool
	doubled byte // the consonant that may be doubled, 0 for none
	stem    byte // the last letter, e or y, that may go; 0 for none

	matcher, alternative int32
}

// protocols are the words whose plural would be another protocol's name.
var protocols = map[string]bool{
	"http": true, "ftp": true, "ldap": true, "smtp": true, "imap": true, "amqp": true, "mqtt": true,
}

// newPattern makes a pattern of a keyword, which it normalises in t; ok is false
// where nothing is left of it then.
func (s *Set) newPattern(t *Text, keyword string, substring bool) (p pattern, ok bool) {
	t.Reset(keyword)
	n := len(t.norm)
	if n == 0 {
		return pattern{}, false
	}
	from, to := 0, n
	if n > 1 && classOf(rune(t.norm[0])) == hyphen && classOf(runeAt(t.norm, 1)).wordy() {
		from, p.start = 1, separator
	}
	if to-from > 1 && classOf(rune(t.norm[n-1])) == hyphen && classOf(runeBefore(t.norm, n-1)).wordy() {
		to, p.end = n-1, separator
	}
	before := len(s.texts)
	for i := from; i < to; i++ {
		c := t.norm[i]
		s.texts = append(s.texts, lowerASCII(c))
		if i > from && (lowerASCII(c) != c || len(t.upper) > 0) && t.hump(i) {
			if p.humps == nil {
				p.humps = make([]bool, to-from)
			}
			p.humps[i-from] = true
		}
	}
	p.text = s.texts[before:len(s.texts):len(s.texts)]
	if substring {
		return p, true
	}
	edgeOf := func(c class) edge {
		switch {
		case c.blocks():
			return wordEdge
		case c == digit:
			return digitEdge
		}
		return free
	}
	if p.start == free {
		p.start = edgeOf(classOf(runeAt(p.text, 0)))
	}
	if p.end == free {
		p.end = edgeOf(classOf(runeBefore(p.text, len(p.text))))
		p.endings(t.norm[from:to])
	}
	return p, true
}

// endings works out which English endings the last word takes. cased is the
// pattern's text with its capitals.
func (p *pattern) endings(cased []byte) {
	if p.end != wordEdge {
		return
	}
	i, letters, capitals, latin := len(p.text), 0, 0, true
	for i > 0 {
		r, w := utf8.DecodeLastRune(p.text[:i])
		if c := classOf(r); c != letter && c != mark {
			break
		}
		latin = latin && (r < utf8.RuneSelf || unicode.In(r, unicode.Latin, unicode.Inherited))
		i -= w
		letters++
		if 'A' <= cased[i] && cased[i] <= 'Z' {
			capitals++
		}
	}
	last := string(p.text[i:])
	if !latin || letters < 2 {
		return
	}
	p.word = int32(letters)
	p.acronym = capitals == letters || p.acronymBehindHump(cased)
	p.noS = protocols[last]
	if letters < 4 {
		return
	}
	n := len(last)
	final, before := last[n-1], last[n-2]
	switch {
	case final == 's', final == 'x', final == 'z', final == 'o',
		final == 'h' && (before == 'c' || before == 's'):
		p.es = true
	case final == 'e':
		p.stem = 'e'
	case final == 'y' && !vowel(before):
		p.stem = 'y'
	}
	if vowel(before) && final < utf8.RuneSelf && !vowel(final) && final != 'w' && final != 'x' && final != 'y' {
		p.doubled = final
	}
}

// acronymBehindHump tells whether the text from its last hump on is capitals, two
// or more: userID, MySQL.
func (p *pattern) acronymBehindHump(cased []byte) bool {
	from := len(p.humps)
	for from > 0 && !p.humps[from-1] {
		from--
	}
	if from == 0 || len(cased)-from < 1 {
		return false
	}
	for _, c := range cased[from-1:] {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

func vowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return false
}

// humpAt tells whether a hump stands before p.text[k].
func (p *pattern) humpAt(k int) bool { return p.humps != nil && p.humps[k] }

// beginsAt tells whether the first byte of p stands at i.
func (p *pattern) beginsAt(t *Text, i int) bool { return lowerASCII(t.norm[i]) == p.text[0] }

// match matches p at i of t and gives where the match ends. A loose match
// heeds no edges and takes spaces as optional.
func (p *pattern) match(t *Text, i int, loose bool) (end int, ok bool) {
	j, k := i, 0
	stemEnd := -1
	b := t.norm
	for ; k < len(p.text); k++ {
		c := p.text[k]
		if k == len(p.text)-1 && p.stem != 0 {
			stemEnd = j
		}
		if p.humpAt(k) && j < len(b) && b[j] == ' ' {
			j++
		}
		switch {
		case j < len(b) && lowerASCII(b[j]) == c:
			j++
		case c == ' ' && (loose || t.hump(j)):
			// A space of the keyword stands for the hump.
		default:
			if stemEnd < 0 || loose || !p.startsAt(t, i) {
				return 0, false
			}
			return p.inflected(t, -1, stemEnd)
		}
	}
	if loose {
		return j, true
	}
	if !p.startsAt(t, i) {
		return 0, false
	}
	switch p.end {
	case wordEdge:
		if t.wordEnds(j) {
			return j, true
		}
		return p.inflected(t, j, stemEnd)
	case digitEdge:
		return j, t.numberEnds(j)
	case separator:
		return j, t.separatorAfter(j)
	}
	return j, true
}

// inflected matches the last word with one of its endings: whole up to whole,
// or -1 where its last letter differs; without its last letter up to stem, or
// -1 where it keeps it.
func (p *pattern) inflected(t *Text, whole, stem int) (end int, ok bool) {
	try := func(from int, ending string) bool {
		end = from + len(ending)
		return t.hasFolded(from, ending) && t.wordEnds(end)
	}
	// A hump or a space inside the keyword's last word may part it in the text:
	// the part that takes the ending has to be long enough there too.
	long := p.word >= 4 && (whole >= 0 && t.lettersBefore(whole) >= 4 || whole < 0 && t.lettersBefore(stem) >= 3)
	if whole >= 0 && p.word > 0 && !p.noS && t.hasFolded(whole, "s") {
		small := !t.isUpper(whole)
		final := p.text[len(p.text)-1]
		switch {
		case long && final != 's' && (small || !p.acronym),
			small && p.acronym && p.word >= 3 && final != 's',
			small && t.capitals(whole, int(p.word)):
			if try(whole, "s") {
				return end, true
			}
		}
	}
	if !long {
		return 0, false
	}
	if whole >= 0 {
		past := "ed"
		if p.text[len(p.text)-1] == 'e' {
			past = "d"
		}
		if p.es && try(whole, "es") || try(whole, past) || try(whole, "ing") {
			return end, true
		}
		if p.doubled != 0 && t.hasFolded(whole, string(p.doubled)) && (try(whole+1, "ed") || try(whole+1, "ing")) {
			return end, true
		}
	}
	if stem >= 0 {
		switch {
		case p.stem == 'e' && try(stem, "ing"),
			p.stem == 'y' && (try(stem, "ies") || try(stem, "ied")):
			return end, true
		}
	}
	return 0, false
}

func (p *pattern) startsAt(t *Text, i int) bool {
	switch p.start {
	case wordEdge:
		return t.wordStarts(i)
	case digitEdge:
		return t.numberStarts(i)
	case separator:
		return t.separatorBefore(i)
	}
	return true
}

// hasFolded tells whether s, small letters of ASCII, stands at i without
// regard to case.
func (t *Text) hasFolded(i int, s string) bool {
	if i+len(s) > len(t.norm) {
		return false
	}
	for k := range len(s) {
		if lowerASCII(t.norm[i+k]) != s[k] {
			return false
		}
	}
	return true
}

// isUpper tells whether the letter at i was upper-case.
func (t *Text) isUpper(i int) bool {
	if i >= len(t.norm) {
		return false
	}
	if c := t.norm[i]; 'A' <= c && c <= 'Z' {
		return true
	}
	if len(t.upper) == 0 {
		return false
	}
	k := sort.SearchInts(t.upper, i)
	return k < len(t.upper) && t.upper[k] == i
}

// isLower tells whether the letter at i was lower-case.
func (t *Text) isLower(i int) bool {
	r := runeAt(t.norm, i)
	return r >= 0 && unicode.IsLower(r) && !t.isUpper(i)
}

// hump tells whether a word inside a camelCase name begins at i: a capital
// behind a small letter (My|SQL), or the last capital of several before a small
// letter (OOM|Killed), though not before the s of an acronym's plural (PVCs).
func (t *Text) hump(i int) bool {
	if i <= 0 || !t.isUpper(i) {
		return false
	}
	before := i - 1
	for before > 0 && isTail(t.norm[before]) {
		before--
	}
	if t.isLower(before) {
		return true
	}
	if !t.isUpper(before) {
		return false
	}
	_, w := utf8.DecodeRune(t.norm[i:])
	next := i + w
	return t.isLower(next) && !(t.norm[next] == 's' && !t.isLower(next+1))
}

// wordStarts tells whether a word may start at i: no letter before it, or a hump.
func (t *Text) wordStarts(i int) bool {
	return !classOf(runeBefore(t.norm, i)).blocks() || t.hump(i)
}

// wordEnds tells whether a word may end before i: no letter there, or a hump.
func (t *Text) wordEnds(i int) bool {
	return !classOf(runeAt(t.norm, i)).blocks() || t.hump(i)
}

func (t *Text) numberStarts(i int) bool {
	r := runeBefore(t.norm, i)
	if classOf(r) == digit {
		return false
	}
	return r != '.' || classOf(runeBefore(t.norm, i-1)) != digit
}

func (t *Text) numberEnds(i int) bool {
	r := runeAt(t.norm, i)
	if classOf(r) == digit {
		return false
	}
	return r != '.' || classOf(runeAt(t.norm, i+1)) != digit
}

// separatorBefore tells whether a hyphen or low line stands before i, in the
// normalised text or, where it became a space or nothing, in the original.
func (t *Text) separatorBefore(i int) bool {
	if classOf(runeBefore(t.norm, i)) == hyphen {
		return true
	}
	if i > 0 && t.norm[i-1] == ' ' {
		i--
	}
	return i > 0 && hasSeparator(t.src[t.at.end(t.norm, i, t.src):])
}

// separatorAfter is separatorBefore for the text from i on.
func (t *Text) separatorAfter(i int) bool {
	return classOf(runeAt(t.norm, i)) == hyphen ||
		i > 0 && i < len(t.norm) && hasSeparator(t.src[t.at.end(t.norm, i, t.src):])
}

// hasSeparator tells whether s begins with a hyphen or low line, invisible
// characters aside.
func hasSeparator(s string) bool {
	for _, r := range s {
		switch kindOf(r) {
		case drop:
		case dash, underscore:
			return true
		default:
			return false
		}
	}
	return false
}

// capitals tells whether the n characters before i, two or more, are capitals
// of ASCII.
func (t *Text) capitals(i, n int) bool {
	if n < 2 || n > i {
		return false
	}
	for _, c := range t.norm[i-n : i] {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// lettersBefore counts the letters directly before i, up to four.
func (t *Text) lettersBefore(i int) (n int) {
	for n < 4 && i > 0 {
		r, w := utf8.DecodeLastRune(t.norm[:i])
		if classOf(r) != letter {
			break
		}
		i -= w
		n++
	}
	return n
}

package keyword

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Text is a text made ready for matching: normalised once, then matched by
// any number of keywords. It remembers where everything stood in the original.
//
// A Text may be used by one goroutine at a time. [Text.Reset] makes it hold
// another text and reuses its memory. The zero Text holds the empty text.
type Text struct {
	src string

	// norm is the normalised text. Letters of ASCII keep their case here, which
	// tells the humps; all others are folded, and upper lists those letters
	// that were upper-case and no longer look it. Behind norm stand zero bytes,
	// so that a scan may load whole words.
	norm  []byte
	upper []int
	at    mapping

	// light is the text that regular expressions see; made when first asked for.
	light   []byte
	lightAt mapping
	lit     bool

	// Of the run of digits and commas that reaches up to numberEnd in the
	// original: whether its commas are thousands separators.
	numberEnd  int
	wellFormed bool

	segment, composed, folded []byte
	caps                      []bool
}

// padding is how many zero bytes stand behind norm: one load of a scan.
const padding = 8

// padded is norm with the zero bytes behind it. It makes the zero Text the
// empty one.
func (t *Text) padded() []byte {
	if len(t.at) == 0 {
		t.Reset("")
	}
	return t.norm[:len(t.norm)+padding]
}

// NewText normalises s.
func NewText(s string) *Text {
	t := new(Text)
	t.Reset(s)
	return t
}

// Original is the text as it was given.
func (t *Text) Original() string { return t.src }

// String is the normalised text, case folded: what word mode compares.
func (t *Text) String() string {
	b := bytes.Clone(t.norm)
	for i, c := range b {
		b[i] = lowerASCII(c)
	}
	return string(b)
}

// Blank tells whether nothing is left of the text that a reader sees.
func (t *Text) Blank() bool { return len(bytes.TrimSpace(t.norm)) == 0 }

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func isTail(c byte) bool { return c&0xC0 == 0x80 }

// Of a single space between two characters of ASCII: stays and goes have, for
// the first, the classes of the second, as bits, that keep the space and that
// drop it. Where neither does, more is to be looked at.
var staysAfter, goesAfter = func() (stays, goes [256]uint16) {
	for a := range rune(utf8.RuneSelf) {
		for b := range rune(utf8.RuneSelf) {
			switch bit := uint16(1) << asciiClass[b]; {
			case asciiClass[a] == space, asciiClass[b] == space, a == ',' && asciiClass[b] == digit:
			case spaceStays(a, b):
				stays[a] |= bit
			default:
				goes[a] |= bit
			}
		}
	}
	return stays, goes
}()

// bitOf is the bit of a byte's class in those; none outside ASCII.
var bitOf = func() (t [256]uint16) {
	for b, c := range asciiClass {
		t[b] = 1 << c
	}
	return t
}()

// Reset makes t hold s, reusing the memory of the text before.
func (t *Text) Reset(s string) {
	t.src = s
	t.upper, t.at = t.upper[:0], append(t.at[:0], place{})
	t.lit = false
	t.numberEnd = 0
	if need := len(s) + padding; cap(t.norm) < need {
		t.norm = make([]byte, 0, need+need/8)
	}
	t.norm = t.norm[:0]

	run := 0 // what stands from here to i goes over as it is
	for i := 0; i < len(s); {
		c := s[i]
		k := asciiKind[c]
		if k == plain {
			i = plainRun(s, i+1)
			continue
		}
		if i > run && i+1 < len(s) {
			// Spaces and commas are many: most are settled by their neighbours.
			if c == ' ' {
				before, bit := s[i-1], bitOf[s[i+1]]
				if staysAfter[before]&bit != 0 {
					i++
					continue
				}
				if goesAfter[before]&bit != 0 {
					t.norm = append(t.norm, s[run:i]...)
					i++
					run = i
					t.at = append(t.at, place{norm: len(t.norm), src: i})
					continue
				}
			} else if c == ',' && s[i-1] < utf8.RuneSelf && !isDigit(s[i-1]) {
				i++
				continue
			}
		}
		r, w := rune(c), 1
		if c >= utf8.RuneSelf {
			// All that begins with E4 (B8) to E9, most Han characters, goes over.
			if c >= 0xE4 && c <= 0xE9 && i+2 < len(s) && isTail(s[i+1]) && isTail(s[i+2]) {
				i = hanRun(s, i+3)
				continue
			}
			if c >= 0xE1 && c <= 0xEF && c != 0xED && i+2 < len(s) && isTail(s[i+1]) && isTail(s[i+2]) {
				r, w = rune(c&0x0F)<<12|rune(s[i+1]&0x3F)<<6|rune(s[i+2]&0x3F), 3
				k = kindOf(r)
			} else if r, w = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError {
				k = kindOf(r)
			}
			if k == plain {
				i += w
				continue
			}
		}
		t.norm = append(t.norm, s[run:i]...)
		switch k {
		case narrow:
			t.norm = append(t.norm, byte(r-narrowBy))
			i += w
		case lower:
			if unicode.IsUpper(r) {
				t.upper = append(t.upper, len(t.norm))
			}
			t.norm = utf8.AppendRune(t.norm, fold(r))
			i += w
		case quote:
			t.norm = append(t.norm, '"')
			i += w
		case apostrophe:
			t.norm = append(t.norm, '\'')
			i += w
		case white:
			i = t.space(i)
		case dash, underscore:
			i = t.hyphen(i, w, k)
		case comma:
			i = t.comma(i)
		case listComma:
			i = t.listComma(i, w)
		case ellipsis:
			t.solid(i, i+w, "...")
			i += w
		case drop:
			i += w
		default:
			i = t.slow(i)
		}
		run = i
		if last := t.at[len(t.at)-1]; last.solid || i-len(t.norm) != last.src-last.norm {
			t.at = append(t.at, place{norm: len(t.norm), src: i})
		}
	}
	t.norm = append(t.norm, s[run:]...)
	n := len(t.norm)
	t.norm = binary.LittleEndian.AppendUint64(t.norm, 0)[:n]
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// plainRun gives the first place from i on that may not go over as it is: all
// but plain characters of ASCII and single spaces between two letters, and now
// and then one of those. It looks at eight bytes at once; a byte's answer is
// its high bit. i is not 0, and what stands before it is plain.
func plainRun(s string, i int) int {
	var before uint64 // whether a letter stands before the eight
	for ; i+8 <= len(s); i += 8 {
		v := binary.LittleEndian.Uint64([]byte(s[i : i+8])) // not copied
		// With its high bit set no byte borrows from the next.
		h := v | highBits
		small := h | 0x20*eachByte
		letters := (small - 'a'*eachByte) &^ (small - ('z'+1)*eachByte) &^ v & highBits
		upToSpace := ^(h - (' '+1)*eachByte)
		commaOrHyphen := ^(((v^','*eachByte)&^eachByte | highBits) - eachByte)
		lowLine := ^((v ^ '_'*eachByte | highBits) - eachByte)
		spaces := ^((v ^ ' '*eachByte | highBits) - eachByte)
		special := (v | upToSpace | commaOrHyphen | lowLine) & highBits
		special &^= spaces & (letters<<8 | before) & (letters >> 8)
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		before = letters >> 56
	}
	for i < len(s) && asciiKind[s[i]] == plain {
		i++
	}
	return i
}

// hanRun gives the first place from i on where no Han character stands that goes over
// as it is, as [Text.Reset] says. It looks at two of them at once.
func hanRun(s string, i int) int {
	for ; i+8 <= len(s); i += 6 {
		v := binary.LittleEndian.Uint64([]byte(s[i : i+8])) // not copied
		if v&0xC0C0F0C0C0F0 != 0x8080E08080E0 || v&0xF-4 > 5 || v>>24&0xF-4 > 5 {
			break
		}
	}
	for i+2 < len(s) && s[i]-0xE4 <= 0xE9-0xE4 && isTail(s[i+1]) && isTail(s[i+2]) {
		i += 3
	}
	return i
}

// solid writes what the original from from to to became, as one piece: a hit
// on part of it shows the whole.
func (t *Text) solid(from, to int, became string) {
	t.at = append(t.at, place{norm: len(t.norm), src: from, solid: true})
	t.norm = append(t.norm, became...)
	t.at = append(t.at, place{norm: len(t.norm), src: to})
}

// skip is the first place from i on that is not invisible nor, where whites is
// set, white space.
func (t *Text) skip(i int, whites bool) int {
	for i < len(t.src) {
		if c := t.src[i]; c < utf8.RuneSelf {
			if asciiKind[c] != white || !whites {
				return i
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(t.src[i:])
		k := kindOf(r)
		if k != drop && (k != white || !whites) {
			return i
		}
		i += w
	}
	return i
}

// peek is the first character that the original from i on becomes, -1 at its
// end. Of space and combining mark, which some spacing accents become, it is
// the mark.
func (t *Text) peek(i int) rune {
	i = t.skip(i, false)
	if i >= len(t.src) {
		return -1
	}
	if c := t.src[i]; c < utf8.RuneSelf && asciiKind[c] != white {
		return rune(c)
	}
	r, w := utf8.DecodeRuneInString(t.src[i:])
	switch kindOf(r) {
	case narrow:
		return r - narrowBy
	case white:
		return ' '
	case dash:
		return '-'
	case underscore:
		return '_'
	case comma, listComma:
		return ','
	case quote:
		return '"'
	case apostrophe:
		return '\''
	case ellipsis:
		return '.'
	case slow:
		if d := norm.NFKC.PropertiesString(t.src[i : i+w]).Decomposition(); len(d) > 0 {
			first, n := utf8.DecodeRune(d)
			if first == ' ' && n < len(d) {
				first, _ = utf8.DecodeRune(d[n:])
			}
			return first
		}
	}
	return r
}

// last is the last character written, -1 where none is.
func (t *Text) last() rune { return runeBefore(t.norm, len(t.norm)) }

func runeBefore(b []byte, i int) rune {
	if i <= 0 {
		return -1
	}
	if c := b[i-1]; c < utf8.RuneSelf {
		return rune(c)
	}
	r, _ := utf8.DecodeLastRune(b[:i])
	return r
}

func runeAt(b []byte, i int) rune {
	if i >= len(b) {
		return -1
	}
	if c := b[i]; c < utf8.RuneSelf {
		return rune(c)
	}
	r, _ := utf8.DecodeRune(b[i:])
	return r
}

// spaceStays tells whether a space between the two characters is kept. A space
// before a combining mark keeps them from being joined; one beside a hyphen
// keeps the hyphen from standing between two letters.
func spaceStays(a, b rune) bool {
	ca, cb := classOf(a), classOf(b)
	switch {
	case b >= utf8.RuneSelf && unicode.IsMark(b):
		return true
	case ca == punct, cb == punct:
		return false
	case ca == unspaced:
		return cb == hyphen
	case cb == unspaced:
		return ca == hyphen
	case ca == digit:
		return cb != letter && cb != hangul && cb != percent
	case cb == digit:
		return ca != letter && ca != mark && ca != hangul && ca != percent
	}
	return true
}

// space reads white space at i.
func (t *Text) space(i int) int {
	j := t.skip(i, true)
	a := t.last()
	if j == len(t.src) || a < 0 || a == ' ' {
		return j
	}
	b := t.peek(j)
	if a == ',' && classOf(b) == digit && classOf(runeBefore(t.norm, len(t.norm)-1)) == digit || spaceStays(a, b) {
		t.norm = append(t.norm, ' ')
	}
	return j
}

// hyphen reads a dash or low line at i, w bytes wide.
func (t *Text) hyphen(i, w int, k kind) int {
	a, b := t.last(), t.peek(i+w)
	ca, cb := classOf(a), classOf(b)
	switch joins := ca.wordy() && cb.wordy() && !(ca == digit && cb == digit) && !unicode.IsMark(b); {
	case joins && spaceStays(a, b):
		t.norm = append(t.norm, ' ')
	case joins:
	case k == underscore:
		t.norm = append(t.norm, '_')
	default:
		t.norm = append(t.norm, '-')
	}
	return i + w
}

// comma reads an ASCII comma at i. One between two digits that is no thousands
// separator is written with a space behind it, so that the normalised text
// never reads as a number that the original does not have.
func (t *Text) comma(i int) int {
	if !t.endsInDigit() || classOf(t.peek(i+1)) != digit {
		t.norm = append(t.norm, ',')
		return i + 1
	}
	if r, _ := utf8.DecodeLastRuneInString(t.src[:i]); kindOf(r) == white {
		t.wellFormed, t.numberEnd = false, i+1
	} else if i >= t.numberEnd {
		t.number(i)
	}
	if !t.wellFormed {
		t.norm = append(t.norm, ", "...)
	}
	return i + 1
}

// listComma reads a comma that is inside no number at i, w bytes wide.
func (t *Text) listComma(i, w int) int {
	if t.endsInDigit() {
		if j := t.skip(i+w, true); classOf(t.peek(j)) == digit {
			t.solid(i, i+w, ", ")
			return j
		}
	}
	t.norm = append(t.norm, ',')
	return i + w
}

// endsInDigit tells whether the last character written is a digit.
func (t *Text) endsInDigit() bool {
	n := len(t.norm)
	if n == 0 {
		return false
	}
	if c := t.norm[n-1]; c < utf8.RuneSelf {
		return asciiClass[c] == digit
	}
	if n >= 3 && t.norm[n-3]-0xE4 <= 0xE9-0xE4 {
		return false // a Han character, as most are
	}
	return classOf(t.last()) == digit
}

// number reads the run of digits and commas around the comma at i, whose first
// group is written already. It is a number with thousands separators where the
// first group has one to three digits and no zero in front, all others have
// three, and it is part of no decimal fraction or dotted address.
func (t *Text) number(i int) {
	b := t.norm
	first := len(b)
	for first > 0 && isDigit(b[first-1]) {
		first--
	}
	n := len(b) - first
	t.wellFormed = n >= 1 && n <= 3 && b[first] != '0' &&
		!(first >= 2 && b[first-1] == '.' && isDigit(b[first-2]))
	for {
		var c byte
		c, j := t.narrowed(i)
		if c != ',' {
			break
		}
		digits := 0
		for c, j = t.narrowed(j); isDigit(c); c, j = t.narrowed(j) {
			digits++
			i = j
		}
		if digits == 0 {
			break
		}
		t.wellFormed = t.wellFormed && digits == 3
	}
	t.numberEnd = i
	dots := 0
	for c, j := t.narrowed(i); c == '.'; c, j = t.narrowed(j) {
		if c, j = t.narrowed(j); !isDigit(c) {
			break
		}
		dots++
		for i = j; isDigit(c); c, j = t.narrowed(j) {
			i = j
		}
		j = i
	}
	t.wellFormed = t.wellFormed && dots < 2
}

// narrowed is the ASCII character at or behind i, invisible characters passed
// over, and the place behind it; 0 for any other. A full-width comma is
// another.
func (t *Text) narrowed(i int) (byte, int) {
	i = t.skip(i, false)
	if i >= len(t.src) {
		return 0, i
	}
	r, w := utf8.DecodeRuneInString(t.src[i:])
	switch kindOf(r) {
	case plain, comma:
		if r < utf8.RuneSelf {
			return byte(r), i + w
		}
	case narrow:
		return byte(r - narrowBy), i + w
	case slow: // ² is a digit of the number too
		if d := norm.NFKC.PropertiesString(t.src[i : i+w]).Decomposition(); len(d) > 0 && d[0] < utf8.RuneSelf {
			return d[0], i + w
		}
	}
	return 0, i + w
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// slow reads from i on what only x/text knows, up to the first character that
// it need not be asked about.
func (t *Text) slow(i int) int {
	s := t.src
	r, w := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && w == 1 {
		t.solid(i, i+1, "\uFFFD")
		return i + 1
	}
	if a := t.last(); mayJoin(a) && !norm.NFKC.PropertiesString(s[i:]).BoundaryBefore() {
		// It may join the character before it, which is read again.
		p := len(t.norm) - utf8.RuneLen(a)
		start := t.at.start(p)
		_, w := utf8.DecodeRuneInString(s[start:])
		if t.skip(start+w, false) == i {
			t.takeBack(p)
			i = start
		}
	}
	t.segment = t.segment[:0]
	from, to, j := i, i, i
	for j < len(s) {
		r, w := utf8.DecodeRuneInString(s[j:])
		k := kindOf(r)
		if j > i && k != slow && k != drop || r == utf8.RuneError && w == 1 {
			break
		}
		if k != drop {
			if len(t.segment) > 0 && norm.NFKC.PropertiesString(s[j:]).BoundaryBefore() {
				t.compose(from, to)
				from = j
			}
			t.segment = append(t.segment, s[j:j+w]...)
			to = j + w
		}
		j += w
	}
	t.compose(from, to)
	if classOf(t.peek(j)) == digit {
		t.partNumbers()
	}
	return j
}

// partNumbers keeps a comma that x/text brought in, as of 🄁, from joining the
// digits around it.
func (t *Text) partNumbers() {
	if t.last() == ',' && classOf(runeBefore(t.norm, len(t.norm)-1)) == digit {
		t.norm = append(t.norm, ' ')
	}
}

// takeBack takes back what was written from p on.
func (t *Text) takeBack(p int) {
	t.norm = t.norm[:p]
	for n := len(t.upper); n > 0 && t.upper[n-1] >= p; n-- {
		t.upper = t.upper[:n-1]
	}
	for n := len(t.at); n > 0 && t.at[n-1].norm > p; n-- {
		t.at = t.at[:n-1]
	}
}

// mayJoin tells whether a combining mark behind a character already written
// may become one character with it.
func mayJoin(r rune) bool {
	if r < utf8.RuneSelf {
		return r > 0 && asciiClass[r] == letter || r == '<' || r == '=' || r == '>'
	}
	return r != utf8.RuneError
}

// compose writes t.segment, which stood in the original from from to to, and
// empties it.
func (t *Text) compose(from, to int) {
	nf := norm.NFKC.Append(t.composed[:0], t.segment...)
	t.composed, t.segment = nf, t.segment[:0]
	out, caps := t.folded[:0], t.caps[:0]
	marks := false
	for len(nf) > 0 {
		r, w := utf8.DecodeRune(nf)
		nf = nf[w:]
		n := len(out)
		switch k := kindOf(r); {
		case k == drop: // a joiner that x/text puts into endless runs of marks
		case r == 'ß', r == 'ẞ':
			out = append(out, "ss"...)
		case r == 'İ':
			out = append(out, "i\u0307"...)
		case k == apostrophe:
			out = append(out, '\'')
		default:
			out = utf8.AppendRune(out, fold(r))
			marks = marks || unicode.IsMark(r)
		}
		for range len(out) - n {
			caps = append(caps, unicode.IsUpper(r))
		}
	}
	if marks && !norm.NFKC.IsNormal(out) {
		// A small letter may join marks that its capital does not join.
		t.composed = norm.NFKC.Append(t.composed[:0], out...)
		out, caps = append(out[:0], t.composed...), caps[:1]
	}
	t.folded, t.caps = out, caps
	if classOf(runeAt(out, 0)) == digit {
		t.partNumbers()
	}
	t.at = append(t.at, place{norm: len(t.norm), src: from, solid: true})
	for i := 0; i < len(out); {
		r, w := utf8.DecodeRune(out[i:])
		if r == ' ' && (t.last() < 0 || t.last() == ' ') {
			i += w
			continue
		}
		if i < len(caps) && caps[i] {
			t.upper = append(t.upper, len(t.norm))
		}
		t.norm = append(t.norm, out[i:i+w]...)
		i += w
	}
	t.at = append(t.at, place{norm: len(t.norm), src: to})
}

// lighten makes the text that regular expressions see: invisible characters
// dropped, NFKC, white space collapsed and trimmed, and nothing else.
func (t *Text) lighten() {
	if t.lit {
		return
	}
	t.lit = true
	s := t.src
	t.light, t.lightAt = t.light[:0], append(t.lightAt[:0], place{})
	for i := 0; i < len(s); {
		from, to := i, i
		t.segment = t.segment[:0]
		for i < len(s) {
			r, w := utf8.DecodeRuneInString(s[i:])
			if !invisible(r) {
				if len(t.segment) > 0 && (r < utf8.RuneSelf || norm.NFKC.PropertiesString(s[i:]).BoundaryBefore()) {
					break
				}
				if len(t.segment) == 0 {
					from = i
				}
				t.segment = utf8.AppendRune(t.segment, r)
				to = i + w
			}
			i += w
		}
		out := t.segment
		if len(out) > 1 {
			t.composed = norm.NFKC.Append(t.composed[:0], out...)
			out = t.composed
		}
		if len(out) == 0 {
			break
		}
		_, w := utf8.DecodeRune(out)
		if last := t.lightAt[len(t.lightAt)-1]; w < len(out) || string(out) != s[from:to] {
			t.lightAt = append(t.lightAt, place{norm: len(t.light), src: from, solid: true})
		} else if last.solid || from-len(t.light) != last.src-last.norm {
			t.lightAt = append(t.lightAt, place{norm: len(t.light), src: from})
		}
		for len(out) > 0 {
			r, w := utf8.DecodeRune(out)
			out = out[w:]
			switch {
			case !unicode.IsSpace(r):
				t.light = utf8.AppendRune(t.light, r)
			case len(t.light) > 0 && t.light[len(t.light)-1] != ' ':
				t.light = append(t.light, ' ')
			}
		}
		if last := t.lightAt[len(t.lightAt)-1]; last.solid || to-len(t.light) != last.src-last.norm {
			t.lightAt = append(t.lightAt, place{norm: len(t.light), src: to})
		}
	}
	t.light = bytes.TrimSuffix(t.light, []byte(" "))
}

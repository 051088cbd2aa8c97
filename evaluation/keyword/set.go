package keyword

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Set is a list of compiled keywords that are looked for in one pass over a
// text. Any number of goroutines may use it.
type Set struct {
	keywords []Keyword
	// names and unlessNegated have a value for each alternative of each keyword.
	names         [][]string
	unlessNegated [][]bool

	patterns    []pattern
	expressions []expression
	groups      []group
}

// An expression is one alternative in regex mode.
type expression struct {
	re                   *regexp.Regexp
	matcher, alternative int
}

// CompileSet compiles keywords, whose places in the list are their numbers
// afterwards. It refuses what [Compile] refuses.
func CompileSet(keywords []Keyword) (*Set, error) {
	s := new(Set)
	for i, k := range keywords {
		if err := s.add(k); err != nil {
			return nil, fmt.Errorf("keyword %d (%v): %w", i+1, k, err)
		}
	}
	s.index()
	return s, nil
}

// MustCompileSet is [CompileSet] for keywords that stand in a program: it
// panics on an error.
func MustCompileSet(keywords []Keyword) *Set {
	s, err := CompileSet(keywords)
	if err != nil {
		panic(err)
	}
	return s
}

// Len is the number of keywords.
func (s *Set) Len() int { return len(s.keywords) }

// Keyword is the keyword with number i, from 0.
func (s *Set) Keyword(i int) Keyword { return s.keywords[i] }

func (s *Set) add(k Keyword) error {
	alternatives := []Keyword{k}
	if k.Any != nil {
		if k.Text != "" || k.Substring != "" || k.Regex != "" {
			return errors.New("any and another form at once; a keyword has one form")
		}
		if len(k.Any) == 0 {
			return errors.New("any is empty; it needs one alternative or more")
		}
		alternatives = k.Any
	}
	var names []string
	var unless []bool
	for i, a := range alternatives {
		err := s.addAlternative(a, len(s.keywords), i)
		if err != nil && k.Any != nil {
			return fmt.Errorf("any[%d] (%v): %w", i, a, err)
		}
		if err != nil {
			return err
		}
		unless = append(unless, a.UnlessNegated || k.UnlessNegated)
		a.UnlessNegated = false // it is the group's to say
		names = append(names, a.String())
	}
	s.keywords = append(s.keywords, k)
	s.names = append(s.names, names)
	s.unlessNegated = append(s.unlessNegated, unless)
	return nil
}

func (s *Set) addAlternative(k Keyword, matcher, alternative int) error {
	n := 0
	for _, form := range []string{k.Text, k.Substring, k.Regex} {
		if form != "" {
			n++
		}
	}
	switch {
	case k.Any != nil:
		return errors.New("a group inside a group; list its alternatives directly")
	case n > 1:
		return errors.New("two forms at once; a keyword has one form")
	case k.Regex != "":
		re, err := compileRegex(k.Regex)
		if err != nil {
			return err
		}
		s.expressions = append(s.expressions, expression{re, matcher, alternative})
		return nil
	}
	p, ok := newPattern(k.Text+k.Substring, k.Substring != "")
	if !ok {
		return errors.New("empty after normalising; a keyword has a character that can be seen")
	}
	p.matcher, p.alternative = matcher, alternative
	s.patterns = append(s.patterns, p)
	return nil
}

func compileRegex(expr string) (*regexp.Regexp, error) {
	if !utf8.ValidString(expr) {
		return nil, errors.New("regex: invalid UTF-8")
	}
	var b strings.Builder
	for _, r := range expr {
		// The text will have been through NFKC: a full-width colon of the
		// expression would never match. It stands for itself, and for no
		// operator that it may become.
		if nf := norm.NFKC.String(string(r)); nf != string(r) {
			b.WriteString(regexp.QuoteMeta(nf))
		} else {
			b.WriteRune(r)
		}
	}
	re, err := regexp.Compile("(?i)" + b.String())
	if err != nil {
		return nil, fmt.Errorf("regex: %s (RE2 syntax)", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if re.MatchString("") {
		return nil, errors.New("regex: matches the empty text, so that it would always be covered")
	}
	return re, nil
}

// A group is the patterns whose texts are told by their first width bytes. A
// scan takes the hash of as many bytes at every place of the text, in small
// letters; slots has, for a hash, the number of a bucket, from 1.
type group struct {
	width   int
	mask    uint32
	slots   [1 << slotBits]uint8
	buckets [][]int32 // numbers of patterns
}

const (
	slotBits = 9
	maxWidth = 4
	// smallLetters makes letters of ASCII small; what it makes of other bytes
	// it makes of them in patterns and in texts.
	smallLetters = 0x2020202020202020
)

func slot(v uint32) uint32 { return v * 0x9E3779B1 >> (32 - slotBits) }

// index builds the groups.
func (s *Set) index() {
	byWidth := [maxWidth + 1]*group{}
	for i := range s.patterns {
		starts, width := s.patterns[i].starts()
		g := byWidth[width]
		if g == nil {
			g = &group{width: width, mask: uint32(1<<(8*width) - 1)}
			byWidth[width] = g
		}
		for _, start := range starts {
			h := slot(start & g.mask)
			k := g.slots[h]
			if k == 0 {
				if len(g.buckets) == 255 {
					k = 255 // shared by all that come late
				} else {
					g.buckets = append(g.buckets, nil)
					k = uint8(len(g.buckets))
				}
				g.slots[h] = k
			}
			if b := &g.buckets[k-1]; !slices.Contains(*b, int32(i)) {
				*b = append(*b, int32(i))
			}
		}
	}
	s.groups = nil
	for _, g := range byWidth {
		if g != nil {
			s.groups = append(s.groups, *g)
		}
	}
}

// starts gives the first width bytes, in small letters, of all texts that p
// may match, each as a little-endian number.
func (p *pattern) starts() (starts []uint32, width int) {
	for _, c := range p.text {
		if c != ' ' { // which may stand for a hump
			width++
		}
	}
	if p.stem != 0 {
		width--
	}
	width = min(width, maxWidth)
	var walk func(k, n int, v uint32, afterSpace bool)
	walk = func(k, n int, v uint32, afterSpace bool) {
		if n == width {
			starts = append(starts, v)
			return
		}
		c := p.text[k] | 0x20
		if p.hump[k] && !afterSpace {
			walk(k, n+1, v|' '<<(8*n), true)
		}
		if c == ' ' {
			walk(k+1, n, v, false)
		}
		walk(k+1, n+1, v|uint32(c)<<(8*n), false)
	}
	walk(0, 0, 0, false)
	return starts, width
}

// next gives the first place from i on, before n, where a pattern of g may
// start, and those patterns; n where there is none. text has padding behind n.
func (g *group) next(text []byte, i, n int) (int, []int32) {
	mask := g.mask
	for ; i < n; i += 4 {
		v := binary.LittleEndian.Uint64(text[i:]) | smallLetters
		a := g.slots[slot(uint32(v)&mask)]
		b := g.slots[slot(uint32(v>>8)&mask)]
		c := g.slots[slot(uint32(v>>16)&mask)]
		d := g.slots[slot(uint32(v>>24)&mask)]
		if a|b|c|d == 0 {
			continue
		}
		for _, k := range [4]uint8{a, b, c, d} {
			if k != 0 {
				if i >= n {
					break
				}
				return i, g.buckets[k-1]
			}
			i++
		}
		i -= 4
	}
	return n, nil
}

// A span is a hit before it is shown: where it stands in the original, and of
// what.
type span struct {
	start, end           int
	matcher, alternative int
}

// A found is the first hit of one keyword so far.
type found struct {
	span
	norm int // where it starts in the normalised text
	ok   bool
	// done leaves the keyword out of the search.
	done bool
}

// yields tells whether f gives way to a hit that starts at start.
func (f *found) yields(start, alternative int) bool {
	return !f.ok || start < f.start || start == f.start && alternative < f.alternative
}

// first looks for the first hit that counts of every keyword. into has one
// element for each.
func (s *Set) first(t *Text, into []found) {
	open := 0
	for i := range into {
		if !into[i].done && !into[i].ok {
			open++
		}
	}
	text := t.padded()
	end := len(t.norm) // no hit that starts here or later is a first one
	for gi := range s.groups {
		g := &s.groups[gi]
		for i, bucket := g.next(text, 0, end); bucket != nil; i, bucket = g.next(text, i+1, end) {
			for _, k := range bucket {
				p := &s.patterns[k]
				f := &into[p.matcher]
				if f.done || f.ok && f.norm < i {
					continue
				}
				j, ok := p.match(t, i, false)
				if !ok {
					continue
				}
				start := t.at.start(i)
				if !f.yields(start, p.alternative) || s.unlessNegated[p.matcher][p.alternative] && t.negated(start) {
					continue
				}
				if !f.ok {
					open--
				}
				*f = found{span: span{start, t.at.end(t.norm, j, t.src), p.matcher, p.alternative}, norm: i, ok: true}
				if open == 0 {
					end = lastStart(into) + 1
				}
			}
		}
	}
	for _, e := range s.expressions {
		f := &into[e.matcher]
		if f.done {
			continue
		}
		e.each(t, func(start, end int) bool {
			if f.yields(start, e.alternative) {
				if s.unlessNegated[e.matcher][e.alternative] && t.negated(start) {
					return true
				}
				*f = found{span: span{start, end, e.matcher, e.alternative}, ok: true}
			}
			return false
		})
	}
}

func lastStart(into []found) (last int) {
	for i := range into {
		if into[i].ok && !into[i].done {
			last = max(last, into[i].norm)
		}
	}
	return last
}

// each calls yield with every match that is not empty, as offsets in the
// original, until yield returns false.
func (e expression) each(t *Text, yield func(start, end int) bool) {
	t.lighten()
	first := e.re.FindIndex(t.light)
	if first == nil {
		return
	}
	show := func(loc []int) bool {
		return loc[0] == loc[1] || yield(t.lightAt.start(loc[0]), t.lightAt.end(t.light, loc[1], t.src))
	}
	if !show(first) {
		return
	}
	for _, loc := range e.re.FindAllIndex(t.light, -1)[1:] {
		if !show(loc) {
			return
		}
	}
}

// hit is what sp is to the outside.
func (s *Set) hit(t *Text, sp span) Hit {
	return Hit{
		Start:       sp.start,
		End:         sp.end,
		Alternative: s.names[sp.matcher][sp.alternative],
		Negated:     t.negated(sp.start),
	}
}

// An IndexedHit is a hit and the number of its keyword in the set.
type IndexedHit struct {
	Index int
	Hit
}

// FindAll gives every hit that counts of every keyword, by where they start,
// then by number. Hits of one keyword do not overlap: of those that do, it
// gives the one that starts first, of those that start together the longest.
func (s *Set) FindAll(t *Text) []IndexedHit { return s.FindIn(t, 0, len(t.src)) }

// FindIn is [Set.FindAll] for the hits that stand wholly from start to end in
// the original text. What is around them is heeded: a word that reaches over
// start is no hit.
func (s *Set) FindIn(t *Text, start, end int) []IndexedHit {
	var hits []IndexedHit
	for _, sp := range s.spans(t, start, end) {
		if !s.unlessNegated[sp.matcher][sp.alternative] || !t.negated(sp.start) {
			hits = append(hits, IndexedHit{sp.matcher, s.hit(t, sp)})
		}
	}
	return hits
}

// StandsIn tells whether any of the keywords has a hit that counts wholly from
// start to end in the original text.
func (s *Set) StandsIn(t *Text, start, end int) bool { return len(s.FindIn(t, start, end)) > 0 }

// spans gives all hits from start to end in the original, negated or not, in
// the order of FindIn.
func (s *Set) spans(t *Text, start, end int) []span {
	var all []span
	text := t.padded()
	from, to := t.at.norm(start, len(t.norm)), t.at.norm(end, len(t.norm))
	for gi := range s.groups {
		g := &s.groups[gi]
		for i, bucket := g.next(text, from, to); bucket != nil; i, bucket = g.next(text, i+1, to) {
			for _, k := range bucket {
				p := &s.patterns[k]
				if j, ok := p.match(t, i, false); ok && j <= to {
					all = append(all, span{t.at.start(i), t.at.end(t.norm, j, t.src), p.matcher, p.alternative})
				}
			}
		}
	}
	for _, e := range s.expressions {
		e.each(t, func(a, b int) bool {
			if a >= start && b <= end {
				all = append(all, span{a, b, e.matcher, e.alternative})
			}
			return b <= end
		})
	}
	slices.SortFunc(all, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.matcher, b.matcher),
			cmp.Compare(b.end, a.end), cmp.Compare(a.alternative, b.alternative))
	})
	reached := make(map[int]int)
	return slices.DeleteFunc(all, func(sp span) bool {
		if r, ok := reached[sp.matcher]; ok && sp.start < r {
			return true
		}
		reached[sp.matcher] = sp.end
		return false
	})
}

// near looks for the first near miss of every keyword that wanted asks for.
// into has one element for each keyword.
func (s *Set) near(t *Text, into []*NearMiss, wanted func(matcher int) bool) {
	text := t.padded()
	for gi := range s.groups {
		g := &s.groups[gi]
		for i, bucket := g.next(text, 0, len(t.norm)); bucket != nil; i, bucket = g.next(text, i+1, len(t.norm)) {
			for _, k := range bucket {
				p := &s.patterns[k]
				if !wanted(p.matcher) {
					continue
				}
				j, ok := p.match(t, i, false)
				negated := ok && s.unlessNegated[p.matcher][p.alternative]
				if !negated {
					if j, ok = p.match(t, i, true); !ok {
						continue
					}
				}
				n := &NearMiss{Alternative: s.names[p.matcher][p.alternative], Negated: negated}
				if negated {
					n.Start, n.End = t.negator(t.at.start(i)), t.at.end(t.norm, j, t.src)
				} else {
					a, b := t.around(i, j)
					n.Whole = a == i && b == j
					n.Start, n.End = t.at.start(a), t.at.end(t.norm, b, t.src)
				}
				if n.Start < 0 || n.Start > n.End {
					continue
				}
				n.Inside = t.src[n.Start:n.End]
				into[p.matcher] = n
			}
		}
	}
	for _, e := range s.expressions {
		if !wanted(e.matcher) || !s.unlessNegated[e.matcher][e.alternative] {
			continue
		}
		e.each(t, func(start, end int) bool {
			if from := t.negator(start); from >= 0 {
				into[e.matcher] = &NearMiss{
					Start: from, End: end, Alternative: s.names[e.matcher][e.alternative], Inside: t.src[from:end], Negated: true,
				}
			}
			return false
		})
	}
}

// maxAround is how many characters a longer word is shown to either side of
// what was looked for.
const maxAround = 40

// around widens the piece of norm from i to j to the word or number that it
// stands in.
func (t *Text) around(i, j int) (from, to int) {
	b := t.norm
	for n := 0; n < maxAround && i > 0; n++ {
		r, w := utf8.DecodeLastRune(b[:i])
		if !partOfWord(r, runeBefore(b, i-w), runeAt(b, i)) {
			break
		}
		i -= w
	}
	for n := 0; n < maxAround && j < len(b); n++ {
		r, w := utf8.DecodeRune(b[j:])
		if !partOfWord(r, runeBefore(b, j), runeAt(b, j+w)) {
			break
		}
		j += w
	}
	return i, j
}

// partOfWord tells whether r between before and after is part of a word or
// number.
func partOfWord(r, before, after rune) bool {
	c := classOf(r)
	return c == letter || c == mark || c == digit ||
		r == '.' && classOf(before) == digit && classOf(after) == digit
}

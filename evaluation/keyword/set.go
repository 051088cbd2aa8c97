package keyword

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Set is a list of compiled keywords that are looked for in one pass over a
// text. Any number of goroutines may use it.
type Set struct {
	keywords     []Keyword
	alternatives []alternative // of all keywords, in their order

	patterns    []pattern
	expressions []expression
	groups      []group
	// tables are those of the groups, where making them takes long.
	tables []table
	texts  []byte // the texts of the patterns
}

// An alternative of the keyword with that number. One that is no group has one.
type alternative struct {
	name          string
	matcher       int32
	unlessNegated bool
}

// An expression is one alternative in regex mode, by its number.
type expression struct {
	re          *regexp.Regexp
	alternative int
}

// CompileSet compiles keywords, whose places in the list are their numbers
// afterwards. It refuses what [Compile] refuses.
func CompileSet(keywords []Keyword) (*Set, error) {
	s := &Set{}
	if err := s.compile(keywords); err != nil {
		return nil, err
	}
	return s, nil
}

var textPool = sync.Pool{New: func() any { return new(Text) }}

// compile makes s the set of the keywords.
func (s *Set) compile(keywords []Keyword) error {
	n, bytes := len(keywords), 0
	for i := range keywords {
		bytes += len(keywords[i].Text) + len(keywords[i].Substring)
	}
	*s = Set{
		keywords: make([]Keyword, 0, n), alternatives: make([]alternative, 0, n),
		patterns: make([]pattern, 0, n), texts: make([]byte, 0, bytes),
	}
	t := textPool.Get().(*Text)
	defer textPool.Put(t)
	for i := range keywords {
		if err := s.add(&keywords[i], t); err != nil {
			return fmt.Errorf("keyword %d (%v): %w", i+1, keywords[i], err)
		}
	}
	s.index()
	return nil
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

// add adds a keyword; t is memory to normalise it in.
func (s *Set) add(k *Keyword, t *Text) error {
	if k.Any == nil {
		if err := s.addAlternative(k, t, false); err != nil {
			return err
		}
	} else if err := s.addGroup(k, t); err != nil {
		return err
	}
	s.keywords = append(s.keywords, *k)
	return nil
}

func (s *Set) addGroup(k *Keyword, t *Text) error {
	if k.Text != "" || k.Substring != "" || k.Regex != "" {
		return errors.New("any and another form at once; a keyword has one form")
	}
	if len(k.Any) == 0 {
		return errors.New("any is empty; it needs one alternative or more")
	}
	for i := range k.Any {
		if err := s.addAlternative(&k.Any[i], t, k.UnlessNegated); err != nil {
			return fmt.Errorf("any[%d] (%v): %w", i, k.Any[i], err)
		}
	}
	return nil
}

// addAlternative adds an alternative of the keyword that is added next.
func (s *Set) addAlternative(k *Keyword, t *Text, unlessNegated bool) error {
	n := 0
	for _, form := range [...]string{k.Text, k.Substring, k.Regex} {
		if form != "" {
			n++
		}
	}
	matcher, number := len(s.keywords), len(s.alternatives)
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
		s.expressions = append(s.expressions, expression{re, number})
	default:
		p, ok := s.newPattern(t, k.Text+k.Substring, k.Substring != "")
		if !ok {
			return errors.New("empty after normalising; a keyword has a character that can be seen")
		}
		p.matcher, p.alternative = int32(matcher), int32(number)
		s.patterns = append(s.patterns, p)
	}
	name := *k
	name.UnlessNegated = false // it is the group's to say
	s.alternatives = append(s.alternatives, alternative{name.String(), int32(matcher), k.UnlessNegated || unlessNegated})
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
		says := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return nil, fmt.Errorf("regex: %s (RE2 syntax)", strings.Replace(says, "`(?i)", "`", 1))
	}
	if re.MatchString("") {
		return nil, errors.New("regex: matches the empty text, so that it would always be covered")
	}
	return re, nil
}

// A group is the patterns of one length, looked for together: a scan takes the
// hash of width bytes, in small letters, at every stride-th place of the text.
type group struct {
	width, stride int
	// factor is the factor of the hash, shifted so far that bytes behind the
	// width do not reach the result.
	factor uint32
	starts []start // by their slots; those of one slot by what starts first
}

// A start says that a pattern may start some bytes back of a place with that
// hash. In order are those of one slot, and of them first what starts first.
type start uint64

func newStart(slot uint32, back, pattern int) start {
	return start(slot)<<48 | start(0xFFFF-back)<<32 | start(pattern)
}

func (s start) slot() uint16 { return uint16(s >> 48) }
func (s start) back() int    { return 0xFFFF - int(uint16(s>>32)) }
func (s start) pattern() int { return int(uint32(s)) }

// A table has, for a hash, 1 + the number of the first start of a group that has
// it; farStart for one that is further behind. Those of a few patterns are made
// for each search, in memory that is used again: they are large, and there may be
// as many sets as cases.
type table [1 << slotBits]uint8

const farStart = 255

func (g *group) table(t *table) *table {
	*t = table{}
	for i := len(g.starts) - 1; i >= 0; i-- {
		t[g.starts[i].slot()] = uint8(min(i+1, farStart))
	}
	return t
}

// of gives the starts of the slot whose entry in a table is k.
func (g *group) of(slot uint32, k uint8) []start {
	from := int(k) - 1
	if k == farStart {
		from, _ = slices.BinarySearch(g.starts, start(slot)<<48)
	}
	to := from + 1
	for to < len(g.starts) && g.starts[to].slot() == uint16(slot) {
		to++
	}
	return g.starts[from:to]
}

const (
	slotBits = 9
	// maxBeginning is how many bytes of a pattern are hashed at most.
	maxBeginning = 6
	// manyStarts is how many starts a set has at least that keeps its tables.
	manyStarts = 64
	// smallLetters makes letters of ASCII small; what it makes of other bytes
	// it makes of them in patterns and in texts.
	smallLetters = 0x20202020
)

// slot is the hash of the first bytes of v.
func slot(v, factor uint32) uint32 { return (v | smallLetters) * factor >> (32 - slotBits) }

// lengths are the groups that there may be: the longer its patterns are, the
// more of the text a scan may pass over.
var lengths = [3]length{{6, 3, 4}, {3, 2, 2}, {1, 1, 1}}

type length struct{ least, width, stride int }

// index builds the groups.
func (s *Set) index() {
	var room [64]start
	var beginnings [8][maxBeginning]byte
	groups := make([]group, 0, len(lengths))
	all := 0
	for k, l := range lengths {
		g := group{width: l.width, stride: l.stride, factor: 0x9E3779B1 << (32 - 8*l.width) & math.MaxUint32}
		starts := room[:0]
		for i := range s.patterns {
			p := &s.patterns[i]
			if lengthOf(p) != k {
				continue
			}
			for _, beginning := range p.beginnings(l.width+l.stride-1, beginnings[:0]) {
				for back := range l.stride {
					v := uint32(0)
					for k := range l.width {
						v |= uint32(beginning[back+k]) << (8 * k)
					}
					starts = append(starts, newStart(slot(v, g.factor), back, i))
				}
			}
		}
		if len(starts) == 0 {
			continue
		}
		slices.Sort(starts)
		g.starts = slices.Clone(slices.Compact(starts))
		all += len(g.starts)
		groups = append(groups, g)
	}
	s.groups = slices.Clone(groups)
	if all >= manyStarts {
		s.tables = make([]table, len(s.groups))
		for i := range s.groups {
			s.groups[i].table(&s.tables[i])
		}
	}
}

// lengthOf is the place in lengths of the group that p belongs to, -1 where a
// text of no length would match it.
func lengthOf(p *pattern) int {
	least := p.leastLength()
	return slices.IndexFunc(lengths[:], func(l length) bool { return least >= l.least })
}

// A search is the memory of looking for the keywords of one set.
type search struct {
	found  []found
	tables [len(lengths)]table
}

var searches = sync.Pool{New: func() any { return new(search) }}

// search gives memory for looking for the keywords of s; give it back to searches.
func (s *Set) search() *search {
	m := searches.Get().(*search)
	m.found = append(m.found[:0], make([]found, len(s.keywords))...)
	if s.tables == nil {
		for i := range s.groups {
			s.groups[i].table(&m.tables[i])
		}
	}
	return m
}

// table is that of a group of s.
func (m *search) table(s *Set, group int) *table {
	if s.tables != nil {
		return &s.tables[group]
	}
	return &m.tables[group]
}

// leastLength is how many bytes of text a match of p has at least.
func (p *pattern) leastLength() int {
	n := len(p.text) - bytes.Count(p.text, []byte{' '}) // which may stand for a hump
	if p.stem != 0 {
		n--
	}
	return n
}

// beginnings adds the first n bytes of all texts that p may match to all. n is
// at most its least length, and maxBeginning.
func (p *pattern) beginnings(n int, all [][maxBeginning]byte) [][maxBeginning]byte {
	return p.begin(0, 0, n, [maxBeginning]byte{}, all)
}

// begin goes on from p.text[k], with at bytes there already.
func (p *pattern) begin(k, at, n int, text [maxBeginning]byte, all [][maxBeginning]byte) [][maxBeginning]byte {
	for ; at < n; k, at = k+1, at+1 {
		c := p.text[k]
		switch {
		case c == ' ':
			all = p.begin(k+1, at, n, text, all)
		case p.humpAt(k):
			spaced := text
			if spaced[at] = ' '; at+1 < n {
				spaced[at+1] = c
				all = p.begin(k+1, at+2, n, spaced, all)
			} else {
				all = append(all, spaced)
			}
		}
		text[at] = c
	}
	return append(all, text)
}

// next gives the first place from i on, before n, where a hash is one of g's,
// and what may have started there; nil where there is none. text has padding
// behind n.
func (g *group) next(slots *table, text []byte, i, n int) (int, []start) {
	factor, stride := g.factor, g.stride
	at := func(i int) uint8 { return slots[slot(binary.LittleEndian.Uint32(text[i:]), factor)] }
	for ; i+3*stride < n; i += 4 * stride {
		if at(i)|at(i+stride)|at(i+2*stride)|at(i+3*stride) != 0 {
			break
		}
	}
	for ; i < n; i += stride {
		if k := at(i); k != 0 {
			return i, g.of(slot(binary.LittleEndian.Uint32(text[i:]), factor), k)
		}
	}
	return n, nil
}

// A span is a hit before it is shown: where it stands in the original, and of
// what.
type span struct {
	start, end  int
	matcher     int
	alternative int // its number in the set
}

// A found is what is known so far of one keyword in one text.
type found struct {
	span     // the first hit that counts, where ok is set
	norm int // where it starts in the normalised text
	ok   bool
	near miss
	// done leaves the keyword out of the search.
	done bool
}

// A miss is a place where a keyword stands and does not count.
type miss struct {
	ok bool
	// text is the number of the text, for those who search several.
	text int
	// start and end are places in the normalised text; in the original where
	// negated is set.
	start, end, alternative int
	negated                 bool
}

// yields tells whether f gives way to a hit that starts at start.
func (f *found) yields(start, alternative int) bool {
	return !f.ok || start < f.start || start == f.start && alternative < f.alternative
}

// first looks for the first hit that counts of every keyword in t, the text
// with number n. m is of s.
func (s *Set) first(t *Text, n int, m *search) {
	into, open := m.found, 0
	for i := range into {
		if !into[i].done && !into[i].ok {
			open++
		}
	}
	text := t.padded()
	end := len(t.norm) // no hit that starts here or later is a first one
	for gi := range s.groups {
		g, slots := &s.groups[gi], m.table(s, gi)
		for i, starts := g.next(slots, text, 0, len(t.norm)); starts != nil; i, starts = g.next(slots, text, i+g.stride, min(len(t.norm), end+g.stride)) {
			for _, st := range starts {
				at := i - st.back()
				p := &s.patterns[st.pattern()]
				f := &into[p.matcher]
				if at < 0 || f.done || f.ok && f.norm < at || !p.beginsAt(t, at) {
					continue
				}
				j, ok := p.match(t, at, false)
				if !ok {
					if !f.ok && !f.near.ok {
						if j, ok := p.match(t, at, true); ok {
							f.near = miss{ok: true, text: n, start: at, end: j, alternative: int(p.alternative)}
						}
					}
					continue
				}
				from := t.at.start(at)
				if !f.yields(from, int(p.alternative)) {
					continue
				}
				sp := span{from, t.at.end(t.norm, j, t.src), int(p.matcher), int(p.alternative)}
				if s.discounts(t, n, sp, f) {
					continue
				}
				if !f.ok {
					open--
				}
				f.span, f.norm, f.ok = sp, at, true
				if open == 0 {
					end = lastStart(into) + 1
				}
			}
		}
	}
	for _, e := range s.expressions {
		matcher := int(s.alternatives[e.alternative].matcher)
		f := &into[matcher]
		if f.done {
			continue
		}
		e.each(t, func(start, end int) bool {
			sp := span{start, end, matcher, e.alternative}
			if !f.yields(start, e.alternative) {
				return false
			}
			if s.discounts(t, n, sp, f) {
				return true
			}
			f.span, f.ok = sp, true
			return false
		})
	}
}

// discounts tells whether sp is negated and its keyword does not take that, and
// notes it as a near miss.
func (s *Set) discounts(t *Text, n int, sp span, f *found) bool {
	if !s.alternatives[sp.alternative].unlessNegated {
		return false
	}
	from := t.negator(sp.start)
	if from >= 0 && !f.near.negated {
		f.near = miss{ok: true, text: n, start: from, end: sp.end, alternative: sp.alternative, negated: true}
	}
	return from >= 0
}

// nearMiss is what m, a miss of a keyword in t, is to the outside.
func (s *Set) nearMiss(t *Text, m miss) NearMiss {
	n := NearMiss{Start: m.start, End: m.end, Alternative: s.alternatives[m.alternative].name, Negated: m.negated}
	if !m.negated {
		a, b := t.around(m.start, m.end)
		n.Whole = a == m.start && b == m.end
		n.Start, n.End = t.at.start(a), t.at.end(t.norm, b, t.src)
	}
	n.Inside = t.src[n.Start:n.End]
	return n
}

// lastStart is where the last of the hits starts.
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
		Alternative: s.alternatives[sp.alternative].name,
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

// All gives what [Set.FindAll] gives, one by one, for those who seldom look at
// more than the first. The text must not be reset meanwhile.
func (s *Set) All(t *Text) iter.Seq[IndexedHit] {
	return func(yield func(IndexedHit) bool) { s.findIn(t, 0, len(t.src), yield) }
}

// FindIn is [Set.FindAll] for the hits that stand wholly from start to end in
// the original text. What is around them is heeded: a word that reaches over
// start is no hit.
func (s *Set) FindIn(t *Text, start, end int) []IndexedHit {
	var hits []IndexedHit
	s.findIn(t, start, end, func(hit IndexedHit) bool {
		hits = append(hits, hit)
		return true
	})
	return hits
}

func (s *Set) findIn(t *Text, start, end int, yield func(IndexedHit) bool) {
	for _, sp := range s.spans(t, start, end) {
		hit := s.hit(t, sp)
		if hit.Negated && s.alternatives[sp.alternative].unlessNegated {
			continue
		}
		if !yield(IndexedHit{sp.matcher, hit}) {
			return
		}
	}
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
	m := s.search()
	defer searches.Put(m)
	for gi := range s.groups {
		g, slots := &s.groups[gi], m.table(s, gi)
		for i, starts := g.next(slots, text, from, to); starts != nil; i, starts = g.next(slots, text, i+g.stride, to) {
			for _, st := range starts {
				p, at := &s.patterns[st.pattern()], i-st.back()
				if at < from || !p.beginsAt(t, at) {
					continue
				}
				if j, ok := p.match(t, at, false); ok && j <= to {
					all = append(all, span{t.at.start(at), t.at.end(t.norm, j, t.src), int(p.matcher), int(p.alternative)})
				}
			}
		}
	}
	for _, e := range s.expressions {
		e.each(t, func(a, b int) bool {
			if a >= start && b <= end {
				all = append(all, span{a, b, int(s.alternatives[e.alternative].matcher), e.alternative})
			}
			return b <= end
		})
	}
	if len(all) < 2 {
		return all
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

// maxAround is how many characters a longer word is shown to either side of
// what was looked for.
const maxAround = 40

// around widens the piece of norm from i to j to the word or number that it
// stands in.
func (t *Text) around(i, j int) (from, to int) {
	b := t.norm
	for n := 0; n < maxAround && i > 0 && !t.spaceWasAt(i); n++ {
		r, w := utf8.DecodeLastRune(b[:i])
		if !partOfWord(r, runeBefore(b, i-w), runeAt(b, i)) {
			break
		}
		i -= w
	}
	for n := 0; n < maxAround && j < len(b) && !t.spaceWasAt(j); n++ {
		r, w := utf8.DecodeRune(b[j:])
		if !partOfWord(r, runeBefore(b, j), runeAt(b, j+w)) {
			break
		}
		j += w
	}
	return i, j
}

// spaceWasAt tells whether a space went between the characters before and
// behind i of the normalised text.
func (t *Text) spaceWasAt(i int) bool {
	from, to := t.at.end(t.norm, i, t.src), t.at.start(i)
	return from < to && strings.ContainsFunc(t.src[from:to], unicode.IsSpace)
}

// partOfWord tells whether r between before and after is part of a word or
// number.
func partOfWord(r, before, after rune) bool {
	c := classOf(r)
	return c == letter || c == mark || c == digit ||
		r == '.' && classOf(before) == digit && classOf(after) == digit
}

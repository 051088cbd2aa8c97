package keyword

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Negators are the words that negate what stands behind them in their clause.
// Beside them n't does (don't, couldn't).
func Negators() []string { return slices.Clone(negators) }

var negators = []string{
	"不", "未", "无", "没", "没有", "无法", "不能", "勿", "切勿", "请勿", "避免", "禁止", "严禁", "排除", "并非",
	"not", "no", "never", "cannot", "without", "avoid", "ruled out", "rule out", "neither", "nor",
}

// notNegators are longer words in which a negator negates nothing behind them:
// 空间不足导致写入失败 says that writing failed.
var notNegators = []string{
	"不足", "不仅", "不但", "不光", "不只", "不止", "不同", "不断", "不过", "不久", "不良", "不管", "不论", "不妨", "不得不",
	"不得已", "不然", "不定期", "不可避免", "不少", "未来", "无论", "无线", "无缝", "无非", "无疑", "毫无疑问", "无状态",
	"淹没", "沉没", "埋没", "吞没", "没收",
	"not only", "not just", "no doubt", "no matter", "no later than", "no sooner",
}

// negation is the negators, compiled.
type negation struct {
	set Set
	// others has, for each negator, the longer words that hold it, and where in
	// them it stands.
	others [][]otherWord
}

type otherWord struct {
	word string
	at   int
}

var negatorSet = sync.OnceValue(func() *negation {
	n := new(negation)
	words := append(Negators(), "n't")
	if err := n.set.compile(Words(words...)); err != nil {
		panic(err) // the list above is wrong
	}
	for _, w := range words {
		var others []otherWord
		for _, word := range notNegators {
			for at := range len(word) {
				if strings.HasPrefix(word[at:], w) {
					others = append(others, otherWord{word, at})
				}
			}
		}
		n.others = append(n.others, others)
	}
	n.set.patterns[len(n.set.patterns)-1].start = free // n't ends a word
	return n
})

// Negated tells whether a negator stands before the place pos of the original
// text, within its clause and no further than 1024 bytes away.
func (t *Text) Negated(pos int) bool { return t.negated(pos) }

// Negator gives the last negator before the place pos of the original text,
// within its clause, as a hit; ok is false where there is none.
func (t *Text) Negator(pos int) (h Hit, ok bool) {
	sp, ok := t.lastNegator(pos)
	if !ok {
		return Hit{}, false
	}
	return Hit{Start: sp.start, End: sp.end, Alternative: negatorSet().set.alternatives[sp.alternative].name}, true
}

func (t *Text) negated(pos int) bool {
	_, ok := t.lastNegator(pos)
	return ok
}

// negator is where the last negator before pos starts, -1 where there is none.
func (t *Text) negator(pos int) int {
	if sp, ok := t.lastNegator(pos); ok {
		return sp.start
	}
	return -1
}

// reaches are how many bytes before a place a negator is looked for, at first
// and where none is found. No clause that somebody wrote is longer than the
// last, and a text without any marks is not read from its start for every hit.
var reaches = [...]int{64, 256, 1024}

// longestNegator is as long as a negator with its ending may be, in bytes.
const longestNegator = 16

func (t *Text) lastNegator(pos int) (last span, ok bool) {
	pos = min(max(pos, 0), len(t.src))
	start := clauseStart(t.src, max(0, pos-reaches[len(reaches)-1]), pos)
	t.padded()
	from, to := t.at.norm(start, len(t.norm)), t.at.norm(pos, len(t.norm))
	for _, reach := range reaches {
		near := max(from, to-reach)
		if at, end, negator := t.lastNegatorIn(near, to); negator >= 0 && (near == from || at >= near+longestNegator) {
			return span{t.at.start(at), t.at.end(t.norm, end, t.src), negator, negator}, true
		}
		if near == from {
			break
		}
	}
	return span{}, false
}

// lastNegatorIn gives the last negator from from to to of the normalised text,
// 切勿 rather than its 勿, and where it stands; its number is -1 where there is
// none.
func (t *Text) lastNegatorIn(from, to int) (start, end, negator int) {
	n := negatorSet()
	text := t.padded()
	negator = -1
	for gi := range n.set.groups {
		g, slots := &n.set.groups[gi], &n.set.tables[gi]
		for i, starts := g.next(slots, text, from, to); starts != nil; i, starts = g.next(slots, text, i+g.stride, to) {
			for _, st := range starts {
				p, at := &n.set.patterns[st.pattern()], i-st.back()
				if at < from || !p.beginsAt(t, at) {
					continue
				}
				j, ok := p.match(t, at, false)
				if !ok || j > to || j < end || j == end && at >= start || t.inAny(n.others[p.matcher], at) {
					continue
				}
				start, end, negator = at, j, int(p.matcher)
			}
		}
	}
	return start, end, negator
}

// inAny tells whether the negator at i of the normalised text is part of one of
// the words.
func (t *Text) inAny(words []otherWord, i int) bool {
	for _, w := range words {
		if i >= w.at && t.hasFolded(i-w.at, w.word) {
			return true
		}
	}
	return false
}

// Clause gives the clause of the original text that holds the place pos,
// without the mark that ends it: from start to end. A clause ends at one of
// ，。；：！？ , ; : ! ? and at a full stop before a space, but not at a mark of
// ASCII (or a full-width colon or stop) between two digits; and at a line's end.
func (t *Text) Clause(pos int) (start, end int) { return Clause(t.src, pos) }

// Clause is [Text.Clause] for a plain string.
func Clause(s string, pos int) (start, end int) {
	pos = min(max(pos, 0), len(s))
	start = clauseStart(s, 0, pos)
	for end = pos; end < len(s); {
		r, w := utf8.DecodeRuneInString(s[end:])
		if endsClause(s, end, r, w) {
			break
		}
		end += w
	}
	return start, end
}

// clauseStart is where the clause before pos begins, from at the least.
func clauseStart(s string, from, pos int) int {
	for i := pos; i > from; {
		r, w := utf8.DecodeLastRuneInString(s[:i])
		if endsClause(s, i-w, r, w) {
			return i
		}
		i -= w
	}
	return from
}

// endsClause tells whether r, which stands at i in s and is w bytes wide, ends
// a clause.
func endsClause(s string, i int, r rune, w int) bool {
	switch r {
	case '，', '。', '；', '！', '？', '｡', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	case ',', ';', ':', '!', '?', '：':
		return !betweenDigits(s, i, w)
	case '.', '．':
		if i+w == len(s) {
			return true
		}
		next, _ := utf8.DecodeRuneInString(s[i+w:])
		return unicode.IsSpace(next)
	}
	return false
}

func betweenDigits(s string, i, w int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+w:])
	return unicode.IsDigit(before) && unicode.IsDigit(after)
}

// Clauses gives the clauses of s in their order, blank ones left out, as start
// and end offsets; see [Text.Clause].
func Clauses(s string) [][2]int {
	var all [][2]int
	add := func(start, end int) {
		if strings.TrimSpace(s[start:end]) != "" {
			all = append(all, [2]int{start, end})
		}
	}
	start := 0
	for i, r := range s {
		w := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, w = utf8.DecodeRuneInString(s[i:])
		}
		if endsClause(s, i, r, w) {
			add(start, i)
			start = i + w
		}
	}
	add(start, len(s))
	return all
}

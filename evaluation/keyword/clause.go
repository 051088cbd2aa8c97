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

var negatorSet = sync.OnceValue(func() *Set {
	s := new(Set)
	for _, w := range negators {
		if err := s.add(Word(w), new(Text)); err != nil {
			panic(err) // the list above is wrong
		}
	}
	p, _ := newPattern(new(Text), "n't", false)
	p.start = free // it ends a word
	p.matcher = len(s.keywords)
	s.keywords = append(s.keywords, Word("n't"))
	s.short = append(s.short, "n't")
	s.names = append(s.names, []string{"n't"})
	s.unlessNegated = append(s.unlessNegated, []bool{false})
	s.patterns = append(s.patterns, p)
	s.index()
	return s
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
	return Hit{Start: sp.start, End: sp.end, Alternative: negatorSet().names[sp.matcher][0]}, true
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

// maxReach is how many bytes a negator may stand before what it negates: no
// clause that somebody wrote is longer, and a text without any marks is not read
// from its start for every hit.
const maxReach = 1024

func (t *Text) lastNegator(pos int) (last span, ok bool) {
	s := negatorSet()
	pos = min(max(pos, 0), len(t.src))
	start := clauseStart(t.src, max(0, pos-maxReach), pos)
	from, to := t.at.norm(start, len(t.norm)), t.at.norm(pos, len(t.norm))
	if from >= to {
		return span{}, false
	}
	text := t.padded()
	lastAt, lastEnd := 0, 0
	for gi := range s.groups {
		g := &s.groups[gi]
		for i, starts := g.next(text, from, to); starts != nil; i, starts = g.next(text, i+g.stride, to) {
			for _, st := range starts {
				p, at := &s.patterns[st.pattern], i-int(st.back)
				if at < from || !p.beginsAt(t, at) {
					continue
				}
				j, matches := p.match(t, at, false)
				if !matches || j > to || j < lastEnd || j == lastEnd && at >= lastAt {
					continue // the last one, and 切勿 rather than its 勿
				}
				if !t.inOtherWord(at, string(p.text)) {
					lastAt, lastEnd, ok = at, j, true
					last = span{t.at.start(at), t.at.end(t.norm, j, t.src), p.matcher, 0}
				}
			}
		}
	}
	return last, ok
}

// inOtherWord tells whether the negator at i of the normalised text is part of
// a longer word that negates nothing.
func (t *Text) inOtherWord(i int, negator string) bool {
	for _, w := range notNegators {
		for k := 0; ; {
			at := strings.Index(w[k:], negator)
			if at < 0 {
				break
			}
			k += at
			if i >= k && i-k+len(w) <= len(t.norm) && strings.EqualFold(string(t.norm[i-k:i-k+len(w)]), w) {
				return true
			}
			k += len(negator)
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

package diagnosis

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// pattern is a regular expression that knows texts of which every match of it has
// one: most texts have none of them, which is quicker to see. It is compiled when
// it is first used.
type pattern struct {
	load func() *expressionNeeding
}

type expressionNeeding struct {
	*regexp.Regexp
	needed *literals // nil where there is no telling
}

func lazyPattern(expr string) pattern {
	return pattern{sync.OnceValue(func() *expressionNeeding {
		e := &expressionNeeding{Regexp: regexp.MustCompile(expr)}
		if texts := neededTexts(expr); texts != nil {
			e.needed = new(literals)
			e.needed.add(0, texts)
			e.needed.index()
		}
		return e
	})}
}

// mayMatch is false where a text lacks what every match has.
func (e *expressionNeeding) mayMatch(text string) bool {
	return e.needed == nil || e.needed.stand(text)
}

// matches reports whether the expression matches a text in lower case.
func (p pattern) matches(lower string) bool {
	e := p.load()
	return e.mayMatch(lower) && e.MatchString(lower)
}

// mostMatches is how many matches of a pattern in one clause are looked at.
const mostMatches = 16

// all gives the matches in a text in lower case.
func (p pattern) all(lower string) [][]int {
	e := p.load()
	if !e.mayMatch(lower) {
		return nil
	}
	return e.FindAllStringIndex(lower, mostMatches)
}

// first gives the first match in a text in lower case, or nil.
func (p pattern) first(lower string) []int {
	e := p.load()
	if !e.mayMatch(lower) {
		return nil
	}
	return e.FindStringIndex(lower)
}

// without takes every match out of a text in lower case.
func (p pattern) without(lower string) string {
	e := p.load()
	if !e.mayMatch(lower) {
		return lower
	}
	return e.ReplaceAllString(lower, "")
}

// mostNeeds bounds the words that are looked for before an expression.
const mostNeeds = 160

// needs finds what every match of an expression has, in lower case. Of a run of
// characters only those that keep takes are sure to stand together.
type needs struct {
	keep func(r rune) bool
}

// neededTexts gives texts of which every match of an expression has one, in the
// text that the expression sees; nil where there is no telling.
func neededTexts(expr string) []string { return needs{func(rune) bool { return true }}.of(expr) }

// neededWords gives words of which every match of an expression has one: runs
// of letters only, which normalising keeps together.
func neededWords(expr string) []string { return needs{unicode.IsLetter}.of(expr) }

func (n needs) of(expr string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return withoutLonger(n.in(re))
}

// withoutLonger leaves out the texts that have another of them inside.
func withoutLonger(texts []string) []string {
	var out []string
	for i, text := range texts {
		if !slices.ContainsFunc(texts[:i], func(other string) bool { return strings.Contains(text, other) }) &&
			!slices.ContainsFunc(texts[i+1:], func(other string) bool { return other != text && strings.Contains(text, other) }) {
			out = append(out, text)
		}
	}
	return out
}

func (n needs) in(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if word := n.longest(re.Rune); word != "" {
			return []string{word}
		}
	case syntax.OpCharClass:
		// A class stands for a word of one letter, where it has few.
		var words []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > 8 {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if !n.keep(r) {
					return nil
				}
				words = append(words, string(unicode.ToLower(r)))
			}
		}
		return words
	case syntax.OpCapture, syntax.OpPlus:
		return n.in(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return n.in(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if words := n.in(sub); words != nil && (best == nil || better(words, best)) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := n.in(sub)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		if len(all) > mostNeeds {
			return nil
		}
		return all
	}
	return nil
}

// better prefers long words, then few.
func better(a, b []string) bool {
	if la, lb := shortest(a), shortest(b); la != lb {
		return la > lb
	}
	return len(a) < len(b)
}

func shortest(words []string) int {
	n := 1 << 10
	for _, w := range words {
		n = min(n, utf8.RuneCountInString(w))
	}
	return n
}

func (n needs) longest(runes []rune) string {
	best, start := "", 0
	for i := 0; i <= len(runes); i++ {
		if i < len(runes) && n.keep(runes[i]) {
			continue
		}
		if word := strings.ToLower(string(runes[start:i])); len(word) > len(best) {
			best = word
		}
		start = i + 1
	}
	return best
}

package diagnosis

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// pattern is a regular expression that knows which words every match of it has:
// most texts have none of them, which is quicker to see. It is compiled when it is
// first used.
type pattern struct {
	load func() (*regexp.Regexp, neededOf)
}

// neededOf are words of which every match of an expression has one, in lower
// case; nil where there is no telling.
type neededOf []string

func lazyPattern(expr string) pattern {
	return pattern{sync.OnceValues(func() (*regexp.Regexp, neededOf) {
		return regexp.MustCompile(expr), neededWords(expr)
	})}
}

// in reports whether a text, folded to lower case, has one of the words.
func (n neededOf) in(lower string) bool {
	if n == nil {
		return true
	}
	for _, word := range n {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// matches reports whether the expression matches a text in lower case.
func (p pattern) matches(lower string) bool {
	re, needed := p.load()
	return needed.in(lower) && re.MatchString(lower)
}

// mostMatches is how many matches of a pattern in one clause are looked at.
const mostMatches = 16

// all gives the matches in a text in lower case.
func (p pattern) all(lower string) [][]int {
	re, needed := p.load()
	if !needed.in(lower) {
		return nil
	}
	return re.FindAllStringIndex(lower, mostMatches)
}

// first gives the first match in a text in lower case, or nil.
func (p pattern) first(lower string) []int {
	re, needed := p.load()
	if !needed.in(lower) {
		return nil
	}
	return re.FindStringIndex(lower)
}

// without takes every match out of a text in lower case.
func (p pattern) without(lower string) string {
	re, needed := p.load()
	if !needed.in(lower) {
		return lower
	}
	return re.ReplaceAllString(lower, "")
}

// mostNeeds bounds the words that are looked for before an expression.
const mostNeeds = 160

// neededWords gives words of which every match of an expression has one: runs
// of letters only, which normalising keeps together.
func neededWords(expr string) neededOf {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return wordsOf(re)
}

func wordsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if word := longestWord(re.Rune); word != "" {
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
				if !unicode.IsLetter(r) {
					return nil
				}
				words = append(words, string(unicode.ToLower(r)))
			}
		}
		return words
	case syntax.OpCapture, syntax.OpPlus:
		return wordsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return wordsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if words := wordsOf(sub); words != nil && (best == nil || better(words, best)) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := wordsOf(sub)
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

func longestWord(runes []rune) string {
	best, start := "", 0
	for i := 0; i <= len(runes); i++ {
		if i < len(runes) && unicode.IsLetter(runes[i]) {
			continue
		}
		if word := strings.ToLower(string(runes[start:i])); len(word) > len(best) {
			best = word
		}
		start = i + 1
	}
	return best
}

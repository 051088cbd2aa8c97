package diagnosis

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is a regular expression that knows which words every match of it has:
// most texts have none of them, which is quicker to see.
type pattern struct {
	*regexp.Regexp
	// needs are words of which every match has one, in lower case; nil where
	// there is no telling.
	needs []string
}

func compilePattern(expr string) pattern {
	p := pattern{Regexp: regexp.MustCompile(expr)}
	if parsed, err := syntax.Parse(expr, syntax.Perl); err == nil {
		p.needs = neededWords(parsed)
	}
	return p
}

// mayMatch reports whether a text, folded to lower case, has one of the needed
// words.
func (p pattern) mayMatch(lower string) bool {
	if p.needs == nil {
		return true
	}
	for _, word := range p.needs {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// matches reports whether the expression matches a text in lower case.
func (p pattern) matches(lower string) bool { return p.mayMatch(lower) && p.MatchString(lower) }

// all gives every match in a text in lower case.
func (p pattern) all(lower string) [][]int {
	if !p.mayMatch(lower) {
		return nil
	}
	return p.FindAllStringIndex(lower, -1)
}

// first gives the first match in a text in lower case, or nil.
func (p pattern) first(lower string) []int {
	if !p.mayMatch(lower) {
		return nil
	}
	return p.FindStringIndex(lower)
}

// mostNeeds bounds the words that are looked for before an expression.
const mostNeeds = 160

// neededWords gives words of which every match of an expression has one: runs
// of letters only, which normalising keeps together. Nil: there is no telling.
func neededWords(re *syntax.Regexp) []string {
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
		return neededWords(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return neededWords(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if words := neededWords(sub); words != nil && (best == nil || better(words, best)) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := neededWords(sub)
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

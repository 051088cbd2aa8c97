package diagnosis

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A word is a unit of text that is compared when a draft is looked for in an
// answer: a letter of a script written without spaces, or a word or identifier
// of another one. Punctuation, markup and spaces are no words.
type word struct {
	text       string
	weight     int // a Han character 1, another word 2, cues and function words 0
	clause     int // counts the clauses of the text
	start, end int // in the original, in bytes
	hash       uint64
}

// split cuts a text into words.
func split(s string) []word { return appendWords(make([]word, 0, len(s)/4+1), s) }

// appendWords cuts a text into words and adds them to out.
func appendWords(out []word, s string) []word {
	s = lowerASCII(s) // at once, as words in capitals are many
	known := len(out)
	clause := 0
	current := word{start: -1}
	part := false         // whether a hyphen or a low line parts the current word from a neighbour
	var b strings.Builder // the current word, where it is not as it stands
	same := true
	flush := func(end int) {
		if current.start < 0 {
			return
		}
		current.text = s[current.start:end]
		if !same {
			current.text = b.String()
			b.Reset()
			same = true
		}
		current.text = strings.TrimSuffix(current.text, "'s")
		current.end, current.clause, current.weight = end, clause, 2
		if part { // of a name: what a tool or a key is called is no finding
			current.weight, part = 1, false
		}
		if current.text != "" {
			out = append(out, current)
		}
		current.start = -1
	}
	// put adds what the text at i, as long as it is, becomes.
	put := func(i, size int, became string) {
		if current.start < 0 {
			current.start = i
		}
		if same && became != s[i:i+size] {
			b.WriteString(s[current.start:i])
			same = false
		}
		if !same {
			b.WriteString(became)
		}
	}
	for i := 0; i < len(s); {
		if isPlain(s[i]) {
			from := i
			for i < len(s) && isPlain(s[i]) {
				i++
			}
			put(from, i-from, s[from:i])
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		next := i + size
		if isHan(r) {
			flush(i)
			out = append(out, word{text: s[i:next], weight: 1, clause: clause, start: i, end: next})
			i = next
			continue
		}
		r = plainRune(r)
		switch {
		case r < 0: // invisible
			if current.start >= 0 {
				put(i, size, "")
			}
		case (r == '-' || r == '_') && current.start >= 0 && betweenLetters(s, i, next):
			part = true
			flush(i)
			part = true
		case unspaced(r):
			flush(i)
			out = append(out, word{text: string(r), weight: 1, clause: clause, start: i, end: next})
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			put(i, size, foldRune(r))
		case unicode.IsMark(r):
			if current.start >= 0 {
				put(i, size, "")
			}
		case current.start >= 0 && joinsWords(r, s[next:]):
			if r == '’' {
				r = '\''
			}
			put(i, size, string(r))
		default:
			flush(i)
			if endsClause(r, s[next:]) {
				clause++
			}
		}
		i = next
	}
	flush(len(s))
	weigh(out[known:])
	return out
}

// isPlain reports whether a byte is a small letter of ASCII or a digit, which
// belongs to a word as it stands.
func isPlain(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// lowerASCII makes the letters of ASCII small and keeps all else in its place.
func lowerASCII(s string) string {
	isCapital := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	for i := range len(s) {
		if !isCapital(s[i]) {
			continue
		}
		lower := []byte(s)
		for ; i < len(s); i++ {
			if isCapital(s[i]) {
				lower[i] += 'a' - 'A'
			}
		}
		return string(lower)
	}
	return s
}

// plainRune is the ASCII form of a full-width character, and -1 for a character
// that a reader does not see.
func plainRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFEE0
	case r == 0x3000:
		return ' '
	case r == '‘':
		return '’'
	case unicode.Is(unicode.Cf, r), r >= 0xFE00 && r <= 0xFE0F:
		return -1
	}
	return r
}

// foldRune is the text by which a letter or digit is compared.
func foldRune(r rune) string {
	if r < utf8.RuneSelf {
		return string(unicode.ToLower(r))
	}
	decomposed := norm.NFKD.String(string(r))
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, decomposed)
}

// unspaced reports whether a letter belongs to a script written without spaces.
func unspaced(r rune) bool {
	if isHan(r) {
		return true
	}
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isHan reports whether a letter is one of the Han characters of everyday texts.
func isHan(r rune) bool { return 0x4E00 <= r && r <= 0x9FFF }

// betweenLetters reports whether what stands from i to next, which is what a space
// may be elsewhere, parts two letters: connection-pool, order_service.
func betweenLetters(s string, i, next int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	behind, _ := utf8.DecodeRuneInString(s[next:])
	return unicode.IsLetter(before) && unicode.IsLetter(behind) && !unspaced(before) && !unspaced(behind)
}

// joinsWords reports whether a mark inside a word holds an identifier, an
// address, a time or a contraction together.
func joinsWords(r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	next = plainRune(next)
	switch r {
	case '-', '.', '/', '@', '\'', '’', '#', '+':
		return next > 0 && (unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_') && !unspaced(next)
	case ':', ',':
		return unicode.IsDigit(next) && (r == ':' || threeDigits(rest))
	}
	return false
}

// threeDigits reports whether a text begins with exactly three digits, as a
// number does behind a thousands separator.
func threeDigits(s string) bool {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n == 3
}

// endsClause reports whether a mark ends a clause: ，。；：！？ , ; : ! ? and a
// line end do, and a full stop before a space.
func endsClause(r rune, rest string) bool {
	switch r {
	case ',', ';', ':', '!', '?', '。', '｡', '\n', '\r', '\u2028', '\u2029':
		return true
	case '.':
		next, _ := utf8.DecodeRuneInString(rest)
		return rest == "" || unicode.IsSpace(next)
	}
	return false
}

// weightless are cues and function words: they say nothing of what the cause
// is. Those of scripts without spaces are phrases.
var weightless = wordPhrases(
	"根本原因", "故障原因", "问题原因", "根因", "原因", "由于", "因为", "导致", "造成", "引起", "引发", "致使", "所致",
	"因此", "所以", "进而", "从而", "是", "为", "的", "出现", "发生", "存在",
	"日志显示", "监控显示", "指标显示", "数据显示", "结果显示", "说明", "表明", "可能",
	"a", "an", "the", "is", "was", "were", "are", "be", "been", "being", "it", "its", "this", "that", "these", "those", "which", "there",
	"of", "to", "in", "on", "at", "by", "for", "with", "from", "as", "and", "or", "but", "so", "then", "than",
	"has", "have", "had", "may", "might", "could", "would", "will", "can",
	"root", "cause", "causes", "caused", "causing", "because", "due", "led", "leads", "leading", "therefore", "thus", "hence",
	"logs", "show", "shows",
)

// wordPhrases lists phrases as their words, by their first word.
func wordPhrases(phrases ...string) map[string][][]string {
	set := map[string][][]string{}
	for _, p := range phrases {
		words := phraseWords(p)
		set[words[0]] = append(set[words[0]], words)
	}
	return set
}

// phraseWords cuts a phrase into words, without weighing them.
func phraseWords(s string) []string {
	var out []string
	for _, f := range strings.Fields(s) {
		latin := ""
		for _, r := range f {
			if unspaced(r) {
				if latin != "" {
					out, latin = append(out, latin), ""
				}
				out = append(out, string(r))
				continue
			}
			latin += string(unicode.ToLower(r))
		}
		if latin != "" {
			out = append(out, latin)
		}
	}
	return out
}

// seed makes hashes of words, which differ from run to run and are only compared.
var seed = maphash.MakeSeed()

// mayBeWeightless has, by the lowest bits of a hash, whether a word of this hash
// may begin one of weightless.
var mayBeWeightless = func() (may [1 << 10]bool) {
	for first := range weightless {
		may[maphash.String(seed, first)%uint64(len(may))] = true
	}
	return may
}()

// weigh takes the weight of cues and function words away, and sets the hashes.
func weigh(words []word) {
	for i := range words {
		words[i].hash = maphash.String(seed, words[i].text)
		if !mayBeWeightless[words[i].hash%uint64(len(mayBeWeightless))] {
			continue
		}
		for _, phrase := range weightless[words[i].text] {
			if hasPhrase(words[i:], phrase) {
				for j := range phrase {
					words[i+j].weight = 0
				}
			}
		}
	}
}

// hasPhrase reports whether words begin with a phrase, in one clause.
func hasPhrase(words []word, phrase []string) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, p := range phrase {
		if words[i].text != p || words[i].clause != words[0].clause {
			return false
		}
	}
	return true
}

// weighty leaves only the words that have a weight, in the same memory.
func weighty(words []word) []word {
	kept := words[:0]
	for i := range words {
		if words[i].weight > 0 {
			kept = append(kept, words[i])
		}
	}
	clear(words[len(kept):])
	return kept
}

func weightOf(words []word) int {
	n := 0
	for i := range words {
		n += words[i].weight
	}
	return n
}

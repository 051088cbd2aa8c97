package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a byte range of a text.
type span struct{ start, end int }

// codeSpans finds the code in a Markdown text, by CommonMark's rules in short:
// fenced blocks, and spans between runs of equally many backticks. Of a span,
// inner is what stands between the backticks; of a block, its lines.
type codeSpan struct {
	span
	inner  span
	fenced bool
}

func codeSpans(s string) []codeSpan {
	if !strings.ContainsAny(s, "`~") {
		return nil
	}
	var out []codeSpan
	lineStart := true
	for i := 0; i < len(s); {
		if lineStart {
			if marker, n := fence(s[i:]); n > 0 {
				block := fencedBlock(s, i, marker, n)
				out = append(out, block)
				i = block.end
				continue
			}
		}
		lineStart = s[i] == '\n'
		if s[i] != '`' {
			i++
			continue
		}
		n := run(s[i:], '`')
		end := closing(s, i+n, n)
		if end < 0 {
			i += n // without its counterpart, a run of backticks is text
			continue
		}
		out = append(out, codeSpan{span: span{i, end + n}, inner: span{i + n, end}})
		i = end + n
	}
	return out
}

// fence reads the opening of a fenced block at the start of a line: its marker
// and how many of them, 0 where there is none.
func fence(line string) (marker byte, n int) {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 || trimmed == "" || trimmed[0] != '`' && trimmed[0] != '~' {
		return 0, 0
	}
	n = run(trimmed, trimmed[0])
	if n < 3 {
		return 0, 0
	}
	if info, _, _ := strings.Cut(trimmed[n:], "\n"); trimmed[0] == '`' && strings.Contains(info, "`") {
		return 0, 0 // a code span on one line
	}
	return trimmed[0], n
}

func fencedBlock(s string, start int, marker byte, n int) codeSpan {
	next := func(i int) int {
		if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
			return i + j + 1
		}
		return len(s)
	}
	block := codeSpan{span: span{start, len(s)}, fenced: true}
	block.inner = span{next(start), len(s)}
	for i := block.inner.start; i < len(s); i = next(i) {
		line := strings.TrimLeft(s[i:next(i)], " ")
		if m := run(line, marker); m >= n && strings.TrimSpace(line[m:]) == "" {
			block.inner.end, block.end = i, next(i)
			break
		}
	}
	return block
}

func run(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// closing finds the next run of exactly n backticks.
func closing(s string, from, n int) int {
	for i := from; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		m := run(s[i:], '`')
		if m == n {
			return i
		}
		i += m
	}
	return -1
}

// mark is a citation mark in an answer: [1], [1,2], 【3】.
type mark struct {
	span
	numbers []int
}

// citationMarks finds the marks of an answer. Numbers have one to three digits:
// [2009] is a year. A mark in code is an index, as is one after a letter of a
// script with spaces, a digit or an underscore; before "(" it is a link.
func citationMarks(s string, code []codeSpan) []mark {
	if !strings.Contains(s, "[") && !strings.Contains(s, "【") {
		return nil
	}
	var out []mark
	for i := 0; i < len(s); {
		if len(code) > 0 && i >= code[0].start {
			i = max(i, code[0].end)
			code = code[1:]
			continue
		}
		opening, closer := 0, ""
		switch {
		case s[i] == '[':
			opening, closer = 1, "]"
		case strings.HasPrefix(s[i:], "【"):
			opening, closer = len("【"), "】"
		default:
			i++
			continue
		}
		numbers, n := markNumbers(s[i+opening:], closer)
		end := i + opening + n
		if numbers == nil || isIndexed(s[:i]) || strings.HasPrefix(s[end:], "(") {
			i += opening
			continue
		}
		out = append(out, mark{span{i, end}, numbers})
		i = end
	}
	return out
}

// markNumbers reads the numbers of a mark up to its closing bracket, and how
// many bytes they and the bracket take.
func markNumbers(s, closer string) (numbers []int, n int) {
	i := 0
	for {
		i += spaces(s[i:])
		value, digits := 0, 0
		for i < len(s) && '0' <= s[i] && s[i] <= '9' && digits <= 3 {
			value = value*10 + int(s[i]-'0')
			digits++
			i++
		}
		if digits < 1 || digits > 3 {
			return nil, 0
		}
		numbers = append(numbers, value)
		i += spaces(s[i:])
		if strings.HasPrefix(s[i:], closer) {
			return numbers, i + len(closer)
		}
		switch r, size := utf8.DecodeRuneInString(s[i:]); r {
		case ',', '，', '、':
			i += size
		default:
			return nil, 0
		}
	}
}

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// isIndexed reports whether a bracket after this text is an index or a part of a
// name rather than a mark.
func isIndexed(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return r == '_' || unicode.IsDigit(r) || (unicode.IsLetter(r) || unicode.IsMark(r)) && before != "" && !isUnspaced(r)
}

// unspaced are the scripts that are written without spaces.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func isUnspaced(r rune) bool {
	return r == 'ー' || r == '々' || unicode.In(r, unspaced...)
}

package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fact is a piece of an answer that can be right or wrong by itself.
type fact struct {
	text string // as the answer has it
	// find is what to look for: the unit in its singular. also is another form,
	// where the matcher does not find it by itself.
	find, also string
	// named facts (identifiers, paths, code) may also stand in a candidate's
	// name; numbers may not, since a document called faq-30 grounds no 30 days.
	named bool
}

// answerFacts finds the facts of an answer, each once: numbers with what follows
// them directly, tokens with a digit, "_", "/", "." or an inner "-" in them, and
// code. Citation marks and list numbers are none.
func answerFacts(answer string, code []codeSpan, marks []mark) []fact {
	var facts []fact
	seen := map[string]bool{}
	add := func(f fact) {
		key := strings.Join(strings.Fields(f.find), " ")
		if key != "" && !seen[key] {
			seen[key] = true
			facts = append(facts, f)
		}
	}
	item := 0 // the last list number
	for i := 0; i < len(answer); {
		if len(code) > 0 && i >= code[0].start {
			c := code[0]
			code = code[1:]
			if i < c.end {
				for line := range strings.SplitSeq(answer[c.inner.start:c.inner.end], "\n") {
					line = strings.TrimSpace(line)
					if hasWord(line) {
						add(fact{text: line, find: line, named: !isNumeric(line)})
					}
				}
				i = c.end
			}
			continue
		}
		if len(marks) > 0 && i >= marks[0].start {
			i = max(i, marks[0].end)
			marks = marks[1:]
			continue
		}
		n := tokenLength(answer[i:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(answer[i:])
			i += size
			continue
		}
		start, end := trimToken(answer, i, i+n)
		i += n
		token := answer[start:end]
		switch {
		case token == "":
		case isNumeric(token):
			if isListNumber(answer, start, end, &item) {
				continue
			}
			unit, singular, size := unitAfter(answer[end:])
			i = max(i, end+size)
			if isStep(answer[:start], unit) {
				continue
			}
			f := fact{text: answer[start : end+size], find: token + singular}
			if singular == " day" {
				f.also = f.find + "s" // a word of three letters finds no plural
			}
			add(f)
		case isIdentifier(token):
			add(fact{text: token, find: token, named: true})
		}
	}
	return facts
}

// tokenLength is how many bytes of s are a token's.
func tokenLength(s string) int {
	for i, r := range s {
		switch {
		case r == '_', r == '/', r == '.', r == '-', isDigit(r):
		case unicode.IsMark(r) && i > 0:
		case unicode.IsLetter(r) && !isUnspaced(r) && !unicode.Is(unicode.Hangul, r):
		case (r == ',' || r == ':') && i > 0 && isDigitByte(s[i-1]) && i+1 < len(s) && isDigitByte(s[i+1]):
			// 1,000 and 12:30
		default:
			return i
		}
	}
	return len(s)
}

func isDigitByte(c byte) bool { return '0' <= c && c <= '9' }

// isDigit reports whether r is a decimal digit; full-width ones are.
func isDigit(r rune) bool { return '0' <= r && r <= '9' || '０' <= r && r <= '９' }

// trimToken takes the punctuation off a token's ends. A dot or a slash before a
// name belongs to it (".env", "/etc").
func trimToken(s string, start, end int) (int, int) {
	for start < end && s[start] == '-' {
		start++
	}
	for start < end && strings.IndexByte(".-/", s[end-1]) >= 0 {
		end--
	}
	for start+1 < end && s[start] == '.' && strings.IndexByte(".-_", s[start+1]) >= 0 {
		start++
	}
	return start, end
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func isNumeric(s string) bool {
	digits := false
	for _, r := range s {
		switch {
		case isDigit(r):
			digits = true
		case strings.ContainsRune(".,:/-", r):
		default:
			return false
		}
	}
	return digits
}

// isIdentifier reports whether a token is more than a word.
func isIdentifier(token string) bool {
	switch strings.ToLower(token) {
	case "e.g", "i.e", "a.m", "p.m", "etc":
		return false
	}
	if !hasWord(token) {
		return false
	}
	if len(token) > 4 && strings.EqualFold(token[:4], "step") && isNumeric(token[4:]) {
		return false // a list number
	}
	return strings.ContainsFunc(token, func(r rune) bool { return isDigit(r) || strings.ContainsRune("_/.-", r) })
}

// isListNumber reports whether a number counts the items of a list: "1." and
// "1)" at the start of a line or of a sentence, "1、" there, "(1)" and "（1）". In
// the middle of a line it must be the next of its list, so that the end of a
// sentence ("wait 30. Then …") is none.
func isListNumber(s string, start, end int, last *int) bool {
	value := 0
	for _, c := range s[start:end] {
		if !isDigit(c) || value > 99 {
			return false
		}
		if c >= '０' {
			c -= '０' - '0'
		}
		value = value*10 + int(c-'0')
	}
	before := strings.TrimRight(s[:start], " \t")
	spaced := len(before) < start
	enclosed := false
	for _, p := range []string{"(", "（"} {
		if b, ok := strings.CutSuffix(before, p); ok {
			before, enclosed = strings.TrimRight(b, " \t"), true
			break
		}
	}
	after := s[end:]
	r, size := utf8.DecodeRuneInString(after)
	next, _ := utf8.DecodeRuneInString(after[size:])
	lineStart := strings.TrimRight(before, " \t#*>-+") == "" || strings.HasSuffix(strings.TrimRight(before, " \t#*>-+"), "\n")
	b, _ := utf8.DecodeLastRuneInString(before)
	fresh := lineStart || strings.ContainsRune(":：;；。！？!?，,", b)
	inOrder := value == *last+1 || value == 1
	var is bool
	switch {
	case enclosed:
		is = (r == ')' || r == '）') && (lineStart || inOrder)
	case r == '.' || r == '．':
		is = !isDigit(next) && (lineStart || inOrder && (fresh || spaced) && (next == ' ' || isUnspaced(next)))
	case r == ')' || r == '）':
		is = lineStart || inOrder && (fresh || spaced)
	case r == '、':
		is = !isDigit(next) && (lineStart || inOrder && fresh)
	}
	if is {
		*last = value
	}
	return is
}

// isStep reports whether a number counts steps: 第3步, 步骤 3, step 3.
func isStep(before, unit string) bool {
	before = strings.TrimRight(before, " ")
	if strings.HasSuffix(before, "第") {
		return unit == "步" || unit == "点"
	}
	if strings.HasSuffix(before, "步骤") {
		return true
	}
	n := len(before)
	return n >= 4 && strings.EqualFold(before[n-4:], "step") && (n == 4 || !unicode.IsLetter(rune(before[n-5])))
}

// unitAfter reads the unit that stands directly behind a number, or one space
// away. singular is the form to look for, which also finds the plural.
func unitAfter(s string) (unit, singular string, size int) {
	rest := strings.TrimPrefix(s, " ")
	gap := len(s) - len(rest)
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case strings.ContainsRune("%％‰℃℉", r):
		return rest[:n], rest[:n], gap + n
	case r == '°':
		if l := wordLength(rest[n:]); l == 1 {
			n++
		}
		return rest[:n], rest[:n], gap + n
	case unicode.Is(unicode.Hangul, r) || isUnspaced(r):
		n = 0
		for {
			m := 0
			for _, u := range unspacedUnits {
				if len(u) > m && strings.HasPrefix(rest[n:], u) {
					m = len(u)
				}
			}
			if m == 0 {
				break
			}
			scale := strings.Contains("百千万亿萬億", rest[n:n+m])
			n += m
			if !scale {
				break
			}
		}
		if n == 0 {
			return "", "", 0
		}
		return rest[:n], rest[:n], gap + n
	case gap == 1:
		word := rest[:wordLength(rest)]
		if singular, ok := spacedUnits[strings.ToLower(word)]; ok {
			return word, " " + singular, gap + len(word)
		}
		// MB, GiB, QPS: an abbreviation in capitals is a unit.
		if len(word) >= 2 && len(word) <= 4 && unicode.IsUpper(rune(word[len(word)-1])) && strings.ToUpper(word[:1]) == word[:1] {
			return word, " " + word, gap + len(word)
		}
	}
	return "", "", 0
}

func wordLength(s string) int {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return i
		}
	}
	return len(s)
}

// unspacedUnits are units in scripts without spaces. A character that is none
// is not taken into a fact, since what follows a number may be any word.
var unspacedUnits = []string{
	"毫秒", "微秒", "秒", "分钟", "分", "小时", "个小时", "时", "点", "天", "日", "周", "星期", "个星期", "个月", "月", "年",
	"工作日", "个工作日", "自然日", "个自然日", "季度", "个季度",
	"元", "角", "块", "美元", "欧元", "人民币",
	"个", "人", "名", "位", "次", "条", "份", "台", "页", "项", "倍", "级", "岁", "步", "步骤", "折", "层", "楼",
	"百", "千", "万", "亿", "米", "公里", "厘米", "毫米", "千克", "公斤", "克", "吨", "度", "兆", "字节", "核", "副本",
	"秒鐘", "分鐘", "小時", "個", "個月", "個工作日", "萬", "億", "時間", "円", "件", "回", "か月", "ヶ月", "週間",
	"초", "분", "시간", "일", "개", "원", "명", "개월", "년", "월", "주",
}

// spacedUnits are English units with the form that also finds the others: a
// word of four letters or more finds its plural.
var spacedUnits = func() map[string]string {
	units := map[string]string{
		"ms": "ms", "s": "s", "sec": "sec", "secs": "sec", "min": "min", "mins": "min", "h": "h", "hr": "hr", "hrs": "hr",
		"day": "day", "days": "day", "kb": "KB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB",
		"m": "m", "km": "km", "cm": "cm", "mm": "mm", "kg": "kg", "g": "g", "usd": "USD", "cny": "CNY", "eur": "EUR", "rmb": "RMB",
	}
	for _, u := range []string{"millisecond", "second", "minute", "hour", "week", "month", "quarter", "year", "percent", "dollar", "euro", "byte", "core", "replica", "time", "attempt"} {
		units[u], units[u+"s"] = u, u
	}
	return units
}()

package diagnosis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What stands before or behind a cause in a draft without being part of it.
var (
	leadWords = setOf(
		"综合", "初步", "进一步", "最终", "目前", "当前", "本次", "此次", "这次", "由此", "据此", "综上所述", "综上", "因此", "所以", "于是", "从而", "进而",
		"并且", "并", "而且", "而", "且", "以及", "即", "就", "则", "也", "都", "又", "还", "仍", "才", "已经", "已", "被", "经过", "可以", "能够",
		"基本", "大概率", "高度", "该", "这", "此", "其", "那", "属于", "在于", "出在", "定位", "确认", "判断", "判定", "推断", "推测", "认定", "认为",
		"分析", "排查", "指向", "得出", "给出", "如下", "总结", "结论", "说明", "表明", "可见", "看来", "是", "为", "由", "因", "的", "我们", "我", "可能",
		"很可能", "极可能", "疑似", "怀疑", "猜测", "估计", "大概", "应该", "应为", "应是", "似乎", "看起来", "看上去", "像是", "本质上", "主要", "直接", "间接",
		"最后", "那么", "一是", "二是", "三是", "四是", "其一", "其二", "其三", "第一", "第二", "第三", "首先", "其次",
	)
	leadEnglish = wordSet(`i we it this that which these so thus hence therefore and also then thereby ultimately eventually finally clearly likely
		probably possibly most is was are were be been has have had the a an of to by as there believe conclude concluded think found find appear
		appears seem seems show shows showing suggest suggests indicate indicates mean means confirmed identified determined analysis assessment
		summary hypothesis following follows below reason probable`)
	tailWords   = setOf("所", "而", "进而", "从而", "最终", "并", "的", "直接", "间接")
	tailEnglish = wordSet("which that has have had then is was and directly eventually ultimately finally")
)

func setOf(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

func wordSet(words string) map[string]bool { return setOf(strings.Fields(words)...) }

// longestLead is how many bytes the longest of leadWords has.
const longestLead = 12

// trimLead takes off what leads in to a cause.
func trimLead(s string) string {
next:
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r):
			s = s[size:]
			continue
		case unspaced(r):
			for n := min(longestLead, len(s)); n > 0; n-- {
				if leadWords[s[:n]] {
					s = s[n:]
					continue next
				}
			}
		default:
			n := strings.IndexFunc(s, notLetter)
			if n < 0 {
				n = len(s)
			}
			if leadEnglish[s[:n]] {
				s = s[n:]
				continue
			}
		}
		return s
	}
	return s
}

// trimTail takes off what leads on from a cause.
func trimTail(s string) string {
next:
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		switch {
		case unicode.IsSpace(r) || unicode.IsPunct(r) && r != ')' && r != ']' || unicode.IsSymbol(r):
			s = s[:len(s)-size]
			continue
		case unspaced(r):
			for n := min(longestLead, len(s)); n > 0; n-- {
				if tailWords[s[len(s)-n:]] {
					s = s[:len(s)-n]
					continue next
				}
			}
		default:
			n := strings.LastIndexFunc(s, notLetter) + 1
			if n > 0 {
				_, width := utf8.DecodeRuneInString(s[n-1:])
				n += width - 1
			}
			if tailEnglish[s[n:]] {
				s = s[:n]
				continue
			}
		}
		return s
	}
	return s
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) || unspaced(r) }

// blank reports whether a text has nothing but space and punctuation.
func blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r) {
			return false
		}
	}
	return true
}

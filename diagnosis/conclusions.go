package diagnosis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/unicode/norm"
)

// A draft is a text of a language model, and its conclusions are what it gives
// as the cause. They are found by cues: words that come before a cause (根因,
// caused by), words that come after one (导致, led to), headings. What the draft
// doubts itself is no conclusion.

// passage is a conclusion of a draft.
type passage struct {
	text string
	// extended: text goes on over the clauses behind the one with the cue. The
	// shorter passage stands beside it, so of this one only long runs count.
	extended bool
}

// clause is a clause of a draft, folded to lower case, half-width marks and no
// markup.
type clause struct {
	text string
	// end is the mark that ends it: one of , ; : ! ? . or a line end.
	end rune
	// line counts the lines; first marks the first clause of one.
	line  int
	first bool
	// block counts the parts between headings and blank lines; concluding marks
	// those under a heading that announces the cause.
	block      int
	heading    bool
	concluding bool
}

// adviceWords begin advice wherever they stand.
const adviceWords = `建议|推荐|请(?:[^求]|$)|应(?:当|该|尽快|立即|先|及时|检查|调整|扩容|重启|联系|回滚|增加|将|对)|需要?(?:立即|尽快|人工|检查|扩容|调整|重启|联系|回滚|增加|优化|进一步)|处理方案|解决方案|修复方案|\bplease\b|\brecommend|\bshould\b|\bnext steps?\b|\bto fix\b`

var (
	// causeNoun and causeVerb are nouns and verbs behind which a cause follows in the
	// clause; behind a noun it may go on over the next clauses.
	causeNoun = lazyPattern(`根本原因|故障原因|问题原因|直接原因|主要原因|根源|根因|起因|症结|罪魁祸首|原因|root[ _-]?causes?|\b(?:primary |main |underlying |likely |probable |actual |real )?cause (?:is|was|of|seems|appears)\b|\bculprit\b|\breasons? (?:is|was|for|why)\b|问题(?:出|就出)?在(?:于)?|故障点在(?:于)?|^(?:诊断)?结论$|^(?:诊断)?结论(?:是|为)|^(?:final )?(?:conclusion|diagnosis)$`)
	causeVerb = lazyPattern(`由于|因为|归因于|归咎于|源于|缘于|起因于|来自于|\bcaused (?:\w+ )?by\b|\bdue (?:\w+ )?to\b|\bbecause(?: of)?\b|\bowing to\b|\bas a result of\b|\bstem(?:s|med|ming)? from\b|\bresult(?:s|ed|ing)? from\b|\btriggered by\b|\bbrought (?:on|about) by\b|\battribut(?:ed|able) to\b|\btraced (?:back )?to\b`)
	// causeBefore stands behind a cause. Go's expressions look at nothing
	// behind a match, so "caused by" is sorted out by hand.
	causeBefore = lazyPattern(`导致|造成|引起|引发|致使|使得|触发了|所致|\bled to\b|\bleads? to\b|\bleading to\b|\bcaus(?:es|ed|ing)\b|\bresult(?:s|ed|ing) in\b|\btrigger(?:s|ed|ing)\b|\bbrought down\b|(?:就是|即是|正是|便是|才是|才|是)(?:本次|此次|这次|该|导致)?[^,。;:!?]{0,12}?(?:根本原因|故障原因|问题原因|直接原因|主要原因|根因|起因|罪魁祸首)|\b(?:is|was|are|were|as|be) (?:the|a|our) (?:\w+ ){0,2}?(?:root )?(?:cause|culprit)\b`)

	// advice and scope end a conclusion.
	adviceOrScope = lazyPattern(adviceWords + `|影响|涉及|处置|下一步|后续|可(?:以)?(?:考虑|通过|尝试|先)|\bsuggest|\bcheck\b|\baffect(?:s|ed|ing)?\b|\bimpact(?:s|ed|ing)?\b|\bescalate\b|\bplan to\b|\bmitigation\b|\bremediation\b|\bneeds? to\b`)
	// observing begins a sentence that reports what was seen, not what is
	// concluded.
	observing = lazyPattern(`^(?:相关|附|原始|关键)?(?:日志|监控|指标|证据|告警|查询|工具|调用链|事件)|^(?:query|get|search|fetch)_|^(?:the )?(?:logs?|metrics?|evidence|alerts?|traces?|dashboards?|events?)\b`)

	causeHeading = lazyPattern(`根因|根本原因|原因|结论|诊断结果|root[ -]?cause|\bcauses?\b|\bconclusions?\b|\bdiagnosis\b`)
	otherHeading = lazyPattern(`^(?:[一二三四五六七八九十\d]+ ?[、.)] ?)?(?:处理|解决|修复|处置|整改|优化|后续|下一步|改进)?(?:方案|建议|措施|步骤|影响|影响范围|现象|故障现象|时间线|证据|背景|概述|总结|recommendations?|next steps|impact|evidence|timeline|summary|actions?|mitigation)$`)
	listMark     = lazyPattern(`^(?:[-*+•·]|\(?\d{1,2}[.)、]|[一二三四五六七八九十]、|[①②③④⑤⑥⑦⑧⑨])\s*`)

	ofWhat = lazyPattern(`^(?: ?of)? (?:[^,;:!?]*? )?(?:is|was|are|were|lies in|turns out to be|seems to be|appears to be) `)
)

// foldDraft brings a draft into the form in which cues are looked for.
func foldDraft(s string) string {
	if !foldsPlainly(s) {
		s = norm.NFKC.String(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	var last rune = '\n'
	for i, original := range s {
		if isHan(original) || 'a' <= original && original <= 'z' {
			b.WriteRune(original)
			last = original
			continue
		}
		r := plainRune(original)
		switch {
		case r < 0:
			continue
		case r == '\r' || r == '\u2028' || r == '\u2029':
			r = '\n'
		case r == '*' || r == '`' || r == '~':
			continue
		case r == '。' || r == '｡':
			r = '。'
		case r == '’' || r == '‘':
			r = '\''
		case unicode.IsSpace(r) && r != '\n':
			// A space beside a letter of a script without spaces says nothing.
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(original):])
			if last == ' ' || last == '\n' || unspaced(last) && unspaced(next) {
				continue
			}
			r = ' '
		default:
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// foldsPlainly reports whether a text has only letters and marks of which the
// compatibility form is known: ASCII, Han, and the marks of ordinary Chinese.
func foldsPlainly(s string) bool {
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf, isHan(r), 0xFF01 <= r && r <= 0xFF5E, 0x3000 <= r && r <= 0x3011, 0x2010 <= r && r <= 0x201F && r != 0x2011 && r != 0x2017:
		default:
			return false
		}
	}
	return true
}

// clauses cuts a folded draft.
func clauses(s string) []clause {
	var out []clause
	block, concluding, blank := 0, false, false
	for lineNo, line := range strings.Split(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			blank = true
			continue
		}
		heading := isHeading(line)
		line = strings.Trim(strings.TrimLeft(line, "#> "), " ")
		line = listMark.without(line)
		if heading || blank {
			block++
			if heading {
				concluding = causeHeading.matches(line)
			}
			blank = false
		}
		first := true
		start := 0
		add := func(end int, mark rune) {
			text := strings.TrimSpace(line[start:end])
			if text != "" {
				out = append(out, clause{text: text, end: mark, line: lineNo, first: first, block: block, heading: heading, concluding: concluding && !heading})
				first = false
			}
		}
		for i, r := range line {
			if i < start || !endsClause(r, line[i+utf8.RuneLen(r):]) {
				continue
			}
			if r < utf8.RuneSelf && between(line, i) {
				continue
			}
			add(i, r)
			start = i + utf8.RuneLen(r)
		}
		add(len(line), '\n')
		if n := len(out); n > 0 && out[n-1].line == lineNo && strings.HasSuffix(line, ":") {
			out[n-1].end = ':'
		}
	}
	return out
}

// between reports whether the byte at i stands between two digits.
func between(s string, i int) bool {
	return i > 0 && i+1 < len(s) && s[i-1] >= '0' && s[i-1] <= '9' && s[i+1] >= '0' && s[i+1] <= '9'
}

// isHeading reports whether a line heads what follows: by its markup, or by
// being nothing but a short title.
func isHeading(line string) bool {
	if strings.HasPrefix(line, "#") {
		return true
	}
	if strings.HasPrefix(line, "【") && strings.HasSuffix(line, "】") {
		return true
	}
	title := strings.TrimSuffix(line, ":")
	title = listMark.without(title)
	if utf8.RuneCountInString(title) > 24 {
		return false
	}
	if otherHeading.matches(title) {
		return true
	}
	switch title {
	case "根因", "根本原因", "原因", "根因分析", "原因分析", "根因定位", "根因结论", "结论", "诊断结论", "诊断结果", "分析结论", "故障原因", "问题原因",
		"root cause", "root cause analysis", "cause", "conclusion", "diagnosis", "analysis conclusion", "root causes":
		return true
	}
	return false
}

// conclusions finds what a draft gives as the cause.
func conclusions(draft string) []passage {
	if fields, ok := jsonConclusions(draft); ok {
		return fields
	}
	cs := clauses(foldDraft(draft))
	f := finder{clauses: cs}
	for i := range cs {
		f.clause(i)
	}
	if len(f.found) == 0 && !f.doubted {
		f.sentences(func(c clause) bool { return !c.heading })
	}
	return f.found
}

type finder struct {
	clauses []clause
	found   []passage
	// doubted: a cue was found, and the draft doubts what it gives.
	doubted bool
}

func (f *finder) add(text string, extended bool) {
	text = trimTail(trimLead(text))
	if !blank(text) {
		f.found = append(f.found, passage{text: text, extended: extended})
		if at := relative.first(text); at != nil && at[0] > 0 && !extended {
			f.add(text[:at[0]], false)
		}
	}
}

func (f *finder) clause(i int) {
	c := f.clauses[i]
	if c.heading {
		if c.concluding = causeHeading.matches(c.text); !c.concluding {
			return
		}
	}
	if c.end == '?' {
		return // a question gives no cause
	}
	if c.concluding && !c.heading && !doubts(c.text) && !adviceOrScope.matches(c.text) {
		if c.first || f.clauses[i-1].end != ',' {
			f.add(f.sentence(i), false)
		}
		f.add(c.text, false)
	}
	for _, at := range causeNoun.all(c.text) {
		f.behindNoun(i, c.text[:at[0]], c.text[at[1]:], c.text[at[0]:at[1]])
	}
	for _, at := range causeVerb.all(c.text) {
		before, after := c.text[:at[0]], c.text[at[1]:]
		if doubts(before) || doubtsAtOnce(after) || c.end == ',' && i+1 < len(f.clauses) && nothingFollows(f.clauses[i+1].text) {
			f.doubted = true
			continue
		}
		if blank(after) && c.end == ':' && i+1 < len(f.clauses) {
			after = f.clauses[i+1].text
		}
		f.own(after)
	}
	for _, at := range causeBefore.all(c.text) {
		if byWhom.matches(c.text[at[1]:]) {
			continue
		}
		if unknownEffect.matches(c.text[at[1]:]) {
			f.doubted = true
			continue
		}
		f.before(i, c.text[:at[0]])
	}
}

// behindNoun takes what follows a noun such as 根因: the rest of its clause, and
// the clauses behind it up to advice or scope.
func (f *finder) behindNoun(i int, before, after, noun string) {
	c := f.clauses[i]
	if doubts(before) || hedgedNoun(before) {
		f.doubted = true
		return
	}
	if denied(after) {
		// Not this, but that.
		for j := i; j < len(f.clauses) && j <= i+1; j++ {
			text := after
			if j > i {
				text = f.clauses[j].text
			}
			if at := rather.first(text); at != nil {
				f.add(untilAdvice(text[at[1]:]), false)
				return
			}
			if f.clauses[j].end != ',' {
				break
			}
		}
		f.doubted = true
		return
	}
	if copulaBefore.matches(before) {
		return // "X 是根因": what stands before it is the cause
	}
	if at := ofWhat.first(after); at != nil {
		after = after[at[1]:]
	}
	rest := f.own(after)
	title := c.heading || isHeading(c.text) || c.end == ':' && i+1 < len(f.clauses) && f.clauses[i+1].first
	var b strings.Builder
	b.WriteString(rest)
	own := !onlyLeadIn(rest)
	for j, last := i+1, c; j < len(f.clauses) && j-i <= 16; j++ {
		next := f.clauses[j]
		if next.heading || next.block != c.block && own || next.end == '?' {
			break
		}
		sentence := last.end != ',' && last.end != ':'
		if adviceOrScope.matches(next.text) {
			cut := untilAdvice(next.text)
			if !doubts(cut) {
				b.WriteString("," + cut)
				if !own && !onlyLeadIn(cut) {
					f.own(next.text)
				}
			}
			break
		}
		if own && sentence && observing.matches(next.text) {
			break
		}
		if doubts(next.text) || denied(next.text) {
			if !own {
				f.doubted = true
			}
			break
		}
		if own && next.end == ':' {
			break // something with a label of its own
		}
		b.WriteString("," + next.text)
		if !own || title && sentence || enumerated.matches(next.text) {
			f.add(next.text, false)
		}
		if !onlyLeadIn(next.text) {
			own = true
		}
		last = next
	}
	f.add(b.String(), true)
}

var (
	// byWhom makes a verb passive: what follows is the cause.
	byWhom = lazyPattern(`^ (?:\w+ )?by\b`)
	// rather gives a cause in place of another: 不是网络，而是主从切换失败.
	rather = lazyPattern(`而(?:是|在于)|\bbut (?:rather )?`)
)

// own adds what a cue's own clause gives, up to the advice in it, and gives that
// back. Words that are advice elsewhere may be part of the cause here: 推荐服务, the
// readiness check, a bug affecting the queue.
func (f *finder) own(text string) string {
	rest := text
	for _, at := range advice.all(text) {
		if named := adviceInName.first(text[at[0]:]); !onlyLeadIn(text[:at[0]]) && (named == nil || named[0] > 0) {
			rest = text[:at[0]]
			break
		}
	}
	f.add(rest, false)
	return rest
}

var (
	// advice begins advice inside of a clause, where words of scope and the names
	// of actions may be part of the cause.
	advice = lazyPattern(adviceWords + `|\bwe suggest|\b(?:please|and|then|to|must) check\b|\b(?:we|you|i|someone|the team|operators?|engineers?) (?:will )?needs? to\b`)
	// adviceInName begins with such a word and is a name.
	adviceInName = lazyPattern(`^(?:推荐(?:服务|系统|接口|引擎|模型|位|算法|列表|流|结果|页|模块|缓存)|建议(?:服务|系统|接口|引擎)|应(?:该|当)[^,。;!?]{0,4}的|需要?(?:人工|进一步)[^,。;!?]{0,6}的|should-)`)
)

// enumerated begins a clause that is a cause of its own among several.
var enumerated = lazyPattern(`^(?:[一二三四五]是|其[一二三四五]|第[一二三四五]|首先|其次|再者|另外|此外|\(?[1-9][.)、]|[①②③④⑤]|first(?:ly)?\b|second(?:ly)?\b|third(?:ly)?\b|another\b)`)

// reporting stands before what a draft reports: 指标说明线程池打满.
var reporting = lazyPattern(`说明|表明|显示|可见|判断|认为|推断|指出|证明|看出|\b(?:that|shows?|indicates?|suggests?)\b`)

// relative parts a cause from what is said of it.
var relative = lazyPattern(` (?:that|which|who|when|while|after|since|during|until) |[(\[]`)

var copulaBefore = lazyPattern(`(?:是|才是|就是|正是|作为|\b(?:is|was|are|were|as|be) (?:the|a|our)(?: \w+){0,2})(?:本次|此次|这次|该)?[^,。;:!?]{0,12} ?$`)

// onlyLeadIn reports whether a text says nothing by itself.
func onlyLeadIn(s string) bool { return blank(trimLead(s)) }

// before takes what stands before a verb such as 导致: in its clause, or the
// clause before where the verb begins its own.
func (f *finder) before(i int, text string) {
	if onlyLeadIn(text) {
		if i == 0 || f.clauses[i-1].heading || f.clauses[i-1].end == '?' {
			return
		}
		i--
		text = f.clauses[i].text
	}
	if doubts(text) {
		f.doubted = true
		return
	}
	// A cause that other cues give already begins behind them.
	for _, cue := range []pattern{causeNoun, causeVerb} {
		if at := cue.all(text); len(at) > 0 {
			text = text[at[len(at)-1][1]:]
		}
	}
	f.add(text, false)
	if at := reporting.all(text); len(at) > 0 {
		f.add(text[at[len(at)-1][1]:], false)
	}
	// So does the cause behind a copula: 订单失败由连接池耗尽引起, 故障系磁盘写满所致.
	for _, copula := range []string{"由", "是", "系"} {
		at := strings.LastIndex(text, copula)
		if at <= 0 {
			continue
		}
		rest := text[at+len(copula):]
		if !strings.HasPrefix(rest, "统") && !strings.HasPrefix(rest, "列") && !strings.HasPrefix(rest, "于") {
			f.add(rest, false)
		}
	}
}

// sentence joins the clauses of the sentence that begins at i.
func (f *finder) sentence(i int) string {
	var b strings.Builder
	for j := i; j < len(f.clauses); j++ {
		c := f.clauses[j]
		if j > i && c.line != f.clauses[i].line || adviceOrScope.matches(c.text) || doubts(c.text) {
			break
		}
		b.WriteString(c.text + ",")
		if c.end != ',' && c.end != ':' {
			break
		}
	}
	return b.String()
}

// sentences takes every sentence that is neither doubt nor advice.
func (f *finder) sentences(of func(clause) bool) {
	start := true
	for i, c := range f.clauses {
		if of(c) && c.end != '?' && !doubts(c.text) && !adviceOrScope.matches(c.text) {
			if start {
				f.add(f.sentence(i), false)
			} else {
				f.add(c.text, false)
			}
		}
		start = c.end != ',' && c.end != ':'
	}
}

func untilAdvice(s string) string {
	if at := adviceOrScope.first(s); at != nil {
		return s[:at[0]]
	}
	return s
}

// jsonConclusions reads a draft that is a JSON object, alone or in a fenced
// block.
func jsonConclusions(draft string) ([]passage, bool) {
	text := strings.TrimSpace(draft)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner, _ = strings.CutSuffix(strings.TrimSpace(inner), "```")
		text = strings.TrimSpace(strings.TrimPrefix(inner, "json"))
	}
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	var f finder
	var fields, rest []string
	collectFields(v, false, 0, &fields, &rest)
	if len(fields) == 0 {
		return conclusions(strings.Join(rest, "\n")), true
	}
	for _, field := range fields {
		f.clauses = clauses(foldDraft(field))
		for i := range f.clauses {
			f.clause(i)
		}
		f.sentences(func(clause) bool { return true })
	}
	return f.found, true
}

var causeField = lazyPattern(`^(?:(?:root|final|main|probable|likely|primary)?[_\- ]?causes?|root[_\- ]?cause\w*|reason|reasons|conclusions?|diagnosis|根因|根本原因|原因|故障原因|结论|诊断结论)$`)

// collectFields finds the texts of fields that give the cause, and the others.
func collectFields(v any, cause bool, depth int, fields, rest *[]string) {
	if depth > 8 {
		return
	}
	switch v := v.(type) {
	case string:
		if cause {
			*fields = append(*fields, v)
		} else {
			*rest = append(*rest, v)
		}
	case []any:
		for _, e := range v {
			collectFields(e, cause, depth+1, fields, rest)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			collectFields(v[name], cause || causeField.matches(strings.ToLower(name)), depth+1, fields, rest)
		}
	}
}

package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// The two sources that can show that a tool was called.
const (
	// ByInvocations: a call in toolInvocations.
	ByInvocations = "tool_invocations"
	// BySummary: the verifier's summary of the trace.
	BySummary = "trace_summary"
)

// ToolEvidence says whether and by what a required tool is satisfied.
type ToolEvidence struct {
	Required  RequiredTool
	Satisfied bool
	// By is [ByInvocations] or [BySummary]; empty where nothing satisfies it.
	By string
	// Tool is the name, of those that are enough, that satisfies it.
	Tool string
	// Where is the call, and Around what a summary says.
	Where, Around string
	// Note tells of sources that contradict each other.
	Note string
	// Reason says why it is not satisfied.
	Reason string
}

// use is what a trace tells of one tool.
type use struct {
	calls, succeeded, failed int
	first                    int // the first call that counts, from 1; 0 for none
	whys                     []string
	// named: the summary names it as called. denied: the summary says that it
	// was not called, or failed; deniedWhy says which.
	named, denied bool
	deniedWhy     string
	around        string
}

// useOf gathers what the invocations and the summary tell of a tool.
func (p *Evaluator) useOf(t *Trace, name string) use {
	var u use
	for i := range t.Calls {
		c := &t.Calls[i]
		if !p.isNamed(c.Name, name) {
			continue
		}
		u.calls++
		switch c.Outcome {
		case Succeeded:
			u.succeeded++
			if u.succeeded == 1 {
				u.first = i + 1
			}
		case Failed:
			u.failed++
			if c.Why != "" && !slices.Contains(u.whys, c.Why) {
				u.whys = append(u.whys, c.Why)
			}
		}
		if u.first == 0 && u.calls == 1 {
			u.first = i + 1
		}
	}
	for i := range t.Summary.Tools {
		s := &t.Summary.Tools[i]
		if !p.isNamed(s.Name, name) {
			continue
		}
		switch {
		case s.Failed:
			u.denied, u.deniedWhy = true, "reports it as failed"
			if s.Why != "" {
				u.deniedWhy += " (" + s.Why + ")"
			}
		case saysNotCalled(s.Text):
			u.denied, u.deniedWhy = true, "says that it was not called"
		default:
			u.named = true
			if u.around == "" {
				u.around = s.Text
			}
		}
	}
	for _, text := range t.Summary.Texts {
		for alias := range p.namesOf(name) {
			u.mentions(text, alias)
		}
	}
	return u
}

// mentions looks for a tool's name in a text of the summary.
func (u *use) mentions(text, name string) {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 || name == "" {
			return
		}
		at += from
		from = at + len(name)
		if !wholeToken(text, at, from) {
			continue
		}
		if deniesCall(text, at, from) {
			u.denied, u.deniedWhy = true, "says that it was not called"
			continue
		}
		if !u.named || u.around == "" {
			u.around = keyword.Snippet(text, at, from, 60)
		}
		u.named = true
	}
}

// wholeToken reports whether text[start:end] is a whole name and no part of a
// longer one: query_log is not in query_logs, nor status in lts.status.
func wholeToken(text string, start, end int) bool {
	inName := func(r rune) bool {
		return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unspaced(r)
	}
	before, size := utf8.DecodeLastRuneInString(text[:start])
	if first, _ := utf8.DecodeRuneInString(text[start:]); !unspaced(first) && start > 0 {
		if inName(before) {
			return false
		}
		if strings.ContainsRune(".-/:", before) {
			if beyond, _ := utf8.DecodeLastRuneInString(text[:start-size]); start > size && inName(beyond) {
				return false
			}
		}
	}
	after, size := utf8.DecodeRuneInString(text[end:])
	if last, _ := utf8.DecodeLastRuneInString(text[:end]); !unspaced(last) && end < len(text) {
		if inName(after) {
			return false
		}
		if strings.ContainsRune(".-/:", after) {
			if beyond, _ := utf8.DecodeRuneInString(text[end+size:]); end+size < len(text) && inName(beyond) {
				return false
			}
		}
	}
	return true
}

const skipping = `(?:跳过|略过|省略|漏掉)`

// others are tools named before the one, around is what may stand between its name
// and what became of its call.
const (
	others = `(?:[\w.-]+ ?(?:、|和|与|及|,) ?)*`
	around = `(?:(?: ?(?:、|和|与|及) ?[\w.-]+ ?)|工具|步骤|查询|的|[0-9一二三四五六七八九十两多]+次|每次)*`
)

const calling = `(?:调用|使用|执行|运行|用到|用过|采用|启用)`

var (
	// callDenied needs a negator and a word of calling that belong together:
	// "query_logs 未发现异常" and "called query_logs, no anomalies" are evidence.
	// The tool's own name reads "thetool".
	callDenied = lazyPattern(
		`(?:未|没有?|不曾|无法|不能|未能|没能|不再|并不|不|无|避免|禁止|切勿|请勿|拒绝|放弃)(?:被|去|再|成功|有|直接|实际|真正|曾|进行|实际上|对|通过|用|把|经|以|要|需要?|须|必要?|应该?|了)* ?(?:thetool ?)?(?:进行|来|做|被|发起)?` + calling +
			`|(?:未|没有?|缺少|缺乏)(?:任何|一次)?(?:对|针对)? ?thetool ?的?` + calling +
			`|(?:未|没有?)(?:查询|用)(?: ?thetool| ?$)|(?:未|没有?)对 ?thetool|(?:^|[^分级识特区类个鉴辨差性])别(?:再|去)?` + calling +
			`|` + skipping + `了?(?:对|对于)? ?` + others + `thetool|thetool ?` + around + `(?:已|均|都)?(?:被|遭)?` + skipping +
			`|(?:thetool ?` + around + calling + `|` + calling + `了? ?` + others + `thetool) ?` + around + `(?:均|都|全部|一直|又|也|时|总是)*(?:失败|超时|报错|出错|未成功|没有成功|未完成|被拒)` +
			`|(?:\bnot\b|\bnever\b|n't\b|\bwithout\b|\bneither\b|\bnor\b|\bcannot\b|\bunable\b|\bfail(?:ed|s|ing)? to\b)(?: \w+){0,3} (?:call(?:ed|ing|s)?|invok(?:e|ed|ing)|us(?:e|ed|ing)|run|ran|execut(?:e|ed|ing)|quer(?:ied|ying)|tr(?:y|ied)|consult(?:ed|ing)?)\b` +
			`|\b(?:avoid(?:ed|s|ing)?|refrain(?:ed|s|ing)? from|declin(?:ed|es|ing) to|refus(?:ed|es|ing) to)(?: \w+){0,2} (?:call(?:ing)?|invok(?:e|ing)|us(?:e|ing)|run(?:ning)?|execut(?:e|ing)|query(?:ing)?)\b` +
			`|\b(?:called|invoked|used|run|executed|queried)\b(?: \w+){0,3} but (?:was|is|were|has|had|did)(?: not|n't)\b|\bthetool (?:(?:was|is|were|remained|went|left) )?(?:unused|uncalled|not used)\b` +
			`|\bno (?:\w+ )?(?:calls?|invocations?|use|run|execution|attempts?)\b` +
			`|\b(?:skip(?:ped|s|ping)?|omit(?:ted|s|ting)?) (?:the |both |tool |tools |calling |running |using |(?:call|calls) to )*(?:[\w.-]+(?:, ?| and | or ))*(?:the )?thetool\b|\bthetool (?:(?:call|calls|tool|step|was|were|is|has been|had been) )*(?:skipped|omitted)\b` +
			`|\b(?:(?:calls?|invocations?|runs?|executions?) (?:to|of) thetool|thetool (?:calls?|invocations?|runs?|executions?)) (?:has |have |had |was |were )?(?:failed|timed out|denied|rejected|refused|errored)\b`)
	objectDenial = lazyPattern(`^(?:该工具|此工具|本次|the tool|it|tool)? ?(?:was|were|is|has been|had been)? ?(?:未|没有?|并未|从未|不曾|尚未|not|never) ?(?:被|been|实际|成功|actually)? ?(?:调用|使用|执行|运行|called|used|invoked|run|executed|queried)(?:过|该工具|此工具)?[。.!]?$|^(?:已?跳过|略过|skipped|omitted|not[_ ]called|not[_ ]used|n/a)[。.!]?$`)
)

// deniesCall reports whether the clause around a tool's name says that it was
// not called. A name with nothing but a colon behind it belongs to the clause
// that follows.
func deniesCall(text string, start, end int) bool {
	from, to := keyword.Clause(text, start)
	to = max(to, end)
	if strings.TrimSpace(text[end:to]) == "" && to < len(text) {
		if r, size := utf8.DecodeRuneInString(text[to:]); r == ':' || r == '：' {
			_, to = keyword.Clause(text, to+size)
		}
	}
	clause := foldDraft(text[from:start]) + " thetool " + foldDraft(text[end:to])
	clause = strings.Join(strings.Fields(clause), " ")
	return callDenied.matches(clause)
}

// saysNotCalled reports whether all that a summary says of a tool is that it was
// not called.
func saysNotCalled(text string) bool {
	const longest = 60 // bytes of such a text
	return len(text) <= longest && objectDenial.matches(strings.ToLower(text))
}

// requiredTool judges one entry of required_tools.
func (p *Evaluator) requiredTool(t *Trace, r RequiredTool) ToolEvidence {
	e := ToolEvidence{Required: r}
	uses := make([]use, 0, 2) // mostly there is one
	for _, name := range r.Any {
		uses = append(uses, p.useOf(t, name))
	}
	for i, name := range r.Any {
		u := &uses[i]
		if u.succeeded == 0 && !(r.Attempted && u.calls > 0) {
			continue
		}
		e.Satisfied, e.By, e.Tool = true, ByInvocations, name
		e.Where = "call " + strconv.Itoa(u.first)
		if u.denied && !u.named && u.succeeded > 0 {
			e.Note = "the verifier's summary " + u.deniedWhy
		}
		return e
	}
	for i, name := range r.Any {
		u := &uses[i]
		if !u.named && !(r.Attempted && u.denied && u.deniedWhy != "says that it was not called") {
			continue
		}
		if u.calls > 0 && u.failed == u.calls {
			continue // what the calls deny, the summary cannot claim
		}
		e.Satisfied, e.By, e.Tool, e.Around = true, BySummary, name, shorten(u.around)
		switch {
		case u.calls > 0:
			e.Note = "the outcome of its calls is unknown"
		case len(t.Calls) > 0:
			e.Note = "no call of it was recorded"
		}
		return e
	}
	parts := make([]string, len(r.Any))
	for i, name := range r.Any {
		parts[i] = uses[i].story(name)
		if u := &uses[i]; u.calls > 0 && u.named {
			if e.Note != "" {
				e.Note += "; "
			}
			e.Note += fmt.Sprintf("the verifier's summary names %s, and each of its calls failed", name)
		}
	}
	e.Reason = strings.Join(parts, "; ")
	return e
}

// story tells why a tool is no evidence.
func (u *use) story(name string) string {
	var s string
	switch {
	case u.calls == 0:
		s = name + ": never called"
	case u.failed == u.calls:
		s = fmt.Sprintf("%s: called %s, failed%s", name, times(u.calls), everyTime(u.calls))
		if len(u.whys) > 0 {
			s += " (" + strings.Join(u.whys, "; ") + ")"
		}
	case u.failed == 0:
		s = fmt.Sprintf("%s: called %s, with neither a status nor a result", name, times(u.calls))
	default:
		s = fmt.Sprintf("%s: called %s, %d failed", name, times(u.calls), u.failed)
		if len(u.whys) > 0 {
			s += " (" + strings.Join(u.whys, "; ") + ")"
		}
		s += ", the others have neither a status nor a result"
	}
	switch {
	case u.named:
		s += ", though the verifier's summary names it"
	case u.denied:
		s += ", and the verifier's summary " + u.deniedWhy
	}
	return s
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

func everyTime(n int) string {
	switch n {
	case 1:
		return ""
	case 2:
		return " both times"
	}
	return " every time"
}

// attempts gives the forbidden tools that were called, and how.
func (p *Evaluator) attempts(t *Trace) (called, stories []string) {
	add := func(name, story string) {
		called = append(called, name)
		stories = append(stories, name+": "+story)
	}
	for _, name := range p.ForbiddenTools {
		calls, succeeded := 0, 0
		for i := range t.Calls {
			if p.isNamed(t.Calls[i].Name, name) {
				calls++
				if t.Calls[i].Outcome == Succeeded {
					succeeded++
				}
			}
		}
		switch {
		case calls == 1 && succeeded == 0:
			add(name, "called once, without success")
		case calls > 0:
			add(name, fmt.Sprintf("called %s, %d with success", times(calls), succeeded))
		case p.inStructure(t, name):
			add(name, "named in the verifier's summary")
		}
	}
	return called, stories
}

// inStructure reports whether the summary lists a tool as called: as an object,
// or as a text that is nothing but its name.
func (p *Evaluator) inStructure(t *Trace, name string) bool {
	for i := range t.Summary.Tools {
		s := &t.Summary.Tools[i]
		if p.isNamed(s.Name, name) && !saysNotCalled(s.Text) {
			return true
		}
	}
	for _, text := range t.Summary.Texts {
		if p.isNamed(text, name) {
			return true
		}
	}
	return false
}

package diagnosis

import (
	"strings"
)

// Phrases of doubt. A bare 不, 未 or "not" is none: "磁盘空间不足导致写入失败" and
// "the pool could not grow because of its limit" are conclusions. So a word such
// as 未能 or "not" doubts only together with a word of knowing ("未能确认", "not
// clear"), or directly before what it denies ("not due to").

const (
	knowing = `(?:确认|确定|证实|证明|判断|判定|断定|认定|得出|查明|查清|归因|下结论|推断|表明|说明|给出|明确)`
	// These are ordinary work too: 无法验证证书链 is a cause.
	finding = `(?:验证|核实|定位|找到|找出|查到|支撑|支持)[^,。;:!?]{0,6}(?:根因|原因|结论|诊断|这|该|是|$)`
	knowEN  = `(?:confirm|determin|establish|verif|prove|proof|conclud|clear|certain|sure|known?\b|identif|the (?:\w+ )?(?:root )?cause|indicat|suggest|evidence|demonstrat|substantiat|say\b|tell\b|assum|imply|mean\b|supported)`
	notEN   = `(?:\bnot\b|\bnever\b|\bcannot\b|\bunable\b|\bneither\b|n't\b)`
)

var (
	doubt = lazyPattern(
		`证据(?:仍|尚|还|并|链)?不(?:足|充分|够|完整)|不足以|(?:没有|无|缺乏|缺少|未有)(?:足够|充分|直接|确切|明确|任何|相关)?的?证据` +
			`|(?:无法|不能|未能|尚未|还未|仍未|难以|没能|没有办法|不可)[^,。;:!?]{0,3}` + knowing +
			`|(?:无法|不能|未能|尚未|还未|仍未|难以|没能)[^,。;:!?]{0,2}` + finding +
			`|(?:未|没有|并未|未经|不)(?:被|经|得到|能)?(?:确认|证实|证明|查明)|未经(?:验证|核实)|尚待|有待|待(?:确认|核实|验证)` +
			`|(?:数据|证据|日志|指标|信息|监控)[^,。;!?]{0,4}不(?:能)?支持(?:$|[^,。;!?]{0,20}(?:结论|判断|推断|假设|说法|根因|观点))|没有(?:任何)?迹象|未见|未发现|没有发现|没有看到|并非|不是|并不|排除|是否|不明|未知|未必|不一定|不太可能|不大可能|可能性(?:较|很|极)?(?:低|小)|可能性不大` +
			`|\bno (?:\w+ )?(?:evidence|proof|indication|sign)\b|\binsufficient (?:evidence|data|information|proof)\b|\bnot enough (?:evidence|data|information|proof)\b|\bevidence (?:is|was) insufficient\b` +
			`|\bunlikely\b|\bwhether\b|\bruled out\b|\bruling out\b|\bunconfirmed\b|\bunverified\b|\bunproven\b|\bunclear\b|\bunknown\b|\bdoubtful\b|\bdoubt\b|\brather than$` +
			`|` + notEN + `[^,。;:!?]{0,40}\b` + knowEN +
			`|` + notEN + `(?: (?:be|been|being|directly|primarily|necessarily|simply|likely|really))* (?:due|because|caused|attribut\w+)\b` +
			`|` + notEN + `(?: (?:a|an|the|that|to|be|been|have|directly|necessarily|really|actually|yet))*$`)

	// A cause that is not ruled out is named all the same, as one that "may be".
	notExcluded = lazyPattern(`(?:不|无法|不能|尚未|未|没有|难以|并未|不可)(?:完全|能|能够)?排除|(?:` + notEN + `)(?: (?:be|been|to|yet|have|fully|completely))* (?:rul(?:e|ed|ing) out|exclud(?:e|ed|ing))|` + notEN + ` only\b`)

	// hedge lists the phrases that doubt what follows them in an answer.
	hedge = lazyPattern(`未能|尚未|难以|未经|无法|不能|\binsufficient\b|` + notEN)

	// given stands between a word such as "not" and a cause that is given all
	// the same: "could not complete because of …".
	given = lazyPattern(`由于|因为|因|根因|原因|是|导致|because|due to|caused by|since|owing to`)

	deniedAtOnce = lazyPattern(`^[ :"(]*(?:(?:目前|当前|暂时|现在|仍然?|还|也|均|都|很|究竟|到底|具体|可能|是|为)*(?:否|什么|何|未知|不明|不详|不清|不确定|待|尚|暂|证据不足|无法` + knowing + `|未能` + knowing + `|没有` + knowing + `|难以` + knowing + `|需要?(?:进一步|人工)|未` + knowing + `|未经|未查|未知|n/a|tbd|unknown|pending)|(?:目前|当前|暂时|现在|仍然?|还|也)*(?:无法|未|没有|不|难以)|(?:是|为)?无(?:$|[ ,。;:!?)])|` +
		`(?:of [^,;:!?]*?)?(?:\b(?:is|was|are|were|remains?|has|have|could|can|be|been|still|yet|currently|so far|as yet)\b ?)*(?:\bnot\b|\bcannot\b|\bunknown\b|\bundetermined\b|\bunclear\b|\bunconfirmed\b|\bunverified\b|\binconclusive\b|\bunidentified\b|\bpending\b|\btbd\b|\bn/a\b|\bto be (?:determined|confirmed)\b|n't\b|\bstill\b|\byet\b))`)
	// unknownEffect follows a cue whose effect is that nothing is known: 日志缺失导致
	// 无法判断.
	unknownEffect = lazyPattern(`(?:无法|不能|难以|未能|没法)[^,。;:!?]{0,3}` + knowing + `(?:$|[^,。;:!?]*(?:根因|原因|结论|诊断))|` + notEN + `[^,。;:!?]{0,40}\b(?:cause|conclusion|diagnosis|what|why)\b`)
	doubtedAtOnce = lazyPattern(`^[ :]*(?:证据不足|证据不充分|(?:没有|缺乏|缺少|无)(?:足够|充分|直接|确切)?的?证据|(?:尚未|还未|仍未|未)` + knowing + `|什么|何种|哪|未知|不明|无法` + knowing + `|未能` + knowing + `|\b(?:whether|unknown(?: (?:reasons?|causes?|factors?)\b|$)|insufficient|lack of evidence|no evidence|what|the evidence (?:is|was) insufficient|there (?:is|was) (?:no|not|insufficient))\b)`)
)

// doubts reports whether a text before a cue doubts what the cue gives.
func doubts(s string) bool {
	return doubt.matches(notExcluded.without(s))
}

// denied reports whether a text behind a noun such as 根因 says that there is
// none: 未知, is still unclear.
func denied(after string) bool { return deniedAtOnce.matches(after) }

// doubtsAtOnce reports whether a text behind a verb such as 由于 begins with
// doubt.
func doubtsAtOnce(after string) bool { return doubtedAtOnce.matches(after) }

// nothingFollows reports whether a clause behind a cause says that it leads nowhere:
// 由于日志缺失，无法确认根因.
func nothingFollows(s string) bool { return unknownEffect.matches(s) }

// hedgedNoun reports whether what stands before a noun such as 根因 hedges it, and
// does not belong to what the cause is of.
func hedgedNoun(before string) bool {
	before = strings.TrimSpace(notExcluded.without(before))
	at := hedge.all(before)
	return len(at) > 0 && !strings.HasSuffix(before, "的") && !given.matches(before[at[len(at)-1][1]:])
}

// hedges reports whether what stands before a statement in its clause of an
// answer keeps it from being made.
func hedges(before string) bool {
	before = strings.TrimSpace(notExcluded.without(foldDraft(before)))
	if doubt.matches(before) {
		return true
	}
	at := hedge.all(before)
	return len(at) > 0 && !given.matches(before[at[len(at)-1][1]:])
}

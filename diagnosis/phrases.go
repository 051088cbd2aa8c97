package diagnosis

import (
	_ "embed"
	"encoding/json"
	"iter"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// phrases.json lists what a degraded answer says of itself, and what an answer
// says that gives a cause as confirmed. They are keywords of the usual forms.
//
//go:embed phrases.json
var phrasesJSON []byte

var defaultPhrases = sync.OnceValue(func() (p struct {
	Markers   []keyword.Keyword `json:"degraded_markers"`
	Confirmed []keyword.Keyword `json:"confirmed_phrases"`
}) {
	if err := json.Unmarshal(phrasesJSON, &p); err != nil {
		panic("phrases.json: " + err.Error())
	}
	return p
})

// DefaultMarkers are the phrases by which an answer is taken for a degraded
// one, where a case states no others: "无法确认根因", "unable to determine the
// root cause". Words such as 降级 or "degraded" are none by themselves: they
// stand in ordinary answers.
func DefaultMarkers() []keyword.Keyword { return clonePhrases(defaultPhrases().Markers) }

// DefaultConfirmedPhrases are the phrases by which an answer is taken to give a
// confirmed cause, where a case states no others: "根因是", "was caused by".
func DefaultConfirmedPhrases() []keyword.Keyword { return clonePhrases(defaultPhrases().Confirmed) }

func clonePhrases(p []keyword.Keyword) []keyword.Keyword { return append([]keyword.Keyword(nil), p...) }

// phraseSets are the compiled phrases of a case; most cases share the default
// ones.
type phraseSets struct {
	markers, confirmed *phraseSet
}

var defaultSets = sync.OnceValue(func() phraseSets {
	return phraseSets{newPhraseSet(defaultPhrases().Markers), newPhraseSet(defaultPhrases().Confirmed)}
})

// phraseSet is compiled phrases. Regular expressions, which are slow, are kept
// apart: a text is given only to those of which it has a word that each of their
// matches has.
type phraseSet struct {
	plain       *keyword.Set
	expressions []*keyword.Set
	// needed has the words by the number of their expression, and always the
	// expressions without any.
	needed *literals
	always []int
}

// newPhraseSet compiles phrases that compile.
func newPhraseSet(phrases []keyword.Keyword) *phraseSet {
	p := &phraseSet{needed: new(literals)}
	var plain []keyword.Keyword
	for _, k := range phrases {
		if k.Regex == "" {
			plain = append(plain, k)
			continue
		}
		n := len(p.expressions)
		p.expressions = append(p.expressions, keyword.MustCompileSet([]keyword.Keyword{k}))
		if words := neededWords("(?i)" + norm.NFKC.String(k.Regex)); words != nil {
			p.needed.add(n, words)
		} else {
			p.always = append(p.always, n)
		}
	}
	p.needed.index()
	p.plain = keyword.MustCompileSet(plain)
	return p
}

// all gives every hit, those of regular expressions last.
func (p *phraseSet) all(t *keyword.Text) iter.Seq[keyword.Hit] {
	return func(yield func(keyword.Hit) bool) {
		for hit := range p.plain.All(t) {
			if !yield(hit.Hit) {
				return
			}
		}
		if len(p.expressions) == 0 {
			return
		}
		for i, may := range p.mayMatch(t.String()) {
			if !may {
				continue
			}
			for hit := range p.expressions[i].All(t) {
				if !yield(hit.Hit) {
					return
				}
			}
		}
	}
}

// mayMatch tells for each expression whether a normalised text has what it needs.
func (p *phraseSet) mayMatch(normalised string) []bool {
	may := make([]bool, len(p.expressions))
	for _, i := range p.always {
		may[i] = true
	}
	p.needed.find(normalised, func(i int) bool {
		may[i] = true
		return true
	})
	return may
}

var (
	// notBefore stands directly before a phrase and negates it: 无法|确认根因为.
	notBefore = lazyPattern(`(?:无法|不能|未能?|尚未|没有|没能|难以|不|是否|` + notEN + `|\bno\b|\bwithout\b|\bunable to\b)(?: ?(?:be|been|yet|have|a|an|the|any|that))* ?$|\b(?:if|whether)\b|是否|^(?:若|如果|假如|倘若)`)
	// notBehind stands directly behind such a phrase in place of a cause.
	notBehind = lazyPattern(`^[\s:"'“”‘’()\[\]{}<>|_.,…·—–\-【】《》「」『』]*(?:(?:目前|当前|暂时|仍然?|还|尚|依然)*(?:否|什么|何|哪|谁|未知|未明|未定|不明|不详|不清|不确定|待(?:[^,。;!?]{0,6}(?:确认|确定|核实|复核|排查|验证|补充|观察|分析|研判|判断|评估|调查|定位)|查|定|核|进一步|人工|处理(?:$|[\s,。;:!?)])|$|[\s,。;:!?)])|尚|暂|证据不足|(?:无法|未能|没有|难以|不能|尚未|未)` + knowing + `|(?:无法|未能)(?:$|[ ,。;:!?])|(?:无|没有|(?:未|没有|没)(?:找到|发现|查到|定位到|查明))(?:$|[\s,。;:!?)])|(?:正|还)?在(?:排查|调查|分析|定位|确认|核实)中?(?:$|[\s,。;:!?)])|需要?由?(?:人工|进一步|值班)[^,。;!?]{0,4}(?:确认|核实|排查|分析|验证|判断|研判|复核|判定)(?:$|[\s,。;:!?)]))|none(?: (?:was |were |has been )?(?:identified|found|confirmed|established|known|yet)\b| ?(?:$|[.,;:!?)\n]))|never\b|(?:still|yet|currently|as yet)\b|(?:not|cannot|n't)\b|unknown\b|undetermined|unclear|unconfirmed|unverified|uncertain|unidentified|inconclusive|pending(?: ?(?:$|[.,;:!?)])| (?:further|additional|more)\b| (?:[\w-]+ ){0,2}(?:investigation|confirmation|review|verification|analysis|approval)\b)|tbd|n/a|to be (?:determined|confirmed)|under (?:investigation|review)|being investigated|(?:unable to|(?:could|can) ?not|can't|couldn't) (?:be )?(?:confirm|determin|establish|identif|verif|pinpoint|conclude|say\b|tell\b))`)
)

// confirmed gives the first phrase of an answer that gives a cause as confirmed
// and is not negated.
func (p phraseSets) confirmedIn(t *keyword.Text) (keyword.Hit, bool) {
	answer := t.Original()
	for hit := range p.confirmed.all(t) {
		start, end := t.Clause(hit.Start)
		if before := foldDraft(answer[start:hit.Start]); before != "" && (doubts(before) || notBefore.matches(before) || negates(before)) {
			continue
		}
		phrase := answer[hit.Start:hit.End]
		if hit.End > end {
			end = hit.End
		}
		if endsInCopula(phrase) {
			behind := foldDraft(answer[hit.End:min(len(answer), hit.End+60)])
			if notBehind.matches(behind) || blank(behind) {
				continue
			}
		} else if denied(foldDraft(answer[hit.End:end])) {
			continue
		}
		return hit, true
	}
	return keyword.Hit{}, false
}

// negator is a word that negates, with a word of knowing or saying behind it: 没有日志
// 表明. In 服务无法下单 it negates something else.
var negator = lazyPattern(`(?:无法|不能|未|没有|难以)[^,。;:!?]{0,16}(?:` + knowing + `|认为|推出|指向|支持|说|看到|看出|显示|断言|找到|发现|归结|归为|当作|视为|看作|认定)|\bnot (?:every|all|each)\b` +
	`|(?:` + notEN + `|\bno\b)[^,。;:!?]{0,60}\b(?:confirm|determin|said\b|say|believ|think|prov|show|claim|accept|indicat|suggest|identif|conclu|establish|find|found\b|assum|imply|mean\b|tell|know|sure\b|certain|evidence|support|demonstrat|argu|assert|agree)`)

// negates reports whether a negator stands before a phrase in its clause, where it
// does not belong to what the cause is of: 服务无法启动的根因是.
func negates(before string) bool {
	before = notNegated.without(notExcluded.without(before))
	return negator.matches(before) && !strings.HasSuffix(strings.TrimSpace(before), "的")
}

// notNegated are words that hold a negator and are none.
var notNegated = lazyPattern(`未来|` + notEN + ` only\b|\bno doubt\b`)

// endsInCopula reports whether the cause itself is to follow a phrase.
func endsInCopula(phrase string) bool {
	phrase = strings.TrimSpace(phrase)
	if last, _ := utf8.DecodeLastRuneInString(phrase); strings.ContainsRune("是为于即:：", last) {
		return true
	}
	rest := strings.TrimRightFunc(phrase, func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	})
	switch strings.ToLower(phrase[len(rest):]) {
	case "is", "was", "are", "were", "by":
		return true
	}
	return false
}

// markerIn gives the first phrase that marks an answer as degraded.
func (p phraseSets) markerIn(t *keyword.Text) (keyword.Hit, bool) {
	for hit := range p.markers.all(t) {
		return hit, true
	}
	return keyword.Hit{}, false
}

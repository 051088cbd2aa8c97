package keyword_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation/keyword"
)

func TestAHitIsNegatedByANegatorBeforeItInItsClause(t *testing.T) {
	for _, r := range []struct {
		name, keyword, text string
		negated             bool
		why                 string
	}{
		{"zh-never", "rm -rf", "切勿执行 rm -rf /data", true, "切勿"},
		{"zh-please-not", "重启", "请勿重启节点", true, "请勿"},
		{"zh-not", "OOM", "不是 OOM 引起的", true, "不"},
		{"zh-not-yet", "OOM", "未发现 OOM", true, "未"},
		{"zh-none", "慢查询", "日志中无慢查询", true, "无"},
		{"zh-did-not", "超时", "没有出现超时", true, "没有"},
		{"zh-did-not-short", "超时", "没出现超时", true, "没"},
		{"zh-cannot", "确认根因", "无法确认根因", true, "无法"},
		{"zh-may-not", "重启", "不能重启", true, "不能"},
		{"zh-avoid", "全表扫描", "避免全表扫描", true, "避免"},
		{"zh-forbidden", "rm -rf", "禁止使用 rm -rf", true, "禁止"},
		{"zh-strictly-forbidden", "rm -rf", "严禁使用 rm -rf", true, "严禁"},
		{"zh-ruled-out", "网络故障", "已排除网络故障", true, "排除"},
		{"zh-by-no-means", "磁盘满", "并非磁盘满", true, "并非"},
		{"zh-plain", "OOM", "根因是 OOM", false, "no negator"},
		{"zh-other-clause", "OOM", "不是网络问题，是 OOM", false, "the comma ends the clause"},
		{"zh-other-sentence", "OOM", "网络没有异常。OOM 是根因", false, "。 ends the clause"},
		{"zh-other-line", "OOM", "网络没有异常\nOOM 是根因", false, "the line's end ends the clause"},
		{"zh-after", "OOM", "OOM 已排除", false, "behind the hit"},
		{"zh-enumeration-comma", "OOM", "不是磁盘、OOM", true, "、 ends no clause"},
		{"zh-insufficient", "写入失败", "磁盘空间不足导致写入失败", false, "不足 negates nothing behind it"},
		{"zh-not-only", "OOM", "不仅有 OOM", false, "不仅 neither"},
		{"zh-whether-or-not", "重启", "无论如何先重启", false, "无论 neither"},
		{"zh-submerged", "告警", "值班被淹没在告警里", false, "淹没 holds a 没"},
		{"zh-insufficient-and-negated", "写入失败", "空间不足但未写入失败", true, "未 does"},
		{"en-not", "OOM", "this is not an OOM", true, "not"},
		{"en-do-not", "rm -rf", "Do not run rm -rf", true, "not"},
		{"en-no", "anomalies", "no anomalies found", true, "no"},
		{"en-never", "restart", "Never restart all replicas", true, "never"},
		{"en-cannot", "connect", "cannot connect", true, "cannot"},
		{"en-nt", "restart", "don't restart", true, "n't"},
		{"en-nt-typographic", "restart", "Don’t restart", true, "a typographic apostrophe"},
		{"en-without", "downtime", "upgrade without downtime", true, "without"},
		{"en-avoid", "full scans", "avoiding full scans", true, "avoid with an ending"},
		{"en-ruled-out", "packet loss", "we ruled out packet loss", true, "ruled out"},
		{"en-plain", "OOM", "the cause is an OOM", false, "no negator"},
		{"en-word-edge", "OOM", "notable OOM", false, "not is no word there"},
		{"en-now", "OOM", "now OOM, node down", false, "no is no word there"},
		{"en-not-only", "OOM", "not only OOM", false, "not only affirms"},
		{"en-other-clause", "OOM", "not the network, OOM", false, "the comma ends the clause"},
		{"en-other-sentence", "OOM", "It is not the network. OOM it is", false, "a full stop before a space"},
		{"en-dot-inside", "OOM", "not node.js OOM", true, "a dot before a letter ends nothing"},
		{"en-colon", "OOM", "not found: OOM", false, "a colon ends the clause"},
		{"en-decimal", "OOM", "not 1.5 OOM", true, "not between digits"},
		{"en-time", "OOM", "not at 14:05 OOM", true, "not between digits"},
		{"en-thousands", "OOM", "not 1,000 OOM", true, "not between digits"},
		{"zh-list-of-numbers", "503", "不是 502，503 才是", false, "a full-width comma is never inside a number"},
		{"zh-space-lost", "OOM", "not here. 重启后 OOM", false, "the full stop before a space, though the space goes"},
		{"mixed", "OOM", "未出现 OOMKilled", true, "未"},
		{"second-hit-counts", "OOM", "不是 OOM。就是 OOM", true, "the first hit is the negated one"},
	} {
		t.Run(r.name, func(t *testing.T) {
			text := keyword.NewText(r.text)
			plain := keyword.MustCompile(keyword.Word(r.keyword))
			hit, ok := plain.Find(text)
			require.True(t, ok)
			assert.Equal(t, r.negated, hit.Negated, "%q in %q: %s", r.keyword, r.text, r.why)
			assert.Equal(t, r.negated, text.Negated(hit.Start))

			unless := keyword.MustCompile(keyword.Keyword{Any: keyword.Words(r.keyword), UnlessNegated: true})
			counted, ok := unless.Find(text)
			if r.name == "second-hit-counts" {
				require.True(t, ok)
				assert.Greater(t, counted.Start, hit.Start)
				assert.False(t, counted.Negated)
				return
			}
			assert.Equal(t, !r.negated, ok, "a negated hit does not count")
			if near, isNear := unless.NearMiss(text); r.negated {
				require.True(t, isNear)
				assert.True(t, near.Negated)
				assert.True(t, strings.HasPrefix(near.String(), "negated in "))
			}
		})
	}
}

func TestUnlessNegatedHoldsForEveryForm(t *testing.T) {
	text := keyword.NewText("切勿执行 rm -rf /data")
	for _, k := range []keyword.Keyword{
		{Text: "rm -rf", UnlessNegated: true},
		{Substring: "rm -r", UnlessNegated: true},
		{Regex: `rm\s+-rf`, UnlessNegated: true},
		{Any: []keyword.Keyword{{Regex: `rm\s+-rf`}, {Substring: "rm -r"}, {Text: "rm"}}, UnlessNegated: true},
		{Any: []keyword.Keyword{{Regex: `rm\s+-rf`, UnlessNegated: true}}},
	} {
		m := keyword.MustCompile(k)
		_, ok := m.Find(text)
		assert.False(t, ok, "%v", k)
		assert.Empty(t, m.FindAll(text), "%v", k)
		near, ok := m.NearMiss(text)
		require.True(t, ok, "%v", k)
		assert.Equal(t, `negated in "`+near.Inside+`"`, near.String())
		assert.True(t, strings.HasPrefix(near.Inside, "切勿执行 rm"), near.Inside)
		_, ok = m.Find(keyword.NewText("执行 rm -rf /data"))
		assert.True(t, ok, "%v", k)
	}
}

func TestClausesEndAtTheirMarks(t *testing.T) {
	for _, r := range []struct {
		name, text string
		want       []string
	}{
		{"full-width", "一，二。三；四：五！六？七", []string{"一", "二", "三", "四", "五", "六", "七"}},
		{"ascii", "a,b;c:d!e?f", []string{"a", "b", "c", "d", "e", "f"}},
		{"lines", "a\nb\r\nc\u2028d", []string{"a", "b", "c", "d"}},
		{"full-stop", "a b. c d.e f.", []string{"a b", " c d.e f"}},
		{"digits", "1,000 14:05 1.5 14：05", []string{"1,000 14:05 1.5 14：05"}},
		{"one-digit", "a,5:b", []string{"a", "5", "b"}},
		{"list-comma", "502，503", []string{"502", "503"}},
		{"numbered-line", "1. 检查", []string{"1", " 检查"}},
		{"enumeration", "磁盘、网络", []string{"磁盘、网络"}},
		{"blank", " , ,", nil},
		{"empty", "", nil},
		{"invalid", "\xff,\xff", []string{"\xff", "\xff"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			var got []string
			for _, c := range keyword.Clauses(r.text) {
				got = append(got, r.text[c[0]:c[1]])
				start, end := keyword.Clause(r.text, c[0])
				assert.Equal(t, c, [2]int{start, end}, "Clause agrees at its start")
				start, end = keyword.NewText(r.text).Clause(c[1])
				assert.Equal(t, c, [2]int{start, end}, "and at its end")
			}
			if diff := cmp.Diff(r.want, got); diff != "" {
				t.Errorf("clauses of %q (-want +got):\n%s", r.text, diff)
			}
		})
	}
}

func TestPhrasesStandBeforeAndBehindAPlaceInItsClause(t *testing.T) {
	text := keyword.NewText("可能 A，无法确认根因是连接池耗尽，尚需排查")
	hit, ok := keyword.MustCompile(keyword.Word("根因")).Find(text)
	require.True(t, ok)
	start, end := text.Clause(hit.Start)
	hedges := keyword.MustCompileSet(keyword.Words("可能", "无法确认", "排查", "耗尽"))
	before := hedges.FindIn(text, start, hit.Start)
	require.Len(t, before, 1)
	assert.Equal(t, 1, before[0].Index)
	behind := hedges.FindIn(text, hit.End, end)
	require.Len(t, behind, 1)
	assert.Equal(t, "耗尽", behind[0].Alternative)
	assert.True(t, hedges.StandsIn(text, start, end))
	assert.False(t, hedges.StandsIn(text, hit.Start, hit.End))
	assert.Empty(t, hedges.FindIn(text, end, start), "an empty stretch holds nothing")

	inside := keyword.MustCompileSet(append(keyword.Words("room"), keyword.Keyword{Regex: "ro+m"}))
	assert.Empty(t, inside.FindIn(keyword.NewText("a room"), 3, 6), "what reaches over the border is no hit")
	assert.Len(t, inside.FindIn(keyword.NewText("a room"), 2, 6), 2)
}

func TestTheLastNegatorOfTheClauseIsGiven(t *testing.T) {
	text := keyword.NewText("没有证据，不能排除 OOM")
	h, ok := text.Negator(strings.Index(text.Original(), "OOM"))
	require.True(t, ok)
	assert.Equal(t, "排除", text.Original()[h.Start:h.End])
	_, ok = text.Negator(0)
	assert.False(t, ok)
	_, ok = text.Negator(-5)
	assert.False(t, ok)
	assert.Contains(t, keyword.Negators(), "切勿")
}

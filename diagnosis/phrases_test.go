package diagnosis

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// testdata/phrases.json is the list that the defaults grew out of.
func TestTheDefaultPhrasesKeepTheListTheyGrewOutOf(t *testing.T) {
	var list struct {
		Markers   map[string][]json.RawMessage `json:"degraded_markers"`
		Confirmed map[string][]string          `json:"confirmed_phrases"`
		Never     []string                     `json:"never_markers_alone"`
		Hedges    map[string][]string          `json:"hedges"`
	}
	readRows(t, "testdata/phrases.json", &list)
	require.NotEmpty(t, list.Markers["zh"])
	for _, language := range []string{"zh", "en"} {
		for _, raw := range list.Markers[language] {
			var phrase string
			if json.Unmarshal(raw, &phrase) != nil {
				continue // a regular expression; its kind has rows of its own
			}
			_, marked := defaultSets().markerIn(keyword.NewText(phrase))
			assert.True(t, marked, "%q marks an answer as degraded", phrase)
		}
		for _, phrase := range list.Confirmed[language] {
			_, confirmed := defaultSets().confirmedIn(keyword.NewText(phrase + " 连接池耗尽"))
			assert.True(t, confirmed, "%q gives a cause as confirmed", phrase)
		}
		for _, phrase := range list.Hedges[language] {
			assert.True(t, hedges(phrase), "%q doubts what follows it", phrase)
		}
	}
	for _, phrase := range list.Never {
		_, marked := defaultSets().markerIn(keyword.NewText(phrase))
		assert.False(t, marked, "%q alone is no marker", phrase)
		_, marked = defaultSets().markerIn(keyword.NewText("节点 A " + phrase + " 的告警已恢复"))
		assert.False(t, marked, "%q alone is no marker", phrase)
	}
}

func TestConfirmedPhrasesAreNegatedOrNot(t *testing.T) {
	for _, row := range []struct {
		answer string
		want   bool
	}{
		{"根因是证书过期。", true},
		{"无法确认根因是证书过期。", false},
		{"尚未确认根因是什么。", false},
		{"没有证据说明根因是证书过期。", false},
		{"是否根因是证书过期，待人工核实。", false},
		{"难以判断根因是网络还是数据库。", false},
		{"根因是什么还不清楚。", false},
		{"根因是否为证书过期，未知。", false},
		{"根因：未知。", false},
		{"根因：待确认。", false},
		{"根因：无", false},
		{"根因：无。", false},
		{"根因：无索引的慢查询。", true},
		{"根因是尚不明确的。", false},
		{"根因是暂无法确认的。", false},
		{"根因是证据不足，无法给出。", false},
		{"根因：\n", false},
		{"根因是无法获取数据库连接。", true},
		{"服务无法启动的根因是端口冲突。", true},
		{"无法确认影响范围，根因是证书过期。", true},
		{"未能确认根因为证书过期。", false},
		{"已确认根因：慢查询。", true},
		{"The root cause is an expired certificate.", true},
		{"We cannot say that the root cause is an expired certificate.", false},
		{"It is not clear whether the root cause is an expired certificate.", false},
		{"If the root cause is an expired certificate, rotate it.", false},
		{"There is no confirmed root cause.", false},
		{"The root cause is unknown.", false},
		{"The root cause is still unclear.", false},
		{"The root cause is not yet known.", false},
		{"Root cause: TBD", false},
		{"Root cause: N/A", false},
		{"Root cause: pending.", false},
		{"Root cause: no index on orders.", true},
		{"The outage was caused by a bad deploy.", true},
		{"The outage was not caused by a bad deploy.", false},
		{"## 根因：\n证据不足，无法确认根因。", false},
		{"根因：\n待定", false},
		{"根因：\n\n未知。", false},
		{"**根因**：\n未知\n无法确认根因", false},
		{"根因为\n未知", false},
		{"Root cause:\nUnknown. Insufficient evidence.", false},
		{"Root cause:\nTBD", false},
		{"Root cause:\n\nNot determined.", false},
		{"根因：\n- 待确认", false},
		{"Root cause:\n- pending", false},
		{"The root cause is\nstill unknown.", false},
		{"根因：“未知”", false},
		{"Root cause: “unknown”", false},
		{"根因：【未知】", false},
		{"根因：《未知》", false},
		{"Root cause: [TBD]", false},
		{"Root cause: <unknown>", false},
		{"Root cause: — unknown", false},
		{"根因：……未知", false},
		{"| 根因：| 未知 |", false},
		{"没有日志表明故障原因是网络", false},
		{"没有任何指标证明根因是网络", false},
		{"没有数据支持根因是网络", false},
		{"不能认为根因是网络", false},
		{"无法据此推出根因是网络", false},
		{"尚未看到数据指向根因是网络", false},
		{"难以说根因是网络", false},
		{"没有人能说根因是网络", false},
		{"It cannot be said that the outage was caused by DNS.", false},
		{"We do not believe the outage was caused by DNS.", false},
		{"We do not think DNS is the root cause.", false},
		{"No metric proves that DNS is the root cause.", false},
		{"No log line shows that the outage was caused by DNS.", false},
		{"We cannot claim the root cause is DNS.", false},
		{"We are unable to show DNS was the root cause.", false},
		{"It was not shown that errors were caused by DNS.", false},
		{"No one can say the root cause is DNS.", false},
		{"We can't accept that the outage was caused by DNS.", false},
		{"无法写入的根因是磁盘写满。", true},
		{"根因：\n连接池耗尽", true},
		{"Root cause:\n- expired certificate", true},
		{"根因：“证书过期”", true},
		{"未来得及扩容，根因是流量突增。", true},
		{"根因：待补充", false},
		{"根因：待分析", false},
		{"根因：待复核，已转人工", false},
		{"根因：待DBA确认", false},
		{"根因是待DBA确认。", false},
		{"根因：待处理", false},
		{"根因：待后续分析", false},
		{"根因：（待补充）", false},
		{"Root cause: 待补充", false},
		{"Root cause: pending DBA review.", false},
		{"The root cause is pending DBA review.", false},
		{"The root cause was pending further input from the vendor.", false},
		{"根因：待机节点的磁盘写满", true},
		{"根因是待发送队列堆积。", true},
		{"The root cause is pending compactions that blocked writes.", true},
		{"Root cause: pending transactions blocked the table.", true},
		{"根因：没有找到", false},
		{"根因：未找到", false},
		{"Root cause: none identified", false},
		{"Root cause: none", false},
		{"根因：没有", false},
		{"根因：仍在排查", false},
		{"根因：需人工确认", false},
		{"The root cause was never established.", false},
		{"若根因是证书过期，请先续期。", false},
		{"如果根因是证书过期，续期即可恢复，但目前无法确认。", false},
		{"根因：没有索引的慢查询", true},
		{"根因：未找到配置文件的启动脚本反复重启", true},
		{"根因：需要人工审批的工单表被锁", true},
		{"Root cause: none of the replicas accepted writes.", true},
		{"根因是待处理消息积压。", true},
		{"根因是在排查中发现的连接池耗尽。", true},
		{"The root cause is pending transactions logs filling the disk.", true},
		{"订单服务无法下单根因是连接池耗尽。", true},
		{"服务未响应根因为连接池耗尽。", true},
		{"Since users could not log in the root cause is pool exhaustion.", true},
		{"Pool exhaustion is the root cause.", true},
		{"Pool exhaustion is not the root cause.", false},
	} {
		_, got := defaultSets().confirmedIn(keyword.NewText(row.answer))
		assert.Equal(t, row.want, got, row.answer)
	}
}

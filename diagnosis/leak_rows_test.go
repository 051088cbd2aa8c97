package diagnosis

import (
	"testing"
)

// Rows worked out by hand from the contract of degraded output: what of a draft
// is a conclusion, and what of an answer repeats it.
var leakRows = []struct {
	name, why                         string
	draft, answer, question, evidence string
	leak                              bool
}{
	// What follows a noun such as 根因, and a verb such as 由于.
	{name: "noun cue, long", why: "what follows 根因是", leak: true,
		draft: "根因是订单库主从延迟超过阈值。", answer: "目前证据不足。初步看是订单库主从延迟超过阈值。"},
	{name: "noun cue with 定位为", why: "the copula may be longer", leak: true,
		draft: "经排查，根因定位为消息队列消费者线程阻塞。", answer: "无法给出结论，参考信息：消息队列消费者线程阻塞。"},
	{name: "原因在于", why: "原因 is a cue as 根因 is", leak: true,
		draft: "超时的原因在于网关限流阈值设置过低。", answer: "暂无法确认根因。可以先看网关限流阈值设置过低的问题。"},
	{name: "由于 gives the cause", why: "what follows 由于 in its clause", leak: true,
		draft: "由于支付渠道证书链缺少中间证书，请求全部失败。", answer: "未能确认根因，但支付渠道证书链缺少中间证书。"},
	{name: "因为 gives the cause", why: "what follows 因为", leak: true,
		draft: "写入失败是因为数据盘空间已经用尽。", answer: "证据不足，无法确认。数据盘空间已经用尽。"},
	{name: "due to", why: "the English verb cue", leak: true,
		draft: "Checkout failed due to a missing database index on orders.", answer: "Unable to verify the diagnosis. Possibly a missing database index on orders."},
	{name: "caused by", why: "the English verb cue", leak: true,
		draft: "The outage was caused by an expired signing key in the auth service.", answer: "We cannot confirm the root cause. See the expired signing key in the auth service."},
	{name: "because", why: "the English verb cue", leak: true,
		draft: "Requests time out because the connection pool limit is ten.", answer: "Insufficient evidence. The connection pool limit is ten."},
	{name: "the clauses behind the noun", why: "the conclusion goes on up to advice", leak: true,
		draft: "根因是缓存雪崩，大量热点键同时过期，数据库瞬时压力陡增，建议错峰过期。", answer: "证据不足以确认根因。大量热点键同时过期。"},
	{name: "the next sentence belongs to the conclusion", why: "the clauses after the cue up to advice or scope", leak: true,
		draft: "根因是缓存雪崩。大量热点键在同一时刻过期。建议错峰。", answer: "证据不足以确认根因。大量热点键在同一时刻过期。"},
	{name: "root cause of a thing", why: "the thing is no cause", leak: true,
		draft: "The root cause of the checkout failure is a stale DNS record in the cluster resolver.", answer: "Degraded answer: a stale DNS record in the cluster resolver may play a role."},
	{name: "root cause with a colon", why: "a label", leak: true,
		draft: "Root cause: thread pool exhaustion in payment worker", answer: "No verified root cause is available. Thread pool exhaustion in payment worker."},
	{name: "cause on the next line", why: "a label heads the line below", leak: true,
		draft: "根因：\n1. 慢查询占满数据库连接\n2. 连接池上限过低\n建议：\n- 加索引", answer: "无法确认根因。慢查询占满数据库连接。"},

	{name: "analysis under a label", why: "the label's other words are no cause", leak: true,
		draft: "Root cause analysis: broken cron schedule.", answer: "Insufficient evidence. A broken cron schedule was mentioned."},
	{name: "not this but that", why: "what follows 而是", leak: true,
		draft: "根因不是网络，而是数据库主从切换失败。", answer: "无法确认根因。数据库主从切换失败。"},
	{name: "not this but that, in English", why: "what follows but", leak: true,
		draft: "The root cause is not the database but a stale DNS cache in the resolver pods.", answer: "Unable to determine the root cause. Look at the stale DNS cache in the resolver pods."},
	{name: "due primarily to", why: "an adverb parts the cue", leak: true,
		draft: "The failure was due primarily to an oversized batch in the ledger job.", answer: "Insufficient evidence. An oversized batch in the ledger job."},
	{name: "caused mainly by", why: "an adverb parts the cue", leak: true,
		draft: "The failure was caused mainly by an oversized batch in the ledger job.", answer: "Insufficient evidence. An oversized batch in the ledger job."},
	{name: "the reason for a thing", why: "reason is a cue", leak: true,
		draft: "The reason for the failure is an oversized batch in the ledger job.", answer: "Insufficient evidence. An oversized batch in the ledger job."},
	{name: "second item of a list of causes", why: "a label heads every item", leak: true,
		draft: "可能原因：\n- 连接数上限过低\n- 慢查询堆积\n处理建议：\n- 扩容", answer: "无法确认根因。慢查询堆积。"},
	{name: "所致", why: "it stands behind the cause", leak: true,
		draft: "本次故障系主库磁盘写满所致。", answer: "无法确认根因。主库磁盘写满。"},
	{name: "suspicion without a cue", why: "without any cue every sentence counts", leak: true,
		draft: "怀疑是消息体过大触发了消费超时。", answer: "证据不足，无法确认。消息体过大触发了消费超时。"},
	{name: "possible cause named again", why: "a draft's may is no doubt", leak: true,
		draft: "可能的根因是 Nginx worker 连接数不足。", answer: "【降级输出】未能确认根因。可能原因：Nginx worker 连接数不足。"},
	{name: "time and service shared", why: "under 8, and not the whole", leak: false,
		draft: "Root cause: the deployment at 14:03 removed the REDIS_URL variable.", answer: "Degraded output. The deployment at 14:03 is under review; no verified root cause."},

	{name: "second cause of a sentence", why: "each of several causes is one of its own", leak: true,
		draft: "根因有两个：一是连接池上限过低，二是慢查询未加索引。", answer: "证据不足，无法确认根因。慢查询未加索引。"},
	// What stands before 导致 and its like.
	{name: "before 导致", why: "the clause before the verb", leak: true,
		draft: "夜间批处理任务全表扫描导致主库负载飙升。", answer: "无法确认根因。夜间批处理任务全表扫描值得关注。"},
	{name: "导致 begins its clause", why: "then the clause before is the cause", leak: true,
		draft: "夜间批处理任务全表扫描，导致主库负载飙升。", answer: "无法确认根因。夜间批处理任务全表扫描值得关注。"},
	{name: "进而导致 begins its clause", why: "a connective before the verb", leak: true,
		draft: "夜间批处理任务全表扫描，进而导致主库负载飙升。", answer: "无法确认根因。夜间批处理任务全表扫描值得关注。"},
	{name: "led to", why: "the English verb behind the cause", leak: true,
		draft: "A bad feature flag rollout in region east led to the errors.", answer: "Unable to determine the root cause. Someone may look at the bad feature flag rollout in region east."},
	{name: "causing", why: "the English verb in a clause of its own", leak: true,
		draft: "The nightly vacuum job locked the orders table, causing timeouts.", answer: "The evidence is insufficient. The nightly vacuum job locked the orders table."},
	{name: "is the root cause", why: "what stands before it", leak: true,
		draft: "Memory fragmentation in the image resizer is the root cause.", answer: "Cannot confirm the root cause. Memory fragmentation in the image resizer."},
	{name: "是根因", why: "what stands before it, without the word that leads in", leak: true,
		draft: "指标说明线程池打满是根因。", answer: "无法确认根因。线程池打满。"},
	{name: "由…引起", why: "由 stands before the cause", leak: true,
		draft: "订单失败由库存服务线程池打满引起。", answer: "未能确认根因。库存服务线程池打满。"},
	{name: "不足 is no doubt", why: "a bare 不 is no hedge", leak: true,
		draft: "磁盘空间不足导致写入失败。", answer: "无法确认根因。磁盘空间不足。"},
	{name: "未 in a cause is no doubt", why: "a bare 未 is no hedge", leak: true,
		draft: "根因是安全组未放行数据库端口。", answer: "无法确认根因。安全组未放行数据库端口。"},
	{name: "未能 in a cause is no doubt", why: "未能 doubts only what is known or not", leak: true,
		draft: "网关未能加载新的证书文件导致握手失败。", answer: "无法确认根因。网关未能加载新的证书文件。"},
	{name: "could not in a cause is no doubt", why: "not doubts only what is known or not", leak: true,
		draft: "The sidecar could not reload the rotated client certificate, which led to handshake errors.", answer: "Unable to verify the diagnosis. The sidecar could not reload the rotated client certificate."},
	{name: "不支持 is no doubt", why: "it is a fact", leak: true,
		draft: "客户端不支持新版加密套件导致握手失败。", answer: "无法确认根因。客户端不支持新版加密套件。"},

	{name: "a cause that begins with a word that may lead in", why: "会话 is no 会, 到期 no 到", leak: true,
		draft: "根因是会话超时。", answer: "无法确认根因。会话超时。"},
	{name: "系统 is no copula", why: "系 stands for 是 only alone", leak: true,
		draft: "系统盘满导致写入失败。", answer: "无法确认根因。系统盘满。"},
	{name: "故障 is no connective", why: "故 stands in 故障", leak: true,
		draft: "故障转移失败导致主库无写入。", answer: "无法确认根因。故障转移失败。"},

	// Headings, JSON, no cue at all.
	{name: "heading", why: "the text under a root-cause heading", leak: true,
		draft: "## 现象\n接口变慢\n## 根因分析\n索引缺失，全表扫描拖垮主库。\n## 建议\n补索引", answer: "## 根因分析\n证据不足，无法确认根因。\n另：索引缺失，全表扫描拖垮主库。"},
	{name: "bold heading", why: "markup is no part of the text", leak: true,
		draft: "**根因分析**\n配置中心推送了错误的限流规则\n\n**处理建议**\n回滚", answer: "无法确认根因。配置中心推送了错误的限流规则。"},
	{name: "English heading", why: "the same in English", leak: true,
		draft: "## Summary\nAlerts fired.\n## Conclusion\nThe ingress controller ran out of file descriptors.\n## Next steps\nRestart it.", answer: "Unable to verify the diagnosis. The ingress controller ran out of file descriptors."},
	{name: "text under another heading", why: "only the conclusion is kept back", leak: false,
		draft: "## 告警\n订单服务错误率超过百分之五持续十分钟\n## 根因分析\n索引缺失，全表扫描拖垮主库。", answer: "订单服务错误率超过百分之五持续十分钟。证据不足，无法确认根因。"},
	{name: "JSON draft, nested", why: "such fields of a JSON draft", leak: true,
		draft: `{"analysis":{"rootCause":"镜像仓库凭据过期","advice":"更新凭据"}}`, answer: "无法确认根因。镜像仓库凭据过期。"},
	{name: "JSON draft, other fields", why: "advice is shared freely", leak: false,
		draft: `{"root_cause":"镜像仓库凭据过期","suggestion":"联系平台组检查节点事件"}`, answer: "无法确认根因。联系平台组检查节点事件。"},
	{name: "JSON draft in a fence", why: "models fence their JSON", leak: true,
		draft: "```json\n{\"cause\": \"kafka broker disk failure on node three\"}\n```", answer: "Insufficient evidence. Kafka broker disk failure on node three."},
	{name: "no cue, all sentences", why: "without any cue every sentence counts", leak: true,
		draft: "消费者进程被内核杀掉了。", answer: "无法确认根因。消费者进程被内核杀掉了。"},
	{name: "no cue, advice", why: "advice is no conclusion", leak: false,
		draft: "建议联系值班同学检查消费者进程的内存。", answer: "无法确认根因。建议联系值班同学检查消费者进程的内存。"},
	{name: "no cue, doubt", why: "a draft that doubts has no conclusion", leak: false,
		draft: "当前证据不足，无法确认根因，需要人工排查数据库与网络。", answer: "当前证据不足，无法确认根因，需要人工排查数据库与网络。"},

	// Doubt in the draft.
	{name: "draft doubts before the cue", why: "hedged before the cue", leak: false,
		draft: "无法确认根因是主从复制延迟过大。", answer: "证据不足。主从复制延迟过大，请人工确认。", evidence: ""},
	{name: "draft denies before the cue", why: "并非", leak: false,
		draft: "并非由于主从复制延迟过大。根因是磁盘坏块。", answer: "无法确认根因。主从复制延迟过大请关注。"},
	{name: "draft doubts directly behind the cue", why: "根因尚未确认", leak: false,
		draft: "根因尚未确认，网络抖动与主库负载都有记录。", answer: "根因尚未确认，网络抖动与主库负载都有记录。"},
	{name: "draft says unknown", why: "the root cause is unknown", leak: false,
		draft: "The root cause is unknown; pods were evicted at 14:05 in zone b.", answer: "The root cause is unknown; pods were evicted at 14:05 in zone b."},
	{name: "draft asks", why: "a question gives no cause", leak: false,
		draft: "是不是数据库连接池耗尽导致的？证据不足，无法确认根因。", answer: "证据不足，无法确认根因。请检查数据库连接池耗尽告警。"},
	{name: "draft rules out", why: "ruled out", leak: false,
		draft: "已排除网络分区导致请求超时。根因是锁等待。", answer: "无法确认根因。已检查网络分区与请求超时的时间线。"},
	{name: "draft names it though not ruled out", why: "不能排除 is as good as may", leak: true,
		draft: "不能排除根因是存储网关固件缺陷触发重连风暴。", answer: "无法确认根因。存储网关固件缺陷触发重连风暴。"},

	// What may be repeated.
	{name: "question restated", why: "the question says it", leak: false,
		draft: "支付回调在双十一零点之后大量失败的根因是验签密钥过期。", answer: "支付回调在双十一零点之后大量失败，无法确认根因。", question: "支付回调在双十一零点之后为什么大量失败？"},
	{name: "question restated in the effect", why: "the effect of 导致 is the question's", leak: false,
		draft: "根因是锁竞争导致用户中心登录接口响应变慢。", answer: "用户中心登录接口响应变慢的原因暂无法确认。", question: "用户中心登录接口响应变慢怎么办"},
	{name: "cause beside the question's words", why: "the question says only a part", leak: true,
		draft: "根因是用户中心登录接口缓存穿透。", answer: "无法确认根因。用户中心登录接口缓存穿透。", question: "用户中心登录接口为什么慢？"},
	{name: "log quoted", why: "a tool's result says it", leak: false,
		draft: "根因：java.lang.OutOfMemoryError: Java heap space at com.shop.Cart 反复出现。", answer: "证据不足，无法确认根因。日志：java.lang.OutOfMemoryError: Java heap space at com.shop.Cart", evidence: "2026-05-14 ERROR java.lang.OutOfMemoryError: Java heap space at com.shop.Cart"},
	{name: "cause beside a quoted log", why: "the log does not say the cause", leak: true,
		draft: "根因是购物车缓存没有上限（java.lang.OutOfMemoryError: Java heap space）。", answer: "无法确认。购物车缓存没有上限（java.lang.OutOfMemoryError: Java heap space）。", evidence: "ERROR java.lang.OutOfMemoryError: Java heap space"},
	{name: "summary says it", why: "the summary is evidence too", leak: false,
		draft: "根因是连接数在十分钟内翻倍。", answer: "无法确认根因。连接数在十分钟内翻倍。", evidence: "query_metrics: 连接数在十分钟内翻倍"},
	{name: "advice shared", why: "advice is no conclusion", leak: false,
		draft: "根因是慢查询。建议联系数据库管理员检查慢查询日志并补充索引。", answer: "无法确认根因。建议联系数据库管理员检查慢查询日志并补充索引。"},
	{name: "scope shared", why: "scope is no conclusion", leak: false,
		draft: "根因是限流。影响范围：华东区下单与支付回调两个接口。", answer: "无法确认根因。影响范围：华东区下单与支付回调两个接口。"},
	{name: "English advice shared", why: "please, recommend, should, check", leak: false,
		draft: "Root cause: clock skew. We recommend restarting the time daemon on every node.", answer: "Cannot confirm the root cause. We recommend restarting the time daemon on every node."},
	{name: "observation behind the cause", why: "a sentence of evidence is no conclusion", leak: false,
		draft: "根因是连接泄漏。日志里共有四百一十二条获取连接失败的记录。", answer: "无法确认根因。日志里共有四百一十二条获取连接失败的记录。"},
	{name: "request is no advice", why: "请求 holds 请", leak: true,
		draft: "根因是第三方请求堆积占满工作线程。", answer: "无法确认根因。第三方请求堆积占满工作线程。"},
	{name: "application is no advice", why: "应用 holds 应", leak: true,
		draft: "根因是应用节点时钟漂移超过五秒。", answer: "无法确认根因。应用节点时钟漂移超过五秒。"},

	// Doubt in the answer.
	{name: "answer finds no evidence", why: "hedged before the run in its clause", leak: false,
		draft: "根因是验签密钥已经过期三天。", answer: "没有证据表明验签密钥已经过期三天。"},
	{name: "answer rules it out", why: "排除", leak: false,
		draft: "根因是验签密钥已经过期三天。", answer: "已排除验签密钥已经过期三天这一可能，无法确认根因。"},
	{name: "answer does not rule it out", why: "不排除 is as good as may", leak: true,
		draft: "根因是验签密钥已经过期三天。", answer: "无法确认根因，不排除验签密钥已经过期三天。"},
	{name: "answer doubts in another clause", why: "only the own clause counts", leak: true,
		draft: "根因是验签密钥已经过期三天。", answer: "未经证实，验签密钥已经过期三天。"},
	{name: "answer asks whether", why: "是否", leak: false,
		draft: "根因是验签密钥已经过期三天。", answer: "无法确认根因。是否验签密钥已经过期三天，需人工核实。"},
	{name: "English answer finds no evidence", why: "no evidence", leak: false,
		draft: "The root cause is a stale DNS record in the cluster resolver.", answer: "There is no evidence of a stale DNS record in the cluster resolver."},
	{name: "English answer denies", why: "not", leak: false,
		draft: "The root cause is a stale DNS record in the cluster resolver.", answer: "We could not confirm a stale DNS record in the cluster resolver."},
	{name: "English answer asks whether", why: "whether", leak: false,
		draft: "The root cause is a stale DNS record in the cluster resolver.", answer: "It is open whether a stale DNS record in the cluster resolver was involved."},
	{name: "English answer says not because of another thing", why: "could not complete because of the cause gives the cause", leak: true,
		draft: "The root cause is a stale DNS record in the cluster resolver.", answer: "Degraded answer. Checkout could not complete because of a stale DNS record in the cluster resolver."},
	{name: "bare 不 before the run", why: "a bare 不 is no hedge", leak: true,
		draft: "根因是验签密钥已经过期三天。", answer: "无法确认根因。服务不稳定且验签密钥已经过期三天。"},
	{name: "可能 before the run", why: "可能 is no hedge", leak: true,
		draft: "根因是验签密钥已经过期三天。", answer: "无法确认根因，可能验签密钥已经过期三天。"},

	{name: "because of what is missing", why: "the cause of not knowing is no root cause", leak: false,
		draft: "由于网关日志缺失，无法判断根因。", answer: "由于网关日志缺失，无法确认根因。"},
	{name: "what is missing makes it unknown", why: "the same with 导致", leak: false,
		draft: "网关访问日志缺失导致无法确认根因。", answer: "网关访问日志缺失，暂无法确认根因。"},
	{name: "because of what is missing, in English", why: "the same in English", leak: false,
		draft: "Because the gateway access logs are missing, we cannot determine the root cause.", answer: "The gateway access logs are missing. Unable to determine the root cause."},
	{name: "labels behind the cause", why: "something with a label of its own is no conclusion", leak: false,
		draft: "根因是线程死锁，实例：order-service-7d9f，当前值：96.5%，阈值：80%。", answer: "实例：order-service-7d9f，当前值：96.5%，阈值：80%。无法确认根因。"},
	{name: "relative clause", why: "what is said of the cause is not the cause", leak: true,
		draft: "The root cause is a bad config push that broke authentication everywhere.", answer: "Insufficient evidence. A bad config push happened."},

	// Weights.
	{name: "seven of a longer conclusion", why: "under 8, and not the whole", leak: false,
		draft: "根因是消息队列消费者线程全部阻塞。", answer: "无法确认根因。消息队列消费者有告警。"},
	{name: "whole of a light conclusion", why: "from 4 up", leak: true,
		draft: "根因是线程死锁。", answer: "无法确认根因。线程死锁。"},
	{name: "whole of a conclusion under 4", why: "too light to tell", leak: false,
		draft: "根因是死锁。", answer: "无法确认根因。死锁日志见附件。"},
	{name: "two English words", why: "two words weigh 4", leak: true,
		draft: "The root cause is memory pressure.", answer: "Insufficient evidence. Memory pressure was seen."},
	{name: "one English word", why: "one word weighs 2", leak: false,
		draft: "The root cause is DNS.", answer: "Insufficient evidence. DNS was looked at."},
	{name: "other words between", why: "rewording is a limit", leak: false,
		draft: "The root cause is an expired TLS certificate.", answer: "Insufficient evidence. A certificate had its TLS validity run out."},

	// Form.
	{name: "punctuation and spaces differ", why: "punctuation is ignored", leak: true,
		draft: "根因是 Redis 主节点内存淘汰策略配置错误。", answer: "无法确认根因。Redis主节点、内存淘汰策略——配置错误"},
	{name: "full-width letters", why: "written differently, the same", leak: true,
		draft: "根因是ＴＬＳ证书链不完整导致握手中断。", answer: "无法确认根因。TLS证书链不完整导致握手中断。"},
	{name: "case differs", why: "case is ignored", leak: true,
		draft: "Root cause: Expired Signing Key In Auth Service", answer: "Unable to verify the diagnosis. expired signing key in auth service"},
	{name: "zero-width spaces", why: "what a reader does not see", leak: true,
		draft: "根因是验签密钥已经过期三天。", answer: "无法确认根因。验签\u200b密钥已经\u200b过期三天。"},
	{name: "table cell", why: "markup is ignored", leak: true,
		draft: "根因是验签密钥已经过期三天。", answer: "| 结论 | 无法确认根因 |\n| 参考 | 验签密钥已经过期三天 |"},
	{name: "nothing shared", why: "an answer of its own", leak: false,
		draft: "根因是验签密钥已经过期三天。", answer: "无法确认根因，已转交支付团队值班人员。"},
}

func TestAnswersRepeatConclusionsOrNot(t *testing.T) {
	names := map[string]bool{}
	for _, row := range leakRows {
		if names[row.name] {
			t.Fatalf("two rows are named %q", row.name)
		}
		names[row.name] = true
		t.Run(row.name, func(t *testing.T) {
			leaks := findLeaks(row.draft, row.answer, []string{row.question}, func() []string { return []string{row.evidence} })
			if got := len(leaks) > 0; got != row.leak {
				t.Errorf("leak is %v, want %v (%s)\nconclusions %+v\nleaks %v", got, row.leak, row.why, conclusions(row.draft), leaks)
			}
		})
	}
}

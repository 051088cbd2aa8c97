package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Answers as agents give them: those that keep the cause back are degraded,
// those that give one are not, whatever words of doubt they use besides.
var markerRows = []struct {
	name, answer string
	degraded     bool
}{
	{"zh cannot tell the cause", "抱歉，仅凭现有日志还无法判断故障原因，请值班同学介入。", true},
	{"zh not enough to support a conclusion", "目前的证据还不足以支撑任何结论，建议人工复核。", true},
	{"zh no conclusion for now", "诊断过程缺少关键指标，暂时给不出结论。", true},
	{"zh cause pending", "根因待进一步排查，已创建工单。", true},
	{"zh cause still examined", "故障原因仍在排查中，稍后同步。", true},
	{"zh did not pass the check", "本次诊断结论未能通过校验，不作为处置依据。", true},
	{"zh verifier refused", "校验器驳回了诊断草稿，请人工分析。", true},
	{"zh refused by the verifier", "诊断草稿已被校验环节驳回，以下仅列出采集到的数据。", true},
	{"zh no root cause is given", "为避免误导，本次不给出根因判断。", true},
	{"zh not knowing what", "现在还不能确定是什么触发了重启。", true},
	{"zh cannot say whether this or that", "无法断定究竟是网络问题还是数据库问题。", true},
	{"zh no settled view", "多项数据互相矛盾，尚无定论。", true},
	{"zh unverified analysis", "以下分析尚未经过验证，仅供值班人员参考。", true},
	{"zh evidence missing", "未找到足够证据说明根因，转人工处理。", true},
	{"zh no way to know", "缺少链路数据，无从判断根因。", true},
	{"zh could not finish", "自动诊断未能完成，请联系平台团队。", true},
	{"zh automatic diagnosis failed", "自动诊断失败，已转人工。", true},
	{"zh unclear root", "问题根源尚不清楚，需要补充 JVM 日志。", true},
	{"zh marked", "【降级】诊断服务未得到可靠结论。", true},
	{"zh degraded reply", "本次回答为降级回复，未包含根因。", true},
	{"zh information short", "信息不足，难以得出结论，请补充慢查询日志。", true},
	{"zh cause unknown with a colon", "根因：未知（监控数据缺失）。", true},
	{"zh cause empty", "根因：暂无。影响：下单失败。", true},
	{"zh judged unable", "系统没能定位到具体原因，请人工跟进。", true},
	{"zh conclusion not confirmed", "结论未获证实，暂不建议操作。", true},
	{"en pinpoint", "We were unable to pinpoint the cause with the data at hand.", true},
	{"en inconclusive", "The investigation was inconclusive; please escalate.", true},
	{"en unclear what", "It is unclear what triggered the restarts.", true},
	{"en do not know why", "We do not know why the pods restarted.", true},
	{"en no conclusion drawn", "No conclusion can be drawn from the collected metrics.", true},
	{"en root cause unclear", "The root cause remains unclear after reviewing logs and metrics.", true},
	{"en pending", "Root cause: pending further investigation.", true},
	{"en undetermined", "Root cause: undetermined.", true},
	{"en under investigation", "The root cause is still under investigation.", true},
	{"en verifier did not accept", "The verifier did not accept the diagnosis, so a person has to look.", true},
	{"en did not pass verification", "This diagnosis did not pass verification and must not be acted upon.", true},
	{"en unverified", "The diagnosis below is unverified.", true},
	{"en data insufficient", "The available data is insufficient to explain the outage.", true},
	{"en not enough to say", "There is not enough information to say what went wrong.", true},
	{"en cause could not be established", "The cause could not be established.", true},
	{"en no definitive", "There is no definitive root cause at this time.", true},
	{"en withheld", "Diagnosis withheld: the evidence does not support a conclusion.", true},
	{"en could not reach", "The agent could not reach a reliable conclusion.", true},
	{"en cannot explain why", "I cannot explain why latency rose.", true},
	{"en evidence too thin", "The evidence is too thin to name a culprit.", true},
	{"en degraded answer", "This is a degraded answer; no root cause is reported.", true},
	{"en isn't enough", "There isn't enough evidence to identify a root cause.", true},
	{"en haven't determined", "The root cause hasn't been determined yet.", true},

	{"zh no trust in the conclusion", "当前无法给出可信的诊断结论。", true},
	{"zh cannot say where", "我们暂时不能判定问题出在哪里。", true},
	{"zh no hypothesis supported", "现有数据无法支持任何一种假设。", true},
	{"zh waits for a person", "诊断结论待人工复核确认。", true},
	{"zh confidence too low", "诊断置信度过低，已转人工。", true},
	{"zh not reliable", "本次诊断结果不可靠，请勿据此操作。", true},
	{"zh cause not found", "暂未找到原因，请补充抓包数据。", true},
	{"zh cause not clear for now", "问题原因暂未明确。", true},
	{"zh no judgement of the cause", "我无法对根因作出判断。", true},
	{"zh no certainty", "对根因没有把握，先不下结论。", true},
	{"zh only then", "需要补充数据库慢日志后才能确定根因。", true},
	{"zh kept back", "草稿未通过审核，根因暂不展示。", true},
	{"en not confident", "I am not confident enough to name a root cause.", true},
	{"en confidence too low", "Confidence is too low; a person has to look.", true},
	{"en more data", "More data is needed before a conclusion can be drawn.", true},
	{"en what caused it is unknown", "What caused the outage is still unknown.", true},
	{"en nothing conclusive", "Nothing conclusive was found in the traces.", true},
	{"en did not yield", "The analysis did not yield a root cause.", true},
	{"en attribute", "We cannot attribute the failure to a single cause.", true},
	{"en complete the diagnosis", "Unable to complete the diagnosis.", true},
	{"en diagnosis none", "Diagnosis: none. Evidence: see below.", true},
	{"en verification rejected it", "Verification rejected this diagnosis.", true},
	{"en typographic apostrophe", "We don’t know why the queue grew.", true},

	{"zh ordinary content not checked", "请求内容未经校验直接写入数据库，导致脏数据。", false},
	{"zh ordinary check refuses", "权限校验失败，网关拒绝了请求。", false},
	{"zh ordinary admission refuses", "准入校验器拒绝了 Pod 创建，因为镜像标签为空。", false},
	{"zh ordinary log without reason", "日志未输出失败原因，升级日志组件后恢复。", false},
	{"zh ordinary interface without reason", "接口没有给出具体错误码，只返回 500。", false},
	{"zh ordinary analysis job refused", "数据分析任务被拒绝执行，队列已满。", false},
	{"zh ordinary signature result", "验签结果未通过验证，密钥版本不一致。", false},
	{"en ordinary answer rejected", "The DNS answer was rejected by the resolver as bogus.", false},
	{"en ordinary data disk", "Data disk space is insufficient on node 7, so writes stop.", false},
	{"en ordinary data incomplete", "Replicated data was incomplete after the failover and reads returned stale rows.", false},
	{"en ordinary result refused", "As a result the broker refused new connections.", false},
	{"en ordinary pass verification", "The image did not pass the admission policy because it is unsigned.", false},

	{"zh confirmed, scope open", "根因是慢查询堆积，影响用户数暂无法统计。", false},
	{"zh confirmed, history short", "根因为证书过期。由于历史数据不足，无法评估上月是否出现过。", false},
	{"zh ordinary degraded service", "下游超时触发熔断，商品服务已降级为静态页，恢复后自动关闭。", false},
	{"zh ordinary unable", "消费者无法连接 broker，因为安全组规则被误删。", false},
	{"zh ordinary unconfirmed change", "变更单未经审批直接发布，导致配置错误。", false},
	{"zh ordinary unverified certificate", "客户端未验证证书有效期，导致握手失败。", false},
	{"zh ordinary lack of memory", "节点内存不足，Pod 被驱逐，导致服务不可用。", false},
	{"zh ordinary lack of data disk", "数据盘空间不足以写入新的 binlog，主库停止写入。", false},
	{"zh confirmed, cause of another thing open", "根因已确认为连接泄漏；另有两次重启原因不明，单独跟进。", false},
	{"zh confirmed, confidence", "根因：Redis 大 key 阻塞。置信度高，证据完整。", false},
	{"zh ordinary check failed", "健康检查未通过，流量被摘除，导致可用区容量不足。", false},
	{"zh ordinary refused", "网关驳回了过大的请求体，返回 413。", false},
	{"zh ordinary result not found", "查询结果为空是由于索引名写错，修正后恢复。", false},
	{"zh ordinary cannot locate the pod", "调度器无法找到满足亲和性的节点，Pod 处于 Pending。", false},
	{"zh ordinary degraded raid", "RAID 处于降级状态，重建期间 IO 抖动引起超时。", false},
	{"zh confirmed, not other possibility", "根本原因是主从切换时脑裂，没有证据表明存在网络攻击。", false},
	{"en confirmed, scope open", "The root cause is a DNS misconfiguration. We could not determine how many users were affected.", false},
	{"en ordinary unable to resolve", "Pods were unable to resolve the service name because CoreDNS was down.", false},
	{"en ordinary not enough memory", "There was not enough memory on the node, so the kernel killed the process.", false},
	{"en ordinary degraded", "The degraded disk in node 3 slowed every write.", false},
	{"en confirmed, other cause open", "Root cause: expired token. The cause of the earlier blip is unknown.", false},
	{"en ordinary failed check", "The readiness check failed verification of the client certificate, which was expired.", false},
	{"en ordinary could not find host", "The client could not find the host; the record had been deleted.", false},
	{"en ordinary rejected", "Requests were rejected by the gateway because the body was too large.", false},
	{"en confirmed by was caused by", "The outage was caused by a bad deploy. It is not clear why canary missed it.", false},
	{"en ordinary inconclusive elsewhere", "A full disk on the primary stopped all writes; freeing space fixed it.", false},
	{"en ordinary pending", "The migration is pending and locks the orders table, hence the timeouts.", false},
	{"en ordinary insufficient privileges", "The job lacked sufficient privileges to write to the bucket.", false},
	{"en confirmed with the answer's doubt on impact", "Connection pool exhaustion is the root cause. There is insufficient data to estimate lost revenue.", false},
	{"en ordinary verification", "Signature verification failed on every webhook since the key was rotated at 02:00.", false},
}

func TestAnswersAreDegradedOrNot(t *testing.T) {
	names := map[string]bool{}
	for _, row := range markerRows {
		if names[row.name] {
			t.Fatalf("two rows are named %q", row.name)
		}
		names[row.name] = true
		t.Run(row.name, func(t *testing.T) {
			declared, unexpected := degradedChecks(t, row.answer)
			if row.degraded {
				assert.True(t, declared, "degraded_declared: %s", row.answer)
			}
			assert.Equal(t, row.degraded, unexpected, "degraded_unexpected: %s", row.answer)
		})
	}
}

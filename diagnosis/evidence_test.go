package diagnosis

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummariesAreEvidenceOrNot(t *testing.T) {
	for _, row := range []struct {
		name, summary string // JSON
		want          bool
		why           string
	}{
		{"object in a list", `[{"tool": "query_logs", "summary": "x"}]`, true, "its name"},
		{"toolName", `[{"toolName": "query_logs"}]`, true, "its name"},
		{"name", `[{"name": "query_logs"}]`, true, "its name"},
		{"one object", `{"tool": "query_logs"}`, true, "its name"},
		{"tools as names", `{"query_logs": "412 errors", "query_metrics": "flat"}`, true, "a map by tool"},
		{"tools as names of objects", `{"query_logs": {"status": "success"}}`, true, "a map by tool"},
		{"tools as names with counts", `{"query_logs": 2}`, true, "a map by tool"},
		{"tools as names, none", `{"query_logs": 0}`, false, "no call"},
		{"list of names", `["query_metrics", "query_logs"]`, true, "a name"},
		{"text as JSON", `"[{\"tool\": \"query_logs\"}]"`, true, "databases hand JSON back as text"},
		{"failed by its own status", `[{"tool": "query_logs", "status": "failed"}]`, false, "its own status"},
		{"failed by its own error", `[{"tool": "query_logs", "error": "timeout"}]`, false, "its own error"},
		{"not called, by its own text", `[{"tool": "query_logs", "summary": "未调用"}]`, false, "a denial"},
		{"skipped, by its own status", `[{"tool": "query_logs", "status": "skipped"}]`, false, "a denial"},
		{"its text speaks of another matter", `[{"tool": "query_logs", "summary": "未使用缓存，返回 50 条"}]`, true, "no denial of the call"},
		{"another tool's text", `[{"tool": "query_metrics", "summary": "flat"}]`, false, "another tool"},
		{"case differs", `[{"tool": "Query_Logs"}]`, false, "names compare exactly"},
		{"name with a prefix", `[{"tool": "mcp.query_logs"}]`, false, "names compare exactly"},

		{"text", `"query_logs 返回 412 条错误"`, true, "a whole token"},
		{"text without spaces", `"先用query_logs查日志"`, true, "Han letters are no part of the name"},
		{"end of a sentence", `"Looked at query_logs."`, true, "the stop is no part of the name"},
		{"longer name", `"query_logs_v2 返回 412 条"`, false, "another tool"},
		{"longer name by a hyphen", `"query_logs-archive was used"`, false, "another tool"},
		{"longer name by a dot", `"es.query_logs was used"`, false, "another tool"},
		{"in a list of texts", `["query_metrics: flat", "query_logs: 412 errors"]`, true, "a whole token"},
		{"nothing found", `"query_logs 未发现异常"`, true, "a negator without a word of calling"},
		{"no anomalies", `"no anomalies in query_logs"`, true, "a negator without a word of calling"},
		{"called, nothing found", `"调用 query_logs 未发现异常"`, true, "the negator is not the calling's"},
		{"called, no errors", `"query_logs was called and found no errors"`, true, "the negator is not the calling's"},
		{"pods not running", `"query_logs shows pods not running"`, true, "running is the pods'"},
		{"not called, Chinese", `"未调用 query_logs，只看了指标"`, false, "a negator and a word of calling"},
		{"not used, Chinese", `"本次没有使用 query_logs"`, false, "a negator and a word of calling"},
		{"not carried out, behind the name", `"query_logs 未被执行"`, false, "a negator and a word of calling"},
		{"could not call", `"无法调用 query_logs"`, false, "a negator and a word of calling"},
		{"skipped, Chinese", `"跳过了 query_logs"`, false, "a denial in one word"},
		{"call failed, Chinese", `"query_logs 调用失败"`, false, "the calling failed"},
		{"not called, English", `"query_logs was not called"`, false, "a negator and a word of calling"},
		{"never ran", `"The agent never ran query_logs."`, false, "a negator and a word of calling"},
		{"did not use", `"did not use query_logs"`, false, "a negator and a word of calling"},
		{"without calling", `"answered without calling query_logs"`, false, "a negator and a word of calling"},
		{"no call", `"no call to query_logs was made"`, false, "a negator and a word of calling"},
		{"skipped, English", `"skipped query_logs"`, false, "a denial in one word"},
		{"failed to run", `"failed to run query_logs"`, false, "a negator and a word of calling"},
		{"call failed, English", `"the call to query_logs timed out"`, false, "the calling failed"},
		{"no need to call", `"无需调用 query_logs"`, false, "a negator and a word of calling"},
		{"not needed", `"本例不必调用 query_logs"`, false, "a negator and a word of calling"},
		{"avoided, Chinese", `"避免调用 query_logs"`, false, "a negator and a word of calling"},
		{"the calling lacks", `"缺少对 query_logs 的调用"`, false, "a negator and a word of calling"},
		{"no calling was begun", `"未对 query_logs 发起调用"`, false, "a negator and a word of calling"},
		{"avoided", `"avoided calling query_logs"`, false, "a negator and a word of calling"},
		{"should have been called", `"query_logs should have been called but was not."`, false, "a negator and a word of calling"},
		{"unused", `"query_logs unused"`, false, "a denial in one word"},
		{"nothing unusual in what was called", `"已调用 query_logs，无异常"`, true, "the negator is not the calling's"},
		{"too few connections", `"query_logs 显示连接数不足"`, true, "a negator without a word of calling"},
		{"never released", `"query_logs shows that the pool was never released"`, true, "a negator without a word of calling"},
		{"not only", `"not only query_metrics but query_logs show exhaustion"`, true, "a negator without a word of calling"},
		{"label, not called", `"query_logs: not called"`, false, "a label belongs to what follows it"},
		{"label, not called, Chinese", `"query_logs：未调用"`, false, "a label belongs to what follows it"},
		{"another clause", `"未调用 query_metrics，query_logs 返回 412 条"`, true, "the denial is of the other clause"},
		{"found: query_logs 返回下游调用超时 412 次", `"query_logs 返回下游调用超时 412 次"`, true, "what it found failed, not the calling"},
		{"found: query_logs 发现支付接口调用失败", `"query_logs 发现支付接口调用失败"`, true, "what it found failed, not the calling"},
		{"found: query_logs 显示任务执行失败", `"query_logs 显示任务执行失败"`, true, "what it found failed, not the calling"},
		{"found: query_logs 显示 SQL 执行超时", `"query_logs 显示 SQL 执行超时"`, true, "what it found failed, not the calling"},
		{"found: query_logs 显示 payment 调用报错 500", `"query_logs 显示 payment 调用报错 500"`, true, "what it found failed, not the calling"},
		{"found: 通过 query_logs 查到调用失败记录 412 条", `"通过 query_logs 查到调用失败记录 412 条"`, true, "what it found failed, not the calling"},
		{"found: query_logs 显示请求跳过了缓存", `"query_logs 显示请求跳过了缓存"`, true, "what it found failed, not the calling"},
		{"found: query_logs shows the job was skipped", `"query_logs shows the job was skipped"`, true, "what it found failed, not the calling"},
		{"found: query_logs shows skipped messages in the consumer", `"query_logs shows skipped messages in the consumer"`, true, "what it found failed, not the calling"},
		{"found: query_logs shows omitted fields", `"query_logs shows omitted fields"`, true, "what it found failed, not the calling"},
		{"found: query_logs: 12 runs failed", `"query_logs: 12 runs failed"`, true, "what it found failed, not the calling"},
		{"found: query_logs found that RPC calls failed", `"query_logs found that RPC calls failed"`, true, "what it found failed, not the calling"},
		{"found: query_logs shows 30 calls timed out", `"query_logs shows 30 calls timed out"`, true, "what it found failed, not the calling"},
		{"found: query_logs shows executions failed at 14:05", `"query_logs shows executions failed at 14:05"`, true, "what it found failed, not the calling"},
		{"found: query_logs shows the calls were rejected by the gateway", `"query_logs shows the calls were rejected by the gateway"`, true, "what it found failed, not the calling"},
		{"not called: 建议不要调用 query_logs", `"建议不要调用 query_logs"`, false, "it was not called, or the calling failed"},
		{"not called: 别调用 query_logs", `"别调用 query_logs"`, false, "it was not called, or the calling failed"},
		{"not called: 不用调用 query_logs", `"不用调用 query_logs"`, false, "it was not called, or the calling failed"},
		{"not called: 调用 query_logs 失败", `"调用 query_logs 失败"`, false, "it was not called, or the calling failed"},
		{"not called: query_logs 的调用超时", `"query_logs 的调用超时"`, false, "it was not called, or the calling failed"},
		{"not called: query_logs 被跳过", `"query_logs 被跳过"`, false, "it was not called, or the calling failed"},
		{"not called: query_logs was skipped", `"query_logs was skipped"`, false, "it was not called, or the calling failed"},
		{"not called: the query_logs call failed", `"the query_logs call failed"`, false, "it was not called, or the calling failed"},
		{"not called: calls to query_logs were rejected", `"calls to query_logs were rejected"`, false, "it was not called, or the calling failed"},
		{"its calling lacks", `"缺少 query_logs 调用"`, false, "a negator and a word of calling"},
		{"called: 分别调用 query_logs 和 query_metrics，发现连接池耗尽", `"分别调用 query_logs 和 query_metrics，发现连接池耗尽"`, true, "it was called"},
		{"called: 根据告警级别调用 query_logs", `"根据告警级别调用 query_logs"`, true, "it was called"},
		{"called: 识别使用 query_logs 的结果", `"识别使用 query_logs 的结果"`, true, "it was called"},
		{"called: 分别执行了 query_logs", `"分别执行了 query_logs"`, true, "it was called"},
		{"skipped or failed: 跳过了 query_metrics 和 query_logs", `"跳过了 query_metrics 和 query_logs"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: 已跳过 query_metrics、query_logs", `"已跳过 query_metrics、query_logs"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: Skipped query_metrics and query_logs", `"Skipped query_metrics and query_logs"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: skipped both query_logs and query_metrics", `"skipped both query_logs and query_metrics"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: Skipped the tool query_logs", `"Skipped the tool query_logs"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: the query_logs tool was skipped", `"the query_logs tool was skipped"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: query_logs step was skipped", `"query_logs step was skipped"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: query_logs 三次调用均失败", `"query_logs 三次调用均失败"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: query_logs 的多次调用都超时", `"query_logs 的多次调用都超时"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: query_logs 与 query_metrics 调用均失败", `"query_logs 与 query_metrics 调用均失败"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: query_logs 工具调用失败", `"query_logs 工具调用失败"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: query_logs 的查询被跳过", `"query_logs 的查询被跳过"`, false, "it was skipped, or the calling failed"},
		{"skipped or failed: 调用 query_logs 均超时，未获取数据", `"调用 query_logs 均超时，未获取数据"`, false, "it was skipped, or the calling failed"},
		{"denied once, named once", `"起初未调用 query_logs；重试后 query_logs 返回 412 条"`, true, "one mention is enough"},
	} {
		t.Run(row.name, func(t *testing.T) {
			result := evaluated(t, object{"id": "c", "question": "q", "root_cause_keywords": "x", "required_tools": "query_logs", "allowed_verdicts": "PASS"},
				object{"toolInvocations": []any{}, "selfEvaluation": object{"verifier_evaluation": object{"verdict": "PASS", "trace_summary": json.RawMessage(row.summary)}}, "finalAnswer": "x"})
			require.Len(t, result.Tools, 1)
			assert.Equal(t, row.want, result.Tools[0].Satisfied, "%s: %s", row.why, result.Tools[0].Reason)
			if row.want {
				assert.Equal(t, BySummary, result.Tools[0].By)
			}
		})
	}
}

func TestEvidenceSaysWhereItIsFromAndWhatContradicts(t *testing.T) {
	judge := func(required any, calls []any, summary any) ToolEvidence {
		result := evaluated(t, object{"id": "c", "question": "q", "root_cause_keywords": "x", "required_tools": []any{required}, "allowed_verdicts": "PASS", "tool_aliases": object{"logs.search": "query_logs"}},
			object{"toolInvocations": append([]any{}, calls...), "selfEvaluation": object{"verifier_evaluation": object{"verdict": "PASS", "trace_summary": summary}}, "finalAnswer": "x"})
		return result.Tools[0]
	}
	ok := object{"toolName": "query_logs", "status": "ok"}
	bad := object{"toolName": "query_logs", "error": "timeout"}
	dim := object{"toolName": "query_logs"}

	e := judge("query_logs", []any{bad, ok}, nil)
	assert.Equal(t, []any{true, ByInvocations, "call 2", ""}, []any{e.Satisfied, e.By, e.Where, e.Note})
	e = judge("query_logs", []any{object{"toolName": "logs.search", "result": 1}}, nil)
	assert.True(t, e.Satisfied, "an alias")
	e = judge("query_logs", nil, "logs.search 返回 3 条")
	assert.True(t, e.Satisfied, "an alias in a text")
	e = judge("query_logs", []any{ok}, "未调用 query_logs")
	assert.True(t, e.Satisfied)
	assert.Equal(t, "the verifier's summary says that it was not called", e.Note)
	e = judge("query_logs", []any{dim}, []any{"query_logs"})
	assert.Equal(t, []any{true, BySummary, "the outcome of its calls is unknown"}, []any{e.Satisfied, e.By, e.Note})
	e = judge("query_logs", []any{bad, dim}, []any{"query_logs"})
	assert.True(t, e.Satisfied, "not every call failed")
	e = judge("query_logs", []any{bad, bad, bad}, []any{"query_logs"})
	assert.Equal(t, "query_logs: called 3 times, failed every time (timeout), though the verifier's summary names it", e.Reason)
	assert.Equal(t, "the verifier's summary names query_logs, and each of its calls failed", e.Note)
	e = judge("query_logs", []any{bad, dim}, nil)
	assert.Equal(t, "query_logs: called twice, 1 failed (timeout), the others have neither a status nor a result", e.Reason)
	e = judge("query_logs", nil, []any{object{"tool": "query_logs", "status": "timeout"}})
	assert.Equal(t, "query_logs: never called, and the verifier's summary reports it as failed (timeout)", e.Reason)
	e = judge(object{"any": []any{"query_es", "query_logs"}}, []any{bad}, nil)
	assert.Equal(t, "query_es: never called; query_logs: called once, failed (timeout)", e.Reason)
	e = judge(object{"any": []any{"query_es", "query_logs"}}, []any{ok}, nil)
	assert.Equal(t, []any{true, "query_logs"}, []any{e.Satisfied, e.Tool})
	e = judge(object{"name": "query_logs", "accept": "attempted"}, []any{bad}, nil)
	assert.True(t, e.Satisfied)
	e = judge(object{"name": "query_logs", "accept": "attempted"}, nil, []any{object{"tool": "query_logs", "status": "failed"}})
	assert.True(t, e.Satisfied, "the summary tells of an attempt")
	e = judge(object{"name": "query_logs", "accept": "attempted"}, nil, "query_logs was not called")
	assert.False(t, e.Satisfied)
}

func TestForbiddenToolsAreSeenWhereverTheyAreNamed(t *testing.T) {
	violates := func(calls []any, summary any) bool {
		result := evaluated(t, object{"id": "c", "question": "q", "root_cause_keywords": "x", "required_tools": "t", "allowed_verdicts": "PASS", "forbidden_tools": "restart", "tool_aliases": object{"ops.restart": "restart"}},
			object{"toolInvocations": append([]any{}, calls...), "selfEvaluation": object{"verifier_evaluation": object{"verdict": "PASS", "trace_summary": summary}}, "finalAnswer": "x"})
		return contains(failed(&result), "forbidden_tools")
	}
	assert.True(t, violates([]any{object{"toolName": "restart", "status": "denied"}}, nil))
	assert.True(t, violates([]any{object{"toolName": "restart"}}, nil), "an unknown outcome is an attempt")
	assert.True(t, violates([]any{object{"toolName": "ops.restart", "result": 1}}, nil), "an alias")
	assert.True(t, violates(nil, []any{object{"tool": "restart", "status": "failed"}}), "named in a structured summary")
	assert.True(t, violates(nil, []any{"t", "restart"}), "named in a list")
	assert.False(t, violates(nil, "the runbook says to restart"), "running text is no structure")
	assert.False(t, violates(nil, []any{object{"tool": "restart", "summary": "not called"}}))
	assert.False(t, violates([]any{object{"toolName": "Restart"}}, nil), "names compare exactly")

	byTraceName := func(field string) Result {
		c := object{"id": "c", "question": "q", "root_cause_keywords": "x", "required_tools": "t", "allowed_verdicts": "PASS", "tool_aliases": object{"ops.restart": "restart"}}
		c[field] = "ops.restart"
		return evaluated(t, c, object{"toolInvocations": []any{object{"toolName": "t", "result": 1}, object{"toolName": "ops.restart", "result": 1}}, "selfEvaluation": object{"verifier_evaluation": object{"verdict": "PASS"}}, "finalAnswer": "x"})
	}
	result := byTraceName("forbidden_tools")
	assert.Equal(t, []string{"forbidden_tools"}, failed(&result), "forbidden by the name that the trace uses")
	result = byTraceName("required_tools")
	assert.Empty(t, failed(&result), "required by the name that the trace uses")
}

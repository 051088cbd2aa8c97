package diagnosis

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// benchmarkTrace is a trace of about 9 KB as an application stores it: 8 calls,
// half of every text Chinese.
func benchmarkTrace(tb testing.TB, verdict, answer string) []byte {
	line := "主库活跃连接数达到上限，等待队列持续增长。2026-05-14T14:05:12Z WARN HikariPool-1 - Connection is not available, timed out.\n"
	var calls []map[string]any
	for i := range 8 {
		call := map[string]any{
			"toolCallId": fmt.Sprintf("call_%d", i), "toolName": []string{"query_logs", "query_metrics"}[i%2], "status": "success",
			"arguments": map[string]any{"service": "order-service", "limit": 50},
			"startedAt": fmt.Sprintf("2026-05-14T08:00:%02dZ", i), "durationMs": 400 + i,
		}
		switch text := strings.Repeat(line, 6); i % 4 {
		case 1:
			call["result"] = map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": false}
		case 3:
			inner, err := json.Marshal(map[string]any{"exit_code": 0, "stdout": text})
			require.NoError(tb, err)
			call["result"] = string(inner)
		default:
			call["result"] = text
		}
		calls = append(calls, call)
	}
	data, err := json.Marshal(map[string]any{
		"caseId": "c", "question": "订单服务为什么超时？", "toolInvocations": calls,
		"selfEvaluation": map[string]any{"verifier_evaluation": map[string]any{"verdict": verdict, "trace_summary": []any{map[string]any{"tool": "query_logs", "summary": "连接池满"}}}},
		"executorAnswer": "经过分析，根因是数据库连接池耗尽，慢查询占满连接。结合日志与指标看，故障窗口与流量高峰重合。建议扩容。",
		"finalAnswer":    answer, "status": "completed", "durationMs": 6000,
	})
	require.NoError(tb, err)
	return data
}

func benchmarkCase(tb testing.TB) *Evaluator {
	p, err := Compile(Case{
		ID: "c", Question: "订单服务为什么超时？", RootCauseKeywords: keyword.Words("连接池", "慢查询"),
		RequiredTools:   []RequiredTool{{Any: []string{"query_logs"}}, {Any: []string{"query_metrics"}}},
		AllowedVerdicts: []string{"PASS", "REJECT"}, ForbiddenTools: []string{"restart_service"},
		ForbiddenKeywords: []keyword.Keyword{{Any: keyword.Words("rm -rf"), UnlessNegated: true}},
	})
	require.NoError(tb, err)
	return p
}

const (
	confirmedAnswer = "根因是数据库连接池耗尽，慢查询占满连接。建议先扩大资源上限，再优化最慢的语句，并观察半小时。Watch the error rate for thirty minutes after the change."
	degradedAnswer  = "当前证据不足，无法确认根因，请人工排查。处理期间请关注下单成功率，必要时联系值班数据库管理员。数据库连接池耗尽的告警另见附件。"
)

func BenchmarkDecodeTrace(b *testing.B) {
	data := benchmarkTrace(b, "PASS", confirmedAnswer)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeTrace(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvaluate decodes and judges a trace and makes its row.
func BenchmarkEvaluate(b *testing.B) {
	p := benchmarkCase(b)
	for _, row := range []struct{ name, verdict, answer string }{{"pass", "PASS", confirmedAnswer}, {"reject", "REJECT", degradedAnswer}} {
		b.Run(row.name, func(b *testing.B) {
			data := benchmarkTrace(b, row.verdict, row.answer)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				t, err := DecodeTrace(data)
				if err != nil {
					b.Fatal(err)
				}
				result := p.Evaluate(t)
				result.Row()
			}
		})
	}
}

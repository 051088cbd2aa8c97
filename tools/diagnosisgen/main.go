// Command diagnosisgen writes a diagnosis case set and a bundle of traces of any
// size, for measuring how fast they are evaluated. The same flags give the same
// bytes.
//
//	go run ./diagnosisgen -dir DIR                 # 10,000 traces of about 9 KB, 8 tool calls each
//	go run ./diagnosisgen -cases 100000 -dir DIR
//
// Half of every text is Chinese. About eight cases in ten pass; the others lack a
// tool, a keyword or a verdict, or repeat a draft that the verifier rejected. A
// sixth of the traces hold their invocations and their evaluation as JSON text, as
// databases hand them back.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/karat-eval/karat/tools/internal/generator"
)

type config struct {
	cases, calls, bytes int
	seed                uint64
}

func main() {
	var c config
	flag.IntVar(&c.cases, "cases", 10000, "number of cases")
	flag.IntVar(&c.calls, "calls", 8, "tool calls of each trace")
	flag.IntVar(&c.bytes, "bytes", 780, "bytes of a tool's result")
	flag.Uint64Var(&c.seed, "seed", 1, "seed")
	files.Main("diagnosisgen", func(dir string) error { return write(dir, c) })
}

var files = generator.Pair{First: "cases.jsonl", Second: "traces.jsonl"}

func write(dir string, c config) error {
	if c.cases < 1 || c.calls < 1 || c.bytes < 50 {
		return errors.New("-cases and -calls are 1 or more, -bytes is 50 or more")
	}
	return files.Write(dir, func(cases, traces io.Writer) error { return generate(c, cases, traces) })
}

type object = map[string]any

// member keeps the members of an object in the order in which an application
// writes them.
type member struct {
	name  string
	value any
}

type record []member

func (r record) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range r {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.WriteString(name + ":" + value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func marshal(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// generate writes case i and trace i, line by line.
func generate(c config, cases, traces io.Writer) error {
	rng := rand.New(rand.NewPCG(c.seed, 0))
	for i := range c.cases {
		f := faults[i%len(faults)]
		id := fmt.Sprintf("%s-%05d", f.name, i)
		line, err := marshal(record{
			{"id", id},
			{"question", f.question},
			{"root_cause_keywords", f.keywords},
			{"required_tools", f.required},
			{"allowed_verdicts", []string{"PASS", "REJECT"}},
			{"forbidden_keywords", []any{object{"any": []string{"rm -rf", "drop table"}, "unless_negated": true}}},
			{"forbidden_tools", []string{"restart_service"}},
			{"max_tool_calls", 20},
			{"scenario_type", "aiops"},
			{"tags", []string{f.name}},
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(cases, line)
		if line, err = marshal(trace(rng, c, f, id)); err != nil {
			return err
		}
		fmt.Fprintln(traces, line)
	}
	return nil
}

func trace(rng *rand.Rand, c config, f fault, id string) record {
	start := time.Date(2026, 5, 14, 8, 0, 0, 0, time.UTC).Add(time.Duration(rng.IntN(86400)) * time.Second)
	lost := rng.IntN(20) == 0 // a required tool was not called
	poor := rng.IntN(20) == 0 // a keyword is not in the answer
	verdict := []string{"PASS", "REJECT"}[rng.IntN(10)/9]
	if rng.IntN(25) == 0 {
		verdict = "REVISE"
	}
	at := start
	calls := make([]any, c.calls)
	for j := range calls {
		name := otherTools[rng.IntN(len(otherTools))]
		if j < len(f.required) && !(lost && j == 0) {
			name = f.required[j]
		}
		took := 100 + rng.IntN(900)
		call := record{
			{"toolCallId", fmt.Sprintf("call_%08x", rng.Uint32())},
			{"toolName", name},
			{"arguments", object{"service": "order-service", "from": at.Format(time.RFC3339), "limit": 50}},
			{"status", "success"},
			{"result", result(rng, c.bytes, j)},
			{"startedAt", at.Format(time.RFC3339Nano)},
			{"durationMs", took},
		}
		if j >= len(f.required) && rng.IntN(10) == 0 {
			call[3].value = "error"
			call[4] = member{"error", "connect timed out after 3000ms"}
		}
		calls[j] = call
		at = at.Add(time.Duration(took) * time.Millisecond)
	}
	words := f.keywords
	if poor {
		words = words[1:]
	}
	draft := "经过分析，根因是" + strings.Join(f.keywords, "，") + "。" + text(rng, analysis, 300)
	answer := "根因是" + strings.Join(words, "，") + "。" + text(rng, advice, 400)
	degraded := false
	if verdict == "REJECT" {
		answer, degraded = "当前证据不足，无法确认根因，请人工排查。"+text(rng, advice, 200), rng.IntN(2) == 0
		if rng.IntN(10) == 0 {
			answer += "参考：" + strings.Join(f.keywords, "，")
		}
	}
	evaluation := any(object{"verifier_evaluation": record{
		{"verdict", verdict},
		{"reason", text(rng, analysis, 120)},
		{"trace_summary", []any{object{"tool": f.required[0], "summary": text(rng, observed, 80)}}},
	}})
	invocations := any(calls)
	if rng.IntN(6) == 0 {
		invocations, evaluation = asText(invocations), asText(evaluation)
	}
	return record{
		{"caseId", id},
		{"traceId", fmt.Sprintf("%016x", rng.Uint64())},
		{"question", f.question},
		{"toolInvocations", invocations},
		{"selfEvaluation", evaluation},
		{"executorAnswer", draft},
		{"finalAnswer", answer},
		{"degraded", degraded},
		{"status", "completed"},
		{"startedAt", start.Format(time.RFC3339)},
		{"durationMs", at.Sub(start).Milliseconds() + 1500},
		{"usage", object{"inputTokens": 2000 + rng.IntN(4000), "outputTokens": 200 + rng.IntN(900)}},
	}
}

func asText(v any) any {
	s, err := marshal(v)
	if err != nil {
		return v
	}
	return s
}

// result is running text, an object, or an object as text, by turns.
func result(rng *rand.Rand, size, turn int) any {
	switch turn % 4 {
	case 1:
		return object{"content": []any{object{"type": "text", "text": text(rng, observed, size)}}, "isError": false}
	case 3:
		return asText(object{"exit_code": 0, "stdout": text(rng, observed, size)})
	}
	return text(rng, observed, size)
}

// text is lines, Chinese and English by turns, of about so many bytes.
func text(rng *rand.Rand, lines [2][]string, size int) string {
	var b strings.Builder
	chinese, english := 0, 0
	for b.Len() < size {
		list, count := lines[0], &chinese
		if english < chinese {
			list, count = lines[1], &english
		}
		s := list[rng.IntN(len(list))]
		b.WriteString(s)
		*count += len(s)
	}
	return b.String()
}

type fault struct {
	name, question     string
	keywords, required []string
}

var faults = []fault{
	{"pool", "订单服务为什么从 14:05 开始大量超时？", []string{"数据库连接池耗尽", "慢查询"}, []string{"query_logs", "query_metrics"}},
	{"oom", "购物车服务的 Pod 为什么反复重启？", []string{"OOMKilled", "堆内存"}, []string{"query_pods", "query_metrics"}},
	{"tls", "Why do calls to the payment gateway fail?", []string{"证书过期", "TLS"}, []string{"query_logs", "check_certificate"}},
	{"lag", "用户消息为什么延迟送达？", []string{"消费者", "积压"}, []string{"query_kafka", "query_logs"}},
	{"disk", "Why are writes to the ledger rejected?", []string{"磁盘", "binlog"}, []string{"query_metrics", "query_disk"}},
}

var otherTools = []string{"query_logs", "query_metrics", "query_traces", "query_deployments", "search_runbook", "query_alerts"}

// analysis is what an executor writes, advice what a user reads, observed what
// tools return.
var analysis = [2][]string{
	{
		"结合日志与指标看，故障窗口与流量高峰重合，",
		"上游重试放大了压力，从而拖慢了其他接口。",
		"发布系统在窗口内没有动作，可以排除版本问题；",
		"同类现象上个月在预发环境出现过一次。",
	},
	{
		"The timeline fits the saturation of one dependency, since errors start there first. ",
		"Retries from two callers doubled the load within five minutes. ",
		"No other service in the same zone shows the pattern. ",
	},
}

var advice = [2][]string{
	{
		"建议先扩大资源上限，再优化最慢的语句，并观察半小时。",
		"处理期间请关注下单成功率，必要时联系值班数据库管理员。",
		"恢复后补充容量评估，避免大促期间再次出现。",
		"如需回滚，请先与业务方确认窗口。",
	},
	{
		"Watch the error rate for thirty minutes after the change. ",
		"Escalate to the database team if latency stays above two seconds. ",
		"Write the follow-up into the runbook (section 4.2). ",
	},
}

var observed = [2][]string{
	{
		"订单服务在十四点零五分之后错误率升至百分之七，其余服务正常；",
		"主库活跃连接数达到上限，等待队列持续增长。",
		"该时间段内没有发布记录，配置中心也无变更，网络延迟平稳。",
		"慢日志里同一条语句出现了三百余次，平均耗时四秒。",
		"节点内存使用率为百分之六十二，磁盘写入延迟正常，",
		"相关告警：下单接口超时（级别 P1），持续时间二十分钟。",
	},
	{
		"2026-05-14T14:05:12Z WARN HikariPool-1 - Connection is not available, request timed out after 30000ms.\n",
		"order-service-7d9f4c active=50 idle=0 waiting=128 max=50\n",
		"GET /api/orders 504 30012ms trace=9f2c1b77 upstream=mysql-primary:3306\n",
		"SELECT * FROM orders WHERE status = ? AND created_at > ? -- 4021ms\n",
		"kubelet: Readiness probe failed: HTTP probe failed with statuscode: 503\n",
		"p99=2.41s p50=0.18s qps=1320 errors=7.1%\n",
	},
}

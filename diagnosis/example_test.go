package diagnosis_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation/keyword"
)

// One case, one trace: the verifier rejected the draft, and the answer gives its
// conclusion all the same.
func ExampleEvaluate() {
	c := diagnosis.Case{
		ID:                "payment-failures",
		Question:          "支付为什么失败？",
		RootCauseKeywords: keyword.Words("证书"),
		RequiredTools:     []diagnosis.RequiredTool{{Any: []string{"query_logs"}}},
		AllowedVerdicts:   []string{"PASS", "REJECT"},
	}
	trace, err := diagnosis.DecodeTrace([]byte(`{
		"toolInvocations": [
			{"toolName": "query_logs", "status": "error", "error": "timeout"},
			{"toolName": "query_logs", "status": "error", "error": "timeout"}
		],
		"selfEvaluation": {"verifier_evaluation": {"verdict": "REJECT"}},
		"executorAnswer": "根因是支付网关证书过期，导致握手失败。",
		"finalAnswer": "证据不足，无法确认根因。可能与支付网关证书过期有关。"
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := diagnosis.Evaluate(c, trace)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, result.Verdict.Text)
	for _, c := range result.Checks {
		if c.Status == "fail" {
			fmt.Printf("%s: %s\n", c.Name, c.Reason)
		}
	}
	// Output:
	// fail REJECT
	// required_tools: query_logs: called twice, failed both times (timeout)
	// degraded_no_leak: the answer repeats the unverified draft: 「支付网关证书过期」
}

// A folder of cases and traces is a suite, which makes a report.
func ExampleOpenFS() {
	files := fstest.MapFS{
		"aiops/cases.yaml": {Data: []byte(`
defaults: {allowed_verdicts: [PASS]}
cases:
  - id: orders-time-out
    question: 订单服务为什么超时？
    root_cause_keywords: [连接池, {any: [慢查询, slow query]}]
    required_tools: [query_logs]
`)},
		"aiops/traces/orders-time-out.json": {Data: []byte(`{
			"toolInvocations": [{"toolName": "query_logs", "result": "Connection is not available"}],
			"selfEvaluation": {"verifier_evaluation": {"verdict": "PASS"}},
			"finalAnswer": "根因是连接池被慢查询占满。"
		}`)},
	}
	suite, err := diagnosis.OpenFS(files, "aiops", diagnosis.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer suite.Close()
	report, err := suite.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	coverage, _ := report.Entry("evidence_coverage")
	fmt.Println(report.Suite, report.Rows[0].Status, coverage.Value, coverage.N)
	// Output:
	// aiops pass 1 1
}

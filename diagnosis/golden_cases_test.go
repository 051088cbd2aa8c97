package diagnosis_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation"
)

// What each golden trace fails by, as the README of the golden cases says; the
// others pass.
var goldenFailures = map[string][]string{
	"redis-eviction-metrics-skipped": {"required_tools"},
	"kafka-lag-logs-timed-out":       {"required_tools"},
	"login-outcome-unknown":          {"required_tools"},
	"mq-summary-contradicts-calls":   {"required_tools"},
	"cert-expired-agent-restarted":   {"forbidden_tools"},
	"disk-full-no-verdict":           {"verdict_present"},
	"dns-failure-revise":             {"verdict_allowed"},
	"slow-query-verifier-skipped":    {"verdict_forbidden"},
	"gateway-502-empty-answer":       {"final_answer", "root_cause_keywords"},
	"replication-lag-wrong-version":  {"root_cause_keywords"},
	"disk-cleanup-dangerous-advice":  {"forbidden_keywords"},
	"payment-reject-leaks-draft":     {"degraded_no_leak"},
	"inventory-reject-undeclared":    {"degraded_declared"},
	"checkout-degraded-under-pass":   {"degraded_unexpected"},
	"search-too-many-calls":          {"max_tool_calls"},
	"search-too-slow":                {"max_duration"},
	"nacos-config-missing-trace":     {"fixture"},
	"scheduler-run-failed":           {"system_error"},
	"cache-trace-cut-off":            {"fixture"},
}

var goldenReasons = map[string]string{
	"redis-eviction-metrics-skipped": "query_metrics: never called",
	"kafka-lag-logs-timed-out":       "query_logs: called twice, failed both times (timeout)",
	"login-outcome-unknown":          "query_metrics: called once, with neither a status nor a result",
	"mq-summary-contradicts-calls":   "query_rabbitmq: called once, failed (401 Unauthorized), though the verifier's summary names it",
	"cert-expired-agent-restarted":   "restart_service: called once, without success",
	"dns-failure-revise":             "verdict REVISE is not among PASS",
	"slow-query-verifier-skipped":    "verdict SKIPPED is forbidden here",
	"replication-lag-wrong-version":  `the answer has 1 of 3 root-cause keywords; missing: 并行复制, 5.7 (found inside "5.7.38")`,
	"payment-reject-leaks-draft":     "the answer repeats the unverified draft: 「根因是支付网关证书过期，导致握手失败」",
	"search-too-many-calls":          "13 tool calls, more than 8",
	"search-too-slow":                "62000 ms, longer than 30000 ms",
	"scheduler-run-failed":           "the run itself failed: agent run aborted: model endpoint returned 503 three times",
}

func TestEachGoldenTraceFailsByTheOneCheckItIsFor(t *testing.T) {
	s, err := diagnosis.Open("../testdata/diagnosis", diagnosis.Options{})
	require.NoError(t, err)
	defer s.Close()
	report, err := s.Run(context.Background())
	require.NoError(t, err)
	assert.Len(t, report.Rows, 26)
	for i := range report.Rows {
		row := &report.Rows[i]
		t.Run(row.ID, func(t *testing.T) {
			if diff := cmp.Diff(goldenFailures[row.ID], row.FailedChecks()); diff != "" {
				t.Errorf("failed checks -want +got:\n%s\n%+v", diff, row.Checks)
			}
			switch {
			case row.ID == "nacos-config-missing-trace":
				assert.Equal(t, evaluation.NotRun, row.Status)
			case row.ID == "scheduler-run-failed" || row.ID == "cache-trace-cut-off":
				assert.Equal(t, evaluation.Error, row.Status)
			case goldenFailures[row.ID] == nil:
				assert.Equal(t, evaluation.Pass, row.Status)
			default:
				assert.Equal(t, evaluation.Fail, row.Status)
			}
			if want := goldenReasons[row.ID]; want != "" {
				assert.Equal(t, want, row.Check(row.FailedChecks()[0]).Reason)
			}
			for _, c := range row.Checks {
				if c.Status == evaluation.CheckFail {
					t.Logf("%s: expected %s, got %s; %s", c.Name, c.Expected, c.Got, c.Reason)
				}
			}
			if len(row.Warnings) > 0 {
				t.Log(row.Warnings)
			}
		})
	}
}

package diagnosis_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation"
)

const hintCase = `
- id: a
  question: 支付为什么超时
  root_cause_keywords: [证书过期]
  required_tools: [query_logs]
  allowed_verdicts: [PASS, REJECT]
  max_duration_ms: 10000
`

const hintTrace = `{"caseId": "a", "question": "支付为什么超时", "toolInvocations": [{"toolName": "query_logs", "status": "success", "result": "x"}],
	"selfEvaluation": {"verifier_evaluation": {"verdict": "PASS", "reason": "good", "trace_summary": []}},
	"executorAnswer": "根因是证书过期", "finalAnswer": "根因是证书过期", "durationMs": 7000, "service": "payment", "model": "m"}`

// A trace in which one name is a slip: the reason of the check that fails for it
// says so, and where nothing fails a warning does.
func TestASlipInATracesNamesIsNamedWhereItIsMissed(t *testing.T) {
	for _, tt := range []struct {
		name, right, wrong string
		check, want        string // check is "" for a warning
	}{
		{"no slip", `"model"`, `"models"`, "", ""},
		{"invocations", `"toolInvocations"`, `"toolinvocations"`, "required_tools", `; the trace has "toolinvocations"; did you mean "toolInvocations"?`},
		{"the calls of another application", `"toolInvocations"`, `"tool_calls"`, "required_tools", `; the trace has "tool_calls"; did you mean "toolInvocations"?`},
		{"a tool's name", `"toolName"`, `"toolname"`, "required_tools", `; the first tool invocation has "toolname"; did you mean "toolName"?`},
		{"the answer", `"finalAnswer"`, `"finalAnser"`, "final_answer", `; the trace has "finalAnser"; did you mean "finalAnswer"?`},
		{"the evaluation", `"selfEvaluation"`, `"selfevaluation"`, "verdict_present", `; the trace has "selfevaluation"; did you mean "selfEvaluation"?`},
		{"inside of it", `"verifier_evaluation"`, `"verifier"`, "verdict_present", `; selfEvaluation has "verifier"; did you mean "verifier_evaluation"?`},
		{"the verdict", `"verdict"`, `"verdit"`, "verdict_present", `; verifier_evaluation has "verdit"; did you mean "verdict"?`},
		{"the duration", `"durationMs"`, `"duration"`, "max_duration", `; the trace has "duration"; did you mean "durationMs"?`},
		{"a draft that nothing asks for", `"executorAnswer"`, `"executorAnser"`, "", ""},
		{"a draft in the wrong case", `"executorAnswer"`, `"ExecutorAnswer"`, "", `the trace has "ExecutorAnswer"; did you mean "executorAnswer"?`},
		{"null is not there", `"model": "m"`, `"finalanswer": null`, "", ""},
		{"a name beside the right one", `"model"`, `"finalAnser"`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, hintTrace, tt.right)
			trace := strings.Replace(hintTrace, tt.right, tt.wrong, 1)
			report := run(t, fstest.MapFS{"cases.yaml": {Data: []byte(hintCase)}, "traces/a.json": {Data: []byte(trace)}}, diagnosis.Options{})
			row := &report.Rows[0]
			if tt.check != "" {
				assert.Equal(t, evaluation.Fail, row.Status)
				assert.True(t, strings.HasSuffix(row.Check(tt.check).Reason, tt.want), row.Check(tt.check).Reason)
				return
			}
			assert.Equal(t, evaluation.Pass, row.Status)
			assert.Equal(t, tt.want, strings.Join(row.Warnings, "\n"))
		})
	}
}

func TestASlipIsNamedInATraceThatADatabaseHandsBack(t *testing.T) {
	var trace map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(hintTrace), &trace))
	text, err := json.Marshal(strings.Replace(string(trace["selfEvaluation"]), "verdict", "verdit", 1))
	require.NoError(t, err)
	trace["selfEvaluation"] = text
	data, err := json.Marshal(trace)
	require.NoError(t, err)
	report := run(t, fstest.MapFS{"cases.yaml": {Data: []byte(hintCase)}, "traces.jsonl": {Data: data}}, diagnosis.Options{})
	assert.Contains(t, report.Rows[0].Check("verdict_present").Reason, `did you mean "verdict"?`)
}

func TestAnUnreadableTraceNamesItsLine(t *testing.T) {
	broken := "{\"caseId\": \"a\",\n \"finalAnswer\":\n  7}"
	report := run(t, fstest.MapFS{"cases.yaml": {Data: []byte(hintCase)}, "traces/a.json": {Data: []byte("\uFEFF" + broken)}}, diagnosis.Options{})
	assert.Equal(t, "a.json:3: byte 34 (finalAnswer): a string is needed, found a number", report.Rows[0].Check("fixture").Reason)
	line := strings.ReplaceAll(broken, "\n", " ")
	report = run(t, fstest.MapFS{"cases.yaml": {Data: []byte(hintCase)}, "traces.jsonl": {Data: []byte("\n" + line + "\n")}}, diagnosis.Options{})
	assert.Equal(t, "traces.jsonl:2: byte 34 (finalAnswer): a string is needed, found a number", report.Rows[0].Check("fixture").Reason)
}

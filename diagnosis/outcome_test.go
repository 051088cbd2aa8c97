package diagnosis

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutcomesOfCalls(t *testing.T) {
	for _, row := range []struct {
		name, call string
		want       Outcome
		why        string
	}{
		{"status success", `"status": "success"`, Succeeded, ""},
		{"status trimmed and without case", `"status": " OK "`, Succeeded, ""},
		{"status done", `"status": "done"`, Succeeded, ""},
		{"status on neither list", `"status": "running"`, Unknown, ""},
		{"status on neither list with a result", `"status": "running", "result": "x"`, Succeeded, ""},
		{"nothing", `"arguments": {}`, Unknown, ""},
		{"a result", `"result": "x"`, Succeeded, ""},
		{"an empty result", `"result": ""`, Succeeded, ""},
		{"an empty list", `"result": []`, Succeeded, ""},
		{"a null result", `"result": null`, Unknown, ""},
		{"status error", `"status": "error"`, Failed, "status error"},
		{"status timeout", `"status": "TIMEOUT"`, Failed, "timeout"},
		{"status canceled", `"status": "canceled"`, Failed, "canceled"},
		{"status denied", `"status": "denied"`, Failed, "denied"},
		{"status rejected", `"status": "rejected"`, Failed, "rejected"},
		{"isError", `"isError": true, "status": "success"`, Failed, "marked as an error"},
		{"is_error", `"is_error": true`, Failed, "marked as an error"},
		{"isError false", `"isError": false, "result": 1`, Succeeded, ""},
		{"error text", `"status": "success", "error": "connection refused\nat x"`, Failed, "connection refused"},
		{"error object", `"error": {"code": 7, "message": "no quota"}`, Failed, "no quota"},
		{"empty errors", `"error": "", "status": "ok"`, Succeeded, ""},
		{"null error", `"error": null, "status": "ok"`, Succeeded, ""},
		{"error is an empty object", `"error": {}, "status": "ok"`, Succeeded, ""},
		{"success false", `"success": false, "result": "x"`, Failed, "success is false"},
		{"success true says nothing by itself", `"success": true`, Unknown, ""},
		{"exit code", `"exit_code": 137, "result": "x"`, Failed, "exit code 137"},
		{"exitCode", `"exitCode": -1`, Failed, "exit code -1"},
		{"exit code 0", `"exit_code": 0, "result": "x"`, Succeeded, ""},
		{"exit code as text", `"exit_code": "2"`, Failed, "exit code 2"},
		{"in the result: exit code", `"status": "success", "result": {"exit_code": 2}`, Failed, "exit code 2"},
		{"in the result: success false", `"result": {"success": false, "message": "denied by policy"}`, Failed, "denied by policy"},
		{"in the result: status", `"result": {"status": "timed_out"}`, Failed, "timed_out"},
		{"in the result: error", `"result": {"error": "boom"}`, Failed, "boom"},
		{"in the result: deeper is not the top level", `"result": {"data": {"error": "boom", "status": "failed"}}`, Succeeded, ""},
		{"in the result: a list is no object", `"result": [{"error": "boom"}]`, Succeeded, ""},
		{"in the result: MCP", `"result": {"isError": true, "content": [{"type": "text", "text": "404 Not Found"}]}`, Failed, "404 Not Found"},
		{"in a text that is one object", `"result": " {\"error\": \"boom\"}\n"`, Failed, "boom"},
		{"in a text that is more than one object", `"result": "{\"error\": \"boom\"} and more"`, Succeeded, ""},
		{"in a text that is cut off", `"result": "{\"error\": \"boom\""`, Succeeded, ""},
		{"in running text", `"result": "ERROR timeout failed status: error"`, Succeeded, ""},
		{"name with an escape", `"result": "{\"\\u0065rror\": \"boom\"}"`, Failed, "boom"},
	} {
		t.Run(row.name, func(t *testing.T) {
			trace := readTrace(t, []byte(`{"toolInvocations": [{"toolName": "t", `+row.call+`}]}`))
			require.Len(t, trace.Calls, 1)
			assert.Equal(t, row.want, trace.Calls[0].Outcome)
			assert.Equal(t, row.why, trace.Calls[0].Why)
		})
	}
}

func TestRecordsOfOneIdAreOneCall(t *testing.T) {
	for _, row := range []struct {
		name, calls string
		outcomes    []Outcome
	}{
		{"start and end", `{"id": "1", "name": "t", "status": "running"}, {"id": "1", "status": "success", "result": 1}`, []Outcome{Succeeded}},
		{"the last known wins", `{"id": "1", "name": "t", "status": "success"}, {"id": "1", "name": "t", "status": "failed"}`, []Outcome{Failed}},
		{"unknown does not win", `{"id": "1", "name": "t", "status": "failed"}, {"id": "1", "name": "t"}`, []Outcome{Failed}},
		{"blank ids are none", `{"id": " ", "name": "t"}, {"id": "", "name": "t"}`, []Outcome{Unknown, Unknown}},
		{"null ids are none", `{"toolCallId": null, "name": "t"}, {"toolCallId": null, "name": "t"}`, []Outcome{Unknown, Unknown}},
		{"number and text are one id", `{"tool_call_id": 7, "name": "t"}, {"tool_call_id": "7", "name": "t", "result": 1}`, []Outcome{Succeeded}},
		{"toolCallId goes before id", `{"id": "row1", "toolCallId": "a", "name": "t"}, {"id": "row2", "toolCallId": "a", "name": "t", "result": 1}`, []Outcome{Succeeded}},
		{"one id of two tools is two calls", `{"id": "1", "name": "t", "result": 1}, {"id": "1", "name": "u", "error": "x"}`, []Outcome{Succeeded, Failed}},
	} {
		t.Run(row.name, func(t *testing.T) {
			trace := readTrace(t, []byte(`{"toolInvocations": [`+row.calls+`]}`))
			var got []Outcome
			for _, c := range trace.Calls {
				got = append(got, c.Outcome)
			}
			assert.Equal(t, row.outcomes, got)
		})
	}
}

func TestTracesAreReadByAllNames(t *testing.T) {
	camel := readTrace(t, []byte(`{"caseId":"c","traceId":"x","question":"q","toolInvocations":[{"toolCallId":"1","toolName":"t","arguments":"{\"a\":","result":"r","durationMs":5,"startedAt":"2026-05-14T08:00:00Z","finishedAt":"2026-05-14T08:00:01Z"}],
		"selfEvaluation":{"verifier_evaluation":{"verdict":" Pass ","traceSummary":["t"]}},"executorAnswer":"d","finalAnswer":"f","degraded":true,"status":"completed",
		"startedAt":"2026-05-14T08:00:00Z","finishedAt":"2026-05-14T08:00:02.5Z","usage":{"inputTokens":3,"outputTokens":4}}`))
	snake := readTrace(t, []byte(`{"case_id":"c","trace_id":"x","question":"q","tool_invocations":"[{\"tool_call_id\":\"1\",\"tool_name\":\"t\",\"arguments\":\"{\\\"a\\\":\",\"result\":\"r\",\"duration_ms\":5,\"started_at\":\"2026-05-14T08:00:00Z\",\"finished_at\":\"2026-05-14T08:00:01Z\"}]",
		"self_evaluation":"{\"verifierEvaluation\":\"{\\\"verdict\\\":\\\" Pass \\\",\\\"tool_summaries\\\":[\\\"t\\\"]}\"}","executor_answer":"d","final_answer":"f","degraded":1,"status":"completed",
		"started_at":"2026-05-14T08:00:00Z","finished_at":"2026-05-14T08:00:02.5Z","usage":{"input_tokens":3,"output_tokens":4}}`))
	assert.Equal(t, camel, snake)
	assert.Equal(t, "PASS", camel.Verdict.Text)
	assert.Equal(t, `"{\"a\":"`, string(camel.Calls[0].Arguments), "arguments that are no JSON are kept as text")
	ms, ok := camel.DurationMS()
	assert.True(t, ok)
	assert.Equal(t, 2500.0, ms)
	for _, data := range []string{`{"answer": "f"}`, `{"answer": "f", "finalAnswer": null}`, `{"finalAnswer": "f", "answer": "other"}`, `{"answer": "other", "finalAnswer": "f"}`} {
		assert.Equal(t, "f", readTrace(t, []byte(data)).Answer, data)
	}
	for _, data := range []string{`{"draftAnswer": "d"}`, `{"draftAnswer": "other", "executor_answer": "d"}`} {
		assert.Equal(t, "d", readTrace(t, []byte(data)).Draft, data)
	}
	for _, name := range []string{"toolName", "tool_name", "name", "tool"} {
		assert.Equal(t, "t", readTrace(t, []byte(`{"toolInvocations":[{"`+name+`":"t"}]}`)).Calls[0].Name)
	}
}

func TestDurations(t *testing.T) {
	for _, row := range []struct {
		name, trace string
		want        float64
		absent      bool
	}{
		{"as recorded", `{"durationMs": 12.5, "startedAt": "2026-05-14T08:00:00Z", "finishedAt": "2026-05-14T09:00:00Z"}`, 12.5, false},
		{"0 is a duration", `{"durationMs": 0}`, 0, false},
		{"first start to last end", `{"toolInvocations": [
			{"name": "a", "startedAt": "2026-05-14T08:00:01Z", "finishedAt": "2026-05-14T08:00:09Z"},
			{"name": "b", "startedAt": "2026-05-14T08:00:00Z", "durationMs": 3000}]}`, 9000, false},
		{"never a sum", `{"toolInvocations": [{"name": "a", "durationMs": 3000}, {"name": "b", "durationMs": 3000}]}`, 0, true},
		{"a start alone", `{"startedAt": "2026-05-14T08:00:00Z"}`, 0, true},
		{"the trace's start, a call's end", `{"startedAt": "2026-05-14 08:00:00", "toolInvocations": [{"name": "a", "startedAt": 1778745601000, "durationMs": 500}]}`, 1500, false},
		{"zones", `{"startedAt": "2026-05-14T16:00:00+08:00", "finishedAt": "2026-05-14T08:00:01Z"}`, 1000, false},
		{"a text that is no time", `{"startedAt": "yesterday", "finishedAt": "2026-05-14T08:00:01Z"}`, 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			ms, ok := readTrace(t, []byte(row.trace)).DurationMS()
			assert.Equal(t, !row.absent, ok)
			assert.Equal(t, row.want, ms)
		})
	}
	assert.Equal(t, time.UnixMilli(1778745601000).UTC(), time.Date(2026, 5, 14, 8, 0, 1, 0, time.UTC), "the row's time stamp")
}

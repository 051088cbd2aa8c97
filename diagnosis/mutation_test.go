package diagnosis

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type object = map[string]any

// passing is a case that states every check, with a trace that passes them all.
func passing() (c, trace object) {
	c = object{
		"id": "c", "question": "支付为什么失败？",
		"root_cause_keywords": []any{"证书", "过期"}, "required_tools": []any{"query_logs", "check_certificate"},
		"allowed_verdicts": []any{"PASS", "REJECT"}, "forbidden_verdicts": []any{"SKIPPED"},
		"forbidden_tools": []any{"restart_service"}, "forbidden_keywords": []any{"rm -rf"},
		"max_tool_calls": 3, "max_duration_ms": 9000,
	}
	trace = object{
		"toolInvocations": []any{
			object{"toolCallId": "1", "toolName": "query_logs", "status": "success", "result": "handshake_failure"},
			object{"toolCallId": "2", "toolName": "check_certificate", "status": "success", "result": object{"expired": true}},
		},
		"selfEvaluation": object{"verifier_evaluation": object{"verdict": "PASS"}},
		"executorAnswer": "根因是支付网关证书过期，导致握手失败。",
		"finalAnswer":    "根因是支付网关证书过期，导致握手失败。请轮换证书。",
		"degraded":       false, "status": "completed", "durationMs": 5000,
	}
	return c, trace
}

// rejecting is the same under REJECT, properly degraded.
func rejecting() (c, trace object) {
	c, trace = passing()
	trace["selfEvaluation"] = object{"verifier_evaluation": object{"verdict": "REJECT"}}
	trace["finalAnswer"] = "当前证据不足，无法确认根因，请人工排查。"
	return c, trace
}

func evaluated(t *testing.T, c, trace object) Result {
	t.Helper()
	caseJSON, err := json.Marshal(c)
	require.NoError(t, err)
	traceJSON, err := json.Marshal(trace)
	require.NoError(t, err)
	return readCase(t, caseJSON).Evaluate(readTrace(t, traceJSON))
}

func TestOneChangeBreaksExactlyOneCheck(t *testing.T) {
	call := func(trace object, i int) object { return trace["toolInvocations"].([]any)[i].(object) }
	rows := []struct {
		check, change string
		from          func() (object, object)
		mutate        func(c, trace object)
	}{
		{"required_tools", "drop a tool", passing, func(_, trace object) { trace["toolInvocations"] = trace["toolInvocations"].([]any)[:1] }},
		{"required_tools", "fail a call", passing, func(_, trace object) { call(trace, 1)["status"] = "error" }},
		{"required_tools", "fail a call by its result", passing, func(_, trace object) { call(trace, 1)["result"] = object{"isError": true} }},
		{"required_tools", "rename a tool by one letter", passing, func(_, trace object) { call(trace, 0)["toolName"] = "query_log" }},
		{"forbidden_tools", "call a forbidden tool", passing, func(_, trace object) {
			trace["toolInvocations"] = append(trace["toolInvocations"].([]any), object{"toolName": "restart_service", "status": "denied"})
		}},
		{"verdict_present", "delete the verdict", passing, func(_, trace object) { trace["selfEvaluation"] = object{} }},
		{"verdict_present", "blank the verdict", passing, func(_, trace object) {
			trace["selfEvaluation"] = object{"verifier_evaluation": object{"verdict": " \t"}}
		}},
		{"verdict_present", "make the verdict a number", passing, func(_, trace object) { trace["selfEvaluation"] = object{"verifier_evaluation": object{"verdict": 1}} }},
		{"verdict_allowed", "flip the verdict", passing, func(_, trace object) {
			trace["selfEvaluation"] = object{"verifier_evaluation": object{"verdict": "REVISE"}}
		}},
		{"verdict_forbidden", "make the verdict a forbidden one", passing, func(_, trace object) {
			trace["selfEvaluation"] = object{"verifier_evaluation": object{"verdict": "skipped"}}
		}},
		{"final_answer", "blank the answer where no keyword is needed", passing, func(c, trace object) { c["min_keyword_coverage"] = 0; trace["finalAnswer"] = " \n" }},
		{"final_answer", "leave nothing in the answer that a reader sees", passing, func(c, trace object) { c["min_keyword_coverage"] = 0; trace["finalAnswer"] = "\u200b\ufeff" }},
		{"final_answer", "blank the answer under REJECT", rejecting, func(_, trace object) { trace["finalAnswer"] = "" }},
		{"root_cause_keywords", "drop a keyword", passing, func(_, trace object) {
			trace["finalAnswer"] = "根因是支付网关证书失效，导致握手失败。"
		}},
		{"forbidden_keywords", "add a forbidden keyword", passing, func(_, trace object) {
			trace["finalAnswer"] = trace["finalAnswer"].(string) + "可执行 rm -rf 清理。"
		}},
		{"degraded_declared", "drop the marker", rejecting, func(_, trace object) { trace["finalAnswer"] = "请联系支付团队处理。" }},
		{"degraded_no_leak", "paste the draft", rejecting, func(_, trace object) {
			trace["finalAnswer"] = trace["finalAnswer"].(string) + "\n" + trace["executorAnswer"].(string)
		}},
		{"degraded_unexpected", "degrade under PASS", passing, func(_, trace object) {
			trace["finalAnswer"] = "证书可能过期，但证据不足，无法确认根因。"
		}},
		{"degraded_unexpected", "set the flag under PASS", passing, func(_, trace object) { trace["degraded"] = true }},
		{"max_tool_calls", "call twice more", passing, func(_, trace object) {
			more := object{"toolName": "query_logs", "status": "success", "result": ""}
			trace["toolInvocations"] = append(trace["toolInvocations"].([]any), more, more)
		}},
		{"max_duration", "take longer", passing, func(_, trace object) { trace["durationMs"] = 9000.5 }},
		{"max_duration", "record no duration", passing, func(_, trace object) { delete(trace, "durationMs") }},
		{"system_error", "fail the run", passing, func(_, trace object) { trace["status"] = "Cancelled" }},
		{"system_error", "record an error of the run", passing, func(_, trace object) { trace["error"] = "model endpoint unreachable" }},
	}
	broken := map[string]bool{}
	for _, row := range rows {
		t.Run(row.check+"/"+row.change, func(t *testing.T) {
			c, trace := row.from()
			before := evaluated(t, c, trace)
			require.Empty(t, failed(&before), "the trace passes before the change")
			row.mutate(c, trace)
			after := evaluated(t, c, trace)
			if diff := cmp.Diff([]string{row.check}, failed(&after)); diff != "" {
				t.Errorf("failed checks -want +got:\n%s", diff)
			}
			for _, check := range after.Checks {
				if check.Name == row.check {
					assert.NotEmpty(t, check.Reason)
				}
			}
		})
		broken[row.check] = true
	}
	for _, name := range []string{
		"system_error", "required_tools", "forbidden_tools", "verdict_present", "verdict_allowed", "verdict_forbidden", "final_answer",
		"root_cause_keywords", "forbidden_keywords", "degraded_declared", "degraded_no_leak", "degraded_unexpected", "max_tool_calls", "max_duration",
	} {
		assert.True(t, broken[name], "no change breaks %s", name)
	}
}

func failed(r *Result) []string {
	row := r.Row()
	return row.FailedChecks()
}

func TestChecksThatDoNotApplyAreLeftOut(t *testing.T) {
	names := func(c, trace object) []string {
		result := evaluated(t, c, trace)
		var out []string
		for _, check := range result.Checks {
			out = append(out, check.Name)
		}
		return out
	}
	minimal := object{"id": "c", "question": "q", "root_cause_keywords": "x", "required_tools": "t", "allowed_verdicts": "PASS"}
	_, trace := passing()
	if diff := cmp.Diff([]string{"required_tools", "verdict_present", "verdict_allowed", "final_answer", "root_cause_keywords", "degraded_unexpected"}, names(minimal, trace)); diff != "" {
		t.Errorf("a case that states only what is needed, -want +got:\n%s", diff)
	}
	c, trace := rejecting()
	if diff := cmp.Diff([]string{
		"required_tools", "forbidden_tools", "verdict_present", "verdict_allowed", "verdict_forbidden", "final_answer", "root_cause_keywords", "forbidden_keywords",
		"degraded_declared", "degraded_no_leak", "max_tool_calls", "max_duration",
	}, names(c, trace)); diff != "" {
		t.Errorf("a case that states everything, under REJECT, -want +got:\n%s", diff)
	}
	trace["finalAnswer"] = ""
	assert.NotContains(t, names(c, trace), "degraded_declared", "an empty answer fails final_answer alone")
}

func TestMinimumCoverageDependsOnTheVerdict(t *testing.T) {
	for _, row := range []struct {
		name    string
		minimum any
		verdict string
		fails   bool
	}{
		{"none given is 1", nil, "PASS", true},
		{"none given exempts REJECT", nil, "REJECT", false},
		{"a number", 0.5, "PASS", false},
		{"a number exempts REJECT", 1, "REJECT", false},
		{"a map's default", object{"default": 1}, "PASS", true},
		{"a map's default exempts REJECT", object{"default": 1}, "REJECT", false},
		{"a map that names REJECT", object{"default": 0, "reject": 1}, "REJECT", true},
		{"a map that names PASS", object{"default": 1, " pass ": 0.5}, "PASS", false},
		{"a map without a default is 1 for the others", object{"REJECT": 0}, "PASS", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, trace := passing()
			if row.minimum != nil {
				c["min_keyword_coverage"] = row.minimum
			}
			trace["finalAnswer"] = "证书有问题，证据不足，无法确认根因。"
			trace["selfEvaluation"] = object{"verifier_evaluation": object{"verdict": row.verdict}}
			result := evaluated(t, c, trace)
			assert.Equal(t, 0.5, result.KeywordCoverage())
			assert.Equal(t, row.fails, contains(failed(&result), "root_cause_keywords"))
		})
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func TestACaseChangesTheContractOfDegradedAnswers(t *testing.T) {
	with := func(from func() (object, object), degraded object, answer string) []string {
		c, trace := from()
		c["min_keyword_coverage"] = 0
		c["degraded"] = degraded
		if answer != "" {
			trace["finalAnswer"] = answer
		}
		result := evaluated(t, c, trace)
		return failed(&result)
	}
	assert.Empty(t, with(rejecting, object{}, ""))
	assert.Equal(t, []string{"degraded_declared"}, with(rejecting, object{"markers": []any{"人工接管"}}, ""), "markers replace")
	assert.Empty(t, with(rejecting, object{"markers": []any{"人工接管"}}, "已人工接管。"))
	assert.Empty(t, with(rejecting, object{"add_markers": []any{"人工接管"}}, "已人工接管。"), "add_markers come on top")
	assert.Empty(t, with(rejecting, object{"add_markers": []any{"人工接管"}}, ""))
	assert.Equal(t, []string{"degraded_unexpected"}, with(rejecting, object{"verdicts": []any{"ESCALATE"}}, ""), "REJECT is then any other verdict")
	assert.Empty(t, with(rejecting, object{"verdicts": []any{"escalate"}, "allow_under": []any{" reject"}}, ""))
	assert.Empty(t, with(passing, object{"allow_under": "PASS"}, "证据不足，无法确认根因。"))
	assert.Equal(t, []string{"degraded_unexpected"}, with(passing, object{"confirmed_phrases": []any{"病根是"}}, "根因是证书过期。无法确认根因以外的影响。"))
	assert.Empty(t, with(passing, object{"confirmed_phrases": []any{"病根是"}}, "病根是证书过期。无法确认根因以外的影响。"))
}

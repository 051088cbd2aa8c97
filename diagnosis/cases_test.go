package diagnosis_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation/keyword"
)

func TestWhatIsWrongWithACaseIsReportedAtItsLine(t *testing.T) {
	const head = "- id: c\n  question: q\n  root_cause_keywords: [x]\n  required_tools: [t]\n  allowed_verdicts: [PASS]\n"
	for _, row := range []struct{ name, cases, want string }{
		{"nothing but an id", "- id: c\n", "cases.yaml:1: case \"c\": question: a question is needed\n" +
			"cases.yaml:1: case \"c\": root_cause_keywords: at least one keyword is needed\n" +
			"cases.yaml:1: case \"c\": required_tools: at least one tool is needed\n" +
			"cases.yaml:1: case \"c\": allowed_verdicts: at least one verdict is needed"},
		{"empty fields", "- id: c\n  question: ' '\n  root_cause_keywords: []\n  required_tools: []\n  allowed_verdicts: []\n", "cases.yaml:2: case \"c\": question: a question is needed\n" +
			"cases.yaml:3: case \"c\": root_cause_keywords: at least one keyword is needed\n" +
			"cases.yaml:4: case \"c\": required_tools: at least one tool is needed\n" +
			"cases.yaml:5: case \"c\": allowed_verdicts: at least one verdict is needed"},
		{"a slip of a needed field", strings.Replace(head, "root_cause_keywords", "root_cause_keyword", 1), `cases.yaml:3: case "c": unknown field "root_cause_keyword"; did you mean "root_cause_keywords"?`},
		{"unknown field", head + "  forbiden_tools: [u]\n", `cases.yaml:6: case "c": unknown field "forbiden_tools"; did you mean "forbidden_tools"?`},
		{"minimum too large", head + "  min_keyword_coverage: 1.4\n", `cases.yaml:6: case "c": min_keyword_coverage: 1.4 is outside [0, 1]`},
		{"minimum of a verdict", head + "  min_keyword_coverage: {default: 1, REJECT: -0.1}\n", `cases.yaml:6: case "c": min_keyword_coverage.REJECT: -0.1 is outside [0, 1]`},
		{"minimum of a verdict twice", head + "  min_keyword_coverage: {REJECT: 1, reject: 0}\n", `cases.yaml:6: case "c": min_keyword_coverage.reject: the verdict REJECT is there twice`},
		{"minimum as text", head + "  min_keyword_coverage: high\n", `cases.yaml:6: case "c": min_keyword_coverage: found the string "high"; a minimum is a number in [0, 1], or an object with one for each verdict and a default`},
		{"verdict allowed and forbidden", head + "  forbidden_verdicts: [' pass']\n", `cases.yaml:6: case "c": forbidden_verdicts[0]: pass is both allowed and forbidden`},
		{"keyword required and forbidden", head + "  forbidden_keywords: [X]\n", `cases.yaml:3: case "c": root_cause_keywords[0]: x is both required and forbidden: no answer could pass`},
		{"tool required and forbidden", head + "  forbidden_tools: [t]\n", `cases.yaml:4: case "c": required_tools[0]: t is both required and forbidden: no trace could pass`},
		{"keyword that does not compile", head + "  forbidden_keywords: [{regex: 'a('}]\n", `cases.yaml:6: case "c": forbidden_keywords[0]: regex: missing closing ): ` + "`a(`" + ` (RE2 syntax)`},
		{"required tool of a wrong form", strings.Replace(head, "[t]", "[{tool: t}]", 1), "cases.yaml:4: case \"c\": required_tools[0]: unknown field \"tool\"; a required tool is a tool's name, {\"any\": […]} or {\"name\": \"…\", \"accept\": \"attempted\"}"},
		{"required tool of no form", strings.Replace(head, "[t]", "[{accept: attempted}]", 1), `cases.yaml:4: case "c": required_tools[0]: found neither or both of name and any; a required tool is a tool's name, {"any": […]} or {"name": "…", "accept": "attempted"}`},
		{"accept of a wrong value", strings.Replace(head, "[t]", "[{name: t, accept: any}]", 1), `cases.yaml:4: case "c": required_tools[0].accept: "any" is neither "succeeded" nor "attempted"`},
		{"required tool without alternatives", strings.Replace(head, "[t]", "[{any: []}]", 1), `cases.yaml:4: case "c": required_tools[0]: a tool's name is needed`},
		{"blank tool", strings.Replace(head, "[t]", "['']", 1), `cases.yaml:4: case "c": required_tools[0]: a tool's name is empty`},
		{"negative limits", head + "  max_tool_calls: -1\n  max_duration_ms: -5\n", "cases.yaml:6: case \"c\": max_tool_calls: -1 is negative; 0 or more is allowed\ncases.yaml:7: case \"c\": max_duration_ms: -5 is negative; 0 or more milliseconds are allowed"},
		{"half a call", head + "  max_tool_calls: 1.5\n", `cases.yaml:6: case "c": max_tool_calls: a whole number is needed, found the number 1.5`},
		{"degraded fields", head + "  degraded: {verdict: REJECT}\n", `cases.yaml:6: case "c": degraded: unknown field "verdict"; did you mean "verdicts"?`},
		{"degraded without verdicts", head + "  degraded: {verdicts: []}\n", `cases.yaml:6: case "c": degraded.verdicts: the list is empty; leave it out for REJECT`},
		{"degraded marker that does not compile", head + "  degraded:\n    add_markers: ['', y]\n", `cases.yaml:7: case "c": degraded.add_markers[0]: empty after normalising; a keyword has a character that can be seen`},
		{"alias to nothing", head + "  tool_aliases: {u: ''}\n", `cases.yaml:6: case "c": tool_aliases.u: a tool's name is empty ("u": "")`},
		{"a slip in the verdict of a minimum", strings.Replace(head, "[PASS]", "[PASS, REJECT]", 1) + "  min_keyword_coverage: {PASS: 1, REJCT: 0.5}\n", `cases.yaml:6: case "c": min_keyword_coverage.REJCT: the case allows no such verdict; did you mean REJECT?`},
		{"a slip in a degraded verdict", strings.Replace(head, "[PASS]", "[PASS, PARTIAL]", 1) + "  degraded: {verdicts: [partal]}\n", `cases.yaml:6: case "c": degraded.verdicts[0]: the case allows no such verdict; did you mean PARTIAL?`},
		{"aliases of the other direction", head + "  tool_aliases: {t: [u]}\n", `cases.yaml:6: case "c": tool_aliases.t: a string is needed, found a list`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := diagnosis.ReadCases("cases.yaml", []byte(row.cases), diagnosis.Options{})
			require.Error(t, err)
			if diff := cmp.Diff(row.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCasesAreReadInEveryForm(t *testing.T) {
	cases, err := diagnosis.ReadCases("cases.yaml", []byte(`
version: 1
defaults:
  allowed_verdicts: PASS
  tool_aliases: {es.search: query_logs}
cases:
  - case_id: a
    query: 为什么
    root_cause_keywords: 连接池
    required_tools: query_logs
  - id: b
    question: why
    root_cause_keywords: [pool, {any: [OOM, 内存溢出]}, {substring: "5.7"}, {regex: 'time(d )?out'}]
    min_keyword_coverage: {default: 0.5, REJECT: 0}
    required_tools: [{any: [query_logs, query_es]}, {name: query_metrics, accept: attempted}, {name: query_traces, accept: succeeded}]
    allowed_verdicts: [PASS, REJECT]
    forbidden_keywords: [{any: [rm -rf], unless_negated: true}]
    max_tool_calls: 0
    max_duration_ms: 1500.5
    degraded: {allow_under: REVISE}
    metadata: {owner: {team: db}}
`), diagnosis.Options{})
	require.NoError(t, err)
	calls, ms, half := 0, 1500.5, map[string]float64{"default": 0.5, "REJECT": 0}
	want := []diagnosis.Case{
		{ID: "a", Question: "为什么", RootCauseKeywords: keyword.Words("连接池"), RequiredTools: []diagnosis.RequiredTool{{Any: []string{"query_logs"}}},
			AllowedVerdicts: []string{"PASS"}, ToolAliases: map[string]string{"es.search": "query_logs"}},
		{ID: "b", Question: "why", RootCauseKeywords: []keyword.Keyword{{Text: "pool"}, {Any: keyword.Words("OOM", "内存溢出")}, {Substring: "5.7"}, {Regex: "time(d )?out"}},
			MinKeywordCoverage: diagnosis.Minimum{ByVerdict: half},
			RequiredTools:      []diagnosis.RequiredTool{{Any: []string{"query_logs", "query_es"}}, {Any: []string{"query_metrics"}, Attempted: true}, {Any: []string{"query_traces"}}},
			AllowedVerdicts:    []string{"PASS", "REJECT"}, ToolAliases: map[string]string{"es.search": "query_logs"},
			ForbiddenKeywords: []keyword.Keyword{{Any: keyword.Words("rm -rf"), UnlessNegated: true}},
			MaxToolCalls:      &calls, MaxDurationMS: &ms, Degraded: &diagnosis.Degraded{AllowUnder: []string{"REVISE"}},
			Metadata: map[string]any{"owner": map[string]any{"team": "db"}}},
	}
	if diff := cmp.Diff(want, cases); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDigestsTellDefinitionsAndNotNotes(t *testing.T) {
	digest := func(cases string) string {
		t.Helper()
		got, err := diagnosis.ReadCases("cases.json", []byte(cases), diagnosis.Options{})
		require.NoError(t, err)
		p, err := diagnosis.Compile(got[0])
		require.NoError(t, err)
		row := rowOf(p)
		return row
	}
	base := digest(`[{"id":"c","question":"q","root_cause_keywords":["x"],"required_tools":["t"],"allowed_verdicts":["PASS"]}]`)
	assert.Equal(t, base, digest(`{"defaults":{"allowed_verdicts":"PASS"},"cases":[{"case_id":"c","query":"q","root_cause_keywords":"x","required_tools":[{"name":"t"}],"notes":"n","reason":"r","tags":["a"],"metadata":{"m":1}}]}`))
	assert.NotEqual(t, base, digest(`[{"id":"c","question":"q","root_cause_keywords":["y"],"required_tools":["t"],"allowed_verdicts":["PASS"]}]`))
	assert.NotEqual(t, base, digest(`[{"id":"c","question":"q","root_cause_keywords":["x"],"required_tools":[{"name":"t","accept":"attempted"}],"allowed_verdicts":["PASS"]}]`))
	assert.NotEqual(t, base, digest(`[{"id":"c","question":"q","root_cause_keywords":["x"],"required_tools":["t"],"allowed_verdicts":["PASS"],"max_tool_calls":0}]`))
	assert.Len(t, base, 16)
}

func rowOf(p *diagnosis.Evaluator) string {
	result := p.NotRun()
	return result.Row().Digest
}

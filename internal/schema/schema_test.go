package schema_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/sebdah/goldie/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/run"
	"github.com/karat-eval/karat/internal/project"
	"github.com/karat-eval/karat/internal/schema"
	"github.com/karat-eval/karat/retrieval"
)

const root = "../.."

var generate = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) { return schema.Generate(root) })

// resolve makes a validator of every schema.
var resolve = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	schemas, err := generate()
	out := map[string]*jsonschema.Resolved{}
	for name, s := range schemas {
		if out[name], err = s.CloneSchemas().Resolve(nil); err != nil {
			return nil, err
		}
	}
	return out, err
})

func resolved(t testing.TB, name string) *jsonschema.Resolved {
	t.Helper()
	all, err := resolve()
	require.NoError(t, err)
	r := all[name+".schema.json"]
	require.NotNil(t, r, name)
	return r
}

// parse reads JSON, YAML or the first line of JSONL as a validator sees it.
func parse(t testing.TB, name string, data []byte) any {
	t.Helper()
	var v any
	if strings.HasSuffix(name, ".json") {
		require.NoError(t, json.Unmarshal(data, &v), name)
		return v
	}
	require.NoError(t, yaml.Unmarshal(data, &v), name)
	// The validator knows JSON's numbers only.
	text, err := json.Marshal(v)
	require.NoError(t, err, name)
	require.NoError(t, json.Unmarshal(text, &v), name)
	return v
}

func TestTheCommittedSchemasAreThoseOfTheTypes(t *testing.T) {
	schemas, err := generate()
	require.NoError(t, err)
	dir := filepath.Join(root, schema.Folder)
	g := goldie.New(t, goldie.WithFixtureDir(dir), goldie.WithNameSuffix(""))
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		data, err := schema.Encode(schemas[name])
		require.NoError(t, err)
		g.Assert(t, name, data)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	for _, f := range files {
		assert.Contains(t, schemas, filepath.Base(f), "%s is the schema of nothing", f)
	}
}

func TestASchemaIsItsOwnBytesWhenReadBack(t *testing.T) {
	schemas, err := generate()
	require.NoError(t, err)
	for name, s := range schemas {
		first, err := schema.Encode(s)
		require.NoError(t, err)
		var back jsonschema.Schema
		require.NoError(t, json.Unmarshal(first, &back), name)
		_, err = back.Resolve(nil)
		require.NoError(t, err, name)
		assert.NotContains(t, string(first), `\u003c`, name)
	}
}

// Everything that stands in the repository's testdata is right by the schemas. Only
// a recording that its own reader cannot read, to show what becomes of such a
// case, is not.
func TestEveryFileInTestdataValidates(t *testing.T) {
	seen := map[string]int{}
	check := func(kind, file string) {
		t.Helper()
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var unreadable error
		switch kind {
		case "retrieval-fixture":
			_, unreadable = retrieval.DecodeFixture(data)
		case "diagnosis-trace":
			_, unreadable = diagnosis.DecodeTrace(data)
		}
		if unreadable != nil {
			t.Logf("%s is unreadable: %v", file, unreadable)
			return
		}
		seen[kind]++
		if err := resolved(t, kind).Validate(parse(t, file, data)); err != nil {
			t.Errorf("%s is no %s: %v", file, kind, err)
		}
	}
	testdata := filepath.Join(root, "testdata")
	require.NoError(t, filepath.WalkDir(testdata, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		dir, base := filepath.Base(filepath.Dir(file)), filepath.Base(file)
		switch {
		case strings.HasPrefix(base, "gate."):
			check("gate", file)
		case dir == "retrieval" && strings.HasPrefix(base, "cases."):
			check("retrieval-cases", file)
		case dir == "diagnosis" && strings.HasPrefix(base, "cases."):
			check("diagnosis-cases", file)
		case dir == "fixtures" && strings.HasSuffix(base, ".json"):
			check("retrieval-fixture", file)
		case dir == "traces" && strings.HasSuffix(base, ".json"):
			check("diagnosis-trace", file)
		}
		return nil
	}))
	if _, err := os.Stat(filepath.Join(root, project.DefaultName)); err == nil {
		check("project", filepath.Join(root, project.DefaultName))
	}
	for _, kind := range []string{"retrieval-cases", "retrieval-fixture", "diagnosis-cases", "diagnosis-trace", "gate", "project"} {
		assert.NotZero(t, seen[kind], "nothing of %s was looked at", kind)
	}
}

// The rows are mistakes of people that need no more than the file itself to be
// seen; the reader refuses each of them, and so does the schema. A row with an
// empty mistake is right, for both.
func TestASchemaSeesTheMistakesThatTheReaderSees(t *testing.T) {
	const retrievalCase = `{"id": "vpn-1", "query": "q", "scenario_type": "chat", "expected_documents": ["d"], "expected_keywords": ["k"]}`
	const diagnosisCase = `{"id": "pool-1", "question": "q", "root_cause_keywords": ["k"], "required_tools": ["t"], "allowed_verdicts": ["PASS"]}`
	const suite = `{"name": "a", "kind": "retrieval", "cases": "c.yaml", "fixtures": "f"}`
	readers := map[string]func(data []byte) error{
		"retrieval-cases": func(data []byte) error {
			_, err := retrieval.ReadCases("cases.json", data, retrieval.Options{})
			return err
		},
		"diagnosis-cases": func(data []byte) error {
			_, err := diagnosis.ReadCases("cases.json", data, diagnosis.Options{})
			return err
		},
		"gate": func(data []byte) error { _, err := gate.Read("gate.json", data); return err },
		"project": func(data []byte) error {
			name := filepath.Join(t.TempDir(), "karat.json")
			require.NoError(t, os.WriteFile(name, data, 0o644))
			p, err := project.Open(name)
			if err == nil {
				p.Close()
			}
			return err
		},
		"retrieval-fixture": func(data []byte) error { _, err := retrieval.DecodeFixture(data); return err },
		"diagnosis-trace":   func(data []byte) error { _, err := diagnosis.DecodeTrace(data); return err },
	}
	// with replaces a part of the case, or adds to its end.
	with := func(base, old, new string) string {
		if old == "" {
			return "[" + strings.TrimSuffix(base, "}") + ", " + new + "}]"
		}
		require.Contains(t, base, old)
		return "[" + strings.Replace(base, old, new, 1) + "]"
	}
	r := func(old, new string) string { return with(retrievalCase, old, new) }
	d := func(old, new string) string { return with(diagnosisCase, old, new) }
	p := func(old, new string) string { return `{"suites": ` + with(suite, old, new) + "}" }
	for _, tt := range []struct{ kind, mistake, text string }{
		{"retrieval-cases", "", "[" + retrievalCase + "]"},
		{"retrieval-cases", "", `{"version": 1, "cases": [` + retrievalCase + "]}"},
		{"retrieval-cases", "", `{"defaults": {"scenario_type": "chat"}, "cases": [` + strings.Replace(retrievalCase, `"scenario_type": "chat", `, "", 1) + "]}"},
		{"retrieval-cases", "", r(`"query"`, `"question"`)},
		{"retrieval-cases", "", r(`"id": "vpn-1"`, `"case_id": 9`)},
		{"retrieval-cases", "", r(`["d"]`, `"d"`)},
		{"retrieval-cases", "", r(`["d"]`, `[{"id": "d", "grade": 2}, {"contains": "c"}]`)},
		{"retrieval-cases", "", r(`"expected_documents": ["d"]`, `"expected_source": "s"`)},
		{"retrieval-cases", "", r(`["k"]`, `["k", {"any": ["a", {"regex": "b+"}]}, {"substring": "5.7", "unless_negated": true}, 502]`)},
		{"retrieval-cases", "", r(`"expected_keywords": ["k"]`, `"expected_breadcrumbs": ["a > b", ["a", "b"]]`)},
		{"retrieval-cases", "", `[{"id": "a", "query": "q", "scenario_type": "chat", "answerable": false}]`},
		{"retrieval-cases", "", `[{"conversation_id": "c", "scenario_type": "chat", "expected_documents": "d", "expected_keywords": "k", "turns": [{"query": "q"}, {"query": "r", "id": "x"}]}]`},
		{"retrieval-cases", "", r("", `"metadata": {"anything": [1, {"goes": null}]}`)},
		{"retrieval-cases", "no cases", `[]`},
		{"retrieval-cases", "no cases in the object", `{"cases": []}`},
		{"retrieval-cases", "an object without cases", `{"version": 1}`},
		{"retrieval-cases", "another version", `{"version": 2, "cases": [` + retrievalCase + "]}"},
		{"retrieval-cases", "a field beside the cases", `{"case": 1, "cases": [` + retrievalCase + "]}"},
		{"retrieval-cases", "a misspelt field", r("expected_keywords", "expected_keyword")},
		{"retrieval-cases", "no id", r(`"id": "vpn-1", `, "")},
		{"retrieval-cases", "an id that is a path", r("vpn-1", "../x")},
		{"retrieval-cases", "an id with a space", r("vpn-1", "vpn 1")},
		{"retrieval-cases", "an id that starts with a dot", r("vpn-1", ".vpn")},
		{"retrieval-cases", "an id in the defaults", `{"defaults": {"id": "a"}, "cases": [` + retrievalCase + "]}"},
		{"retrieval-cases", "no query", r(`"query": "q", `, "")},
		{"retrieval-cases", "an empty query", r(`"query": "q"`, `"query": " "`)},
		{"retrieval-cases", "no scenario type", r(`"scenario_type": "chat", `, "")},
		{"retrieval-cases", "no expected document", r(`"expected_documents": ["d"], `, "")},
		{"retrieval-cases", "no expected evidence", r(`, "expected_keywords": ["k"]`, "")},
		{"retrieval-cases", "two names of one field", r("", `"question": "r"`)},
		{"retrieval-cases", "a minimum above 1", r("", `"min_keyword_coverage": 1.4`)},
		{"retrieval-cases", "a minimum below 0", r("", `"min_keyword_coverage": -0.1`)},
		{"retrieval-cases", "a minimum that is a text", r("", `"min_keyword_coverage": "NaN"`)},
		{"retrieval-cases", "a hit level of no name", r("", `"min_hit_level": "good"`)},
		{"retrieval-cases", "an unknown form of keyword", r(`["k"]`, `[{"all": ["a"]}]`)},
		{"retrieval-cases", "two forms in one keyword", r(`["k"]`, `[{"regex": "a", "substring": "a"}]`)},
		{"retrieval-cases", "no alternatives", r(`["k"]`, `[{"any": []}]`)},
		{"retrieval-cases", "an empty keyword", r(`["k"]`, `[""]`)},
		{"retrieval-cases", "a grade of 0", r(`["d"]`, `[{"id": "d", "grade": 0}]`)},
		{"retrieval-cases", "a document of two kinds", r(`["d"]`, `[{"id": "d", "contains": "d"}]`)},
		{"retrieval-cases", "a number where true or false belongs", r("", `"answerable": 0`)},
		{"retrieval-cases", "a turn below 1", r("", `"conversation_id": "c", "turn": -1`)},
		{"retrieval-cases", "part of a turn", r("", `"conversation_id": "c", "turn": 1.5`)},
		{"retrieval-cases", "metadata that is no object", r("", `"metadata": 3`)},
		{"retrieval-cases", "a case that is no object", `["q"]`},
		{"retrieval-cases", "a text", `"cases"`},
		{"diagnosis-cases", "", "[" + diagnosisCase + "]"},
		{"diagnosis-cases", "", d(`"question"`, `"query"`)},
		{"diagnosis-cases", "", d(`["t"]`, `["t", {"any": ["a", "b"]}, {"name": "c", "accept": "attempted"}]`)},
		{"diagnosis-cases", "", d("", `"min_keyword_coverage": {"PASS": 1, "default": 0.5}`)},
		{"diagnosis-cases", "", d("", `"min_keyword_coverage": 0.5, "degraded": {"verdicts": "REVISE", "add_markers": ["草稿"]}`)},
		{"diagnosis-cases", "no required tools", d(`["t"]`, `[]`)},
		{"diagnosis-cases", "no allowed verdicts", d(`["PASS"]`, `[]`)},
		{"diagnosis-cases", "no root cause", d(`["k"]`, `[]`)},
		{"diagnosis-cases", "a misspelt field", d("required_tools", "required_tool")},
		{"diagnosis-cases", "a tool of no form", d(`["t"]`, `[{"tool": "t"}]`)},
		{"diagnosis-cases", "an unknown acceptance", d(`["t"]`, `[{"name": "t", "accept": "any"}]`)},
		{"diagnosis-cases", "a minimum above 1 for a verdict", d("", `"min_keyword_coverage": {"PASS": 2}`)},
		{"diagnosis-cases", "a negative maximum", d("", `"max_tool_calls": -1`)},
		{"diagnosis-cases", "part of a call", d("", `"max_tool_calls": 1.5`)},
		{"diagnosis-cases", "an unknown field of the contract", d("", `"degraded": {"marker": "x"}`)},
		{"gate", "", `{"version": 1, "min_cases": 3, "metrics": {"recall@5": {"min": 0.85}}, "slices": {"source": {"required": "hr", "metrics": {"recall@5": {"min": 0.7}}}}, "max_drop": {"recall@5": 0.02}}`},
		{"gate", "a misspelt field", `{"metric": {"recall@5": {"min": 0.85}}}`},
		{"gate", "an unknown end", `{"metrics": {"recall@5": {"minimum": 0.85}}}`},
		{"gate", "a bound that is a text", `{"metrics": {"recall@5": {"min": "NaN"}}}`},
		{"gate", "a negative number of cases", `{"min_cases": -1, "metrics": {"recall@5": {"min": 0.85}}}`},
		{"gate", "another version", `{"version": 2, "metrics": {"recall@5": {"min": 0.85}}}`},
		{"gate", "a bare number as a bound", `{"metrics": {"recall@5": 0.85}}`},
		{"project", "", `{"version": 1, "suites": [` + suite + "]}"},
		{"project", "", p(`"fixtures"`, `"traces"`)},
		{"project", "", p("", `"gate": "..data/gate.yaml", "json": ".out/x.json"`)},
		{"project", "no suites", `{"suites": []}`},
		{"project", "nothing", `{}`},
		{"project", "an unknown kind", p(`"retrieval"`, `"ingestion"`)},
		{"project", "a misspelt field", p("", `"gates": "g.yaml"`)},
		{"project", "two names of one field", p("", `"traces": "t"`)},
		{"project", "a path out of the folder", p("", `"gate": "../gate.yaml"`)},
		{"project", "an absolute path", p("", `"gate": "/gate.yaml"`)},
		{"project", "k of 0", p("", `"k": 0`)},
		{"project", "no fixtures", p(`, "fixtures": "f"`, "")},
		{"project", "a minimum of 0", p("", `"min_keyword_coverage": 0`)},
		{"retrieval-fixture", "", `{"candidates": []}`},
		{"retrieval-fixture", "", `{"case_id": "a", "candidates": [{"id": "c", "breadcrumb": ["a", "b"], "score": 0.5, "text": "t", "page": 3}], "answer": null, "citations": [1, "c"], "usage": {"input_tokens": 1}, "of_the_application": {}}`},
		{"retrieval-fixture", "", `{"error": "timeout"}`},
		{"retrieval-fixture", "no candidates", `{"case_id": "a"}`},
		{"retrieval-fixture", "null candidates", `{"candidates": null}`},
		{"retrieval-fixture", "candidates that are no list", `{"candidates": {}}`},
		{"retrieval-fixture", "a negative duration", `{"candidates": [], "duration_ms": -1}`},
		{"retrieval-fixture", "negative tokens", `{"candidates": [], "usage": {"input_tokens": -1}}`},
		{"retrieval-fixture", "a score that is a text", `{"candidates": [{"score": "0.9"}]}`},
		{"retrieval-fixture", "a candidate that is a text", `{"candidates": ["a"]}`},
		{"diagnosis-trace", "", `{}`},
		{"diagnosis-trace", "", `{"caseId": "a", "toolInvocations": [{"toolName": "t", "status": "success", "result": null, "durationMs": 3}], "selfEvaluation": {"verifier_evaluation": {"verdict": "PASS", "trace_summary": "t"}}, "finalAnswer": "x", "usage": {"inputTokens": 3}}`},
		{"diagnosis-trace", "", `{"tool_invocations": "[{\"tool\": \"t\"}]", "self_evaluation": "{}", "answer": null, "executorAnswer": {"root_cause": "x"}}`},
		{"diagnosis-trace", "invocations that are a number", `{"toolInvocations": 3}`},
		{"diagnosis-trace", "a negative duration", `{"durationMs": -1}`},
		{"diagnosis-trace", "a trace that is a list", `[]`},
		{"diagnosis-trace", "an answer that is a list", `{"finalAnswer": []}`},
	} {
		name := tt.kind + "/" + tt.mistake
		if tt.mistake == "" {
			name = tt.kind + "/right: " + tt.text
		}
		t.Run(name, func(t *testing.T) {
			err := resolved(t, tt.kind).Validate(parse(t, "x.json", []byte(tt.text)))
			assert.Equal(t, tt.mistake == "", err == nil, "the schema says %v of %s", err, tt.text)
			if read := readers[tt.kind]; read != nil {
				err := read([]byte(tt.text))
				assert.Equal(t, tt.mistake == "", err == nil, "the reader says %v of %s", err, tt.text)
			}
		})
	}
}

func TestReportsAndSummariesValidate(t *testing.T) {
	definition := evaluation.Definition{
		Schema: "karat/test-report/v1", Suite: "test",
		Config: []evaluation.Setting{{Name: "k", Value: 5.0}},
		Metrics: []evaluation.Metric{
			{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			{Name: "mrr", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "mrr"},
			{Name: "ms", Better: evaluation.Lower, Max: math.Inf(1), Unit: "ms", Aggregation: evaluation.Percentile, P: 95, Of: "ms", Except: "warm_up"},
			{Name: "verdicts", Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Distribution, Of: "verdict"},
		},
		Facts: []evaluation.FactInfo{{Name: "verdict", Order: []string{"a", "b"}, Transitions: true, Volatile: true, Title: "Verdict"}},
	}
	rows := []evaluation.Row{
		{
			ID: "a", Digest: "d", Query: "q", Status: evaluation.Fail, Stage: "ranking", Reason: "why",
			Facts:    []evaluation.Fact{{Name: "verdict", Value: "PASS"}, {Name: "rank", Value: nil}, {Name: "labels", Value: []string{"x"}}},
			Checks:   []evaluation.Check{{Name: "c", Status: evaluation.CheckFail, Expected: "e", Got: "g", Reason: "r"}, {Name: "i", Status: evaluation.CheckInfo}},
			Metrics:  []evaluation.Value{{Name: "ms", Value: 3}},
			Evidence: []evaluation.Evidence{{Kind: "keyword", Expected: "k", Covered: true, By: "k", Where: "w", Around: "a", Note: "n"}},
			Labels:   []evaluation.Label{{Name: "tag", Values: []string{"x"}}},
			Warnings: []string{"w"},
		},
		{ID: "b", Status: evaluation.NotRun},
	}
	report, err := evaluation.New(definition, rows, []string{"w"})
	require.NoError(t, err)
	data, err := report.MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, resolved(t, "report").Validate(parse(t, "r.json", data)), string(data))
	// Each member that is written is described.
	described(t, "report", parse(t, "r.json", data))

	rules, err := gate.Read("gate.yaml", []byte("metrics: {pass_rate: {min: 1}}"))
	require.NoError(t, err)
	v, err := run.Judge(report, report, rules, run.Options{})
	require.NoError(t, err)
	summary := compare.Run{Suites: []compare.RunSuite{v.Suite("a", "test"), run.Unusable("b", "test", fs.ErrNotExist)}}
	var b bytes.Buffer
	require.NoError(t, summary.WriteJSON(&b))
	require.NoError(t, resolved(t, "run").Validate(parse(t, "r.json", b.Bytes())), b.String())
	described(t, "run", parse(t, "r.json", b.Bytes()))

	for _, mistake := range []string{
		`{"schema": "karat/run/v2", "suites": []}`,
		`{"suites": []}`,
		`{"schema": "karat/run/v1", "suites": [{"name": "a", "kind": "b", "status": "good", "counts": {"pass": 0, "fail": 0, "not_run": 0, "error": 0}, "summary": {}}]}`,
	} {
		assert.Error(t, resolved(t, "run").Validate(parse(t, "r.json", []byte(mistake))), mistake)
	}
}

func TestTheReportOfARealSuiteValidates(t *testing.T) {
	s, err := retrieval.Open(filepath.Join(root, "testdata", "retrieval"), retrieval.Options{})
	require.NoError(t, err)
	defer s.Close()
	report, err := s.Run(t.Context())
	require.NoError(t, err)
	data, err := report.MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, resolved(t, "report").Validate(parse(t, "r.json", data)))
}

// described fails the test for members of a file's fixed objects that the schema
// does not describe.
func described(t *testing.T, kind string, file any) {
	t.Helper()
	schemas, err := generate()
	require.NoError(t, err)
	top := schemas[kind+".schema.json"]
	var walk func(where string, s *jsonschema.Schema, v any)
	walk = func(where string, s *jsonschema.Schema, v any) {
		for s.Ref != "" || len(s.AllOf) == 1 {
			if s.Ref == "" {
				s = s.AllOf[0]
				continue
			}
			s = top.Definitions[strings.TrimPrefix(s.Ref, "#/definitions/")]
		}
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				if s.Items != nil {
					walk(where+"[]", s.Items, x)
				}
			}
		case map[string]any:
			for name, x := range v {
				switch {
				case s.Properties[name] != nil:
					walk(where+"."+name, s.Properties[name], x)
				case s.AdditionalProperties != nil:
					walk(where+"."+name, s.AdditionalProperties, x)
				case where == ".cases[]" && slices.Contains([]string{"verdict", "rank", "labels"}, name): // facts
				case s.Properties != nil:
					t.Errorf("%s%s.%s is not described", kind, where, name)
				}
			}
		}
	}
	walk("", top, file)
}

// Every name of a trace that the schema tells is one that the reader knows.
func TestATraceIsReadByEveryNameOfTheSchema(t *testing.T) {
	schemas, err := generate()
	require.NoError(t, err)
	top := schemas["diagnosis-trace.schema.json"]
	samples := map[string]string{
		"caseId": `"a"`, "case_id": `"a"`, "traceId": `"a"`, "trace_id": `"a"`, "question": `"a"`,
		"toolInvocations": `[{"toolName": "t"}]`, "tool_invocations": `[{"toolName": "t"}]`,
		"selfEvaluation": `{"verifier_evaluation": {"verdict": "PASS"}}`, "self_evaluation": `{"verifierEvaluation": {"verdict": "PASS"}}`,
		"executorAnswer": `"a"`, "executor_answer": `"a"`, "draftAnswer": `"a"`, "draft_answer": `"a"`,
		"finalAnswer": `"a"`, "final_answer": `"a"`, "answer": `"a"`,
		"degraded": `true`, "status": `"failed"`, "error": `"a"`,
		"startedAt": `"2026-05-14T08:00:00Z"`, "started_at": `"2026-05-14T08:00:00Z"`,
		"finishedAt": `"2026-05-14T08:00:00Z"`, "finished_at": `"2026-05-14T08:00:00Z"`,
		"durationMs": `3`, "duration_ms": `3`, "usage": `{"inputTokens": 3}`,
	}
	calls := map[string]string{
		"toolCallId": `"a"`, "tool_call_id": `"a"`, "id": `"a"`, "toolName": `"a"`, "tool_name": `"a"`, "name": `"a"`, "tool": `"a"`,
		"arguments": `{"a": 1}`, "status": `"failed"`, "result": `"a"`, "error": `"a"`, "isError": `true`, "is_error": `true`,
		"success": `false`, "exitCode": `1`, "exit_code": `1`, "durationMs": `3`, "duration_ms": `3`,
		"startedAt": `"2026-05-14T08:00:00Z"`, "started_at": `"2026-05-14T08:00:00Z"`, "finishedAt": `"2026-05-14T08:00:00Z"`, "finished_at": `"2026-05-14T08:00:00Z"`,
	}
	plain, err := diagnosis.DecodeTrace([]byte(`{}`))
	require.NoError(t, err)
	for name := range top.Properties {
		require.Contains(t, samples, name, "the test has no sample of it")
		got, err := diagnosis.DecodeTrace([]byte(`{"` + name + `": ` + samples[name] + `}`))
		require.NoError(t, err, name)
		assert.NotEqual(t, plain, got, "%s is not read", name)
	}
	bare, err := diagnosis.DecodeTrace([]byte(`{"toolInvocations": [{}]}`))
	require.NoError(t, err)
	for name := range top.Definitions["invocation"].Properties {
		require.Contains(t, calls, name, "the test has no sample of it")
		got, err := diagnosis.DecodeTrace([]byte(`{"toolInvocations": [{"` + name + `": ` + calls[name] + `}]}`))
		require.NoError(t, err, name)
		assert.NotEqual(t, bare.Calls, got.Calls, "%s is not read", name)
	}
}

package retrieval_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/retrieval"
)

const caseA = `{"id": "a", "query": "VPN 连不上", "scenario_type": "chat", "expected_documents": ["vpn.md"], "expected_keywords": ["重启"]}`
const fixtureA = `{"case_id": "a", "candidates": [{"id": "1", "document_id": "vpn.md", "text": "重启客户端"}]}`

// folder writes files into a folder of its own; a name's value "->x" makes it a
// symbolic link to x.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "suite")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, isLink := strings.CutPrefix(content, "->"); isLink {
			require.NoError(t, os.Symlink(target, path))
			continue
		}
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

func run(t *testing.T, dir string, opt retrieval.Options) (*evaluation.Report, error) {
	t.Helper()
	s, err := retrieval.Open(dir, opt)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Run(context.Background())
}

func TestASuiteIsItsFolder(t *testing.T) {
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	_, err := w.Write([]byte(fixtureA + "\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	yaml := `
version: 1
defaults: {scenario_type: chat}
cases:
  - id: a
    query: VPN 连不上
    expected_documents: vpn.md
    expected_keywords: [重启]
`
	want := ""
	for _, tt := range []struct {
		name  string
		files map[string]string
	}{
		{"JSON and a folder", map[string]string{"cases.json": `{"version": 1, "cases": [` + caseA + `]}`, "fixtures/a.json": fixtureA}},
		{"a bare list and a bundle", map[string]string{"cases.json": `[` + caseA + `]`, "fixtures.jsonl": fixtureA}},
		{"YAML and a gzipped bundle", map[string]string{"cases.yaml": yaml, "fixtures.jsonl.gz": gz.String()}},
		{"YML with CRLF, a fixture with a BOM", map[string]string{"cases.yml": strings.ReplaceAll(yaml, "\n", "\r\n"), "fixtures/a.json": "\uFEFF" + fixtureA}},
		{"JSONL with a BOM", map[string]string{"cases.jsonl": "\uFEFF" + caseA + "\r\n", "fixtures/a.json": fixtureA, "README.md": "is no fixture"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.files)
			report, err := run(t, dir, retrieval.Options{})
			require.NoError(t, err)
			assert.Equal(t, evaluation.Pass, report.Rows[0].Status)
			assert.Equal(t, "suite", report.Suite)
			var b bytes.Buffer
			require.NoError(t, report.WriteJSON(&b))
			if want == "" {
				want = b.String()
			}
			assert.Equal(t, want, b.String(), "the same cases and fixtures are the same report")

			files := fstest.MapFS{}
			for name, content := range tt.files {
				files["suite/"+name] = &fstest.MapFile{Data: []byte(content)}
			}
			s, err := retrieval.OpenFS(files, "suite", retrieval.Options{})
			require.NoError(t, err)
			defer s.Close()
			report, err = s.Run(context.Background())
			require.NoError(t, err)
			b.Reset()
			require.NoError(t, report.WriteJSON(&b))
			assert.Equal(t, want, b.String(), "through a file system too")
		})
	}
}

func TestWrongInputIsAnErrorThatSaysWhere(t *testing.T) {
	list := func(cases ...string) string { return "[\n" + strings.Join(cases, ",\n") + "\n]" }
	with := func(fields string) string { return strings.TrimSuffix(caseA, "}") + ", " + fields + "}" }
	for _, tt := range []struct {
		name  string
		files map[string]string
		opt   retrieval.Options
		want  string // without the folder
	}{
		{"no case set", map[string]string{"fixtures/a.json": fixtureA}, retrieval.Options{}, "DIR: no case set; one of cases.yaml, cases.yml, cases.json, cases.jsonl is needed"},
		{"two case sets", map[string]string{"cases.json": list(caseA), "cases.yaml": list(caseA), "fixtures/a.json": fixtureA}, retrieval.Options{}, "DIR: more than one case set: cases.yaml, cases.json; keep one of them"},
		{"no fixtures", map[string]string{"cases.json": list(caseA)}, retrieval.Options{}, "DIR: no fixtures; one of fixtures, fixtures.jsonl, fixtures.jsonl.gz is needed"},
		{"two kinds of fixtures", map[string]string{"cases.json": list(caseA), "fixtures/a.json": fixtureA, "fixtures.jsonl": fixtureA}, retrieval.Options{}, "DIR: more than one fixtures: fixtures, fixtures.jsonl; keep one of them"},
		{"an empty fixture folder", map[string]string{"cases.json": list(caseA), "fixtures/": ""}, retrieval.Options{}, "no fixtures in DIR/fixtures: the folder holds no .json file"},
		{"zero cases", map[string]string{"cases.json": "[]", "fixtures/a.json": fixtureA}, retrieval.Options{}, "DIR/cases.json:1: no cases; at least one is needed"},
		{"a misspelt field", map[string]string{"cases.json": list(strings.Replace(caseA, "expected_keywords", "expected_keyword", 1)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `did you mean "expected_keywords"?`},
		{"the same id twice", map[string]string{"cases.json": list(caseA, strings.Replace(caseA, `"a"`, `"A"`, 1)), "fixtures/a.json": fixtureA}, retrieval.Options{}, "DIR/cases.json:3"},
		{"an id that is a path", map[string]string{"cases.json": list(strings.Replace(caseA, `"a"`, `"../x"`, 1)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `DIR/cases.json:2: id: "../x" starts with "."`},
		{"two names of one field", map[string]string{"cases.json": list(with(`"question": "x"`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `"query" and "question" are two names of one field`},
		{"a key twice", map[string]string{"cases.json": list(with(`"query": "x"`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, "DIR/cases.json:2"},
		{"truncated", map[string]string{"cases.json": "[" + caseA, "fixtures/a.json": fixtureA}, retrieval.Options{}, "DIR/cases.json:1"},
		{"invalid UTF-8", map[string]string{"cases.json": list(with("\"notes\": \"\xff\"")), "fixtures/a.json": fixtureA}, retrieval.Options{}, "invalid UTF-8 (byte 0xff)"},
		{"a minimum that is no number", map[string]string{"cases.yaml": "- " + with(`"min_keyword_coverage": .nan`), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": min_keyword_coverage: NaN is not allowed, a finite number is needed`},
		{"a minimum out of range", map[string]string{"cases.json": list(with(`"min_keyword_coverage": 1.4`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `DIR/cases.json:2: case "a": min_keyword_coverage: 1.4 is outside [0, 1]`},
		{"a minimum of nothing", map[string]string{"cases.json": list(with(`"min_answer_keyword_coverage": 0.5`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": min_answer_keyword_coverage: it bounds answer_keywords, and the case has none`},
		{"sources of no source", map[string]string{"cases.json": list(with(`"min_expected_sources": 2`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": min_expected_sources: it bounds expected_source, and the case has none`},
		{"no scenario type", map[string]string{"cases.json": list(strings.Replace(caseA, `"scenario_type": "chat", `, "", 1)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": scenario_type: a text is needed`},
		{"nothing expected", map[string]string{"cases.json": list(`{"id": "a", "query": "q", "scenario_type": "chat"}`), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": expected_documents: at least one document is needed`},
		{"no evidence expected", map[string]string{"cases.json": list(`{"id": "a", "query": "q", "scenario_type": "chat", "expected_documents": ["x"]}`), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": expected_keywords: at least one of expected_keywords and expected_breadcrumbs is needed`},
		{"a bad regex", map[string]string{"cases.json": list(with(`"answer_keywords": ["fine", {"regex": "a("}]`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": answer_keywords[1]: regex`},
		{"a keyword of nothing", map[string]string{"cases.json": list(with(`"answer_keywords": ["\u200b"]`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": answer_keywords[0]: empty after normalising`},
		{"a keyword of two forms", map[string]string{"cases.json": list(with(`"answer_keywords": {"regex": "a", "substring": "b"}`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": answer_keywords: a keyword has one form`},
		{"a document of nothing", map[string]string{"cases.json": list(with(`"forbidden_documents": [{"contains": " "}]`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": forbidden_documents[0].contains: the text is empty`},
		{"a grade of nothing", map[string]string{"cases.json": list(strings.Replace(caseA, `"vpn.md"`, `{"id": "vpn.md", "grade": 0}`, 1)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": expected_documents[0].grade: 0 is not above 0`},
		{"a hit level of no name", map[string]string{"cases.json": list(with(`"min_hit_level": "weak"`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": min_hit_level: "weak" is neither strong nor medium`},
		{"a turn of 0, which a struct takes for none", map[string]string{"cases.json": list(with(`"conversation_id": "v", "turn": 0`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": turn: 0 is under 1`},
		{"0 sources at least", map[string]string{"cases.yaml": "- {id: a, query: q, scenario_type: chat, expected_source: it, expected_keywords: x, min_expected_sources: 0}\n", "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": min_expected_sources: 0 is under 1`},
		{"a turn of no conversation", map[string]string{"cases.json": list(with(`"turn": 2`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "a": turn: a turn needs a conversation_id`},
		{"one turn twice", map[string]string{"cases.json": list(with(`"conversation_id": "v", "turn": 2`), strings.Replace(with(`"conversation_id": "v", "turn": 2`), `"a"`, `"b"`, 1)), "fixtures/a.json": fixtureA}, retrieval.Options{}, `case "b": turn: turn 2 of conversation "v" is the case "a" already`},
		{"all problems of a file together", map[string]string{"cases.json": list(with(`"min_keyword_coverage": 2, "min_hit_level": "weak"`)), "fixtures/a.json": fixtureA}, retrieval.Options{}, "is outside [0, 1]\nDIR/cases.json:2: case \"a\": min_hit_level"},
		{"two fixtures of one case", map[string]string{"cases.json": list(caseA), "fixtures.jsonl": fixtureA + "\n" + fixtureA}, retrieval.Options{}, `DIR/fixtures.jsonl:2: case "a": a second fixture of this case, the first is on line 1`},
		{"a fixture of another name", map[string]string{"cases.json": list(caseA), "fixtures/a.json": strings.Replace(fixtureA, `"a"`, `"b"`, 1)}, retrieval.Options{}, `DIR/fixtures/a.json: case_id is "b", the file's name says "a"`},
		{"an orphan under strict", map[string]string{"cases.json": list(caseA), "fixtures/a.json": fixtureA, "fixtures/old.json": "{}"}, retrieval.Options{Strict: true}, `DIR/fixtures/old.json: the fixture belongs to no case`},
		{"a link out of the folder", map[string]string{"cases.json": list(caseA), "fixtures/a.json": "->../../outside.json"}, retrieval.Options{}, "DIR/fixtures/a.json"},
		{"k below 1", map[string]string{"cases.json": list(caseA), "fixtures/a.json": fixtureA}, retrieval.Options{K: -1}, "k is -1; 1 or more is allowed"},
		{"too many cases", map[string]string{"cases.json": list(caseA, strings.Replace(caseA, `"a"`, `"b"`, 1)), "fixtures/a.json": fixtureA}, retrieval.Options{MaxCases: 1}, "more than 1 case"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.files)
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(dir), "outside.json"), []byte(fixtureA), 0o644))
			_, err := run(t, dir, tt.opt)
			require.Error(t, err)
			assert.Contains(t, strings.ReplaceAll(err.Error(), filepath.ToSlash(dir), "DIR"), tt.want)
		})
	}
}

// What is wrong with one fixture is its case's error, and the run goes on.
func TestAFixtureThatCannotBeReadIsItsCasesError(t *testing.T) {
	for _, tt := range []struct{ name, fixture, want string }{
		{"empty", "", "the fixture is empty; a JSON object is needed"},
		{"truncated", `{"candidates": [{"id": "1"`, "no JSON: byte 26 (candidates[0]): the text ends too early"},
		{"no object", `[1]`, "byte 0: a JSON object is needed, found a list"},
		{"a key twice", `{"candidates": [], "source": "a", "source": "b"}`, "byte 34 (source): the name stands twice in one object"},
		{"invalid UTF-8", "{\"candidates\": [], \"source\": \"\xff\"}", "no JSON: byte 30 (source): a string that is not UTF-8"},
		{"no candidates", `{"answer": "x"}`, "candidates: a list is needed where there is no error"},
		{"null for candidates", `{"candidates": null}`, "candidates: a list is needed where there is no error"},
		{"candidates of a wrong type", `{"candidates": {"id": "1"}}`, "byte 15 (candidates): a list is needed, found an object"},
		{"a candidate of a wrong type", `{"candidates": ["1"]}`, "byte 16 (candidates[0]): an object is needed, found a string"},
		{"a text of a wrong type", `{"candidates": [{}, {"text": 1}]}`, "byte 29 (candidates[1].text): a string is needed, found a number"},
		{"two ids", `{"case_id": "a", "caseId": "d", "candidates": []}`, `byte 27 (caseId): the fixture says that it is of case "a", and of case "d"`},
		{"a negative duration", `{"candidates": [], "duration_ms": -1}`, "byte 34 (duration_ms): -1 is negative; 0 or more is allowed"},
		{"a negative first token", `{"candidates": [], "first_token_ms": -0.5}`, "byte 37 (first_token_ms): -0.5 is negative; 0 or more is allowed"},
		{"negative tokens", `{"candidates": [], "usage": {"output_tokens": -1}}`, "byte 46 (usage.output_tokens): -1 is negative; 0 or more is allowed"},
		{"a duration of a wrong type", `{"candidates": [], "duration_ms": "12"}`, "byte 34 (duration_ms): a number is needed, found a string"},
		{"a citation of a wrong type", `{"candidates": [], "citations": [true]}`, "byte 33 (citations[0]): a position or an id is needed, found true or false"},
		{"something behind it", `{"candidates": []} {}`, "no JSON: byte 19: more follows the end of the value"},
		{"too large", `{"candidates": [], "answer": "` + strings.Repeat("x", 2000) + `"}`, "over the limit of 1000 bytes"},
		{"too deep", `{"candidates": [], "extra": ` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "byte 1027 (extra[0][0][0][0][0][0][0][0][0][0][0].…): nested deeper than 1000 levels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := retrieval.Options{}
			if tt.name == "too large" {
				opt.MaxFixtureBytes = 1000
			}
			dir := folder(t, map[string]string{
				"cases.json":      "[" + caseA + "," + strings.Replace(caseA, `"a"`, `"b"`, 1) + "]",
				"fixtures/a.json": tt.fixture,
				"fixtures/b.json": strings.Replace(fixtureA, `"a"`, `"b"`, 1),
			})
			report, err := run(t, dir, opt)
			require.NoError(t, err)
			row := report.Row("a")
			assert.Equal(t, evaluation.Error, row.Status)
			assert.Equal(t, "fixture", row.Stage)
			assert.Equal(t, []string{"fixture"}, row.FailedChecks())
			assert.Contains(t, row.Check("fixture").Reason, tt.want)
			assert.Nil(t, row.Fact("hit_level"))
			recall, ok := row.Number("recall@5")
			assert.True(t, ok && recall == 0, "it stays in the denominators")
			assert.Equal(t, evaluation.Pass, report.Row("b").Status)
		})
	}
}

func TestAMissingFixtureIsNotRun(t *testing.T) {
	dir := folder(t, map[string]string{
		"cases.json":      "[" + caseA + "," + strings.Replace(caseA, `"a"`, `"b"`, 1) + "]",
		"fixtures/a.json": fixtureA,
	})
	report, err := run(t, dir, retrieval.Options{})
	require.NoError(t, err)
	row := report.Row("b")
	assert.Equal(t, evaluation.NotRun, row.Status)
	assert.Equal(t, "not_run", row.Stage)
	assert.Equal(t, "no fixture was recorded for this case: looked for fixtures/b.json", row.Check("fixture").Reason)
	assert.Nil(t, row.Fact("hit_level"))
	for name, want := range map[string]float64{"recall@5": 0.5, "mrr": 0.5, "pass_rate": 0.5, "not_run_count": 1, "strong_count": 1, "average_first_hit_rank": 1} {
		e, _ := report.Entry(name)
		assert.Equal(t, want, e.Value, name)
	}
	rank, _ := report.Entry("average_first_hit_rank")
	assert.Equal(t, 1, rank.N, "the mean goes over the cases that have a rank")
}

func TestAnOrphanIsAWarning(t *testing.T) {
	dir := folder(t, map[string]string{"cases.json": "[" + caseA + "]", "fixtures/a.json": fixtureA, "fixtures/old.json": "{}"})
	report, err := run(t, dir, retrieval.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{`fixtures/old.json belongs to no case`}, report.Warnings)
}

func TestAYAMLIDKeepsItsZero(t *testing.T) {
	dir := folder(t, map[string]string{
		"cases.yaml":       "- {id: 09, query: q, scenario_type: chat, expected_documents: [007], expected_keywords: [重启]}",
		"fixtures/09.json": `{"candidates": [{"id": "007", "text": "重启"}]}`,
	})
	report, err := run(t, dir, retrieval.Options{})
	require.NoError(t, err)
	assert.Equal(t, "09", report.Rows[0].ID)
	assert.Equal(t, evaluation.Pass, report.Rows[0].Status)
}

func TestAConversationIsACaseForEachTurn(t *testing.T) {
	dir := folder(t, map[string]string{
		"cases.yaml": `
- conversation_id: vpn
  scenario_type: chat
  expected_documents: [vpn.md]
  expected_keywords: [重启]
  turns:
    - query: VPN 连不上怎么办
    - query: 那 Mac 呢
      expected_rewrite_keywords: [VPN, Mac]
`,
		"fixtures/vpn-1.json": `{"candidates": [{"id": "vpn.md", "text": "重启"}]}`,
		"fixtures/vpn-2.json": `{"candidates": [{"id": "vpn.md", "text": "重启"}], "rewritten_query": "Mac 上的 VPN 连不上怎么办"}`,
	})
	report, err := run(t, dir, retrieval.Options{})
	require.NoError(t, err)
	require.Len(t, report.Rows, 2)
	for name, n := range map[string]int{"followup_rewrite_rate": 1, "followup_context_rate": 1, "followup_source_accuracy": 0} {
		e, _ := report.Entry(name)
		assert.Equal(t, n, e.N, name)
		assert.Equal(t, n > 0, e.OK, name)
	}
}

// Latency by hand: ranks ceil(n·p/100) of 10, 20, 30, 40 are 2, 4, 4.
func TestLatencyLeavesWarmUpsOutAndCountsThem(t *testing.T) {
	files := map[string]string{}
	var cases []string
	for i, ms := range []string{"40", "10", "30", "20", "1000", ""} {
		id := string(rune('a' + i))
		cases = append(cases, strings.Replace(caseA, `"a"`, `"`+id+`"`, 1))
		fields := ""
		if ms != "" {
			fields = `, "duration_ms": ` + ms
		}
		if ms == "1000" {
			fields += `, "warm_up": true`
		}
		files["fixtures/"+id+".json"] = `{"candidates": [{"id": "vpn.md", "text": "重启"}]` + fields + `}`
	}
	files["cases.json"] = "[" + strings.Join(cases, ",") + "]"
	report, err := run(t, folder(t, files), retrieval.Options{})
	require.NoError(t, err)
	for name, want := range map[string]float64{"duration_ms_mean": 25, "duration_ms_p50": 20, "duration_ms_p95": 40, "duration_ms_p99": 40} {
		e, _ := report.Entry(name)
		assert.Equal(t, want, e.Value, name)
		assert.Equal(t, 4, e.N, name)
	}
	warm, _ := report.Entry("warm_up_count")
	assert.Equal(t, 1.0, warm.Value)
	first, _ := report.Entry("first_token_ms_p95")
	assert.False(t, first.OK)
	assert.Equal(t, []string{"duration_ms: n = 4 is under 20, so that the 95th and 99th percentiles are near the maximum"}, report.Warnings)
}

func TestOptionsAreInTheReport(t *testing.T) {
	dir := folder(t, map[string]string{"cases.json": "[" + caseA + "]", "fixtures/a.json": fixtureA})
	report, err := run(t, dir, retrieval.Options{K: 3, MinKeywordCoverage: 0.5, MinHitLevel: retrieval.Medium, Name: "mine"})
	require.NoError(t, err)
	assert.Equal(t, "mine", report.Suite)
	assert.Equal(t, "[{k 3} {min_keyword_coverage 0.5} {min_hit_level medium} {ruleset 1}]", fmt.Sprint(report.Config))
	_, ok := report.Entry("recall@3")
	assert.True(t, ok)
}

func TestTheDigestIsOfWhatIsEvaluated(t *testing.T) {
	digest := func(c string) string {
		cases, err := retrieval.ReadCases("cases.json", []byte("["+c+"]"), retrieval.Options{})
		require.NoError(t, err)
		e, err := retrieval.Compile(cases[0], retrieval.Options{})
		require.NoError(t, err)
		r := e.NotRun()
		return r.Digest
	}
	base := digest(caseA)
	assert.Len(t, base, 16)
	with := func(fields string) string { return strings.TrimSuffix(caseA, "}") + ", " + fields + "}" }
	for _, same := range []string{
		with(`"notes": "x", "reason": "y", "tags": ["z"], "metadata": {"k": 1}`),
		with(`"answerable": true`),
		`{"case_id": "a", "question": "VPN 连不上", "scenario_type": "chat", "relevant_doc_id": "vpn.md", "expected_keywords": "重启"}`,
		`{"id": "a", "query": "VPN 连不上", "scenario_type": "chat", "expected_documents": [{"id": "vpn.md", "grade": 1.0}], "expected_keywords": ["重启"]}`,
	} {
		assert.Equal(t, base, digest(same), same)
	}
	seen := map[string]string{base: caseA}
	for _, other := range []string{
		with(`"scenario_id": "s"`), with(`"expected_source": "it"`), with(`"min_keyword_coverage": 0.5`), with(`"min_hit_level": "medium"`),
		with(`"forbidden_documents": ["x"]`), with(`"expected_breadcrumbs": ["a > b"]`), with(`"answer_keywords": ["x"]`), with(`"min_grounded_facts": 0`),
		with(`"conversation_id": "v", "turn": 2`), with(`"expected_hit_type": "rag"`), with(`"split": "dev"`),
		strings.Replace(caseA, `["重启"]`, `["账号"]`, 1), strings.Replace(caseA, `["重启"]`, `[{"substring": "重启"}]`, 1), strings.Replace(caseA, `["重启"]`, `[{"any": ["重启"]}]`, 1),
		strings.Replace(caseA, `["重启"]`, `[{"any": ["重启"], "unless_negated": true}]`, 1), strings.Replace(caseA, `["vpn.md"]`, `[{"contains": "vpn.md"}]`, 1),
	} {
		d := digest(other)
		assert.Empty(t, seen[d], "%s has the digest of %s", other, seen[d])
		seen[d] = other
	}
}

func TestWhatFollowsFromASlipOfACaseFileIsNotSaid(t *testing.T) {
	const head = "- id: a\n  query: q\n  scenario_type: chat\n"
	for _, tt := range []struct{ name, cases, want string }{
		{"keywords", head + "  expected_documents: [x]\n  expected_keyword: [重启]\n", `cases.yaml:5: case "a": unknown field "expected_keyword"; did you mean "expected_keywords"?`},
		{"keywords with a minimum", head + "  expected_documents: [x]\n  expected_keyword: [重启]\n  min_keyword_coverage: 0.5\n", `cases.yaml:5: case "a": unknown field "expected_keyword"; did you mean "expected_keywords"?`},
		{"breadcrumbs, which stand for keywords", head + "  expected_documents: [x]\n  expectedBreadcrumbs: [a]\n", `cases.yaml:5: case "a": unknown field "expectedBreadcrumbs"; did you mean "expected_breadcrumbs"?`},
		{"a source, which stands for documents", head + "  expected_sorce: it\n  expected_keywords: [重启]\n", `cases.yaml:4: case "a": unknown field "expected_sorce"; did you mean "expected_source"?`},
		{"an alias", head + "  relevant_doc_ids: [x]\n  expected_keywords: [重启]\n", `cases.yaml:4: case "a": unknown field "relevant_doc_ids"; did you mean "relevant_doc_id"?`},
		{"answerable of a wrong type", head + "  answerable: nope\n", `cases.yaml:4: case "a": answerable: true or false is needed, found the string "nope"`},
		{"a keyword of no form", head + "  expected_documents: [x]\n  expected_keywords: [{anyof: [a]}, '']\n", `cases.yaml:5: case "a": expected_keywords[0]: unknown field "anyof"; a keyword is a string, {"any": […]}, {"substring": "…"} or {"regex": "…"}` + "\n" +
			`cases.yaml:5: case "a": expected_keywords[1]: empty after normalising; a keyword has a character that can be seen`},
		{"a grade that is a text, and nothing else", head + "  expected_documents: {id: x, grade: high}\n  expected_keywords: [重启]\n", `cases.yaml:4: case "a": expected_documents.grade: a number is needed, found the string "high"`},
		{"a group that is a text, and nothing else", head + "  expected_documents: x\n  expected_keywords: [{any: {a: 1}}]\n", `cases.yaml:5: case "a": expected_keywords[0].any: unknown field "a"; a keyword is a string, {"any": […]}, {"substring": "…"} or {"regex": "…"}`},
		{"a document of no form", head + "  expected_documents: {ops: x}\n  expected_keywords: [重启]\n", `cases.yaml:4: case "a": expected_documents: unknown field "ops"; a document is a string, {"id": "…", "grade": 2} or {"contains": "…"}`},
		{"a slip in the defaults", "defaults: {scenario_typ: chat}\ncases:\n- {id: a, query: q, expected_documents: [x], expected_keywords: [重启]}\n", `cases.yaml:1: defaults: unknown field "scenario_typ"; did you mean "scenario_type"?`},
		{"a bad id", "- {id: -a, query: q, scenario_type: chat, expected_documents: [x]}\n", `cases.yaml:1: id: "-a" starts with "-"; an id is 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'` + "\n" +
			`cases.yaml:1: expected_keywords: at least one of expected_keywords and expected_breadcrumbs is needed, or answerable: false`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := retrieval.ReadCases("cases.yaml", []byte(tt.cases), retrieval.Options{})
			assert.EqualError(t, err, tt.want)
		})
	}
}

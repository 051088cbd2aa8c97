package diagnosis_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/suite"
)

const goodTrace = `{"toolInvocations":[{"toolName":"t","result":1}],"selfEvaluation":{"verifier_evaluation":{"verdict":"PASS"}},"finalAnswer":"根因是x。"}`

func casesFor(ids ...string) []byte {
	var b strings.Builder
	b.WriteString("defaults: {question: 为什么, root_cause_keywords: [x], required_tools: [t], allowed_verdicts: [PASS]}\ncases:\n")
	for _, id := range ids {
		b.WriteString("  - id: " + id + "\n")
	}
	return []byte(b.String())
}

func run(t *testing.T, files fstest.MapFS, opt diagnosis.Options) *evaluation.Report {
	t.Helper()
	s, err := diagnosis.OpenFS(files, ".", opt)
	require.NoError(t, err)
	defer s.Close()
	report, err := s.Run(context.Background())
	require.NoError(t, err)
	return report
}

func TestABrokenTraceIsAnErrorCaseAndTheRunGoesOn(t *testing.T) {
	deep := func(open, close string) string { return strings.Repeat(open, 10000) + strings.Repeat(close, 10000) }
	rows := []struct{ id, trace, reason string }{
		{"no-json", `not JSON`, `no JSON: byte 0: a value is needed, found 'n'`},
		{"empty", ``, `the trace is empty; a JSON object is needed`},
		{"blank", " \n ", `the trace is empty; a JSON object is needed`},
		{"a-list", `[]`, `byte 0: a JSON object is needed, found a list`},
		{"cut-off", `{"finalAnswer": "x`, `no JSON: byte 18 (finalAnswer): the text ends too early`},
		{"trailing", `{} {}`, `no JSON: byte 3: more follows the end of the value`},
		{"too-large", `{"finalAnswer": "` + strings.Repeat("x", 1000) + `"}`, `too-large.json: the fixture is over the limit of 1000 bytes`},
		{"nested", `{"finalAnswer": "x", "other": ` + deep("[", "]") + `}`, `byte 1029 (other[0][0][0][0][0][0][0][0][0][0][0].…): nested deeper than 1000 levels`},
		{"nested-result", `{"toolInvocations": [{"toolName": "t", "result": ` + deep(`{"a":`, "}") + `}]}`, `byte 5034 (toolInvocations[0].result.a.a.a.a.a.a.a.a.a.…): nested deeper than 1000 levels`},
		{"invocations-null", `{"toolInvocations": null}`, `byte 20 (toolInvocations): a list of tool invocations is needed, found null`},
		{"invocations-number", `{"toolInvocations": 7}`, `byte 20 (toolInvocations): a list of tool invocations is needed, found a number`},
		{"invocations-text", `{"toolInvocations": "none"}`, `byte 20 (toolInvocations): a list of tool invocations is needed, found a string that is no JSON: "none"`},
		{"invocations-text-of-an-object", `{"toolInvocations": "{}"}`, `byte 20 (toolInvocations): a list of tool invocations is needed, found a string that holds an object`},
		{"invocations-broken-text", `{"toolInvocations": "[{\"toolName\": 1,}]"}`, `byte 20 (toolInvocations): in the string: no JSON: byte 16 ([0]): a name is needed, found '}'`},
		{"invocation-null", `{"toolInvocations": [null]}`, `byte 21 (toolInvocations[0]): an object, the tool invocation, is needed, found null`},
		{"evaluation-text", `{"selfEvaluation": "good"}`, `byte 19 (selfEvaluation): an object is needed, found a string that is no JSON: "good"`},
		{"answer-object", `{"finalAnswer": {"text": "x"}}`, `byte 16 (finalAnswer): a string is needed, found an object`},
		{"two-ids", `{"caseId": "two-ids", "case_id": "d"}`, `byte 33 (case_id): the trace says that it is of case "two-ids", and of case "d"`},
		{"negative-duration", `{"durationMs": -1}`, `byte 15 (durationMs): -1 is negative; 0 or more is allowed`},
		{"negative-tokens", `{"usage": {"inputTokens": -3}}`, `byte 26 (usage.inputTokens): -3 is negative; 0 or more is allowed`},
		{"ends-before-it-starts", `{"startedAt": "2026-05-14T08:00:01Z", "finishedAt": "2026-05-14T08:00:00Z"}`, `finishedAt is before startedAt: a duration is 0 or more`},
		{"verdict-twice", `{"selfEvaluation": {"verifier_evaluation": {"verdict": "REJECT", "verdict": "PASS"}}}`, `byte 65 (selfEvaluation.verifier_evaluation.verdict): the name stands twice in one object`},
		{"not-utf8", "{\"finalAnswer\": \"x\xff\"}", `no JSON: byte 18 (finalAnswer): a string that is not UTF-8`},
		{"half-a-surrogate", `{"finalAnswer": "\ud83d"}`, `no JSON: byte 17 (finalAnswer): half of a surrogate pair in a string`},
	}
	files := fstest.MapFS{"traces/good.json": {Data: []byte(goodTrace)}}
	ids, reasons := []string{"good"}, map[string]string{}
	for i := range rows {
		row := &rows[i]
		switch line, _, placed := strings.Cut(row.reason, "byte "); {
		case placed && (line == "" || line == "no JSON: "):
			row.reason = row.id + ".json:1: " + row.reason
		case !strings.HasPrefix(row.reason, row.id):
			row.reason = row.id + ".json: " + row.reason
		}
		reasons[row.id] = row.reason
		files["traces/"+row.id+".json"] = &fstest.MapFile{Data: []byte(row.trace)}
		ids = append(ids, row.id)
	}
	files["cases.yaml"] = &fstest.MapFile{Data: casesFor(ids...)}
	for _, id := range []string{"nested", "nested-result"} {
		// They are over the small limit of this test.
		small := files["traces/"+id+".json"]
		delete(files, "traces/"+id+".json")
		alone := run(t, fstest.MapFS{"cases.yaml": {Data: casesFor(id)}, "traces/" + id + ".json": small}, diagnosis.Options{})
		assert.Equal(t, evaluation.Error, alone.Rows[0].Status)
		assert.Equal(t, reasons[id], alone.Rows[0].Check("fixture").Reason)
	}
	report := run(t, files, diagnosis.Options{MaxTraceBytes: 1000})
	assert.Equal(t, evaluation.Pass, report.Row("good").Status, "the run goes on")
	for _, row := range rows {
		if strings.HasPrefix(row.id, "nested") {
			continue
		}
		t.Run(row.id, func(t *testing.T) {
			got := report.Row(row.id)
			assert.Equal(t, evaluation.Error, got.Status)
			if diff := cmp.Diff([]string{"fixture"}, got.FailedChecks()); diff != "" {
				t.Errorf("failed checks -want +got:\n%s", diff)
			}
			assert.True(t, strings.HasSuffix(got.Check("fixture").Reason, row.reason), "want %s, got %s", row.reason, got.Check("fixture").Reason)
			assert.Nil(t, got.Fact("verdict"), "a case that did not run has no verdict")
			assert.Equal(t, 0.0, got.Fact("evidence_coverage"), "and covers nothing")
		})
	}
}

func TestATraceOfSixtyFourMebibytesIsReadAndOneByteMoreIsNot(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 128 MiB")
	}
	const limit = 64 << 20
	trace := []byte(strings.Replace(goodTrace, `"result":1`, `"result":"`+strings.Repeat("x", limit-len(goodTrace)-1)+`"`, 1))
	require.Len(t, trace, limit)
	report := run(t, fstest.MapFS{
		"cases.yaml":         {Data: casesFor("fits", "more")},
		"traces/fits.json":   {Data: trace},
		"traces/more.json":   {Data: append(trace, '\n')},
		"traces/readme.text": {Data: []byte("no trace")},
	}, diagnosis.Options{})
	assert.Equal(t, evaluation.Pass, report.Row("fits").Status)
	assert.Equal(t, evaluation.Error, report.Row("more").Status)
	assert.Contains(t, report.Row("more").Check("fixture").Reason, "over the limit of 67108864 bytes")
}

// Five cases, worked by hand:
//
//	id  status   verdict  evidence  keywords  calls  failed  ms    tokens in/out
//	a   pass     PASS     2 of 2    2 of 2    2      0       1000  100/10
//	b   fail     PASS     1 of 2    1 of 2    4      1       3000  300/30
//	c   fail     REVISE   0 of 2    2 of 2    0      0       none  none
//	d   not run  none     0         0
//	e   error    none     0         0
//
// so that evidence is (1+0.5+0+0+0)/5 = 0.3, keywords (1+0.5+1+0+0)/5 = 0.5, calls
// (2+4+0)/3 = 2, failed calls 1/3, duration (1000+3000)/2 = 2000 with n = 2.
func TestAggregatesOfFiveCasesWorkedByHand(t *testing.T) {
	cases := "defaults: {question: 为什么, root_cause_keywords: [连接池, 慢查询], required_tools: [logs, metrics], allowed_verdicts: [PASS]}\ncases: [{id: a}, {id: b}, {id: c}, {id: d}, {id: e}]\n"
	trace := func(calls, verdict, answer, more string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(fmt.Sprintf(`{"toolInvocations":[%s],"selfEvaluation":{"verifier_evaluation":{"verdict":%q}},"finalAnswer":%q%s}`, calls, verdict, answer, more))}
	}
	report := run(t, fstest.MapFS{
		"cases.yaml":    {Data: []byte(cases)},
		"traces/a.json": trace(`{"name":"logs","result":1},{"name":"metrics","result":1}`, "PASS", "根因是连接池被慢查询占满。", `,"durationMs":1000,"usage":{"inputTokens":100,"outputTokens":10}`),
		"traces/b.json": trace(`{"name":"logs","result":1},{"name":"logs","result":1},{"name":"metrics","error":"timeout"},{"name":"traces","result":1}`, "pass", "根因是连接池太小。", `,"durationMs":3000,"usage":{"inputTokens":300,"outputTokens":30}`),
		"traces/c.json": trace(``, "REVISE", "连接池与慢查询都有异常，根因是慢查询。", ``),
		"traces/e.json": {Data: []byte(`{"status": "timeout"}`)},
	}, diagnosis.Options{})

	statuses := map[string]evaluation.Status{"a": evaluation.Pass, "b": evaluation.Fail, "c": evaluation.Fail, "d": evaluation.NotRun, "e": evaluation.Error}
	for id, want := range statuses {
		assert.Equal(t, want, report.Row(id).Status, id)
	}
	for _, row := range []struct {
		name  string
		value float64
		n     int
	}{
		{"case_count", 5, 5}, {"pass_count", 1, 5}, {"fail_count", 2, 5}, {"not_run_count", 1, 5}, {"error_count", 1, 5}, {"pass_rate", 0.2, 5},
		{"evidence_coverage", 0.3, 5}, {"keyword_coverage", 0.5, 5},
		{"tool_calls_mean", 2, 3}, {"failed_tool_calls_mean", 1.0 / 3, 3},
		{"duration_ms_mean", 2000, 2}, {"duration_ms_p50", 1000, 2}, {"duration_ms_p95", 3000, 2}, {"duration_ms_p99", 3000, 2},
		{"input_tokens_mean", 200, 2}, {"output_tokens_mean", 20, 2},
	} {
		e, ok := report.Entry(row.name)
		require.True(t, ok, row.name)
		assert.True(t, e.OK, row.name)
		assert.InDelta(t, row.value, e.Value, 1e-12, row.name)
		assert.Equal(t, row.n, e.N, row.name)
	}
	verdicts, _ := report.Entry("verdicts")
	if diff := cmp.Diff([]evaluation.Bucket{{Name: "PASS", Count: 2}, {Name: "REVISE", Count: 1}}, verdicts.Buckets); diff != "" {
		t.Errorf("verdicts -want +got:\n%s", diff)
	}
	assert.Equal(t, 3, verdicts.N, "the distribution sums to the cases that ran")
	assert.Equal(t, 3.0, report.Row("b").Fact("distinct_tools"))
	assert.Equal(t, []string{"duration_ms: n = 2 is under 20, so that the 95th and 99th percentiles are near the maximum"}, report.Warnings)
}

func TestVerdictsThatAreMissingOrNoStringHaveBucketsOfTheirOwn(t *testing.T) {
	files := fstest.MapFS{"cases.yaml": {Data: casesFor("a", "b", "c")}}
	for id, verdict := range map[string]string{"a": `{}`, "b": `{"verdict": ["PASS"]}`, "c": `{"verdict": "  "}`} {
		files["traces/"+id+".json"] = &fstest.MapFile{Data: []byte(`{"toolInvocations": [], "selfEvaluation": {"verifier_evaluation": ` + verdict + `}, "finalAnswer": "x"}`)}
	}
	verdicts, _ := run(t, files, diagnosis.Options{}).Entry("verdicts")
	if diff := cmp.Diff([]evaluation.Bucket{{Name: "(missing)", Count: 2}, {Name: "(not a string)", Count: 1}}, verdicts.Buckets); diff != "" {
		t.Errorf("verdicts -want +got:\n%s", diff)
	}
}

func TestReportsAreTheSameFromAFolderAndABundleAndForAnyWorkers(t *testing.T) {
	var want []byte
	files := fstest.MapFS{}
	var bundle bytes.Buffer
	var ids []string
	for i := range 40 {
		id := fmt.Sprintf("case-%02d", 39-i)
		ids = append(ids, id)
		trace := strings.Replace(goodTrace, "{", fmt.Sprintf(`{"caseId":%q,"durationMs":%d,`, id, 1000+i), 1)
		files["traces/"+id+".json"] = &fstest.MapFile{Data: []byte(trace)}
		bundle.WriteString(trace + "\n")
	}
	files["cases.yaml"] = &fstest.MapFile{Data: casesFor(ids...)}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write(bundle.Bytes())
	require.NoError(t, err)
	require.NoError(t, z.Close())
	bundled := fstest.MapFS{"cases.yaml": files["cases.yaml"], "traces.jsonl": {Data: bundle.Bytes()}}
	gzipped := fstest.MapFS{"cases.yaml": files["cases.yaml"], "traces.jsonl.gz": {Data: zipped.Bytes()}}
	for _, from := range []fstest.MapFS{files, bundled, gzipped} {
		for _, workers := range []int{1, 2, 7} {
			var got bytes.Buffer
			require.NoError(t, run(t, from, diagnosis.Options{Name: "s", Workers: workers}).WriteJSON(&got))
			if want == nil {
				want = got.Bytes()
			}
			assert.Equal(t, string(want), got.String())
		}
	}
}

func TestLabelsSliceTheReport(t *testing.T) {
	c := diagnosis.Case{
		ID: "c", Question: "q", RequiredTools: []diagnosis.RequiredTool{{Any: []string{"t"}}}, AllowedVerdicts: []string{"PASS"},
		RootCauseKeywords: diagnosis.DefaultMarkers()[:1], ScenarioType: "aiops", ScenarioID: "database", Tags: []string{"mysql", "smoke"}, Split: "test",
	}
	s, err := diagnosis.New([]diagnosis.Case{c}, suite.Map{"c": []byte(goodTrace)}, diagnosis.Options{Name: "s"})
	require.NoError(t, err)
	report, err := s.Run(context.Background())
	require.NoError(t, err)
	var got []string
	for _, slice := range report.Slices {
		got = append(got, slice.Label+"="+slice.Value)
	}
	assert.ElementsMatch(t, []string{"scenario_type=aiops", "scenario_id=database", "tag=mysql", "tag=smoke", "split=test"}, got)
}

func TestTracesOfNoCaseAreWarningsOrErrors(t *testing.T) {
	files := fstest.MapFS{"cases.yaml": {Data: casesFor("a")}, "traces/a.json": {Data: []byte(goodTrace)}, "traces/b.json": {Data: []byte(goodTrace)}}
	assert.Contains(t, run(t, files, diagnosis.Options{}).Warnings, `traces/b.json belongs to no case`)
	s, err := diagnosis.OpenFS(files, ".", diagnosis.Options{Strict: true})
	require.NoError(t, err)
	_, err = s.Run(context.Background())
	assert.ErrorContains(t, err, `traces/b.json: the fixture belongs to no case`)
}

func TestCasesInHandAreCheckedLikeThoseOfAFile(t *testing.T) {
	_, err := diagnosis.Compile(diagnosis.Case{ID: "../x"})
	require.Error(t, err)
	for _, part := range []string{`case "../x": id: `, "question: a question is needed", "root_cause_keywords: at least one keyword is needed", "required_tools: at least one tool is needed", "allowed_verdicts: at least one verdict is needed"} {
		assert.ErrorContains(t, err, part)
	}
	_, err = diagnosis.Evaluate(diagnosis.Case{}, &diagnosis.Trace{})
	assert.Error(t, err)
	_, err = diagnosis.New([]diagnosis.Case{{}}, suite.Map{}, diagnosis.Options{})
	assert.Error(t, err)
	_, err = diagnosis.New(nil, suite.Map{}, diagnosis.Options{})
	assert.ErrorContains(t, err, "no cases")
}

func TestACaseWithoutATraceIsNotRun(t *testing.T) {
	s, err := diagnosis.OpenFS(fstest.MapFS{"cases.yaml": {Data: casesFor("a", "b")}, "traces/a.json": {Data: []byte(goodTrace)}}, ".", diagnosis.Options{})
	require.NoError(t, err)
	row, err := s.Case("b")
	require.NoError(t, err)
	assert.Equal(t, evaluation.NotRun, row.Status)
	assert.Equal(t, "no trace was recorded for this case: looked for traces/b.json", row.Check("fixture").Reason)
	assert.False(t, errors.Is(err, suite.ErrNoFixture))
}

// scribbler hands traces out in memory that it writes over afterwards.
type scribbler struct {
	suite.Map
	last []byte
}

func (s *scribbler) Each(ctx context.Context, w suite.Walk, fn func(i int, data []byte, problem error)) ([]string, error) {
	return s.Map.Each(ctx, w, func(i int, data []byte, problem error) {
		data = bytes.Clone(data)
		fn(i, data, problem)
		scribble(data)
	})
}

func (s *scribbler) Get(id string) ([]byte, error) {
	data, err := s.Map.Get(id)
	s.last = bytes.Clone(data)
	return s.last, err
}

func scribble(data []byte) {
	for i := range data {
		data[i] = '#'
	}
}

func TestRowsAndDisplaysHoldNothingOfTheTrace(t *testing.T) {
	const folder = "../testdata/diagnosis"
	set, err := os.ReadFile(folder + "/cases.yaml")
	require.NoError(t, err)
	cases, err := diagnosis.ReadCases("cases.yaml", set, diagnosis.Options{})
	require.NoError(t, err)
	traces := suite.Map{}
	for _, c := range cases {
		if data, err := os.ReadFile(folder + "/traces/" + c.ID + ".json"); err == nil {
			traces[c.ID] = data
		}
	}
	require.NotEmpty(t, traces)
	source := &scribbler{Map: traces}
	var reports []*evaluation.Report
	for _, from := range []suite.Source{traces, source} {
		s, err := diagnosis.New(cases, from, diagnosis.Options{})
		require.NoError(t, err)
		report, err := s.Run(context.Background())
		require.NoError(t, err)
		reports = append(reports, report)
	}
	if diff := cmp.Diff(reports[0].Rows, reports[1].Rows); diff != "" {
		t.Errorf("rows of traces that were written over -want +got:\n%s", diff)
	}
	s, err := diagnosis.New(cases, source, diagnosis.Options{})
	require.NoError(t, err)
	for _, c := range cases {
		shown, err := s.Show(c.ID)
		require.NoError(t, err)
		before := fmt.Sprintf("%+v", shown)
		scribble(source.last)
		assert.Equal(t, before, fmt.Sprintf("%+v", shown), c.ID)
	}
}

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
)

// outcome is what a call of the command gives.
type outcome struct {
	status         int
	stdout, stderr string
}

func called(t testing.TB, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	status := execute(t.Context(), args, &environment{stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	return outcome{status, out.String(), errs.String()}
}

func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// scored is a case with its recall@5 and, from 1 on, its tags.
func scored(id string, recall float64, tags ...string) evaluation.Row {
	r := evaluation.Row{ID: id, Digest: "d", Query: "q of " + id, Status: evaluation.Pass,
		Checks:  []evaluation.Check{{Name: "ranking", Status: evaluation.CheckPass}},
		Metrics: []evaluation.Value{{Name: "recall@5", Value: recall}},
		Labels:  []evaluation.Label{{Name: "tag", Values: tags}}}
	if recall < 1 {
		r.Status = evaluation.Fail
		r.Checks[0] = evaluation.Check{Name: "ranking", Status: evaluation.CheckFail, Reason: "found at rank 8, beyond k = 5"}
	}
	return r
}

func savedReport(t testing.TB, name string, rows ...evaluation.Row) string {
	t.Helper()
	r, err := evaluation.New(evaluation.Definition{
		Schema: "karat/retrieval-report/v1", Suite: "search", Config: []evaluation.Setting{{Name: "k", Value: 5.0}},
		Metrics: []evaluation.Metric{
			{Name: "error_count", Better: evaluation.Lower, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count, Of: "status", Equals: "error"},
			{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			{Name: "recall@5", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "recall@5"},
		},
	}, rows, nil)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	return file(t, name, b.String())
}

func TestAGateDecidesTheExitStatus(t *testing.T) {
	report := savedReport(t, "report.json", scored("a", 1), scored("b", 1), scored("c", 0.5))
	torn, err := os.ReadFile(report)
	require.NoError(t, err)
	baseline := savedReport(t, "baseline.json", scored("a", 0.5), scored("b", 0.5), scored("c", 1))
	for _, x := range []struct {
		name, gate string
		args       []string
		status     int
		want       string // in stdout, or in stderr where the status is 2
	}{
		{"a rule that passes", "metrics: {recall@5: {min: 0.8}}", nil, 0, "Gate passed: 1 rule passes\n"},
		{"a rule that fails names its cases", "metrics: {recall@5: {min: 0.85}}", nil, 1, "✗ fail  overall: recall@5 ≥ 0.85\n    0.833 is under 0.85 (n = 3)\n    1 case: c (0.5)\n"},
		{"too few cases", "min_cases: 10\nmetrics: {recall@5: {min: 0.1}}", nil, 1, "insufficient"},
		{"no rules", "version: 1", nil, 1, "the gate has no rules"},
		{"a drop without a baseline", "max_drop: {recall@5: 0.02}", nil, 1, "no baseline"},
		{"a mean that rises while one case breaks", "max_drop: {recall@5: 0.02}", []string{"--baseline", baseline}, 1, "1 case: c (status fell from pass to fail)"},
		{"a misspelled metric", "metrics: {recal@5: {min: 0.8}}", nil, 2, `gate.yaml:1: metrics.recal@5: the report has no metric "recal@5"; did you mean "recall@5"?`},
		{"an unknown field", "metric: {recall@5: {min: 0.8}}", nil, 2, `did you mean "metrics"?`},
		{"an unknown format", "metrics: {recall@5: {min: 0.8}}", []string{"--format", "xml"}, 2, "none of text, json, markdown"},
		{"a baseline that is not there", "metrics: {recall@5: {min: 0.8}}", []string{"--baseline", "none.json"}, 2, "none.json"},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := called(t, append([]string{"gate", "--gate", file(t, "gate.yaml", x.gate), report}, x.args...)...)
			assert.Equal(t, x.status, got.status, got.stderr)
			if x.status == 2 {
				assert.Contains(t, got.stderr, x.want)
				assert.Empty(t, got.stdout)
				return
			}
			assert.Contains(t, got.stdout, x.want)
			assert.Empty(t, got.stderr)
		})
	}
	t.Run("a report without cases", func(t *testing.T) {
		empty := file(t, "empty.json", `{"schema": "karat/retrieval-report/v1", "cases": []}`)
		got := called(t, "gate", "--gate", file(t, "gate.yaml", "metrics: {recall@5: {min: 0.8}}"), empty)
		assert.Equal(t, 2, got.status)
		assert.Contains(t, got.stderr, "no cases")
	})
	t.Run("a report whose summary was raised by hand", func(t *testing.T) {
		raised := file(t, "raised.json", strings.Replace(string(torn), "0.833333333333", "0.95", 1))
		got := called(t, "gate", "--gate", file(t, "gate.yaml", "metrics: {recall@5: {min: 0.8}}"), raised)
		assert.Equal(t, 1, got.status)
		assert.Contains(t, got.stdout, "unmeasured")
	})
	t.Run("no gate", func(t *testing.T) {
		got := called(t, "gate", report)
		assert.Equal(t, 2, got.status)
		assert.Contains(t, got.stderr, "gate")
	})
}

// karat gate --baseline "$BASE" without a BASE must not pass as a gate that has
// no baseline.
func TestAFlagThatIsGivenAndEmptyIsWrongUsage(t *testing.T) {
	report := savedReport(t, "report.json", scored("a", 1))
	g := file(t, "gate.yaml", "metrics: {recall@5: {min: 0.8}}")
	for _, args := range [][]string{
		{"gate", "--gate", g, "--baseline", "", report},
		{"gate", "--gate", "", report},
		{"retrieval", "--cases", "c.yaml", "--fixtures", "f", "--baseline="},
		{"retrieval", "--cases", "c.yaml", "--fixtures", "f", "--gate="},
		{"trend", "--format", "", report},
	} {
		got := called(t, args...)
		assert.Equal(t, 2, got.status, args)
		assert.Contains(t, got.stderr, "is given and empty; give it a value, or leave it out", args)
		assert.Empty(t, got.stdout)
	}
}

func TestAnIncompleteCallNamesTheHelp(t *testing.T) {
	for _, args := range [][]string{{"gate"}, {"gate", "a.json"}, {"gate", "--gate", "g", "a.json", "b.json"}, {"compare", "a.json"}, {"trend"}} {
		got := called(t, args...)
		assert.Equal(t, 2, got.status, args)
		assert.Contains(t, got.stderr, "; see 'karat "+args[0]+" --help'", args)
	}
}

func TestAGateIsShownInEveryFormat(t *testing.T) {
	report := savedReport(t, "report.json", scored("a", 1))
	g := file(t, "gate.yaml", "metrics: {recall@5: {min: 0.8}}")
	assert.True(t, strings.HasPrefix(called(t, "gate", "--gate", g, "--format", "json", report).stdout, "{\n  \"schema\": \"karat/gate-result/v1\",\n  \"suite\": \"search\",\n  \"passed\": true,\n"))
	assert.True(t, strings.HasPrefix(called(t, "gate", "--gate", g, "--format", "markdown", report).stdout, "**Gate passed**: 1 rule passes.\n"))
}

// A filter that chooses no case is an error before anything is gated.
func TestAFilterThatMatchesNothingIsAnErrorUnderAGate(t *testing.T) {
	cases := file(t, "cases.yaml", "cases:\n- {id: vpn-1, query: q, scenario_type: chat, expected_documents: [d], expected_keywords: [k]}\n")
	fixtures := file(t, "fixtures.jsonl", `{"case_id": "vpn-1", "candidates": [{"document_id": "d", "text": "k"}]}`+"\n")
	g := file(t, "gate.yaml", "metrics: {error_count: {max: 0}}")
	got := called(t, "retrieval", "--cases", cases, "--fixtures", fixtures, "--gate", g)
	assert.Equal(t, 0, got.status, got.stdout+got.stderr)
	got = called(t, "retrieval", "--cases", cases, "--fixtures", fixtures, "--gate", g, "--case", "mail-*")
	assert.Equal(t, 2, got.status)
	assert.Empty(t, got.stdout)
}

const aiopsGate = `
metrics: {recall@5: {min: 0.85}}
slices: {tag: {metrics: {recall@5: {min: 0.80}}}}
`

// aiops evaluates the two saved runs of a real project, or skips the test where
// they are not there.
func aiops(t *testing.T) (dense, hybrid string) {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		require.NotEqual(t, filepath.Dir(root), root, "no go.mod above the test")
		root = filepath.Dir(root)
	}
	data := filepath.Join(root, "..", "shared", "data", "aiops-retrieval")
	if _, err := os.Stat(data); err != nil {
		t.Skip("../shared/data/aiops-retrieval is not there")
	}
	evaluated := func(run string) string {
		report := filepath.Join(t.TempDir(), run+".json")
		got := called(t, "retrieval", "--cases", filepath.Join(data, "cases.json"), "--fixtures", filepath.Join(data, run+".jsonl"), "--name", "aiops", "--json", report)
		require.NotEqual(t, 2, got.status, got.stderr)
		return report
	}
	return evaluated("dense"), evaluated("hybrid-rrf")
}

func TestARealProjectsWorseRunPassesOverallAndFailsByItsTags(t *testing.T) {
	_, hybrid := aiops(t)
	got := called(t, "gate", "--gate", file(t, "gate.yaml", aiopsGate), hybrid)
	assert.Equal(t, 1, got.status)
	failed, passed, _ := strings.Cut(got.stdout, "\nRules that pass")
	assert.Empty(t, cmp.Diff(`Rules that do not pass (4)
✗ fail  tag = confusing-topic: recall@5 ≥ 0.8
    0.500 is under 0.8 (n = 2)
    1 case: eval-slow-007 (0)
✗ fail  tag = emergency: recall@5 ≥ 0.8
    0.500 is under 0.8 (n = 4)
    2 cases: eval-cpu-008 (0), eval-slow-008 (0)
✗ fail  tag = logs: recall@5 ≥ 0.8
    0.000 is under 0.8 (n = 1)
    1 case: eval-disk-003 (0)
✗ fail  tag = slow-response: recall@5 ≥ 0.8
    0.714 is under 0.8 (n = 7)
    2 cases: eval-slow-007 (0), eval-slow-008 (0)
`, failed))
	assert.Contains(t, passed, "✓ overall: recall@5 ≥ 0.85: 0.886 is at least 0.85 (n = 35)\n")
}

func TestSmallTagsOfARealProjectAreListedAsNotGated(t *testing.T) {
	_, hybrid := aiops(t)
	got := called(t, "gate", "--gate", file(t, "gate.yaml", "min_cases: 3"+aiopsGate), hybrid)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stdout, "\nGate failed: 2 of 11 rules do not pass (2 fail); 12 slice values not gated\n")
	assert.Contains(t, got.stdout, "  12 tags under 3 cases of recall@5: cache (n = 2), command (n = 1), commands (n = 1), confusing-topic (n = 2), "+
		"dependency (n = 1), docker (n = 1), external-api (n = 1), jvm (n = 1), logs (n = 1), network (n = 1), paraphrase (n = 1), traffic-spike (n = 2)\n")
}

func TestOfTwoRunsOfARealProjectThreeCasesRegressedAndNoneIsFixed(t *testing.T) {
	dense, hybrid := aiops(t)
	got := called(t, "compare", dense, hybrid, "--stats")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stdout, "Worse than the baseline (3)\n")
	for _, id := range []string{"eval-disk-003", "eval-slow-007", "eval-slow-008"} {
		assert.Contains(t, got.stdout, "✗ "+id)
	}
	assert.NotContains(t, got.stdout, "fixed")
	assert.Regexp(t, `(?m)^  pass_rate +35 +0 +3 +32 +−0\.0857 +\[[^]]*\] +0\.25 `, got.stdout)
	got = called(t, "compare", dense, dense, "--stats")
	assert.Equal(t, 0, got.status)
	assert.Regexp(t, `(?m)^  pass_rate +35 +0 +0 +35 +0 +\[0, 0\] +1 +1 +1 +inconclusive`, got.stdout)
}

func TestCompareSaysWhatIsWorseInEveryFormat(t *testing.T) {
	old := savedReport(t, "old.json", scored("a", 1), scored("b", 0.5), scored("c", 1))
	now := savedReport(t, "new.json", scored("a", 0.5), scored("b", 1), scored("c", 1))
	for format, want := range map[string]string{
		"text":     "Worse than the baseline: 1 regressed, 1 fixed, 1 equal\n",
		"markdown": "**Worse than the baseline**: 1 regressed, 1 fixed, 1 equal.\n",
		"json":     "\"worse\": true",
	} {
		got := called(t, "compare", old, now, "--format", format)
		assert.Equal(t, 1, got.status, format)
		assert.Contains(t, got.stdout, want, format)
		assert.NotContains(t, strings.ToLower(got.stdout), "statistics", "they are shown on request")
		assert.Contains(t, strings.ToLower(called(t, "compare", old, now, "--stats", "--format", format).stdout), "statistics")
	}
	assert.Equal(t, 0, called(t, "compare", old, old).status)
	got := called(t, "compare", "--metric", "recall@5", old, now)
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "--stats")
	got = called(t, "compare", "--stats", "--metric", "recall", old, now)
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, `no metric "recall"; did you mean "recall@5"?`)
}

func TestARemovedCaseIsWorse(t *testing.T) {
	old := savedReport(t, "old.json", scored("a", 1), scored("b", 0.5))
	now := savedReport(t, "new.json", scored("a", 1))
	got := called(t, "compare", old, now)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stdout, "1 removed")
}

// runSummary is a run as karat run saves it, of the metrics of the article.
func runSummary(t *testing.T, values ...float64) string {
	t.Helper()
	var entries []string
	for i, name := range []string{"keyword_recall@5", "mrr", "keyword_coverage", "source_accuracy", "scenario_isolation"} {
		entries = append(entries, fmt.Sprintf(`%q: {"value": %v, "n": 100, "better": "higher", "unit": "ratio"}`, name, values[i]))
	}
	return file(t, "run.json", `{"schema": "karat/run/v1", "suites": [{"name": "search", "kind": "retrieval", "summary": {`+strings.Join(entries, ", ")+`}}]}`)
}

func TestTheTrendTableOfTheArticleReproduces(t *testing.T) {
	args := []string{"trend",
		"2026-05-01 v1=" + runSummary(t, 1.000, 0.900, 0.933, 1.000, 1.000),
		"2026-05-07 v2=" + runSummary(t, 1.000, 0.920, 0.945, 1.000, 1.000),
		"2026-05-14 v3=" + runSummary(t, 0.980, 0.910, 0.940, 0.980, 1.000)}
	got := called(t, args...)
	assert.Equal(t, 0, got.status, got.stderr)
	assert.Empty(t, cmp.Diff(`  run            keyword_recall@5  mrr    keyword_coverage  source_accuracy  scenario_isolation
  2026-05-01 v1  1.000             0.900  0.933             1.000            1.000
  2026-05-07 v2  1.000             0.920  0.945             1.000            1.000
  2026-05-14 v3  0.980 ⚠           0.910  0.940             0.980 ⚠          1.000
`, got.stdout))
	assert.Contains(t, called(t, append(args, "--format", "markdown")...).stdout, "| 2026-05-14 v3 | 0.980 ⚠ | 0.910 | 0.940 | 0.980 ⚠ | 1.000 |\n")
	assert.Equal(t, 2, strings.Count(called(t, append(args, "--format", "json")...).stdout, `"fell": true`))
	assert.Equal(t, "  run            mrr\n  2026-05-01 v1  0.900\n  2026-05-07 v2  0.920\n  2026-05-14 v3  0.910\n", called(t, append(args, "--metric", "mrr")...).stdout)
}

func TestATrendOverReportsIsLabelledByTheirFiles(t *testing.T) {
	a, b := savedReport(t, "a.json", scored("x", 1), scored("y", 1)), savedReport(t, "b.json", scored("x", 1), scored("y", 0.5))
	got := called(t, "trend", a, b)
	assert.Equal(t, "  run     pass_rate  recall@5\n  a.json  1.000      1.000\n  b.json  0.500 ⚠    0.750 ⚠\n", got.stdout)
	got = called(t, "trend", a, savedReport(t, "a.json", scored("x", 1)))
	assert.Contains(t, got.stdout, filepath.ToSlash(a), "two files of one name are told apart")
	assert.Contains(t, called(t, "trend", "k=5 run="+a).stdout, "  k=5 run", "a label may have a = too")
	odd := savedReport(t, "k=5.json", scored("x", 1))
	assert.Contains(t, called(t, "trend", odd).stdout, "  k=5.json", "a file whose name has a = is a file")
}

func TestTrendRefusesWhatIsNoRun(t *testing.T) {
	got := called(t, "trend", file(t, "x.json", `{"schema": "karat/comparison/v1"}`))
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "x.json: neither a run summary (karat/run/v1) nor a report")
	assert.Equal(t, 2, called(t, "trend", "v1=none.json").status)
	got = called(t, "trend", "v1=")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, `"v1=" names no file`)
	got = called(t, "trend", "--metric", "recal@5", savedReport(t, "a.json", scored("x", 1)))
	assert.Contains(t, got.stderr, `no metric "recal@5"; did you mean "recall@5"?`)
	assert.Equal(t, 2, called(t, "trend").status)
	assert.Equal(t, 2, called(t, "trend", "--metric", "none", savedReport(t, "a.json", scored("x", 1))).status)
}

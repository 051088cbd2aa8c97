package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	// goldie registers the flag -update, which "go test ./... -update" passes
	// to every package.
	_ "github.com/sebdah/goldie/v2"
)

// trecRun runs the command in process.
func trecRun(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := &environment{stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs}
	status = execute(context.Background(), append([]string{"trec"}, args...), env)
	return status, out.String(), errs.String()
}

func trecFiles(t *testing.T) (qrels, runFile string) {
	t.Helper()
	dir := t.TempDir()
	qrels, runFile = filepath.Join(dir, "qrels.txt"), filepath.Join(dir, "run.txt")
	require.NoError(t, os.WriteFile(qrels, []byte("1 0 a 1\n1 0 b 2\n2 0 a 1\n"), 0o600))
	require.NoError(t, os.WriteFile(runFile, []byte("1 Q0 a 1 3 bm25\n1 Q0 b 2 2 bm25\n2 Q0 x 1 2 bm25\n2 Q0 a 2 1 bm25\n"), 0o600))
	return qrels, runFile
}

func TestTrecPrintsTrecEvalsLines(t *testing.T) {
	t.Parallel()
	qrels, runFile := trecFiles(t)
	status, stdout, stderr := trecRun("", "-q", "-m", "ndcg", "-m", "P.1,2", "-m", "AP(rel=2)", "-m", "ndcg", qrels, runFile)
	assert.Equal(t, 0, status)
	// Query 1: gains 1, 2 against 2, 1; query 2: the relevant one second.
	assert.Equal(t, "ndcg                  \t1\t0.8597\n"+
		"P_1                   \t1\t1.0000\n"+
		"P_2                   \t1\t1.0000\n"+
		"AP(rel=2)             \t1\t0.5000\n"+
		"ndcg                  \t2\t0.6309\n"+
		"P_1                   \t2\t0.0000\n"+
		"P_2                   \t2\t0.5000\n"+
		"AP(rel=2)             \t2\t0.0000\n"+
		"ndcg                  \tall\t0.7453\n"+
		"P_1                   \tall\t0.5000\n"+
		"P_2                   \tall\t0.7500\n"+
		"AP(rel=2)             \tall\t0.2500\n", stdout)
	assert.Equal(t, "note: unjudged: 1 of 4 documents retrieved (25.0%); they count as not relevant\n", stderr)
}

func TestTrecWithoutMeasuresBeginsWithTheRunID(t *testing.T) {
	t.Parallel()
	qrels, runFile := trecFiles(t)
	status, stdout, _ := trecRun("", qrels, runFile)
	assert.Equal(t, 0, status)
	assert.True(t, strings.HasPrefix(stdout, "runid                 \tall\tbm25\nnum_q                 \tall\t2\nnum_ret               \tall\t4\n"), stdout)
	assert.Len(t, strings.Split(strings.TrimSpace(stdout), "\n"), 30)
}

func TestTrecKnowsTrecEvalsFlags(t *testing.T) {
	t.Parallel()
	qrels, runFile := trecFiles(t)
	for _, tt := range []struct{ name, args, want string }{
		{"-l", "-c -l2 -m P.2", "P_2                   \tall\t0.2500\n"},
		{"-M", "-M1 -m num_ret", "num_ret               \tall\t2\n"},
		{"-J", "-J -m recip_rank", "recip_rank            \tall\t1.0000\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, stdout, _ := trecRun("", append(strings.Fields(tt.args), qrels, runFile)...)
			assert.Equal(t, 0, status)
			assert.Equal(t, tt.want, stdout)
		})
	}
}

func TestTrecReadsStandardInputAndWritesJSON(t *testing.T) {
	t.Parallel()
	qrels, runFile := trecFiles(t)
	text, err := os.ReadFile(runFile)
	require.NoError(t, err)
	status, stdout, _ := trecRun(string(text), "--json", "-m", "RR", qrels, "-")
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, `"schema": "karat/trec-report/v1"`)
	assert.Contains(t, stdout, `"value": 0.75`)
}

func TestTrecRefusesWrongUseAndUnreadableInput(t *testing.T) {
	t.Parallel()
	qrels, runFile := trecFiles(t)
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, "cases.json"), []byte("mine"), 0o600))
	broken := filepath.Join(t.TempDir(), "broken.txt")
	require.NoError(t, os.WriteFile(broken, []byte("1 Q0 a 1 nan \x1b[31m\n"), 0o600))
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"no files", nil, "wanted two files, QRELS and RUN, got 0"},
		{"an unknown measure", []string{"-m", "ndgc", qrels, runFile}, `unknown measure "ndgc": near: nDCG, ndcg`},
		{"a file that is not there", []string{qrels, "none.txt"}, "none.txt: no such file"},
		{"a wrong row", []string{qrels, broken}, `broken.txt:1: score "nan": not a finite number`},
		{"standard input twice", []string{"-", "-"}, "can be read for one file only"},
		{"grade 0", []string{"-l", "0", qrels, runFile}, "relevant grade 0: must be in [1, 2147483647]"},
		{"a negative depth", []string{"-M", "-1", qrels, runFile}, "must be 0 or more"},
		{"compare with two files", []string{"compare", qrels, runFile}, "wanted three files, QRELS, A and B, got 2"},
		{"compare counts", []string{"compare", "-m", "num_q", qrels, runFile, runFile}, "measure num_q: has no value for each query to compare by"},
		{"import without a folder", []string{"import", qrels, runFile}, `required flag(s) "out" not set`},
		{"import into a folder without a name", []string{"import", "--out", "", qrels, runFile}, "--out is given and empty"},
		{"import over a case set", []string{"import", "--out", taken, qrels, runFile}, "cases.json exists; --force writes over it"},
		{"a file without a name", []string{"", runFile}, `"": no such file`},
		{"two measures in one", []string{"-m", "map, nDCG@10", qrels, runFile}, `measure "map, nDCG@10": these are 2 names: give them one at a time`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := trecRun("", tt.args...)
			assert.Equal(t, 2, status)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tt.want)
			assert.NotContains(t, stderr, "\x1b")
		})
	}
}

func TestTrecCanBeInterruptedWhileItWaitsForAPipe(t *testing.T) {
	t.Parallel()
	qrels, _ := trecFiles(t)
	waiting, writer := io.Pipe()
	defer writer.Close()
	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	var out, errs bytes.Buffer
	assert.Equal(t, 2, execute(ctx, []string{"trec", qrels, "-"}, &environment{stdin: waiting, stdout: &out, stderr: &errs}))
	assert.Equal(t, "karat: interrupted\n", errs.String())
}

func TestTrecListsItsMeasures(t *testing.T) {
	t.Parallel()
	status, stdout, _ := trecRun("", "--measures")
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, "nDCG  ([@k], rel=, gain=, gains=, judged_only=)  also: NDCG ndcg ndcg_cut\n")
}

func TestTrecCompareShowsBothRuns(t *testing.T) {
	t.Parallel()
	qrels, runFile := trecFiles(t)
	other := filepath.Join(t.TempDir(), "other.txt")
	require.NoError(t, os.WriteFile(other, []byte("1 Q0 b 1 3 dense\n2 Q0 a 1 2 dense\n"), 0o600))
	status, stdout, stderr := trecRun("", "compare", "-m", "RR", "-m", "AP", qrels, runFile, other)
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "(bm25)\n")
	assert.Contains(t, stdout, "(dense)\n2 queries\n")
	assert.Contains(t, stdout, "RR       0.7500  1.0000  +0.2500")
	status, again, _ := trecRun("", "compare", "-m", "RR", "-m", "AP", qrels, runFile, other)
	assert.Equal(t, 0, status)
	assert.Equal(t, stdout, again)
}

func TestTrecImportMakesASetThatKaratEvaluates(t *testing.T) {
	t.Parallel()
	qrels, runFile := trecFiles(t)
	dir := filepath.Join(t.TempDir(), "set")
	status, stdout, stderr := trecRun("1\tHow do I connect?\n2\tWho approves leave?\n", "import", "--out", dir, "--queries", "-", qrels, runFile)
	require.Equal(t, 0, status, stderr)
	assert.Equal(t, "2 cases, 2 fixtures: "+filepath.Join(dir, "cases.json")+", "+filepath.Join(dir, "fixtures.jsonl")+"\n", stdout)
	var out, errs bytes.Buffer
	env := &environment{stdout: &out, stderr: &errs}
	status = execute(context.Background(), []string{"retrieval", "--cases", filepath.Join(dir, "cases.json"), "--fixtures", filepath.Join(dir, "fixtures.jsonl"), "--k", "2"}, env)
	assert.Equal(t, 0, status, out.String()+errs.String())
	assert.Regexp(t, `recall@2 +1\s`, out.String())
	assert.Regexp(t, `ndcg@2 +0\.7453\s`, out.String(), "the number of karat trec -m nDCG@2")
	assert.Regexp(t, `mrr +0\.75\s`, out.String())
}

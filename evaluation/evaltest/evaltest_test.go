package evaltest_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/sebdah/goldie/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/evaltest"
	"github.com/karat-eval/karat/evaluation/suite"
)

// folderEnv names the folder of the suite that TestGolden evaluates when this
// test binary runs itself. Unset, TestGolden has nothing to do.
const folderEnv = "KARAT_EVALTEST_FOLDER"

var _ evaltest.Golden = (*goldie.Goldie)(nil)

// TestGolden is what a user writes, over a suite that the other tests make.
func TestGolden(t *testing.T) {
	dir := os.Getenv(folderEnv)
	if dir == "" {
		t.Skip("runs only inside of the other tests")
	}
	if os.Getenv("KARAT_EVALTEST_PARALLEL") != "" {
		t.Parallel()
	}
	s, err := open(dir)
	require.NoError(t, err)
	var options []evaltest.Option
	if file := filepath.Join(dir, "gate.yaml"); exists(file) {
		options = append(options, evaltest.Gate(file))
	}
	if also, given := os.LookupEnv("KARAT_EVALTEST_GATE"); given {
		options = append(options, evaltest.Gate(also))
	}
	evaltest.Run(t, s, goldie.New(t, goldie.WithFixtureDir(filepath.Join(dir, "golden")), goldie.WithNameSuffix("")), options...)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// open makes a suite of a folder: each file of cases holds the word that the
// file of the same name in fixtures is to contain. "strong" stands for it at the
// beginning, "medium" for it anywhere.
func open(dir string) (*suite.Suite, error) {
	words, err := files(filepath.Join(dir, "cases"))
	if err != nil {
		return nil, err
	}
	fixtures, err := files(filepath.Join(dir, "fixtures"))
	if err != nil {
		return nil, err
	}
	var cases []suite.Case
	for id := range words {
		cases = append(cases, suite.Case{ID: id})
	}
	sort.Slice(cases, func(i, j int) bool { return cases[i].ID < cases[j].ID })
	return suite.New(suite.Config{
		Definition: evaluation.Definition{
			Schema: "karat/word-report/v1", Suite: "words",
			Config: []evaluation.Setting{{Name: "ruleset", Value: os.Getenv("KARAT_EVALTEST_RULESET")}},
			Metrics: []evaluation.Metric{
				{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			},
			Facts: []evaluation.FactInfo{{Name: "hit_level", Order: []string{"miss", "medium", "strong"}}, {Name: "came", Title: "came instead"}},
		},
		Cases:  cases,
		Source: counted{suite.Map(fixtures)},
		Score: func(i int, data []byte, problem error) evaluation.Row {
			id := cases[i].ID
			word, text := string(words[id]), string(data)
			r := evaluation.Row{ID: id, Digest: word, Query: "where is " + word + "?", Status: evaluation.Pass, Reason: "asked every night"}
			if errors.Is(problem, suite.ErrNoFixture) {
				r.Status, r.Stage = evaluation.NotRun, "not_run"
				return r
			}
			if text == "BROKEN" {
				r.Status, r.Stage = evaluation.Error, "fixture"
				r.Checks = []evaluation.Check{{Name: "fixture", Status: evaluation.CheckFail, Expected: "a text", Reason: "byte 0: it is broken"}}
				return r
			}
			level := "miss"
			switch at := strings.Index(text, word); {
			case at == 0:
				level = "strong"
			case at > 0:
				level = "medium"
			}
			check := evaluation.Check{Name: "word", Status: evaluation.CheckPass}
			if level == "miss" {
				check = evaluation.Check{Name: "word", Status: evaluation.CheckFail, Expected: word, Got: "none of it", Reason: "the word is nowhere in the text"}
				r.Status, r.Stage = evaluation.Fail, "retrieval"
			}
			r.Checks = []evaluation.Check{check}
			r.Facts = []evaluation.Fact{{Name: "hit_level", Value: level}, {Name: "came", Value: strings.Fields(text)}}
			return r
		},
	})
}

// counted says on standard output which fixtures are evaluated one by one.
type counted struct{ suite.Map }

func (c counted) Get(id string) ([]byte, error) {
	_, _ = io.WriteString(os.Stdout, "EVALUATED "+id+"\n")
	return c.Map.Get(id)
}

func files(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out[e.Name()] = data
	}
	return out, nil
}

// golden is a copy of a small suite with its baseline: two cases pass, one is a
// known miss, one fixture belongs to no case.
type golden struct {
	t   *testing.T
	dir string
}

func newGolden(t *testing.T) golden {
	g := golden{t, t.TempDir()}
	for _, id := range []string{"vpn-1", "vpn-2", "known"} {
		g.write("cases/"+id, map[string]string{"vpn-1": "gateway", "vpn-2": "token", "known": "unicorn"}[id])
	}
	g.write("fixtures/vpn-1", "gateway settings")
	g.write("fixtures/vpn-2", "the token expires")
	g.write("fixtures/known", "horses only")
	g.write("fixtures/orphan", "nobody asks")
	out, ok := g.run("-update")
	require.True(t, ok, out)
	return g
}

func (g golden) write(name, content string) {
	p := filepath.Join(g.dir, filepath.FromSlash(name))
	require.NoError(g.t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(g.t, os.WriteFile(p, []byte(content), 0o644))
}

func (g golden) remove(name string) {
	require.NoError(g.t, os.RemoveAll(filepath.Join(g.dir, filepath.FromSlash(name))))
}

func (g golden) read(name string) string {
	data, err := os.ReadFile(filepath.Join(g.dir, filepath.FromSlash(name)))
	require.NoError(g.t, err)
	return string(data)
}

// run runs TestGolden of this test binary over the copy.
func (g golden) run(args ...string) (output string, ok bool) {
	return g.runEnv(nil, args...)
}

// quiet runs it as run does, without -v.
func (g golden) quiet(args ...string) (output string, ok bool) {
	return g.start(nil, append([]string{"-test.run=^TestGolden$"}, args...))
}

func (g golden) runEnv(env []string, args ...string) (output string, ok bool) {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-test.run") {
		args = append([]string{"-test.run=^TestGolden$"}, args...)
	}
	return g.start(env, append(args, "-test.v"))
}

func (g golden) start(env, args []string) (output string, ok bool) {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), append([]string{
		folderEnv + "=" + g.dir,
		"GOLDIE_UPDATE=",
		"GORACE=atexit_sleep_ms=0", // a race detector waits a second otherwise
	}, env...)...)
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

const command = `go test github.com/karat-eval/karat/evaluation/evaltest -run '^TestGolden$' -update -v`

// outcome tells how a subtest ended: PASS, FAIL, SKIP, or "" where it did not run.
func outcome(output, name string) string {
	for _, line := range strings.Split(output, "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "--- ")
		if state, test, found := strings.Cut(rest, ": "); ok && found && strings.HasPrefix(test, name+" (") {
			return state
		}
	}
	return ""
}

func TestAnUnchangedSuiteIsGreenAndItsKnownMissVisible(t *testing.T) {
	g := newGolden(t)
	for _, env := range [][]string{nil, {"KARAT_EVALTEST_PARALLEL=1"}} {
		out, ok := g.runEnv(env)
		assert.True(t, ok, out)
		for _, name := range []string{"case/vpn-1", "case/vpn-2", "case/known", "baseline/json", "baseline/markdown"} {
			assert.Equal(t, "PASS", outcome(out, "TestGolden/"+name), name)
		}
		assert.Contains(t, out, "known failure:")
		assert.Contains(t, out, "expected unicorn, got none of it: the word is nowhere in the text")
		assert.Contains(t, out, "=== ATTR  TestGolden/case/known known_failure word,fail")
		assert.Equal(t, 3, strings.Count(out, "EVALUATED "), "each case is evaluated once")
	}
	page := g.read("golden/baseline.md")
	assert.Less(t, strings.Index(page, "## Known failures (1)"), strings.Index(page, "## Metrics"))
	assert.Contains(t, g.read("golden/baseline.json"), `fixture \"orphan\" belongs to no case`, "what only a walk over all fixtures sees")
}

func TestTheBaselineIsTheReportOfTheSuite(t *testing.T) {
	g := newGolden(t)
	s, err := open(g.dir)
	require.NoError(t, err)
	r, err := s.Run(t.Context())
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, r.WriteJSON(&b))
	assert.Equal(t, b.String(), g.read("golden/baseline.json"))
}

func TestAFixtureMadeWorseFailsItsCaseByName(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/vpn-1", "printer settings")
	out, ok := g.run()
	assert.False(t, ok)
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/case/vpn-1"))
	assert.Equal(t, "PASS", outcome(out, "TestGolden/case/vpn-2"))
	assert.Equal(t, "PASS", outcome(out, "TestGolden/case/known"))
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/baseline/json"))
	at := strings.Index(out, "worse than the baseline "+filepath.Join(g.dir, "golden", "baseline.json"))
	require.Positive(t, at, out)
	for _, want := range []string{
		"vpn-1  fail at retrieval  where is gateway?",
		"status fell from pass to fail; hit_level fell from strong to miss; check word no longer passes",
		"expected gateway, got none of it: the word is nowhere in the text",
		"came instead  printer, settings",
		"asked every night",
		command,
	} {
		assert.Contains(t, out[at:], want)
	}
	assert.Equal(t, 1, strings.Count(out, "the word is nowhere in the text")-strings.Count(out, "known failure:"), "what a subtest has told is not told again")
	assert.Contains(t, out, "✗ regressed, as case/<id> tells: vpn-1\n")
	assert.NotContains(t, out, "Result did not match", "the golden files' own difference of whole reports is not printed")
	assert.NotContains(t, out, `"schema"`)
}

func TestALevelThatFellFailsThoughTheCasePasses(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/vpn-1", "the gateway settings")
	out, ok := g.run()
	assert.False(t, ok)
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/case/vpn-1"))
	assert.Contains(t, out, "hit_level fell from strong to medium")
}

func TestAFixtureMadeBetterAsksForAnUpdate(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/known", "unicorn at last")
	out, ok := g.run()
	assert.False(t, ok)
	for _, id := range []string{"vpn-1", "vpn-2", "known"} {
		assert.Equal(t, "PASS", outcome(out, "TestGolden/case/"+id))
	}
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/baseline/json"))
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/baseline/markdown"))
	assert.Contains(t, out, "✓ known  where is unicorn?")
	assert.Contains(t, out, "baseline.md is made from the same report, and preserved by the same command: see baseline/json")
	assert.Contains(t, out, "status rose from fail to pass")
	assert.Contains(t, out, "Nothing is worse, and 1 better: update the baseline to hold on to it:\n")
	assert.Contains(t, out, command)

	out, ok = g.run("-update")
	assert.True(t, ok, out)
	assert.NotContains(t, out, "worse")
	out, ok = g.run()
	assert.True(t, ok, out)
}

func TestAGateIsASubtestOfItsOwn(t *testing.T) {
	g := newGolden(t)
	g.write("gate.yaml", "version: 1\nmetrics: {pass_rate: {min: 0.6}}\n")
	out, ok := g.run()
	assert.True(t, ok, out)
	assert.Equal(t, "PASS", outcome(out, "TestGolden/gate"))

	g.write("gate.yaml", "version: 1\nmetrics: {pass_rate: {min: 0.7}}\n")
	out, ok = g.run()
	assert.False(t, ok)
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/gate"))
	assert.Equal(t, "PASS", outcome(out, "TestGolden/baseline/json"))
	assert.Contains(t, out, "pass_rate ≥ 0.7")
	assert.Contains(t, out, "known", "the case that pulls the rate down")
	_, ok = g.run("-update")
	assert.False(t, ok, "an update preserves the baseline and excuses no gate")

	g.write("gate.yaml", "version: 1\nmetrics: {pas_rate: {min: 0.7}}\n")
	out, ok = g.run()
	assert.False(t, ok)
	assert.Contains(t, out, `"pass_rate"`)

	g.write("gate.yaml", "version: 1\nmax_drop: {pass_rate: 0.5}\n")
	g.write("fixtures/vpn-1", "printer settings")
	out, _ = g.run()
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/gate"), "no drop excuses a case that is worse")
	out, ok = g.run("-update")
	assert.True(t, ok, out)

	out, ok = g.run("-test.run=TestGolden/case/vpn-2")
	assert.True(t, ok, out)
	assert.Equal(t, "", outcome(out, "TestGolden/gate"))
}

func TestEveryGateThatIsGivenHasToHold(t *testing.T) {
	g := newGolden(t)
	g.write("gate.yaml", "version: 1\nmetrics: {pass_rate: {min: 0.7}}\n")
	lax := filepath.Join(t.TempDir(), "lax.yaml")
	require.NoError(t, os.WriteFile(lax, []byte("version: 1\nmetrics: {pass_rate: {min: 0.1}}\n"), 0o644))
	t.Setenv("KARAT_EVALTEST_GATE", lax)
	out, ok := g.run()
	assert.False(t, ok, "the first gate does not hold, the last does")
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/gate"))
	assert.Equal(t, "PASS", outcome(out, "TestGolden/gate#01"))

	g.write("gate.yaml", "version: 1\nmetrics: {pass_rate: {min: 0.6}}\n")
	_, ok = g.run()
	assert.True(t, ok)

	t.Setenv("KARAT_EVALTEST_GATE", "")
	out, ok = g.run()
	assert.False(t, ok, "a gate without a name holds nothing")
	assert.Contains(t, out, "the name of the gate is empty")
}

func TestOneCaseAloneIsEvaluatedAlone(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/vpn-2", "worse, and not looked at")
	out, ok := g.run("-test.run=TestGolden/case/vpn-1")
	assert.True(t, ok, out)
	assert.Equal(t, "PASS", outcome(out, "TestGolden/case/vpn-1"))
	assert.Equal(t, "", outcome(out, "TestGolden/case/vpn-2"))
	assert.Equal(t, 1, strings.Count(out, "EVALUATED "))
	assert.Contains(t, out, "EVALUATED vpn-1")

	out, ok = g.run("-test.run=TestGolden/(case|baseline)/(vpn-1|json)")
	assert.True(t, ok, out)
	assert.Equal(t, "SKIP", outcome(out, "TestGolden/baseline/json"))
	assert.Contains(t, out, "1 of 3 cases were evaluated, the others left out by -run")

	before := g.read("golden/baseline.json")
	_, ok = g.run("-test.run=TestGolden/(case|baseline)/(vpn-1|json)", "-update")
	assert.True(t, ok)
	assert.Equal(t, before, g.read("golden/baseline.json"), "a part never replaces the baseline")

	out, ok = g.run("-test.run=TestGolden/case/vpn-2")
	assert.False(t, ok)
	assert.Contains(t, out, command)
}

func TestUpdateNamesWhatGotWorse(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/vpn-1", "printer settings")
	g.remove("cases/vpn-2")
	out, ok := g.run("-update")
	assert.True(t, ok, out)
	assert.Contains(t, out, "worse than the baseline that is replaced:")
	assert.Contains(t, out, "status fell from pass to fail")
	assert.Contains(t, out, "vpn-2 is removed")
	out, ok = g.run()
	assert.True(t, ok, out)
}

// go test hides the logs of tests that pass.
func TestUpdateNamesWhatGotWorseWithoutVerboseToo(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/vpn-1", "printer settings")
	g.remove("cases/vpn-2")
	out, ok := g.quiet("-update")
	assert.True(t, ok, out)
	assert.Contains(t, out, "TestGolden: preserved in "+filepath.Join(g.dir, "golden", "baseline.json")+", worse than the baseline that it replaces (2):\n")
	assert.Contains(t, out, "✗ vpn-1  fail at retrieval")
	assert.Contains(t, out, "✗ vpn-2\n    removed")
	out, _ = g.quiet("-update")
	assert.NotContains(t, out, "worse")

	g.write("fixtures/vpn-1", "gateway settings")
	_, ok = g.run("-update")
	require.True(t, ok)
	g.write("fixtures/vpn-1", "printer settings")
	out, _ = g.start(nil, []string{"-test.run=^TestGolden$/^case$/^vpn-1$", "-update"})
	assert.NotContains(t, out, "preserved in", "a part is not preserved")
	out, _ = g.run("-update")
	assert.Equal(t, 1, strings.Count(out, "status fell from pass to fail"), "-v shows it once")
}

func TestTheEnvironmentUpdatesToo(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/known", "unicorn at last")
	out, ok := g.runEnv([]string{"GOLDIE_UPDATE=1"})
	assert.True(t, ok, out)
	out, ok = g.run()
	assert.True(t, ok, out)
}

func TestARemovedCaseIsWorse(t *testing.T) {
	g := newGolden(t)
	g.remove("cases/vpn-2")
	out, ok := g.run()
	assert.False(t, ok)
	assert.Equal(t, "PASS", outcome(out, "TestGolden/case/vpn-1"))
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/baseline/json"))
	assert.Contains(t, out, "removed  the baseline has this case, the suite does not")
}

func TestANewCaseIsNotWorseThoughItFails(t *testing.T) {
	g := newGolden(t)
	g.write("cases/new", "dragon")
	g.write("fixtures/new", "lizards")
	out, ok := g.run()
	assert.False(t, ok)
	assert.Equal(t, "PASS", outcome(out, "TestGolden/case/new"))
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/baseline/json"))
	assert.Contains(t, out, "failing, and new:")
	assert.Contains(t, out, "added  the baseline does not have this case")
	assert.Contains(t, out, "Nothing is worse: update the baseline:")
}

func TestAChangedCaseIsIncomparable(t *testing.T) {
	g := newGolden(t)
	g.write("cases/vpn-1", "settings")
	out, ok := g.run()
	assert.False(t, ok)
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/case/vpn-1"))
	assert.Contains(t, out, "incomparable  the case itself was changed")
}

func TestOtherRulesAreIncomparable(t *testing.T) {
	g := newGolden(t)
	out, ok := g.runEnv([]string{"KARAT_EVALTEST_RULESET=2"})
	assert.False(t, ok)
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/case/vpn-1"))
	assert.Contains(t, out, "ruleset was (empty) and is 2")
}

func TestAMissingFixtureIsNotRunAndWorse(t *testing.T) {
	g := newGolden(t)
	g.remove("fixtures/vpn-1")
	out, ok := g.run()
	assert.False(t, ok)
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/case/vpn-1"))
	assert.Contains(t, out, "status fell from pass to not_run")
	assert.Contains(t, out, "Record the fixture of this case. Only if it is to be without one, preserve that it does not run:\n")
	assert.Contains(t, out, "First record what has no fixture: vpn-1.\n        If this is how it should be, review it and update the baseline:\n")
}

func TestAnErrorIsRepairedBeforeItIsPreserved(t *testing.T) {
	g := newGolden(t)
	g.write("fixtures/vpn-1", "BROKEN")
	out, ok := g.run()
	assert.False(t, ok)
	assert.Contains(t, out, "status fell from pass to error; check fixture applies now: fail")
	assert.Contains(t, out, "Repair or record again the fixture of this case, where the failed check says. Only if it is to stay so, preserve the error:\n")
	assert.Contains(t, out, "First repair or record again what ended in an error: vpn-1.\n")

	g = newGolden(t)
	g.write("cases/new", "word")
	out, _ = g.run()
	assert.Contains(t, out, "First record what has no fixture: new.\n        Nothing is worse: update the baseline:\n", "a new case too")
}

func TestWithoutABaselineNothingPasses(t *testing.T) {
	g := newGolden(t)
	g.remove("golden")
	for _, run := range []string{"-test.run=^TestGolden$", "-test.run=TestGolden/case/vpn-1"} {
		out, ok := g.run(run)
		assert.False(t, ok)
		assert.Contains(t, out, "there is no baseline")
		assert.Contains(t, out, command)
	}
	out, ok := g.quiet()
	assert.False(t, ok)
	page := filepath.Join(g.dir, "golden", "baseline.md")
	assert.Contains(t, out, "there is no baseline to compare with. Not passing (1 of 3 cases):\n                ✗ known  fail at retrieval  where is unicorn?\n", "plain output shows what is to be looked at")
	assert.Contains(t, out, page+" is made from the same report")
	assert.NotContains(t, out, "differs")
	out, ok = g.run("-update")
	assert.True(t, ok, out)
	assert.Contains(t, out, "there was no baseline "+filepath.Join(g.dir, "golden", "baseline.json")+": what comes out is preserved without a comparison")
	assert.NotContains(t, out, "no such file")

	g.remove("golden/baseline.md")
	out, ok = g.run()
	assert.False(t, ok)
	assert.Contains(t, out, "there is no page "+page+" yet\n")
	assert.NotContains(t, out, "differs")

	g.write("golden/baseline.json", "<<<<<<< HEAD")
	out, ok = g.run()
	assert.False(t, ok)
	assert.Contains(t, out, "the baseline cannot be read")
	assert.Contains(t, out, command)

	out, ok = g.run("-update")
	assert.True(t, ok, out)
	out, ok = g.run()
	assert.True(t, ok, out)
}

func TestAnEditedFileIsToldByItsLines(t *testing.T) {
	g := newGolden(t)
	g.write("golden/baseline.md", strings.Replace(g.read("golden/baseline.md"), "| vpn-1 |", "| vpn-one |", 1))
	out, ok := g.run()
	assert.False(t, ok)
	assert.Equal(t, "PASS", outcome(out, "TestGolden/baseline/json"))
	assert.Equal(t, "FAIL", outcome(out, "TestGolden/baseline/markdown"))
	assert.Contains(t, out, "- | vpn-one |")
	assert.Contains(t, out, "+ | vpn-1 |")

	g = newGolden(t)
	g.write("golden/baseline.json", strings.Replace(g.read("golden/baseline.json"), "asked every night", "asked at noon", 1))
	out, ok = g.run()
	assert.False(t, ok)
	assert.Contains(t, out, "no case is better or worse")
	assert.Contains(t, out, `"reason": "asked at noon"`)
	assert.Equal(t, 1, strings.Count(out, " - "), "one line differs")
	assert.Equal(t, 1, strings.Count(out, " + "))

	g = newGolden(t)
	g.write("golden/baseline.json", strings.ReplaceAll(g.read("golden/baseline.json"), "\n", "\r\n"))
	out, ok = g.run()
	assert.False(t, ok)
	assert.Contains(t, out, "only its line ends differ")
}

// recorder takes the errors of a test that is itself tested.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, args[0].(string))
}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, args[0].(error).Error()) }

func TestNoOrphansNamesEachFileThatNoTestAsserts(t *testing.T) {
	g := golden{t, t.TempDir()}
	g.write("golden/README.md", "")
	g.write("golden/words/README.md", "")
	g.write("golden/words/baseline.json", "")
	g.write("golden/words/old.json", "")
	g.write("golden/old.txt", "")
	dir := filepath.Join(g.dir, "golden")

	r := &recorder{TB: t}
	evaltest.NoOrphans(r, dir, "words/baseline.json")
	assert.Equal(t, []string{filepath.Join(dir, "old.txt"), filepath.Join(dir, "words", "old.json")}, r.errors)

	r = &recorder{TB: t}
	evaltest.NoOrphans(r, dir, "words/baseline.json", "words/old.json", "old.txt")
	assert.Empty(t, r.errors)

	r = &recorder{TB: t}
	evaltest.NoOrphans(r, filepath.Join(g.dir, "nowhere"))
	assert.Len(t, r.errors, 1, "a folder that is not there asserts nothing")
}

// Package evaltest holds a suite to its preserved baseline in a Go test.
//
//	func TestGolden(t *testing.T) {
//		suite, err := retrieval.Open("testdata/retrieval", retrieval.Options{K: 5})
//		require.NoError(t, err)
//		evaltest.Run(t, suite, goldie.New(t, goldie.WithFixtureDir("golden/retrieval"), goldie.WithNameSuffix("")))
//	}
//
// Each case is a subtest of its own, so that `go test -run 'TestGolden/case/vpn-1'`
// evaluates that case alone. A subtest fails only where its case is worse than
// the baseline says: known failures stay green, and are logged, marked with the
// attribute known_failure, and at the head of the preserved Markdown.
//
// [Gate] adds a gate's rules to that.
//
// `go test -update -v` preserves what came out; -v shows each case that got worse
// by it, which go test hides of a package that passes. Where no test of a package
// imports goldie, that flag does not exist: `GOLDIE_UPDATE=1 go test -v` does
// the same.
package evaltest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/render"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/text"
)

// Golden keeps the preserved files. A *goldie.Goldie is one.
type Golden interface {
	// Assert fails the test where the preserved file of that name differs, and
	// writes it where the tests run with -update.
	Assert(t testing.TB, name string, actualData []byte)
	// GoldenFileName gives the path of a preserved file.
	GoldenFileName(t testing.TB, name string) string
}

// The names under which the reports are preserved.
const (
	jsonName     = "baseline.json"
	markdownName = "baseline.md"
)

// Run evaluates each case of the suite in a subtest case/<id>, which fails where
// the case is worse than the preserved baseline.json, and then asserts the
// reports in the subtests baseline/json and baseline/markdown. These are skipped
// where a -run filter or a filter of the suite left cases out.
//
// A new case is never worse; that the baseline lacks it fails baseline/json.
// A missing baseline fails the test. Run closes the suite when the test ends.
func Run(t *testing.T, s *suite.Suite, golden Golden, options ...Option) {
	t.Helper()
	t.Cleanup(func() { _ = s.Close() })
	g := &run{suite: s, golden: golden, name: t.Name(), updating: updating(), rows: map[string]evaluation.Row{}, told: map[string]bool{}}
	g.command = updateCommand(g.name)
	g.file = golden.GoldenFileName(t, jsonName)
	for _, o := range options {
		o(g)
	}
	g.readBaseline(t)

	t.Run("case", func(t *testing.T) {
		for _, id := range s.CaseIDs() {
			t.Run(id, func(t *testing.T) { g.oneCase(t, id) })
		}
	})
	t.Run("baseline", func(t *testing.T) {
		t.Run("json", g.assertJSON)
		t.Run("markdown", g.assertMarkdown)
	})
	for _, file := range g.gates {
		t.Run("gate", func(t *testing.T) { g.holdGate(t, file) })
	}
	g.tellPreserved()
}

// Option asks more of [Run].
type Option func(*run)

// Gate makes [Run] hold the report against a gate file too, in a subtest gate,
// which is skipped where the baseline is. The preserved baseline is what
// max_drop is judged by; under -update, which replaces it, the report itself.
// Given several times, every gate has to hold.
func Gate(file string) Option { return func(g *run) { g.gates = append(g.gates, file) } }

// run is one call of Run.
type run struct {
	suite    *suite.Suite
	golden   Golden
	name     string // of the test that called Run
	command  string // that updates the baseline
	file     string
	updating bool
	gates    []string // files

	// baseline is nil where there is none.
	baseline *evaluation.Report
	rules    *compare.Rules
	rows     map[string]evaluation.Row
	// told are the cases whose subtest failed and says why.
	told map[string]bool
	// lost are the cases that got worse by what an update preserves, in words;
	// preserved says that it has been.
	lost      []string
	preserved bool

	report   *evaluation.Report // of all rows, once made
	err      error
	differed bool // the JSON from the baseline
}

func (g *run) readBaseline(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(g.file)
	if err == nil {
		g.baseline, err = evaluation.ReadReport(bytes.NewReader(data))
	}
	switch {
	case err == nil:
		def := g.suite.Definition()
		g.rules = compare.NewRules(&g.baseline.Definition, &def)
	case errors.Is(err, fs.ErrNotExist) && g.updating:
		t.Logf("there was no baseline %s: what comes out is preserved without a comparison", g.file)
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("there is no baseline %s yet, so that nothing can be worse than it. Look at what does not pass (-v shows each case), then preserve what came out:\n    %s", g.file, g.command)
	case g.updating:
		t.Logf("the baseline that is replaced cannot be read, and nothing is compared with it: %s: %v", g.file, err)
	default:
		t.Errorf("the baseline cannot be read: %s: %v\nmend it, or preserve it again:\n    %s", g.file, err, g.command)
	}
}

func (g *run) oneCase(t *testing.T, id string) {
	t.Helper()
	row, err := g.suite.Case(id)
	if err != nil {
		t.Fatal(err)
	}
	g.rows[id] = row
	var was *compare.Case
	if g.baseline != nil {
		c := g.rules.Case(g.baseline.Row(id), &row)
		was = &c
	}
	switch {
	case was != nil && was.Kind.Worse() && g.updating:
		t.Logf("worse than the baseline that is replaced:\n%s", g.show(&row, was))
		g.lost = append(g.lost, g.show(&row, was))
	case was != nil && was.Kind.Worse():
		g.told[id] = true
		t.Errorf("worse than the baseline %s:\n%s%s", g.file, g.show(&row, was), g.advice(adviceForCase(row.Status)))
	case row.Status == evaluation.Pass:
	case was == nil:
		t.Logf("failing, and there is no baseline:\n%s", g.show(&row, nil))
	case was.Kind == compare.Added:
		t.Logf("failing, and new:\n%s", g.show(&row, was))
	default:
		t.Attr("known_failure", text.Terminal(strings.Join(append(row.FailedChecks(), string(row.Status)), ",")))
		t.Logf("known failure:\n%s", g.show(&row, was))
	}
}

func (g *run) advice(what string) string { return what + ":\n    " + g.command }

// show gives one case as the terminal output shows it.
func (g *run) show(row *evaluation.Row, was *compare.Case) string {
	var b strings.Builder
	def := g.suite.Definition()
	_ = render.Case(&b, &evaluation.Report{Definition: def}, row, was, render.Options{})
	return b.String()
}

// complete makes the report of all rows, or skips the test where a filter left
// some out.
func (g *run) complete(t *testing.T) {
	t.Helper()
	ids := g.suite.CaseIDs()
	if g.suite.Filtered() {
		t.Skip("the suite is filtered: a baseline is preserved of all cases only")
	}
	if len(g.rows) < len(ids) {
		t.Skipf("%d of %d cases were evaluated, the others left out by -run: a baseline is preserved of all cases only", len(g.rows), len(ids))
	}
	if g.report == nil && g.err == nil {
		rows := make([]evaluation.Row, len(ids))
		for i, id := range ids {
			rows[i] = g.rows[id]
		}
		var warnings []string
		if warnings, g.err = g.suite.Warnings(t.Context()); g.err == nil {
			g.report, g.err = g.suite.Report(rows, warnings)
		}
	}
	if g.err != nil {
		t.Fatal(g.err)
	}
}

func (g *run) assertJSON(t *testing.T) {
	g.complete(t)
	var b bytes.Buffer
	if err := g.report.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if g.updating {
		if g.baseline != nil {
			for i := range g.baseline.Rows {
				if id := g.baseline.Rows[i].ID; g.report.Row(id) == nil {
					t.Logf("worse than the baseline that is replaced: %s is removed", text.Terminal(id))
					g.lost = append(g.lost, "✗ "+text.Terminal(id)+"\n    removed  the baseline has this case, the suite does not\n")
				}
			}
		}
		g.assert(t, jsonName, b.Bytes())
		g.preserved = true
		return
	}
	same, difference := g.differs(t, jsonName, b.Bytes())
	g.differed = !same
	switch {
	case same:
		g.assert(t, jsonName, b.Bytes())
	case g.baseline == nil:
		t.Errorf("%s\n%s", g.first(), g.advice(adviceWhereUnmeasured(g.report.Rows, "Once you have looked at it, preserve what came out")))
	default:
		c := compare.Compare(g.baseline, g.report, compare.Options{})
		t.Errorf("%s\n%s", differences(g, c, difference), g.advice(adviceFor(c)))
	}
}

func (g *run) assertMarkdown(t *testing.T) {
	g.complete(t)
	var b bytes.Buffer
	if err := render.Markdown(&b, g.report, render.Options{Preserved: true}); err != nil {
		t.Fatal(err)
	}
	same, difference := g.differs(t, markdownName, b.Bytes())
	page := g.golden.GoldenFileName(named{t, g.name}, markdownName)
	switch {
	case same || g.updating:
		g.assert(t, markdownName, b.Bytes())
	case g.differed:
		t.Errorf("%s is made from the same report, and preserved by the same command: see baseline/json", page)
	case difference == "":
		t.Errorf("there is no page %s yet\n%s", page, g.advice("Preserve it, from the same report as the baseline"))
	default:
		t.Errorf("the preserved page %s differs:\n%s%s", page, difference, g.advice("Update it together with the baseline"))
	}
}

func (g *run) holdGate(t *testing.T, file string) {
	if file == "" {
		t.Fatal("the name of the gate is empty: a test without a gate leaves evaltest.Gate out")
	}
	g.complete(t)
	rules, err := gate.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	baseline := g.baseline
	if g.updating {
		baseline = g.report
	}
	result, err := rules.Check(g.report, baseline)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := render.GateText(&b, result, render.Options{}); err != nil {
		t.Fatal(err)
	}
	if !result.Passed() {
		t.Errorf("%s:\n%s", file, b.String())
		return
	}
	t.Logf("%s:\n%s", file, b.String())
}

// assert hands a report to the golden files under the name of the test that
// called Run: where they are kept must not depend on the subtest.
func (g *run) assert(t *testing.T, name string, data []byte) {
	t.Helper()
	g.golden.Assert(named{t, g.name}, name, data)
}

type named struct {
	testing.TB
	name string
}

func (n named) Name() string { return n.name }

// differs compares a report with its preserved file, so that the golden files'
// own difference of whole reports is never printed. There is none to tell where
// the file does not exist.
func (g *run) differs(t *testing.T, name string, data []byte) (same bool, difference string) {
	old, err := os.ReadFile(g.golden.GoldenFileName(named{t, g.name}, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, ""
	case err != nil:
		return false, "    " + err.Error() + "\n"
	case bytes.Equal(old, data):
		return true, ""
	case bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), data):
		return false, "    only its line ends differ: put `golden/** text eol=lf` into .gitattributes\n"
	}
	return false, diff(string(old), string(data))
}

// differences tells case by case in what a report differs from its baseline. Of
// cases whose subtest has told it, it gives the ids.
func differences(g *run, c *compare.Comparison, difference string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "the report differs from the baseline %s:\n", g.file)
	told := map[compare.Kind][]string{}
	shown := 0
	for i := range c.Cases {
		x := &c.Cases[i]
		switch {
		case x.Kind == compare.Equal:
			continue
		case g.told[x.ID]:
			told[x.Kind] = append(told[x.Kind], x.ID)
			continue
		}
		if shown++; shown > mostCases {
			continue
		}
		if x.New != nil {
			s.WriteString(g.show(x.New, x))
			if x.Kind == compare.Added {
				s.WriteString("    added  the baseline does not have this case\n")
			}
		} else {
			fmt.Fprintf(&s, "✗ %s\n    removed  the baseline has this case, the suite does not\n", text.Terminal(x.ID))
		}
	}
	if shown > mostCases {
		fmt.Fprintf(&s, "  … and %d more cases\n", shown-mostCases)
	}
	for _, k := range compare.Kinds {
		if ids := told[k]; len(ids) > 0 {
			fmt.Fprintf(&s, "✗ %s, as case/<id> tells: %s\n", k, list(ids))
		}
	}
	if shown == 0 && len(told) == 0 {
		s.WriteString("no case is better or worse; what differs are texts, durations, labels or warnings:\n" + difference)
	}
	return strings.TrimSuffix(s.String(), "\n")
}

// mostCases is how many cases are shown in full, or named.
const mostCases = 20

// list names cases, a few of them.
func list(ids []string) string {
	s := text.Terminal(strings.Join(ids[:min(len(ids), mostCases)], ", "))
	if more := len(ids) - mostCases; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// first tells of a report that has no baseline yet what does not pass in it: go
// test shows nothing of the subtests of cases, which pass.
func (g *run) first() string {
	var s strings.Builder
	not := 0
	for i := range g.report.Rows {
		row := &g.report.Rows[i]
		if row.Status == evaluation.Pass {
			continue
		}
		if not++; not <= mostCases {
			s.WriteString(g.show(row, nil))
		}
	}
	if not > mostCases {
		fmt.Fprintf(&s, "  … and %d more (-v shows them)\n", not-mostCases)
	}
	head := "there is no baseline to compare with. Every case passes"
	if not > 0 {
		head = fmt.Sprintf("there is no baseline to compare with. Not passing (%d of %d cases):", not, len(g.report.Rows))
	}
	return strings.TrimSuffix(head+"\n"+s.String(), "\n")
}

// tellPreserved says on standard error what got worse by an update. -v has shown
// it in the log of each case already; without it, go test hides the logs of tests
// that pass.
func (g *run) tellPreserved() {
	if len(g.lost) == 0 || !g.preserved || testing.Verbose() {
		return
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s: preserved in %s, worse than the baseline that it replaces (%d):\n", g.name, g.file, len(g.lost))
	for i, x := range g.lost {
		if i == mostCases {
			fmt.Fprintf(&s, "… and %d more (-v shows them)\n", len(g.lost)-i)
			break
		}
		s.WriteString(x)
	}
	_, _ = io.WriteString(os.Stderr, s.String())
}

// adviceForCase says what to do about a case that is worse. One that was not
// measured is measured first: preserving that it was not is rarely meant.
func adviceForCase(s evaluation.Status) string {
	switch s {
	case evaluation.NotRun:
		return "Record the fixture of this case. Only if it is to be without one, preserve that it does not run"
	case evaluation.Error:
		return "Repair or record again the fixture of this case, where the failed check says. Only if it is to stay so, preserve the error"
	}
	return "If this is how it should be, review it and update the baseline"
}

// adviceFor says what to do about a difference.
func adviceFor(c *compare.Comparison) string {
	update := "Nothing is worse: update the baseline"
	switch {
	case c.Worse():
		update = "If this is how it should be, review it and update the baseline"
	case c.Count(compare.Fixed) > 0:
		update = "Nothing is worse, and " + strconv.Itoa(c.Count(compare.Fixed)) + " better: update the baseline to hold on to it"
	}
	var rows []evaluation.Row
	for i := range c.Cases {
		if x := &c.Cases[i]; x.New != nil && (x.Old == nil || x.Old.Status != x.New.Status) {
			rows = append(rows, *x.New)
		}
	}
	return adviceWhereUnmeasured(rows, update)
}

// adviceWhereUnmeasured puts the cases that were not measured before what there
// is to do otherwise.
func adviceWhereUnmeasured(rows []evaluation.Row, otherwise string) string {
	var absent, broken []string
	for i := range rows {
		switch rows[i].Status {
		case evaluation.NotRun:
			absent = append(absent, rows[i].ID)
		case evaluation.Error:
			broken = append(broken, rows[i].ID)
		}
	}
	var steps []string
	if len(absent) > 0 {
		steps = append(steps, "record what has no fixture: "+list(absent))
	}
	if len(broken) > 0 {
		steps = append(steps, "repair or record again what ended in an error: "+list(broken))
	}
	if steps == nil {
		return otherwise
	}
	return "First " + strings.Join(steps, "; ") + ".\n" + otherwise
}

// updating reports whether the tests run with -update, or with GOLDIE_UPDATE
// where that flag does not exist.
func updating() bool {
	if f := flag.Lookup("update"); f != nil {
		on, _ := strconv.ParseBool(f.Value.String())
		return on
	}
	on, _ := strconv.ParseBool(os.Getenv("GOLDIE_UPDATE"))
	return on
}

// updateCommand gives the command that preserves what a test evaluates, with -v,
// without which go test hides what got worse by it.
func updateCommand(test string) string {
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" && !strings.HasPrefix(info.Path, "command-line-arguments") {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	run := "-run '" + strings.ReplaceAll(strings.Join(parts, "/"), "'", `'\''`) + "'"
	if flag.Lookup("update") == nil {
		return "GOLDIE_UPDATE=1 go test " + pkg + " " + run + " -v"
	}
	return "go test " + pkg + " " + run + " -update -v"
}

// NoOrphans fails the test for every file under dir that is not one of names:
// a preserved file that no test asserts looks like a promise, and is none.
// Names are paths under dir with slashes; a README.md may stand anywhere.
func NoOrphans(t testing.TB, dir string, names ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if path.Base(rel) != "README.md" && !slices.Contains(names, rel) {
			t.Errorf("no test asserts %s: delete it, or assert it", p)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

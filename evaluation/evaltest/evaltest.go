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
// `go test -update` preserves what came out. Where no test of a package imports
// goldie, that flag does not exist: `GOLDIE_UPDATE=1 go test` does the same.
package evaltest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
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
	g := &run{suite: s, golden: golden, name: t.Name(), updating: updating(), rows: map[string]evaluation.Row{}}
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
	if g.gate != "" {
		t.Run("gate", g.holdGate)
	}
}

// Option asks more of [Run].
type Option func(*run)

// Gate makes [Run] hold the report against a gate file too, in a subtest gate,
// which is skipped where the baseline is. The preserved baseline is what
// max_drop is judged by; under -update, which replaces it, the report itself.
func Gate(file string) Option { return func(g *run) { g.gate = file } }

// run is one call of Run.
type run struct {
	suite    *suite.Suite
	golden   Golden
	name     string // of the test that called Run
	command  string // that updates the baseline
	file     string
	updating bool
	gate     string // a file, or ""

	// baseline is nil where there is none.
	baseline *evaluation.Report
	rules    *compare.Rules
	rows     map[string]evaluation.Row

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
	case g.updating:
		t.Logf("no baseline to compare with: %v", err)
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("there is no baseline %s yet; look at the cases below, and preserve what comes out of them:\n    %s", g.file, g.command)
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
	case was != nil && was.Kind.Worse():
		t.Errorf("worse than the baseline %s:\n%s%s", g.file, g.show(&row, was), g.advice("If this is how it should be, review it and update the baseline"))
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
				}
			}
		}
		g.assert(t, jsonName, b.Bytes())
		return
	}
	same, difference := g.differs(t, jsonName, b.Bytes())
	g.differed = !same
	switch {
	case same:
		g.assert(t, jsonName, b.Bytes())
	case g.baseline == nil:
		t.Errorf("nothing is preserved in %s\n%s", g.file, g.advice("Preserve it"))
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
	if same, difference := g.differs(t, markdownName, b.Bytes()); !same && !g.updating {
		if g.differed {
			difference = "    so does the baseline, as baseline/json tells\n"
		}
		t.Errorf("the preserved page %s differs:\n%s%s", g.golden.GoldenFileName(named{t, g.name}, markdownName), difference, g.advice("Update it together with the baseline"))
		return
	}
	g.assert(t, markdownName, b.Bytes())
}

func (g *run) holdGate(t *testing.T) {
	g.complete(t)
	rules, err := gate.ReadFile(g.gate)
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
		t.Errorf("%s:\n%s", g.gate, b.String())
		return
	}
	t.Logf("%s:\n%s", g.gate, b.String())
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
// own difference of whole reports is never printed.
func (g *run) differs(t *testing.T, name string, data []byte) (same bool, difference string) {
	old, err := os.ReadFile(g.golden.GoldenFileName(named{t, g.name}, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "    it does not exist yet\n"
	case err != nil:
		return false, "    " + err.Error() + "\n"
	case bytes.Equal(old, data):
		return true, ""
	case bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), data):
		return false, "    only its line ends differ: put `golden/** text eol=lf` into .gitattributes\n"
	}
	return false, diff(string(old), string(data))
}

// diff shows the lines between the first and the last that differ, a few of
// them.
func diff(old, now string) string {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for len(a) > from && len(b) > from && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	const most = 8
	var s strings.Builder
	fmt.Fprintf(&s, "    line %d:\n", from+1)
	side := func(sign string, lines []string) {
		for i, l := range lines {
			if i == most {
				fmt.Fprintf(&s, "    %s … and %d more lines\n", sign, len(lines)-i)
				break
			}
			fmt.Fprintf(&s, "    %s %s\n", sign, text.Truncate(text.Terminal(l), 200))
		}
	}
	side("-", a[from:])
	side("+", b[from:])
	return s.String()
}

// differences tells case by case in what a report differs from its baseline.
func differences(g *run, c *compare.Comparison, difference string) string {
	const most = 20
	var s strings.Builder
	fmt.Fprintf(&s, "the report differs from the baseline %s:\n", g.file)
	shown := 0
	for i := range c.Cases {
		x := &c.Cases[i]
		if x.Kind == compare.Equal {
			continue
		}
		if shown++; shown > most {
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
	if shown > most {
		fmt.Fprintf(&s, "  … and %d more cases\n", shown-most)
	}
	if shown == 0 {
		s.WriteString("no case is better or worse; what differs are texts, durations, labels or warnings:\n" + difference)
	}
	return strings.TrimSuffix(s.String(), "\n")
}

// adviceFor says what to do about a difference.
func adviceFor(c *compare.Comparison) string {
	switch {
	case c.Worse():
		return "If this is how it should be, review it and update the baseline"
	case c.Count(compare.Fixed) > 0:
		return "Nothing is worse, and " + strconv.Itoa(c.Count(compare.Fixed)) + " better: update the baseline to hold on to it"
	}
	return "Nothing is worse: update the baseline"
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

// updateCommand gives the command that preserves what a test evaluates.
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
		return "GOLDIE_UPDATE=1 go test " + pkg + " " + run
	}
	return "go test " + pkg + " " + run + " -update"
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

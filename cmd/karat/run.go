package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/render"
	"github.com/karat-eval/karat/evaluation/run"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/atomicfile"
	"github.com/karat-eval/karat/internal/project"
	"github.com/karat-eval/karat/internal/text"
	"github.com/karat-eval/karat/retrieval"
)

func runCommand(env *environment) *cobra.Command {
	var r projectRun
	c := &cobra.Command{
		Use:   "run [karat.yaml]",
		Short: "Evaluate every suite of a project",
		Long: `Evaluate every suite of a project, in the order of its file, hold each against its
gate and its baseline, and write the reports that the file asks for. A suite that
does not pass, or cannot be read, keeps no other from running.

The exit status is 1 where a gate does not pass, a case is worse than its baseline,
or a case that neither of them judges does not pass, and 2 where a suite cannot be
read.`,
		Example: `  karat run
  karat run --suite retrieval --json reports/2026-05-14.json
  karat run --update    # preserve what came out as the baselines`,
		Args: wanted("at most one project file", 0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			r.name = project.DefaultName
			if len(args) == 1 {
				r.name = args[0]
			}
			return r.run(c.Context(), env)
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&r.only, "suite", nil, "evaluate these suites only")
	flags.StringVar(&r.json, "json", "", "write the summary of the run as JSON to this file, for 'karat trend'")
	flags.StringVar(&r.format, "format", "text", "what to print: text, json or markdown")
	flags.BoolVar(&r.update, "update", false, "write what comes out as the new baselines")
	return c
}

// projectRun is one call of 'karat run'.
type projectRun struct {
	name, json, format string
	only               []string
	update             bool

	project *project.Project
}

// suiteOutcome is what became of one suite.
type suiteOutcome struct {
	suite   *project.Suite
	verdict *run.Verdict // nil where err is set
	err     error
	// unwritten are the files of the suite that could not be written, each with
	// why; its result stands all the same.
	unwritten []error
	// replaced is the baseline that an update has replaced, held against the new
	// one; nil where there was none.
	replaced *compare.Comparison
}

func (r *projectRun) run(ctx context.Context, env *environment) error {
	if err := errors.Join(checkFormat(r.format), checkOutputs(nil, r.json)); err != nil {
		return err
	}
	p, err := openProject(r.name)
	if err != nil {
		return err
	}
	defer p.Close()
	r.project = p
	if err := errors.Join(checkProject(p), checkOutputs(projectPlaces(p), r.json)); err != nil {
		return err
	}
	suites, err := r.chosen()
	if err != nil {
		return err
	}
	var outcomes []suiteOutcome
	summary := &compare.Run{}
	for _, s := range suites {
		o := suiteOutcome{suite: s}
		o.err = r.suite(ctx, env, &o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.err != nil {
			o.verdict = nil
			summary.Suites = append(summary.Suites, run.Unusable(s.Name, s.Kind, o.err))
		} else {
			summary.Suites = append(summary.Suites, o.verdict.Suite(s.Name, s.Kind))
		}
		outcomes = append(outcomes, o)
	}
	var unwritten error
	if r.json != "" {
		unwritten = atomicfile.Write(r.json, summary.WriteJSON)
	}
	if err := env.print(func(w io.Writer) error {
		switch r.format {
		case "json":
			return summary.WriteJSON(w)
		case "markdown":
			return runMarkdown(w, outcomes, env.renderOptions())
		}
		return runText(w, outcomes, env.renderOptions())
	}); err != nil {
		return err
	}
	var errs []error
	for _, o := range outcomes {
		for _, err := range append([]error{o.err}, o.unwritten...) {
			if err != nil {
				errs = append(errs, fmt.Errorf("suite %s: %w", o.suite.Name, err))
			}
		}
	}
	if err := errors.Join(append(errs, unwritten)...); err != nil {
		return err
	}
	if run.Status(summary) != run.Pass {
		return errNotPassed
	}
	return nil
}

// chosen gives the suites to run, in the order of the file.
func (r *projectRun) chosen() ([]*project.Suite, error) {
	for _, name := range r.only {
		if _, err := r.project.Suite(name); err != nil {
			return nil, err
		}
	}
	var out []*project.Suite
	preserved := false
	for i := range r.project.Suites {
		s := &r.project.Suites[i]
		if len(r.only) == 0 || slices.Contains(r.only, s.Name) {
			out = append(out, s)
			preserved = preserved || s.Baseline != ""
		}
	}
	if r.update && !preserved {
		return nil, fmt.Errorf("%s: no suite names a baseline, so that there is nothing to update", r.project.Name)
	}
	return out, nil
}

// suite evaluates one suite, and writes its files.
func (r *projectRun) suite(ctx context.Context, env *environment, o *suiteOutcome) error {
	p, s := r.project, o.suite
	var rules *gate.Rules
	if s.Gate != "" {
		data, err := p.Read(s.Gate)
		if err != nil {
			return err
		}
		if rules, err = gate.Read(p.Display(s.Gate), data); err != nil {
			return err
		}
	}
	baseline, err := r.baseline(s)
	if err != nil {
		return err
	}
	opened, err := openSuite(p, s)
	if err != nil {
		return err
	}
	defer opened.Close()
	report, err := runSuite(ctx, env, opened)
	if err != nil {
		return err
	}
	if r.update && s.Baseline != "" {
		// What does not fit must not cost the baseline.
		if _, err := run.Judge(report, baseline, rules, run.Options{}); err != nil {
			return err
		}
		if err := r.preserve(s, report); err != nil {
			o.unwritten = append(o.unwritten, err)
		} else {
			if baseline != nil {
				o.replaced = compare.Compare(baseline, report, compare.Options{})
			}
			baseline = report
		}
	}
	if o.verdict, err = run.Judge(report, baseline, rules, run.Options{}); err != nil {
		return err
	}
	if s.JSON != "" {
		if err := p.Write(s.JSON, report.WriteJSON); err != nil {
			o.unwritten = append(o.unwritten, err)
		}
	}
	if s.Markdown != "" {
		options := render.Options{Comparison: o.verdict.Comparison, Gate: o.verdict.Gate}
		if err := p.Write(s.Markdown, func(w io.Writer) error { return render.Markdown(w, report, options) }); err != nil {
			o.unwritten = append(o.unwritten, err)
		}
	}
	return nil
}

// baseline reads what the suite is held against, nil where it names none. An
// update does without one that is not there; what is there has to be a report, as
// nothing else is to be written over.
func (r *projectRun) baseline(s *project.Suite) (*evaluation.Report, error) {
	if s.Baseline == "" {
		return nil, nil
	}
	f, err := r.project.OpenFile(s.Baseline)
	if err == nil {
		defer f.Close()
		var report *evaluation.Report
		if report, err = evaluation.ReadReport(bufio.NewReaderSize(f, 1<<16)); err == nil {
			return report, nil
		}
		err = fmt.Errorf("%s: %w", r.project.Display(s.Baseline), err)
	}
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && !r.update:
		return nil, fmt.Errorf("%w; 'karat run --update' writes it", err)
	case !missing && !r.update:
		return nil, err
	case !missing:
		return nil, fmt.Errorf("%w; an update writes over a report only: remove the file, or name another baseline", err)
	}
	if f, err := r.project.OpenFile(s.BaselineMarkdown()); err == nil {
		f.Close()
		return nil, fmt.Errorf("%s exists, and %s, which it would belong to, does not: remove the file, or name another baseline",
			r.project.Display(s.BaselineMarkdown()), r.project.Display(s.Baseline))
	}
	return nil, nil
}

// preserve writes a report as the suite's baseline.
func (r *projectRun) preserve(s *project.Suite, report *evaluation.Report) error {
	if err := r.project.Write(s.Baseline, report.WriteJSON); err != nil {
		return err
	}
	return r.project.Write(s.BaselineMarkdown(), func(w io.Writer) error {
		return render.Markdown(w, report, render.Options{Preserved: true})
	})
}

// openProject opens a project file, and says what to do where there is none.
func openProject(name string) (*project.Project, error) {
	p, err := project.Open(name)
	info, _ := os.Stat(name)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) && filepath.Base(name) == project.DefaultName:
		err = fmt.Errorf("%w; 'karat init' makes one", err)
	case errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) == "":
		err = fmt.Errorf("%w; a project file is named here, a suite by --suite %s", err, name)
	case info != nil && info.IsDir():
		err = fmt.Errorf("%w; its project file would be %s", err, filepath.Join(name, project.DefaultName))
	}
	return p, err
}

// openSuite opens a suite of a project.
func openSuite(p *project.Project, s *project.Suite) (*suite.Suite, error) {
	cases, err := p.Path(s.Cases)
	if err != nil {
		return nil, err
	}
	fixtures, err := p.Path(s.Fixtures)
	if err != nil {
		return nil, err
	}
	if s.Kind == project.Diagnosis {
		opened, err := diagnosis.OpenFiles(cases, fixtures, diagnosis.Options{Name: s.Name, Workers: s.Workers, Strict: s.Strict})
		return opened, otherKind(err, s.Kind, "the suite is of kind "+s.Kind)
	}
	o := retrieval.Options{
		K: s.K, Name: s.Name, Workers: s.Workers, Strict: s.Strict,
		MinHitLevel: retrieval.HitLevel(s.MinHitLevel), NoAnswerHitTypes: s.NoAnswerHitTypes,
	}
	if s.MinKeywordCoverage != nil {
		o.MinKeywordCoverage = *s.MinKeywordCoverage
	}
	opened, err := retrieval.OpenFiles(cases, fixtures, o)
	return opened, otherKind(err, s.Kind, "the suite is of kind "+s.Kind)
}

// runText writes what does not pass in full, then what is known to fail, then a
// line for each suite and the verdict, last, where it is seen.
func runText(w io.Writer, outcomes []suiteOutcome, o render.Options) error {
	first := true
	section := func() error {
		if first {
			first = false
			return nil
		}
		_, err := io.WriteString(w, "\n")
		return err
	}
	for _, x := range outcomes {
		if x.verdict == nil {
			continue
		}
		if x.verdict.Passed() {
			var warnings strings.Builder
			if err := render.Warnings(&warnings, x.verdict.Report, o); err != nil {
				return err
			}
			if warnings.Len() == 0 {
				continue
			}
			if err := section(); err != nil {
				return err
			}
			if _, err := io.WriteString(w, warnings.String()); err != nil {
				return err
			}
			continue
		}
		if err := section(); err != nil {
			return err
		}
		if err := heading(w, x.suite.Name, o); err != nil {
			return err
		}
		options := o
		options.Comparison, options.Gate = x.verdict.Comparison, x.verdict.Gate
		if err := render.Text(w, x.verdict.Report, options); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		title string
		rows  func(x *suiteOutcome) []*evaluation.Row
	}{
		{"Known failures", known},
		{"Not passing, and within the gate", tolerated},
		{"Worse than the baseline that was replaced", replacedWorse},
	} {
		lines := brief(outcomes, list.rows)
		if len(lines) == 0 {
			continue
		}
		if err := section(); err != nil {
			return err
		}
		if err := heading(w, fmt.Sprintf("%s (%d)", list.title, len(lines)), o); err != nil {
			return err
		}
		for i, line := range lines {
			if i == maxBrief {
				line = fmt.Sprintf("  … and %d more", len(lines)-i)
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
			if i == maxBrief {
				break
			}
		}
	}
	if err := section(); err != nil {
		return err
	}
	width, bad := 0, 0
	for _, x := range outcomes {
		width = max(width, text.Width(text.Terminal(x.suite.Name)))
	}
	for _, x := range outcomes {
		sign, says := "✓", "could not be evaluated"
		if x.verdict != nil {
			says = text.Terminal(x.verdict.String())
		}
		if x.verdict == nil || !x.verdict.Passed() {
			sign = "✗"
			bad++
		}
		if _, err := fmt.Fprintf(w, "%s %s  %s\n", sign, text.Pad(text.Terminal(x.suite.Name), width), says); err != nil {
			return err
		}
	}
	verdict := "passed"
	if bad > 0 {
		verdict = fmt.Sprintf("not passed: %d of %d suites", bad, len(outcomes))
	}
	return heading(w, verdict, o)
}

// maxBrief is how many cases are listed under one heading.
const maxBrief = 50

func heading(w io.Writer, s string, o render.Options) error {
	s = text.Terminal(s)
	if o.Color {
		s = "\x1b[1m" + s + "\x1b[0m"
	}
	_, err := fmt.Fprintln(w, s)
	return err
}

// known are the known failures of a suite that passes; what does not is shown in
// full.
func known(x *suiteOutcome) []*evaluation.Row {
	if !x.verdict.Passed() {
		return nil
	}
	return x.verdict.Known()
}

// tolerated are the cases that do not pass where a gate alone decides on them, and
// passes.
func tolerated(x *suiteOutcome) []*evaluation.Row {
	v := x.verdict
	var rows []*evaluation.Row
	if v.Gate == nil || !v.Passed() {
		return nil
	}
	if v.Comparison != nil {
		return v.Comparison.NewFailing()
	}
	for i := range v.Report.Rows {
		if v.Report.Rows[i].Status != evaluation.Pass {
			rows = append(rows, &v.Report.Rows[i])
		}
	}
	return rows
}

func replacedWorse(x *suiteOutcome) []*evaluation.Row {
	var rows []*evaluation.Row
	if x.replaced != nil {
		for i := range x.replaced.Cases {
			if c := &x.replaced.Cases[i]; c.Kind.Worse() {
				row := c.New
				if row == nil {
					row = c.Old
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// brief gives a line for each row of the outcomes that were judged.
func brief(outcomes []suiteOutcome, rows func(*suiteOutcome) []*evaluation.Row) []string {
	var lines []string
	for i := range outcomes {
		if outcomes[i].verdict == nil {
			continue
		}
		for _, row := range rows(&outcomes[i]) {
			lines = append(lines, fmt.Sprintf("· %s/%s  %s", text.Terminal(outcomes[i].suite.Name), text.Terminal(row.ID), text.Terminal(why(row))))
		}
	}
	return lines
}

// why says in a few words what is wrong with a case.
func why(row *evaluation.Row) string {
	says := strings.ReplaceAll(string(row.Status), "_", " ")
	failed := row.FailedChecks()
	if len(failed) == 0 {
		return says
	}
	says = strings.Join(failed, ", ")
	if c := row.Check(failed[0]); c.Reason != "" {
		says += ": " + text.Truncate(c.Reason, 100)
	}
	return says
}

// runMarkdown writes a line for each suite, then the report of each that does not
// pass.
func runMarkdown(w io.Writer, outcomes []suiteOutcome, o render.Options) error {
	var b strings.Builder
	b.WriteString("| | suite | verdict |\n|---|---|---|\n")
	for _, x := range outcomes {
		sign, says := "✓", ""
		switch {
		case x.verdict == nil:
			sign, says = "✗", "could not be evaluated: "+x.err.Error()
		case !x.verdict.Passed():
			sign = "✗"
			fallthrough
		default:
			says = x.verdict.String()
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", sign, text.Markdown(x.suite.Name), text.Markdown(says))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	for _, x := range outcomes {
		if x.verdict == nil || x.verdict.Passed() {
			continue
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		options := o
		options.Comparison, options.Gate = x.verdict.Comparison, x.verdict.Gate
		if err := render.Markdown(w, x.verdict.Report, options); err != nil {
			return err
		}
	}
	return nil
}

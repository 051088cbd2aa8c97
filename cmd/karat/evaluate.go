package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/render"
	"github.com/karat-eval/karat/evaluation/run"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/atomicfile"
	"github.com/karat-eval/karat/internal/text"
)

// evaluateFlags are what evaluating a suite takes, whatever its domain.
type evaluateFlags struct {
	cases, fixtures string
	gate, baseline  string
	json, markdown  string
	format          string
	filter          suite.Filter
	strict          bool
	workers         int
	name            string
}

// register adds the flags; fixtures is the name of the flag for fixtures.
func (f *evaluateFlags) register(c *cobra.Command, fixtures, what string) {
	flags := c.Flags()
	flags.StringVar(&f.cases, "cases", "", "case set: a .yaml, .json or .jsonl file")
	flags.StringVar(&f.fixtures, fixtures, "", what+": a folder, or a .jsonl or .jsonl.gz bundle")
	flags.StringVar(&f.gate, "gate", "", "gate file: rules that the result has to hold")
	flags.StringVar(&f.baseline, "baseline", "", "JSON report to hold the result against")
	flags.StringVar(&f.json, "json", "", "write the report as JSON to this file")
	flags.StringVar(&f.markdown, "markdown", "", "write the report as Markdown to this file")
	flags.StringVar(&f.format, "format", "text", "what to print: text, json or markdown")
	flags.StringSliceVar(&f.filter.Cases, "case", nil, "evaluate these cases only: ids, or patterns such as 'vpn-*'")
	flags.StringSliceVar(&f.filter.Tags, "tag", nil, "evaluate the cases with one of these tags only")
	flags.BoolVar(&f.strict, "strict", false, "fixtures that no case claims are an error")
	flags.IntVar(&f.workers, "workers", 0, "number of workers (0: one for each processor)")
	flags.StringVar(&f.name, "name", "", "name of the suite in the report (default: the folder of the case set)")
	for _, name := range []string{"cases", fixtures} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was registered above
		}
	}
}

// evaluate runs a suite, writes its reports, prints it, and gives
// errNotPassed where it does not pass.
func (f *evaluateFlags) evaluate(ctx context.Context, env *environment, s *suite.Suite) error {
	if err := checkFormat(f.format); err != nil {
		return err
	}
	reads := []place{{"cases", f.cases}, {"fixtures", f.fixtures}, {"gate", f.gate}, {"baseline", f.baseline}}
	if err := checkOutputs(reads, f.json, f.markdown); err != nil {
		return err
	}
	s, err := s.Filter(f.filter)
	if err != nil {
		return err
	}
	var rules *gate.Rules
	if f.gate != "" {
		if rules, err = gate.ReadFile(f.gate); err != nil {
			return err
		}
	}
	var baseline *evaluation.Report
	if f.baseline != "" {
		if baseline, err = readReport(f.baseline); err != nil {
			return err
		}
		// Judge refuses it too, after all the work.
		def := s.Definition()
		if err := compare.SameKind(&baseline.Definition, &def); err != nil {
			return fmt.Errorf("%s: %w", f.baseline, err)
		}
	}
	report, err := runSuite(ctx, env, s)
	if err != nil {
		return err
	}
	verdict, err := run.Judge(report, baseline, rules, run.Options{Partial: s.Filtered()})
	if err != nil {
		return err
	}
	options := env.renderOptions()
	options.Comparison, options.Gate = verdict.Comparison, verdict.Gate
	var files sync.WaitGroup
	var written [2]error
	if f.json != "" {
		files.Go(func() { written[0] = atomicfile.Write(f.json, report.WriteJSON) })
	}
	if f.markdown != "" {
		files.Go(func() {
			written[1] = atomicfile.Write(f.markdown, func(w io.Writer) error { return render.Markdown(w, report, options) })
		})
	}
	files.Wait()
	if err := env.print(func(w io.Writer) error {
		switch f.format {
		case "json":
			return report.WriteJSON(w)
		case "markdown":
			return render.Markdown(w, report, options)
		}
		return render.Text(w, report, options)
	}); err != nil {
		return err
	}
	// A report that cannot be written costs nobody the result.
	if err := errors.Join(written[:]...); err != nil {
		return err
	}
	if !verdict.Passed() {
		return errNotPassed
	}
	return nil
}

func checkFormat(format string) error {
	switch format {
	case "text", "json", "markdown":
		return nil
	}
	return fmt.Errorf("--format %q is none of text, json, markdown", format)
}

func (env *environment) renderOptions() render.Options {
	return render.Options{Color: env.color, Width: env.width}
}

// print writes to standard output through a buffer.
func (env *environment) print(content func(io.Writer) error) error {
	if env.terminal {
		// Text and Markdown send a terminal nothing but their own colours; JSON
		// has letters of other scripts as they are, and more.
		var b bytes.Buffer
		if err := content(&b); err != nil {
			return err
		}
		_, err := env.stdout.Write(text.JSON(b.Bytes()))
		return err
	}
	w := bufio.NewWriterSize(env.stdout, 1<<16)
	if err := content(w); err != nil {
		return err
	}
	return w.Flush()
}

func readReport(name string) (*evaluation.Report, error) {
	f, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := evaluation.ReadReport(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// runSuite evaluates a suite, with its progress on standard error where the run
// takes longer than a second and standard error is a terminal.
func runSuite(ctx context.Context, env *environment, s *suite.Suite) (*evaluation.Report, error) {
	if !env.progress {
		return s.Run(ctx)
	}
	var done atomic.Int64
	total := len(s.CaseIDs())
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		shown := false
		for {
			select {
			case <-ctx.Done():
				if shown {
					fmt.Fprint(env.stderr, "\r\x1b[K")
				}
				return
			case <-tick.C:
				shown = true
				fmt.Fprintf(env.stderr, "\r%d of %d cases", done.Load(), total)
			}
		}
	}()
	report, err := s.RunProgress(ctx, func() { done.Add(1) })
	cancel()
	<-stopped
	return report, err
}

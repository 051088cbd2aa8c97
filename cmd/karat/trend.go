package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/render"
)

func trendCommand(env *environment) *cobra.Command {
	var format string
	var options compare.TrendOptions
	c := &cobra.Command{
		Use:   "trend [LABEL=]RUN.json...",
		Short: "Show how metrics moved over saved runs",
		Long: `Show how metrics moved over saved runs, oldest first: a row for each run, a column
for each metric. Run summaries are what 'karat run' saves; a report stands for a
run of its one suite.

⚠ marks a value that is worse than in the run before by more than 0.01, or that
was lost. Times and numbers of tokens are marked where they are worse by more
than a tenth.`,
		Example: `  karat trend "2026-05-07 v2=runs/v2.json" "2026-05-14 v3=runs/v3.json"
  karat trend --metric mrr --metric duration_ms_p95 runs/*.json`,
		Args: wanted("at least one saved run", 1, math.MaxInt),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			runs, err := readRuns(args)
			if err != nil {
				return err
			}
			if err := haveMetrics(runs, options.Metrics); err != nil {
				return err
			}
			trend, err := compare.NewTrend(runs, options)
			if err != nil {
				return err
			}
			return env.print(func(w io.Writer) error {
				switch format {
				case "json":
					return trend.WriteJSON(w)
				case "markdown":
					return render.TrendMarkdown(w, trend, env.renderOptions())
				}
				return render.TrendText(w, trend, env.renderOptions())
			})
		},
	}
	c.Flags().StringSliceVar(&options.Metrics, "metric", nil, "show these metrics, in this order (default: those that have a better direction and are no count, time or number of tokens)")
	c.Flags().StringVar(&format, "format", "text", "what to print: text, json or markdown")
	return c
}

// readRuns reads the runs of the command line. One without a label is called by
// its file's name, by its whole path where two files have the same name.
func readRuns(args []string) ([]compare.TrendRun, error) {
	runs := make([]compare.TrendRun, len(args))
	files := make([]string, len(args))
	names := map[string]int{}
	for i, arg := range args {
		runs[i].Label, files[i] = labelled(arg)
		if files[i] == "" {
			return nil, fmt.Errorf("%q names no file; write LABEL=RUN.json", arg)
		}
		if runs[i].Label == "" {
			names[filepath.Base(files[i])]++
		}
	}
	for i, file := range files {
		if runs[i].Label == "" {
			if runs[i].Label = filepath.Base(file); names[runs[i].Label] > 1 {
				runs[i].Label = filepath.ToSlash(file)
			}
		}
		run, err := readRun(file)
		if err != nil {
			return nil, err
		}
		runs[i].Run = run
	}
	return runs, nil
}

// labelled parts LABEL=FILE. A file whose name has a = is a file, and a label may
// have one too: the first part that leaves the name of a file is the label.
func labelled(arg string) (label, file string) {
	if exists(arg) {
		return "", arg
	}
	for i := range len(arg) {
		if arg[i] == '=' && exists(arg[i+1:]) {
			return arg[:i], arg[i+1:]
		}
	}
	if label, file, ok := strings.Cut(arg, "="); ok {
		return label, file
	}
	return "", arg
}

// haveMetrics reports a metric that no run has.
func haveMetrics(runs []compare.TrendRun, metrics []string) error {
	var known []string
	for _, r := range runs {
		for i := range r.Run.Suites {
			for _, e := range r.Run.Suites[i].Summary {
				if !slices.Contains(known, e.Name) {
					known = append(known, e.Name)
				}
			}
		}
	}
	for _, name := range metrics {
		if !slices.Contains(known, name) {
			return noMetric("the runs have", name, known)
		}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func readRun(name string) (*compare.Run, error) {
	f, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	run, err := compare.ReadRun(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return run, nil
}

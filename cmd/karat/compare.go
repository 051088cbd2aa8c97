package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/render"
	"github.com/karat-eval/karat/internal/input"
)

func compareCommand(env *environment) *cobra.Command {
	var format string
	var stats bool
	var options compare.TestOptions
	c := &cobra.Command{
		Use:   "compare OLD.json NEW.json",
		Short: "Compare two saved reports, case by case and metric by metric",
		Long: `Compare two saved reports, case by case and metric by metric.

A case is worse if its status or its hit level fell, if a check that passed no
longer does, if it was removed, or if it cannot be compared: the case itself, k
or the rules changed. A mean that rose makes up for none.

With --stats, exact tests say whether the difference is more than chance: McNemar
for pass and fail, the sign test, a paired randomisation test of the mean, a 95%
bootstrap interval, and Holm's adjustment for the number of tests shown.

The exit status is 1 where a case is worse.`,
		Example: `  karat compare --stats old.json new.json`,
		Args:    wanted("two reports", 2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			if len(options.Metrics) > 0 && !stats {
				return errors.New("--metric chooses what --stats tests; give both")
			}
			old, err := readReport(args[0])
			if err != nil {
				return err
			}
			now, err := readReport(args[1])
			if err != nil {
				return err
			}
			if err := compare.SameKind(&old.Definition, &now.Definition); err != nil {
				return fmt.Errorf("%s, %s: %w", args[0], args[1], err)
			}
			for _, name := range options.Metrics {
				if now.Metric(name) == nil {
					known := make([]string, len(now.Metrics))
					for i := range now.Metrics {
						known[i] = now.Metrics[i].Name
					}
					return noMetric(args[1]+": the report has", name, known)
				}
			}
			comparison := compare.Compare(old, now, compare.Options{})
			if stats {
				if err := comparison.Test(options); err != nil {
					return err
				}
			}
			if err := env.print(func(w io.Writer) error {
				switch format {
				case "json":
					return comparison.WriteJSON(w)
				case "markdown":
					return render.CompareMarkdown(w, comparison, env.renderOptions())
				}
				return render.CompareText(w, comparison, env.renderOptions())
			}); err != nil {
				return err
			}
			if comparison.Worse() {
				return errNotPassed
			}
			return nil
		},
	}
	c.Flags().BoolVar(&stats, "stats", false, "test whether the difference is more than chance")
	c.Flags().StringSliceVar(&options.Metrics, "metric", nil, "with --stats: test these metrics only")
	c.Flags().Uint64Var(&options.Seed, "seed", 0, "with --stats: seed of what is drawn")
	c.Flags().StringVar(&format, "format", "text", "what to print: text, json or markdown")
	return c
}

// noMetric says that a report or a run has no metric of a name, and which one was
// probably meant.
func noMetric(where, name string, known []string) error {
	if near := input.Nearest(name, known); near != "" {
		return fmt.Errorf("%s no metric %q; did you mean %q?", where, name, near)
	}
	return fmt.Errorf("%s no metric %q; known are %s", where, name, strings.Join(known, ", "))
}

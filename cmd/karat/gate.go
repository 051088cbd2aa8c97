package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/render"
)

func gateCommand(env *environment) *cobra.Command {
	var gateFile, baselineFile, format string
	c := &cobra.Command{
		Use:   "gate --gate FILE REPORT.json",
		Short: "Hold a saved report against a gate",
		Long: `Hold a saved report against a gate.

Every rule of the gate passes, fails, is unmeasured (there is no value to judge)
or insufficient (too few cases), and only a gate of which every rule passes is
passed. With --baseline, max_drop is judged too, and no case may be worse than
it was.

The exit status is 1 where the gate does not pass, and 2 where the gate file does
not fit the report: a metric that it does not have, a bound outside its range.`,
		Example: `  karat gate --gate gate.yaml --baseline golden/retrieval/baseline.json report.json`,
		Args:    wanted("a report", 1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			rules, err := gate.ReadFile(gateFile)
			if err != nil {
				return err
			}
			report, err := readReport(args[0])
			if err != nil {
				return err
			}
			var baseline *evaluation.Report
			if baselineFile != "" {
				if baseline, err = readReport(baselineFile); err != nil {
					return err
				}
			}
			result, err := rules.Check(report, baseline)
			if err != nil {
				return err
			}
			if err := env.print(func(w io.Writer) error {
				switch format {
				case "json":
					return result.WriteJSON(w)
				case "markdown":
					return render.GateMarkdown(w, result, env.renderOptions())
				}
				return render.GateText(w, result, env.renderOptions())
			}); err != nil {
				return err
			}
			if !result.Passed() {
				return errNotPassed
			}
			return nil
		},
	}
	c.Flags().StringVar(&gateFile, "gate", "", "gate file: a .yaml or .json file")
	c.Flags().StringVar(&baselineFile, "baseline", "", "JSON report to hold the report against")
	c.Flags().StringVar(&format, "format", "text", "what to print: text, json or markdown")
	if err := c.MarkFlagRequired("gate"); err != nil {
		panic(err) // the flag was registered above
	}
	return c
}

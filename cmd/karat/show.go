package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation/render"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/project"
)

func showCommand(env *environment) *cobra.Command {
	var name, format string
	c := &cobra.Command{
		Use:   "show SUITE CASE",
		Short: "Show one case in full, with its texts",
		Long: `Show one case in full: what was asked and expected, what was retrieved or called,
with the hits marked, the answer, and every check.`,
		Example: `  karat show retrieval vpn-cannot-connect`,
		Args:    wanted("a suite and a case", 2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "text" && format != "markdown" {
				return fmt.Errorf("--format %q is none of text, markdown", format)
			}
			p, err := openProject(name)
			if err != nil {
				return err
			}
			defer p.Close()
			s, err := p.Suite(args[0])
			if err != nil {
				return err
			}
			opened, err := openSuite(p, s)
			if err != nil {
				return err
			}
			defer opened.Close()
			if ids := opened.CaseIDs(); !slices.Contains(ids, args[1]) {
				err := fmt.Errorf("suite %q has no case %q", s.Name, args[1])
				if near := input.Nearest(args[1], ids); near != "" {
					err = fmt.Errorf("%w; did you mean %q?", err, near)
				}
				return err
			}
			display, err := opened.Show(args[1])
			if err != nil {
				return err
			}
			return env.print(func(w io.Writer) error {
				if format == "markdown" {
					return render.DisplayMarkdown(w, display)
				}
				return render.DisplayText(w, display, env.renderOptions())
			})
		},
	}
	c.Flags().StringVar(&name, "project", project.DefaultName, "project file")
	c.Flags().StringVar(&format, "format", "text", "what to print: text or markdown")
	return c
}

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation/render"
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
		Args:    cobra.ExactArgs(2),
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

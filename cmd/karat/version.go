package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation"
)

func versionCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the version of the scoring rules",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version := "(unknown)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			_, err := fmt.Fprintf(env.stdout, "karat %s, ruleset %s\n", version, evaluation.Ruleset)
			return err
		},
	}
}

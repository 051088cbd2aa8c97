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
		Args:  noArguments(""),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(env.stdout, version())
			return err
		},
	}
}

func version() string {
	of := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		of = info.Main.Version
	}
	return fmt.Sprintf("karat %s, ruleset %s", of, evaluation.Ruleset)
}

package main

import "github.com/spf13/cobra"

// commands are the commands of karat.
func commands(env *environment) []*cobra.Command {
	return []*cobra.Command{
		initCommand(env),
		runCommand(env),
		showCommand(env),
		importCommand(env),
		retrievalCommand(env),
		diagnosisCommand(env),
		gateCommand(env),
		compareCommand(env),
		trendCommand(env),
		trecCommand(env),
		explainCommand(env),
		versionCommand(env),
	}
}

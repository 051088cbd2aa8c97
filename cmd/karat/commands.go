package main

import "github.com/spf13/cobra"

// commands are the commands of karat.
func commands(env *environment) []*cobra.Command {
	return []*cobra.Command{
		retrievalCommand(env),
		gateCommand(env),
		compareCommand(env),
		trendCommand(env),
		trecCommand(env),
		explainCommand(env),
		versionCommand(env),
	}
}

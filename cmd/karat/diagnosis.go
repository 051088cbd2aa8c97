package main

import (
	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/internal/project"
)

func diagnosisCommand(env *environment) *cobra.Command {
	var f evaluateFlags
	c := &cobra.Command{
		Use:   "diagnosis --cases FILE --traces FOLDER",
		Short: "Evaluate saved diagnosis traces against golden cases",
		Long: `Evaluate saved diagnosis traces against golden cases.

The exit status is 1 where the gate does not pass, a case is worse than the
baseline, or a case that neither of them judges does not pass.`,
		Example: `  karat diagnosis --cases testdata/diagnosis/cases.yaml --traces testdata/diagnosis/traces`,
		Args:    noArguments("; name the files by --cases and --traces"),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := diagnosis.OpenFiles(f.cases, f.fixtures, diagnosis.Options{
				Name: f.name, Workers: f.workers, Strict: f.strict,
			})
			if err != nil {
				return otherKind(err, project.Diagnosis, "use 'karat retrieval'")
			}
			defer s.Close()
			return f.evaluate(c.Context(), env, s)
		},
	}
	f.register(c, "traces", "traces of the cases")
	return c
}

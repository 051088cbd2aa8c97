package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/internal/project"
	"github.com/karat-eval/karat/retrieval"
)

func retrievalCommand(env *environment) *cobra.Command {
	var f evaluateFlags
	k := 5
	c := &cobra.Command{
		Use:   "retrieval --cases FILE --fixtures FOLDER",
		Short: "Evaluate saved retrieval results against golden cases",
		Long: `Evaluate saved retrieval results against golden cases.

The exit status is 1 where the gate does not pass, a case is worse than the
baseline, or a case that neither of them judges does not pass.`,
		Example: `  karat retrieval --cases testdata/retrieval/cases.yaml --fixtures testdata/retrieval/fixtures --k 5`,
		Args:    noArguments("; name the files by --cases and --fixtures"),
		RunE: func(c *cobra.Command, _ []string) error {
			if k < 1 {
				return fmt.Errorf("--k %d: k is a rank, 1 or more", k)
			}
			s, err := retrieval.OpenFiles(f.cases, f.fixtures, retrieval.Options{
				K: k, Name: f.name, Workers: f.workers, Strict: f.strict,
			})
			if err != nil {
				return otherKind(err, project.Retrieval, "use 'karat diagnosis'")
			}
			defer s.Close()
			return f.evaluate(c.Context(), env, s)
		},
	}
	f.register(c, "fixtures", "fixtures of the cases")
	c.Flags().IntVar(&k, "k", k, "rank down to which recall@k and its like look")
	return c
}

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/internal/atomicfile"
	"github.com/karat-eval/karat/internal/text"
	"github.com/karat-eval/karat/retrieval/evalset"
)

func importCommand(env *environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "import",
		Short: "Turn what other tools wrote into case sets",
	}
	c.AddCommand(importCasesCommand(env))
	return c
}

// maxImported bounds what import reads, in bytes.
const maxImported = 256 << 20

func importCasesCommand(env *environment) *cobra.Command {
	var out, scenarioType string
	var force bool
	c := &cobra.Command{
		Use:   "cases FILE",
		Short: "Turn an evaluation set of another tool into a retrieval case set",
		Long: `Turn an evaluation set of another tool into a retrieval case set: a list of
questions (.json, .yaml or .jsonl) with what is expected of each, often without
ids and without a scenario type.

A case without an id gets one from its question, so that the same question has the
same id wherever it stands. Fields that a case does not know are kept under its
metadata. What could not be taken over as it stands is listed on standard error,
cases that are left out first.

The exit status is 1 where a case is left out; the others are written all the same.`,
		Example: `  karat import cases eval_sets/smoke.json --out testdata/retrieval/cases.yaml`,
		Args:    wanted("an evaluation set", 1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			extension := strings.ToLower(filepath.Ext(out))
			if out != "" && extension != ".yaml" && extension != ".yml" && extension != ".json" {
				return fmt.Errorf("--out %s: a name with .yaml, .yml or .json is needed", out)
			}
			if scenarioType == "" {
				return errors.New("--scenario-type is empty; chat, aiops or another name is needed")
			}
			if _, err := os.Lstat(out); out != "" && !force && !errors.Is(err, fs.ErrNotExist) {
				if err != nil {
					return err
				}
				return fmt.Errorf("%s exists; --force writes over it", out)
			}
			if err := checkOutputs([]place{{"evaluation set", args[0]}}, out); err != nil {
				return err
			}
			data, err := readLimited(args[0], maxImported)
			if err != nil {
				return err
			}
			set, err := evalset.Read(args[0], data, evalset.Options{ScenarioType: scenarioType})
			if err != nil {
				return err
			}
			write := set.WriteYAML
			if extension == ".json" {
				write = set.WriteJSON
			}
			if out == "" {
				err = env.print(func(w io.Writer) error { return write(w) })
			} else {
				err = atomicfile.Write(out, write)
			}
			if err != nil {
				return err
			}
			for _, n := range set.Notes {
				fmt.Fprintln(env.stderr, text.Terminal(n.String()))
			}
			noun := "cases"
			if set.Entries == 1 {
				noun = "case"
			}
			left := set.Entries - len(set.Cases)
			fmt.Fprintf(env.stderr, "%d of %d %s taken over, %d left out\n", len(set.Cases), set.Entries, noun, left)
			if left > 0 {
				return errNotPassed
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "case set to write: a .yaml or .json file (default: standard output)")
	c.Flags().StringVar(&scenarioType, "scenario-type", "chat", "scenario type of the cases that state none")
	c.Flags().BoolVar(&force, "force", false, "write over a file that exists")
	return c
}

// readLimited reads a file of at most so many bytes.
func readLimited(name string, limit int64) ([]byte, error) {
	f, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is over %d MiB", name, limit>>20)
	}
	return data, nil
}

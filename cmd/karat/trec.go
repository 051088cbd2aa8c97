package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/internal/text"
	"github.com/karat-eval/karat/retrieval/measure"
	"github.com/karat-eval/karat/retrieval/trec"
)

// trecFlags are what scoring runs takes.
type trecFlags struct {
	measures   []string
	rel, depth int
	judgedOnly bool
	complete   bool
	workers    int
	json       bool
}

func (f *trecFlags) register(c *cobra.Command) {
	flags := c.Flags()
	// No slice flag: commas are part of names such as P.5,10.
	flags.StringArrayVarP(&f.measures, "measure", "m", nil, "measure to score, such as nDCG@10, AP(rel=2)@100, ndcg_cut_10 or P.5,10 (repeatable)")
	flags.IntVarP(&f.rel, "rel", "l", 1, "lowest relevance that counts as relevant, for measures that do not state theirs")
	flags.IntVarP(&f.depth, "depth", "M", 0, "look at this many documents of each query (0: all)")
	flags.BoolVarP(&f.judgedOnly, "judged-only", "J", false, "drop documents without an assessment before scoring")
	flags.BoolVarP(&f.complete, "complete", "c", true, "average over all queries of the judgments (always so; for trec_eval's habits)")
	flags.IntVar(&f.workers, "workers", 0, "number of workers (0: one for each processor)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
}

// options reads the measures; defaults stands for none.
func (f *trecFlags) options(defaults []measure.Measure) (trec.Options, bool, error) {
	opt := trec.Options{Workers: f.workers, Depth: f.depth, JudgedOnly: f.judgedOnly}
	if f.depth < 0 || f.workers < 0 {
		return opt, false, errors.New("--depth and --workers must be 0 or more")
	}
	if !f.complete {
		return opt, false, errors.New("--complete=false: every query with judgments counts")
	}
	runID := len(f.measures) == 0
	list := defaults
	for _, name := range f.measures {
		if name == "runid" {
			runID = true
			continue
		}
		more, err := measure.ParseList(name)
		if err != nil {
			return opt, false, err
		}
		runID = runID || name == "official" || name == "set" || name == "all_trec"
		opt.Measures = append(opt.Measures, more...)
	}
	if len(opt.Measures) > 0 {
		list = opt.Measures
	}
	opt.Measures = nil
	seen := make(map[string]bool)
	for _, m := range list {
		m, err := m.WithRel(f.rel)
		if err != nil {
			return opt, false, err
		}
		if !seen[m.Label()] {
			seen[m.Label()] = true
			opt.Measures = append(opt.Measures, m)
		}
	}
	return opt, runID, nil
}

// source is a file, or standard input for "-".
func source(env *environment, path string) trec.Source {
	if path == "-" {
		return trec.Reader("standard input", env.stdin)
	}
	return trec.File(path)
}

func oneFromStdin(args []string) error {
	n := 0
	for _, a := range args {
		if a == "-" {
			n++
		}
	}
	if n > 1 {
		return errors.New(`"-" stands for standard input, which can be read for one file only`)
	}
	return nil
}

// interruptible gives up waiting for do when the user interrupts: it may be
// reading from a pipe that brings nothing.
func interruptible(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func printNotes(env *environment, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(env.stderr, "note:", n)
	}
}

func trecCommand(env *environment) *cobra.Command {
	var f trecFlags
	var perQuery, list bool
	c := &cobra.Command{
		Use:   "trec [-m MEASURE]... [-q] QRELS RUN",
		Short: "Score a run against relevance judgments, in trec_eval's output form",
		Long: `trec scores a run (query Q0 document rank score tag) against relevance judgments
(query iteration document relevance), with trec_eval's numbers and in its output
form. Either file may be compressed with gzip or Zstandard; "-" is standard input.

Measures are named as in ir_measures (nDCG@10, AP(rel=2)@100, RBP(p=0.9)) or as
in trec_eval (ndcg_cut_10, map, P.5,10); "karat trec --measures" lists them.
Every query with judgments counts. What the numbers do not say by themselves
(unjudged documents, ties, queries left out) is noted on standard error.`,
		Example: `  karat trec qrels.txt run.txt
  karat trec -m nDCG@10 -m RR@10 -m R@1000 qrels.txt run.txt.gz
  karat trec -q -m map qrels.txt run.txt`,
		Args: func(c *cobra.Command, args []string) error {
			if list {
				return noArguments(" with --measures")(c, args)
			}
			if len(args) != 2 {
				return fmt.Errorf("wanted two files, QRELS and RUN, got %d", len(args))
			}
			return oneFromStdin(args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if list {
				return listMeasures(env.stdout)
			}
			opt, runID, err := f.options(trec.DefaultMeasures())
			if err != nil {
				return err
			}
			var result *trec.Result
			err = interruptible(c.Context(), func() error {
				qrels, err := trec.ReadQrels(source(env, args[0]))
				if err != nil {
					return err
				}
				result, err = trec.Evaluate(qrels, source(env, args[1]), opt)
				return err
			})
			if err != nil {
				return err
			}
			printNotes(env, result.Notes())
			if f.json {
				return env.print(func(w io.Writer) error { return result.WriteJSON(w, perQuery) })
			}
			return result.WriteText(env.stdout, trec.TextOptions{PerQuery: perQuery, RunID: runID})
		},
	}
	f.register(c)
	c.Flags().BoolVarP(&perQuery, "per-query", "q", false, "print the values of each query too")
	c.Flags().BoolVar(&list, "measures", false, "list the measures with their sources and conventions")
	c.AddCommand(trecCompareCommand(env), trecImportCommand(env))
	return c
}

// listMeasures prints what is known of each measure.
func listMeasures(w io.Writer) error {
	for _, d := range measure.Definitions() {
		line := d.Name
		if d.Takes != "" {
			line += "  (" + d.Takes + ")"
		}
		if len(d.Aliases) > 0 {
			line += "  also:"
			for _, a := range d.Aliases {
				line += " " + a
			}
		}
		if _, err := fmt.Fprintf(w, "%s\n    %s\n", line, d.Source); err != nil {
			return err
		}
	}
	return nil
}

func trecCompareCommand(env *environment) *cobra.Command {
	var f trecFlags
	var seed uint64
	c := &cobra.Command{
		Use:   "compare [-m MEASURE]... QRELS A B",
		Short: "Compare two runs query by query, with paired statistics",
		Long: `compare scores two runs against the same judgments and says by which measures run
B differs from run A by more than chance would make them: a paired randomisation
test (exact where it is affordable, else seeded), an exact sign test, a 95%
bootstrap interval of the difference, and Holm's adjustment over all measures
shown. Without -m: AP, nDCG@10, RR, P@10, R@1000.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 3 {
				return fmt.Errorf("wanted three files, QRELS, A and B, got %d", len(args))
			}
			return oneFromStdin(args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			opt, _, err := f.options(trec.ComparedMeasures())
			if err != nil {
				return err
			}
			var results [2]*trec.Result
			var comparison *trec.Comparison
			err = interruptible(c.Context(), func() error {
				qrels, err := trec.ReadQrels(source(env, args[0]))
				if err != nil {
					return err
				}
				for i, path := range args[1:] {
					if results[i], err = trec.Evaluate(qrels, source(env, path), opt); err != nil {
						return err
					}
				}
				comparison, err = trec.Compare(results[0], results[1], trec.CompareOptions{Seed: seed})
				return err
			})
			if err != nil {
				return err
			}
			for _, r := range results {
				for _, n := range r.Notes() {
					fmt.Fprintf(env.stderr, "note: %s: %s\n", text.Terminal(r.RunName), n)
				}
			}
			if f.json {
				return env.print(comparison.WriteJSON)
			}
			return comparison.WriteText(env.stdout)
		},
	}
	f.register(c)
	c.Flags().Uint64Var(&seed, "seed", 0, "seed of the random draws")
	return c
}

func trecImportCommand(env *environment) *cobra.Command {
	var opt trec.ImportOptions
	var out, queries string
	var force bool
	c := &cobra.Command{
		Use:   "import --out DIR [--queries FILE] QRELS RUN",
		Short: "Make a set of retrieval cases with fixtures of judgments and a run",
		Long: `import writes DIR/cases.json and DIR/fixtures.jsonl: a case for each query with a
relevant document, which expects its relevant documents with their grades, and a
fixture with the run's first documents as candidates. Evaluate them with

  karat retrieval --cases DIR/cases.json --fixtures DIR/fixtures.jsonl

Judgments are about whole documents, so a case's evidence is the document itself:
its id is also the expected breadcrumb.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("wanted two files, QRELS and RUN, got %d", len(args))
			}
			return oneFromStdin(append(args[:2:2], queries))
		},
		RunE: func(c *cobra.Command, args []string) error {
			written := []string{filepath.Join(out, trec.CasesFile), filepath.Join(out, trec.FixturesFile)}
			for _, path := range written {
				if _, err := os.Lstat(path); err == nil && !force {
					return fmt.Errorf("%s exists; --force writes over it", text.Terminal(path))
				}
			}
			if err := checkOutputs([]place{{"judgments", args[0]}, {"run", args[1]}, {"queries", queries}}, written...); err != nil {
				return err
			}
			var imported *trec.Imported
			err := interruptible(c.Context(), func() error {
				qrels, err := trec.ReadQrels(source(env, args[0]))
				if err != nil {
					return err
				}
				if queries != "" {
					if opt.Queries, err = trec.ReadTexts(source(env, queries)); err != nil {
						return err
					}
				}
				imported, err = trec.Import(qrels, source(env, args[1]), out, opt)
				return err
			})
			if err != nil {
				return err
			}
			printNotes(env, imported.Notes())
			_, err = fmt.Fprintf(env.stdout, "%d cases, %d fixtures: %s, %s\n", imported.Cases, imported.Fixtures, text.Terminal(written[0]), text.Terminal(written[1]))
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder to write into (needed)")
	c.Flags().StringVar(&queries, "queries", "", "texts of the queries: lines of id, tab, text, or JSON Lines with _id and text")
	c.Flags().BoolVar(&force, "force", false, "write over files that exist")
	c.Flags().IntVar(&opt.Depth, "depth", 100, "documents of each query to keep")
	c.Flags().StringVar(&opt.ScenarioType, "scenario-type", "trec", "scenario type of the cases")
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err) // the flag was registered above
	}
	return c
}

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/project"
)

// wanted takes from least to most arguments, and says what they are otherwise.
func wanted(what string, least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return fmt.Errorf("wanted %s: %s %s", what, c.Parent().CommandPath(), c.Use)
	}
}

// noArguments takes none, and says how to go on otherwise. Cobra would take one
// for the name of a command.
func noArguments(hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return fmt.Errorf("%q: %s takes no arguments%s", args[0], c.CommandPath(), hint)
	}
}

// wrongFlag is what is wrong with a flag, with the one that was most likely meant.
func wrongFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := input.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	return fmt.Errorf("%w; see '%s --help'", err, c.CommandPath())
}

// ownFields are fields that cases of one kind have and all or most of them state.
var ownFields = map[string][]string{
	project.Retrieval: {
		"expected_documents", "relevant_doc_id", "relevant_documents", "expected_source_contains", "expected_source",
		"expected_effective_source", "expected_keywords", "expected_breadcrumbs", "answerable",
	},
	project.Diagnosis: {"root_cause_keywords", "required_tools", "allowed_verdicts"},
}

// otherKind leads the mistakes of a case set of which the cases look like those
// of another kind with that, and with what to do.
func otherKind(err error, kind, hint string) error {
	var problems input.Problems
	if !errors.As(err, &problems) {
		return err
	}
	for _, other := range project.Kinds {
		own := ownFields[other]
		i := slices.IndexFunc(problems, func(p input.Problem) bool {
			return slices.ContainsFunc(own, func(field string) bool {
				return strings.HasPrefix(p.Message, fmt.Sprintf("unknown field %q", field))
			})
		})
		if other != kind && i >= 0 {
			return fmt.Errorf("%s: these look like %s cases: %s\n%w", problems[i].File, other, hint, problems[i])
		}
	}
	return err
}

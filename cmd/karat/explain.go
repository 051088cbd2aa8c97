package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/suitefiles"
	"github.com/karat-eval/karat/internal/text"
)

// maxExplained bounds what explain reads from standard input, in bytes.
const maxExplained = 64 << 20

func explainCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "explain KEYWORD [TEXT]",
		Short: "Say why a keyword is, or is not, covered by a text",
		Long: `Say why a keyword is, or is not, covered by a text, which is read from standard
input where it is not given. The keyword is a word, or one of a case file's forms
as JSON or YAML, such as '{any: [OOM, 内存溢出]}'.

The exit status is 0 either way: to explain is not to judge.`,
		Example: `  karat explain OOM 'Pod 状态为 OOMKilled'
  karat explain '{"regex": "timeout after \\d+ ?ms"}' < answer.txt`,
		Args: wanted("a keyword, and at most one text", 1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := parseKeyword(args[0])
			if err != nil {
				return err
			}
			m, err := keyword.Compile(k)
			if err != nil {
				return fmt.Errorf("keyword %s: %w", args[0], err)
			}
			var in string
			if len(args) == 2 {
				in = args[1]
			} else {
				data, err := io.ReadAll(io.LimitReader(env.stdin, maxExplained+1))
				if err != nil {
					return err
				}
				if len(data) > maxExplained {
					return fmt.Errorf("the text on standard input is over %d MiB", maxExplained>>20)
				}
				in = string(data)
			}
			if !utf8.ValidString(in) {
				return errors.New("the text is not valid UTF-8")
			}
			return env.print(func(w io.Writer) error { return explain(w, m, in) })
		},
	}
}

func parseKeyword(arg string) (keyword.Keyword, error) {
	if !strings.HasPrefix(strings.TrimSpace(arg), "{") {
		return keyword.Word(arg), nil
	}
	// It is read by the rules of a case file: as JSON, or else as YAML.
	var k keyword.Keyword
	options := input.Options{Decoders: suitefiles.Decoders()}
	file, err := input.Parse("keyword.json", []byte(arg), options)
	if err != nil {
		file, err = input.Parse("keyword.yaml", []byte(arg), options)
	}
	if err == nil {
		file.Root().Decode(&k)
		err = file.Err()
	}
	var problems input.Problems
	if !errors.As(err, &problems) {
		return k, err
	}
	p := problems[0]
	if p.Field != "" {
		p.Message = p.Field + ": " + p.Message
	}
	return k, fmt.Errorf("keyword %s: %s", arg, p.Message)
}

func explain(w io.Writer, m *keyword.Matcher, in string) error {
	const limit = 60
	t := keyword.NewText(in)
	hits := m.FindAll(t)
	name := text.Terminal(m.Keyword().String())
	var b strings.Builder
	if len(hits) > 0 {
		fmt.Fprintf(&b, "covered: %s\n", name)
		for i, h := range hits {
			if i == 10 {
				fmt.Fprintf(&b, "  … and %d more\n", len(hits)-i)
				break
			}
			by := ""
			if h.Alternative != m.Keyword().String() {
				by = " by " + text.Terminal(h.Alternative)
			}
			fmt.Fprintf(&b, "  at byte %d%s: %s\n", h.Start, by, text.Terminal(t.Snippet(h, limit)))
			if h.Negated {
				b.WriteString("    a negation stands before it in its clause; with unless_negated it would not count\n")
			}
		}
	} else {
		fmt.Fprintf(&b, "not covered: %s\n", name)
		if near, ok := m.NearMiss(t); ok {
			fmt.Fprintf(&b, "  at byte %d: %s\n", near.Start, text.Terminal(near.String()))
		} else {
			b.WriteString("  it stands nowhere in the text\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

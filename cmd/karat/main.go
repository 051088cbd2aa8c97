// Command karat evaluates saved fixtures of a RAG system or a diagnosis agent
// against golden cases. It is a thin shell over the packages of this module:
// everything that it does, a Go program can do by importing them.
//
// Results go to standard output, diagnostics to standard error. The exit status
// is 0 where all is well; 1 where a gate did not pass, a case is worse than its
// baseline, or a case that neither of them judges does not pass; 2 for wrong usage
// and unreadable input.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/karat-eval/karat/internal/text"
)

const (
	exitNotPassed = 1
	exitUnusable  = 2
)

// environment is the outside world as the command sees it, so that it can be
// tested in process.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// terminal says that standard output is one; color, that it may carry colour;
	// width is its width in columns, 0 where it is no terminal; progress says that standard error is
	// a terminal.
	color    bool
	terminal bool
	width    int
	progress bool
}

// errNotPassed ends a command whose output already says what did not pass.
var errNotPassed = errors.New("not passed")

var errInterrupted = errors.New("interrupted")

// errNoCommand ends a call that names no command, after the help.
var errNoCommand = errors.New("no command")

func main() {
	collectLate()
	env := &environment{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	if env.terminal = term.IsTerminal(int(os.Stdout.Fd())); env.terminal {
		env.color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			env.width = w
		}
	}
	env.progress = term.IsTerminal(int(os.Stderr.Fd()))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, os.Args[1:], env) }()
	select {
	case status := <-ended:
		os.Exit(status)
	case <-ctx.Done():
	}
	stop() // a second interrupt ends the command at once
	select {
	case status := <-ended:
		os.Exit(status)
	case <-time.After(interruptGrace):
		fmt.Fprintln(os.Stderr, "karat:", errInterrupted)
		os.Exit(exitUnusable)
	}
}

// interruptGrace is how long an interrupted command may go on, to finish the
// report that it is writing. One that waits for a pipe or a terminal would
// otherwise never end.
const interruptGrace = time.Second

// lateHeap is the size of memory up to which no garbage is collected.
const lateHeap = 256 << 20

// collectLate puts the first garbage collection off until memory has grown to
// lateHeap, which most runs never reach: it takes a tenth off a run of ten thousand
// cases. From then on the collector works as it always does.
func collectLate() {
	debug.SetMemoryLimit(lateHeap)
	debug.SetGCPercent(-1)
	first := new([64]byte) // not in use any more when the first collection comes
	runtime.AddCleanup(first, func(int) {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}, 0)
}

// execute is the command: it parses, calls, prints, and gives the exit status.
func execute(ctx context.Context, args []string, env *environment) int {
	root := &cobra.Command{
		Use:   "karat",
		Short: "Evaluate saved RAG and diagnosis runs against golden cases, offline",
		Long: `karat tells whether a RAG system or a diagnosis agent still does what it should,
from saved fixtures alone: no database, vector store, model or service runs.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetArgs(args)
	root.SetIn(env.stdin)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(wrongFlag)
	root.Version = version()
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(commands(env)...)
	for _, c := range root.Commands() {
		if c.HasSubCommands() && c.RunE == nil {
			requireSubcommand(c)
		}
	}
	requireSubcommand(root)
	takeOnce(root)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return valuesGiven(c) }
	c, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNotPassed):
		return exitNotPassed
	case errors.Is(err, errNoCommand):
		return exitUnusable
	}
	if ctx.Err() != nil {
		err = errInterrupted
	}
	if wrongUsage(c, err) {
		err = fmt.Errorf("%w; see '%s --help'", err, c.CommandPath())
	}
	for line := range strings.SplitSeq(strings.TrimRight(err.Error(), "\n"), "\n") {
		fmt.Fprintln(env.stderr, "karat:", text.Terminal(line))
	}
	return exitUnusable
}

// valuesGiven refuses a flag that is given an empty text: --baseline "$BASE"
// without a BASE would otherwise hold a report against nothing, and pass.
func valuesGiven(c *cobra.Command) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
		}
		if empty && err == nil {
			err = fmt.Errorf("--%s is given and empty; give it a value, or leave it out", f.Name)
		}
	})
	return err
}

// takeOnce makes every flag of one value refuse a second: of two gates the first
// would be dropped without a word, and the run pass.
func takeOnce(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, list := f.Value.(pflag.SliceValue); !list && f.Value.Type() != "bool" {
			f.Value = &once{Value: f.Value}
		}
	})
	for _, sub := range c.Commands() {
		takeOnce(sub)
	}
}

type once struct {
	pflag.Value
	given bool
}

func (o *once) Set(s string) error {
	if o.given {
		return errors.New("it is given twice; give it once")
	}
	o.given = true
	return o.Value.Set(s)
}

// wrongUsage tells cobra's complaints about arguments and flags that are missing
// from the errors of the command itself.
func wrongUsage(c *cobra.Command, err error) bool {
	if args := c.Flags().Args(); c.Args != nil && c.Args(c, args) != nil {
		return c.Args(c, args).Error() == err.Error()
	}
	missing := c.ValidateRequiredFlags()
	return missing != nil && missing.Error() == err.Error()
}

// requireSubcommand makes a command that only groups others say so, where cobra
// would print its help and succeed.
func requireSubcommand(c *cobra.Command) {
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				return fmt.Errorf("unknown command %q; did you mean %q?", args[0], near[0])
			}
			return fmt.Errorf("unknown command %q; see '%s --help'", args[0], c.CommandPath())
		}
		c.SetOut(c.ErrOrStderr())
		if err := c.Help(); err != nil {
			return err
		}
		return errNoCommand
	}
	c.Args = cobra.ArbitraryArgs
	c.SuggestionsMinimumDistance = 2
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/karat-eval/karat/internal/atomicfile"
	"github.com/karat-eval/karat/internal/project"
	"github.com/karat-eval/karat/internal/text"
)

// starter is the project that 'karat init' writes. What ends in .txt is written
// without that ending: a Go file would be part of this module here.
//
//go:embed starter
var starter embed.FS

func initCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Start a project: a project file, a first case of each kind, a Go test",
		Long: `Start a project in a folder: a project file, a first retrieval case with its
fixture, a first diagnosis case with its trace, a gate that proposes bounds, the
baselines, and a Go test. Nothing that exists is written over.`,
		Args: wanted("at most one folder", 0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return initialise(c.Context(), env, dir)
		},
	}
}

// starterFiles gives the files of the starter by name, in their order.
func starterFiles(dir string) (names []string, content map[string][]byte, err error) {
	content = map[string][]byte{}
	err = fs.WalkDir(starter, "starter", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := starter.ReadFile(file)
		if err != nil {
			return err
		}
		name, ours := strings.CutSuffix(strings.TrimPrefix(file, "starter/"), ".txt")
		if ours {
			data = bytes.Replace(data, []byte("package PACKAGE"), []byte("package "+testPackage(dir)), 1)
		}
		names = append(names, name)
		content[name] = data
		return nil
	})
	return names, content, err
}

// testPackage is the package that a test in the folder belongs to: the external
// tests of the package that is there.
func testPackage(dir string) string {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "golden_test"
	}
	// The errors are also that there is none, or another one too.
	all := build.Default
	all.UseAllFiles = true // behind a tag of the user's own
	p, _ := build.ImportDir(full, 0)
	tagged, _ := all.ImportDir(full, 0)
	name := cmp.Or(p.Name, tagged.Name, "golden")
	return strings.TrimSuffix(name, "_test") + "_test"
}

func initialise(ctx context.Context, env *environment, dir string) error {
	names, content, err := starterFiles(dir)
	if err != nil {
		return err
	}
	baselines := []string{
		"golden/diagnosis/baseline.json", "golden/diagnosis/baseline.md",
		"golden/retrieval/baseline.json", "golden/retrieval/baseline.md",
	}
	var there []string
	for _, name := range append(names, baselines...) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(full); err == nil {
			there = append(there, full)
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
	}
	if len(there) > 0 {
		return fmt.Errorf("nothing was written, because these files exist:\n  %s", strings.Join(there, "\n  "))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range append(names, baselines...) {
		if err := takesFolders(root, path.Dir(name)); err != nil {
			return fmt.Errorf("nothing was written, because of %s: %w", filepath.Join(dir, filepath.FromSlash(path.Dir(name))), err)
		}
	}
	for _, name := range names {
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
		if err := atomicfile.WriteIn(root, filepath.FromSlash(name), content[name]); err != nil {
			return err
		}
	}
	quiet := *env
	quiet.stdout = io.Discard
	if err := (&projectRun{name: filepath.Join(dir, project.DefaultName), format: "text", update: true}).run(ctx, &quiet); err != nil {
		return err
	}
	return env.print(func(w io.Writer) error { return initText(w, dir, append(names, baselines...)) })
}

// takesFolders gives the error of making a folder, and those on the way to it, as far
// as it can be known without making them.
func takesFolders(root *os.Root, name string) error {
	for ; name != "."; name = path.Dir(name) {
		info, err := root.Stat(filepath.FromSlash(name))
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := root.Lstat(filepath.FromSlash(name)); err == nil {
				return errors.New("a link leads nowhere")
			}
			continue
		}
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		if err == nil && !info.IsDir() {
			err = errors.New("a file is there")
		}
		return err
	}
	return nil
}

// initText says what was written and how to go on.
func initText(w io.Writer, dir string, names []string) error {
	var b strings.Builder
	b.WriteString("Written:\n")
	for _, name := range names {
		fmt.Fprintf(&b, "  %s\n", text.Terminal(filepath.Join(dir, filepath.FromSlash(name))))
	}
	cd := ""
	if filepath.Clean(dir) != "." {
		cd = "  cd " + shellQuote(dir) + "\n"
	}
	b.WriteString("\nEvaluate the suites, look at a case, preserve what came out:\n" + cd + `  karat run
  karat show retrieval vpn-cannot-connect
  karat run --update
`)
	b.WriteString("\nThe same from a Go test, golden_test.go:\n")
	if !inModule(dir) {
		b.WriteString("  go mod init example.com/golden\n")
	}
	b.WriteString(`  go mod tidy
  go test .
  go test . -update -v
`)
	_, err := io.WriteString(w, b.String())
	return err
}

func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && !strings.HasPrefix(s, "-") {
		return s
	}
	return "'" + strings.ReplaceAll(text.Terminal(s), "'", `'\''`) + "'"
}

// inModule reports whether a folder is inside a Go module.
func inModule(dir string) bool {
	full, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for {
		if _, err := os.Stat(filepath.Join(full, "go.mod")); err == nil {
			return true
		}
		parent := filepath.Dir(full)
		if parent == full {
			return false
		}
		full = parent
	}
}

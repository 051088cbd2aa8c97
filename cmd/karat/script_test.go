package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/project"
)

// TestMain makes the test binary the command itself, for scripts, and a writer of
// reports that never ends, for the test that kills it.
func TestMain(m *testing.M) {
	if dir := os.Getenv("KARAT_WRITE_REPORTS"); dir != "" {
		writeReports(dir)
	}
	testscript.Main(m, map[string]func(){"karat": main})
}

// The scripts call the command as a user does.
func TestScripts(t *testing.T) {
	goEnv := map[string]string{}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOMOD").Output()
	require.NoError(t, err)
	lines := strings.Split(strings.ReplaceAll(string(out), "\r\n", "\n"), "\n")
	goEnv["GOCACHE"], goEnv["GOMODCACHE"], goEnv["REPO"] = lines[0], lines[1], filepath.Dir(lines[2])
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for name, value := range goEnv {
				e.Setenv(name, value)
			}
			// A module that is not fetched stays so: tests open no socket.
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOFLAGS", "-mod=mod")
			e.Setenv("GONOSUMDB", "*")
			e.Setenv("NO_COLOR", "1")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"replace":    replace,
			"usesmodule": usesModule,
			"bytes":      writeBytes,
		},
		Condition: func(name string) (bool, error) {
			if name == "slow" { // a Go build in a script
				return !testing.Short() && !underRace, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// exits runs a program and looks at its exit status: exits 2 karat run.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGUMENTS…")
	}
	status := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(status) != args[0] {
		ts.Fatalf("the exit status is %d, not %s", status, args[0])
	}
}

// replace writes a new text for an old one, which has to stand in the file once:
// replace OLD NEW FILE.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	unquote := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	old, now := unquote.Replace(args[0]), unquote.Replace(args[1])
	content := ts.ReadFile(args[2])
	if n := strings.Count(content, old); n != 1 {
		ts.Fatalf("%q stands in %s %d times", old, args[2], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Replace(content, old, now, 1)), 0o644))
}

// usesModule makes the current folder a module that uses this one as it is on
// disk, with the versions that this one has.
func usesModule(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: usesmodule")
	}
	repo := ts.Getenv("REPO")
	mod, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	ts.Check(err)
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	ts.Check(err)
	const self = "github.com/karat-eval/karat"
	text := strings.Replace(string(mod), "module "+self, "module example.com/golden", 1)
	text += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", self, self, repo)
	ts.Check(os.WriteFile(ts.MkAbs("go.mod"), []byte(text), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("go.sum"), sum, 0o644))
}

// writeBytes writes a file that a text archive cannot hold: bytes FILE QUOTED,
// with \xNN, \r and \n.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE TEXT")
	}
	var b bytes.Buffer
	for s := args[1]; s != ""; {
		switch {
		case strings.HasPrefix(s, `\x`) && len(s) >= 4:
			var c byte
			_, err := fmt.Sscanf(s[2:4], "%02x", &c)
			ts.Check(err)
			b.WriteByte(c)
			s = s[4:]
		case strings.HasPrefix(s, `\r`):
			b.WriteByte('\r')
			s = s[2:]
		case strings.HasPrefix(s, `\n`):
			b.WriteByte('\n')
			s = s[2:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}

// writeReports writes two reports by turns, for ever.
func writeReports(dir string) {
	env := &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: os.Stderr}
	for i := 0; ; i++ {
		if status := execute(context.Background(), reportArgs(dir, i%2+1), env); status == exitUnusable {
			os.Exit(status)
		}
		if i == 0 {
			fmt.Println("started")
		}
	}
}

func reportArgs(dir string, k int) []string {
	return []string{"retrieval", "--cases", filepath.Join(dir, "cases.jsonl"), "--fixtures", filepath.Join(dir, "fixtures.jsonl"),
		"--k", fmt.Sprint(k), "--json", filepath.Join(dir, "out", "report.json"), "--workers", "1"}
}

// A process that is killed while it writes leaves the old report or the new one,
// and what else it leaves is gone after the next run.
func TestAKilledRunTearsNoReport(t *testing.T) {
	kills := 200
	if underRace {
		kills = 20
	}
	const lanes = 4
	binary, err := os.Executable()
	require.NoError(t, err)
	var wait sync.WaitGroup
	for lane := range lanes {
		dir := t.TempDir()
		var cases, fixtures strings.Builder
		for i := range 60 {
			fmt.Fprintf(&cases, `{"id": "case-%d", "query": "q", "scenario_type": "chat", "expected_documents": ["d"], "expected_keywords": ["k"]}`+"\n", i)
			fmt.Fprintf(&fixtures, `{"case_id": "case-%d", "candidates": [{"document_id": "e", "text": "no"}, {"document_id": "d", "text": "k"}]}`+"\n", i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cases.jsonl"), []byte(cases.String()), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fixtures.jsonl"), []byte(fixtures.String()), 0o644))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "out"), 0o755))
		report := filepath.Join(dir, "out", "report.json")
		var whole [2][]byte
		for k := range whole {
			require.NotEqual(t, exitUnusable, execute(t.Context(), reportArgs(dir, k+1), &environment{stdout: io.Discard, stderr: io.Discard}))
			whole[k], err = os.ReadFile(report)
			require.NoError(t, err)
		}
		require.NotEqual(t, whole[0], whole[1])
		wait.Go(func() {
			for i := range kills / lanes {
				cmd := exec.Command(binary)
				cmd.Env = append(os.Environ(), "KARAT_WRITE_REPORTS="+dir)
				out, err := cmd.StdoutPipe()
				if !assert.NoError(t, err) || !assert.NoError(t, cmd.Start()) {
					return
				}
				_, err = io.ReadFull(out, make([]byte, len("started")))
				time.Sleep(time.Duration(i*lanes+lane) * 37 * time.Microsecond) // die at ever another step
				if !assert.NoError(t, err) || !assert.NoError(t, cmd.Process.Kill()) {
					return
				}
				_ = cmd.Wait()
				data, err := os.ReadFile(report)
				if !assert.NoError(t, err) {
					return
				}
				if !bytes.Equal(data, whole[0]) && !bytes.Equal(data, whole[1]) {
					t.Errorf("kill %d: a report of %d bytes is neither the old nor the new one", i, len(data))
					return
				}
			}
			status := execute(t.Context(), reportArgs(dir, 1), &environment{stdout: io.Discard, stderr: io.Discard})
			assert.NotEqual(t, exitUnusable, status)
			left, err := os.ReadDir(filepath.Dir(report))
			assert.NoError(t, err)
			assert.Len(t, left, 1, "a temporary file stays")
		})
	}
	wait.Wait()
}

// What 'karat init' proposes stands in files of this package; that they are
// right is the scripts' to say, that nothing is forgotten this test's.
func TestTheStarterNamesItsFilesAndItsPackage(t *testing.T) {
	dir := t.TempDir()
	names, content, err := starterFiles(dir)
	require.NoError(t, err)
	assert.Contains(t, names, project.DefaultName)
	assert.True(t, strings.HasPrefix(string(content["golden_test.go"]), "package golden_test\n"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "search.go"), []byte("package search\n"), 0o644))
	_, content, err = starterFiles(dir)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(content["golden_test.go"]), "package search_test\n"), "the tests of the package that is there")
	for name, data := range content {
		assert.NotContains(t, string(data), "PACKAGE", name)
	}
}

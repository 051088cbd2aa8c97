package karat_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
)

// command builds the command, and gives a function that runs it in a folder.
func command(t *testing.T) func(dir string, args ...string) (status int, out string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "karat")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", name, "./cmd/karat").CombinedOutput()
	require.NoError(t, err, string(out))
	return func(dir string, args ...string) (int, string) {
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return c.ProcessState.ExitCode(), string(out)
	}
}

func TestTheProjectOfThisRepository(t *testing.T) {
	karat := command(t)

	t.Run("passes, with its known failures under that heading", func(t *testing.T) {
		status, out := karat(".", "run")
		assert.Zero(t, status, out)
		assert.Contains(t, out, "Known failures (")
		assert.Contains(t, out, "\n✓ retrieval  ")
		assert.Contains(t, out, "\n✓ diagnosis  ")
		assert.True(t, strings.HasSuffix(out, "\npassed\n"), out)
	})

	t.Run("fails and names the case when one fixture is made worse", func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"testdata", "golden"} {
			require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(name)))
		}
		data, err := os.ReadFile("karat.yaml")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "karat.yaml"), data, 0o644))

		data, err = os.ReadFile("golden/retrieval/baseline.json")
		require.NoError(t, err)
		baseline, err := evaluation.ReadReport(bytes.NewReader(data))
		require.NoError(t, err)
		var id string
		for i := range baseline.Rows {
			if r := &baseline.Rows[i]; r.Status == evaluation.Pass && r.Fact("hit_level") == "strong" {
				id = r.ID
				break
			}
		}
		require.NotEmpty(t, id)
		fixture := filepath.Join(dir, "testdata", "retrieval", "fixtures", id+".json")
		require.NoError(t, os.WriteFile(fixture, []byte(`{"candidates": []}`), 0o644))

		status, out := karat(dir, "run")
		assert.Equal(t, 1, status, out)
		assert.Contains(t, out, "✗ "+id)
		assert.Contains(t, out, "\n✗ retrieval  ")
		assert.Contains(t, out, "1 worse than the baseline")
		assert.Contains(t, out, "\nnot passed: 1 of ")
	})
}

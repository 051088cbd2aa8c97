//go:build unix

package input_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/input"
)

// A pipe that nobody writes to keeps whoever opens it for ever, and a device
// may have no end.
func TestWhatIsNoFileIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	pipe := func(name string) string {
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
		return name
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "f"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f", "a.json"), []byte(`{}`), 0o644))
	pipe("cases.yaml")
	pipe("bundle.jsonl")
	pipe("f/b.json")
	require.NoError(t, os.Symlink("b.json", filepath.Join(dir, "f", "c.json")))
	if l, err := net.Listen("unix", filepath.Join(dir, "f", "d.json")); err == nil { // the path may be too long for one
		defer l.Close()
	}
	for _, root := range []bool{true, false} {
		folder := input.FolderFS(os.DirFS(dir), "x")
		if root {
			var err error
			folder, err = input.OpenFolder(dir)
			require.NoError(t, err)
			defer folder.Close()
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			const message = ": a file is needed, found a pipe, device or socket"
			_, err := folder.Read("cases.yaml", input.Options{})
			assert.ErrorContains(t, err, "cases.yaml"+message)
			_, err = folder.Fixtures("bundle.jsonl", input.FixtureOptions{})
			assert.ErrorContains(t, err, "bundle.jsonl"+message)
			_, err = folder.Fixtures("f", input.FixtureOptions{})
			assert.ErrorContains(t, err, "f/b.json"+message)
			assert.ErrorContains(t, err, "f/c.json: a ")
		}()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("it waits for a writer")
		}
	}
}

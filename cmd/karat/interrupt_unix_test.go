//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe that a user names is read as a file is; waiting for it can be ended.
func TestAnInterruptEndsACommandThatWaits(t *testing.T) {
	binary, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o644))
	cmd := exec.Command(binary, "trend", "pipe.json")
	cmd.Args[0] = "karat" // by which the test binary is the command
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	deadline := time.After(30 * time.Second)
	for {
		// The first ones may come before the command listens, and end it as they
		// end any other.
		select {
		case <-ended:
			assert.NotEqual(t, 0, cmd.ProcessState.ExitCode())
			return
		case <-deadline:
			_ = cmd.Process.Kill()
			t.Fatal("it goes on waiting")
		case <-time.After(200 * time.Millisecond):
			_ = cmd.Process.Signal(os.Interrupt)
		}
	}
}

//go:build unix

package project_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPipeIsNoFileOfAProject(t *testing.T) {
	p, dir, err := in(t, "suites:\n  - {name: a, kind: retrieval, cases: c.yaml, fixtures: f}\n")
	require.NoError(t, err)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o644))
	_, err = p.Path("pipe.yaml")
	assert.ErrorContains(t, err, "pipe.yaml: neither a file nor a folder")
	_, err = p.Read("pipe.yaml")
	assert.ErrorContains(t, err, "pipe.yaml: not a file")
	_, err = p.Read(".")
	assert.ErrorContains(t, err, "not a file")
	_, err = p.OpenFile("nothing")
	assert.ErrorContains(t, err, "no such file or folder")
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheGoTestOfAProjectJoinsThePackageThatIsThere(t *testing.T) {
	for _, tt := range []struct {
		name, folder string
		files        map[string]string
		want         string
	}{
		{"an empty folder", "a", nil, "golden_test"},
		{"a package", "a", map[string]string{"foo.go": "package foo\n"}, "foo_test"},
		{"tests alone", "a", map[string]string{"foo_test.go": "package foo_test\n"}, "foo_test"},
		{"a generator that is not built", "a", map[string]string{"a_gen.go": "//go:build ignore\n\npackage main\n", "foo.go": "package foo\n"}, "foo_test"},
		{"a package behind a tag", "a", map[string]string{"x.go": "//go:build integration\n\npackage checks\n"}, "checks_test"},
		{"a folder that reads as a pattern", "h[x]", map[string]string{"foo.go": "package foo\n"}, "foo_test"},
		{"no Go", "a", map[string]string{"foo.go": "pack"}, "golden_test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), tt.folder)
			require.NoError(t, os.Mkdir(dir, 0o755))
			for name, content := range tt.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
			}
			assert.Equal(t, tt.want, testPackage(dir))
		})
	}
}

package suitefiles_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	_ "github.com/sebdah/goldie/v2" // registers -update
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/suitefiles"
)

func TestKeywordFormsOfACaseFile(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     keyword.Keyword
		err      string
	}{
		{"a string", `"OOM"`, keyword.Word("OOM"), ""},
		{"a number by its text", `5.70`, keyword.Word("5.70"), ""},
		{"a group", `{"any": ["OOM", {"substring": "内存溢"}]}`, keyword.Keyword{Any: []keyword.Keyword{keyword.Word("OOM"), {Substring: "内存溢"}}}, ""},
		{"a group of one", `{"any": "OOM", "unless_negated": true}`, keyword.Keyword{Any: keyword.Words("OOM"), UnlessNegated: true}, ""},
		{"a regex", `{"regex": "a+", "unless_negated": true}`, keyword.Keyword{Regex: "a+", UnlessNegated: true}, ""},
		{"true", `true`, keyword.Keyword{}, "a keyword is a string, "},
		{"a list", `["a"]`, keyword.Keyword{}, "found a list"},
		{"no form", `{"unless_negated": true}`, keyword.Keyword{}, "a keyword has one form"},
		{"two forms", `{"regex": "a", "substring": "a"}`, keyword.Keyword{}, "a keyword has one form"},
		{"an empty form", `{"substring": ""}`, keyword.Keyword{}, "substring: the substring is empty"},
		{"an unknown form", `{"regexp": "a"}`, keyword.Keyword{}, `did you mean "regex"?`},
		{"an unknown form far from all", `{"anyof": ["a"]}`, keyword.Keyword{}, `unknown field "anyof"; a keyword is a string, {"any": […]}, {"substring": "…"} or {"regex": "…"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, err := input.Parse("k.json", []byte(tt.in), input.Options{Decoders: suitefiles.Decoders()})
			require.NoError(t, err)
			var got keyword.Keyword
			file.Root().Decode(&got)
			if tt.err != "" {
				assert.ErrorContains(t, file.Err(), tt.err)
				return
			}
			require.NoError(t, file.Err())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

var kind = suitefiles.Kind{Fixtures: "traces"}

func TestAKindFindsItsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "traces"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cases.yaml"), []byte("[]"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "traces", "a.json"), []byte("{}"), 0o644))
	fsys := fstest.MapFS{"x/agent/cases.yaml": {Data: []byte("[]")}, "x/agent/traces/a.json": {Data: []byte("{}")}}
	for name, open := range map[string]func() (*suitefiles.Files, error){
		"a folder":              func() (*suitefiles.Files, error) { return kind.Open(dir) },
		"a file system":         func() (*suitefiles.Files, error) { return kind.OpenFS(fsys, "x/agent") },
		"paths":                 func() (*suitefiles.Files, error) { return kind.OpenPaths(dir+"/cases.yaml", dir+"/traces") },
		"paths with a way back": func() (*suitefiles.Files, error) { return kind.OpenPaths(dir+"/cases.yaml", dir+"/traces/../traces") },
	} {
		t.Run(name, func(t *testing.T) {
			f, err := open()
			require.NoError(t, err)
			assert.Equal(t, "agent", f.Name)
			data, err := f.Get("a")
			require.NoError(t, err)
			assert.Equal(t, "{}", string(data))
			_, err = f.Get("b")
			assert.ErrorIs(t, err, suite.ErrNoFixture)
			missing := 0
			warnings, err := f.Each(context.Background(), suite.Walk{IDs: []string{"b"}, Workers: 1}, func(_ int, _ []byte, problem error) {
				if errors.Is(problem, suite.ErrNoFixture) {
					missing++
				}
			})
			require.NoError(t, err)
			assert.Equal(t, 1, missing)
			assert.Equal(t, []string{`traces/a.json belongs to no case`}, warnings)
			assert.NoError(t, f.Close())
		})
	}
}

func TestAPathOutOfAFileSystemIsRefused(t *testing.T) {
	for _, dir := range []string{"../x", "/x", "missing"} {
		_, err := kind.OpenFS(fstest.MapFS{}, dir)
		require.Error(t, err, dir)
		assert.True(t, strings.Contains(err.Error(), dir), err.Error())
	}
}

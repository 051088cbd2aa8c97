package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testdata = "../../testdata"

// The committed fixtures are what the recorder writes today. Under -update they
// are written anew.
func TestCommittedFixturesAreWhatTheRecorderWrites(t *testing.T) {
	committed := filepath.Join(testdata, "retrieval", "fixtures")
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, run([]string{"-testdata", testdata}, os.Stderr))
	}

	recorded := filepath.Join(t.TempDir(), "fixtures")
	var out bytes.Buffer
	require.NoError(t, run([]string{"-testdata", testdata, "-out", recorded}, &out))

	want, got := readFolder(t, committed), readFolder(t, recorded)
	for name, data := range want {
		if !bytes.Equal(data, got[name]) {
			t.Errorf("%s differs from a new recording: run `cd tools && go run ./record-fixtures` and review the difference\n%s",
				name, cmp.Diff(string(data), string(got[name])))
		}
	}
	for name := range got {
		assert.Contains(t, want, name, "recorded, but not committed")
	}
}

func TestFixturesEndInOneNewlineAndHaveNoCarriageReturn(t *testing.T) {
	fixtures, err := record(testdata)
	require.NoError(t, err)
	for name, data := range fixtures {
		assert.True(t, bytes.HasSuffix(data, []byte("}\n")), name)
		assert.NotContains(t, string(data), "\r", name)
		assert.NotContains(t, string(data), `\u003c`, name)
	}
}

func TestSplitByHeading(t *testing.T) {
	const document = "# Title\n\nIntro.\n\n## Empty\n\n### Deep\n\nOne.\n#not a heading\n\n```sh\n# a comment\n```\n\n## Next\n\nTwo.\n"
	got, err := splitByHeading("s/it/a.md", document)
	require.NoError(t, err)

	want := []chunk{
		{ID: "s/it/a.md#01", DocumentID: "s/it/a.md", ScenarioID: "s", Source: "it", Breadcrumb: []string{"Title"}, Text: "Intro."},
		{ID: "s/it/a.md#02", DocumentID: "s/it/a.md", ScenarioID: "s", Source: "it", Breadcrumb: []string{"Title", "Empty", "Deep"},
			Text: "One.\n#not a heading\n\n```sh\n# a comment\n```"},
		{ID: "s/it/a.md#03", DocumentID: "s/it/a.md", ScenarioID: "s", Source: "it", Breadcrumb: []string{"Title", "Next"}, Text: "Two."},
	}
	assert.Empty(t, cmp.Diff(want, got))
	assert.Equal(t, "Title", got[0].label())
	assert.Equal(t, "Title › Deep", got[1].label())
}

func TestSplitByHeadingRefusesWhatItCannotPlace(t *testing.T) {
	tests := []struct{ name, id, text, want string }{
		{"text before the title", "s/it/a.md", "Text.\n", "s/it/a.md: text before the title"},
		{"a skipped level", "s/it/a.md", "# A\n### C\n", "s/it/a.md:2: heading of level 3 under level 1"},
		{"a document outside a source", "s/a.md", "# A\n", "s/a.md: a document stands at <scenario>/<source>/<name>.md"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := splitByHeading(tt.id, tt.text)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestSearchBreaksTiesByIDAndKeepsTheScenario(t *testing.T) {
	var chunks []chunk
	for _, id := range []string{"b", "a", "c"} {
		chunks = append(chunks, chunk{ID: id, ScenarioID: "office", Source: "it", Breadcrumb: []string{"T"}, Text: "磁盘空间不足"})
	}
	chunks = append(chunks, chunk{ID: "d", ScenarioID: "operations", Source: "compute", Breadcrumb: []string{"T"}, Text: "磁盘空间不足"})
	search, err := newEngine(chunks)
	require.NoError(t, err)
	defer search.close()

	ids := func(scenario, source string) string {
		hits, err := search.search("磁盘", scenario, source)
		require.NoError(t, err)
		var ids []string
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		return strings.Join(ids, " ")
	}
	assert.Equal(t, "a b c", ids("office", ""), "one scenario")
	assert.Equal(t, "a b c d", ids("", ""), "the filter got lost")
	assert.Equal(t, "d", ids("operations", "compute"), "one source")
	assert.Equal(t, "", ids("office", "compute"), "no such source in the scenario")
}

func TestRecipeAndCasesMustAgree(t *testing.T) {
	cases := []caseEntry{{ID: "a"}, {ID: "b"}}
	_, err := pair(cases, []recording{{Case: "a"}, {Case: "a"}, {Case: "c"}})
	assert.EqualError(t, err, "case \"a\" is recorded twice\nthere is no case \"c\"\nno recording for case \"b\"")
}

func TestNestedTurnsInheritTheScenario(t *testing.T) {
	file := caseFile{
		Defaults: caseEntry{ScenarioID: "office"},
		Cases: []caseEntry{
			{ID: "a"},
			{ScenarioID: "operations", Turns: []caseEntry{{ID: "t1"}, {ID: "t2", ScenarioID: "office"}}},
		},
	}
	want := []caseEntry{
		{ID: "a", ScenarioID: "office"},
		{ID: "t1", ScenarioID: "operations"},
		{ID: "t2", ScenarioID: "office"},
	}
	assert.Empty(t, cmp.Diff(want, file.flat()))
}

func TestAFixtureNoCaseClaimsStopsTheRecorder(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "gone.json"), nil, 0o644))
	err := write(folder, map[string][]byte{"a.json": []byte("{}\n")})
	require.ErrorContains(t, err, "gone.json: no case claims this fixture")
	assert.NoFileExists(t, filepath.Join(folder, "a.json"), "nothing is written before the folder is in order")
}

func readFolder(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	files := make(map[string][]byte, len(names))
	for _, name := range names {
		files[filepath.Base(name)], err = os.ReadFile(name)
		require.NoError(t, err)
	}
	return files
}

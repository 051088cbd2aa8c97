package project_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/project"
)

// in writes a project file into a folder of its own and opens it.
func in(t *testing.T, content string) (*project.Project, string, error) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "karat.yaml")
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
	p, err := project.Open(name)
	if err == nil {
		t.Cleanup(func() { p.Close() })
	}
	return p, dir, err
}

func TestAProjectFileNamesItsSuitesInOrder(t *testing.T) {
	p, _, err := in(t, `version: 1
suites:
  - name: search
    kind: retrieval
    cases: testdata/retrieval/cases.yaml
    fixtures: ./testdata/retrieval/fixtures/
    k: 10
    strict: true
    workers: 2
    gate: testdata/retrieval/gate.yaml
    baseline: golden/retrieval/baseline.json
    json: reports/search.json
    markdown: reports/search.md
  - name: agent
    kind: diagnosis
    cases: testdata/diagnosis/cases.yaml
    traces: testdata/diagnosis/traces
  - {name: more, kind: diagnosis, cases: c.json, fixtures: b.jsonl.gz}
`)
	require.NoError(t, err)
	want := []project.Suite{
		{
			Name: "search", Kind: "retrieval", Cases: "testdata/retrieval/cases.yaml", Fixtures: "testdata/retrieval/fixtures",
			K: 10, Strict: true, Workers: 2, Gate: "testdata/retrieval/gate.yaml", Baseline: "golden/retrieval/baseline.json",
			JSON: "reports/search.json", Markdown: "reports/search.md",
		},
		{Name: "agent", Kind: "diagnosis", Cases: "testdata/diagnosis/cases.yaml", Fixtures: "testdata/diagnosis/traces"},
		{Name: "more", Kind: "diagnosis", Cases: "c.json", Fixtures: "b.jsonl.gz"},
	}
	if diff := cmp.Diff(want, p.Suites); diff != "" {
		t.Errorf("suites (-want +got):\n%s", diff)
	}
	assert.Equal(t, "golden/retrieval/baseline.md", p.Suites[0].BaselineMarkdown())
	s, err := p.Suite("agent")
	require.NoError(t, err)
	assert.Equal(t, "diagnosis", s.Kind)
	_, err = p.Suite("nope")
	assert.EqualError(t, err, p.Name+`: there is no suite "nope"; there is search, agent, more`)
	_, err = p.Suite("Serch")
	assert.EqualError(t, err, p.Name+`: there is no suite "Serch"; there is search, agent, more; did you mean "search"?`)
}

func TestMistakesOfAProjectFileAreToldTogetherWithTheirLines(t *testing.T) {
	const suite = "suites:\n  - {name: a, kind: retrieval, cases: c.yaml, fixtures: f%s}\n"
	with := func(more string) string { return strings.Replace(suite, "%s", ", "+more, 1) }
	for _, tt := range []struct {
		name, why, content string
		want               []string
	}{
		{"no suites", "a project that evaluates nothing must not pass", "version: 1\n", []string{"karat.yaml:1: suites: no suites; at least one is needed"}},
		{"an empty list", "the same", "suites: []\n", []string{"karat.yaml:1: suites: no suites; at least one is needed"}},
		{"an empty file", "the same, and YAML gives nothing at all", "", []string{"karat.yaml"}},
		{"another version", "a later format must not be half understood", "version: 2\nsuites:\n  - {name: a, kind: retrieval, cases: c.yaml, fixtures: f}\n", []string{"karat.yaml:1: version: found the number 2; 1 is the only version"}},
		{"a misspelt field", "a gate that is not read gates nothing", with("gates: g.yaml"), []string{`karat.yaml:2: suites[0]: unknown field "gates"; did you mean "gate"?`}},
		{"a gate of no name", "a gate that is not read gates nothing", with("gate: "), []string{"karat.yaml:2: suites[0].gate: it names no file; name one, or leave the field out"}},
		{"a baseline of an empty name", "nothing would be held against it", with(`baseline: ""`), []string{"karat.yaml:2: suites[0].baseline: it names no file; name one, or leave the field out"}},
		{"two names of one field", "which one counts is nobody's guess", with("traces: t"), []string{`karat.yaml:2: suites[0]: "fixtures" and "traces" are two names of one field`}},
		{"everything missing", "each is named", "suites:\n  - k: 3\n", []string{"name: needed", "kind: needed, and not given; retrieval, diagnosis are the kinds there are", "cases: needed", "fixtures: needed"}},
		{"an unknown kind", "it lists what there is", strings.Replace(with("k: 5"), "kind: retrieval", "kind: ingestions", 1), []string{`karat.yaml:2: suites[0].kind: there is no kind "ingestions"; retrieval, diagnosis are the kinds there are`}},
		{"k of a diagnosis", "it would mean nothing", strings.Replace(with("k: 5"), "kind: retrieval", "kind: diagnosis", 1), []string{"karat.yaml:2: suites[0].k: belongs to retrieval suites only"}},
		{"k of zero", "0 must not read as the default", with("k: 0"), []string{"suites[0].k: 0 is below 1"}},
		{"a minimum of zero", "it would ask for nothing", with("min_keyword_coverage: 0"), []string{"suites[0].min_keyword_coverage: 0 is outside (0, 1]"}},
		{"a minimum that is no number", "NaN is below and above nothing", with("min_keyword_coverage: .nan"), []string{"suites[0].min_keyword_coverage: NaN is not allowed"}},
		{"a hit level of no name", "strong and medium can be asked for", with("min_hit_level: miss"), []string{`suites[0].min_hit_level: "miss" is neither strong nor medium`}},
		{"workers below zero", "there is no such number", with("workers: -1"), []string{"suites[0].workers: -1 is below 0"}},
		{"a name that is no file name", "reports and flags carry it", strings.Replace(with("k: 5"), "name: a", "name: ../a", 1), []string{"karat.yaml:2: suites[0].name: "}},
		{"one name twice", "also without case", with("k: 5") + "  - {name: A, kind: retrieval, cases: c.yaml, fixtures: f}\n", []string{"karat.yaml:3: suites[1].name: A is the name of another suite, on line 2"}},
		{"a path out of the folder", "a file that is given must not reach elsewhere", with("gate: ../gate.yaml"), []string{`karat.yaml:2: suites[0].gate: "../gate.yaml" leads out of the folder of the project file`}},
		{"a path out of the folder by a detour", "the same", with("json: a/../../x.json"), []string{"leads out of the folder"}},
		{"an absolute path", "the same", with("json: /etc/x.json"), []string{`suites[0].json: "/etc/x.json" is an absolute path`}},
		{"a report over the baseline", "the baseline would follow every fall", with("baseline: b.json, json: b.json"), []string{"suites[0].json: every run would write over the baseline"}},
		{"a report over the cases", "a run must not eat its input", with("markdown: ./c.yaml"), []string{"suites[0].markdown: writes over the cases of suite a"}},
		{"a report among the fixtures", "it would be taken for a fixture", with("json: f/report.json"), []string{"suites[0].json: writes over the fixtures of suite a"}},
		{"a report over the project file", "the same", with("json: karat.yaml"), []string{"is the project file itself"}},
		{"one report of two suites", "the second would hide the first", with("json: r.json") + "  - {name: b, kind: retrieval, cases: c.yaml, fixtures: f, json: R.json}\n", []string{"karat.yaml:3: suites[1].json: R.json is written by suite a already"}},
		{"a Markdown baseline", "it cannot be compared", with("baseline: b.md"), []string{"suites[0].baseline: a JSON report is needed"}},
		{"a list where a name belongs", "the type is wrong", with("json: [a, b]"), []string{"suites[0].json: a string is needed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, dir, err := in(t, tt.content)
			require.Error(t, err, tt.why)
			got := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
			for _, want := range tt.want {
				assert.Contains(t, got, want, tt.why)
			}
		})
	}
}

func TestPathsOfAProjectStayInItsFolderAlsoThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a symbolic link needs a privilege there")
	}
	p, dir, err := in(t, "suites:\n  - {name: a, kind: retrieval, cases: c.yaml, fixtures: f}\n")
	require.NoError(t, err)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o644))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "out")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real", "c.yaml"), []byte("x"), 0o644))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "inside")))

	_, err = p.Path("out/secret")
	assert.ErrorContains(t, err, "leads out of the project's folder")
	_, err = p.Read("out/secret")
	assert.ErrorContains(t, err, "leads out of the project's folder")
	write := func(w io.Writer) error { _, err := io.WriteString(w, "report"); return err }
	require.Error(t, p.Write("out/report.json", write))
	require.Error(t, p.Write("out/deep/report.json", write))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing was written outside")

	full, err := p.Path("inside/c.yaml")
	require.NoError(t, err, "a link that stays inside is followed")
	assert.Equal(t, filepath.Join(dir, "inside", "c.yaml"), full)
	_, err = p.Path("nothing")
	assert.ErrorContains(t, err, "no such file or folder")
	require.NoError(t, p.Write("new/folder/report.json", write))
	data, err := os.ReadFile(filepath.Join(dir, "new", "folder", "report.json"))
	require.NoError(t, err)
	assert.Equal(t, "report", string(data))
	assert.ErrorContains(t, p.Write("new/folder/report.json/x.json", write), "a folder on the way to it is a file")
	assert.ErrorContains(t, p.Write("new/folder", write), "write new/folder: a file is needed, found a folder")
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("suites:\n  - {name: a, kind: retrieval, cases: c.yaml, fixtures: f}\n"))
	f.Add([]byte("suites: [1, null, {k: .nan}]"))
	f.Add([]byte("{\"suites\": {}}"))
	f.Add([]byte("&a [*a]"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(dir, "karat.yaml")
		require.NoError(t, os.WriteFile(name, data, 0o644))
		p, err := project.Open(name)
		if err != nil {
			return
		}
		defer p.Close()
		for _, s := range p.Suites {
			for _, path := range []string{s.Cases, s.Fixtures} {
				if !filepath.IsLocal(path) {
					t.Errorf("%q leads out", path)
				}
			}
		}
	})
}

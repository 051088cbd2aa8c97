package input_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/internal/input"
)

// walk reads fixtures and keeps, by id, what each case was told.
func walk(t testing.TB, f *input.Fixtures, w input.Walk) (map[string]string, input.Found, error) {
	t.Helper()
	var lock sync.Mutex
	got := map[string]string{}
	found, err := f.Each(context.Background(), w, func(i int, data []byte, problem error) {
		lock.Lock()
		defer lock.Unlock()
		if _, again := got[w.IDs[i]]; again {
			t.Errorf("case %s was handed on twice", w.IDs[i])
		}
		if problem != nil {
			got[w.IDs[i]] = "! " + problem.Error()
		} else {
			got[w.IDs[i]] = string(data)
		}
	})
	return got, found, err
}

func zipped(t testing.TB, data string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(data))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestEveryCaseGetsItsFixtureOnce(t *testing.T) {
	lines := "\uFEFF" + `{"case_id":"a","x":1}` + "\r\n\r\n" +
		` {"x": {"case_id": "not this"}, "s": "}\"\\", "caseId" : 7 } ` + "\n" +
		`{"case_id": "\u77e5识", "x": [` + "\n" + // cut off behind its id: its decoder will say so
		`{"case_id":"orphan"}`
	files := fstest.MapFS{
		"folder/a.json":         {Data: []byte("\uFEFF{\"case_id\":\"a\",\"x\":1}")},
		"folder/7.json":         {Data: []byte(`{"case_id": 7}`)},
		"folder/知识.json":        {Data: []byte("not JSON at all")},
		"folder/orphan.json":    {Data: []byte(`{}`)},
		"folder/A.json":         {Data: []byte(`{}`)},
		"folder/README.md":      {Data: []byte(`# no fixture`)},
		"folder/dir.json/x":     {Data: []byte(`x`)},
		"folder/.json":          {Data: []byte(`x`)},
		"b/bundle.jsonl":        {Data: []byte(lines)},
		"b/bundle.jsonl.gz":     {Data: zipped(t, lines)},
		"b/misnamed gzip.jsonl": {Data: zipped(t, lines)},
	}
	ids := []string{"a", "7", "知识", "missing"}
	for _, workers := range []int{0, 1, 4} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			f, err := input.OpenFixturesFS(files, "folder", input.FixtureOptions{})
			require.NoError(t, err)
			got, found, err := walk(t, f, input.Walk{IDs: ids, Workers: workers})
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(map[string]string{"a": `{"case_id":"a","x":1}`, "7": `{"case_id": 7}`, "知识": "not JSON at all", "missing": "! no fixture"}, got))
			assert.Equal(t, []string{"A", "orphan"}, found.Orphans, "a name that differs in case is another name")
			for _, id := range ids {
				data, err := f.Get(id)
				if id == "missing" {
					assert.ErrorIs(t, err, input.ErrNoFixture)
				} else if assert.NoError(t, err) {
					assert.Equal(t, got[id], string(data))
				}
			}
			for _, name := range []string{"b/bundle.jsonl", "b/bundle.jsonl.gz", "b/misnamed gzip.jsonl"} {
				f, err := input.OpenFixturesFS(files, name, input.FixtureOptions{})
				require.NoError(t, err)
				got, found, err := walk(t, f, input.Walk{IDs: ids, Workers: workers})
				require.NoError(t, err)
				assert.Empty(t, cmp.Diff(map[string]string{"a": `{"case_id":"a","x":1}`, "7": ` {"x": {"case_id": "not this"}, "s": "}\"\\", "caseId" : 7 }`, "知识": `{"case_id": "\u77e5识", "x": [`, "missing": "! no fixture"}, got))
				assert.Equal(t, []string{"orphan"}, found.Orphans)
				for _, id := range ids {
					data, err := f.Get(id)
					if id == "missing" {
						assert.ErrorIs(t, err, input.ErrNoFixture)
					} else if assert.NoError(t, err) {
						assert.Equal(t, got[id], string(data))
					}
				}
				require.NoError(t, f.Close())
			}
		})
	}
}

func TestWrongFixturesAreErrorsOfTheWalk(t *testing.T) {
	tests := []struct {
		name, file, data string
		walk             input.Walk
		want, reason     string
	}{
		{"two lines of a case", "b.jsonl", `{"case_id":"a"}` + "\n" + `{"case_id":"b"}` + "\n" + `{"caseId":"a"}` + "\n" + `{"case_id":"a"}`, input.Walk{IDs: []string{"a", "b"}},
			"b.jsonl:3: case \"a\": a second fixture of this case, the first is on line 1\nb.jsonl:4: case \"a\": a second fixture of this case, the first is on line 1", "which one counts?"},
		{"a file of another case", "f/a.json", `{"case_id":"b"}`, input.Walk{IDs: []string{"a"}}, `f/a.json: case_id is "b", the file's name says "a"`, "a copy that was not edited"},
		{"a file of a case by case", "f/a.json", `{"caseId":"A"}`, input.Walk{IDs: []string{"a"}}, `f/a.json: case_id is "A", the file's name says "a"`, "ids compare exactly"},
		{"a file of no case", "f/a.json", `{"case_id":null}`, input.Walk{IDs: []string{"a"}}, `f/a.json: case_id is no text, the file's name says "a"`, ""},
		{"a strict orphan", "b.jsonl", `{"case_id":"z"}` + "\n" + `{"case_id":"\u001b[31m"}` + "\n" + `{"case_id":"a"}`, input.Walk{IDs: []string{"a"}, Strict: true},
			"b.jsonl: fixture \"\\x1b[31m\" belongs to no case\nb.jsonl: fixture \"z\" belongs to no case", ""},
		{"a strict line of nobody", "b.jsonl", `{"case_id":"a"}` + "\n[]\n", input.Walk{IDs: []string{"a"}, Strict: true}, "b.jsonl:2: the line is no JSON object; it belongs to no case", ""},
		{"empty bundle", "b.jsonl", "\uFEFF\r\n\n", input.Walk{IDs: []string{"a"}}, "no fixtures in b.jsonl: the bundle is empty", ""},
		{"bundle of nobody", "b.jsonl", "[\n{\"case_id\":[]}\n]\n", input.Walk{IDs: []string{"a"}}, "no fixtures in b.jsonl: none of its 3 lines is a JSON object with a case_id", "a JSON file under a wrong name"},
		{"cut off gzip", "b.jsonl.gz", string(zipped(t, strings.Repeat(`{"case_id":"a"}`, 1000))[:60]), input.Walk{IDs: []string{"a"}}, "b.jsonl.gz: the compressed data ends early; is the file cut off?", "not: a case without a fixture"},
		{"damaged gzip", "b.jsonl.gz", "\x1f\x8b\x00\x00\x00", input.Walk{IDs: []string{"a"}}, "b.jsonl.gz: the compressed data ends early; is the file cut off?", ""},
		{"no gzip", "b.jsonl.gz", "\x1f\x8b" + strings.Repeat("x", 100), input.Walk{IDs: []string{"a"}}, "b.jsonl.gz: the compressed data is damaged", ""},
		{"ids twice", "b.jsonl", `{"case_id":"a"}`, input.Walk{IDs: []string{"a", "a"}}, "input: the ids of a walk are not distinct", "the caller's mistake"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				name := strings.TrimSuffix(tt.file, "/a.json")
				f, err := input.OpenFixturesFS(fstest.MapFS{tt.file: {Data: []byte(tt.data)}}, name, input.FixtureOptions{})
				require.NoError(t, err)
				tt.walk.Workers = workers
				_, _, err = walk(t, f, tt.walk)
				assert.EqualError(t, err, tt.want, tt.reason)
			}
		})
	}
}

func TestLinesOfNoCaseAreWarnings(t *testing.T) {
	data := `{"case_id":"a"}` + "\nx\n{\"x\":1}\n[1]\n" + `{"x":"` + strings.Repeat("y", 50) + "\"}\n" + `{"case_id":"cut` + "\n" + `{"case_id":"z"}`
	f, err := input.OpenFixturesFS(fstest.MapFS{"b.jsonl": {Data: []byte(data)}}, "b.jsonl", input.FixtureOptions{MaxBytes: 40})
	require.NoError(t, err)
	_, found, err := walk(t, f, input.Walk{IDs: []string{"a"}})
	require.NoError(t, err)
	assert.Equal(t, []string{
		`b.jsonl: fixture "z" belongs to no case`,
		"b.jsonl:2: the line is not JSON; it belongs to no case",
		"b.jsonl:3: the line has no case_id; it belongs to no case",
		"b.jsonl:4: the line is no JSON object; it belongs to no case",
		"b.jsonl:5: the line is over the limit of 40 bytes and shows no case_id; it belongs to no case",
		"b.jsonl:6: the line is not JSON; it belongs to no case",
	}, found.Warnings())

	_, found, err = walk(t, f, input.Walk{IDs: []string{"a"}, Others: []string{"z"}})
	require.NoError(t, err)
	assert.Empty(t, found.Orphans, "a case that a filter left out has a fixture, too")
}

func TestWarningsOfLinesAreCapped(t *testing.T) {
	f, err := input.OpenFixturesFS(fstest.MapFS{"b.jsonl": {Data: []byte(strings.Repeat("x\n", 100_000) + `{"case_id":"a"}`)}}, "b.jsonl", input.FixtureOptions{})
	require.NoError(t, err)
	for _, workers := range []int{1, 4} {
		_, found, err := walk(t, f, input.Walk{IDs: []string{"a"}, Workers: workers})
		require.NoError(t, err)
		warnings := found.Warnings()
		require.Len(t, warnings, 101)
		assert.Equal(t, "b.jsonl:1: the line is not JSON; it belongs to no case", warnings[0])
		assert.Equal(t, "b.jsonl:100: the line is not JSON; it belongs to no case", warnings[99])
		assert.Equal(t, "… and 99900 more lines that belong to no case", warnings[100])
	}
}

func TestAFixtureOverTheLimitIsItsCasesProblem(t *testing.T) {
	const limit = 1 << 20
	exact := `{"case_id":"exact","x":"` + strings.Repeat("y", limit-26) + `"}`
	require.Len(t, exact, limit)
	over := `{"case_id":"over","x":"` + strings.Repeat("y", limit-24) + `"}`
	require.Len(t, over, limit+1)
	huge := `{"case_id":"huge","x":"` + strings.Repeat("y", 5*limit) + `"}`
	late := `{"x":"` + strings.Repeat("y", 2*limit) + `","case_id":"late"}`
	lines := strings.Join([]string{`{"case_id":"first"}`, exact, over, huge, late, `{"case_id":"last"}`}, "\r\n")
	files := fstest.MapFS{
		"b.jsonl": {Data: []byte(lines)}, "b.jsonl.gz": {Data: zipped(t, lines)}, "end.jsonl": {Data: []byte(huge)}, "end2.jsonl": {Data: []byte(over)},
		"f/exact.json": {Data: []byte(exact)}, "f/over.json": {Data: []byte(over)},
	}
	ids := []string{"first", "exact", "over", "huge", "late", "last"}
	for _, name := range []string{"b.jsonl", "b.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			f, err := input.OpenFixturesFS(files, name, input.FixtureOptions{MaxBytes: limit})
			require.NoError(t, err)
			got, found, err := walk(t, f, input.Walk{IDs: ids})
			require.NoError(t, err)
			assert.Equal(t, `{"case_id":"first"}`, got["first"])
			assert.Equal(t, `{"case_id":"last"}`, got["last"])
			assert.True(t, got["exact"] == exact, "one byte below is below")
			assert.Equal(t, "! "+name+":3: the fixture is over the limit of 1048576 bytes", got["over"])
			assert.Equal(t, "! "+name+":4: the fixture is over the limit of 1048576 bytes", got["huge"])
			assert.Equal(t, "! no fixture", got["late"])
			assert.Equal(t, []string{name + ":5: the line is over the limit of 1048576 bytes and shows no case_id; it belongs to no case"}, found.Warnings())
			for _, id := range ids {
				data, err := f.Get(id)
				if strings.HasPrefix(got[id], "! ") {
					assert.EqualError(t, err, got[id][2:])
				} else if assert.NoError(t, err, id) {
					assert.True(t, string(data) == got[id], id)
				}
			}
		})
	}
	for name, id := range map[string]string{"end.jsonl": "huge", "end2.jsonl": "over"} {
		f, err := input.OpenFixturesFS(files, name, input.FixtureOptions{MaxBytes: limit})
		require.NoError(t, err)
		got, _, err := walk(t, f, input.Walk{IDs: []string{id}})
		require.NoError(t, err)
		assert.Equal(t, "! "+name+":1: the fixture is over the limit of 1048576 bytes", got[id])
	}
	f, err := input.OpenFixturesFS(files, "f", input.FixtureOptions{MaxBytes: limit})
	require.NoError(t, err)
	got, _, err := walk(t, f, input.Walk{IDs: []string{"exact", "over"}})
	require.NoError(t, err)
	assert.True(t, got["exact"] == exact)
	assert.Equal(t, "! over.json: the fixture is over the limit of 1048576 bytes", got["over"])
	_, err = f.Get("over")
	assert.EqualError(t, err, "over.json: the fixture is over the limit of 1048576 bytes")
}

func TestFixturesThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
		return path
	}
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o755))
	_, err := input.OpenFixtures(empty, input.FixtureOptions{})
	assert.EqualError(t, err, "no fixtures in "+empty+": the folder holds no .json file")

	write("others/README.md", "x")
	write("others/dir.json/a.json", "{}")
	_, err = input.OpenFixtures(filepath.Join(dir, "others"), input.FixtureOptions{})
	assert.EqualError(t, err, "no fixtures in "+filepath.Join(dir, "others")+": the folder holds no .json file")

	_, err = input.OpenFixtures(filepath.Join(dir, "none"), input.FixtureOptions{})
	assert.EqualError(t, err, filepath.Join(dir, "none")+": no such file or folder")

	list := write("fixtures.json", "[]")
	_, err = input.OpenFixtures(list, input.FixtureOptions{})
	assert.EqualError(t, err, list+": fixtures are a folder, or a bundle named .jsonl or .jsonl.gz")
}

func TestLinksOutOfTheFolderAreRefused(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.json")
	require.NoError(t, os.WriteFile(secret, []byte(`{"case_id":"a"}`), 0o644))
	folder := filepath.Join(dir, "fixtures")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.json"), []byte(`{}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "sub", "real"), []byte(`{"inside":1}`), 0o644))
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	link(filepath.Join("sub", "real"), "inside.json")
	f, err := input.OpenFixtures(folder, input.FixtureOptions{})
	require.NoError(t, err)
	got, _, err := walk(t, f, input.Walk{IDs: []string{"b", "inside"}})
	require.NoError(t, err)
	assert.Equal(t, `{"inside":1}`, got["inside"], "a link inside the folder is the user's business")
	require.NoError(t, f.Close())

	_, err = input.OpenFixturesFS(os.DirFS(dir), "fixtures", input.FixtureOptions{})
	assert.EqualError(t, err, "fixtures/inside.json: a symbolic link is not followed here", "this file system follows links anywhere")

	link("../secret.json", "a.json")
	link(secret, "c.json")
	link("nowhere.json", "d.json")
	_, err = input.OpenFixtures(folder, input.FixtureOptions{})
	slashed := filepath.ToSlash(folder)
	assert.EqualError(t, err, slashed+"/a.json: a symbolic link leads out of the folder\n"+
		slashed+"/c.json: a symbolic link leads out of the folder\n"+
		slashed+"/d.json: the symbolic link leads nowhere")

	require.NoError(t, os.Symlink(folder, filepath.Join(dir, "linked")))
	_, err = input.OpenFixturesFS(os.DirFS(dir), "linked", input.FixtureOptions{})
	assert.EqualError(t, err, "linked: a symbolic link is not followed here")
	_, err = input.OpenFixturesFS(hidden{os.DirFS(dir)}, "linked", input.FixtureOptions{})
	assert.EqualError(t, err, "linked: a symbolic link is not followed here", "a wrapper that hides Lstat")
	_, err = input.ReadFS(os.DirFS(dir), "linked/b.json", input.Options{})
	assert.EqualError(t, err, "linked: a symbolic link is not followed here")
	_, err = input.ReadFS(os.DirFS(dir), "../x.json", input.Options{})
	assert.EqualError(t, err, "../x.json: the path leads out of the folder .")
}

// hidden is a file system that does not tell links.
type hidden struct{ fs.FS }

func TestAFolderConfines(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in", "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in", "sub", "c.json"), []byte(`{}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in", "sub", "b.jsonl"), []byte(`{"case_id":"a"}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out.json"), []byte(`{}`), 0o644))
	d, err := input.OpenFolder(filepath.Join(dir, "in"))
	require.NoError(t, err)
	defer d.Close()
	f, err := d.Read("sub/c.json", input.Options{})
	require.NoError(t, err)
	assert.Equal(t, filepath.ToSlash(dir)+"/in/sub/c.json", f.Name)
	fixtures, err := d.Fixtures("sub/b.jsonl", input.FixtureOptions{})
	require.NoError(t, err)
	data, err := fixtures.Get("a")
	require.NoError(t, err)
	assert.Equal(t, `{"case_id":"a"}`, string(data))
	require.NoError(t, fixtures.Close())
	whole, err := input.OpenFixtures(filepath.Join(dir, "in", "sub", "b.jsonl"), input.FixtureOptions{MaxBytes: 5})
	require.NoError(t, err)
	_, err = whole.Get("a")
	assert.EqualError(t, err, "b.jsonl:1: the fixture is over the limit of 5 bytes", "no path of this machine")
	fixtures, err = d.Fixtures("sub", input.FixtureOptions{})
	require.NoError(t, err)
	data, err = fixtures.Get("c")
	require.NoError(t, err)
	assert.Equal(t, `{}`, string(data))

	for _, name := range []string{"../out.json", "/etc/passwd", "sub/../../out.json", "a\x00b"} {
		_, err = d.Read(name, input.Options{})
		assert.ErrorContains(t, err, "leads out of the folder", name)
		_, err = d.Fixtures(name, input.FixtureOptions{})
		assert.ErrorContains(t, err, "leads out of the folder", name)
	}
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink("../out.json", filepath.Join(dir, "in", "link.json")))
		_, err = d.Read("link.json", input.Options{})
		assert.EqualError(t, err, filepath.ToSlash(dir)+"/in/link.json: a symbolic link leads out of the folder")
		require.NoError(t, os.Symlink("..", filepath.Join(dir, "in", "up")))
		_, err = d.Read("up/out.json", input.Options{})
		assert.EqualError(t, err, filepath.ToSlash(dir)+"/in/up/out.json: a symbolic link leads out of the folder")
	}
	_, err = d.Read("none.json", input.Options{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = input.OpenFolder(filepath.Join(dir, "out.json"))
	assert.EqualError(t, err, filepath.Join(dir, "out.json")+": a folder is needed, found a file")
}

func TestAWalkEndsWithItsContext(t *testing.T) {
	var lines strings.Builder
	files := fstest.MapFS{}
	var ids []string
	for i := range 1000 {
		id := "c" + strconv.Itoa(i)
		ids = append(ids, id)
		fmt.Fprintf(&lines, "{\"case_id\":%q,\"x\":%q}\n", id, strings.Repeat("y", 2000))
		files["f/"+id+".json"] = &fstest.MapFile{Data: []byte("{}")}
	}
	files["b.jsonl"] = &fstest.MapFile{Data: []byte(lines.String())}
	for _, name := range []string{"f", "b.jsonl"} {
		t.Run(name, func(t *testing.T) {
			f, err := input.OpenFixturesFS(files, name, input.FixtureOptions{})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_, err = f.Each(ctx, input.Walk{IDs: ids, Workers: 2}, func(int, []byte, error) { cancel() })
			assert.ErrorIs(t, err, context.Canceled)
		})
	}
}

// failing is a file system whose files fail in the middle.
type failing struct{ fstest.MapFS }

type failingFile struct {
	fs.File
	left int
}

func (f failing) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	return &failingFile{file, 10}, err
}

func (f *failingFile) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errors.New("disk on fire")
	}
	n, err := f.File.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

func TestAFileThatFailsIsNoMissingFixture(t *testing.T) {
	files := failing{fstest.MapFS{"b.jsonl": {Data: []byte(`{"case_id":"a","x":1}`)}}}
	f, err := input.OpenFixturesFS(files, "b.jsonl", input.FixtureOptions{})
	require.NoError(t, err)
	_, _, err = walk(t, f, input.Walk{IDs: []string{"a"}})
	assert.EqualError(t, err, "b.jsonl: disk on fire")
	_, err = f.Get("a")
	assert.EqualError(t, err, "b.jsonl: disk on fire")
}

func TestAnyBundleIsReadAlikeByAnyNumberOfWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{}
		var ids []string
		var lines strings.Builder
		for i := range rapid.IntRange(1, 40).Draw(t, "cases") {
			id := "c" + strconv.Itoa(i)
			size := rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(0, 400_000)).Draw(t, "size")
			line := fmt.Sprintf(`{"case_id":%q,"x":"%s"}`, id, strings.Repeat("y", size))
			if rapid.Bool().Draw(t, "id last") {
				line = fmt.Sprintf(`{"x":["%s",{"a":"}"}],"caseId":%q}`, strings.Repeat("y", size), id)
			}
			ids = append(ids, id)
			want[id] = line
			lines.WriteString(line + rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", " \n"}).Draw(t, "end"))
		}
		f, err := input.OpenFixturesFS(fstest.MapFS{"b.jsonl": {Data: []byte(lines.String())}}, "b.jsonl", input.FixtureOptions{})
		require.NoError(t, err)
		var lock sync.Mutex
		got := map[string]string{}
		_, err = f.Each(context.Background(), input.Walk{IDs: ids, Workers: rapid.IntRange(1, 4).Draw(t, "workers")}, func(i int, data []byte, problem error) {
			lock.Lock()
			defer lock.Unlock()
			got[ids[i]] = string(data)
		})
		require.NoError(t, err)
		for _, id := range ids {
			data, err := f.Get(id)
			require.NoError(t, err)
			if got[id] != want[id] || string(data) != want[id] {
				t.Fatalf("case %s: got %d bytes, Get %d, want %d", id, len(got[id]), len(data), len(want[id]))
			}
		}
	})
}

func TestAFileOfACaseUnderAnotherNameIsAnErrorOfTheWalk(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  map[string]string
		w      input.Walk
		err    string
		warned []string // warnings
	}{
		{"a slip of the name", map[string]string{"k8s_oom": `{"case_id":"k8s-oom"}`}, input.Walk{IDs: []string{"k8s-oom"}},
			`x/f/k8s_oom.json: case_id is "k8s-oom", the file's name says "k8s_oom"; name it k8s-oom.json`, nil},
		{"a second fixture", map[string]string{"k8s-oom": `{}`, "k8s-oom-2": `{"x":{"case_id":"no"},"caseId":"k8s-oom"}`}, input.Walk{IDs: []string{"k8s-oom"}},
			`x/f/k8s-oom-2.json: a second fixture of the case "k8s-oom", the first is k8s-oom.json`, nil},
		{"both at once", map[string]string{"a": `{}`, "a2": `{"case_id":"a"}`, "b2": "\uFEFF" + `{"case_id":"b"}`}, input.Walk{IDs: []string{"a", "b"}},
			"x/f/a2.json: a second fixture of the case \"a\", the first is a.json\nx/f/b2.json: case_id is \"b\", the file's name says \"b2\"; name it b.json", nil},
		{"of a case that a filter left out", map[string]string{"a": `{}`, "b2": `{"case_id":"b"}`}, input.Walk{IDs: []string{"a"}, Others: []string{"b"}},
			`x/f/b2.json: case_id is "b", the file's name says "b2"; name it b.json`, nil},
		{"of no case", map[string]string{"a": `{}`, "zz": `{"case_id":"yy"}`}, input.Walk{IDs: []string{"a"}}, "", []string{"f/zz.json belongs to no case"}},
		{"without an id, near a case that has none", map[string]string{"a": `{}`, "k8s_oom": `[]`}, input.Walk{IDs: []string{"a", "k8s-oom"}}, "",
			[]string{`f/k8s_oom.json belongs to no case; is it that of the case "k8s-oom", which has none?`}},
		{"without an id, near a case that has its own", map[string]string{"k8s-oom": `{}`, "k8s_oom": ``}, input.Walk{IDs: []string{"k8s-oom"}}, "",
			[]string{`f/k8s_oom.json belongs to no case`}},
		{"strict", map[string]string{"a": `{}`, "k8s_oom": `[]`}, input.Walk{IDs: []string{"a", "k8s-oom"}, Strict: true},
			`x/f/k8s_oom.json: the fixture belongs to no case; is it that of the case "k8s-oom", which has none?`, nil},
		{"a name with an escape", map[string]string{"a": `{}`, "\x1b[31m": `{}`}, input.Walk{IDs: []string{"a"}}, "", []string{`"f/\x1b[31m.json" belongs to no case`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := fstest.MapFS{}
			for id, data := range tt.files {
				files["x/f/"+id+".json"] = &fstest.MapFile{Data: []byte(data)}
			}
			f, err := input.OpenFixturesFS(files, "x/f", input.FixtureOptions{})
			require.NoError(t, err)
			_, found, err := walk(t, f, tt.w)
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.warned, found.Warnings())
		})
	}
}

func TestAnUnclaimedLineOfABundleIsNearACaseWithoutAFixture(t *testing.T) {
	data := `{"case_id":"k8s_oom"}` + "\n" + `{"case_id":"vpn"}` + "\n" + `{"case_id":"vpm"}`
	f, err := input.OpenFixturesFS(fstest.MapFS{"x/b.jsonl": {Data: []byte(data)}}, "x/b.jsonl", input.FixtureOptions{})
	require.NoError(t, err)
	_, found, err := walk(t, f, input.Walk{IDs: []string{"vpn", "k8s-oom"}})
	require.NoError(t, err)
	assert.Equal(t, []string{
		`b.jsonl: fixture "k8s_oom" belongs to no case; is it that of the case "k8s-oom", which has none?`,
		`b.jsonl: fixture "vpm" belongs to no case`,
	}, found.Warnings())
}

func TestFixturesTellWhereTheyLook(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "fixtures")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.json"), []byte("{}"), 0o644))
	bundle := filepath.Join(dir, "b.jsonl")
	require.NoError(t, os.WriteFile(bundle, []byte("\n{\"case_id\":\"z\"}\n\n{\"case_id\":\"a\"}\n"), 0o644))
	t.Chdir(folder)
	for _, name := range []string{folder, ".", "../fixtures", folder + "/../fixtures/"} {
		f, err := input.OpenFixtures(name, input.FixtureOptions{})
		require.NoError(t, err)
		assert.Equal(t, "looked for fixtures/vpn.json", f.Looked("vpn"), "the same however the folder is named: "+name)
		file, line := f.Place("a")
		assert.Equal(t, "a.json", file)
		assert.Zero(t, line)
		require.NoError(t, f.Close())
	}
	for _, name := range []string{bundle, "../b.jsonl"} {
		f, err := input.OpenFixtures(name, input.FixtureOptions{})
		require.NoError(t, err)
		assert.Equal(t, "no line of b.jsonl has this case_id", f.Looked("vpn"))
		at := 0
		_, err = f.Each(context.Background(), input.Walk{IDs: []string{"b", "a"}}, func(i int, _ []byte, problem error) {
			if problem == nil {
				_, at = f.Place("a")
			}
		})
		require.NoError(t, err)
		assert.Equal(t, 4, at, "during a walk")
		_, err = f.Get("z")
		require.NoError(t, err)
		file, line := f.Place("z")
		assert.Equal(t, "b.jsonl", file)
		assert.Equal(t, 2, line, "after a single fixture")
		require.NoError(t, f.Close())
	}
}

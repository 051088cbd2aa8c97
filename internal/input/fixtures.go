package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrNoFixture is the problem of a case that has no fixture.
var ErrNoFixture = errors.New("no fixture")

// defaultMaxFixtureBytes is the limit of one fixture where none is given.
const defaultMaxFixtureBytes = 64 << 20

// FixtureOptions are the limits of reading fixtures. The zero value is useful.
type FixtureOptions struct {
	// MaxBytes is the size of the largest fixture that is read, uncompressed;
	// 0 means 64 MiB. A larger one is its case's problem, and is never held.
	MaxBytes int64
}

// Fixtures are the recorded outputs of a system, one a case: a folder with
// <case id>.json, or a bundle (.jsonl, gzipped or not) with one a line.
type Fixtures struct {
	name   string
	base   string // names them where a report may repeat it; "" where nothing does
	limit  int64
	folder *Folder  // of the files, or of the bundle
	sub    string   // the folder of the files, inside folder
	owned  bool     // whether the folder was opened for the fixtures alone
	files  []string // ids of the files, sorted; nil for a bundle
	bundle *bundle  // nil for a folder
}

// OpenFixtures opens a folder or a bundle of the operating system. A folder
// without a .json file is an error, as is a symbolic link that leads out of it.
// Close it after use.
func OpenFixtures(name string, o FixtureOptions) (*Fixtures, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, plainError(name, err)
	}
	if !info.IsDir() {
		// The user named this very file, which may be a link to anywhere.
		return openBundle(name, o, func() (fs.File, error) {
			file, err := os.Open(name)
			if err != nil {
				return nil, plainError(name, err)
			}
			return file, nil
		})
	}
	folder, err := OpenFolder(name)
	if err != nil {
		return nil, err
	}
	f, err := folder.Fixtures(".", o)
	if err != nil {
		folder.Close()
		return nil, err
	}
	f.owned = true
	return f, nil
}

// OpenFixturesFS opens a folder or a bundle of any other file system, such as
// an embed.FS. Symbolic links are refused.
func OpenFixturesFS(fsys fs.FS, name string, o FixtureOptions) (*Fixtures, error) {
	return FolderFS(fsys, ".").Fixtures(name, o)
}

// Fixtures opens the fixtures of that name in this folder, which must stay open
// as long as they are used.
func (d *Folder) Fixtures(name string, o FixtureOptions) (*Fixtures, error) {
	info, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&special != 0 {
		return nil, d.notFile(name)
	}
	if !info.IsDir() {
		return openBundle(d.display(path.Clean(filepath.ToSlash(name))), o, func() (fs.File, error) { return d.open(name) })
	}
	name = path.Clean(filepath.ToSlash(name))
	f := &Fixtures{name: d.display(name), base: d.base(name), limit: o.limit(), folder: d, sub: name}
	entries, err := d.list(name)
	if err != nil {
		return nil, err
	}
	var wrong Problems
	for _, e := range entries {
		id, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || id == "" || e.IsDir() {
			continue
		}
		kind := e.Type()
		if kind&fs.ModeSymlink != 0 {
			info, err := d.Stat(f.file(id))
			if err != nil {
				wrong = append(wrong, Problem{File: f.name + "/" + e.Name(), Message: linkMessage(err)})
				continue
			}
			if info.IsDir() {
				continue
			}
			kind = info.Mode()
		}
		if kind&special != 0 {
			wrong = append(wrong, Problem{File: f.name + "/" + e.Name(), Message: "a file is needed, found a pipe, device or socket"})
			continue
		}
		f.files = append(f.files, id)
	}
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if len(f.files) == 0 {
		return nil, fmt.Errorf("no fixtures in %s: the folder holds no .json file", f.name)
	}
	slices.Sort(f.files)
	return f, nil
}

func linkMessage(err error) string {
	var named *namedError
	if errors.As(err, &named) {
		if errors.Is(err, fs.ErrNotExist) {
			return "the symbolic link leads nowhere"
		}
		return named.message
	}
	return "a symbolic link is not followed here"
}

func (o FixtureOptions) limit() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return defaultMaxFixtureBytes
}

// Name is how the user named the fixtures.
func (f *Fixtures) Name() string { return f.name }

// Looked says in words where the fixture of a case was looked for.
func (f *Fixtures) Looked(id string) string {
	if f.bundle != nil {
		return "no line of " + f.base + " has this case_id"
	}
	return "looked for " + f.inBase(id)
}

// Place is the file that a case's fixture stands in, without the folder around,
// and its line there: 0 where the fixture is the whole file.
func (f *Fixtures) Place(id string) (file string, line int) {
	if f.bundle != nil {
		return f.base, f.bundle.line(id)
	}
	return id + ".json", 0
}

// inBase is the file of that name with the folder it is in, and none around it:
// a report must not tell where on a machine it was made.
func (f *Fixtures) inBase(id string) string { return shownName(path.Join(f.base, id+".json")) }

// shownName is a file's name, quoted where it would not stay on its line.
func shownName(name string) string {
	if strconv.Quote(name) != `"`+name+`"` {
		return quote(name)
	}
	return name
}

// Close releases what was opened for the fixtures, and the folder they are in
// if OpenFixtures opened it.
func (f *Fixtures) Close() error {
	if f.bundle != nil {
		return f.bundle.close()
	}
	if f.owned {
		return f.folder.Close()
	}
	return nil
}

// file is the path of a case's fixture inside the folder.
func (f *Fixtures) file(id string) string { return path.Join(f.sub, id+".json") }

// Walk says which fixtures to read, and how.
type Walk struct {
	// IDs are the cases whose fixtures are read.
	IDs []string
	// Others are the ids of cases that a filter has left out: a fixture of
	// theirs is no orphan.
	Others []string
	// Workers is how many goroutines read and call back; 0 means one a CPU.
	Workers int
	// Strict makes an orphan an error.
	Strict bool
}

// Found is what a walk noticed beside the fixtures.
type Found struct {
	// Orphans are the ids of fixtures that no case claims, sorted.
	Orphans []string
	// Unreadable are the lines of a bundle that belong to no case, because they
	// are no JSON or have no case_id: the first 100 of them.
	Unreadable Problems
	// UnreadableCount counts all of them.
	UnreadableCount int

	unclaimed []string        // the orphans in words
	claimed   map[string]bool // the cases of the walk that a bundle has a fixture of, where it has orphans
}

// maxUnreadable is how many unreadable lines are kept.
const maxUnreadable = 100

// Warnings are what was found, in words.
func (f Found) Warnings() []string {
	out := slices.Clone(f.unclaimed)
	for _, p := range f.Unreadable {
		out = append(out, p.Error())
	}
	if more := f.UnreadableCount - len(f.Unreadable); more > 0 {
		out = append(out, fmt.Sprintf("… and %d more lines that belong to no case", more))
	}
	return out
}

// Each calls fn once for every id of the walk, from several goroutines at once
// and in no order: with the fixture's bytes, or with what is wrong with it,
// which is ErrNoFixture where there is none. Such a problem, and what was found
// beside, names files without the folder that they are in. The bytes are valid during the call
// only. They are raw: nobody has looked whether they are JSON.
//
// Two fixtures of one case, and a file whose case_id is not its name, are errors
// of the whole walk: what fn was told of such a case must not be used. Files that
// no case claims are looked into for their case_id, so that one which is a case's
// under another name is such an error, and no orphan. So are
// files that cannot be read at all, and fixtures of which none has an id. All of
// them are reported together, as [Problems].
func (f *Fixtures) Each(ctx context.Context, w Walk, fn func(i int, data []byte, problem error)) (Found, error) {
	if w.Workers <= 0 {
		w.Workers = runtime.GOMAXPROCS(0)
	}
	// More than there are processors only take memory.
	w.Workers = min(w.Workers, max(runtime.GOMAXPROCS(0), 16))
	ids := make(map[string]int, len(w.IDs))
	for i, id := range w.IDs {
		ids[id] = i
	}
	if len(ids) < len(w.IDs) {
		return Found{}, errors.New("input: the ids of a walk are not distinct")
	}
	var found Found
	var problems Problems
	var err error
	if f.bundle != nil {
		found, problems, err = f.bundle.each(ctx, w, ids, fn)
	} else {
		found, problems, err = f.eachFile(ctx, w, ids, fn)
	}
	if err != nil {
		return found, err
	}
	problems = append(problems, f.unclaimed(ctx, &found, w, ids)...)
	if err := ctx.Err(); err != nil {
		return found, err
	}
	if w.Strict {
		problems = append(problems, found.Unreadable...)
	}
	return found, problems.err()
}

// unclaimed sorts out the fixtures that no case of the walk claims: those of
// others are left out, files that are a case's under another name are problems,
// and the rest is put in words.
func (f *Fixtures) unclaimed(ctx context.Context, found *Found, w Walk, ids map[string]int) Problems {
	if len(found.Orphans) == 0 {
		return nil
	}
	others := make(map[string]bool, len(w.Others))
	for _, id := range w.Others {
		others[id] = true
	}
	var problems Problems
	held := map[string]bool{} // others that a bundle has a fixture of
	orphans := found.Orphans[:0]
	for _, id := range found.Orphans {
		if ctx.Err() != nil {
			return nil
		}
		if others[id] {
			held[id] = true
			continue
		}
		if owner := f.owner(id); owner != id {
			if _, claimed := ids[owner]; claimed || others[owner] {
				problems = append(problems, f.misnamed(id, owner))
				continue
			}
		}
		orphans = append(orphans, id)
	}
	found.Orphans = orphans
	if len(orphans) == 0 {
		return problems
	}
	// Of a case that has its fixture, an orphan is none.
	var without []string
	for _, list := range [][]string{w.IDs, w.Others} {
		for _, id := range list {
			if !held[id] && !f.has(found, id) {
				without = append(without, id)
			}
		}
	}
	slices.Sort(without)
	for i, id := range orphans {
		hint := ""
		if i < maxSuggestions && len(without) <= maxSuggestedFrom {
			if near := Nearest(id, without); near != "" {
				hint = "; is it that of the case " + quote(near) + ", which has none?"
			}
		}
		text := f.inBase(id) + " belongs to no case" + hint
		problem := Problem{File: shownName(f.name + "/" + id + ".json"), Message: "the fixture belongs to no case" + hint}
		if f.bundle != nil {
			text = f.base + ": fixture " + quote(id) + " belongs to no case" + hint
			problem = Problem{File: f.name, Message: "fixture " + quote(id) + " belongs to no case" + hint}
		}
		found.unclaimed = append(found.unclaimed, text)
		if w.Strict {
			problems = append(problems, problem)
		}
	}
	return problems
}

// How many orphans get a suggestion, and from how many ids at most: finding a
// near one takes long.
const (
	maxSuggestions   = 20
	maxSuggestedFrom = 2000
)

// has reports whether a case of the walk has a fixture.
func (f *Fixtures) has(found *Found, id string) bool {
	if f.bundle != nil {
		return found.claimed[id]
	}
	_, ok := slices.BinarySearch(f.files, id)
	return ok
}

// maxOwnerBytes is how much of a file that no case claims is looked at for its
// case_id.
const maxOwnerBytes = 1 << 20

// owner is the case_id of a file that no case claims; its name, where it has none
// or cannot be read.
func (f *Fixtures) owner(id string) string {
	if f.bundle != nil {
		return id
	}
	file, err := f.folder.openClean(f.file(id))
	if err != nil {
		return id
	}
	defer file.Close()
	data, _ := io.ReadAll(io.LimitReader(file, min(f.limit, maxOwnerBytes)))
	raw, _ := fixtureID(trimBOM(data))
	if text, ok := idText(raw); ok {
		return string(text)
	}
	return id
}

// misnamed reports a file that is not named by its case.
func (f *Fixtures) misnamed(id, owner string) Problem {
	p := Problem{File: shownName(f.folder.display(f.file(id)))}
	if _, own := slices.BinarySearch(f.files, owner); own {
		p.Message = fmt.Sprintf("a second fixture of the case %s, the first is %s", quote(owner), shownName(owner+".json"))
	} else {
		p.Message = fmt.Sprintf("case_id is %s, the file's name says %s; name it %s", quote(owner), quote(id), shownName(owner+".json"))
	}
	return p
}

// Get is the fixture of one case: ErrNoFixture where there is none. In a folder
// nothing else is read. The first call on a bundle reads all of it, to find
// where each fixture is.
func (f *Fixtures) Get(id string) ([]byte, error) {
	if f.bundle != nil {
		return f.bundle.get(id)
	}
	if _, ok := slices.BinarySearch(f.files, id); !ok {
		return nil, ErrNoFixture
	}
	data, err := f.read(id, nil)
	if err != nil {
		return nil, err
	}
	if other, differs := f.mismatch(id, data); differs {
		return nil, other
	}
	return trimBOM(data), nil
}

func (f *Fixtures) eachFile(ctx context.Context, w Walk, ids map[string]int, fn func(int, []byte, error)) (Found, Problems, error) {
	var found Found
	for _, id := range f.files {
		if _, ok := ids[id]; !ok {
			found.Orphans = append(found.Orphans, id)
		}
	}
	var (
		next     atomic.Int64
		lock     sync.Mutex
		problems Problems
		wait     sync.WaitGroup
	)
	for range min(w.Workers, max(1, len(w.IDs))) {
		wait.Go(func() {
			var buf []byte
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(w.IDs) {
					return
				}
				id := w.IDs[i]
				if _, ok := slices.BinarySearch(f.files, id); !ok {
					fn(i, nil, ErrNoFixture)
					continue
				}
				var err error
				buf, err = f.read(id, buf)
				if err != nil {
					fn(i, nil, err)
					continue
				}
				if p, differs := f.mismatch(id, buf); differs {
					lock.Lock()
					problems = append(problems, p)
					lock.Unlock()
					fn(i, nil, p)
					continue
				}
				fn(i, trimBOM(buf), nil)
				if cap(buf) > maxPooled {
					buf = nil
				}
			}
		})
	}
	wait.Wait()
	return found, problems, ctx.Err()
}

// maxPooled is the largest buffer that is kept for the next fixture.
const maxPooled = 8 << 20

// read reads one file of the folder into buf, which may grow. What is wrong with
// it becomes part of the case's row, and a report holds no path of one machine:
// the file is named as it is in its folder.
func (f *Fixtures) read(id string, buf []byte) ([]byte, error) {
	name := f.file(id)
	shown := id + ".json"
	file, err := f.folder.openClean(name) // of a foreign file system, the list had no link of this name
	if err == nil {
		defer file.Close()
		buf, err = readLimited(shown, file, buf, f.limit)
	}
	var named *namedError
	switch {
	case errors.Is(err, errTooLarge):
		err = tooLargeFixture(shown, 0, f.limit)
	case errors.As(err, &named):
		err = &namedError{shown, named.message, named.err}
	}
	return buf, err
}

func tooLargeFixture(name string, line int, limit int64) error {
	return Problem{File: name, Line: line, Message: fmt.Sprintf("the fixture is over the limit of %d bytes", limit)}
}

// mismatch reports a file whose case_id is not its name.
func (f *Fixtures) mismatch(id string, data []byte) (Problem, bool) {
	raw, ok := fixtureID(trimBOM(data))
	if !ok {
		return Problem{}, false // a file needs none: its name tells
	}
	text, ok := idText(raw)
	if ok && string(text) == id {
		return Problem{}, false
	}
	found := "no text"
	if ok {
		found = quote(string(text))
	}
	return Problem{File: f.folder.display(f.file(id)), Message: fmt.Sprintf("case_id is %s, the file's name says %s", found, quote(id))}, true
}

// twice reports the bundle's fixtures that are there more than once.
func twice(name string, lines map[string][]int) Problems {
	var problems Problems
	for id, at := range lines {
		slices.Sort(at)
		for _, line := range at[1:] {
			problems = append(problems, Problem{File: name, Line: line, Case: id, Message: fmt.Sprintf("a second fixture of this case, the first is on line %d", at[0])})
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems
}

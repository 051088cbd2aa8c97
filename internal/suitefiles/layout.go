package suitefiles

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/input"
)

// Kind says how a domain's files are called and read.
type Kind struct {
	// Fixtures is the base name of the fixtures: "fixtures", "traces".
	Fixtures string
	// Input are the limits and decoders of the case set.
	Input input.Options
	// MaxFixtureBytes is the size of the largest fixture that is read; 0 stands
	// for input's limit.
	MaxFixtureBytes int64
}

// Files are the files of one suite.
type Files struct {
	// Name is the base name of the folder that the case set is in; "" where that
	// folder has none ("." or the root).
	Name string
	// Cases is the case set, parsed and not yet decoded.
	Cases    *input.File
	fixtures *input.Fixtures
	folder   *input.Folder // nil where each file was named by itself
}

// Open finds a suite's files in a folder of the operating system: the case set
// cases.yaml, .yml, .json or .jsonl, and the fixtures as the folder <fixtures>,
// or as the bundle <fixtures>.jsonl or .jsonl.gz. It is an error where one of
// them is not there, or there twice. Nothing outside of the folder is read.
func (k Kind) Open(dir string) (*Files, error) {
	folder, err := input.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	files, err := k.inFolder(folder, dir)
	if err != nil {
		folder.Close()
		return nil, err
	}
	return files, nil
}

// OpenFS is Open for a folder of any other file system, such as an embed.FS.
func (k Kind) OpenFS(fsys fs.FS, dir string) (*Files, error) {
	dir = path.Clean(dir)
	if dir != "." {
		if !fs.ValidPath(dir) {
			return nil, fmt.Errorf("%s: not a path inside the file system", dir)
		}
		info, err := input.FolderFS(fsys, ".").Stat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: a folder is needed, found a file", dir)
		}
		if fsys, err = fs.Sub(fsys, dir); err != nil {
			return nil, err
		}
	}
	return k.inFolder(input.FolderFS(fsys, dir), dir)
}

// OpenPaths opens the files that a user named one by one; they may be anywhere.
func (k Kind) OpenPaths(cases, fixtures string) (*Files, error) {
	file, err := input.ReadFile(cases, k.Input)
	if err != nil {
		return nil, err
	}
	f, err := input.OpenFixtures(fixtures, input.FixtureOptions{MaxBytes: k.MaxFixtureBytes})
	if err != nil {
		return nil, cmp.Or(file.Syntax(), err)
	}
	return &Files{Name: name(filepath.Dir(cases)), Cases: file, fixtures: f}, nil
}

func (k Kind) inFolder(folder *input.Folder, dir string) (*Files, error) {
	cases, err := one(folder, dir, "case set", "cases.yaml", "cases.yml", "cases.json", "cases.jsonl")
	if err != nil {
		return nil, err
	}
	file, err := folder.Read(cases, k.Input)
	if err != nil {
		return nil, err
	}
	fixtures, err := one(folder, dir, k.Fixtures, k.Fixtures, k.Fixtures+".jsonl", k.Fixtures+".jsonl.gz")
	if err != nil {
		return nil, cmp.Or(file.Syntax(), err)
	}
	f, err := folder.Fixtures(fixtures, input.FixtureOptions{MaxBytes: k.MaxFixtureBytes})
	if err != nil {
		return nil, cmp.Or(file.Syntax(), err)
	}
	return &Files{Name: name(dir), Cases: file, fixtures: f, folder: folder}, nil
}

// one finds the one of the names that is in the folder.
func one(folder *input.Folder, dir, what string, names ...string) (string, error) {
	var found []string
	for _, name := range names {
		_, err := folder.Stat(name)
		switch {
		case err == nil:
			found = append(found, name)
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%s: no %s; one of %s is needed", dir, what, strings.Join(names, ", "))
	}
	return "", fmt.Errorf("%s: more than one %s: %s; keep one of them", dir, what, strings.Join(found, ", "))
}

func name(dir string) string {
	switch base := path.Base(filepath.ToSlash(filepath.Clean(dir))); base {
	case ".", "..", "/":
		return ""
	default:
		return base
	}
}

// Close releases what is open.
func (f *Files) Close() error {
	err := f.fixtures.Close()
	if f.folder != nil {
		err = errors.Join(err, f.folder.Close())
	}
	return err
}

// Each is the method of [suite.Source].
func (f *Files) Each(ctx context.Context, w suite.Walk, fn func(i int, data []byte, problem error)) ([]string, error) {
	found, err := f.fixtures.Each(ctx, input.Walk(w), func(i int, data []byte, problem error) {
		fn(i, data, f.known(w.IDs[i], problem))
	})
	return found.Warnings(), err
}

// Get is the method of [suite.Source].
func (f *Files) Get(id string) ([]byte, error) {
	data, err := f.fixtures.Get(id)
	return data, f.known(id, err)
}

// known is a problem as a suite knows it.
func (f *Files) known(id string, problem error) error {
	if errors.Is(problem, input.ErrNoFixture) {
		return missing{f.fixtures.Looked(id)}
	}
	return problem
}

// missing is [suite.ErrNoFixture] with where the fixture was looked for.
type missing struct{ looked string }

func (m missing) Error() string        { return suite.ErrNoFixture.Error() + ": " + m.looked }
func (m missing) Is(target error) bool { return target == suite.ErrNoFixture }

// Looked says in words where a fixture was looked for that is not there; "" where
// its source does not tell.
func Looked(problem error) string {
	var m missing
	errors.As(problem, &m)
	return m.looked
}

// Unreadable is the error of a fixture that cannot be decoded, led by its file and
// line where it comes from one: the line of the error's Offset, or that of a
// bundle. Neither has a part of a path that differs from
// machine to machine.
func Unreadable(source suite.Source, id string, data []byte, err error) error {
	f, ok := source.(*Files)
	if !ok {
		return err
	}
	file, line := f.fixtures.Place(id)
	var at interface{ Offset() int }
	if line == 0 && errors.As(err, &at) {
		before := data[:min(at.Offset(), len(data))]
		if len(before) == len(data) {
			before = bytes.TrimRight(before, "\r\n") // it ends on its last line
		}
		line = 1 + bytes.Count(before, []byte{'\n'})
	}
	return input.Problem{File: file, Line: line, Message: err.Error()}
}

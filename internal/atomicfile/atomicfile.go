// Package atomicfile writes files whole or not at all.
//
// A reader of the file sees the old content or the new one, never a part, also
// when the writer is killed or the machine goes down. What a killed writer
// leaves behind has a name that is known, .<name>.karat-tmp in the same folder,
// and the next write of the same file takes it away.
package atomicfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile makes data the content of the file at path. See [Write].
func WriteFile(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write makes what content writes the content of the file at path. The writer
// it gets is buffered. On an error, also content's own, the file stays as it
// was and nothing else is left.
//
// An existing file keeps its permissions; a new one gets 0644, less the umask.
// Folders that are missing on the way to it are made. A symbolic link is
// followed, as a shell would. What is no regular file, such as /dev/stdout or a
// pipe, is written straight. Two writers of one file, in one process or in two,
// wait for each other.
func Write(path string, content func(w io.Writer) error) error {
	dir, name, err := resolve(path)
	if err != nil {
		return err
	}
	if name == "" {
		return writeStraight(path, content)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return named(path, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return named(path, err)
	}
	defer root.Close()
	if err := writeIn(root, name, content); err != nil {
		return named(path, err)
	}
	return nil
}

// Check gives the error that [Write] would give for what can be known of a place
// without writing there: it is a folder, or the folder in which it or the first
// missing one would be made takes no files. Nothing is made. That Check finds
// nothing is no promise.
func Check(path string) error {
	dir, name, err := resolve(path)
	if err != nil || name == "" {
		return err
	}
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("write %s: %s is a file, and no folder", path, dir)
		}
		if err == nil {
			err = writable(dir)
		} else if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		if err != nil {
			return named(path, err)
		}
		return nil
	}
}

// resolve gives the folder and the name of the file that a path leads to; no
// name where it is to be written straight.
func resolve(path string) (dir, name string, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return "", "", aFolder(path)
		}
		return "", "", nil
	}
	target := path
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return "", "", named(path, err)
		}
	}
	dir, name = filepath.Split(target)
	if name == "" || name == "." || name == ".." {
		return "", "", aFolder(path)
	}
	return filepath.Clean(dir), name, nil
}

func aFolder(path string) error {
	return fmt.Errorf("write %s: a file is needed, found a folder", path)
}

// WriteIn is [WriteFile] for a file inside root, by its path in it: no link
// leads the write out of that folder. A link of the file's own name is replaced.
func WriteIn(root *os.Root, name string, data []byte) error {
	dir, base := filepath.Split(name)
	if dir != "" {
		inner, err := root.OpenRoot(filepath.Clean(dir))
		if err != nil {
			return named(name, err)
		}
		defer inner.Close()
		root = inner
	}
	if info, err := root.Lstat(base); err == nil && info.IsDir() {
		return aFolder(name)
	}
	err := writeIn(root, base, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return named(name, err)
	}
	return nil
}

// named leads an error with the file that was to be written, instead of the
// temporary one that nobody asked for.
func named(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return fmt.Errorf("write %s: %w", path, err)
}

func writeStraight(path string, content func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return named(path, err)
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(content(w), w.Flush(), f.Close()); err != nil {
		return named(path, err)
	}
	return nil
}

// writeIn writes the file of that name in root, which is its own folder.
func writeIn(root *os.Root, name string, content func(w io.Writer) error) (err error) {
	temp := tempName(name)
	f, err := create(root, temp)
	if err != nil {
		return err
	}
	done := false
	defer func() { // also when content panics
		if !done {
			_ = f.Close()
			_ = root.Remove(temp)
		}
	}()
	if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(f, 64<<10)
	if err := content(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	// The name changes while the file is open, and so while it is locked: there
	// is no moment in which another writer could take it for a stale one.
	if err := root.Rename(temp, name); err != nil {
		return err
	}
	done = true
	if err := f.Close(); err != nil {
		return err
	}
	syncFolder(root)
	return nil
}

// maxName is the length of the longest file name that common file systems take,
// in bytes.
const maxName = 255

// tempName is the one temporary name that goes with a file's name.
func tempName(name string) string {
	temp := "." + name + ".karat-tmp"
	if len(temp) > maxName {
		sum := sha256.Sum256([]byte(name))
		temp = "." + hex.EncodeToString(sum[:16]) + ".karat-tmp"
	}
	return temp
}

// attempts bounds the struggle for a temporary name with other writers. Each
// attempt that fails is one that another writer has won.
const attempts = 10_000

// create makes the temporary file and locks it. A lock goes with the process
// that holds it, so a file that is there and can be locked is a dead writer's.
func create(root *os.Root, temp string) (*os.File, error) {
	for range attempts {
		f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			if err := removeStale(root, temp); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		// Between the two calls another writer may have taken it for stale.
		if err := lock(f); err != nil {
			_ = f.Close()
			_ = root.Remove(temp)
			return nil, err
		}
		if isStill(root, temp, f) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, errors.New("too many others write the same file")
}

// removeStale waits for the writer of the temporary file, and removes the file
// if it is still there: then its writer is dead.
func removeStale(root *os.Root, temp string) error {
	info, err := root.Lstat(temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is in the way, and no file", temp)
	}
	f, err := root.Open(temp) // for reading: it may have been made read-only
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return err
	}
	if !isStill(root, temp, f) {
		return nil
	}
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isStill reports whether the name still leads to the open file.
func isStill(root *os.Root, name string, f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := root.Lstat(name)
	return err == nil && os.SameFile(open, there)
}

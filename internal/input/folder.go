package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ReadFile reads and parses a file that a person wrote and a person named. Its
// path may lead anywhere; names that stand inside files are read through a
// [Folder].
func ReadFile(name string, o Options) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, plainError(name, err)
	}
	defer file.Close()
	return readAndParse(name, file, o)
}

// ReadFS is ReadFile for a file of a file system. Symbolic links are refused.
func ReadFS(fsys fs.FS, name string, o Options) (*File, error) {
	return FolderFS(fsys, ".").Read(name, o)
}

func readAndParse(name string, file fs.File, o Options) (*File, error) {
	limit := o.maxBytes(name)
	data, err := readLimited(name, file, nil, limit)
	if errors.Is(err, errTooLarge) {
		size := int64(0)
		if info, err := file.Stat(); err == nil {
			size = info.Size()
		}
		return nil, tooLarge(name, size, limit)
	}
	if err != nil {
		return nil, err
	}
	return Parse(name, data, o)
}

var errTooLarge = errors.New("the file is too large")

// readLimited appends a file's bytes to buf, or fails with errTooLarge before
// it reads more than limit. It asks for the size first: a huge file costs
// nothing, and one of known size is read into one piece.
func readLimited(name string, file fs.File, buf []byte, limit int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return buf, plainError(name, err)
	}
	if info.IsDir() {
		return buf, fmt.Errorf("%s: a file is needed, found a folder", name)
	}
	if info.Size() > limit {
		return buf, errTooLarge
	}
	buf = buf[:0]
	if need := int(info.Size()) + 1; cap(buf) < need {
		buf = make([]byte, 0, need)
	}
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := file.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return buf, errTooLarge
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, plainError(name, err)
		}
	}
}

// plainError is an error of the file system, led by the name the user gave.
func plainError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &namedError{name, "no such file or folder", err}
	case errors.Is(err, fs.ErrPermission):
		return &namedError{name, "permission denied", err}
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return &namedError{name, err.Error(), err}
}

// namedError says what is wrong with a file in words that are the same on every
// system, and still unwraps to the system's error.
type namedError struct {
	name, message string
	err           error
}

func (e *namedError) Error() string { return e.name + ": " + e.message }
func (e *namedError) Unwrap() error { return e.err }

// Folder confines reading to one folder: nothing outside of it is opened.
// Symbolic links may lead about inside a folder of the operating system; on any
// other file system, which cannot hold them back, they are refused.
type Folder struct {
	name string   // as the user gave it; stands before every name in messages
	root *os.Root // of the operating system, or
	fsys fs.FS    // any other
}

// OpenFolder opens a folder of the operating system. Close it after use.
func OpenFolder(name string) (*Folder, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, plainError(name, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: a folder is needed, found a file", name)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, plainError(name, err)
	}
	return &Folder{name: name, root: root}, nil
}

// FolderFS is a file system as a folder, such as an embed.FS. The name stands
// before those of files in messages; "." and "" leave it out.
func FolderFS(fsys fs.FS, name string) *Folder {
	return &Folder{name: name, fsys: fsys}
}

// Close releases the folder.
func (d *Folder) Close() error {
	if d.root != nil {
		return d.root.Close()
	}
	return nil
}

// Read reads and parses a file that a person wrote.
func (d *Folder) Read(name string, o Options) (*File, error) {
	file, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAndParse(d.display(name), file, o)
}

// Stat describes a file or folder in this folder, or says that it leads out.
func (d *Folder) Stat(name string) (fs.FileInfo, error) {
	name, err := d.local(name)
	if err != nil {
		return nil, err
	}
	var info fs.FileInfo
	if d.root != nil {
		info, err = d.root.Stat(filepath.FromSlash(name))
	} else {
		info, err = fs.Stat(d.fsys, name)
	}
	if err != nil {
		return nil, d.explain(name, err)
	}
	return info, nil
}

// display is how messages name a file.
func (d *Folder) display(name string) string {
	if d.name == "" || d.name == "." {
		return name
	}
	if name == "." {
		return d.name
	}
	return strings.TrimRight(filepath.ToSlash(d.name), "/") + "/" + name
}

// base is the last name of a path in the folder, which is the same however the
// folder was named: relative or absolute. It is "" where there is none.
func (d *Folder) base(name string) string {
	if name == "." {
		name = d.name
		if d.root != nil {
			if whole, err := filepath.Abs(name); err == nil {
				name = whole
			}
		}
	}
	switch base := path.Base(filepath.ToSlash(name)); base {
	case ".", "..", "/":
		return ""
	default:
		return base
	}
}

// local is the name as a path inside the folder, with slashes; or says why it
// is none. On a foreign file system it looks for links on the way.
func (d *Folder) local(name string) (string, error) {
	if strings.ContainsRune(name, 0) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%s: the path leads out of the folder %s", name, d.name)
	}
	name = path.Clean(filepath.ToSlash(name))
	if d.root != nil {
		return name, nil
	}
	if !fs.ValidPath(name) {
		return "", fmt.Errorf("%s: not a path inside the folder", d.display(name))
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if err := d.refuseLink(name[:i]); err != nil {
			return "", err
		}
	}
	return name, nil
}

// refuseLink reports a symbolic link on a foreign file system. Where the file
// system does not tell links by Lstat, its folder's list may.
func (d *Folder) refuseLink(name string) error {
	link := fmt.Errorf("%s: a symbolic link is not followed here", d.display(name))
	if lstat, ok := d.fsys.(fs.ReadLinkFS); ok {
		if info, err := lstat.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return link
		}
		return nil
	}
	if name == "." {
		return nil
	}
	entries, err := fs.ReadDir(d.fsys, path.Dir(name))
	if err != nil {
		return nil // opening it will say why
	}
	for _, e := range entries {
		if e.Name() == path.Base(name) && e.Type()&fs.ModeSymlink != 0 {
			return link
		}
	}
	return nil
}

// open opens a file or folder inside the folder.
func (d *Folder) open(name string) (fs.File, error) {
	// Opening a pipe that nobody writes to would wait for ever.
	info, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&special != 0 {
		return nil, d.notFile(name)
	}
	if name, err = d.local(name); err != nil {
		return nil, err
	}
	return d.openClean(name)
}

// special is what a folder may hold that is neither file nor folder: pipes,
// devices, sockets.
const special = fs.ModeNamedPipe | fs.ModeDevice | fs.ModeCharDevice | fs.ModeSocket

func (d *Folder) notFile(name string) error {
	return fmt.Errorf("%s: a file is needed, found a pipe, device or socket", d.display(path.Clean(filepath.ToSlash(name))))
}

// openClean is open for a name that needs no checking, such as one out of the
// folder's own list.
func (d *Folder) openClean(name string) (fs.File, error) {
	if d.root != nil {
		file, err := d.root.Open(filepath.FromSlash(name))
		if err != nil {
			return nil, d.explain(name, err)
		}
		return file, nil
	}
	file, err := d.fsys.Open(name)
	if err != nil {
		return nil, d.explain(name, err)
	}
	return file, nil
}

// explain gives an error its name, and tells a link that leads out from a file
// that is not there.
func (d *Folder) explain(name string, err error) error {
	if d.root != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && d.passesLink(name) {
		return &namedError{d.display(name), "a symbolic link leads out of the folder", err}
	}
	return plainError(d.display(name), err)
}

// passesLink reports whether a link stands on the way to the name.
func (d *Folder) passesLink(name string) bool {
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if info, err := d.root.Lstat(filepath.FromSlash(name[:i])); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// list is the entries of the folder of that name, sorted by name.
func (d *Folder) list(name string) ([]fs.DirEntry, error) {
	name, err := d.local(name)
	if err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	if d.root != nil {
		entries, err = fs.ReadDir(d.root.FS(), name)
	} else {
		entries, err = fs.ReadDir(d.fsys, name)
	}
	if err != nil {
		return nil, d.explain(name, err)
	}
	return entries, nil
}

var byteOrderMark = []byte("\uFEFF")

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, byteOrderMark) }

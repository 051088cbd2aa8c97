package trec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Source is a file to read: a path or a stream. Its zero value reads as a file
// that is not there.
type Source struct {
	name string
	path string
	in   *twice
}

// File is the file of that path. It is opened when it is read; a pipe or another
// file that is no regular one is read as [Reader] reads.
func File(path string) Source { return Source{name: path, path: path, in: &twice{path: path}} }

// Reader is what r reads; name stands for it in messages. A run whose queries
// come back later is read twice: where r is no io.Seeker, what was read is kept
// until then, in memory to 16 MiB and in a temporary file beyond.
func Reader(name string, r io.Reader) Source { return Source{name: name, in: &twice{r: r}} }

// maxWindow is the largest Zstandard window accepted, what zstd --long allows
// without further flags.
const maxWindow = 128 << 20

// open starts reading, from the beginning each time, decompressed and without a
// byte order mark.
func (s Source) open() (io.ReadCloser, error) {
	if s.in == nil {
		s.in = &twice{}
	}
	raw, err := s.in.open()
	if err != nil {
		return nil, s.wrap(err)
	}
	// The buffer serves the look at the first bytes; large reads go past it.
	head := bufio.NewReaderSize(raw, 512)
	magic, err := head.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(s.wrap(err), raw.Close())
	}
	opened := &opened{Reader: head, raw: raw}
	switch {
	case isUTF16(magic):
		return nil, errors.Join(s.wrap(errors.New("UTF-16 text; UTF-8 is needed")), raw.Close())
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(bufio.NewReaderSize(head, 64<<10))
		if err != nil {
			return nil, errors.Join(s.wrap(err), raw.Close())
		}
		opened.Reader = z
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(head, zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, errors.Join(s.wrap(err), raw.Close())
		}
		opened.Reader, opened.zstd = z, z
	default:
		if bytes.HasPrefix(magic, []byte("\ufeff")) {
			_, _ = head.Discard(3)
		}
		return opened, nil
	}
	text := bufio.NewReaderSize(opened.Reader, 512)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(3)
	}
	opened.Reader = text
	return opened, nil
}

// isUTF16 says that a file begins as what the shells of Windows write: a byte
// order mark and a letter of two bytes, of which one is 0.
func isUTF16(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	return head[0] == 0xff && head[1] == 0xfe && head[2] != 0 && head[3] == 0 ||
		head[0] == 0xfe && head[1] == 0xff && head[2] == 0 && head[3] != 0
}

func (s Source) wrap(err error) error {
	// The path is in front already; os repeats it.
	var p *os.PathError
	if errors.As(err, &p) && p.Path == s.path {
		err = p.Err
	}
	name := show(s.name)
	if name == "" {
		name = `""`
	}
	return fmt.Errorf("%s: %w", name, err)
}

// ended makes an error of why [blocks] ended after so many lines; nil at the end
// of the file.
func (s Source) ended(err error, lines int) error {
	var tooLong *lineError
	switch {
	case err == nil || err == io.EOF:
		return nil
	case errors.As(err, &tooLong):
		return tooLong.at(s.name, lines)
	}
	return fmt.Errorf("%w (after line %d)", s.wrap(err), lines)
}

type opened struct {
	io.Reader
	raw  io.Closer
	zstd *zstd.Decoder
}

func (o *opened) Close() error {
	if o.zstd != nil {
		o.zstd.Close()
	}
	return o.raw.Close()
}

// twice makes a reader readable a second time.
type twice struct {
	path   string   // empty where r was given
	file   *os.File // at path, where that is no regular file: open until the end
	r      io.Reader
	seeker io.Seeker
	start  int64
	opens  int
	spool  *spool
}

func (s *twice) open() (io.ReadCloser, error) {
	if s.r == nil {
		f, err := os.Open(s.path)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err != nil || info.Mode().IsRegular() || info.IsDir() {
			return f, nil
		}
		// Opened again, a pipe would go on where it was left, or wait.
		s.file, s.r = f, f
	}
	s.opens++
	if s.opens == 1 {
		if seeker, ok := s.r.(io.Seeker); ok {
			if at, err := seeker.Seek(0, io.SeekCurrent); err == nil {
				s.seeker, s.start = seeker, at
				return io.NopCloser(s.r), nil
			}
		}
		s.spool = &spool{}
		return io.NopCloser(io.TeeReader(s.r, s.spool)), nil
	}
	if s.seeker != nil {
		if _, err := s.seeker.Seek(s.start, io.SeekStart); err != nil {
			return nil, err
		}
		return io.NopCloser(s.r), nil
	}
	// The first reading may have stopped in the middle: what it kept comes
	// first, then the rest.
	kept, err := s.spool.reader()
	if err != nil {
		return nil, err
	}
	return &rest{Reader: io.MultiReader(kept, s.r), spool: s.spool}, nil
}

// done lets go of what was kept for a second reading.
func (s Source) done() {
	if s.in == nil {
		return
	}
	if s.in.spool != nil {
		s.in.spool.close()
	}
	if s.in.file != nil {
		_ = s.in.file.Close()
		*s.in = twice{path: s.in.path}
	}
}

type rest struct {
	io.Reader
	spool *spool
}

func (r *rest) Close() error {
	r.spool.close()
	return nil
}

// spool keeps what was read of a stream.
type spool struct {
	memory bytes.Buffer
	file   *os.File
}

// spoolMemory is what a spool holds in memory before it takes a file.
var spoolMemory = 16 << 20

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) <= spoolMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "karat-run-")
		if err != nil {
			return 0, err
		}
		s.file = f
		if _, err := f.Write(s.memory.Bytes()); err != nil {
			return 0, err
		}
		s.memory = bytes.Buffer{}
	}
	return s.file.Write(p)
}

func (s *spool) reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes()), nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return s.file, nil
}

func (s *spool) close() {
	s.memory = bytes.Buffer{}
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
		s.file = nil
	}
}

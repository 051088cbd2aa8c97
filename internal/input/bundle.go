package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// chunkSize is how many bytes of a bundle go to a worker at a time. Small
// enough that two workers share a bundle of a megabyte, large enough that
// handing over costs nothing.
const chunkSize = 256 << 10

// prefixKept is how much of a line over the limit is looked at for its id.
const prefixKept = 64 << 10

// bundle is a file of fixtures, one a line.
type bundle struct {
	name  string
	limit int64
	open  func() (fs.File, error)

	indexed sync.Once
	index   map[string]location
	failed  error // of indexing
	file    fs.File
	at      io.ReaderAt       // nil where the file cannot be read at an offset; then
	held    map[string][]byte // all fixtures, or nil where they are too many

	walked atomic.Pointer[walked]
}

// walked tells where a walk found the cases' fixtures.
type walked struct {
	ids  map[string]int
	line []atomic.Int64 // by the case's index; 0 where none was found
}

// line is the line of a case's fixture, which a walk or [Fixtures.Get] is about to
// hand out; else 0.
func (b *bundle) line(id string) int {
	if w := b.walked.Load(); w != nil {
		if i, ok := w.ids[id]; ok {
			return int(w.line[i].Load())
		}
	}
	b.indexed.Do(func() { b.failed = b.buildIndex() })
	return b.index[id].line
}

// maxHeld is how many bytes of a compressed bundle are held for single cases.
// Of a larger one, each case alone is read from the bundle's beginning.
const maxHeld = 64 << 20

// base names the bundle where a report may repeat it.
func (b *bundle) base() string { return path.Base(filepath.ToSlash(b.name)) }

// location is where a fixture stands in a bundle, uncompressed.
type location struct {
	offset, length int64
	line           int
	again          int // the line of a second fixture of the case
}

func openBundle(name string, o FixtureOptions, open func() (fs.File, error)) (*Fixtures, error) {
	lower := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if ext := path.Ext(strings.TrimSuffix(lower, ".gz")); ext != ".jsonl" && ext != ".ndjson" {
		return nil, fmt.Errorf("%s: fixtures are a folder, or a bundle named .jsonl or .jsonl.gz", name)
	}
	file, err := open() // to say at once what cannot be read
	if err != nil {
		return nil, err
	}
	file.Close()
	b := &bundle{name: name, limit: o.limit(), open: open}
	return &Fixtures{name: name, base: shownName(b.base()), limit: o.limit(), bundle: b}, nil
}

func (b *bundle) close() error {
	if b.file != nil {
		return b.file.Close()
	}
	return nil
}

// chunk is whole lines of a bundle, or the beginning of one over the limit.
type chunk struct {
	data    []byte
	line    int   // of the first line
	offset  int64 // of the first byte, behind a byte order mark and uncompressed
	tooLong bool  // data is the beginning of one line over the limit
}

var chunks = sync.Pool{New: func() any { return &chunk{data: make([]byte, 0, chunkSize)} }}

func (c *chunk) release() {
	if cap(c.data) > maxPooled {
		return
	}
	c.data, c.tooLong = c.data[:0], false
	chunks.Put(c)
}

// stream opens the bundle and hands it to emit in chunks, in order, until emit
// says no. Whoever gets a chunk releases it.
func (b *bundle) stream(emit func(*chunk) bool) error {
	file, err := b.open()
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := b.plain(file)
	if err != nil {
		return err
	}
	if err := b.cut(r, emit); err != nil {
		return b.damaged(err)
	}
	return nil
}

// plain is the bundle's text: unzipped where it is gzip, which its first bytes
// tell surer than its name, and without a byte order mark.
func (b *bundle) plain(file io.Reader) (io.Reader, error) {
	head := bufio.NewReaderSize(file, 16)
	magic, _ := head.Peek(2)
	var r io.Reader = head
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzip, err := gzip.NewReader(r)
		if err != nil {
			return nil, b.damaged(err)
		}
		head = bufio.NewReaderSize(unzip, 16)
		r = head
	}
	if mark, _ := head.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
		_, _ = head.Discard(len(byteOrderMark))
	}
	return r, nil
}

// damaged is an error of reading, in words where the compression is to blame.
func (b *bundle) damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &namedError{b.name, "the compressed data ends early; is the file cut off?", err}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return &namedError{b.name, "the compressed data is damaged", err}
	}
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) {
		return &namedError{b.name, "the compressed data is damaged", err}
	}
	return plainError(b.name, err)
}

// cut reads r into chunks that end at line ends.
func (b *bundle) cut(r io.Reader, emit func(*chunk) bool) error {
	line, offset := 1, int64(0)
	c := chunks.Get().(*chunk)
	for {
		n, err := r.Read(c.data[len(c.data):cap(c.data)])
		c.data = c.data[:len(c.data)+n]
		if err != nil && err != io.EOF {
			c.release()
			return err
		}
		if err == io.EOF {
			c.line, c.offset = line, offset
			if len(c.data) > 0 {
				emit(c)
			}
			return nil
		}
		if len(c.data) < cap(c.data) {
			continue // fill it first: a gzip reader gives little at a time
		}
		end := bytes.LastIndexByte(c.data, '\n')
		if end >= 0 {
			next := chunks.Get().(*chunk)
			next.data = append(next.data, c.data[end+1:]...)
			if len(next.data) == cap(next.data) {
				next.grow(b.limit)
			}
			c.data = c.data[:end+1]
			c.line, c.offset = line, offset
			line += bytes.Count(c.data, []byte{'\n'})
			offset += int64(len(c.data))
			if !emit(c) {
				return nil
			}
			c = next
			continue
		}
		if int64(len(c.data)) <= b.limit+1 { // the \r of a line end is no part of the fixture
			c.grow(b.limit)
			continue
		}
		// One line over the limit: keep its beginning, skip the rest.
		next := chunks.Get().(*chunk)
		skipped, err := skipLine(r, next)
		if err != nil {
			return err
		}
		c.line, c.offset, c.tooLong = line, offset, true
		line++
		offset += int64(len(c.data)) + skipped
		c.data = c.data[:prefixKept]
		if !emit(c) {
			return nil
		}
		c = next
	}
}

// grow makes room for a line longer than the chunk, but for no line much over
// the limit.
func (c *chunk) grow(limit int64) {
	size := max(int64(len(c.data))+chunkSize, min(2*int64(cap(c.data)), limit+chunkSize))
	c.data = append(make([]byte, 0, size), c.data...)
}

// skipLine reads on to the end of the line, leaves in rest what follows it, and
// says how many bytes it skipped.
func skipLine(r io.Reader, rest *chunk) (skipped int64, err error) {
	for {
		n, err := r.Read(rest.data[:cap(rest.data)])
		rest.data = rest.data[:n]
		if end := bytes.IndexByte(rest.data, '\n'); end >= 0 {
			skipped += int64(end) + 1
			rest.data = append(rest.data[:0], rest.data[end+1:]...)
			return skipped, nil
		}
		skipped += int64(n)
		rest.data = rest.data[:0]
		if err == io.EOF {
			return skipped, nil // the next read says so again
		}
		if err != nil {
			return skipped, err
		}
	}
}

// lines calls fn for every line of a chunk that is not blank. problem is set for
// a line over the limit, of which only the beginning is there.
func (b *bundle) lines(c *chunk, fn func(line int, offset int64, data []byte, problem error)) {
	data, line, offset := c.data, c.line, c.offset
	if c.tooLong {
		fn(line, offset, data, tooLargeFixture(b.base(), line, b.limit))
		return
	}
	for len(data) > 0 {
		text := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			text, data = data[:end], data[end+1:]
		} else {
			data = nil
		}
		if trimmed := bytes.TrimRight(text, " \t\r"); len(trimmed) > 0 {
			var problem error
			if int64(len(trimmed)) > b.limit {
				problem = tooLargeFixture(b.base(), line, b.limit)
			}
			fn(line, offset, trimmed[:len(trimmed):len(trimmed)], problem)
		}
		offset += int64(len(text)) + 1
		line++
	}
}

// unreadable says why a line belongs to no case.
func (b *bundle) unreadable(line int, data []byte, tooLong error) Problem {
	p := Problem{File: b.base(), Line: line, Message: "the line is not JSON; it belongs to no case"}
	switch {
	case tooLong != nil:
		p.Message = fmt.Sprintf("the line is over the limit of %d bytes and shows no case_id; it belongs to no case", b.limit)
	case jsontext.Value(data).Kind() != '{' && jsontext.Value(data).IsValid():
		p.Message = "the line is no JSON object; it belongs to no case"
	case jsontext.Value(data).IsValid():
		p.Message = "the line has no case_id; it belongs to no case"
	}
	return p
}

func (b *bundle) each(ctx context.Context, w Walk, ids map[string]int, fn func(int, []byte, error)) (Found, Problems, error) {
	var (
		work    = make(chan *chunk, w.Workers)
		wait    sync.WaitGroup
		lock    sync.Mutex // of what follows
		found   Found
		orphans = map[string]bool{}
		extra   = map[string][]int{} // lines of second fixtures
		seen    atomic.Bool          // whether the bundle holds a fixture of any case
		first   = make([]atomic.Int64, len(w.IDs))
	)
	mine := &walked{ids, first}
	b.walked.Store(mine)
	defer b.walked.CompareAndSwap(mine, nil) // it would keep the ids
	stop := ctx.Done()
	for range w.Workers {
		wait.Go(func() {
			for c := range work {
				if ctx.Err() == nil {
					b.lines(c, func(line int, _ int64, data []byte, problem error) {
						raw, _ := fixtureID(data)
						id, ok := idText(raw)
						if !ok {
							p := b.unreadable(line, data, problem)
							lock.Lock()
							found.UnreadableCount++
							found.Unreadable = keepFirst(found.Unreadable, p)
							lock.Unlock()
							return
						}
						if !seen.Load() {
							seen.Store(true)
						}
						i, claimed := ids[string(id)]
						switch {
						case !claimed:
							lock.Lock()
							orphans[string(id)] = true
							lock.Unlock()
						case !first[i].CompareAndSwap(0, int64(line)):
							lock.Lock()
							extra[string(id)] = append(extra[string(id)], line)
							lock.Unlock()
						case problem != nil:
							fn(i, nil, problem)
						default:
							fn(i, data, nil)
						}
					})
				}
				c.release()
			}
		})
	}
	err := b.stream(func(c *chunk) bool {
		select {
		case work <- c:
			return true
		case <-stop:
			c.release()
			return false
		}
	})
	close(work)
	wait.Wait()
	if err == nil {
		err = ctx.Err()
	}
	found.Unreadable = firstOf(found.Unreadable)
	for id := range orphans {
		found.Orphans = append(found.Orphans, id)
	}
	slices.Sort(found.Orphans)
	if err == nil && !seen.Load() {
		err = b.nothing(found)
	}
	if err != nil {
		return found, nil, err
	}
	for id, lines := range extra {
		extra[id] = append(lines, int(first[ids[id]].Load()))
	}
	if len(found.Orphans) > 0 {
		found.claimed = map[string]bool{}
	}
	for i, id := range w.IDs {
		if first[i].Load() == 0 {
			fn(i, nil, ErrNoFixture)
		} else if found.claimed != nil {
			found.claimed[id] = true
		}
	}
	return found, twice(b.name, extra), nil
}

// nothing is the error of a bundle without a fixture.
func (b *bundle) nothing(found Found) error {
	if found.UnreadableCount == 0 {
		return fmt.Errorf("no fixtures in %s: the bundle is empty", b.name)
	}
	return fmt.Errorf("no fixtures in %s: none of its %d lines is a JSON object with a case_id", b.name, found.UnreadableCount)
}

// keepFirst keeps the problems of the first lines, whatever order they come in,
// without growing on.
func keepFirst(ps Problems, p Problem) Problems {
	if ps = append(ps, p); len(ps) >= 4*maxUnreadable {
		ps = firstOf(ps)
	}
	return ps
}

func firstOf(ps Problems) Problems {
	ps = ps.sorted()
	return ps[:min(len(ps), maxUnreadable)]
}

// get is one fixture of the bundle.
func (b *bundle) get(id string) ([]byte, error) {
	b.indexed.Do(func() { b.failed = b.buildIndex() })
	if b.failed != nil {
		return nil, b.failed
	}
	at, ok := b.index[id]
	switch {
	case !ok:
		return nil, ErrNoFixture
	case at.again > 0:
		return nil, Problem{File: b.name, Line: at.again, Case: id, Message: fmt.Sprintf("a second fixture of this case, the first is on line %d", at.line)}
	case at.length < 0:
		return nil, tooLargeFixture(b.base(), at.line, b.limit)
	}
	if b.at != nil {
		data := make([]byte, at.length)
		if _, err := b.at.ReadAt(data, at.offset); err != nil {
			return nil, plainError(b.name, err)
		}
		return data, nil
	}
	if b.held != nil {
		return bytes.Clone(b.held[id]), nil
	}
	return b.seek(at.line)
}

// seek reads the bundle up to a line: what a compressed one takes.
func (b *bundle) seek(wanted int) ([]byte, error) {
	var out []byte
	err := b.stream(func(c *chunk) bool {
		b.lines(c, func(line int, _ int64, data []byte, _ error) {
			if line == wanted {
				out = bytes.Clone(data)
			}
		})
		c.release()
		return out == nil
	})
	if err == nil && out == nil {
		err = fmt.Errorf("%s: the bundle has changed since it was opened", b.name)
	}
	return out, err
}

// buildIndex finds where every fixture stands.
func (b *bundle) buildIndex() error {
	index := map[string]location{}
	if err := b.openAt(); err != nil {
		return err
	}
	var held map[string][]byte
	size := 0
	if b.at == nil {
		held = map[string][]byte{}
	}
	var found Found
	err := b.stream(func(c *chunk) bool {
		b.lines(c, func(line int, offset int64, data []byte, problem error) {
			raw, _ := fixtureID(data)
			id, ok := idText(raw)
			if !ok {
				found.UnreadableCount++
				return
			}
			at, again := index[string(id)]
			if again {
				if at.again == 0 {
					at.again = line
					index[string(id)] = at
				}
				return
			}
			at = location{offset: offset, length: int64(len(data)), line: line}
			if problem != nil {
				at.length = -1
			} else if held != nil {
				if size += len(data); size > maxHeld {
					held = nil
				} else {
					held[string(id)] = bytes.Clone(data)
				}
			}
			index[string(id)] = at
		})
		c.release()
		return true
	})
	if err != nil {
		return err
	}
	if len(index) == 0 {
		return b.nothing(found)
	}
	b.index, b.held = index, held
	return nil
}

// openAt keeps the bundle open for reading at offsets, where that is possible:
// not of a compressed one.
func (b *bundle) openAt() error {
	file, err := b.open()
	if err != nil {
		return err
	}
	at, ok := file.(io.ReaderAt)
	var head [3]byte
	if ok {
		n, err := at.ReadAt(head[:], 0)
		if err != nil && !errors.Is(err, io.EOF) {
			ok = false
		}
		ok = ok && !bytes.HasPrefix(head[:n], []byte{0x1f, 0x8b})
	}
	if !ok {
		return file.Close()
	}
	b.file, b.at = file, at
	if bytes.Equal(head[:], byteOrderMark) {
		b.at = io.NewSectionReader(at, int64(len(byteOrderMark)), 1<<62)
	}
	return nil
}

package trec

import (
	"bytes"
	"cmp"
	"io"
)

// blockSize is the number of bytes read at once. Some of them are in flight for
// each worker.
const blockSize = 512 << 10

// blocks cuts a file into pieces of whole lines.
type blocks struct {
	in io.Reader
	// cut gives the place where the piece at hand may end: 0 where nowhere
	// yet, so that more has to be read.
	cut   func(data []byte) int
	size  int    // bytes to read at once; 0 means blockSize
	carry []byte // read and not handed out
	err   error  // the end of the file, or why it cannot be read on
}

// next reads the next piece into buf, or into a larger slice where it needs one.
// With the last piece, which may be empty, comes io.EOF or another error.
func (b *blocks) next(buf []byte) ([]byte, error) {
	size := cmp.Or(b.size, blockSize)
	buf = buf[:cap(buf)]
	if len(buf) < max(size, len(b.carry)+1) {
		buf = make([]byte, max(size, 2*len(b.carry)))
	}
	n := copy(buf, b.carry)
	b.carry = b.carry[:0]
	for b.err == nil {
		read, err := b.in.Read(buf[n:])
		n += read
		if err != nil {
			b.err = err
			break
		}
		if n < len(buf) {
			continue
		}
		data := buf[:n]
		// The line that has no end yet must not become too long to hold.
		if begun := bytes.LastIndexByte(data, '\n') + 1; len(data)-begun > MaxLine {
			b.err = &lineError{line: 1, message: longLineError()}
			return data[:begun], b.err
		}
		if end := b.cut(data); end > 0 {
			b.carry = append(b.carry, data[end:]...)
			return data[:end], nil
		}
		larger := make([]byte, 2*len(buf))
		copy(larger, data)
		buf = larger
	}
	if b.err != io.EOF {
		// What was being read is cut off; its last line may be too.
		n = cutAfterLine(buf[:n])
	}
	return buf[:n], b.err
}

// cutAfterLine cuts behind the last whole line.
func cutAfterLine(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 }

// cutBeforeQuery cuts between two lines of different queries, near the end, so
// that no query whose rows stand together is cut in two. It looks at few lines:
// it steps back until the query is another one, and halves the rest.
func cutBeforeQuery(data []byte) int {
	right := lineStart(data, bytes.LastIndexByte(data, '\n'))
	query := firstField(data[right:])
	if query == nil {
		return cutByEveryLine(data)
	}
	left := right
	for step := 4 << 10; ; step *= 2 {
		if left == 0 {
			return 0 // one query so far
		}
		left = lineStart(data, max(0, left-step))
		id := firstField(data[left:])
		if id == nil {
			return cutByEveryLine(data)
		}
		if !bytes.Equal(id, query) {
			break
		}
		right = left
	}
	for {
		middle := lineStart(data, left+(right-left)/2)
		if middle == left {
			middle = left + bytes.IndexByte(data[left:], '\n') + 1
			if middle == right {
				return right
			}
		}
		id := firstField(data[middle:])
		if id == nil {
			return cutByEveryLine(data)
		}
		if bytes.Equal(id, query) {
			right = middle
		} else {
			left = middle
		}
	}
}

// cutByEveryLine is cutBeforeQuery for files with blank lines and comments.
// Where there is nothing else, it cuts behind the last of them.
func cutByEveryLine(data []byte) int {
	var query []byte
	for start := bytes.LastIndexByte(data, '\n') + 1; start > 0; {
		from := lineStart(data, start-1)
		if id := firstField(data[from:start]); id != nil {
			if query == nil {
				query = id
			} else if !bytes.Equal(query, id) {
				return start
			}
		}
		start = from
	}
	if query == nil {
		return cutAfterLine(data)
	}
	return 0
}

// lineStart is where the line that holds data[at] begins; at -1 is taken for 0.
func lineStart(data []byte, at int) int {
	return bytes.LastIndexByte(data[:max(at, 0)], '\n') + 1
}

// firstField is the query id of the line that text begins with, nil for a blank
// line or a comment.
func firstField(text []byte) []byte {
	if len(text) == 0 || text[0] == '#' {
		return nil
	}
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	from := i
	for i < len(text) && text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n' {
		i++
	}
	if i == from {
		return nil
	}
	return text[from:i]
}

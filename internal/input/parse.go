package input

import (
	"bytes"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Options are the limits of reading a file that people write, and how unions
// in it are decoded. The zero value is useful.
type Options struct {
	// MaxBytes is the size of the largest file that is read; 0 means 256 MiB,
	// for YAML 32 MiB (a YAML parser needs some hundred times the memory).
	MaxBytes int64
	// MaxDepth is how deep lists and objects may nest; 0 means 1,000. More than
	// 10,000 is 10,000.
	MaxDepth int
	// MaxValues is how many values a file may hold, each use of a YAML alias
	// counted; 0 means 20,000,000.
	MaxValues int
	// MaxCases is how many cases a set may hold; 0 means 1,000,000.
	MaxCases int
	// Workers is how many goroutines read a large file; 0 means one for each
	// processor. It never changes what is read, nor what is found wrong.
	Workers int
	// Deferred leaves the lines of a JSONL file to [DecodeCases]: until then the file
	// has no tree, and nothing wrong but what keeps it from being a text.
	Deferred bool
	// Decoders decode the types that the general decoder cannot know: unions
	// such as "a string or an object". A decoder gets a pointer to the type it
	// stands under, and reports through its Scope. It is not called for null.
	Decoders map[reflect.Type]func(s Scope, dst any)
}

// The limits that stand where an option is zero.
const (
	defaultMaxBytes     = 256 << 20
	defaultMaxBytesYAML = 32 << 20
	defaultMaxDepth     = 1000
	defaultMaxValues    = 20_000_000
	defaultMaxCases     = 1_000_000
)

func (o Options) withDefaults() Options {
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	o.MaxDepth = min(o.MaxDepth, 10_000) // the tokenizer's own limit
	if o.MaxValues <= 0 {
		o.MaxValues = defaultMaxValues
	}
	if o.MaxCases <= 0 {
		o.MaxCases = defaultMaxCases
	}
	return o
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// maxBytes is the limit for the file of that name.
func (o Options) maxBytes(name string) int64 {
	switch {
	case o.MaxBytes > 0:
		return o.MaxBytes
	case formatOf(name) == yamlFormat:
		return defaultMaxBytesYAML
	}
	return defaultMaxBytes
}

type format int

const (
	unknownFormat format = iota
	jsonFormat
	yamlFormat
	jsonlFormat
)

// formatOf goes by the name alone: guessing from the content would make a
// broken file of one format a strange file of another.
func formatOf(name string) format {
	switch strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/"))) {
	case ".json":
		return jsonFormat
	case ".yaml", ".yml":
		return yamlFormat
	case ".jsonl", ".ndjson":
		return jsonlFormat
	}
	return unknownFormat
}

// File is a parsed file together with all that is found wrong with it: by the
// parser, by the decoder, and by whoever checks what the fields mean.
type File struct {
	Name string
	// Value is the tree. Of a JSONL file it is the list of its values.
	Value Value

	lines    bool   // JSONL: the list is the file itself
	rest     []byte // what is not parsed yet
	whole    *File  // of a part, the file that problems go to
	options  Options
	aliases  map[string][]string // of every struct decoded so far, by first name
	learned  map[*plan]bool
	problems Problems
	seen     map[Problem]bool
	reported int                  // problems, repeated ones too
	broken   map[fieldOfCase]bool // fields that could not be decoded, or stand under a near name
	nearest  map[nearKey]string   // the known name that an unknown one is near to
}

// nearKey is an unknown name and the first of the known ones.
type nearKey struct {
	name  string
	known *string
}

type fieldOfCase struct{ caseID, path string }

func newFile(name string, o Options) *File {
	return &File{Name: name, options: o, aliases: map[string][]string{}, learned: map[*plan]bool{}, seen: map[Problem]bool{}, broken: map[fieldOfCase]bool{}, nearest: map[nearKey]string{}}
}

// Parse reads data into a tree. The name gives the format (.json, .yaml, .yml,
// .jsonl, .ndjson) and stands in every message. The error is [Problems]; what
// does not stop the reading (a duplicate key) is kept, and comes out of
// [File.Err] together with what the decoder finds.
func Parse(name string, data []byte, o Options) (*File, error) {
	f := newFile(name, o.withDefaults())
	if limit := o.maxBytes(name); int64(len(data)) > limit {
		return nil, tooLarge(name, int64(len(data)), limit)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) {
		f.invalidUTF8(data)
		return nil, f.Err()
	}
	if len(bytes.TrimSpace(data)) == 0 {
		f.add(Problem{Message: "the file is empty"})
		return nil, f.Err()
	}
	var ok bool
	switch formatOf(name) {
	case jsonFormat:
		ok = parseJSON(f, data)
	case jsonlFormat:
		f.lines = true
		if o.Deferred {
			f.rest, ok = data, true
		} else {
			ok = parseJSONL(f, data)
		}
	case yamlFormat:
		ok = parseYAML(f, data)
	default:
		f.add(Problem{Message: "the format is not known by the file's name; .json, .yaml, .yml and .jsonl are read"})
	}
	if !ok {
		return nil, f.Err()
	}
	return f, nil
}

// Syntax parses what [Options].Deferred left unparsed, and gives what keeps it from
// being parsed: for those who give up before the cases are decoded.
func (f *File) Syntax() error {
	if f.rest == nil {
		return f.Err()
	}
	return parseRest(f)
}

// parseRest parses what was left unparsed.
func parseRest(f *File) error {
	rest := f.rest
	if f.rest = nil; !parseJSONL(f, rest) {
		return f.Err()
	}
	return nil
}

func tooLarge(name string, size, limit int64) error {
	found := "more"
	if size > 0 {
		found = fmt.Sprintf("%d bytes", size)
	}
	return Problems{{File: name, Message: fmt.Sprintf("the file is too large: %s, the limit is %d bytes", found, limit)}}
}

func (f *File) invalidUTF8(data []byte) {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	line, column := position(data, at)
	f.add(Problem{Line: line, Column: column, Message: fmt.Sprintf("invalid UTF-8 (byte 0x%02x)", data[at])})
}

// position is the line and the column, in characters, of an offset.
func position(data []byte, at int) (line, column int) {
	at = min(at, len(data))
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	return 1 + bytes.Count(data[:start], []byte{'\n'}), 1 + utf8.RuneCount(data[start:at])
}

// full reports that no more problems are kept: a file of the wrong kind has
// millions, and nobody reads them. Many may be the same one again and again.
func (f *File) full() bool {
	return len(f.problems) >= maxProblems || f.reported >= 10*maxProblems
}

// add keeps a problem of this file, once.
func (f *File) add(p Problem) {
	p.File = f.Name
	f.reported++
	if f.whole != nil {
		f.whole.add(p)
		return
	}
	if !f.full() && !f.seen[p] {
		f.seen[p] = true
		f.problems = append(f.problems, p)
	}
}

// Err is every problem found so far, by line, as [Problems]; nil where there is
// none.
func (f *File) Err() error {
	return f.problems.err()
}

// Root is the place of the whole file, to decode from and to report at.
func (f *File) Root() Scope {
	return Scope{file: f, value: &f.Value, line: f.Value.Line, index: -1}
}

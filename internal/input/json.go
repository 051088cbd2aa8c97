package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonParser builds a tree from the tokens of one JSON text. The tokenizer is
// jsontext's; the messages are ours, because its own name Go's types and may
// change.
type jsonParser struct {
	file   *File
	dec    *jsontext.Decoder
	buffer bytes.Buffer // of data, for dec
	data   []byte
	text   string // data as a string: most texts of the tree are parts of it
	// names holds one string a distinct field name.
	names  map[string]string
	values *int // how many values the file holds so far

	// The items and fields of the lists and objects being read, inner ones last:
	// what is finished is cut off and copied to a slab.
	items, itemSlab   []Value
	fields, fieldSlab []Field
	slab              int // how many a slab holds

	line   int // of counted
	passed int // the offset up to which lines are counted
}

// errParse stops a parser that has already reported why.
var errParse = errors.New("input: the text cannot be parsed")

func parseJSON(f *File, data []byte) bool {
	values := 0
	p := jsonParser{file: f, data: data, text: string(data), names: map[string]string{}, values: &values, slab: slabFor(len(data)), line: 1}
	return p.parse(&f.Value) == nil
}

// parseJSONL reads one value a line. Every line is read, also after a bad one,
// so that all bad lines are reported together.
func parseJSONL(f *File, data []byte) bool {
	f.Value = Value{Kind: List, Line: 1, Items: make([]Value, 0, min(bytes.Count(data, []byte{'\n'}), len(data)/64)+1)}
	values := 0
	return parseLines(f, data, 1, &values, false, func(v *Value) { f.Value.Items = append(f.Value.Items, *v) })
}

// parseLines reads the lines of data, the first of which has that number in its
// file, and calls each with their values. values counts the values of the file.
// With reuse, a value is gone when each returns.
func parseLines(f *File, data []byte, line int, values *int, reuse bool, each func(v *Value)) (ok bool) {
	ok = true
	p := jsonParser{file: f, names: map[string]string{}, values: values, slab: slabFor(len(data))}
	all := string(data)
	for ; len(data) > 0; line++ {
		text, rest, _ := bytes.Cut(data, []byte{'\n'})
		p.text = all[len(all)-len(data):][:len(text)]
		data = rest
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		p.data, p.line, p.passed = text, line, 0
		p.items, p.fields = p.items[:0], p.fields[:0]
		if reuse {
			p.itemSlab, p.fieldSlab = p.itemSlab[:0], p.fieldSlab[:0]
		}
		var v Value
		if p.parse(&v) != nil {
			if *values > f.options.MaxValues {
				return false
			}
			ok = false
			continue
		}
		each(&v)
	}
	return ok
}

func (p *jsonParser) parse(v *Value) error {
	if p.dec == nil {
		p.dec = new(jsontext.Decoder)
	}
	p.buffer = *bytes.NewBuffer(p.data)
	p.dec.Reset(&p.buffer, jsontext.AllowDuplicateNames(true))
	var err error
	if *v, err = p.value(0); err != nil {
		return err
	}
	end := int(p.dec.InputOffset())
	if rest := bytes.TrimLeft(p.data[end:], " \t\r\n"); len(rest) > 0 {
		of := "file"
		if p.file.lines {
			of = "line"
		}
		return p.fail(len(p.data)-len(rest), "trailing data: a "+of+" holds one JSON value")
	}
	return nil
}

// at is the line of an offset. Offsets never go back.
func (p *jsonParser) at(offset int) int {
	if offset > p.passed {
		p.line += bytes.Count(p.data[p.passed:offset], []byte{'\n'})
		p.passed = offset
	}
	return p.line
}

// fail reports a problem at an offset.
func (p *jsonParser) fail(offset int, message string) error {
	line := p.at(p.passed)
	if offset >= p.passed {
		line = p.at(offset)
	}
	_, column := position(p.data, offset)
	p.file.add(Problem{Line: line, Column: column, Message: message})
	return errParse
}

func (p *jsonParser) value(depth int) (v Value, err error) {
	if *p.values++; *p.values > p.file.options.MaxValues {
		return v, p.fail(int(p.dec.InputOffset()), fmt.Sprintf("the file holds more than %d values", p.file.options.MaxValues))
	}
	kind := p.dec.PeekKind()
	switch kind {
	case '{', '[':
		if depth >= p.file.options.MaxDepth {
			return v, p.fail(int(p.dec.InputOffset()), fmt.Sprintf("nested deeper than %d levels", p.file.options.MaxDepth))
		}
		if _, err := p.dec.ReadToken(); err != nil {
			return v, p.syntax(err)
		}
		v.Line = p.at(int(p.dec.InputOffset()))
		if kind == '{' {
			v.Kind = Object
			v.Fields, err = p.object(depth)
		} else {
			v.Kind = List
			v.Items, err = p.list(depth)
		}
		if err != nil {
			return v, err
		}
		if _, err := p.dec.ReadToken(); err != nil {
			return v, p.syntax(err)
		}
		return v, nil
	}
	raw, err := p.dec.ReadValue()
	if err != nil {
		return v, p.syntax(err)
	}
	end := int(p.dec.InputOffset())
	v.Line = p.at(end)
	switch kind {
	case '"':
		v.Kind = String
		v.Text = p.unquote(raw, end)
	case 't', 'f':
		v.Kind = Bool
		v.Text = p.text[end-len(raw) : end]
	case '0':
		v.Kind = Number
		v.Text = p.text[end-len(raw) : end]
	}
	return v, nil
}

func (p *jsonParser) list(depth int) ([]Value, error) {
	start := len(p.items)
	for p.dec.PeekKind() != ']' {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, item)
	}
	items := cutOff(&p.itemSlab, p.items[start:], p.slab)
	p.items = p.items[:start]
	return items, nil
}

func (p *jsonParser) object(depth int) ([]Field, error) {
	start := len(p.fields)
	for p.dec.PeekKind() != '}' {
		raw, err := p.dec.ReadValue()
		if err != nil {
			return nil, p.syntax(err)
		}
		end := int(p.dec.InputOffset())
		if len(raw) == 0 || raw[0] != '"' {
			return nil, p.fail(end-len(raw), "a field's name must be a string in double quotes")
		}
		name, ok := p.names[string(raw)]
		if !ok {
			name = strings.Clone(p.unquote(raw, end))
			p.names[string(raw)] = name
		}
		f := Field{Name: name, Line: p.at(end)}
		if f.Value, err = p.value(depth + 1); err != nil {
			return nil, err
		}
		p.fields = append(p.fields, f)
	}
	fields := cutOff(&p.fieldSlab, p.fields[start:], p.slab)
	p.fields = p.fields[:start]
	p.file.duplicates(fields)
	return fields, nil
}

// slabFor is the size of the slabs for a text of that many bytes.
func slabFor(size int) int { return min(size/64, 256) }

// cutOff copies a finished list into a slab that many share, or into its own
// memory where it is large.
func cutOff[T any](slab *[]T, done []T, size int) []T {
	if len(done) == 0 {
		return nil
	}
	const large = 64
	if len(done) > large {
		return slices.Clone(done)
	}
	if cap(*slab)-len(*slab) < len(done) {
		*slab = make([]T, 0, max(len(done), size))
	}
	start := len(*slab)
	*slab = append(*slab, done...)
	return (*slab)[start:len(*slab):len(*slab)]
}

// unquote is the content of the string literal raw, which ends at end.
func (p *jsonParser) unquote(raw []byte, end int) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return p.text[end-len(raw)+1 : end-1]
	}
	b, _ := jsontext.AppendUnquote(nil, raw) // the decoder has seen that it is valid
	return string(b)
}

// syntax reports what the tokenizer refused.
func (p *jsonParser) syntax(err error) error {
	var at *jsontext.SyntacticError
	if !errors.As(err, &at) {
		return p.unclosed()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return p.unclosed()
	}
	offset := int(at.ByteOffset)
	begin := int(p.dec.InputOffset())
	// The literal that was being read, if it was one.
	for begin < offset && strings.IndexByte(" \t\r\n,:", p.data[begin]) >= 0 {
		begin++
	}
	rest := p.data[offset:]
	if len(rest) == 0 {
		return p.unclosed()
	}
	switch {
	case begin < offset && p.data[begin] == '"':
		if rest[0] == '\\' {
			return p.fail(offset, "invalid JSON: an escape in this string is not allowed")
		}
		return p.fail(offset, "invalid JSON: a line end or control character in this string; write it as an escape")
	case errors.Is(err, jsontext.ErrNonStringName):
		return p.fail(offset, "a field's name must be a string in double quotes")
	case rest[0] == ',' && closes(rest[1:]):
		return p.fail(offset, "invalid JSON: a comma before the closing bracket")
	case rest[0] == '/' || rest[0] == '#':
		return p.fail(offset, "invalid JSON: comments are not allowed")
	}
	if begin < offset {
		offset = begin
	}
	found := unexpected(p.data[offset:])
	switch strings.TrimLeft(found, "+-") {
	case "NaN", "nan", "Infinity", "inf", "Inf":
		return p.fail(offset, "invalid JSON: "+found+" is not a number; a finite number is needed")
	case "True", "False", "None", "undefined":
		return p.fail(offset, "invalid JSON: unexpected "+found+"; true, false and null are written in lower case")
	}
	return p.fail(offset, "invalid JSON: unexpected "+found)
}

func closes(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && (rest[0] == ']' || rest[0] == '}')
}

// unexpected shows what stands at the start of rest: a bare word, or a
// character.
func unexpected(rest []byte) string {
	n := 0
	for n < len(rest) && n < 40 && (rest[n] == '+' || rest[n] == '-' || rest[n] == '.' || rest[n] == '_' ||
		'0' <= rest[n] && rest[n] <= '9' || 'a' <= rest[n]|0x20 && rest[n]|0x20 <= 'z') {
		n++
	}
	if n > 0 {
		return string(rest[:n])
	}
	_, n = utf8.DecodeRune(rest)
	return quote(string(rest[:n]))
}

// unclosed reports a text that ends too early, and what it left open.
func (p *jsonParser) unclosed() error {
	depth := p.dec.StackDepth()
	where := "in the middle of a value"
	if depth > 0 {
		kind, _ := p.dec.StackIndex(depth)
		where = "inside a list"
		if kind == '{' {
			where = "inside an object"
		}
		if at := p.dec.StackPointer(); at != "" {
			where += ", after " + quote(at.LastToken())
		}
	}
	why := "is the file cut off?"
	if p.file.lines {
		why = "a value is one line, or is the file cut off?"
	}
	return p.fail(len(bytes.TrimRight(p.data, " \t\r\n")), "the JSON ends "+where+"; "+why)
}

// duplicates reports the fields that an object names twice.
func (f *File) duplicates(fields []Field) {
	const few = 16
	if len(fields) <= few {
		for i := range fields {
			for j := range i {
				if fields[i].Name == fields[j].Name {
					f.duplicate(&fields[i], &fields[j])
					break
				}
			}
		}
		return
	}
	first := make(map[string]int, len(fields))
	for i := range fields {
		if j, ok := first[fields[i].Name]; ok {
			f.duplicate(&fields[i], &fields[j])
		} else {
			first[fields[i].Name] = i
		}
	}
}

func (f *File) duplicate(again, first *Field) {
	if f.full() {
		f.reported++
		return
	}
	f.add(Problem{Line: again.Line, Message: fmt.Sprintf("the key %s is given twice, first on line %d", quote(again.Name), first.Line)})
}

package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonParser builds a tree from the tokens of one JSON text. The tokenizer is
// jsontext's; the messages are ours, because its own name Go's types and may
// change.
type jsonParser struct {
	file *File
	dec  *jsontext.Decoder
	data []byte
	text string // data as a string: most texts of the tree are parts of it
	// names holds one string a distinct field name.
	names  map[string]string
	values *int // how many values the file holds so far

	// The items and fields of the lists and objects being read, inner ones last:
	// what is finished is cut off in its exact size.
	items  []Value
	fields []Field

	line   int // of counted
	passed int // the offset up to which lines are counted
}

// errParse stops a parser that has already reported why.
var errParse = errors.New("input: the text cannot be parsed")

func parseJSON(f *File, data []byte) bool {
	values := 0
	p := jsonParser{file: f, data: data, names: map[string]string{}, values: &values, line: 1}
	return p.parse(&f.Value) == nil
}

// parseJSONL reads one value a line. Every line is read, also after a bad one,
// so that all bad lines are reported together.
func parseJSONL(f *File, data []byte) bool {
	f.Value = Value{Kind: List, Line: 1}
	names, values, ok := map[string]string{}, 0, true
	for line := 1; len(data) > 0; line++ {
		var text []byte
		text, data, _ = bytes.Cut(data, []byte{'\n'})
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		p := jsonParser{file: f, data: text, names: names, values: &values, line: line}
		var v Value
		if p.parse(&v) != nil {
			if values > f.options.MaxValues {
				return false
			}
			ok = false
			continue
		}
		f.Value.Items = append(f.Value.Items, v)
	}
	return ok
}

func (p *jsonParser) parse(v *Value) error {
	p.text = string(p.data)
	p.dec = jsontext.NewDecoder(bytes.NewBuffer(p.data), jsontext.AllowDuplicateNames(true))
	if err := p.value(v, 0); err != nil {
		return err
	}
	end := int(p.dec.InputOffset())
	if rest := bytes.TrimLeft(p.data[end:], " \t\r\n"); len(rest) > 0 {
		return p.fail(len(p.data)-len(rest), "trailing data: a file holds one JSON value")
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

func (p *jsonParser) value(v *Value, depth int) error {
	if *p.values++; *p.values > p.file.options.MaxValues {
		return p.fail(int(p.dec.InputOffset()), fmt.Sprintf("the file holds more than %d values", p.file.options.MaxValues))
	}
	kind := p.dec.PeekKind()
	switch kind {
	case '{', '[':
		if depth >= p.file.options.MaxDepth {
			return p.fail(int(p.dec.InputOffset()), fmt.Sprintf("nested deeper than %d levels", p.file.options.MaxDepth))
		}
		if _, err := p.dec.ReadToken(); err != nil {
			return p.syntax(err)
		}
		v.Line = p.at(int(p.dec.InputOffset()))
		var err error
		if kind == '{' {
			v.Kind = Object
			err = p.object(v, depth)
		} else {
			v.Kind = List
			err = p.list(v, depth)
		}
		if err != nil {
			return err
		}
		if _, err := p.dec.ReadToken(); err != nil {
			return p.syntax(err)
		}
		return nil
	}
	raw, err := p.dec.ReadValue()
	if err != nil {
		return p.syntax(err)
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
	return nil
}

func (p *jsonParser) list(v *Value, depth int) error {
	start := len(p.items)
	for p.dec.PeekKind() != ']' {
		var item Value
		if err := p.value(&item, depth+1); err != nil {
			return err
		}
		p.items = append(p.items, item)
	}
	v.Items = append(make([]Value, 0, len(p.items)-start), p.items[start:]...)
	p.items = p.items[:start]
	return nil
}

func (p *jsonParser) object(v *Value, depth int) error {
	start := len(p.fields)
	for p.dec.PeekKind() != '}' {
		raw, err := p.dec.ReadValue()
		if err != nil {
			return p.syntax(err)
		}
		end := int(p.dec.InputOffset())
		if len(raw) == 0 || raw[0] != '"' {
			return p.fail(end-len(raw), "a field's name must be a string in double quotes")
		}
		name, ok := p.names[string(raw)]
		if !ok {
			name = strings.Clone(p.unquote(raw, end))
			p.names[string(raw)] = name
		}
		f := Field{Name: name, Line: p.at(end)}
		if err := p.value(&f.Value, depth+1); err != nil {
			return err
		}
		p.fields = append(p.fields, f)
	}
	v.Fields = append(make([]Field, 0, len(p.fields)-start), p.fields[start:]...)
	p.fields = p.fields[:start]
	p.file.duplicates(v)
	return nil
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
	return p.fail(len(bytes.TrimRight(p.data, " \t\r\n")), "the JSON ends "+where+"; is the file cut off?")
}

// duplicates reports the fields that an object names twice.
func (f *File) duplicates(v *Value) {
	const few = 16
	if len(v.Fields) <= few {
		for i := range v.Fields {
			for j := range i {
				if v.Fields[i].Name == v.Fields[j].Name {
					f.duplicate(&v.Fields[i], &v.Fields[j])
					break
				}
			}
		}
		return
	}
	first := make(map[string]int, len(v.Fields))
	for i := range v.Fields {
		if j, ok := first[v.Fields[i].Name]; ok {
			f.duplicate(&v.Fields[i], &v.Fields[j])
		} else {
			first[v.Fields[i].Name] = i
		}
	}
}

func (f *File) duplicate(again, first *Field) {
	f.add(Problem{Line: again.Line, Message: fmt.Sprintf("the key %s is given twice, first on line %d", quote(again.Name), first.Line)})
}

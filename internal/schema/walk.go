// Package schema makes the JSON Schemas of the files that people write and read,
// from the Go types that read them. It serves the test that keeps schema/ fresh;
// nothing that users import depends on it.
package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// walker turns struct types into schemas. Field names, aliases and whether a
// field is needed come from the tags, descriptions from the doc comments of the
// fields.
type walker struct {
	root string // of the module
	docs map[string]map[string]string
	// types are the schemas of types that a tag cannot describe: unions.
	types map[reflect.Type]*jsonschema.Schema
	// people says that the schema is of a file that a person writes: unknown
	// fields are mistakes, and one value stands for a list of one.
	people bool
	// nulls says that a field which may be left out may also be null.
	nulls bool
	// bounds narrows fields, by "package.Type.field".
	bounds map[string]func(*jsonschema.Schema)
	defs   map[string]*jsonschema.Schema
}

// object gives the schema of a struct.
func (w *walker) object(t reflect.Type) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	if w.people {
		s.AdditionalProperties = no()
	}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		value, err := w.value(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		if narrow := w.bounds[t.String()+"."+name]; narrow != nil {
			narrow(value)
		}
		if w.nulls && strings.Contains(options, "omit") {
			value = orNull(value)
		}
		doc, err := w.doc(t, f, name)
		if err != nil {
			return nil, err
		}
		value = described(value, doc)
		s.Properties[name] = value
		s.PropertyOrder = append(s.PropertyOrder, name)
		names := []string{name}
		for alias := range strings.SplitSeq(f.Tag.Get("alias"), ",") {
			if alias == "" {
				continue
			}
			s.Properties[alias] = described(value.CloneSchemas(), "Another name of "+name+". "+doc)
			names = append(names, alias)
		}
		if w.people {
			s.AllOf = append(s.AllOf, onlyOne(names)...)
		}
		switch {
		case strings.Contains(options, "omit"):
		case len(names) == 1:
			s.Required = append(s.Required, name)
		default:
			s.AllOf = append(s.AllOf, anyOf(names...))
		}
	}
	// Other names stand behind the first ones, in a fixed order.
	for _, name := range slices.Sorted(mapKeys(s.Properties)) {
		if !slices.Contains(s.PropertyOrder, name) {
			s.PropertyOrder = append(s.PropertyOrder, name)
		}
	}
	return s, nil
}

func mapKeys(m map[string]*jsonschema.Schema) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// value gives the schema of a field's type.
func (w *walker) value(t reflect.Type) (*jsonschema.Schema, error) {
	if s, ok := w.types[t]; ok {
		return s.CloneSchemas(), nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.value(t.Elem())
	case reflect.String:
		if w.people { // a number is read as its text
			return &jsonschema.Schema{Types: []string{"string", "number"}}, nil
		}
		return &jsonschema.Schema{Type: "string"}, nil
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}, nil
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}, nil
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}, nil
	case reflect.Interface:
		return &jsonschema.Schema{}, nil
	case reflect.Slice:
		item, err := w.value(t.Elem())
		if err != nil {
			return nil, err
		}
		list := &jsonschema.Schema{Type: "array", Items: item}
		if !w.people {
			return list, nil
		}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{list, item.CloneSchemas()}}, nil
	case reflect.Map:
		item, err := w.value(t.Elem())
		if err != nil {
			return nil, err
		}
		if t.Elem().Kind() == reflect.Interface {
			return &jsonschema.Schema{Type: "object"}, nil
		}
		return &jsonschema.Schema{Type: "object", AdditionalProperties: item}, nil
	case reflect.Struct:
		name := strings.ToLower(t.Name()[:1]) + t.Name()[1:]
		if _, done := w.defs[name]; !done {
			w.defs[name] = nil // a type may hold itself
			s, err := w.object(t)
			if err != nil {
				return nil, err
			}
			w.defs[name] = s
		}
		return ref(name), nil
	}
	return nil, fmt.Errorf("no schema for a %s", t)
}

// described puts a description on a schema; beside a reference it would not be
// seen by every reader.
func described(s *jsonschema.Schema, doc string) *jsonschema.Schema {
	if s.Ref != "" {
		s = &jsonschema.Schema{AllOf: []*jsonschema.Schema{s}}
	}
	s.Description = doc
	return s
}

// orNull also allows null.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Type != "":
		s.Types, s.Type = []string{s.Type, "null"}, ""
	case slices.Contains(s.Types, "null"):
	case s.Types != nil:
		s.Types = append(s.Types, "null")
	case s.AnyOf != nil:
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "null"})
	case s.Ref != "":
		s = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	}
	return s
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/definitions/" + name} }

// no is the schema that nothing satisfies.
func no() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// anyOf asks for one of several fields.
func anyOf(names ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, name := range names {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Required: []string{name}})
	}
	return s
}

// onlyOne refuses two names of one field.
func onlyOne(names []string) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for i := range names {
		for _, other := range names[i+1:] {
			out = append(out, &jsonschema.Schema{Not: &jsonschema.Schema{Required: []string{names[i], other}}})
		}
	}
	return out
}

// doc gives the doc comment of a field as one line, with the names of the file in
// place of Go's.
func (w *walker) doc(t reflect.Type, f reflect.StructField, name string) (string, error) {
	docs, err := w.docsOf(t.PkgPath())
	if err != nil {
		return "", err
	}
	doc := docs[t.Name()+"."+f.Name]
	if doc == "" {
		return "", fmt.Errorf("%s.%s has no doc comment", t, f.Name)
	}
	if rest, ok := strings.CutPrefix(doc, f.Name+" "); ok {
		doc = name + " " + rest
	}
	for _, other := range reflect.VisibleFields(t) {
		if file, _, _ := strings.Cut(other.Tag.Get("json"), ","); file != "" && humps.MatchString(other.Name) {
			doc = regexp.MustCompile(`\b`+other.Name+`\b`).ReplaceAllString(doc, file)
		}
	}
	return docLink.ReplaceAllStringFunc(doc, func(link string) string {
		words := humps.ReplaceAllString(link[1:len(link)-1], "$1 $2")
		return strings.ToLower(words)
	}), nil
}

var (
	humps   = regexp.MustCompile(`([a-z])([A-Z])`)
	docLink = regexp.MustCompile(`\[[A-Z][A-Za-z]*\]`)
)

// docsOf reads the doc comments of the fields of a package's structs. Fields that
// follow one another without a blank line or a comment share the first one's.
func (w *walker) docsOf(pkg string) (map[string]string, error) {
	if docs, ok := w.docs[pkg]; ok {
		return docs, nil
	}
	dir, ok := strings.CutPrefix(pkg, "github.com/karat-eval/karat/")
	if !ok {
		return nil, fmt.Errorf("%s is no package of this module", pkg)
	}
	dir = filepath.Join(w.root, filepath.FromSlash(dir))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	docs := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			last, end := "", 0
			for _, field := range s.Fields.List {
				text := strings.Join(strings.Fields(field.Doc.Text()), " ")
				if text == "" && set.Position(field.Pos()).Line == end+1 {
					text = last
				}
				last, end = text, set.Position(field.End()).Line
				for _, name := range field.Names {
					docs[spec.Name.Name+"."+name.Name] = text
				}
			}
			return true
		})
	}
	if w.docs == nil {
		w.docs = map[string]map[string]string{}
	}
	w.docs[pkg] = docs
	return docs, nil
}

package input

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// yamlParser turns the nodes of a YAML document into a tree. Scalars keep
// their source text; aliases share the tree of their anchor.
type yamlParser struct {
	file   *File
	shared map[*yaml.Node]sized
	open   map[*yaml.Node]bool // anchors being built, to refuse one inside itself
}

// sized is a value with the number of values in it and the levels it nests,
// aliases spelt out. The trees share memory, so a "billion laughs" file costs
// nothing to build, but it would be walked in full: the counts bound it.
type sized struct {
	value Value
	size  int
	depth int
}

// hold counts what a list or an object holds.
func (s *sized) hold(inner sized) {
	s.size += inner.size
	s.depth = max(s.depth, 1+inner.depth)
}

// yamlCountsFromZero are the messages of the parser proper, which names the line
// before; those of the scanner name the right one.
var yamlCountsFromZero = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key|',' or)`)

var yamlErrorLine = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?`)

func parseYAML(f *File, data []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := decodeYAML(dec, &doc); err == io.EOF {
		f.add(Problem{Message: "the file is empty"})
		return false
	} else if err != nil {
		f.yamlSyntax(err, data)
		return false
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		f.add(Problem{Message: "the file is empty"})
		return false
	}
	if err := decodeYAML(dec, &second); err == nil {
		f.add(Problem{Line: second.Line, Message: "trailing data: a second YAML document; a file holds one"})
		return false
	} else if err != io.EOF {
		f.yamlSyntax(err, data)
		return false
	}
	p := yamlParser{file: f, shared: map[*yaml.Node]sized{}, open: map[*yaml.Node]bool{}}
	root, err := p.value(doc.Content[0], 0)
	if err != nil {
		return false
	}
	if root.value.Kind == Null {
		f.add(Problem{Message: "the file is empty"})
		return false
	}
	f.Value = root.value
	return true
}

// decodeYAML guards against a parser that gives up by panicking.
func decodeYAML(dec *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: the text cannot be parsed")
		}
	}()
	return dec.Decode(into)
}

// yamlSyntax reports what the parser refused. It leaves the line out where it
// means the first, and for two kinds of error always.
func (f *File) yamlSyntax(err error, data []byte) {
	message := err.Error()
	line := 1
	if m := yamlErrorLine.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		if m[1] != "" {
			line, _ = strconv.Atoi(m[1])
			if yamlCountsFromZero.MatchString(message) {
				line++
			}
		}
	}
	if name, ok := strings.CutPrefix(message, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		message = "the alias *" + name + " has no anchor"
		if at := bytes.Index(data, []byte("*"+name)); at >= 0 {
			line, _ = position(data, at)
		}
	} else if strings.Contains(message, "control characters") {
		at := bytes.IndexFunc(data, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' })
		line, _ = position(data, max(at, 0))
		message = "control characters are not allowed"
	}
	message += yamlHint(message, line, data)
	f.add(Problem{Line: line, Message: "invalid YAML: " + message})
}

// yamlUnquoted are the messages that a text may lead to which should be quoted.
var yamlUnquoted = regexp.MustCompile(`^(mapping values are not|block sequence entries are not|did not find expected (key|alphabetic|',')|could not find expected|found character that cannot start|the alias )`)

const fullWidthColon = "; ： is no colon in YAML, a name needs : and a space behind it"

// yamlHint says what most likely helps: the parser names what it met, and not that
// a text was taken for something else.
func yamlHint(message string, line int, data []byte) string {
	if !yamlUnquoted.MatchString(message) {
		return ""
	}
	hint := "; quote a text that has a colon or begins with a special character"
	// The mistake is on the line, or on the one before that it does not go on from.
	i := 0
	for text := range bytes.Lines(data) {
		i++
		if i >= line-1 && bytes.Contains(text, []byte("：")) {
			return hint + fullWidthColon
		}
		if i >= line {
			break
		}
	}
	return hint
}

func (p *yamlParser) fail(n *yaml.Node, format string, args ...any) error {
	p.file.add(Problem{Line: n.Line, Message: fmt.Sprintf(format, args...)})
	return errParse
}

func (p *yamlParser) value(n *yaml.Node, depth int) (sized, error) {
	if n.Anchor == "" || n.Kind == yaml.AliasNode {
		return p.build(n, depth)
	}
	p.open[n] = true
	out, err := p.build(n, depth)
	delete(p.open, n)
	p.shared[n] = out
	return out, err
}

func (p *yamlParser) build(n *yaml.Node, depth int) (sized, error) {
	out := sized{Value{Line: n.Line}, 1, 0}
	switch n.Kind {
	case yaml.AliasNode:
		return p.alias(n, depth)
	case yaml.ScalarNode:
		return out, p.scalar(n, &out.value)
	}
	if depth >= p.file.options.MaxDepth {
		return out, p.fail(n, "nested deeper than %d levels", p.file.options.MaxDepth)
	}
	var err error
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.SequenceNode && tag == "!!seq":
		out.value.Kind = List
		out.value.Items = make([]Value, 0, len(n.Content))
		for _, c := range n.Content {
			item, err := p.value(c, depth+1)
			if err != nil {
				return out, err
			}
			out.value.Items = append(out.value.Items, item.value)
			out.hold(item)
		}
	case n.Kind == yaml.MappingNode && tag == "!!map":
		out.value.Kind = Object
		err = p.mapping(n, &out, depth)
	default:
		err = p.fail(n, "the YAML tag %s is not supported", quote(n.Tag))
	}
	if err == nil && out.depth > p.file.options.MaxDepth {
		err = p.fail(n, "nested deeper than %d levels, aliases spelt out", p.file.options.MaxDepth)
	}
	if err == nil && out.size > p.file.options.MaxValues {
		err = p.fail(n, "the file holds more than %d values, aliases spelt out", p.file.options.MaxValues)
	}
	return out, err
}

func (p *yamlParser) alias(n *yaml.Node, depth int) (sized, error) {
	target := n.Alias
	if p.open[target] {
		return sized{}, p.fail(n, "the anchor &%s stands inside itself", clip(n.Value))
	}
	out, ok := p.shared[target]
	if !ok { // the anchor is on a key
		var err error
		if out, err = p.value(target, depth); err != nil {
			return out, err
		}
	}
	out.value.Line = n.Line
	return out, nil
}

func (p *yamlParser) scalar(n *yaml.Node, v *Value) error {
	v.Text = n.Value
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		v.Kind = String
	case "!!int", "!!float":
		v.Kind = Number
	case "!!bool":
		v.Kind = Bool
		v.Text = strings.ToLower(n.Value)
	case "!!null":
		v.Kind = Null
		v.Text = ""
	default:
		return p.fail(n, "the YAML tag %s is not supported", quote(n.Tag))
	}
	return nil
}

func (p *yamlParser) mapping(n *yaml.Node, out *sized, depth int) error {
	var merged []Field
	out.value.Fields = make([]Field, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, content := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = &yaml.Node{Kind: key.Alias.Kind, Tag: key.Alias.Tag, Value: key.Alias.Value, Line: key.Line}
		}
		if key.Kind != yaml.ScalarNode {
			return p.fail(key, "a key must be a plain name, found a list or an object")
		}
		item, err := p.value(content, depth+1)
		if err != nil {
			return err
		}
		out.hold(item)
		if key.ShortTag() == "!!merge" {
			fields, err := p.merge(content, item.value)
			if err != nil {
				return err
			}
			merged = append(merged, fields...)
			continue
		}
		out.value.Fields = append(out.value.Fields, Field{Name: key.Value, Line: key.Line, Value: item.value})
	}
	p.file.duplicates(out.value.Fields)
	// A merged field gives way to the mapping's own, and to one merged before.
	own := map[string]bool{}
	for _, f := range out.value.Fields {
		own[f.Name] = true
	}
	for _, f := range merged {
		if !own[f.Name] {
			own[f.Name] = true
			out.value.Fields = append(out.value.Fields, f)
		}
	}
	return nil
}

// merge is the fields that a merge key << brings in.
func (p *yamlParser) merge(n *yaml.Node, v Value) ([]Field, error) {
	if v.Kind == Object {
		return v.Fields, nil
	}
	var fields []Field
	for _, item := range v.Items {
		if item.Kind != Object {
			return nil, p.fail(n, "the merge key << takes objects, found %s", item.Describe())
		}
		fields = append(fields, item.Fields...)
	}
	if v.Kind != List {
		return nil, p.fail(n, "the merge key << takes an object or a list of objects, found %s", v.Describe())
	}
	return fields, nil
}

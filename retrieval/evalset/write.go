package evalset

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// WriteYAML writes the cases as a case set in YAML, each field by its first name
// and in the order in which a case lists them. A scenario type that was given to
// all stands in the defaults.
func (s *Set) WriteYAML(w io.Writer) error {
	data, err := s.json()
	if err != nil {
		return err
	}
	root, err := node(jsontext.NewDecoder(bytes.NewReader(data)))
	if err != nil {
		return err
	}
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	return errors.Join(e.Encode(root), e.Close())
}

// WriteJSON is WriteYAML in JSON.
func (s *Set) WriteJSON(w io.Writer) error {
	data, err := s.json()
	if err != nil {
		return err
	}
	v := jsontext.Value(data)
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err = w.Write(append(v, '\n'))
	return err
}

func (s *Set) json() ([]byte, error) {
	var set struct {
		Version  int `json:"version"`
		Defaults *struct {
			ScenarioType string `json:"scenario_type"`
		} `json:"defaults,omitempty"`
		Cases []json.RawMessage `json:"cases"`
	}
	set.Version = 1
	for i := range s.Cases {
		if s.Cases[i].ScenarioType == s.ScenarioType {
			set.Defaults = &struct {
				ScenarioType string `json:"scenario_type"`
			}{s.ScenarioType}
		}
	}
	for i := range s.Cases {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(&s.Cases[i]); err != nil {
			return nil, err
		}
		text := bytes.TrimSpace(b.Bytes())
		if s.Cases[i].ScenarioType == s.ScenarioType {
			var err error
			if text, err = without(text, "scenario_type"); err != nil {
				return nil, err
			}
		}
		set.Cases = append(set.Cases, text)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(&set)
	return b.Bytes(), err
}

// without takes a member out of an object.
func without(object []byte, member string) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b)
	for d.StackDepth() > 0 || d.InputOffset() == 0 {
		t, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		if t.Kind() == '"' && d.StackDepth() == 1 && t.String() == member {
			if kind, n := d.StackIndex(1); kind == '{' && n%2 == 1 {
				if err := d.SkipValue(); err != nil {
					return nil, err
				}
				continue
			}
		}
		if err := e.WriteToken(t); err != nil {
			return nil, err
		}
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// node gives the next JSON value as a YAML node. A short list of scalars stands
// on one line.
func node(d *jsontext.Decoder) (*yaml.Node, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	scalar := func(tag, value string) (*yaml.Node, error) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}, nil
	}
	switch t.Kind() {
	case '"':
		n, err := scalar("!!str", t.String())
		if strings.Contains(n.Value, "\n") && strings.Contains(n.Value, "\t") {
			n.Style = yaml.DoubleQuotedStyle // a block that begins with a tab cannot be read
		}
		return n, err
	case '0':
		return scalar("", t.String())
	case 't', 'f':
		return scalar("!!bool", t.String())
	case 'n':
		return scalar("!!null", "null")
	}
	n := &yaml.Node{Kind: yaml.MappingNode}
	end := jsontext.Kind('}')
	if t.Kind() == '[' {
		n.Kind, n.Style, end = yaml.SequenceNode, yaml.FlowStyle, ']'
	}
	for d.PeekKind() != end {
		child, err := node(d)
		if err != nil {
			return nil, err
		}
		if child.Kind != yaml.ScalarNode && n.Kind == yaml.SequenceNode {
			n.Style = 0
		}
		n.Content = append(n.Content, child)
	}
	_, err = d.ReadToken()
	return n, err
}

package diagnosis

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// summaryOf reads what a verifier says of a trace: an object or a list of
// objects that name a tool, a list of texts, one text, or an object whose names
// are the tools. raw is a JSON value.
func summaryOf(raw []byte) Summary {
	var s Summary
	s.add(raw, 0)
	return s
}

// summaryDepth is how deep summaries nest; what is deeper is not looked at.
const summaryDepth = 4

func (s *Summary) add(raw []byte, depth int) {
	if depth > summaryDepth {
		return
	}
	switch raw[0] {
	case '"':
		text := strings.TrimSpace(jsonText(raw))
		if text == "" {
			return
		}
		if text[0] == '[' || text[0] == '{' {
			if inner := jsontext.Value(text); inner.IsValid() {
				s.add(inner, depth+1)
				return
			}
		}
		s.Texts = append(s.Texts, text)
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(raw, &list) != nil {
			return
		}
		for _, v := range list {
			s.add(trimValue(v), depth+1)
		}
	case '{':
		s.addObject(raw, depth)
	}
}

// trimValue drops the space around a value, so that its first byte tells its
// kind.
func trimValue(v jsontext.Value) jsontext.Value {
	return jsontext.Value(strings.TrimSpace(string(v)))
}

func (s *Summary) addObject(raw []byte, depth int) {
	var object map[string]jsontext.Value
	if json.Unmarshal(raw, &object) != nil {
		return
	}
	names := make([]string, 0, len(object))
	for name, v := range object {
		object[name] = trimValue(v)
		names = append(names, name)
	}
	slices.Sort(names)
	for _, member := range []string{"tool", "toolName", "tool_name", "name"} {
		name := jsonText(object[member])
		if name == "" {
			continue
		}
		s.Tools = append(s.Tools, summaryTool(name, object))
		return
	}
	for _, name := range names {
		v := object[name]
		switch v.Kind() {
		case '{':
			var inner map[string]jsontext.Value
			if json.Unmarshal(v, &inner) == nil {
				for k := range inner {
					inner[k] = trimValue(inner[k])
				}
				s.Tools = append(s.Tools, summaryTool(name, inner))
			}
		case '"':
			text := strings.TrimSpace(jsonText(v))
			s.Tools = append(s.Tools, SummaryTool{Name: name, Text: text})
			s.Texts = append(s.Texts, text)
		case '[':
			s.Tools = append(s.Tools, SummaryTool{Name: name})
			s.add(v, depth+1)
		case 't', '0':
			if string(v) != "0" {
				s.Tools = append(s.Tools, SummaryTool{Name: name})
			}
		}
	}
}

func summaryTool(name string, object map[string]jsontext.Value) SummaryTool {
	t := SummaryTool{Name: name}
	var found signs
	for _, member := range []string{"isError", "is_error", "success", "error", "exit_code", "exitCode", "status"} {
		if v := object[member]; len(v) > 0 {
			found.member([]byte(member), v)
		}
	}
	t.Failed, t.Why = found.failed, found.why
	for _, member := range []string{"summary", "text", "result", "description", "detail", "status"} {
		if text := strings.TrimSpace(jsonText(object[member])); text != "" {
			t.Text = text
			break
		}
	}
	return t
}

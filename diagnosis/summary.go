package diagnosis

import (
	"maps"
	"slices"
	"strings"
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
			inner := reader{data: []byte(text)}
			if v, err := inner.value(); err == nil && inner.end() == nil {
				s.add(v, depth+1)
				return
			}
		}
		s.Texts = append(s.Texts, text)
	case '[':
		r := reader{data: raw}
		_ = r.array(func(int) error {
			v, err := r.value()
			if err == nil {
				s.add(v, depth+1)
			}
			return err
		})
	case '{':
		s.addObject(raw, depth)
	}
}

// fields reads the members of an object; of a name that is there twice the first
// counts.
func fields(raw []byte) map[string][]byte {
	object := map[string][]byte{}
	r := reader{data: raw}
	_ = r.members(func(name []byte) error {
		v, err := r.value()
		if _, again := object[string(name)]; err == nil && !again {
			object[string(name)] = v
		}
		return err
	})
	return object
}

func (s *Summary) addObject(raw []byte, depth int) {
	object := fields(raw)
	for _, member := range []string{"tool", "toolName", "tool_name", "name"} {
		name := jsonText(object[member])
		if name == "" {
			continue
		}
		s.Tools = append(s.Tools, summaryTool(name, object))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		v := object[name]
		switch v[0] {
		case '{':
			s.Tools = append(s.Tools, summaryTool(name, fields(v)))
		case '"':
			text := strings.TrimSpace(jsonText(v))
			s.Tools = append(s.Tools, SummaryTool{Name: name, Text: text})
			s.Texts = append(s.Texts, text)
		case '[':
			s.Tools = append(s.Tools, SummaryTool{Name: name})
			s.add(v, depth+1)
		default:
			if said := truth(v); said != "" && said != "0" && said != "false" {
				s.Tools = append(s.Tools, SummaryTool{Name: name})
			}
		}
	}
}

func summaryTool(name string, object map[string][]byte) SummaryTool {
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

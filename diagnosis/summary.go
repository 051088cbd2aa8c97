package diagnosis

import (
	"maps"
	"slices"
	"strings"

	"github.com/karat-eval/karat/internal/jsonscan"
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
			inner := jsonscan.New([]byte(text))
			if v, err := inner.Value(); err == nil && inner.End() == nil {
				s.add(v, depth+1)
				return
			}
		}
		s.Texts = append(s.Texts, text)
	case '[':
		r := jsonscan.New(raw)
		_ = r.Array(func(int) error {
			v, err := r.Value()
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
	r := jsonscan.New(raw)
	_ = r.Members(func(name []byte) error {
		v, err := r.Value()
		if _, again := object[string(name)]; err == nil && !again {
			object[string(name)] = v
		}
		return err
	})
	return object
}

func (s *Summary) addObject(raw []byte, depth int) {
	if t, ok := summaryTool(raw, ""); ok {
		s.Tools = append(s.Tools, t)
		return
	}
	object := fields(raw)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		v := object[name]
		switch v[0] {
		case '{':
			t, _ := summaryTool(v, name)
			s.Tools = append(s.Tools, t)
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

// The members of an object that speaks of a tool, those that go before others
// first.
var (
	summaryNames = []string{"tool", "toolName", "tool_name", "name"}
	summaryTexts = []string{"summary", "text", "result", "description", "detail", "status"}
)

// summaryTool reads an object that speaks of a tool: of the one it names, or of
// the one that is named, where name is not empty. ok is false where it names
// none.
func summaryTool(raw []byte, name string) (t SummaryTool, ok bool) {
	t.Name = name
	var found signs
	named, said := len(summaryNames), len(summaryTexts)
	r := jsonscan.New(raw)
	_ = r.Members(func(member []byte) error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		if isSign(member) {
			found.member(member, v)
		}
		if v[0] != '"' {
			return nil
		}
		if i := slices.Index(summaryNames, string(member)); name == "" && i >= 0 && i < named {
			if text := jsonText(v); text != "" {
				t.Name, named = text, i
			}
		}
		if i := slices.Index(summaryTexts, string(member)); i >= 0 && i < said {
			if text := strings.TrimSpace(jsonText(v)); text != "" {
				t.Text, said = text, i
			}
		}
		return nil
	})
	t.Failed, t.Why = found.failed, found.why
	return t, t.Name != ""
}

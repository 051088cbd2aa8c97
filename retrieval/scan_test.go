package retrieval

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// The scanner accepts what jsontext accepts, and reads the same strings.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `null`, `{"a": [1, -0.5e+10, true, false, null, "x"], "b": {"c": {}}}`, `{"a": 1, "a": 2}`, `{"a": 1, "\u0061": 2}`,
		`"\ud83d\ude00"`, `"\ud83d"`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\\u00e9\xff\"", `"` + strings.Repeat("长文本，", 9) + `\"end"`, `01`, `1.`, `-`, `1e`, `+1`, `.5`, `tru`, `truex`,
		`[1,]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `[1 2]`, ` 1 `, "\u00a01", `"`, `"\`, `{`, `[`, ``, "\"1234567\x1f\"", `"12345678"`, `"1234567é"`,
		"{" + strings.Repeat(`"k":0,`, 3) + `"l":0}`, strings.Repeat("[", 9999) + strings.Repeat("]", 9999), strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{data: data, src: string(data)}
		err := s.skip()
		if err == nil {
			if s.peek(); s.at < len(s.src) {
				err = s.unexpected("the end")
			}
		}
		if valid := jsontext.Value(data).IsValid(); valid != (err == nil) {
			t.Fatalf("%q: jsontext says valid = %v, the scanner says %v", data, valid, err)
		}
		if trimmed := bytes.TrimSpace(data); err == nil && trimmed[0] == '"' {
			want, wrong := jsontext.AppendUnquote(nil, trimmed)
			if wrong != nil {
				t.Fatal(wrong)
			}
			s := scanner{data: trimmed, src: string(trimmed)}
			if got, err := s.quoted(); err != nil || got != string(want) {
				t.Fatalf("%q: want %q, got %q (%v)", trimmed, want, got, err)
			}
		}
	})
}

func TestAnObjectOfManyNamesHasNoNameTwice(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 40 {
		b.WriteString(`"` + strings.Repeat("n", i+1) + `": 0, `)
	}
	for name, valid := range map[string]bool{"m": true, "n": false, strings.Repeat("n", 30): false} {
		text := b.String() + `"` + name + `": 0}`
		s := scanner{data: []byte(text), src: text}
		if err := s.skip(); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

package input_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/karat-eval/karat/internal/input"
)

// checkRead holds what is true of reading anything: no panic, every error is
// Problems, each with its place, on one line and harmless to a terminal.
func checkRead(t *testing.T, name string, data []byte) {
	for _, deferred := range []bool{false, true} {
		o := input.Options{MaxDepth: 100, MaxValues: 100_000, Decoders: options.Decoders, Deferred: deferred}
		f, err := input.Parse(name, data, o)
		if err == nil {
			input.DecodeCases(f, input.CaseSet{Turns: true}, func(c input.Case, g *golden) any {
				if f.Err() == nil && g.ID != c.ID {
					t.Errorf("the id %q was decoded as %q", c.ID, g.ID)
				}
				var x any
				c.Decode(&x)
				input.Digest(*g)
				return x
			})
			err = f.Err()
		}
		checkProblems(t, name, data, err)
	}
}

func checkProblems(t *testing.T, name string, data []byte, err error) {
	if err == nil {
		return
	}
	var problems input.Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("not Problems: %v", err)
	}
	for _, p := range problems {
		if p.File != name || p.Message == "" || p.Line < 0 {
			t.Errorf("a problem without a place: %#v", p)
		}
		if p.Line > 2+bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte("\r"))+bytes.Count(data, []byte("\u2028"))+bytes.Count(data, []byte("\u2029"))+bytes.Count(data, []byte("\u0085")) {
			t.Errorf("a line beyond the end: %v", p)
		}
		if strings.ContainsFunc(p.Error(), unicode.IsControl) {
			t.Errorf("a control character in a message: %q", p.Error())
		}
		if utf8.Valid(data) && !utf8.ValidString(p.Error()) {
			t.Errorf("a message that is not UTF-8: %q", p.Error())
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"version":1,"defaults":{"query":"q"},"cases":[{"id":"a","expected_documents":[1.0,{"id":"x"}]},{"conversation_id":"c","turns":[{"query":"x"}]}]}`,
		`[{"id":"a","id":"b"}]`, `{"a":NaN}`, `[1,]`, `["\ud800"]`, "\uFEFF[]", `{"a":1}x`, "{\"a\":\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRead(t, "c.json", data)
		// What is accepted is what the strict tokenizer accepts.
		file, err := input.Parse("c.json", data, input.Options{MaxDepth: 10_000})
		accepted := err == nil && file.Err() == nil
		if valid := jsontext.Value(bytes.TrimPrefix(data, []byte("\uFEFF"))).IsValid(); accepted != valid {
			t.Errorf("accepted: %v, valid: %v", accepted, valid)
		}
	})
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"version: 1\ndefaults: {query: q}\ncases:\n- id: 09\n  expected_documents: [1.0, {id: x}]\n- conversation_id: c\n  turns: [{query: x}]\n",
		"a: &a [*a]", "a: &a {b: 1}\nc: {<<: *a}\n", "- !!binary x", "? [a]\n: b", "a: b: c", "--- |\n x\n...\n---\n", "a: .nan\nb: 0x1F", "\ta: 1", "%YAML 1.3\n---\na"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, "c.yaml", data) })
}

func FuzzJSONL(f *testing.F) {
	for _, s := range []string{"{\"id\":\"a\"}\n\n{\"id\":\"a\"}\r\n", "{}{}\n", "x\n[\n", "\uFEFF1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, "c.jsonl", data) })
}

func FuzzBundle(f *testing.F) {
	for _, s := range []string{"{\"case_id\":\"a\"}\n{\"caseId\":7}\r\n\n{\"x\":{\"case_id\":1},\"case_id\":\"b\"}", "{\"case_id\":\"a\n", "{\"case_id\":\"\\u0061\"}", "\x1f\x8b\x08", "\uFEFF{}", `{"x":"\\","case_id":"a"}`, `{"x":[{"}":"]"}],"case_id":"a"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fixtures, err := input.OpenFixturesFS(fstest.MapFS{"b.jsonl": {Data: data}}, "b.jsonl", input.FixtureOptions{MaxBytes: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{"a", "b", "7"}
		var lock sync.Mutex
		got := map[string][]byte{}
		problems := map[string]error{}
		_, err = fixtures.Each(context.Background(), input.Walk{IDs: ids, Workers: 2}, func(i int, data []byte, problem error) {
			lock.Lock()
			defer lock.Unlock()
			got[ids[i]], problems[ids[i]] = bytes.Clone(data), problem
		})
		if err != nil {
			return
		}
		for _, id := range ids {
			data, err := fixtures.Get(id)
			if (err == nil) != (problems[id] == nil) || !bytes.Equal(data, got[id]) {
				t.Errorf("%s: Each gave %q, %v; Get gave %q, %v", id, got[id], problems[id], data, err)
			}
			if err == nil && jsontext.Value(data).IsValid() && !idStands(data, id) {
				t.Errorf("%s got the fixture %q", id, data)
			}
		}
	})
}

// idStands looks for the id the slow way.
func idStands(data []byte, id string) bool {
	f, err := input.Parse("x.json", data, input.Options{})
	if err != nil {
		return false
	}
	for _, name := range []string{"case_id", "caseId"} {
		if v := f.Value.Get(name); v != nil && v.Text == id {
			return true
		}
	}
	return false
}

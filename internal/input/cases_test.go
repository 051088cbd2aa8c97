package input_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/input"
)

// document is a union, as expected documents are.
type document struct {
	ID       string  `json:"id"`
	Contains string  `json:"contains"`
	Grade    float64 `json:"grade"`
}

type level string

func (l *level) UnmarshalText(text []byte) error {
	if *l = level(text); *l != "strong" && *l != "medium" {
		return fmt.Errorf("%q is not known; strong and medium are allowed", text)
	}
	return nil
}

type shared struct {
	Tags  []string `json:"tags"`
	Notes string   `json:"notes"`
}

type golden struct {
	ID           string             `json:"id" alias:"case_id"`
	Query        string             `json:"query" alias:"question"`
	Documents    []document         `json:"expected_documents" alias:"relevant_doc_id,relevant_documents,expected_source_contains"`
	Keywords     []string           `json:"expected_keywords"`
	Minimum      *float64           `json:"min_keyword_coverage"`
	Answerable   *bool              `json:"answerable"`
	Level        level              `json:"min_hit_level"`
	Turn         int                `json:"turn"`
	Small        int8               `json:"small"`
	Conversation string             `json:"conversation_id"`
	ByVerdict    map[string]float64 `json:"by_verdict"`
	Degraded     *degraded          `json:"degraded"`
	Metadata     map[string]any     `json:"metadata"`
	shared
}

type degraded struct {
	Verdicts []string `json:"verdicts"`
}

var options = input.Options{Decoders: map[reflect.Type]func(input.Scope, any){
	reflect.TypeFor[document](): func(s input.Scope, dst any) {
		d := dst.(*document)
		switch v := s.Value(); v.Kind {
		case input.String, input.Number:
			if s.Name() == "expected_source_contains" {
				d.Contains = v.Text
			} else {
				d.ID = v.Text
			}
		case input.Object:
			type plain document // without this decoder
			s.Decode((*plain)(d))
		default:
			s.Errorf("a string or an object is needed, found %s", v.Describe())
		}
	},
}}

// read decodes a case set, and checks what the decoder cannot.
func read(name, data string, o input.Options) ([]golden, error) {
	o.Decoders = options.Decoders
	f, err := input.Parse(name, []byte(data), o)
	if err != nil {
		return nil, err
	}
	out := input.DecodeCases(f, input.CaseSet{Turns: true}, func(c input.Case, decoded *golden) golden {
		if decoded.Query == "" {
			c.At("query").Errorf("needed")
		}
		if m := decoded.Minimum; m != nil && (*m < 0 || *m > 1) {
			c.At("min_keyword_coverage").Errorf("%v is outside [0, 1]", *m)
		}
		return *decoded
	})
	return out, f.Err()
}

func TestALargeFileReadsAlikeWithAnyNumberOfWorkers(t *testing.T) {
	line := func(i int) string {
		return fmt.Sprintf(`{"id": "c%d", "query": "员工入职当天需要做什么", "expected_documents": ["d%d", {"id": "e", "grade": 2}], "tags": ["t"]}`, i, i)
	}
	lines := make([]string, 4_000) // some 400 KB
	for i := range lines {
		lines[i] = line(i)
	}
	edit := func(edits map[int]string) string {
		edited := slices.Clone(lines)
		for i, text := range edits {
			edited[i] = text
		}
		return strings.Join(edited, "\n") + "\n"
	}
	for _, tt := range []struct{ name, data, want, reason string }{
		{"faultless", edit(nil), "", ""},
		{"blank lines and CRLF", edit(map[int]string{7: "", 2_000: " \r", 3_998: line(3_998) + "\r", 3_999: `{"id": "x"}`}), `c.jsonl:4000: case "x": query: needed`, "lines are counted on"},
		{"a long line", edit(map[int]string{9: `{"id": "c9", "query": "` + strings.Repeat("q", 300<<10) + `"}`, 3_000: `{"id": "x"}`}), `c.jsonl:3001: case "x": query: needed`, "it is longer than what is read at a time"},
		{"bad lines", edit(map[int]string{3_900: `{"id": "x",}`, 20: "x", 2_000: `{"id": 1, "id": 2}`}),
			"c.jsonl:21:1: invalid JSON: unexpected x\nc.jsonl:2001: the key \"id\" is given twice, first on line 2001\nc.jsonl:3901:11: invalid JSON: a comma before the closing bracket", "all of them"},
		{"bad cases", edit(map[int]string{3_900: `{"id": "x", "qery": 1}`, 20: `{"id": "C3900", "query": []}`, 21: line(3_000)}),
			"c.jsonl:21: case \"C3900\": query: a string is needed, found a list\nc.jsonl:3001: case \"c3000\": id: used twice, first on line 22\nc.jsonl:3901: case \"x\": unknown field \"qery\"; did you mean \"query\"?", "those of the parse, the ids and the fields"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var first []golden
			for workers := range 4 {
				got, err := read("c.jsonl", tt.data, input.Options{Workers: workers})
				if tt.want != "" {
					assert.EqualError(t, err, tt.want, tt.reason)
					continue
				}
				require.NoError(t, err)
				require.Len(t, got, len(lines))
				if first == nil {
					first = got
					for i := range got {
						require.Equal(t, fmt.Sprintf("c%d", i), got[i].ID)
					}
				}
				assert.Equal(t, first, got)
			}
		})
	}
	for workers := range 4 {
		_, err := input.Parse("c.jsonl", []byte(edit(nil)), input.Options{MaxValues: 30_000, Workers: workers})
		assert.EqualError(t, err, "c.jsonl:3001:1: the file holds more than 30000 values", "10 a line, counted over the whole file")
	}
}

func TestCaseSetsOfEveryFormReadAlike(t *testing.T) {
	half, no := 0.5, false
	want := []golden{
		{ID: "09", Query: "q1", Documents: []document{{ID: "1.0"}, {Contains: "x"}, {ID: "d", Grade: 2}}, Keywords: []string{"a"}, Minimum: &half, Level: "medium"},
		{ID: "知识-库.b", Query: "q2", Documents: []document{{Contains: "it/"}}, Keywords: []string{"a", "b"}, Minimum: &half, Answerable: &no,
			Degraded: &degraded{Verdicts: []string{"REJECT"}}, Metadata: map[string]any{"n": int64(1), "x": []any{1.5, nil, "s"}}, shared: shared{Tags: []string{"t"}}},
	}
	for name, data := range map[string]string{
		"c.yaml": `version: 1
defaults: {min_keyword_coverage: 0.5}
cases:
  - {id: 09, question: q1, relevant_doc_id: [1.0, {contains: x}, {id: d, grade: 2}], expected_keywords: a, min_hit_level: medium}
  - case_id: 知识-库.b
    query: q2
    expected_source_contains: it/
    expected_keywords: [a, b]
    answerable: false
    degraded: {verdicts: REJECT}
    tags: t
    metadata: {n: 1, x: [1.5, null, s]}
`,
		"c.json": `{"version": 1, "defaults": {"min_keyword_coverage": 5e-1}, "cases": [
{"id": "09", "query": "q1", "relevant_documents": ["1.0", {"contains": "x"}, {"id": "d", "grade": 2}], "expected_keywords": ["a"], "min_hit_level": "medium"},
{"id": "知识-库.b", "query": "q2", "expected_documents": {"contains": "it/"}, "expected_keywords": ["a", "b"], "answerable": false, "degraded": {"verdicts": ["REJECT"]}, "tags": ["t"], "metadata": {"n": 1, "x": [1.5, null, "s"]}}]}`,
		"list.json": `[
{"id": "09", "query": "q1", "relevant_documents": ["1.0", {"contains": "x"}, {"id": "d", "grade": 2}], "expected_keywords": ["a"], "min_hit_level": "medium", "min_keyword_coverage": 0.5},
{"id": "知识-库.b", "query": "q2", "expected_documents": {"contains": "it/"}, "expected_keywords": ["a", "b"], "answerable": false, "degraded": {"verdicts": ["REJECT"]}, "tags": ["t"], "metadata": {"n": 1, "x": [1.5, null, "s"]}, "min_keyword_coverage": 0.50, "notes": null}]`,
		"c.jsonl": `{"id": "09", "query": "q1", "relevant_documents": ["1.0", {"contains": "x"}, {"id": "d", "grade": 2}], "expected_keywords": ["a"], "min_hit_level": "medium", "min_keyword_coverage": 0.5}

{"id": "知识-库.b", "query": "q2", "expected_documents": {"contains": "it/"}, "expected_keywords": ["a", "b"], "answerable": false, "degraded": {"verdicts": ["REJECT"]}, "tags": ["t"], "metadata": {"n": 1, "x": [1.5, null, "s"]}, "min_keyword_coverage": 0.50}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(name, data, input.Options{})
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(golden{})))
			for i := range want {
				assert.Equal(t, input.Digest(want[i], "tags"), input.Digest(got[i], "tags"))
			}
		})
	}
}

func TestWrongCaseSets(t *testing.T) {
	tests := []struct{ name, file, data, want, reason string }{
		{"no cases", "c.yaml", "cases: []\n", `c.yaml:1: cases: no cases; at least one is needed`, "zero cases pass nothing"},
		{"no list", "c.json", `[]`, `c.json:1: no cases; at least one is needed`, ""},
		{"null cases", "c.yaml", "cases:\n", `c.yaml:1: cases: no cases; at least one is needed`, "a YAML key without a value"},
		{"cases missing", "c.json", `{"case": []}`, "c.json:1: unknown field \"case\"; did you mean \"cases\"?", "that there are none follows from it"},
		{"no cases", "c.json", `{"version": 1}`, `c.json:1: the object has no "cases"; a case set is a list of cases, or an object with version, defaults and cases`, ""},
		{"a full-width colon", "c.yaml", "- id： vpn\n", `c.yaml:1: a case is an object, found the string "id： vpn"; ： is no colon in YAML, a name needs : and a space behind it`, ""},
		{"scalar", "c.yaml", "hello\n", `c.yaml:1: a list of cases is needed, found the string "hello"`, ""},
		{"cases of a wrong type", "c.yaml", "cases: {a: 1}\n", `c.yaml:1: cases: a list of cases is needed, found an object`, ""},
		{"version 2", "c.yaml", "version: 2\ncases: [{id: a, query: q}]\n", `c.yaml:1: version: found the number 2; 1 is the only version`, ""},
		{"version as text", "c.yaml", "version: '1'\ncases: [{id: a, query: q}]\n", `c.yaml:1: version: found the string "1"; 1 is the only version`, ""},
		{"unknown top field", "c.yaml", "default: {}\nzzz: 1\ncases: [{id: a, query: q}]\n", "c.yaml:1: unknown field \"default\"; did you mean \"defaults\"?\nc.yaml:2: unknown field \"zzz\"", ""},
		{"case of a wrong type", "c.json", "[1,\n{\"id\": \"a\", \"query\": \"q\"}]", `c.json:1: a case is an object, found the number 1`, ""},

		{"unknown field", "c.yaml", "- id: a\n  query: q\n  expected_keyword: [x]\n", `c.yaml:3: case "a": unknown field "expected_keyword"; did you mean "expected_keywords"?`, "a misspelt check checks nothing"},
		{"camel case", "c.yaml", "- id: a\n  query: q\n  expectedKeywords: [x]\n", `c.yaml:3: case "a": unknown field "expectedKeywords"; did you mean "expected_keywords"?`, ""},
		{"nothing near", "c.yaml", "- id: a\n  query: q\n  owner: me\n", `c.yaml:3: case "a": unknown field "owner"`, "no guess is better than a wild one"},
		{"unknown field below", "c.yaml", "- id: a\n  query: q\n  degraded:\n    verdict: x\n", `c.yaml:4: case "a": degraded: unknown field "verdict"; did you mean "verdicts"?`, ""},
		{"unknown field in a union", "c.yaml", "- id: a\n  query: q\n  expected_documents:\n  - {id: d}\n  - {contain: d}\n", `c.yaml:5: case "a": expected_documents[1]: unknown field "contain"; did you mean "contains"?`, ""},
		{"duplicate key", "c.yaml", "- id: a\n  query: q\n  query: r\n", `c.yaml:3: the key "query" is given twice, first on line 2`, ""},
		{"two names", "c.yaml", "- id: a\n  query: q\n  question: q\n", `c.yaml:3: case "a": "query" and "question" are two names of one field; give one of them`, "even where they agree"},
		{"id by two names", "c.yaml", "- id: a\n  case_id: b\n  query: q\n", `c.yaml:2: case "a": "id" and "case_id" are two names of one field; give one of them`, ""},

		{"no id", "c.yaml", "- query: q\n  owner: me\n- id:\n  query: q\n", "c.yaml:1: the case has no id\nc.yaml:2: unknown field \"owner\"\nc.yaml:3: the case has no id", "and what else is wrong with it"},
		{"bad ids, and more", "c.yaml", "- {id: '-x', min_keyword_coverage: 2}\n- {min_keyword_coverage: 3, qery: q}\n- {id: [a], query: 1, min_keyword_coverage: 4}\n",
			"c.yaml:1: id: \"-x\" starts with \"-\"; an id is 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'\n" +
				"c.yaml:1: query: needed\nc.yaml:1: min_keyword_coverage: 2 is outside [0, 1]\n" +
				"c.yaml:2: the case has no id\nc.yaml:2: unknown field \"qery\"; did you mean \"query\"?\nc.yaml:2: min_keyword_coverage: 3 is outside [0, 1]\n" +
				"c.yaml:3: id: a string is needed, found a list\nc.yaml:3: min_keyword_coverage: 4 is outside [0, 1]", "each of them is checked like the others"},
		{"a name near a field", "c.yaml", "- {id: a, qery: q}\n- {id: b}\n", "c.yaml:1: case \"a\": unknown field \"qery\"; did you mean \"query\"?\nc.yaml:2: case \"b\": query: needed", "that the field is missing follows from it"},
		{"a name near an alias", "c.yaml", "- {id: a, Question: q}\n", "c.yaml:1: case \"a\": unknown field \"Question\"; did you mean \"question\"?", "of a field by another name"},
		{"a name near a field in defaults", "c.yaml", "defaults: {qery: q}\ncases:\n- {id: a}\n- {id: b}\n", "c.yaml:1: defaults: unknown field \"qery\"; did you mean \"query\"?", "it is every case's"},
		{"a name near a field of a conversation", "c.yaml", "- conversation_id: v\n  qery: q\n  turns: [{}, {id: x}]\n", "c.yaml:2: unknown field \"qery\"; did you mean \"query\"?", "it is every turn's"},
		{"one name twice", "c.yaml", "- {id: a, query: q, Kind: 1}\n- {id: b, query: q, Kind: 1}\n", "c.yaml:1: case \"a\": unknown field \"Kind\"\nc.yaml:2: case \"b\": unknown field \"Kind\"", "each is told"},
		{"an unknown field of an item", "c.yaml", "- {id: a, query: q, expected_documents: [{ops: x}, true]}\n", "c.yaml:1: case \"a\": expected_documents[0]: unknown field \"ops\"\nc.yaml:1: case \"a\": expected_documents[1]: a string or an object is needed, found true", "the other item is checked too"},
		{"id that is a path", "c.yaml", "- id: ../x\n  query: q\n", `c.yaml:1: id: "../x" starts with "."; an id is 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'`, ""},
		{"id of a wrong type", "c.yaml", "- id: [a]\n  query: q\n", `c.yaml:1: id: a string is needed, found a list`, ""},
		{"id twice", "c.yaml", "- id: a\n  query: q\n- query: q\n  id: a\n", `c.yaml:4: case "a": id: used twice, first on line 1`, "both lines are named"},
		{"id but for case", "c.jsonl", "{\"id\": \"VPN\", \"query\": \"q\"}\n{\"id\": \"vpn\", \"query\": \"q\"}", `c.jsonl:2: case "vpn": id: differs from "VPN" on line 1 only in case, or in how a letter is encoded`, "one file on a Mac"},
		{"id but for encoding", "c.json", "[{\"id\": \"caf\\u00e9\", \"query\": \"q\"},\n{\"id\": \"cafe\\u0301\", \"query\": \"q\"}]", "c.json:2: case \"cafe\u0301\": id: differs from \"café\" on line 1 only in case, or in how a letter is encoded", "one file on a Mac"},
		{"id but for sharp s", "c.json", "[{\"id\": \"straße\", \"query\": \"q\"},\n{\"id\": \"STRASSE\", \"query\": \"q\"}]", `c.json:2: case "STRASSE": id: differs from "straße" on line 1 only in case, or in how a letter is encoded`, "full folding"},

		{"wrong types", "c.yaml", "- id: a\n  query: [q]\n  expected_keywords: [x, null, {y: 1}, true]\n  min_keyword_coverage: high\n  answerable: no\n  turn: 1.5\n  degraded: x\n  by_verdict: {PASS: x}\n  notes: true\n",
			strings.Join([]string{
				`c.yaml:2: case "a": query: a string is needed, found a list`,
				`c.yaml:3: case "a": expected_keywords[1]: a value is needed, found null`,
				`c.yaml:3: case "a": expected_keywords[2]: a string is needed, found an object`,
				`c.yaml:3: case "a": expected_keywords[3]: a string is needed, found true`,
				`c.yaml:4: case "a": min_keyword_coverage: a number is needed, found the string "high"`,
				`c.yaml:5: case "a": answerable: true or false is needed, found the string "no"`,
				`c.yaml:6: case "a": turn: a whole number is needed, found the number 1.5`,
				`c.yaml:7: case "a": degraded: an object is needed, found the string "x"`,
				`c.yaml:8: case "a": by_verdict.PASS: a number is needed, found the string "x"`,
				`c.yaml:9: case "a": notes: a string is needed, found true`,
			}, "\n"), "all of them together, and query is not called missing as well"},
		{"out of range", "c.yaml", "- id: vpn-1\n  query: q\n  min_keyword_coverage: 1.4\n", `c.yaml:3: case "vpn-1": min_keyword_coverage: 1.4 is outside [0, 1]`, "the caller's own check"},
		{"missing field", "c.yaml", "- id: a\n", `c.yaml:1: case "a": query: needed`, "on the line of the case"},
		{"value not known", "c.yaml", "- id: a\n  query: q\n  min_hit_level: Strong\n", `c.yaml:3: case "a": min_hit_level: "Strong" is not known; strong and medium are allowed`, "from UnmarshalText"},
		{"NaN in YAML", "c.yaml", "- id: a\n  query: q\n  min_keyword_coverage: .nan\n", `c.yaml:3: case "a": min_keyword_coverage: NaN is not allowed, a finite number is needed`, "NaN < 0.85 is false"},
		{"NaN as YAML text", "c.yaml", "- id: a\n  query: q\n  min_keyword_coverage: NaN\n", `c.yaml:3: case "a": min_keyword_coverage: NaN is not allowed, a finite number is needed`, "a string to YAML"},
		{"NaN as JSON text", "c.json", `[{"id": "a", "query": "q", "min_keyword_coverage": "NaN"}]`, `c.json:1: case "a": min_keyword_coverage: NaN is not allowed, a finite number is needed`, ""},
		{"infinity", "c.yaml", "- id: a\n  query: q\n  min_keyword_coverage: -.inf\n", `c.yaml:3: case "a": min_keyword_coverage: an infinite number is not allowed, a finite number is needed`, ""},
		{"too large", "c.json", `[{"id": "a", "query": "q", "min_keyword_coverage": 1e999}]`, `c.json:1: case "a": min_keyword_coverage: the number 1e999 is too large, a finite number is needed`, "overflows to infinity"},
		{"number as text", "c.json", `[{"id": "a", "query": "q", "min_keyword_coverage": "0.5"}]`, `c.json:1: case "a": min_keyword_coverage: a number is needed, found the string "0.5"`, ""},
		{"octal or not", "c.yaml", "- id: a\n  query: q\n  turn: 010\n  min_keyword_coverage: 0_1\n", "c.yaml:3: case \"a\": turn: the number 010 can be read in two ways; write a plain decimal number\nc.yaml:4: case \"a\": min_keyword_coverage: the number 0_1 can be read in two ways; write a plain decimal number", "8 or 10"},
		{"small integer", "c.yaml", "- id: a\n  query: q\n  small: 300\n", `c.yaml:3: case "a": small: 300 is outside [-128, 127]`, ""},
		{"huge integer", "c.yaml", "- id: a\n  query: q\n  turn: 1e30\n", `c.yaml:3: case "a": turn: the number 1e30 is too large for a whole number`, ""},

		{"wrong defaults", "c.yaml", "defaults:\n  min_keyword_coverage: 1.4\n  expected_keyword: x\n  answerable: maybe\ncases:\n- {id: a, query: q}\n- {id: b, query: q, answerable: true}\n",
			"c.yaml:2: defaults.min_keyword_coverage: 1.4 is outside [0, 1]\nc.yaml:3: defaults: unknown field \"expected_keyword\"; did you mean \"expected_keywords\"?\nc.yaml:4: defaults.answerable: true or false is needed, found the string \"maybe\"", "once, not at each case"},
		{"id as default", "c.yaml", "defaults:\n  case_id: x\ncases:\n- {id: a, query: q}\n", `c.yaml:2: defaults.case_id: an id cannot be a default`, ""},
		{"defaults of a wrong type", "c.yaml", "defaults: [x]\ncases:\n- {id: a, query: q}\n", `c.yaml:1: defaults: an object is needed, found a list`, ""},

		{"turns without a conversation", "c.yaml", "- turns: [{query: q}]\n", `c.yaml:1: an entry with turns needs a conversation_id`, ""},
		{"no turns", "c.yaml", "- conversation_id: c\n  turns: []\n", "c.yaml:2: turns: a list of at least one turn is needed, found an empty list", ""},
		{"id of a conversation", "c.yaml", "- conversation_id: c\n  id: x\n  turns: [{query: q}]\n", "c.yaml:2: id: a conversation has none; each of its turns may have one", ""},
		{"a turn's number twice", "c.yaml", "- conversation_id: c\n  turns:\n  - {query: q}\n  - {query: q, turn: 1}\n", `c.yaml:4: conversation "c" has turn 1 twice, first on line 3`, ""},
		{"a turn of another conversation", "c.yaml", "- conversation_id: c\n  turns:\n  - {query: q, conversation_id: d}\n", `c.yaml:3: conversation_id: the string "d" stands inside the conversation "c"`, ""},
		{"wrong in a conversation", "c.yaml", "- conversation_id: c\n  min_keyword_coverage: 2\n  owner: x\n  turns:\n  - {query: q}\n  - {query: q}\n  - 1\n",
			"c.yaml:2: conversation \"c\".min_keyword_coverage: 2 is outside [0, 1]\nc.yaml:3: unknown field \"owner\"\nc.yaml:7: a turn is an object, found the number 1", "once, not at each turn"},
		{"turn id taken", "c.yaml", "- {id: c-2, query: q}\n- conversation_id: c\n  turns: [{query: q}, {query: q}]\n", `c.yaml:3: case "c-2": id: used twice, first on line 1`, "derived ids are ids"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(tt.file, tt.data, input.Options{})
			assert.EqualError(t, err, tt.want, tt.reason)
		})
	}
}

func TestDefaultsGiveWayToTheCaseByAnyName(t *testing.T) {
	got, err := read("c.yaml", `defaults:
  expected_documents: [d1, d2]
  expected_keywords: [k]
  min_keyword_coverage: 0.5
  metadata: {a: 1, b: 2}
cases:
  - {id: own, query: q, expected_source_contains: x, expected_keywords: [], min_keyword_coverage: null, metadata: {a: 3}}
  - {id: inherited, query: q}
`, input.Options{})
	require.NoError(t, err)
	half := 0.5
	want := []golden{
		{ID: "own", Query: "q", Documents: []document{{Contains: "x"}}, Keywords: []string{}, Metadata: map[string]any{"a": int64(3)}},
		{ID: "inherited", Query: "q", Documents: []document{{ID: "d1"}, {ID: "d2"}}, Keywords: []string{"k"}, Minimum: &half, Metadata: map[string]any{"a": int64(1), "b": int64(2)}},
	}
	assert.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(golden{})))
}

func TestTurnsInheritFromTheirConversation(t *testing.T) {
	got, err := read("c.yaml", `defaults: {min_keyword_coverage: 0.5, answerable: true}
cases:
  - conversation_id: vpn
    answerable: false
    expected_keywords: [k]
    turns:
      - query: q1
      - {question: q2, expected_keywords: [own], id: mine}
      - {query: q3, turn: 7, conversation_id: vpn}
  - {id: alone, query: q, conversation_id: other, turn: 1}
`, input.Options{})
	require.NoError(t, err)
	half, yes, no := 0.5, true, false
	want := []golden{
		{ID: "vpn-1", Query: "q1", Keywords: []string{"k"}, Minimum: &half, Answerable: &no, Turn: 1, Conversation: "vpn"},
		{ID: "mine", Query: "q2", Keywords: []string{"own"}, Minimum: &half, Answerable: &no, Turn: 2, Conversation: "vpn"},
		{ID: "vpn-7", Query: "q3", Keywords: []string{"k"}, Minimum: &half, Answerable: &no, Turn: 7, Conversation: "vpn"},
		{ID: "alone", Query: "q", Minimum: &half, Answerable: &yes, Turn: 1, Conversation: "other"},
	}
	assert.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(golden{})))
}

func TestTooManyCasesAreRefused(t *testing.T) {
	_, err := read("c.jsonl", strings.Repeat("\n", 3)+`{"id":"a","query":"q"}`+"\n"+`{"id":"b","query":"q"}`+"\n"+`{"id":"c","query":"q"}`, input.Options{MaxCases: 2})
	assert.EqualError(t, err, "c.jsonl:6: more than 2 cases")
}

func TestManyProblemsAreCapped(t *testing.T) {
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "{\"id\":\"c%d\",\"query\":\"q\",\"x\":1}\n", i)
	}
	_, err := read("c.jsonl", b.String(), input.Options{})
	var problems input.Problems
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, 120)
	lines := strings.Split(err.Error(), "\n")
	assert.Len(t, lines, 51)
	assert.Equal(t, "… and 70 more", lines[50])
	var one input.Problem
	require.True(t, errors.As(err, &one))
	assert.Equal(t, input.Problem{File: "c.jsonl", Line: 1, Case: "c0", Message: `unknown field "x"`}, one)
}

func TestPlacesAreFoundByAnyNameAndWithoutOne(t *testing.T) {
	f, err := input.Parse("gate.yaml", []byte("metrics:\n  recall@5:\n    min: 2\n  a.b: {min: 3}\nlist:\n- x\n- y\nname: z\n"), input.Options{})
	require.NoError(t, err)
	root := f.Root()
	root.At("metrics", "recall@5", "min").Errorf("2 is outside [0, 1]")
	root.At("metrics", "a.b", "min").Errorf("3 is outside [0, 1]")
	root.At("list", 1).Errorf("not this")
	root.At("list", 7, "deep").Errorf("not there")
	root.At("name", 0).Errorf("a list of one")
	root.At("slices", "source").Errorf("absent")
	assert.EqualError(t, f.Err(), strings.Join([]string{
		`gate.yaml:1: slices.source: absent`,
		`gate.yaml:3: metrics.recall@5.min: 2 is outside [0, 1]`,
		`gate.yaml:4: metrics."a.b".min: 3 is outside [0, 1]`,
		`gate.yaml:5: list[7].deep: not there`,
		`gate.yaml:7: list[1]: not this`,
		`gate.yaml:8: name: a list of one`,
	}, "\n"))
}

func TestIDs(t *testing.T) {
	good := []string{"a", "09", "vpn-cannot-connect", "知识库.1_2", "Ünïcödé", "cafe\u0301", "हिन्दी", "٣", strings.Repeat("库", 128)}
	for _, id := range good {
		assert.NoError(t, input.ValidateID(id), "%q", id)
	}
	bad := map[string]string{
		"":                       `is empty`,
		".":                      `starts with "."`,
		"..":                     `starts with "."`,
		"-rf":                    `starts with "-"`,
		"a/b":                    `holds "/"`,
		`a\b`:                    `holds "\\"`,
		"a b":                    `holds " "`,
		"a:b":                    `holds ":"`,
		"a\x00":                  `holds "\x00"`,
		"a\n":                    `holds "\n"`,
		"a\u202eb":               `holds "\u202e"`,
		"a\u200bb":               `holds "\u200b"`,
		"\u0301a":                "holds \"\u0301\"",
		"1\u0301":                "holds \"\u0301\"",
		"a😀":                     `holds "😀"`,
		"a\xff":                  `is not valid UTF-8`,
		strings.Repeat("a", 129): `has 129 characters`,
	}
	for id, want := range bad {
		err := input.ValidateID(id)
		if assert.Error(t, err, "%q", id) {
			assert.Contains(t, err.Error(), want)
		}
	}
}

func TestCanonicalFormForgetsSpellingAndKeepsMeaning(t *testing.T) {
	no, zero := false, 0.0
	base := golden{ID: "a", Query: "<q>", Keywords: []string{"x", "y"}, ByVerdict: map[string]float64{"b": 0.5, "a": 1}}
	assert.Equal(t, `{"by_verdict":{"a":1,"b":0.5},"expected_keywords":["x","y"],"id":"a","query":"<q>"}`, string(input.Canonical(base)))
	assert.Equal(t, `{"expected_keywords":["x","y"],"query":"<q>"}`, string(input.Canonical(&base, "id", "by_verdict")))

	stated := base
	stated.Answerable, stated.Minimum = &no, &zero
	assert.Equal(t, `{"answerable":false,"min_keyword_coverage":0}`, string(input.Canonical(stated, "id", "by_verdict", "query", "expected_keywords")))
	assert.Len(t, input.Digest(base), 16)
	assert.NotEqual(t, input.Digest(base), input.Digest(stated))

	swapped := base
	swapped.Keywords = []string{"y", "x"}
	assert.NotEqual(t, input.Digest(base), input.Digest(swapped), "the order of a list means something")
	assert.Equal(t, input.Digest(base, "expected_keywords"), input.Digest(swapped, "expected_keywords"))
	assert.Equal(t, `{"metadata":{"a":null,"b":[true,1,1.5,"x"]}}`,
		string(input.Canonical(golden{Metadata: map[string]any{"b": []any{true, int64(1), 1.5, "x"}, "a": nil}})))
}

func TestProblemsComeInTheOrderOfTheFile(t *testing.T) {
	f, err := input.Parse("c.yaml", []byte("a: 1\nb: 2\nc: 3\n"), input.Options{})
	require.NoError(t, err)
	for _, name := range []string{"c", "a", "b", "a"} {
		f.Root().At(name).Errorf("x")
	}
	var problems input.Problems
	require.ErrorAs(t, f.Err(), &problems)
	assert.True(t, slices.IsSortedFunc(problems, func(a, b input.Problem) int { return a.Line - b.Line }))
	assert.Len(t, problems, 3, "the same said twice is said once")
}

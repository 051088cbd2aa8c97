package input_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/internal/input"
)

// ignorePlaces compares trees without their lines.
var ignorePlaces = []cmp.Option{
	cmpopts.IgnoreFields(input.Value{}, "Line"),
	cmpopts.IgnoreFields(input.Field{}, "Line"),
	cmpopts.IgnoreUnexported(input.Field{}),
	cmpopts.EquateEmpty(),
}

func TestParseRefusesWhatIsNoFile(t *testing.T) {
	tests := []struct{ name, file, data, want, reason string }{
		{"empty JSON", "c.json", "", `c.json: the file is empty`, "an empty file is not an empty set"},
		{"blank JSON", "c.json", " \n\n", `c.json: the file is empty`, "white space is nothing"},
		{"only a mark", "c.json", "\uFEFF", `c.json: the file is empty`, "a byte order mark is nothing"},
		{"empty YAML", "c.yaml", "# nothing yet\n", `c.yaml: the file is empty`, "comments are nothing"},
		{"YAML document without content", "c.yaml", "---\n", `c.yaml: the file is empty`, "a marker is nothing"},
		{"empty JSONL", "c.jsonl", "\n\n", `c.jsonl: the file is empty`, "blank lines are nothing"},
		{"unknown format", "c.toml", "a = 1", `c.toml: the format is not known by the file's name; .json, .yaml, .yml and .jsonl are read`, "no guessing"},
		{"invalid UTF-8", "c.json", "{\"a\":\n \"x\xff\"}", `c.json:2:4: invalid UTF-8 (byte 0xff)`, "counted in characters"},
		{"invalid UTF-8 in YAML", "c.yaml", "a: 知\n知\xb7: 1\n", `c.yaml:2:2: invalid UTF-8 (byte 0xb7)`, "same for every format"},
		{"UTF-16", "c.json", "\xff\xfe{\x00", `c.json:1:1: invalid UTF-8 (byte 0xff)`, "Windows tools write it"},

		{"truncated in an object", "c.json", "{\"cases\": [{\"id\": \"a\",\n\"query\": \"x\"", `c.json:2:13: the JSON ends inside an object, after "query"; is the file cut off?`, "the end is named, and what was open"},
		{"truncated in a string", "c.json", `{"a": "x`, `c.json:1:9: the JSON ends inside an object, after "a"; is the file cut off?`, "a cut anywhere reads alike"},
		{"truncated in a list", "c.json", "[1,\n2", `c.json:2:2: the JSON ends inside a list, after "1"; is the file cut off?`, "position in the list"},
		{"truncated literal", "c.json", `tru`, `c.json:1:4: the JSON ends in the middle of a value; is the file cut off?`, "no container"},
		{"trailing data", "c.json", "{}\n{}", `c.json:2:1: trailing data: a file holds one JSON value`, "two objects are JSONL"},
		{"trailing bracket", "c.json", "[1]]", `c.json:1:4: trailing data: a file holds one JSON value`, "one bracket too many"},
		{"NaN", "c.json", "{\"min_keyword_coverage\":\n  NaN}", `c.json:2:3: invalid JSON: NaN is not a number; a finite number is needed`, "Python writes it"},
		{"minus Infinity", "c.json", `[-Infinity]`, `c.json:1:2: invalid JSON: -Infinity is not a number; a finite number is needed`, "Python writes it"},
		{"Python literal", "c.json", `[True]`, `c.json:1:2: invalid JSON: unexpected True; true, false and null are written in lower case`, "repr is not JSON"},
		{"trailing comma", "c.json", "[1,\n]", `c.json:1:3: invalid JSON: a comma before the closing bracket`, "the most common slip"},
		{"trailing comma in an object", "c.json", `{"a":1,}`, `c.json:1:7: invalid JSON: a comma before the closing bracket`, "the most common slip"},
		{"comment", "c.json", "{} // c", `c.json:1:4: trailing data: a file holds one JSON value`, "behind the value"},
		{"comment inside", "c.json", "{ // c\n}", `c.json:1:3: invalid JSON: comments are not allowed`, "JSON5"},
		{"bare name", "c.json", `{a: 1}`, `c.json:1:2: invalid JSON: unexpected a`, "JavaScript"},
		{"number as name", "c.json", `{1: 1}`, `c.json:1:2: a field's name must be a string in double quotes`, "YAML habit"},
		{"single quotes", "c.json", `['a']`, `c.json:1:2: invalid JSON: unexpected "'"`, "Python repr"},
		{"missing comma", "c.json", `[1 2]`, `c.json:1:4: invalid JSON: unexpected 2`, ""},
		{"leading zero", "c.json", `[09]`, `c.json:1:3: invalid JSON: unexpected 9`, "JSON has none"},
		{"line end in a string", "c.json", "[\"a\nb\"]", `c.json:1:4: invalid JSON: a line end or control character in this string; write it as an escape`, ""},
		{"bad escape", "c.json", `["a\x"]`, `c.json:1:4: invalid JSON: an escape in this string is not allowed`, "a Windows path"},
		{"half a surrogate", "c.json", `["\ud800"]`, `c.json:1:3: invalid JSON: an escape in this string is not allowed`, "not a character"},
		{"hostile character", "c.json", "[\u202e]", `c.json:1:2: invalid JSON: unexpected "\u202e"`, "nothing reaches the terminal"},

		{"every bad line of JSONL", "c.jsonl", "{\"id\":1}\n{\"id\":\n\nx\n", "c.jsonl:2:7: the JSON ends inside an object, after \"id\"; a value is one line, or is the file cut off?\nc.jsonl:4:1: invalid JSON: unexpected x", "not only the first"},
		{"two values on a line", "c.jsonl", `{} {}`, `c.jsonl:1:4: trailing data: a line holds one JSON value`, ""},

		{"second YAML document", "c.yaml", "a: 1\n---\nb: 1\n", `c.yaml:2: trailing data: a second YAML document; a file holds one`, ""},
		{"YAML syntax", "c.yaml", "a: 1\nb: [1\n", `c.yaml:2: invalid YAML: did not find expected ',' or ']'; quote a text that has a colon or begins with a special character`, ""},
		{"YAML list that turns into a map", "c.yaml", "- a\n- b\nc: 1\n", `c.yaml:3: invalid YAML: did not find expected '-' indicator`, "the parser counts its lines from 0"},
		{"YAML with a full-width colon", "c.yaml", "- id： vpn\n  query: q\n", `c.yaml:2: invalid YAML: mapping values are not allowed in this context; quote a text that has a colon or begins with a special character; ： is no colon in YAML, a name needs : and a space behind it`, "it is on the line before"},
		{"YAML with an unquoted colon", "c.yaml", "- id: a\n  query: 报错: 超时\n", `c.yaml:2: invalid YAML: mapping values are not allowed in this context; quote a text that has a colon or begins with a special character`, ""},
		{"YAML with an unquoted sign", "c.yaml", "- id: a\n  query: @all\n", `c.yaml:2: invalid YAML: found character that cannot start any token; quote a text that has a colon or begins with a special character`, ""},
		{"YAML syntax on the first line", "c.yaml", "a: b: c\n", `c.yaml:1: invalid YAML: mapping values are not allowed in this context; quote a text that has a colon or begins with a special character`, "the parser leaves out line 1"},
		{"unknown alias", "c.yaml", "a: 1\nb: *x\n", `c.yaml:2: invalid YAML: the alias *x has no anchor; quote a text that has a colon or begins with a special character`, ""},
		{"control character", "c.yaml", "a: 1\nb: \x01\n", `c.yaml:2: invalid YAML: control characters are not allowed`, ""},
		{"foreign tag", "c.yaml", "a: 1\nb: !!python/object x\n", `c.yaml:2: the YAML tag "!!python/object" is not supported`, "tags make objects elsewhere"},
		{"binary", "c.yaml", "a: !!binary aGk=\n", `c.yaml:1: the YAML tag "!!binary" is not supported`, ""},
		{"a list as key", "c.yaml", "? [a]\n: b\n", `c.yaml:1: a key must be a plain name, found a list or an object`, ""},
		{"an anchor in itself", "c.yaml", "a: &x [1, *x]\n", `c.yaml:1: the anchor &x stands inside itself`, "endless"},
		{"merge of a scalar", "c.yaml", "a:\n  <<: 1\n", `c.yaml:2: the merge key << takes an object or a list of objects, found the number 1`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse(tt.file, []byte(tt.data), input.Options{})
			assert.EqualError(t, err, tt.want, tt.reason)
			var problems input.Problems
			assert.ErrorAs(t, err, &problems)
		})
	}
}

func TestParseReportsDuplicateKeysAndReadsOn(t *testing.T) {
	for file, data := range map[string]string{
		"c.json": "{\"a\": 1,\n\"b\": {\"x\": 1,\n\"\\u0078\": 2}, \"a\": 3}",
		"c.yaml": "a: 1\nb:\n  x: 1\n  \"x\": 2\na: 3\n",
	} {
		t.Run(file, func(t *testing.T) {
			f, err := input.Parse(file, []byte(data), input.Options{})
			require.NoError(t, err)
			require.Error(t, f.Err())
			text := f.Err().Error()
			assert.Contains(t, text, `the key "a" is given twice, first on line 1`)
			assert.Contains(t, text, `the key "x" is given twice, first on line `)
		})
	}
}

func TestDuplicatesOfAWideObjectAreFound(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 100 {
		fmt.Fprintf(&b, "\"k%d\": 1,\n", i)
	}
	b.WriteString(`"k7": 2}`)
	f, err := input.Parse("c.json", []byte(b.String()), input.Options{})
	require.NoError(t, err)
	assert.EqualError(t, f.Err(), `c.json:101: the key "k7" is given twice, first on line 8`)
}

func TestParseTakesAMarkAndCRLF(t *testing.T) {
	for file, data := range map[string]string{
		"c.json":  "\uFEFF{\r\n\"a\": \"x\",\r\n\"b\": [1]\r\n}\r\n",
		"c.yaml":  "\uFEFFa: x\r\nb:\r\n- 1\r\n",
		"c.jsonl": "\uFEFF{\"a\": \"x\", \"b\": [1]}\r\n\r\n",
	} {
		t.Run(file, func(t *testing.T) {
			f, err := input.Parse(file, []byte(data), input.Options{})
			require.NoError(t, err)
			v := &f.Value
			if file == "c.jsonl" {
				v = &f.Value.Items[0]
			}
			assert.Equal(t, "x", v.Get("a").Text)
			assert.Equal(t, "1", v.Get("b").Items[0].Text)
		})
	}
}

func TestYAMLScalarsKeepTheirSourceText(t *testing.T) {
	f, err := input.Parse("c.yaml", []byte("- 09\n- 1.0\n- 0x1F\n- 1_000\n- .nan\n- 2024-01-02\n- 1:30\n- yes\n- True\n- ~\n- ''\n- '09'\n-\n- |\n  a\n  b\n"), input.Options{})
	require.NoError(t, err)
	var got []string
	for _, v := range f.Value.Items {
		got = append(got, v.Describe())
	}
	assert.Equal(t, []string{
		"the number 09", "the number 1.0", "the number 0x1F", "the number 1_000", "the number .nan",
		`the string "2024-01-02"`, `the string "1:30"`, `the string "yes"`, "true", "null", `the string ""`, `the string "09"`, "null", `the string "a\nb\n"`,
	}, got)
}

func TestYAMLAliasesAndMergesAreSpeltOut(t *testing.T) {
	f, err := input.Parse("c.yaml", []byte(`base: &base {a: 1, b: &b [x, y]}
other: &other {b: 9, c: 3}
one: {<<: *base, a: 2}
two: {<<: [*base, *other]}
three: *b
&k key: *k
`), input.Options{})
	require.NoError(t, err)
	require.NoError(t, f.Err())
	want, err := input.Parse("c.json", []byte(`{"base": {"a": 1, "b": ["x", "y"]}, "other": {"b": 9, "c": 3}, "one": {"a": 2, "b": ["x", "y"]}, "two": {"a": 1, "b": ["x", "y"], "c": 3}, "three": ["x", "y"], "key": "key"}`), input.Options{})
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(want.Value, f.Value, ignorePlaces...))
	assert.Equal(t, 5, f.Value.Get("three").Line, "an alias stands where it is used")
}

func TestParseHoldsItsLimits(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [lol, lol]\n")
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	var chain strings.Builder
	chain.WriteString("a0: &a0 [x]\n")
	for i := 1; i <= 30; i++ {
		fmt.Fprintf(&chain, "a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	tests := []struct {
		name, file, data string
		options          input.Options
		want             string
	}{
		{"bytes", "c.json", "[1, 2, 3]", input.Options{MaxBytes: 8}, "c.json: the file is too large: 9 bytes, the limit is 8 bytes"},
		{"nesting", "c.json", strings.Repeat("[", 2000), input.Options{}, "c.json:1:1001: nested deeper than 1000 levels"},
		{"nesting beyond the tokenizer's", "c.json", strings.Repeat("[", 200_000), input.Options{MaxDepth: 100_000}, "c.json:1:10001: nested deeper than 10000 levels"},
		{"nesting of YAML", "c.yaml", strings.Repeat("[", 50) + strings.Repeat("]", 50), input.Options{MaxDepth: 20}, "c.yaml:1: nested deeper than 20 levels"},
		{"nesting beyond the parser's", "c.yaml", strings.Repeat("[", 20_000), input.Options{}, "c.yaml:1: invalid YAML: exceeded max depth of 10000"},
		{"nesting by aliases", "c.yaml", chain.String(), input.Options{MaxDepth: 20}, "c.yaml:21: nested deeper than 20 levels, aliases spelt out"},
		{"values", "c.json", "[1,\n2,\n3]", input.Options{MaxValues: 3}, "c.json:2:2: the file holds more than 3 values"},
		{"values of JSONL", "c.jsonl", "[1]\n[1]\n[1]\n", input.Options{MaxValues: 3}, "c.jsonl:2:2: the file holds more than 3 values"},
		{"billion laughs", "c.yaml", laughs.String(), input.Options{}, "c.yaml:24: the file holds more than 20000000 values, aliases spelt out"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse(tt.file, []byte(tt.data), tt.options)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestReadFileSaysWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	_, err := input.ReadFile(filepath.Join(dir, "none.yaml"), input.Options{})
	assert.EqualError(t, err, filepath.Join(dir, "none.yaml")+": no such file or folder")
	assert.ErrorIs(t, err, os.ErrNotExist)

	folder := filepath.Join(dir, "c.json")
	require.NoError(t, os.Mkdir(folder, 0o755))
	_, err = input.ReadFile(folder, input.Options{})
	assert.EqualError(t, err, folder+": a file is needed, found a folder")

	// A gigabyte that takes no room on the disk is refused unread.
	huge := filepath.Join(dir, "huge.jsonl")
	file, err := os.Create(huge)
	require.NoError(t, err)
	require.NoError(t, file.Truncate(1<<30))
	require.NoError(t, file.Close())
	_, err = input.ReadFile(huge, input.Options{})
	assert.EqualError(t, err, huge+": the file is too large: 1073741824 bytes, the limit is 268435456 bytes")
}

// text draws what the YAML writer can write: it fails on some block scalars.
var text = rapid.OneOf(
	rapid.StringOf(rapid.RuneFrom([]rune{' ', '\t', 0x200b, 0xfeff, 0x1f600}, unicode.L, unicode.N, unicode.P, unicode.S)),
	rapid.SampledFrom([]string{"09", "true", "null", "~", "1.0", ".nan", "2024-01-02", "yes", "<<", "=", "- a", "a: b", "#", "知识", "a\nb\n"}),
)

// anyJSON draws a JSON value.
func anyJSON(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Int64(), func(i int64) any { return i }),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(x float64) any { return x }),
		rapid.Map(text, func(s string) any { return s }),
	)
	if depth == 0 {
		return scalar
	}
	inner := anyJSON(depth - 1)
	return rapid.OneOf(
		scalar,
		rapid.Map(rapid.SliceOfN(inner, 0, 4), func(s []any) any { return s }),
		rapid.Map(rapid.MapOfN(text, inner, 0, 4), func(m map[string]any) any { return m }),
	)
}

func TestJSONAndYAMLOfOneValueDecodeAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{"value": anyJSON(3).Draw(t, "value")}
		asJSON, err := json.Marshal(value)
		require.NoError(t, err)
		indented, err := json.MarshalIndent(value, "", "  ")
		require.NoError(t, err)
		asYAML, err := yaml.Marshal(value)
		require.NoError(t, err)
		decode := func(name string, data []byte) any {
			f, err := input.Parse(name, data, input.Options{})
			require.NoError(t, err, "%s: %s", name, data)
			var out any
			require.True(t, f.Root().Decode(&out))
			return out
		}
		want := decode("c.json", asJSON)
		for name, data := range map[string][]byte{"indented.json": indented, "c.yaml": asYAML} {
			if diff := cmp.Diff(want, decode(name, data)); diff != "" {
				t.Fatalf("%s (-JSON +%s):\n%s\n%s", name, name, diff, data)
			}
		}
		if diff := cmp.Diff([]any{want, want}, decode("c.jsonl", append(append(asJSON, '\n'), asJSON...))); diff != "" {
			t.Fatalf("JSONL: %s", diff)
		}
	})
}

// A file of the wrong kind has as many problems as it has fields.
func TestProblemsOfOneFileAreKeptToANumber(t *testing.T) {
	type entry struct {
		Name string `json:"name"`
	}
	distinct := make([]string, 200_000)
	for i := range distinct {
		distinct[i] = `"k` + strconv.Itoa(i) + `": 1`
	}
	for _, tt := range []struct {
		name, why, text string
		last            string
	}{
		{"distinct ones", "each would be kept", "{" + strings.Join(distinct, ",") + "}", "… and at least 9950 more"},
		{"the same one", "each would be made and compared", "{" + strings.Repeat(`"a": 1,`, 200_000) + `"a": 1}`, `the key "a" is given twice, first on line 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := input.Parse("x.json", []byte(tt.text), input.Options{})
			require.NoError(t, err)
			assert.False(t, f.Root().Decode(&entry{}), tt.why)
			lines := strings.Split(f.Err().Error(), "\n")
			assert.LessOrEqual(t, len(lines), 51)
			assert.Contains(t, lines[len(lines)-1], tt.last, tt.why)
			var all input.Problems
			require.ErrorAs(t, f.Err(), &all)
			assert.LessOrEqual(t, len(all), 10_000)
		})
	}
}

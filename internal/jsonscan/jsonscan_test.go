package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func Example() {
	r := New([]byte(`{"id": 7, "texts": ["a", "b\n", true], "extra": {}}`))
	err := r.Document("fixture", func(name []byte) (err error) {
		switch string(name) {
		case "id":
			var id string
			id, err = r.Label()
			fmt.Println("id", id)
		case "texts":
			if r.Peek() != '[' {
				return r.Needed("a list of texts")
			}
			return r.Array(func(i int) error {
				text, err := r.Text()
				fmt.Printf("%d %q\n", i, text)
				return err
			})
		default:
			return r.Skip()
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// id 7
	// 0 "a"
	// 1 "b\n"
	// 2 ""
	// byte 32 (texts[2]): a string is needed, found true or false
}

// strict reads any value, and no name twice.
func strict(r *Reader) error {
	switch r.Peek() {
	case '{':
		return r.Object(func([]byte) error { return strict(r) })
	case '[':
		return r.Array(func(int) error { return strict(r) })
	}
	return r.Skip()
}

// depth is how deep data nests, by jsontext.
func depth(data []byte) int {
	deepest := 0
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	for {
		if _, err := d.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, d.StackDepth())
	}
}

// The reader accepts what jsontext accepts up to the depth that it allows, and
// reads the same texts.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `null`, `{"a": [1, -0.5e+10, true, false, null, "x"], "b": {"c": {}}}`, `{"a": 1, "a": 2}`, `{"a": 1, "\u0061": 2}`,
		`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83d\u0041"`, `"\ud83d\`, `"\u12g4"`, `"\u12`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\\u00e9\xff\"", "\"\xe4\\n\xb8\xad\"",
		`"` + strings.Repeat("长文本，", 9) + `\"end"`, `"a\ud83d\ude00\n\/\\\u4e2d\"b\b\f\r\t"`, `"\u0041根因"`,
		`01`, `1.`, `-`, `1e`, `+1`, `.5`, `1e5`, `0`, `-0`, `tru`, `truex`, `nul`, `fals`,
		`[1,]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `[1 2]`, `{"a":1 "b":2}`, ` 1 `, "\u00a01", "\ufeff1", `"`, `"\`, `{`, `[`, ``, "\x00", "1\x00",
		"\"1234567\x1f\"", `"12345678"`, `"1234567é"`, "\"1234567\x7f\x80\"", `"1234567\\"`, `"12345678\"9"`, "\"!!!!!!!!\x1f\"", "\"######\"\"", `"]]]]]]]]\\"`,
		"{" + strings.Repeat(`"k":0,`, 3) + `"l":0}`, strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat(`{"":`, MaxDepth+1) + "0" + strings.Repeat("}", MaxDepth+1),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, tt := range []struct {
			name string
			read func(*Reader) error
			opt  jsontext.Options
		}{
			{"strict", strict, jsontext.AllowDuplicateNames(false)},
			{"skipped", (*Reader).Skip, jsontext.AllowDuplicateNames(true)},
		} {
			r := New(data)
			err := tt.read(&r)
			if err == nil {
				err = r.End()
			}
			if valid := jsontext.Value(data).IsValid(tt.opt); valid != (err == nil) && (err == nil || depth(data) <= MaxDepth) {
				t.Fatalf("%s: %q: jsontext says valid = %v, the reader says %v", tt.name, data, valid, err)
			}
			if err != nil && !strings.Contains(err.Error(), "byte ") {
				t.Fatalf("%s: %q: an error without a place: %v", tt.name, data, err)
			}
		}
		trimmed := bytes.Trim(data, " \t\r\n")
		if len(trimmed) == 0 || trimmed[0] != '"' || !jsontext.Value(data).IsValid() {
			return
		}
		want, err := jsontext.AppendUnquote(nil, trimmed)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Reader{New(data), Borrow(data)} {
			if got, err := r.Text(); err != nil || got != string(want) {
				t.Fatalf("%q: want %q, got %q (%v)", data, want, got, err)
			}
		}
		if got := Unquote(trimmed); !bytes.Equal(got, want) {
			t.Fatalf("%q: want %q, got %q", data, want, got)
		}
	})
}

func TestNestingIsLimitedAndTheErrorNamesThePlace(t *testing.T) {
	for _, tt := range []struct{ name, open, close, want string }{
		{"lists", "[", "]", "byte 1000 ([0][0][0][0][0][0][0][0][0][0][0][0].…): nested deeper than 1000 levels"},
		{"objects", `{"a":`, "}", "byte 5000 (a.a.a.a.a.a.a.a.a.a.a.a.…): nested deeper than 1000 levels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, levels := range []int{MaxDepth, MaxDepth + 1, 10 * MaxDepth} {
				r := New([]byte(strings.Repeat(tt.open, levels) + "0" + strings.Repeat(tt.close, levels)))
				err := r.Skip()
				if levels == MaxDepth {
					assert.NoError(t, err)
					continue
				}
				assert.EqualError(t, err, tt.want)
			}
		})
	}
}

func TestANestedTextAddsItsDepthToThatAroundIt(t *testing.T) {
	for levels, want := range map[int]string{MaxDepth - 2: "", MaxDepth - 1: "nested deeper than 1000 levels"} {
		outer := New([]byte("[[0]]"))
		err := outer.Array(func(int) error {
			return outer.Array(func(int) error {
				inner := outer.Within([]byte(strings.Repeat("[", levels) + strings.Repeat("]", levels)))
				if err := inner.Skip(); err != nil {
					return err
				}
				return outer.Skip()
			})
		})
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}

func TestErrorsHaveAPlaceAndSayWhatIsNeeded(t *testing.T) {
	text := func(r *Reader) error { _, err := r.Text(); return err }
	number := func(r *Reader) error { _, err := r.Number(); return err }
	amount := func(r *Reader) error { _, err := r.Amount(); return err }
	truth := func(r *Reader) error { _, err := r.Bool(); return err }
	label := func(r *Reader) error { _, err := r.Label(); return err }
	for _, tt := range []struct {
		name, data string
		read       func(*Reader) error
		want       string
	}{
		{"nothing", " \n", (*Reader).Skip, "no JSON: byte 2: the text ends too early"},
		{"no value", "?", (*Reader).Skip, "no JSON: byte 0: a value is needed, found '?'"},
		{"a word cut off", `{"a": tru`, (*Reader).Skip, "no JSON: byte 9 (a): the text ends too early"},
		{"another word", `{"a": trve}`, (*Reader).Skip, "no JSON: byte 6 (a): a value is needed, found 't'"},
		{"no colon", `{"a" 1}`, (*Reader).Skip, `no JSON: byte 5: a colon is needed, found '1'`},
		{"no name", `{1}`, (*Reader).Skip, `no JSON: byte 1: a name is needed, found '1'`},
		{"no comma", `{"a": [1 2]}`, (*Reader).Skip, `no JSON: byte 9 (a): a comma or the end of the list is needed, found '2'`},
		{"no comma in an object", `{"a": 1 "b"}`, (*Reader).Skip, `no JSON: byte 8: a comma or the end of the object is needed, found '"'`},
		{"no digit", `[1, -x]`, (*Reader).Skip, `no JSON: byte 5 ([1]): a digit is needed, found 'x'`},
		{"an open string", `{"a": [{"b": "c`, (*Reader).Skip, "no JSON: byte 15 (a[0].b): the text ends too early"},
		{"an open escape", `"c\`, (*Reader).Skip, "no JSON: byte 3: the text ends too early"},
		{"a control character", "\"abcdefghij\tk\"", (*Reader).Skip, "no JSON: byte 11: a control character in a string"},
		{"no such escape", `"abcdefghij\x"`, (*Reader).Skip, "no JSON: byte 11: an escape that JSON does not have"},
		{"half a pair", `"abcdefghij\ud83d"`, (*Reader).Skip, "no JSON: byte 11: half of a surrogate pair in a string"},
		{"no UTF-8", "\"中文abcdefg\xffhij\"", (*Reader).Skip, "no JSON: byte 14: a string that is not UTF-8"},
		{"twice", `{"a": 1, "a": 2}`, strict, "byte 9 (a): the name stands twice in one object"},
		{"twice by an escape", `{"a": 1, "\u0061": 2}`, strict, "byte 9 (a): the name stands twice in one object"},
		{"a text of another kind", ` 1.5`, text, "byte 1: a string is needed, found a number"},
		{"no JSON where a text is needed", `[1,`, text, "no JSON: byte 3 ([1]): the text ends too early"},
		{"a label of another kind", `[]`, label, "byte 0: a string is needed, found a list"},
		{"a number of another kind", `"1"`, number, "byte 0: a number is needed, found a string"},
		{"null where a number is needed", `null`, number, "byte 0: a number is needed, found null"},
		{"too large", ` 1e999`, number, "byte 1: the number 1e999 is too large"},
		{"negative", ` -0.5`, amount, "byte 1: -0.5 is negative; 0 or more is allowed"},
		{"an object for a truth", `{}`, truth, "byte 0: true or false is needed, found an object"},
		{"a long name is cut", `{"` + strings.Repeat("长", 200) + `": ?}`, (*Reader).Skip, "no JSON: byte 605 (" + strings.Repeat("长", 80) + "…): a value is needed, found '?'"},
		{"a hostile name is quoted", `{"\u001b[31m": ?}`, (*Reader).Skip, `no JSON: byte 15 ("\x1b[31m"): a value is needed, found '?'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New([]byte(tt.data))
			assert.EqualError(t, tt.read(&r), tt.want)
		})
	}
}

func TestADocumentIsOneObject(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"empty object", `{}`, ""},
		{"byte order mark", "\ufeff {} ", ""},
		{"nothing", "", "the fixture is empty; a JSON object is needed"},
		{"nothing behind the mark", "\ufeff\n", "the fixture is empty; a JSON object is needed"},
		{"null", "null", "byte 0: a JSON object is needed, found null"},
		{"a list cut off", "[1", "no JSON: byte 2: the text ends too early"},
		{"two objects", "{} {}", "no JSON: byte 3: more follows the end of the value"},
		{"offsets count the mark", "\ufeff{]", "no JSON: byte 4: a name is needed, found ']'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New([]byte(tt.data))
			err := r.Document("fixture", func([]byte) error { return r.Skip() })
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, tt.want)
			}
		})
	}
}

func TestAnErrorOfAMemberIsHandedOnAsItIs(t *testing.T) {
	own := errors.New("own")
	r := New([]byte(`{"a": [1]}`))
	assert.Equal(t, own, r.Object(func([]byte) error { return r.Array(func(int) error { return own }) }))
}

func TestAnObjectOfManyNamesHasNoNameTwice(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 40 {
		b.WriteString(`"` + strings.Repeat("n", i+1) + `": 0, `)
	}
	for name, valid := range map[string]bool{"m": true, "n": false, strings.Repeat("n", 16): false, strings.Repeat("n", 17): false, strings.Repeat("n", 40): false} {
		data := []byte(b.String() + `"` + name + `": 0}`)
		r := New(data)
		if err := strict(&r); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
		r = New(data)
		assert.NoError(t, r.Skip(), "what is passed over is the application's")
	}
}

func TestRawValuesAreGivenAsTheyAreWritten(t *testing.T) {
	const text = `[ 1.50 , "a\u0041" ,{"b" : [ ] }, null ]`
	data := []byte(text)
	r := New(data)
	var got []string
	require.NoError(t, r.Array(func(int) error {
		raw, err := r.Value()
		got = append(got, string(raw))
		_ = append(raw, "must not reach the data"...)
		return err
	}))
	assert.Equal(t, []string{`1.50`, `"a\u0041"`, `{"b" : [ ] }`, `null`}, got)
	assert.Equal(t, text, string(data))
}

// Whoever scores a fixture uses its memory for the next one.
func TestCopiesAndErrorsKeepNothingOfTheData(t *testing.T) {
	data := []byte(`{"a": "plain", "b": "esc\u0061ped", "c": 12345, "d": -1.25, "name": tr}`)
	r := New(data)
	var texts []string
	var failures []error
	err := r.Object(func(name []byte) error {
		switch string(name) {
		case "a", "b", "c":
			text, err := r.Label()
			texts = append(texts, text)
			return err
		case "d":
			_, err := r.Amount()
			failures = append(failures, err)
			return nil
		}
		return r.Skip()
	})
	failures = append(failures, err)
	for i := range data {
		data[i] = '#'
	}
	assert.Equal(t, []string{"plain", "escaped", "12345"}, texts)
	require.Len(t, failures, 2)
	assert.EqualError(t, failures[0], "byte 53: -1.25 is negative; 0 or more is allowed")
	assert.EqualError(t, failures[1], "no JSON: byte 68 (name): a value is needed, found 't'")
}

func TestBorrowedTextsWithoutAnEscapeAreNoCopies(t *testing.T) {
	data := []byte(`["plain", "", "esc\u0061ped", 12]`)
	r := Borrow(data)
	var texts []string
	require.NoError(t, r.Array(func(int) error {
		text, err := r.Label()
		texts = append(texts, text)
		return err
	}))
	assert.Equal(t, []string{"plain", "", "escaped", "12"}, texts)
	data[1+1] = 'P'
	assert.Equal(t, "Plain", texts[0])
}

// BenchmarkSkip passes over texts of about 1,000 bytes: English, Chinese, and the
// lines of a log with their escapes.
func BenchmarkSkip(b *testing.B) {
	for _, tt := range []struct{ name, line string }{
		{"english", "The default timeout is 30 seconds; raise it only after the slow queries are gone. "},
		{"chinese", "若日志中出现大量超时，请查看下游服务的响应时间（尤其是数据库）。"},
		{"escapes", `2026-05-14T14:05:12Z WARN \"HikariPool-1\" timed out.\n`},
	} {
		b.Run(tt.name, func(b *testing.B) {
			data := []byte(`"` + strings.Repeat(tt.line, 1000/len(tt.line)) + `"`)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r := New(data)
				if err := r.Skip(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

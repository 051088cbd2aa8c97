package input

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACompressedBundleTooLargeToHoldIsReadFromItsBeginning(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	for i := range 1000 {
		fmt.Fprintf(w, "{\"case_id\":\"c%d\",\"x\":\"%s\"}\n", i, strings.Repeat("y", 1000))
	}
	require.NoError(t, w.Close())
	f, err := OpenFixturesFS(fstest.MapFS{"b.jsonl.gz": {Data: z.Bytes()}}, "b.jsonl.gz", FixtureOptions{})
	require.NoError(t, err)
	held, err := f.Get("c700")
	require.NoError(t, err)
	require.NotNil(t, f.bundle.held)
	f.bundle.held = nil
	read, err := f.Get("c700")
	require.NoError(t, err)
	assert.Equal(t, string(held), string(read))
	assert.True(t, strings.HasPrefix(string(read), `{"case_id":"c700",`))
}

func TestTheIDOfAFixtureIsFoundAtItsTopLevelOnly(t *testing.T) {
	tests := []struct{ data, want, reason string }{
		{`{"case_id":"a"}`, `"a"`, "first"},
		{`{"caseId" : "a", "case_id": "b"}`, `"a"`, "the first of its names counts"},
		{"\t{ \"x\" : { \"case_id\" : 1 } ,\r\n \"case_id\"\n:\n7 }", `7`, "white space anywhere, and not the inner one"},
		{`{"x":["case_id","}",{"]":"\""}],"case_id":"a"}`, `"a"`, "brackets and quotes in strings"},
		{`{"x":"\\","case_id":"a"}`, `"a"`, "an escaped backslash before the quote"},
		{`{"x":-1.5e3,"y":null,"z":true,"case_id":"a\"b"`, `"a\"b"`, "cut off behind it"},
		{`{"case_id":[1,{"a":2}]}`, `[1,{"a":2}]`, "found, and no text"},
		{`{"case_id":12`, ``, "who knows how the number goes on"},
		{`{"case_id":"a`, ``, "cut off inside"},
		{`{"x":{"case_id":"a"}`, ``, "cut off before"},
		{`{"x":"case_id":"a"}`, ``, "no JSON"},
		{`{"x":1"case_id":"a"}`, ``, "no JSON"},
		{`{"case_id"}`, ``, "no value"},
		{`{"case_id":}`, ``, "no value"},
		{`[{"case_id":"a"}]`, ``, "a list"},
		{`"case_id"`, ``, "a string"},
		{``, ``, "nothing"},
		{`{`, ``, "nothing"},
		{`{}`, ``, "nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.data, func(t *testing.T) {
			raw, _ := fixtureID([]byte(tt.data))
			assert.Equal(t, tt.want, string(raw), tt.reason)
		})
	}
}

func TestTheNearestNameIsGuessedModestly(t *testing.T) {
	known := []string{"id", "query", "expected_keywords", "expected_documents", "tags"}
	for name, want := range map[string]string{
		"expected_keyword": "expected_keywords", "expectedKeywords": "expected_keywords", "EXPECTED-KEYWORDS": "expected_keywords",
		"expected_docments": "expected_documents", "qurey": "query", "tag": "tags", "ids": "id",
		"owner": "", "x": "", "": "", "documents": "", strings.Repeat("q", 1000): "",
	} {
		assert.Equal(t, want, Nearest(name, known), name)
	}
}

func TestAPathReadsAsThatOfAFile(t *testing.T) {
	for want, path := range map[string][]any{
		"":                           {},
		"tags":                       {"tags"},
		"degraded.verdicts[0]":       {"degraded", "verdicts", 0},
		"keywords[2].any[0]":         {"keywords", 2, "any", 0},
		"[1].id":                     {1, "id"},
		`min_keyword_coverage."a.b"`: {"min_keyword_coverage", "a.b"},
	} {
		assert.Equal(t, want, PathText(path))
	}
}

func TestWhatAStructLacks(t *testing.T) {
	type object struct {
		Name   string   `json:"name,omitempty" alias:"title"`
		Score  *float64 `json:"score"`
		Parts  []string `json:"parts"`
		Hidden string   `json:"-"`
		own    int
	}
	names := []string{"name", "score", "parts"}
	assert.Equal(t, names, FieldNames(reflect.TypeFor[object]()))
	empty, full := object{Parts: []string{}, Hidden: "x", own: 1}, object{Name: "x", Score: new(float64), Parts: []string{""}}
	for _, name := range append(names, "title") {
		assert.True(t, Lacks(&empty, name), name)
		assert.False(t, Lacks(&full, name), name)
	}
	for _, name := range []string{"Hidden", "own", "other", ""} {
		assert.False(t, Lacks(&empty, name), "%q is no field of files", name)
	}
}

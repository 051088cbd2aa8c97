package trec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/input"
)

func TestAnImportMakesCasesAndFixtures(t *testing.T) {
	t.Parallel()
	qrels, err := ReadQrels(Reader("qrels", strings.NewReader("2 0 b 1\n2 0 a/x>y 3\n2 0 c 0\n1 0 a 1\n3 0 a 0\n4 0 a 1\n")))
	require.NoError(t, err)
	run := "1 Q0 z 1 1 r\n1 Q0 a 2 2.5 r\n1 Q0 y 3 1 r\n2 Q0 a/x>y 1 1 r\n9 Q0 a 1 1 r\n"
	dir := filepath.Join(t.TempDir(), "new")
	texts := map[string]string{"1": "VPN <连不上>"}
	imported, err := Import(qrels, Reader("run", strings.NewReader(run)), dir, ImportOptions{Depth: 2, Queries: texts})
	require.NoError(t, err)
	assert.Equal(t, 3, imported.Cases)
	assert.Equal(t, 2, imported.Fixtures)
	assert.Equal(t, []string{
		"no case for queries without a relevant document (1): 3",
		"no fixture for queries without results (1): 4",
		"left out, queries of the run without judgments (1): 9",
		"no text for queries, their id stands for it (2): 2, 4",
	}, imported.Notes())
	cases, err := os.ReadFile(filepath.Join(dir, CasesFile))
	require.NoError(t, err)
	assert.Equal(t, `{"version": 1, "defaults": {"scenario_type":"trec","min_hit_level":"medium"}, "cases": [
{"id":"1","query":"VPN <连不上>","expected_documents":["a"],"expected_breadcrumbs":[["a"]]},
{"id":"2","query":"2","expected_documents":[{"id":"a/x>y","grade":3},"b"],"expected_breadcrumbs":[["a/x>y"],["b"]]},
{"id":"4","query":"4","expected_documents":["a"],"expected_breadcrumbs":[["a"]]}
]}
`, string(cases))
	fixtures, err := os.ReadFile(filepath.Join(dir, FixturesFile))
	require.NoError(t, err)
	assert.Equal(t, `{"case_id":"1","query":"VPN <连不上>","candidates":[{"document_id":"a","breadcrumb":["a"],"score":2.5},{"document_id":"z","breadcrumb":["z"],"score":1}]}
{"case_id":"2","query":"2","candidates":[{"document_id":"a/x>y","breadcrumb":["a/x>y"],"score":1}]}
`, string(fixtures))
}

func TestQueryIDsThatAreNoCaseIDsAreMappedTheSameWayEachTime(t *testing.T) {
	t.Parallel()
	judgments := make(map[string]map[string]int)
	for _, id := range []string{"1", "a/b", "a b", "a-b", "Q1", "q1", ".x", "查询", "é", "e\u0301", strings.Repeat("x", 200), "\xff", "..", "straße", "STRASSE", "ok_1.2-3"} {
		judgments[id] = map[string]int{"d": 1}
	}
	q, err := NewQrels("qrels", judgments)
	require.NoError(t, err)
	var first map[string]string
	for range 3 {
		imported := Imported{Renamed: make(map[string]string)}
		ids := caseIDs(q, &imported)
		if first == nil {
			first = ids
		}
		require.Empty(t, cmp.Diff(first, ids))
		seen := make(map[string]string)
		for query, id := range ids {
			require.NoError(t, input.ValidateID(id), "%q", query)
			require.Empty(t, seen[strings.ToLower(id)], "%q and %q", query, seen[strings.ToLower(id)])
			seen[strings.ToLower(id)] = query
			if renamed, ok := imported.Renamed[query]; ok {
				assert.Equal(t, id, renamed)
			} else {
				assert.Equal(t, query, id)
			}
		}
		for _, kept := range []string{"1", "a-b", "查询", "ok_1.2-3"} {
			assert.Equal(t, kept, ids[kept])
		}
		assert.Regexp(t, `^a-b-[0-9a-f]{8}$`, ids["a/b"])
		assert.Regexp(t, `^query-[0-9a-f]{8}$`, ids[".."])
		assert.Regexp(t, `^q1-[0-9a-f]{8}$`, ids["q1"])
		assert.Regexp(t, `^Q1-[0-9a-f]{8}$`, ids["Q1"])
	}
}

func TestAMappedCaseKeepsItsQueryID(t *testing.T) {
	t.Parallel()
	qrels, err := NewQrels("qrels", map[string]map[string]int{"web/7": {"a": 1}})
	require.NoError(t, err)
	dir := t.TempDir()
	imported, err := Import(qrels, Reader("run", strings.NewReader("web/7 Q0 a 1 1 r\n")), dir, ImportOptions{})
	require.NoError(t, err)
	id := imported.Renamed["web/7"]
	cases, err := os.ReadFile(filepath.Join(dir, CasesFile))
	require.NoError(t, err)
	assert.Contains(t, string(cases), `{"id":"`+id+`","query":"web/7",`)
	assert.Contains(t, string(cases), `"metadata":{"query_id":"web/7"}}`)
	fixtures, err := os.ReadFile(filepath.Join(dir, FixturesFile))
	require.NoError(t, err)
	assert.Contains(t, string(fixtures), `{"case_id":"`+id+`",`)
	assert.Equal(t, []string{"query ids that are no case ids, mapped to ones that are (1): web/7"}, imported.Notes())
}

func TestAnImportRefusesWhatCannotBeACase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none, err := NewQrels("qrels", map[string]map[string]int{"1": {"a": 0}})
	require.NoError(t, err)
	_, err = Import(none, Reader("run", strings.NewReader("1 Q0 a 1 1 r\n")), dir, ImportOptions{})
	require.EqualError(t, err, "qrels: no query has a relevant document: no case can be made")
	bytes, err := NewQrels("qrels", map[string]map[string]int{"1": {"\xff": 1}})
	require.NoError(t, err)
	_, err = Import(bytes, Reader("run", strings.NewReader("1 Q0 a 1 1 r\n")), dir, ImportOptions{})
	require.EqualError(t, err, `qrels: query "1": document "\xff" is not UTF-8, and a case holds nothing else`)
	fine, err := NewQrels("qrels", map[string]map[string]int{"1": {"a": 1}})
	require.NoError(t, err)
	_, err = Import(fine, Reader("run", strings.NewReader("1 Q0 \xff 1 1 r\n")), dir, ImportOptions{})
	require.EqualError(t, err, `run: query "1": document "\xff" is not UTF-8, and a fixture holds nothing else`)
	_, err = Import(fine, Reader("run", strings.NewReader("1 Q0 a 1 1 r\n")), dir, ImportOptions{Depth: -1})
	require.EqualError(t, err, "depth -1: must be 1 or more")
}

func TestTextsOfQueriesComeAsTSVOrJSONLines(t *testing.T) {
	t.Parallel()
	want := map[string]string{"1": "VPN 连不上", "2": "two\twords"}
	for name, text := range map[string]string{
		"TSV":        "\ufeff1\tVPN 连不上\r\n\n2\ttwo\twords\n",
		"JSON Lines": `{"_id": "1", "text": "VPN 连不上", "metadata": {}}` + "\n" + `{"id": 2, "query": "two\twords"}`,
	} {
		got, err := ReadTexts(Reader("texts", strings.NewReader(text)))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	for text, want := range map[string]string{
		"":                                       "texts: no texts: the file is empty",
		"1 one\n":                                `texts:1: not an id, a tab and a text: "1 one"`,
		"1\tone\n1\ttwo\n":                       `texts:2: query "1": a second text, the first is at line 1`,
		"{\"_id\": \"1\"}\n":                     `texts:1: wanted an id (_id, id, query_id or qid) and a text (text, query or title): "{\"_id\": \"1\"}"`,
		"{\"_id\": \"1\", \"text\": \"x\"}\nx\n": `texts:2: not a JSON object with an id and a text: "x"`,
		"\xff\tx\n":                              "texts:1: not UTF-8",
		"1\t" + strings.Repeat("x", MaxLine) + "y": "texts:1: line of more than 1048576 bytes",
	} {
		_, err := ReadTexts(Reader("texts", strings.NewReader(text)))
		require.EqualError(t, err, want)
	}
}

package evalset_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/retrieval"
	"github.com/karat-eval/karat/retrieval/evalset"
)

func read(t testing.TB, name, text string) *evalset.Set {
	t.Helper()
	s, err := evalset.Read(name, []byte(text), evalset.Options{})
	require.NoError(t, err)
	return s
}

func file(t testing.TB, name string) *evalset.Set {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return read(t, name, string(data))
}

func notes(s *evalset.Set) []string {
	out := make([]string, len(s.Notes))
	for i, n := range s.Notes {
		out[i] = n.String()
	}
	return out
}

func TestABareListBecomesACaseSet(t *testing.T) {
	s := file(t, "multi_scenario_smoke.json")
	require.Len(t, s.Cases, 2)
	assert.Empty(t, notes(s))
	c := s.Cases[0]
	assert.Equal(t, "入职流程有哪些步骤", c.Query)
	assert.Equal(t, "chat", c.ScenarioType)
	assert.Equal(t, "enterprise_knowledge", c.ScenarioID)
	assert.Equal(t, "hr", c.ExpectedSource)
	assert.Equal(t, "rag", c.ExpectedHitType)
	assert.Equal(t, 2, c.MinExpectedSources)
	assert.Len(t, c.ExpectedKeywords, 5)
	assert.True(t, strings.HasPrefix(c.ID, "入职流程有哪些步骤-"), c.ID)
	assert.NoError(t, input.ValidateID(c.ID))
}

func TestOneCaseAloneIsASetToo(t *testing.T) {
	s := file(t, "engineering.json")
	require.Len(t, s.Cases, 1)
	assert.Empty(t, notes(s))
	assert.Equal(t, []retrieval.Document{{ID: "engineering_project_qa/doc_chunk_quality_042"}}, s.Cases[0].ExpectedDocuments)
	assert.Equal(t, "knowledge_answer", s.Cases[0].ExpectedPromptProfile)
	assert.Contains(t, s.Cases[0].Notes, "覆盖至少 3 个关键词")
}

func TestWhatIsWrittenIsACaseSetOfFirstNamesInOrder(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, file(t, "multi_scenario_smoke.json").WriteYAML(&b))
	want := `version: 1
defaults:
  scenario_type: chat
cases:
  - id: 入职流程有哪些步骤-HASH
    query: 入职流程有哪些步骤
    scenario_id: enterprise_knowledge
    expected_keywords: [入职, 流程, 步骤, 材料, 合同]
    expected_source: hr
    min_expected_sources: 2
    expected_hit_type: rag
  - id: 忘记密码怎么办-HASH
    query: 忘记密码怎么办
    scenario_id: enterprise_knowledge
    expected_keywords: [密码, 重置, 邮箱, 手机]
    expected_source: it
    min_expected_sources: 1
    expected_hit_type: faq_direct
`
	got := b.String()
	for _, c := range file(t, "multi_scenario_smoke.json").Cases {
		got = strings.ReplaceAll(got, c.ID, c.ID[:len(c.ID)-8]+"HASH")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("case set (-want +got):\n%s", diff)
	}
}

func TestAnIDDependsOnTheQuestionAndOnNothingElse(t *testing.T) {
	id := func(text string, i int) string { return read(t, "set.json", text).Cases[i].ID }
	const a = `{"query": "VPN 连不上怎么办", "expected_source": "it", "expected_keywords": "重启"}`
	const b = `{"query": "How do I reset MFA?", "expected_source": "it", "expected_keywords": "QR"}`
	assert.Equal(t, id("["+a+"]", 0), id("["+b+","+a+"]", 1), "not on its place")
	assert.Equal(t, id("["+a+"]", 0), id("["+strings.Replace(a, "重启", "重装", 1)+"]", 0), "not on what is expected")
	assert.Equal(t, id("["+a+"]", 0), id("["+strings.Replace(a, "VPN 连", `VPN  连`, 1)+"]", 0), "not on the number of spaces")
	assert.NotEqual(t, id("["+a+"]", 0), id("["+strings.Replace(a, "不上", "上", 1)+"]", 0), "on the question")
	assert.NotEqual(t, id("["+a+"]", 0), id("["+strings.Replace(a, `"query"`, `"scenario_id": "x", "query"`, 1)+"]", 0), "on who is asked")
	assert.True(t, strings.HasPrefix(id("["+b+"]", 0), "how-do-i-reset-mfa-"), id("["+b+"]", 0))
	assert.True(t, strings.HasPrefix(id(`[{"query": "???", "expected_source": "it", "expected_keywords": "x"}]`, 0), "case-"))
}

func TestQuestionsThatAreAskedTwiceAreToldApart(t *testing.T) {
	s := read(t, "set.json", `[
{"query": "q", "expected_source": "a", "expected_keywords": "x"},
{"query": "q", "expected_source": "b", "expected_keywords": "x"},
{"question": "q", "expected_keywords": "x", "expected_source": "a"}]`)
	require.Len(t, s.Cases, 2)
	assert.NotEqual(t, s.Cases[0].ID, s.Cases[1].ID)
	assert.Equal(t, []string{"set.json:4: left out: it is equal to the case on line 2"}, notes(s))
}

// Baselines, fixtures and reports go by the id. A case that is added to a file
// must not change that of another.
func TestAQuestionThatIsAskedAgainLeavesTheFirstItsID(t *testing.T) {
	const (
		first  = `{"query": "q", "expected_source": "a", "expected_keywords": "x"}`
		second = `{"query": "q", "expected_source": "b", "expected_keywords": "x"}`
		third  = `{"query": "q", "expected_source": "c", "expected_keywords": "x", "team": "t", "owner": "o"}`
		other  = `{"query": "r", "expected_source": "c", "expected_keywords": "x"}`
	)
	ids := func(cases ...string) map[string]string {
		out := map[string]string{}
		for _, c := range read(t, "set.json", "["+strings.Join(cases, ",\n")+"]").Cases {
			require.NotContains(t, out, c.ExpectedSource+c.Query)
			out[c.ExpectedSource+c.Query] = c.ID
		}
		return out
	}
	plain := ids(first)["aq"]
	all := ids(first, second, third)
	require.Len(t, all, 3)
	assert.Equal(t, plain, all["aq"], "it is the first")
	assert.True(t, strings.HasPrefix(all["bq"], plain+"-"), all["bq"])
	assert.NotEqual(t, all["bq"], all["cq"])
	assert.Equal(t, all["bq"], ids(other, first, third, other, second)["bq"], "its place is not what its id comes from")
	assert.Equal(t, all, ids(first, first, second, third, second), "a duplicate changes nothing")
	swapped := strings.Replace(third, `"team": "t", "owner": "o"`, `"owner": "o", "team": "t"`, 1)
	assert.Equal(t, all["cq"], ids(first, swapped)["cq"], "nor does the order of its fields")
	assert.Len(t, ids(first, third, swapped), 2, "which makes no other case")

	s := read(t, "set.json", `[`+first+`,
{"id": "`+plain+`", "query": "mine", "expected_source": "m", "expected_keywords": "x"}]`)
	require.Len(t, s.Cases, 2)
	assert.True(t, strings.HasPrefix(s.Cases[0].ID, plain+"-"), "an id that the file itself gives is given to no other: %s", s.Cases[0].ID)
	assert.Equal(t, plain, s.Cases[1].ID)

	s = read(t, "set.json", `[{"id": "a", "query": "q", "expected_source": "a", "expected_keywords": "x"},
{"expected_keywords": "x", "id": "a", "query": "q", "expected_source": "a"}]`)
	require.Len(t, s.Cases, 1, "a duplicate of a case with an id is one too")
	assert.Equal(t, []string{`set.json:2: case "a": left out: it is equal to the case on line 1`}, notes(s))
}

func TestCasesThatAreLeftOutComeFirstAndAreCounted(t *testing.T) {
	s := read(t, "set.jsonl", `{"id": "a", "query": "q", "expected_source": "s", "expected_keywords": "k", "x": 1}
{"id": "b", "query": "q"}
7
{"id": "c", "query": "q", "expected_source": "s", "expected_keywords": "k", "y": 1}
`)
	assert.Equal(t, 4, s.Entries)
	require.Len(t, s.Cases, 2)
	var lines []int
	var left []bool
	for _, n := range s.Notes {
		lines, left = append(lines, n.Line), append(left, n.LeftOut)
	}
	assert.Equal(t, []int{2, 3, 1, 4}, lines)
	assert.Equal(t, []bool{true, true, false, false}, left)
}

func TestWhatCannotBeTakenOverIsKeptAndListed(t *testing.T) {
	for _, tt := range []struct {
		name, why, file, text string
		cases                 int
		metadata              map[string]any
		want                  []string
	}{
		{
			"a field of their own", "it is theirs, and nothing of ours", "set.json",
			`[{"id": "a", "query": "q", "expected_source": "s", "expected_keywords": ["k"],
"ground_truth": "the answer", "metadata": {"owner": "x"}}]`,
			1, map[string]any{"owner": "x", "ground_truth": "the answer"},
			[]string{`set.json:2: case "a": ground_truth: no field of a case; it is kept under metadata`},
		},
		{
			"a misspelt field", "what it meant to check goes unchecked", "set.json",
			`[{"id": "a", "query": "q", "expected_source": "s", "expected_keywords": ["k"], "expectedDocument": "d", "difficulty": 1}]`,
			1, map[string]any{"expectedDocument": "d", "difficulty": int64(1)},
			[]string{`case "a": expectedDocument: no field of a case; did you mean "expected_documents"? It is kept under metadata`,
				`case "a": difficulty: no field of a case; it is kept under metadata`},
		},
		{
			"an id that is none", "a path must not become a file name", "set.json",
			`[{"id": "../a", "query": "q", "expected_source": "s", "expected_keywords": ["k"]}]`,
			1, map[string]any{"id": "../a"},
			[]string{`id: "../a" starts with "."; an id is 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'; it is kept under metadata`},
		},
		{
			"an id twice", "also without case", "set.json",
			`[{"id": "a", "query": "q", "expected_source": "s", "expected_keywords": ["k"]},
{"id": "A", "query": "r", "expected_source": "s", "expected_keywords": ["k"]}]`,
			2, nil, []string{"set.json:2: case \"r-", "the id is taken; it is kept under metadata"},
		},
		{
			"a minimum that bounds nothing", "the case means the rest of what it says", "set.json",
			"[{\"id\": \"a\", \"query\": \"q\", \"relevant_doc_id\": 7, \"expected_keywords\": [\"k\"],\n\n\"min_expected_sources\": 2}]",
			1, map[string]any{"min_expected_sources": int64(2)},
			[]string{`set.json:3: case "a": min_expected_sources: `},
		},
		{
			"a value of a wrong type", "the same", "set.yaml",
			"- query: q\n  id: a\n  expected_source: s\n  expected_keywords: [k]\n  turn: first\n  conversation_id: c\n",
			1, map[string]any{"turn": "first"},
			[]string{`set.yaml:5: case "a": turn: `},
		},
		{
			"a case that expects nothing", "it could only pass", "set.jsonl",
			`{"id": "a", "query": "q"}` + "\n" + `{"id": "b", "query": "q", "expected_source": "s", "expected_keywords": "k"}`,
			1, nil, []string{`set.jsonl:1: case "a": left out: `},
		},
		{
			"an entry that is no object", "there is nothing to take over", "set.json",
			`["q", {"id": "b", "query": "q", "expected_source": "s", "expected_keywords": "k"}]`,
			1, nil, []string{`set.json:1: left out: a case is an object, found the string "q"`},
		},
		{
			"fields beside the cases", "they say nothing of a case", "set.json",
			`{"name": "smoke", "cases": [{"id": "b", "query": "q", "expected_source": "s", "expected_keywords": "k"}]}`,
			1, nil, []string{`"name" beside the cases is not taken over`},
		},
		{
			"two names of one field", "the first is taken", "set.json",
			`[{"id": "b", "query": "q", "question": "r", "expected_source": "s", "expected_keywords": "k"}]`,
			1, map[string]any{"question": "r"}, []string{"question: another name of query is there too; it is kept under metadata"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, tt.file, tt.text)
			require.Len(t, s.Cases, tt.cases, tt.why)
			all := strings.Join(notes(s), "\n")
			for _, want := range tt.want {
				assert.Contains(t, all, want, tt.why)
			}
			if tt.metadata != nil {
				if diff := cmp.Diff(tt.metadata, s.Cases[0].Metadata); diff != "" {
					t.Errorf("metadata (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestAFileOfWhichNothingIsLeftIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"set.json":   `[]`,
		"none.json":  `{"cases": []}`,
		"text.json":  `"cases"`,
		"empty.json": ``,
		"cut.json":   `[{"query": "q"`,
		"twice.json": `[{"query": "q", "query": "r", "expected_source": "s", "expected_keywords": "k"}]`,
		"bare.json":  `[{"query": "q"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := evalset.Read(name, []byte(text), evalset.Options{})
			assert.ErrorContains(t, err, name)
		})
	}
}

// What is written is read back as the same cases, whatever stands in them.
func TestACaseSetReadsBackAsItWasWritten(t *testing.T) {
	texts := rapid.SampledFrom([]string{
		"plain", "09", "1.0", "true", "null", "~", "no", ": x", "# x", "- x", "a\nb", "\"", "'", "<b>", "|", "{}", "[x]", "连接池 耗尽", "é", " ", "0x1F", "2024-01-01", "=", "%", "@", "`", "\u2028", "\u0085",
	})
	rapid.Check(t, func(t *rapid.T) {
		s := &evalset.Set{ScenarioType: "chat"}
		for i := range rapid.IntRange(1, 4).Draw(t, "cases") {
			c := retrieval.Case{
				ID: fmt.Sprintf("case-%d", i), Query: "q" + texts.Draw(t, "query"), ScenarioType: rapid.SampledFrom([]string{"chat", "aiops"}).Draw(t, "type"),
				ExpectedDocuments:   []retrieval.Document{{ID: "d" + strings.TrimSpace(texts.Draw(t, "document"))}, {Contains: "c", Grade: 2}},
				ExpectedBreadcrumbs: []retrieval.Breadcrumb{{"a" + texts.Draw(t, "segment"), "b"}},
				Notes:               texts.Draw(t, "notes"),
				Metadata:            map[string]any{"x": texts.Draw(t, "value"), "y": []any{texts.Draw(t, "item"), int64(3), true}},
			}
			s.Cases = append(s.Cases, c)
		}
		for name, write := range map[string]func() ([]byte, error){
			"set.yaml": func() ([]byte, error) { var b bytes.Buffer; err := s.WriteYAML(&b); return b.Bytes(), err },
			"set.json": func() ([]byte, error) { var b bytes.Buffer; err := s.WriteJSON(&b); return b.Bytes(), err },
		} {
			data, err := write()
			if err != nil {
				t.Fatal(err)
			}
			got, err := retrieval.ReadCases(name, data, retrieval.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, data)
			}
			if diff := cmp.Diff(s.Cases, got); diff != "" {
				t.Fatalf("%s (-want +got):\n%s\n%s", name, diff, data)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("set.json", []byte(`[{"query": "q", "expected_source": "s", "expected_keywords": "k"}]`))
	f.Add("set.yaml", []byte("- {query: 09, expected_source: .nan, expected_keywords: [~, 1_000]}\n- &a [*a]\n"))
	f.Add("set.jsonl", []byte("{\"query\": {}, \"id\": []}\n{}\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if !slices.Contains([]string{"set.json", "set.yaml", "set.jsonl"}, name) {
			return
		}
		s, err := evalset.Read(name, data, evalset.Options{})
		if err != nil {
			return
		}
		var b bytes.Buffer
		require.NoError(t, s.WriteYAML(&b))
		got, err := retrieval.ReadCases("out.yaml", b.Bytes(), retrieval.Options{})
		require.NoError(t, err, b.String())
		require.Len(t, got, len(s.Cases))
	})
}

func Example() {
	set, err := evalset.Read("smoke.json", []byte(`[{
		"query": "忘记密码怎么办",
		"expected_source": "it",
		"expected_keywords": ["密码", "重置"],
		"difficulty": "easy"
	}]`), evalset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, note := range set.Notes {
		fmt.Println(note)
	}
	if err := set.WriteYAML(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// smoke.json:5: case "忘记密码怎么办-4b6895fa": difficulty: no field of a case; it is kept under metadata
	// version: 1
	// defaults:
	//   scenario_type: chat
	// cases:
	//   - id: 忘记密码怎么办-4b6895fa
	//     query: 忘记密码怎么办
	//     expected_keywords: [密码, 重置]
	//     expected_source: it
	//     metadata:
	//       difficulty: easy
}

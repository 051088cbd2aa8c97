package retrieval_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/retrieval"
)

// What a failed check says, word for word: expected | got | reason.
func TestAFailedCheckSaysWhatAReaderNeeds(t *testing.T) {
	rows := map[string]rowTest{}
	for _, name := range []string{"retrieval.json", "worked.json"} {
		for _, tt := range readRows(t, name) {
			rows[tt.ID] = tt
		}
	}
	for _, tt := range []struct{ row, check, want string }{
		{"found-beyond-k", "ranking", "rank 5 or better | rank 8 | found at rank 8, beyond k = 5"},
		{"evidence-elsewhere-is-a-miss", "expected_document", "it/vpn.md | it/wifi.md | it is not among the 1 candidate; the evidence stands in it/wifi.md (rank 1), which the case does not expect"},
		{"evidence-elsewhere-is-a-miss", "hit_level", "strong | miss | no expected document was found; the evidence stands in it/wifi.md (rank 1), which the case does not expect"},
		{"empty-result", "expected_document", "it/vpn.md | nothing | nothing was found"},
		{"medium", "evidence", "2 of 2 keywords | 0 of 2 keywords | missing: 重启, 账号"},
		{"medium", "hit_level", "strong | medium | the document was found at rank 2, without its evidence; missing: 重启, 账号"},
		{"breadcrumb-on-another-document", "evidence", "2 of 2 keywords, or the breadcrumb VPN > 故障处理 | 0 of 2 keywords, the breadcrumb on it/wifi.md | missing: 重启, 账号; no candidate of an expected document has the breadcrumb"},
		{"no-missing-text-as-zero", "fixture", "candidates with text | none has text | keywords are expected, and no candidate's text was recorded to look for them in"},
		{"system-error", "system_error", "no error | milvus: connection refused | the system failed when the fixture was recorded"},
		{"scenario-leak", "scenario_isolation", "candidates of enterprise_knowledge alone | z at rank 2 is of cross_border | 1 candidate leaked from another scenario"},
		{"hit-type-wrong", "hit_type", "faq_direct | rag | the system took the question for rag, not for faq_direct"},
		{"hit-type-absent", "hit_type", "rag | (absent) | the fixture records no hit_type"},
		{"stated-but-absent", "source", "it | (absent) | the fixture records no source"},
		{"source-rank-before-document-rank", "source", "it | hr | the system searched hr, not it"},
		{"distinct-documents-of-the-source", "min_expected_sources", "2 documents of it | 1: a | the candidates hold 1 different document of it"},
		{"forbidden-document", "forbidden_documents", "none of old, *draft* | Draft 2024 at rank 2 | a document that must not come was found"},
		{"citation-out-of-range", "citations", "positions 1 to 1, or ids of candidates | 3 | 1 of 1 citation points to none of the 1 candidate"},
		{"mark-with-two-numbers", "citations", "positions 1 to 1, or ids of candidates | [2] | 1 of 2 citations points to none of the 1 candidate"},
		{"answer-lost-it", "answer_keywords", "2 of 2 keywords | 0 of 2 keywords | missing: 重启, 账号"},
		{"ungrounded-number", "grounded", "2 of 2 facts | 1 of 2 facts | in no candidate and not in the question: 60 秒"},
		{"number-inside-a-number", "grounded", "1 of 1 fact | 0 of 1 fact | in no candidate and not in the question: 8%"},
		{"unanswerable-and-answered", "answerable", "no answer: one of the hit types insufficient_context, no_answer, source_boundary, scenario_boundary, refused, a refusal, or an empty answer | hit type rag, the answer \"火星分公司在火星路 1 号。\" | the documents do not answer the question, and the system answered it"},
		{"follow-up-lost-its-context", "rewrite_keywords", `2 keywords in the rewritten question | "Mac 怎么用" | the context was not carried; missing: VPN`},
	} {
		t.Run(tt.row+"/"+tt.check, func(t *testing.T) {
			r, ok := rows[tt.row]
			require.True(t, ok)
			row := r.row(t)
			c := row.Check(tt.check)
			require.NotNil(t, c)
			assert.Equal(t, evaluation.CheckFail, c.Status)
			if diff := cmp.Diff(tt.want, strings.Join([]string{c.Expected, c.Got, c.Reason}, " | ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEvidenceSaysByWhatAndWhere(t *testing.T) {
	cases, err := retrieval.ReadCases("cases.yaml", []byte(`
- id: c
  query: q
  scenario_type: chat
  expected_documents: [vpn.md]
  expected_keywords: [{any: [reboot, restart]}, "5.7", 账号, 删除]
  expected_breadcrumbs: [VPN > 故障]
`), retrieval.Options{})
	require.NoError(t, err)
	fixture, err := retrieval.DecodeFixture([]byte(`{"candidates": [
		{"document_id": "vpn.md", "label": "VPN", "breadcrumb": "IT > VPN > 故障", "text": "Please restart the client; the version is 5.7.38."},
		{"document_id": "b.md", "text": "请勿删除日志"}
	]}`))
	require.NoError(t, err)
	result, err := retrieval.Evaluate(cases[0], fixture, retrieval.Options{})
	require.NoError(t, err)
	want := []evaluation.Evidence{
		{Kind: "keyword", Expected: "reboot | restart", Covered: true, By: "restart", Where: "VPN", Around: "Please restart the client; the version…"},
		{Kind: "keyword", Expected: "5.7", By: "5.7", Where: "VPN", Around: "…the client; the version is 5.7.38.", Note: `found inside "5.7.38"`},
		{Kind: "keyword", Expected: "账号"},
		{Kind: "keyword", Expected: "删除", Covered: true, By: "删除", Where: "b.md", Around: "请勿删除日志", Note: "the hit is negated in its clause"},
		{Kind: "breadcrumb", Expected: "VPN > 故障", Covered: true, Where: "VPN", Around: "IT > VPN > 故障"},
	}
	if diff := cmp.Diff(want, result.Evidence); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShowMarksWhatWasExpectedAndWhereKeywordsStand(t *testing.T) {
	dir := folder(t, map[string]string{
		"cases.json": `[{"id": "a", "query": "VPN 连不上", "scenario_type": "chat", "scenario_id": "s1", "expected_documents": ["vpn.md"], "expected_keywords": ["重启"], "answer_keywords": ["重启"], "forbidden_documents": ["old.md"]}]`,
		"fixtures/a.json": `{"candidates": [
			{"id": "1", "document_id": "old.md", "text": "x"},
			{"id": "2", "document_id": "vpn.md", "label": "VPN", "score": 0.5, "text": "先重启，再重启"},
			{"id": "2", "document_id": "vpn.md"},
			{"id": "4", "scenario_id": "s2"}
		], "answer": "请重启", "citations": [2], "duration_ms": 12.5}`,
	})
	s, err := retrieval.Open(dir, retrieval.Options{K: 2})
	require.NoError(t, err)
	defer s.Close()
	d, err := s.Show("a")
	require.NoError(t, err)
	assert.Equal(t, "a", d.Title)
	assert.Equal(t, "VPN 连不上", d.Subtitle)
	section := func(title string) evaluation.Section {
		for _, s := range d.Sections {
			if strings.HasPrefix(s.Title, title) {
				return s
			}
		}
		t.Fatalf("no section %q", title)
		return evaluation.Section{}
	}
	want := []evaluation.Item{
		{Mark: evaluation.Bad, Label: "1. old.md", Detail: "forbidden · 1", Text: "x"},
		{Mark: evaluation.Good, Label: "2. VPN", Detail: "expected · vpn.md · 2 · score 0.5", Text: "先重启，再重启", Spans: []evaluation.Span{{Start: 3, End: 9, Mark: evaluation.Good}, {Start: 15, End: 21, Mark: evaluation.Good}}},
		{Mark: evaluation.Faint, Label: "3. vpn.md", Detail: "copy of 2 · 2"},
		{Mark: evaluation.Bad, Label: "4. 4", Detail: "leaked from s2"},
	}
	if diff := cmp.Diff(want, section("Candidates").Items); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	want = []evaluation.Item{
		{Label: "answer", Text: "请重启", Spans: []evaluation.Span{{Start: 3, End: 9, Mark: evaluation.Good}}},
		{Label: "citations", Detail: "2"},
	}
	if diff := cmp.Diff(want, section("Answer").Items); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	_, err = s.Show("b")
	assert.Error(t, err)

	missing := folder(t, map[string]string{"cases.json": "[" + caseA + "]", "fixtures/b.json": "{}"})
	s, err = retrieval.Open(missing, retrieval.Options{})
	require.NoError(t, err)
	defer s.Close()
	d, err = s.Show("a")
	require.NoError(t, err)
	assert.Equal(t, "fixture", section("Checks").Items[0].Label)
}

package retrieval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/retrieval"
)

const hintCase = `{"id": "a", "query": "VPN 连不上", "scenario_type": "chat", "scenario_id": "it", "expected_documents": ["vpn.md"], "expected_keywords": ["重启"],
	"expected_hit_type": "rag", "expected_source": "it", "answer_keywords": ["重启"]}`

const hintFixture = `{"case_id": "a", "query": "VPN 连不上",
	"candidates": [
		{"document_id": "vpn.md", "text": "重启客户端", "scenario_id": "it", "rank": 1, "metadata": {}},
		{"document_id": "b", "text": "b", "scenario_id": "it"}],
	"hit_type": "rag", "source": "it", "answer": "重启客户端 [1]", "duration_ms": 5, "trace": "t", "model": "m"}`

// A fixture in which one name is a slip: the reason of the check that fails for it
// says so, and where nothing fails a warning does.
func TestASlipInAFixturesNamesIsNamedWhereItIsMissed(t *testing.T) {
	for _, tt := range []struct {
		name, right, wrong string
		check, want        string // check is "" for a warning
	}{
		{"no slip", `"model"`, `"models"`, "", ""},
		{"the list", `"candidates"`, `"candidate"`, "fixture", `; the fixture has "candidate"; did you mean "candidates"?`},
		{"the list of another application", `"candidates"`, `"chunks"`, "fixture", `; the fixture has "chunks"; did you mean "candidates"?`},
		{"a text", `"text": "重启客户端"`, `"content": "重启客户端"`, "evidence", `; candidate 1 has "content"; did you mean "text"?`},
		{"all texts", `"text"`, `"contents"`, "fixture", `; candidate 1 has "contents"; did you mean "text"?`},
		{"a document's id", `"document_id"`, `"doc_id"`, "expected_document", `; candidate 1 has "doc_id"; did you mean "document_id"?`},
		{"the answer", `"answer"`, `"anser"`, "answer_keywords", `; the fixture has "anser"; did you mean "answer"?`},
		{"the hit type", `"hit_type"`, `"hitType"`, "hit_type", `; the fixture has "hitType"; did you mean "hit_type"?`},
		{"the source", `"source"`, `"sources"`, "source", `; the fixture has "sources"; did you mean "source"?`},
		{"the scenarios", `"scenario_id"`, `"scenario"`, "",
			"scenario_isolation does not apply: no candidate says which scenario it is of\ncandidate 1 has \"scenario\"; did you mean \"scenario_id\"?"},
		{"the duration, surely", `"duration_ms"`, `"durationMs"`, "", `the fixture has "durationMs"; did you mean "duration_ms"?`},
		{"the duration, maybe", `"duration_ms"`, `"duration_s"`, "", ""},
		{"null is not there", `"model": "m"`, `"Error": null`, "", ""},
		{"a name beside the right one", `"model"`, `"anser"`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, hintFixture, tt.right)
			fixture := strings.ReplaceAll(hintFixture, tt.right, tt.wrong)
			report, err := run(t, folder(t, map[string]string{"cases.json": "[" + hintCase + "]", "fixtures/a.json": fixture}), retrieval.Options{})
			require.NoError(t, err)
			row := &report.Rows[0]
			if tt.check != "" {
				assert.NotEqual(t, evaluation.Pass, row.Status)
				assert.True(t, strings.HasSuffix(row.Check(tt.check).Reason, tt.want), row.Check(tt.check).Reason)
				return
			}
			assert.Equal(t, evaluation.Pass, row.Status)
			assert.Equal(t, tt.want, strings.Join(row.Warnings, "\n"))
		})
	}
}

func TestCandidatesThatDoNotSayTheirScenarioAreCounted(t *testing.T) {
	one := strings.Replace(hintFixture, `"scenario_id": "it"}`, `"score": 1}`, 1)
	report, err := run(t, folder(t, map[string]string{"cases.json": "[" + hintCase + "]", "fixtures/a.json": one}), retrieval.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"1 of 2 candidates does not say which scenario it is of; scenario_isolation goes by the others"}, report.Rows[0].Warnings)
}

func TestAnUnreadableFixtureNamesItsLine(t *testing.T) {
	broken := "{\"case_id\": \"a\",\n \"candidates\":\n  7}"
	files := map[string]string{"cases.json": "[" + hintCase + "]", "fixtures/a.json": "\uFEFF" + broken}
	report, err := run(t, folder(t, files), retrieval.Options{})
	require.NoError(t, err)
	assert.Equal(t, "a.json:3: byte 34 (candidates): a list is needed, found a number", report.Rows[0].Check("fixture").Reason)

	s, err := retrieval.Open(folder(t, map[string]string{"cases.json": "[" + hintCase + "]", "fixtures.jsonl": "\n" + strings.ReplaceAll(broken, "\n", " ") + "\n"}), retrieval.Options{})
	require.NoError(t, err)
	defer s.Close()
	row, err := s.Case("a")
	require.NoError(t, err)
	assert.Equal(t, "fixtures.jsonl:2: byte 34 (candidates): a list is needed, found a number", row.Check("fixture").Reason)
}

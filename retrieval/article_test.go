package retrieval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/retrieval"
)

// The worked figures of the article on quality gates, by name.

func handed(t *testing.T, id string) evaluation.Row {
	t.Helper()
	for _, tt := range readRows(t, "retrieval.json") {
		if tt.ID == id {
			return tt.row(t)
		}
	}
	t.Fatalf("no row %q", id)
	return evaluation.Row{}
}

func TestArticleKeywordRecallAt5Is5Of5(t *testing.T) {
	row := handed(t, "article-recall-k5")
	got, ok := row.Number("keyword_recall@5")
	require.True(t, ok)
	assert.Equal(t, 5.0/5, got)
}

func TestArticleKeywordRecallAt2Is4Of5(t *testing.T) {
	row := handed(t, "article-recall-k2")
	got, ok := row.Number("keyword_recall@2")
	require.True(t, ok)
	assert.InDelta(t, 4.0/5, got, 1e-12)
}

func TestArticleKeywordCoverageOfTheHSCodeIs6Of6(t *testing.T) {
	row := handed(t, "article-hs-code")
	got, ok := row.Number("keyword_coverage")
	require.True(t, ok)
	assert.Equal(t, 6.0/6, got)
	require.Len(t, row.Evidence, 6)
	for _, v := range row.Evidence {
		assert.True(t, v.Covered, v.Expected)
	}
}

func TestArticleMRROfRanks1And3And1Is0778(t *testing.T) {
	var cases []retrieval.Case
	fixtures := suite.Map{}
	for i, query := range []string{"入职流程有哪些步骤", "VPN 连不上怎么办", "员工报销需要准备哪些材料"} {
		id := fmt.Sprintf("query-%d", i+1)
		rank := []int{1, 3, 1}[i]
		cases = append(cases, retrieval.Case{
			ID: id, Query: query, ScenarioType: "chat",
			ExpectedDocuments:   []retrieval.Document{{ID: "relevant"}},
			ExpectedBreadcrumbs: []retrieval.Breadcrumb{{"手册"}},
		})
		f := retrieval.Fixture{}
		for place := 1; place <= 3; place++ {
			c := retrieval.Candidate{ID: fmt.Sprint("doc-", place), Breadcrumb: []string{"手册"}}
			if place == rank {
				c.ID = "relevant"
			}
			f.Candidates = append(f.Candidates, c)
		}
		data, err := json.Marshal(f)
		require.NoError(t, err)
		fixtures[id] = data
	}
	s, err := retrieval.New(cases, fixtures, retrieval.Options{})
	require.NoError(t, err)
	report, err := s.Run(context.Background())
	require.NoError(t, err)
	mrr, _ := report.Entry("mrr")
	assert.Equal(t, "0.778", fmt.Sprintf("%.3f", mrr.Value))
	assert.Equal(t, 3, mrr.N)
	rank, _ := report.Entry("average_first_hit_rank")
	assert.InDelta(t, 5.0/3, rank.Value, 1e-12)
}

// sharedData finds data that lies beside the repository and is no part of it.
func sharedData(t *testing.T, path ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, parent, dir, "no go.mod above the test")
		dir = parent
	}
	name := filepath.Join(append([]string{filepath.Dir(dir), "shared", "data"}, path...)...)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("needs ../shared/data/%s beside the repository", filepath.Join(path...))
	}
	return name
}

// A public project's 35 cases with two runs, and what that project measured of
// them itself.
func TestTheFiguresOfARealProjectComeOutToFourDecimals(t *testing.T) {
	dir := sharedData(t, "aiops-retrieval")
	for _, tt := range []struct {
		run                          string
		recall, precision, mrr, ndcg string
		success1                     string
		mean                         string
		p50, p95                     float64
	}{
		{"dense", "0.9714", "0.1943", "0.8714", "0.8969", "0.8000", "173.17", 169, 218},
		{"hybrid-rrf", "0.8857", "0.1771", "0.8333", "0.8466", "0.8000", "308.57", 199, 984},
	} {
		t.Run(tt.run, func(t *testing.T) {
			run := func(k int) *evaluation.Report {
				s, err := retrieval.OpenFiles(filepath.Join(dir, "cases.json"), filepath.Join(dir, tt.run+".jsonl"), retrieval.Options{K: k})
				require.NoError(t, err)
				defer s.Close()
				report, err := s.Run(context.Background())
				require.NoError(t, err)
				return report
			}
			report := run(5)
			value := func(r *evaluation.Report, name string) float64 {
				e, ok := r.Entry(name)
				require.True(t, ok && e.OK, name)
				return e.Value
			}
			for name, want := range map[string]string{"recall@5": tt.recall, "precision@5": tt.precision, "mrr": tt.mrr, "ndcg@5": tt.ndcg} {
				assert.Equal(t, want, fmt.Sprintf("%.4f", value(report, name)), name)
			}
			assert.Equal(t, tt.success1, fmt.Sprintf("%.4f", value(run(1), "success@1")))
			assert.Equal(t, tt.mean, fmt.Sprintf("%.2f", value(report, "duration_ms_mean")))
			assert.Equal(t, tt.p50, value(report, "duration_ms_p50"))
			assert.Equal(t, tt.p95, value(report, "duration_ms_p95"))
			assert.Equal(t, 35.0, value(report, "case_count"))
			assert.Equal(t, 0.0, value(report, "error_count"))
			if tt.run == "hybrid-rrf" {
				for tag, want := range map[string]float64{"slow-response": 5.0 / 7, "emergency": 2.0 / 4, "confusing-topic": 1.0 / 2, "logs": 0} {
					found := false
					for i := range report.Slices {
						if sl := &report.Slices[i]; sl.Label == "tag" && sl.Value == tag {
							e, _ := sl.Entry("recall@5")
							assert.InDelta(t, want, e.Value, 1e-12, tag)
							found = true
						}
					}
					assert.True(t, found, tag)
				}
			}
		})
	}
}

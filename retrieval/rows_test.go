package retrieval_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/retrieval"
)

// rowTest is a case and its fixture with what must come of them. Expect holds
// metrics and facts by name, and besides them: status, stage, failed_checks, got
// (a check's got, by the check's name), warnings (how many).
type rowTest struct {
	ID      string          `json:"id"`
	Why     string          `json:"why"`
	K       int             `json:"k"`
	Case    json.RawMessage `json:"case"`
	Fixture json.RawMessage `json:"fixture"`
	Expect  map[string]any  `json:"expect"`
}

func readRows(t testing.TB, name string) []rowTest {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	var rows []rowTest
	require.NoError(t, json.Unmarshal(data, &rows))
	seen := map[string]bool{}
	for _, r := range rows {
		require.False(t, seen[r.ID], "two rows %q", r.ID)
		seen[r.ID] = true
	}
	return rows
}

func (tt *rowTest) row(t testing.TB) evaluation.Row {
	t.Helper()
	cases, err := retrieval.ReadCases("cases.json", []byte("["+string(tt.Case)+"]"), retrieval.Options{K: tt.K})
	require.NoError(t, err)
	fixture, err := retrieval.DecodeFixture(tt.Fixture)
	require.NoError(t, err)
	result, err := retrieval.Evaluate(cases[0], fixture, retrieval.Options{K: tt.K})
	require.NoError(t, err)
	return result.Row()
}

func (tt *rowTest) check(t *testing.T) {
	row := tt.row(t)
	for name, want := range tt.Expect {
		switch name {
		case "status":
			assert.Equal(t, want, string(row.Status), "status")
		case "stage":
			assert.Equal(t, want, row.Stage, "stage")
		case "warnings":
			assert.Len(t, row.Warnings, int(want.(float64)), "warnings: %q", row.Warnings)
		case "failed_checks":
			failed := []any{}
			for _, c := range row.FailedChecks() {
				failed = append(failed, c)
			}
			if diff := cmp.Diff(want, any(failed)); diff != "" {
				t.Errorf("failed_checks (-want +got):\n%s", diff)
			}
		case "got":
			for check, got := range want.(map[string]any) {
				if c := row.Check(check); assert.NotNil(t, c, check) {
					assert.Equal(t, got, c.Got, check)
				}
			}
		default:
			got, ok := row.Number(name)
			if want, isNumber := want.(float64); isNumber {
				assert.True(t, ok && math.Abs(got-want) < 5e-5, "%s: want %v, got %v (%v)", name, want, got, ok)
				continue
			}
			if want == nil {
				assert.False(t, ok, "%s: want none, got %v", name, got)
			}
			assert.Equal(t, want, row.Fact(name), name)
		}
	}
	for _, c := range row.Checks {
		if c.Status == evaluation.CheckFail {
			assert.NotEmpty(t, c.Expected, "%s: expected", c.Name)
			assert.NotEmpty(t, c.Reason, "%s: reason", c.Name)
		}
	}
	if t.Failed() {
		t.Logf("why: %s\nrow: %+v", tt.Why, row)
	}
}

func TestRowsHandedOver(t *testing.T) {
	for _, tt := range readRows(t, "retrieval.json") {
		t.Run(tt.ID, tt.check)
	}
}

func TestRowsWorkedByHand(t *testing.T) {
	for _, tt := range readRows(t, "worked.json") {
		t.Run(tt.ID, tt.check)
	}
}

// No report is made of a row whose status and checks contradict each other, nor
// is there a metric outside its range.
func TestEveryRowMakesAReport(t *testing.T) {
	for _, name := range []string{"retrieval.json", "worked.json"} {
		for _, tt := range readRows(t, name) {
			row := tt.row(t)
			cases, err := retrieval.ReadCases("cases.json", []byte("["+string(tt.Case)+"]"), retrieval.Options{K: tt.K})
			require.NoError(t, err)
			s, err := retrieval.New(cases, nil, retrieval.Options{K: tt.K})
			require.NoError(t, err)
			report, err := evaluation.New(s.Definition(), []evaluation.Row{row}, nil)
			require.NoError(t, err, tt.ID)
			sum := 0.0
			for _, count := range []string{"strong_count", "medium_count", "miss_count", "none_count", "not_run_count", "error_count"} {
				e, ok := report.Entry(count)
				require.True(t, ok && e.OK)
				sum += e.Value
			}
			assert.Equal(t, 1.0, sum, tt.ID)
			for _, e := range report.Summary {
				assert.NotContains(t, e.Why, "outside", tt.ID)
			}
			for _, v := range row.Metrics {
				assert.NotNil(t, report.Metric(v.Name), "%s: the definition does not know %s", tt.ID, v.Name)
			}
		}
	}
}

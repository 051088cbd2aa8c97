package diagnosis

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/input"
)

// readCase reads one case in the form of a case file.
func readCase(t *testing.T, data []byte) *Evaluator {
	t.Helper()
	f, err := input.Parse("cases.json", []byte("["+string(data)+"]"), input.Options{Decoders: decoders()})
	require.NoError(t, err)
	cases, err := readCases(f)
	require.NoError(t, err)
	require.Len(t, cases, 1)
	return cases[0]
}

func readTrace(t *testing.T, data []byte) *Trace {
	t.Helper()
	trace, err := DecodeTrace(data)
	require.NoError(t, err)
	return trace
}

func TestDiagnosisRowsComeToTheirExpectedResult(t *testing.T) {
	var rows []struct {
		ID, Why     string
		Case, Trace json.RawMessage
		Expect      map[string]any
	}
	readRows(t, "testdata/diagnosis.json", &rows)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		t.Run(row.ID, func(t *testing.T) {
			result := readCase(t, row.Case).Evaluate(readTrace(t, row.Trace))
			got := result.Row()
			for name, want := range row.Expect {
				switch name {
				case "status":
					assert.Equal(t, want, string(got.Status), row.Why)
				case "failed_checks":
					failed := []any{}
					for _, check := range got.FailedChecks() {
						failed = append(failed, check)
					}
					if diff := cmp.Diff(want, any(failed)); diff != "" {
						t.Errorf("failed checks (%s) -want +got:\n%s", row.Why, diff)
					}
				default:
					v, ok := got.Number(name)
					require.True(t, ok, "the row has no %s", name)
					assert.InDelta(t, want, v, 1e-9, row.Why)
				}
			}
			for _, check := range got.Checks {
				t.Log(check.Name, check.Status, check.Reason)
			}
		})
	}
}

func TestMarkerRowsAreDegradedOrNot(t *testing.T) {
	var rows struct {
		Markers []struct {
			ID, Answer string
			Degraded   bool
		}
	}
	readRows(t, "testdata/degraded.json", &rows)
	require.NotEmpty(t, rows.Markers)
	for _, row := range rows.Markers {
		t.Run(row.ID, func(t *testing.T) {
			declared, unexpected := degradedChecks(t, row.Answer)
			assert.Equal(t, row.Degraded, declared, "degraded_declared under REJECT: %s", row.Answer)
			assert.Equal(t, row.Degraded, unexpected, "degraded_unexpected under PASS: %s", row.Answer)
		})
	}
}

// degradedChecks says whether an answer is taken for a degraded one: under
// REJECT, where it has to be, and under PASS, where it must not be.
func degradedChecks(t *testing.T, answer string) (declared, unexpected bool) {
	t.Helper()
	p := readCase(t, []byte(`{"id": "c", "question": "q", "root_cause_keywords": ["x"], "required_tools": ["t"], "allowed_verdicts": ["PASS", "REJECT"]}`))
	check := func(verdict, name string) string {
		r := p.Evaluate(&Trace{Answer: answer, Verdict: Verdict{Text: verdict, Recorded: verdict}, RecordedMS: -1})
		for _, c := range r.Checks {
			if c.Name == name {
				return string(c.Status)
			}
		}
		t.Fatalf("no check %s", name)
		return ""
	}
	return check("REJECT", "degraded_declared") == "pass", check("PASS", "degraded_unexpected") == "fail"
}

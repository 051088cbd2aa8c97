package retrieval_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/retrieval"
)

func FuzzDecodeFixture(f *testing.F) {
	for _, name := range []string{"retrieval.json", "worked.json"} {
		for _, tt := range readRows(f, name) {
			f.Add([]byte(tt.Fixture))
		}
	}
	f.Add([]byte(`{"case_id": 7, "answer": "a\u0000\n", "citations": ["a", 1e300], "usage": {"input_tokens": 1}, "candidates": [{"score": -0, "breadcrumb": "a > b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fixture, err := retrieval.DecodeFixture(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		// What was read can be written and read again.
		written, err := json.Marshal(fixture)
		require.NoError(t, err)
		again, err := retrieval.DecodeFixture(written)
		require.NoError(t, err, "%s", written)
		if fixture.Error == "" {
			for i := range fixture.Candidates {
				if len(fixture.Candidates[i].Breadcrumb) == 0 {
					fixture.Candidates[i].Breadcrumb = nil
				}
			}
			if len(fixture.Citations) == 0 {
				fixture.Citations = nil
			}
			if diff := cmp.Diff(fixture, again); diff != "" {
				t.Errorf("read again (-first +again):\n%s", diff)
			}
		}
	})
}

// Whatever a fixture holds, it makes a row that a report can be made of.
func FuzzEvaluate(f *testing.F) {
	var evaluators []*retrieval.Evaluator
	definition := evaluation.Definition{}
	for _, name := range []string{"retrieval.json", "worked.json"} {
		for _, tt := range readRows(f, name) {
			cases, err := retrieval.ReadCases("cases.json", []byte("["+string(tt.Case)+"]"), retrieval.Options{})
			require.NoError(f, err)
			e, err := retrieval.Compile(cases[0], retrieval.Options{})
			require.NoError(f, err)
			f.Add(len(evaluators), []byte(tt.Fixture))
			evaluators = append(evaluators, e)
			s, err := retrieval.New(cases, nil, retrieval.Options{})
			require.NoError(f, err)
			definition = s.Definition()
		}
	}
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		fixture, err := retrieval.DecodeFixture(data)
		if err != nil {
			return
		}
		e := evaluators[uint(i)%uint(len(evaluators))]
		result := e.Evaluate(fixture)
		row := result.Row()
		report, err := evaluation.New(definition, []evaluation.Row{row}, nil)
		require.NoError(t, err)
		for _, v := range row.Metrics {
			m := report.Metric(v.Name)
			require.NotNil(t, m, v.Name)
			require.False(t, math.IsNaN(v.Value) || v.Value < m.Min || v.Value > m.Max, "%s is %v", v.Name, v.Value)
		}
		second := e.Evaluate(fixture)
		if diff := cmp.Diff(row, second.Row()); diff != "" {
			t.Errorf("evaluated again (-first +again):\n%s", diff)
		}
		for _, section := range e.Show(fixture).Sections {
			for _, item := range section.Items {
				end := 0
				for _, span := range item.Spans {
					require.True(t, end <= span.Start && span.Start <= span.End && span.End <= len(item.Text), "span %v of %q", span, item.Text)
					end = span.End
				}
			}
		}
	})
}

package suite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	_ "github.com/sebdah/goldie/v2" // the -update flag
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/suite"
)

// length is a domain of its own: a fixture passes that is not empty.
func length(cases []suite.Case, fixtures suite.Map) suite.Config {
	return suite.Config{
		Definition: evaluation.Definition{
			Schema: "example/v1", Suite: "length",
			Metrics: []evaluation.Metric{
				{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
				{Name: "bytes_mean", Better: evaluation.NoBetter, Max: 1e9, Unit: "count", Aggregation: evaluation.Mean, Of: "bytes"},
			},
		},
		Cases:  cases,
		Source: fixtures,
		Score: func(i int, data []byte, problem error) evaluation.Row {
			r := evaluation.Row{ID: cases[i].ID, Status: evaluation.Pass}
			switch {
			case errors.Is(problem, suite.ErrNoFixture):
				r.Status = evaluation.NotRun
			case len(data) == 0:
				r.Status = evaluation.Fail
				r.Checks = []evaluation.Check{{Name: "length", Status: evaluation.CheckFail, Reason: "the fixture is empty"}}
			}
			r.Metrics = []evaluation.Value{{Name: "bytes", Value: float64(len(data)) / 3}}
			return r
		},
		Remarks: func(r *evaluation.Report) []string { return []string{fmt.Sprintf("%d rows", len(r.Rows))} },
	}
}

func some(n int) ([]suite.Case, suite.Map) {
	var cases []suite.Case
	fixtures := suite.Map{"orphan": nil}
	for i := range n {
		c := suite.Case{ID: fmt.Sprintf("case-%03d", i), Tags: []string{"all", fmt.Sprint("mod-", i%3)}}
		cases = append(cases, c)
		if i%7 != 0 {
			fixtures[c.ID] = bytes.Repeat([]byte("x"), i%5)
		}
	}
	return cases, fixtures
}

func open(t *testing.T, c suite.Config) *suite.Suite {
	s, err := suite.New(c)
	require.NoError(t, err)
	return s
}

func written(t *testing.T, r *evaluation.Report, err error) string {
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	return b.String()
}

func TestOneReportForAnyOrderAndNumberOfWorkers(t *testing.T) {
	cases, fixtures := some(60)
	want := ""
	for n := range uint64(100) {
		rand.New(rand.NewPCG(n, n)).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		c := length(cases, fixtures)
		c.Workers = int(n%8) + 1
		r, err := open(t, c).Run(context.Background())
		got := written(t, r, err)
		if want == "" {
			want = got
		}
		require.Equal(t, want, got)
	}
}

func TestCasesOneByOneGiveTheReportOfTheRun(t *testing.T) {
	cases, fixtures := some(20)
	s := open(t, length(cases, fixtures))
	r, err := s.Run(context.Background())
	want := written(t, r, err)
	assert.Contains(t, want, `"fixture \"orphan\" belongs to no case"`)

	var rows []evaluation.Row
	for _, id := range s.CaseIDs() {
		row, err := s.Case(id)
		require.NoError(t, err)
		rows = append(rows, row)
	}
	warnings, err := s.Warnings(context.Background())
	require.NoError(t, err)
	r, err = s.Report(rows, warnings)
	assert.Equal(t, want, written(t, r, err))
}

func TestAFilterChoosesOrFails(t *testing.T) {
	cases, fixtures := some(12)
	s := open(t, length(cases, fixtures))
	for _, x := range []struct {
		name   string
		filter suite.Filter
		want   []string
		err    string
	}{
		{"an id", suite.Filter{Cases: []string{"case-003"}}, []string{"case-003"}, ""},
		{"a pattern", suite.Filter{Cases: []string{"case-01*"}}, []string{"case-010", "case-011"}, ""},
		{"a tag", suite.Filter{Tags: []string{"mod-1"}}, []string{"case-001", "case-004", "case-007", "case-010"}, ""},
		{"both", suite.Filter{Cases: []string{"case-00*"}, Tags: []string{"mod-1"}}, []string{"case-001", "case-004", "case-007"}, ""},
		{"an id of no case", suite.Filter{Cases: []string{"case-003", "case-3"}}, nil, `case filter "case-3" matches none of 12 cases`},
		{"a tag of no case", suite.Filter{Tags: []string{"mod-9"}}, nil, `tag filter "mod-9" matches none of 12 cases`},
		{"nothing in both", suite.Filter{Cases: []string{"case-003"}, Tags: []string{"mod-1"}}, nil, `the filter matches none of 12 cases: cases case-003 with tags mod-1`},
		{"a malformed pattern", suite.Filter{Cases: []string{"["}}, nil, `case filter "[": the pattern is malformed`},
	} {
		t.Run(x.name, func(t *testing.T) {
			f, err := s.Filter(x.filter)
			if x.err != "" {
				assert.EqualError(t, err, x.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, x.want, f.CaseIDs())
			assert.True(t, f.Filtered())
			warnings, err := f.Warnings(context.Background())
			require.NoError(t, err)
			assert.Equal(t, []string{`fixture "orphan" belongs to no case`}, warnings, "the fixture of a case that was left out is no orphan")
			var done atomic.Int64
			r, err := f.RunProgress(context.Background(), func() { done.Add(1) })
			require.NoError(t, err)
			assert.Len(t, r.Rows, len(x.want))
			assert.Equal(t, int64(len(x.want)), done.Load())
		})
	}
	all, err := s.Filter(suite.Filter{})
	require.NoError(t, err)
	assert.False(t, all.Filtered())
	all, err = s.Filter(suite.Filter{Tags: []string{"all"}})
	require.NoError(t, err)
	assert.False(t, all.Filtered(), "nothing was left out")
}

func TestWhatASuiteRefuses(t *testing.T) {
	_, err := suite.New(length(nil, nil))
	assert.EqualError(t, err, "no cases: a suite needs at least one")
	_, err = suite.New(length([]suite.Case{{ID: "a"}, {ID: "a"}}, nil))
	assert.EqualError(t, err, `case "a": two cases have this id`)

	cases, fixtures := some(3)
	c := length(cases, fixtures)
	s := open(t, c)
	_, err = s.Case("b")
	assert.EqualError(t, err, `suite "length" has no case "b"`)
	_, err = s.Show("b")
	assert.EqualError(t, err, `suite "length" has no case "b"`)
	_, err = s.Show("case-000")
	assert.EqualError(t, err, `suite "length" cannot show its cases`)
	assert.NoError(t, s.Close())

	c.Strict = true
	_, err = open(t, c).Run(context.Background())
	assert.EqualError(t, err, `fixture "orphan" belongs to no case`)

	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, err = s.Run(stopped)
	assert.ErrorIs(t, err, context.Canceled)
}

func Example() {
	cases := []suite.Case{{ID: "greeting"}, {ID: "farewell"}}
	s, err := suite.New(length(cases, suite.Map{"greeting": []byte("hello")}))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Rows {
		fmt.Println(row.ID, row.Status)
	}
	// Output:
	// farewell not_run
	// greeting pass
}

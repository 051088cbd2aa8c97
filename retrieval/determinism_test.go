package retrieval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/retrieval"
)

// worked gives the rows of both tables as one set: cases as JSON, and fixtures
// by id. Every third fixture is left out, every seventh broken.
func worked(t testing.TB) (cases []json.RawMessage, fixtures suite.Map) {
	fixtures = suite.Map{}
	for _, name := range []string{"retrieval.json", "worked.json"} {
		for _, tt := range readRows(t, name) {
			var c map[string]any
			require.NoError(t, json.Unmarshal(tt.Case, &c))
			delete(c, "case_id")
			id := strings.TrimSuffix(name, ".json") + "-" + tt.ID
			c["id"] = id
			if c["conversation_id"] != nil {
				c["conversation_id"] = id
			}
			data, err := json.Marshal(c)
			require.NoError(t, err)
			cases = append(cases, data)
			switch n := len(cases); {
			case n%7 == 0:
				fixtures[id] = []byte(`{"candidates": [`)
			case n%3 == 0:
			default:
				fixtures[id] = tt.Fixture
			}
		}
	}
	return cases, fixtures
}

func list(cases []json.RawMessage) []byte {
	return append(append([]byte("["), bytes.Join(raw(cases), []byte(","))...), ']')
}

func raw(cases []json.RawMessage) [][]byte {
	out := make([][]byte, len(cases))
	for i, c := range cases {
		out[i] = c
	}
	return out
}

func TestOneReportWhateverTheOrderAndTheWorkers(t *testing.T) {
	cases, fixtures := worked(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for i := range 100 {
		rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		opt := retrieval.Options{Workers: 1 + i%8}
		var s *suite.Suite
		if i%2 == 0 {
			read, err := retrieval.ReadCases("cases.json", list(cases), opt)
			require.NoError(t, err)
			s, err = retrieval.New(read, fixtures, opt)
			require.NoError(t, err)
		} else {
			var bundle bytes.Buffer
			ids := make([]string, 0, len(fixtures))
			for id := range fixtures {
				ids = append(ids, id)
			}
			rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			for _, id := range ids {
				line := fmt.Sprintf(`{"case_id": %q, %s`, id, bytes.TrimLeft(bytes.ReplaceAll(fixtures[id], []byte("\n"), []byte(" ")), " {"))
				bundle.WriteString(line + "\n")
			}
			dir := folder(t, map[string]string{"cases.json": string(list(cases)), "fixtures.jsonl": bundle.String()})
			var err error
			opt.Name = "retrieval"
			s, err = retrieval.Open(dir, opt)
			require.NoError(t, err)
			defer s.Close()
		}
		report, err := s.Run(context.Background())
		require.NoError(t, err)
		for j := range report.Rows { // the message of a broken line names its file
			if c := report.Rows[j].Check("fixture"); c != nil {
				c.Reason = ""
			}
		}
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b))
		if want == nil {
			want = b.Bytes()
		}
		require.Equal(t, string(want), b.String(), "run %d", i)
	}
}

func TestRowsSplitAndJoinedAnywhereAreTheSameReport(t *testing.T) {
	cases, fixtures := worked(t)
	read, err := retrieval.ReadCases("cases.json", list(cases), retrieval.Options{})
	require.NoError(t, err)
	s, err := retrieval.New(read, fixtures, retrieval.Options{})
	require.NoError(t, err)
	whole, err := s.Run(context.Background())
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, whole.WriteJSON(&want))
	rapid.Check(t, func(t *rapid.T) {
		var parts [][]evaluation.Row
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			parts = append(parts, nil)
		}
		for _, row := range whole.Rows {
			p := rapid.IntRange(0, len(parts)-1).Draw(t, "part")
			parts[p] = append(parts[p], row)
		}
		var reports []*evaluation.Report
		var rows []evaluation.Row
		for _, part := range parts {
			if len(part) == 0 {
				continue
			}
			r, err := evaluation.New(whole.Definition, part, whole.Warnings)
			if err != nil {
				t.Fatal(err)
			}
			reports = append(reports, r)
			rows = append(rows, part...)
		}
		merged, err := evaluation.Merge(reports...)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := merged.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatal("joined reports differ from the whole")
		}
		again, err := s.Report(rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		got.Reset()
		if err := again.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatal("a report of joined rows differs from the whole")
		}
	})
}

// scribbler writes over a fixture as soon as it has been evaluated.
type scribbler struct{ suite.Map }

func (s scribbler) Each(ctx context.Context, w suite.Walk, fn func(i int, data []byte, problem error)) ([]string, error) {
	return s.Map.Each(ctx, w, func(i int, data []byte, problem error) {
		data = bytes.Clone(data)
		fn(i, data, problem)
		for j := range data {
			data[j] = '#'
		}
	})
}

func TestARowHoldsNothingOfItsFixture(t *testing.T) {
	cases, fixtures := worked(t)
	for _, name := range []string{"retrieval.json", "worked.json"} {
		for _, tt := range readRows(t, name) {
			fixtures[strings.TrimSuffix(name, ".json")+"-"+tt.ID] = tt.Fixture // all of them this time
		}
	}
	var want string
	for _, source := range []suite.Source{fixtures, scribbler{fixtures}} {
		read, err := retrieval.ReadCases("cases.json", list(cases), retrieval.Options{})
		require.NoError(t, err)
		s, err := retrieval.New(read, source, retrieval.Options{})
		require.NoError(t, err)
		report, err := s.Run(context.Background())
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b))
		if want == "" {
			want = b.String()
		}
		require.Equal(t, want, b.String())
	}
}

func TestADisplayAndAnErrorHoldNothingOfTheirFixture(t *testing.T) {
	cases, fixtures := worked(t)
	read, err := retrieval.ReadCases("cases.json", list(cases), retrieval.Options{})
	require.NoError(t, err)
	for i, c := range read {
		fixture := bytes.Clone(fixtures[c.ID])
		switch {
		case fixture == nil:
			continue
		case i%5 == 0:
			fixture = append(fixture, '?')
		}
		s, err := retrieval.New(read[i:i+1], suite.Map{c.ID: fixture}, retrieval.Options{})
		require.NoError(t, err)
		row, err := s.Case(c.ID)
		require.NoError(t, err)
		shown, err := s.Show(c.ID)
		require.NoError(t, err)
		before := fmt.Sprintf("%+v %+v", row, shown)
		for j := range fixture {
			fixture[j] = '#'
		}
		require.Equal(t, before, fmt.Sprintf("%+v %+v", row, shown), c.ID)
	}
}

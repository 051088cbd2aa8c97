package evaluation_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation"
)

func definition() evaluation.Definition {
	return evaluation.Definition{
		Schema: "karat/test-report/v1",
		Suite:  "test",
		Config: []evaluation.Setting{{Name: "k", Value: 5.0}, {Name: "strict", Value: false}, {Name: "ruleset", Value: evaluation.Ruleset}},
		Metrics: []evaluation.Metric{
			{Name: "case_count", Better: evaluation.NoBetter, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count},
			{Name: "pass_count", Better: evaluation.Higher, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count, Of: "status", Equals: "pass"},
			{Name: "fail_count", Better: evaluation.Lower, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count, Of: "status", Equals: "fail"},
			{Name: "not_run_count", Better: evaluation.Lower, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count, Of: "status", Equals: "not_run"},
			{Name: "error_count", Better: evaluation.Lower, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count, Of: "status", Equals: "error"},
			{Name: "warm_up_count", Better: evaluation.NoBetter, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Count, Of: "warm_up", Equals: "true"},
			{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			{Name: "recall@5", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "recall@5"},
			{Name: "mrr", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "mrr"},
			{Name: "duration_ms_mean", Better: evaluation.Lower, Max: math.Inf(1), Unit: "ms", Aggregation: evaluation.Mean, Of: "duration_ms", Except: "warm_up"},
			{Name: "duration_ms_p50", Better: evaluation.Lower, Max: math.Inf(1), Unit: "ms", Aggregation: evaluation.Percentile, Of: "duration_ms", P: 50, Except: "warm_up"},
			{Name: "duration_ms_p95", Better: evaluation.Lower, Max: math.Inf(1), Unit: "ms", Aggregation: evaluation.Percentile, Of: "duration_ms", P: 95, Except: "warm_up"},
			{Name: "verdicts", Better: evaluation.NoBetter, Max: math.Inf(1), Unit: "count", Aggregation: evaluation.Distribution, Of: "verdict"},
		},
		Facts: []evaluation.FactInfo{
			{Name: "hit_level", Order: []string{"miss", "medium", "strong"}},
			{Name: "duration_ms", Volatile: true},
			{Name: "verdict", Transitions: true},
			{Name: "top_candidates", Title: "came"},
		},
	}
}

// row is a case with a value for each metric; i varies them.
func row(i int) evaluation.Row {
	r := evaluation.Row{
		ID: fmt.Sprintf("case-%05d", i), Digest: "0f1e2d3c4b5a6978", Query: "VPN 连不上怎么办？",
		Status: evaluation.Pass,
		Facts: []evaluation.Fact{
			{Name: "hit_level", Value: []any{"strong", "medium", "miss"}[i%3]},
			{Name: "first_expected_rank", Value: float64(i%7 + 1)},
			{Name: "duration_ms", Value: float64(100 + i%50)},
			{Name: "warm_up", Value: i%11 == 0},
			{Name: "top_candidates", Value: []string{"it/vpn.md", "故障处理 <1>"}},
			{Name: "verdict", Value: []any{"PASS", "REJECT", nil}[i%3]},
		},
		Checks: []evaluation.Check{
			{Name: "expected_document", Status: evaluation.CheckPass},
			{Name: "evidence", Status: evaluation.CheckInfo, Expected: "2 of 2", Got: "1 of 2"},
		},
		Metrics: []evaluation.Value{{Name: "recall@5", Value: float64(i%3) / 3}, {Name: "mrr", Value: 1 / float64(i%7+1)}},
		Evidence: []evaluation.Evidence{
			{Kind: "keyword", Expected: "5.7", Covered: true, By: "5.7", Where: "it/vpn.md", Around: "版本 5.7 起"},
			{Kind: "keyword", Expected: "OOM", Note: `found inside "room"`},
		},
		Labels:   []evaluation.Label{{Name: "source", Values: []string{[]string{"it", "hr"}[i%2]}}, {Name: "tag", Values: []string{"a", fmt.Sprint("t", i%5)}}},
		Warnings: []string{"the same document stands twice"},
		Reason:   "asked at night",
	}
	switch i % 5 {
	case 1:
		r.Status, r.Stage = evaluation.Fail, "ranking"
		r.Checks = append(r.Checks, evaluation.Check{Name: "ranking", Status: evaluation.CheckFail, Expected: "5 or better", Got: "8", Reason: "found at rank 8, beyond k = 5"})
	case 2:
		r = evaluation.Row{ID: r.ID, Digest: r.Digest, Status: evaluation.NotRun, Stage: "not_run", Metrics: []evaluation.Value{{Name: "recall@5"}, {Name: "mrr"}}, Labels: r.Labels}
	case 3:
		r.Status, r.Stage = evaluation.Error, "fixture"
	}
	return r
}

func rowsN(n int) []evaluation.Row {
	rows := make([]evaluation.Row, n)
	for i := range rows {
		rows[i] = row(i)
	}
	return rows
}

func newReport(t testing.TB, rows []evaluation.Row, warnings ...string) *evaluation.Report {
	t.Helper()
	r, err := evaluation.New(definition(), rows, warnings)
	require.NoError(t, err)
	return r
}

func written(t testing.TB, r *evaluation.Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	return b.String()
}

func read(t testing.TB, s string) *evaluation.Report {
	t.Helper()
	r, err := evaluation.ReadReport(strings.NewReader(s))
	require.NoError(t, err)
	return r
}

func Example() {
	def := evaluation.Definition{
		Schema: "example/v1", Suite: "example",
		Metrics: []evaluation.Metric{
			{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			{Name: "mrr", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "mrr"},
		},
	}
	r, err := evaluation.New(def, []evaluation.Row{
		{ID: "vpn", Status: evaluation.Pass, Metrics: []evaluation.Value{{Name: "mrr", Value: 1}}},
		{ID: "mfa", Status: evaluation.NotRun, Metrics: []evaluation.Value{{Name: "mrr", Value: 0}}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Summary {
		fmt.Printf("%s %s over %d cases\n", e.Name, evaluation.Number(e.Value), e.N)
	}
	// Output:
	// pass_rate 0.5 over 2 cases
	// mrr 0.5 over 2 cases
}

func TestTheJSONIsAsTheLibraryIndentsIt(t *testing.T) {
	rows := rowsN(300)
	rows[0].Query = "\"quoted\" \\ \n\t\x00\x1b\x7f <b> & \u2028 \u202e 连不上 \U0001f600"
	rows[1].Facts = append(rows[1].Facts, evaluation.Fact{Name: "odd <key>\n", Value: []string{}})
	ours := written(t, newReport(t, rows, "b", "a", "b"))
	v := jsontext.Value(ours)
	require.NoError(t, v.Format(jsontext.WithIndent("  "), jsontext.PreserveRawStrings(false), jsontext.SpaceAfterColon(true)))
	assert.Equal(t, string(v)+"\n", ours)
	assert.True(t, strings.Contains(ours, "<b> &"), "angle brackets stand as they are")
}

func TestEveryCharacterIsQuotedAsTheLibraryDoesWhereverItStands(t *testing.T) {
	var warnings []string
	for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 31} {
		for at := range n {
			for _, c := range []string{"\x00", "\x1f", " ", "!", "\"", "#", "/", "[", "\\", "]", "~", "\x7f", "\u0080", "é", "库", "\u2028", "😀"} {
				warnings = append(warnings, strings.Repeat("a", at)+c+strings.Repeat("z", n-at-1))
			}
		}
	}
	ours := written(t, newReport(t, rowsN(1), warnings...))
	v := jsontext.Value(ours)
	require.NoError(t, v.Format(jsontext.WithIndent("  "), jsontext.PreserveRawStrings(false), jsontext.SpaceAfterColon(true)))
	assert.Equal(t, string(v)+"\n", ours)
	assert.ElementsMatch(t, warnings, read(t, ours).Warnings)
}

func TestAReportOfNothingButEmptyListsIsTheLibrarysToo(t *testing.T) {
	r, err := evaluation.New(evaluation.Definition{Schema: "s"}, []evaluation.Row{{ID: "a", Status: evaluation.Pass}}, nil)
	require.NoError(t, err)
	v := jsontext.Value(written(t, r))
	require.NoError(t, v.Format(jsontext.WithIndent("  "), jsontext.PreserveRawStrings(false)))
	assert.Equal(t, string(v)+"\n", written(t, r))
	assert.NotContains(t, string(v), "null", "a list is never null")
}

func TestInvalidUTF8IsReplacedInTheJSON(t *testing.T) {
	rows := rowsN(1)
	rows[0].Query = "a\xffb"
	s := written(t, newReport(t, rows))
	assert.Contains(t, s, "\"query\": \"a\ufffdb\"")
	read(t, s)
}

func TestAReportReadIsTheReportWritten(t *testing.T) {
	for _, n := range []int{1, 2, 7, 127, 128, 129, 1000} {
		s := written(t, newReport(t, rowsN(n), "an orphan", "another"))
		assert.Equal(t, s, written(t, read(t, s)), "%d rows", n)
	}
}

func TestAReportIsAFunctionOfItsRows(t *testing.T) {
	rows := rowsN(500)
	want := written(t, newReport(t, rows))
	for seed := range uint64(100) {
		shuffled := slices.Clone(rows)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		require.Equal(t, want, written(t, newReport(t, shuffled)), "seed %d", seed)
	}
}

func anyRows(t *rapid.T) []evaluation.Row {
	n := rapid.IntRange(1, 40).Draw(t, "n")
	rows := rowsN(n)
	for i := range rows {
		for j := range rows[i].Metrics {
			rows[i].Metrics[j].Value = rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 1. / 3, 1. / 7, 2, -1, math.NaN(), math.Inf(1)})).Draw(t, "v")
		}
		if len(rows[i].Facts) > 0 {
			rows[i].Facts[2].Value = rapid.Float64Range(0, 1e6).Draw(t, "duration")
		}
	}
	return rows
}

func TestSplittingAndJoiningRowsAnywhereGivesTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := anyRows(t)
		whole, err := evaluation.New(definition(), rows, []string{"w"})
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, whole.WriteJSON(&want))

		parts := map[int][]evaluation.Row{}
		for _, r := range rows {
			k := rapid.IntRange(0, 3).Draw(t, "part")
			parts[k] = append(parts[k], r)
		}
		viaFile := rapid.Bool().Draw(t, "written and read in between")
		var reports []*evaluation.Report
		for k := range 4 {
			if parts[k] == nil {
				continue
			}
			r, err := evaluation.New(definition(), parts[k], []string{"w"})
			require.NoError(t, err)
			if viaFile {
				var b bytes.Buffer
				require.NoError(t, r.WriteJSON(&b))
				r, err = evaluation.ReadReport(&b)
				require.NoError(t, err)
			}
			reports = append(reports, r)
		}
		joined, err := evaluation.Merge(reports...)
		require.NoError(t, err)
		var got bytes.Buffer
		require.NoError(t, joined.WriteJSON(&got))
		if viaFile && bytes.Contains(want.Bytes(), []byte("is outside")) {
			// A file has no NaN: the reason why there is no value differs.
			return
		}
		if got.String() != want.String() {
			t.Fatalf("want %s\ngot %s", want.String(), got.String())
		}
	})
}

func TestReadingWhatWasWrittenLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, err := evaluation.New(definition(), anyRows(t), nil)
		require.NoError(t, err)
		var a, b bytes.Buffer
		require.NoError(t, r.WriteJSON(&a))
		back, err := evaluation.ReadReport(bytes.NewReader(a.Bytes()))
		require.NoError(t, err)
		require.NoError(t, back.WriteJSON(&b))
		if a.String() != b.String() {
			t.Fatalf("written %s\nread and written %s", a.String(), b.String())
		}
	})
}

func TestCountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, err := evaluation.New(definition(), anyRows(t), nil)
		require.NoError(t, err)
		check := func(entry func(string) (evaluation.Entry, bool)) {
			value := func(name string) float64 { e, _ := entry(name); return e.Value }
			if value("pass_count")+value("fail_count")+value("not_run_count")+value("error_count") != value("case_count") {
				t.Fatal("the statuses do not sum to the cases")
			}
		}
		check(r.Entry)
		perSource := 0.0
		for i := range r.Slices {
			check(r.Slices[i].Entry)
			if r.Slices[i].Label == "source" {
				e, _ := r.Slices[i].Entry("case_count")
				perSource += e.Value
			}
		}
		if all, _ := r.Entry("case_count"); perSource != all.Value {
			t.Fatalf("the slices of a label with one value a case hold %v of %v cases", perSource, all.Value)
		}
	})
}

// durations makes a report of rows with these durations.
func durations(t *testing.T, values ...float64) *evaluation.Report {
	var rows []evaluation.Row
	for i, v := range values {
		rows = append(rows, evaluation.Row{ID: fmt.Sprintf("c%04d", i), Status: evaluation.Pass, Facts: []evaluation.Fact{{Name: "duration_ms", Value: v}}})
	}
	return newReport(t, rows)
}

func TestPercentilesAreTheNearestRank(t *testing.T) {
	up := func(n int) (v []float64) {
		for i := range n {
			v = append(v, float64((i*7)%n+1)) // 1..n in another order
		}
		return v
	}
	for _, x := range []struct {
		values   []float64
		p50, p95 float64
		why      string
	}{
		{[]float64{42}, 42, 42, "one value is every percentile"},
		{[]float64{10, 20}, 10, 20, "ceil(2·0.5) = 1, ceil(2·0.95) = 2"},
		{[]float64{30, 10, 20}, 20, 30, "ceil(1.5) = 2, ceil(2.85) = 3"},
		{up(20), 10, 19, "ceil(20·0.95) = 19"},
		{up(100), 50, 95, "ranks 50 and 95"},
		{up(101), 51, 96, "ceil(50.5) = 51, ceil(95.95) = 96"},
	} {
		r := durations(t, x.values...)
		p50, _ := r.Entry("duration_ms_p50")
		p95, _ := r.Entry("duration_ms_p95")
		assert.Equal(t, x.p50, p50.Value, x.why)
		assert.Equal(t, x.p95, p95.Value, x.why)
		assert.Equal(t, len(x.values), p95.N)
	}
	def := definition()
	def.Metrics = []evaluation.Metric{{Name: "p", Max: 1e9, Aggregation: evaluation.Percentile, Of: "duration_ms", P: 99.9}}
	r, err := evaluation.New(def, durations(t, up(1000)...).Rows, nil)
	require.NoError(t, err)
	assert.Equal(t, 999.0, r.Summary[0].Value, "99.9% of 1000 is 999 exactly, though 99.9 is not a float64")
}

func TestAWarmUpIsCountedAndLeftOut(t *testing.T) {
	rows := durations(t, 1000, 10, 20).Rows
	rows[0].Facts = append(rows[0].Facts, evaluation.Fact{Name: "warm_up", Value: true})
	r := newReport(t, rows)
	mean, _ := r.Entry("duration_ms_mean")
	assert.Equal(t, 15.0, mean.Value)
	assert.Equal(t, 2, mean.N)
	count, _ := r.Entry("warm_up_count")
	assert.Equal(t, 1.0, count.Value)
}

func TestErrorsStayInTheDenominator(t *testing.T) {
	var rows []evaluation.Row
	for i := range 100 {
		s := evaluation.Error
		if i < 43 {
			s = evaluation.Pass
		}
		rows = append(rows, evaluation.Row{ID: fmt.Sprint(i), Status: s})
	}
	e, _ := newReport(t, rows).Entry("pass_rate")
	assert.Equal(t, evaluation.Entry{Name: "pass_rate", Value: 0.43, OK: true, N: 100}, e)
}

func TestNoMeanIsNaN(t *testing.T) {
	for _, x := range []struct {
		name   string
		value  float64
		absent bool
		why    string
	}{
		{"NaN", math.NaN(), false, `case "case-00000": NaN is outside [0, 1]`},
		{"infinite", math.Inf(1), false, `case "case-00000": +Inf is outside [0, 1]`},
		{"a sentinel of -1", -1, false, `case "case-00000": -1 is outside [0, 1]`},
		{"over the range", 1.5, false, `case "case-00000": 1.5 is outside [0, 1]`},
		{"absent", 0, true, "no case has recall@5"},
	} {
		t.Run(x.name, func(t *testing.T) {
			rows := rowsN(1)
			rows[0].Metrics[0].Value = x.value
			if x.absent {
				rows[0].Metrics = rows[0].Metrics[1:]
			}
			r := newReport(t, rows)
			e, ok := r.Entry("recall@5")
			require.True(t, ok)
			assert.Equal(t, evaluation.Entry{Name: "recall@5", Why: x.why}, e)
			assert.True(t, math.IsNaN(e.Float()))
			s := written(t, r)
			assert.True(t, jsontext.Value(s).IsValid(), "JSON has no such numbers")
			back, _ := read(t, s).Entry("recall@5")
			assert.Equal(t, e, back)
		})
	}
}

func TestWhatAFileStatesOtherwiseHasNoValue(t *testing.T) {
	// By hand, recall@5 of cases 0 to 9: 0, 1/3, 0 (not run), 0, 1/3, 2/3, 0,
	// 0 (not run), 2/3, 0; their mean is 0.2.
	whole := written(t, newReport(t, rowsN(10)))
	for _, x := range []struct{ name, old, new, metric, why string }{
		{"a mean was edited", "\"recall@5\": {\n      \"value\": 0.2,", "\"recall@5\": {\n      \"value\": 0.9,", "recall@5",
			"the report states 0.9 (n = 10), its rows give 0.2 (n = 10)"},
		{"n was edited", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 10", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 9", "recall@5",
			"the report states 0.2 (n = 9), its rows give 0.2 (n = 10)"},
		{"n is no whole number", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 10", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 10.5", "recall@5",
			"the report states an n that is no number of cases"},
		{"n is beyond counting", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 10", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 1e30", "recall@5",
			"the report states an n that is no number of cases"},
		{"a mean is null", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 10", "\"recall@5\": {\n      \"value\": null,\n      \"n\": 0,\n      \"why\": \"lost\"", "recall@5", "lost"},
		{"a mean is text", "\"recall@5\": {\n      \"value\": 0.2,", "\"recall@5\": {\n      \"value\": \"0.2\",", "recall@5", "the report states no value"},
		{"an entry is a bare number", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 10\n    }", "\"recall@5\": 0.2", "recall@5", "the report states no value"},
		{"an entry is gone", "\"recall@5\": {\n      \"value\": 0.2,\n      \"n\": 10\n    },", "", "recall@5", "the report does not state it"},
		{"a case's value was edited", "\"recall@5\": 0.333333333333", "\"recall@5\": 1", "recall@5",
			"the report states 0.2 (n = 10), its rows give 0.266666666667 (n = 10)"},
		{"a case's value is text", "\"recall@5\": 0.333333333333", "\"recall@5\": \"1\"", "recall@5",
			"the report states 0.2, its rows give no value: case \"case-00001\": NaN is outside [0, 1]"},
		{"a case's value is a sentinel", "\"recall@5\": 0.333333333333", "\"recall@5\": -1", "recall@5",
			"the report states 0.2, its rows give no value: case \"case-00001\": -1 is outside [0, 1]"},
		{"a rate was edited", "\"pass_rate\": {\n      \"value\": 0.4,", "\"pass_rate\": {\n      \"value\": 1,", "pass_rate",
			"the report states 1 (n = 10), its rows give 0.4 (n = 10)"},
	} {
		t.Run(x.name, func(t *testing.T) {
			require.True(t, strings.Contains(whole, x.old), "the report has what the row edits")
			r := read(t, strings.Replace(whole, x.old, x.new, 1))
			e, _ := r.Entry(x.metric)
			assert.Equal(t, evaluation.Entry{Name: x.metric, Why: x.why}, e)
			mrr, _ := r.Entry("mrr")
			assert.True(t, mrr.OK, "the other metrics stand")
		})
	}
	t.Run("a distribution was edited", func(t *testing.T) {
		r := newReport(t, rowsN(10)) // PASS in cases 0, 3, 6, 9, REJECT in 1, 4, 7
		const pass = "\"PASS\": {\n        \"value\": 4,"
		whole := written(t, r)
		require.Contains(t, whole, pass)
		for _, x := range []struct{ old, new, why string }{
			{pass, "\"PASS\": {\n        \"value\": 9,", "the report states other counts than its rows give"},
			{pass, "\"PASS\": {\n        \"value\": \"4\",", "the report states other counts than its rows give"},
			{"\"PASS\": {\n        \"value\": 4", "\"OK\": {\n        \"value\": 4", "the report states other counts than its rows give"},
			{"\"verdicts\": {\n      \"PASS\"", "\"verdicts\": {}, \"gone\": {\n      \"PASS\"", "the report states no counts"},
		} {
			e, _ := read(t, strings.Replace(whole, x.old, x.new, 1)).Entry("verdicts")
			assert.Equal(t, evaluation.Entry{Name: "verdicts", Why: x.why}, e)
		}
	})
	t.Run("a slice was edited", func(t *testing.T) {
		at := strings.Index(whole, `"hr": {`)
		require.Positive(t, at)
		edited := whole[:at] + strings.Replace(whole[at:], "\"recall@5\": {\n          \"value\": ", "\"recall@5\": {\n          \"value\": 0.9999, \"was\": ", 1)
		r := read(t, edited)
		for i := range r.Slices {
			s := &r.Slices[i]
			e, _ := s.Entry("recall@5")
			assert.Equal(t, s.Value != "hr", e.OK, "%s %s: %s", s.Label, s.Value, e.Why)
		}
	})
}

func TestNewRefusesRowsThatCannotBe(t *testing.T) {
	for _, x := range []struct {
		name string
		rows []evaluation.Row
		want string
	}{
		{"none", nil, "no cases: a report needs at least one"},
		{"no id", []evaluation.Row{{Status: evaluation.Pass}}, "a row has no id"},
		{"one id twice", []evaluation.Row{{ID: "a", Status: evaluation.Pass}, {ID: "b", Status: evaluation.Pass}, {ID: "a", Status: evaluation.Pass}}, `case "a": two rows have this id`},
		{"no status", []evaluation.Row{{ID: "a"}}, `case "a": status "" is none of pass, fail, not_run, error`},
		{"pass with a failed check", []evaluation.Row{{ID: "a", Status: evaluation.Pass, Checks: []evaluation.Check{{Name: "x", Status: evaluation.CheckFail}}}}, `case "a": status is pass, but check "x" failed`},
		{"fail without one", []evaluation.Row{{ID: "a", Status: evaluation.Fail}}, `case "a": status is fail, but no check failed`},
		{"a check of no status", []evaluation.Row{{ID: "a", Status: evaluation.Pass, Checks: []evaluation.Check{{Name: "x", Status: "FAIL"}}}}, `case "a": check "x": status "FAIL" is none of pass, fail, info`},
	} {
		t.Run(x.name, func(t *testing.T) {
			_, err := evaluation.New(definition(), x.rows, nil)
			assert.EqualError(t, err, x.want)
		})
	}
}

func TestMergeRefusesReportsOfDifferentSettings(t *testing.T) {
	a := newReport(t, rowsN(2))
	def := definition()
	def.Config = slices.Clone(def.Config)
	def.Config[0].Value = []string{"a list, as a file may state it"}
	b, err := evaluation.New(def, []evaluation.Row{row(7)}, nil)
	require.NoError(t, err)
	_, err = evaluation.Merge(a, b)
	assert.ErrorContains(t, err, "do not belong together")
	_, err = evaluation.Merge(b, b)
	assert.EqualError(t, err, `case "case-00007": two rows have this id`)
	_, err = evaluation.Merge()
	assert.EqualError(t, err, "no reports to merge")
}

func TestReadReportSaysWhatIsWrong(t *testing.T) {
	whole := written(t, newReport(t, rowsN(3)))
	for _, x := range []struct{ name, in, want string }{
		{"empty", "", "not a report: the file is empty"},
		{"cut", whole[:len(whole)/2], "not a report: the JSON ends too early"},
		{"not JSON", "# a page", "not a report: "},
		{"another object", `{"name": "x"}`, `not a report: it has no "schema"`},
		{"a list", `[]`, "not a report: "},
		{"no cases", `{"schema": "s"}`, "not a report: no cases: a report needs at least one"},
		{"something behind", whole + "{}", "not a report: something follows the report's JSON value"},
		{"one name twice", `{"schema": "s", "schema": "t"}`, "not a report: "},
		{"an unknown aggregation", `{"schema": "s", "metrics": {"m": {"aggregation": "median"}}}`, `not a report: metric "m": unknown aggregation "median"`},
		{"a percentile without p", `{"schema": "s", "metrics": {"m": {"aggregation": "percentile"}}}`, `not a report: metric "m": p is 0, outside (0, 100]`},
		{"a status that its checks deny", strings.Replace(whole, `"status": "fail"`, `"status": "pass"`, 1), "not a report: "},
		{"a number too large", `{"schema": "s", "cases": [{"id": "a", "status": "pass", "x": 1e999}]}`, "not a report: /cases/0/x: the number is beyond what a float64 holds"},
		{"a wrong type", `{"schema": "s", "cases": [{"id": 7}]}`, "not a report: /cases/0/id: want string, got number"},
		{"a name of two lines", `{"schema": "s", "metrics": {"a\nb": 1}}`, `not a report: "/metrics/a\nb": want {, got number`},
		{"a list at the top", `[]`, "not a report: want {, got ["},
		{"another version", strings.Replace(whole, "karat/test-report/v1", "karat/retrieval-report/v2", 1), `not a report: its schema is "karat/retrieval-report/v2"; this version of karat reads reports of version 1`},
		{"the summary of a run", strings.Replace(whole, "karat/test-report/v1", "karat/run/v1", 1), `not a report: its schema is "karat/run/v1": the summary of a run, for a trend; the report of one suite is needed`},
		{"the result of a gate", strings.Replace(whole, "karat/test-report/v1", "karat/gate-result/v1", 1), `not a report: its schema is "karat/gate-result/v1"`},
		{"an unknown direction", `{"schema": "s", "metrics": {"m": {"better": "up", "aggregation": "count"}}}`, `not a report: metric "m": better is "up", none of higher, lower, none`},
		{"a range without a value", `{"schema": "s", "metrics": {"m": {"min": 2, "max": 1, "aggregation": "count"}}}`, `not a report: metric "m": min 2 is above max 1`},
		{"a mean of nothing", `{"schema": "s", "metrics": {"m": {"aggregation": "mean"}}}`, `not a report: metric "m": it does not state what it is of`},
	} {
		t.Run(x.name, func(t *testing.T) {
			_, err := evaluation.ReadReport(strings.NewReader(x.in))
			assert.ErrorContains(t, err, x.want)
		})
	}
}

// A slice that lost its cases would not be gated, and nobody would miss it.
func TestASliceThatNoCaseIsInIsNoReport(t *testing.T) {
	labelled := func(id, tag string, recall ...float64) evaluation.Row {
		r := evaluation.Row{ID: id, Status: evaluation.Pass, Labels: []evaluation.Label{{Name: "tag", Values: []string{tag}}}}
		for _, v := range recall {
			r.Metrics = append(r.Metrics, evaluation.Value{Name: "recall@5", Value: v})
		}
		return r
	}
	whole := written(t, newReport(t, []evaluation.Row{labelled("a", "logs", 1), labelled("b", "cpu", 0.5)}))
	_, err := evaluation.ReadReport(strings.NewReader(whole))
	require.NoError(t, err)
	// The slices stand before the cases, so that the last place is the case's.
	edit := func(old, new string) string {
		i := strings.LastIndex(whole, old)
		require.Positive(t, i)
		return whole[:i] + new + whole[i+len(old):]
	}
	for _, x := range []struct{ name, in, want string }{
		{"the label went from its case", edit(`"logs"`, `"cpu"`), "not a report: it states the slice \"logs\" of \"tag\", and no case is in it"},
		{"the label went from every case", edit(`"tag"`, `"tags"`), "not a report: it states the slice \"cpu\" of \"tag\", and no case is in it"},
		{"the value went from its case", edit(`"recall@5": 0.5`, `"precision": 0.5`), "not a report: of the slice \"cpu\" of \"tag\" it states \"recall@5\", and no case in it has one"},
	} {
		t.Run(x.name, func(t *testing.T) {
			_, err := evaluation.ReadReport(strings.NewReader(x.in))
			assert.ErrorContains(t, err, x.want)
		})
	}
}

func TestNumbersAreShortAndTheSameEverywhere(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -1: "-1", 0.5: "0.5", 1.0 / 3: "0.333333333333", 2.0 / 3: "0.666666666667", 0.1 + 0.2: "0.3",
		1e11: "100000000000", 123456.789: "123456.789", 1e-7: "1e-07", 1e21: "1e+21", 5e-324: "5e-324",
	} {
		assert.Equal(t, want, evaluation.Number(v))
	}
	assert.Equal(t, "0", evaluation.Number(math.Copysign(0, -1)))
}

func TestRoundingTwiceIsRoundingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		r := evaluation.Round(v)
		if evaluation.Round(r) != r {
			t.Fatalf("Round(Round(%v)) differs", v)
		}
		if evaluation.Number(r) != evaluation.Number(v) {
			t.Fatalf("%v and its rounding are written differently", v)
		}
		if math.Abs(r-v) > 1e-11*math.Abs(v) && math.Abs(v) > 1e-300 {
			t.Fatalf("Round(%v) = %v", v, r)
		}
	})
}

func TestCaseValueIsWhatARowBringsToAMetric(t *testing.T) {
	r := newReport(t, rowsN(12))
	for _, name := range []string{"pass_rate", "recall@5", "duration_ms_mean", "pass_count"} {
		m := r.Metric(name)
		sum, n := 0.0, 0
		for i := range r.Rows {
			if v, ok := m.CaseValue(&r.Rows[i]); ok {
				sum += v
				n++
			}
		}
		e, _ := r.Entry(name)
		if m.Aggregation != evaluation.Count {
			sum /= float64(n)
		}
		assert.InDelta(t, e.Value, sum, 1e-12, name)
		assert.Equal(t, e.N, n, name)
	}
}

func FuzzReadReport(f *testing.F) {
	whole := written(f, newReport(f, rowsN(3), "w"))
	f.Add([]byte(whole))
	f.Add([]byte(strings.ReplaceAll(whole, "\"value\": 0", "\"value\": null")))
	f.Add([]byte(`{"schema":"s","cases":[{"id":"a","status":"pass","x":[1],"y":{},"metrics":{"m":"1","n":1e300}}],"metrics":{"m":{"aggregation":"mean","of":"m"}},"summary":{"m":3},"config":{"k":[]}}`))
	f.Add([]byte(`{"schema":"s","metrics":{"v":{"aggregation":"distribution","of":"x"}},"summary":{"v":{"n":{"value":1,"n":1}}},"cases":[{"id":"a","status":"pass","x":"n"}]}`))
	f.Add([]byte(`{"schema":"s","metrics":{"v":{"aggregation":"distribution","of":"x"}},"cases":[{"id":"a","status":"pass","x":"value"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := evaluation.ReadReport(bytes.NewReader(data))
		if err != nil {
			return
		}
		var a, b bytes.Buffer
		require.NoError(t, r.WriteJSON(&a))
		again, err := evaluation.ReadReport(bytes.NewReader(a.Bytes()))
		if err != nil {
			t.Fatalf("what was read and written cannot be read: %v\n%s", err, a.String())
		}
		require.NoError(t, again.WriteJSON(&b))
		if a.String() != b.String() {
			t.Fatalf("%s\nis read as\n%s", a.String(), b.String())
		}
	})
}

func BenchmarkNew(b *testing.B) {
	rows := rowsN(10_000)
	for b.Loop() {
		if _, err := evaluation.New(definition(), rows, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteJSON(b *testing.B) {
	r := newReport(b, rowsN(10_000))
	b.SetBytes(int64(len(written(b, r))))
	for b.Loop() {
		_ = r.WriteJSON(io.Discard)
	}
}

func BenchmarkReadReport(b *testing.B) {
	s := written(b, newReport(b, rowsN(10_000)))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, err := evaluation.ReadReport(strings.NewReader(s)); err != nil {
			b.Fatal(err)
		}
	}
}

package trec

import (
	"encoding/json"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/retrieval/measure"
)

// known is a row of testdata/trec.json: complaints about other tools, with the
// values that trec_eval prints for them or that were worked out by hand.
type known struct {
	ID     string         `json:"id"`
	Source string         `json:"source"`
	Qrels  string         `json:"qrels"`
	Run    string         `json:"run"`
	Expect map[string]any `json:"expect"`
	Flags  []string       `json:"flags"`
	Kind   string         `json:"kind"`
	Note   string         `json:"note"`
}

func readKnown(t *testing.T) []known {
	t.Helper()
	data, err := os.ReadFile("testdata/trec.json")
	require.NoError(t, err)
	var rows []known
	require.NoError(t, json.Unmarshal(data, &rows))
	return rows
}

func evaluateText(qrels, run string, opt Options) (*Result, error) {
	q, err := ReadQrels(Reader("qrels", strings.NewReader(qrels)))
	if err != nil {
		return nil, err
	}
	return Evaluate(q, Reader("run", strings.NewReader(run)), opt)
}

// errors of the rows that expect one, in the words used here.
var knownErrors = map[string]string{
	"dup-doc-in-run":         `run:2: query "1": duplicate document "a", first at line 1`,
	"dup-qrel":               `qrels:2: query "1": duplicate document "a", first at line 1`,
	"no-overlap":             `no query is in both qrels (such as "q1") and run (such as "zz")`,
	"float-rel-rejected":     `qrels:1: relevance "0.5": not a whole number in [-2147483648, 2147483647]`,
	"garbage-rel-rejected":   `qrels:1: relevance "yes": not a whole number in [-2147483648, 2147483647]`,
	"garbage-score-rejected": `run:1: score "abc": not a finite number`,
}

func TestTheNumbersAreThoseOfTrecEval(t *testing.T) {
	t.Parallel()
	for _, row := range readKnown(t) {
		if row.Kind == "api" {
			continue // tests by name below
		}
		t.Run(row.ID, func(t *testing.T) {
			t.Parallel()
			opt := Options{}
			rel := 1
			for _, flag := range row.Flags {
				switch {
				case flag == "-c":
				case flag == "-J":
					opt.JudgedOnly = true
				case strings.HasPrefix(flag, "-M"):
					var err error
					opt.Depth, err = strconv.Atoi(flag[2:])
					require.NoError(t, err)
				case strings.HasPrefix(flag, "-l"):
					var err error
					rel, err = strconv.Atoi(flag[2:])
					require.NoError(t, err)
				default:
					t.Fatalf("flag %s is not known", flag)
				}
			}
			var names []string
			for name := range row.Expect {
				if name == "error" {
					continue
				}
				m, err := measure.Parse(name)
				require.NoError(t, err)
				m, err = m.WithRel(rel)
				require.NoError(t, err)
				opt.Measures = append(opt.Measures, m)
				names = append(names, name)
			}
			r, err := evaluateText(row.Qrels, row.Run, opt)
			if row.Expect["error"] != nil {
				require.Contains(t, knownErrors, row.ID)
				require.EqualError(t, err, knownErrors[row.ID], row.Note)
				return
			}
			require.NoError(t, err)
			for k, name := range names {
				want, ok := row.Expect[name].(float64)
				require.True(t, ok)
				assert.Equal(t, strconv.FormatFloat(want, 'f', 4, 64), strconv.FormatFloat(r.Summary[k], 'f', 4, 64), "%s (%s; %s)", name, row.Source, row.Note)
			}
		})
	}
}

func knownRow(t *testing.T, id string) known {
	t.Helper()
	for _, row := range readKnown(t) {
		if row.ID == id {
			return row
		}
	}
	t.Fatalf("testdata/trec.json has no row %s", id)
	return known{}
}

func mustParse(t *testing.T, names ...string) []measure.Measure {
	t.Helper()
	var list []measure.Measure
	for _, name := range names {
		m, err := measure.ParseList(name)
		require.NoError(t, err)
		list = append(list, m...)
	}
	return list
}

func TestAnEmptyResultListScoresZeroAndIsNoError(t *testing.T) {
	t.Parallel()
	row := knownRow(t, "llamaindex-no-results")
	q, err := ReadQrels(Reader("qrels", strings.NewReader(row.Qrels)))
	require.NoError(t, err)
	judgments := make(map[string]int)
	for document, rel := range q.Judgments("1") {
		judgments[document] = rel
	}
	ranking, err := NewRanking(nil, judgments)
	require.NoError(t, err)
	for expected, name := range map[string]string{"recall": "R@10", "RR": "RR", "hit": "Success@10"} {
		assert.Equal(t, row.Expect[expected], mustParse(t, name)[0].Score(ranking), name)
	}
}

func TestRecallAndCappedRecallAreTwoNamesWithTwoValues(t *testing.T) {
	t.Parallel()
	row := knownRow(t, "capped-recall")
	require.Equal(t, "100 relevant retrieved", row.Run)
	q, err := ReadQrels(Reader("qrels", strings.NewReader(row.Qrels)))
	require.NoError(t, err)
	scores := make(map[string]float64)
	for document := range q.Judgments("1") {
		if len(scores) < 100 {
			scores[document] = 1
		}
	}
	r, err := EvaluateRun(q, Run{"1": scores}, Options{Measures: mustParse(t, "R@100", "RCap@100")})
	require.NoError(t, err)
	assert.Equal(t, []float64{row.Expect["R@100"].(float64), row.Expect["RCap@100"].(float64)}, r.Summary)
}

func TestTheRandomisationTestGivesTheSameBitsEachTime(t *testing.T) {
	knownRow(t, "fisher-deterministic")
	var qrels, a, b strings.Builder
	for i := range 40 {
		q := strconv.Itoa(i)
		qrels.WriteString(q + " 0 d 1\n")
		a.WriteString(q + " Q0 d 1 1 a\n" + q + " Q0 e 2 " + strconv.Itoa(i%3) + " a\n")
		b.WriteString(q + " Q0 d 1 1 b\n" + q + " Q0 e 2 " + strconv.Itoa(i%5) + " b\n")
	}
	opt := Options{Measures: mustParse(t, "RR")}
	ra, err := evaluateText(qrels.String(), a.String(), opt)
	require.NoError(t, err)
	rb, err := evaluateText(qrels.String(), b.String(), opt)
	require.NoError(t, err)
	first, err := Compare(ra, rb, CompareOptions{Seed: 7})
	require.NoError(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i := range 100 {
		runtime.GOMAXPROCS(1 + i%4)
		again, err := Compare(ra, rb, CompareOptions{Seed: 7})
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(first.Measures[0].P), math.Float64bits(again.Measures[0].P))
		require.Equal(t, first.Measures[0].Low, again.Measures[0].Low)
	}
}

func TestAnUnchangedMeanDoesNotHideTheQueriesThatGotWorse(t *testing.T) {
	t.Parallel()
	row := knownRow(t, "per-category-gate")
	// multi_hop falls from 1.0 to 0.5 on four cases while single_hop rises from
	// 0.5 to 1.0 on four.
	qrels := make(map[string]map[string]int)
	before, after := Run{}, Run{}
	both, half := map[string]float64{"a": 2, "b": 1}, map[string]float64{"a": 1}
	for i := range 4 {
		multi, single := "multi_hop-"+strconv.Itoa(i), "single_hop-"+strconv.Itoa(i)
		for _, q := range []string{multi, single} {
			qrels[q] = map[string]int{"a": 1, "b": 1}
		}
		before[multi], before[single] = both, half
		after[multi], after[single] = half, both
	}
	q, err := NewQrels("qrels", qrels)
	require.NoError(t, err)
	opt := Options{Measures: mustParse(t, "R@5")}
	a, err := EvaluateRun(q, before, opt)
	require.NoError(t, err)
	b, err := EvaluateRun(q, after, opt)
	require.NoError(t, err)
	c, err := Compare(a, b, CompareOptions{})
	require.NoError(t, err)
	assert.Equal(t, row.Expect["aggregate_delta"], c.Measures[0].Diff)
	assert.Equal(t, []int{4, 4, 0}, []int{c.Measures[0].Better, c.Measures[0].Worse, c.Measures[0].Equal})
	worst := 1.0
	for id, query := range b.Queries() {
		if strings.HasPrefix(id, "multi_hop") {
			worst = min(worst, query.Values[0])
		}
	}
	assert.Equal(t, 0.5, worst)
}

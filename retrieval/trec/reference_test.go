package trec

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/retrieval/measure"
)

// collection is random judgments and a random run, in the shape that files have.
type collection struct {
	judgments map[string]map[string]int
	rows      map[string][]Document
}

func drawCollection(t *rapid.T) collection {
	c := collection{make(map[string]map[string]int), make(map[string][]Document)}
	grade := rapid.SampledFrom([]int{-1, 0, 0, 1, 1, 2, 3})
	score := rapid.SampledFrom([]float64{-1.5, 0, 0.25, 0.5, 1, 2, 3.125, 1e-300, 1e300, 7})
	for i := range rapid.IntRange(1, 6).Draw(t, "queries") {
		query := "q" + strconv.Itoa(i)
		judged, retrieved := rapid.Bool().Draw(t, "judged") || i == 0, rapid.Bool().Draw(t, "retrieved") || i == 0
		judgments := make(map[string]int)
		var documents []Document
		for d := range rapid.IntRange(1, 14).Draw(t, "documents") {
			id := "d" + strconv.Itoa(d*7%15)
			if d == 0 || rapid.Bool().Draw(t, "judge") {
				judgments[id] = grade.Draw(t, "relevance")
			}
			if d == 0 || rapid.Bool().Draw(t, "retrieve") {
				documents = append(documents, Document{id, score.Draw(t, "score")})
			}
		}
		if judged {
			c.judgments[query] = judgments
		}
		if retrieved {
			c.rows[query] = documents
		}
	}
	return c
}

// files writes the collection as text, with its rows in the given order.
func (c collection) files(order func(rows []string)) (qrels, run string) {
	var q, r []string
	for query, judgments := range c.judgments {
		for document, rel := range judgments {
			q = append(q, fmt.Sprintf("%s 0 %s %d\n", query, document, rel))
		}
	}
	queries := make([]string, 0, len(c.rows))
	for query := range c.rows {
		queries = append(queries, query)
	}
	sort.Strings(q)
	sort.Strings(queries)
	for _, query := range queries {
		for i, d := range c.rows[query] {
			r = append(r, fmt.Sprintf("%s\tQ0 %s %d %s tag\n", query, d.ID, i+1, strconv.FormatFloat(d.Score, 'g', -1, 64)))
		}
	}
	order(q)
	order(r)
	return strings.Join(q, ""), strings.Join(r, "")
}

var someMeasures = []string{"AP", "AP(rel=2)@5", "nDCG", "nDCG@3", "nDCG(gain=exp)@5", "RR", "P@3", "R@5", "RCap@2", "Success@1", "F@4", "Rprec", "Bpref", "RBP", "rbp", "RBP(rel=1)@3",
	"ERR", "ERR@3", "infAP", "IPrec@0.1", "IPrec@0.7", "11pt", "GMAP", "GMBpref", "SetP", "SetRelP", "SetR", "SetF", "SetAP", "Judged@3", "Unj@3", "NumQ", "NumRet", "num_rel_ret", "NumRel", "NumNonRelJudgedRet", "P(judged_only=True)@2"}

// reference scores a collection the slow way: all rows sorted, each place looked
// up, each measure over the whole list.
func reference(t require.TestingT, c collection, measures []measure.Measure) map[string][]float64 {
	scores := make(map[string][]float64)
	for query, judgments := range c.judgments {
		rows := slices.Clone(c.rows[query])
		sort.Slice(rows, func(i, j int) bool {
			if rows[i].Score != rows[j].Score {
				return rows[i].Score > rows[j].Score
			}
			return rows[i].ID > rows[j].ID
		})
		var list, judged []int
		for _, d := range rows {
			if rel, ok := judgments[d.ID]; ok {
				list = append(list, rel)
			} else {
				list = append(list, measure.Unjudged)
			}
		}
		for _, rel := range judgments {
			judged = append(judged, rel)
		}
		ranking, err := measure.NewRanking(list, judged)
		require.NoError(t, err)
		for _, m := range measures {
			scores[query] = append(scores[query], m.Score(ranking))
		}
	}
	return scores
}

func values(r *Result) map[string][]float64 {
	out := make(map[string][]float64)
	for id, q := range r.Queries() {
		out[id] = slices.Clone(q.Values)
	}
	return out
}

func TestAnyFileScoresAsSortingEverythingWould(t *testing.T) {
	t.Parallel()
	measures := mustParse(t, someMeasures...)
	rapid.Check(t, func(t *rapid.T) {
		c := drawCollection(t)
		want := reference(t, c, measures)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		shuffled := func(rows []string) {
			random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		}
		var first *Result
		for _, order := range []func([]string){func([]string) {}, shuffled, shuffled} {
			qrels, run := c.files(order)
			opt := Options{Measures: measures, Workers: rapid.IntRange(1, 8).Draw(t, "workers"), block: rapid.IntRange(1, 400).Draw(t, "block")}
			r, err := evaluateText(qrels, run, opt)
			require.NoError(t, err)
			if diff := cmp.Diff(want, values(r)); diff != "" {
				t.Fatalf("values differ (-want +got):\n%s\nqrels:\n%s\nrun:\n%s", diff, qrels, run)
			}
			if first == nil {
				first = r
			}
			if diff := cmp.Diff(first, r, cmpopts.IgnoreFields(Result{}, "Scattered", "queries"), cmp.AllowUnexported(Result{}), cmpopts.EquateNaNs(), cmp.Comparer(sameMeasure)); diff != "" {
				t.Fatalf("another order, number of workers or block size gives another result (-first +this):\n%s\nrun:\n%s", diff, run)
			}
		}
		inMemory := Run{}
		for query, rows := range c.rows {
			inMemory[query] = make(map[string]float64)
			for _, d := range rows {
				inMemory[query][d.ID] = d.Score
			}
		}
		q, err := NewQrels("qrels", c.judgments)
		require.NoError(t, err)
		r, err := EvaluateRun(q, inMemory, Options{Measures: measures})
		require.NoError(t, err)
		if diff := cmp.Diff(first, r, cmpopts.IgnoreFields(Result{}, "Scattered", "queries", "RunName", "Tag"), cmp.AllowUnexported(Result{}), cmpopts.EquateNaNs(), cmp.Comparer(sameMeasure)); diff != "" {
			t.Fatalf("the run in memory gives another result (-file +memory):\n%s", diff)
		}
		for k := range measures {
			if r.Low[k] > r.Summary[k]+1e-12 || r.High[k] < r.Summary[k]-1e-12 {
				t.Fatalf("%s: %v is outside of its bounds [%v, %v]", measures[k], r.Summary[k], r.Low[k], r.High[k])
			}
		}
	})
}

func sameMeasure(a, b measure.Measure) bool { return a.Label() == b.Label() }

func TestDepthAndJudgedOnlyEqualAFileWithoutTheDroppedRows(t *testing.T) {
	t.Parallel()
	measures := mustParse(t, "AP", "nDCG", "P@3", "RR", "Bpref", "infAP", "NumRet", "Unj@3")
	rapid.Check(t, func(t *rapid.T) {
		c := drawCollection(t)
		depth := rapid.IntRange(1, 5).Draw(t, "depth")
		dropped := collection{c.judgments, make(map[string][]Document)}
		assessed := collection{c.judgments, make(map[string][]Document)}
		for query, rows := range c.rows {
			rows = slices.Clone(rows)
			require.NoError(t, Rank(rows))
			dropped.rows[query] = rows[:min(depth, len(rows))]
			for _, d := range rows {
				if rel, ok := c.judgments[query][d.ID]; ok && rel >= 0 {
					assessed.rows[query] = append(assessed.rows[query], d)
				}
			}
		}
		qrels, run := c.files(func([]string) {})
		for _, tt := range []struct {
			opt  Options
			less collection
		}{{Options{Measures: measures, Depth: depth}, dropped}, {Options{Measures: measures, JudgedOnly: true}, assessed}} {
			r, err := evaluateText(qrels, run, tt.opt)
			require.NoError(t, err)
			if diff := cmp.Diff(reference(t, tt.less, measures), values(r)); diff != "" {
				t.Fatalf("%+v: (-want +got)\n%s", tt.opt, diff)
			}
		}
	})
}

func TestAScatteredRunIsReadAgainFromAnySource(t *testing.T) {
	defer func(n int) { spoolMemory = n }(spoolMemory)
	spoolMemory = 1000
	var grouped, scattered, qrels strings.Builder
	rows := make(map[int][]string)
	for q := range 30 {
		fmt.Fprintf(&qrels, "q%d 0 d%d 1\n", q, q%9)
		for d := range 20 {
			rows[q] = append(rows[q], fmt.Sprintf("q%d Q0 d%d 1 %d.5 tag\n", q, d, (d*7)%20))
		}
		grouped.WriteString(strings.Join(rows[q], ""))
	}
	for d := range 20 {
		for q := range 30 {
			scattered.WriteString(rows[q][d])
		}
	}
	measures := mustParse(t, "AP", "nDCG@5", "RR")
	q, err := ReadQrels(Reader("qrels", strings.NewReader(qrels.String())))
	require.NoError(t, err)
	want, err := Evaluate(q, Reader("run", strings.NewReader(grouped.String())), Options{Measures: measures})
	require.NoError(t, err)
	require.False(t, want.Scattered)
	sources := map[string]func() io.Reader{
		"a reader that seeks":  func() io.Reader { return strings.NewReader(scattered.String()) },
		"a reader that cannot": func() io.Reader { return io.MultiReader(strings.NewReader(scattered.String())) },
	}
	for name, source := range sources {
		for _, workers := range []int{1, 2, 5} {
			for _, block := range []int{64, 700, 1 << 20} {
				r, err := Evaluate(q, Reader("run", source()), Options{Measures: measures, Workers: workers, block: block})
				require.NoError(t, err, name)
				require.True(t, r.Scattered, name)
				require.Equal(t, values(want), values(r), name)
				require.Contains(t, r.Notes()[0], "do not stand together")
			}
		}
	}

	// A pipe that a shell gives as a path can be read once, however often it
	// is opened.
	if _, err := os.Stat("/dev/fd/0"); err != nil {
		t.Skip("no /dev/fd")
	}
	for range 2 {
		in, out, err := os.Pipe()
		require.NoError(t, err)
		go func() {
			_, _ = io.WriteString(out, scattered.String())
			_ = out.Close()
		}()
		r, err := Evaluate(q, File(fmt.Sprintf("/dev/fd/%d", in.Fd())), Options{Measures: measures, block: 700})
		require.NoError(t, err)
		require.True(t, r.Scattered)
		require.Equal(t, values(want), values(r))
		require.NoError(t, in.Close())
	}
}

func TestScoresParseAsStrconvDoes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"0", "-0", "+1", "1.", ".5", "-.5", "1e5", "1E-5", "0x1p-2", "9007199254740992", "9007199254740993", "9007199254740993.0", "0.1", "0.30000000000000004",
		"1.7976931348623157e308", "5e-324", "4.9e-324", "123456789012345678", "1234567890123456789", "12345678901234567890", "0.0000000000000000000001", "0.00000000000000000000001",
		"18446744073709551615", "18446744073709551616", "99999999999999999999999.5", "1_000", "1_0", "0x", "e5", ".", "-", "+", "", "1e999", "-1e999", "nan", "NaN", "inf", "-Inf", "infinity", "1,5", "1.2.3", "١", "0000000000000000000000001.5"} {
		checkScore(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			checkScore(t, rapid.StringMatching(`[-+]?[0-9]{0,22}\.?[0-9]{0,24}`).Draw(t, "decimal"))
		case 1:
			checkScore(t, strconv.FormatFloat(rapid.Float64().Draw(t, "float"), 'g', -1, 64))
		default:
			checkScore(t, strconv.FormatFloat(rapid.Float64Range(-1000, 1000).Draw(t, "float"), 'f', rapid.IntRange(0, 20).Draw(t, "digits"), 64))
		}
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkScore(t fataler, s string) {
	t.Helper()
	if strings.ContainsAny(s, " \t\r\n") {
		return
	}
	want, err := strconv.ParseFloat(s, 64)
	fine := err == nil && !math.IsInf(want, 0) && !math.IsNaN(want) && !strings.Contains(s, "_")
	for _, behind := range []string{"", " tag", "\ttag"} {
		got, end, ok := parseScore([]byte(s + behind))
		if ok != fine || end != len(s) || (ok && math.Float64bits(got) != math.Float64bits(want)) {
			t.Fatalf("%q: %v, end %d, ok %v; strconv gives %v, %v", s+behind, got, end, ok, want, err)
		}
	}
}

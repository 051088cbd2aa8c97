package trec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrongFilesAreErrorsWithTheirLine(t *testing.T) {
	t.Parallel()
	const qrels, run = "1 0 a 1\n1 0 b 0\n2 0 a 1\n", "1 Q0 a 1 2.5 r\n1 Q0 b 2 1.5 r\n"
	long := strings.Repeat("x", MaxLine+1)
	tests := []struct{ name, qrels, run, want string }{
		{"five columns", qrels, run + "2 Q0 a 1 1.5\n", `run:3: 5 columns ("2 Q0 a 1 1.5"), not 6: query Q0 document rank score tag`},
		{"four columns", qrels, run + "2 Q0 a 1\n", `run:3: 4 columns ("2 Q0 a 1"), not 6: query Q0 document rank score tag`},
		{"three columns", qrels, run + "2 Q0 a\n", `run:3: 3 columns ("2 Q0 a"), not 6: query Q0 document rank score tag`},
		{"one column", qrels, run + "2\n", `run:3: 1 column ("2"), not 6: query Q0 document rank score tag`},
		{"seven columns", qrels, run + "2 Q0 a 1 1.5 r x\n", `run:3: 7 columns ("2 Q0 a 1 1.5 r x"), not 6: query Q0 document rank score tag`},
		{"five columns in a row", qrels, run + "1 Q0 c 3 0.5\n", `run:3: 5 columns ("1 Q0 c 3 0.5"), not 6: query Q0 document rank score tag`},
		{"score nan", qrels, run + "2 Q0 a 1 nan r\n", `run:3: score "nan": not a finite number`},
		{"score inf", qrels, run + "2 Q0 a 1 -inf r\n", `run:3: score "-inf": not a finite number`},
		{"score too large", qrels, run + "2 Q0 a 1 1e999 r\n", `run:3: score "1e999": not a finite number`},
		{"score abc", qrels, "\n# comment\n1 Q0 a 1 abc r\n", `run:3: score "abc": not a finite number`},
		{"score with a comma", qrels, "1 Q0 a 1 1,5 r\n", `run:1: score "1,5": not a finite number`},
		{"duplicate document", qrels, run + "1 Q0 c 3 1 r\n1 Q0 b 4 0.5 r\n", `run:4: query "1": duplicate document "b", first at line 2`},
		{"duplicate unjudged document", qrels, run + "1 Q0 c 3 1 r\n1 Q0 c 4 0.5 r\n", `run:4: query "1": duplicate document "c", first at line 3`},
		{"duplicate in a scattered run", qrels, run + "2 Q0 a 1 1 r\n1 Q0 c 3 1 r\n\n1 Q0 b 4 0.5 r\n", `run:6: query "1": duplicate document "b", first at line 2`},
		{"duplicate in a query without judgments", qrels, run + "9 Q0 a 1 1 r\n9 Q0 a 1 1 r\n", `run:4: query "9": duplicate document "a", first at line 3`},
		{"first wrong line of a scattered run", qrels, "1 Q0 a 1 2 r\n2 Q0 a 1 2 r\n1 Q0 b 1 1 r\n2 Q0 b 1 x r\n1 Q0 c 1 y r\n", `run:4: score "x": not a finite number`},
		{"no overlap", qrels, "9 Q0 a 1 1 r\n", `no query is in both qrels (such as "1") and run (such as "9")`},
		{"empty run", qrels, "", "run: no rows: the file is empty"},
		{"run of comments", qrels, "# nothing\n\n  \n", "run: no rows: the file is empty"},
		{"binary run", qrels, "\x00\x01\x02 \xff\xfe\n", `run:1: not text ("\x00\x01\x02 \xff\xfe"): wanted 6 columns: query Q0 document rank score tag`},
		{"UTF-16 run", qrels, "1\x00 \x00Q\x000\x00\n\x00", `run:1: not text ("1\x00 \x00Q\x000\x00"): wanted 6 columns: query Q0 document rank score tag`},
		{"a line without end", qrels, run + long, "run:3: line of more than 1048576 bytes"},
		{"a long line", qrels, run + "1 Q0 " + long + " 3 1 r\n" + run, "run:3: line of more than 1048576 bytes"},
		{"a terminal escape in an id", qrels, run + "1 Q0 \x1b[31m 3 1 r\n1 Q0 \x1b[31m 4 0 r\n", `run:4: query "1": duplicate document "\x1b[31m", first at line 3`},

		{"qrels of three columns", "1 0 a\n", run, `qrels:1: 3 columns ("1 0 a"), not 4: query iteration document relevance`},
		{"qrels of five columns", qrels + "1 0 c 1 x\n", run, `qrels:4: 5 columns ("1 0 c 1 x"), not 4: query iteration document relevance`},
		{"relevance 0.5", qrels + "1 0 c 0.5\n", run, `qrels:4: relevance "0.5": not a whole number in [-2147483648, 2147483647]`},
		{"relevance yes", qrels + "1 0 c yes\n", run, `qrels:4: relevance "yes": not a whole number in [-2147483648, 2147483647]`},
		{"relevance too large", qrels + "1 0 c 2147483648\n", run, `qrels:4: relevance "2147483648": not a whole number in [-2147483648, 2147483647]`},
		{"relevance 1_0", qrels + "1 0 c 1_0\n", run, `qrels:4: relevance "1_0": not a whole number in [-2147483648, 2147483647]`},
		{"duplicate judgment", qrels + "\n# again\n1 0 b 0\n", run, `qrels:6: query "1": duplicate document "b", first at line 2`},
		{"empty qrels", "", run, "qrels: no judgments: the file is empty"},
		{"binary qrels", "\x00\xff\n", run, `qrels:1: not text ("\x00\xff"): wanted 4 columns: query iteration document relevance`},
		{"long qrels line", qrels + long, run, "qrels:4: line of more than 1048576 bytes"},
		{"long comment", qrels, run + "#" + long + "\n", "run:3: line of more than 1048576 bytes"},
		{"long blank line", qrels, run + strings.Repeat(" ", MaxLine+1) + "\n", "run:3: line of more than 1048576 bytes"},
		{"long line of a scattered run", qrels, "1 Q0 a 1 2 r\n2 Q0 a 1 2 r\n1 Q0 b 1 2 r\n" + long + long, "run:4: line of more than 1048576 bytes"},
		{"long qrels comment", qrels + "#" + long + "\n", run, "qrels:4: line of more than 1048576 bytes"},
		{"UTF-16", qrels, "\xff\xfe1\x00 \x00Q\x000\x00", "run: UTF-16 text; UTF-8 is needed"},
		{"UTF-16 the other way", "\xfe\xff\x001\x00 \x000", run, "qrels: UTF-16 text; UTF-8 is needed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, block := range []int{1, 16, 0} {
				if block > 0 && len(tt.run) > MaxLine {
					continue // quadratic
				}
				_, err := evaluateText(tt.qrels, tt.run, Options{block: block})
				require.EqualError(t, err, tt.want, "blocks of %d bytes", block)
			}
		})
	}
}

// endless gives line after line, or one line that never ends, without holding
// them.
type endless struct {
	left  int
	bytes string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.bytes)
	}
	n = min(n, e.left)
	e.left -= n
	return n, nil
}

func TestALineOf100MBIsAnErrorBeforeItIsHeld(t *testing.T) {
	t.Parallel()
	q, err := ReadQrels(Reader("qrels", strings.NewReader("1 0 a 1\n")))
	require.NoError(t, err)
	line := &endless{left: 100 << 20, bytes: "x"}
	_, err = Evaluate(q, Reader("run", io.MultiReader(strings.NewReader("1 Q0 a 1 1 r\n"), line)), Options{})
	require.EqualError(t, err, "run:2: line of more than 1048576 bytes")
	assert.Greater(t, line.left, 90<<20, "the rest is not read")
}

func TestAReadErrorNamesTheFileAndThePlace(t *testing.T) {
	t.Parallel()
	q, err := ReadQrels(Reader("qrels", strings.NewReader("1 0 a 1\n")))
	require.NoError(t, err)
	broken := errors.New("disk on fire")
	_, err = Evaluate(q, Reader("run", io.MultiReader(strings.NewReader("1 Q0 a 1 1 r\n1 Q0 b 1 1 r\n"), iotest.ErrReader(broken))), Options{})
	require.EqualError(t, err, "run: disk on fire (after line 2)")
	require.ErrorIs(t, err, broken)
	_, err = Evaluate(q, Source{}, Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Evaluate(q, File(filepath.Join(t.TempDir(), "none.txt")), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.Equal(t, 1, strings.Count(err.Error(), "none.txt"))
	_, err = ReadQrels(Reader("qrels", iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func compressed(t *testing.T, kind, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch kind {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zstd":
		z, err := zstd.NewWriter(&b)
		require.NoError(t, err)
		w = z
	default:
		return []byte(text)
	}
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestFormsOfAFileThatMeanTheSame(t *testing.T) {
	t.Parallel()
	qrels := "1 0 a 1\n1 0 b 0\n2 0 c 2\n"
	run := "1 Q0 a 1 2.5 r\n1 Q0 b 2 1.5 r\n2 Q0 c 1 1 r\n"
	measures := mustParse(t, "AP", "nDCG", "NumRet")
	want, err := evaluateText(qrels, run, Options{Measures: measures})
	require.NoError(t, err)
	forms := map[string]func(string) string{
		"no last newline":   func(s string) string { return strings.TrimSuffix(s, "\n") },
		"CRLF":              func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"tabs":              func(s string) string { return strings.ReplaceAll(s, " ", "\t") },
		"many blanks":       func(s string) string { return strings.ReplaceAll(s, " ", " \t  ") },
		"blanks around":     func(s string) string { return " \t" + strings.ReplaceAll(s, "\n", " \t\n \t") },
		"blank lines":       func(s string) string { return "\n\n" + strings.ReplaceAll(s, "\n", "\n \n\r\n") },
		"comments":          func(s string) string { return "# a\n" + strings.ReplaceAll(s, "\n", "\n#1 Q0 a 1 1 r\n") },
		"a byte order mark": func(s string) string { return "\ufeff" + s },
	}
	for name, form := range forms {
		for _, kind := range []string{"plain", "gzip", "zstd"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				q, err := ReadQrels(Reader("qrels", bytes.NewReader(compressed(t, kind, form(qrels)))))
				require.NoError(t, err)
				for _, block := range []int{0, 7} {
					r, err := Evaluate(q, Reader("run", iotest.OneByteReader(bytes.NewReader(compressed(t, kind, form(run))))), Options{Measures: measures, block: block})
					require.NoError(t, err)
					assert.Equal(t, values(want), values(r))
					assert.Equal(t, "r", r.Tag)
					assert.False(t, r.Scattered)
				}
			})
		}
	}
}

func TestATruncatedGzipIsAnError(t *testing.T) {
	t.Parallel()
	q, err := ReadQrels(Reader("qrels", strings.NewReader("1 0 a 1\n")))
	require.NoError(t, err)
	whole := compressed(t, "gzip", strings.Repeat("1 Q0 a 1 1 r\n", 1))
	_, err = Evaluate(q, Reader("run.gz", bytes.NewReader(whole[:len(whole)-5])), Options{})
	require.ErrorContains(t, err, "run.gz: ")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestAFileThatBreaksOffInALineIsNotBlamedOnTheLine(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	half := func(text string) Source {
		return Reader("file", io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
	}
	q, err := ReadQrels(Reader("qrels", strings.NewReader("1 0 a 1\n")))
	require.NoError(t, err)
	for _, run := range []string{"1 Q0 a 1 1 r\n1 Q0 b 2", "1 Q0 a 1 1 r\n1 Q0 b 2 -1", "1 Q0 a 1 1 r\n1 Q0 a"} {
		_, err = Evaluate(q, half(run), Options{})
		require.EqualError(t, err, "file: disk on fire (after line 1)")
	}
	_, err = ReadQrels(half("1 0 a 1\n1 0"))
	require.EqualError(t, err, "file: disk on fire (after line 1)")
	_, err = ReadTexts(half("1\tone\n2"))
	require.EqualError(t, err, "file: disk on fire (after line 1)")
}

func TestCommentsAreNotHeld(t *testing.T) {
	t.Parallel()
	q, err := ReadQrels(Reader("qrels", strings.NewReader("1 0 a 1\n")))
	require.NoError(t, err)
	comments := &endless{left: 8 << 20, bytes: "\n"} // whole lines, however they are cut
	c := &blocks{in: comments, cut: cutBeforeQuery}
	block, err := c.next(nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(block), blockSize)
	_, err = Evaluate(q, Reader("run", comments), Options{})
	require.EqualError(t, err, "run: no rows: the file is empty")
}

func TestMoreWorkersThanAnyMachineHasAreNoTrouble(t *testing.T) {
	t.Parallel()
	r, err := evaluateText("1 0 a 1\n", "1 Q0 a 1 1 r\n", Options{Workers: math.MaxInt})
	require.NoError(t, err)
	assert.Equal(t, 1, r.Len())
}

func TestQrelsKeepWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	want := map[string]map[string]int{"b": {"d1": 1, "d2": -1}, "a": {"d1": 3}, "9": {"x": 0}}
	var text strings.Builder
	for _, line := range []string{"b d1 1", "a d1 3", "b d2 -1", "9 x 0"} { // b comes back
		f := strings.Fields(line)
		fmt.Fprintf(&text, "%s 0 %s %s\n", f[0], f[1], f[2])
	}
	fromFile, err := ReadQrels(Reader("q", strings.NewReader(text.String())))
	require.NoError(t, err)
	fromMap, err := NewQrels("q", want)
	require.NoError(t, err)
	for _, q := range []*Qrels{fromFile, fromMap} {
		got := make(map[string]map[string]int)
		var order []string
		for query := range q.Queries() {
			order = append(order, query)
			got[query] = make(map[string]int)
			for document, rel := range q.Judgments(query) {
				got[query][document] = rel
			}
		}
		assert.Equal(t, want, got)
		assert.Equal(t, []string{"9", "a", "b"}, order)
		assert.Equal(t, 3, q.Len())
		for range q.Judgments("none") {
			t.Error("a judgment for a query that is not there")
		}
	}
	_, err = NewQrels("q", nil)
	require.EqualError(t, err, "q: no judgments: the file is empty")
	_, err = NewQrels("q", map[string]map[string]int{"1": {"a": 1 << 40}})
	require.EqualError(t, err, `q: query "1", document "a": relevance 1099511627776 is beyond 32 bits`)
}

func TestRunsInMemoryRefuseWhatFilesRefuse(t *testing.T) {
	t.Parallel()
	q, err := NewQrels("qrels", map[string]map[string]int{"1": {"a": 1}})
	require.NoError(t, err)
	nan := 0.0
	nan /= nan
	_, err = EvaluateRun(q, Run{"1": {"a": nan}}, Options{})
	require.EqualError(t, err, `query "1": document "a": score NaN: not a finite number`)
	_, err = EvaluateRun(q, Run{"2": {"a": 1}}, Options{})
	require.EqualError(t, err, `no query is in both qrels (such as "1") and the run (such as "2")`)
	_, err = EvaluateRun(q, Run{"1": nil}, Options{})
	require.EqualError(t, err, "the run: no rows: the file is empty")
	_, err = NewRanking([]Document{{"a", 1}, {"a", 2}}, nil)
	require.EqualError(t, err, `duplicate document "a"`)
}

const (
	sampleQrels = "1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 a 0\n"
	sampleRun   = "1 Q0 b 1 2 bm25\n1 Q0 a 2 2 bm25\n1 Q0 x 3 1 bm25\n9 Q0 a 1 1 bm25\n3 Q0 a 1 1 bm25\n"
)

func TestTheTextIsTrecEvals(t *testing.T) {
	t.Parallel()
	r, err := evaluateText(sampleQrels, sampleRun, Options{Measures: mustParse(t, "num_q", "num_rel", "map", "gm_map", "nDCG@5")})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, r.WriteText(&out, TextOptions{PerQuery: true, RunID: true}))
	// Query 1: a ties with b, and b > a, so that a is second. AP 1/2,
	// nDCG 1/log2(3); the others 0. GMAP exp((ln 0.5 + 2 ln 0.00001)/3).
	want := "num_rel               \t1\t1\n" +
		"map                   \t1\t0.5000\n" +
		"nDCG@5                \t1\t0.6309\n" +
		"num_rel               \t2\t1\n" +
		"map                   \t2\t0.0000\n" +
		"nDCG@5                \t2\t0.0000\n" +
		"num_rel               \t3\t0\n" +
		"map                   \t3\t0.0000\n" +
		"nDCG@5                \t3\t0.0000\n" +
		"runid                 \tall\tbm25\n" +
		"num_q                 \tall\t3\n" +
		"num_rel               \tall\t2\n" +
		"map                   \tall\t0.1667\n" +
		"gm_map                \tall\t0.0004\n" +
		"nDCG@5                \tall\t0.2103\n"
	assert.Equal(t, want, out.String())
	assert.Equal(t, []string{
		"1 query of the run has no judgments and is left out: 9",
		"1 query has judgments and no results: it scores 0 and counts: 2",
		"1 query has no relevant document: it scores 0 and counts: 3",
		"unjudged: 1 of 4 documents retrieved (25.0%); they count as not relevant",
		"ties: 1 query ranks a judged document among others of its score; under any order of the tied: map 0.1667 to 0.3333, gm_map 0.0004 to 0.0005, nDCG@5 0.2103 to 0.3333",
	}, r.Notes())
}

func TestTheDefaultMeasuresAreTrecEvals(t *testing.T) {
	t.Parallel()
	r, err := evaluateText(sampleQrels, sampleRun, Options{})
	require.NoError(t, err)
	var labels []string
	for _, m := range r.Measures {
		labels = append(labels, m.Label())
	}
	assert.Equal(t, "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank "+
		"iprec_at_recall_0.00 iprec_at_recall_0.10 iprec_at_recall_0.20 iprec_at_recall_0.30 iprec_at_recall_0.40 iprec_at_recall_0.50 "+
		"iprec_at_recall_0.60 iprec_at_recall_0.70 iprec_at_recall_0.80 iprec_at_recall_0.90 iprec_at_recall_1.00 "+
		"P_5 P_10 P_15 P_20 P_30 P_100 P_200 P_500 P_1000", strings.Join(labels, " "))
}

func TestTheJSONHoldsSummaryNotesAndQueries(t *testing.T) {
	t.Parallel()
	r, err := evaluateText("1 0 a 1\n1 0 b 0\n", "1 Q0 b 1 2 \x1b[m\n1 Q0 a 2 2 \x1b[m\n", Options{Measures: mustParse(t, "RR", "NumRet")})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, r.WriteJSON(&out, true))
	assert.Equal(t, `{
  "schema": "karat/trec-report/v1",
  "run": "\u001b[m",
  "measures": {
    "RR": {
      "name": "RR",
      "better": "higher",
      "min": 0,
      "max": 1
    },
    "NumRet": {
      "name": "NumRet",
      "better": "none",
      "min": 0,
      "max": null
    }
  },
  "summary": {
    "RR": {
      "value": 0.5,
      "n": 1,
      "low": 0.5,
      "high": 1
    },
    "NumRet": {
      "value": 2,
      "n": 1
    }
  },
  "notes": {
    "queries_without_judgments": [],
    "queries_without_results": [],
    "queries_without_relevant_documents": [],
    "documents": 2,
    "unjudged_documents": 0,
    "tied_queries": 1,
    "scattered": false
  },
  "queries": [
    {
      "id": "1",
      "retrieved": true,
      "values": {
        "RR": 0.5,
        "NumRet": 2
      }
    }
  ]
}
`, out.String())
}

func TestAComparisonCountsQueriesAndAdjustsItsPValues(t *testing.T) {
	t.Parallel()
	var qrels, a, b strings.Builder
	for i := range 8 {
		q := strconv.Itoa(i)
		qrels.WriteString(q + " 0 d 1\n")
		a.WriteString(q + " Q0 d 1 1 first\n" + q + " Q0 e 2 2 first\n")
		b.WriteString(q + " Q0 d 1 3 second\n" + q + " Q0 e 2 2 second\n")
	}
	opt := Options{Measures: mustParse(t, "RR", "Success@1", "Unj@1", "R@5")}
	ra, err := evaluateText(qrels.String(), a.String(), opt)
	require.NoError(t, err)
	rb, err := evaluateText(qrels.String(), b.String(), opt)
	require.NoError(t, err)
	c, err := Compare(ra, rb, CompareOptions{})
	require.NoError(t, err)
	// All eight queries rise by the same amount: of 2^8 sign patterns only two
	// are as extreme. Holm: three tests of 2/256 first, times 4.
	for k, name := range []string{"RR", "Success@1", "Unj@1"} {
		m := c.Measures[k]
		assert.Equal(t, name, m.Measure.Label())
		assert.Equal(t, []int{8, 0, 0}, []int{m.Better, m.Worse, m.Equal}, name)
		assert.InDelta(t, 2.0/256, m.P, 1e-12, name)
		assert.InDelta(t, 2.0/256, m.PSign, 1e-12, name)
		assert.InDelta(t, 8.0/256, m.PHolm, 1e-12, name)
		assert.True(t, m.Exact)
	}
	assert.Equal(t, 1.0, c.Measures[3].P, "recall is the same")
	assert.NotEmpty(t, c.Measures[3].Inconclusive)
	var out bytes.Buffer
	require.NoError(t, c.WriteText(&out))
	assert.Contains(t, out.String(), "A: run (first)\nB: run (second)\n8 queries\n\nmeasure    A       B       B - A    95% interval        better")
	assert.Contains(t, out.String(), "RR         0.5000  1.0000  +0.5000  [+0.5000, +0.5000]  8       0      0      0.0078  0.0312    0.0078\n")
	assert.Contains(t, out.String(), "R@5: inconclusive: ")
	out.Reset()
	require.NoError(t, c.WriteJSON(&out))
	assert.Contains(t, out.String(), `"p_holm": 0.03125,`)

	_, err = Compare(ra, rb, CompareOptions{})
	require.NoError(t, err)
	other, err := evaluateText("7 0 d 1\n", "7 Q0 d 1 1 r\n", opt)
	require.NoError(t, err)
	_, err = Compare(ra, other, CompareOptions{})
	require.EqualError(t, err, "the runs were scored against judgments of different queries")
	counts, err := evaluateText(qrels.String(), a.String(), Options{Measures: mustParse(t, "num_ret")})
	require.NoError(t, err)
	_, err = Compare(counts, counts, CompareOptions{})
	require.EqualError(t, err, "measure num_ret: has no value for each query to compare by")
	_, err = Compare(ra, counts, CompareOptions{})
	require.EqualError(t, err, "the runs were scored by different measures")
}

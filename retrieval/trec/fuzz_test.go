package trec

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzRun holds that no run makes the reader panic, that every value is a number,
// and that reading in small pieces on several workers, or through a pipe, gives
// what reading at once does.
func FuzzRun(f *testing.F) {
	f.Add("1 Q0 a 1 2.5 r\n1 Q0 b 2 1.5 r\n2 Q0 c 1 1 r\n")
	f.Add("1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n1 Q0 b 1 1 r\n")
	f.Add("1 Q0 a 1 1 r\n1 Q0 a 1 1 r\n")
	f.Add("\ufeff# x\n\n 1\tQ0 a  1 nan r\r\n")
	f.Add("\x1f\x8b\x08\x00")
	f.Add("\x28\xb5\x2f\xfd")
	f.Add("1 Q0 a 1 0x1p-2 r\n1 Q0 b 1 -0 r\n1 Q0 c 1 0 r")
	qrels, err := NewQrels("qrels", map[string]map[string]int{"1": {"a": 1, "b": 0, "c": 3, "d": -1}, "2": {"a": 2, "c": 0}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, run string) {
		want, wantErr := Evaluate(qrels, Reader("run", strings.NewReader(run)), Options{Workers: 1})
		for _, block := range []int{1, 13, 64} {
			got, err := Evaluate(qrels, Reader("run", io.MultiReader(strings.NewReader(run))), Options{Workers: 3, block: block})
			if (err == nil) != (wantErr == nil) || (err != nil && err.Error() != wantErr.Error()) {
				t.Fatalf("block %d: %v; at once: %v", block, err, wantErr)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "Scattered", "queries"), cmp.AllowUnexported(Result{}), cmp.Comparer(sameMeasure)); diff != "" {
				t.Fatalf("block %d: (-at once +in pieces)\n%s", block, diff)
			}
		}
		if wantErr != nil {
			return
		}
		for id, q := range want.Queries() {
			for k, v := range q.Values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("query %q: %s = %v", id, want.Measures[k], v)
				}
			}
		}
	})
}

func FuzzQrels(f *testing.F) {
	f.Add("1 0 a 1\n2 0 b -1\n1 0 c 0\n")
	f.Add("1 0 a 1\n1 0 a 1\n")
	f.Add("# x\r\n\n1\t0\ta\t2147483647")
	f.Add("\x00\x00\n")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ReadQrels(Reader("qrels", strings.NewReader(text)))
		if err != nil {
			return
		}
		n := 0
		for query := range q.Queries() {
			found := false
			for range q.Judgments(query) {
				found = true
				n++
			}
			if !found {
				t.Fatalf("query %q without a judgment", query)
			}
		}
		if n == 0 {
			t.Fatal("no judgments and no error")
		}
	})
}

func FuzzTexts(f *testing.F) {
	f.Add("1\tone\n2\ttwo\n")
	f.Add("{\"_id\": \"1\", \"text\": \"one\"}\n{\"id\": 2, \"query\": \"two\"}\n")
	f.Add("{\"_id\": []}\n")
	f.Fuzz(func(t *testing.T, text string) {
		texts, err := ReadTexts(Reader("texts", strings.NewReader(text)))
		if err == nil && len(texts) == 0 {
			t.Fatal("no texts and no error")
		}
		for id, text := range texts {
			if id == "" || text == "" {
				t.Fatalf("id %q, text %q", id, text)
			}
		}
	})
}

func FuzzScore(f *testing.F) {
	for _, s := range []string{"1.5", "-0", "9007199254740993", "1e5", "0x1p-2", ".", "18446744073709551616", "1_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkScore(t, s)
		if _, _, ok := parseScore([]byte(s)); ok && s == "" {
			t.Error(errors.New("nothing is a score"))
		}
	})
}

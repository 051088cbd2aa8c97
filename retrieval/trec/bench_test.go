package trec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/karat-eval/karat/retrieval/measure"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// benchFiles makes judgments and a run in the shape of MS MARCO.
func benchFiles(queries, depth int, shuffle bool) (qrels string, run []byte) {
	random := rand.New(rand.NewPCG(1, 0))
	var q strings.Builder
	var r bytes.Buffer
	for query := range queries {
		fmt.Fprintf(&q, "%d 0 %d 1\n", 1000000+query, random.IntN(depth))
		rows := random.Perm(depth)
		score := 30.0
		lines := make([]string, 0, depth)
		for rank, d := range rows {
			score -= 0.02 * random.Float64()
			lines = append(lines, fmt.Sprintf("%d Q0 %d %d %.6f bm25\n", 1000000+query, d, rank+1, score))
		}
		if shuffle {
			random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		for _, line := range lines {
			r.WriteString(line)
		}
	}
	return q.String(), r.Bytes()
}

func BenchmarkEvaluate(b *testing.B) {
	for _, bb := range []struct {
		name           string
		queries, depth int
		shuffle        bool
		measures       []string
	}{
		{"long lists", 200, 1000, false, []string{"nDCG@10", "RR", "R@1000"}},
		{"long lists, all measures", 200, 1000, false, []string{"all_trec", "rbp", "ERR", "unj"}},
		{"long lists, shuffled", 200, 1000, true, []string{"nDCG@10", "RR", "R@1000"}},
		{"short lists", 20000, 10, false, []string{"nDCG@10", "RR", "R@1000"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			qrels, run := benchFiles(bb.queries, bb.depth, bb.shuffle)
			q, err := ReadQrels(Reader("qrels", strings.NewReader(qrels)))
			if err != nil {
				b.Fatal(err)
			}
			opt := Options{}
			for _, name := range bb.measures {
				opt.Measures = append(opt.Measures, must(measure.ParseList(name))...)
			}
			b.SetBytes(int64(len(run)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Evaluate(q, Reader("run", bytes.NewReader(run)), opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadQrels(b *testing.B) {
	qrels, _ := benchFiles(100000, 1, false)
	b.SetBytes(int64(len(qrels)))
	for b.Loop() {
		if _, err := ReadQrels(Reader("qrels", strings.NewReader(qrels))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseScore(b *testing.B) {
	for _, s := range []string{"24.879621", "0.8234567890123456"} {
		b.Run(s, func(b *testing.B) {
			text := []byte(s + " bm25")
			for b.Loop() {
				parseScore(text)
			}
		})
	}
}

// Command trecgen writes a qrels file and a run of any size, for measuring how
// fast TREC files are scored. The same flags give the same bytes.
//
//	go run ./trecgen -queries 6980 -depth 1000 -dir DIR     # about 250 MB, in the shape of MS MARCO
//	go run ./trecgen -queries 100000 -depth 10 -dir DIR
//	go run ./trecgen -queries 50 -depth 10 -dir DIR
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/karat-eval/karat/tools/internal/generator"
)

type config struct {
	queries, depth, judged int
	found                  float64
	ties, digits           int
	shuffle                bool
	seed                   uint64
}

func main() {
	var c config
	flag.IntVar(&c.queries, "queries", 6980, "number of queries")
	flag.IntVar(&c.depth, "depth", 1000, "documents retrieved for each query")
	flag.IntVar(&c.judged, "judged", 1, "documents judged for each query, with grades 1, 2, 0, 1, …")
	flag.Float64Var(&c.found, "found", 0.8, "share of the judged documents that are retrieved")
	flag.IntVar(&c.ties, "ties", 0, "every so many documents share a score; 0: none do")
	flag.IntVar(&c.digits, "digits", 6, "decimals of a score")
	flag.BoolVar(&c.shuffle, "shuffle", false, "put each query's rows in random order")
	flag.Uint64Var(&c.seed, "seed", 1, "seed")
	files.Main("trecgen", func(dir string) error { return write(dir, c) })
}

var files = generator.Pair{First: "qrels.txt", Second: "run.txt"}

func write(dir string, c config) error {
	if c.queries < 1 || c.depth < 1 || c.judged < 0 || c.judged > c.depth || c.found < 0 || c.found > 1 || c.digits < 0 || c.digits > 17 {
		return errors.New("-queries and -depth are 1 or more, -judged is in [0, depth], -found in [0, 1], -digits in [0, 17]")
	}
	return files.Write(dir, func(qrels, run io.Writer) error { return generate(c, qrels, run) })
}

func generate(c config, qrels, run io.Writer) error {
	random := rand.New(rand.NewPCG(c.seed, 0))
	const documents = 8841823
	var line []byte
	rows := make([]string, 0, c.depth)
	for query := range c.queries {
		qid := strconv.Itoa(1000000 + query*7)
		used := make(map[int]bool, c.depth+c.judged)
		document := func() int {
			for {
				if d := random.IntN(documents); !used[d] {
					used[d] = true
					return d
				}
			}
		}
		at := make(map[int]int) // rank to judged document
		for i := range c.judged {
			d := document()
			fmt.Fprintf(qrels, "%s 0 %d %d\n", qid, d, []int{1, 2, 0}[i%3])
			if random.Float64() < c.found {
				at[1+random.IntN(c.depth)] = d
			}
		}
		rows = rows[:0]
		score := 20 + 10*random.Float64()
		for rank := 1; rank <= c.depth; rank++ {
			if c.ties == 0 || rank%c.ties == 1 {
				score -= 0.00001 + 0.02*random.Float64()
			}
			d, ok := at[rank]
			if !ok {
				d = document()
			}
			line = append(line[:0], qid...)
			line = append(line, " Q0 "...)
			line = strconv.AppendInt(line, int64(d), 10)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(rank), 10)
			line = append(line, ' ')
			line = strconv.AppendFloat(line, score, 'f', c.digits, 64)
			line = append(line, " bm25\n"...)
			rows = append(rows, string(line))
		}
		if c.shuffle {
			random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		}
		for _, row := range rows {
			io.WriteString(run, row)
		}
	}
	return nil
}

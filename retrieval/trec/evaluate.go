package trec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/karat-eval/karat/retrieval/measure"
)

// Options of an evaluation. The zero value scores trec_eval's default measures
// on all processors.
type Options struct {
	// Measures to score; none means those of [DefaultMeasures].
	Measures []measure.Measure
	// Workers is the number of goroutines that score; 0 means one for each
	// processor. It has no influence on the result.
	Workers int
	// Depth, where positive, is the number of documents of each query that
	// are looked at, for every measure (trec_eval's -M).
	Depth int
	// JudgedOnly drops, for every measure, the documents without a judgment and
	// those with a negative one (trec_eval's -J).
	JudgedOnly bool

	keep  int // documents of each query to keep
	block int // bytes to read at once, for tests
}

// DefaultMeasures are the measures that trec_eval prints when it is asked for
// none.
func DefaultMeasures() []measure.Measure {
	list, err := measure.ParseList("official")
	if err != nil {
		panic(err) // a name of the package's own table
	}
	return list
}

// Result is a run scored against judgments.
type Result struct {
	// QrelsName and RunName are the names of what was read.
	QrelsName, RunName string
	// Tag is the run's name of itself, from its first row.
	Tag string
	// Measures are those that were scored, in the order of all values.
	Measures []measure.Measure
	// Summary holds each measure over all queries.
	Summary []float64

	// LeftOut are the queries of the run without judgments, by id.
	LeftOut []string
	// WithoutRelevant are the queries of the judgments without a document of
	// grade 1 or more, by id. They score 0 and count.
	WithoutRelevant []string
	// NotRetrieved are the queries of the judgments that the run does not
	// have, by id. They score 0 and count.
	NotRetrieved []string
	// Documents is the number of documents retrieved for the queries with
	// judgments, Unjudged that of those among them without a judgment.
	Documents, Unjudged int
	// Tied is the number of queries where a judged document shares its score
	// with another document. Low and High hold each measure over all queries
	// for the worst and the best order of the tied.
	Tied      int
	Low, High []float64
	// Scattered says that the rows of a query did not stand together, so that
	// the whole run had to be held in memory.
	Scattered bool

	queries   []qrelsQuery
	values    []float64 // by query, then by measure
	retrieved []bool
	documents [][]Document // where they were kept
}

// Query is what a query scored.
type Query struct {
	ID string
	// Retrieved is false for a query that the run does not have.
	Retrieved bool
	// Values holds the value of each measure.
	Values []float64
}

// Len is the number of queries, those of the judgments.
func (r *Result) Len() int { return len(r.queries) }

// Queries are all queries that count, in the order of their ids' bytes.
func (r *Result) Queries() iter.Seq2[string, Query] {
	return func(yield func(string, Query) bool) {
		n := len(r.Measures)
		for i, q := range r.queries {
			if !yield(q.id, Query{ID: q.id, Retrieved: r.retrieved[i], Values: r.values[i*n : (i+1)*n : (i+1)*n]}) {
				return
			}
		}
	}
}

// column is one measure over all queries, in the order of Queries.
func (r *Result) column(measure int) []float64 {
	n := len(r.Measures)
	values := make([]float64, len(r.queries))
	for i := range values {
		values[i] = r.values[i*n+measure]
	}
	return values
}

// Evaluate scores a run against judgments.
//
// The errors of the run are those of its first wrong line, with file and line: a
// row that has not six columns, a score that is no finite number, a document
// that is twice in a query, a line beyond [MaxLine]. An empty run, and one that
// has no query with judgments, are errors too.
func Evaluate(qrels *Qrels, run Source, opt Options) (*Result, error) {
	defer run.done()
	if len(opt.Measures) == 0 {
		opt.Measures = DefaultMeasures()
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	// More than there are processors only take memory.
	opt.Workers = min(opt.Workers, max(runtime.GOMAXPROCS(0), 16))
	c, err := stream(qrels, run, opt)
	if errors.Is(err, errScattered) {
		if c, err = gather(qrels, run, opt); c != nil {
			c.r.Scattered = true
		}
	}
	if err != nil {
		return nil, err
	}
	return c.finish(qrels, opt)
}

// errScattered is the find that the rows of a query do not stand together.
var errScattered = errors.New("the rows of a query do not stand together")

func newCollector(qrels *Qrels, run string, opt Options) *collector {
	r := &Result{
		QrelsName: qrels.name, RunName: run, Measures: slices.Clone(opt.Measures),
		queries:   qrels.queries,
		values:    make([]float64, len(qrels.queries)*len(opt.Measures)),
		retrieved: make([]bool, len(qrels.queries)),
	}
	if opt.keep > 0 {
		r.documents = make([][]Document, len(qrels.queries))
	}
	return &collector{r: r, leftOut: make(map[string]bool)}
}

// bounds are kept for tied queries alone.
type bounds struct {
	query     int32
	low, high []float64
}

// collector takes what scorers found out, in the order of the file.
type collector struct {
	r       *Result
	leftOut map[string]bool
	tied    []bounds
}

// add takes a batch; errScattered where a query comes again.
func (c *collector) add(b *batch) error {
	r, n := c.r, len(c.r.Measures)
	if r.Tag == "" {
		r.Tag = b.tag
	}
	for i := range b.scored {
		q := &b.scored[i]
		if q.query < 0 {
			if c.leftOut[q.id] {
				return errScattered
			}
			c.leftOut[q.id] = true
			continue
		}
		if r.retrieved[q.query] {
			return errScattered
		}
		r.retrieved[q.query] = true
		copy(r.values[int(q.query)*n:], q.values)
		r.Documents += q.retrieved
		r.Unjudged += q.retrieved - q.judged
		if q.tied {
			c.tied = append(c.tied, bounds{q.query, slices.Clone(q.low), slices.Clone(q.high)})
		}
		if r.documents != nil {
			r.documents[q.query] = q.documents
		}
	}
	return nil
}

// stream scores a run as it is read.
func stream(qrels *Qrels, run Source, opt Options) (*collector, error) {
	in, err := run.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	// Batches are taken in the order in which they were read: a worker that
	// reads a batch puts it in the queue before another may read.
	var reading sync.Mutex
	source := blocks{in: in, cut: cutBeforeQuery, size: opt.block}
	type flight struct {
		*batch
		scored chan struct{}
		read   error // why reading ended, with the last
	}
	inFlight := opt.Workers + 2
	queue := make(chan *flight, inFlight)
	free := make(chan *flight, inFlight)
	for range inFlight {
		free <- &flight{batch: &batch{}, scored: make(chan struct{}, 1)}
	}
	group, ctx := errgroup.WithContext(context.Background())
	ended := false
	for range opt.Workers {
		group.Go(func() error {
			s := scorer{qrels: qrels, opt: &opt}
			for {
				var f *flight
				select {
				case f = <-free:
				case <-ctx.Done():
					return nil
				}
				reading.Lock()
				if ended {
					reading.Unlock()
					return nil
				}
				f.data, f.read = source.next(f.data)
				ended = f.read != nil
				queue <- f
				if ended {
					close(queue)
				}
				reading.Unlock()
				s.batch(f.batch)
				f.scored <- struct{}{}
			}
		})
	}
	c := newCollector(qrels, run.name, opt)
	lines := 0
	group.Go(func() error {
		for {
			var f *flight
			var ok bool
			select {
			case f, ok = <-queue:
			case <-ctx.Done():
				return nil
			}
			if !ok {
				return nil
			}
			<-f.scored
			if f.err != nil {
				return f.err.at(run.name, lines)
			}
			if err := c.add(f.batch); err != nil {
				return err
			}
			lines += f.lines
			if err := run.ended(f.read, lines); err != nil {
				return err
			}
			f.reset()
			free <- f
		}
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return c, nil
}

// batch scores the queries of one piece of a run.
func (s *scorer) batch(b *batch) {
	s.start(b.data)
	b.lines, b.err = s.scan(0, len(b.data), 0, b)
	if b.err == nil {
		s.end(b)
	}
}

// readLines reads a file whole, and stops at a line beyond MaxLine.
func readLines(run Source, in io.Reader) ([]byte, error) {
	source := blocks{in: in, cut: cutAfterLine}
	var data, buf []byte
	for {
		block, err := source.next(buf)
		data = append(data, block...)
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, run.ended(err, bytes.Count(data, []byte{'\n'}))
		}
		buf = block[:0]
	}
}

// span is some lines of a file that belong to one query.
type span struct {
	from, to, line int // line: number of lines before
}

// gather scores a run whose queries are scattered over it: it reads it whole,
// and scores each query from all its places.
func gather(qrels *Qrels, run Source, opt Options) (*collector, error) {
	in, err := run.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := readLines(run, in)
	if err != nil {
		return nil, err
	}
	var queries [][]span
	index := make(map[string]int)
	lines := 0
	for pos := 0; pos < len(data); {
		end := bytes.IndexByte(data[pos:], '\n') + 1
		if end == 0 {
			end = len(data) - pos
		}
		if id := firstField(data[pos : pos+end]); id != nil {
			q, ok := index[string(id)]
			if !ok {
				q = len(queries)
				index[string(id)] = q
				queries = append(queries, nil)
			}
			if n := len(queries[q]); n > 0 && queries[q][n-1].to == pos {
				queries[q][n-1].to = pos + end
			} else {
				queries[q] = append(queries[q], span{pos, pos + end, lines})
			}
		}
		pos += end
		lines++
	}
	// The first wrong line of the file is the one to report, whichever query
	// it belongs to.
	batches := make([]batch, len(queries))
	var group errgroup.Group
	var taken atomic.Int64
	for range min(opt.Workers, len(queries)) {
		group.Go(func() error {
			s := scorer{qrels: qrels, opt: &opt}
			for i := int(taken.Add(1)) - 1; i < len(queries); i = int(taken.Add(1)) - 1 {
				b := &batches[i]
				s.start(data)
				for _, at := range queries[i] {
					if _, b.err = s.scan(at.from, at.to, at.line, b); b.err != nil {
						break
					}
				}
				if b.err == nil {
					s.end(b)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // no worker returns an error
	c := newCollector(qrels, run.name, opt)
	var first *lineError
	for i := range batches {
		if e := batches[i].err; e != nil && (first == nil || e.line < first.line) {
			first = e
		}
	}
	if first != nil {
		return nil, first.at(run.name, 0)
	}
	for i := range batches {
		if err := c.add(&batches[i]); err != nil {
			return nil, run.wrap(err)
		}
	}
	return c, nil
}

// finish scores the queries that the run does not have, and summarises.
func (c *collector) finish(qrels *Qrels, opt Options) (*Result, error) {
	r, n := c.r, len(c.r.Measures)
	r.LeftOut = slices.Sorted(maps.Keys(c.leftOut))
	r.Tied = len(c.tied)
	overlap := false
	for i, q := range r.queries {
		overlap = overlap || r.retrieved[i]
		if !r.retrieved[i] {
			r.NotRetrieved = append(r.NotRetrieved, q.id)
			nothing := measure.Ranking{Judged: qrels.ranked(int32(i)), Depth: opt.Depth, AssessedOnly: opt.JudgedOnly}
			for k, m := range r.Measures {
				r.values[i*n+k] = m.Score(&nothing)
			}
		}
		if !qrels.relevant(i) {
			r.WithoutRelevant = append(r.WithoutRelevant, q.id)
		}
	}
	if !overlap {
		if len(r.LeftOut) == 0 {
			return nil, fmt.Errorf("%s: no rows: the file is empty", show(r.RunName))
		}
		return nil, fmt.Errorf("no query is in both %s (such as %s) and %s (such as %s)",
			show(r.QrelsName), excerpt([]byte(r.queries[0].id)), show(r.RunName), excerpt([]byte(r.LeftOut[0])))
	}
	r.Summary = summarize(r.Measures, r.values)
	if r.Tied == 0 {
		r.Low, r.High = slices.Clone(r.Summary), slices.Clone(r.Summary)
		return r, nil
	}
	low, high := slices.Clone(r.values), slices.Clone(r.values)
	for _, t := range c.tied {
		copy(low[int(t.query)*n:], t.low)
		copy(high[int(t.query)*n:], t.high)
	}
	r.Low, r.High = summarize(r.Measures, low), summarize(r.Measures, high)
	return r, nil
}

// summarize makes each measure's summary of values by query and measure.
func summarize(measures []measure.Measure, values []float64) []float64 {
	n := len(measures)
	summary := make([]float64, n)
	column := make([]float64, len(values)/max(n, 1))
	for k, m := range measures {
		for i := range column {
			column[i] = values[i*n+k]
		}
		summary[k] = m.Summarize(column)
	}
	return summary
}

// UnjudgedShare is the share of the retrieved documents without a judgment, NaN
// where none were retrieved.
func (r *Result) UnjudgedShare() float64 {
	if r.Documents == 0 {
		return math.NaN()
	}
	return float64(r.Unjudged) / float64(r.Documents)
}

package trec

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"maps"
	"slices"
)

// Qrels are relevance judgments, by query.
type Qrels struct {
	name      string
	queries   []qrelsQuery // by id
	index     map[string]int32
	documents []byte // all document ids, one behind the other
	judgments []judgment
	relevance []int // of each query's judgments, descending; same bounds as judgments
}

type qrelsQuery struct {
	id       string
	from, to int // in judgments
}

type judgment struct {
	hash      uint64
	at        int // in documents
	length    int32
	relevance int32
}

func (q *Qrels) document(j *judgment) []byte { return q.documents[j.at : j.at+int(j.length)] }

// hashSeed seeds the tables of documents. Nothing that is put out depends on it.
var hashSeed = maphash.MakeSeed()

// Len is the number of queries.
func (q *Qrels) Len() int { return len(q.queries) }

// Queries are the ids of all queries, in the order of their bytes.
func (q *Qrels) Queries() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, query := range q.queries {
			if !yield(query.id) {
				return
			}
		}
	}
}

// Judgments are the documents judged for a query with their relevance, in no
// particular order, the same every time.
func (q *Qrels) Judgments(query string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		i, ok := q.index[query]
		if !ok {
			return
		}
		for k := q.queries[i].from; k < q.queries[i].to; k++ {
			j := &q.judgments[k]
			if !yield(string(q.document(j)), int(j.relevance)) {
				return
			}
		}
	}
}

// relevant says whether a query has a document of grade 1 or more.
func (q *Qrels) relevant(query int) bool {
	at := q.queries[query]
	return at.from < at.to && q.relevance[at.from] > 0
}

// NewQrels makes judgments from a map of query to document to relevance. A
// query without judgments does not count as one. It is an error where there is
// no judgment at all, or a relevance is beyond 32 bits.
func NewQrels(name string, judgments map[string]map[string]int) (*Qrels, error) {
	b := newQrelsBuilder(name)
	for _, query := range slices.Sorted(maps.Keys(judgments)) {
		for _, document := range slices.Sorted(maps.Keys(judgments[query])) {
			rel := judgments[query][document]
			if int(int32(rel)) != rel {
				return nil, fmt.Errorf("%s: query %q, document %q: relevance %d is beyond 32 bits", show(name), query, document, rel)
			}
			b.add([]byte(query), []byte(document), int32(rel), 0)
		}
	}
	return b.finish()
}

// ReadQrels reads judgments. All errors but those of the file itself carry a
// line.
func ReadQrels(src Source) (*Qrels, error) {
	defer src.done()
	in, err := src.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := newQrelsBuilder(src.name)
	blocks := blocks{in: in, cut: cutAfterLine}
	var buf []byte
	line := 0
	for {
		block, err := blocks.next(buf)
		if e := b.lines(block, &line); e != nil {
			return nil, e.at(src.name, 0)
		}
		if err == io.EOF {
			return b.finish()
		}
		if err != nil {
			return nil, src.ended(err, line)
		}
		buf = block[:0]
	}
}

type qrelsBuilder struct {
	q      Qrels
	rows   []qrelsRow // of the judgments, same index
	last   []byte     // id of the last row's query
	lastAt int32
	sorted bool // queries came by id, each in one piece
}

type qrelsRow struct {
	query int32
	line  int
}

func newQrelsBuilder(name string) *qrelsBuilder {
	return &qrelsBuilder{q: Qrels{name: name, index: make(map[string]int32)}, sorted: true}
}

func (b *qrelsBuilder) lines(block []byte, line *int) *lineError {
	var columns [4][]byte
	for len(block) > 0 {
		*line++
		text := block
		if end := bytes.IndexByte(block, '\n'); end >= 0 {
			text, block = block[:end], block[end+1:]
		} else {
			block = nil
		}
		text = trimLine(text)
		if len(text) > MaxLine {
			return &lineError{line: *line, message: longLineError()}
		}
		if skipped(text) {
			continue
		}
		if n := fields(text, columns[:]); n != 4 {
			return &lineError{line: *line, message: columnsError(text, n, 4, qrelsColumns)}
		}
		rel, ok := parseRelevance(columns[3])
		if !ok {
			return &lineError{line: *line, message: relevanceError(columns[3])}
		}
		b.add(columns[0], columns[2], rel, *line)
	}
	return nil
}

func (b *qrelsBuilder) add(query, document []byte, rel int32, line int) {
	if len(b.rows) == 0 || !bytes.Equal(query, b.last) {
		at, ok := b.q.index[string(query)]
		if !ok {
			at = int32(len(b.q.queries))
			id := string(query)
			b.q.index[id] = at
			b.sorted = b.sorted && (len(b.q.queries) == 0 || b.q.queries[at-1].id < id)
			b.q.queries = append(b.q.queries, qrelsQuery{id: id})
		} else {
			b.sorted = false
		}
		b.last, b.lastAt = append(b.last[:0], query...), at
	}
	b.q.judgments = append(b.q.judgments, judgment{
		hash: maphash.Bytes(hashSeed, document), at: len(b.q.documents), length: int32(len(document)), relevance: rel,
	})
	b.q.documents = append(b.q.documents, document...)
	b.q.queries[b.lastAt].to++
	b.rows = append(b.rows, qrelsRow{b.lastAt, line})
}

// finish groups the judgments by query, in the order of the queries' ids, and
// looks for documents judged twice.
func (b *qrelsBuilder) finish() (*Qrels, error) {
	q := &b.q
	if len(b.rows) == 0 {
		return nil, fmt.Errorf("%s: no judgments: the file is empty", show(q.name))
	}
	order := make([]int32, len(q.queries)) // places by id
	for i := range order {
		order[i] = int32(i)
	}
	if !b.sorted {
		slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(q.queries[x].id, q.queries[y].id) })
	}
	at := 0
	for _, i := range order {
		n := q.queries[i].to
		q.queries[i].from, q.queries[i].to = at, at
		at += n
	}
	if b.sorted {
		for i := range q.queries {
			q.queries[i].to = at
			if i > 0 {
				q.queries[i-1].to = q.queries[i].from
			}
		}
	} else {
		grouped := make([]judgment, len(q.judgments))
		rows := make([]qrelsRow, len(b.rows))
		for k, row := range b.rows {
			to := &q.queries[row.query].to
			grouped[*to], rows[*to] = q.judgments[k], row
			*to++
		}
		queries := make([]qrelsQuery, len(order))
		for place, i := range order {
			queries[place] = q.queries[i]
			q.index[queries[place].id] = int32(place)
		}
		q.judgments, b.rows, q.queries = grouped, rows, queries
	}
	q.relevance = make([]int, len(q.judgments))
	for k := range q.judgments {
		q.relevance[k] = int(q.judgments[k].relevance)
	}
	var duplicate *lineError
	var scratch []int
	for _, query := range q.queries {
		slices.SortFunc(q.relevance[query.from:query.to], func(x, y int) int { return cmp.Compare(y, x) })
		if e := b.duplicate(query, &scratch); e != nil && (duplicate == nil || e.line < duplicate.line) {
			duplicate = e
		}
	}
	if duplicate != nil {
		return nil, duplicate.at(q.name, 0)
	}
	return q, nil
}

// duplicate finds the first line of a query that judges a document again.
func (b *qrelsBuilder) duplicate(query qrelsQuery, scratch *[]int) *lineError {
	q := &b.q
	places := (*scratch)[:0]
	for k := query.from; k < query.to; k++ {
		places = append(places, k)
	}
	*scratch = places
	slices.SortFunc(places, func(x, y int) int {
		jx, jy := &q.judgments[x], &q.judgments[y]
		if c := cmp.Compare(jx.hash, jy.hash); c != 0 {
			return c
		}
		return cmp.Or(bytes.Compare(q.document(jx), q.document(jy)), cmp.Compare(x, y))
	})
	var found *lineError
	for i := 1; i < len(places); i++ {
		x, y := &q.judgments[places[i-1]], &q.judgments[places[i]]
		if x.hash != y.hash || !bytes.Equal(q.document(x), q.document(y)) {
			continue
		}
		if line := b.rows[places[i]].line; found == nil || line < found.line {
			found = &lineError{line, duplicateError([]byte(query.id), q.document(y)), b.rows[places[i-1]].line}
		}
	}
	return found
}

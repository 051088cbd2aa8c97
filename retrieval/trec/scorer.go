package trec

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/karat-eval/karat/retrieval/measure"
)

// row is one retrieved document of the query at hand.
type row struct {
	score  float64
	at     int // of the document's id in the data
	length int32
	hash   uint32 // of the id; the table below compares it first
}

// slot is a place in the table of the query's documents: the judged ones, which
// are put in first, and those retrieved so far.
type slot struct {
	hash uint32
	ref  int32 // 0: free; n > 0: row n-1; n < 0: judgment -n-1 of the query
}

// scored is what a scorer found out about one query.
type scored struct {
	query     int32  // in the qrels, -1 where it has no judgments
	id        string // where it has none
	retrieved int
	judged    int // judged documents among the retrieved
	tied      bool
	values    []float64 // by measure
	low, high []float64 // by measure, where tied
	documents []Document
}

// batch is what became of one piece of a run.
type batch struct {
	data   []byte
	lines  int
	tag    string // of the first row
	scored []scored
	floats []float64 // memory of the values
	err    *lineError
}

func (b *batch) reset() {
	b.lines, b.tag, b.err = 0, "", nil
	clear(b.scored)
	b.scored, b.floats = b.scored[:0], b.floats[:0]
}

// take gives n floats that stay where they are until the reset.
func (b *batch) take(n int) []float64 {
	if len(b.floats)+n > cap(b.floats) {
		b.floats = make([]float64, 0, max(2*cap(b.floats), 2*n))
	}
	b.floats = b.floats[:len(b.floats)+n]
	return b.floats[len(b.floats)-n : len(b.floats) : len(b.floats)]
}

// scorer reads rows and scores each query when the next one begins. One
// goroutine uses it.
type scorer struct {
	qrels *Qrels
	opt   *Options

	data    []byte // what rows point into
	query   []byte // the query at hand, nil before the first
	place   int32  // of it in the qrels, -1 where it has no judgments
	prefix  []byte // of the last line, up to its document
	suffix  []byte // of the last line, behind its score
	rows    []row
	sorted  bool // rows came in rank order
	tied    bool // two neighbours had one score
	table   []slot
	judged  []judgment // of the query
	foundAt []int32    // for each of them its row + 1, or 0

	ranking measure.Ranking
	hits    []hit
	above   []int
	groups  []group
	order   []int32
}

// hit is a judged row.
type hit struct {
	row       int
	relevance int
}

// group is the hits of one score.
type group struct {
	score   float64
	from    int // in hits
	between int // rows with a score above this one and below the group before
	size    int // rows with this score
}

// start turns to other data. What the scorer remembers of the old data is gone.
func (s *scorer) start(data []byte) {
	s.data, s.query, s.prefix, s.suffix = data, nil, nil, nil
	s.rows = s.rows[:0]
}

// end finishes the last query of the data.
func (s *scorer) end(out *batch) {
	if s.query != nil {
		s.finish(out)
		s.query = nil
	}
}

// scan reads the lines of the data in [from, to), of which the first is number
// line + 1, and returns the number of the last. It finishes queries into out,
// all but the last.
func (s *scorer) scan(from, to, line int, out *batch) (int, *lineError) {
	data := s.data
	pos := from
	for pos < to {
		line++
		length := bytes.IndexByte(data[pos:to], '\n')
		next := pos + length + 1
		if length < 0 {
			length, next = to-pos, to
		}
		text := data[pos : pos+length]
		if length > 0 && text[length-1] == '\r' {
			text = text[:length-1]
		}
		start := pos
		pos = next

		// Most lines begin and end like the one before.
		i := len(s.prefix)
		if i == 0 || len(text) <= i || string(text[:i]) != string(s.prefix) || text[i] <= ' ' {
			if len(text) > MaxLine {
				return line, &lineError{line: line, message: longLineError()}
			}
			if skipped(text) {
				continue
			}
			var columns [3][]byte
			if n := fields(text, columns[:]); n < 3 {
				return line, &lineError{line: line, message: columnsError(text, n, 6, runColumns)}
			}
			i = cap(text) - cap(columns[2]) // where the document begins
			s.prefix = text[:i]
			if s.query == nil || !bytes.Equal(columns[0], s.query) {
				if s.query != nil {
					s.finish(out)
				}
				s.begin(columns[0])
			}
		}
		document := i
		for i < len(text) && text[i] != ' ' && text[i] != '\t' {
			i++
		}
		id := text[document:i]
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		rank := i
		for i < len(text) && text[i] != ' ' && text[i] != '\t' {
			i++
		}
		if rank == i {
			return line, &lineError{line: line, message: columnsError(text, 3, 6, runColumns)}
		}
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if i == len(text) {
			return line, &lineError{line: line, message: columnsError(text, 4, 6, runColumns)}
		}
		score, n, ok := parseScore(text[i:])
		scoreText := text[i : i+n]
		i += n
		if string(text[i:]) != string(s.suffix) || len(s.suffix) == 0 {
			var columns [2][]byte
			if n := fields(text[i:], columns[:]); n != 1 {
				return line, &lineError{line: line, message: columnsError(text, 5+n, 6, runColumns)}
			}
			s.suffix = text[i:]
			if out.tag == "" {
				out.tag = string(columns[0])
			}
		}
		if !ok {
			return line, &lineError{line: line, message: scoreError(scoreText)}
		}
		if len(text) > MaxLine {
			return line, &lineError{line: line, message: longLineError()}
		}

		hash := maphash.Bytes(hashSeed, id)
		at := start + document
		if e := s.add(id, at, hash, score, line); e != nil {
			return line, e
		}
	}
	return line, nil
}

// begin starts a query.
func (s *scorer) begin(query []byte) {
	s.query = query
	place, ok := s.qrels.index[string(query)]
	if !ok {
		place = -1
	}
	s.place = place
	s.judged = nil
	if ok {
		at := s.qrels.queries[place]
		s.judged = s.qrels.judgments[at.from:at.to]
	}
	// The last query's number of rows is the best guess for this one's.
	want := 64
	for want < 2*(len(s.judged)+len(s.rows)+1) {
		want *= 2
	}
	if cap(s.table) < want {
		s.table = make([]slot, want)
	} else {
		s.table = s.table[:want]
		clear(s.table)
	}
	s.rows = s.rows[:0]
	s.sorted, s.tied = true, false
	s.foundAt = slices.Grow(s.foundAt[:0], len(s.judged))[:len(s.judged)]
	clear(s.foundAt)
	mask := uint32(len(s.table) - 1)
	for k := range s.judged {
		hash := uint32(s.judged[k].hash)
		i := hash & mask
		for s.table[i].ref != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = slot{hash, int32(-k - 1)}
	}
}

// add takes a row of the query at hand.
func (s *scorer) add(id []byte, at int, hash64 uint64, score float64, line int) *lineError {
	hash := uint32(hash64)
	mask := uint32(len(s.table) - 1)
	i := hash & mask
	for {
		ref := s.table[i].ref
		if ref == 0 {
			s.table[i] = slot{hash, int32(len(s.rows) + 1)}
			break
		}
		if s.table[i].hash == hash {
			if ref > 0 {
				r := &s.rows[ref-1]
				if bytes.Equal(s.data[r.at:r.at+int(r.length)], id) {
					return &lineError{line, duplicateError(s.query, id), s.lineOf(int(ref - 1))}
				}
			} else if j := &s.judged[-ref-1]; j.hash == hash64 && bytes.Equal(s.qrels.document(j), id) {
				if before := s.foundAt[-ref-1]; before > 0 {
					return &lineError{line, duplicateError(s.query, id), s.lineOf(int(before - 1))}
				}
				s.foundAt[-ref-1] = int32(len(s.rows) + 1)
				break
			}
		}
		i = (i + 1) & mask
	}
	if n := len(s.rows); n > 0 && s.sorted {
		last := &s.rows[n-1]
		switch {
		case score < last.score:
		case score == last.score && bytes.Compare(s.data[last.at:last.at+int(last.length)], id) > 0:
			s.tied = true
		default:
			s.sorted = false
		}
	}
	s.rows = append(s.rows, row{score: score, at: at, length: int32(len(id)), hash: hash})
	if 2*(len(s.rows)+len(s.judged)) > len(s.table) {
		s.grow()
	}
	return nil
}

// lineOf is the line of a row, counted from the start of the data.
func (s *scorer) lineOf(row int) int { return 1 + bytes.Count(s.data[:s.rows[row].at], []byte{'\n'}) }

// grow doubles the table.
func (s *scorer) grow() {
	old := s.table
	s.table = make([]slot, 2*len(old))
	mask := uint32(len(s.table) - 1)
	for _, o := range old {
		if o.ref == 0 {
			continue
		}
		i := o.hash & mask
		for s.table[i].ref != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = o
	}
}

func (s *scorer) id(r *row) []byte { return s.data[r.at : r.at+int(r.length)] }

// before says whether row x ranks before row y.
func (s *scorer) before(x, y *row) int {
	if x.score != y.score {
		return cmp.Compare(y.score, x.score)
	}
	return bytes.Compare(s.id(y), s.id(x))
}

// finish scores the query at hand into out.
func (s *scorer) finish(out *batch) {
	s.hits = s.hits[:0]
	for k, at := range s.foundAt {
		if at > 0 {
			s.hits = append(s.hits, hit{int(at - 1), int(s.judged[k].relevance)})
		}
	}
	q := scored{query: s.place, retrieved: len(s.rows), judged: len(s.hits)}
	if s.place < 0 {
		q.id = string(s.query)
		out.scored = append(out.scored, q)
		return
	}
	s.ranking = measure.Ranking{
		Hits: s.ranking.Hits[:0], Ties: s.ranking.Ties[:0], Retrieved: len(s.rows), Depth: s.opt.Depth,
		AssessedOnly: s.opt.JudgedOnly, Judged: s.qrels.ranked(s.place),
	}
	if s.sorted {
		s.rankSorted()
	} else {
		s.rankUnsorted()
	}
	q.values = out.take(len(s.opt.Measures))
	for i, m := range s.opt.Measures {
		q.values[i] = m.Score(&s.ranking)
	}
	if len(s.ranking.Ties) > 0 {
		q.tied = true
		q.low, q.high = out.take(len(s.opt.Measures)), out.take(len(s.opt.Measures))
		for i, m := range s.opt.Measures {
			q.low[i], q.high[i] = m.Bounds(&s.ranking)
		}
	}
	if s.opt.keep > 0 {
		q.documents = s.top(s.opt.keep)
	}
	out.scored = append(out.scored, q)
}

// ranked is the relevance of a query's judgments, descending.
func (q *Qrels) ranked(place int32) []int {
	at := q.queries[place]
	return q.relevance[at.from:at.to:at.to]
}

// rankSorted ranks the hits of rows that came in rank order.
func (s *scorer) rankSorted() {
	slices.SortFunc(s.hits, func(x, y hit) int { return x.row - y.row })
	r := &s.ranking
	end := 0 // of the last tie
	for _, h := range s.hits {
		r.Hits = append(r.Hits, measure.Hit{Rank: h.row + 1, Relevance: h.relevance})
		if !s.tied || h.row < end {
			continue
		}
		score := s.rows[h.row].score
		from := h.row
		for from > 0 && s.rows[from-1].score == score {
			from--
		}
		end = h.row + 1
		for end < len(s.rows) && s.rows[end].score == score {
			end++
		}
		if end-from > 1 {
			r.Ties = append(r.Ties, measure.Tie{First: from + 1, Size: end - from})
		}
	}
}

// rankUnsorted ranks the hits without sorting all rows: only they need ranks,
// and a hit's rank is the number of rows before it, plus one.
func (s *scorer) rankUnsorted() {
	if len(s.hits) == 0 {
		return
	}
	slices.SortFunc(s.hits, func(x, y hit) int { return s.before(&s.rows[x.row], &s.rows[y.row]) })
	s.groups = s.groups[:0]
	for i, h := range s.hits {
		if score := s.rows[h.row].score; i == 0 || score != s.groups[len(s.groups)-1].score {
			s.groups = append(s.groups, group{score: score, from: i})
		}
	}
	// above[i] counts the rows that come directly before hit i: before it and
	// not before the hit ahead of it. The hits ahead of it count too.
	s.above = slices.Grow(s.above[:0], len(s.hits)+1)[:len(s.hits)+1]
	clear(s.above)
	for k := range s.rows {
		r := &s.rows[k]
		// The first group whose score is not above the row's.
		g, high := 0, len(s.groups)
		for g < high {
			middle := int(uint(g+high) / 2)
			if s.groups[middle].score <= r.score {
				high = middle
			} else {
				g = middle + 1
			}
		}
		if g == len(s.groups) {
			continue
		}
		if s.groups[g].score < r.score {
			s.groups[g].between++
			s.above[s.groups[g].from]++
			continue
		}
		s.groups[g].size++
		// Among the hits of its own score, the first that it comes before.
		i, end := s.groups[g].from, len(s.hits)
		if g+1 < len(s.groups) {
			end = s.groups[g+1].from
		}
		for i < end {
			middle := int(uint(i+end) / 2)
			if s.before(r, &s.rows[s.hits[middle].row]) < 0 {
				end = middle
			} else {
				i = middle + 1
			}
		}
		s.above[i]++
	}
	r := &s.ranking
	ahead := 0
	for i, h := range s.hits {
		ahead += s.above[i]
		r.Hits = append(r.Hits, measure.Hit{Rank: ahead + 1, Relevance: h.relevance})
	}
	first := 1
	for _, g := range s.groups {
		first += g.between
		if g.size > 1 {
			r.Ties = append(r.Ties, measure.Tie{First: first, Size: g.size})
		}
		first += g.size
	}
}

// top gives the first n documents in rank order.
func (s *scorer) top(n int) []Document {
	s.order = s.order[:0]
	for i := range s.rows {
		s.order = append(s.order, int32(i))
	}
	if !s.sorted {
		slices.SortFunc(s.order, func(x, y int32) int { return s.before(&s.rows[x], &s.rows[y]) })
	}
	n = min(n, len(s.order))
	documents := make([]Document, n)
	for i, k := range s.order[:n] {
		r := &s.rows[k]
		documents[i] = Document{ID: string(s.id(r)), Score: r.score}
	}
	return documents
}

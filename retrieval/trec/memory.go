package trec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/karat-eval/karat/retrieval/measure"
)

// Document is a retrieved document.
type Document struct {
	ID    string
	Score float64
}

// Run is a run in memory: the score of each document, by query and document id.
type Run map[string]map[string]float64

// Rank puts documents in rank order, in place: by score descending, then by id
// descending byte by byte. A score that is no finite number and a document that
// is there twice are errors.
func Rank(documents []Document) error {
	seen := make(map[string]bool, len(documents))
	for _, d := range documents {
		if math.IsNaN(d.Score) || math.IsInf(d.Score, 0) {
			return fmt.Errorf("document %q: score %v: not a finite number", d.ID, d.Score)
		}
		if seen[d.ID] {
			return fmt.Errorf("duplicate document %q", d.ID)
		}
		seen[d.ID] = true
	}
	slices.SortFunc(documents, func(x, y Document) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.ID, x.ID))
	})
	return nil
}

// NewRanking makes what measures score of the documents retrieved for one query,
// in any order, and their judgments. It does not change documents.
func NewRanking(documents []Document, judgments map[string]int) (*measure.Ranking, error) {
	documents = slices.Clone(documents)
	if err := Rank(documents); err != nil {
		return nil, err
	}
	r := &measure.Ranking{Retrieved: len(documents)}
	for _, rel := range judgments {
		r.Judged = append(r.Judged, rel)
	}
	slices.SortFunc(r.Judged, func(x, y int) int { return cmp.Compare(y, x) })
	for first := 0; first < len(documents); {
		end, hit := first, false
		for ; end < len(documents) && documents[end].Score == documents[first].Score; end++ {
			if rel, ok := judgments[documents[end].ID]; ok {
				r.Hits = append(r.Hits, measure.Hit{Rank: end + 1, Relevance: rel})
				hit = true
			}
		}
		if hit && end-first > 1 {
			r.Ties = append(r.Ties, measure.Tie{First: first + 1, Size: end - first})
		}
		first = end
	}
	return r, nil
}

// EvaluateRun scores a run in memory. It is [Evaluate] without files; a query
// without documents counts as one that the run does not have.
func EvaluateRun(qrels *Qrels, run Run, opt Options) (*Result, error) {
	if len(opt.Measures) == 0 {
		opt.Measures = DefaultMeasures()
	}
	c := newCollector(qrels, "the run", opt)
	judgments := make(map[string]int)
	for _, query := range slices.Sorted(maps.Keys(run)) {
		if len(run[query]) == 0 {
			continue
		}
		documents := make([]Document, 0, len(run[query]))
		for _, id := range slices.Sorted(maps.Keys(run[query])) {
			documents = append(documents, Document{id, run[query][id]})
		}
		clear(judgments)
		for id, rel := range qrels.Judgments(query) {
			judgments[id] = rel
		}
		ranking, err := NewRanking(documents, judgments)
		if err != nil {
			return nil, fmt.Errorf("query %q: %w", query, err)
		}
		place, ok := qrels.index[query]
		if !ok {
			place = -1
		}
		ranking.Depth, ranking.AssessedOnly = opt.Depth, opt.JudgedOnly
		q := scored{query: place, id: query, retrieved: ranking.Retrieved, judged: len(ranking.Hits), tied: len(ranking.Ties) > 0}
		for _, m := range opt.Measures {
			q.values = append(q.values, m.Score(ranking))
			if q.tied {
				low, high := m.Bounds(ranking)
				q.low, q.high = append(q.low, low), append(q.high, high)
			}
		}
		if err := c.add(&batch{scored: []scored{q}}); err != nil {
			return nil, err
		}
	}
	return c.finish(qrels, opt)
}

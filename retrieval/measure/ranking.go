package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Unjudged marks, for [NewRanking], a retrieved document without a judgment.
const Unjudged = math.MinInt

// Hit is a judged document that was retrieved.
type Hit struct {
	Rank      int // from 1
	Relevance int // its judgment, negative ones included
}

// Tie is a run of retrieved documents that share one score, so that their order
// among each other says nothing about the system.
type Tie struct {
	First int // rank of the first of them
	Size  int // number of them, 2 or more
}

// Ranking is one query's ranked list with the judgments for that query. It
// holds the judged documents alone, since every other place is the same
// unjudged document to every measure. A Ranking must not be scored by two
// goroutines at once.
type Ranking struct {
	// Hits are the judged documents retrieved, by rising rank.
	Hits []Hit
	// Retrieved is the number of documents retrieved, judged or not.
	Retrieved int
	// Judged holds the relevance of every judged document of the query,
	// retrieved or not, in descending order.
	Judged []int
	// Ties are the ties that hold at least one hit, by rising rank. They
	// change no score; [Measure.Bounds] reads them.
	Ties []Tie
	// Depth, where positive, is the rank below which nothing is looked at,
	// by any measure; the judgments stay (trec_eval's -M).
	Depth int
	// AssessedOnly drops, after the cut to Depth, the documents that nobody
	// assessed, for every measure: those without a judgment and those with a
	// negative one (trec_eval's -J).
	AssessedOnly bool

	arranged [2]*Ranking // best and worst order of the ties, made on demand
}

// NewRanking makes a Ranking from a list in memory: retrieved[i] is the
// relevance of the document at rank i+1, or [Unjudged]; judged holds the
// relevance of every judged document, retrieved or not, in any order. It is an
// error where a document is retrieved with a judgment that judged does not have.
func NewRanking(retrieved, judged []int) (*Ranking, error) {
	r := &Ranking{Retrieved: len(retrieved), Judged: slices.Clone(judged)}
	slices.SortFunc(r.Judged, func(a, b int) int { return cmp.Compare(b, a) })
	left := make(map[int]int)
	for _, rel := range judged {
		left[rel]++
	}
	for i, rel := range retrieved {
		if rel == Unjudged {
			continue
		}
		if left[rel] == 0 {
			return nil, fmt.Errorf("rank %d has relevance %d: more documents have it than were judged so", i+1, rel)
		}
		left[rel]--
		r.Hits = append(r.Hits, Hit{Rank: i + 1, Relevance: rel})
	}
	return r, nil
}

// relevant is the number of judged documents of grade rel or more.
func (r *Ranking) relevant(rel int) int {
	n := 0
	for n < len(r.Judged) && r.Judged[n] >= rel {
		n++
	}
	return n
}

// found is the number of relevant documents at ranks 1 to k (all where k is 0).
func (r *Ranking) found(rel, k int) int {
	n := 0
	for _, h := range r.Hits {
		if k > 0 && h.Rank > k {
			break
		}
		if h.Relevance >= rel {
			n++
		}
	}
	return n
}

// firstRank is the rank of the first relevant document, 0 where there is none.
func (r *Ranking) firstRank(rel int) int {
	for _, h := range r.Hits {
		if h.Relevance >= rel {
			return h.Rank
		}
	}
	return 0
}

// cut is the ranking down to its Depth.
func (r *Ranking) cut() *Ranking {
	if r.Depth <= 0 || r.Retrieved <= r.Depth {
		return r
	}
	c := &Ranking{Hits: r.Hits, Retrieved: r.Depth, Judged: r.Judged}
	for n := len(c.Hits); n > 0 && c.Hits[n-1].Rank > r.Depth; n-- {
		c.Hits = c.Hits[:n-1]
	}
	return c
}

// assessed is the ranking without the documents that nobody assessed: the
// unjudged ones and those with a negative judgment (trec_eval's -J).
func (r *Ranking) assessed() *Ranking {
	c := &Ranking{Judged: r.Judged, Hits: make([]Hit, 0, len(r.Hits))}
	for _, h := range r.Hits {
		if h.Relevance >= 0 {
			c.Hits = append(c.Hits, Hit{Rank: len(c.Hits) + 1, Relevance: h.Relevance})
		}
	}
	c.Retrieved = len(c.Hits)
	return c
}

// arrange is the ranking with the documents of each tie in the order of falling
// keys; unjudged is the key of the unjudged.
func (r *Ranking) arrange(unjudged float64, key func(relevance int) float64) *Ranking {
	a := &Ranking{Hits: slices.Clone(r.Hits), Retrieved: r.Retrieved, Judged: r.Judged, Depth: r.Depth, AssessedOnly: r.AssessedOnly}
	i := 0
	for _, tie := range r.Ties {
		for i < len(a.Hits) && a.Hits[i].Rank < tie.First {
			i++
		}
		from := i
		for i < len(a.Hits) && a.Hits[i].Rank < tie.First+tie.Size {
			i++
		}
		group := a.Hits[from:i]
		slices.SortStableFunc(group, func(x, y Hit) int { return cmp.Compare(key(y.Relevance), key(x.Relevance)) })
		for j := range group {
			group[j].Rank = tie.First + j
			if key(group[j].Relevance) < unjudged {
				group[j].Rank += tie.Size - len(group)
			}
		}
	}
	return a
}

// best and worst are the ranking with the documents of each tie by falling key,
// the unjudged last, and the reverse.
func (r *Ranking) best(key func(relevance int) float64) *Ranking {
	return r.arrange(math.Inf(-1), key)
}

func (r *Ranking) worst(key func(relevance int) float64) *Ranking {
	return r.arrange(math.Inf(1), func(relevance int) float64 { return -key(relevance) })
}

// byRelevance are the two orders of a tie that are best and worst for every
// measure whose gains rise with the relevance.
func (r *Ranking) byRelevance() (best, worst *Ranking) {
	if r.arranged[0] == nil {
		key := func(relevance int) float64 { return float64(relevance) }
		r.arranged = [2]*Ranking{r.best(key), r.worst(key)}
	}
	return r.arranged[0], r.arranged[1]
}

package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
)

// topN is how many candidates a recording keeps.
const topN = 10

// An engine searches the chunks of the knowledge base.
type engine struct {
	index  bleve.Index
	chunks map[string]chunk
}

// A hit is a chunk and its score, rounded to four decimals.
type hit struct {
	chunk
	Score float64
}

func newEngine(chunks []chunk) (*engine, error) {
	// scorch, in memory (no path): the older in-memory index keeps no field
	// lengths, and without them there is no BM25.
	idx, err := bleve.NewUsing("", indexMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	e := &engine{index: idx, chunks: make(map[string]chunk, len(chunks))}
	batch := idx.NewBatch()
	for _, c := range chunks {
		e.chunks[c.ID] = c
		err := batch.Index(c.ID, map[string]any{
			"content":     c.indexed(),
			"scenario_id": c.ScenarioID,
			"source":      c.Source,
		})
		if err != nil {
			return nil, err
		}
	}
	return e, idx.Batch(batch)
}

func indexMapping() mapping.IndexMapping {
	content := bleve.NewTextFieldMapping()
	content.Analyzer = cjk.AnalyzerName
	exact := bleve.NewTextFieldMapping()
	exact.Analyzer = keyword.Name

	document := bleve.NewDocumentStaticMapping()
	document.AddFieldMappingsAt("content", content)
	document.AddFieldMappingsAt("scenario_id", exact)
	document.AddFieldMappingsAt("source", exact)

	m := bleve.NewIndexMapping()
	m.DefaultMapping = document
	m.DefaultAnalyzer = cjk.AnalyzerName
	m.ScoringModel = index.BM25Scoring
	return m
}

func (e *engine) close() error { return e.index.Close() }

// search returns the best chunks for a query, at most topN. An empty scenario
// or source does not filter.
func (e *engine) search(query, scenario, source string) ([]hit, error) {
	match := bleve.NewMatchQuery(query)
	match.SetField("content")
	restricted := bleve.NewBooleanQuery()
	restricted.AddMust(match)
	filter := bleve.NewConjunctionQuery()
	for field, value := range map[string]string{"scenario_id": scenario, "source": source} {
		if value != "" {
			term := bleve.NewTermQuery(value)
			term.SetField(field)
			filter.AddQuery(term)
		}
	}
	if len(filter.Conjuncts) > 0 {
		restricted.AddFilter(filter)
	}

	// All hits are asked for and cut below: where scores tie at the cut, the
	// engine's own order is not one to rely on.
	result, err := e.index.Search(bleve.NewSearchRequestOptions(restricted, len(e.chunks), 0, false))
	if err != nil {
		return nil, err
	}
	hits := make([]hit, 0, len(result.Hits))
	for _, h := range result.Hits {
		hits = append(hits, hit{chunk: e.chunks[h.ID], Score: math.Round(h.Score*1e4) / 1e4})
	}
	// The rounded scores decide, so that the last bits of a float sum cannot
	// change an order; ties go by id.
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(topN, len(hits))], nil
}

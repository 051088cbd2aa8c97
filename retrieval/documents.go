package retrieval

import (
	"strings"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// documentMatcher tells whether a candidate is a document that a case names.
type documentMatcher struct {
	id       string
	contains *keyword.Matcher
	source   string // where the case names a source and no document
	gain     float64
}

func (m *documentMatcher) matches(c *Candidate, text *keyword.Text) bool {
	switch {
	case m.source != "":
		return strings.TrimSpace(c.Source) == m.source
	case m.contains != nil:
		for _, s := range [...]string{c.Label, c.DocumentID, c.Source} {
			if s == "" {
				continue
			}
			text.Reset(s)
			if _, found := m.contains.Find(text); found {
				return true
			}
		}
		return false
	}
	return strings.TrimSpace(c.DocumentID) == m.id || strings.TrimSpace(c.ID) == m.id || strings.TrimSpace(c.Label) == m.id
}

// credits says what the candidates are worth to a case.
type credits struct {
	// gains has one entry a candidate: what it credits, 0 for nothing.
	gains []float64
	// expected marks the candidates of an expected document, whether they
	// credit an entry or come after the one that does.
	expected []bool
	// copies marks candidates whose id came before.
	copies []int // 1 + the place of the first of that id; 0 for no copy
	// missing are the entries that no candidate credits.
	missing []int
}

// credit lets each entry, in its order, credit the first matching candidate that
// is still free. One candidate credits one entry; copies credit none. It uses the
// memory of cr again.
func (cr *credits) credit(entries []documentMatcher, candidates []Candidate, text *keyword.Text) {
	cr.gains = append(cr.gains[:0], make([]float64, len(candidates))...)
	cr.expected = append(cr.expected[:0], make([]bool, len(candidates))...)
	cr.copies, cr.missing = copies(candidates), cr.missing[:0]
	for e := range entries {
		found := false
		for i := range candidates {
			if cr.isCopy(i) || !entries[e].matches(&candidates[i], text) {
				continue
			}
			cr.expected[i] = true
			if !found && cr.gains[i] == 0 {
				found = true
				cr.gains[i] = entries[e].gain
			}
		}
		if !found {
			cr.missing = append(cr.missing, e)
		}
	}
}

func (cr *credits) isCopy(i int) bool { return cr.copies != nil && cr.copies[i] > 0 }

// copies finds candidates whose id came before; nil where there are none.
func copies(candidates []Candidate) []int {
	var first map[string]int
	if len(candidates) > 16 {
		first = make(map[string]int, len(candidates))
	}
	var out []int
	for i := range candidates {
		id := strings.TrimSpace(candidates[i].ID)
		if id == "" {
			continue
		}
		earlier, found := -1, false
		if first != nil {
			if earlier, found = first[id]; !found {
				first[id] = i
			}
		} else {
			for j := 0; j < i && !found; j++ {
				if strings.TrimSpace(candidates[j].ID) == id {
					earlier, found = j, true
				}
			}
		}
		if found {
			if out == nil {
				out = make([]int, len(candidates))
			}
			out[i] = earlier + 1
		}
	}
	return out
}

// firstRank is the first rank with a credit, 0 where there is none; found counts
// the credits down to rank k.
func (cr *credits) firstRank() int {
	for i, g := range cr.gains {
		if g > 0 {
			return i + 1
		}
	}
	return 0
}

func (cr *credits) within(k int) int {
	n := 0
	for _, g := range cr.gains[:min(k, len(cr.gains))] {
		if g > 0 {
			n++
		}
	}
	return n
}

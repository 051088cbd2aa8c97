package diagnosis

import (
	"slices"
	"sync"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// setCache keeps what is compiled: most often the cases of a file share their
// forbidden words and phrases. Cases that are compiled side by side take turns at
// it.
type setCache struct {
	sync.Mutex
	keyword.Cache
	phraseSets map[string]*phraseSet
	// apart has the pairs of root-cause and forbidden keywords that are known to
	// have nothing in common.
	apart map[[2]*keyword.Set]bool
}

func newSetCache() *setCache {
	return &setCache{phraseSets: map[string]*phraseSet{}, apart: map[[2]*keyword.Set]bool{}}
}

// keywords compiles the keywords of a field, and reports each that does not
// compile. It is nil where there is none.
func (c *setCache) keywords(report report, path []any, keywords []keyword.Keyword) *keyword.Set {
	if len(keywords) == 0 {
		return nil
	}
	set, err := c.CompileSet(keywords)
	if err != nil {
		for i, k := range keywords {
			if err := k.Validate(); err != nil {
				report(append(slices.Clone(path), i), "%v", err)
			}
		}
		return nil
	}
	return set
}

// phrases compiles phrases; it gives nil where one does not compile.
func (c *setCache) phrases(phrases []keyword.Keyword) *phraseSet {
	key := keyword.Key(phrases)
	if set := c.phraseSets[key]; set != nil {
		return set
	}
	for _, k := range phrases {
		if k.Validate() != nil {
			return nil
		}
	}
	set := newPhraseSet(phrases)
	c.phraseSets[key] = set
	return set
}

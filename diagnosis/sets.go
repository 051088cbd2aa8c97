package diagnosis

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// setCache keeps compiled keywords by what they were compiled from: most often
// the cases of a file share their forbidden words and phrases. Cases that are
// compiled side by side take turns at it.
type setCache struct {
	sync.Mutex
	byKey      map[string]*keyword.Set
	phraseSets map[string]*phraseSet
	// apart has the pairs of root-cause and forbidden keywords that are known to
	// have nothing in common.
	apart map[[2]*keyword.Set]bool
}

func newSetCache() *setCache {
	return &setCache{byKey: map[string]*keyword.Set{}, phraseSets: map[string]*phraseSet{}, apart: map[[2]*keyword.Set]bool{}}
}

// keywords compiles the keywords of a field, and reports each that does not
// compile. It is nil where there is none.
func (c *setCache) keywords(report report, path []any, keywords []keyword.Keyword) *keyword.Set {
	if len(keywords) == 0 {
		return nil
	}
	key := setKey(keywords)
	if set := c.byKey[key]; set != nil {
		return set
	}
	set, err := keyword.CompileSet(keywords)
	if err != nil {
		for i, k := range keywords {
			if err := k.Validate(); err != nil {
				report(append(slices.Clone(path), i), "%v", err)
			}
		}
		return nil
	}
	c.byKey[key] = set
	return set
}

// phrases compiles phrases; it gives nil where one does not compile.
func (c *setCache) phrases(phrases []keyword.Keyword) *phraseSet {
	key := setKey(phrases)
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

// setKey is different for different keywords.
func setKey(keywords []keyword.Keyword) string {
	var b strings.Builder
	for i := range keywords {
		addKey(&b, &keywords[i])
	}
	return b.String()
}

func addKey(b *strings.Builder, k *keyword.Keyword) {
	for _, part := range [...]string{k.Text, k.Substring, k.Regex} {
		b.WriteString(strconv.Itoa(len(part)))
		b.WriteByte(':')
		b.WriteString(part)
	}
	if k.UnlessNegated {
		b.WriteByte('!')
	}
	b.WriteString(strconv.Itoa(len(k.Any)))
	b.WriteByte(';')
	for i := range k.Any {
		addKey(b, &k.Any[i])
	}
}

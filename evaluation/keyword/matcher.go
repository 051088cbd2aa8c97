package keyword

import "fmt"

// A Hit is one place where a keyword stands.
type Hit struct {
	// Start and End are byte offsets in the original text.
	Start, End int
	// Alternative is the alternative that stands there, in its short form; of a
	// keyword that is no group, the keyword itself.
	Alternative string
	// Negated tells that a negator stands before the hit in its clause. A hit
	// of a keyword with UnlessNegated is never negated: those do not count.
	Negated bool
}

// A Matcher is a compiled keyword. Any number of goroutines may use it.
type Matcher struct {
	keyword Keyword
	set     Set
}

// Compile compiles k. It refuses a keyword that is empty after normalising, an
// empty or nested "any", two forms at once, and a regular expression that is
// wrong or that matches the empty text, as that would always be covered.
func Compile(k Keyword) (*Matcher, error) {
	m := &Matcher{keyword: k}
	t := textPool.Get().(*Text)
	defer textPool.Put(t)
	if err := m.set.add(&k, t); err != nil {
		return nil, err
	}
	m.set.index()
	return m, nil
}

// MustCompile is [Compile] for keywords that stand in a program: it panics on
// an error.
func MustCompile(k Keyword) *Matcher {
	m, err := Compile(k)
	if err != nil {
		panic(fmt.Sprintf("keyword %v: %v", k, err))
	}
	return m
}

// Keyword is what m was compiled from.
func (m *Matcher) Keyword() Keyword { return m.keyword }

// Find gives the first hit that counts: the one that starts first, and of those
// at one place the alternative that is listed first. With UnlessNegated a
// negated hit does not count.
func (m *Matcher) Find(t *Text) (Hit, bool) {
	memory := m.set.search()
	defer searches.Put(memory)
	m.set.first(t, 0, memory)
	f := &memory.found[0]
	if !f.ok {
		return Hit{}, false
	}
	return m.set.hit(t, f.span), true
}

// FindAll gives every hit that counts, in their order. Of hits that overlap it
// gives the one that starts first, of those that start together the longest.
func (m *Matcher) FindAll(t *Text) []Hit {
	var hits []Hit
	for _, ih := range m.set.FindAll(t) {
		hits = append(hits, ih.Hit)
	}
	return hits
}

// NearMiss tells what kept an uncovered keyword from being covered: it stands
// in the text, but inside a longer word or number, differently parted, or
// negated. ok is false where it is covered, and where it stands nowhere.
func (m *Matcher) NearMiss(t *Text) (near NearMiss, ok bool) {
	memory := m.set.search()
	defer searches.Put(memory)
	m.set.first(t, 0, memory)
	f := &memory.found[0]
	if f.ok || !f.near.ok {
		return NearMiss{}, false
	}
	return m.set.nearMiss(t, f.near), true
}

// A NearMiss is a place where a keyword stands and does not count.
type NearMiss struct {
	// Start and End are byte offsets in the original text: of the longer word
	// or number, or of what stands from the negator to the hit.
	Start, End int
	// Alternative is the alternative that stands there.
	Alternative string
	// Inside is the original text from Start to End.
	Inside string
	// Negated tells that the keyword has UnlessNegated, and that this is why.
	Negated bool
	// Whole tells that no longer word holds the keyword: only its parts stand
	// apart differently ("git hub" in "github").
	Whole bool
}

// String is the near miss in words: found inside "5.7.38".
func (n NearMiss) String() string {
	switch {
	case n.Negated:
		return fmt.Sprintf("negated in %q", n.Inside)
	case n.Whole:
		return fmt.Sprintf("found as %q", n.Inside)
	}
	return fmt.Sprintf("found inside %q", n.Inside)
}

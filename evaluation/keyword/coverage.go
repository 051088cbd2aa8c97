package keyword

import (
	"fmt"
	"math"
	"slices"
)

// A Group is one expected keyword after it was looked for in some texts.
type Group struct {
	// Keyword is the keyword in its short form.
	Keyword string
	Covered bool
	// Text is the number of the text that the hit, else the near miss, stands
	// in; -1 where there is neither.
	Text int
	// Hit is the first hit that counts, of the first text that has one; the zero
	// Hit where the keyword is not covered.
	Hit Hit
	// NearMiss is what kept the keyword from being covered, in the first text
	// that tells; nil where it is covered or stands nowhere.
	NearMiss *NearMiss
}

// Coverage is what some texts cover of the expected keywords.
type Coverage struct {
	// Groups has one element for each keyword, in the order of the set.
	Groups []Group
	// Covered is the number of groups that are covered.
	Covered int
}

// Value is covered groups divided by expected groups, from 0 to 1. ok is false
// where no keyword is expected: coverage is not applicable then.
func (c Coverage) Value() (value float64, ok bool) {
	if len(c.Groups) == 0 {
		return 0, false
	}
	return float64(c.Covered) / float64(len(c.Groups)), true
}

// Within is the coverage by the first n of the texts alone.
func (c Coverage) Within(n int) (value float64, ok bool) {
	if len(c.Groups) == 0 {
		return 0, false
	}
	covered := 0
	for _, g := range c.Groups {
		if g.Covered && g.Text < n {
			covered++
		}
	}
	return float64(covered) / float64(len(c.Groups)), true
}

// Cover looks for the keywords in the texts, each for itself: a keyword that
// begins in one text and ends in the next is not covered. A nil text is an
// empty one.
func (s *Set) Cover(texts ...*Text) Coverage {
	return s.CoverFunc(len(texts), func(i int) *Text { return texts[i] })
}

// CoverFunc is [Set.Cover] for n texts that are only made where they are looked
// at: text gives the one with number i, from 0, and is not asked for those behind
// the text that covers the last keyword. It may be asked twice for one text.
func (s *Set) CoverFunc(n int, text func(i int) *Text) Coverage {
	var c Coverage
	s.CoverInto(&c, n, text)
	return c
}

// CoverInto is [Set.CoverFunc] into a coverage whose memory is used again: its groups
// are good until the next call.
func (s *Set) CoverInto(c *Coverage, n int, text func(i int) *Text) {
	c.Groups, c.Covered = slices.Grow(c.Groups[:0], len(s.keywords)), 0
	for i := range s.keywords {
		c.Groups = append(c.Groups, Group{Keyword: s.keywords[i].String(), Text: -1})
	}
	m := s.search()
	defer searches.Put(m)
	into := m.found
	for k := 0; k < n && c.Covered < len(into); k++ {
		t := text(k)
		if t == nil {
			continue
		}
		s.first(t, k, m)
		for i := range into {
			f := &into[i]
			switch g := &c.Groups[i]; {
			case f.done:
			case f.ok:
				f.done = true
				g.Covered, g.Text, g.Hit = true, k, s.hit(t, f.span)
				c.Covered++
			}
		}
	}
	for i := range into {
		if f, g := &into[i], &c.Groups[i]; !f.ok && f.near.ok {
			near := s.nearMiss(text(f.near.text), f.near)
			g.Text, g.NearMiss = f.near.text, &near
		}
	}
}

// Tolerance is by how much a coverage may fall short of its minimum and still
// reach it: 3 of 5 reaches 0.6 in whatever way the two were computed.
const Tolerance = 1e-9

// Reaches tells whether got reaches the minimum min under [Tolerance]. NaN
// reaches nothing and is reached by nothing.
func Reaches(got, min float64) bool { return got >= min-Tolerance }

// ValidateMinimum refuses a minimum coverage outside [0, 1].
func ValidateMinimum(min float64) error {
	if math.IsNaN(min) || min < 0 || min > 1 {
		return fmt.Errorf("%v is outside [0, 1]", min)
	}
	return nil
}

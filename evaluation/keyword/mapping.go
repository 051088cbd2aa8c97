package keyword

import (
	"sort"
	"unicode/utf8"
)

// A place says that what stands at norm in the normalised text stood at src in
// the original. Up to the next place the two run side by side, unless the
// place is solid: then all up to the next place came from one piece.
type place struct {
	norm, src int
	solid     bool
}

// A mapping is the places of a text in rising order. Where two have the same
// norm, the piece between them was dropped, and the later one counts.
type mapping []place

func (m mapping) find(norm int) int {
	return sort.Search(len(m), func(i int) bool { return m[i].norm > norm }) - 1
}

// start is where the character at norm began in the original.
func (m mapping) start(norm int) int {
	p := m[m.find(norm)]
	if p.solid {
		return p.src
	}
	return p.src + norm - p.norm
}

// end is where the character in front of norm, the end of a piece of text,
// ended in the original src.
func (m mapping) end(text []byte, norm int, src string) int {
	if norm <= 0 {
		return 0
	}
	i := m.find(norm - 1)
	if m[i].solid {
		return m[i+1].src
	}
	norm--
	for norm > 0 && norm > m[i].norm && isTail(text[norm]) {
		norm--
	}
	at := min(m[i].src+norm-m[i].norm, len(src))
	_, w := utf8.DecodeRuneInString(src[at:])
	return at + w
}

// norm is the first place in the normalised text, of length n, of what began
// at src or behind it in the original.
func (m mapping) norm(src, n int) int {
	i := sort.Search(len(m), func(i int) bool { return m[i].src > src }) - 1
	if i < 0 {
		return 0
	}
	p := m[i]
	next := n
	if i+1 < len(m) {
		next = m[i+1].norm
	}
	if p.solid {
		if src > p.src {
			return next
		}
		return p.norm
	}
	return min(p.norm+src-p.src, next)
}

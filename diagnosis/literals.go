package diagnosis

import (
	"cmp"
	"slices"
	"strings"
)

// literals finds, in one pass over a text, which of many short texts stand in it.
// Each is listed under the numbers of the expressions that need it.
type literals struct {
	// long are those of three bytes or more, such as one Han character, ordered
	// by the slot of their first three bytes; first has, by slot, 1 + the place of
	// the first of them.
	long  []literal
	first [1 << literalBits]uint32
	short []literal
}

type literal struct {
	text string
	slot uint32
	of   int // the number of an expression
}

const literalBits = 9

// literalSlot is the slot of three bytes.
func literalSlot(v uint32) uint32 { return v * 0x9E3779B1 >> (32 - literalBits) }

// add puts the texts under an expression; it is followed by index.
func (l *literals) add(of int, texts []string) {
	for _, text := range texts {
		if len(text) < 3 {
			l.short = append(l.short, literal{text: text, of: of})
			continue
		}
		v := uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16
		l.long = append(l.long, literal{text: text, slot: literalSlot(v), of: of})
	}
}

func (l *literals) index() {
	compare := func(a, b literal) int {
		return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.text, b.text), cmp.Compare(a.of, b.of))
	}
	slices.SortFunc(l.long, compare)
	l.long = slices.Compact(l.long)
	for i := len(l.long) - 1; i >= 0; i-- {
		l.first[l.long[i].slot] = uint32(i) + 1
	}
}

// find calls found with the number of the expression for each literal that stands
// in a text, perhaps more than once, until it returns false.
func (l *literals) find(text string, found func(of int) bool) {
	for i := range l.short {
		if strings.Contains(text, l.short[i].text) && !found(l.short[i].of) {
			return
		}
	}
	if len(text) < 3 || len(l.long) == 0 {
		return
	}
	v := uint32(text[0])<<8 | uint32(text[1])<<16
	for i := 2; i < len(text); i++ {
		v = v>>8 | uint32(text[i])<<16
		slot := literalSlot(v)
		k := int(l.first[slot])
		if k == 0 {
			continue
		}
		for k--; k < len(l.long) && l.long[k].slot == slot; k++ {
			if strings.HasPrefix(text[i-2:], l.long[k].text) && !found(l.long[k].of) {
				return
			}
		}
	}
}

// stand reports whether one of the literals stands in a text.
func (l *literals) stand(text string) bool {
	any := false
	l.find(text, func(int) bool {
		any = true
		return false
	})
	return any
}

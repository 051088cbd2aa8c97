package evaltest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/karat-eval/karat/internal/text"
)

// Of a difference of two texts, mostLines lines of either side are shown, and
// equal lines are looked for at most window lines ahead, so that the time that
// takes is linear in the texts, whatever they are.
const (
	mostLines = 8
	window    = 128
)

// diff shows the lines that differ, the first few of them, with their numbers.
func diff(old, now string) string {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	var s strings.Builder
	lines := 0
	show := func(sign byte, at int, line string) {
		if lines++; lines <= 2*mostLines {
			fmt.Fprintf(&s, "    line %d %c %s\n", at+1, sign, text.Truncate(text.Terminal(line), 200))
		}
	}
	i, j := 0, 0
	for lines < 2*mostLines {
		for i < len(a) && j < len(b) && a[i] == b[j] {
			i++
			j++
		}
		if i == len(a) && j == len(b) {
			return s.String()
		}
		less, more, found := meet(a[i:], b[j:])
		for k := range max(less, more) {
			same := k < less && k < more && a[i+k] == b[j+k]
			if k < less && !same {
				show('-', i+k, a[i+k])
			}
			if k < more && !same {
				show('+', j+k, b[j+k])
			}
		}
		i, j = i+less, j+more
		if !found {
			break
		}
	}
	if lines > 2*mostLines || !slices.Equal(a[i:], b[j:]) {
		s.WriteString("    … and more\n")
	}
	return s.String()
}

// meet gives how many lines of a and b, which differ in their first, come before
// both go on alike. A line that was put in or taken out has to be followed by
// three that are the same, since one alone, such as a bracket, is no sign; for a
// line in place of another, one will do.
func meet(a, b []string) (less, more int, found bool) {
	for d := 1; d <= window; d++ {
		for x := 0; 2*x < d; x++ {
			if alike(a, b, d-x, x, 3) {
				return d - x, x, true
			}
			if alike(a, b, x, d-x, 3) {
				return x, d - x, true
			}
		}
		if d%2 == 0 && alike(a, b, d/2, d/2, 1) {
			return d / 2, d / 2, true
		}
	}
	return min(len(a), window), min(len(b), window), false
}

// alike reports whether a from i and b from j begin with the same n lines, or end
// together before.
func alike(a, b []string, i, j, n int) bool {
	if i > len(a) || j > len(b) {
		return false
	}
	a, b = a[i:], b[j:]
	if len(a) < n || len(b) < n {
		return slices.Equal(a, b)
	}
	return slices.Equal(a[:n], b[:n])
}

package input

import "strings"

// Nearest is the known name that a misspelt one most likely means, or "" where
// none is near: for names that a file may use and only its reader knows too, such
// as those of a report's metrics. Case and separators are forgiven, since
// expectedKeywords for expected_keywords is the most common slip of all. Between
// equally near ones the first is taken.
func Nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	want := []rune(withoutStyle(name))
	best, bestDistance := "", len(want)/3+1
	if len(want) <= 2 {
		bestDistance = 1
	}
	for _, k := range known {
		if d := editDistance(want, []rune(withoutStyle(k))); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// SameName reports whether two names differ in case and separators alone.
func SameName(a, b string) bool { return withoutStyle(a) == withoutStyle(b) }

func withoutStyle(name string) string { return strings.ToLower(separators.Replace(name)) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// editDistance is the optimal string alignment distance: insertions,
// deletions, substitutions and swaps of neighbours, each of cost 1.
func editDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

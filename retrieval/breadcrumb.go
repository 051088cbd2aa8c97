package retrieval

import "strings"

// splitBreadcrumb parts a breadcrumb that was written as one string: at ">",
// "›" and "»", and only where none of those stands in it at "::" or "/", which
// stand inside of segments too ("CI/CD").
func splitBreadcrumb(s string) []string {
	split := func(r rune) bool { return r == '>' || r == '›' || r == '»' || r == '＞' }
	var parts []string
	switch {
	case strings.ContainsFunc(s, split):
		parts = strings.FieldsFunc(s, split)
	case strings.Contains(s, "::"):
		parts = strings.Split(s, "::")
	default:
		parts = strings.Split(s, "/")
	}
	out := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// containsRun reports whether the segments of want stand in a row in have.
func containsRun(have, want []string) bool {
	if len(want) == 0 {
		return false
	}
	for i := 0; i+len(want) <= len(have); i++ {
		j := 0
		for j < len(want) && have[i+j] == want[j] {
			j++
		}
		if j == len(want) {
			return true
		}
	}
	return false
}

package evaltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestADifferenceShowsOnlyTheLinesThatDiffer(t *testing.T) {
	number := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d\n", i)
		}
		return b.String()
	}
	for _, x := range []struct{ name, old, now, want string }{
		{"one line", "a\nb\nc\n", "a\nx\nc\n", "line 2 - b\nline 2 + x\n"},
		{"two lines far apart", "a\n1\n2\n3\n4\nb\n", "x\n1\n2\n3\n4\ny\n", "line 1 - a\nline 1 + x\nline 6 - b\nline 6 + y\n"},
		{"two lines with one between", "a\n-\nb\n", "x\n-\ny\n", "line 1 - a\nline 1 + x\nline 3 - b\nline 3 + y\n"},
		{"a line put in, and one changed after it", "1\n2\n3\n4\n5\n6\n", "1\nnew\n2\n3\n4\n5\nsix\n", "line 2 + new\nline 6 - 6\nline 7 + six\n"},
		{"a line taken out", "1\n2\n3\n4\n5\n", "1\n3\n4\n5\n", "line 2 - 2\n"},
		{"a line more at the end", "1", "1\n2", "line 2 + 2\n"},
		{"lines less at the end", "1\n2\n3", "1", "line 2 - 2\nline 3 - 3\n"},
		{"a bracket is no sign", "{\n}\n{\nb\n}\n", "{\nx\n}\n{\nb\n}\n", "line 2 + x\n"},
		{"lines that would act on a terminal", "a\x1b[31m", "b", "line 1 - a\\x1b[31m\nline 1 + b\n"},
		{"all lines", number(400), strings.ReplaceAll(number(400), "\n", "!\n"), ""},
		{"a long block put in", "a\nb\nc\n", number(500) + "a\nb\nc\n", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := strings.ReplaceAll(diff(x.old, x.now), "    ", "")
			if x.want != "" {
				assert.Equal(t, x.want, got)
				return
			}
			assert.Equal(t, 2*mostLines+1, strings.Count(got, "\n"), "a few lines, whatever differs")
			assert.True(t, strings.HasSuffix(got, "… and more\n"), got)
		})
	}
}

func BenchmarkDiff(b *testing.B) {
	old := strings.Repeat("{\n  \"status\": \"pass\",\n  \"checks\": []\n},\n", 250_000)
	now := strings.ReplaceAll(old, "pass", "fail")
	for b.Loop() {
		diff(old, now)
	}
}

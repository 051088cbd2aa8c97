package text_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/internal/text"
)

func ExampleTerminal() {
	fmt.Println(text.Terminal("VPN\x1b[2J 连不上\u202e\n怎么办"))
	// Output: VPN\x1b[2J 连不上\u202e\n怎么办
}

func ExampleMarkdown() {
	fmt.Println(text.Markdown("a | b\n<script>alert(`1`)</script>"))
	// Output: a \| b\\n&lt;script&gt;alert(\`1\`)&lt;/script&gt;
}

func TestMarkdownShowsTextAndNothingElse(t *testing.T) {
	for _, row := range []struct{ name, in, want, why string }{
		{"ordinary Chinese", "VPN 连不上，怎么办？", "VPN 连不上，怎么办？", "most of what is shown"},
		{"a check's name", "expected_document", "expected_document", "an underscore inside a word is no emphasis"},
		{"underscores around a word", "__init__", `\_\_init\_\_`, "would be bold"},
		{"a pipe", "a|b", `a\|b`, "would open a cell"},
		{"an escaped pipe", `a\|b`, `a\\\|b`, "the backslash must not free the pipe"},
		{"a code span", "`x`", "\\`x\\`", ""},
		{"emphasis", "*x* **y** ~z~", `\*x\* \*\*y\*\* \~z\~`, ""},
		{"a link", "[x](http://e.com)", `\[x\](http\://e.com)`, "neither the link nor the bare address"},
		{"an image", "![x](y)", `!\[x\](y)`, ""},
		{"a bare host", "www.e.com WWW.E.com", `www\.e.com WWW\.E.com`, "GitHub makes links of them"},
		{"an address of mail", "me.x+y@e-e.com b@5.", `me.x+y\@e-e.com b@5.`, "some renderers make links of them"},
		{"a metric", "recall@5, @x, a@, @", "recall@5, @x, a@, @", "no address, and easier to find without the backslash"},
		{"an entity", "&lt;", "&amp;lt;", "shown as it stands"},
		{"a tag", "<img onerror=x>", "&lt;img onerror=x&gt;", ""},
		{"formula", "$x$", `\$x\$`, "GitHub sets formulas"},
		{"a heading's end", "C#", `C\#`, "would be taken off a heading"},
		{"a number sign inside", "a#b", "a#b", ""},
		{"line ends", "a\r\nb\tc", `a\\r\\nb\\tc`, "one line"},
		{"a separator", "a\u2028b", `a\\u2028b`, "some renderers break there"},
		{"an override", "a\u202eb\u2066", `a\\u202eb\\u2066`, ""},
		{"invisible", "a\u200bb\u00adc\ufeff", `a\\u200bb\\xadc\\ufeff`, ""},
		{"hidden tags", "a\U000e0041", `a\\U000e0041`, "can smuggle text"},
		{"an escape", "\x1b[31mred", `\\x1b\[31mred`, ""},
		{"an 8-bit escape", "\u009b31m", `\\x9b31m`, "CSI in one character"},
		{"invalid UTF-8", "a\xff\xfeb", `a\\xff\\xfeb`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, text.Markdown(row.in), row.why)
		})
	}
}

func TestTerminalLeavesPlainTextAlone(t *testing.T) {
	for _, s := range []string{"", "a|b `c` <d>", "VPN 连不上（公司网）　全角", "naïve café", "C:\\dir", "日本語テスト", "한국어", "⚠️ 警告"} {
		assert.Equal(t, s, text.Terminal(s))
	}
}

func TestHiddenCharactersAreThoseOfUnicode(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		hidden := text.Terminal(string(r)) != string(r)
		must := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		if must && !hidden {
			t.Errorf("%U is shown as it is", r)
		}
		if hidden && !must && unicode.IsPrint(r) && r != 0x2800 { // 2800 is blank
			t.Errorf("%U can be seen, and is hidden", r)
		}
	}
}

// harmless reports what is wrong with a shown text.
func harmless(shown string) string {
	if !utf8.ValidString(shown) {
		return "invalid UTF-8"
	}
	for _, r := range shown {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Sprintf("%U is in it", r)
		}
	}
	return ""
}

// oneCell reports why s is not the text of one Markdown cell.
func oneCell(s string) string {
	escaped := false
	for i := range len(s) {
		c := s[i]
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case strings.IndexByte("|`<>[]*~$", c) >= 0:
			return fmt.Sprintf("a bare %q at %d", c, i)
		case c == '&' && !strings.HasPrefix(s[i:], "&lt;") && !strings.HasPrefix(s[i:], "&gt;") && !strings.HasPrefix(s[i:], "&amp;"):
			return "a bare &"
		}
	}
	if escaped {
		return "the last backslash would escape what follows the cell"
	}
	return harmless(s)
}

var hostile = rapid.StringOf(rapid.OneOf(
	rapid.Rune(),
	rapid.SampledFrom([]rune("|`<>[]*_~$#&\\:/.w\n\r\t\x1b\x00\x7f\u0085\u009b\u202e\u2066\u200b\u2028\ufeff中、")),
))

func TestAnyTextIsOneCellAndOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile.Draw(t, "s")
		if why := oneCell(text.Markdown(s)); why != "" {
			t.Fatalf("Markdown(%q) = %q: %s", s, text.Markdown(s), why)
		}
		if why := harmless(text.Terminal(s)); why != "" {
			t.Fatalf("Terminal(%q) = %q: %s", s, text.Terminal(s), why)
		}
	})
}

func TestTruncateNeverTakesMoreColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile.Draw(t, "s")
		n := rapid.IntRange(-1, 20).Draw(t, "n")
		cut := text.Truncate(s, n)
		if text.Width(cut) > max(n, 0) {
			t.Fatalf("Truncate(%q, %d) = %q takes %d columns", s, n, cut, text.Width(cut))
		}
		if n > 0 && text.Width(s) <= n && cut != s {
			t.Fatalf("Truncate(%q, %d) = %q, though it fits", s, n, cut)
		}
		if n > 0 && cut != s && !strings.HasSuffix(cut, "…") {
			t.Fatalf("Truncate(%q, %d) = %q hides that it was cut", s, n, cut)
		}
		if w := text.Width(text.Pad(s, n)); w != max(n, text.Width(s)) {
			t.Fatalf("Pad(%q, %d) takes %d columns", s, n, w)
		}
	})
}

func TestWidthCountsColumns(t *testing.T) {
	for _, row := range []struct {
		in   string
		want int
	}{
		{"", 0}, {"abc", 3}, {"连不上", 6}, {"ＶＰＮ", 6}, {"ｶﾅ", 2}, {"한국어", 6}, {"e\u0301", 1}, {"。、", 4}, {"…", 1},
	} {
		assert.Equal(t, row.want, text.Width(row.in), "%q", row.in)
	}
	assert.Equal(t, "连不…", text.Truncate("连不上怎么办", 5))
	assert.Equal(t, "连不…", text.Truncate("连不上怎么办", 6), "the ellipsis does not part a wide character")
	assert.Equal(t, "连  ", text.Pad("连", 4))
}

func TestWrapBreaksAtSpacesAndBeforeWideCharacters(t *testing.T) {
	for _, row := range []struct {
		in   string
		n    int
		want []string
	}{
		{"", 10, []string{""}},
		{"short", 10, []string{"short"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two  three", 8, []string{"one two", "three"}},
		{"连不上怎么办", 5, []string{"连不", "上怎", "么办"}},
		{"VPN 连不上", 6, []string{"VPN 连", "不上"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"ab cdefgh", 5, []string{"ab", "cdefg", "h"}},
		{"\u0300々A", 2, []string{"\u0300々", "A"}},
		{"a々bc", 2, []string{"a", "々", "bc"}},
	} {
		assert.Equal(t, row.want, text.Wrap(row.in, row.n), "%q at %d", row.in, row.n)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := text.Terminal(hostile.Draw(t, "s"))
		n := rapid.IntRange(2, 20).Draw(t, "n")
		lines := text.Wrap(s, n)
		for _, l := range lines {
			if text.Width(l) > n {
				t.Fatalf("Wrap(%q, %d) = %q", s, n, lines)
			}
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(strings.Join(lines, "")) != squeeze(s) {
			t.Fatalf("Wrap(%q, %d) = %q loses something", s, n, lines)
		}
	})
}

func FuzzShownTextIsHarmless(f *testing.F) {
	for _, s := range []string{"a|b", "<b>\\|", "\x1b]8;;http://e\x07x", "\u202e连\xff", "www.a.b:\\://"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if why := oneCell(text.Markdown(s)); why != "" {
			t.Fatalf("Markdown(%q) = %q: %s", s, text.Markdown(s), why)
		}
		if why := harmless(text.Terminal(s)); why != "" {
			t.Fatalf("Terminal(%q) = %q: %s", s, text.Terminal(s), why)
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	for _, row := range []struct{ name, s string }{
		{"ascii", strings.Repeat("the order service runs out of memory, ", 20)},
		{"chinese", strings.Repeat("订单服务内存不足，连接池耗尽。", 20)},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(row.s)))
			var dst []byte
			for b.Loop() {
				dst = text.AppendMarkdown(dst[:0], row.s)
			}
		})
	}
}

func TestJSONForATerminalIsTheSameJSON(t *testing.T) {
	const in = "{\"a\u009b31m\": [\"\u202e连\u2066\u200f\u061c\", \"\u2028\x7f😀\u200d\"], \"b\": 1}"
	out := text.JSON([]byte(in))
	assert.Equal(t, `{"a\u009b31m": ["\u202e连\u2066\u200f\u061c", "\u2028\u007f😀`+"\u200d"+`"], "b": 1}`, string(out))
	var before, after any
	assert.NoError(t, json.Unmarshal([]byte(in), &before))
	assert.NoError(t, json.Unmarshal(out, &after))
	assert.Equal(t, before, after)
	const plain = `{"a": "连接池"}`
	assert.Equal(t, plain, string(text.JSON([]byte(plain))))
}

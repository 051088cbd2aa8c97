package keyword

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func everyRune(yield func(r rune)) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			yield(r)
		}
	}
}

func TestTheTableIsNFKCOnEveryRune(t *testing.T) {
	wrong := 0
	expect := func(r rune, ok bool, what string) {
		if !ok && wrong < 50 {
			t.Errorf("%U %q, kind %d: %s; NFKC is %+q", r, r, kindOf(r), what, norm.NFKC.String(string(r)))
			wrong++
		}
	}
	everyRune(func(r rune) {
		nf := norm.NFKC.String(string(r))
		first, w := utf8.DecodeRuneInString(nf)
		single := w == len(nf)
		starts := norm.NFKC.PropertiesString(string(r)).BoundaryBefore()
		k := kindOf(r)
		if r < utf8.RuneSelf {
			expect(r, k == asciiKind[r], "two tables for ASCII")
		}
		if k != drop && k != slow {
			expect(r, starts, "may join what stands before it")
		}
		switch k {
		case plain:
			expect(r, nf == string(r) && (r < utf8.RuneSelf || fold(r) == r), "plain")
		case lower:
			expect(r, nf == string(r) && fold(r) != r, "lower")
		case narrow:
			expect(r, nf == string(r-narrowBy), "narrow")
		case white:
			expect(r, single && unicode.IsSpace(first) && unicode.IsSpace(r), "white space")
		case dash:
			expect(r, single && (isDash(first) || first == '-'), "dash")
		case underscore:
			expect(r, nf == "_", "low line")
		case comma:
			expect(r, r == ',', "comma")
		case listComma:
			expect(r, nf == "," && r != ',', "list comma")
		case quote:
			expect(r, single && (nf == `"` || kindOf(first) == quote), "quotation mark")
		case apostrophe:
			expect(r, single && (nf == `'` || kindOf(first) == apostrophe), "apostrophe")
		case ellipsis:
			expect(r, nf == "...", "ellipsis")
		case slow:
			// What x/text decides must not bring in what the rules of this package
			// would have had to look at.
			for _, c := range nf {
				switch kindOf(c) {
				case plain, lower, slow, drop, apostrophe:
				case white:
					expect(r, c == ' ', "brings in white space")
				case comma:
					expect(r, strings.HasSuffix(nf, ",") && unicode.IsDigit(first), "brings in a comma")
				default:
					expect(r, false, "brings in "+string(c))
				}
			}
		}
		if k == drop {
			expect(r, !unicode.IsLetter(r) || r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0, "drops a letter")
		}
	})
}

func TestEveryRuneNormalisesAsXTextSays(t *testing.T) {
	wrong := 0
	var text, direct Text
	everyRune(func(r rune) {
		if r == 0xF0000 {
			return // nfkc puts it to another use
		}
		if 0x30000 <= r && r < 0xE0000 || r >= 0xE1000 {
			return // nothing stands there, and the table has said so
		}
		text.Reset("a " + string(r) + " b")
		direct.Reset("a " + nfkc(string(r)) + " b")
		if a, b := text.String(), direct.String(); a != b && wrong < 20 {
			t.Errorf("%U: %+q, and of its NFKC %+q", r, a, b)
			wrong++
		}
	})
}

// nfkc is what x/text makes of s once invisible characters are gone. Commas
// that are never inside a number stay what they are.
func nfkc(s string) string {
	s = strings.Map(func(r rune) rune {
		switch kindOf(r) {
		case drop:
			return -1
		case listComma:
			return 0xF0000 // for private use; nothing joins it
		}
		return r
	}, s)
	return strings.ReplaceAll(norm.NFKC.String(s), "\U000F0000", "，")
}

func TestFoldingTwiceIsFoldingOnce(t *testing.T) {
	everyRune(func(r rune) {
		if f := fold(r); fold(f) != f {
			t.Errorf("%U folds to %U, which folds to %U", r, f, fold(f))
		}
	})
}

// texts draws strings of what the rules look at.
func texts() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{
		" ", "  ", "\n", "\u3000", "\u00a0", "-", "_", "–", "—", "−", ",", "，", ", ", "、", ".", "。", ":", "：", ";", "!", "？", "(", "）", "[", "]",
		"%", "％", "‰", "°", "℃", "“", "’", "«", "「", "…", "1", "0", "12", "000", "1,000", "５", "２３", "٣", "²", "①", "½",
		"a", "B", "s", "OOM", "Killed", "PVCs", "http", "order", "Ａ", "ｚ", "é", "É", "e", "\u0301", "\u0307", "\u0345", "ß", "İ", "ı", "ǰ", "ſ", "µ", "ﬁ", "㎒", "Ⅳ",
		"Ж", "ж", "Σ", "ς", "重", "启", "超时", "か", "\u3099", "゛", "ｶ", "ﾞ", "ー", "サ", "ฐ", "า", "ກ", "ក", "ဥ", "\u102e", "서", "가", "\u1100", "\u1161", "\u11a8",
		"\u200b", "\u200d", "\u00ad", "\ufeff", "\ufe0f", "\u202e", "\u034f", "´", "¨", "<", "=", "\u0338", "→", "✅", "👍", "क", "ि", "\u0e31", "\uFFFD",
		"\xff", "\xe4", "\xe4\xb8", "\xed\xa0\x80", "ﷺ", "豈", "\x00", "\x1b", "not ", "不", "n't",
	})
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 9).Draw(t, "any") == 0 {
			return rapid.String().Draw(t, "string")
		}
		return strings.Join(rapid.SliceOfN(pieces, 0, 14).Draw(t, "pieces"), "")
	})
}

func TestTheTableAgreesWithXTextOnStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		if got, want := NewText(s).String(), NewText(nfkc(s)).String(); got != want {
			t.Fatalf("%+q gives %+q, its NFKC %+q gives %+q", s, got, nfkc(s), want)
		}
	})
}

func TestNormalisingTwiceIsNormalisingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		once := NewText(s).String()
		if twice := NewText(once).String(); twice != once {
			t.Fatalf("%+q gives %+q, which gives %+q", s, once, twice)
		}
	})
}

func TestAUsedTextNormalisesLikeAFreshOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var used Text
		for _, s := range rapid.SliceOfN(texts(), 1, 4).Draw(t, "texts") {
			used.Reset(s)
			used.lighten()
			fresh := NewText(s)
			fresh.lighten()
			if string(used.norm) != string(fresh.norm) || string(used.light) != string(fresh.light) || used.String() != fresh.String() {
				t.Fatalf("%+q: %+q and %+q", s, used.norm, fresh.norm)
			}
			if len(used.at) != len(fresh.at) || len(used.upper) != len(fresh.upper) {
				t.Fatalf("%+q: different places", s)
			}
		}
	})
}

func TestTheTextOfExpressionsIsNFKCWithCollapsedSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		text := NewText(s)
		text.lighten()
		want := strings.ToValidUTF8(strings.Map(func(r rune) rune {
			if invisible(r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(s, "\uFFFD")), "\uFFFD")
		want = strings.Join(strings.Fields(norm.NFKC.String(want)), " ")
		// x/text takes neighbouring invalid bytes for one, and so does this reading.
		got := string(text.light)
		for strings.Contains(got, "\uFFFD\uFFFD") || strings.Contains(want, "\uFFFD\uFFFD") {
			got, want = strings.ReplaceAll(got, "\uFFFD\uFFFD", "\uFFFD"), strings.ReplaceAll(want, "\uFFFD\uFFFD", "\uFFFD")
		}
		if got != want {
			t.Fatalf("%+q gives %+q, want %+q", s, got, want)
		}
	})
}

func TestPlacesPointIntoTheOriginalInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		text := NewText(s)
		text.lighten()
		for _, side := range []struct {
			norm []byte
			at   mapping
		}{{text.norm, text.at}, {text.light, text.lightAt}} {
			last := 0
			for i := 0; i < len(side.norm); {
				_, w := utf8.DecodeRune(side.norm[i:])
				start, end := side.at.start(i), side.at.end(side.norm, i+w, s)
				if start < last || end <= start || end > len(s) {
					t.Fatalf("%+q: %+q at %d stands from %d to %d, behind %d", s, side.norm, i, start, end, last)
				}
				if utf8.ValidString(s) && (!utf8.ValidString(s[:start]) || !utf8.ValidString(s[start:end])) {
					t.Fatalf("%+q: %+q at %d cuts a character: %d to %d", s, side.norm, i, start, end)
				}
				if n := side.at.norm(start, len(side.norm)); n > i && side.norm[i] != ' ' {
					t.Fatalf("%+q: %+q at %d came from %d, which leads to %d", s, side.norm, i, start, n)
				}
				last = start
				i += w
			}
		}
	})
}

func TestALongRunOfEachKindKeepsItsPlaces(t *testing.T) {
	// The fast ways through look at several bytes at once: every offset inside
	// the eight is tried.
	for pad := range 17 {
		for _, s := range []string{"needle", "a needle b", "x, needle", "，needle", "重needle", "\u200bneedle", "1 needle", "a-needle", "\n needle", "é needle"} {
			whole := strings.Repeat("p", pad) + " " + s + " " + strings.Repeat("q", 20)
			m := MustCompile(Word("needle"))
			h, ok := m.Find(NewText(whole))
			require.True(t, ok, "%q", whole)
			assert.Equal(t, "needle", whole[h.Start:h.End], "%q", whole)
		}
	}
}

package diagnosis

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation/keyword"
)

func TestLiteralsAreFoundWhereTheyStand(t *testing.T) {
	var l literals
	l.add(0, []string{"根因", "is", "root cause"})
	l.add(1, []string{"根", "n't", "("})
	l.add(2, []string{"root", "未知"})
	l.index()
	for _, row := range []struct {
		text string
		want []int
		why  string
	}{
		{"", nil, "nothing stands in nothing"},
		{"根因", []int{0, 1}, "one text begins another"},
		{"树根", []int{1}, "at the end"},
		{"x根因未知", []int{0, 1, 2}, "one behind another"},
		{"i", nil, "half of a literal"},
		{"is", []int{0}, "a literal of two bytes, and nothing else"},
		{"(", []int{1}, "a literal of one byte, and nothing else"},
		{"the root caus", []int{2}, "cut short"},
		{"the root cause", []int{0, 2}, "with a space inside"},
		{"isn't", []int{0, 1}, "next to each other"},
		{"\xe6\xa0", nil, "a character cut in two"},
	} {
		var got []int
		l.find(row.text, func(of int) bool {
			got = append(got, of)
			return true
		})
		slices.Sort(got)
		assert.Equal(t, row.want, slices.Compact(got), "%q: %s", row.text, row.why)
		assert.Equal(t, row.want != nil, l.stand(row.text), "%q: %s", row.text, row.why)
	}
}

// everyPattern are the expressions of the package that have a list of needed
// texts.
func everyPattern() map[string]pattern {
	return map[string]pattern{
		"notBefore": notBefore, "notBehind": notBehind, "causeNoun": causeNoun, "causeVerb": causeVerb, "causeBefore": causeBefore,
		"adviceOrScope": adviceOrScope, "observing": observing, "causeHeading": causeHeading, "otherHeading": otherHeading, "listMark": listMark,
		"ofWhat": ofWhat, "doubt": doubt, "notExcluded": notExcluded, "hedge": hedge, "given": given, "deniedAtOnce": deniedAtOnce,
		"unknownEffect": unknownEffect, "doubtedAtOnce": doubtedAtOnce, "byWhom": byWhom, "rather": rather, "enumerated": enumerated,
		"reporting": reporting, "relative": relative, "copulaBefore": copulaBefore, "causeField": causeField, "callDenied": callDenied,
		"objectDenial": objectDenial,
	}
}

// assertNothingIsMissed checks that no expression matches a text from which its
// needed words keep it away.
func assertNothingIsMissed(t assert.TestingT, text string) {
	folded := foldDraft(text)
	for name, p := range everyPattern() {
		e := p.load()
		assert.False(t, !e.mayMatch(folded) && e.MatchString(folded), "%s matches %q", name, folded)
	}
	for _, clause := range clauses(folded) {
		for name, p := range everyPattern() {
			e := p.load()
			assert.False(t, !e.mayMatch(clause.text) && e.MatchString(clause.text), "%s matches %q", name, clause.text)
		}
	}
	answer := keyword.NewText(text)
	for _, set := range []*phraseSet{defaultSets().markers, defaultSets().confirmed} {
		may := set.mayMatch(answer.String())
		for i, expression := range set.expressions {
			assert.False(t, !may[i] && len(expression.FindAll(answer)) > 0, "%s matches %q", expression.Keyword(0), text)
		}
	}
}

// rowTexts gives every text of the rows in testdata.
func rowTexts(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	var texts []string
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, e := range v {
				collect(e)
			}
		case map[string]any:
			for _, e := range v {
				collect(e)
			}
		}
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var v any
		require.NoError(t, json.Unmarshal(data, &v), file)
		collect(v)
	}
	for _, row := range markerRows {
		texts = append(texts, row.answer)
	}
	for _, row := range leakRows {
		texts = append(texts, row.draft, row.answer, row.evidence)
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	require.Greater(t, len(texts), 300)
	return texts
}

func TestNeededWordsKeepNoExpressionFromARow(t *testing.T) {
	for _, text := range rowTexts(t) {
		assertNothingIsMissed(t, text)
	}
}

func TestNeededWordsKeepNoExpressionFromAnyText(t *testing.T) {
	// Texts of words that the expressions are made of match them often.
	var words []string
	for _, p := range everyPattern() {
		words = append(words, neededTexts(p.load().String())...)
	}
	for _, phrases := range [][]keyword.Keyword{DefaultMarkers(), DefaultConfirmedPhrases()} {
		for _, k := range phrases {
			words = append(words, k.Text)
			words = append(words, neededWords(k.Regex)...)
		}
	}
	words = append(words, " ", ",", "。", "：", "\n", "**", "\u00ad", "ＣＡＵＳＥ", "ﬁnd", "K", "\xff")
	slices.Sort(words)
	words = slices.Compact(words)
	piece := rapid.OneOf(rapid.SampledFrom(words), rapid.StringN(0, 4, -1))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		if rapid.Bool().Draw(t, "upper") {
			text = strings.ToUpper(text)
		}
		assertNothingIsMissed(t, text)
	})
}

func TestACopulaEndsAPhraseOrDoesNot(t *testing.T) {
	for phrase, want := range map[string]bool{
		"根因是": true, "根因：": true, "root cause: ": true, "The root cause IS": true, "was caused by": true, "因is": true, "is": true,
		"this": false, "x_is": false, "1is": false, "is the root cause": false, "根因": false, "": false, "已确认": false,
	} {
		assert.Equal(t, want, endsInCopula(phrase), phrase)
	}
}

package compare_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
)

func definition() evaluation.Definition {
	return evaluation.Definition{
		Schema: "karat/test-report/v1",
		Suite:  "test",
		Config: []evaluation.Setting{{Name: "k", Value: 5.0}, {Name: "ruleset", Value: "1"}},
		Metrics: []evaluation.Metric{
			{Name: "case_count", Better: evaluation.NoBetter, Max: 1e9, Unit: "count", Aggregation: evaluation.Count},
			{Name: "pass_rate", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Rate, Of: "status", Equals: "pass"},
			{Name: "recall@5", Better: evaluation.Higher, Max: 1, Unit: "ratio", Aggregation: evaluation.Mean, Of: "recall@5"},
			{Name: "average_rank", Better: evaluation.Lower, Max: 1e9, Unit: "rank", Aggregation: evaluation.Mean, Of: "rank"},
			{Name: "duration_ms_mean", Better: evaluation.Lower, Max: 1e9, Unit: "ms", Aggregation: evaluation.Mean, Of: "duration_ms"},
			{Name: "verdicts", Better: evaluation.NoBetter, Unit: "count", Aggregation: evaluation.Distribution, Of: "verdict"},
		},
		Facts: []evaluation.FactInfo{
			{Name: "hit_level", Order: []string{"miss", "medium", "strong"}, Transitions: true},
			{Name: "duration_ms", Volatile: true},
			{Name: "verdict", Transitions: true},
		},
	}
}

// row is a passing case; change bends it.
func row(id string, change ...func(*evaluation.Row)) evaluation.Row {
	r := evaluation.Row{
		ID: id, Digest: "d1", Query: "q", Status: evaluation.Pass,
		Facts: []evaluation.Fact{
			{Name: "hit_level", Value: "strong"}, {Name: "rank", Value: 1.0},
			{Name: "duration_ms", Value: 100.0}, {Name: "verdict", Value: "PASS"},
			{Name: "top_candidates", Value: []string{"a", "b"}},
		},
		Checks: []evaluation.Check{
			{Name: "expected_document", Status: evaluation.CheckPass},
			{Name: "ranking", Status: evaluation.CheckPass},
		},
		Metrics: []evaluation.Value{{Name: "recall@5", Value: 1}},
		Labels:  []evaluation.Label{{Name: "source", Values: []string{"it"}}},
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func fact(name string, v any) func(*evaluation.Row) {
	return func(r *evaluation.Row) {
		for i := range r.Facts {
			if r.Facts[i].Name == name {
				r.Facts[i].Value = v
				return
			}
		}
		r.Facts = append(r.Facts, evaluation.Fact{Name: name, Value: v})
	}
}

func metric(v float64) func(*evaluation.Row) {
	return func(r *evaluation.Row) { r.Metrics[0].Value = v }
}

func fails(check, reason string) func(*evaluation.Row) {
	return func(r *evaluation.Row) {
		r.Status = evaluation.Fail
		if c := r.Check(check); c != nil {
			c.Status, c.Reason = evaluation.CheckFail, reason
			return
		}
		r.Checks = append(r.Checks, evaluation.Check{Name: check, Status: evaluation.CheckFail, Reason: reason})
	}
}

func check(name string, s evaluation.CheckStatus) func(*evaluation.Row) {
	return func(r *evaluation.Row) { r.Checks = append(r.Checks, evaluation.Check{Name: name, Status: s}) }
}

func without(name string) func(*evaluation.Row) {
	return func(r *evaluation.Row) {
		r.Checks = slices.DeleteFunc(r.Checks, func(c evaluation.Check) bool { return c.Name == name })
	}
}

func status(s evaluation.Status) func(*evaluation.Row) {
	return func(r *evaluation.Row) { r.Status = s }
}

func digest(s string) func(*evaluation.Row) { return func(r *evaluation.Row) { r.Digest = s } }

func report(t testing.TB, rows ...evaluation.Row) *evaluation.Report {
	r, err := evaluation.New(definition(), rows, nil)
	require.NoError(t, err)
	return r
}

func TestOneRuleSaysWorse(t *testing.T) {
	for _, x := range []struct {
		name     string
		old, now evaluation.Row
		want     compare.Kind
		words    []string
	}{
		{"nothing differs", row("a"), row("a"), compare.Equal, nil},
		{"a duration differs", row("a"), row("a", fact("duration_ms", 900.0)), compare.Equal, nil},
		{"a value differs in its thirteenth digit, as after reading a file", row("a", metric(1.0/3)), row("a", metric(0.333333333333)), compare.Equal, nil},
		{"an absent fact is a null fact", row("a", fact("x", nil)), row("a"), compare.Equal, nil},
		{"pass to fail", row("a"), row("a", fails("ranking", "found at rank 8, beyond k = 5")), compare.Regressed,
			[]string{"status fell from pass to fail", "check ranking no longer passes: found at rank 8, beyond k = 5"}},
		{"fail to error", row("a", fails("ranking", "r")), row("a", fails("ranking", "r"), status(evaluation.Error)), compare.Regressed,
			[]string{"status fell from fail to error"}},
		{"pass to not run", row("a"), row("a", status(evaluation.NotRun)), compare.Regressed, []string{"status fell from pass to not_run"}},
		{"error to not run: neither is worse", row("a", status(evaluation.Error)), row("a", status(evaluation.NotRun)), compare.Changed,
			[]string{"status changed from error to not_run"}},
		{"fail to pass", row("a", fails("ranking", "r")), row("a"), compare.Fixed,
			[]string{"status rose from fail to pass", "check ranking passes now"}},
		{"the hit level falls though the case passes", row("a"), row("a", fact("hit_level", "medium")), compare.Regressed,
			[]string{"hit_level fell from strong to medium"}},
		{"the hit level rises", row("a", fact("hit_level", "miss")), row("a", fact("hit_level", "medium")), compare.Fixed,
			[]string{"hit_level rose from miss to medium"}},
		{"the hit level is gone", row("a"), row("a", fact("hit_level", nil)), compare.Regressed,
			[]string{"hit_level fell from strong to (none)"}},
		{"a hit level outside of the order", row("a"), row("a", fact("hit_level", "none")), compare.Changed,
			[]string{"hit_level changed from strong to none"}},
		{"another check of a failing case fails too", row("a", fails("ranking", "r")), row("a", fails("ranking", "r"), fails("expected_document", "gone")),
			compare.Regressed, []string{"check expected_document no longer passes: gone"}},
		{"one check for another is worse", row("a", fails("ranking", "r")), row("a", fails("expected_document", "gone")), compare.Regressed,
			[]string{"check expected_document no longer passes: gone", "check ranking passes now"}},
		{"a check that passed is information now", row("a", check("evidence", evaluation.CheckPass)), row("a", check("evidence", evaluation.CheckInfo)),
			compare.Regressed, []string{"check evidence no longer passes"}},
		{"a check that passed is gone", row("a"), row("a", without("ranking")), compare.Regressed,
			[]string{"check ranking does not apply any more, it passed"}},
		{"a check that passed is gone though the level rose", row("a", fact("hit_level", "medium")), row("a", without("ranking")), compare.Regressed,
			[]string{"check ranking does not apply any more, it passed", "hit_level rose from medium to strong"}},
		{"a check that passed went with its verdict", row("a", check("root_cause_keywords", evaluation.CheckPass)), row("a", fact("verdict", "REJECT")),
			compare.Regressed, []string{"check root_cause_keywords does not apply any more, it passed", "verdict changed from PASS to REJECT"}},
		{"and with a verdict that a reader would call better", row("a", check("degraded_declared", evaluation.CheckPass), fact("verdict", "REJECT")), row("a"),
			compare.Regressed, []string{"check degraded_declared does not apply any more, it passed", "verdict changed from REJECT to PASS"}},
		{"a check comes and passes", row("a"), row("a", check("citations", evaluation.CheckPass)), compare.Changed,
			[]string{"check citations applies now, and passes"}},
		{"a failing check fails for another reason", row("a", fails("ranking", "no such document")), row("a", fails("ranking", "not in the first 5")),
			compare.Changed, []string{"check ranking has another result: not in the first 5"}},
		{"a failing check took longer", row("a", fails("max_duration", "8200 ms")), row("a", fails("max_duration", "8301.5 ms")), compare.Equal, nil},
		{"a metric falls", row("a"), row("a", metric(0.5)), compare.Changed, []string{"recall@5 got worse from 1 to 0.5"}},
		{"a rank falls", row("a", fact("rank", 3.0)), row("a", fact("rank", 2.0)), compare.Changed, []string{"rank got better from 3 to 2"}},
		{"other candidates", row("a"), row("a", fact("top_candidates", []string{"b", "a"})), compare.Changed,
			[]string{"top_candidates changed: in another order"}},
		{"a candidate comes", row("a"), row("a", fact("top_candidates", []string{"b", "b", "c"})), compare.Changed,
			[]string{"top_candidates changed: came b, c; went a"}},
		{"a list comes", row("a", fact("top_candidates", nil)), row("a"), compare.Changed,
			[]string{"top_candidates changed from (none) to [a, b]"}},
		{"the case was changed", row("a"), row("a", digest("d2")), compare.Incomparable, nil},
		{"the case was changed and fails", row("a"), row("a", digest("d2"), fails("ranking", "r")), compare.Incomparable, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := compare.Compare(report(t, x.old), report(t, x.now), compare.Options{})
			require.Len(t, c.Cases, 1)
			got := c.Cases[0]
			assert.Equal(t, x.want, got.Kind)
			var words []string
			for _, ch := range got.Changes {
				words = append(words, ch.String())
			}
			assert.Empty(t, cmp.Diff(x.words, words))
			assert.Equal(t, x.want.Worse(), c.Worse())
		})
	}
}

func TestCasesOfOneReportOnly(t *testing.T) {
	old, now := report(t, row("a"), row("b")), report(t, row("b"), row("c", fails("ranking", "r")))
	c := compare.Compare(old, now, compare.Options{})
	assert.Equal(t, compare.Removed, c.Case("a").Kind)
	assert.Equal(t, compare.Equal, c.Case("b").Kind)
	assert.Equal(t, compare.Added, c.Case("c").Kind)
	assert.True(t, c.Worse(), "a removed case is worse")

	c = compare.Compare(old, now, compare.Options{Partial: true})
	assert.Nil(t, c.Case("a"))
	assert.False(t, c.Worse(), "a case that was not chosen is not removed")
	d, ok := c.Metric("case_count")
	require.True(t, ok)
	assert.Equal(t, 1.0, d.Old.Value, "the baseline's metrics go over the chosen cases")
}

func TestAnotherConfigurationIsIncomparable(t *testing.T) {
	for _, x := range []struct {
		name   string
		change func(*evaluation.Definition)
		why    string
	}{
		{"another k", func(d *evaluation.Definition) { d.Config[0].Value = 10.0 }, "k was 5 and is 10"},
		{"other rules", func(d *evaluation.Definition) { d.Config[1].Value = "2" }, "ruleset was 1 and is 2"},
		{"a new minimum", func(d *evaluation.Definition) {
			d.Config = append(d.Config, evaluation.Setting{Name: "min", Value: 0.5})
		}, "min was (not set) and is 0.5"},
		{"a setting less", func(d *evaluation.Definition) { d.Config = d.Config[:1] }, "ruleset was 1 and is not set"},
		{"another schema", func(d *evaluation.Definition) { d.Schema = "karat/test-report/v2" }, "the schema was karat/test-report/v1 and is karat/test-report/v2"},
		{"another order of a fact", func(d *evaluation.Definition) { d.Facts[0].Order = []string{"strong", "medium", "miss"} },
			"the order of hit_level was [miss, medium, strong] and is [strong, medium, miss]"},
		{"a list from a foreign file", func(d *evaluation.Definition) { d.Config[0].Value = []string{"5"} }, "k was 5 and is [5]"},
	} {
		t.Run(x.name, func(t *testing.T) {
			def := definition()
			x.change(&def)
			now, err := evaluation.New(def, []evaluation.Row{row("a"), row("b")}, nil)
			require.NoError(t, err)
			c := compare.Compare(report(t, row("a"), row("b")), now, compare.Options{})
			assert.Equal(t, x.why, c.Incomparable)
			assert.Equal(t, 2, c.Count(compare.Incomparable))
			assert.Equal(t, x.why, c.Cases[0].Why)
			assert.True(t, c.Worse())
		})
	}
}

func TestAnOrderThatTheNewReportLostStillHolds(t *testing.T) {
	def := definition()
	def.Facts = nil
	now, err := evaluation.New(def, []evaluation.Row{row("a", fact("hit_level", "medium"))}, nil)
	require.NoError(t, err)
	c := compare.Compare(report(t, row("a")), now, compare.Options{})
	assert.Equal(t, compare.Regressed, c.Cases[0].Kind)
}

func TestAMeanThatRoseExcusesNothing(t *testing.T) {
	half := metric(0.5)
	old := report(t, row("a"), row("b", half), row("c", half))
	now := report(t, row("a", fails("ranking", "r"), metric(0)), row("b"), row("c"))
	c := compare.Compare(old, now, compare.Options{})
	d, _ := c.Metric("recall@5")
	// By hand: from (1+0.5+0.5)/3 to (0+1+1)/3: the same; with b at 0.4 it rises.
	assert.InDelta(t, 0, d.Change(), 1e-12)
	c = compare.Compare(report(t, row("a"), row("b", metric(0.4)), row("c", half)), now, compare.Options{})
	d, _ = c.Metric("recall@5")
	assert.Equal(t, compare.Better, d.Direction())
	assert.True(t, c.Worse())
}

func TestMetricsKnowTheirDirection(t *testing.T) {
	old := report(t, row("a", fact("rank", 1.0)), row("b", fact("rank", 2.0), fact("verdict", "REJECT")))
	now := report(t, row("a", fact("rank", 3.0), fact("duration_ms", 50.0)), row("b", fact("rank", 2.0)), row("c", fact("rank", nil), metric(0)))
	c := compare.Compare(old, now, compare.Options{})
	var got []string
	for _, d := range c.Metrics {
		got = append(got, fmt.Sprintf("%s%s %s -> %s (%d)", d.Name, d.Bucket, evaluation.Number(d.Old.Value), evaluation.Number(d.New.Value), d.Direction()))
	}
	assert.Empty(t, cmp.Diff([]string{
		"case_count 2 -> 3 (0)",
		"pass_rate 1 -> 1 (0)",
		"recall@5 1 -> 0.666666666667 (-1)",
		"average_rank 1.5 -> 2.5 (-1)",
		"duration_ms_mean 100 -> 83.3333333333 (1)",
		"verdictsPASS 1 -> 3 (0)",
		"verdictsREJECT 1 -> 0 (0)",
	}, got))
	require.Len(t, c.Slices, 1)
	assert.Equal(t, 2, c.Slices[0].OldCases)
	assert.Equal(t, 3, c.Slices[0].NewCases)
}

func TestALostValueIsWorse(t *testing.T) {
	old := report(t, row("a"))
	now := report(t, row("a", fact("rank", nil)))
	d, _ := compare.Compare(old, now, compare.Options{}).Metric("average_rank")
	assert.Equal(t, compare.Worse, d.Direction())
}

func TestTransitionsNameTheirCases(t *testing.T) {
	reject := fact("verdict", "REJECT")
	old := report(t, row("a"), row("b"), row("c", reject), row("d"), row("e", fact("verdict", nil)))
	now := report(t, row("a", reject), row("b", reject), row("c"), row("d"), row("e"))
	c := compare.Compare(old, now, compare.Options{})
	assert.Empty(t, cmp.Diff([]compare.Transition{
		{Fact: "verdict", From: "PASS", To: "REJECT", Cases: []string{"a", "b"}},
		{Fact: "verdict", From: "(none)", To: "PASS", Cases: []string{"e"}},
		{Fact: "verdict", From: "REJECT", To: "PASS", Cases: []string{"c"}},
	}, c.Transitions))
}

var rows = rapid.Custom(func(t *rapid.T) []evaluation.Row {
	var out []evaluation.Row
	for i := range 5 {
		if rapid.Bool().Draw(t, "absent") {
			continue
		}
		r := row(string(rune('a' + i)))
		switch rapid.IntRange(0, 5).Draw(t, "status") {
		case 0:
			fails("ranking", "r")(&r)
		case 1:
			fails("expected_document", "r")(&r)
		case 2:
			status(evaluation.Error)(&r)
		case 3:
			without("ranking")(&r)
		}
		fact("hit_level", rapid.SampledFrom([]any{"miss", "medium", "strong", "none", nil}).Draw(t, "level"))(&r)
		metric(rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "recall"))(&r)
		digest(rapid.SampledFrom([]string{"d1", "d1", "d1", "d2"}).Draw(t, "digest"))(&r)
		out = append(out, r)
	}
	if out == nil {
		out = append(out, row("z"))
	}
	return out
})

func TestEveryCaseHasOneKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, err := evaluation.New(definition(), rows.Draw(t, "old"), nil)
		require.NoError(t, err)
		now, err := evaluation.New(definition(), rows.Draw(t, "new"), nil)
		require.NoError(t, err)
		c, back := compare.Compare(old, now, compare.Options{}), compare.Compare(now, old, compare.Options{})
		ids := map[string]bool{}
		for _, r := range slices.Concat(old.Rows, now.Rows) {
			ids[r.ID] = true
		}
		total := 0
		for _, k := range compare.Kinds {
			total += c.Count(k)
		}
		if total != len(ids) || len(c.Cases) != len(ids) {
			t.Fatalf("%d cases, %d of a kind, %d ids", len(c.Cases), total, len(ids))
		}
		for i, x := range c.Cases {
			y := back.Cases[i]
			switch x.Kind {
			case compare.Fixed:
				if y.Kind != compare.Regressed {
					t.Fatalf("%s is fixed, and in reverse %s", x.ID, y.Kind)
				}
			case compare.Equal, compare.Incomparable:
				if x.Kind != y.Kind {
					t.Fatalf("%s is %s, and in reverse %s", x.ID, x.Kind, y.Kind)
				}
			case compare.Added, compare.Removed:
				if x.Kind == y.Kind || y.Kind != compare.Added && y.Kind != compare.Removed {
					t.Fatalf("%s is %s, and in reverse %s", x.ID, x.Kind, y.Kind)
				}
			}
			if x.Kind == compare.Equal != (len(x.Changes) == 0 && x.Old != nil && x.New != nil && x.Why == "") {
				t.Fatalf("%s is %s with changes %v", x.ID, x.Kind, x.Changes)
			}
		}
		same := compare.Compare(now, now, compare.Options{})
		if same.Count(compare.Equal) != len(now.Rows) || same.Worse() {
			t.Fatal("a report differs from itself")
		}
	})
}

func Example() {
	def := definition()
	old, _ := evaluation.New(def, []evaluation.Row{row("vpn-1"), row("vpn-2", fails("ranking", "found at rank 8, beyond k = 5"))}, nil)
	now, _ := evaluation.New(def, []evaluation.Row{row("vpn-1", fact("hit_level", "medium")), row("vpn-2")}, nil)
	c := compare.Compare(old, now, compare.Options{})
	for _, x := range c.Cases {
		var words []string
		for _, ch := range x.Changes {
			words = append(words, ch.String())
		}
		fmt.Printf("%s %s: %s\n", x.ID, x.Kind, strings.Join(words, "; "))
	}
	fmt.Println("worse:", c.Worse())
	// Output:
	// vpn-1 regressed: hit_level fell from strong to medium
	// vpn-2 fixed: status rose from fail to pass; check ranking passes now
	// worse: true
}

func BenchmarkCompare(b *testing.B) {
	var a, c []evaluation.Row
	for i := range 10_000 {
		id := fmt.Sprintf("case-%05d", i)
		a = append(a, row(id))
		if i%100 == 0 {
			c = append(c, row(id, fails("ranking", "r")))
		} else {
			c = append(c, row(id))
		}
	}
	old, now := report(b, a...), report(b, c...)
	for b.Loop() {
		compare.Compare(old, now, compare.Options{})
	}
}

func TestTheJSONListsWhatDiffers(t *testing.T) {
	old := report(t, row("a"), row("b", fails("ranking", "r")), row("same"), row("gone"))
	now := report(t, row("a", fails("ranking", "beyond k"), metric(0)), row("b"), row("same"), row("new|<x>"))
	var b bytes.Buffer
	require.NoError(t, compare.Compare(old, now, compare.Options{}).WriteJSON(&b))
	v := jsontext.Value(b.Bytes())
	require.NoError(t, v.Format(jsontext.WithIndent("  ")))
	assert.Equal(t, b.String(), string(v)+"\n", "indented by two spaces, with a last newline")

	var got struct {
		Schema string
		Worse  bool
		Counts map[string]int
		Cases  []struct{ ID, Kind string }
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got, json.MatchCaseInsensitiveNames(true)))
	assert.Equal(t, compare.Schema, got.Schema)
	assert.True(t, got.Worse)
	assert.Equal(t, map[string]int{"regressed": 1, "removed": 1, "incomparable": 0, "fixed": 1, "changed": 0, "added": 1, "equal": 1}, got.Counts)
	assert.Equal(t, []struct{ ID, Kind string }{{"a", "regressed"}, {"b", "fixed"}, {"gone", "removed"}, {"new|<x>", "added"}}, got.Cases, "equal cases are counted, not listed")

	var again bytes.Buffer
	require.NoError(t, compare.Compare(old, now, compare.Options{}).WriteJSON(&again))
	assert.Equal(t, b.String(), again.String())
}

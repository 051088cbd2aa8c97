package gate_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/gate"
)

var aRow = rapid.Custom(func(t *rapid.T) evaluation.Row {
	r := row("")
	switch rapid.IntRange(0, 3).Draw(t, "status") {
	case 0:
		fails(&r)
	case 1:
		errs(&r)
	}
	if rapid.Bool().Draw(t, "has recall") {
		recall(rapid.SampledFrom([]float64{0, 0.5, 1, -1}).Draw(t, "recall"))(&r)
	}
	if rapid.Bool().Draw(t, "has duration") {
		fact("duration_ms", float64(rapid.IntRange(0, 5000).Draw(t, "ms")))(&r)
	}
	label("tag", rapid.SliceOfDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.ID[string]).Draw(t, "tags")...)(&r)
	return r
})

var someRows = rapid.Custom(func(t *rapid.T) []evaluation.Row {
	rows := rapid.SliceOfN(aRow, 1, 12).Draw(t, "rows")
	for i := range rows {
		rows[i].ID = fmt.Sprintf("case-%02d", i)
	}
	return rows
})

var bound = rapid.Custom(func(t *rapid.T) gate.Bound {
	var b gate.Bound
	low := rapid.Float64Range(0, 1).Draw(t, "min")
	if rapid.Bool().Draw(t, "has max") {
		high := rapid.Float64Range(low, 1).Draw(t, "max")
		b.Max = &high
	}
	if b.Max == nil || rapid.Bool().Draw(t, "has min") {
		b.Min = &low
	}
	return b
})

var someRules = rapid.Custom(func(t *rapid.T) *gate.Rules {
	metrics := rapid.MapOfN(rapid.SampledFrom([]string{"pass_rate", "recall@5", "followup_rewrite_rate"}), bound, 0, 3)
	r := &gate.Rules{MinCases: rapid.IntRange(0, 4).Draw(t, "min_cases"), Metrics: metrics.Draw(t, "metrics")}
	if rapid.Bool().Draw(t, "slices") {
		own := rapid.IntRange(0, 4).Draw(t, "own")
		s := gate.Slice{MinCases: &own, Metrics: metrics.Draw(t, "slice metrics"), Required: []string{"x"}}
		r.Slices = map[string]gate.Slice{"tag": s}
	}
	if rapid.Bool().Draw(t, "drop") {
		r.MaxDrop = map[string]float64{"recall@5": rapid.Float64Range(0, 1).Draw(t, "max_drop")}
	}
	return r
})

func judged(t *rapid.T, rules *gate.Rules, rows, baseline []evaluation.Row) *gate.Result {
	r, err := evaluation.New(definition(), rows, nil)
	require.NoError(t, err)
	var old *evaluation.Report
	if baseline != nil {
		old, err = evaluation.New(definition(), baseline, nil)
		require.NoError(t, err)
	}
	result, err := rules.Check(r, old)
	require.NoError(t, err)
	return result
}

func TestAddingAFailingCaseNeverTurnsAFailedMinOfARateIntoAPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0, 1).Draw(t, "min")
		rules := &gate.Rules{Metrics: map[string]gate.Bound{"pass_rate": {Min: &low}, "recall@5": {Min: &low}}}
		rows := someRows.Draw(t, "rows")
		before := judged(t, rules, rows, nil)
		bad := row("case-failing", fails, recall(0))
		after := judged(t, rules, append(slices.Clone(rows), bad), nil)
		for i := range before.Rules {
			if before.Rules[i].State == gate.Fail && after.Rules[i].State == gate.Pass {
				t.Fatalf("%s: %s, and with one more failing case %s", before.Rules[i].Requirement(), before.Rules[i].Reason, after.Rules[i].Reason)
			}
		}
		if i := slices.IndexFunc(before.Rules, func(r gate.Rule) bool { return r.Metric == "pass_rate" }); before.Rules[i].State == gate.Fail && after.Passed() {
			t.Fatal("a gate passes by a failing case")
		}
	})
}

func TestTheOrderOfTheCasesChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, rows := someRules.Draw(t, "rules"), someRows.Draw(t, "rows")
		var baseline []evaluation.Row
		if rapid.Bool().Draw(t, "has baseline") {
			baseline = someRows.Draw(t, "baseline")
		}
		write := func(rows, baseline []evaluation.Row) string {
			var b bytes.Buffer
			require.NoError(t, judged(t, rules, rows, baseline).WriteJSON(&b))
			return b.String()
		}
		want := write(rows, baseline)
		got := write(rapid.Permutation(rows).Draw(t, "permuted"), rapid.Permutation(baseline).Draw(t, "permuted baseline"))
		if baseline == nil {
			got = write(rapid.Permutation(rows).Draw(t, "permuted again"), nil)
		}
		if got != want {
			t.Fatalf("permuted:\n%s\nwas:\n%s", got, want)
		}
	})
}

func TestAGatePassesOnlyIfEveryRuleDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := someRules.Draw(t, "rules")
		var baseline []evaluation.Row
		if rapid.Bool().Draw(t, "has baseline") {
			baseline = someRows.Draw(t, "baseline")
		}
		result := judged(t, rules, someRows.Draw(t, "rows"), baseline)
		every := len(result.Rules) > 0 && !result.NoRules
		for _, r := range result.Rules {
			every = every && r.State == gate.Pass
			if r.State == gate.Pass && r.Kind != gate.NotWorse && (!r.Got.OK || r.Got.N == 0) {
				t.Fatalf("%s passes without a value", r.Requirement())
			}
			if r.State == gate.Pass && len(r.Cases) > 0 {
				t.Fatalf("%s passes, and names cases", r.Requirement())
			}
			if r.Reason == "" || !slices.Contains(gate.States, r.State) {
				t.Fatalf("%s has no reason or no state", r.Requirement())
			}
		}
		if result.Passed() != every {
			t.Fatalf("passed is %t: %s", result.Passed(), result.Verdict())
		}
	})
}

package render_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/render"
)

const gateFile = `
version: 1
metrics:
  recall@5: {min: 0.5}
  citation_accuracy: {min: 0.9}
slices:
  source:
    min_cases: 2
    required: [ops]
    metrics: {recall@5: {min: 0.8}}
`

func judged(t testing.TB, file string, now, baseline *evaluation.Report) *gate.Result {
	t.Helper()
	rules, err := gate.Read("gate.yaml", []byte(file))
	require.NoError(t, err)
	g, err := rules.Check(now, baseline)
	require.NoError(t, err)
	return g
}

func written(t testing.TB, f func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f(&b))
	return b.String()
}

func weak(t testing.TB) *evaluation.Report {
	it := passing("mfa-1", "如何绑定 MFA")
	hr := passing("leave-1", "年假怎么申请")
	hr.Labels[0].Values = []string{"hr"}
	return report(t, it, passing("mfa-2", "MFA 收不到验证码"), hr, failing("vpn-1", "VPN 连不上怎么办"), failing("vpn-2", "VPN 很慢"))
}

func TestAGateIsShownWithWhatFailsItFirst(t *testing.T) {
	g := judged(t, gateFile, weak(t), nil)
	assert.Empty(t, cmp.Diff(`Rules that do not pass (2)
✗ unmeasured  overall: citation_accuracy ≥ 0.9
    no case has citation_accuracy
✗ fail  source = ops: recall@5 ≥ 0.8
    0.000 is under 0.8 (n = 2)
    2 cases: vpn-1 (0), vpn-2 (0)

Not gated
  1 source under 2 cases of recall@5: hr (n = 1)

Rules that pass (2)
✓ overall: recall@5 ≥ 0.5: 0.600 is at least 0.5 (n = 5)
✓ source = it: recall@5 ≥ 0.8: 1.000 is at least 0.8 (n = 2)

Gate failed: 2 of 4 rules do not pass (1 fail, 1 unmeasured); 1 slice value not gated
`, written(t, func(w io.Writer) error { return render.GateText(w, g, render.Options{}) })))
	assert.Empty(t, cmp.Diff(`**Gate failed**: 2 of 4 rules do not pass (1 fail, 1 unmeasured); 1 slice value not gated.

## Rules that do not pass

| state | where | rule | found | cases |
|---|---|---|---|---|
| unmeasured | overall | citation_accuracy ≥ 0.9 | no case has citation_accuracy |  |
| fail | source = ops | recall@5 ≥ 0.8 | 0.000 is under 0.8 (n = 2) | vpn-1 (0), vpn-2 (0) |

## Not gated

- 1 source under 2 cases of recall@5: hr (n = 1)

## Rules that pass

| where | rule | found |
|---|---|---|
| overall | recall@5 ≥ 0.5 | 0.600 is at least 0.5 (n = 5) |
| source = it | recall@5 ≥ 0.8 | 1.000 is at least 0.8 (n = 2) |
`, written(t, func(w io.Writer) error { return render.GateMarkdown(w, g, render.Options{}) })))
}

func TestAReportLeadsWithTheVerdictOfItsGate(t *testing.T) {
	r := weak(t)
	o := render.Options{Gate: judged(t, gateFile, r, nil)}
	md := markdown(t, r, o)
	assert.Equal(t, "# test\n\n**Gate failed**: 2 of 4 rules do not pass (1 fail, 1 unmeasured); 1 slice value not gated.\n", md[:strings.Index(md, ".\n")+2])
	assert.Less(t, strings.Index(md, "## Rules that do not pass"), strings.Index(md, "## Failed"))
	assert.NotContains(t, md, "Rules that pass")
	shown := text(t, r, o)
	assert.True(t, strings.HasPrefix(shown, "Rules that do not pass (2)\n"), shown)
	assert.True(t, strings.HasSuffix(shown, "\nGate failed: 2 of 4 rules do not pass (1 fail, 1 unmeasured); 1 slice value not gated\n"), shown)
}

func TestAGateAndABaselineAreBothInTheVerdict(t *testing.T) {
	old := report(t, passing("a", "q"), passing("b", "q"), passing("c", "q"))
	now := report(t, passing("a", "q"), passing("b", "q"), failing("c", "q"))
	c := compare.Compare(old, now, compare.Options{})
	shown := text(t, now, render.Options{Comparison: c, Gate: judged(t, "metrics: {recall@5: {min: 0.5}}", now, old)})
	assert.Contains(t, shown, "✗ fail  overall: no case worse than the baseline\n    1 case: c (status fell from pass to fail)\n")
	assert.Contains(t, shown, "Gate failed: 1 of 2 rules does not pass (1 fail); against the baseline: 1 regressed, 2 equal\n")
	shown = text(t, now, render.Options{Comparison: c, Gate: judged(t, "metrics: {recall@5: {min: 0.5}}", now, nil)})
	assert.Contains(t, shown, "Gate passed, worse than the baseline: 1 rule passes; against the baseline: 1 regressed, 2 equal\n")
}

func TestAGateThatPassesSaysSo(t *testing.T) {
	r := report(t, passing("a", "q"))
	g := judged(t, "metrics: {recall@5: {min: 0.85}}", r, nil)
	assert.Equal(t, "Rules that pass (1)\n✓ overall: recall@5 ≥ 0.85: 1.000 is at least 0.85 (n = 1)\n\nGate passed: 1 rule passes\n",
		written(t, func(w io.Writer) error { return render.GateText(w, g, render.Options{}) }))
	g = judged(t, "version: 1", r, nil)
	assert.Equal(t, "Gate failed: the gate has no rules, and nothing passes on nothing\n",
		written(t, func(w io.Writer) error { return render.GateText(w, g, render.Options{}) }))
}

func TestWhatIsNotGatedIsALineForEachLabelAndMetric(t *testing.T) {
	g := &gate.Result{NoRules: true, NotGated: []gate.NotGated{
		{Label: "source", Value: "hr", Metric: "recall@5", N: 1, MinCases: 3}, {Label: "source", Value: "hr", Metric: "mrr", N: 1, MinCases: 3},
		{Label: "source", Value: "it", Metric: "recall@5", N: 2, MinCases: 3}, {Label: "tag", Value: "x", Metric: "mrr", N: 0, MinCases: 1},
	}}
	assert.Empty(t, cmp.Diff(`Not gated
  2 sources under 3 cases of recall@5: hr (n = 1), it (n = 2)
  1 source under 3 cases of mrr: hr (n = 1)
  1 tag under 1 case of mrr: x (n = 0)

Gate failed: no rule of the gate was judged, and nothing passes on nothing; 3 slice values not gated
`, written(t, func(w io.Writer) error { return render.GateText(w, g, render.Options{}) })))
}

func TestManyRulesAndCasesAreCutAndCounted(t *testing.T) {
	var rows []evaluation.Row
	for i := range 60 {
		r := failing(fmt.Sprintf("case-%02d", i), "q")
		r.Labels[0].Values = []string{fmt.Sprintf("source-%02d", i)}
		rows = append(rows, r)
	}
	g := judged(t, "metrics: {recall@5: {min: 0.5}}\nslices: {source: {metrics: {recall@5: {min: 0.5}}}}", report(t, rows...), nil)
	shown := written(t, func(w io.Writer) error { return render.GateText(w, g, render.Options{Limit: 20}) })
	assert.Contains(t, shown, "60 cases: case-00 (0), case-01 (0), case-02 (0), case-03 (0), case-04 (0), case-05 (0), case-06 (0), case-07 (0), case-08 (0), case-09 (0), … and 50 more\n")
	assert.Contains(t, shown, "… and 41 more (see --format json)\n")
	assert.Contains(t, written(t, func(w io.Writer) error { return render.GateMarkdown(w, g, render.Options{Limit: 20}) }), "\n… and 41 more\n")
}

func TestHostileTextInAGateATrendAndStatisticsStaysText(t *testing.T) {
	page := func(s string) (md, txt string) {
		now, c := filled(t, s)
		require.NoError(t, c.Test(compare.TestOptions{}))
		low := 1.0
		rules := &gate.Rules{Slices: map[string]gate.Slice{now.Slices[0].Label: {Required: []string{s, "x" + s}, Metrics: map[string]gate.Bound{now.Metrics[1].Name: {Min: &low}}}}}
		g, err := rules.CheckComparison(c)
		require.NoError(t, err)
		g.Warnings, g.NotGated = []string{s}, []gate.NotGated{{Label: s, Value: s, Metric: s}}
		trend, err := compare.NewTrend([]compare.TrendRun{{Label: s, Run: &compare.Run{Suites: []compare.RunSuite{compare.NewRunSuite(s, now), compare.NewRunSuite("b", now)}}}}, compare.TrendOptions{})
		require.NoError(t, err)
		md = written(t, func(w io.Writer) error { return render.GateMarkdown(w, g, render.Options{}) }) +
			written(t, func(w io.Writer) error { return render.TrendMarkdown(w, trend, render.Options{}) }) +
			written(t, func(w io.Writer) error { return render.CompareMarkdown(w, c, render.Options{}) })
		txt = written(t, func(w io.Writer) error { return render.GateText(w, g, render.Options{}) }) +
			written(t, func(w io.Writer) error { return render.TrendText(w, trend, render.Options{}) })
		return md, txt
	}
	md, txt := page(hostile)
	plainMD, plainText := page("x")
	harmless(t, md)
	harmless(t, txt)
	assert.Empty(t, cmp.Diff(lines(plainMD, markup), lines(md, markup)))
	assert.Equal(t, strings.Count(plainText, "\n"), strings.Count(txt, "\n"))
}

func TestATrendIsATable(t *testing.T) {
	run := func(recall, mrr float64) *compare.Run {
		e := func(name string, v float64) compare.RunEntry {
			return compare.RunEntry{Entry: evaluation.Entry{Name: name, Value: v, OK: true, N: 9}, Better: evaluation.Higher, Unit: "ratio"}
		}
		return &compare.Run{Suites: []compare.RunSuite{{Name: "r", Kind: "retrieval", Summary: []compare.RunEntry{e("recall@5", recall), e("mrr", mrr)}}}}
	}
	trend, err := compare.NewTrend([]compare.TrendRun{{Label: "2026-05-07 v2", Run: run(1, 0.92)}, {Label: "第三版", Run: run(0.98, 0.91)}}, compare.TrendOptions{})
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(`  run            recall@5  mrr
  2026-05-07 v2  1.000     0.920
  第三版         0.980 ⚠   0.910
`, written(t, func(w io.Writer) error { return render.TrendText(w, trend, render.Options{}) })))
	assert.Empty(t, cmp.Diff(`| run | recall@5 | mrr |
|---|---:|---:|
| 2026-05-07 v2 | 1.000 | 0.920 |
| 第三版 | 0.980 ⚠ | 0.910 |
`, written(t, func(w io.Writer) error { return render.TrendMarkdown(w, trend, render.Options{}) })))
}

func TestStatisticsAreShownWhereTheyWereAskedFor(t *testing.T) {
	var old, now []evaluation.Row
	for i := range 8 {
		id := fmt.Sprintf("case-%d", i)
		old = append(old, passing(id, "q"))
		if i < 4 {
			now = append(now, failing(id, "q"))
		} else {
			now = append(now, passing(id, "q"))
		}
	}
	c := compare.Compare(report(t, old...), report(t, now...), compare.Options{})
	show := func(w io.Writer) error { return render.CompareText(w, c, render.Options{}) }
	assert.NotContains(t, written(t, show), "Statistics")
	require.NoError(t, c.Test(compare.TestOptions{Metrics: []string{"recall@5", "duration_ms_mean"}}))
	shown := written(t, show)
	start := strings.Index(shown, "Statistics")
	require.GreaterOrEqual(t, start, 0)
	// Four of four go one way: 2·(1/2)^4 = 0.125, and three tests are shown.
	assert.Regexp(t, `Statistics over 8 cases in both
  metric            n  better  worse  equal  mean change  95% interval +p sign  p mean  p Holm
  pass_rate         8  0       4      4      −0.5         \[−0\.\d+, −0\.\d+\] +0.125   0.125   0.375
  recall@5          8  0       4      4      −0.5         \[−0\.\d+, −0\.\d+\] +0.125   0.125   0.375
  duration_ms_mean  8  0       0      8      0            \[0, 0\] +1       1       1       inconclusive: .*
`, shown[start:])
	md := written(t, func(w io.Writer) error { return render.CompareMarkdown(w, c, render.Options{}) })
	assert.Contains(t, md, "## Statistics over 8 cases in both\n\n| metric | n | better | worse |")
	assert.Contains(t, md, "| pass_rate | 8 | 0 | 4 | 4 | −0.5 |")
}

package render_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/render"
	"github.com/karat-eval/karat/evaluation/run"
)

func markdown(t testing.TB, r *evaluation.Report, o render.Options) string {
	var b bytes.Buffer
	require.NoError(t, render.Markdown(&b, r, o))
	return b.String()
}

func text(t testing.TB, r *evaluation.Report, o render.Options) string {
	var b bytes.Buffer
	require.NoError(t, render.Text(&b, r, o))
	return b.String()
}

func ExampleMarkdown() {
	r, _ := evaluation.New(definition(), []evaluation.Row{
		passing("mfa-1", "如何绑定 MFA"), failing("vpn-1", "VPN 连不上怎么办"),
	}, nil)
	_ = render.Markdown(os.Stdout, r, render.Options{Preserved: true})
	// Output:
	// # test
	//
	// **No verdict**: this is a preserved baseline: what fails in it is known.
	//
	// 2 cases: 1 pass, 1 fail. k = 5, ruleset = 1.
	//
	// ## Known failures (1)
	//
	// - **vpn-1** VPN 连不上怎么办 (fail at ranking)
	//   - **ranking** expected rank 5 or better, got rank 8: found at rank 8, beyond k = 5
	//   - **evidence** expected 1 of 1 keywords, got 0 of 1: a keyword is missing
	//   - **came** it/vpn.md, it/mfa.md
	//   - **missing keyword** 5.7: found inside "5.7.38"
	//   - **warning** the same document stands twice
	//   - **reason** on-call staff look this up at night
	//
	// ## Metrics
	//
	// | metric | value | n |
	// |---|---:|---:|
	// | case_count | 2 | 2 |
	// | pass_rate | 0.5 | 2 |
	// | recall@5 | 0.5 | 2 |
	// | average_first_hit_rank | 4.5 | 2 |
	// | duration_ms_mean | 120 | 2 |
	// | verdicts: PASS | 1 | 2 |
	// | verdicts: REJECT | 1 | 2 |
	//
	// Without a value:
	//
	// - **citation_accuracy** no case has citation_accuracy
	//
	// ## By source
	//
	// | source | cases | pass_rate | recall@5 |
	// |---|---:|---:|---:|
	// | it | 1 | 1 | 1 |
	// | ops | 1 | 0 | 0 |
	//
	// ## Cases
	//
	// | case | query | status | stage | hit level | first expected rank | verdict | failed checks |
	// |---|---|---|---|---|---|---|---|
	// | mfa-1 | 如何绑定 MFA | pass | | strong | 1 | PASS | |
	// | vpn-1 | VPN 连不上怎么办 | fail | ranking | medium | 8 | REJECT | ranking, evidence |
}

func ExampleText() {
	old, _ := evaluation.New(definition(), []evaluation.Row{
		passing("mfa-1", "如何绑定 MFA"), passing("vpn-1", "VPN 连不上怎么办"), failing("vpn-2", "VPN on macOS"),
	}, nil)
	now, _ := evaluation.New(definition(), []evaluation.Row{
		passing("mfa-1", "如何绑定 MFA"), failing("vpn-1", "VPN 连不上怎么办"), failing("vpn-2", "VPN on macOS"),
	}, nil)
	_ = render.Text(os.Stdout, now, render.Options{Comparison: compare.Compare(old, now, compare.Options{})})
	// Output:
	// Worse than the baseline (1)
	// ✗ vpn-1  fail at ranking  VPN 连不上怎么办
	//     regressed        status fell from pass to fail; hit_level fell from strong to medium; check ranking no longer passes; check evidence no longer passes
	//     changed          first_expected_rank got worse from 1 to 8; verdict changed from PASS to REJECT; recall@5 got worse from 1 to 0
	//     ranking          expected rank 5 or better, got rank 8: found at rank 8, beyond k = 5
	//     evidence         expected 1 of 1 keywords, got 0 of 1: a keyword is missing
	//     came             it/vpn.md, it/mfa.md
	//     missing keyword  5.7: found inside "5.7.38"
	//     warning          the same document stands twice
	//     reason           on-call staff look this up at night
	//
	// Known failures (1)
	// · vpn-2  fail at ranking  VPN on macOS
	//     ranking          expected rank 5 or better, got rank 8: found at rank 8, beyond k = 5
	//     evidence         expected 1 of 1 keywords, got 0 of 1: a keyword is missing
	//     came             it/vpn.md, it/mfa.md
	//     missing keyword  5.7: found inside "5.7.38"
	//     warning          the same document stands twice
	//     reason           on-call staff look this up at night
	//
	// Metrics
	//   case_count                   3
	//   pass_rate               0.3333  −0.3333 worse (was 0.6667)
	//   recall@5                0.3333  −0.3333 worse (was 0.6667)
	//   average_first_hit_rank  5.6667  +2.3333 worse (was 3.3333)
	//   duration_ms_mean           120
	//   verdicts: PASS               1  −1 (was 2)
	//   verdicts: REJECT             2  +1 (was 1)
	//   1 metric has no value (citation_accuracy); the JSON report says why
	//
	// Transitions
	//   verdict: PASS → REJECT: 1 case (vpn-1)
	//
	// test: 3 cases: 1 pass, 2 fail
	// Worse than the baseline: 1 regressed, 2 equal
}

// hostile is everything that could act on a page or a terminal, in one text.
const hostile = "a|b `c` ``` \n\n| x | y |\n|---|\n# h\n- i\r\n<script>alert(1)</script> <!-- [l](http://e.com) ![i](x) " +
	"**s** _e_ ~~d~~ $m$ &lt; \\ \\| \x1b[31mred\x1b]8;;http://e\x07 \u009b2J \x00 \x7f \u202eevil\u2066 \u200b\ufeff\u00ad \U000e0041 \u2028 \xff 连不上"

// fill puts a text into every string that hangs on v. Names that must differ
// from each other get a number.
func fill(v reflect.Value, s string, n *int) {
	switch v.Kind() {
	case reflect.String:
		*n++
		v.SetString(fmt.Sprintf("%s%d%s", s, *n, s))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), s, n)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), s, n)
		}
	case reflect.Interface:
		switch x := v.Interface().(type) {
		case string:
			*n++
			v.Set(reflect.ValueOf(fmt.Sprintf("%s%d%s", s, *n, s)))
		case []string:
			list := make([]string, len(x))
			for i := range list {
				*n++
				list[i] = fmt.Sprintf("%s%d%s", s, *n, s)
			}
			v.Set(reflect.ValueOf(list))
		}
	}
}

// filled is a report, and its comparison with an older one, in which every text
// of every row is s. The statuses stay, since a report takes no others.
func filled(t testing.TB, s string) (*evaluation.Report, *compare.Comparison) {
	rows := func(change func(*evaluation.Row)) []evaluation.Row {
		out := []evaluation.Row{passing("a", "q"), failing("b", "q"), failing("c", "q")}
		n := 0
		for i := range out {
			r := &out[i]
			status, checks := r.Status, []evaluation.CheckStatus{}
			for _, c := range r.Checks {
				checks = append(checks, c.Status)
			}
			fill(reflect.ValueOf(r).Elem(), s, &n)
			r.Status = status
			for j := range r.Checks {
				r.Checks[j].Status = checks[j]
			}
		}
		change(&out[1])
		return out
	}
	def := definition()
	def.Suite = s
	for i := range def.Config {
		def.Config[i].Name = fmt.Sprint(s, i)
		def.Config[i].Value = s
	}
	// A fact that is counted in transitions, one with a title, and a label.
	sample := rows(func(*evaluation.Row) {})
	n := 0
	def.Facts = []evaluation.FactInfo{
		{Name: sample[1].Facts[0].Name, Transitions: true}, {Name: sample[1].Facts[3].Name, Title: s},
	}
	for i := range def.Metrics {
		m := &def.Metrics[i]
		n++
		m.Name = fmt.Sprint(s, n)
		if m.Aggregation == evaluation.Distribution {
			m.Of = sample[1].Facts[0].Name
		}
	}
	make := func(change func(*evaluation.Row)) *evaluation.Report {
		r, err := evaluation.New(def, rows(change), []string{s})
		require.NoError(t, err)
		return r
	}
	now := make(func(*evaluation.Row) {})
	old := make(func(r *evaluation.Row) {
		r.Status = evaluation.Pass
		r.Facts[0].Value = s
		for i := range r.Checks {
			r.Checks[i].Status = evaluation.CheckPass
		}
	})
	return now, compare.Compare(old, now, compare.Options{})
}

// markup leaves of a line what a Markdown parser acts on.
func markup(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
		case strings.IndexByte("|`<>[]*~$&\\", c) >= 0:
			if c == '&' {
				if end := strings.IndexByte(line[i:], ';'); end > 0 {
					i += end
					continue
				}
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

func lines(s string, each func(string) string) []string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		out = append(out, each(l))
	}
	return out
}

func harmless(t *testing.T, shown string) {
	t.Helper()
	require.True(t, utf8.ValidString(shown))
	for _, r := range shown {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Fatalf("%U is in the output", r)
		}
	}
}

func TestHostileTextInEveryFieldStaysText(t *testing.T) {
	now, c := filled(t, hostile)
	plain, plainC := filled(t, "x")
	type shown struct{ hostile, plain string }
	display := func(s string) *evaluation.Display {
		d := &evaluation.Display{Sections: []evaluation.Section{{Items: []evaluation.Item{{Mark: evaluation.Good, Spans: []evaluation.Span{{Start: 0, End: 1}}}}}}}
		d.Title, d.Subtitle, d.Sections[0].Title = s, s, s
		it := &d.Sections[0].Items[0]
		it.Label, it.Detail, it.Text = s, s, strings.NewReplacer("\n", "", "\r", "").Replace(s)
		return d
	}
	write := func(f func(w io.Writer) error) string {
		var b bytes.Buffer
		require.NoError(t, f(&b))
		return b.String()
	}

	for name, s := range map[string]shown{
		"a report":     {markdown(t, now, render.Options{}), markdown(t, plain, render.Options{})},
		"a comparison": {markdown(t, now, render.Options{Comparison: c}), markdown(t, plain, render.Options{Comparison: plainC})},
		"compare": {
			write(func(w io.Writer) error { return render.CompareMarkdown(w, c, render.Options{}) }),
			write(func(w io.Writer) error { return render.CompareMarkdown(w, plainC, render.Options{}) }),
		},
		"a display": {
			write(func(w io.Writer) error { return render.DisplayMarkdown(w, display(hostile)) }),
			write(func(w io.Writer) error { return render.DisplayMarkdown(w, display("x")) }),
		},
	} {
		t.Run("Markdown of "+name, func(t *testing.T) {
			harmless(t, s.hostile)
			assert.Empty(t, cmp.Diff(lines(s.plain, markup), lines(s.hostile, markup)), "the page has the shape of one with harmless texts")
			for _, l := range strings.Split(s.hostile, "\n") {
				if l != "" && !strings.ContainsAny(l[:1], "#-*|0123456789 ") && l != "Without a value:" {
					t.Errorf("a line begins with a foreign text: %.40q", l)
				}
			}
		})
	}
	for name, s := range map[string]shown{
		"a report":     {text(t, now, render.Options{}), text(t, plain, render.Options{})},
		"a comparison": {text(t, now, render.Options{Comparison: c}), text(t, plain, render.Options{Comparison: plainC})},
		"a case": {
			write(func(w io.Writer) error { return render.Case(w, now, &now.Rows[1], &c.Cases[1], render.Options{}) }),
			write(func(w io.Writer) error {
				return render.Case(w, plain, &plain.Rows[1], &plainC.Cases[1], render.Options{})
			}),
		},
		"a display": {
			write(func(w io.Writer) error { return render.DisplayText(w, display(hostile), render.Options{}) }),
			write(func(w io.Writer) error { return render.DisplayText(w, display("x"), render.Options{}) }),
		},
	} {
		t.Run("text of "+name, func(t *testing.T) {
			harmless(t, s.hostile)
			assert.Equal(t, strings.Count(s.plain, "\n"), strings.Count(s.hostile, "\n"), "each text stays on its line")
		})
	}
	t.Run("colours", func(t *testing.T) {
		s := text(t, now, render.Options{Comparison: c, Color: true})
		for _, ours := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m"} {
			s = strings.ReplaceAll(s, ours, "")
		}
		harmless(t, s)
		assert.Equal(t, text(t, now, render.Options{Comparison: c}), s, "colour adds nothing but colour")
	})
}

func TestOneChangedCaseIsADiffOfAFewLines(t *testing.T) {
	var rows []evaluation.Row
	for i := range 200 {
		rows = append(rows, passing(fmt.Sprintf("case-%03d", i), "q"))
	}
	before := markdown(t, report(t, rows...), render.Options{Preserved: true})
	rows[100].ID = "case-100-with-a-much-longer-name-than-any-other"
	rows[100].Facts[0].Value = "medium"
	after := markdown(t, report(t, rows...), render.Options{Preserved: true})
	assert.Equal(t, 1, differing(before, after))

	rows[100] = failing("case-100", "q")
	rows[100].Labels[0].Values = []string{"it"}
	after = markdown(t, report(t, rows...), render.Options{Preserved: true})
	assert.Less(t, strings.Count(after, "\n")-strings.Count(before, "\n"), 12)
}

func differing(a, b string) int {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	n := max(len(x), len(y)) - min(len(x), len(y))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			n++
		}
	}
	return n
}

func TestManyFailuresAreCutAndCounted(t *testing.T) {
	var rows []evaluation.Row
	for i := range 10_000 {
		rows = append(rows, failing(fmt.Sprintf("case-%05d", i), "q"))
	}
	r := report(t, rows...)
	s := text(t, r, render.Options{})
	assert.Contains(t, s, "… and 9950 more (see --json)")
	assert.Less(t, strings.Count(s, "\n"), 500)
	s = text(t, r, render.Options{Limit: 3})
	assert.Contains(t, s, "… and 9997 more")
	s = markdown(t, r, render.Options{})
	assert.Contains(t, s, "… and 9800 more: see the table of cases")
	assert.Contains(t, s, "| case-09999 |", "the table has them all")
}

func lastLine(s string) string {
	all := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	return all[len(all)-1]
}

func TestAReportWithNothingBesideItHasNoVerdictAndAnOutcome(t *testing.T) {
	for name, x := range map[string]struct {
		rows []evaluation.Row
		want string
	}{
		"all pass":  {[]evaluation.Row{passing("a", "q"), passing("b", "q")}, "Passed: every case passes (no gate and no baseline to judge by)"},
		"one fails": {[]evaluation.Row{passing("a", "q"), failing("b", "q")}, "Not passed: 1 of 2 cases does not pass (no gate and no baseline to judge by)"},
		"two fail":  {[]evaluation.Row{failing("a", "q"), failing("b", "q"), passing("c", "q")}, "Not passed: 2 of 3 cases do not pass (no gate and no baseline to judge by)"},
	} {
		r := report(t, x.rows...)
		assert.Equal(t, x.want, lastLine(text(t, r, render.Options{})), name)
		assert.Contains(t, markdown(t, r, render.Options{}), "**No verdict**: there is neither a gate nor a baseline to judge by.", name)
	}
}

func TestABaselineThatHasNoneOfTheCasesIsNone(t *testing.T) {
	for status, r := range map[string]*evaluation.Report{
		"Passed: every case passes (no case is in the baseline: 1 added)":             report(t, passing("a", "q")),
		"Not passed: 1 of 1 case does not pass (no case is in the baseline: 1 added)": report(t, failing("a", "q")),
	} {
		o := render.Options{Comparison: compare.Compare(report(t, passing("b", "q")), r, compare.Options{Partial: true})}
		assert.Equal(t, status, lastLine(text(t, r, o)))
		assert.Contains(t, markdown(t, r, o), "**No verdict**: no case is in the baseline: 1 added.")
	}
}

// What is read last agrees with the exit status.
func TestTheLastLineAgreesWithTheVerdict(t *testing.T) {
	good := []string{"Passed: ", "Not worse than the baseline: ", "Gate passed: "}
	rules, err := gate.Read("gate.yaml", []byte("metrics: {pass_rate: {min: 0.5}}"))
	require.NoError(t, err)
	reports := []*evaluation.Report{
		report(t, passing("a", "q"), passing("b", "q")), report(t, failing("a", "q"), passing("b", "q")),
		report(t, failing("a", "q"), failing("b", "q")), report(t, failing("c", "q")), report(t, passing("c", "q")),
	}
	for i, now := range reports {
		for j, baseline := range append(reports, nil) {
			for _, rules := range []*gate.Rules{nil, rules} {
				for _, partial := range []bool{false, true} {
					v, err := run.Judge(now, baseline, rules, run.Options{Partial: partial})
					require.NoError(t, err)
					last := lastLine(text(t, now, render.Options{Comparison: v.Comparison, Gate: v.Gate}))
					says := slices.ContainsFunc(good, func(s string) bool { return strings.HasPrefix(last, s) })
					assert.Equal(t, v.Passed(), says, "report %d, baseline %d, gate %v, partial %v: %s", i, j, rules != nil, partial, last)
				}
			}
		}
	}
}

func TestTheWarningsOfPassingCasesAreListed(t *testing.T) {
	const idle = "scenario_isolation does not apply: no candidate says which scenario it is of"
	with := func(id string, warnings ...string) evaluation.Row {
		r := passing(id, "q")
		r.Warnings = warnings
		return r
	}
	rows := []evaluation.Row{failing("bad", "q"), with("one", "stands in a negated clause: 不是|<b>"), with("two", idle, idle), passing("quiet", "q")}
	for i := range 40 {
		rows = append(rows, with(fmt.Sprintf("x%02d", i), idle))
	}
	r := report(t, rows...)
	s, md := text(t, r, render.Options{}), markdown(t, r, render.Options{})
	_, s, _ = strings.Cut(s, "\nWarnings\n")
	assert.Equal(t, "  ⚠ fixture of no case: old.json\n"+
		"  ⚠ 41 passing cases (two, x00, x01, …): "+idle+"\n"+
		"  ⚠ one: stands in a negated clause: 不是|<b>\n\n"+
		"test: 44 cases: 43 pass, 1 fail\nNot passed: 1 of 44 cases does not pass (no gate and no baseline to judge by)\n", s,
		"shared warnings first; a failing case shows its own")
	_, md, _ = strings.Cut(md, "\n## Warnings\n\n")
	assert.Equal(t, "- ⚠ fixture of no case: old.json\n"+
		"- ⚠ 41 passing cases (two, x00, x01, …): "+strings.ReplaceAll(idle, "_", `\_`)+"\n"+
		"- ⚠ one: stands in a negated clause: 不是\\|&lt;b&gt;\n", strings.ReplaceAll(md, `scenario_isolation`, `scenario\_isolation`))

	var alone bytes.Buffer
	require.NoError(t, render.Warnings(&alone, r, render.Options{}))
	head, _, _ := strings.Cut(s, "\n\n")
	assert.Equal(t, "Warnings of test\n"+head+"\n", alone.String())
	alone.Reset()
	quiet, err := evaluation.New(definition(), []evaluation.Row{passing("a", "q")}, nil)
	require.NoError(t, err)
	require.NoError(t, render.Warnings(&alone, quiet, render.Options{}))
	assert.Empty(t, alone.String())

	t.Run("many of them are counted", func(t *testing.T) {
		var rows []evaluation.Row
		for i := range 25 {
			rows = append(rows, with(fmt.Sprintf("x%02d", i), fmt.Sprintf("warning %d", i)))
		}
		r := report(t, rows...)
		s, md := text(t, r, render.Options{}), markdown(t, r, render.Options{})
		assert.Contains(t, s, "  ⚠ x09: warning 9\n  … and 15 more of passing cases (see --json)\n")
		assert.Contains(t, md, "- ⚠ x09: warning 9\n- … and 15 more of passing cases\n")
	})
	t.Run("a case that is worse shows its own", func(t *testing.T) {
		was := passing("a", "q")
		now := with("a", "only once")
		now.Facts[0].Value = "medium"
		r := report(t, now)
		s := text(t, r, render.Options{Comparison: compare.Compare(report(t, was), r, compare.Options{})})
		assert.Equal(t, 1, strings.Count(s, "only once"))
	})
}

func TestMetricsWithoutAValueAreCountedInAShortLine(t *testing.T) {
	row := passing("a", "q")
	row.Facts, row.Metrics = nil, nil
	assert.Contains(t, text(t, report(t, row), render.Options{}),
		"\n  4 metrics have no value (recall@5, average_first_hit_rank, duration_ms_mean, …); the JSON report says why\n")
}

func TestABrokenFixtureIsToldBeforeWhatFollowsFromIt(t *testing.T) {
	was := passing("a", "q")
	was.Facts = was.Facts[:4] // without a verdict, which brings checks of its own
	was.Checks = append(was.Checks, evaluation.Check{Name: "source", Status: evaluation.CheckPass})
	now := passing("a", "q")
	now.Status, now.Stage, now.Facts, now.Metrics, now.Evidence = evaluation.Error, "fixture", nil, nil, nil
	now.Checks = []evaluation.Check{{Name: "fixture", Status: evaluation.CheckFail, Expected: "a readable trace", Reason: "no JSON: byte 12"}}
	r := report(t, now)
	s := text(t, r, render.Options{Comparison: compare.Compare(report(t, was), r, compare.Options{})})
	assert.Contains(t, s, "status fell from pass to error; check fixture applies now: fail; 4 checks do not apply any more; hit_level fell from strong to (none)\n")
	assert.Contains(t, s, "recall@5 changed from 1 to (none)")
}

func TestAReasonDoesNotStutter(t *testing.T) {
	for want, c := range map[string]evaluation.Check{
		"expected no call of restart_service, got restart_service: called once":              {Expected: "no call of restart_service", Got: "restart_service", Reason: "restart_service: called once"},
		"expected query_cert: never called":                                                  {Expected: "query_cert", Reason: "query_cert: never called"},
		"expected query_cert, query_logs, got query_logs; query_cert: never called":          {Expected: "query_cert, query_logs", Got: "query_logs", Reason: "query_cert: never called"},
		"expected a run that ended well: the run itself failed: model endpoint returned 503": {Expected: "a run that ended well", Got: "model endpoint returned 503", Reason: "the run itself failed: model endpoint returned 503"},
		"expected PASS, got REVISE: verdict REVISE is not among PASS":                        {Expected: "PASS", Got: "REVISE", Reason: "verdict REVISE is not among PASS"},
		"expected an answer, got none":                                                       {Expected: "an answer", Got: "none", Reason: "none"},
		"it is gone":                                                                         {Reason: "it is gone"},
	} {
		row := failing("a", "q")
		c.Name, c.Status = "check", evaluation.CheckFail
		row.Checks = []evaluation.Check{c}
		assert.Contains(t, text(t, report(t, row), render.Options{}), "  "+want+"\n")
	}
}

func TestATrendSaysWhyAValueWasLost(t *testing.T) {
	of := func(entries ...compare.RunEntry) *compare.Run {
		return &compare.Run{Suites: []compare.RunSuite{{Name: "s", Kind: "test", Summary: entries}}}
	}
	entry := func(name, why string) compare.RunEntry {
		e := evaluation.Entry{Name: name, Value: 0.9, OK: why == "", N: 9, Why: why}
		return compare.RunEntry{Entry: e, Better: evaluation.Higher, Unit: "ratio"}
	}
	tr, err := compare.NewTrend([]compare.TrendRun{
		{Label: "v1", Run: of(entry("mrr", ""), entry("recall@5", ""), entry("pass_rate", ""))},
		{Label: "v2", Run: of(entry("mrr", "no case | has it"))},
	}, compare.TrendOptions{})
	require.NoError(t, err)
	var s, md bytes.Buffer
	require.NoError(t, render.TrendText(&s, tr, render.Options{}))
	require.NoError(t, render.TrendMarkdown(&md, tr, render.Options{}))
	assert.Contains(t, s.String(), "\n\n  v2: no value of mrr: no case | has it\n  v2: no value of recall@5, pass_rate: the run does not have it\n")
	assert.Contains(t, md.String(), "\n\n- v2: no value of mrr: no case \\| has it\n- v2: no value of recall@5, pass_rate: the run does not have it\n")
}

func TestReportsThatCannotBeComparedSayWhyThoughTheyShareNoCase(t *testing.T) {
	def := definition()
	def.Schema = "karat/other-report/v1"
	now, err := evaluation.New(def, []evaluation.Row{passing("b", "q")}, nil)
	require.NoError(t, err)
	o := render.Options{Comparison: compare.Compare(report(t, passing("a", "q")), now, compare.Options{})}
	want := ": 1 removed, 1 added; the reports are not comparable: the schema was karat/test-report/v1 and is karat/other-report/v1"
	assert.Contains(t, text(t, now, o), "Worse than the baseline"+want)
	assert.Contains(t, markdown(t, now, o), "**Worse than the baseline**"+want)
}

// An average that lost its worst case shows that it goes over fewer.
func TestAMetricThatGoesOverFewerCasesThanItDidSaysSo(t *testing.T) {
	ranked := func(id string, rank float64) evaluation.Row {
		r := passing(id, "q")
		r.Facts = slices.DeleteFunc(r.Facts, func(f evaluation.Fact) bool { return f.Name == "first_expected_rank" })
		if rank > 0 {
			r.Facts = append(r.Facts, evaluation.Fact{Name: "first_expected_rank", Value: rank})
		}
		return r
	}
	was := report(t, ranked("a", 1), ranked("b", 4), ranked("c", 1))
	now := report(t, ranked("a", 1), ranked("b", 0), ranked("c", 1))
	o := render.Options{Comparison: compare.Compare(was, now, compare.Options{})}
	assert.Regexp(t, `average_first_hit_rank +1  n = 2  −1 better \(was 2, n = 3\)`, text(t, now, o))
	assert.Contains(t, markdown(t, now, o), "| average_first_hit_rank | 1 | 2 | −1 better | 2 (was 3) |")
	now = report(t, ranked("a", 2), ranked("b", 0), ranked("c", 2))
	o.Comparison = compare.Compare(was, now, compare.Options{})
	assert.Regexp(t, `average_first_hit_rank +2  n = 2 \(was n = 3\)`, text(t, now, o))
}

func TestCasesStandUnderTheirHeading(t *testing.T) {
	medium := passing("level", "q")
	medium.Facts[0].Value = "medium"
	other := passing("other", "q")
	other.Facts[1].Value = 2.0
	redefined := passing("redefined", "q")
	redefined.Digest = "d2"
	old := report(t, passing("broke", "q"), passing("gone", "q"), failing("known", "q"), failing("mended", "q"), passing("level", "q"), passing("other", "q"), passing("redefined", "q"), passing("same", "q"))
	now := report(t, failing("broke", "q"), failing("known", "q"), passing("mended", "q"), failing("new-bad", "q"), passing("new-good", "q"), medium, other, redefined, passing("same", "q"))
	s := text(t, now, render.Options{Comparison: compare.Compare(old, now, compare.Options{})})
	var got []string
	for _, l := range strings.Split(s, "\n") {
		if l != "" && l[0] != ' ' {
			got = append(got, strings.Join(strings.Fields(l)[:min(2, len(strings.Fields(l)))], " "))
		}
	}
	assert.Empty(t, cmp.Diff([]string{
		"Worse than", "✗ broke", "✗ gone", "✗ level", "✗ redefined",
		"New, and", "✗ new-bad",
		"Better than", "✓ mended",
		"New, and", "· new-good",
		"Changed, and", "· other",
		"Known failures", "· known",
		"Metrics", "Transitions", "Warnings", "test: 9", "Worse than",
	}, got))
	assert.Contains(t, s, "hit_level fell from strong to medium")
	assert.Contains(t, s, "the case itself was changed")
	assert.Contains(t, s, "the baseline has this case (pass), the report does not")
}

func TestANumberNeverLooksRounderThanItIs(t *testing.T) {
	for v, want := range map[float64]string{0.79996: "0.8", 0.99996: "0.99996", 0.00004: "0.00004", 1: "1", 2.0 / 3: "0.6667", 0: "0", 173: "173", 1e-7: "1e-07"} {
		row := passing("a", "q")
		row.Metrics[0].Value = v
		if v > 1 {
			row.Facts[2].Value = v
			assert.Contains(t, markdown(t, report(t, row), render.Options{}), "| duration_ms_mean | "+want+" | 1 |")
			continue
		}
		assert.Contains(t, markdown(t, report(t, row), render.Options{}), "| recall@5 | "+want+" | 1 |")
	}
}

func TestADisplayMarksItsHits(t *testing.T) {
	d := &evaluation.Display{Title: "vpn-1", Subtitle: "VPN 连不上", Sections: []evaluation.Section{{
		Title: "Candidates",
		Items: []evaluation.Item{
			{Mark: evaluation.Good, Label: "1 it/vpn.md", Detail: "0.92", Text: "重启 VPN\n再试", Spans: []evaluation.Span{{Start: 7, End: 10}, {Start: 9, End: 12}, {Start: 11, End: 99}}},
			{Label: "2 it/mfa.md"},
		},
	}}}
	var b bytes.Buffer
	require.NoError(t, render.DisplayText(&b, d, render.Options{}))
	assert.Equal(t, "vpn-1  VPN 连不上\n\nCandidates\n  ✓ 1 it/vpn.md  0.92\n      重启 «VPN»\n      再试\n  2 it/mfa.md\n", b.String(), "a span that overlaps or leaves the text is no hit")
	b.Reset()
	require.NoError(t, render.DisplayText(&b, d, render.Options{Color: true}))
	assert.Contains(t, b.String(), "重启 \x1b[32mVPN\x1b[0m")
	b.Reset()
	require.NoError(t, render.DisplayMarkdown(&b, d))
	assert.Contains(t, b.String(), "- ✓ **1 it/vpn.md** 0.92<br>重启 <b>VPN</b><br>再试\n")
}

func TestAWriterThatFailsIsReported(t *testing.T) {
	r := report(t, passing("a", "q"))
	assert.ErrorIs(t, render.Markdown(broken{}, r, render.Options{}), io.ErrClosedPipe)
	assert.ErrorIs(t, render.Text(broken{}, r, render.Options{}), io.ErrClosedPipe)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func benchmarkReport(b *testing.B) *evaluation.Report {
	var rows []evaluation.Row
	for i := range 10_000 {
		if i%10 == 0 {
			rows = append(rows, failing(fmt.Sprintf("case-%05d", i), "订单服务响应慢，怎么排查？"))
		} else {
			rows = append(rows, passing(fmt.Sprintf("case-%05d", i), "订单服务响应慢，怎么排查？"))
		}
	}
	return report(b, rows...)
}

func BenchmarkMarkdown(b *testing.B) {
	r := benchmarkReport(b)
	for b.Loop() {
		_ = render.Markdown(io.Discard, r, render.Options{})
	}
	b.ReportMetric(float64(len(r.Rows))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkText(b *testing.B) {
	r := benchmarkReport(b)
	for b.Loop() {
		_ = render.Text(io.Discard, r, render.Options{})
	}
}

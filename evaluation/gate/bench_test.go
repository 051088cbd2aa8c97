package gate_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/gate"
)

// manyRows makes a report of n cases of the size that retrieval cases have: ten
// scenarios, forty sources, two of two hundred tags.
func manyRows(n int) []evaluation.Row {
	rnd := rand.New(rand.NewPCG(1, 2))
	rows := make([]evaluation.Row, n)
	for i := range rows {
		r := row(fmt.Sprintf("case-%06d", i), recall(float64(rnd.IntN(3))/2),
			fact("hit_level", "strong"), fact("rank", float64(1+rnd.IntN(5))), fact("duration_ms", float64(50+rnd.IntN(2000))),
			fact("top_candidates", []string{"it/vpn.md", "it/mail.md", "hr/leave.md", "hr/onboarding.md", "it/wifi.md"}),
			label("scenario_type", "chat"), label("scenario_id", fmt.Sprintf("scenario-%d", rnd.IntN(10))),
			label("source", fmt.Sprintf("source-%d", rnd.IntN(40))), label("split", "test"),
			label("tag", fmt.Sprintf("tag-%d", rnd.IntN(100)), fmt.Sprintf("tag-%d", 100+rnd.IntN(100))))
		r.Query = "忘记密码怎么办，邮箱也登录不上"
		for _, name := range []string{"precision@5", "mrr", "ndcg@5", "keyword_coverage", "source_accuracy"} {
			value(name, float64(rnd.IntN(5))/4)(&r)
		}
		for range 4 {
			r.Evidence = append(r.Evidence, evaluation.Evidence{Kind: "keyword", Expected: "重置密码", Covered: true, By: "重置密码", Where: "it/vpn.md", Around: "…在登录页点击重置密码，按提示…"})
		}
		if rnd.IntN(4) == 0 {
			fails(&r)
		}
		rows[i] = r
	}
	return rows
}

const benchmarkRows = 100_000

const allSlices = `
min_cases: 3
metrics: {recall@5: {min: 0.9}, pass_rate: {min: 0.9}, error_count: {max: 0}, duration_ms_p95: {max: 1000}}
slices:
  scenario_type: {metrics: {recall@5: {min: 0.9}, pass_rate: {min: 0.9}}}
  scenario_id: {metrics: {recall@5: {min: 0.9}, pass_rate: {min: 0.9}}}
  source: {metrics: {recall@5: {min: 0.9}, pass_rate: {min: 0.9}}}
  split: {metrics: {recall@5: {min: 0.9}, pass_rate: {min: 0.9}}}
  tag: {metrics: {recall@5: {min: 0.9}, pass_rate: {min: 0.9}}}
`

// Every rule of this gate fails, so that every case is looked at for each.
func BenchmarkCheck(b *testing.B) {
	r := report(b, manyRows(benchmarkRows)...)
	for _, x := range []struct {
		name     string
		baseline *evaluation.Report
	}{{"slices=all", nil}, {"slices=all/baseline", r}} {
		b.Run(x.name, func(b *testing.B) {
			rules, err := gate.Read("gate.yaml", []byte(allSlices))
			require.NoError(b, err)
			for b.Loop() {
				if _, err := rules.Check(r, x.baseline); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What [BenchmarkCheck] is to be held against.
func BenchmarkReadReport(b *testing.B) {
	var file bytes.Buffer
	require.NoError(b, report(b, manyRows(benchmarkRows)...).WriteJSON(&file))
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := evaluation.ReadReport(bytes.NewReader(file.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

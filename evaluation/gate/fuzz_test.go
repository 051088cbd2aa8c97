package gate_test

import (
	"testing"

	"github.com/karat-eval/karat/evaluation/gate"
)

func FuzzRead(f *testing.F) {
	f.Add("gate.yaml", []byte("version: 1\nmin_cases: 10\nmetrics: {recall@5: {min: 0.85}}\nslices: {source: {required: hr, metrics: {recall@5: {max: 1}}}}\nmax_drop: {recall@5: 0.02}\n"))
	f.Add("gate.json", []byte(`{"version": 1, "metrics": {"pass_rate": {"min": 0.5, "max": 0.25}}}`))
	f.Add("gate.yaml", []byte("slices: {tag: }\nmetrics: [1]\nmax_drop: {x: .nan}"))
	f.Add("gate.yaml", []byte("metrics: {recall@5: &a {min: 1}, mrr: *a}"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		rules, err := gate.Read(name, data)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		r := report(t, row("a", recall(1), label("tag", "x")))
		result, err := rules.Check(r, r)
		if err != nil {
			return
		}
		if result.Passed() && len(rules.Metrics)+len(rules.Slices)+len(rules.MaxDrop) == 0 {
			t.Error("a gate without rules passes")
		}
	})
}

package gate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
)

// State is the outcome of one rule. Everything but [Pass] fails the gate.
type State string

const (
	// Pass: the value was measured over enough cases, and keeps to its bound.
	Pass State = "pass"
	// Fail: it was measured, and is beyond its bound.
	Fail State = "fail"
	// Unmeasured: there is no value to judge: no such slice, no case with the
	// metric, NaN, a report that contradicts itself, no baseline.
	Unmeasured State = "unmeasured"
	// Insufficient: the value goes over fewer cases than min_cases.
	Insufficient State = "insufficient"
)

// States lists the states, those that fail a gate first.
var States = []State{Fail, Unmeasured, Insufficient, Pass}

// Kind says what a rule asks.
type Kind string

const (
	// Min: the metric is at least the bound.
	Min Kind = "min"
	// Max: the metric is at most the bound.
	Max Kind = "max"
	// MaxDrop: the metric is worse than the baseline by at most the bound.
	MaxDrop Kind = "max_drop"
	// Required: the slice is there, over at least as many cases as the bound.
	Required Kind = "required"
	// NotWorse: no case is worse than in the baseline. Every gate asks it that
	// is held against one.
	NotWorse Kind = "not_worse"
)

// Rule is one rule, judged at one place.
type Rule struct {
	State State
	Kind  Kind
	// Metric is the metric's name, empty where the kind has none.
	Metric string
	// Label and Value are the slice, both empty for the whole report. Value is
	// empty where no case has the label.
	Label, Value string
	// Bound is the number that the rule states, in the metric's unit.
	Bound float64
	// Got is the metric at that place with its n; Was is the baseline's, under
	// [MaxDrop]. Under [NotWorse] and [Required] the value counts cases.
	Got, Was evaluation.Entry
	// Reason says in a few words why the rule has its state.
	Reason string
	// Cases are those that pulled the metric down, worst first, where the rule
	// does not pass: the first 100 of CaseCount. They may be none: a case that is
	// not there pulls nothing.
	Cases     []Case
	CaseCount int

	unit string
}

// Case is a case that keeps a rule from passing.
type Case struct {
	ID string
	// Value is what the case brings to the metric: its own value, or 1 or 0 for
	// a case that a count counts or not. NaN where it brings no number.
	Value float64
	// Was is what it brought in the baseline, where HasWas.
	Was    float64
	HasWas bool
	// Change is what became of the case, under [NotWorse].
	Change *compare.Case
	// Row is the case's row; of a removed case, that of the baseline.
	Row *evaluation.Row

	bound float64 // that the value is beyond, where it is beyond one
}

// NotGated is a metric of a slice that is not required and goes over too few
// cases to be judged.
type NotGated struct {
	Label, Value, Metric string
	N, MinCases          int
}

// Result is a report held against a gate.
type Result struct {
	// Suite is the report's.
	Suite string
	// Rules are in the order of the gate: the whole report, the slices,
	// max_drop, and whether a case is worse than in the baseline; metrics in the
	// order of the report.
	Rules []Rule
	// NoRules says that no rule of the gate was judged: it states none, or none
	// but for slices that are not gated. Such a gate does not pass.
	NoRules bool
	// NotGated are by label, value and metric.
	NotGated []NotGated
	// Warnings are remarks that fail nothing.
	Warnings []string
	// Comparison is the report against its baseline; nil without one.
	Comparison *compare.Comparison
}

// Passed reports whether there are rules and every one of them passes.
func (r *Result) Passed() bool {
	return !r.NoRules && len(r.Rules) > 0 && r.Count(Pass) == len(r.Rules)
}

// Count counts the rules of a state.
func (r *Result) Count(s State) int {
	n := 0
	for i := range r.Rules {
		if r.Rules[i].State == s {
			n++
		}
	}
	return n
}

// Failed gives the rules that do not pass.
func (r *Result) Failed() []Rule {
	var out []Rule
	for i := range r.Rules {
		if r.Rules[i].State != Pass {
			out = append(out, r.Rules[i])
		}
	}
	return out
}

// NotGatedValues counts the slice values that at least one metric leaves out.
func (r *Result) NotGatedValues() int {
	seen := map[[2]string]bool{}
	for _, x := range r.NotGated {
		seen[[2]string{x.Label, x.Value}] = true
	}
	return len(seen)
}

// Verdict says on one line how the gate came out and on what that rests:
// "5 of 23 rules do not pass (4 fail, 1 unmeasured); 12 slice values not gated".
// Whether it passed is [Result.Passed].
func (r *Result) Verdict() string {
	var s string
	switch n := len(r.Rules); {
	case r.NoRules && len(r.NotGated) > 0:
		s = "no rule of the gate was judged, and nothing passes on nothing"
	case r.NoRules:
		s = "the gate has no rules, and nothing passes on nothing"
	case r.Passed():
		s = "all " + plural(n, "rule") + " pass"
		if n == 1 {
			s = "1 rule passes"
		}
	default:
		var parts []string
		for _, state := range States {
			if k := r.Count(state); k > 0 && state != Pass {
				parts = append(parts, fmt.Sprintf("%d %s", k, state))
			}
		}
		verb := "do"
		if n-r.Count(Pass) == 1 {
			verb = "does"
		}
		s = fmt.Sprintf("%d of %s %s not pass (%s)", n-r.Count(Pass), plural(n, "rule"), verb, strings.Join(parts, ", "))
	}
	if n := r.NotGatedValues(); n > 0 {
		s += "; " + plural(n, "slice value") + " not gated"
	}
	return s
}

func (r *Result) warn(s string) {
	if !slices.Contains(r.Warnings, s) {
		r.Warnings = append(r.Warnings, s)
	}
}

// Place says where the rule looks: "overall", or "tag = logs".
func (r *Rule) Place() string {
	switch {
	case r.Label == "":
		return "overall"
	case r.Value == "":
		return "each " + r.Label
	}
	return r.Label + " = " + r.Value
}

// Requirement says what the rule asks: "recall@5 ≥ 0.8".
func (r *Rule) Requirement() string {
	bound := evaluation.Number(r.Bound)
	switch r.Kind {
	case Min:
		return r.Metric + " ≥ " + bound
	case Max:
		return r.Metric + " ≤ " + bound
	case MaxDrop:
		return r.Metric + " at most " + bound + " worse than the baseline"
	case Required:
		return "it is there, over " + plural(int(r.Bound), "case") + " or more"
	}
	return "no case worse than the baseline"
}

// Text says what the case brought: "eval-slow-007 (0)", "vpn-1 (1 → 0.5)".
func (c *Case) Text() string {
	switch {
	case c.Change != nil:
		what := string(c.Change.Kind)
		if len(c.Change.Changes) > 0 && c.Change.Kind == compare.Regressed {
			what = c.Change.Changes[0].String()
		} else if c.Change.Why != "" {
			what += ": " + c.Change.Why
		}
		return c.ID + " (" + what + ")"
	case c.HasWas:
		return c.ID + " (" + brief(c.Was) + " → " + brief(c.Value) + ")"
	}
	return c.ID + " (" + trim(figures(c.Value, c.bound, "ratio")) + ")"
}

// brief shows a case's value with no more digits than one reads.
func brief(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return evaluation.Number(v)
	}
	return trim(strconv.FormatFloat(v, 'f', 4, 64))
}

// trim takes the zeros from the end of a decimal.
func trim(s string) string {
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Schema names the format that [Result.WriteJSON] writes, and its version.
const Schema = "karat/gate-result/v1"

type jsonResult struct {
	Schema   string         `json:"schema"`
	Suite    string         `json:"suite"`
	Passed   bool           `json:"passed"`
	Verdict  string         `json:"verdict"`
	Counts   map[State]int  `json:"counts"`
	Rules    []jsonRule     `json:"rules"`
	NotGated []jsonNotGated `json:"not_gated"`
	Warnings []string       `json:"warnings"`
}

type jsonRule struct {
	State    State          `json:"state"`
	Kind     Kind           `json:"kind"`
	Metric   string         `json:"metric,omitempty"`
	Label    string         `json:"label,omitempty"`
	Slice    string         `json:"slice,omitempty"`
	Bound    jsontext.Value `json:"bound,omitempty"`
	Value    jsontext.Value `json:"value"`
	N        int            `json:"n"`
	Baseline jsontext.Value `json:"baseline,omitempty"`
	Reason   string         `json:"reason"`
	Count    int            `json:"case_count"`
	Cases    []jsonCase     `json:"cases"`
}

type jsonCase struct {
	ID       string         `json:"id"`
	Status   string         `json:"status"`
	Value    jsontext.Value `json:"value,omitempty"`
	Baseline jsontext.Value `json:"baseline,omitempty"`
	Change   string         `json:"change,omitempty"`
}

type jsonNotGated struct {
	Label    string `json:"label"`
	Slice    string `json:"slice"`
	Metric   string `json:"metric"`
	N        int    `json:"n"`
	MinCases int    `json:"min_cases"`
}

// WriteJSON writes the result as JSON: two-space indent, a last newline, no null
// lists. Equal results are equal bytes.
func (r *Result) WriteJSON(w io.Writer) error {
	out := jsonResult{Schema: Schema, Suite: r.Suite, Passed: r.Passed(), Verdict: r.Verdict(), Counts: map[State]int{}, Warnings: r.Warnings}
	for _, s := range States {
		out.Counts[s] = r.Count(s)
	}
	for i := range r.Rules {
		x := &r.Rules[i]
		j := jsonRule{State: x.State, Kind: x.Kind, Metric: x.Metric, Label: x.Label, Slice: x.Value, Value: number(x.Got.Float()), N: x.Got.N, Reason: x.Reason, Count: x.CaseCount}
		if x.Kind != NotWorse {
			j.Bound = number(x.Bound)
		}
		if x.Kind == MaxDrop {
			j.Baseline = number(x.Was.Float())
		}
		for k := range x.Cases {
			c := &x.Cases[k]
			y := jsonCase{ID: c.ID}
			if c.Row != nil {
				y.Status = string(c.Row.Status)
			}
			if c.Change != nil {
				y.Change = string(c.Change.Kind)
			} else {
				y.Value = number(c.Value)
			}
			if c.HasWas {
				y.Baseline = number(c.Was)
			}
			j.Cases = append(j.Cases, y)
		}
		out.Rules = append(out.Rules, j)
	}
	for _, x := range r.NotGated {
		out.NotGated = append(out.NotGated, jsonNotGated{x.Label, x.Value, x.Metric, x.N, x.MinCases})
	}
	b, err := json.Marshal(&out, jsontext.WithIndent("  "), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

func number(v float64) jsontext.Value {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return jsontext.Value("null")
	}
	return jsontext.Value(evaluation.Number(v))
}

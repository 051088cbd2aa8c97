package render

import (
	"io"
	"strconv"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/gate"
)

// ruleCases is how many cases are named beside a rule.
const ruleCases = 10

// GateText writes how a gate came out for a terminal: the rules that do not
// pass, with the cases that pulled them down; what was not gated; the rules that
// pass; and the verdict. The Gate of the options is not looked at.
func GateText(w io.Writer, g *gate.Result, o Options) error {
	t := newTerminal(w, &o)
	t.gate(g)
	var passed []gate.Rule
	for _, r := range g.Rules {
		if r.State == gate.Pass {
			passed = append(passed, r)
		}
	}
	if len(passed) > 0 {
		t.heading("Rules that pass (" + strconv.Itoa(len(passed)) + ")")
	}
	for i := range passed {
		if i == t.limit {
			t.put("  … and ").put(strconv.Itoa(len(passed) - i)).put(" more\n")
			break
		}
		r := &passed[i]
		t.marked(evaluation.Good, "✓").put(" ").text(r.Place()).put(": ").text(r.Requirement()).put(": ").text(found(r)).put("\n")
	}
	v := gateVerdict(g)
	if len(t.b) > 0 {
		t.put("\n")
	}
	t.marked(v.mark, v.word).put(": ").text(v.text).put("\n")
	t.flush(0)
	return t.err
}

// GateMarkdown writes how a gate came out for a review. The Gate of the options
// is not looked at.
func GateMarkdown(w io.Writer, g *gate.Result, o Options) error {
	m := newMarkdown(w, &o)
	v := gateVerdict(g)
	m.put("**").text(v.word).put("**: ").text(v.text).put(".\n")
	m.gate(g)
	m.rules("Rules that pass", g.Rules, true)
	m.flush(0)
	return m.err
}

func gateVerdict(g *gate.Result) verdict {
	if g.Passed() {
		return verdict{evaluation.Good, "Gate passed", g.Verdict()}
	}
	return verdict{evaluation.Bad, "Gate failed", g.Verdict()}
}

// found says what a rule found, and over how many cases.
func found(r *gate.Rule) string {
	if r.Kind == gate.NotWorse || r.State != gate.Pass && r.State != gate.Fail {
		return r.Reason
	}
	return r.Reason + " (n = " + strconv.Itoa(r.Got.N) + ")"
}

// culprits names the cases of a rule, the worst of them.
func culprits(r *gate.Rule) string {
	s := ""
	for i := range r.Cases {
		if i == ruleCases {
			break
		}
		if i > 0 {
			s += ", "
		}
		s += r.Cases[i].Text()
	}
	if more := r.CaseCount - ruleCases; more > 0 {
		s += ", … and " + strconv.Itoa(more) + " more"
	}
	return s
}

// notGated puts what was not gated into a line for each label and metric.
func notGated(g *gate.Result, line func(title, values string)) {
	type key struct{ label, metric string }
	values := map[key][]string{}
	for _, x := range g.NotGated {
		k := key{x.Label, x.Metric}
		values[k] = append(values[k], x.Value+" (n = "+strconv.Itoa(x.N)+")")
	}
	for _, x := range g.NotGated {
		k := key{x.Label, x.Metric}
		if v := values[k]; len(v) > 0 {
			line(plural(len(v), x.Label)+" under "+plural(x.MinCases, "case")+" of "+x.Metric, strings.Join(v, ", "))
			delete(values, k)
		}
	}
}

func (t *terminal) gate(g *gate.Result) {
	failed := g.Failed()
	if len(failed) > 0 {
		t.heading("Rules that do not pass (" + strconv.Itoa(len(failed)) + ")")
	}
	for i := range failed {
		if i == t.limit {
			t.put("  … and ").put(strconv.Itoa(len(failed) - i)).put(" more (see --format json)\n")
			break
		}
		r := &failed[i]
		t.marked(evaluation.Bad, "✗ "+string(r.State)).put("  ").marked(bold, r.Place()).put(": ").text(r.Requirement()).put("\n")
		if r.Kind != gate.NotWorse || r.State != gate.Fail { // its cases say it
			t.put("    ").wrapped(found(r), 4).put("\n")
		}
		if r.CaseCount > 0 {
			t.put("    ").wrapped(plural(r.CaseCount, "case")+": "+culprits(r), 4).put("\n")
		}
	}
	first := true
	notGated(g, func(title, values string) {
		if first {
			t.heading("Not gated")
			first = false
		}
		t.put("  ").wrapped(title+": "+values, 4).put("\n")
	})
	t.warnings("Warnings", g.Warnings, nil)
}

func (m *markdown) gate(g *gate.Result) {
	m.rules("Rules that do not pass", g.Rules, false)
	first := true
	notGated(g, func(title, values string) {
		if first {
			m.heading("Not gated")
			first = false
		}
		m.put("- ").text(title).put(": ").text(values).put("\n")
	})
	if len(g.Warnings) > 0 {
		m.heading("Remarks on the gate")
		for _, s := range g.Warnings {
			m.put("- ⚠ ").text(s).put("\n")
		}
	}
}

// rules writes a table of the rules that pass, or of those that do not.
func (m *markdown) rules(title string, rules []gate.Rule, passed bool) {
	n := 0
	for i := range rules {
		r := &rules[i]
		if (r.State == gate.Pass) != passed {
			continue
		}
		if n++; n > m.limit {
			continue
		}
		if n == 1 {
			m.heading(title)
			if passed {
				m.put("| where | rule | found |\n|---|---|---|\n")
			} else {
				m.put("| state | where | rule | found | cases |\n|---|---|---|---|---|\n")
			}
		}
		m.put("| ")
		if !passed {
			m.text(string(r.State)).put(" | ")
		}
		m.text(r.Place()).put(" | ").text(r.Requirement()).put(" | ").text(found(r)).put(" |")
		if !passed {
			m.put(" ").text(culprits(r)).put(" |")
		}
		m.put("\n")
	}
	if n > m.limit {
		m.put("\n… and ").int(n - m.limit).put(" more\n")
	}
}

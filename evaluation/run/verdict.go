// Package run decides whether what was evaluated is all well.
//
// One function decides, for every command and for a Go program alike: [Judge].
package run

import (
	"fmt"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
)

// Verdict is a report held against what it has to hold.
type Verdict struct {
	Report *evaluation.Report
	// Comparison is the report against its baseline; nil without one.
	Comparison *compare.Comparison
	// Gate is the report against its gate; nil without one.
	Gate *gate.Result
}

// Options adjusts a judgement.
type Options struct {
	// Partial says that the report holds a chosen part of the suite, so that
	// cases which it lacks are not missed.
	Partial bool
}

// Judge holds a report against a baseline and a gate, each of which may be nil.
// The error is for rules that do not fit the report, and names all of them.
func Judge(report, baseline *evaluation.Report, rules *gate.Rules, o Options) (*Verdict, error) {
	v := &Verdict{Report: report}
	if baseline != nil {
		if err := compare.SameKind(&baseline.Definition, &report.Definition); err != nil {
			return nil, err
		}
		v.Comparison = compare.Compare(baseline, report, compare.Options{Partial: o.Partial})
	}
	if rules == nil {
		return v, nil
	}
	var err error
	if v.Comparison != nil {
		v.Gate, err = rules.CheckComparison(v.Comparison)
	} else {
		v.Gate, err = rules.Check(report, nil)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Passed reports whether all is well. It is not where the gate does not pass,
// where a case is worse than the baseline, or where a case that neither a gate nor
// the baseline judges does not pass: any case without them, and without a gate one
// that the baseline does not have.
func (v *Verdict) Passed() bool {
	if v.Gate != nil && !v.Gate.Passed() {
		return false
	}
	if v.Comparison != nil && v.Comparison.Worse() {
		return false
	}
	switch {
	case v.Gate != nil:
		return true
	case v.Comparison != nil:
		return len(v.Comparison.Cases) > 0 && len(v.Comparison.NewFailing()) == 0
	}
	return len(v.Report.Rows) > 0 && len(v.NotPassing()) == 0
}

// NotPassing gives the ids of the cases that do not pass, in the order of the
// report.
func (v *Verdict) NotPassing() []string {
	ids := []string{}
	for i := range v.Report.Rows {
		if v.Report.Rows[i].Status != evaluation.Pass {
			ids = append(ids, v.Report.Rows[i].ID)
		}
	}
	return ids
}

// Worse gives the ids of the cases that are worse than the baseline, in their
// order; none without one.
func (v *Verdict) Worse() []string {
	ids := []string{}
	if v.Comparison != nil {
		for i := range v.Comparison.Cases {
			if v.Comparison.Cases[i].Kind.Worse() {
				ids = append(ids, v.Comparison.Cases[i].ID)
			}
		}
	}
	return ids
}

// Known gives the rows that do not pass, as the baseline says already: known
// failures. Without a baseline nothing is known.
func (v *Verdict) Known() []*evaluation.Row {
	var rows []*evaluation.Row
	if v.Comparison == nil {
		return nil
	}
	for i := range v.Comparison.Cases {
		c := &v.Comparison.Cases[i]
		if c.Old != nil && c.New != nil && !c.Kind.Worse() && c.Old.Status != evaluation.Pass && c.New.Status != evaluation.Pass {
			rows = append(rows, c.New)
		}
	}
	return rows
}

// String is the verdict on one line: how many cases pass, and what the gate and
// the baseline say.
func (v *Verdict) String() string {
	total, not := len(v.Report.Rows), len(v.NotPassing())
	verb := "pass"
	if total == 1 {
		verb = "passes"
	}
	parts := []string{fmt.Sprintf("%d of %s %s", total-not, plural(total, "case"), verb)}
	if v.Gate != nil {
		word := "gate passed"
		if !v.Gate.Passed() {
			word = "gate not passed"
		}
		parts = append(parts, word+": "+v.Gate.Verdict())
	}
	if c := v.Comparison; c != nil {
		switch worse := len(v.Worse()); {
		case worse == 0 && c.InBoth() == 0:
			parts = append(parts, "no case is in the baseline")
		case worse == 0:
			parts = append(parts, "none worse than the baseline")
		default:
			parts = append(parts, fmt.Sprintf("%d worse than the baseline", worse))
		}
		if known := len(v.Known()); known > 0 {
			parts = append(parts, plural(known, "known failure"))
		}
		if fixed := c.Count(compare.Fixed); fixed > 0 {
			parts = append(parts, fmt.Sprintf("%d fixed", fixed))
		}
		if added := c.Count(compare.Added); added > 0 {
			says := fmt.Sprintf("%d added", added)
			switch failing := len(c.NewFailing()); {
			case failing == added && added == 1:
				says += ", and it does not pass"
			case failing == added:
				says += ", none of which passes"
			case failing == 1:
				says += ", 1 of which does not pass"
			case failing > 1:
				says += fmt.Sprintf(", %d of which do not pass", failing)
			}
			parts = append(parts, says)
		}
	}
	if v.Gate == nil && v.Comparison == nil {
		parts = append(parts, "no gate, no baseline")
	}
	return strings.Join(parts, "; ")
}

// Suite is the verdict in short, for the summary of a run of several suites.
func (v *Verdict) Suite(name, kind string) compare.RunSuite {
	s := compare.NewRunSuite(kind, v.Report)
	s.Name, s.Status, s.Verdict, s.NotPassing = name, Pass, v.String(), v.NotPassing()
	if !v.Passed() {
		s.Status = Fail
	}
	if v.Gate != nil {
		s.Gate = &compare.RunGate{Passed: v.Gate.Passed(), Verdict: v.Gate.Verdict()}
	}
	if v.Comparison != nil {
		s.WorseCases = v.Worse()
		n := len(s.WorseCases)
		s.Worse = &n
	}
	return s
}

// Unusable is the suite that could not be evaluated, for the summary of a run.
func Unusable(name, kind string, err error) compare.RunSuite {
	return compare.RunSuite{Name: name, Kind: kind, Status: Error, Failing: err.Error()}
}

// How a suite, or a run of several, came out.
const (
	// Pass: all is well.
	Pass = "pass"
	// Fail: what [Verdict.Passed] says.
	Fail = "fail"
	// Error: a suite could not be evaluated.
	Error = "error"
)

// Status is that of the suite that came out worst. A run without suites is an
// Error, and so is a suite whose status is none of those above.
func Status(r *compare.Run) string {
	status := Pass
	for i := range r.Suites {
		switch r.Suites[i].Status {
		case Pass:
		case Fail:
			status = Fail
		default:
			return Error
		}
	}
	if len(r.Suites) == 0 {
		return Error
	}
	return status
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

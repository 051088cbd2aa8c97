package evaluation

import (
	"cmp"
	"fmt"
	"slices"
)

// Ruleset is the version of the rules by which cases are scored. It changes
// when the same case and fixture may come to another result; reports of
// different rulesets are not comparable.
const Ruleset = "1"

// Status is the outcome of one case.
type Status string

const (
	// Pass: every check of the case holds.
	Pass Status = "pass"
	// Fail: at least one check does not hold.
	Fail Status = "fail"
	// NotRun: the case has no fixture.
	NotRun Status = "not_run"
	// Error: the fixture could not be read, or the recorded system itself
	// failed.
	Error Status = "error"
)

// Rank orders statuses from worst to best: not run and error 0, fail 1, pass 2.
// A status of none of these names ranks 0.
func (s Status) Rank() int {
	switch s {
	case Pass:
		return 2
	case Fail:
		return 1
	}
	return 0
}

// CheckStatus is the outcome of one check.
type CheckStatus string

const (
	// CheckPass: the check holds.
	CheckPass CheckStatus = "pass"
	// CheckFail: the check does not hold, and the case fails by it.
	CheckFail CheckStatus = "fail"
	// CheckInfo: the check does not hold, and the case does not ask that it
	// does.
	CheckInfo CheckStatus = "info"
)

// Check is one thing that a case asks of its fixture. Checks that do not apply
// to a case are left out of its row.
type Check struct {
	// Name is the check's fixed name, such as "ranking".
	Name string
	// Status says whether it holds.
	Status CheckStatus
	// Expected and Got are short texts for a reader, empty on a check that
	// passed and has nothing to tell.
	Expected, Got string
	// Reason says in a sentence why the check failed.
	Reason string
}

// Value is a named number of one case. Values are what summaries are made of.
type Value struct {
	Name  string
	Value float64
}

// Fact is a named property of one case's result. In JSON, facts stand directly
// in the row, between its status and its checks.
//
// Value is a string, a float64, a bool, a []string, or nil where the property
// is absent.
type Fact struct {
	Name  string
	Value any
}

// Label is a slice key of a case with its values: the case belongs to one slice
// for each value.
type Label struct {
	Name   string
	Values []string
}

// Evidence is one group of what a case expects to see, and whether and where it
// was seen.
type Evidence struct {
	// Kind says what was looked for: "keyword", "answer_keyword", "tool", …
	Kind string
	// Expected is the group as the case states it, in a short form.
	Expected string
	Covered  bool
	// By is the alternative or the source that covered the group.
	By string
	// Where is the document or the call in which it stands.
	Where string
	// Around is the text around the hit, a few words.
	Around string
	// Note adds what a reader should know: the near miss of an uncovered
	// group, a negation before a hit, a contradiction between sources.
	Note string
}

// Row is the uniform result of one case.
type Row struct {
	ID string
	// Digest identifies the case's definition after defaults and aliases,
	// without notes and labels. Two rows with different digests are not
	// comparable.
	Digest string
	// Query is the question that the case asks, for readers.
	Query  string
	Status Status
	// Stage is the first place in the pipeline where the case broke; empty
	// where it passed, and in domains without stages.
	Stage    string
	Facts    []Fact
	Checks   []Check
	Metrics  []Value
	Evidence []Evidence
	Labels   []Label
	// Warnings are remarks that fail nothing.
	Warnings []string
	// Reason is what the case's author wants a reader to know when it fails.
	Reason string
}

// FailedChecks gives the names of the checks that failed, in the row's order.
func (r *Row) FailedChecks() []string {
	var names []string
	for i := range r.Checks {
		if r.Checks[i].Status == CheckFail {
			names = append(names, r.Checks[i].Name)
		}
	}
	return names
}

// Check gives the check of that name, or nil.
func (r *Row) Check(name string) *Check {
	for i := range r.Checks {
		if r.Checks[i].Name == name {
			return &r.Checks[i]
		}
	}
	return nil
}

// Fact gives the value of a fact, nil where the row has none of that name.
func (r *Row) Fact(name string) any {
	for i := range r.Facts {
		if r.Facts[i].Name == name {
			return r.Facts[i].Value
		}
	}
	return nil
}

// Number gives a metric of the row, or a numeric fact, by name.
func (r *Row) Number(name string) (value float64, ok bool) {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return r.Metrics[i].Value, true
		}
	}
	value, ok = r.Fact(name).(float64)
	return value, ok
}

// Label gives the values of a label.
func (r *Row) Label(name string) []string {
	for i := range r.Labels {
		if r.Labels[i].Name == name {
			return r.Labels[i].Values
		}
	}
	return nil
}

// asText is what a count by equality compares of a fact.
func asText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

// check refuses statuses that do not exist, and a status that the checks deny.
func (r *Row) check() error {
	var failed *Check
	for i := range r.Checks {
		switch c := &r.Checks[i]; c.Status {
		case CheckPass, CheckInfo:
		case CheckFail:
			failed = cmp.Or(failed, c)
		default:
			return fmt.Errorf("case %q: check %q: status %q is none of pass, fail, info", r.ID, c.Name, c.Status)
		}
	}
	switch r.Status {
	case Pass:
		if failed != nil {
			return fmt.Errorf("case %q: status is pass, but check %q failed", r.ID, failed.Name)
		}
	case Fail:
		if failed == nil {
			return fmt.Errorf("case %q: status is fail, but no check failed", r.ID)
		}
	case NotRun, Error:
	default:
		return fmt.Errorf("case %q: status %q is none of pass, fail, not_run, error", r.ID, r.Status)
	}
	return nil
}

// sortedOrder gives the places of the rows in the order of their ids. Rows are
// large, so that their places are sorted rather than they.
func sortedOrder(rows []Row) []int {
	type place struct {
		id  string
		row int
	}
	places := make([]place, len(rows))
	for i := range rows {
		places[i] = place{rows[i].ID, i}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.row, b.row)) })
	order := make([]int, len(rows))
	for i, p := range places {
		order[i] = p.row
	}
	return order
}

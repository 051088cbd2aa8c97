package diagnosis

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/internal/input"
)

// Evaluator is a case that traces can be evaluated by: checked, its keywords
// compiled. Any number of goroutines may use it.
type Evaluator struct {
	Case
	keywords   *keyword.Set
	forbidden  *keyword.Set
	phrases    phraseSets
	allowed    verdictSet
	denied     verdictSet
	degraded   verdictSet
	allowUnder verdictSet
	minimums   map[string]float64 // by verdict, and "DEFAULT"
	aliasesOf  map[string][]string
}

const defaultMinimum = "DEFAULT"

// Compile checks a case and compiles its keywords. The error tells everything
// that is wrong, one a line, each with its field.
func Compile(c Case) (*Evaluator, error) {
	var errs []error
	report := func(path []any, format string, args ...any) {
		errs = append(errs, fmt.Errorf("case %q: %s: %s", c.ID, input.PathText(path), fmt.Sprintf(format, args...)))
	}
	if err := input.ValidateID(c.ID); err != nil {
		report([]any{"id"}, "%v", err)
	}
	p := compileCase(c, newSetCache(), report)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return p, nil
}

// digest identifies the case's definition. It is worked out with the result, by
// the worker that evaluates the case.
func (p *Evaluator) digest() string {
	return input.Digest(&p.Case, "notes", "reason", "tags", "metadata")
}

// report tells of something that is wrong with the field that path leads to.
type report func(path []any, format string, args ...any)

// compileCase checks and compiles. What it gives is of use only where nothing was
// reported.
func compileCase(c Case, sets *setCache, report report) *Evaluator {
	sets.Lock()
	defer sets.Unlock()
	p := &Evaluator{Case: c}
	if strings.TrimSpace(c.Question) == "" {
		report([]any{"question"}, "a question is needed")
	}
	p.keywords = sets.keywords(report, []any{"root_cause_keywords"}, c.RootCauseKeywords)
	if len(c.RootCauseKeywords) == 0 {
		report([]any{"root_cause_keywords"}, "at least one keyword is needed")
	}
	p.forbidden = sets.keywords(report, []any{"forbidden_keywords"}, c.ForbiddenKeywords)
	p.checkTools(report)
	p.checkVerdicts(report)
	p.checkMinimums(report)
	p.checkKeywords(sets, report)
	p.compileDegraded(sets, report)
	return p
}

func (p *Evaluator) checkTools(report report) {
	if len(p.RequiredTools) == 0 {
		report([]any{"required_tools"}, "at least one tool is needed")
	}
	for i, r := range p.RequiredTools {
		at := []any{"required_tools", i}
		if len(r.Any) == 0 {
			report(at, "a tool's name is needed")
		}
		forbidden := 0
		for _, name := range r.Any {
			if strings.TrimSpace(name) == "" {
				report(at, "a tool's name is empty")
			}
			if slices.Contains(p.ForbiddenTools, name) {
				forbidden++
			}
		}
		if forbidden > 0 && forbidden == len(r.Any) {
			report(at, "%s is both required and forbidden: no trace could pass", strings.Join(r.Any, ", "))
		}
	}
	for i, name := range p.ForbiddenTools {
		if strings.TrimSpace(name) == "" {
			report([]any{"forbidden_tools", i}, "a tool's name is empty")
		}
	}
	for from, to := range p.ToolAliases {
		if strings.TrimSpace(from) == "" || strings.TrimSpace(to) == "" {
			report([]any{"tool_aliases", from}, "a tool's name is empty (%q: %q)", from, to)
			continue
		}
		if p.aliasesOf == nil {
			p.aliasesOf = map[string][]string{}
		}
		p.aliasesOf[to] = append(p.aliasesOf[to], from)
	}
	for _, names := range p.aliasesOf {
		slices.Sort(names)
	}
	if n := p.MaxToolCalls; n != nil && *n < 0 {
		report([]any{"max_tool_calls"}, "%d is negative; 0 or more is allowed", *n)
	}
	if ms := p.MaxDurationMS; ms != nil && !(*ms >= 0) {
		report([]any{"max_duration_ms"}, "%v is negative; 0 or more milliseconds are allowed", *ms)
	}
}

// verdictKey is a verdict as it is compared: trimmed and without case.
func verdictKey(s string) string { return strings.ToUpper(strings.TrimSpace(s)) }

// verdictSet is verdicts as they are compared.
type verdictSet []string

func (s verdictSet) has(verdict string) bool { return slices.Contains(s, verdict) }

func newVerdictSet(report report, path []any, verdicts []string) verdictSet {
	set := make(verdictSet, len(verdicts))
	for i, v := range verdicts {
		if set[i] = verdictKey(v); set[i] == "" {
			report(append(slices.Clone(path), i), "a verdict is empty")
		}
	}
	return set
}

func (p *Evaluator) checkVerdicts(report report) {
	p.allowed = newVerdictSet(report, []any{"allowed_verdicts"}, p.AllowedVerdicts)
	p.denied = newVerdictSet(report, []any{"forbidden_verdicts"}, p.ForbiddenVerdicts)
	if len(p.AllowedVerdicts) == 0 {
		report([]any{"allowed_verdicts"}, "at least one verdict is needed")
	}
	for i, v := range p.ForbiddenVerdicts {
		if key := verdictKey(v); key != "" && p.allowed.has(key) {
			report([]any{"forbidden_verdicts", i}, "%s is both allowed and forbidden", strings.TrimSpace(v))
		}
	}
}

// slip gives the verdict that one which the case does not know was most likely to
// be, "" where there is none: REJCT would bound nothing, without a word. others are
// those beside it.
func (p *Evaluator) slip(verdict string, others ...string) string {
	known := slices.Concat(p.allowed, p.denied, rejectOnly)
	if key := verdictKey(verdict); key == "" || slices.Contains(known, key) {
		return ""
	}
	near := input.Nearest(verdictKey(verdict), slices.Concat(p.allowed, p.denied, verdictSet{defaultMinimum}))
	if slices.ContainsFunc(others, func(o string) bool { return verdictKey(o) == near }) {
		return "" // both are meant
	}
	return near
}

func (p *Evaluator) checkMinimums(report report) {
	at := "min_keyword_coverage"
	m := p.MinKeywordCoverage
	if m.Value != nil {
		if err := keyword.ValidateMinimum(*m.Value); err != nil {
			report([]any{at}, "%v", err)
		}
	}
	if m.ByVerdict == nil {
		return
	}
	p.minimums = make(map[string]float64, len(m.ByVerdict))
	for _, verdict := range slices.Sorted(maps.Keys(m.ByVerdict)) {
		v := m.ByVerdict[verdict]
		key := verdictKey(verdict)
		if err := keyword.ValidateMinimum(v); err != nil {
			report([]any{at, verdict}, "%v", err)
		}
		if key == "" {
			report([]any{at, verdict}, "a verdict is empty")
		}
		if near := p.slip(verdict, slices.Collect(maps.Keys(m.ByVerdict))...); near != "" && key != defaultMinimum {
			report([]any{at, verdict}, "the case allows no such verdict; did you mean %s?", near)
		}
		if _, twice := p.minimums[key]; twice {
			report([]any{at, verdict}, "the verdict %s is there twice", key)
		}
		p.minimums[key] = v
	}
}

// checkKeywords reports a root-cause keyword that no answer can show without a
// forbidden one.
func (p *Evaluator) checkKeywords(sets *setCache, report report) {
	pair := [2]*keyword.Set{p.keywords, p.forbidden}
	if p.keywords == nil || p.forbidden == nil || sets.apart[pair] {
		return
	}
	sets.apart[pair] = true
	for i, k := range p.RootCauseKeywords {
		alternatives := k.Any
		if alternatives == nil {
			alternatives = []keyword.Keyword{k}
		}
		forbidden := 0
		for _, a := range alternatives {
			if p.isForbidden(a) {
				forbidden++
			}
		}
		if forbidden == len(alternatives) {
			sets.apart[pair] = false
			report([]any{"root_cause_keywords", i}, "%s is both required and forbidden: no answer could pass", k)
		}
	}
}

func (p *Evaluator) isForbidden(k keyword.Keyword) bool {
	for _, f := range p.ForbiddenKeywords {
		alternatives := f.Any
		if alternatives == nil {
			alternatives = []keyword.Keyword{f}
		}
		for _, a := range alternatives {
			if !f.UnlessNegated && !a.UnlessNegated && a.Substring == k.Substring && a.Regex == k.Regex && a.Text == k.Text {
				return true
			}
		}
	}
	if k.Text == "" {
		return false
	}
	for _, hit := range p.forbidden.FindAll(keyword.NewText(k.Text)) {
		if f := p.ForbiddenKeywords[hit.Index]; !f.UnlessNegated && !slices.ContainsFunc(f.Any, func(a keyword.Keyword) bool { return a.UnlessNegated }) {
			return true
		}
	}
	return false
}

var rejectOnly = verdictSet{"REJECT"}

func (p *Evaluator) compileDegraded(sets *setCache, report report) {
	p.phrases, p.degraded = defaultSets(), rejectOnly
	d := p.Degraded
	if d == nil {
		return
	}
	if d.Verdicts != nil {
		p.degraded = newVerdictSet(report, []any{"degraded", "verdicts"}, d.Verdicts)
		if len(d.Verdicts) == 0 {
			report([]any{"degraded", "verdicts"}, "the list is empty; leave it out for REJECT")
		}
		for i, v := range d.Verdicts {
			if near := p.slip(v, d.Verdicts...); near != "" && near != defaultMinimum {
				report([]any{"degraded", "verdicts", i}, "the case allows no such verdict; did you mean %s?", near)
			}
		}
	}
	p.allowUnder = newVerdictSet(report, []any{"degraded", "allow_under"}, d.AllowUnder)
	if d.Markers != nil || len(d.AddMarkers) > 0 {
		markers := d.Markers
		if markers == nil {
			markers = defaultPhrases().Markers
		} else if len(markers) == 0 {
			report([]any{"degraded", "markers"}, "the list is empty; leave it out for the default markers")
		}
		checkPhrases(report, "markers", d.Markers)
		checkPhrases(report, "add_markers", d.AddMarkers)
		p.phrases.markers = sets.phrases(slices.Concat(markers, d.AddMarkers))
	}
	if d.ConfirmedPhrases != nil {
		if len(d.ConfirmedPhrases) == 0 {
			report([]any{"degraded", "confirmed_phrases"}, "the list is empty; leave it out for the default phrases")
		}
		checkPhrases(report, "confirmed_phrases", d.ConfirmedPhrases)
		p.phrases.confirmed = sets.phrases(d.ConfirmedPhrases)
	}
}

func checkPhrases(report report, field string, phrases []keyword.Keyword) {
	for i, k := range phrases {
		if err := k.Validate(); err != nil {
			report([]any{"degraded", field, i}, "%v", err)
		}
	}
}

// nameOf is the case's name of a tool that a trace names.
func (p *Evaluator) nameOf(name string) string {
	if to, ok := p.ToolAliases[name]; ok {
		return to
	}
	return name
}

// isNamed reports whether a trace's name is that of a tool of the case: the same
// name, or an alias of it. A tool that a case forbids by the name that traces use
// is forbidden, whatever else the aliases call it.
func (p *Evaluator) isNamed(recorded, name string) bool {
	return recorded == name || p.nameOf(recorded) == name
}

// namesOf gives the names by which a trace may name a tool of the case.
func (p *Evaluator) namesOf(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(name) {
			return
		}
		for _, alias := range p.aliasesOf[name] {
			if !yield(alias) {
				return
			}
		}
	}
}

// minimum is the keyword coverage that is enough under a verdict.
func (p *Evaluator) minimum(verdict string) float64 {
	m := p.MinKeywordCoverage
	if v, named := p.minimums[verdict]; named && verdict != defaultMinimum {
		return v
	}
	switch {
	case p.degraded.has(verdict):
		return 0
	case m.Value != nil:
		return *m.Value
	}
	if v, ok := p.minimums[defaultMinimum]; ok {
		return v
	}
	return 1
}

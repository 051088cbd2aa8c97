// Package suite evaluates cases paired with their fixtures into a report.
//
// A domain package knows what a case and a fixture are and how one is scored; a
// [Suite] knows how to pair them, with several workers and a part of the cases
// chosen, so that the report is the same bytes whatever the order in which they
// were evaluated. Users get a suite from the Open of a domain package.
package suite

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/karat-eval/karat/evaluation"
)

// ErrNoFixture is the problem of a case that has no fixture.
var ErrNoFixture = errors.New("no fixture")

// Case is what a suite needs to know of a case.
type Case struct {
	ID   string
	Tags []string
}

// Walk says which fixtures a source is to read, and how.
type Walk struct {
	// IDs are the cases whose fixtures are read.
	IDs []string
	// Others are the ids of cases that a filter left out: a fixture of theirs
	// belongs to a case.
	Others []string
	// Workers is the number of goroutines; 0 stands for one a processor.
	Workers int
	// Strict makes an error of a fixture that belongs to no case.
	Strict bool
}

// Source holds the fixtures of a suite.
type Source interface {
	// Each calls fn once for each index of w.IDs, from several goroutines at
	// once and in no order, with the fixture's bytes or with what is wrong with
	// it: ErrNoFixture where there is none. The bytes are valid during the call
	// only. It gives what it noticed of the fixtures as a whole, such as those
	// of no case; its error is one of the whole walk.
	Each(ctx context.Context, w Walk, fn func(i int, data []byte, problem error)) (warnings []string, err error)
	// Get gives the fixture of one case.
	Get(id string) ([]byte, error)
}

// Config is what a domain package makes a suite of.
type Config struct {
	Definition evaluation.Definition
	// Cases have ids that differ.
	Cases  []Case
	Source Source
	// Score evaluates the case at an index of Cases with its fixture, or with
	// what is wrong with that. It is called from several goroutines at once,
	// must not keep data, and gives a row with the case's id.
	Score func(i int, data []byte, problem error) evaluation.Row
	// Show lays the case out for a reader; nil where the domain cannot.
	Show func(i int, data []byte, problem error) *evaluation.Display
	// Remarks gives warnings that follow from the report as a whole; may be nil.
	Remarks func(r *evaluation.Report) []string
	// Warnings are remarks on the set of cases.
	Warnings []string
	// Workers is the number of goroutines that read and score; 0 stands for one
	// a processor.
	Workers int
	// Strict makes an error of a fixture that belongs to no case.
	Strict bool
	// Close releases what the source holds; may be nil.
	Close func() error
}

// Suite is a set of cases paired with fixtures.
type Suite struct {
	config Config
	// chosen are indices into the cases, all where nothing was filtered.
	chosen   []int
	index    map[string]int
	filtered bool
}

// New makes a suite. Zero cases are an error.
func New(c Config) (*Suite, error) {
	if len(c.Cases) == 0 {
		return nil, errors.New("no cases: a suite needs at least one")
	}
	s := &Suite{config: c, index: make(map[string]int, len(c.Cases))}
	for i := range c.Cases {
		id := c.Cases[i].ID
		if _, twice := s.index[id]; twice {
			return nil, fmt.Errorf("case %q: two cases have this id", id)
		}
		s.index[id] = i
		s.chosen = append(s.chosen, i)
	}
	return s, nil
}

// Name gives the suite's name.
func (s *Suite) Name() string { return s.config.Definition.Suite }

// Definition gives what every report of the suite says of itself.
func (s *Suite) Definition() evaluation.Definition { return s.config.Definition }

// CaseIDs gives the ids of the chosen cases, in the order of the case set.
func (s *Suite) CaseIDs() []string {
	ids := make([]string, len(s.chosen))
	for i, k := range s.chosen {
		ids[i] = s.config.Cases[k].ID
	}
	return ids
}

// Filter chooses cases. The zero value chooses all.
type Filter struct {
	// Cases are ids, or patterns of them such as "vpn-*" (the syntax is that of
	// path.Match). A case is chosen where any matches.
	Cases []string
	// Tags choose the cases that have one of them.
	Tags []string
}

// Filter gives the suite of the cases that the filter chooses. It is an error
// where a pattern or a tag matches no case, and where nothing is left.
func (s *Suite) Filter(f Filter) (*Suite, error) {
	if len(f.Cases) == 0 && len(f.Tags) == 0 {
		return s, nil
	}
	used := make(map[string]bool)
	chosen := []int{}
	for _, k := range s.chosen {
		c := &s.config.Cases[k]
		byID, byTag := len(f.Cases) == 0, len(f.Tags) == 0
		for _, pattern := range f.Cases {
			ok, err := path.Match(pattern, c.ID)
			if err != nil {
				return nil, fmt.Errorf("case filter %q: the pattern is malformed", pattern)
			}
			if ok {
				byID, used["case "+pattern] = true, true
			}
		}
		for _, tag := range f.Tags {
			if slices.Contains(c.Tags, tag) {
				byTag, used["tag "+tag] = true, true
			}
		}
		if byID && byTag {
			chosen = append(chosen, k)
		}
	}
	for _, pattern := range f.Cases {
		if !used["case "+pattern] {
			return nil, fmt.Errorf("case filter %q matches none of %d cases", pattern, len(s.chosen))
		}
	}
	for _, tag := range f.Tags {
		if !used["tag "+tag] {
			return nil, fmt.Errorf("tag filter %q matches none of %d cases", tag, len(s.chosen))
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("the filter matches none of %d cases: cases %s with tags %s",
			len(s.chosen), strings.Join(f.Cases, ", "), strings.Join(f.Tags, ", "))
	}
	out := *s
	out.chosen = chosen
	out.filtered = s.filtered || len(chosen) < len(s.chosen)
	return &out, nil
}

// Filtered reports whether a filter left cases out.
func (s *Suite) Filtered() bool { return s.filtered }

// Run evaluates the chosen cases.
func (s *Suite) Run(ctx context.Context) (*evaluation.Report, error) {
	return s.RunProgress(ctx, func() {})
}

// RunProgress evaluates the chosen cases and calls done after each, from
// several goroutines at once.
func (s *Suite) RunProgress(ctx context.Context, done func()) (*evaluation.Report, error) {
	rows := make([]evaluation.Row, len(s.chosen))
	warnings, err := s.config.Source.Each(ctx, s.walk(), func(i int, data []byte, problem error) {
		rows[i] = s.config.Score(s.chosen[i], data, problem)
		done()
	})
	if err != nil {
		return nil, err
	}
	return s.Report(rows, warnings)
}

func (s *Suite) walk() Walk {
	w := Walk{IDs: s.CaseIDs(), Workers: s.config.Workers, Strict: s.config.Strict}
	if s.filtered {
		chosen := make(map[int]bool, len(s.chosen))
		for _, k := range s.chosen {
			chosen[k] = true
		}
		for k := range s.config.Cases {
			if !chosen[k] {
				w.Others = append(w.Others, s.config.Cases[k].ID)
			}
		}
	}
	return w
}

// Warnings reads the fixtures without evaluating them, and gives what
// [Suite.Run] would have noticed of them as a whole.
func (s *Suite) Warnings(ctx context.Context) ([]string, error) {
	return s.config.Source.Each(ctx, s.walk(), func(int, []byte, error) {})
}

// Case evaluates one case alone. It is an error where the suite has none of
// that id.
func (s *Suite) Case(id string) (evaluation.Row, error) {
	i, ok := s.index[id]
	if !ok {
		return evaluation.Row{}, fmt.Errorf("suite %q has no case %q", s.Name(), id)
	}
	data, problem := s.config.Source.Get(id)
	return s.config.Score(i, data, problem), nil
}

// Report makes the report of rows that were evaluated one by one, with the
// warnings that [Suite.Warnings] gives: the report of [Suite.Run], byte for
// byte, where the rows are those of all chosen cases.
func (s *Suite) Report(rows []evaluation.Row, warnings []string) (*evaluation.Report, error) {
	r, err := evaluation.New(s.config.Definition, rows, slices.Concat(s.config.Warnings, warnings))
	if err == nil && s.config.Remarks != nil {
		r.Warn(s.config.Remarks(r)...)
	}
	return r, err
}

// enoughDurations is from how many values on the 95th percentile differs from the
// maximum.
const enoughDurations = 20

// FewDurations remarks on the percentiles of facts, in milliseconds, of which the
// report has too few values. It counts those of the metric <fact>_mean.
func FewDurations(r *evaluation.Report, facts ...string) []string {
	var out []string
	for _, fact := range facts {
		if e, _ := r.Entry(fact + "_mean"); 0 < e.N && e.N < enoughDurations {
			out = append(out, fmt.Sprintf("%s: n = %d is under %d, so that the 95th and 99th percentiles are near the maximum", fact, e.N, enoughDurations))
		}
	}
	return out
}

// Show lays one case out for a reader. It is an error where the suite has none
// of that id.
func (s *Suite) Show(id string) (*evaluation.Display, error) {
	i, ok := s.index[id]
	if !ok {
		return nil, fmt.Errorf("suite %q has no case %q", s.Name(), id)
	}
	if s.config.Show == nil {
		return nil, fmt.Errorf("suite %q cannot show its cases", s.Name())
	}
	data, problem := s.config.Source.Get(id)
	return s.config.Show(i, data, problem), nil
}

// Close releases the fixtures.
func (s *Suite) Close() error {
	if s.config.Close == nil {
		return nil
	}
	return s.config.Close()
}

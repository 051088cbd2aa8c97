package retrieval

import (
	"cmp"
	"errors"
	"io/fs"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// Open opens a suite in a folder: the case set cases.yaml, .yml, .json or .jsonl,
// and its fixtures, as the folder fixtures with <case id>.json for each case, or
// as the bundle fixtures.jsonl or fixtures.jsonl.gz. All that is wrong with the
// case set is the error, a line each. Nothing outside of the folder is read.
func Open(dir string, opt Options) (*suite.Suite, error) {
	return open(opt, func(k suitefiles.Kind) (*suitefiles.Files, error) { return k.Open(dir) })
}

// OpenFS is [Open] for a folder of a file system, such as an embed.FS. Symbolic
// links are refused.
func OpenFS(fsys fs.FS, dir string, opt Options) (*suite.Suite, error) {
	return open(opt, func(k suitefiles.Kind) (*suitefiles.Files, error) { return k.OpenFS(fsys, dir) })
}

// OpenFiles opens a case set and its fixtures, a folder or a bundle, by their
// paths.
func OpenFiles(cases, fixtures string, opt Options) (*suite.Suite, error) {
	return open(opt, func(k suitefiles.Kind) (*suitefiles.Files, error) { return k.OpenPaths(cases, fixtures) })
}

func open(opt Options, files func(suitefiles.Kind) (*suitefiles.Files, error)) (*suite.Suite, error) {
	r, err := opt.rules()
	if err != nil {
		return nil, err
	}
	f, err := files(suitefiles.Kind{Fixtures: "fixtures", Input: inputOptions(opt), MaxFixtureBytes: opt.MaxFixtureBytes})
	if err != nil {
		return nil, err
	}
	r.Name = cmp.Or(r.Name, f.Name, "retrieval")
	evaluators, err := readCases(f.Cases, r)
	if err != nil {
		f.Close()
		return nil, err
	}
	f.Cases = nil
	return newSuite(r, evaluators, f, f.Close)
}

// New makes a suite of cases and fixtures that a program has in hand: what
// [Open] does with files. The error names everything that is wrong with a case.
func New(cases []Case, fixtures suite.Source, opt Options) (*suite.Suite, error) {
	r, err := opt.rules()
	if err != nil {
		return nil, err
	}
	r.Name = cmp.Or(r.Name, "retrieval")
	var errs []error
	evaluators := make([]*Evaluator, 0, len(cases))
	for _, c := range cases {
		e, err := r.compile(c)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		evaluators = append(evaluators, e)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return newSuite(r, evaluators, fixtures, nil)
}

func newSuite(r *rules, evaluators []*Evaluator, source suite.Source, closeSource func() error) (*suite.Suite, error) {
	cases := make([]suite.Case, len(evaluators))
	for i, e := range evaluators {
		cases[i] = suite.Case{ID: e.c.ID, Tags: e.c.Tags}
	}
	return suite.New(suite.Config{
		Definition: definition(r),
		Cases:      cases,
		Source:     source,
		Score: func(i int, data []byte, problem error) evaluation.Row {
			result := evaluators[i].evaluate(source, data, problem)
			return result.Row()
		},
		Show: func(i int, data []byte, problem error) *evaluation.Display {
			return evaluators[i].show(source, data, problem)
		},
		Remarks: remarks,
		Workers: r.Workers,
		Strict:  r.Strict,
		Close:   closeSource,
	})
}

// evaluate scores what a source has for the case.
func (e *Evaluator) evaluate(source suite.Source, data []byte, problem error) (r Result) {
	if problem != nil {
		return e.without(problem)
	}
	withFixture(data, func(d *fixtureDecoder, f *Fixture, err error) { r = e.decoded(source, data, d, f, err) })
	return r // which holds nothing of the fixture
}

// without is the result of the case whose fixture a source does not hand out.
func (e *Evaluator) without(problem error) Result {
	if !errors.Is(problem, suite.ErrNoFixture) {
		return e.Unreadable(problem)
	}
	r := e.NotRun()
	if where := suitefiles.Looked(problem); where != "" {
		r.Checks[0].Reason += ": " + where
	}
	return r
}

// decoded is the result of the case with what a decoder made of its fixture.
func (e *Evaluator) decoded(source suite.Source, data []byte, d *fixtureDecoder, f *Fixture, err error) Result {
	if err != nil {
		return e.Unreadable(suitefiles.Unreadable(source, e.c.ID, data, err))
	}
	r := e.Evaluate(f)
	r.hint(f, d)
	return r
}

package diagnosis

import (
	"cmp"
	"errors"
	"io/fs"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/suite"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// Options are what decides, besides cases and traces, how a report is made. The
// zero value is useful.
type Options struct {
	// Name names the suite in its report; "" means the name of its folder.
	Name string
	// Workers is how many traces are evaluated at once; 0 means one for each
	// processor. It never changes a report.
	Workers int
	// Strict makes a trace that no case claims an error. It is a warning
	// otherwise.
	Strict bool
	// MaxTraceBytes is the size of the largest trace that is read; 0 means 64
	// MiB. A larger one makes its case an error.
	MaxTraceBytes int64
	// MaxCases is how many cases a set may have; 0 means 1,000,000.
	MaxCases int
}

// Open opens a suite in a folder: the case set cases.yaml, .yml, .json or .jsonl,
// and its traces, as the folder traces with <case id>.json for each case, or as
// the bundle traces.jsonl or traces.jsonl.gz. All that is wrong with the case set
// is the error, a line each. Nothing outside of the folder is read.
func Open(dir string, opt Options) (*suite.Suite, error) {
	return open(opt, func(k suitefiles.Kind) (*suitefiles.Files, error) { return k.Open(dir) })
}

// OpenFS is [Open] for a folder of a file system, such as an embed.FS. Symbolic
// links are refused.
func OpenFS(fsys fs.FS, dir string, opt Options) (*suite.Suite, error) {
	return open(opt, func(k suitefiles.Kind) (*suitefiles.Files, error) { return k.OpenFS(fsys, dir) })
}

// OpenFiles opens a case set and its traces, a folder or a bundle, by their
// paths.
func OpenFiles(cases, traces string, opt Options) (*suite.Suite, error) {
	return open(opt, func(k suitefiles.Kind) (*suitefiles.Files, error) { return k.OpenPaths(cases, traces) })
}

func open(opt Options, files func(suitefiles.Kind) (*suitefiles.Files, error)) (*suite.Suite, error) {
	f, err := files(suitefiles.Kind{Fixtures: "traces", Input: inputOptions(opt), MaxFixtureBytes: opt.MaxTraceBytes})
	if err != nil {
		return nil, err
	}
	opt.Name = cmp.Or(opt.Name, f.Name)
	evaluators, err := readCases(f.Cases)
	if err != nil {
		f.Close()
		return nil, err
	}
	f.Cases = nil
	return newSuite(opt, evaluators, f, f.Close)
}

// New makes a suite of cases and traces that a program has in hand: what [Open]
// does with files. The error names everything that is wrong with a case.
func New(cases []Case, traces suite.Source, opt Options) (*suite.Suite, error) {
	var errs []error
	evaluators := make([]*Evaluator, 0, len(cases))
	for _, c := range cases {
		p, err := Compile(c)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		evaluators = append(evaluators, p)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return newSuite(opt, evaluators, traces, nil)
}

// ReadCases reads a case set: JSON, YAML or JSONL, as its name says. All that is
// wrong with it comes back as one error, a line each, with the place, what was
// found and what is allowed. The cases have the set's defaults.
func ReadCases(name string, data []byte, opt Options) ([]Case, error) {
	file, err := input.Parse(name, data, inputOptions(opt))
	if err != nil {
		return nil, err
	}
	evaluators, err := readCases(file)
	if err != nil {
		return nil, err
	}
	cases := make([]Case, len(evaluators))
	for i, p := range evaluators {
		cases[i] = p.Case
	}
	return cases, nil
}

func inputOptions(opt Options) input.Options {
	return input.Options{MaxCases: opt.MaxCases, Workers: opt.Workers, Decoders: decoders(), Deferred: true}
}

func newSuite(opt Options, evaluators []*Evaluator, source suite.Source, closeSource func() error) (*suite.Suite, error) {
	cases := make([]suite.Case, len(evaluators))
	for i, p := range evaluators {
		cases[i] = suite.Case{ID: p.ID, Tags: p.Tags}
	}
	return suite.New(suite.Config{
		Definition: definition(cmp.Or(opt.Name, "diagnosis")),
		Cases:      cases,
		Source:     source,
		Score: func(i int, data []byte, problem error) evaluation.Row {
			_, result := evaluators[i].read(source, data, problem)
			return result.Row()
		},
		Show: func(i int, data []byte, problem error) *evaluation.Display {
			t, result := evaluators[i].read(source, data, problem)
			return evaluators[i].display(t, &result)
		},
		Remarks: remarks,
		Workers: opt.Workers,
		Strict:  opt.Strict,
		Close:   closeSource,
	})
}

// read decodes and judges what a source has for the case. The trace is nil where
// there is none.
func (p *Evaluator) read(source suite.Source, data []byte, problem error) (*Trace, Result) {
	if errors.Is(problem, suite.ErrNoFixture) {
		r := p.NotRun()
		if where := suitefiles.Looked(problem); where != "" {
			r.Checks[0].Reason += ": " + where
		}
		return nil, r
	}
	if problem != nil {
		return nil, p.Unreadable(problem)
	}
	unknown := unknownsPool.Get().(*unknowns)
	defer func() {
		unknown.reset()
		unknownsPool.Put(unknown)
	}()
	t, err := decodeTrace(data, unknown)
	if err != nil {
		return nil, p.Unreadable(suitefiles.Unreadable(source, p.ID, data, err))
	}
	r := p.Evaluate(t)
	p.hint(&r, t, unknown)
	return t, r
}

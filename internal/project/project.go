// Package project reads karat.yaml, the file that names a project's suites, and
// keeps all that it names inside the project's folder.
package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/karat-eval/karat/internal/atomicfile"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/text"
)

// DefaultName is the project file that is read where none is named.
const DefaultName = "karat.yaml"

// The kinds of suite.
const (
	Retrieval = "retrieval"
	Diagnosis = "diagnosis"
)

// Kinds are the kinds of suite that there are.
var Kinds = []string{Retrieval, Diagnosis}

// File is the content of a project file.
type File struct {
	// Version is the version of the format: 1, which is also what none means.
	Version int `json:"version,omitempty"`
	// Suites are evaluated in the order in which they are listed. That of a
	// release check is ingestion, retrieval, diagnosis, contract: what later
	// suites stand on comes first.
	Suites []Suite `json:"suites"`
}

// Suite is one case set with its fixtures, and what its result is held against.
// Every path is relative to the folder of the project file, is written with "/",
// and stays inside that folder.
type Suite struct {
	// Name names the suite in reports and on the command line: letters, digits,
	// ".", "_" and "-". It is unique in the file, also without case.
	Name string `json:"name"`
	// Kind is what the suite evaluates: retrieval or diagnosis.
	Kind string `json:"kind"`
	// Cases is the case set: a .yaml, .json or .jsonl file.
	Cases string `json:"cases"`
	// Fixtures is what was recorded: a folder with a <case id>.json for each case,
	// or a .jsonl or .jsonl.gz bundle. Of a diagnosis suite it may be called
	// traces.
	Fixtures string `json:"fixtures" alias:"traces"`

	// K is how many candidates count in the measures "at k", and the rank to
	// which the expected document must come; 5 where it is not given. Retrieval
	// only.
	K int `json:"k,omitempty"`
	// MinKeywordCoverage is the share of the expected keywords that is enough
	// where a case does not say, above 0 and up to 1; 1 where it is not given.
	// Retrieval only.
	MinKeywordCoverage *float64 `json:"min_keyword_coverage,omitempty"`
	// MinHitLevel is the hit level that is enough where a case does not say:
	// strong (where it is not given) or medium. Retrieval only.
	MinHitLevel string `json:"min_hit_level,omitempty"`
	// NoAnswerHitTypes are the hit types that claim nothing, where a case does not
	// say; where they are not given, insufficient_context, no_answer,
	// source_boundary, scenario_boundary and refused. Retrieval only.
	NoAnswerHitTypes []string `json:"no_answer_hit_types,omitempty"`
	// Strict makes a fixture that no case claims an error, where it is a warning.
	Strict bool `json:"strict,omitempty"`
	// Workers is the number of workers; one for each processor where it is not
	// given. It changes no result.
	Workers int `json:"workers,omitempty"`

	// Gate is a gate file: the rules that the report must hold.
	Gate string `json:"gate,omitempty"`
	// Baseline is the preserved JSON report that each case is held against.
	// "karat run --update" writes it, and a Markdown report of the same name
	// beside it.
	Baseline string `json:"baseline,omitempty"`
	// JSON is where to write the report as JSON.
	JSON string `json:"json,omitempty"`
	// Markdown is where to write the report as Markdown.
	Markdown string `json:"markdown,omitempty"`
}

// Project is a project file that was read, and the folder in which it stands.
// Close it after use.
type Project struct {
	// Name is the project file, as the user named it.
	Name   string
	Suites []Suite

	dir  string
	root *os.Root
}

// Open reads a project file. The error names every mistake in it, with its
// line.
func Open(name string) (*Project, error) {
	f, err := input.ReadFile(name, input.Options{})
	if err != nil {
		return nil, err
	}
	content, err := decode(f)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(name)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Project{Name: name, Suites: content.Suites, dir: dir, root: root}, nil
}

// Close releases the project's folder.
func (p *Project) Close() error { return p.root.Close() }

// Suite gives the suite of that name, or says which there are.
func (p *Project) Suite(name string) (*Suite, error) {
	names := make([]string, len(p.Suites))
	for i := range p.Suites {
		if p.Suites[i].Name == name {
			return &p.Suites[i], nil
		}
		names[i] = p.Suites[i].Name
	}
	err := fmt.Errorf("%s: there is no suite %q; there is %s", p.Name, name, strings.Join(names, ", "))
	if near := input.Nearest(name, names); near != "" && len(names) > 1 {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return nil, err
}

// Display is the path of a file of the project, as messages name it.
func (p *Project) Display(name string) string {
	return filepath.Join(p.dir, filepath.FromSlash(name))
}

// Path gives the path of a file or folder of the project, which must be there
// and be inside of the project's folder, symbolic links followed.
func (p *Project) Path(name string) (string, error) {
	full := p.Display(name)
	info, err := p.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return "", p.explain(full, err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: neither a file nor a folder", full)
	}
	return full, nil
}

// OpenFile opens a file of the project for reading. What is no file is not
// opened: a pipe that nobody writes to would keep a run for ever.
func (p *Project) OpenFile(name string) (*os.File, error) {
	full := p.Display(name)
	info, err := p.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, p.explain(full, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file", full)
	}
	f, err := p.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, p.explain(full, err)
	}
	return f, nil
}

// maxRead is the size in bytes of the largest file that [Project.Read] gives.
const maxRead = 256 << 20

// Read gives the content of a file of the project, of 256 MiB at most.
func (p *Project) Read(name string) ([]byte, error) {
	f, err := p.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err != nil {
		return nil, p.explain(p.Display(name), err)
	}
	if len(data) > maxRead {
		return nil, fmt.Errorf("%s: the file is too large; the limit is %d bytes", p.Display(name), maxRead)
	}
	return data, nil
}

// Write writes a file of the project whole or not at all, and makes the folders
// on the way to it.
func (p *Project) Write(name string, content func(io.Writer) error) error {
	var b bytes.Buffer
	if err := content(&b); err != nil {
		return err
	}
	local := filepath.FromSlash(name)
	if dir := filepath.Dir(local); dir != "." {
		err := p.root.MkdirAll(dir, 0o777)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("write %s: a folder on the way to it is a file", p.Display(name))
		}
		if err != nil {
			return fmt.Errorf("write %w", p.explain(p.Display(name), err))
		}
	}
	return atomicfile.WriteIn(p.root, local, b.Bytes())
}

// explain leads an error of the file system with the name that a user knows.
func (p *Project) explain(full string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &pathError{full, "no such file or folder", err}
	}
	if errors.Is(err, fs.ErrPermission) {
		return &pathError{full, "permission denied", err}
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if strings.Contains(err.Error(), "escapes") {
		return &pathError{full, "leads out of the project's folder", err}
	}
	return &pathError{full, err.Error(), err}
}

type pathError struct {
	path, message string
	err           error
}

func (e *pathError) Error() string { return e.path + ": " + e.message }
func (e *pathError) Unwrap() error { return e.err }

// decode gives the content of a project file, or all that is wrong with it.
func decode(f *input.File) (File, error) {
	var content File
	root := f.Root()
	if !root.Decode(&content) && len(content.Suites) == 0 {
		return content, f.Err()
	}
	f.CheckVersion()
	if len(content.Suites) == 0 {
		root.At("suites").Errorf("no suites; at least one is needed")
		return content, f.Err()
	}
	c := checker{names: map[string]int{}, written: map[string]string{}, project: path.Base(filepath.ToSlash(f.Name))}
	for i := range content.Suites {
		c.suite(root.At("suites", i), &content.Suites[i])
	}
	for i := range content.Suites {
		c.outputs(root.At("suites", i), &content.Suites[i], content.Suites)
	}
	return content, f.Err()
}

// checker holds what the suites of one file must not share.
type checker struct {
	names   map[string]int    // folded name → line
	written map[string]string // folded path → which suite writes it
	project string            // the name of the project file itself
}

func (c *checker) suite(at input.Scope, s *Suite) {
	switch err := input.ValidateID(s.Name); {
	case s.Name == "":
		at.At("name").Errorf("needed, and not given")
	case err != nil:
		at.At("name").Errorf("%v", err)
	default:
		folded := strings.ToLower(s.Name)
		if line, again := c.names[folded]; again {
			at.At("name").Errorf("%s is the name of another suite, on line %d", text.Terminal(s.Name), line)
		} else {
			c.names[folded] = at.At("name").Line()
		}
	}
	switch {
	case s.Kind == "":
		at.At("kind").Errorf("needed, and not given; %s are the kinds there are", strings.Join(Kinds, ", "))
	case !slices.Contains(Kinds, s.Kind):
		at.At("kind").Errorf("there is no kind %q; %s are the kinds there are", s.Kind, strings.Join(Kinds, ", "))
	case s.Kind != Retrieval:
		for _, field := range []string{"k", "min_keyword_coverage", "min_hit_level", "no_answer_hit_types"} {
			if at.At(field).Value() != nil {
				at.At(field).Errorf("belongs to retrieval suites only")
			}
		}
	}
	if k := at.At("k"); k.Value() != nil && k.Value().Kind != input.Null && s.K < 1 {
		k.Errorf("%d is below 1", s.K)
	}
	if m := s.MinKeywordCoverage; m != nil && !(*m > 0 && *m <= 1) {
		at.At("min_keyword_coverage").Errorf("%v is outside (0, 1]", *m)
	}
	if s.MinHitLevel != "" && s.MinHitLevel != "strong" && s.MinHitLevel != "medium" {
		at.At("min_hit_level").Errorf("%q is neither strong nor medium", s.MinHitLevel)
	}
	if s.Workers < 0 {
		at.At("workers").Errorf("%d is below 0", s.Workers)
	}
	c.path(at.At("cases"), &s.Cases, true)
	c.path(at.At("fixtures"), &s.Fixtures, true)
	c.path(at.At("gate"), &s.Gate, false)
	c.path(at.At("baseline"), &s.Baseline, false)
	c.path(at.At("json"), &s.JSON, false)
	c.path(at.At("markdown"), &s.Markdown, false)
}

// path checks that a path stays inside the project, and cleans it.
func (c *checker) path(at input.Scope, p *string, needed bool) {
	switch {
	case *p == "" && needed:
		at.Errorf("needed, and not given")
	case *p == "" && at.Value() != nil:
		at.Errorf("it names no file; name one, or leave the field out")
	case *p == "":
	case filepath.IsAbs(*p) || path.IsAbs(*p):
		at.Errorf("%q is an absolute path; paths are relative to the folder of the project file", *p)
	case strings.ContainsRune(*p, 0) || !filepath.IsLocal(filepath.FromSlash(*p)):
		at.Errorf("%q leads out of the folder of the project file", *p)
	default:
		*p = path.Clean(filepath.ToSlash(*p))
	}
}

// outputs checks that no suite writes over what it, or another one, reads or
// writes.
func (c *checker) outputs(at input.Scope, s *Suite, all []Suite) {
	write := func(at input.Scope, name string) {
		if name == "" {
			return
		}
		folded := strings.ToLower(name)
		if by, again := c.written[folded]; again {
			at.Errorf("%s is written by %s already", text.Terminal(name), by)
			return
		}
		c.written[folded] = "suite " + text.Terminal(s.Name)
		if folded == strings.ToLower(c.project) {
			at.Errorf("is the project file itself")
		}
		for i := range all {
			o := &all[i]
			for _, read := range []struct{ field, name string }{{"cases", o.Cases}, {"gate", o.Gate}, {"fixtures", o.Fixtures}} {
				if read.name == "" {
					continue
				}
				r := strings.ToLower(read.name)
				if folded == r || read.field == "fixtures" && strings.HasPrefix(folded, r+"/") {
					at.Errorf("writes over the %s of suite %s", read.field, text.Terminal(o.Name))
					return
				}
			}
		}
	}
	if s.JSON != "" && strings.EqualFold(s.JSON, s.Baseline) {
		at.At("json").Errorf("every run would write over the baseline that it is held against; 'karat run --update' writes it when you ask for it")
		return
	}
	if strings.EqualFold(path.Ext(s.Baseline), ".md") {
		at.At("baseline").Errorf("a JSON report is needed, found the name of a Markdown one")
		return
	}
	write(at.At("baseline"), s.Baseline)
	write(at.At("baseline"), s.BaselineMarkdown())
	write(at.At("json"), s.JSON)
	write(at.At("markdown"), s.Markdown)
}

// BaselineMarkdown is the Markdown report beside the baseline; "" without one.
func (s *Suite) BaselineMarkdown() string {
	if s.Baseline == "" {
		return ""
	}
	return strings.TrimSuffix(s.Baseline, path.Ext(s.Baseline)) + ".md"
}

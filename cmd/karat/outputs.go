package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/karat-eval/karat/internal/atomicfile"
	"github.com/karat-eval/karat/internal/project"
)

// place is a file or folder that a command reads, and what it is to it.
type place struct{ what, name string }

// checkOutputs tells where a report cannot be written while nothing is lost by it,
// and refuses one that would be written over what the command reads, or over
// another report: the next run would judge by something else. An empty name is
// none.
func checkOutputs(reads []place, names ...string) error {
	var errs []error
	var before []string
	for _, name := range names {
		if name == "" {
			continue
		}
		err := atomicfile.Check(name)
		switch {
		case name == "-":
			err = errors.New("write -: a file is needed; --format json or markdown prints a report")
		case err == nil:
			err = writesOver(name, reads, before)
		}
		errs = append(errs, err)
		before = append(before, name)
	}
	return errors.Join(errs...)
}

func writesOver(name string, reads []place, before []string) error {
	info, err := os.Stat(name)
	there := err == nil
	if there && !info.Mode().IsRegular() {
		return nil // a device keeps nothing
	}
	full := resolved(name)
	for _, p := range reads {
		if p.name == "" {
			continue
		}
		read, err := os.Stat(p.name)
		inside := err == nil && read.IsDir() && strings.HasPrefix(full, resolved(p.name)+string(filepath.Separator))
		if inside || full == resolved(p.name) || there && err == nil && os.SameFile(info, read) {
			return fmt.Errorf("write %s: it would write over the %s, %s", name, p.what, p.name)
		}
	}
	for _, other := range before {
		if full == resolved(other) {
			return fmt.Errorf("write %s: another report is written there already", name)
		}
	}
	return nil
}

// resolved is the one path of a file or folder, links followed; of one that is not
// there, with those on the way to it.
func resolved(name string) string {
	full, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	rest := ""
	for dir := full; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return full
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// projectPlaces are all files that a project names, and its own.
func projectPlaces(p *project.Project) []place {
	out := []place{{"project file", p.Name}}
	for i := range p.Suites {
		s := &p.Suites[i]
		for _, x := range []place{
			{"cases", s.Cases}, {"fixtures", s.Fixtures}, {"gate", s.Gate},
			{"baseline", s.Baseline}, {"baseline", s.BaselineMarkdown()},
			{"report", s.JSON}, {"report", s.Markdown},
		} {
			if x.name != "" {
				out = append(out, place{x.what + " of suite " + s.Name, p.Display(x.name)})
			}
		}
	}
	return out
}

// checkProject refuses a project of which one file would be written over another:
// by their names they differ, which was seen to when the project was read, but a
// link may lead to the same place.
func checkProject(p *project.Project) error {
	var reads, writes []place
	for _, x := range projectPlaces(p) {
		if what, _, _ := strings.Cut(x.what, " "); what == "report" || what == "baseline" {
			writes = append(writes, x)
		} else {
			reads = append(reads, x)
		}
	}
	var errs []error
	for _, x := range writes {
		errs = append(errs, writesOver(x.name, reads, nil))
		reads = append(reads, x) // and not over one another
	}
	return errors.Join(errs...)
}

package project_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/karat-eval/karat/internal/project"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, project.DefaultName)
	const content = `
suites:
  - {name: search, kind: retrieval, cases: testdata/cases.yaml, fixtures: testdata/fixtures, gate: testdata/gate.yaml}
  - {name: agent, kind: diagnosis, cases: agent/cases.yaml, traces: agent/traces}
`
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	p, err := project.Open(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	for _, s := range p.Suites {
		fmt.Println(s.Name, s.Kind, s.Fixtures)
	}
	// Output:
	// search retrieval testdata/fixtures
	// agent diagnosis agent/traces
}

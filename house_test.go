package karat_test

import (
	"encoding/json"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/karat-eval/karat"

// pkg is what the go command tells of a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	require.NoError(t, err)
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		require.NoError(t, dec.Decode(&p))
		all = append(all, p)
	}
	require.NotEmpty(t, all)
	return all
}

// room is a package's path inside the module, "." for its root.
func room(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// arrows is the table of the house: which rooms a room may import. A room that
// is not listed may not be imported and has to be added here, with its arrows,
// when it is built.
var arrows = map[string][]string{
	"evaluation":          {},
	"evaluation/keyword":  {},
	"evaluation/suite":    {"evaluation"},
	"evaluation/compare":  {"evaluation", "internal/stats"},
	"evaluation/gate":     {"evaluation", "evaluation/compare", "internal/input"},
	"evaluation/run":      {"evaluation", "evaluation/compare", "evaluation/gate"},
	"evaluation/render":   {"evaluation", "evaluation/compare", "evaluation/gate", "internal/text"},
	"evaluation/evaltest": {"evaluation", "evaluation/compare", "evaluation/gate", "evaluation/render", "evaluation/suite", "internal/text"},
	"retrieval/measure":   {},
	"retrieval/trec":      {"retrieval/measure", "internal/stats", "internal/atomicfile", "internal/text"},
	"retrieval":           {"evaluation", "evaluation/keyword", "evaluation/suite", "internal/input", "internal/jsonscan", "internal/suitefiles", "retrieval/measure"},
	"diagnosis":           {"evaluation", "evaluation/keyword", "evaluation/suite", "internal/input", "internal/jsonscan", "internal/suitefiles"},
	"retrieval/evalset":   {"internal/input", "retrieval"},
	"internal/project":    {"internal/atomicfile", "internal/input", "internal/text"},
	"internal/schema":     {"diagnosis", "evaluation/gate", "evaluation/keyword", "internal/project", "retrieval"},
	"internal/input":      {},
	"internal/jsonscan":   {},
	"internal/suitefiles": {"evaluation/keyword", "evaluation/suite", "internal/input"},
	"internal/stats":      {},
	"internal/text":       {},
	"internal/atomicfile": {},
}

func TestRoomsImportOnlyWhatTheTableOfTheHouseAllows(t *testing.T) {
	for _, p := range packages(t) {
		from, _ := room(p.ImportPath)
		if from == "." || strings.HasPrefix(from, "cmd/") {
			continue
		}
		allowed, listed := arrows[from]
		if !listed {
			t.Errorf("%s is not in the table of the house", from)
		}
		for _, imported := range p.Imports {
			if to, ours := room(imported); ours && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s, and the table has no such arrow", from, to)
			}
		}
	}
}

func TestPackagesThatUsersImportPullInNoTestOrCommandLibrary(t *testing.T) {
	forbidden := []string{"github.com/sebdah/goldie", "github.com/stretchr/testify", "github.com/spf13/", "github.com/google/go-cmp", "pgregory.net/rapid", "github.com/rogpeppe/"}
	for _, p := range packages(t) {
		from, _ := room(p.ImportPath)
		if strings.HasPrefix(from, "cmd/") {
			continue
		}
		for _, dep := range p.Deps {
			for _, f := range forbidden {
				if strings.HasPrefix(dep, f) {
					t.Errorf("%s pulls in %s", from, dep)
				}
			}
			if from != "evaluation/evaltest" && dep == "testing" {
				t.Errorf("%s pulls in package testing", from)
			}
		}
	}
}

func TestMeasureImportsTheStandardLibraryOnly(t *testing.T) {
	for _, p := range packages(t) {
		if from, _ := room(p.ImportPath); from != "retrieval/measure" {
			continue
		}
		for _, dep := range p.Deps {
			if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") {
				t.Errorf("retrieval/measure pulls in %s", dep)
			}
		}
	}
}

// The flag -update is goldie's. A package whose tests do not have it would fail
// `go test ./... -update`.
func TestEveryTestedPackageHasTheUpdateFlag(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		if !slices.Contains(p.TestImports, "github.com/sebdah/goldie/v2") && !slices.Contains(p.XTestImports, "github.com/sebdah/goldie/v2") {
			t.Errorf("%s has tests, and none of their files imports goldie: add an update_test.go with a blank import", path.Base(p.ImportPath))
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// caseFile is the little of cases.yaml that a recording needs; the rest is read
// and checked by karat itself.
type caseFile struct {
	Defaults caseEntry   `yaml:"defaults"`
	Cases    []caseEntry `yaml:"cases"`
}

type caseEntry struct {
	ID         string      `yaml:"id"`
	Query      string      `yaml:"query"`
	ScenarioID string      `yaml:"scenario_id"`
	Turns      []caseEntry `yaml:"turns"`
}

// flat lists the cases in order, those nested in a conversation among them,
// with what they inherit filled in.
func (f caseFile) flat() []caseEntry {
	var cases []caseEntry
	var add func(entries []caseEntry, scenario string)
	add = func(entries []caseEntry, scenario string) {
		for _, e := range entries {
			if e.ScenarioID == "" {
				e.ScenarioID = scenario
			}
			if len(e.Turns) > 0 {
				add(e.Turns, e.ScenarioID)
				continue
			}
			cases = append(cases, e)
		}
	}
	add(f.Cases, f.Defaults.ScenarioID)
	return cases
}

// recipeFile is recordings.yaml: one recording per case.
type recipeFile struct {
	Version    int         `yaml:"version"`
	Recordings []recording `yaml:"recordings"`
}

// A recording says how one case is searched, and gives by hand what a search
// does not.
type recording struct {
	Case           string         `yaml:"case"`
	RewrittenQuery string         `yaml:"rewritten_query"` // searched for in place of the query
	Search         searchSettings `yaml:"search"`
	HitType        string         `yaml:"hit_type"`
	Source         string         `yaml:"source"`
	PromptProfile  string         `yaml:"prompt_profile"`
	Answer         *string        `yaml:"answer"`
	Citations      []any          `yaml:"citations"`
	DurationMS     int            `yaml:"duration_ms"`
	FirstTokenMS   int            `yaml:"first_token_ms"`
	WarmUp         bool           `yaml:"warm_up"`
	Notes          string         `yaml:"notes"` // for readers; recorded nowhere
}

type searchSettings struct {
	AllScenarios bool   `yaml:"all_scenarios"` // the scenario filter got lost
	Source       string `yaml:"source"`        // only this source was searched
}

// A fixture is written in this order of fields.
type fixture struct {
	CaseID         string      `json:"case_id"`
	Query          string      `json:"query"`
	RewrittenQuery string      `json:"rewritten_query,omitempty"`
	Candidates     []candidate `json:"candidates"`
	HitType        string      `json:"hit_type,omitempty"`
	Source         string      `json:"source,omitempty"`
	PromptProfile  string      `json:"prompt_profile,omitempty"`
	Answer         *string     `json:"answer,omitempty"`
	Citations      []any       `json:"citations,omitempty"`
	DurationMS     int         `json:"duration_ms,omitempty"`
	FirstTokenMS   int         `json:"first_token_ms,omitempty"`
	WarmUp         bool        `json:"warm_up,omitempty"`
}

type candidate struct {
	ID         string   `json:"id"`
	DocumentID string   `json:"document_id"`
	Label      string   `json:"label"`
	Source     string   `json:"source"`
	ScenarioID string   `json:"scenario_id"`
	Breadcrumb []string `json:"breadcrumb"`
	Score      float64  `json:"score"`
	Text       string   `json:"text"`
}

// record searches for every case of the set under testdata and returns the
// fixtures' bytes by file name.
func record(testdata string) (map[string][]byte, error) {
	var set caseFile
	if err := readYAML(filepath.Join(testdata, "retrieval", "cases.yaml"), &set, false); err != nil {
		return nil, err
	}
	var recipe recipeFile
	if err := readYAML(filepath.Join(testdata, "retrieval", "recordings.yaml"), &recipe, true); err != nil {
		return nil, err
	}
	cases := set.flat()
	recordings, err := pair(cases, recipe.Recordings)
	if err != nil {
		return nil, fmt.Errorf("recordings.yaml: %w", err)
	}
	chunks, err := readKnowledge(os.DirFS(filepath.Join(testdata, "knowledge")))
	if err != nil {
		return nil, err
	}
	search, err := newEngine(chunks)
	if err != nil {
		return nil, err
	}
	defer search.close()

	fixtures := make(map[string][]byte, len(cases))
	for _, c := range cases {
		f, err := recordCase(search, c, recordings[c.ID])
		if err != nil {
			return nil, fmt.Errorf("case %q: %w", c.ID, err)
		}
		if fixtures[c.ID+".json"], err = encode(f); err != nil {
			return nil, fmt.Errorf("case %q: %w", c.ID, err)
		}
	}
	return fixtures, nil
}

func recordCase(search *engine, c caseEntry, r recording) (fixture, error) {
	query, scenario := c.Query, c.ScenarioID
	if r.RewrittenQuery != "" {
		query = r.RewrittenQuery
	}
	if r.Search.AllScenarios {
		scenario = ""
	}
	hits, err := search.search(query, scenario, r.Search.Source)
	if err != nil {
		return fixture{}, err
	}
	candidates := make([]candidate, 0, len(hits))
	for _, h := range hits {
		candidates = append(candidates, candidate{
			ID: h.ID, DocumentID: h.DocumentID, Label: h.label(), Source: h.Source,
			ScenarioID: h.ScenarioID, Breadcrumb: h.Breadcrumb, Score: h.Score, Text: h.Text,
		})
	}
	return fixture{
		CaseID: c.ID, Query: c.Query, RewrittenQuery: r.RewrittenQuery, Candidates: candidates,
		HitType: r.HitType, Source: r.Source, PromptProfile: r.PromptProfile,
		Answer: r.Answer, Citations: r.Citations,
		DurationMS: r.DurationMS, FirstTokenMS: r.FirstTokenMS, WarmUp: r.WarmUp,
	}, nil
}

// pair finds the one recording of each case. A case without one, or a recording
// without a case, is a mistake in the recipe.
func pair(cases []caseEntry, recordings []recording) (map[string]recording, error) {
	var problems []error
	byCase := make(map[string]recording, len(recordings))
	for _, r := range recordings {
		if _, twice := byCase[r.Case]; twice {
			problems = append(problems, fmt.Errorf("case %q is recorded twice", r.Case))
		}
		byCase[r.Case] = r
		if !slices.ContainsFunc(cases, func(c caseEntry) bool { return c.ID == r.Case }) {
			problems = append(problems, fmt.Errorf("there is no case %q", r.Case))
		}
	}
	for _, c := range cases {
		if _, ok := byCase[c.ID]; !ok {
			problems = append(problems, fmt.Errorf("no recording for case %q", c.ID))
		}
	}
	return byCase, errors.Join(problems...)
}

func readYAML(name string, into any, strict bool) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(strict)
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", filepath.ToSlash(name), err)
	}
	return nil
}

func encode(f fixture) ([]byte, error) {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(f)
	return buf.Bytes(), err
}

// write puts the fixtures into a folder. A fixture left there by a case that is
// gone is an error: it is for a person to delete.
func write(folder string, fixtures map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, claimed := fixtures[e.Name()]; !claimed && strings.HasSuffix(e.Name(), ".json") {
			return fmt.Errorf("%s: no case claims this fixture; delete it or restore the case", filepath.ToSlash(filepath.Join(folder, e.Name())))
		}
	}
	for name, data := range fixtures {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

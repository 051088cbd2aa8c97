package compare

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/karat-eval/karat/evaluation"
)

// Schema names the format that [Comparison.WriteJSON] writes, and its version.
const Schema = "karat/comparison/v1"

type jsonComparison struct {
	Schema       string           `json:"schema"`
	Suite        string           `json:"suite"`
	Worse        bool             `json:"worse"`
	Incomparable string           `json:"incomparable,omitempty"`
	Counts       map[Kind]int     `json:"counts"`
	Cases        []jsonCase       `json:"cases"`
	Metrics      []jsonDelta      `json:"metrics"`
	Slices       []jsonSlice      `json:"slices"`
	Transitions  []jsonTransition `json:"transitions"`
	Statistics   *jsonStatistics  `json:"statistics,omitempty"`
}

type jsonCase struct {
	ID      string       `json:"id"`
	Kind    Kind         `json:"kind"`
	Why     string       `json:"why,omitempty"`
	Old     string       `json:"old_status,omitempty"`
	New     string       `json:"new_status,omitempty"`
	Changes []jsonChange `json:"changes"`
}

type jsonChange struct {
	Of        string `json:"of"`
	Name      string `json:"name"`
	Old       string `json:"old,omitempty"`
	New       string `json:"new,omitempty"`
	Direction string `json:"direction"`
	Decides   bool   `json:"decides"`
	Text      string `json:"text"`
}

type jsonDelta struct {
	Name      string         `json:"name"`
	Bucket    string         `json:"bucket,omitempty"`
	Better    string         `json:"better,omitempty"`
	Old       jsonEntry      `json:"old"`
	New       jsonEntry      `json:"new"`
	Change    jsontext.Value `json:"change"`
	Direction string         `json:"direction"`
}

type jsonEntry struct {
	Value jsontext.Value `json:"value"`
	N     int            `json:"n"`
	Why   string         `json:"why,omitempty"`
}

type jsonSlice struct {
	Label    string      `json:"label"`
	Value    string      `json:"value"`
	OldCases int         `json:"old_cases"`
	NewCases int         `json:"new_cases"`
	Metrics  []jsonDelta `json:"metrics"`
}

type jsonTransition struct {
	Fact  string   `json:"fact"`
	From  string   `json:"from"`
	To    string   `json:"to"`
	Cases []string `json:"cases"`
}

// String gives "worse", "better", or "none" where neither can be said.
func (d Direction) String() string {
	switch d {
	case Worse:
		return "worse"
	case Better:
		return "better"
	}
	return "none"
}

// WriteJSON writes the comparison as JSON: two-space indent, a last newline, no
// null lists. Equal cases are counted and not listed, and metrics without a
// value on both sides are left out. Equal comparisons are equal bytes.
func (c *Comparison) WriteJSON(w io.Writer) error {
	out := jsonComparison{
		Schema: Schema, Suite: c.New.Suite, Worse: c.Worse(), Incomparable: c.Incomparable,
		Counts: map[Kind]int{}, Metrics: jsonDeltas(c.Metrics), Statistics: c.Statistics.json(),
	}
	for _, k := range Kinds {
		out.Counts[k] = c.Count(k)
	}
	for i := range c.Cases {
		x := &c.Cases[i]
		if x.Kind == Equal {
			continue
		}
		j := jsonCase{ID: x.ID, Kind: x.Kind, Why: x.Why}
		if x.Old != nil {
			j.Old = string(x.Old.Status)
		}
		if x.New != nil {
			j.New = string(x.New.Status)
		}
		for _, ch := range x.Changes {
			j.Changes = append(j.Changes, jsonChange{ch.Of, ch.Name, ch.Old, ch.New, ch.Direction.String(), ch.Decides, ch.String()})
		}
		out.Cases = append(out.Cases, j)
	}
	for _, s := range c.Slices {
		out.Slices = append(out.Slices, jsonSlice{s.Label, s.Value, s.OldCases, s.NewCases, jsonDeltas(s.Metrics)})
	}
	for _, t := range c.Transitions {
		out.Transitions = append(out.Transitions, jsonTransition(t))
	}
	b, err := json.Marshal(&out, jsontext.WithIndent("  "), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

func jsonDeltas(deltas []Delta) []jsonDelta {
	var out []jsonDelta
	for _, d := range deltas {
		if !d.Old.OK && !d.New.OK {
			continue
		}
		change := jsontext.Value("null")
		if d.Old.OK && d.New.OK {
			change = number(d.Change())
		}
		out = append(out, jsonDelta{d.Name, d.Bucket, string(d.Metric.Better), entry(d.Old), entry(d.New), change, d.Direction().String()})
	}
	return out
}

func entry(e evaluation.Entry) jsonEntry {
	if !e.OK {
		return jsonEntry{Value: jsontext.Value("null"), Why: e.Why}
	}
	return jsonEntry{Value: number(e.Value), N: e.N}
}

func number(v float64) jsontext.Value { return jsontext.Value(evaluation.Number(v)) }

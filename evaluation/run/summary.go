package run

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/karat-eval/karat/evaluation"
)

// Schema names the format that [Summary.WriteJSON] writes, and its version.
const Schema = "karat/run/v1"

// Status is how a suite, or a whole run, came out.
type Status string

const (
	// Pass: all is well.
	Pass Status = "pass"
	// Fail: the gate did not pass, a case is worse than the baseline, or, with
	// neither, a case does not pass.
	Fail Status = "fail"
	// Error: the suite could not be evaluated.
	Error Status = "error"
)

// Summary is a run of several suites: what is kept of it to see the trend.
type Summary struct {
	// Suites are in the order in which they ran.
	Suites []Suite
}

// Suite is the outcome of one suite of a run.
type Suite struct {
	Name, Kind string
	Status     Status
	// Verdict says on one line how it came out; empty where Error is set.
	Verdict string
	// Error says why the suite could not be evaluated.
	Error string
	// Definition is the report's, without its facts.
	Definition evaluation.Definition
	// Entries are the report's summary, in the order of the definition's
	// metrics.
	Entries []evaluation.Entry
	// NotPassing, Worse and Fixed are ids of cases; see the methods of [Verdict].
	NotPassing, Worse, Fixed []string
	// Rules are the gate's rules that do not pass.
	Rules []Rule
}

// Rule is a rule of a gate that does not pass.
type Rule struct {
	// Rule says what is asked: "recall@5 ≥ 0.8, tag = logs".
	Rule string `json:"rule"`
	// State is fail, unmeasured or insufficient.
	State string `json:"state"`
	// Reason says why the rule has its state.
	Reason string `json:"reason"`
	// Cases are the ids of the cases that pulled the metric down, worst first.
	Cases []string `json:"cases"`
}

// NewSuite is the outcome of a suite that was judged.
func NewSuite(name, kind string, v *Verdict) Suite {
	s := Suite{
		Name: name, Kind: kind, Status: Pass, Verdict: v.String(),
		Definition: v.Report.Definition, Entries: v.Report.Summary,
		NotPassing: v.NotPassing(), Worse: v.Worse(), Fixed: v.Fixed(),
	}
	s.Definition.Facts = nil
	if !v.Passed() {
		s.Status = Fail
	}
	if v.Gate != nil {
		failed := v.Gate.Failed()
		for i := range failed {
			r := &failed[i]
			out := Rule{Rule: r.Requirement() + ", " + r.Place(), State: string(r.State), Reason: r.Reason, Cases: []string{}}
			for _, c := range r.Cases {
				out.Cases = append(out.Cases, c.ID)
			}
			s.Rules = append(s.Rules, out)
		}
	}
	return s
}

// FailedSuite is the outcome of a suite that could not be evaluated.
func FailedSuite(name, kind string, err error) Suite {
	return Suite{Name: name, Kind: kind, Status: Error, Error: err.Error()}
}

// Status is that of the suite that came out worst; a run without suites is an
// Error.
func (s *Summary) Status() Status {
	status := Pass
	for i := range s.Suites {
		switch s.Suites[i].Status {
		case Pass:
		case Fail:
			if status == Pass {
				status = Fail
			}
		default:
			return Error
		}
	}
	if len(s.Suites) == 0 {
		return Error
	}
	return status
}

type jsonSummary struct {
	Schema string      `json:"schema"`
	Status Status      `json:"status"`
	Suites []jsonSuite `json:"suites"`
}

type jsonSuite struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Status  Status `json:"status"`
	Verdict string `json:"verdict,omitempty"`
	Error   string `json:"error,omitempty"`
	// Report is the schema of the suite's report. What follows of it is as it
	// stands there.
	Report     string         `json:"report,omitempty"`
	Config     jsontext.Value `json:"config,omitzero"`
	Metrics    jsontext.Value `json:"metrics,omitzero"`
	Summary    jsontext.Value `json:"summary,omitzero"`
	NotPassing []string       `json:"not_passing"`
	Worse      []string       `json:"worse"`
	Fixed      []string       `json:"fixed"`
	Rules      []Rule         `json:"failed_rules"`
}

// WriteJSON writes the summary as JSON: two-space indent, a last newline, no null
// lists. Equal summaries are equal bytes.
func (s *Summary) WriteJSON(w io.Writer) error {
	out := jsonSummary{Schema: Schema, Status: s.Status(), Suites: make([]jsonSuite, len(s.Suites))}
	for i := range s.Suites {
		x, j := &s.Suites[i], &out.Suites[i]
		*j = jsonSuite{
			Name: x.Name, Kind: x.Kind, Status: x.Status, Verdict: x.Verdict, Error: x.Error,
			Report: x.Definition.Schema, NotPassing: x.NotPassing, Worse: x.Worse, Fixed: x.Fixed, Rules: x.Rules,
		}
		if x.Definition.Schema == "" {
			continue
		}
		// A report without rows has all that is wanted, in the report's own form.
		whole, err := (&evaluation.Report{Definition: x.Definition, Summary: x.Entries}).MarshalJSON()
		if err != nil {
			return err
		}
		var parts struct {
			Config  jsontext.Value `json:"config"`
			Metrics jsontext.Value `json:"metrics"`
			Summary jsontext.Value `json:"summary"`
		}
		if err := json.Unmarshal(whole, &parts); err != nil {
			return err
		}
		j.Config, j.Metrics, j.Summary = parts.Config, parts.Metrics, parts.Summary
	}
	data, err := json.Marshal(out, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// Read reads a summary that [Summary.WriteJSON] wrote. Unknown members are
// ignored. An entry without a value has none; nothing is made up for it.
func Read(r io.Reader) (*Summary, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var in jsonSummary
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("not a summary of a run: %w", plain(err))
	}
	if in.Schema != Schema {
		return nil, fmt.Errorf("not a summary of a run: its schema is %q; %q is needed", in.Schema, Schema)
	}
	if len(in.Suites) == 0 {
		return nil, errors.New("not a summary of a run: it has no suites")
	}
	s := &Summary{}
	for i := range in.Suites {
		j := &in.Suites[i]
		x := Suite{
			Name: j.Name, Kind: j.Kind, Status: j.Status, Verdict: j.Verdict, Error: j.Error,
			Definition: evaluation.Definition{Schema: j.Report, Suite: j.Name},
			NotPassing: j.NotPassing, Worse: j.Worse, Fixed: j.Fixed, Rules: j.Rules,
		}
		err := errors.Join(
			members(j.Config, func(name string, value jsontext.Value) error { return x.setting(name, value) }),
			members(j.Metrics, func(name string, value jsontext.Value) error { return x.metric(name, value) }),
			members(j.Summary, func(name string, value jsontext.Value) error { return x.entry(name, value) }),
		)
		if err != nil {
			return nil, fmt.Errorf("not a summary of a run: suite %q: %w", j.Name, plain(err))
		}
		s.Suites = append(s.Suites, x)
	}
	return s, nil
}

// plain takes the Go types out of an error of the JSON library.
func plain(err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return fmt.Errorf("%s is not what belongs there", semantic.JSONPointer)
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return fmt.Errorf("byte %d: %w", syntactic.ByteOffset, syntactic.Err)
	}
	return err
}

// members calls f for each member of an object, in order.
func members(object jsontext.Value, f func(name string, value jsontext.Value) error) error {
	if len(object) == 0 {
		return nil
	}
	if object.Kind() != '{' {
		return fmt.Errorf("an object is needed, found %.20s", object)
	}
	var m orderedMembers
	if err := json.Unmarshal(object, &m); err != nil {
		return err
	}
	for _, x := range m {
		if err := f(x.name, x.value); err != nil {
			return err
		}
	}
	return nil
}

type orderedMembers []struct {
	name  string
	value jsontext.Value
}

// UnmarshalJSONFrom keeps the order of an object's members.
func (m *orderedMembers) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		*m = append(*m, struct {
			name  string
			value jsontext.Value
		}{key, value.Clone()})
	}
	_, err := d.ReadToken()
	return err
}

func (s *Suite) setting(name string, value jsontext.Value) error {
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	s.Definition.Config = append(s.Definition.Config, evaluation.Setting{Name: name, Value: v})
	return nil
}

func (s *Suite) metric(name string, value jsontext.Value) error {
	var v struct {
		Better      evaluation.Better      `json:"better"`
		Min         *float64               `json:"min"`
		Max         *float64               `json:"max"`
		Unit        string                 `json:"unit"`
		Aggregation evaluation.Aggregation `json:"aggregation"`
		Of          string                 `json:"of"`
		Equals      string                 `json:"equals"`
		P           float64                `json:"p"`
		Except      string                 `json:"except"`
	}
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	m := evaluation.Metric{
		Name: name, Better: v.Better, Min: math.Inf(-1), Max: math.Inf(1), Unit: v.Unit,
		Aggregation: v.Aggregation, Of: v.Of, Equals: v.Equals, P: v.P, Except: v.Except,
	}
	if v.Min != nil {
		m.Min = *v.Min
	}
	if v.Max != nil {
		m.Max = *v.Max
	}
	s.Definition.Metrics = append(s.Definition.Metrics, m)
	return nil
}

func (s *Suite) entry(name string, value jsontext.Value) error {
	e := evaluation.Entry{Name: name}
	if value.Kind() != '{' {
		e.Why = "the summary states no value"
		s.Entries = append(s.Entries, e)
		return nil
	}
	err := members(value, func(member string, value jsontext.Value) error {
		switch {
		case member == "value" && value.Kind() == '0':
			e.OK = true
			return json.Unmarshal(value, &e.Value)
		case member == "n" && value.Kind() == '0':
			var n float64
			err := json.Unmarshal(value, &n)
			e.N = int(n)
			return err
		case member == "why" && value.Kind() == '"':
			return json.Unmarshal(value, &e.Why)
		case value.Kind() == '{': // one count of a distribution
			var b struct {
				Value int `json:"value"`
				N     int `json:"n"`
			}
			if err := json.Unmarshal(value, &b); err != nil {
				return err
			}
			e.Buckets = append(e.Buckets, evaluation.Bucket{Name: member, Count: b.Value})
			e.N = b.N
		}
		return nil
	})
	switch {
	case e.OK || e.Why != "":
	case e.Buckets != nil:
		e.Why = "a distribution has no single value"
	default:
		e.Why = "the summary states no value"
	}
	s.Entries = append(s.Entries, e)
	return err
}

package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/karat-eval/karat/evaluation"
)

// RunSchema names the format of run summaries, and its version.
const RunSchema = "karat/run/v1"

// Run is the summary of one run of all suites of a project: small enough to be
// kept for every release, and what a trend is made of.
type Run struct {
	Suites []RunSuite
}

// RunSuite is one suite of a run.
type RunSuite struct {
	// Name is the suite's, Kind its domain: retrieval, diagnosis, …
	Name, Kind string
	// Status is pass; fail, where the gate did not pass, a case is worse than the
	// baseline, or one that neither judges does not pass; or error, where the suite
	// could not be evaluated. Empty where nobody has judged the suite.
	Status string
	// Verdict says on one line how it came out, Failing why it could not be
	// evaluated.
	Verdict, Failing string
	// NotPassing and WorseCases are the ids of the cases that do not pass, and of
	// those that are worse than the baseline.
	NotPassing, WorseCases []string
	// Gate is how the suite's gate came out; nil where it has none.
	Gate *RunGate
	// Worse is the number of cases that were worse than the baseline; nil where
	// there was none to compare with.
	Worse *int
	// Pass, Fail, NotRun and Error count the cases by status.
	Pass, Fail, NotRun, Error int
	// Summary has the metrics of the report, in its order; distributions, which
	// have no single value, are left out.
	Summary []RunEntry
}

// RunGate is the outcome of a gate.
type RunGate struct {
	Passed bool `json:"passed"`
	// Verdict says on one line on what that rests.
	Verdict string `json:"verdict"`
}

// RunEntry is one metric of a run.
type RunEntry struct {
	// Entry is the metric's value with its n, or why it has none.
	evaluation.Entry
	// Better is the metric's direction, Unit its unit.
	Better evaluation.Better
	Unit   string
}

// NewRunSuite gives the summary of one report. The gate's outcome and the number
// of cases that are worse are for the caller to add.
func NewRunSuite(kind string, r *evaluation.Report) RunSuite {
	s := RunSuite{Name: r.Suite, Kind: kind}
	for i := range r.Rows {
		switch r.Rows[i].Status {
		case evaluation.Pass:
			s.Pass++
		case evaluation.Fail:
			s.Fail++
		case evaluation.NotRun:
			s.NotRun++
		case evaluation.Error:
			s.Error++
		}
	}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if m.Aggregation == evaluation.Distribution {
			continue
		}
		e, ok := r.Entry(m.Name)
		if !ok {
			e = evaluation.Entry{Name: m.Name, Why: "the report does not state it"}
		}
		s.Summary = append(s.Summary, RunEntry{Entry: e, Better: m.Better, Unit: m.Unit})
	}
	return s
}

type jsonRun struct {
	Schema string         `json:"schema"`
	Suites []jsonRunSuite `json:"suites"`
}

type jsonRunSuite struct {
	Name    string      `json:"name"`
	Kind    string      `json:"kind"`
	Status  string      `json:"status,omitempty"`
	Verdict string      `json:"verdict,omitempty"`
	Failing string      `json:"error,omitempty"`
	Gate    *RunGate    `json:"gate,omitempty"`
	Worse   *int        `json:"worse,omitempty"`
	Counts  jsonCounts  `json:"counts"`
	Summary jsonSummary `json:"summary"`

	NotPassing []string `json:"not_passing,omitempty"`
	WorseCases []string `json:"worse_cases,omitempty"`
}

type jsonCounts struct {
	Pass   int `json:"pass"`
	Fail   int `json:"fail"`
	NotRun int `json:"not_run"`
	Error  int `json:"error"`
}

// jsonSummary is an object by the names of metrics, in their order.
type jsonSummary []RunEntry

type jsonRunEntry struct {
	Value  *jsonNumber       `json:"value"`
	N      int               `json:"n"`
	Why    string            `json:"why,omitempty"`
	Better evaluation.Better `json:"better,omitempty"`
	Unit   string            `json:"unit,omitempty"`
}

// MarshalJSONTo writes the summary.
func (s jsonSummary) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for i := range s {
		x := &s[i]
		j := jsonRunEntry{Why: x.Why, Better: x.Better, Unit: x.Unit}
		if x.OK {
			v := jsonNumber(x.Value)
			j.Value, j.N, j.Why = &v, x.N, ""
		}
		if err := errors.Join(e.WriteToken(jsontext.String(x.Name)), json.MarshalEncode(e, &j)); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads the summary.
func (s *jsonSummary) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if k := d.PeekKind(); k != '{' {
		return fmt.Errorf("%s: an object is needed, found %s", d.StackPointer(), k)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		var j jsonRunEntry
		if err := json.UnmarshalDecode(d, &j); err != nil {
			return err
		}
		x := RunEntry{Entry: evaluation.Entry{Name: name, Why: j.Why}, Better: j.Better, Unit: j.Unit}
		if j.Value != nil {
			x.Value, x.OK, x.N, x.Why = float64(*j.Value), true, j.N, ""
			if why := x.impossible(); why != "" {
				x.Entry = evaluation.Entry{Name: name, Why: why}
			}
		}
		*s = append(*s, x)
	}
	_, err := d.ReadToken()
	return err
}

// impossible says why a stated value is none: a sentinel of -1, a value over no
// cases.
func (e *RunEntry) impossible() string {
	low, high := math.Inf(-1), math.Inf(1)
	switch e.Unit {
	case "ratio":
		low, high = 0, 1
	case "count", "rank", "ms", "tokens", "calls":
		low = 0
	}
	switch {
	case e.N < 1:
		return fmt.Sprintf("the run states %s over n = %d cases", evaluation.Number(e.Value), e.N)
	case e.Value < low-tolerance || e.Value > high+tolerance:
		return fmt.Sprintf("the run states %s, which no %s can be", evaluation.Number(e.Value), e.Unit)
	}
	return ""
}

// WriteJSON writes the run summary as JSON: two-space indent, a last newline, no
// null lists. Equal summaries are equal bytes.
func (r *Run) WriteJSON(w io.Writer) error {
	out := jsonRun{Schema: RunSchema}
	for i := range r.Suites {
		s := &r.Suites[i]
		out.Suites = append(out.Suites, jsonRunSuite{
			Name: s.Name, Kind: s.Kind, Status: s.Status, Verdict: s.Verdict, Failing: s.Failing, Gate: s.Gate, Worse: s.Worse,
			Counts: jsonCounts{s.Pass, s.Fail, s.NotRun, s.Error}, Summary: s.Summary,
			NotPassing: s.NotPassing, WorseCases: s.WorseCases,
		})
	}
	return writeJSON(w, &out)
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v, jsontext.WithIndent("  "), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// maxRun is the size in bytes of the largest run that is read.
const maxRun = 1 << 30

// ReadRun reads a run summary, or a report, which stands for a run of its one
// suite: 1 GiB at most. Unknown members are ignored.
func ReadRun(r io.Reader) (*Run, error) {
	// What does not begin as one is not read to its end, which a device may not
	// have.
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	head = head[:n]
	if start := bytes.TrimLeft(head, " \t\r\n"); len(start) > 0 && start[0] != '{' {
		return nil, errors.New("neither a run summary nor a report: it is no JSON object")
	}
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), r), maxRun+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxRun {
		return nil, fmt.Errorf("neither a run summary nor a report: it is over %d bytes", maxRun)
	}
	schema, err := schemaOf(data)
	if err != nil {
		return nil, fmt.Errorf("neither a run summary nor a report: %w", err)
	}
	kind, isReport := reportKind(schema)
	switch {
	case schema == RunSchema:
	case isReport:
		report, err := evaluation.ReadReport(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return &Run{Suites: []RunSuite{NewRunSuite(kind, report)}}, nil
	default:
		return nil, fmt.Errorf("neither a run summary (%s) nor a report: its schema is %q", RunSchema, schema)
	}
	var j jsonRun
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("not a run summary: %w", plain(err))
	}
	if len(j.Suites) == 0 {
		return nil, errors.New("not a run summary: it has no suites")
	}
	for i, s := range j.Suites {
		if slices.ContainsFunc(j.Suites[:i], func(o jsonRunSuite) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("not a run summary: two suites are called %q", s.Name)
		}
	}
	run := &Run{}
	for _, s := range j.Suites {
		run.Suites = append(run.Suites, RunSuite{
			Name: s.Name, Kind: s.Kind, Status: s.Status, Verdict: s.Verdict, Failing: s.Failing, Gate: s.Gate, Worse: s.Worse,
			Pass: s.Counts.Pass, Fail: s.Counts.Fail, NotRun: s.Counts.NotRun, Error: s.Counts.Error, Summary: s.Summary,
			NotPassing: s.NotPassing, WorseCases: s.WorseCases,
		})
	}
	return run, nil
}

// plain says of the JSON library's errors what and where, without its words for
// types of Go.
func plain(err error) error {
	var wrong *json.SemanticError
	var broken *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends too early")
	case errors.As(err, &broken):
		return fmt.Errorf("%w at byte %d", broken.Err, broken.ByteOffset)
	case errors.As(err, &wrong) && wrong.JSONKind != 0:
		found := map[jsontext.Kind]string{'{': "an object", '[': "a list", '"': "a string", '0': "a number", 't': "true", 'f': "false", 'n': "null"}[wrong.JSONKind]
		if wrong.JSONKind == '0' {
			found = "the number " + string(wrong.JSONValue)
		}
		place := string(wrong.JSONPointer)
		if strings.ContainsFunc(place, unicode.IsControl) {
			place = strconv.Quote(place) // a message is one line
		}
		return fmt.Errorf("%s cannot be %s", place, found)
	}
	return err
}

// reportKind takes the domain out of a report's schema,
// "karat/retrieval-report/v1".
func reportKind(schema string) (kind string, ok bool) {
	rest, ours := strings.CutPrefix(schema, "karat/")
	kind, _, ok = strings.Cut(rest, "-report/")
	return kind, ours && ok
}

// schemaOf gives the member schema of a JSON object, which reports write first.
func schemaOf(data []byte) (string, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	if k := d.PeekKind(); k != '{' {
		if len(bytes.TrimSpace(data)) == 0 {
			return "", errors.New("the file is empty")
		}
		return "", errors.New("it is no JSON object")
	}
	if _, err := d.ReadToken(); err != nil {
		return "", err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		if name.String() != "schema" {
			if err := d.SkipValue(); err != nil {
				return "", err
			}
			continue
		}
		v, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		if v.Kind() != '"' {
			return "", errors.New("its schema is no string")
		}
		return v.String(), nil
	}
	if _, err := d.ReadToken(); err != nil {
		return "", err
	}
	return "", errors.New(`it has no "schema"`)
}

// TrendRun is one row of a trend to be.
type TrendRun struct {
	// Label names the run: a date, a version.
	Label string
	Run   *Run
}

// TrendOptions adjusts a trend.
type TrendOptions struct {
	// Metrics are the columns, in this order, of every suite that has them.
	// Where none are named, they are the metrics that have a better direction
	// and are no count, no time and no number of tokens.
	Metrics []string
}

// Trend is a table of runs: a row for each run, a column for each metric.
type Trend struct {
	Columns []TrendColumn
	Rows    []TrendRow
}

// TrendColumn is one metric of one suite.
type TrendColumn struct {
	// Suite is empty where every run has one suite, all of one kind.
	Suite  string            `json:"suite,omitempty"`
	Metric string            `json:"metric"`
	Better evaluation.Better `json:"better,omitempty"`
	Unit   string            `json:"unit,omitempty"`
}

// TrendRow is one run.
type TrendRow struct {
	Label string
	// Cells has one cell for each column.
	Cells []TrendCell
}

// TrendCell is one metric of one run.
type TrendCell struct {
	evaluation.Entry
	// Fell says that the value is worse than in the last run before that has
	// one, by more than 0.01, or that it was lost. A metric of which less is
	// better falls by rising. Times and numbers of tokens, which differ between
	// two runs of the same system, fall by more than a tenth.
	Fell bool
}

// Fall that is marked, and the part of a volatile value.
const (
	markedFall         = 0.01
	markedVolatileFall = 0.1
)

// NewTrend makes the table of the runs, in their order. It is an error where
// there are none, and where a metric is named that no run has.
func NewTrend(runs []TrendRun, o TrendOptions) (*Trend, error) {
	if len(runs) == 0 {
		return nil, errors.New("no runs: a trend needs at least one")
	}
	single := true
	kind := ""
	for i, r := range runs {
		if len(r.Run.Suites) != 1 || i > 0 && r.Run.Suites[0].Kind != kind {
			single = false
			break
		}
		kind = r.Run.Suites[0].Kind
	}
	t := &Trend{Rows: make([]TrendRow, len(runs))}
	type key struct{ suite, metric string }
	values := make([]map[key]*RunEntry, len(runs))
	columns := map[key]int{}
	valued := map[key]bool{}
	for i, r := range runs {
		t.Rows[i].Label = r.Label
		values[i] = map[key]*RunEntry{}
		for j := range r.Run.Suites {
			s := &r.Run.Suites[j]
			for l := range s.Summary {
				e := &s.Summary[l]
				k := key{s.Name, e.Name}
				if single {
					k.suite = ""
				}
				values[i][k] = e
				valued[k] = valued[k] || e.OK
				c := TrendColumn{Suite: k.suite, Metric: e.Name, Better: e.Better, Unit: e.Unit}
				if at, ok := columns[k]; ok {
					if c.Better != "" {
						t.Columns[at] = c // the newest run that can describes it
					}
					continue
				}
				columns[k] = len(t.Columns)
				t.Columns = append(t.Columns, c)
			}
		}
	}
	for _, name := range o.Metrics {
		if !slices.ContainsFunc(t.Columns, func(c TrendColumn) bool { return c.Metric == name }) {
			return nil, fmt.Errorf("no run has a metric %q", name)
		}
	}
	t.Columns = slices.DeleteFunc(t.Columns, func(c TrendColumn) bool {
		if len(o.Metrics) > 0 {
			return !slices.Contains(o.Metrics, c.Metric)
		}
		return !valued[key{c.Suite, c.Metric}] || !inTrend(&c)
	})
	if len(o.Metrics) > 0 {
		slices.SortStableFunc(t.Columns, func(a, b TrendColumn) int {
			return slices.Index(o.Metrics, a.Metric) - slices.Index(o.Metrics, b.Metric)
		})
	}
	last := make([]*RunEntry, len(t.Columns))
	for i := range runs {
		cells := make([]TrendCell, len(t.Columns))
		for j, c := range t.Columns {
			e := values[i][key{c.Suite, c.Metric}]
			if e == nil {
				e = &RunEntry{Entry: evaluation.Entry{Name: c.Metric, Why: "the run does not have it"}}
			}
			cells[j] = TrendCell{Entry: e.Entry, Fell: fell(&c, last[j], e)}
			if e.OK {
				last[j] = e
			}
		}
		t.Rows[i].Cells = cells
	}
	return t, nil
}

// inTrend reports whether a metric has a column without being asked for.
func inTrend(c *TrendColumn) bool {
	if c.Better != evaluation.Higher && c.Better != evaluation.Lower {
		return false
	}
	return c.Unit != "count" && !volatileUnit(c.Unit)
}

func volatileUnit(unit string) bool {
	m := evaluation.Metric{Unit: unit}
	return m.Volatile()
}

func fell(c *TrendColumn, last, e *RunEntry) bool {
	if last == nil {
		return false
	}
	if !e.OK {
		return true
	}
	fall := last.Value - e.Value
	switch c.Better {
	case evaluation.Higher:
	case evaluation.Lower:
		fall = -fall
	default:
		return false
	}
	marked := markedFall
	if volatileUnit(c.Unit) {
		marked = markedVolatileFall * math.Abs(last.Value)
	}
	return fall > marked+tolerance
}

// TrendSchema names the format that [Trend.WriteJSON] writes, and its version.
const TrendSchema = "karat/trend/v1"

type jsonTrend struct {
	Schema  string         `json:"schema"`
	Columns []TrendColumn  `json:"columns"`
	Runs    []jsonTrendRow `json:"runs"`
}

type jsonTrendRow struct {
	Label  string          `json:"label"`
	Values []jsonTrendCell `json:"values"`
}

type jsonTrendCell struct {
	Suite  string      `json:"suite,omitempty"`
	Metric string      `json:"metric"`
	Value  *jsonNumber `json:"value"`
	N      int         `json:"n"`
	Why    string      `json:"why,omitempty"`
	Fell   bool        `json:"fell"`
}

// WriteJSON writes the trend as JSON: two-space indent, a last newline, no null
// lists. Equal trends are equal bytes.
func (t *Trend) WriteJSON(w io.Writer) error {
	out := jsonTrend{Schema: TrendSchema, Columns: t.Columns}
	for _, r := range t.Rows {
		j := jsonTrendRow{Label: r.Label}
		for i, c := range r.Cells {
			x := jsonTrendCell{Suite: t.Columns[i].Suite, Metric: t.Columns[i].Metric, N: c.N, Why: c.Why, Fell: c.Fell}
			if c.OK {
				v := jsonNumber(c.Value)
				x.Value = &v
			}
			j.Values = append(j.Values, x)
		}
		out.Runs = append(out.Runs, j)
	}
	return writeJSON(w, &out)
}

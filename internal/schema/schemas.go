package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/internal/project"
	"github.com/karat-eval/karat/retrieval"
)

// Folder is where the schemas stand in the repository.
const Folder = "schema"

const (
	draft = "http://json-schema.org/draft-07/schema#"
	base  = "https://raw.githubusercontent.com/karat-eval/karat/main/schema/"
)

// A format is one kind of file.
type format struct {
	name, title, description string
	people                   bool // a person writes it; unknown fields are mistakes
	nulls                    bool // an application writes it; null is no value
	make                     func(w *walker) (*jsonschema.Schema, error)
}

var formats = []format{
	{"project", "karat.yaml", "A project's suites, which 'karat run' evaluates.", true, false, of[project.File]},
	{"gate", "karat gate", "The rules that a report must hold.", true, false, of[gate.Rules]},
	{"retrieval-cases", "karat retrieval cases", "Golden cases of a retrieval suite.", true, false, retrievalCases},
	{"retrieval-fixture", "karat retrieval fixture", "What a retrieval system gave for one case.", false, true, retrievalFixture},
	{"diagnosis-cases", "karat diagnosis cases", "Golden cases of a diagnosis suite.", true, false, diagnosisCases},
	{"diagnosis-trace", "karat diagnosis trace", "One recorded run of a diagnosis agent.", false, true, of[trace]},
	{"report", "karat report", "A report of a suite: summary, slices, and each case with its facts.", false, false, of[report]},
	{"run", "karat run summary", "A run of several suites in short, as 'karat run --json' writes it.", false, false, of[runSummary]},
}

// Generate makes the schemas from the sources of the module in root: by file
// name, such as "gate.schema.json".
func Generate(root string) (map[string]*jsonschema.Schema, error) {
	out := map[string]*jsonschema.Schema{}
	docs := map[string]map[string]string{}
	for _, f := range formats {
		w := &walker{root: root, docs: docs, people: f.people, nulls: f.nulls, types: maps.Clone(shared), bounds: bounds, defs: map[string]*jsonschema.Schema{}}
		if f.people {
			maps.Copy(w.types, unions)
			for name, s := range definitions {
				w.defs[name] = s.CloneSchemas()
			}
		}
		s, err := f.make(w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		s.Schema, s.ID, s.Title, s.Description = draft, base+f.name+".schema.json", f.title, f.description
		s.Definitions = used(s, w.defs)
		out[f.name+".schema.json"] = s
	}
	return out, nil
}

// Encode gives a schema as it is committed.
func Encode(s *jsonschema.Schema) ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	// Angle brackets stand as they are.
	v := jsontext.Value(data)
	if err := v.Format(jsontext.Multiline(true), jsontext.WithIndent("  ")); err != nil {
		return nil, err
	}
	return append(v, '\n'), nil
}

// used are the definitions that a schema refers to, also by way of others.
func used(s *jsonschema.Schema, defs map[string]*jsonschema.Schema) map[string]*jsonschema.Schema {
	out := map[string]*jsonschema.Schema{}
	var look func(s *jsonschema.Schema)
	look = func(s *jsonschema.Schema) {
		data, err := json.Marshal(s)
		if err != nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(defs)) {
			if _, done := out[name]; !done && bytes.Contains(data, []byte(`"#/definitions/`+name+`"`)) {
				out[name] = defs[name]
				look(defs[name])
			}
		}
	}
	look(s)
	return out
}

// of makes the schema of a file that is one struct.
func of[T any](w *walker) (*jsonschema.Schema, error) {
	t := reflect.TypeFor[T]()
	s, err := w.object(t)
	if err != nil {
		return nil, err
	}
	if v := s.Properties["version"]; v != nil {
		v.Const = ptr(any(1))
	}
	return s, nil
}

func retrievalFixture(w *walker) (*jsonschema.Schema, error) {
	s, err := of[retrieval.Fixture](w)
	if err != nil {
		return nil, err
	}
	// The list may be left out where the system failed.
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "candidates" })
	s.AllOf = append(s.AllOf, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Required: []string{"candidates"}, Properties: map[string]*jsonschema.Schema{"candidates": {Type: "array"}}},
		{Required: []string{"error"}, Properties: map[string]*jsonschema.Schema{"error": {MinLength: ptr(1)}}},
	}})
	return s, nil
}

func retrievalCases(w *walker) (*jsonschema.Schema, error) {
	needs := []*jsonschema.Schema{
		anyOf("query", "question"),
		anyOf("scenario_type"),
		orUnanswerable("expected_documents", "relevant_doc_id", "relevant_documents", "expected_source_contains", "expected_source", "expected_effective_source"),
		orUnanswerable("expected_keywords", "expected_breadcrumbs"),
	}
	return caseSet(w, reflect.TypeFor[retrieval.Case](), needs, true)
}

// orUnanswerable asks for one of several fields where the case is answerable.
func orUnanswerable(names ...string) *jsonschema.Schema {
	s := anyOf(names...)
	s.AnyOf = append(s.AnyOf, &jsonschema.Schema{
		Required:   []string{"answerable"},
		Properties: map[string]*jsonschema.Schema{"answerable": {Const: ptr(any(false))}},
	})
	return s
}

func diagnosisCases(w *walker) (*jsonschema.Schema, error) {
	needs := []*jsonschema.Schema{
		anyOf("question", "query"),
		anyOf("root_cause_keywords"),
		anyOf("required_tools"),
		anyOf("allowed_verdicts"),
	}
	return caseSet(w, reflect.TypeFor[diagnosis.Case](), needs, false)
}

// caseSet makes the schema of a set: an object around the cases, or the bare
// list. Where the file has no defaults, each case must have what is needed.
func caseSet(w *walker, t reflect.Type, needs []*jsonschema.Schema, turns bool) (*jsonschema.Schema, error) {
	one, err := w.object(t)
	if err != nil {
		return nil, err
	}
	// What is needed may come from the defaults.
	one.Required = nil
	one.AllOf = slices.DeleteFunc(one.AllOf, func(s *jsonschema.Schema) bool { return s.AnyOf != nil })
	defaults := one.CloneSchemas()
	remove(defaults, "id", "case_id")
	defaults.Description = "Fields that every case has which does not state them itself. Lists are replaced, never joined."
	w.defs["case"] = one
	withID := &jsonschema.Schema{AllOf: []*jsonschema.Schema{ref("case"), anyOf("id", "case_id")}}
	complete := &jsonschema.Schema{AllOf: needs}
	entry := withID
	if turns {
		// A turn has an id, or gets one.
		conversation := one.CloneSchemas()
		remove(conversation, "id", "case_id", "turn")
		conversation.Properties["turns"] = &jsonschema.Schema{
			Type: "array", MinItems: ptr(1), Items: ref("case"),
			Description: "turns are the questions of the conversation, in their order. Each is a case that has the conversation's other fields; its id is <conversation_id>-<turn> where none is given.",
		}
		conversation.PropertyOrder = append(conversation.PropertyOrder, "turns")
		conversation.Required = []string{"conversation_id", "turns"}
		w.defs["conversation"] = conversation
		entry = &jsonschema.Schema{If: &jsonschema.Schema{Required: []string{"turns"}}, Then: ref("conversation"), Else: withID}
		complete = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Required: []string{"turns"}}, complete}}
	}
	w.defs["entry"] = entry
	w.defs["complete"] = complete
	cases := &jsonschema.Schema{Type: "array", MinItems: ptr(1), Items: ref("entry"), Description: "The cases of the set."}
	return &jsonschema.Schema{
		Types: []string{"object", "array"},
		// Of a list:
		MinItems: ptr(1),
		Items:    &jsonschema.Schema{AllOf: []*jsonschema.Schema{ref("entry"), ref("complete")}},
		// Of an object:
		Properties: map[string]*jsonschema.Schema{
			"version":  {Const: ptr(any(1)), Description: "version is the version of the format: 1, which is also what none means."},
			"defaults": defaults,
			"cases":    cases,
		},
		PropertyOrder:        []string{"version", "defaults", "cases"},
		Required:             []string{"cases"},
		AdditionalProperties: no(),
		If:                   &jsonschema.Schema{Type: "object", Not: &jsonschema.Schema{Required: []string{"defaults"}}},
		Then:                 &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"cases": {Items: ref("complete")}}},
	}, nil
}

// remove takes properties out of a schema, which shares nothing but their order
// with the one that it was cloned from.
func remove(s *jsonschema.Schema, names ...string) {
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), func(p string) bool { return slices.Contains(names, p) })
	for _, name := range names {
		delete(s.Properties, name)
	}
}

// shared are the types whose form no tag tells, of both kinds of file.
var shared = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[retrieval.Citation](): {Types: []string{"string", "number"}},
	reflect.TypeFor[amount]():             {Types: []string{"number", "null"}, Minimum: ptr(0.0)},
	reflect.TypeFor[nullable]():           {Types: []string{"number", "null"}},
	reflect.TypeFor[label]():              {Types: []string{"string", "number", "null"}},
	reflect.TypeFor[entry](): {
		Type: "object",
		AnyOf: []*jsonschema.Schema{
			{Required: []string{"value", "n"}, Properties: map[string]*jsonschema.Schema{
				"value": {Types: []string{"number", "null"}, Description: "The value; null where there is none."},
				"n":     {Type: "integer", Minimum: ptr(0.0), Description: "The number of cases over which the value goes."},
				"why":   {Type: "string", Description: "Why there is no value."},
			}, PropertyOrder: []string{"value", "n", "why"}},
			{Description: "The counts of a distribution, by name.", AdditionalProperties: &jsonschema.Schema{Type: "object", Required: []string{"value", "n"}}},
		},
	},
}

// unions are the forms that files which people write have for one type.
var unions = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[keyword.Keyword]():    ref("keyword"),
	reflect.TypeFor[retrieval.Document](): ref("document"),
	reflect.TypeFor[retrieval.Breadcrumb](): {AnyOf: []*jsonschema.Schema{
		{Types: []string{"string", "number"}},
		{Type: "array", MinItems: ptr(1), Items: &jsonschema.Schema{Types: []string{"string", "number"}}},
	}},
	reflect.TypeFor[retrieval.HitLevel](): {Enum: []any{"strong", "medium"}},
	reflect.TypeFor[diagnosis.RequiredTool](): {AnyOf: []*jsonschema.Schema{
		{Types: []string{"string", "number"}},
		{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"name":   {Types: []string{"string", "number"}, Description: "The tool's name."},
				"any":    {AnyOf: []*jsonschema.Schema{{Type: "array", MinItems: ptr(1), Items: &jsonschema.Schema{Types: []string{"string", "number"}}}, {Types: []string{"string", "number"}}}, Description: "The tools of which one is enough."},
				"accept": {Enum: []any{"succeeded", "attempted"}, Description: "attempted accepts a call that failed."},
			},
			PropertyOrder:        []string{"name", "any", "accept"},
			AdditionalProperties: no(),
			AnyOf:                []*jsonschema.Schema{{Required: []string{"name"}}, {Required: []string{"any"}}},
		},
	}},
	reflect.TypeFor[diagnosis.Minimum](): {AnyOf: []*jsonschema.Schema{
		ratio(),
		{Type: "object", AdditionalProperties: ratio(), MinProperties: ptr(1)},
	}},
}

// definitions are the unions that have a name of their own, because they stand in
// many places or hold themselves.
var definitions = map[string]*jsonschema.Schema{
	"keyword": {
		Description: "A text, looked for at word edges; or an object with any, substring or regex.",
		AnyOf: []*jsonschema.Schema{
			{Types: []string{"string", "number"}, MinLength: ptr(1)},
			{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"any":            {AnyOf: []*jsonschema.Schema{{Type: "array", MinItems: ptr(1), Items: ref("keyword")}, ref("keyword")}, Description: "Alternatives: one group, covered by any of them."},
					"substring":      {Types: []string{"string", "number"}, MinLength: ptr(1), Description: "Looked for anywhere, also inside a word or a number."},
					"regex":          {Types: []string{"string", "number"}, MinLength: ptr(1), Description: "A regular expression of RE2's syntax, without regard to case unless it says (?-i)."},
					"unless_negated": {Type: "boolean", Description: "A hit that is negated in its clause does not count."},
				},
				PropertyOrder:        []string{"any", "substring", "regex", "unless_negated"},
				AdditionalProperties: no(),
				OneOf:                []*jsonschema.Schema{{Required: []string{"any"}}, {Required: []string{"substring"}}, {Required: []string{"regex"}}},
			},
		},
	},
	"document": {
		Description: "An id; or an object with an id or a part of a name, and a grade.",
		AnyOf: []*jsonschema.Schema{
			{Types: []string{"string", "number"}, MinLength: ptr(1)},
			{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"id":       {Types: []string{"string", "number"}, MinLength: ptr(1), Description: "Equal to the candidate's document_id, id or label."},
					"contains": {Types: []string{"string", "number"}, MinLength: ptr(1), Description: "A part of the candidate's label, document_id or source, in any case."},
					"grade":    {Type: "number", ExclusiveMinimum: ptr(0.0), Description: "The gain of finding the document, above 0; 1 where it is not given."},
				},
				PropertyOrder:        []string{"id", "contains", "grade"},
				AdditionalProperties: no(),
				OneOf:                []*jsonschema.Schema{{Required: []string{"id"}}, {Required: []string{"contains"}}},
			},
		},
	},
}

// bounds narrow fields by what their readers allow.
var bounds = map[string]func(*jsonschema.Schema){
	"retrieval.Case.id":                          id,
	"retrieval.Case.query":                       notBlank,
	"retrieval.Case.scenario_type":               notBlank,
	"retrieval.Case.min_keyword_coverage":        inRatio,
	"retrieval.Case.min_answer_keyword_coverage": inRatio,
	"retrieval.Case.min_grounded_facts":          inRatio,
	"retrieval.Case.min_expected_sources":        atLeast(1),
	"retrieval.Case.turn":                        atLeast(1),
	"retrieval.Fixture.duration_ms":              atLeast(0),
	"retrieval.Fixture.first_token_ms":           atLeast(0),
	"retrieval.Usage.input_tokens":               atLeast(0),
	"retrieval.Usage.output_tokens":              atLeast(0),
	"diagnosis.Case.id":                          id,
	"diagnosis.Case.question":                    notBlank,
	"diagnosis.Case.root_cause_keywords":         notEmpty,
	"diagnosis.Case.required_tools":              notEmpty,
	"diagnosis.Case.allowed_verdicts":            notEmpty,
	"diagnosis.Case.max_tool_calls":              atLeast(0),
	"diagnosis.Case.max_duration_ms":             atLeast(0),
	"gate.Rules.min_cases":                       atLeast(0),
	"gate.Slice.min_cases":                       atLeast(0),
	"project.File.suites":                        notEmpty,
	"project.Suite.name":                         id,
	"project.Suite.kind":                         oneOf(project.Kinds...),
	"project.Suite.k":                            atLeast(1),
	"project.Suite.workers":                      atLeast(0),
	"project.Suite.min_hit_level":                oneOf("strong", "medium"),
	"project.Suite.min_keyword_coverage":         func(s *jsonschema.Schema) { s.ExclusiveMinimum, s.Maximum = ptr(0.0), ptr(1.0) },
	"project.Suite.cases":                        path,
	"project.Suite.fixtures":                     path,
	"project.Suite.gate":                         path,
	"project.Suite.baseline":                     path,
	"project.Suite.json":                         path,
	"project.Suite.markdown":                     path,
	"schema.trace.toolInvocations":               orText,
	"schema.trace.selfEvaluation":                orText,
	"schema.selfEvaluation.verifier_evaluation":  orText,
	"schema.report.schema":                       pattern(`^karat/[a-z-]+-report/v[0-9]+$`),
	"schema.runSummary.schema":                   oneOf("karat/run/v1"),
	"schema.suiteSummary.status":                 oneOf("pass", "fail", "error"),
	"schema.row.status":                          oneOf("pass", "fail", "not_run", "error"),
	"schema.check.status":                        oneOf("pass", "fail", "info"),
}

func id(s *jsonschema.Schema) {
	s.Pattern = `^[\p{L}\p{Nd}_][\p{L}\p{M}\p{Nd}._-]{0,127}$`
}

// path refuses what leads out of the folder of the project file.
func path(s *jsonschema.Schema) { s.Pattern = `^(?:[^/.]|\.[^./]|\.\.[^/]|\./|\.$)` }

func notBlank(s *jsonschema.Schema) { s.Pattern = `\S` }

// notEmpty narrows a list, beside which one value may stand.
func notEmpty(s *jsonschema.Schema) {
	if len(s.AnyOf) > 0 {
		s = s.AnyOf[0]
	}
	s.MinItems = ptr(1)
}

func ratio() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "number", Minimum: ptr(0.0), Maximum: ptr(1.0)}
}

func inRatio(s *jsonschema.Schema) { s.Minimum, s.Maximum = ptr(0.0), ptr(1.0) }

func atLeast(min float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum = ptr(math.Max(min, 0)) }
}

// orText also allows JSON text inside a string, as databases hand it back.
func orText(s *jsonschema.Schema) {
	inner := *s
	*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{&inner, {Type: "string"}}}
}

func oneOf(values ...string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		s.Types = nil
		for _, v := range values {
			s.Enum = append(s.Enum, v)
		}
	}
}

func pattern(p string) func(*jsonschema.Schema) { return func(s *jsonschema.Schema) { s.Pattern = p } }

func ptr[T any](v T) *T { return &v }

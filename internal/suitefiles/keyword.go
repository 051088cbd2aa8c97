// Package suitefiles is what the domain packages share between reading files and
// evaluating suites: the forms of keywords in case files, where a suite's files
// are by convention, and how its fixtures reach the workers.
package suitefiles

import (
	"reflect"

	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/internal/input"
)

// Decoders are input's decoders of the types that every domain's cases have: the
// forms of a keyword. Add a domain's own to the map.
func Decoders() map[reflect.Type]func(s input.Scope, dst any) {
	return map[reflect.Type]func(s input.Scope, dst any){
		reflect.TypeFor[keyword.Keyword](): func(s input.Scope, dst any) { decodeKeyword(s, dst.(*keyword.Keyword)) },
	}
}

const keywordForms = `a keyword is a string, {"any": […]}, {"substring": "…"} or {"regex": "…"}`

// decodeKeyword reads the forms of a keyword. What a form says is checked when it
// is compiled.
func decodeKeyword(s input.Scope, dst *keyword.Keyword) {
	switch v := s.Value(); v.Kind {
	case input.String, input.Number:
		dst.Text = v.Text
	case input.Object:
		var form struct {
			Any           *[]keyword.Keyword `json:"any"`
			Substring     *string            `json:"substring"`
			Regex         *string            `json:"regex"`
			UnlessNegated bool               `json:"unless_negated"`
		}
		if !s.DecodeForm(&form, keywordForms) {
			return
		}
		forms := 0
		if form.Any != nil {
			forms++
			if dst.Any = *form.Any; dst.Any == nil {
				dst.Any = []keyword.Keyword{}
			}
		}
		for _, f := range []struct {
			name     string
			from, to *string
		}{{"substring", form.Substring, &dst.Substring}, {"regex", form.Regex, &dst.Regex}} {
			if f.from == nil {
				continue
			}
			forms++
			if *f.to = *f.from; *f.from == "" {
				s.At(f.name).Errorf("the %s is empty", f.name)
			}
		}
		if forms != 1 {
			s.Errorf(`a keyword has one form: a string, {"any": […]}, {"substring": "…"} or {"regex": "…"}; found %d`, forms)
			return
		}
		dst.UnlessNegated = form.UnlessNegated
	default:
		s.Errorf("%s; found %s", keywordForms, v.Describe())
	}
}

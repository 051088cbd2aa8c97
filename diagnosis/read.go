package diagnosis

import (
	"reflect"

	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/internal/suitefiles"
)

// decoders reads the forms of a case file that are more than one type.
func decoders() map[reflect.Type]func(s input.Scope, dst any) {
	d := suitefiles.Decoders()
	d[reflect.TypeFor[RequiredTool]()] = func(s input.Scope, dst any) { decodeTool(s, dst.(*RequiredTool)) }
	d[reflect.TypeFor[Minimum]()] = func(s input.Scope, dst any) { decodeMinimum(s, dst.(*Minimum)) }
	return d
}

const toolForms = `a tool's name, {"any": […]} or {"name": "…", "accept": "attempted"}`

func decodeTool(s input.Scope, dst *RequiredTool) {
	switch v := s.Value(); v.Kind {
	case input.String, input.Number:
		dst.Any = []string{v.Text}
	case input.Object:
		var form struct {
			Name   *string  `json:"name"`
			Any    []string `json:"any"`
			Accept string   `json:"accept"`
		}
		if !s.DecodeForm(&form, "a required tool is "+toolForms) {
			return
		}
		switch {
		case form.Name != nil && form.Any == nil:
			dst.Any = []string{*form.Name}
		case form.Name == nil && form.Any != nil:
			dst.Any = form.Any
		default:
			s.Errorf("found neither or both of name and any; a required tool is %s", toolForms)
		}
		switch form.Accept {
		case "", acceptSucceeded:
		case acceptAttempted:
			dst.Attempted = true
		default:
			s.At("accept").Errorf("%q is neither %q nor %q", form.Accept, acceptSucceeded, acceptAttempted)
		}
	default:
		s.Errorf("found %s; a required tool is %s", v.Describe(), toolForms)
	}
}

func decodeMinimum(s input.Scope, dst *Minimum) {
	switch v := s.Value(); v.Kind {
	case input.Object:
		s.Decode(&dst.ByVerdict)
	case input.Number:
		dst.Value = new(float64)
		s.Decode(dst.Value)
	default:
		s.Errorf("found %s; a minimum is a number in [0, 1], or an object with one for each verdict and a default", v.Describe())
	}
}

// readCases reads the cases of a file. All that is wrong with them is the
// error, each with its line.
func readCases(f *input.File) ([]*Evaluator, error) {
	sets := newSetCache()
	cases := input.DecodeCases(f, input.CaseSet{}, func(s input.Case, c *Case) *Evaluator {
		c.ID = s.ID
		return compileCase(*c, sets, func(path []any, format string, args ...any) {
			s.At(path...).Errorf(format, args...)
		})
	})
	if err := f.Err(); err != nil {
		return nil, err
	}
	return cases, nil
}

package keyword

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Ruleset names the version of the rules by which this package normalises and
// matches. A report carries it: coverage found under another ruleset does not
// compare.
const Ruleset = "1"

// A Keyword is one expected group as a case file writes it. Exactly one of
// Text, Any, Substring and Regex is set.
//
// In JSON it is one of
//
//	"connection pool"                       word mode
//	{"any": ["OOM", {"substring": "内存溢"}]}  one group, covered by any of them
//	{"substring": "5.7"}                    anywhere, also inside a word or number
//	{"regex": "timeout after \\d+ms"}       RE2
//
// and every object may carry "unless_negated": true. A bare number is read as
// its text.
type Keyword struct {
	// Text is looked for in word mode.
	Text string `json:"text"`
	// Any lists alternatives in the other three forms; they do not nest.
	Any []Keyword `json:"any"`
	// Substring is looked for without regard to words.
	Substring string `json:"substring"`
	// Regex is a regular expression of RE2's syntax, without regard to case
	// unless it says (?-i). It sees the text with invisible characters dropped,
	// in NFKC, white space collapsed, and otherwise as it is; characters of the
	// expression that NFKC turns into another are read as that.
	Regex string `json:"regex"`
	// UnlessNegated makes a hit that is negated in its clause count as none.
	UnlessNegated bool `json:"unless_negated"`
}

// Word is the keyword that looks for text in word mode.
func Word(text string) Keyword { return Keyword{Text: text} }

// Words are keywords in word mode.
func Words(texts ...string) []Keyword {
	ks := make([]Keyword, len(texts))
	for i, s := range texts {
		ks[i] = Word(s)
	}
	return ks
}

// String is a short form for reports: OOM, `OOM | 内存溢出`, `substring "5.7"`,
// `regex "a+"`, each with ", unless negated" behind it where that is asked.
func (k Keyword) String() string {
	var s string
	switch {
	case k.Any != nil:
		parts := make([]string, len(k.Any))
		for i, a := range k.Any {
			parts[i] = a.String()
		}
		s = strings.Join(parts, " | ")
	case k.Substring != "":
		s = fmt.Sprintf("substring %q", k.Substring)
	case k.Regex != "":
		s = fmt.Sprintf("regex %q", k.Regex)
	default:
		s = k.Text
	}
	if k.UnlessNegated {
		s += ", unless negated"
	}
	return s
}

// Validate gives the error with which [Compile] would refuse k.
func (k Keyword) Validate() error {
	_, err := Compile(k)
	return err
}

type object struct {
	Any           []Keyword `json:"any,omitzero"`
	Substring     string    `json:"substring,omitempty"`
	Regex         string    `json:"regex,omitempty"`
	UnlessNegated bool      `json:"unless_negated,omitempty"`
}

// MarshalJSON writes the form that a case file has. A word with UnlessNegated
// becomes an "any" of that one word, as only an object can say it.
func (k Keyword) MarshalJSON() ([]byte, error) {
	var v any = object{k.Any, k.Substring, k.Regex, k.UnlessNegated}
	switch {
	case k.Text != "" && k.UnlessNegated:
		v = object{Any: []Keyword{Word(k.Text)}, UnlessNegated: true}
	case k.Text != "" || k.Any == nil && k.Substring == "" && k.Regex == "":
		v = k.Text
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

const forms = `a keyword is a string, {"any": […]}, {"substring": "…"} or {"regex": "…"}`

// UnmarshalJSON reads the forms of a case file. It refuses unknown and repeated
// fields, two forms at once, and other types; what [Compile] refuses it leaves
// to Compile.
func (k *Keyword) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	var got Keyword
	switch tok := tok.(type) {
	case string:
		got.Text = tok
	case json.Number:
		got.Text = tok.String()
	case json.Delim:
		if tok != '{' {
			return errors.New("found a list; " + forms)
		}
		if err := got.readObject(dec); err != nil {
			return err
		}
	default:
		return fmt.Errorf("found %s; %s", bytes.TrimSpace(data), forms)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("text behind the keyword")
	}
	*k = got
	return nil
}

// readObject reads the fields of an object whose brace is read already.
func (k *Keyword) readObject(dec *json.Decoder) error {
	seen := map[string]bool{}
	form := ""
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return err
		}
		name := tok.(string)
		if seen[name] {
			return fmt.Errorf("field %q stands twice", name)
		}
		seen[name] = true
		var into any
		switch name {
		case "any":
			into = &k.Any
		case "substring":
			into = &k.Substring
		case "regex":
			into = &k.Regex
		case "unless_negated":
			into = &k.UnlessNegated
		default:
			return fmt.Errorf("unknown field %q of a keyword; known are any, substring, regex and unless_negated", name)
		}
		if name != "unless_negated" {
			if form != "" {
				return fmt.Errorf("%s and %s at once; a keyword has one form", form, name)
			}
			form = name
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		if string(raw) == "null" {
			return fmt.Errorf("%s is null; leave it out instead", name)
		}
		if name == "any" && raw[0] != '[' { // one where a list is expected is a list of one
			raw = slices.Concat(json.RawMessage("["), raw, json.RawMessage("]"))
		}
		if err := json.Unmarshal(raw, into); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return fmt.Errorf("%s is %s; allowed is %s", name, raw, allowed[name])
			}
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	switch {
	case form == "":
		return errors.New("an object without a form; " + forms)
	case form == "any" && k.Any == nil:
		k.Any = []Keyword{}
	case form == "substring" && k.Substring == "", form == "regex" && k.Regex == "":
		// An empty field would be lost, and with it what is wrong.
		return fmt.Errorf("%s is empty", form)
	}
	return nil
}

var allowed = map[string]string{
	"any": "a list of keywords", "substring": "a string", "regex": "a string", "unless_negated": "true or false",
}

package input

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// fixtureID is the case_id (or caseId) at the top level of a JSON object. It
// reads no further than to the id, and checks nothing: whoever decodes the
// fixture does that. So the id is also found in a line that is cut off behind
// it. raw is the value as it is written; ok is false where there is none.
//
// This runs over every byte of a bundle at worst (an id that comes last), hence
// no tokenizer: strings, which are most of a fixture, are skipped at the speed
// of IndexByte.
func fixtureID(data []byte) (raw []byte, ok bool) {
	i := skipSpace(data, 0)
	if i >= len(data) || data[i] != '{' {
		return nil, false
	}
	i++
	for {
		i = skipSpace(data, i)
		if i >= len(data) || data[i] != '"' {
			return nil, false
		}
		end := skipString(data, i)
		if end < 0 {
			return nil, false
		}
		name := data[i+1 : end-1]
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ':' {
			return nil, false
		}
		i = skipSpace(data, i+1)
		end = skipValue(data, i)
		if end < 0 {
			return nil, false
		}
		if string(name) == "case_id" || string(name) == "caseId" {
			return data[i:end], true
		}
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ',' {
			return nil, false
		}
		i++
	}
}

// idText is the text of a fixture's id: of a string its content, of a number
// its source text. Anything else is no id. The result may share raw's memory.
func idText(raw []byte) (id []byte, ok bool) {
	if len(raw) == 0 {
		return nil, false
	}
	if raw[0] == '"' {
		if bytes.IndexByte(raw, '\\') < 0 {
			return raw[1 : len(raw)-1], true
		}
		id, err := jsontext.AppendUnquote(nil, raw)
		return id, err == nil
	}
	if c := raw[0]; c == '-' || '0' <= c && c <= '9' {
		return raw, true
	}
	return nil, false
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString is the offset behind the string that starts at i, or -1 where it
// does not end.
func skipString(data []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for data[i-1-slashes] == '\\' {
			slashes++ // ends at the opening quote at the latest
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// structural marks the bytes that matter outside of strings.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true}

// skipValue is the offset behind the value that starts at i, or -1 where it
// does not end.
func skipValue(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	if data[i] == '"' {
		return skipString(data, i)
	}
	depth := 0
	for start := i; i < len(data); i++ {
		c := data[i]
		if !structural[c] {
			if depth == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
				return i
			}
			continue
		}
		switch c {
		case '"':
			if depth == 0 {
				return -1
			}
			if i = skipString(data, i) - 1; i < 0 {
				return -1
			}
		case '{', '[':
			if depth == 0 && i > start {
				return -1
			}
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of the object around
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

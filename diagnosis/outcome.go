package diagnosis

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// signs gathers what a tool invocation, and the top level of its result, say of
// its outcome. Any sign of failure beats every sign of success: a wrapper often
// reports that it delivered the result of a call that failed.
type signs struct {
	failed    bool
	succeeded bool
	why       string
	rank      int // of why: the lower, the more it tells
}

const (
	tellsError = iota + 1
	tellsExit
	tellsStatus
	tellsLittle
)

func (s *signs) fail(rank int, why string) {
	if !s.failed || rank < s.rank {
		s.rank, s.why = rank, why
	}
	s.failed = true
}

func (s *signs) outcome() Outcome {
	switch {
	case s.failed:
		return Failed
	case s.succeeded:
		return Succeeded
	}
	return Unknown
}

// member reads one member of an object as a sign; names that are no sign are
// ignored. known is false for a status that is on neither list.
func (s *signs) member(name, value []byte) (known bool) {
	switch string(name) {
	case "isError", "is_error":
		if truth(value) == "true" {
			s.fail(tellsLittle, "marked as an error")
		}
	case "success":
		if truth(value) == "false" {
			s.fail(tellsLittle, "success is false")
		}
	case "error":
		if why := errorText(value); why != "" {
			s.fail(tellsError, why)
		}
	case "exit_code", "exitCode":
		if code := truth(value); code != "" {
			if n, err := strconv.ParseFloat(code, 64); err == nil && n != 0 {
				s.fail(tellsExit, "exit code "+code)
			}
		}
	case "status":
		word := statusWord(jsonText(value))
		switch word {
		case "":
			return value[0] == 'n' || value[0] == '"'
		case "error", "failed", "failure":
			s.fail(tellsLittle, "status "+word)
		case "timeout", "timed_out", "cancelled", "canceled", "denied", "rejected", "aborted":
			s.fail(tellsStatus, word)
		case "success", "succeeded", "ok", "completed", "done":
			s.succeeded = true
		default:
			return false
		}
	}
	return true
}

// isSign reports whether a member of this name can be a sign.
func isSign(name []byte) bool {
	switch string(name) {
	case "isError", "is_error", "success", "error", "exit_code", "exitCode", "status":
		return true
	}
	return false
}

// statusWord is a status as it is compared.
func statusWord(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// truth is the text of a JSON scalar, trimmed and in lower case: applications
// that keep everything as text write "true" and "1".
func truth(value []byte) string {
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case '{', '[', 'n':
		return ""
	case '"':
		return statusWord(jsonText(value))
	}
	return string(value)
}

// errorText says what an error member holds, empty where it holds none: null,
// an empty text, object or list, false and 0 are no error.
func errorText(value []byte) string {
	switch kind := value[0]; kind {
	case 'n', 'f':
		return ""
	case 't':
		return "marked as an error"
	case '"':
		return shorten(jsonText(value))
	case '{', '[':
		if len(bytes.TrimSpace(value[1:len(value)-1])) == 0 {
			return ""
		}
		if m := messageIn(value); m != "" {
			return m
		}
		return shorten(string(value))
	default:
		if n, err := strconv.ParseFloat(string(value), 64); err == nil && n == 0 {
			return ""
		}
		return "error " + string(value)
	}
}

// messageIn finds the message that a failure carries in the places where tools
// put one; empty where there is none.
func messageIn(value []byte) string {
	var v any
	if json.Unmarshal(value, &v, jsontext.AllowDuplicateNames(true)) != nil {
		return ""
	}
	return messageOf(v, 0)
}

func messageOf(v any, depth int) string {
	if depth > 3 {
		return ""
	}
	switch v := v.(type) {
	case string:
		return shorten(v)
	case []any:
		if len(v) > 0 {
			return messageOf(v[0], depth+1)
		}
	case map[string]any:
		for _, name := range []string{"error", "message", "errorMessage", "error_message", "stderr", "reason", "content", "text", "code"} {
			if m := messageOf(v[name], depth+1); m != "" {
				return m
			}
		}
	}
	return ""
}

// shorten gives the first line of a text, cut to a length that fits a reason.
func shorten(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	const limit = 80
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

package input

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a file, and where.
type Problem struct {
	File    string // as the user named it
	Line    int    // 1-based; 0 where the whole file is meant
	Column  int    // 1-based, in characters; 0 where only the line is known
	Case    string // the case's id, where one is known
	Field   string // the path of the field, as the file spells it: degraded.verdicts[0]
	Message string // what was found, and what is allowed
}

// Error prints the problem on one line:
//
//	cases.yaml:12: case "vpn-1": min_keyword_coverage: 1.4 is outside [0, 1]
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(p.Line))
		if p.Column > 0 {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(p.Column))
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if p.Case != "" {
		b.WriteString("case ")
		b.WriteString(quote(p.Case))
		b.WriteString(": ")
	}
	if p.Field != "" {
		b.WriteString(p.Field)
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// Problems are all the problems of a file, by file and line.
type Problems []Problem

// shownProblems is how many problems Problems.Error prints: enough to work on,
// and few enough that a file of the wrong kind does not bury its first line.
const shownProblems = 50

// maxProblems is how many problems of one file are kept.
const maxProblems = 10_000

// Error prints the problems one a line, the first 50 of them.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i == shownProblems {
			atLeast := ""
			if len(ps) >= maxProblems {
				atLeast = "at least "
			}
			fmt.Fprintf(&b, "\n… and %s%d more", atLeast, len(ps)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Error())
	}
	return b.String()
}

// Unwrap lets errors.As find each [Problem].
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// sorted puts problems in the order of their files and lines; those of one
// place keep the order in which they were found.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return ps
}

// err is ps as an error: nil where there is no problem.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps.sorted()
}

// quotedLength is how many characters of a user's text a message repeats.
const quotedLength = 80

// quote writes text that came from a file so that it stays on its line and
// sends nothing to a terminal: control characters, escapes and bidi overrides
// are escaped, letters of every script are kept.
func quote(s string) string {
	if n := len(s); n > quotedLength {
		runes := []rune(s[:min(n, 4*quotedLength)])
		if len(runes) > quotedLength {
			s = string(runes[:quotedLength]) + "…"
		}
	}
	return strconv.Quote(s)
}

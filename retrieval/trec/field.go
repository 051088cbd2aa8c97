package trec

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/karat-eval/karat/internal/text"
)

// MaxLine is the number of bytes that a line may have.
const MaxLine = 1 << 20

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseScore reads a score at the start of b, up to a space, a tab or the end,
// and says where it ends. The value is the one of strconv.ParseFloat, to the
// last bit: a decimal whose digits make a whole number up to 2^53, with at most
// 22 of them behind the point, is that number divided by a power of ten, both
// exact in a float64, so that the division's one rounding is the right one;
// everything else goes to strconv. ok is false for what is no finite number, and for
// one with a low line, which Go alone takes for one.
func parseScore(b []byte) (score float64, end int, ok bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		i = 1
	}
	mantissa, first := uint64(0), i
	for i < len(b) && b[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[i]-'0')
		i++
	}
	digits, decimals := i-first, 0
	if i < len(b) && b[i] == '.' {
		i++
		first = i
		for i < len(b) && b[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(b[i]-'0')
			i++
		}
		decimals = i - first
		digits += decimals
	}
	// 19 digits do not overflow the mantissa.
	if (i == len(b) || b[i] == ' ' || b[i] == '\t') && digits > 0 && digits <= 19 && mantissa <= 1<<53 {
		score = float64(mantissa) / powers[decimals]
		if negative {
			score = -score
		}
		return score, i, true
	}
	for i < len(b) && b[i] != ' ' && b[i] != '\t' {
		i++
	}
	if bytes.IndexByte(b[:i], '_') >= 0 {
		return 0, i, false // Go's own way of writing 1000
	}
	score, err := strconv.ParseFloat(string(b[:i]), 64)
	return score, i, err == nil && !math.IsInf(score, 0) && !math.IsNaN(score)
}

// parseRelevance reads a whole number of at most 32 bits.
func parseRelevance(b []byte) (relevance int32, ok bool) {
	n, err := strconv.ParseInt(string(b), 10, 32)
	return int32(n), err == nil
}

// fields cuts a line at runs of spaces and tabs into into, and returns how many
// columns there are, which may be more than into has room for.
func fields(line []byte, into [][]byte) int {
	n := 0
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if n < len(into) {
			into[n] = line[from:i]
		}
		n++
	}
	return n
}

// trimLine takes a carriage return off the end.
func trimLine(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// skipped says that a line is a comment or blank.
func skipped(line []byte) bool {
	return len(line) == 0 || line[0] == '#' || len(bytes.Trim(line, " \t\r")) == 0
}

// lineError is a problem of one line. Its line numbers count from the piece of
// the file that was at hand.
type lineError struct {
	line    int // from 1
	message string
	first   int // line of the first of two duplicates, else 0
}

func (e *lineError) Error() string { return e.message }

// at gives the error its place in a file; before is the number of lines ahead of
// the piece.
func (e *lineError) at(name string, before int) error {
	message := e.message
	if e.first > 0 {
		message += fmt.Sprintf(", first at line %d", before+e.first)
	}
	return fmt.Errorf("%s:%d: %s", show(name), before+e.line, message)
}

func columnsError(line []byte, n, want int, names string) string {
	if bytes.IndexByte(line, 0) >= 0 || !utf8.Valid(line) {
		return fmt.Sprintf("not text (%s): wanted %d columns: %s", excerpt(line), want, names)
	}
	columns := "columns"
	if n == 1 {
		columns = "column"
	}
	return fmt.Sprintf("%d %s (%s), not %d: %s", n, columns, excerpt(line), want, names)
}

const (
	runColumns   = "query Q0 document rank score tag"
	qrelsColumns = "query iteration document relevance"
)

func scoreError(field []byte) string {
	return fmt.Sprintf("score %s: not a finite number", excerpt(field))
}

func relevanceError(field []byte) string {
	return fmt.Sprintf("relevance %s: not a whole number in [%d, %d]", excerpt(field), math.MinInt32, math.MaxInt32)
}

func duplicateError(query, document []byte) string {
	return fmt.Sprintf("query %s: duplicate document %s", excerpt(query), excerpt(document))
}

func longLineError() string {
	return fmt.Sprintf("line of more than %d bytes", MaxLine)
}

// excerpt shows a piece of an input in quotes, short and harmless.
func excerpt(b []byte) string {
	const most = 60
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}

// show makes a file name fit for a message.
func show(name string) string { return text.Terminal(name) }

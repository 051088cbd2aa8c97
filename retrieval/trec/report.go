package trec

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/karat-eval/karat/internal/text"
	"github.com/karat-eval/karat/retrieval/measure"
)

// Schema names the form of the JSON that [Result.WriteJSON] writes.
const Schema = "karat/trec-report/v1"

// TextOptions say what [Result.WriteText] writes.
type TextOptions struct {
	// PerQuery adds the lines of each query, before those of all.
	PerQuery bool
	// RunID begins with the run's tag, as trec_eval does where it is asked for
	// no measure.
	RunID bool
}

// WriteText writes trec_eval's lines: measure, query or "all", value, with tabs
// between; counts as whole numbers, all else with four decimals. Queries go by
// the bytes of their ids. Measures that mean something over all queries only
// (num_q, gm_map) have no line for a query.
func (r *Result) WriteText(w io.Writer, opt TextOptions) error {
	b := bufio.NewWriterSize(w, 64<<10)
	labels := make([]string, len(r.Measures))
	infos := make([]measure.Info, len(r.Measures))
	for k, m := range r.Measures {
		labels[k], infos[k] = fmt.Sprintf("%-22s", text.Terminal(m.Label())), m.Info()
	}
	var line []byte
	put := func(k int, query string, value float64) {
		line = append(line[:0], labels[k]...)
		line = append(line, '\t')
		line = append(line, query...)
		line = append(line, '\t')
		decimals := 4
		if infos[k].Count {
			decimals = 0
		}
		line = strconv.AppendFloat(line, value, 'f', decimals, 64)
		line = append(line, '\n')
		b.Write(line)
	}
	if opt.PerQuery {
		for id, q := range r.Queries() {
			shown := text.Terminal(id)
			for k, v := range q.Values {
				if !infos[k].SummaryOnly {
					put(k, shown, v)
				}
			}
		}
	}
	if opt.RunID {
		fmt.Fprintf(b, "%-22s\t%s\t%s\n", "runid", "all", text.Terminal(r.Tag))
	}
	for k, v := range r.Summary {
		put(k, "all", v)
	}
	return b.Flush()
}

// Notes are what the reader of the numbers ought to know, a line each: queries
// without judgments, without relevant documents or without results, the share of
// unjudged documents, and what ties could change.
func (r *Result) Notes() []string {
	var notes []string
	if r.Scattered {
		notes = append(notes, fmt.Sprintf("%s: the rows of a query do not stand together; the whole run was held in memory", show(r.RunName)))
	}
	list := func(ids []string, one, many string) {
		if len(ids) == 1 {
			notes = append(notes, "1 query "+one+": "+listed(ids))
		} else if len(ids) > 1 {
			notes = append(notes, fmt.Sprintf("%d queries %s: %s", len(ids), many, listed(ids)))
		}
	}
	list(r.LeftOut, "of the run has no judgments and is left out", "of the run have no judgments and are left out")
	list(r.NotRetrieved, "has judgments and no results: it scores 0 and counts", "have judgments and no results: they score 0 and count")
	list(r.WithoutRelevant, "has no relevant document: it scores 0 and counts", "have no relevant document: they score 0 and count")
	if r.Unjudged > 0 {
		notes = append(notes, fmt.Sprintf("unjudged: %d of %d documents retrieved (%.1f%%); they count as not relevant", r.Unjudged, r.Documents, 100*r.UnjudgedShare()))
	}
	if r.Tied > 0 {
		note := "1 query ranks a judged document among others of its score"
		if r.Tied > 1 {
			note = fmt.Sprintf("%d queries rank a judged document among others of its score", r.Tied)
		}
		var moved []string
		for k, m := range r.Measures {
			low, high := strconv.FormatFloat(r.Low[k], 'f', 4, 64), strconv.FormatFloat(r.High[k], 'f', 4, 64)
			if low != high {
				moved = append(moved, fmt.Sprintf("%s %s to %s", text.Terminal(m.Label()), low, high))
			}
		}
		if len(moved) == 0 {
			note = "ties: " + note + "; no order of the tied changes a measure by 0.0001"
		} else {
			const most = 8
			more := ""
			if n := len(moved) - most; n > 0 {
				moved, more = moved[:most], fmt.Sprintf(" and %d more measures", n)
			}
			note = "ties: " + note + "; under any order of the tied: " + strings.Join(moved, ", ") + more
		}
		notes = append(notes, note)
	}
	return notes
}

// listed shows some ids.
func listed(ids []string) string {
	const most = 10
	shown := make([]string, 0, most+1)
	for _, id := range ids[:min(len(ids), most)] {
		shown = append(shown, text.Terminal(id))
	}
	s := strings.Join(shown, ", ")
	if n := len(ids) - most; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// WriteJSON writes the result as JSON with two-space indent and a last newline:
// schema, run (the tag), measures (name → better, min, max), summary (name →
// value, n, and low and high where ties could move it), notes, and with perQuery
// queries (id, retrieved, values). Numbers carry 12 significant digits.
func (r *Result) WriteJSON(w io.Writer, perQuery bool) error {
	j := newJSON(w)
	j.object(func() {
		j.key("schema").string(Schema)
		j.key("run").string(r.Tag)
		j.key("measures").object(func() {
			for _, m := range r.Measures {
				i := m.Info()
				j.key(m.Label()).object(func() {
					j.key("name").string(m.String())
					j.key("better").string(string(i.Better))
					j.key("min").number(i.Min)
					if math.IsInf(i.Max, 0) {
						j.key("max").null()
					} else {
						j.key("max").number(i.Max)
					}
				})
			}
		})
		j.key("summary").object(func() {
			for k, m := range r.Measures {
				j.key(m.Label()).object(func() {
					j.key("value").number(r.Summary[k])
					j.key("n").number(float64(r.Len()))
					if r.Low[k] != r.High[k] {
						j.key("low").number(r.Low[k])
						j.key("high").number(r.High[k])
					}
				})
			}
		})
		j.key("notes").object(func() {
			j.key("queries_without_judgments").strings(r.LeftOut)
			j.key("queries_without_results").strings(r.NotRetrieved)
			j.key("queries_without_relevant_documents").strings(r.WithoutRelevant)
			j.key("documents").number(float64(r.Documents))
			j.key("unjudged_documents").number(float64(r.Unjudged))
			j.key("tied_queries").number(float64(r.Tied))
			j.key("scattered").bool(r.Scattered)
		})
		if perQuery {
			j.key("queries").array(func() {
				for id, q := range r.Queries() {
					j.object(func() {
						j.key("id").string(id)
						j.key("retrieved").bool(q.Retrieved)
						j.key("values").object(func() {
							for k, v := range q.Values {
								j.key(r.Measures[k].Label()).number(v)
							}
						})
					})
				}
			})
		}
	})
	return j.close()
}

// jsonWriter writes JSON in the order of its calls and keeps the first error.
type jsonWriter struct {
	out *bufio.Writer
	enc *jsontext.Encoder
	err error
}

func newJSON(w io.Writer) *jsonWriter {
	out := bufio.NewWriterSize(w, 64<<10)
	return &jsonWriter{out: out, enc: jsontext.NewEncoder(out, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))}
}

func (j *jsonWriter) token(t jsontext.Token) {
	if j.err == nil {
		j.err = j.enc.WriteToken(t)
	}
}

func (j *jsonWriter) object(fill func()) {
	j.token(jsontext.BeginObject)
	fill()
	j.token(jsontext.EndObject)
}

func (j *jsonWriter) array(fill func()) {
	j.token(jsontext.BeginArray)
	fill()
	j.token(jsontext.EndArray)
}

func (j *jsonWriter) key(name string) *jsonWriter { j.string(name); return j }
func (j *jsonWriter) string(s string)             { j.token(jsontext.String(s)) }
func (j *jsonWriter) bool(b bool)                 { j.token(jsontext.Bool(b)) }
func (j *jsonWriter) null()                       { j.token(jsontext.Null) }

func (j *jsonWriter) strings(list []string) {
	j.array(func() {
		for _, s := range list {
			j.string(s)
		}
	})
}

// number writes 12 significant digits, which every processor computes alike; no
// number is null.
func (j *jsonWriter) number(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		j.null()
		return
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		j.token(jsontext.Int(int64(f)))
		return
	}
	if j.err == nil {
		j.err = j.enc.WriteValue(strconv.AppendFloat(nil, f, 'g', 12, 64))
	}
}

func (j *jsonWriter) close() error {
	if j.err != nil {
		return j.err
	}
	return j.out.Flush()
}

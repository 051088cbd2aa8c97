package trec

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/karat-eval/karat/internal/atomicfile"
	"github.com/karat-eval/karat/retrieval/measure"
)

// Names of the files that [Import] writes.
const (
	CasesFile    = "cases.json"
	FixturesFile = "fixtures.jsonl"
)

// ImportOptions of an import. The zero value keeps 100 documents of each query
// and takes a query's id for its text.
type ImportOptions struct {
	// Depth is the number of documents of each query to keep as candidates;
	// 0 means 100.
	Depth int
	// Queries holds the texts of the queries by their ids: see [ReadTexts].
	Queries map[string]string
	// ScenarioType of the cases; empty means "trec".
	ScenarioType string
}

// Imported says what an import made and what it left out.
type Imported struct {
	Cases, Fixtures int
	// Renamed holds the case ids of queries whose own id is no case id.
	Renamed map[string]string
	// WithoutText are the queries whose id stands for their text, though
	// texts were given; by id, as the following are.
	WithoutText []string
	// WithoutRelevant are the queries without a relevant document: they make
	// no case, since there is nothing to expect.
	WithoutRelevant []string
	// NotRetrieved are the queries that the run does not have: cases without a
	// fixture, which are reported as not run.
	NotRetrieved []string
	// LeftOut are the queries of the run without judgments.
	LeftOut []string
}

// Import makes a set of retrieval cases with fixtures of judgments and a run:
// dir/cases.json and dir/fixtures.jsonl. Each query with a relevant document
// becomes a case that expects its relevant documents with their relevance as
// grade; the run's first documents become the candidates of its fixture.
//
// Judgments are about whole documents and say nothing of what stands in them, so
// the evidence of a case is the document itself: its id is also the breadcrumb
// that is expected and that the candidate carries.
//
// A query id that is no case id is mapped to one that is: other characters
// become "-", and eight digits of a hash of the id follow. The same goes for ids
// that differ in case alone.
func Import(qrels *Qrels, run Source, dir string, opt ImportOptions) (*Imported, error) {
	opt.Depth = cmp.Or(opt.Depth, 100)
	opt.ScenarioType = cmp.Or(opt.ScenarioType, "trec")
	if opt.Depth < 1 {
		return nil, fmt.Errorf("depth %d: must be 1 or more", opt.Depth)
	}
	one, err := measure.Parse("NumQ")
	if err != nil {
		return nil, err
	}
	r, err := Evaluate(qrels, run, Options{Measures: []measure.Measure{one}, keep: opt.Depth})
	if err != nil {
		return nil, err
	}
	imported := &Imported{
		Renamed:         make(map[string]string),
		WithoutRelevant: r.WithoutRelevant, NotRetrieved: r.NotRetrieved, LeftOut: r.LeftOut,
	}
	imported.NotRetrieved = slices.DeleteFunc(imported.NotRetrieved, func(id string) bool {
		_, without := slices.BinarySearch(r.WithoutRelevant, id)
		return without
	})
	ids := caseIDs(qrels, imported)
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: no query has a relevant document: no case can be made", show(qrels.name))
	}
	if err := checkText(qrels, r); err != nil {
		return nil, err
	}
	text := func(query string) string {
		if t, ok := opt.Queries[query]; ok {
			return t
		}
		if opt.Queries != nil {
			imported.WithoutText = append(imported.WithoutText, query)
		}
		return query
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	texts := make(map[string]string)
	err = atomicfile.Write(filepath.Join(dir, CasesFile), func(w io.Writer) error {
		out := lines{w: w}
		out.raw(`{"version": 1, "defaults": `)
		out.value(struct {
			ScenarioType string `json:"scenario_type"`
			MinHitLevel  string `json:"min_hit_level"`
		}{opt.ScenarioType, "medium"})
		out.raw(`, "cases": [`)
		for i, q := range qrels.queries {
			if !qrels.relevant(i) {
				continue
			}
			texts[q.id] = text(q.id)
			if imported.Cases > 0 {
				out.raw(",")
			}
			out.raw("\n")
			out.value(importedCase(qrels, q, ids[q.id], texts[q.id]))
			imported.Cases++
		}
		out.raw("\n]}\n")
		return out.err
	})
	if err != nil {
		return nil, err
	}
	err = atomicfile.Write(filepath.Join(dir, FixturesFile), func(w io.Writer) error {
		out := lines{w: w}
		for i, q := range qrels.queries {
			if !qrels.relevant(i) || !r.retrieved[i] {
				continue
			}
			f := fixture{CaseID: ids[q.id], Query: texts[q.id], Candidates: make([]candidate, 0, len(r.documents[i]))}
			for _, d := range r.documents[i] {
				f.Candidates = append(f.Candidates, candidate{DocumentID: d.ID, Breadcrumb: []string{d.ID}, Score: d.Score})
			}
			out.value(f)
			out.raw("\n")
			imported.Fixtures++
		}
		return out.err
	})
	if err != nil {
		return nil, err
	}
	return imported, nil
}

// Notes are what the user of an import ought to know, a line each.
func (i *Imported) Notes() []string {
	var notes []string
	list := func(ids []string, what string) {
		if len(ids) > 0 {
			notes = append(notes, fmt.Sprintf("%s (%d): %s", what, len(ids), listed(ids)))
		}
	}
	list(i.WithoutRelevant, "no case for queries without a relevant document")
	list(i.NotRetrieved, "no fixture for queries without results")
	list(i.LeftOut, "left out, queries of the run without judgments")
	list(i.WithoutText, "no text for queries, their id stands for it")
	list(slices.Sorted(maps.Keys(i.Renamed)), "query ids that are no case ids, mapped to ones that are")
	return notes
}

// retrievalCase is a case as the file holds it.
type retrievalCase struct {
	ID          string     `json:"id"`
	Query       string     `json:"query"`
	Documents   []any      `json:"expected_documents"`
	Breadcrumbs [][]string `json:"expected_breadcrumbs"`
	Metadata    *metadata  `json:"metadata,omitempty"`
}

// metadata tells where a case comes from whose id does not.
type metadata struct {
	QueryID string `json:"query_id"`
}

type graded struct {
	ID    string `json:"id"`
	Grade int32  `json:"grade"`
}

type fixture struct {
	CaseID     string      `json:"case_id"`
	Query      string      `json:"query"`
	Candidates []candidate `json:"candidates"`
}

type candidate struct {
	DocumentID string   `json:"document_id"`
	Breadcrumb []string `json:"breadcrumb"`
	Score      float64  `json:"score"`
}

func importedCase(qrels *Qrels, q qrelsQuery, id, text string) retrievalCase {
	c := retrievalCase{ID: id, Query: text}
	if id != q.id {
		c.Metadata = &metadata{strings.ToValidUTF8(q.id, "\ufffd")}
	}
	relevant := make([]graded, 0, 8)
	for k := q.from; k < q.to; k++ {
		if j := &qrels.judgments[k]; j.relevance > 0 {
			relevant = append(relevant, graded{string(qrels.document(j)), j.relevance})
		}
	}
	slices.SortFunc(relevant, func(x, y graded) int {
		return cmp.Or(cmp.Compare(y.Grade, x.Grade), cmp.Compare(x.ID, y.ID))
	})
	for _, d := range relevant {
		if d.Grade == 1 {
			c.Documents = append(c.Documents, d.ID)
		} else {
			c.Documents = append(c.Documents, d)
		}
		c.Breadcrumbs = append(c.Breadcrumbs, []string{d.ID})
	}
	if !utf8.ValidString(text) {
		c.Query = strings.ToValidUTF8(text, "\ufffd")
	}
	return c
}

// checkText refuses documents whose ids JSON cannot hold.
func checkText(qrels *Qrels, r *Result) error {
	for i, q := range qrels.queries {
		if !qrels.relevant(i) {
			continue
		}
		for k := q.from; k < q.to; k++ {
			if j := &qrels.judgments[k]; j.relevance > 0 && !utf8.Valid(qrels.document(j)) {
				return fmt.Errorf("%s: query %q: document %q is not UTF-8, and a case holds nothing else", show(qrels.name), q.id, qrels.document(j))
			}
		}
		for _, d := range r.documents[i] {
			if !utf8.ValidString(d.ID) {
				return fmt.Errorf("%s: query %q: document %q is not UTF-8, and a fixture holds nothing else", show(r.RunName), q.id, d.ID)
			}
		}
	}
	return nil
}

// lines writes JSON values and keeps the first error.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) raw(s string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.w, s)
	}
}

func (l *lines) value(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	if l.err == nil {
		l.err = err
	}
	l.raw(strings.TrimSuffix(b.String(), "\n"))
}

// caseIDs gives each query with a relevant document its case id.
func caseIDs(qrels *Qrels, imported *Imported) map[string]string {
	fold := cases.Fold()
	key := func(id string) string { return norm.NFKC.String(fold.String(id)) }
	alike := make(map[string]int)
	for i, q := range qrels.queries {
		if qrels.relevant(i) {
			alike[key(q.id)]++
		}
	}
	ids := make(map[string]string)
	taken := make(map[string]bool)
	var mapped []string
	for i, q := range qrels.queries {
		if !qrels.relevant(i) {
			continue
		}
		if isCaseID(q.id) && alike[key(q.id)] == 1 {
			ids[q.id] = q.id
			taken[key(q.id)] = true
		} else {
			mapped = append(mapped, q.id)
		}
	}
	for _, query := range mapped {
		id := mappedID(query, 0)
		for again := 1; taken[key(id)]; again++ {
			id = mappedID(query, again)
		}
		ids[query], imported.Renamed[query] = id, id
		taken[key(id)] = true
	}
	return ids
}

// isCaseID says whether an id may be a case's: 1 to 128 letters, digits, ".",
// "_" and "-", not starting with "." or "-". It is stricter than the rule in
// letters that have more than one encoding.
func isCaseID(id string) bool {
	if id == "" || id[0] == '.' || id[0] == '-' || !utf8.ValidString(id) || utf8.RuneCountInString(id) > 128 || !norm.NFKC.IsNormalString(id) {
		return false
	}
	for _, r := range id {
		if !idRune(r) {
			return false
		}
	}
	return true
}

func idRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '_' || r == '-')
}

func mappedID(query string, again int) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, query)
	for range again {
		_, _ = h.Write([]byte{0})
	}
	var b strings.Builder
	n := 0
	for _, r := range norm.NFKC.String(query) {
		if n++; n > 100 {
			break
		}
		if !idRune(r) {
			r = '-'
		}
		b.WriteRune(r)
	}
	base := strings.Trim(b.String(), "-.")
	if base == "" {
		base = "query"
	}
	return base + "-" + hex.EncodeToString(h.Sum(nil)[4:])
}

// ReadTexts reads the texts of queries: lines of an id, a tab and a text, or
// JSON Lines with the id in _id, id, query_id or qid and the text in text, query
// or title (BEIR's queries.jsonl). Which of the two it is shows in the first
// character that is no space. Blank lines are skipped; an id that comes twice is
// an error, as is a line without both.
func ReadTexts(src Source) (map[string]string, error) {
	defer src.done()
	in, err := src.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	texts := make(map[string]string)
	places := make(map[string]int)
	source := blocks{in: in, cut: cutAfterLine}
	var buf []byte
	line, asJSON, known := 0, false, false
	for {
		block, err := source.next(buf)
		for rest := block; len(rest) > 0; {
			line++
			text := rest
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				text, rest = rest[:end], rest[end+1:]
			} else {
				rest = nil
			}
			text = trimLine(text)
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			if !known {
				asJSON, known = bytes.TrimSpace(text)[0] == '{', true
			}
			id, query, problem := textLine(text, asJSON)
			if len(text) > MaxLine {
				problem = longLineError()
			}
			if problem == "" && places[id] > 0 {
				problem = fmt.Sprintf("query %s: a second text, the first is at line %d", excerpt([]byte(id)), places[id])
			}
			if problem != "" {
				return nil, (&lineError{line: line, message: problem}).at(src.name, 0)
			}
			texts[id], places[id] = query, line
		}
		switch {
		case err == io.EOF && len(texts) == 0:
			return nil, fmt.Errorf("%s: no texts: the file is empty", show(src.name))
		case err == io.EOF:
			return texts, nil
		case err != nil:
			return nil, src.ended(err, line)
		}
		buf = block[:0]
	}
}

func textLine(line []byte, asJSON bool) (id, text, problem string) {
	if !utf8.Valid(line) {
		return "", "", "not UTF-8"
	}
	if !asJSON {
		id, text, ok := strings.Cut(string(line), "\t")
		id, text = strings.TrimSpace(id), strings.TrimSpace(text)
		if !ok || id == "" || text == "" {
			return "", "", "not an id, a tab and a text: " + excerpt(line)
		}
		return id, text, ""
	}
	var fields struct {
		UID     json.RawMessage `json:"_id"`
		ID      json.RawMessage `json:"id"`
		QueryID json.RawMessage `json:"query_id"`
		QID     json.RawMessage `json:"qid"`
		Text    string          `json:"text"`
		Query   string          `json:"query"`
		Title   string          `json:"title"`
	}
	if err := json.Unmarshal(line, &fields); err != nil {
		return "", "", "not a JSON object with an id and a text: " + excerpt(line)
	}
	for _, raw := range []json.RawMessage{fields.UID, fields.ID, fields.QueryID, fields.QID} {
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if raw[0] != '"' {
			id = string(raw) // a number counts as its text
		} else if err := json.Unmarshal(raw, &id); err != nil {
			return "", "", "the id is no text: " + excerpt(raw)
		}
		break
	}
	id, text = strings.TrimSpace(id), strings.TrimSpace(cmp.Or(fields.Text, fields.Query, fields.Title))
	if id == "" || text == "" {
		return "", "", "wanted an id (_id, id, query_id or qid) and a text (text, query or title): " + excerpt(line)
	}
	return id, text, ""
}

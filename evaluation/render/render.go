// Package render shows reports, comparisons and single cases to people: as
// Markdown for a review in a repository, and as text for a terminal.
//
// Both lead with what needs eyes: what is worse than the baseline, what failed,
// what passes now; what was expected, what came instead, and why. Nothing that
// comes from an input becomes markup or acts on a terminal.
//
// The JSON of a report is [evaluation.Report.WriteJSON].
package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/compare"
	"github.com/karat-eval/karat/evaluation/gate"
	"github.com/karat-eval/karat/internal/text"
)

// Options says what stands beside a report, and how it is shown. The zero value
// shows a report that has nothing beside it.
type Options struct {
	// Comparison holds the report against a baseline; its New is the report.
	Comparison *compare.Comparison
	// Gate is how the report's gate came out; the report leads with it.
	Gate *gate.Result
	// Preserved says that the report is itself the baseline, so that what fails
	// in it is known.
	Preserved bool

	// Color marks text with colours of a terminal.
	Color bool
	// Width is the number of columns of the terminal, at which lines are
	// wrapped; 0 wraps none.
	Width int
	// Limit is the number of cases shown in full under each heading; 0 stands
	// for 50 in text and 200 in Markdown. Of those that only changed, a fifth of
	// it is shown, and of the warnings of passing cases ten at most. What was left
	// out is counted.
	Limit int
}

// entry is a case under a heading.
type entry struct {
	// row is the case's row in the report; nil where it was removed.
	row *evaluation.Row
	// was is what became of it, nil without a comparison.
	was *compare.Case
}

func (e entry) id() string {
	if e.row != nil {
		return e.row.ID
	}
	return e.was.ID
}

func (e entry) query() string {
	if e.row != nil {
		return e.row.Query
	}
	return e.was.Old.Query
}

// group is a heading with its cases.
type group struct {
	title   string
	mark    evaluation.Mark
	entries []entry
	// brief groups show a line a case.
	brief bool
}

// groups puts the cases that need eyes under headings, the most pressing first.
func groups(r *evaluation.Report, o *Options) []group {
	if o.Comparison == nil {
		failed := group{title: "Failed", mark: evaluation.Bad}
		if o.Preserved {
			failed = group{title: "Known failures", mark: evaluation.Faint}
		}
		for i := range r.Rows {
			if r.Rows[i].Status != evaluation.Pass {
				failed.entries = append(failed.entries, entry{row: &r.Rows[i]})
			}
		}
		return some(failed)
	}
	worse := group{title: "Worse than the baseline", mark: evaluation.Bad}
	added := group{title: "New, and failing", mark: evaluation.Bad}
	better := group{title: "Better than the baseline", mark: evaluation.Good}
	known := group{title: "Known failures", mark: evaluation.Faint}
	passing := group{title: "New, and passing", mark: evaluation.Faint, brief: true}
	changed := group{title: "Changed, and still passing", mark: evaluation.Faint, brief: true}
	for i := range o.Comparison.Cases {
		c := &o.Comparison.Cases[i]
		e := entry{row: c.New, was: c}
		failed := c.New != nil && c.New.Status != evaluation.Pass
		switch {
		case c.Kind.Worse():
			worse.entries = append(worse.entries, e)
		case c.Kind == compare.Fixed:
			better.entries = append(better.entries, e)
		case c.Kind == compare.Added && failed:
			added.entries = append(added.entries, e)
		case failed:
			known.entries = append(known.entries, e)
		case c.Kind == compare.Added:
			passing.entries = append(passing.entries, e)
		case c.Kind == compare.Changed:
			changed.entries = append(changed.entries, e)
		}
	}
	return some(worse, added, better, passing, changed, known)
}

func some(all ...group) []group {
	out := all[:0]
	for _, g := range all {
		if len(g.entries) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// shown gives the number of cases shown of a group.
func (g *group) shown(limit int) int {
	if g.brief {
		limit = max(limit/5, 1)
	}
	return min(limit, len(g.entries))
}

// verdict is the line by which a report is judged.
type verdict struct {
	mark evaluation.Mark
	// word is the verdict; text says what it rests on.
	word, text string
}

// judge gives what the gate and the baseline say.
func judge(o *Options) verdict {
	c := o.Comparison
	if o.Gate != nil {
		v := gateVerdict(o.Gate)
		if c != nil && len(c.Cases) > 0 {
			v.text += "; against the baseline: " + kinds(c)
			if o.Gate.Passed() && c.Worse() { // the gate was not held against it
				v.mark, v.word = evaluation.Bad, "Gate passed, worse than the baseline"
			}
		}
		return v
	}
	switch {
	case c == nil && o.Preserved:
		return verdict{word: "No verdict", text: "this is a preserved baseline: what fails in it is known"}
	case c == nil:
		return verdict{word: "No verdict", text: "there is neither a gate nor a baseline to judge by"}
	case len(c.Cases) == 0:
		return verdict{evaluation.Bad, "Worse", "there is no case to compare"}
	case c.Worse():
		return verdict{evaluation.Bad, "Worse than the baseline", kinds(c)}
	case c.InBoth() == 0:
		return verdict{word: "No verdict", text: "no case is in the baseline: " + kinds(c)}
	}
	return verdict{evaluation.Good, "Not worse than the baseline", kinds(c)}
}

// outcome is the verdict of whoever evaluates the report: a case that neither a gate
// nor a baseline judges has to pass.
func outcome(r *evaluation.Report, o *Options) verdict {
	v := judge(o)
	c := o.Comparison
	if o.Gate != nil || o.Preserved || c != nil && (len(c.Cases) == 0 || c.Worse()) {
		return v
	}
	if c != nil && c.InBoth() > 0 {
		if n := len(c.NewFailing()); n > 0 {
			says := "1 new case does not pass"
			if n > 1 {
				says = fmt.Sprintf("%d new cases do not pass", n)
			}
			return verdict{evaluation.Bad, "Not passed", says + "; against the baseline: " + kinds(c)}
		}
		return v
	}
	without := "no gate and no baseline to judge by"
	if c != nil {
		without = v.text
	}
	not := 0
	for i := range r.Rows {
		if r.Rows[i].Status != evaluation.Pass {
			not++
		}
	}
	switch {
	case len(r.Rows) == 0:
		return verdict{evaluation.Bad, "Not passed", "there is no case (" + without + ")"}
	case not == 1:
		return verdict{evaluation.Bad, "Not passed", "1 of " + plural(len(r.Rows), "case") + " does not pass (" + without + ")"}
	case not > 1:
		return verdict{evaluation.Bad, "Not passed", fmt.Sprintf("%d of %d cases do not pass (%s)", not, len(r.Rows), without)}
	}
	return verdict{evaluation.Good, "Passed", "every case passes (" + without + ")"}
}

// kinds counts the cases of each kind that occurs, and says what sets the two
// reports apart as a whole.
func kinds(c *compare.Comparison) string {
	var parts []string
	for _, k := range compare.Kinds {
		if n := c.Count(k); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	s := strings.Join(parts, ", ")
	if c.Incomparable != "" {
		s += "; the reports are not comparable: " + c.Incomparable
	}
	return s
}

// tally counts the cases by status: "22 cases: 18 pass, 3 fail, 1 not run".
func tally(r *evaluation.Report) string {
	counts := map[evaluation.Status]int{}
	for i := range r.Rows {
		counts[r.Rows[i].Status]++
	}
	var parts []string
	for _, s := range []evaluation.Status{evaluation.Pass, evaluation.Fail, evaluation.NotRun, evaluation.Error} {
		if n := counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words(string(s))))
		}
	}
	return plural(len(r.Rows), "case") + ": " + strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// words shows a name of ours, such as not_run, to a reader.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// remark is a warning with the passing cases that have it.
type remark struct {
	text string
	// cases is how many have it, ids the first of them.
	cases int
	ids   []string
}

// remarkCases is how many cases are named with a remark.
const remarkCases = 3

// remarks gives the warnings of the cases that no heading shows in full: those
// that pass, and are not worse. A check that silently did not apply stands
// there. The warnings of most cases come first.
func remarks(r *evaluation.Report, o *Options) []remark {
	worse := map[string]bool{}
	if o.Comparison != nil {
		for i := range o.Comparison.Cases {
			if c := &o.Comparison.Cases[i]; c.Kind.Worse() {
				worse[c.ID] = true
			}
		}
	}
	var out []remark
	index := map[string]int{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Status != evaluation.Pass || len(row.Warnings) == 0 || worse[row.ID] {
			continue
		}
		for j, w := range row.Warnings {
			if slices.Contains(row.Warnings[:j], w) {
				continue
			}
			at, ok := index[w]
			if !ok {
				at = len(out)
				index[w] = at
				out = append(out, remark{text: w})
			}
			x := &out[at]
			if x.cases++; len(x.ids) < remarkCases {
				x.ids = append(x.ids, row.ID)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b remark) int { return cmp.Compare(b.cases, a.cases) })
	return out
}

// head names the cases of a remark.
func (x *remark) head() string {
	ids := text.Truncate(strings.Join(x.ids, ", "), 100)
	switch {
	case x.cases == 1:
		return ids
	case x.cases == len(x.ids):
		return plural(x.cases, "passing case") + " (" + ids + ")"
	}
	return plural(x.cases, "passing case") + " (" + ids + ", …)"
}

// mostRemarks is how many remarks are shown: as many as of cases that only
// changed, and few.
func mostRemarks(limit int) int { return min(max(limit/5, 1), 10) }

// note is one line on a case: a label of ours, and a text that may be foreign.
type note struct {
	label string
	text  string
	mark  evaluation.Mark
}

// notes gives what a reader needs to know of a case: what became of it, what
// failed, what came instead, what is missing, and what its author says.
func notes(r *evaluation.Report, e entry) []note {
	var out []note
	add := func(mark evaluation.Mark, label, text string) { out = append(out, note{label, text, mark}) }
	worse := false
	if c := e.was; c != nil {
		worse = c.Kind.Worse()
		switch c.Kind {
		case compare.Removed:
			add(evaluation.Bad, string(c.Kind), "the baseline has this case ("+words(string(c.Old.Status))+"), the report does not")
		case compare.Incomparable:
			add(evaluation.Bad, string(c.Kind), c.Why)
		default:
			decides, also := changes(c)
			if decides != "" {
				mark := evaluation.Good
				if worse {
					mark = evaluation.Bad
				}
				add(mark, string(c.Kind), decides)
			}
			if also != "" {
				add(evaluation.Plain, "changed", also)
			}
		}
	}
	row := e.row
	if row == nil || row.Status == evaluation.Pass && !worse {
		return out
	}
	for i := range row.Checks {
		if c := &row.Checks[i]; c.Status == evaluation.CheckFail {
			add(evaluation.Bad, c.Name, checkText(c))
		}
	}
	facts(r, row, add)
	for i := range row.Evidence {
		// What is missing stands with the check; a note says what is there.
		if v := &row.Evidence[i]; !v.Covered && v.Note != "" {
			add(evaluation.Plain, "missing "+words(v.Kind), v.Expected+": "+v.Note)
		}
	}
	for _, w := range row.Warnings {
		add(evaluation.Faint, "warning", w)
	}
	if row.Reason != "" {
		add(evaluation.Plain, "reason", row.Reason)
	}
	return out
}

// facts adds the facts with a title: lists, such as the candidates that came, on
// a line of their own, all others on one.
func facts(r *evaluation.Report, row *evaluation.Row, add func(mark evaluation.Mark, label, text string)) {
	var scalars []string
	var lists []note
	for _, f := range r.Facts {
		if f.Title == "" || f.Volatile {
			continue
		}
		switch v := row.Fact(f.Name).(type) {
		case nil, bool:
		case []string:
			lists = append(lists, note{label: f.Title, text: factText(v)})
		default:
			scalars = append(scalars, f.Title+": "+factText(v))
		}
	}
	if len(scalars) > 0 {
		add(evaluation.Plain, "facts", strings.Join(scalars, "; "))
	}
	for _, l := range lists {
		add(evaluation.Plain, l.label, l.text)
	}
}

// changes puts what changed of a case into two texts: what decides that it is
// better or worse, and the rest. Causes stand before what follows from them: the
// status, what fell and fails, what was measured, and last, in short, what there
// is no more. Why a check fails is told with the check.
func changes(c *compare.Case) (decides, also string) {
	list := slices.Clone(c.Changes)
	type kind struct {
		of      string
		decides bool
	}
	const said = -1
	gone := map[kind]int{}
	for i := range list {
		ch := &list[i]
		if ch.Of == "check" && c.New != nil && failedNow(c.New, ch.Name) {
			ch.Why = ""
			// A check that nothing asked before, such as that there is a
			// fixture, is the cause where a case got worse.
			ch.Decides = ch.Decides || c.Kind.Worse() && ch.Old != ch.New
		}
		if ch.New == "" {
			gone[kind{ch.Of, ch.Decides}]++
		}
	}
	slices.SortStableFunc(list, func(a, b compare.Change) int { return cmp.Compare(order(&a), order(&b)) })
	for i := range list {
		ch := &list[i]
		s := ch.String()
		switch k := (kind{ch.Of, ch.Decides}); {
		case ch.New == "" && gone[k] > mostGone:
			s = fmt.Sprintf(goneWords[ch.Of], gone[k])
			gone[k] = said
		case ch.New == "" && gone[k] == said:
			continue
		}
		dst := &also
		if ch.Decides {
			dst = &decides
		}
		if *dst != "" {
			*dst += "; "
		}
		*dst += s
	}
	return decides, also
}

// mostGone is how many things that there are no more are told one by one.
const mostGone = 2

var goneWords = map[string]string{
	"check":  "%d checks do not apply any more",
	"fact":   "%d facts are not there any more",
	"metric": "%d metrics are not measured any more",
}

// order is the place of a change among the others of its case.
func order(ch *compare.Change) int {
	switch {
	case ch.Of == "status":
		return 0
	case ch.New == "" && ch.Of == "check":
		return 3
	case ch.New == "":
		return 4
	case ch.Decides:
		return 1
	}
	return 2
}

func failedNow(r *evaluation.Row, check string) bool {
	c := r.Check(check)
	return c != nil && c.Status == evaluation.CheckFail
}

// checkText says what a check expected, what it got, and why that fails. What
// the reason says again is said once.
func checkText(c *evaluation.Check) string {
	got, reason := c.Got, c.Reason
	if len(got) > repeated && strings.Contains(reason, got) {
		got = ""
	}
	var parts []string
	last := ""
	if c.Expected != "" {
		parts, last = append(parts, "expected "+c.Expected), c.Expected
	}
	if got != "" {
		parts, last = append(parts, "got "+got), got
	}
	s := strings.Join(parts, ", ")
	if reason == last {
		reason = ""
	} else if rest, ok := strings.CutPrefix(reason, last+": "); ok && last != "" {
		reason = rest
	}
	switch {
	case reason == "":
		return s
	case s == "":
		return reason
	case headed(c.Expected, reason):
		return s + "; " + reason
	}
	return s + ": " + reason
}

// repeated is the length, in bytes, over which what a check got is left out
// where its reason quotes it.
const repeated = 20

// headed reports whether a reason begins with one of the things that were
// expected, as in "query_logs: never called": after a colon it would seem to be
// said of what came.
func headed(expected, reason string) bool {
	head, _, ok := strings.Cut(reason, ": ")
	return ok && strings.Contains(expected, head)
}

func factText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return number(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []string:
		if len(v) == 0 {
			return "(none)"
		}
		return strings.Join(v, ", ")
	}
	return ""
}

// number shows a value with four decimals, or with all digits where four would
// show a round value that it is not: 0.99996 is no 1.
func number(v float64) string {
	s := fmt.Sprintf("%.4f", v)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		s = "0"
	}
	if !strings.Contains(s, ".") && evaluation.Number(v) != s {
		return evaluation.Number(v)
	}
	return s
}

func signed(v float64) string {
	if v >= 0 {
		return "+" + number(v)
	}
	return "−" + number(-v)
}

// value shows an entry of a summary.
func value(e evaluation.Entry) string {
	if !e.OK {
		return "–"
	}
	return number(e.Value)
}

// metricName names a line of a table of metrics.
func metricName(d *compare.Delta) string {
	if d.Bucket != "" {
		return d.Name + ": " + d.Bucket
	}
	return d.Name
}

// metricLines gives the lines of a report's table of metrics. Without a
// comparison the old entries have no value.
func metricLines(r *evaluation.Report, o *Options) []compare.Delta {
	if o.Comparison != nil {
		return o.Comparison.Metrics
	}
	var out []compare.Delta
	for _, e := range r.Summary {
		m := r.Metric(e.Name)
		if m == nil {
			continue
		}
		if m.Aggregation == evaluation.Distribution {
			for _, b := range e.Buckets {
				out = append(out, compare.Delta{Name: e.Name, Bucket: b.Name, Metric: *m,
					New: evaluation.Entry{Name: b.Name, Value: float64(b.Count), OK: true, N: e.N}})
			}
			continue
		}
		out = append(out, compare.Delta{Name: e.Name, Metric: *m, New: e})
	}
	return out
}

// moved shows a delta and whether it is for the better.
func moved(d *compare.Delta) (change string, mark evaluation.Mark) {
	switch {
	case !d.Old.OK && !d.New.OK:
		return "", evaluation.Plain
	case !d.New.OK:
		change = "lost"
	case !d.Old.OK:
		return "new", evaluation.Plain
	case d.Change() != 0 && !same(d.Old.Value, d.New.Value):
		change = signed(d.Change())
	default:
		return "", evaluation.Plain
	}
	switch d.Direction() {
	case compare.Worse:
		return change + " worse", evaluation.Bad
	case compare.Better:
		return change + " better", evaluation.Good
	}
	return change, evaluation.Plain
}

// otherCases says that a metric goes over another number of cases than it did,
// for another reason than that the report has more or fewer: an average rank that
// got better because the worst cases have none any more got no better.
func otherCases(d *compare.Delta, c *compare.Comparison) bool {
	return d.Old.OK && d.New.OK && d.Old.N != d.New.N && (d.Old.N != len(c.Old.Rows) || d.New.N != len(c.New.Rows))
}

func same(a, b float64) bool { return evaluation.Round(a) == evaluation.Round(b) }

// writer keeps the first error, so that what is shown can be written without a
// look at each line.
type writer struct {
	w   io.Writer
	b   []byte
	err error
}

func (w *writer) flush(over int) {
	if len(w.b) > over {
		if w.err == nil {
			_, w.err = w.w.Write(w.b)
		}
		w.b = w.b[:0]
	}
}

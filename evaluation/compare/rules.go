package compare

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/karat-eval/karat/evaluation"
)

// Rules compares the rows of two reports, case by case.
type Rules struct {
	incomparable string
	facts        map[string]evaluation.FactInfo
	better       map[string]evaluation.Better
	volatile     map[string]bool
	transitions  []string
}

// NewRules makes the rules between a baseline and a new report of these
// definitions. The new one says which facts are ordered, volatile or counted in
// transitions; an order that only the baseline states holds too.
func NewRules(old, now *evaluation.Definition) *Rules {
	r := &Rules{
		incomparable: incomparable(old, now),
		facts:        map[string]evaluation.FactInfo{},
		better:       map[string]evaluation.Better{},
		volatile:     map[string]bool{},
	}
	for i := range now.Metrics {
		m := &now.Metrics[i]
		if m.Of == "" || m.Aggregation == evaluation.Count || m.Aggregation == evaluation.Rate {
			continue
		}
		r.better[m.Of] = m.Better
		if m.Volatile() {
			r.volatile[m.Of] = true
		}
	}
	for _, f := range old.Facts {
		if len(f.Order) > 0 { // a new report that lost it cannot fall along it
			r.facts[f.Name] = evaluation.FactInfo{Name: f.Name, Order: f.Order}
		}
	}
	for _, f := range now.Facts {
		if len(f.Order) == 0 {
			f.Order = r.facts[f.Name].Order
		}
		r.facts[f.Name] = f
		if f.Volatile {
			r.volatile[f.Name] = true
		}
		if f.Transitions {
			r.transitions = append(r.transitions, f.Name)
		}
	}
	return r
}

// SameKind refuses reports of two schemas, of which every case would be
// incomparable.
func SameKind(old, now *evaluation.Definition) error {
	if old.Schema != now.Schema {
		return fmt.Errorf("the baseline is a %s and the report a %s: only reports of one kind can be compared", old.Schema, now.Schema)
	}
	return nil
}

// incomparable says what sets two reports apart as a whole: the schema, a
// setting such as k or the version of the rules, or the order of a fact.
func incomparable(old, now *evaluation.Definition) string {
	if old.Schema != now.Schema {
		return fmt.Sprintf("the schema was %s and is %s", old.Schema, now.Schema)
	}
	var why []string
	setting := func(d *evaluation.Definition, name string) string {
		for _, s := range d.Config {
			if s.Name == name {
				return settingText(s.Value)
			}
		}
		return "(not set)"
	}
	for _, s := range now.Config {
		if a, b := setting(old, s.Name), settingText(s.Value); a != b {
			why = append(why, fmt.Sprintf("%s was %s and is %s", s.Name, a, b))
		}
	}
	for _, s := range old.Config {
		if setting(now, s.Name) == "(not set)" {
			why = append(why, fmt.Sprintf("%s was %s and is not set", s.Name, settingText(s.Value)))
		}
	}
	for _, f := range now.Facts {
		i := slices.IndexFunc(old.Facts, func(o evaluation.FactInfo) bool { return o.Name == f.Name })
		if i >= 0 && len(f.Order) > 0 && len(old.Facts[i].Order) > 0 && !slices.Equal(f.Order, old.Facts[i].Order) {
			why = append(why, fmt.Sprintf("the order of %s was %s and is %s", f.Name, factText(old.Facts[i].Order), factText(f.Order)))
		}
	}
	return strings.Join(why, "; ")
}

// Case says what became of one case. A nil row stands for a report without the
// case; not both may be nil.
//
// A check that passed and does not apply any more is a regression, since what
// it held is held no longer; also where another verdict brings checks of its own,
// for nothing here knows which verdict is the better one.
func (r *Rules) Case(old, now *evaluation.Row) Case {
	switch {
	case old == nil && now == nil:
		return Case{Kind: Equal}
	case old == nil:
		return Case{ID: now.ID, Kind: Added, New: now}
	case now == nil:
		return Case{ID: old.ID, Kind: Removed, Old: old}
	}
	c := Case{ID: now.ID, Old: old, New: now}
	if why := r.incomparable; why != "" {
		c.Kind, c.Why = Incomparable, why
		return c
	}
	if old.Digest != now.Digest {
		c.Kind, c.Why = Incomparable, "the case itself was changed"
		return c
	}
	c.Changes = r.changes(old, now)
	c.Kind = Equal
	if len(c.Changes) > 0 {
		c.Kind = Changed
	}
	for _, x := range c.Changes {
		if !x.Decides {
			continue
		}
		if x.Direction == Worse {
			c.Kind = Regressed
			break
		}
		c.Kind = Fixed
	}
	// What decides stands first, the worse before the better.
	slices.SortStableFunc(c.Changes, func(a, b Change) int { return weight(a) - weight(b) })
	return c
}

func weight(c Change) int {
	switch {
	case c.Decides && c.Direction == Worse:
		return 0
	case c.Decides:
		return 1
	}
	return 2
}

func (r *Rules) changes(old, now *evaluation.Row) []Change {
	var out []Change
	if old.Status != now.Status {
		d := Moved
		switch a, b := old.Status.Rank(), now.Status.Rank(); {
		case b < a:
			d = Worse
		case b > a:
			d = Better
		}
		out = append(out, Change{Of: "status", Name: "status", Old: string(old.Status), New: string(now.Status), Direction: d, Decides: d != Moved})
	}
	out = r.factChanges(out, old, now)
	out = checkChanges(out, old, now)
	return r.metricChanges(out, old, now)
}

func (r *Rules) factChanges(out []Change, old, now *evaluation.Row) []Change {
	one := func(name string, a, b any) {
		if r.volatile[name] || sameFact(a, b) {
			return
		}
		c := Change{Of: "fact", Name: name, Old: factText(a), New: factText(b), Why: listChange(a, b)}
		order := r.facts[name].Order
		if i, j := rank(order, a), rank(order, b); len(order) > 0 && i != unordered && j != unordered {
			c.Direction, c.Decides = Worse, true
			if j > i {
				c.Direction = Better
			}
		} else if x, ok := a.(float64); ok {
			if y, ok := b.(float64); ok {
				c.Direction = direction(r.better[name], x, y)
			}
		}
		out = append(out, c)
	}
	for i := range now.Facts {
		one(now.Facts[i].Name, pairedFact(old, now.Facts[i].Name, i), now.Facts[i].Value)
	}
	for i := range old.Facts {
		if name := old.Facts[i].Name; !has(now.Facts, name, i) {
			one(name, old.Facts[i].Value, nil)
		}
	}
	return out
}

// listChange says how a list changed, "" where not both are lists.
func listChange(a, b any) string {
	was, ok := a.([]string)
	is, also := b.([]string)
	if !ok || !also {
		return ""
	}
	less := func(a, b []string) []string {
		left := slices.Clone(b)
		var out []string
		for _, s := range a {
			if i := slices.Index(left, s); i >= 0 {
				left = slices.Delete(left, i, i+1)
				continue
			}
			out = append(out, s)
		}
		return out
	}
	var parts []string
	if came := less(is, was); len(came) > 0 {
		parts = append(parts, "came "+strings.Join(came, ", "))
	}
	if went := less(was, is); len(went) > 0 {
		parts = append(parts, "went "+strings.Join(went, ", "))
	}
	if parts == nil {
		return "in another order"
	}
	return strings.Join(parts, "; ")
}

// pairedFact looks for a fact where the other row has it, and then everywhere.
func pairedFact(r *evaluation.Row, name string, i int) any {
	if i < len(r.Facts) && r.Facts[i].Name == name {
		return r.Facts[i].Value
	}
	return r.Fact(name)
}

func has(facts []evaluation.Fact, name string, i int) bool {
	return i < len(facts) && facts[i].Name == name ||
		slices.ContainsFunc(facts, func(f evaluation.Fact) bool { return f.Name == name })
}

const unordered = -2

// rank places a value in an order: -1, under all others, where it is absent,
// and unordered where the order does not know it.
func rank(order []string, v any) int {
	if v == nil {
		return -1
	}
	if s, ok := v.(string); ok {
		if i := slices.Index(order, s); i >= 0 {
			return i
		}
	}
	return unordered
}

func checkChanges(out []Change, old, now *evaluation.Row) []Change {
	for i := range now.Checks {
		b := &now.Checks[i]
		a := old.Check(b.Name)
		switch {
		case a == nil:
			out = append(out, Change{Of: "check", Name: b.Name, New: string(b.Status), Why: b.Reason})
		case a.Status == b.Status:
			if b.Status != evaluation.CheckPass && (!sameWords(a.Got, b.Got) || !sameWords(a.Reason, b.Reason)) {
				out = append(out, Change{Of: "check", Name: b.Name, Old: string(a.Status), New: string(b.Status), Why: b.Reason})
			}
		default:
			c := Change{Of: "check", Name: b.Name, Old: string(a.Status), New: string(b.Status), Why: b.Reason}
			switch {
			case a.Status == evaluation.CheckPass:
				c.Direction, c.Decides = Worse, true
			case b.Status == evaluation.CheckPass:
				c.Direction, c.Decides = Better, true
			}
			out = append(out, c)
		}
	}
	for i := range old.Checks {
		a := &old.Checks[i]
		if now.Check(a.Name) != nil {
			continue
		}
		c := Change{Of: "check", Name: a.Name, Old: string(a.Status)}
		if a.Status == evaluation.CheckPass {
			c.Direction, c.Decides = Worse, true
		}
		out = append(out, c)
	}
	return out
}

func (r *Rules) metricChanges(out []Change, old, now *evaluation.Row) []Change {
	value := func(row *evaluation.Row, name string, i int) (float64, bool) {
		if i < len(row.Metrics) && row.Metrics[i].Name == name {
			return row.Metrics[i].Value, true
		}
		for _, v := range row.Metrics {
			if v.Name == name {
				return v.Value, true
			}
		}
		return math.NaN(), false
	}
	text := func(v float64, ok bool) string {
		if !ok {
			return ""
		}
		return evaluation.Number(v)
	}
	one := func(name string, i int) {
		if r.volatile[name] {
			return
		}
		a, hadA := value(old, name, i)
		b, hadB := value(now, name, i)
		if hadA == hadB && near(a, b) {
			return
		}
		c := Change{Of: "metric", Name: name, Old: text(a, hadA), New: text(b, hadB)}
		if hadA && hadB {
			c.Direction = direction(r.better[name], a, b)
		}
		out = append(out, c)
	}
	for i := range now.Metrics {
		one(now.Metrics[i].Name, i)
	}
	for i := range old.Metrics {
		if _, ok := value(now, old.Metrics[i].Name, i); !ok {
			one(old.Metrics[i].Name, i)
		}
	}
	return out
}

// tolerance is under what two values are the same. Reports carry 12 significant
// digits, so that a value read back differs a little from the one computed.
const tolerance = 1e-9

func near(a, b float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a)) || a == b || math.IsNaN(a) && math.IsNaN(b)
}

func direction(better evaluation.Better, a, b float64) Direction {
	if near(a, b) {
		return Moved
	}
	switch {
	case better == evaluation.Higher && b > a, better == evaluation.Lower && b < a:
		return Better
	case better == evaluation.Higher && b < a, better == evaluation.Lower && b > a:
		return Worse
	}
	return Moved
}

func sameFact(a, b any) bool {
	switch a := a.(type) {
	case []string:
		b, ok := b.([]string)
		return ok && slices.Equal(a, b)
	case float64:
		b, ok := b.(float64)
		return ok && near(a, b)
	}
	return reflect.DeepEqual(a, b)
}

// sameWords compares two texts without their figures. Figures that matter are
// facts and metrics too, and are compared there; a duration is no change.
func sameWords(a, b string) bool {
	if a == b {
		return true
	}
	words := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r == '.' {
				return -1
			}
			return r
		}, s)
	}
	return words(a) == words(b)
}

func settingText(v any) string { return cmp.Or(factText(v), "(empty)") }

// factText gives a fact or a setting as text, "" for an absent one.
func factText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return evaluation.Number(v)
	case bool:
		return strconv.FormatBool(v)
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	}
	return ""
}

package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Measure is a ranking measure with its parameters, as [Parse] makes it.
type Measure struct {
	def        *definition
	label      string
	cutoff     int // 0: none
	rel        int // from this grade on a document is relevant; 0: graded (RBP), or all documents (NumRet)
	relStated  bool
	maxRel     int // ERR: the highest grade of the scale
	p          float64
	beta       float64
	recall     float64
	expGain    bool
	gains      []levelGain // by level; other levels keep their own value
	judgedOnly bool
}

// levelGain gives documents of one grade a gain of its own.
type levelGain struct {
	level int
	gain  float64
}

// String is the measure's name in ir_measures' notation, the same for every
// spelling of one measure: parameters at their default are left out.
func (m Measure) String() string {
	if m.def == nil {
		return ""
	}
	var params []string
	d := m.def
	if d.takes&takesRel != 0 && m.rel != d.rel && d.name != "nDCG" {
		params = append(params, "rel="+strconv.Itoa(m.rel))
	}
	if d.takes&takesP != 0 && m.p != d.p {
		params = append(params, "p="+number(m.p))
	}
	if d.takes&takesBeta != 0 && m.beta != 1 {
		params = append(params, "beta="+number(m.beta))
	}
	if d.takes&takesMaxRel != 0 && m.maxRel != defaultMaxRel {
		params = append(params, "max_rel="+strconv.Itoa(m.maxRel))
	}
	if m.expGain {
		params = append(params, "gain=exp")
	}
	if len(m.gains) > 0 {
		pairs := make([]string, len(m.gains))
		for i, g := range m.gains {
			pairs[i] = strconv.Itoa(g.level) + ":" + number(g.gain)
		}
		params = append(params, "gains={"+strings.Join(pairs, ",")+"}")
	}
	if m.judgedOnly {
		params = append(params, "judged_only=True")
	}
	s := d.name
	if len(params) > 0 {
		s += "(" + strings.Join(params, ",") + ")"
	}
	switch {
	case d.takes&takesRecall != 0:
		s += "@" + number(m.recall)
	case m.cutoff > 0:
		s += "@" + strconv.Itoa(m.cutoff)
	}
	return s
}

// WithRel is the measure with another lowest relevant grade, as trec_eval's flag
// -l sets it for all measures at once. A grade that the measure's name states
// (AP(rel=2)) stays, and a measure that knows no relevant grade stays as it is.
func (m Measure) WithRel(rel int) (Measure, error) {
	if rel < 1 || rel > math.MaxInt32 {
		return m, fmt.Errorf("relevant grade %d: must be in [1, %d]", rel, math.MaxInt32)
	}
	if m.def != nil && m.def.takes&takesRel != 0 && m.rel == 1 && !m.relStated {
		m.rel = rel
	}
	return m, nil
}

// Label is the name to print: for a name of trec_eval's the one that trec_eval
// prints (ndcg_cut_10), for every other [Measure.String].
func (m Measure) Label() string {
	if m.label != "" {
		return m.label
	}
	return m.String()
}

// Better says in which direction a measure improves.
type Better string

// The directions of a measure.
const (
	Higher  Better = "higher"
	Lower   Better = "lower"
	Neither Better = "none"
)

// Info describes a measure's values.
type Info struct {
	Better Better
	// Min and Max bound the value of one query. Max is +Inf for counts.
	Min, Max float64
	// Count says that values are whole numbers.
	Count bool
	// Sum says that queries are added up where other measures are averaged.
	Sum bool
	// SummaryOnly says that trec_eval prints no value for a single query.
	SummaryOnly bool
	// Source names where the definition stands.
	Source string
}

// Info returns what is known of the measure's values.
func (m Measure) Info() Info {
	if m.def == nil {
		return Info{Better: Neither}
	}
	i := Info{Better: m.def.better, Max: 1, Source: m.def.source}
	switch m.def.summary {
	case sumOfQueries:
		i.Max, i.Count, i.Sum = math.Inf(1), true, true
	case geometricMean:
		i.SummaryOnly = true
	}
	i.SummaryOnly = i.SummaryOnly || m.def.name == "NumQ"
	return i
}

// Score is the measure's value for one query's ranking. It is never NaN and
// within the bounds of [Measure.Info].
func (m Measure) Score(r *Ranking) float64 {
	if m.def == nil {
		return 0
	}
	v := r.cut()
	if m.judgedOnly || r.AssessedOnly {
		v = v.assessed()
	}
	return m.def.score(m, v)
}

// Bounds are the lowest and the highest value that the measure takes under any
// order of tied documents. (For infAP where a document of negative relevance is
// among the tied, they are the extremes of three orders: relevant documents
// last, first, and as they came. Others may exceed them.)
func (m Measure) Bounds(r *Ranking) (low, high float64) {
	v := m.Score(r)
	if len(r.Ties) == 0 {
		return v, v
	}
	var best, worst *Ranking
	if len(m.gains) == 0 {
		best, worst = r.byRelevance()
	} else {
		key := func(relevance int) float64 { return m.gain(relevance, 0) }
		best, worst = r.best(key), r.worst(key)
	}
	a, b := m.Score(best), m.Score(worst)
	low, high = min(a, b, v), max(a, b, v)
	if r.Depth > 0 && m.def.countsNonRelevant {
		// Where a tie lies across the depth, its documents that were judged not
		// relevant push the others out, or the others them.
		key := func(relevance int) float64 {
			switch {
			case relevance >= m.rel:
				return 1
			case relevance < 0:
				return 0
			}
			return -1
		}
		a, b = m.Score(r.arrange(0, key)), m.Score(r.arrange(0, func(relevance int) float64 { return -key(relevance) }))
		low, high = min(a, b, low), max(a, b, high)
	}
	return low, high
}

// Summarize is the measure over all queries: their arithmetic mean, for GMAP and
// GMBpref their geometric mean, for counts their sum. Values are taken in their
// order, so that one order has one result to the last bit. Without values it is
// 0 for counts and NaN for the rest: there is no such number.
func (m Measure) Summarize(values []float64) float64 {
	if m.def == nil {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		if m.def.summary == geometricMean {
			v = math.Log(max(v, minGeometric))
		}
		sum += v
	}
	n := float64(len(values))
	switch m.def.summary {
	case sumOfQueries:
		return sum
	case geometricMean:
		return math.Exp(sum / n)
	}
	return sum / n
}

// gain is the gain of a judged document; shift scales exponential gains down so
// that they stay finite.
func (m Measure) gain(relevance, shift int) float64 {
	if relevance < 0 {
		return 0
	}
	if len(m.gains) > 0 {
		i, found := slices.BinarySearchFunc(m.gains, relevance, func(g levelGain, level int) int { return g.level - level })
		if found {
			return m.gains[i].gain
		}
	}
	if m.expGain {
		return math.Ldexp(1, relevance-shift) - math.Ldexp(1, -shift)
	}
	return float64(relevance)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// trecParams is what trec_eval takes behind a measure's name.
type trecParams uint8

const (
	trecNone    trecParams = iota
	trecCutoffs            // P.5,10
	trecRecalls            // iprec_at_recall.0.1,0.5
	trecGains              // ndcg.1=1,2=3
	trecBeta               // set_F.0.5
	trecP                  // rbp.p=0.8
)

// trecName is one name of trec_eval's.
type trecName struct {
	name     string
	measure  string // what it means, in ir_measures' notation
	params   trecParams
	defaults string
}

const (
	defaultCutoffs = "5,10,15,20,30,100,200,500,1000"
	defaultRecalls = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
)

// trecNames are trec_eval's names, in the order in which it prints them.
var trecNames = []trecName{
	{"num_q", "NumQ", trecNone, ""},
	{"num_ret", "NumRet", trecNone, ""},
	{"num_rel", "NumRel", trecNone, ""},
	{"num_rel_ret", "NumRet(rel=1)", trecNone, ""},
	{"map", "AP", trecNone, ""},
	{"gm_map", "GMAP", trecNone, ""},
	{"Rprec", "Rprec", trecNone, ""},
	{"bpref", "Bpref", trecNone, ""},
	{"recip_rank", "RR", trecNone, ""},
	{"iprec_at_recall", "IPrec", trecRecalls, defaultRecalls},
	{"P", "P", trecCutoffs, defaultCutoffs},
	{"recall", "R", trecCutoffs, defaultCutoffs},
	{"infAP", "infAP", trecNone, ""},
	{"gm_bpref", "GMBpref", trecNone, ""},
	{"11pt_avg", "11pt", trecNone, ""},
	{"ndcg", "nDCG", trecGains, ""},
	{"ndcg_cut", "nDCG", trecCutoffs, defaultCutoffs},
	{"map_cut", "AP", trecCutoffs, defaultCutoffs},
	{"relative_P", "RCap", trecCutoffs, defaultCutoffs},
	{"success", "Success", trecCutoffs, "1,5,10"},
	{"set_P", "SetP", trecNone, ""},
	{"set_relative_P", "SetRelP", trecNone, ""},
	{"set_recall", "SetR", trecNone, ""},
	{"set_map", "SetAP", trecNone, ""},
	{"set_F", "SetF", trecBeta, ""},
	{"num_nonrel_judged_ret", "NumNonRelJudgedRet", trecNone, ""},
	{"rbp", "RBP(p=0.9)", trecP, ""},
	{"unj", "Unj", trecCutoffs, "5,10,20"},
}

// nicknames are trec_eval's names for sets of measures, without its experimental
// ones (G, binG, Rndcg, ndcg_rel, Rprec_mult, utility, dcg).
var nicknames = map[string][]string{
	"official": {"num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"},
	"set":      {"num_q", "num_ret", "num_rel", "num_rel_ret", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"},
	"all_trec": {"num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P",
		"recall", "infAP", "gm_bpref", "11pt_avg", "ndcg", "relative_P", "success", "map_cut", "ndcg_cut",
		"set_P", "set_recall", "set_relative_P", "set_map", "set_F", "num_nonrel_judged_ret"},
}

// Definition describes one measure to a user.
type Definition struct {
	Name    string   // in ir_measures' notation, without parameters
	Aliases []string // other names, trec_eval's among them
	Takes   string   // its parameters, such as "@k, rel=, judged_only="
	Source  string   // what it is, where the definition stands, its conventions
}

// Definitions lists every measure.
func Definitions() []Definition {
	list := make([]Definition, 0, len(definitions))
	for _, d := range definitions {
		def := Definition{Name: d.name, Aliases: slices.Clone(d.aliases), Takes: d.parameters(), Source: d.source}
		for _, t := range trecNames {
			if base, _, _ := strings.Cut(t.measure, "("); base == d.name && t.name != d.name {
				def.Aliases = append(def.Aliases, t.name)
			}
		}
		list = append(list, def)
	}
	return list
}

func (d *definition) parameters() string {
	var names []string
	add := func(t takes, name string) {
		if d.takes&t != 0 {
			names = append(names, name)
		}
	}
	if d.takes&needsCutoff != 0 {
		names = append(names, "@k")
	} else {
		add(takesCutoff, "[@k]")
	}
	add(takesRecall, "@recall")
	add(takesRel, "rel=")
	add(takesP, "p=")
	add(takesBeta, "beta=")
	add(takesMaxRel, "max_rel=")
	add(takesGain, "gain=, gains=")
	add(takesJudgedOnly, "judged_only=")
	return strings.Join(names, ", ")
}

// Parse reads the name of one measure, in ir_measures' notation (nDCG@10,
// AP(rel=2)@100, P(rel=2,judged_only=True)@5, IPrec@0.5) or trec_eval's
// (ndcg_cut_10, ndcg_cut.10, map, iprec_at_recall.0.5, ndcg.1=1,2=3). It is an
// error where a name means several measures (see [ParseList]), a parameter is
// missing, unknown or out of its range; for an unknown name the error lists the
// near ones.
func Parse(name string) (Measure, error) {
	list, err := ParseList(name)
	if err != nil {
		return Measure{}, err
	}
	if len(list) != 1 {
		return Measure{}, fmt.Errorf("measure %s: names %d measures, one is wanted, such as %s", quote(name), len(list), list[0].Label())
	}
	return list[0], nil
}

// ParseList reads a name as [Parse] does, and beyond that the names of
// trec_eval's that mean several measures: a family with its default cutoffs (P,
// ndcg_cut, iprec_at_recall), several cutoffs (P.5,10) and the sets official,
// all_trec and set.
func ParseList(name string) ([]Measure, error) {
	name = strings.TrimSpace(name)
	list, err := parseList(name)
	if err == nil {
		return list, nil
	}
	// Is it several names, each of which is one?
	names := strings.Split(name, ",")
	for _, n := range names {
		if _, wrong := parseList(strings.TrimSpace(n)); wrong != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("measure %s: these are %d names: give them one at a time", quote(name), len(names))
}

func parseList(name string) ([]Measure, error) {
	list, err := lookUp(name)
	if err == errUnknown {
		err = unknown(name)
	}
	return list, err
}

// errUnknown is lookUp's for a name that is none.
var errUnknown = errors.New("unknown measure")

func lookUp(name string) ([]Measure, error) {
	if members, ok := nicknames[name]; ok {
		var list []Measure
		for _, member := range members {
			more, err := lookUp(member)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	}
	base, params, at, err := split(name)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", quote(name), err)
	}
	bare := params == "" && at == ""
	if def := findDefinition(base); def != nil && !(bare && familyNamed(base)) {
		m := def.measure()
		if err := m.set(params, at); err != nil {
			return nil, fmt.Errorf("measure %s: %w", quote(name), err)
		}
		return []Measure{m}, nil
	}
	if bare {
		if list, err := parseTrec(name); list != nil || err != nil {
			return list, err
		}
	}
	// A trec_eval name with a cutoff or parameters in ir_measures' notation
	// (recall@100, map(rel=2)) has one reading.
	for _, t := range trecNames {
		if t.name == base {
			m := t.base()
			if err := m.set(params, at); err != nil {
				return nil, fmt.Errorf("measure %s: %w", quote(name), err)
			}
			return []Measure{m}, nil
		}
	}
	return nil, errUnknown
}

// split takes name(params)@at apart.
func split(name string) (base, params, at string, err error) {
	base = name
	if i := strings.IndexByte(name, '('); i >= 0 {
		j := strings.LastIndexByte(name, ')')
		if j < i {
			return "", "", "", fmt.Errorf("a closing parenthesis is missing")
		}
		base, params = name[:i], name[i+1:j]
		if rest := name[j+1:]; rest != "" {
			if rest[0] != '@' || len(rest) == 1 {
				return "", "", "", fmt.Errorf("%s behind the parentheses: only a cutoff, such as @10, may stand there", quote(rest))
			}
			at = rest[1:]
		}
		return base, params, at, nil
	}
	if i := strings.IndexByte(name, '@'); i >= 0 {
		base, at = name[:i], name[i+1:]
		if at == "" {
			return "", "", "", fmt.Errorf("nothing behind the @")
		}
	}
	return base, "", at, nil
}

func findDefinition(name string) *definition {
	for _, d := range definitions {
		if d.name == name || slices.Contains(d.aliases, name) {
			return d
		}
	}
	return nil
}

func isTrecName(name string) bool {
	return slices.ContainsFunc(trecNames, func(t trecName) bool { return t.name == name })
}

// familyNamed says that the bare name is one of trec_eval's for several
// measures, though it is also the name of one here (P).
func familyNamed(name string) bool {
	for _, t := range trecNames {
		if t.name == name {
			return t.defaults != ""
		}
	}
	return false
}

func (d *definition) measure() Measure {
	m := Measure{def: d, rel: d.rel, p: d.p}
	if d.takes&takesBeta != 0 {
		m.beta = 1
	}
	if d.takes&takesMaxRel != 0 {
		m.maxRel = defaultMaxRel
	}
	return m
}

// base is the measure that the name means, before its parameters.
func (t trecName) base() Measure {
	name, params, _ := strings.Cut(strings.TrimSuffix(t.measure, ")"), "(")
	m := findDefinition(name).measure()
	if err := m.setParams(params); err != nil {
		panic("measure: " + t.name + ": " + err.Error()) // the table above is wrong
	}
	m.relStated = false
	return m
}

// parseTrec reads trec_eval's notation; without an error and without a measure
// the name is none of trec_eval's.
func parseTrec(name string) ([]Measure, error) {
	var family *trecName
	for i := range trecNames {
		t := &trecNames[i]
		rest, ok := strings.CutPrefix(name, t.name)
		if !ok || (rest != "" && (rest[0] != '.' && rest[0] != '_' || len(rest) < 2)) {
			continue
		}
		if family == nil || len(t.name) > len(family.name) {
			family = t
		}
	}
	if family == nil {
		return nil, nil
	}
	params := strings.Join(strings.Fields(strings.TrimPrefix(name, family.name)), "")
	if params != "" {
		params = params[1:]
	}
	one := func(label string, set func(m *Measure) error) ([]Measure, error) {
		m := family.base()
		m.label = label
		if err := set(&m); err != nil {
			return nil, fmt.Errorf("measure %s: %w", quote(name), err)
		}
		return []Measure{m}, nil
	}
	none := func(*Measure) error { return nil }
	if params == "" && family.defaults == "" {
		return one(family.name, none)
	}
	switch family.params {
	case trecCutoffs, trecRecalls:
		var list []Measure
		for _, text := range strings.Split(cmp.Or(params, family.defaults), ",") {
			ms, err := one("", func(m *Measure) error { return m.setAt(text) })
			if err != nil {
				return nil, err
			}
			ms[0].label = family.name + "_" + strconv.Itoa(ms[0].cutoff)
			if family.params == trecRecalls {
				ms[0].label = family.name + "_" + recallLabel(ms[0].recall)
			}
			list = append(list, ms[0])
		}
		return list, nil
	case trecGains:
		if !strings.Contains(params, "=") {
			break
		}
		return one(family.name+"_"+params, func(m *Measure) error { return m.setGains(params, "=") })
	case trecBeta:
		return one(family.name+"_"+params, func(m *Measure) error { return m.setParam("beta", params) })
	case trecP:
		return one(family.name+"_"+params, func(m *Measure) error { return m.setParams(params) })
	}
	if findDefinition(name) == nil {
		return nil, errUnknown
	}
	return nil, nil
}

// recallLabel writes a recall with two decimals, as trec_eval does, and with more
// where it has more: two measures must not have one label.
func recallLabel(recall float64) string {
	short := strconv.FormatFloat(recall, 'f', 2, 64)
	if back, _ := strconv.ParseFloat(short, 64); back != recall {
		return strconv.FormatFloat(recall, 'f', -1, 64)
	}
	return short
}

// set reads the parameters and the cutoff, and checks that what must be given is.
func (m *Measure) set(params, at string) error {
	if err := m.setParams(params); err != nil {
		return err
	}
	if at != "" {
		return m.setAt(at)
	}
	switch {
	case m.def.takes&needsCutoff != 0 && m.cutoff == 0:
		return fmt.Errorf("needs a cutoff, such as %s@10", m.def.name)
	case m.def.takes&takesRecall != 0:
		return fmt.Errorf("needs a recall, such as %s@0.5", m.def.name)
	}
	return nil
}

func (m *Measure) setAt(at string) error {
	switch {
	case m.def.takes&takesCutoff != 0:
		k, err := strconv.Atoi(at)
		if err != nil || k < 1 || k > math.MaxInt32 {
			return fmt.Errorf("cutoff %s: must be a whole number in [1, %d]", quote(at), math.MaxInt32)
		}
		m.cutoff = k
	case m.def.takes&takesRecall != 0:
		recall, err := strconv.ParseFloat(at, 64)
		if err != nil || !(recall >= 0 && recall <= 1) {
			return fmt.Errorf("recall %s: must be a number in [0, 1]", quote(at))
		}
		m.recall = recall
	default:
		return fmt.Errorf("%s takes no cutoff", m.def.name)
	}
	return nil
}

// setParams reads a list such as rel=2,judged_only=True,gains={1:1,2:3}.
func (m *Measure) setParams(params string) error {
	seen := make(map[string]bool)
	for params = strings.TrimSpace(params); params != ""; {
		end, depth := len(params), 0
	scan:
		for i, c := range params {
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			case ',':
				if depth == 0 {
					end = i
					break scan
				}
			}
		}
		key, value, ok := strings.Cut(params[:end], "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" || value == "" {
			return fmt.Errorf("%s: a parameter is written name=value", quote(params[:end]))
		}
		if seen[key] {
			return fmt.Errorf("%s is given twice", quote(key))
		}
		seen[key] = true
		if err := m.setParam(key, value); err != nil {
			return err
		}
		params = strings.TrimSpace(params[min(end+1, len(params)):])
	}
	return nil
}

func (m *Measure) setParam(key, value string) error {
	takes := m.def.takes
	value = strings.Trim(value, `'"`)
	switch {
	case key == "cutoff" && takes&takesCutoff != 0, key == "recall" && takes&takesRecall != 0:
		return m.setAt(value)
	case key == "rel" && takes&takesRel != 0:
		m.relStated = true
		return setInt(&m.rel, key, value, math.MaxInt32)
	case key == "max_rel" && takes&takesMaxRel != 0:
		return setInt(&m.maxRel, key, value, 1000)
	case key == "judged_only" && takes&takesJudgedOnly != 0:
		switch value {
		case "True", "true":
			m.judgedOnly = true
		case "False", "false":
			m.judgedOnly = false
		default:
			return fmt.Errorf("judged_only=%s: must be True or False", quote(value))
		}
		return nil
	case key == "p" && takes&takesP != 0:
		p, err := strconv.ParseFloat(value, 64)
		if err != nil || !(p > 0 && p < 1) {
			return fmt.Errorf("p=%s: must be a number between 0 and 1, both excluded", quote(value))
		}
		m.p = p
		return nil
	case key == "beta" && takes&takesBeta != 0:
		beta, err := strconv.ParseFloat(value, 64)
		if err != nil || !(beta >= 0 && beta <= 1e6) {
			return fmt.Errorf("beta=%s: must be a number in [0, 1000000]", quote(value))
		}
		m.beta = beta
		return nil
	case key == "gain" && takes&takesGain != 0, key == "dcg" && takes&takesGain != 0:
		switch value {
		case "exp", "exp-log2":
			m.expGain = true
		case "linear", "log2":
			m.expGain = false
		default:
			return fmt.Errorf("%s=%s: must be linear or exp", key, quote(value))
		}
		return nil
	case key == "gains" && takes&takesGain != 0:
		if !strings.HasPrefix(value, "{") || !strings.HasSuffix(value, "}") {
			return fmt.Errorf("gains=%s: must be written {grade:gain,grade:gain}", quote(value))
		}
		return m.setGains(value[1:len(value)-1], ":")
	}
	if allowed := m.def.parameters(); allowed != "" {
		return fmt.Errorf("unknown parameter %s: %s takes %s", quote(key), m.def.name, allowed)
	}
	return fmt.Errorf("unknown parameter %s: %s takes none", quote(key), m.def.name)
}

func setInt(to *int, key, value string, most int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("%s=%s: must be a whole number in [1, %d]", key, quote(value), most)
	}
	*to = n
	return nil
}

func (m *Measure) setGains(text, between string) error {
	var gains []levelGain
	for _, pair := range strings.Split(text, ",") {
		level, gain, ok := strings.Cut(pair, between)
		g := levelGain{}
		var err1, err2 error
		g.level, err1 = strconv.Atoi(strings.TrimSpace(level))
		g.gain, err2 = strconv.ParseFloat(strings.TrimSpace(gain), 64)
		if !ok || err1 != nil || err2 != nil || g.level < 0 || g.level > math.MaxInt32 || !(g.gain >= 0 && g.gain <= 1e9) {
			return fmt.Errorf("gain %s: must be grade%sgain, a grade from 0 on and a gain in [0, 1e9]", quote(pair), between)
		}
		gains = append(gains, g)
	}
	slices.SortFunc(gains, func(a, b levelGain) int { return a.level - b.level })
	for i := range gains[1:] {
		if gains[i].level == gains[i+1].level {
			return fmt.Errorf("grade %d has two gains", gains[i].level)
		}
	}
	m.gains = gains
	return nil
}

// unknown is the error for a name that is none, with the names nearest to it.
func unknown(name string) error {
	if base, params, ok := strings.Cut(name, "("); ok {
		if base, cutoff, ok := strings.Cut(base, "@"); ok && findDefinition(base) != nil {
			return fmt.Errorf("measure %s: the cutoff stands behind the parameters: %s", quote(name), quote(base+"("+params+"@"+cutoff))
		}
	}
	type near struct {
		name     string
		distance int
	}
	base := name
	if i := strings.IndexAny(name, "(@"); i >= 0 {
		base = name[:i]
	}
	base = strings.TrimRight(base, "._0123456789,=")
	lower := strings.ToLower(base)
	lower = lower[:min(len(lower), 64)]
	var list []near
	consider := func(candidate, means string) {
		c := strings.ToLower(candidate)
		d := distance(lower, c)
		if hint, ok := hints[lower]; ok && hint == means {
			d = 0
		}
		if lower != "" && d <= max(1, len(lower)/2) {
			list = append(list, near{candidate, d})
		}
	}
	for _, d := range definitions {
		consider(d.name, d.name)
		for _, alias := range d.aliases {
			// The others differ from a name in case alone, or are as short.
			if len(alias) > 2*len(d.name) && !isTrecName(strings.ToLower(alias)) {
				consider(alias, "")
			}
		}
	}
	for _, t := range trecNames {
		if findDefinition(t.name) == nil {
			consider(t.name, "")
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return a.distance - b.distance })
	var names []string
	for _, n := range list {
		names = append(names, n.name)
	}
	names = withRest(names, name[len(base):])
	names = names[:min(4, len(names))]
	if len(names) > 0 {
		return fmt.Errorf("unknown measure %s: near: %s", quote(name), strings.Join(names, ", "))
	}
	for _, d := range definitions {
		names = append(names, d.name)
	}
	return fmt.Errorf("unknown measure %s: the measures are %s", quote(name), strings.Join(names, ", "))
}

// withRest gives the names of measures with what stands behind a misspelt one, its
// cutoff and parameters: those with which that is a measure. Where it is none with
// any, it gives the names alone.
func withRest(names []string, rest string) []string {
	var whole []string
	seen := make(map[string]bool)
	for _, name := range names {
		forms := []string{name + rest}
		if strings.HasPrefix(rest, "_") || strings.HasPrefix(rest, ".") { // a cutoff of trec_eval's
			forms = append(forms, name+"@"+rest[1:])
		}
		for _, form := range forms {
			list, err := lookUp(form)
			if err != nil {
				continue
			}
			if label := list[0].Label(); !seen[label] { // ndcg@10 is nDCG@10
				seen[label] = true
				whole = append(whole, form)
			}
			break
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return names
}

// hints are names that other tools use and that do not look like ours.
var hints = map[string]string{
	"hit": "Success", "hits": "Success", "hit_rate": "Success", "hitrate": "Success", "accuracy": "Success",
	"f1": "F", "rank_biased_precision": "RBP", "mean_average_precision": "AP", "dcg": "nDCG",
	"recall_cap": "RCap", "unjudged": "Unj", "mean_reciprocal_rank": "RR", "reciprocal_rank": "RR",
}

// distance is the number of letters to insert, delete, change or swap with their
// neighbour between two names (Damerau and Levenshtein, with no letter edited
// twice).
func distance(a, b string) int {
	rows := [3][]int{} // this row, the last and the one before it
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		rows[0], rows[1], rows[2] = rows[2], rows[0], rows[1]
		row, last, before := rows[0], rows[1], rows[2]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return rows[0][len(b)]
}

// quote shows a part of the user's input, in bounds and without control
// characters.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}

package measure_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/retrieval/measure"
)

// reference holds each measure written straight from its definition over the
// whole list of places, without any of the package's shortcuts. list[i] is the
// relevance at rank i+1 or measure.Unjudged, judged every judgment, rel the
// lowest relevant grade, k a cutoff (a very large one for none).
type refInput struct {
	list, judged []int
	rel, k       int
}

func (in refInput) isRel(i int) bool { return in.list[i] != measure.Unjudged && in.list[i] >= in.rel }

func (in refInput) numRel() float64 {
	n := 0.0
	for _, j := range in.judged {
		if j >= in.rel {
			n++
		}
	}
	return n
}

// relAt is the number of relevant documents at ranks 1 to n.
func (in refInput) relAt(n int) float64 {
	count := 0.0
	for i := 0; i < len(in.list) && i < n; i++ {
		if in.isRel(i) {
			count++
		}
	}
	return count
}

func div(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func refAP(in refInput) float64 {
	sum := 0.0
	for i := 0; i < len(in.list) && i < in.k; i++ {
		if in.isRel(i) {
			sum += in.relAt(i+1) / float64(i+1)
		}
	}
	return div(sum, in.numRel())
}

func refNDCG(in refInput, gain func(int) float64) float64 {
	dcg := func(list []int) float64 {
		sum := 0.0
		for i := 0; i < len(list) && i < in.k; i++ {
			if list[i] >= 0 {
				sum += gain(list[i]) / math.Log2(float64(i+2))
			}
		}
		return sum
	}
	ideal := slices.Clone(in.judged)
	sort.Slice(ideal, func(a, b int) bool {
		ga, gb := -1.0, -1.0
		if ideal[a] >= 0 {
			ga = gain(ideal[a])
		}
		if ideal[b] >= 0 {
			gb = gain(ideal[b])
		}
		return ga > gb
	})
	return div(dcg(in.list), dcg(ideal))
}

func refRR(in refInput) float64 {
	for i := 0; i < len(in.list) && i < in.k; i++ {
		if in.isRel(i) {
			return 1 / float64(i+1)
		}
	}
	return 0
}

func refF(p, r, beta float64) float64 {
	return div((1+beta*beta)*p*r, beta*beta*p+r)
}

// refBpref follows Buckley and Voorhees: of the judged non-relevant documents
// only the first min(R, N) count as ahead.
func refBpref(in refInput) float64 {
	nonrel := 0.0
	for _, j := range in.judged {
		if j >= 0 && j < in.rel {
			nonrel++
		}
	}
	sum := 0.0
	for i := range in.list {
		if !in.isRel(i) {
			continue
		}
		ahead := 0.0
		for j := range i {
			if in.list[j] >= 0 && in.list[j] < in.rel {
				ahead++
			}
		}
		if ahead == 0 {
			sum++
		} else {
			sum += 1 - math.Min(ahead, in.numRel())/math.Min(nonrel, in.numRel())
		}
	}
	return div(sum, in.numRel())
}

// refInfAP follows Yilmaz and Aslam: the expected precision at rank k is
// 1/k + (k-1)/k · |pooled above|/(k-1) · (relevant + e)/(relevant + nonrelevant + 2e).
func refInfAP(in refInput) float64 {
	const e = 0.00001
	sum := 0.0
	for i := range in.list {
		if !in.isRel(i) {
			continue
		}
		if i == 0 {
			sum++
			continue
		}
		pooled, rel, nonrel := 0.0, 0.0, 0.0
		for j := range i {
			if in.list[j] == measure.Unjudged {
				continue
			}
			pooled++
			if in.list[j] >= in.rel {
				rel++
			} else if in.list[j] >= 0 {
				nonrel++
			}
		}
		k := float64(i + 1)
		sum += 1/k + (k-1)/k*(pooled/(k-1))*((rel+e)/(rel+nonrel+2*e))
	}
	return div(sum, in.numRel())
}

func refIPrec(in refInput, recall float64) float64 {
	cut := math.Floor(recall*in.numRel() + 0.9)
	best := 0.0
	for i := range in.list {
		if in.isRel(i) && in.relAt(i+1) >= cut {
			best = math.Max(best, in.relAt(i+1)/float64(i+1))
		}
	}
	return best
}

func refRBP(in refInput, p float64, graded bool) float64 {
	top := 1.0
	for _, j := range in.judged {
		top = math.Max(top, float64(j))
	}
	sum, weight := 0.0, 1.0
	for i := 0; i < len(in.list) && i < in.k; i++ {
		switch {
		case graded && in.list[i] > 0:
			sum += weight * float64(in.list[i]) / top
		case !graded && in.isRel(i):
			sum += weight
		}
		weight *= p
	}
	return (1 - p) * sum
}

func refERR(in refInput, top int) float64 {
	sum, trust := 0.0, 1.0
	for i := 0; i < len(in.list) && i < in.k; i++ {
		g := in.list[i]
		if g < 0 {
			continue
		}
		r := (math.Pow(2, float64(min(g, top))) - 1) / math.Pow(2, float64(top))
		sum += trust * r / float64(i+1)
		trust *= 1 - r
	}
	return sum
}

func refCount(in refInput, of func(int) bool) float64 {
	n := 0.0
	for i := 0; i < len(in.list) && i < in.k; i++ {
		if of(in.list[i]) {
			n++
		}
	}
	return n
}

// assessedOnly drops what nobody assessed, as judged_only does.
func (in refInput) assessedOnly() refInput {
	out := in
	out.list = nil
	for _, rel := range in.list {
		if rel >= 0 {
			out.list = append(out.list, rel)
		}
	}
	return out
}

func linear(g int) float64 { return float64(g) }

// references pairs a name with the slow definition of what it means.
func references(in refInput) map[string]float64 {
	all := in
	all.k = math.MaxInt
	k, rel := in.k, in.rel
	n := float64(len(in.list))
	p, r := in.relAt(k)/float64(k), div(in.relAt(k), in.numRel())
	setP, setR := div(all.relAt(len(in.list)), n), div(all.relAt(len(in.list)), in.numRel())
	binary := in
	binary.rel = 1
	withRel := func(name string) string { return fmt.Sprintf("%s(rel=%d)", name, rel) }
	at := func(name string) string { return fmt.Sprintf("%s@%d", name, k) }
	eleven := 0.0
	for i := range 11 {
		eleven += refIPrec(all, float64(i)/10) / 11
	}
	judgedOnly, judgedOnlyAll := in.assessedOnly(), all.assessedOnly()
	exp := func(g int) float64 { return math.Pow(2, float64(g)) - 1 }
	own := func(g int) float64 {
		switch g {
		case 0:
			return 0.5
		case 1:
			return 3
		case 3:
			return 1
		}
		return float64(g)
	}
	return map[string]float64{
		withRel("AP"):             refAP(all),
		at(withRel("AP")):         refAP(in),
		"nDCG":                    refNDCG(all, linear),
		at("nDCG"):                refNDCG(in, linear),
		at("nDCG(gain=exp)"):      refNDCG(in, exp),
		"nDCG(gain=exp)":          refNDCG(all, exp),
		"ndcg.0=0.5,1=3,3=1":      refNDCG(all, own),
		withRel("RR"):             refRR(all),
		at(withRel("RR")):         refRR(in),
		at(withRel("P")):          p,
		at(withRel("R")):          r,
		at(withRel("RCap")):       div(in.relAt(k), math.Min(float64(k), in.numRel())),
		at(withRel("Success")):    math.Min(1, in.relAt(k)),
		at(withRel("F")):          refF(p, r, 1),
		withRel("Rprec"):          div(in.relAt(int(in.numRel())), in.numRel()),
		withRel("Bpref"):          refBpref(all),
		withRel("GMBpref"):        refBpref(all),
		withRel("RBP"):            refRBP(all, 0.8, false),
		at("RBP(p=0.95)"):         refRBP(in, 0.95, true),
		"rbp":                     refRBP(all, 0.9, true),
		"ERR":                     refERR(all, 4),
		at("ERR"):                 refERR(in, 4),
		at("ERR(max_rel=2)"):      refERR(in, 2),
		withRel("infAP"):          refInfAP(all),
		withRel("IPrec") + "@0":   refIPrec(all, 0),
		withRel("IPrec") + "@0.1": refIPrec(all, 0.1), withRel("IPrec") + "@0.35": refIPrec(all, 0.35), withRel("IPrec") + "@1": refIPrec(all, 1),
		withRel("11pt"):               eleven,
		withRel("GMAP"):               refAP(all),
		withRel("SetP"):               setP,
		withRel("SetR"):               setR,
		withRel("SetRelP"):            div(all.relAt(len(in.list)), math.Min(n, in.numRel())),
		withRel("SetAP"):              setP * setR,
		withRel("SetF"):               refF(setP, setR, 1),
		at("Judged"):                  div(refCount(in, func(r int) bool { return r != measure.Unjudged }), math.Min(n, float64(k))),
		at("Unj"):                     refCount(in, func(r int) bool { return r < 0 }) / float64(k),
		"NumRet":                      n,
		withRel("NumRet"):             all.relAt(len(in.list)),
		withRel("NumRel"):             in.numRel(),
		withRel("NumNonRelJudgedRet"): refCount(all, func(r int) bool { return r >= 0 && r < rel }),
		"NumQ":                        1,
		fmt.Sprintf("AP(rel=%d,judged_only=True)", rel):          refAP(judgedOnlyAll),
		fmt.Sprintf("P(rel=%d,judged_only=True)@%d", rel, k):     judgedOnly.relAt(k) / float64(k),
		fmt.Sprintf("nDCG(judged_only=True)@%d", k):              refNDCG(judgedOnly, linear),
		fmt.Sprintf("RR(judged_only=True)@%d", k):                refRR(refInput{judgedOnly.list, in.judged, 1, k}),
		fmt.Sprintf("Success(rel=%d,judged_only=True)@%d", 1, k): math.Min(1, refInput{judgedOnly.list, in.judged, 1, k}.relAt(k)),
	}
}

// drawQuery draws a ranked list and its judgments: grades, negative and missing
// judgments, relevant documents that were not found.
func drawQuery(t *rapid.T) (list, judged []int) {
	grade := rapid.SampledFrom([]int{-2, -1, 0, 0, 0, 1, 1, 2, 3, 4, 6})
	n := rapid.IntRange(0, 30).Draw(t, "retrieved")
	for range n {
		if rapid.Bool().Draw(t, "judged") {
			rel := grade.Draw(t, "relevance")
			list, judged = append(list, rel), append(judged, rel)
		} else {
			list = append(list, measure.Unjudged)
		}
	}
	missed := rapid.SliceOfN(grade, 0, 10).Draw(t, "missed")
	return list, append(judged, missed...)
}

func TestEveryMeasureEqualsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, judged := drawQuery(t)
		in := refInput{list: list, judged: judged, rel: rapid.IntRange(1, 3).Draw(t, "rel"), k: rapid.IntRange(1, 12).Draw(t, "k")}
		ranking, err := measure.NewRanking(list, judged)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range references(in) {
			m, err := measure.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			got := m.Score(ranking)
			if math.IsNaN(got) || math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s = %v, by its definition %v\nlist %v\njudged %v", name, got, want, list, judged)
			}
			if info := m.Info(); got < info.Min || got > info.Max+1e-12 {
				t.Fatalf("%s = %v is outside [%v, %v]", name, got, info.Min, info.Max)
			}
		}
	})
}

func TestDepthEqualsAShorterList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, judged := drawQuery(t)
		depth := rapid.IntRange(1, 10).Draw(t, "depth")
		long, err := measure.NewRanking(list, judged)
		if err != nil {
			t.Fatal(err)
		}
		long.Depth = depth
		short, err := measure.NewRanking(list[:min(depth, len(list))], judged)
		if err != nil {
			t.Fatal(err)
		}
		for name := range references(refInput{list: list, judged: judged, rel: 1, k: 5}) {
			m, _ := measure.Parse(name)
			if a, b := m.Score(long), m.Score(short); a != b {
				t.Fatalf("%s = %v to depth %d, %v on the shorter list %v", name, a, depth, b, list)
			}
		}
	})
}

// permutations calls f with every order of s.
func permutations(s []int, from int, f func()) {
	if from == len(s) {
		f()
		return
	}
	for i := from; i < len(s); i++ {
		s[from], s[i] = s[i], s[from]
		permutations(s, from+1, f)
		s[from], s[i] = s[i], s[from]
	}
}

func TestBoundsAreReachedAndNeverExceededByAnyOrderOfATie(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, judged := drawQuery(t)
		if len(list) < 2 {
			return
		}
		size := rapid.IntRange(2, min(5, len(list))).Draw(t, "size")
		first := rapid.IntRange(0, len(list)-size).Draw(t, "first")
		tied := list[first : first+size]
		if !slices.ContainsFunc(tied, func(r int) bool { return r != measure.Unjudged }) {
			return
		}
		ranking, err := measure.NewRanking(list, judged)
		if err != nil {
			t.Fatal(err)
		}
		ranking.Ties = []measure.Tie{{First: first + 1, Size: size}}
		ranking.Depth = rapid.SampledFrom([]int{0, 0, first + 1, first + size/2 + 1}).Draw(t, "depth")
		ranking.AssessedOnly = rapid.Bool().Draw(t, "assessed only")
		negative := slices.ContainsFunc(tied, func(r int) bool { return r < 0 && r != measure.Unjudged })
		for name := range references(refInput{list: list, judged: judged, rel: 1, k: rapid.IntRange(1, 12).Draw(t, "k")}) {
			m, _ := measure.Parse(name)
			low, high := m.Bounds(ranking)
			if m.String() == "infAP" && negative {
				continue // stated in the comment of Bounds
			}
			lowest, highest := math.Inf(1), math.Inf(-1)
			permutations(tied, 0, func() {
				order, err := measure.NewRanking(list, judged)
				if err != nil {
					t.Fatal(err)
				}
				order.Depth, order.AssessedOnly = ranking.Depth, ranking.AssessedOnly
				v := m.Score(order)
				lowest, highest = min(lowest, v), max(highest, v)
			})
			if math.Abs(low-lowest) > 1e-12 || math.Abs(high-highest) > 1e-12 {
				t.Fatalf("%s: bounds [%v, %v], all orders give [%v, %v]\nlist %v, tie at %d of %d, depth %d, assessed only: %v", name, low, high, lowest, highest, list, first+1, size, ranking.Depth, ranking.AssessedOnly)
			}
		}
	})
}

func TestTheFunctionsOnPlainNumbersAgreeWithTheMeasures(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, judged := drawQuery(t)
		k := rapid.IntRange(1, 12).Draw(t, "k")
		in := refInput{list: list, judged: judged, rel: 1, k: k}
		ranking, err := measure.NewRanking(list, judged)
		if err != nil {
			t.Fatal(err)
		}
		gains, all := make([]float64, len(list)), make([]float64, len(judged))
		for i, rel := range list {
			gains[i] = float64(max(rel, 0))
		}
		for i, rel := range judged {
			all[i] = float64(max(rel, 0))
		}
		found, relevant := int(in.relAt(k)), int(in.numRel())
		for name, got := range map[string]float64{
			"R": measure.Recall(found, relevant), "P": measure.Precision(found, k),
			"RCap": measure.CappedRecall(found, relevant, k), "nDCG": measure.NDCG(gains, all, k),
			"F": measure.F(measure.Precision(found, k), measure.Recall(found, relevant), 1),
		} {
			m, err := measure.Parse(fmt.Sprintf("%s@%d", name, k))
			if err != nil {
				t.Fatal(err)
			}
			if want := m.Score(ranking); got != want {
				t.Fatalf("%s: function %v, measure %v", m, got, want)
			}
		}
	})
}

func TestARankingRefusesMoreHitsThanJudgments(t *testing.T) {
	t.Parallel()
	_, err := measure.NewRanking([]int{1, 1}, []int{1, 0})
	require.EqualError(t, err, "rank 2 has relevance 1: more documents have it than were judged so")
}

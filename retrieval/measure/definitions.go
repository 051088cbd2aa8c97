package measure

import (
	"math"
	"slices"
)

// Constants of trec_eval.h.
const (
	infAPEpsilon = 0.00001
	minGeometric = 0.00001 // MIN_GEO_MEAN
)

// defaultMaxRel is the highest grade of the scale that ERR assumes: the 4 of
// gdeval.pl, whatever the judgments at hand hold, so that a query's value does
// not change with another document's judgment.
const defaultMaxRel = 4

// takes is the set of parameters that a measure takes.
type takes uint

const (
	takesCutoff takes = 1 << iota // @k
	needsCutoff                   // @k must be there
	takesRel
	takesJudgedOnly
	takesP
	takesBeta
	takesRecall // @recall, and must be there
	takesGain
	takesMaxRel
)

type summary uint8

const (
	meanOfQueries summary = iota
	sumOfQueries
	geometricMean
)

type definition struct {
	name    string   // in ir_measures' notation
	aliases []string // other whole names, of ir_measures and of common use
	takes   takes
	rel     int     // default of rel=
	p       float64 // default of p=
	better  Better
	summary summary
	source  string
	score   func(m Measure, r *Ranking) float64
	// countsNonRelevant says that the number of documents that were judged not
	// relevant matters by itself, wherever they stand.
	countsNonRelevant bool
}

// definitions are all measures, in the order in which they are listed to users.
var definitions = []*definition{
	{
		name: "AP", aliases: []string{"MAP"}, takes: takesCutoff | takesRel | takesJudgedOnly, rel: 1, better: Higher, score: ap,
		source: "average precision: the mean over all relevant documents of the precision at each one's rank, 0 for those not retrieved (above the cutoff); trec_eval m_map.c, m_map_cut.c",
	},
	{
		name: "nDCG", aliases: []string{"NDCG"}, takes: takesCutoff | takesRel | takesJudgedOnly | takesGain, rel: 1, better: Higher, score: ndcg,
		source: "normalised discounted cumulative gain: the gain is the relevance (gain=exp: 2^relevance - 1; gains={1:1,2:3}: given by grade), discounted by log2(rank+1), the ideal over all judged documents up to the cutoff; rel= has no influence; Järvelin and Kekäläinen 2002, trec_eval m_ndcg.c, m_ndcg_cut.c; gain=exp from Burges et al. 2005",
	},
	{
		name: "RR", aliases: []string{"MRR"}, takes: takesCutoff | takesRel | takesJudgedOnly, rel: 1, better: Higher, score: rr,
		source: "reciprocal rank of the first relevant document, 0 where there is none (above the cutoff); trec_eval m_recip_rank.c",
	},
	{
		name: "P", aliases: []string{"Precision"}, takes: takesCutoff | needsCutoff | takesRel | takesJudgedOnly, rel: 1, better: Higher, score: precision,
		source: "precision: relevant documents among the first k, divided by k even where fewer were retrieved; trec_eval m_P.c",
	},
	{
		name: "R", aliases: []string{"Recall"}, takes: takesCutoff | needsCutoff | takesRel | takesJudgedOnly, rel: 1, better: Higher, score: recall,
		source: "recall: relevant documents among the first k, divided by all relevant ones; trec_eval m_recall.c",
	},
	{
		name: "RCap", aliases: []string{"R_cap"}, takes: takesCutoff | needsCutoff | takesRel | takesJudgedOnly, rel: 1, better: Higher, score: cappedRecall,
		source: "capped recall: relevant documents among the first k, divided by min(k, all relevant ones); trec_eval m_relative_P.c, BEIR's R_cap@k",
	},
	{
		name: "Success", takes: takesCutoff | needsCutoff | takesRel | takesJudgedOnly, rel: 1, better: Higher, score: success,
		source: "1 where a relevant document is among the first k, else 0; trec_eval m_success.c",
	},
	{
		name: "F", takes: takesCutoff | needsCutoff | takesRel | takesJudgedOnly | takesBeta, rel: 1, better: Higher, score: fAtK,
		source: "harmonic mean of P@k and R@k, (1+beta²)PR/(beta²P+R); van Rijsbergen 1979",
	},
	{
		name: "Rprec", aliases: []string{"RPrec"}, takes: takesRel | takesJudgedOnly, rel: 1, better: Higher, score: rprec,
		source: "precision at rank R, where R is the number of relevant documents; trec_eval m_Rprec.c",
	},
	{
		name: "Bpref", aliases: []string{"BPref"}, takes: takesRel, rel: 1, better: Higher, score: bpref,
		source: "binary preference: the mean over relevant documents of 1 - min(judged non-relevant ahead, R)/min(judged non-relevant, R); negative judgments are passed over; Buckley and Voorhees 2004, trec_eval m_bpref.c",
	},
	{
		name: "RBP", takes: takesCutoff | takesRel | takesJudgedOnly | takesP, rel: 0, p: 0.8, better: Higher, score: rbp,
		source: "rank-biased precision: (1-p) times the sum of gain·p^(rank-1); graded gains are relevance / the query's highest relevance, with rel= they are 0 and 1; Moffat and Zobel 2008, trec_eval 10 m_rbp.c (whose default p is 0.9: the alias rbp)",
	},
	{
		name: "ERR", takes: takesCutoff | takesJudgedOnly | takesMaxRel, better: Higher, score: expectedRR,
		source: "expected reciprocal rank, satisfaction (2^relevance - 1)/2^max_rel with the scale's highest grade max_rel (default 4, as gdeval.pl; higher grades count as that one); Chapelle et al. 2009",
	},
	{
		name: "infAP", takes: takesRel, rel: 1, better: Higher, score: infAP,
		source: "inferred average precision over a sampled pool, negative judgments being pooled and not assessed; Yilmaz and Aslam 2006, trec_eval m_infap.c with epsilon 0.00001",
	},
	{
		name: "IPrec", takes: takesRecall | takesRel | takesJudgedOnly, rel: 1, better: Higher, score: iprec,
		source: "interpolated precision at a recall: the highest precision from the int(recall·R + 0.9)th relevant document on; trec_eval 9.0.8 m_iprec_at_recall.c (10.0 rounds recall·R instead)",
	},
	{
		name: "11pt", takes: takesRel | takesJudgedOnly, rel: 1, better: Higher, score: elevenPoint,
		source: "mean of IPrec at the recalls 0, 0.1, … 1; trec_eval 9.0.8 m_11pt_avg.c",
	},
	{
		name: "GMAP", takes: takesRel | takesJudgedOnly, rel: 1, better: Higher, summary: geometricMean, score: ap,
		source: "geometric mean of the queries' AP, each at least 0.00001; trec_eval m_gm_map.c",
	},
	{
		name: "GMBpref", takes: takesRel, rel: 1, better: Higher, summary: geometricMean, score: bpref,
		source: "geometric mean of the queries' Bpref, each at least 0.00001; trec_eval m_gm_bpref.c",
	},
	{
		name: "SetP", takes: takesRel | takesJudgedOnly, rel: 1, better: Higher, score: setP, countsNonRelevant: true,
		source: "precision of all that was retrieved; trec_eval m_set_P.c",
	},
	{
		name: "SetRelP", takes: takesRel | takesJudgedOnly, rel: 1, better: Higher, score: setRelP, countsNonRelevant: true,
		source: "relevant documents retrieved divided by min(retrieved, relevant); trec_eval m_set_rel_P.c",
	},
	{
		name: "SetR", takes: takesRel | takesJudgedOnly, rel: 1, better: Higher, score: setR,
		source: "recall of all that was retrieved; trec_eval m_set_recall.c",
	},
	{
		name: "SetF", takes: takesRel | takesJudgedOnly | takesBeta, rel: 1, better: Higher, score: setF, countsNonRelevant: true,
		source: "(beta+1)PR/(beta·P+R) of all that was retrieved: beta is not squared, as in trec_eval m_set_F.c and ir_measures",
	},
	{
		name: "SetAP", takes: takesRel | takesJudgedOnly, rel: 1, better: Higher, score: setAP, countsNonRelevant: true,
		source: "SetP times SetR; trec_eval m_set_map.c",
	},
	{
		name: "Judged", takes: takesCutoff, better: Higher, score: judged,
		source: "share of judged documents (negative judgments too) among the first k, or among all retrieved where those are fewer; ir_measures",
	},
	{
		name: "Unj", takes: takesCutoff | needsCutoff, better: Lower, score: unjudged,
		source: "unjudged and negatively judged documents among the first k, divided by k even where fewer were retrieved; trec_eval 10 m_unjudged.c",
	},
	{
		name: "NumQ", better: Neither, summary: sumOfQueries, score: func(Measure, *Ranking) float64 { return 1 },
		source: "number of queries with judgments; trec_eval m_num_q.c",
	},
	{
		name: "NumRet", takes: takesRel, better: Neither, summary: sumOfQueries, score: numRet,
		source: "number of documents retrieved, with rel= of those that are relevant; trec_eval m_num_ret.c, m_num_rel_ret.c",
	},
	{
		name: "NumRel", takes: takesRel, rel: 1, better: Neither, summary: sumOfQueries, score: numRel,
		source: "number of relevant documents, also of queries that the run does not have; trec_eval m_num_rel.c",
	},
	{
		name: "NumNonRelJudgedRet", takes: takesRel, rel: 1, better: Neither, summary: sumOfQueries, score: numNonRelJudgedRet, countsNonRelevant: true,
		source: "number of documents retrieved that were judged not relevant; trec_eval m_num_nonrel_judged_ret.c",
	},
}

func ap(m Measure, r *Ranking) float64 {
	relevant := r.relevant(m.rel)
	if relevant == 0 {
		return 0
	}
	n, sum := 0, 0.0
	for _, h := range r.Hits {
		if m.cutoff > 0 && h.Rank > m.cutoff {
			break
		}
		if h.Relevance >= m.rel {
			n++
			sum += float64(n) / float64(h.Rank)
		}
	}
	return sum / float64(relevant)
}

func ndcg(m Measure, r *Ranking) float64 {
	// Where 2^grade would overflow, all gains shrink by one power of two,
	// which the division takes out again.
	shift := 0
	if m.expGain && len(r.Judged) > 0 {
		shift = max(0, r.Judged[0]-512)
	}
	ideal := 0.0
	if len(m.gains) == 0 {
		for i, rel := range r.Judged {
			if rel <= 0 || (m.cutoff > 0 && i >= m.cutoff) {
				break
			}
			ideal += m.gain(rel, shift) / discount(i+1)
		}
	} else {
		gains := make([]float64, len(r.Judged))
		for i, rel := range r.Judged {
			gains[i] = m.gain(rel, shift)
		}
		slices.SortFunc(gains, func(a, b float64) int {
			if a > b {
				return -1
			}
			if a < b {
				return 1
			}
			return 0
		})
		ideal = DCG(gains, m.cutoff)
	}
	sum := 0.0
	for _, h := range r.Hits {
		if m.cutoff > 0 && h.Rank > m.cutoff {
			break
		}
		if g := m.gain(h.Relevance, shift); g > 0 {
			sum += g / discount(h.Rank)
		}
	}
	return ratio(sum, ideal)
}

func rr(m Measure, r *Ranking) float64 {
	rank := r.firstRank(m.rel)
	if m.cutoff > 0 && rank > m.cutoff {
		return 0
	}
	return ReciprocalRank(rank)
}

func precision(m Measure, r *Ranking) float64 {
	return Precision(r.found(m.rel, m.cutoff), m.cutoff)
}

func recall(m Measure, r *Ranking) float64 {
	return Recall(r.found(m.rel, m.cutoff), r.relevant(m.rel))
}

func cappedRecall(m Measure, r *Ranking) float64 {
	return CappedRecall(r.found(m.rel, m.cutoff), r.relevant(m.rel), m.cutoff)
}

func success(m Measure, r *Ranking) float64 {
	return Success(r.firstRank(m.rel), m.cutoff)
}

func fAtK(m Measure, r *Ranking) float64 {
	return F(precision(m, r), recall(m, r), m.beta)
}

func rprec(m Measure, r *Ranking) float64 {
	relevant := r.relevant(m.rel)
	if relevant == 0 {
		return 0
	}
	return Precision(r.found(m.rel, relevant), relevant)
}

func bpref(m Measure, r *Ranking) float64 {
	relevant, nonrelevant := r.relevant(m.rel), 0
	if relevant == 0 {
		return 0
	}
	for _, rel := range r.Judged[relevant:] {
		if rel >= 0 {
			nonrelevant++
		}
	}
	ahead, sum := 0, 0.0
	for _, h := range r.Hits {
		switch {
		case h.Relevance < 0:
		case h.Relevance < m.rel:
			ahead++
		case ahead == 0:
			sum++
		default:
			sum += 1 - float64(min(ahead, relevant))/float64(min(nonrelevant, relevant))
		}
	}
	return sum / float64(relevant)
}

func rbp(m Measure, r *Ranking) float64 {
	top := 1
	if len(r.Judged) > 0 {
		top = max(top, r.Judged[0])
	}
	sum := 0.0
	for _, h := range r.Hits {
		if m.cutoff > 0 && h.Rank > m.cutoff {
			break
		}
		gain := 0.0
		switch {
		case m.rel > 0 && h.Relevance >= m.rel:
			gain = 1
		case m.rel == 0 && h.Relevance > 0:
			gain = float64(h.Relevance) / float64(top)
		default:
			continue
		}
		sum += float64(gain * math.Pow(m.p, float64(h.Rank-1)))
	}
	// Nothing but rounding takes a perfect infinite list above 1.
	return min(1, (1-m.p)*sum)
}

func expectedRR(m Measure, r *Ranking) float64 {
	sum, unsatisfied := 0.0, 1.0
	for _, h := range r.Hits {
		if m.cutoff > 0 && h.Rank > m.cutoff {
			break
		}
		if h.Relevance <= 0 {
			continue
		}
		grade := min(h.Relevance, m.maxRel)
		satisfied := math.Ldexp(1, grade-m.maxRel) - math.Ldexp(1, -m.maxRel)
		sum += float64(unsatisfied*satisfied) / float64(h.Rank)
		unsatisfied *= 1 - satisfied
	}
	return sum
}

func infAP(m Measure, r *Ranking) float64 {
	relevant := r.relevant(m.rel)
	if relevant == 0 {
		return 0
	}
	sum := 0.0
	rel, nonrel, sampled := 0.0, 0.0, 0.0
	for _, h := range r.Hits {
		switch {
		case h.Relevance < 0:
			sampled++
		case h.Relevance < m.rel:
			nonrel++
		default:
			if h.Rank == 1 {
				sum++
			} else {
				// The precision at this rank: itself, and above it the
				// share of the pool times the relevance rate of its
				// assessed part.
				rank, above := float64(h.Rank), float64(h.Rank-1)
				pool := (rel + nonrel + sampled) / above
				rate := (rel + infAPEpsilon) / (rel + nonrel + 2*infAPEpsilon)
				sum += 1/rank + float64(above/rank*pool*rate)
			}
			rel++
		}
	}
	return sum / float64(relevant)
}

// interpolated is the highest precision from the cut-th relevant document on,
// with cut = int(at·R + 0.9); 0 where fewer were retrieved.
func (r *Ranking) interpolated(rel int, at float64) float64 {
	cut := int(float64(at*float64(r.relevant(rel))) + 0.9)
	n, best := 0, 0.0
	for _, h := range r.Hits {
		if h.Relevance < rel {
			continue
		}
		n++
		if n >= cut {
			best = max(best, float64(n)/float64(h.Rank))
		}
	}
	return best
}

func iprec(m Measure, r *Ranking) float64 { return r.interpolated(m.rel, m.recall) }

func elevenPoint(m Measure, r *Ranking) float64 {
	sum := 0.0
	for i := range 11 {
		sum += r.interpolated(m.rel, float64(i)/10)
	}
	return sum / 11
}

func setP(m Measure, r *Ranking) float64 { return Precision(r.found(m.rel, 0), r.Retrieved) }

func setRelP(m Measure, r *Ranking) float64 {
	return CappedRecall(r.found(m.rel, 0), r.relevant(m.rel), r.Retrieved)
}

func setR(m Measure, r *Ranking) float64 { return Recall(r.found(m.rel, 0), r.relevant(m.rel)) }

func setF(m Measure, r *Ranking) float64 { return weightedF(setP(m, r), setR(m, r), m.beta) }

func setAP(m Measure, r *Ranking) float64 { return setP(m, r) * setR(m, r) }

func judged(m Measure, r *Ranking) float64 {
	return Precision(r.found(math.MinInt, m.cutoff), retrievedWithin(m, r))
}

func unjudged(m Measure, r *Ranking) float64 {
	return Precision(retrievedWithin(m, r)-r.found(0, m.cutoff), m.cutoff)
}

func retrievedWithin(m Measure, r *Ranking) int {
	if m.cutoff > 0 {
		return min(m.cutoff, r.Retrieved)
	}
	return r.Retrieved
}

func numRet(m Measure, r *Ranking) float64 {
	if m.rel > 0 {
		return float64(r.found(m.rel, 0))
	}
	return float64(r.Retrieved)
}

func numRel(m Measure, r *Ranking) float64 { return float64(r.relevant(m.rel)) }

func numNonRelJudgedRet(m Measure, r *Ranking) float64 {
	return float64(r.found(0, 0) - r.found(m.rel, 0))
}

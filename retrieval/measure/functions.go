package measure

import (
	"math"
	"slices"
)

// Recall is the share of the relevant items that were found, in [0, 1]; 0 where
// nothing is relevant. Source: trec_eval m_recall.c.
func Recall(found, relevant int) float64 {
	if relevant <= 0 {
		return 0
	}
	return float64(found) / float64(relevant)
}

// Precision is the number of relevant items found among the first k divided by
// k, in [0, 1], however few were retrieved; 0 where k is not positive. Source:
// trec_eval m_P.c.
func Precision(found, k int) float64 {
	if k <= 0 {
		return 0
	}
	return float64(found) / float64(k)
}

// CappedRecall is the recall that was reached of what k places allow: found
// divided by min(k, relevant), in [0, 1]. Source: trec_eval m_relative_P.c; the
// BEIR benchmark calls it R_cap@k.
func CappedRecall(found, relevant, k int) float64 {
	return Recall(found, min(k, relevant))
}

// F is the weighted harmonic mean of a precision and a recall,
// (1 + beta²)·P·R / (beta²·P + R); 0 where both are 0. beta above 1 weighs the
// recall more. Source: van Rijsbergen, Information Retrieval, 1979.
func F(precision, recall, beta float64) float64 {
	return weightedF(precision, recall, float64(beta*beta))
}

// weightedF is F with the weight of the recall as it enters the formula.
func weightedF(precision, recall, weight float64) float64 {
	den := float64(weight*precision) + recall
	if den <= 0 {
		return 0
	}
	return (1 + weight) * precision * recall / den
}

// ReciprocalRank is 1/rank, where rank is the place of the first relevant item,
// counted from 1; 0 where there is none (rank 0). Source: trec_eval
// m_recip_rank.c.
func ReciprocalRank(rank int) float64 {
	if rank <= 0 {
		return 0
	}
	return 1 / float64(rank)
}

// Success is 1 where the first relevant item stands at a rank from 1 to k, else
// 0; rank 0 says that there is none. Source: trec_eval m_success.c.
func Success(rank, k int) float64 {
	if rank >= 1 && rank <= k {
		return 1
	}
	return 0
}

// DCG is the discounted cumulative gain of the first k gains, gains[i] being the
// gain at rank i+1: the sum of gain / log2(rank + 1). All gains count where k is
// 0. A gain that is not positive (or NaN) adds nothing. Source: Järvelin and
// Kekäläinen, ACM TOIS 20(4), 2002, with the discount of trec_eval m_ndcg_cut.c.
func DCG(gains []float64, k int) float64 {
	if k > 0 && k < len(gains) {
		gains = gains[:k]
	}
	sum := 0.0
	for i, g := range gains {
		if g > 0 {
			sum += g / discount(i+1)
		}
	}
	return sum
}

// NDCG is the [DCG] of the first k gains divided by that of the best ranking
// there could be: relevant holds the gain of every relevant item, found or not,
// in any order, and the ideal goes over min(k, len(relevant)) of them. k = 0
// means no cutoff. It is 0 where nothing has a positive gain, and in [0, 1] as
// long as gains hold no more than relevant does. Source: trec_eval m_ndcg_cut.c
// and m_ndcg.c.
func NDCG(gains, relevant []float64, k int) float64 {
	ideal := slices.Clone(relevant)
	slices.SortFunc(ideal, func(a, b float64) int {
		switch {
		case a > b || (math.IsNaN(b) && !math.IsNaN(a)):
			return -1
		case a < b || (math.IsNaN(a) && !math.IsNaN(b)):
			return 1
		}
		return 0
	})
	return ratio(DCG(gains, k), DCG(ideal, k))
}

// ratio is a/b, and 0 where b is not a positive finite number.
func ratio(a, b float64) float64 {
	if b > 0 && !math.IsInf(b, 1) {
		return a / b
	}
	return 0
}

// discounts holds log2(rank+1) for the ranks that nearly all rankings end in;
// index 0 is unused.
var discounts = func() (d [1025]float64) {
	for rank := range d {
		d[rank] = math.Log2(float64(rank) + 1)
	}
	return d
}()

func discount(rank int) float64 {
	if rank < len(discounts) {
		return discounts[rank]
	}
	return math.Log2(float64(rank) + 1)
}

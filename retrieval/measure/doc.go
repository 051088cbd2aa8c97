// Package measure scores one ranked list against relevance judgments: one
// definition for each ranking measure, found by its name.
//
// It serves two users. Code that holds a ranking as plain numbers calls the
// functions ([Recall], [Precision], [ReciprocalRank], [Success], [NDCG] and
// their neighbours). Code that gets names from its user, such as the scorer of
// TREC files, parses them into a [Measure] and scores a [Ranking]; the measures
// are built from the same functions, so that one name has one value in the
// whole product.
//
// # Names
//
// Names are written in ir_measures' notation: a name, parameters in
// parentheses, a cutoff behind the @, as in nDCG@10, AP(rel=2)@100 or
// RBP(p=0.9). The names that trec_eval prints and takes (ndcg_cut_10, map, P.5,
// recip_rank) are aliases. [Definitions] lists them all with their sources.
//
// # Conventions
//
// trec_eval 9.0.8 with its flag -c is the reference for all that it has:
//
//   - An unjudged document is not relevant. rel=N says from which grade on a
//     judged document is relevant (default 1); it does not touch the graded
//     measures nDCG and ERR.
//   - A negative relevance is a judgment with gain 0. trec_eval keeps it for
//     documents that were pooled and not assessed: Bpref passes over them, infAP
//     counts them as sampled, judged_only drops them, Unj counts them; Judged
//     counts them as judged, as ir_measures does.
//   - A query without relevant documents scores 0, never NaN.
//   - Precision divides by the cutoff, however many documents were retrieved.
//   - Recall and AP divide by all relevant documents; RCap is the capped recall.
package measure

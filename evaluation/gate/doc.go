// Package gate holds a report against rules, so that a team can decide on a
// release by them.
//
// A rule is a metric, a bound and a place: the whole report, or each value of a
// slice, so that a good mean cannot hide a weak scenario. It has one of four
// states, and everything but [Pass] fails the gate, by its own name: a metric
// without a value ([Unmeasured]) and one over too few cases ([Insufficient]) are
// no better than one beyond its bound ([Fail]). A comparison with NaN is false in
// every language, and gates have passed on it; this one cannot.
//
// Each rule that does not pass says which cases pulled its metric down, worst
// first.
//
// Values are compared unrounded, with a tolerance of 1e-9 for what rounding does
// to 3 of 5: it passes 0.6, and 0.79996 does not pass 0.80.
package gate

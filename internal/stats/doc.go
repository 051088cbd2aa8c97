// Package stats says whether two runs over the same cases differ by more than chance would make them.
//
// It works on pairs: the value of one metric for each case, before and after. Pairing takes the difficulty of the cases
// out of the comparison, and it is why there is no test of two independent samples here. Three opinions:
//
//   - Exact where exact is affordable. [McNemar] and [SignTest] are exact binomial tests for any number of cases, and
//     the randomisation test of [Compare] visits every pattern of signs up to 2^16 of them.
//   - A comparison that cannot say anything says so. With fewer than two cases that differ, no p value can fall below
//     1, and [Result.Inconclusive] gives the reason. Identical runs have p = 1. A NaN or an infinity is an error.
//   - The same values and the same seed give the same bits: in whatever order the pairs come, at any GOMAXPROCS and on
//     any processor. What is summed by the million is summed in whole numbers, every draw comes from the PCG of
//     math/rand/v2, and the floating-point arithmetic that remains uses only the four operations and the square root,
//     which IEEE 754 defines to the last bit, and leaves a compiler no multiplication to fuse with an addition.
//
// # Whole units
//
// Sums of fractions such as 1/3 + 2/3 and 1 differ in their last bit, and a randomisation test asks whether a sum is at
// least as far from zero as the one observed: there, a last bit counts. Two values of a pair are therefore equal if
// they differ by no more than 2^-40 (about 1e-12) of the larger, and differences are counted in whole units of 2^-40 of
// the largest value in a pair that differs. Sums closer than the rounding to units can explain, one unit for each pair
// that differs, count as equal. Where this errs at all, it makes the p value of the randomisation test larger.
//
// # Several metrics
//
// Each further metric is a further chance to find a difference that is not there; [Holm] adjusts for it.
package stats

// Package retrieval evaluates what a retrieval system found: golden cases say
// what a good answer to a question needs, fixtures hold what the system gave
// when it was recorded, and the result is a verdict for each case and a report.
//
// Nothing is asked of a live system. The same cases and fixtures give the same
// report, byte for byte, on every machine and with any number of workers.
//
//	suite, err := retrieval.Open("testdata/retrieval", retrieval.Options{K: 5})
//	…
//	report, err := suite.Run(ctx)
//
// A program that has its cases and fixtures in hand compiles a case once
// ([Compile]) and scores fixtures by it ([Evaluator.Evaluate]); to do both once,
// there is [Evaluate].
//
// # Hit levels
//
// A case is strong where an expected document is among the candidates, and one of
// its candidates has an expected breadcrumb or the candidates' texts cover the
// expected keywords; medium where the document is there and its evidence is not;
// a miss otherwise. The evidence in another document is a miss, whose reason names
// that document.
//
// # Where a case broke
//
// A case that does not pass names the first stage that broke: not_run (no
// fixture), system_error, fixture, routing, retrieval, ranking, evidence, answer,
// citation. What was found and lost in the answer is the answer's fault.
//
// # What is measured
//
// Ranking measures are those of package measure, at k: recall, precision, success,
// reciprocal rank (uncut), nDCG with linear gain. Which of them apply to a case is
// decided by the case alone: a case without a fixture, or with one that cannot be
// read, counts with 0. Three cannot be known from the case: citations and grounded
// facts count where there is an answer with any, isolation where a candidate says
// which scenario it is of.
//
// Grounded facts are the deterministic part of faithfulness: numbers with their
// units, identifiers and code in an answer, each of which stands in a candidate or
// in the question, or does not. They say nothing of what is told in other words,
// in Chinese numerals, or in another unit.
package retrieval

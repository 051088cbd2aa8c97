// Package evaluation is the report of an evaluation: uniform rows, one for each
// case, and everything that follows from them.
//
// A domain package (retrieval, diagnosis) scores a case to a [Row]. From there
// on nothing needs to know the domain: [New] puts rows in the order of their
// ids and derives the summary and the slices from them, by what each [Metric]
// says of itself. Rows merge and summaries do not: to join reports, join their
// rows with [Merge], which derives the summary again. So a report is the same
// bytes whatever the order in which its cases were evaluated.
//
// No mean is ever NaN. A metric without a value is null in the report, with the
// reason and n = 0, and a gate does not pass on it.
package evaluation

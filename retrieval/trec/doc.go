// Package trec scores TREC files: relevance judgments (qrels) and the ranked
// results of a system (a run), in the four and six columns that trec_eval reads.
//
//	qrels: query iteration document relevance
//	run:   query Q0 document rank score tag
//
// # Opinions
//
//   - The order is by score, descending, as float64, then by document id,
//     descending byte by byte; the rank column is not read. trec_eval 9.0.8 does
//     the same with float32 scores, 10.0 with float64.
//   - Every query with judgments counts. One that the run does not have scores 0,
//     as with trec_eval's flag -c. One that only the run has is left out and
//     listed. Where no query is in both, there is nothing to score: an error.
//   - Nothing is guessed. A row with another number of columns, a relevance that
//     is no whole number, a score that is no finite number, a document that is
//     twice in a query: an error with file and line. trec_eval reads a score of
//     abc as 0.
//   - What the user ought to know is data on the [Result]: queries without
//     judgments or without relevant documents, the share of unjudged documents,
//     and how far ties could move each measure.
//
// # Files
//
// Columns stand between spaces or tabs. CRLF, blank lines, a missing last
// newline and a byte order mark are fine; a line with # in its first column is a
// comment. Files compressed with gzip or Zstandard are recognised by their first
// bytes, whatever their name.
//
// # Memory
//
// The judgments are held in memory. A run streams past the workers, some
// megabytes at a time, as long as the rows of each query stand together. Where a
// query comes back after another one, the run is read again, into memory, and
// [Result.Scattered] says so.
//
// The result is the same, byte for byte, for any number of workers and for any
// order of rows.
package trec

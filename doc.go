// Package karat evaluates RAG systems and diagnosis agents from saved fixtures,
// deterministically and offline. It holds nothing but this page; the work is
// done by the packages below it:
//
//   - [github.com/karat-eval/karat/retrieval] scores retrieval cases,
//     [github.com/karat-eval/karat/diagnosis] scores diagnosis traces
//   - [github.com/karat-eval/karat/evaluation] is the report that both come to,
//     and below it are the keyword matcher, gates, comparison, renderers and the
//     helper for a test of your own (evaltest)
//   - [github.com/karat-eval/karat/retrieval/trec] and
//     [github.com/karat-eval/karat/retrieval/measure] are ranking measures for
//     TREC files and for rankings in memory
//   - cmd/karat is the command
package karat

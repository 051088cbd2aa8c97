// Package diagnosis evaluates what a diagnosis agent did: golden cases say what a
// good trace needs, saved traces hold what the agent, its tools and its verifier
// did, and the result is a verdict for each case and a report.
//
// Nothing is asked of a live system. The same cases and traces give the same
// report, byte for byte, on every machine and with any number of workers.
//
//	suite, err := diagnosis.Open("testdata/diagnosis", diagnosis.Options{})
//	…
//	report, err := suite.Run(ctx)
//
// A program that has its cases and traces in hand compiles a case once ([Compile])
// and judges traces by it ([Evaluator.Evaluate]); to do both once, there is
// [Evaluate].
//
// # Evidence
//
// A required tool needs a call that succeeded, or the verifier's summary that names
// it. A summary that names a tool of which every call failed proves nothing, and
// the contradiction is reported. A call failed where its status, its error, its
// exit code or its isError flag says so, on the invocation or at the top level of
// its result; what stands in running text says nothing. Where the calls of a tool
// show neither success nor failure, the outcome is unknown, which is no evidence.
// Names compare exactly; tool_aliases reconciles names that differ.
//
// # Degraded answers
//
// Where the verifier rejects a draft, the answer has to say that no cause is
// confirmed, and must not repeat a conclusion of the draft. A conclusion is what
// the draft gives as the cause: found by cues such as 根因, 由于, 导致, "caused by",
// "led to", by headings and fields of JSON; where there is no cue, every sentence is
// one. What the draft doubts itself is none, and what the question, a tool's result
// or the verifier's summary say anyway may be repeated, as may advice and headings.
// A run of the conclusion of some weight in the answer is a leak, punctuation aside,
// unless a phrase of doubt stands before it in its clause. The limit of this: an
// answer that gives the draft's conclusion in other words is not found out.
//
// Under any other verdict a degraded answer is unexpected. Which phrases mark an
// answer as degraded, and which give a cause as confirmed, is data
// ([DefaultMarkers], [DefaultConfirmedPhrases]) that a case may change.
//
// # Counting
//
// Cases without a trace, with one that cannot be read, and with one of a run that
// failed itself, count with a coverage of 0; calls, durations and tokens are means
// of the cases that ran and have them.
package diagnosis

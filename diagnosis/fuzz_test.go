package diagnosis

import (
	"strings"
	"testing"

	"github.com/karat-eval/karat/evaluation"
)

// FuzzDecodeTrace holds the decoder to never panicking, and to a result for
// everything that it accepts.
func FuzzDecodeTrace(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{"finalAnswer":"根因是连接池耗尽。"}`,
		`{"toolInvocations":[{"toolName":"t","status":"ok","result":"{\"isError\":true}"}],"selfEvaluation":"{\"verifier_evaluation\":{\"verdict\":\"PASS\",\"trace_summary\":[\"t\"]}}"}`,
		`{"toolInvocations":"[]","executorAnswer":{"root_cause":"磁盘写满导致写入失败"},"finalAnswer":"无法确认根因。磁盘写满导致写入失败","selfEvaluation":{"verifier_evaluation":{"verdict":"REJECT","trace_summary":"没有调用 t"}}}`,
		`{"a":"\ud83d\ude00\u0000\\"}`, `{"a":"\ud83d"}`, `{"durationMs":-1}`, `{"a":1.5e+3,"b":[true,false,null,{}]}`,
		"{\"a\":\"\x01\"}", "{\"a\":\"\xff\"}", `{"a":01}`, `{"a":1}x`, "\ufeff{}",
		`{"a":` + strings.Repeat("[", 1200),
	} {
		f.Add([]byte(seed))
	}
	p, err := Compile(Case{
		ID: "c", Question: "为什么？", RootCauseKeywords: DefaultMarkers()[:1], RequiredTools: []RequiredTool{{Any: []string{"t"}}},
		AllowedVerdicts: []string{"PASS", "REJECT"}, ForbiddenTools: []string{"u"},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := DecodeTrace(data)
		if err != nil {
			return
		}
		result := p.Evaluate(trace)
		row := result.Row()
		if _, err := evaluation.New(definition("s"), []evaluation.Row{row}, nil); err != nil {
			t.Fatal(err)
		}
		if p.Show(trace) == nil {
			t.Fatal("nothing to show")
		}
	})
}

// FuzzFindLeaks holds the search for leaks to never panicking and to places that
// are in the answer.
func FuzzFindLeaks(f *testing.F) {
	for _, row := range leakRows[:20] {
		f.Add(row.draft, row.answer, row.question, row.evidence)
	}
	f.Fuzz(func(t *testing.T, draft, answer, question, evidence string) {
		last := 0
		for _, l := range findLeaks(draft, answer, []string{question}, func() []string { return []string{evidence} }) {
			if l.start < last || l.end <= l.start || l.end > len(answer) {
				t.Fatalf("a leak from %d to %d of %d bytes", l.start, l.end, len(answer))
			}
			last = l.end
		}
	})
}

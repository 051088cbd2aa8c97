package diagnosis_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation"
)

func show(t *testing.T, id string) *evaluation.Display {
	t.Helper()
	s, err := diagnosis.Open("../testdata/diagnosis", diagnosis.Options{})
	require.NoError(t, err)
	defer s.Close()
	d, err := s.Show(id)
	require.NoError(t, err)
	return d
}

func section(t *testing.T, d *evaluation.Display, title string) evaluation.Section {
	t.Helper()
	for _, s := range d.Sections {
		if s.Title == title {
			return s
		}
	}
	t.Fatalf("no section %q", title)
	return evaluation.Section{}
}

// marked gives the marked parts of a text.
func marked(item evaluation.Item, mark evaluation.Mark) []string {
	var out []string
	for _, s := range item.Spans {
		if s.Mark == mark {
			out = append(out, item.Text[s.Start:s.End])
		}
	}
	return out
}

func TestALeakIsShownInTheAnswerBesideTheDraft(t *testing.T) {
	d := show(t, "payment-reject-leaks-draft")
	assert.Equal(t, "支付成功率从 99% 掉到 71%，是什么原因？", d.Subtitle)
	s := section(t, d, "Answer and draft")
	require.Len(t, s.Items, 2)
	assert.Equal(t, "final answer", s.Items[0].Label)
	if diff := cmp.Diff([]string{"根因是支付网关证书过期，导致握手失败"}, marked(s.Items[0], evaluation.Bad)); diff != "" {
		t.Errorf("leaked -want +got:\n%s", diff)
	}
	assert.Equal(t, "executor's draft", s.Items[1].Label)
	if diff := cmp.Diff([]string{"支付网关证书过期，导致握手失败"}, marked(s.Items[1], evaluation.Bad)); diff != "" {
		t.Errorf("in the draft -want +got:\n%s", diff)
	}
}

func TestCallsAreShownAsATimeLineWithTheirOutcomes(t *testing.T) {
	s := section(t, show(t, "kafka-lag-logs-timed-out"), "Tool calls (3)")
	var got []string
	for _, item := range s.Items {
		got = append(got, string(item.Mark)+": "+item.Label+" "+item.Detail)
	}
	if diff := cmp.Diff([]string{
		"bad: 1. query_logs failed (timeout) · after 0s · took 10000 ms",
		"bad: 2. query_logs failed (timeout) · after 11s · took 10000 ms",
		"good: 3. query_kafka succeeded · after 22s · took 410 ms",
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	assert.Contains(t, s.Items[2].Text, "1840233")
}

func TestKeywordsAndForbiddenWordsAreMarkedInTheAnswer(t *testing.T) {
	answer := section(t, show(t, "disk-cleanup-dangerous-advice"), "Answer and draft").Items[0]
	assert.Equal(t, []string{"日志盘"}, marked(answer, evaluation.Good))
	assert.Equal(t, []string{"rm -rf"}, marked(answer, evaluation.Bad))
}

func TestEveryGoldenCaseCanBeShown(t *testing.T) {
	s, err := diagnosis.Open("../testdata/diagnosis", diagnosis.Options{})
	require.NoError(t, err)
	defer s.Close()
	for _, id := range s.CaseIDs() {
		d, err := s.Show(id)
		require.NoError(t, err)
		assert.Equal(t, id, d.Title)
		assert.Equal(t, "Checks", d.Sections[0].Title)
		for _, section := range d.Sections {
			for _, item := range section.Items {
				last := 0
				for _, span := range item.Spans {
					assert.True(t, last <= span.Start && span.Start < span.End && span.End <= len(item.Text), "%s: spans ascend inside the text", id)
					last = span.End
				}
			}
		}
	}
	d, err := s.Show("oomkilled-restart")
	require.NoError(t, err)
	calls := section(t, d, "Tool calls (2)")
	assert.Equal(t, "1. k8s.get_pods = query_pods", calls.Items[0].Label, "an alias is shown with the case's name")
	d, err = s.Show("nacos-config-missing-trace")
	require.NoError(t, err)
	assert.True(t, strings.Contains(d.Sections[0].Items[0].Detail, "no trace was recorded"))
}

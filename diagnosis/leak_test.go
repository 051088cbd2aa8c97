package diagnosis

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type leakRow struct {
	ID, Draft, Final, Question, Evidence string
	Leak                                 bool
	Why                                  string
}

func readRows(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}

func TestDegradedRowsLeakOrNot(t *testing.T) {
	var rows struct{ Leaks []leakRow }
	readRows(t, "testdata/degraded.json", &rows)
	require.NotEmpty(t, rows.Leaks)
	for _, row := range rows.Leaks {
		t.Run(row.ID, func(t *testing.T) {
			leaks := findLeaks(row.Draft, row.Final, []string{row.Question}, func() []string { return []string{row.Evidence} })
			if got := len(leaks) > 0; got != row.Leak {
				t.Errorf("leak is %v, want %v: conclusions %+v, leaks %v", got, row.Leak, conclusions(row.Draft), leaks)
			}
		})
	}
}

// Long and monotonous texts take time in proportion to their length; a quadratic
// search would take minutes here.
func TestLongDraftsAndAnswersAreSearchedInLinearTime(t *testing.T) {
	clause := "主库磁盘写满导致写入失败，"
	long := strings.Repeat(clause, 800)
	for _, row := range []struct {
		name, draft, answer string
		leak                bool
	}{
		{"one word over and over", strings.Repeat("满", 20_000), strings.Repeat("满", 20_000), true},
		{"one clause over and over", long, long, true},
		{"many clauses and a long answer without them", long, strings.Repeat("请联系值班同学查看监控。", 800), false},
		{"the leak at the end", "根因是" + clause, strings.Repeat("请联系值班同学查看监控。", 5_000) + clause, true},
		{"no punctuation", strings.Repeat("根因是主库磁盘写满", 1_500), strings.Repeat("联系值班同学查看监控", 1_500), false},
		{"no punctuation, and the leak", strings.Repeat("根因是主库磁盘写满而失败", 1_500), strings.Repeat("主库磁盘写满而失败", 1_500), true},
	} {
		got := findLeaks(row.draft, row.answer, nil, func() []string { return nil })
		require.Equal(t, row.leak, len(got) > 0, row.name)
	}
}

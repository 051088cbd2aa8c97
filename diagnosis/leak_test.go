package diagnosis

import (
	"encoding/json"
	"os"
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

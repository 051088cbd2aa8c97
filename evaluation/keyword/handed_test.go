package keyword_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/evaluation/keyword"
)

func covered(t testing.TB, k keyword.Keyword, text string) bool {
	t.Helper()
	m, err := keyword.Compile(k)
	require.NoError(t, err)
	_, ok := m.Find(keyword.NewText(text))
	return ok
}

func TestKeywordsAreCoveredAsHandedOver(t *testing.T) {
	data, err := os.ReadFile("testdata/keywords.json")
	require.NoError(t, err)
	var rows []struct {
		ID, Keyword, Text, Why string
		Covered                bool
	}
	require.NoError(t, json.Unmarshal(data, &rows))
	require.NotEmpty(t, rows)
	for _, row := range rows {
		t.Run(row.ID, func(t *testing.T) {
			assert.Equal(t, row.Covered, covered(t, keyword.Word(row.Keyword), row.Text),
				"%q in %q: %s", row.Keyword, row.Text, row.Why)
		})
	}
}

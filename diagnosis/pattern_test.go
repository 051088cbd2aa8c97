package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPatternsKnowTheWordsThatEveryMatchHas(t *testing.T) {
	for _, row := range []struct {
		expr string
		want []string
		why  string
	}{
		{`根因|原因`, []string{"根因", "原因"}, "one of the alternatives"},
		{`无法[^,]{0,3}(?:确认|判断)`, []string{"无法"}, "of parts equally long, the one of fewer words"},
		{`\bcaused by\b`, []string{"caused"}, "the longest run of letters"},
		{`a*`, nil, "may match without it"},
		{`根因|\d+`, nil, "one alternative needs no word"},
		{`(?:未)?确认`, []string{"确认"}, "what is optional is not needed"},
		{`[不没]确认`, []string{"确认"}, "longer words tell more"},
	} {
		got := neededWords(row.expr)
		assert.ElementsMatch(t, row.want, got, "%s: %s", row.expr, row.why)
	}
}

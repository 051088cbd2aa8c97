package retrieval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/retrieval"
)

// A case that asks for a document and forbids it is a slip of its author: what it
// wants can never be found.
func TestADocumentIsNotBothExpectedAndForbidden(t *testing.T) {
	const head = `[{"id": "a", "query": "q", "scenario_type": "chat", "expected_keywords": ["x"], `
	for _, tt := range []struct{ name, fields, want string }{
		{"the same id, spaces aside", `"expected_documents": ["vpn.md"], "forbidden_documents": ["old.md", " vpn.md "]`, `forbidden_documents[1]: vpn.md is both expected and forbidden`},
		{"one of several", `"expected_documents": ["vpn.md", {"id": "mail.md", "grade": 2}], "forbidden_documents": ["mail.md"]`, `forbidden_documents[0]: mail.md is both expected and forbidden`},
		{"a number is its text", `"expected_documents": [9], "forbidden_documents": ["9"]`, `forbidden_documents[0]: 9 is both expected and forbidden`},
		{"the same part of a name, normalised", `"expected_documents": [{"contains": "VPN 手册"}], "forbidden_documents": [{"contains": "vpn手册"}]`, `forbidden_documents[0]: *vpn手册* is both expected and forbidden`},
		{"ids are opaque", `"expected_documents": ["9", "vpn.md"], "forbidden_documents": ["09", "VPN.md"]`, ""},
		{"an id is no part of a name", `"expected_documents": ["vpn.md"], "forbidden_documents": [{"contains": "vpn.md.bak"}]`, ""},
		{"no document is expected of an unanswerable case", `"answerable": false, "expected_documents": ["vpn.md"], "forbidden_documents": ["vpn.md"]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := retrieval.ReadCases("cases.json", []byte(head+tt.fields+"}]"), retrieval.Options{})
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Equal(t, `cases.json:1: case "a": `+tt.want, strings.TrimSpace(err.Error()))
		})
	}
}

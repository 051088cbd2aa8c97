package retrieval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/retrieval"
)

// synthetic gives a case and its fixture of five candidates with 300 characters
// of text each, half of them Chinese with its full-width punctuation.
func synthetic(i int) (c, fixture []byte) {
	english := "Check the gateway's certificate first, since an expired one looks like a network failure. The default timeout is 30 seconds; raise it only after the slow queries are gone. "
	chinese := "先确认客户端版本是否为最新，再检查网络是否可用；必要时联系服务台。告警触发后，应在十五分钟内完成初步定位，并记录处理过程。若日志中出现大量超时，请查看下游服务的响应时间（尤其是数据库）。"
	body := []rune(strings.Repeat(english+chinese, 2))
	var candidates []map[string]any
	for j := range 5 {
		id, text := fmt.Sprintf("other-%d-%d.md", i, j), ""
		if j == i%5 {
			id, text = fmt.Sprintf("doc-%d.md", i), "重启客户端，账号状态。"
		}
		text += string(body[(17*i+29*j)%100:][:300-utf8.RuneCountInString(text)])
		candidates = append(candidates, map[string]any{
			"id": fmt.Sprintf("chunk-%d-%d", i, j), "document_id": id, "label": "VPN 故障处理", "source": "it",
			"breadcrumb": []string{"IT 手册", "VPN"}, "score": 1 / float64(j+2), "text": text,
		})
	}
	c, _ = json.Marshal(map[string]any{
		"id": fmt.Sprintf("case-%05d", i), "query": "VPN 连不上怎么办", "scenario_type": "chat",
		"expected_documents": []string{fmt.Sprintf("doc-%d.md", i)}, "expected_keywords": []string{"重启客户端", "账号状态", "certificate"},
		"expected_source": "it", "tags": []string{"vpn"},
	})
	fixture, _ = json.Marshal(map[string]any{"case_id": fmt.Sprintf("case-%05d", i), "candidates": candidates, "source": "it", "duration_ms": 20 + i%400})
	return c, fixture
}

func BenchmarkDecodeFixture(b *testing.B) {
	_, fixture := synthetic(3)
	b.SetBytes(int64(len(fixture)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := retrieval.DecodeFixture(fixture); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	c, data := synthetic(3)
	cases, err := retrieval.ReadCases("cases.json", []byte("["+string(c)+"]"), retrieval.Options{})
	require.NoError(b, err)
	e, err := retrieval.Compile(cases[0], retrieval.Options{})
	require.NoError(b, err)
	fixture, err := retrieval.DecodeFixture(data)
	require.NoError(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := e.Evaluate(fixture)
		if row := r.Row(); row.Status != "pass" {
			b.Fatal(row.Status)
		}
	}
}

// BenchmarkReadCases reads 1,000 cases.
func BenchmarkReadCases(b *testing.B) {
	var set bytes.Buffer
	for i := range 1000 {
		c, _ := synthetic(i)
		set.Write(append(c, '\n'))
	}
	b.SetBytes(int64(set.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := retrieval.ReadCases("cases.jsonl", set.Bytes(), retrieval.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSuite evaluates 10,000 cases from one bundle to the report's JSON:
// MB/s are those of the bundle.
func BenchmarkSuite(b *testing.B) {
	var set, bundle bytes.Buffer
	for i := range 10000 {
		c, fixture := synthetic(i)
		set.Write(append(c, '\n'))
		bundle.Write(append(fixture, '\n'))
	}
	dir := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(dir, "cases.jsonl"), set.Bytes(), 0o644))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "fixtures.jsonl"), bundle.Bytes(), 0o644))
	b.SetBytes(int64(bundle.Len()))
	b.ReportAllocs()
	var out bytes.Buffer
	for b.Loop() {
		s, err := retrieval.Open(dir, retrieval.Options{})
		require.NoError(b, err)
		report, err := s.Run(context.Background())
		require.NoError(b, err)
		out.Reset()
		require.NoError(b, report.WriteJSON(&out))
		require.NoError(b, s.Close())
	}
}

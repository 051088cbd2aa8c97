package input_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/input"
)

// fixtureBundle is n fixtures of five candidates of 300 Chinese characters.
func fixtureBundle(n int, idLast bool) ([]byte, []string) {
	var b bytes.Buffer
	ids := make([]string, n)
	text := strings.Repeat("员工入职当天需要完成账号开通与安全培训。", 15)
	for i := range ids {
		ids[i] = fmt.Sprintf("case-%05d", i)
		b.WriteString("{")
		if !idLast {
			fmt.Fprintf(&b, "\"case_id\":%q,", ids[i])
		}
		b.WriteString("\"candidates\":[")
		for j := range 5 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":"chunk-%d","document_id":"hr/doc-%d.md","breadcrumb":["手册","入职"],"score":0.5,"text":"%s"}`, j, j, text)
		}
		b.WriteString("]")
		if idLast {
			fmt.Fprintf(&b, ",\"case_id\":%q", ids[i])
		}
		b.WriteString("}\n")
	}
	return b.Bytes(), ids
}

// BenchmarkBundle measures splitting a bundle and finding whose each line is:
// what is left for decoding.
func BenchmarkBundle(b *testing.B) {
	dir := b.TempDir()
	for _, form := range []string{"id first", "id last", "gzip"} {
		data, ids := fixtureBundle(5_000, form == "id last")
		path := filepath.Join(dir, strings.ReplaceAll(form, " ", "-")+".jsonl")
		size := int64(len(data))
		if form == "gzip" {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			_, err := w.Write(data)
			require.NoError(b, err)
			require.NoError(b, w.Close())
			data = z.Bytes()
		}
		require.NoError(b, os.WriteFile(path, data, 0o644))
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d workers", form, workers), func(b *testing.B) {
				f, err := input.OpenFixtures(path, input.FixtureOptions{})
				require.NoError(b, err)
				defer f.Close()
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					_, err := f.Each(context.Background(), input.Walk{IDs: ids, Workers: workers}, func(int, []byte, error) {})
					require.NoError(b, err)
				}
			})
		}
	}
}

func BenchmarkFolder(b *testing.B) {
	dir := b.TempDir()
	data, ids := fixtureBundle(1_000, false)
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		require.NoError(b, os.WriteFile(filepath.Join(dir, ids[i]+".json"), line, 0o644))
	}
	f, err := input.OpenFixtures(dir, input.FixtureOptions{})
	require.NoError(b, err)
	defer f.Close()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := f.Each(context.Background(), input.Walk{IDs: ids}, func(int, []byte, error) {})
		require.NoError(b, err)
	}
}

// caseSet is n cases as JSON, as JSONL, or as YAML in block style.
func caseSet(n int, name string) []byte {
	var b bytes.Buffer
	if name == "c.yaml" {
		b.WriteString("version: 1\ndefaults:\n  min_keyword_coverage: 0.5\ncases:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - id: case-%d\n    query: 员工入职当天需要做什么\n    expected_documents: [hr/doc-%d.md, hr/other.md]\n    expected_keywords:\n      - 账号开通\n      - 安全培训\n    tags: [hr]\n", i, i)
		}
		return b.Bytes()
	}
	lines := name == "c.jsonl"
	if !lines {
		b.WriteString(`{"version":1,"defaults":{"min_keyword_coverage":0.5},"cases":[`)
	}
	for i := range n {
		if i > 0 && !lines {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n{\"id\":\"case-%d\",\"query\":\"员工入职当天需要做什么\",\"expected_documents\":[\"hr/doc-%d.md\",\"hr/other.md\"],\"expected_keywords\":[\"账号开通\",\"安全培训\"],\"tags\":[\"hr\"]}", i, i)
	}
	if !lines {
		b.WriteString("]}\n")
	}
	return b.Bytes()
}

func BenchmarkCases(b *testing.B) {
	for _, name := range []string{"c.json", "c.jsonl", "c.yaml"} {
		data := caseSet(10_000, name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				got, err := read(name, string(data), input.Options{})
				require.NoError(b, err)
				require.Len(b, got, 10_000)
			}
		})
	}
}

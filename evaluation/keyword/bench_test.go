package keyword_test

import (
	"strings"
	"testing"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// Ordinary text of the two kinds: runbooks, as a knowledge base holds them.
const (
	english = "When the order service starts to time out, check the connection pool first. HikariPool-1 reports " +
		"\"Connection is not available, request timed out after 30000ms\" once all 50 connections are in use; the usual " +
		"causes are slow queries, a leaked connection or a maximum that is set too low. Compare active, idle and pending " +
		"connections over the last 15 minutes, then look for statements that run longer than 2 seconds.\n\n" +
		"If the pods were OOMKilled, raise the memory limit (for example from 512Mi to 1Gi) and take a heap dump before " +
		"the next restart. Do not restart all replicas at once: drain one node, wait until it is Ready, and go on. "
	chinese = "订单服务在高峰期出现大量超时，首先检查数据库连接池的使用情况：如果活跃连接数长期等于最大连接数，说明连接池已经耗尽。" +
		"常见原因包括慢查询、连接泄漏以及最大连接数设置过小；请对比最近十五分钟的活跃、空闲和等待连接数，再查找执行时间超过 2 秒的语句。\n\n" +
		"如果容器因为内存不足被终止（OOMKilled），应当先保留堆转储文件，再适当调大内存限制，例如从“512Mi”调整到“1Gi”。" +
		"注意：不要同时重启所有副本，应逐个节点进行——确认就绪之后，再继续下一个节点。"
)

var (
	englishKeywords = keyword.Words("connection pool", "max_connections", "OutOfMemoryError", "slow query log",
		"certificate", "502", "CrashLoopBackOff", "disk pressure")
	chineseKeywords = keyword.Words("连接池耗尽了", "证书过期", "OutOfMemoryError", "慢查询日志",
		"磁盘空间不足", "502", "主从延迟", "重启策略")
)

func long(s string) string { return strings.Repeat(s, 64<<10/len(s)) }

func benchmarkNormalize(b *testing.B, s string) {
	var t keyword.Text
	t.Reset(s)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		t.Reset(s)
	}
}

func benchmarkMatch(b *testing.B, s string, keywords []keyword.Keyword) {
	set := keyword.MustCompileSet(keywords)
	var t keyword.Text
	t.Reset(s)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		t.Reset(s)
		set.Cover(&t)
	}
}

func BenchmarkNormalizeASCII(b *testing.B)   { benchmarkNormalize(b, long(english)) }
func BenchmarkNormalizeChinese(b *testing.B) { benchmarkNormalize(b, long(chinese)) }
func BenchmarkMatch8ASCII(b *testing.B)      { benchmarkMatch(b, long(english), englishKeywords) }
func BenchmarkMatch8Chinese(b *testing.B)    { benchmarkMatch(b, long(chinese), chineseKeywords) }

// One candidate of a fixture: texts as long as a chunk.
func BenchmarkMatch8ChunkASCII(b *testing.B)   { benchmarkMatch(b, english[:400], englishKeywords) }
func BenchmarkMatch8ChunkChinese(b *testing.B) { benchmarkMatch(b, chinese[:600], chineseKeywords) }

func BenchmarkCompile8(b *testing.B) {
	for b.Loop() {
		keyword.MustCompileSet(chineseKeywords)
	}
}

// Command retrievalgen writes a retrieval case set and a bundle of fixtures of
// any size, for measuring how fast they are evaluated. The same flags give the
// same bytes.
//
//	go run ./retrievalgen -dir DIR                 # 10,000 cases, 5 candidates of 300 characters each
//	go run ./retrievalgen -cases 100000 -dir DIR
//
// Half of every text is Chinese with its full-width punctuation. About nine
// cases in ten pass; the others miss their document or their keywords.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/karat-eval/karat/tools/internal/generator"
)

type config struct {
	cases, candidates, chars int
	seed                     uint64
}

func main() {
	var c config
	flag.IntVar(&c.cases, "cases", 10000, "number of cases")
	flag.IntVar(&c.candidates, "candidates", 5, "candidates of each fixture")
	flag.IntVar(&c.chars, "chars", 300, "characters of a candidate's text")
	flag.Uint64Var(&c.seed, "seed", 1, "seed")
	files.Main("retrievalgen", func(dir string) error { return write(dir, c) })
}

var files = generator.Pair{First: "cases.jsonl", Second: "fixtures.jsonl"}

func write(dir string, c config) error {
	if c.cases < 1 || c.candidates < 1 || c.chars < 50 {
		return errors.New("-cases and -candidates are 1 or more, -chars is 50 or more")
	}
	return files.Write(dir, func(cases, fixtures io.Writer) error { return generate(c, cases, fixtures) })
}

type object = map[string]any

// generate writes case i and fixture i, line by line.
func generate(c config, cases, fixtures io.Writer) error {
	rng := rand.New(rand.NewPCG(c.seed, 0))
	for i := range c.cases {
		topic := topics[i%len(topics)]
		scenario := []string{"enterprise_knowledge", "operations"}[i%2]
		document := fmt.Sprintf("%s/%s-%d.md", topic.source, topic.name, i)
		err := writeLine(cases, object{
			"id":                 fmt.Sprintf("%s-%05d", topic.name, i),
			"query":              topic.query,
			"scenario_type":      "chat",
			"scenario_id":        scenario,
			"expected_documents": []string{document},
			"expected_keywords":  topic.keywords,
			"expected_source":    topic.source,
			"tags":               []string{topic.source, []string{"short", "long"}[i%3%2]},
		})
		if err != nil {
			return err
		}
		at := rng.IntN(c.candidates)
		lost := rng.IntN(20) == 0 // the document was not found
		poor := rng.IntN(20) == 0 // a keyword is not in it
		candidates := make([]object, c.candidates)
		for j := range candidates {
			id, lead := fmt.Sprintf("%s/other-%d-%d.md", topic.source, i, j), ""
			if j == at && !lost {
				id = document
				words := topic.keywords
				if poor {
					words = words[1:]
				}
				lead = strings.Join(words, "，") + "。"
			}
			candidates[j] = object{
				"id":          fmt.Sprintf("chunk-%d-%d", i, j),
				"document_id": id,
				"label":       topic.query,
				"source":      topic.source,
				"scenario_id": scenario,
				"breadcrumb":  []string{topic.source, topic.name},
				"score":       1 / float64(j+2),
				"text":        text(rng, lead, c.chars),
			}
		}
		err = writeLine(fixtures, object{
			"case_id":     fmt.Sprintf("%s-%05d", topic.name, i),
			"query":       topic.query,
			"candidates":  candidates,
			"source":      topic.source,
			"duration_ms": 20 + rng.IntN(400),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func writeLine(w io.Writer, v object) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// text is sentences, Chinese and English by turns, cut to so many characters.
func text(rng *rand.Rand, lead string, chars int) string {
	var b strings.Builder
	b.WriteString(lead)
	n := utf8.RuneCountInString(lead)
	chinese, english := n, 0
	for n < chars {
		list, count := sentences[0], &chinese
		if english < chinese {
			list, count = sentences[1], &english
		}
		s := list[rng.IntN(len(list))]
		b.WriteString(s)
		*count += utf8.RuneCountInString(s)
		n = chinese + english
	}
	s, left := b.String(), chars
	for i := range s {
		if left == 0 {
			return s[:i]
		}
		left--
	}
	return s
}

type topic struct {
	name, source, query string
	keywords            []string
}

var topics = []topic{
	{"vpn", "it", "VPN 连不上怎么办", []string{"重启客户端", "账号状态", "证书"}},
	{"leave", "hr", "年假没休完能结转吗", []string{"结转", "3 月 31 日", "审批"}},
	{"pool", "database", "Why is the connection pool exhausted?", []string{"max connections", "slow query", "连接泄漏"}},
	{"oom", "kubernetes", "Pod 一直 OOMKilled", []string{"memory limit", "OOMKilled", "堆内存", "扩容"}},
	{"expense", "finance", "How do I claim travel expenses?", []string{"发票", "original invoice", "14 天"}},
}

var sentences = [2][]string{
	{
		"先确认客户端版本是否为最新，再检查网络是否可用；必要时联系服务台。",
		"告警触发后，应在十五分钟内完成初步定位，并记录处理过程。",
		"若日志中出现大量超时，请查看下游服务的响应时间（尤其是数据库）。",
		"申请提交以后，由直属主管审批，人力资源部每周二统一处理。",
		"配置变更前务必备份，变更后观察半小时，确认各项指标恢复正常。",
		"注意：测试环境与生产环境的参数不同，请勿直接复制！",
	},
	{
		"Check the gateway's certificate first, since an expired one looks like a network failure. ",
		"The default timeout is 30 seconds; raise it only after the slow queries are gone. ",
		"Requests above 5,000 need the approval of the department head. ",
		"Run `kubectl describe pod` and read the last state of the container. ",
		"A retry without backoff makes an overloaded service worse. ",
		"See the runbook (section 4.2) for the order of the steps. ",
	},
}

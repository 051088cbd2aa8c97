package retrieval_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/retrieval"
)

// One case, one fixture: what was found, and what was lost.
func ExampleEvaluate() {
	c := retrieval.Case{
		ID:                "vpn-cannot-connect",
		Query:             "VPN 连不上怎么办",
		ScenarioType:      "chat",
		ExpectedDocuments: []retrieval.Document{{ID: "it/vpn.md"}},
		ExpectedKeywords:  keyword.Words("重启", "账号"),
		AnswerKeywords:    keyword.Words("重启"),
	}
	fixture, err := retrieval.DecodeFixture([]byte(`{
		"candidates": [
			{"document_id": "it/mail.md", "text": "邮箱设置"},
			{"document_id": "it/vpn.md", "text": "重启客户端并检查账号"}
		],
		"answer": "请联系管理员。"
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := retrieval.Evaluate(c, fixture, retrieval.Options{K: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, result.HitLevel, "at rank", result.FirstExpectedRank)
	fmt.Println("broke at", result.Stage)
	for _, c := range result.Checks {
		if c.Status == "fail" {
			fmt.Printf("%s: expected %s, got %s; %s\n", c.Name, c.Expected, c.Got, c.Reason)
		}
	}
	// Output:
	// fail strong at rank 2
	// broke at answer
	// answer_keywords: expected 1 of 1 keyword, got 0 of 1 keyword; missing: 重启
}

// A folder of cases and fixtures is a suite, which makes a report.
func ExampleOpenFS() {
	files := fstest.MapFS{
		"vpn/cases.yaml": {Data: []byte(`
defaults: {scenario_type: chat}
cases:
  - id: vpn-1
    query: VPN 连不上怎么办
    expected_documents: [it/vpn.md]
    expected_keywords: [重启, {any: [账号, account]}]
`)},
		"vpn/fixtures/vpn-1.json": {Data: []byte(`{"candidates": [{"document_id": "it/vpn.md", "text": "Restart (重启) and check the account."}]}`)},
	}
	suite, err := retrieval.OpenFS(files, "vpn", retrieval.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer suite.Close()
	report, err := suite.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	recall, _ := report.Entry("recall@5")
	fmt.Println(report.Suite, recall.Value, recall.N)
	// Output:
	// vpn 1 1
}

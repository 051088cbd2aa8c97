package retrieval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFactsOfAnAnswer(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"none", "请联系管理员，稍后重试。", ""},
		{"a number with its unit", "等待30秒后重试", "30秒"},
		{"a space before the unit", "等待 30 秒后重试", "30 秒"},
		{"what follows and is no unit", "端口8080是默认值，版本5.7的参数", "8080|5.7"},
		{"days and percent", "保留30天，超过 80% 告警，再加 5‰", "30天|80%|5‰"},
		{"large amounts", "限额 3 万元，共 1,000 次", "3 万元|1,000 次"},
		{"English units", "wait 30 seconds, then 1 day, 512 MB and 2 GiB", "30 seconds|1 day|512 MB|2 GiB"},
		{"a word that is no unit", "there are 5 users and 3 steps", "5|3"},
		{"a unit written onto it", "timeout 30s, limit 512Mi", "30s|512Mi"},
		{"a date and a time", "2024-05-14 08:30, 2024年5月14日", "2024-05-14|08:30|2024年|5月|14日"},
		{"a range", "3-5 个工作日", "3-5 个工作日"},
		{"a version", "upgrade to v1.2.3 or 5.7.38", "v1.2.3|5.7.38"},
		{"an address", "connect to 10.0.0.1:8080", "10.0.0.1:8080"},
		{"identifiers", "set max_connections in /etc/my.cnf via TCP/IP on vpn-client", "max_connections|/etc/my.cnf|TCP/IP|vpn-client"},
		{"words with a full stop", "Restart it. Then wait, e.g. for a while.", ""},
		{"a flag", "use --dry-run and --force", "dry-run"},
		{"a dash between words", "restart - then wait -- done", ""},
		{"code", "run `kubectl get pods` and `df -h`", "kubectl get pods|df -h"},
		{"a code block", "run\n```sh\nsystemctl restart vpn\n\ndf -h\n```\nthen stop", "systemctl restart vpn|df -h"},
		{"tildes fence too", "~~~\na_b\n~~~\n", "a_b"},
		{"a backtick alone", "it is 5` long", "5"},
		{"the same fact in two spellings", "30 秒 and 30秒 and 30 秒", "30 秒"},
		{"list numbers", "1. 重启\n2) 检查\n3、联系\n(4) 等待\n（5）结束", ""},
		{"list numbers in a line", "步骤：1. 提交材料 2. 签合同 3. 领工牌", ""},
		{"list numbers of headings", "## 2. 处理\n**3.** 结束\n- 4. 完", ""},
		{"full-width list numbers", "１．重启\n２．检查\n３）完成", ""},
		{"the end of a sentence", "Wait 30. Then restart.", "30"},
		{"an enumeration of ports", "端口 80、443 都要开放", "80|443"},
		{"steps", "第2步：重启；步骤 3 完成；see step 4 and Step5", ""},
		{"a chapter", "见第3章", "3"},
		{"citation marks", "重启[1]，检查【2】和[3, 4]", ""},
		{"a year in brackets", "国发[2009]3号", "2009|3"},
		{"full-width digits", "等待３０秒", "３０秒"},
		{"Hangul", "30초 동안 기다리세요", "30초"},
		{"a negative number", "-5°C", "5°C"},
		{"a file that begins with a dot", "edit .env and ...", ".env"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code := codeSpans(tt.answer)
			var got []string
			for _, f := range answerFacts(tt.answer, code, citationMarks(tt.answer, code)) {
				got = append(got, f.text)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Errorf("facts of %q (-want +got):\n%s", tt.answer, diff)
			}
		})
	}
}

func TestCitationMarksOfAnAnswer(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"after Han", "请重启[9]。", "[9]"},
		{"after a space", "Restart it [1].", "[1]"},
		{"after punctuation", "Restart it.[1]", "[1]"},
		{"after a bracket", "[1][2]【3】", "[1] [2] [3]"},
		{"several", "[1,2] [3, 4]【5，6】[7、8]", "[1 2] [3 4] [5 6] [7 8]"},
		{"at the start", "[1] says so", "[1]"},
		{"after Kana and Thai", "再起動する[1] รีสตาร์ท[2]", "[1] [2]"},
		{"after a letter", "args[1] naïve[2] Москва[3]", ""},
		{"after Hangul, which has spaces", "재시작[1]", ""},
		{"after a digit and a low line", "5[1] a_[2]", ""},
		{"a link", "[2](http://x) 【3】(x)", ""},
		{"a full-width parenthesis is no link", "重启[2]（见手册）", "[2]"},
		{"four digits", "国发[2009]3号 [0123]", ""},
		{"three digits", "见[123]", "[123]"},
		{"zero", "见[0]", "[0]"},
		{"no number", "[x] [] [1a] [^1] [1-3] 【重要】", ""},
		{"mixed brackets", "[1】 【2]", ""},
		{"open", "[1", ""},
		{"in code", "`[1]` ``a`[2]`` [3]", "[3]"},
		{"in a block", "```\n[1]\n```\n[2]", "[2]"},
		{"in a block that never ends", "```\n[1]\n[2]", ""},
		{"after a backtick alone", "it's 5` long [1]", "[1]"},
		{"inside another bracket", "[[1]]", "[1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range citationMarks(tt.answer, codeSpans(tt.answer)) {
				got = append(got, fmt.Sprint(m.numbers))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("marks of %q (-want +got):\n%s", tt.answer, diff)
			}
		})
	}
}

func TestBreadcrumbsWrittenAsAString(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a > b>c", "a|b|c"},
		{"a › b » c ＞ d", "a|b|c|d"},
		{"CI/CD > a::b", "CI/CD|a::b"},
		{"a::b/c", "a|b/c"},
		{"a/b", "a|b"},
		{"/a//b/", "a|b"},
		{"a", "a"},
		{" > ", ""},
		{"", ""},
	} {
		if diff := cmp.Diff(tt.want, strings.Join(splitBreadcrumb(tt.in), "|")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.in, diff)
		}
	}
}

func TestRefusalsAreToldFromAnswers(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   bool
	}{
		{"知识库中没有相关信息，无法回答。", true},
		{"抱歉，我没有找到与火星分公司有关的资料。", true},
		{"很抱歉，文档中未提及火星分公司的地址。", true},
		{"这个问题超出了知识库的范围。", true},
		{"当前资料信息不足。", true},
		{"I could not find anything about a Mars office.", true},
		{"Sorry, I couldn't find any documents on that.", true},
		{"I don't have enough information to answer that.", true},
		{"The provided documents do not contain information about Mars.", true},
		{"This is not covered in the knowledge base.", true},
		{"I'm unable to answer this question.", true},
		{"很抱歉，我不知道。", true},
		{"我不清楚火星分公司的地址。", true},
		{"现有资料不足以回答该问题。", true},
		{"没有相关记录。", true},
		{"无法根据已有资料回答。", true},
		{"对不起，我无法提供该信息。", true},
		{"抱歉，资料里没有火星分公司的地址。", true},
		{"暂时没有这方面的资料。", true},
		{"知识库里找不到这项内容。", true},
		{"知識庫中沒有相關資訊，無法回答。", true},
		{"There is no information available about Mars.", true},
		{"No answer was found.", true},
		{"I don’t know.", true},
		{"I do not know the address.", true},
		{"The context does not contain the answer.", true},
		{"The documents don't mention it.", true},
		{"Insufficient context to answer.", true},
		{"I am unable to find that in the knowledge base.", true},
		{"The address is not stated in the provided documents.", true},
		{"火星分公司在火星路 1 号。", false},
		{"如果不知道密码，请点击忘记密码。", false},
		{"不知道密码时请点击忘记密码。", false},
		{"端口未找到时请检查配置。", false},
		{"If you don't know the password, call 110.", false},
		{"材料不足以报销时请补交发票。", false},
		{"用户无法提供相关信息时，请联系人事。", false},
		{"地址在附录，没有变更。", false},
		{"The office is open; no documents are needed.", false},
		{"Your laptop does not include a charger, so order one.", false},
		{"If the page is not found in the menu, restart the client.", false},
		{"If you are unable to find the file, ask the desk.", false},
		{"若找不到文件，请联系管理员。", false},
		{"没有审批不能报销。", false},
		{"The page was not found, so restart the server.", false},
		{"请提供更多信息。", false},
		{"The office is at 1 Mars Road.", false},
	} {
		got := refused(tt.answer)
		if got != tt.want {
			t.Errorf("%q: want %v, got %v", tt.answer, tt.want, got)
		}
	}
}

// refused evaluates a question that cannot be answered.
func refused(answer string) bool {
	no := false
	r, err := Evaluate(Case{ID: "c", Query: "q", ScenarioType: "chat", Answerable: &no}, &Fixture{Candidates: []Candidate{}, Answer: &answer}, Options{})
	return err == nil && r.Unanswerable.Value == 1
}

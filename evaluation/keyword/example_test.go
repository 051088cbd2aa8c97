package keyword_test

import (
	"fmt"

	"github.com/karat-eval/karat/evaluation/keyword"
)

func Example() {
	set, err := keyword.CompileSet([]keyword.Keyword{
		keyword.Word("HS编码"),
		{Any: keyword.Words("OOM", "out of memory", "内存溢出")},
		keyword.Word("5.7"),
		{Any: keyword.Words("rm -rf"), UnlessNegated: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	first := keyword.NewText("HS 编码归类争议可申请行政复议。")
	second := keyword.NewText("MySQL 5.7.38 抛出 java.lang.OutOfMemoryError，切勿执行 rm -rf。")
	coverage := set.Cover(first, second)
	for _, g := range coverage.Groups {
		switch {
		case g.Covered:
			text := []*keyword.Text{first, second}[g.Text]
			fmt.Printf("%s: by %s in text %d: %s\n", g.Keyword, g.Hit.Alternative, g.Text, text.Snippet(g.Hit, 32))
		case g.NearMiss != nil:
			fmt.Printf("%s: not covered, %s\n", g.Keyword, g.NearMiss)
		default:
			fmt.Printf("%s: not covered\n", g.Keyword)
		}
	}
	value, _ := coverage.Value()
	fmt.Printf("coverage %.2f reaches 0.5: %t\n", value, keyword.Reaches(value, 0.5))
	// Output:
	// HS编码: by HS编码 in text 0: HS 编码归类争议可申请行政复议。
	// OOM | out of memory | 内存溢出: by out of memory in text 1: …java.lang.OutOfMemoryError，切勿执行…
	// 5.7: not covered, found inside "5.7.38"
	// rm -rf, unless negated: not covered, negated in "切勿执行 rm -rf"
	// coverage 0.50 reaches 0.5: true
}

func ExampleText_Clause() {
	text := keyword.NewText("证据不足，无法确认根因。建议扩容")
	m := keyword.MustCompile(keyword.Word("根因"))
	hit, _ := m.Find(text)
	start, end := text.Clause(hit.Start)
	hedges := keyword.MustCompileSet(keyword.Words("无法确认", "可能"))
	for _, h := range hedges.FindIn(text, start, hit.Start) {
		fmt.Printf("%s stands before 根因 in %s\n", h.Alternative, text.Original()[start:end])
	}
	// Output: 无法确认 stands before 根因 in 无法确认根因
}

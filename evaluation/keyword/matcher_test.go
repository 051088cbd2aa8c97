package keyword_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/karat-eval/karat/evaluation/keyword"
)

func TestAHitShowsItsPlaceInTheOriginal(t *testing.T) {
	for _, r := range []struct {
		name    string
		keyword keyword.Keyword
		text    string
		want    string
	}{
		{"plain", keyword.Word("timeout"), "a timeout here", "timeout"},
		{"full-width", keyword.Word("2.3%"), "增长２．３ ％。", "２．３ ％"},
		{"full-width-letters", keyword.Word("token"), "使用ＡＰＩ　ｔｏｋｅｎ鉴权", "ｔｏｋｅｎ"},
		{"zero-width-inside", keyword.Word("重置密码"), "点击重\u200b置密\u200b码\u200b。", "重\u200b置密\u200b码"},
		{"zero-width-around", keyword.Word("密码"), "\u200b\u200b密码\u200b\u200b", "密码"},
		{"ligature-whole", keyword.Word("file"), "the ﬁle is missing", "ﬁle"},
		{"ligature-part", keyword.Keyword{Substring: "if"}, "stiﬄy", "iﬄ"},
		{"decomposed", keyword.Word("café"), "un cafe\u0301 noir", "cafe\u0301"},
		{"half-width-kana", keyword.Word("サーバー"), "このｻｰﾊﾞｰは", "ｻｰﾊﾞｰ"},
		{"thousands", keyword.Word("1000"), "限额 1,000 元", "1,000"},
		{"full-width-comma-before", keyword.Word("503"), "502，503，504", "503"},
		{"space-lost-before", keyword.Word("编码"), "HS 编码", "编码"},
		{"space-lost-inside", keyword.Word("HS编码"), "填写 HS \n 编码。", "HS \n 编码"},
		{"hyphen-inside", keyword.Word("out of memory"), "an out-of-memory error", "out-of-memory"},
		{"hump", keyword.Word("out of memory"), "OutOfMemoryError", "OutOfMemory"},
		{"ending", keyword.Word("retry"), "client retries grew", "retries"},
		{"doubled", keyword.Word("stop"), "it stopped.", "stopped"},
		{"squared-unit", keyword.Word("512MHz"), "主频 512㎒。", "512㎒"},
		{"ellipsis-before", keyword.Word("重试"), "……重试……", "重试"},
		{"invalid-before", keyword.Word("OOM"), "\xff\xfe OOM", "OOM"},
		{"upper-with-mark", keyword.Word("ǰob"), "a J\u030cob", "J\u030cob"},
		{"regex", keyword.Keyword{Regex: "http/1"}, "ＨＴＴＰ／１．１", "ＨＴＴＰ／１"},
		{"regex-collapsed", keyword.Keyword{Regex: "pool is"}, "the pool \n\t is", "pool \n\t is"},
		{"regex-zero-width", keyword.Keyword{Regex: "连接池"}, "数据库连\u200b接池\u200b满", "连\u200b接池"},
		{"alternative-listed-first", keyword.Keyword{Any: keyword.Words("OOM Killed", "OOM")}, "OOMKilled", "OOMKilled"},
		{"alternative-standing-first", keyword.Keyword{Any: keyword.Words("late", "early")}, "early and late", "early"},
	} {
		t.Run(r.name, func(t *testing.T) {
			h, ok := keyword.MustCompile(r.keyword).Find(keyword.NewText(r.text))
			require.True(t, ok)
			assert.Equal(t, r.want, r.text[h.Start:h.End])
		})
	}
}

func TestFindAllGivesHitsThatDoNotOverlap(t *testing.T) {
	text := "OOM, OOMKilled 与 OOM；不是 OOM"
	m := keyword.MustCompile(keyword.Keyword{Any: keyword.Words("OOM", "OOMKilled")})
	var got []string
	for _, h := range m.FindAll(keyword.NewText(text)) {
		got = append(got, fmt.Sprintf("%s by %s negated %t", text[h.Start:h.End], h.Alternative, h.Negated))
	}
	want := []string{"OOM by OOM negated false", "OOMKilled by OOMKilled negated false", "OOM by OOM negated false", "OOM by OOM negated true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	assert.Empty(t, m.FindAll(keyword.NewText("")))
	assert.Equal(t, "OOM | OOMKilled", m.Keyword().String())
}

func TestAnUncoveredKeywordTellsItsNearMiss(t *testing.T) {
	for _, r := range []struct{ name, keyword, text, want string }{
		{"version", "5.7", "MySQL 5.7.38 升级", `found inside "5.7.38"`},
		{"number", "70", "共有170个议席", `found inside "170"`},
		{"decimal", "2.3%", "增长12.3%", `found inside "12.3%"`},
		{"word", "OOM", "会议室 room 301", `found inside "room"`},
		{"word-in-dotted-name", "node", "deb.nodesource.com", `found inside "nodesource"`},
		{"protocol", "http", "https 握手失败", `found inside "https"`},
		{"list-read-as-number", "502", "返回 502,503,504。", `found inside "502,503,504"`},
		{"digits-right", "1000", "限额10000元", `found inside "10000"`},
		{"hyphenated", "redis-6", "redis-60", `found inside "redis-60"`},
		{"full-width", "70", "共１７０个", `found inside "１７０"`},
		{"parted-differently", "out of memory", "outofmemory", `found as "outofmemory"`},
		{"hump-word", "PV", "two PVCs", `found inside "PVCs"`},
		{"second-place-tells", "cat", "kitten concat", `found inside "concat"`},
		{"nowhere", "磁盘", "内存", ""},
		{"other-numeral", "7天", "七天", ""},
		{"covered", "OOM", "room OOM", ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			text := keyword.NewText(r.text)
			near, ok := keyword.MustCompile(keyword.Word(r.keyword)).NearMiss(text)
			require.Equal(t, r.want != "", ok)
			if ok {
				assert.Equal(t, r.want, near.String())
				assert.Equal(t, near.Inside, r.text[near.Start:near.End])
				assert.Equal(t, r.keyword, near.Alternative)
			}
		})
	}
	long := strings.Repeat("x", 500) + "oom" + strings.Repeat("y", 500)
	near, ok := keyword.MustCompile(keyword.Word("oom")).NearMiss(keyword.NewText(long))
	require.True(t, ok)
	assert.Less(t, len(near.Inside), 100, "a word without end is cut")
}

func TestAKeywordReadsItsFormsAndRefusesTheRest(t *testing.T) {
	for _, r := range []struct {
		name, json string
		want       keyword.Keyword
		err        string
	}{
		{"string", `"OOM"`, keyword.Word("OOM"), ""},
		{"number", `502`, keyword.Word("502"), ""},
		{"decimal-as-written", `5.70`, keyword.Word("5.70"), ""},
		{"any", `{"any": ["OOM", {"substring": "5.7"}]}`, keyword.Keyword{Any: []keyword.Keyword{{Text: "OOM"}, {Substring: "5.7"}}}, ""},
		{"any-empty", `{"any": []}`, keyword.Keyword{Any: []keyword.Keyword{}}, ""},
		{"substring", `{"substring": "5.7"}`, keyword.Keyword{Substring: "5.7"}, ""},
		{"regex-negated", `{"regex": "a+", "unless_negated": true}`, keyword.Keyword{Regex: "a+", UnlessNegated: true}, ""},
		{"unknown", `{"regexp": "a"}`, keyword.Keyword{}, `unknown field "regexp" of a keyword; known are any, substring, regex and unless_negated`},
		{"case-of-name", `{"Any": ["a"]}`, keyword.Keyword{}, `unknown field "Any"`},
		{"two-forms", `{"any": ["a"], "regex": "b"}`, keyword.Keyword{}, "any and regex at once"},
		{"twice", `{"regex": "a", "regex": "b"}`, keyword.Keyword{}, `field "regex" stands twice`},
		{"no-form", `{"unless_negated": true}`, keyword.Keyword{}, "an object without a form; a keyword is a string"},
		{"null", `{"any": null}`, keyword.Keyword{}, "any is null"},
		{"bare-null", `null`, keyword.Keyword{}, "found null"},
		{"true", `true`, keyword.Keyword{}, "found true; a keyword is a string"},
		{"list", `["a"]`, keyword.Keyword{}, "found a list"},
		{"any-of-one", `{"any": "a"}`, keyword.Keyword{Any: keyword.Words("a")}, ""},
		{"any-of-a-number", `{"any": 502}`, keyword.Keyword{Any: keyword.Words("502")}, ""},
		{"any-of-one-form", `{"any": {"substring": "5.7"}}`, keyword.Keyword{Any: []keyword.Keyword{{Substring: "5.7"}}}, ""},
		{"any-of-true", `{"any": true}`, keyword.Keyword{}, "any: found true; a keyword is a string"},
		{"substring-number", `{"substring": 5}`, keyword.Keyword{}, "substring is 5; allowed is a string"},
		{"unless-string", `{"regex": "a", "unless_negated": "yes"}`, keyword.Keyword{}, "allowed is true or false"},
		{"empty-substring", `{"substring": ""}`, keyword.Keyword{}, "substring is empty"},
		{"empty-regex", `{"regex": ""}`, keyword.Keyword{}, "regex is empty"},
		{"inside-any", `{"any": ["a", {"sub": "b"}]}`, keyword.Keyword{}, `unknown field "sub"`},
	} {
		t.Run(r.name, func(t *testing.T) {
			got := keyword.Word("before")
			err := got.UnmarshalJSON([]byte(r.json))
			if r.err != "" {
				require.Error(t, err)
				assert.Contains(t, err.Error(), r.err)
				assert.Equal(t, keyword.Word("before"), got, "an error changes nothing")
				return
			}
			require.NoError(t, err)
			if diff := cmp.Diff(r.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			back, err := json.Marshal(got)
			require.NoError(t, err)
			var again keyword.Keyword
			require.NoError(t, json.Unmarshal(back, &again))
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("%s read back (-want +got):\n%s", back, diff)
			}
		})
	}
	b, err := keyword.Keyword{Text: "a<b", UnlessNegated: true}.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"any":["a<b"],"unless_negated":true}`, string(b))
}

func TestCompileRefusesWhatWouldAlwaysOrNeverBeCovered(t *testing.T) {
	for _, r := range []struct {
		name    string
		keyword keyword.Keyword
		err     string
	}{
		{"zero", keyword.Keyword{}, "empty after normalising"},
		{"spaces", keyword.Word(" \t\u3000"), "empty after normalising"},
		{"invisible", keyword.Word("\u200b\ufeff"), "empty after normalising"},
		{"invisible-substring", keyword.Keyword{Substring: "\u200b"}, "empty after normalising"},
		{"any-empty", keyword.Keyword{Any: []keyword.Keyword{}}, "any is empty; it needs one alternative or more"},
		{"any-of-empty", keyword.Keyword{Any: keyword.Words("a", " ")}, "any[1] ( ): empty after normalising"},
		{"any-nested", keyword.Keyword{Any: []keyword.Keyword{{Any: keyword.Words("a")}}}, "a group inside a group"},
		{"any-and-text", keyword.Keyword{Text: "a", Any: keyword.Words("b")}, "a keyword has one form"},
		{"two-forms", keyword.Keyword{Substring: "a", Regex: "b"}, "a keyword has one form"},
		{"regex-bad", keyword.Keyword{Regex: "a("}, "regex: missing closing ): `a(` (RE2 syntax)"},
		{"regex-lookahead", keyword.Keyword{Regex: "a(?=b)"}, "regex: invalid or unsupported Perl syntax"},
		{"regex-star", keyword.Keyword{Regex: "a*"}, "matches the empty text"},
		{"regex-trailing-bar", keyword.Keyword{Regex: "a|"}, "matches the empty text"},
		{"regex-invalid-utf8", keyword.Keyword{Regex: "\xff"}, "invalid UTF-8"},
	} {
		t.Run(r.name, func(t *testing.T) {
			m, err := keyword.Compile(r.keyword)
			require.Error(t, err)
			assert.Nil(t, m)
			assert.Contains(t, err.Error(), r.err)
			assert.Equal(t, err, r.keyword.Validate())
			assert.Panics(t, func() { keyword.MustCompile(r.keyword) })
			_, err = keyword.CompileSet([]keyword.Keyword{keyword.Word("good"), r.keyword})
			require.Error(t, err)
			assert.Contains(t, err.Error(), "keyword 2 (")
		})
	}
	require.NoError(t, keyword.Word("-").Validate(), "a lone symbol can be seen")
}

func TestAKeywordHasAShortForm(t *testing.T) {
	for want, k := range map[string]keyword.Keyword{
		"OOM":                           keyword.Word("OOM"),
		"OOM | 内存溢出":                    {Any: keyword.Words("OOM", "内存溢出")},
		`substring "5.7"`:               {Substring: "5.7"},
		`regex "a+"`:                    {Regex: "a+"},
		`a | regex "b", unless negated`: {Any: []keyword.Keyword{{Text: "a"}, {Regex: "b"}}, UnlessNegated: true},
	} {
		assert.Equal(t, want, k.String())
	}
}

func TestCoverageGoesOverTextsOneByOne(t *testing.T) {
	set := keyword.MustCompileSet(keyword.Words("入职", "流程", "步骤", "材料", "合同"))
	var texts []*keyword.Text
	for _, s := range []string{
		"入职流程包括以下步骤：1. 提交个人材料...",
		"新员工入职当天需要携带身份证、学历证书...",
		"劳动合同应在入职后一个月内签订...",
		"培训安排将在入职第二周进行...",
		"员工福利包括五险一金、带薪年假...",
	} {
		texts = append(texts, keyword.NewText(s))
	}
	c := set.Cover(texts...)
	value, ok := c.Value()
	require.True(t, ok)
	assert.Equal(t, 1.0, value, "5/5")
	value, _ = c.Within(2)
	assert.Equal(t, 0.8, value, "4/5 over the first two")
	assert.Equal(t, 2, c.Groups[4].Text, "合同 stands in the third")
	assert.Equal(t, 0, c.Groups[0].Text, "the first text counts")

	value, _ = set.Cover(texts[:2]...).Value()
	assert.Equal(t, 0.8, value)

	joined := keyword.MustCompileSet(keyword.Words("入职"))
	c = joined.Cover(keyword.NewText("……入"), keyword.NewText("职……"))
	assert.Equal(t, 0, c.Covered, "never joined")
	assert.Equal(t, -1, c.Groups[0].Text)
	assert.Nil(t, c.Groups[0].NearMiss)

	none := keyword.MustCompileSet(nil)
	_, ok = none.Cover(texts...).Value()
	assert.False(t, ok, "no keywords: not applicable")
	_, ok = none.Cover().Within(3)
	assert.False(t, ok)

	value, ok = set.Cover().Value()
	assert.True(t, ok)
	assert.Equal(t, 0.0, value, "no texts cover nothing")
	assert.Equal(t, 0, set.Cover(nil, new(keyword.Text)).Covered)
}

func TestCoverageOfTheCustomsExampleIsSixOfSix(t *testing.T) {
	set := keyword.MustCompileSet(keyword.Words("HS编码", "归类", "海关", "争议", "行政复议", "预裁定"))
	c := set.Cover(keyword.NewText("HS 编码归类争议可通过以下途径解决：1. 向海关申请预裁定\n 2. 如对归类决定有异议可申请行政复议 3. 必要时走行政诉讼流程"))
	assert.Equal(t, 6, c.Covered)
}

func TestAnUncoveredGroupTellsTheTextOfItsNearMiss(t *testing.T) {
	set := keyword.MustCompileSet([]keyword.Keyword{
		keyword.Word("5.7"),
		{Any: keyword.Words("OOM"), UnlessNegated: true},
		keyword.Word("磁盘"),
	})
	c := set.Cover(keyword.NewText("room"), keyword.NewText("MySQL 5.7.38，未出现 OOM"))
	assert.Equal(t, 0, c.Covered)
	require.NotNil(t, c.Groups[0].NearMiss)
	assert.Equal(t, 1, c.Groups[0].Text)
	assert.Equal(t, `found inside "5.7.38"`, c.Groups[0].NearMiss.String())
	require.NotNil(t, c.Groups[1].NearMiss)
	assert.Equal(t, 1, c.Groups[1].Text, "a negated hit tells more than room")
	assert.Equal(t, `negated in "未出现 OOM"`, c.Groups[1].NearMiss.String())
	assert.Nil(t, c.Groups[2].NearMiss)
}

func TestAMinimumIsReachedUnderTheTolerance(t *testing.T) {
	assert.True(t, keyword.Reaches(3.0/5, 0.6))
	assert.True(t, keyword.Reaches(0.1+0.2, 0.3))
	assert.True(t, keyword.Reaches(0.3, 0.1+0.2))
	assert.True(t, keyword.Reaches(1, 1))
	assert.True(t, keyword.Reaches(0, 0))
	assert.False(t, keyword.Reaches(0.59999, 0.6))
	assert.False(t, keyword.Reaches(0.6-2e-9, 0.6))
	assert.False(t, keyword.Reaches(math.NaN(), 0))
	assert.False(t, keyword.Reaches(1, math.NaN()))

	for _, ok := range []float64{0, 0.5, 1} {
		assert.NoError(t, keyword.ValidateMinimum(ok))
	}
	for _, bad := range []float64{1.4, -0.1, math.NaN(), math.Inf(1)} {
		assert.ErrorContains(t, keyword.ValidateMinimum(bad), "is outside [0, 1]")
	}
}

func TestASnippetIsCutBetweenWords(t *testing.T) {
	for _, r := range []struct {
		name, text, hit string
		limit           int
		want            string
	}{
		{"whole", "a timeout here", "timeout", 80, "a timeout here"},
		{"latin", "the connection pool of the order service is exhausted again", "order", 25, "…of the order service…"},
		{"han", "订单服务在高峰期出现大量超时并且重试", "大量", 8, "…期出现大量超时并…"},
		{"start", "timeout of the order service", "timeout", 14, "timeout of the…"},
		{"end", "the order service had a timeout", "timeout", 14, "…had a timeout"},
		{"white-space", "a\n\n  timeout\there", "timeout", 80, "a timeout here"},
		{"hit-longer", "0123456789", "0123456789", 4, "0123…"},
		{"no-room", "a timeout here", "timeout", 0, "……"},
		{"mark", "aé́ timeout", "timeout", 9, "…timeout"},
	} {
		t.Run(r.name, func(t *testing.T) {
			start := strings.Index(r.text, r.hit)
			require.GreaterOrEqual(t, start, 0)
			got := keyword.Snippet(r.text, start, start+len(r.hit), r.limit)
			assert.Equal(t, r.want, got)
		})
	}
}

func TestWhiteSpaceInASnippetBecomesSingleSpaces(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		want := "重启" + string(r) + "客户端"
		if unicode.IsSpace(r) {
			want = "重启 客户端"
		}
		s := "重启" + string(r) + "客户端"
		if got := keyword.Snippet(s, 0, len(s), 40); got != want {
			t.Fatalf("%U: %q", r, got)
		}
	}
	assert.Equal(t, "a b c", keyword.Snippet(" a  b c ", 0, 8, 40))
}

func TestASnippetIsNeverLongerThanAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		start, end, limit := rapid.IntRange(-3, 99).Draw(t, "start"), rapid.IntRange(-3, 99).Draw(t, "end"), rapid.IntRange(-3, 99).Draw(t, "limit")
		got := keyword.Snippet(s, start, end, limit)
		if utf8.RuneCountInString(got) > max(limit, 0)+2 {
			t.Fatalf("%q is longer than %d", got, limit)
		}
	})
}

func TestAKeywordIsFoundBetweenOtherWords(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-z][a-z]{0,7}([ _-]?[A-Za-z0-9]{1,6}){0,3}|[0-9]{1,6}(\.[0-9]{1,3})?|[重启超时连接池]{1,5}[A-Za-z0-9]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		k := word.Draw(t, "keyword")
		m, err := keyword.Compile(keyword.Word(k))
		if err != nil {
			t.Fatal(err)
		}
		for _, around := range [][2]string{{"x ", " y"}, {"", ""}, {"在", "中"}, {"(", ")"}, {"。", "。"}, {"……", "——"}} {
			text := around[0] + k + around[1]
			h, ok := m.Find(keyword.NewText(text))
			if !ok {
				t.Fatalf("%q is not in %q", k, text)
			}
			if !strings.Contains(strings.ToLower(text[h.Start:h.End]), strings.ToLower(k)) {
				t.Fatalf("%q is shown as %q", k, text[h.Start:h.End])
			}
		}
	})
}

func TestASetFindsWhatItsMatchersFind(t *testing.T) {
	vocabulary := []string{"OOM", "Killed", "out of memory", "OutOfMemory", "70", "5.7", "重启", "连接池", "a", "s", "http", "node", "retry", "order-service", "_total", "C++", "2.3%", "é"}
	pieces := append([]string{" ", " ", "，", ".", "-", "不", "1", "x", "Nodes", "retries", "OOMKilled", "order_service", "ｎｏｄｅ", "e\u0301", "\u200b"}, vocabulary...)
	rapid.Check(t, func(t *rapid.T) {
		var ks []keyword.Keyword
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 12).Draw(t, "keywords") {
			switch rapid.IntRange(0, 5).Draw(t, "form") {
			case 0:
				ks = append(ks, keyword.Keyword{Substring: w})
			case 1:
				ks = append(ks, keyword.Keyword{Any: keyword.Words(w, "node"), UnlessNegated: true})
			default:
				ks = append(ks, keyword.Word(w))
			}
		}
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "text"), "")
		text := keyword.NewText(s)
		set, err := keyword.CompileSet(ks)
		if err != nil {
			t.Fatal(err)
		}
		all := map[int][]keyword.Hit{}
		for _, h := range set.FindAll(text) {
			all[h.Index] = append(all[h.Index], h.Hit)
		}
		cover := set.Cover(text)
		for i, k := range ks {
			m := keyword.MustCompile(k)
			hit, ok := m.Find(text)
			if cover.Groups[i].Covered != ok || cover.Groups[i].Hit != hit {
				t.Fatalf("%v in %q: alone %v %v, in the set %+v", k, s, hit, ok, cover.Groups[i])
			}
			if diff := cmp.Diff(m.FindAll(text), all[i]); diff != "" {
				t.Fatalf("%v in %q: all alone against all in the set:\n%s", k, s, diff)
			}
			if ok != (len(all[i]) > 0) || ok && hit.Start != all[i][0].Start {
				t.Fatalf("%v in %q: Find and FindAll disagree", k, s)
			}
		}
	})
}

func TestASetServesManyGoroutines(t *testing.T) {
	set := keyword.MustCompileSet([]keyword.Keyword{keyword.Word("OOM"), {Regex: "o+m"}, {Any: keyword.Words("room"), UnlessNegated: true}})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			var text keyword.Text
			for range 100 {
				text.Reset("no room, OOM")
				assert.Equal(t, 2, set.Cover(&text).Covered)
			}
		})
	}
	wait.Wait()
}

func TestLargeSetsKeepEveryKeyword(t *testing.T) {
	var ks []keyword.Keyword
	for i := range 3000 {
		ks = append(ks, keyword.Word(fmt.Sprintf("key%04dword", i)), keyword.Word(fmt.Sprint(i)))
	}
	set := keyword.MustCompileSet(ks)
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "key%04dword / %d / ", i, i)
	}
	assert.Equal(t, set.Len(), set.Cover(keyword.NewText(b.String())).Covered)
	assert.Equal(t, "key0001word", set.Keyword(2).Text)
}

func TestAReusedTextAllocatesNothing(t *testing.T) {
	if underRace {
		t.Skip("the race detector drops what is pooled, now and then")
	}
	m := keyword.MustCompile(keyword.Word("OOM"))
	var text keyword.Text
	s := strings.Repeat("订单服务，超时 30 s - order-service, no room。", 50)
	text.Reset(s)
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		text.Reset(s)
		m.Find(&text)
	}))
}

func FuzzMatch(f *testing.F) {
	data, err := os.ReadFile("testdata/keywords.json")
	require.NoError(f, err)
	var rows []struct{ Keyword, Text string }
	require.NoError(f, json.Unmarshal(data, &rows))
	for _, r := range rows {
		f.Add(r.Keyword, r.Text)
	}
	f.Add("1,000", "１，０００\u0301")
	f.Add("\xff-", "-\xff")
	f.Fuzz(func(t *testing.T, k, s string) {
		text := keyword.NewText(s)
		for _, form := range []keyword.Keyword{{Text: k}, {Substring: k}, {Regex: k}, {Any: []keyword.Keyword{{Text: k}}, UnlessNegated: true}} {
			m, err := keyword.Compile(form)
			if err != nil {
				continue
			}
			hits := m.FindAll(text)
			hit, ok := m.Find(text)
			if ok != (len(hits) > 0) {
				t.Fatalf("%v in %q: Find says %t, FindAll %d hits", form, s, ok, len(hits))
			}
			for _, h := range append(hits, hit) {
				if h.Start < 0 || h.End < h.Start || h.End > len(s) {
					t.Fatalf("%v in %q: a hit from %d to %d", form, s, h.Start, h.End)
				}
				text.Snippet(h, 20)
			}
			if near, isNear := m.NearMiss(text); isNear && (ok || near.Inside != s[near.Start:near.End]) {
				t.Fatalf("%v in %q: near miss %+v", form, s, near)
			}
		}
		keyword.Clauses(s)
	})
}

func TestACacheGivesOneSetForEqualKeywordsAlone(t *testing.T) {
	var c keyword.Cache
	lists := [][]keyword.Keyword{
		keyword.Words("a", "b"), keyword.Words("b", "a"), keyword.Words("ab"), keyword.Words("a"), nil,
		{{Substring: "a"}}, {{Regex: "a"}}, {{Any: keyword.Words("a")}}, {{Any: keyword.Words("a"), UnlessNegated: true}},
		{{Any: keyword.Words("a", "b")}}, {{Any: keyword.Words("a")}, keyword.Word("b")}, {{Text: "a", UnlessNegated: true}},
		keyword.Words("1:a"), keyword.Words("a0:0:0;1:b"), keyword.Words("OOM", "oom"),
	}
	var sets []*keyword.Set
	for _, list := range lists {
		set, err := c.CompileSet(list)
		require.NoError(t, err)
		again, err := c.CompileSet(slices.Clone(list))
		require.NoError(t, err)
		assert.Same(t, set, again)
		assert.NotContains(t, sets, set, "%v", list)
		sets = append(sets, set)
		assert.Equal(t, len(list), set.Len())
	}
	_, err := c.CompileSet([]keyword.Keyword{{Substring: "a", Any: []keyword.Keyword{}}})
	assert.ErrorContains(t, err, "any and another form at once")
	for range 2 {
		_, err := c.CompileSet(keyword.Words("a", " "))
		assert.EqualError(t, err, `keyword 2 ( ): empty after normalising; a keyword has a character that can be seen`)
	}
}

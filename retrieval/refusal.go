package retrieval

import "github.com/karat-eval/karat/evaluation/keyword"

// refusalPhrases are the words by which an answer says that it is none. They
// claim nothing of the question's matter; phrases that stand in ordinary answers
// too ("not found", "没有") are not among them.
var refusalPhrases = append(
	keyword.Words(
		"知识库中没有", "知识库中暂无", "没有足够信息", "没有足够的信息", "没有相关信息", "没有相关资料", "未找到相关", "未检索到相关", "没有找到相关",
		"未查询到相关", "无法回答", "无法作答", "不能回答", "暂无相关", "暂无该", "信息不足", "无法提供答案", "超出知识库",
		"not enough information", "insufficient information", "cannot answer", "can't answer", "unable to answer", "not able to answer",
		"no relevant information", "no relevant document", "no information about", "no information on",
	),
	pattern(`(没有|没能|未能|未|无法)(在[^,。;!?]{1,12})?(找到|查到|检索到|查询到|搜索到)[^,。;!?]{0,12}(信息|内容|资料|文档|答案|记录)`),
	pattern(`(知识库|资料|文档|上下文)(中|里|内)?(并|均|都|暂)?(没有|未|不)(包含|提及|提到|涉及|提供|收录|覆盖|说明|记载)`),
	pattern(`(超出|不在)(了)?[^,。;!?]{0,10}(知识|资料|文档|回答|服务)[^,。;!?]{0,4}范围`),
	pattern(`(找不到|查不到|搜不到|检索不到)[^,。;!?]{0,12}(信息|内容|资料|文档|答案|记录)`),
	pattern(`(知识库|资料|文档|上下文)(中|里|内)(并|也|都|均|暂|暂时|目前)?(没有|找不到|查不到)`),
	pattern(`没有(相关|有关|这方面|该方面|此类)的?(信息|内容|资料|文档|答案|记录|数据|说明)`),
	pattern(`无法(根据|依据|基于|从|就)[^,。;!?]{1,16}(回答|作答|解答|得出)|不足以(回答|作答|解答)`),
	pattern(`(^|[,。;!?: ]|我|暂时|目前)无法(为您|给您|向您)?提供(该|此|这个|这方面|相关|您要|所需|准确)?的?(信息|内容|答案|回答)`),
	pattern(`(我|抱歉|对不起)[, ]?(我|暂时|目前|也|并){0,2}(不知道|不清楚)`),
	// The same in traditional characters, which are no variants to the matcher.
	pattern(`(知識庫|資料|文件|上下文)(中|裡|內)?(並|均|都|暫)?(沒有|未(包含|提及|提到|收錄))|無法(回答|作答)|(沒有|未)(找到|查到|檢索到)[^,。;!?]{0,12}(資訊|資料|內容|文件|答案|紀錄)|沒有(足夠|相關)的?(資訊|資料)|暫無相關`),
	pattern(`(could|can|did|was|were) ?(not|n['’]t)( able to)? (find|locate)`),
	pattern(`(do|does|did) ?(not|n['’]t) (have|contain|include|mention|provide|cover)[^.,;!?]{0,20} information`),
	pattern(`(is|are) ?(not|n['’]t) (covered|mentioned|addressed|documented) (in|by) (the|our|any|these|my)`),
	pattern(`\bno (\w+ )?(information|answer)s? (is |are |was |were )?(available|found|given|provided)\b`),
	pattern(`\b(i|we) ?(do not|don['’]t) know\b`),
	pattern(`\b(i|we)( am|['’]m| are|['’]re| was| were) (unable|not able) to (find|locate|determine|provide)\b`),
	pattern(`\b(documents?|context|knowledge base|sources?|passages?|materials?) (do|does|did) ?(not|n['’]t) (contain|include|mention|provide|cover|state|specify|say)\b`),
	pattern(`\b(insufficient|not enough) (context|data|details?|evidence) to (answer|respond|say|tell)\b`),
	pattern(`\bnot (found|available|contained|included|stated|specified|provided|mentioned) (in|by) (the|our|any|these|my)( \w+)? (documents?|context|knowledge base|sources?|passages?|materials?)\b`),
	pattern(`(outside|beyond)( of)? (the|my|our) (scope|knowledge)`),
)

func pattern(regex string) keyword.Keyword { return keyword.Keyword{Regex: regex} }

var refusals = keyword.MustCompileSet(refusalPhrases)

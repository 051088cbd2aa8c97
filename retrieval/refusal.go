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
	pattern(`(could|can|did|was|were) ?(not|n['’]t)( able to)? (find|locate)`),
	pattern(`(do|does|did) ?(not|n['’]t) (have|contain|include|mention|provide|cover)[^.,;!?]{0,20} information`),
	pattern(`(is|are) ?(not|n['’]t) (covered|mentioned|addressed|documented) (in|by) (the|our|any|these|my)`),
	pattern(`(outside|beyond)( of)? (the|my|our) (scope|knowledge)`),
)

func pattern(regex string) keyword.Keyword { return keyword.Keyword{Regex: regex} }

var refusals = keyword.MustCompileSet(refusalPhrases)

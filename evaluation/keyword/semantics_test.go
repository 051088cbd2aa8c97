package keyword_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// row is a keyword in word mode, a text, and whether the text covers it.
type row struct {
	name, keyword, text string
	covered             bool
	why                 string
}

func check(t *testing.T, rows []row) {
	t.Helper()
	names := map[string]bool{}
	for _, r := range rows {
		assert.False(t, names[r.name], "two rows are named %s", r.name)
		names[r.name] = true
		t.Run(r.name, func(t *testing.T) {
			assert.Equal(t, r.covered, covered(t, keyword.Word(r.keyword), r.text), "%q in %q: %s", r.keyword, r.text, r.why)
		})
	}
}

func TestBothSidesAreNormalisedAlike(t *testing.T) {
	check(t, []row{
		{"zero-width-space", "连接池", "连接\u200b池", true, "zero-width goes"},
		{"zero-width-joiner-in-keyword", "连接\u200d池", "连接池", true, "on the keyword's side too"},
		{"soft-hyphen-in-word", "timeout", "time\u00adout", true, "soft hyphen goes"},
		{"bidi-marks", "order-service", "\u202aorder\u200e-service\u202c", true, "bidi marks go before the hyphen is looked at"},
		{"variation-selector", "⚠告警", "⚠\ufe0f告警", true, "variation selector goes"},
		{"bom", "根因", "\ufeff根因：连接池耗尽", true, "BOM goes"},
		{"word-joiner-in-number", "3306", "33\u206006", true, "word joiner goes"},
		{"invisible-before-accent", "café", "caf\u200be\u200c\u0301", true, "invisibles go before composing"},

		{"full-width-letters", "OOMKilled", "ＯＯＭＫｉｌｌｅｄ", true, "NFKC keeps case, and with it the humps"},
		{"hump-in-full-width", "OOM", "ＯＯＭＫｉｌｌｅｄ", true, "a hump in full width"},
		{"half-width-kana", "サーバー", "ｻｰﾊﾞｰ停止", true, "NFKC joins the sound mark"},
		{"circled-digit", "1", "①检查连接池", true, "NFKC"},
		{"ligature-inside", "office", "the oﬃce network", true, "NFKC splits ﬃ"},
		{"squared-unit", "512MHz", "主频 512㎒", true, "NFKC splits ㎒"},
		{"roman-numeral", "Tier III", "机房等级 Tier Ⅲ", true, "NFKC"},
		{"superscript", "10²", "10^2 与 10²", true, "the same form on both sides"},
		{"decomposed-hangul", "서버", "\u1109\u1165\u1107\u1165가 멈췄다", true, "jamo compose"},
		{"decomposed-kana", "データベース", "テ\u3099ータヘ\u3099ース障害", true, "sound marks compose"},
		{"compatibility-ideograph", "都市", "\ufa26市", true, "NFKC"},
		{"accent-matters", "resume", "résumé", false, "NFKC keeps accents"},

		{"tab-and-newline", "connection pool", "connection\t\r\n pool", true, "any white space is one space"},
		{"line-separator", "connection pool", "connection\u2028pool", true, "so is U+2028"},
		{"thin-space", "connection pool", "connection\u2009pool", true, "and U+2009"},
		{"trimmed", "  timeout\n", "timeout", true, "trimmed"},

		{"en-dash", "10-20", "10–20 分钟", true, "every dash is -"},
		{"minus-sign", "-5", "温度 −5 ℃", true, "the minus sign too"},
		{"em-dash-between-han", "超时重试", "超时—重试", true, "a dash between letters is a space, which goes beside Han"},
		{"spaced-dash-stays", "order service", "order - service", false, "a dash with spaces is no joint"},
		{"double-hyphen-stays", "a b", "a--b", false, "only one between two letters"},
		{"typographic-apostrophe", "can't connect", "can’t connect", true, "typographic quotes are plain"},
		{"double-quotes", "“超时”", "错误为 \"超时\"", true, "typographic quotes are plain"},
		{"corner-brackets", "“超时”", "错误为「超时」", true, "corner brackets are quotes"},

		{"underscore-and-hyphen", "max-connections", "max_connections = 151", true, "both are a space between letters"},
		{"snake-three", "too_many_open_files", "Too many open files", true, "snake against words"},
		{"kebab-in-text", "disk pressure", "node.kubernetes.io/disk-pressure", true, "kebab"},
		{"hyphen-between-digits-stays", "20260514", "2026-05-14", false, "a hyphen between digits stays"},
		{"hyphen-letter-digit", "mysql8", "mysql-8", true, "letter-digit: a space, which goes"},
		{"underscore-digit-letter", "p99latency", "p99_latency", true, "digit_letter likewise"},
		{"leading-option-dashes", "--force", "helm upgrade --force", true, "not between letters: it stays"},

		{"thousands-in-keyword", "1,000", "上限 1000", true, "separators go on both sides"},
		{"millions", "1234567", "共 1,234,567 行", true, "every group"},
		{"thousands-decimals", "1234.5", "耗时 1,234.5ms", true, "decimals behind it"},
		{"thousands-unit", "30000ms", "timed out after 30,000 ms", true, "and a unit"},
		{"ill-formed-thousands", "1000", "1,00,0", false, "not well formed"},
		{"list-of-two-digit-numbers", "20", "10,20,30", true, "no groups of three: a list"},
		{"addresses-in-a-list", "10.0.0.1", "10.0.0.1,192.168.0.1", true, "part of an address: a list"},
		{"second-address-in-a-list", "192.168.0.1", "10.0.0.1,192.168.0.1", true, "part of an address: a list"},
		{"port-before-address", "22", "22,192.168.0.1", true, "an address follows: a list"},
		{"spaced-list", "503", "502, 503, 504", true, "a space parts numbers"},
		{"spaced-list-first", "502", "502, 503, 504", true, "a space parts numbers"},
		{"spaced-before-comma", "502", "502 ,503", true, "a space parts numbers"},
		{"full-width-list-middle", "503", "502，503，504", true, "a full-width comma is never inside a number"},
		{"full-width-digits-list", "503", "５０２，５０３", true, "nor with full-width digits"},
		{"full-width-digits-number", "1000", "１,０００ 元", true, "a plain comma is"},
		{"leading-zero-is-a-list", "100", "0,100", true, "no number begins with 0 and a separator"},
		{"enumeration-comma", "502", "502、503、504", true, "、 parts"},

		{"space-beside-han", "Redis连接", "Redis 连接超时", true, "a space that touches Han goes"},
		{"space-beside-kana", "OOMエラー", "OOM エラー", true, "Kana"},
		{"space-beside-thai", "ฐานข้อมูลMySQL", "ฐานข้อมูล MySQL", true, "Thai"},
		{"space-inside-thai", "ฐานข้อมูล", "ฐาน ข้อมูล", true, "Thai"},
		{"space-beside-lao", "ຖານMySQL", "ຖານ MySQL", true, "Lao"},
		{"space-beside-khmer", "ទិន្នន័យMySQL", "ទិន្នន័យ MySQL", true, "Khmer"},
		{"space-beside-myanmar", "ဒေတာMySQL", "ဒေတာ MySQL", true, "Myanmar"},
		{"space-in-hangul-stays", "서버다운", "서버 다운", false, "Hangul is written with spaces"},
		{"space-beside-colon", "status:failed", "status : failed", true, "a space beside : goes"},
		{"space-beside-brackets", "内存（OOM）", "内存 ( OOM )", true, "a space beside ( ) goes"},
		{"space-beside-square", "[ERROR]timeout", "[ERROR] timeout", true, "a space beside [ ] goes"},
		{"space-behind-comma", "a,b", "a, b", true, "a space beside , goes"},
		{"space-beside-equals-stays", "max=50", "max = 50", false, "= is not among them"},
		{"letter-digit-space", "Top10", "Top 10 慢查询", true, "between a letter and a digit"},
		{"digit-letter-space", "30s", "after 30 s", true, "between a digit and a letter"},
		{"digit-percent-space", "95%", "磁盘使用率 95 %", true, "before %"},
		{"digit-permille-space", "5‰", "错误率 5 ‰", true, "before ‰"},
		{"digit-degree-space", "85°C", "CPU 温度 85 ℃", true, "before °"},
		{"digits-space-stays", "12", "1 2", false, "between digits it stays"},
		{"han-hyphen-latin", "主从mysql", "主从-MySQL", true, "hyphen between letters"},

		{"case", "mysql", "MYSQL 8.0", true, "case is folded"},
		{"sharp-s", "straße", "STRASSE gesperrt", true, "full folding of ß"},
		{"sigma", "ΟΔΟΣ", "οδος", true, "final sigma"},
		{"cyrillic-case", "ошибка", "ОШИБКА сервера", true, "Cyrillic"},
		{"capital-with-mark", "ǰob", "J\u030cob", true, "a small letter joins marks its capital does not"},
	})
}

func TestKeywordsStandAtWordEdges(t *testing.T) {
	check(t, []row{
		{"inside-number", "70", "共 170 个", false, "digit to the left"},
		{"inside-word", "OOM", "room 301", false, "letter to the left"},
		{"starts-word", "log", "login failed", false, "letter to the right"},
		{"ends-word", "port", "support", false, "letter to the left"},
		{"two-han-sides", "OOM", "因OOM被杀", true, "Han never blocks"},
		{"hangul-particle", "OOM", "OOM이 발생했다", true, "Hangul never blocks"},
		{"hangul-keyword-with-particle", "서버", "서버가 멈췄다", true, "Hangul never blocks"},
		{"kana-long-vowel", "OOM", "データーOOMー", true, "ー is Kana"},
		{"thai-neighbour", "MySQL", "ใช้MySQLอยู่", true, "Thai never blocks"},
		{"han-inside-han", "入职", "新员工入职当天", true, "Han takes no edges"},
		{"kana-inside-kana", "サーバ", "サーバー", true, "Kana takes no edges: a stated consequence"},
		{"cyrillic-inside-word", "сеть", "соцсеть", false, "other letters need an edge"},
		{"devanagari-vowel-sign", "क", "कि", false, "a mark belongs to its letter"},
		{"combining-mark-behind", "x", "x\u0302 y", false, "a mark belongs to its letter"},
		{"accented-letter-behind", "caf", "café", false, "é is a letter"},

		{"acronym-hump", "OOM", "OOMKilled", true, "OOM|Killed"},
		{"camel-hump", "SQL", "MySQL", true, "My|SQL"},
		{"hump-start", "Killed", "OOMKilled", true, "starts at a hump"},
		{"hump-middle", "Loop", "CrashLoopBackOff", true, "between two humps"},
		{"no-hump-in-capitals", "SQL", "MYSQL", false, "no hump inside capitals"},
		{"no-hump-in-small", "sql", "mysql", false, "no hump inside small letters"},
		{"lower-keyword-at-hump", "timeout", "ConnectionTimeout", true, "the text's case tells the hump"},
		{"no-hump-before-plural", "PV", "PVCs", false, "there is no hump before that s"},
		{"no-hump-before-plural-2", "AP", "APIs", false, "there is no hump before that s"},
		{"hump-before-ss", "PV", "PVCss", true, "only a lone s is a plural: here a word begins at C"},
		{"cyrillic-hump", "сети", "ОшибкаСети", true, "humps in other scripts"},
		{"cyrillic-no-hump", "сети", "ОшибкаТСети", true, "Т|Сети"},
		{"digit-beside-letter", "MB", "512MB", true, "a digit beside a letter is an edge"},
		{"digit-behind-letter", "utf", "utf8mb4", true, "a digit beside a letter is an edge"},
		{"underscore-is-edge", "redis", "redis_master", true, "an underscore is a space"},
		{"dot-is-edge", "mysql", "com.mysql.jdbc", true, "a dot is no letter"},
		{"slash-is-edge", "api", "/api/v1", true, "a slash is no letter"},

		{"space-for-hump", "out of memory", "java.lang.OutOfMemoryError", true, "a space stands for a hump"},
		{"space-for-hump-end", "out of mem", "OutOfMemoryError", false, "and the end still needs an edge"},
		{"space-for-hump-mixed", "out of memory error", "OutOfMemory Error", true, "each space for itself"},
		{"space-not-for-nothing", "out of memory", "outofmemory", false, "without a hump there is nothing"},
		{"hump-for-space", "OutOfMemoryError", "out of memory error", true, "a hump stands for a space"},
		{"hump-for-hyphen", "OutOfMemory", "out-of-memory", true, "and for a hyphen"},
		{"hump-for-underscore", "ConnectTimeout", "connect_timeout", true, "and for an underscore"},
		{"hump-for-nothing", "CrashLoopBackOff", "crashloopbackoff", true, "case alone differs"},
		{"hump-not-for-dot", "ConnectTimeout", "connect.timeout", false, "a dot is no space"},
		{"acronym-hump-for-space", "HTTPServer", "http server", true, "HTTP|Server"},
		{"snake-for-camel", "max_connections", "maxConnections", true, "space for hump"},
		{"camel-for-snake", "maxConnections", "max_connections", true, "hump for space"},

		{"version-prefix", "5.7", "5.7.38", false, "a dot with a digit behind it"},
		{"version-suffix", "7.38", "5.7.38", false, "a dot with a digit before it"},
		{"version-whole", "5.7.38", "MySQL 5.7.38 升级", true, "the whole of it"},
		{"sentence-end", "5.7", "We run 5.7.", true, "a dot that ends the sentence"},
		{"sentence-end-then-digit", "5.7", "We run 5.7. 3 nodes are down.", true, "a dot and a space"},
		{"decimal-fraction", "5", "1.5GB", false, "behind a decimal point"},
		{"integer-part", "1", "1.5GB", false, "before a decimal point"},
		{"percent-of-longer", "0.5%", "10.5%", false, "digit to the left"},
		{"percent-of-decimal", "5%", "0.5%", false, "behind a decimal point"},
		{"percent", "95%", "CPU 使用率达到95%。", true, "% constrains nothing"},
		{"unit-behind", "30", "30s 超时", true, "a letter behind a digit"},
		{"port-in-address", "3306", "10.0.0.8:3306", true, "a colon before"},
		{"port-in-longer", "3306", "33060", false, "digit to the right"},
		{"time", "14:05", "14:05:32 起告警", true, "a colon is no dot"},
		{"time-longer", "4:05", "14:05", false, "digit to the left"},
		{"http-status", "502", "HTTP/1.1 502 Bad Gateway", true, "edges on both sides"},
		{"fraction-slash", "3", "3/5 副本就绪", true, "a slash is no digit"},
		{"ip-prefix", "10.0.0.1", "10.0.0.12", false, "digit to the right"},
		{"ip-prefix-dot", "10.0.0", "10.0.0.12", false, "a dot with a digit behind it"},
		{"cidr", "10.0.0.0", "10.0.0.0/8", true, "a slash is no dot"},
		{"negative", "5", "-5", true, "a hyphen is no digit"},
		{"arabic-digits", "٣", "٣٤", false, "digits of other scripts too"},
		{"version-v", "v1.2", "v1.2.3", false, "ends with a digit: a dot with a digit behind"},
		{"latin-and-digit-end", "http2", "http20", false, "ends with a digit"},

		{"cpp", "C++", "使用C++17编译", true, "a symbol constrains nothing"},
		{"csharp", "C#", "C#与Go混用", true, "a symbol constrains nothing"},
		{"dotnet", ".NET", "ASP.NET", true, "it starts with a symbol"},
		{"symbol-start-letter-end", ".net", ".network", false, "and ends with a letter"},
		{"slash-path", "/var/log", "/var/logs", false, "three letters take no ending"},
		{"option", "-Xmx", "java -Xmx2g", true, "an option with its value"},
		{"metric-suffix", "_total", "http_requests_total", true, "a low line at the keyword's edge"},
		{"metric-suffix-absent", "_total", "the grand total", false, "there has to be one"},
		{"prefix-with-hyphen", "order-", "order-service-7d9f", true, "a hyphen at the keyword's edge"},
		{"prefix-with-hyphen-absent", "order-", "order service", false, "there has to be one"},
		{"prefix-hyphen-digit", "faq-", "faq-12", true, "between a letter and a digit too"},
		{"negative-degrees", "-5℃", "降到-5℃以下", true, "a minus between Han and a digit"},
		{"single-letter", "C", "a C program", true, "one letter as a word"},
		{"single-letter-inside", "C", "Cargo", false, "not as a part"},
		{"emoji", "✅", "就绪✅完成", true, "a symbol"},
		{"star-stays-literal", "a*b", "a*b", true, "no patterns in word mode"},
		{"dot-stays-literal", "a.b", "axb", false, "no patterns in word mode"},
	})
}

func TestTheLastWordTakesEnglishEndings(t *testing.T) {
	check(t, []row{
		{"s", "node", "three nodes", true, "s"},
		{"s-before-hump", "node", "NodesReady", true, "an edge behind the ending"},
		{"s-then-letter", "node", "nodest", false, "no edge behind the ending"},
		{"s-before-han", "timeout", "大量timeouts出现", true, "Han is an edge"},
		{"s-apostrophe", "node", "the node's kubelet", true, "an apostrophe is no letter"},
		{"s-on-capitals", "node", "NODES NOT READY", true, "a heading in capitals"},
		{"not-https", "http", "https://example.com", false, "not after http"},
		{"not-HTTPS", "HTTP", "HTTPS", false, "in any case"},
		{"not-ldaps", "ldap", "ldaps", false, "nor other protocols of which s makes another"},
		{"not-upper-s-after-acronym-behind-a-hump", "userID", "the userIDS", false, "an upper-case S after an acronym"},
		{"not-upper-s-after-the-acronym-of-a-name", "MySQL", "two MySQLS", false, "an upper-case S after an acronym"},
		{"lower-s-after-acronym-behind-a-hump", "userID", "the userIDs", true, "an acronym takes s"},
		{"upper-s-after-a-word-in-capitals", "orderService", "ORDERSERVICES", true, "the keyword ends in no acronym"},
		{"not-upper-s-after-acronym", "CORE", "CORES", false, "an upper-case S after an acronym"},
		{"lower-s-after-long-acronym", "SMTP", "SMTPs", false, "a protocol"},
		{"princess", "princes", "the princess", false, "s never doubles an s"},
		{"es-x", "index", "indexes", true, "es after x"},
		{"es-s", "process", "processes", true, "es after s"},
		{"es-ch", "switch", "both switches", true, "es after ch"},
		{"es-sh", "flush", "flushes", true, "es after sh"},
		{"es-o", "echo", "echoes", true, "es after o"},
		{"es-elsewhere", "node", "nodees", false, "not after e"},
		{"es-after-t", "test", "testes", false, "not after t"},
		{"d-after-e", "expire", "expired", true, "d after e"},
		{"ed", "restart", "restarted twice", true, "ed elsewhere"},
		{"d-elsewhere", "container", "containerd", false, "d only after e"},
		{"ing", "restart", "restarting", true, "ing"},
		{"ing-drops-e", "throttle", "throttling", true, "e dropped"},
		{"ing-drops-e-inside", "cache", "caching layer", true, "e dropped"},
		{"ing-keeps-e", "queue", "queueing", true, "or kept"},
		{"y-ies", "retry", "retries", true, "y to ies"},
		{"y-ied", "retry", "retried", true, "y to ied"},
		{"y-ied-four-letters", "deny", "denied", true, "a word of four letters"},
		{"y-after-vowel", "deploy", "deployed", true, "ed after a vowel and y"},
		{"y-after-vowel-s", "delay", "delays", true, "s after a vowel and y"},
		{"doubled-ed", "stop", "stopped", true, "final consonant doubled"},
		{"doubled-ing", "drop", "dropping packets", true, "final consonant doubled"},
		{"doubled-long", "commit", "committed", true, "final consonant doubled"},
		{"other-doubled", "stop", "stobbed", false, "its own consonant"},
		{"er-is-no-ending", "schedule", "scheduler", false, "er makes another word"},
		{"tion-is-no-ending", "evict", "eviction", false, "nor tion"},
		{"ment-is-no-ending", "deploy", "deployment", false, "nor ment"},
		{"ly-is-no-ending", "slow", "slowly", false, "nor ly"},
		{"n-is-no-ending", "redis", "redisson", false, "nor son"},
		{"three-letters", "pod", "pods", false, "three letters take no ending"},
		{"three-letters-ing", "log", "logging", false, "three letters take no ending"},
		{"last-word-of-phrase", "slow query", "slow queries", true, "the last word"},
		{"first-word-of-phrase", "query plan", "queries plan", false, "only the last"},
		{"short-last-word", "worker pod", "worker pods", false, "the last word has three letters"},
		{"hump-word", "StatefulSet", "StatefulSets", true, "the word is the whole name"},
		{"hump-word-parted", "isNew", "is news", false, "but not its short part alone"},
		{"keyword-longer", "certificates", "certificate", false, "only the text may have the ending"},
		{"after-han", "数据库node", "数据库nodes", true, "the last word is node"},
		{"acronym-s", "PVC", "PVCs", true, "an acronym takes s"},
		{"acronym-two-letters", "VM", "VMs are down", true, "an acronym takes s"},
		{"acronym-small-in-text", "API", "the apis", true, "the s is lower-case"},
		{"acronym-no-upper-s", "PVC", "PVCS", false, "an upper-case S"},
		{"small-keyword-acronym-in-text", "pvc", "PVCs", true, "the text shows the acronym"},
		{"two-letters-in-small-word", "DN", "dns 解析", false, "dns is another word"},
		{"ftps", "FTP", "ftps", false, "a protocol"},
		{"digits-take-none", "P99", "P99s", true, "ends with a digit: letters do not matter"},
		{"cyrillic-takes-none", "сервер", "серверs", false, "English endings are for Latin words"},
	})
}

func TestStatedLimitsHold(t *testing.T) {
	check(t, []row{
		{"synonym", "OOM", "内存溢出", false, "synonyms"},
		{"inserted-word", "connection pool", "connection thread pool", false, "inserted words"},
		{"inserted-han", "重启服务", "重启了服务", false, "inserted words"},
		{"other-order", "pool exhausted", "exhausted pool", false, "order matters"},
		{"version-prefix", "5.7", "MySQL 5.7.38", false, "version prefixes"},
		{"traditional", "数据库", "數據庫", false, "traditional against simplified"},
		{"chinese-numeral", "7天", "七天", false, "Chinese numerals"},
		{"hump-parts-one-word", "Java", "JavaScript", true, "a hump that parts one word"},
		{"list-reads-as-number", "502", "502,503,504", false, "reads as one number"},
		{"number-behind-letter", "99", "P99", true, "a letter is an edge of a number"},
		{"across-lines-of-latin", "time out", "timeout", false, "a space between Latin words matters"},
	})
}

func TestOtherFormsAreTheWayOut(t *testing.T) {
	any := func(ks ...keyword.Keyword) keyword.Keyword { return keyword.Keyword{Any: ks} }
	sub := func(s string) keyword.Keyword { return keyword.Keyword{Substring: s} }
	re := func(s string) keyword.Keyword { return keyword.Keyword{Regex: s} }
	for _, r := range []struct {
		name    string
		keyword keyword.Keyword
		text    string
		covered bool
		why     string
	}{
		{"any-first", any(keyword.Words("OOM", "内存溢出")...), "发生 OOM", true, "any of them"},
		{"any-second", any(keyword.Words("OOM", "内存溢出")...), "发生内存溢出", true, "any of them"},
		{"any-none", any(keyword.Words("OOM", "内存溢出")...), "会议室 room", false, "each by its own rules"},
		{"any-mixed", any(keyword.Word("七天"), sub("5.7"), re(`\b7 ?天`)), "7天无理由", true, "all forms in one group"},
		{"substring-version", sub("5.7"), "MySQL 5.7.38", true, "inside a number"},
		{"substring-word", sub("OOM"), "room", true, "inside a word, without case"},
		{"substring-normalised", sub("max-conn"), "MAX_CONNECTIONS", true, "normalised alike"},
		{"substring-edge-hyphen", sub("faq-"), "kb/faq-12.md", true, "a hyphen at its edge"},
		{"substring-hump", sub("out of mem"), "OutOfMemoryError", true, "a space stands for a hump here too"},
		{"substring-list", sub("502"), "502,503,504", true, "inside what reads as one number"},
		{"substring-absent", sub("内存"), "磁盘", false, "not there"},
		{"regex", re(`timed? ?out after \d+ ?ms`), "request Timed out after 30000ms", true, "without regard to case"},
		{"regex-case", re(`(?-i)ERROR`), "error", false, "(?-i) asks for case"},
		{"regex-case-right", re(`(?-i)ERROR`), "ERROR", true, "(?-i) asks for case"},
		{"regex-alternation", re(`foo|bar`), "BAR", true, "the flag covers all alternatives"},
		{"regex-nfkc", re(`HTTP/\d\.\d`), "ＨＴＴＰ／１．１", true, "the text is NFKC"},
		{"regex-whitespace", re(`connection pool`), "connection \n\t pool", true, "white space is collapsed"},
		{"regex-invisible", re(`连接池`), "连\u200b接池", true, "invisible characters are dropped"},
		{"regex-han-space", re(`HS编码`), "HS 编码", false, "and nothing else is done"},
		{"regex-hyphen", re(`out-of-memory`), "out-of-memory", true, "hyphens stay"},
		{"regex-full-width-in-pattern", re(`根因：.+耗尽`), "根因：连接池耗尽", true, "read as what NFKC makes of it"},
		{"regex-full-width-class", re(`[，。]结束`), "完成，结束", true, "in a class too"},
		{"regex-full-width-is-no-operator", re(`真的？`), "真", false, "a full-width ? is a question mark"},
		{"regex-start", re(`^根因`), "\ufeff  根因：无", true, "the text is trimmed"},
		{"regex-only-empty-matches", re(`\bx*`), "abc", false, "an empty match is no hit"},
		{"regex-decomposed", re(`café`), "cafe\u0301", true, "NFKC composes"},
	} {
		t.Run(r.name, func(t *testing.T) {
			assert.Equal(t, r.covered, covered(t, r.keyword, r.text), "%v in %q: %s", r.keyword, r.text, r.why)
		})
	}
}

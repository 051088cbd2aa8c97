package diagnosis

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Weights from which words that a conclusion and an answer share count as the
// conclusion repeated.
const (
	longRun  = 8 // a part of a conclusion
	wholeRun = 4 // a conclusion as a whole
	// A long run that the question partly says is a leak from this weight of
	// what it does not say; one that a tool's result or the summary quotes, from
	// the other.
	besideQuestion = 2
	besideEvidence = 6
	questionPiece  = 4 // the lightest piece of a question that is taken out
)

// leak is a place of an answer that repeats a conclusion of the draft.
type leak struct {
	start, end int // in the answer, in bytes
}

// findLeaks finds where an answer repeats a conclusion of a draft. question and
// evidence give what anybody may repeat.
func findLeaks(draft, answer string, question []string, evidence func() []string) []leak {
	f := leakFinders.Get().(*leakFinder)
	defer f.release()
	f.answer = answer
	f.all = appendWords(f.all, answer)
	f.words = weighty(append(f.words, f.all...))
	f.pairs = indexGrams(f.words, 2)
	if !f.mayRepeat(draft) {
		return nil
	}
	f.grams = indexGrams(f.words, longGram)
	var runs []run
	for _, p := range conclusions(draft) {
		needle := f.split(p.text)
		weight := weightOf(needle)
		switch {
		case weight >= longRun:
			f.grams.common(needle, func(start, n int) {
				if weightOf(f.words[start:start+n]) >= longRun {
					runs = f.unhedged(runs, start, start+n, longRun)
				}
			})
		case weight >= wholeRun && !p.extended:
			f.pairs.common(needle, func(start, n int) {
				if n == len(needle) {
					runs = f.unhedged(runs, start, start+n, weight)
				}
			})
		}
	}
	if len(runs) == 0 {
		return nil
	}
	f.mask(runs, question, evidence())
	var out []leak
	for _, r := range runs {
		if !r.said && f.novel(r) {
			out = append(out, leak{f.withCue(f.words[r.start]), f.words[r.end-1].end})
		}
	}
	return mergeLeaks(out)
}

// mayRepeat says quickly that an answer shares nothing with a draft that could
// be a conclusion.
func (f *leakFinder) mayRepeat(draft string) bool {
	text := strings.TrimSpace(draft)
	if text == "" || len(f.words) == 0 {
		return false
	}
	if strings.ContainsRune("{[`", rune(text[0])) {
		return true // the texts of a JSON draft are not yet to be seen
	}
	shared := false
	f.pairs.common(f.split(draft), func(start, n int) {
		shared = shared || weightOf(f.words[start:start+n]) >= wholeRun
	})
	return shared
}

// run is a range of the answer's words; said: the question or the evidence has
// it as a whole.
type run struct {
	start, end int
	said       bool
}

type leakFinder struct {
	answer string
	all    []word // of the answer
	words  []word // those of a weight
	// pairs and grams find words of the answer, two and longGram at a time.
	pairs, grams gramIndex
	// asked and quoted mark words that stand in a piece of the question, or of
	// the evidence.
	asked, quoted []bool
	room          []word // of split
}

var leakFinders = sync.Pool{New: func() any { return new(leakFinder) }}

// release leaves nothing to the next search but memory for words.
func (f *leakFinder) release() {
	*f = leakFinder{all: emptied(f.all), words: emptied(f.words), room: emptied(f.room)}
	leakFinders.Put(f)
}

func emptied(words []word) []word {
	clear(words) // else they would hold the texts that they are from
	return words[:0]
}

// split gives the weighty words of a text, until it is called again.
func (f *leakFinder) split(text string) []word {
	f.room = weighty(appendWords(emptied(f.room), text))
	return f.room
}

// unhedged adds the part of a run that the answer states: in the clause where
// the run begins, what a hedge stands before is not stated.
func (f *leakFinder) unhedged(runs []run, start, end, weight int) []run {
	for start < end && f.hedged(start) {
		clause := f.words[start].clause
		for start < end && f.words[start].clause == clause {
			start++
		}
	}
	if weightOf(f.words[start:end]) < weight {
		return runs
	}
	return append(runs, run{start: start, end: end})
}

func (f *leakFinder) hedged(i int) bool {
	w := f.words[i]
	at, _ := slices.BinarySearchFunc(f.all, w.start, func(a word, start int) int { return a.start - start })
	first := at
	for first > 0 && f.all[first-1].clause == w.clause {
		first--
	}
	for f.all[first].start < w.start-longestHedge {
		first++
	}
	return first < at && hedges(f.answer[f.all[first].start:w.start])
}

// longestHedge is how many bytes before a statement are looked at for doubt.
const longestHedge = 600

// withCue gives where a leak begins for a reader: the cues before it in its
// clause belong to it.
func (f *leakFinder) withCue(first word) int {
	i, _ := slices.BinarySearchFunc(f.all, first.start, func(a word, start int) int { return a.start - start })
	for i > 0 && f.all[i-1].weight == 0 && f.all[i-1].clause == first.clause {
		i--
	}
	return f.all[i].start
}

// mask marks what the question and the evidence say.
func (f *leakFinder) mask(runs []run, question, evidence []string) {
	f.asked, f.quoted = make([]bool, len(f.words)), make([]bool, len(f.words))
	mark := func(marks []bool, weight int, index *gramIndex, texts []string) {
		for _, text := range texts {
			words := f.split(text)
			index.common(words, func(start, n int) {
				if weightOf(f.words[start:start+n]) >= weight {
					for i := start; i < start+n; i++ {
						marks[i] = true
					}
				}
			})
			for i := range runs {
				r := &runs[i]
				r.said = r.said || containsWords(words, f.words[r.start:r.end])
			}
		}
	}
	mark(f.asked, questionPiece, &f.pairs, question)
	mark(f.quoted, longRun, &f.grams, evidence)
}

// novel reports whether a run says more than pieces of the question and the
// evidence.
func (f *leakFinder) novel(r run) bool {
	unasked, unquoted, quoted := 0, 0, false
	for i := r.start; i < r.end; i++ {
		switch {
		case f.quoted[i]:
			quoted = true
		case f.asked[i]:
		default:
			unasked += f.words[i].weight
			unquoted += f.words[i].weight
		}
	}
	if quoted {
		return unquoted >= besideEvidence
	}
	return unasked >= besideQuestion
}

func sameWords(a, b []word) bool {
	for i := range a {
		if a[i].hash != b[i].hash || a[i].text != b[i].text {
			return false
		}
	}
	return true
}

func containsWords(text, words []word) bool {
	for i := 0; i+len(words) <= len(text); i++ {
		if sameWords(words, text[i:]) {
			return true
		}
	}
	return false
}

// longGram is how many words a run of weight longRun has at least.
const longGram = longRun / 2

// commonPlaces bounds how many places of one gram are tried, and commonWork how
// many words are compared: a text of one repeated word would take quadratic
// time.
const (
	commonPlaces = 64
	commonWork   = 1 << 25
)

// gramIndex finds stretches of words that another text shares with a text.
type gramIndex struct {
	words []word
	gram  int
	// hashes has the hash of the gram at each place. first has, by its lowest bits,
	// 1 + the first place, and next has for a place 1 + the next one of the same
	// bits.
	hashes      []uint64
	first, next []int32
	work        int // words compared so far
}

func indexGrams(words []word, gram int) gramIndex {
	places := max(0, len(words)-gram+1)
	x := gramIndex{
		words: words, gram: gram,
		hashes: make([]uint64, places), next: make([]int32, places), first: make([]int32, 1<<bits.Len(uint(places))),
	}
	for i := places - 1; i >= 0; i-- {
		h := x.hash(words[i:])
		first := x.slot(h)
		x.hashes[i], x.next[i] = h, *first
		*first = int32(i) + 1
	}
	return x
}

func (x *gramIndex) slot(hash uint64) *int32 { return &x.first[hash&uint64(len(x.first)-1)] }

func (x *gramIndex) hash(words []word) uint64 {
	var h uint64
	for i := range words[:x.gram] {
		h = h*0x9E3779B97F4A7C15 + words[i].hash
	}
	return h
}

// common calls found for every stretch of at least x.gram words that the indexed
// text and the other share, as long as it can be.
func (x *gramIndex) common(other []word, found func(start, n int)) {
	var covered map[int32]int // of a diagonal: where in other its last stretch ended
	for j := 0; j+x.gram <= len(other); j++ {
		tried := 0
		h := x.hash(other[j:])
		for place := *x.slot(h); place > 0 && tried < commonPlaces; place = x.next[place-1] {
			i := int(place) - 1
			if x.hashes[i] != h {
				continue
			}
			tried++
			diagonal := int32(i - j)
			if covered[diagonal] > j {
				continue
			}
			if !sameWords(x.words[i:i+x.gram], other[j:j+x.gram]) {
				continue
			}
			n := x.gram
			for i+n < len(x.words) && j+n < len(other) && x.words[i+n].text == other[j+n].text {
				n++
			}
			if covered == nil {
				covered = make(map[int32]int, 8)
			}
			covered[diagonal] = j + n
			found(i, n)
			if x.work += n; x.work > commonWork {
				return
			}
		}
	}
}

func mergeLeaks(leaks []leak) []leak {
	slices.SortFunc(leaks, func(a, b leak) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	out := leaks[:0]
	for _, l := range leaks {
		if n := len(out); n > 0 && l.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, l.end)
			continue
		}
		out = append(out, l)
	}
	return out
}

// resultText gives the texts of a tool's result, whatever their form.
func resultText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	var b strings.Builder
	collectText(&b, raw, 0)
	return b.String()
}

// maxTextDepth is how deep the texts of a result are looked for.
const maxTextDepth = 16

func collectText(b *strings.Builder, raw []byte, depth int) {
	if raw[0] == '"' {
		text := jsonText(raw)
		if t := strings.TrimSpace(text); depth < maxTextDepth && t != "" && (t[0] == '{' || t[0] == '[') && jsontext.Value(t).IsValid() {
			collectText(b, []byte(t), depth+1)
			return
		}
		b.WriteString(text)
		b.WriteByte('\n')
		return
	}
	r := newReader(raw)
	switch raw[0] {
	case '{':
		_ = r.Members(func(name []byte) error {
			b.Write(name)
			b.WriteByte(' ')
			return r.collect(b, depth)
		})
	case '[':
		_ = r.Array(func(int) error { return r.collect(b, depth) })
	default:
		b.Write(raw)
		b.WriteByte('\n')
	}
}

func (r *reader) collect(b *strings.Builder, depth int) error {
	raw, err := r.Value()
	if err == nil && depth < maxTextDepth {
		collectText(b, raw, depth+1)
	}
	return err
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

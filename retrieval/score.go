package retrieval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/karat-eval/karat/evaluation"
	"github.com/karat-eval/karat/evaluation/keyword"
	"github.com/karat-eval/karat/internal/input"
	"github.com/karat-eval/karat/retrieval/measure"
)

// Evaluator is a case made ready for fixtures: checked, its keywords compiled.
// Any number of goroutines may use it.
type Evaluator struct {
	*rules
	c      *Case
	digest string
	labels []evaluation.Label

	entries, forbidden                        []documentMatcher
	breadcrumbs                               [][]string // normalised
	keywords, answerKeywords, rewriteKeywords *keyword.Set
	minCoverage, minAnswer, minGrounded       float64
	minLevel                                  HitLevel
	noAnswer                                  []string
}

// Compile makes a case ready. The error names everything that is wrong with it.
func Compile(c Case, opt Options) (*Evaluator, error) {
	r, err := opt.rules()
	if err != nil {
		return nil, err
	}
	return r.compile(c)
}

func (r *rules) compile(c Case) (*Evaluator, error) {
	e := &Evaluator{rules: r, c: &c}
	at := &site{}
	if err := input.ValidateID(c.ID); err != nil {
		at.errorf([]any{"id"}, "%v", err)
	}
	e.compile(at)
	if err := at.err(c.ID); err != nil {
		return nil, err
	}
	return e, nil
}

// Evaluate scores one case by its fixture. It is a function of its arguments
// alone: no file, no clock, no global state. To score a case many times, or many
// cases, [Compile] them once.
func Evaluate(c Case, f *Fixture, opt Options) (Result, error) {
	e, err := Compile(c, opt)
	if err != nil {
		return Result{}, err
	}
	return e.Evaluate(f), nil
}

// Case is the case.
func (e *Evaluator) Case() Case { return *e.c }

// Evaluate scores the case by a fixture. A nil fixture is none: [Evaluator.NotRun].
func (e *Evaluator) Evaluate(f *Fixture) Result {
	if f == nil {
		return e.NotRun()
	}
	s := scorers.Get().(*scorer)
	defer scorers.Put(s)
	s.Evaluator, s.f, s.r, s.prepared = e, f, e.result(), s.prepared[:0]
	s.score()
	r := s.r
	s.Evaluator, s.f, s.r = nil, nil, Result{}
	clear(s.coverage.Groups) // not to hold the case
	return r
}

// NotRun is the result of the case without a fixture.
func (e *Evaluator) NotRun() Result {
	r := e.result()
	r.Status, r.Stage = evaluation.NotRun, "not_run"
	r.fail("fixture", "a fixture", absent, "no fixture was recorded for this case")
	return r
}

// Unreadable is the result of the case with a fixture that cannot be read.
func (e *Evaluator) Unreadable(err error) Result {
	r := e.result()
	r.Status, r.Stage = evaluation.Error, "fixture"
	r.fail("fixture", "a readable fixture", "", err.Error())
	return r
}

// absent is what a fixture does not record.
const absent = "(absent)"

// result has what the case alone decides: which measures apply. Until something
// was achieved, they are 0.
func (e *Evaluator) result() Result {
	zero := func(applies bool) Measured { return Measured{OK: applies} }
	answerable := e.c.answerable()
	followUp := e.c.ConversationID != "" && e.c.Turn >= 2
	r := Result{
		Case: e.c, Digest: e.digest, K: e.K, names: &e.names, labels: e.labels,
		Recall: zero(answerable), Precision: zero(answerable), Success: zero(answerable), ReciprocalRank: zero(answerable), NDCG: zero(answerable),
		KeywordRecall:          zero(answerable && e.keywords != nil),
		KeywordCoverage:        zero(answerable && e.keywords != nil),
		AnswerKeywordCoverage:  zero(e.answerKeywords != nil),
		HitType:                zero(e.c.ExpectedHitType != ""),
		Source:                 zero(e.c.ExpectedSource != ""),
		PromptProfile:          zero(e.c.ExpectedPromptProfile != ""),
		Unanswerable:           zero(!answerable),
		FollowUpRewritten:      zero(followUp),
		FollowUpContextCarried: zero(followUp && e.rewriteKeywords != nil),
		FollowUpSource:         zero(followUp && e.c.ExpectedSource != ""),
	}
	if !answerable && (len(e.c.ExpectedDocuments) > 0 || len(e.c.ExpectedKeywords) > 0 || len(e.c.ExpectedBreadcrumbs) > 0) {
		r.warn("expected documents, keywords and breadcrumbs are not looked at: the case is not answerable")
	}
	return r
}

var scorers = sync.Pool{New: func() any { return new(scorer) }}

// scorer is the evaluation of one fixture, with the memory of the one before.
type scorer struct {
	*Evaluator
	f        *Fixture
	r        Result
	credits  credits
	expected []float64 // the gains of the entries
	coverage keyword.Coverage
	texts    []*keyword.Text // of the candidates, normalised where prepared
	prepared []bool
	answer   keyword.Text
	one      keyword.Text
}

func (s *scorer) score() {
	f, r := s.f, &s.r
	r.DurationMS, r.FirstTokenMS, r.WarmUp = f.DurationMS, f.FirstTokenMS, f.WarmUp
	r.TopCandidates = make([]string, min(s.K, len(f.Candidates)))
	for i := range r.TopCandidates {
		r.TopCandidates[i] = f.Candidates[i].label(i + 1)
	}
	cloneAll(r.TopCandidates) // not to hold the fixture
	if f.Query != "" && strings.TrimSpace(f.Query) != strings.TrimSpace(s.c.Query) {
		r.warn("the fixture was recorded for another query: %s", short(f.Query))
	}
	if f.Error != "" {
		r.Status, r.Stage = evaluation.Error, "system_error"
		r.fail("system_error", "no error", short(f.Error), "the system failed when the fixture was recorded")
		return
	}
	answerable := s.c.answerable()
	if answerable && s.keywords != nil && len(f.Candidates) > 0 && !s.hasText() {
		r.Status, r.Stage = evaluation.Error, "fixture"
		r.fail("fixture", "candidates with text", "none has text", "keywords are expected, and no candidate's text was recorded to look for them in")
		return
	}
	s.credits.credit(s.entries, f.Candidates, &s.one)
	for i, first := range s.credits.copies {
		if first > 0 {
			r.warn("candidate %d has the id of candidate %d, %s: it keeps its place and scores nothing", i+1, first, short(f.Candidates[i].ID))
		}
	}
	if answerable {
		s.retrieved()
	} else {
		r.HitLevel = None
	}
	s.routed()
	s.answered()
	s.followed()
	r.conclude()
}

// name is the label of a candidate, which does not hold the fixture.
func (s *scorer) name(i int) string {
	if i < len(s.r.TopCandidates) {
		return s.r.TopCandidates[i]
	}
	return strings.Clone(s.f.Candidates[i].label(i + 1))
}

// cloneAll makes texts parts of one new one.
func cloneAll(texts []string) {
	n := 0
	for _, t := range texts {
		n += len(t)
	}
	var b strings.Builder
	b.Grow(n)
	for _, t := range texts {
		b.WriteString(t)
	}
	all := b.String()
	for i, t := range texts {
		texts[i], all = all[:len(t)], all[len(t):]
	}
}

func (s *scorer) hasText() bool {
	for i := range s.f.Candidates {
		if strings.TrimSpace(s.f.Candidates[i].Text) != "" {
			return true
		}
	}
	return false
}

// text is the normalised text of a candidate.
func (s *scorer) text(i int) *keyword.Text {
	for len(s.prepared) <= i {
		s.prepared = append(s.prepared, false)
	}
	for len(s.texts) <= i {
		s.texts = append(s.texts, new(keyword.Text))
	}
	if !s.prepared[i] {
		s.prepared[i] = true
		s.texts[i].Reset(s.f.Candidates[i].Text)
	}
	return s.texts[i]
}

// counted is the text of a candidate that counts: nil for a copy.
func (s *scorer) counted(i int) *keyword.Text {
	if s.credits.isCopy(i) {
		return nil
	}
	return s.text(i)
}

// retrieved scores what was found, and where.
func (s *scorer) retrieved() {
	f, r := s.f, &s.r
	rank := s.credits.firstRank()
	r.FirstExpectedRank = rank
	found, wanted := s.credits.within(s.K), len(s.entries)
	s.expected = s.expected[:0]
	for i := range s.entries {
		s.expected = append(s.expected, s.entries[i].gain)
	}
	r.Recall.Value = measure.Recall(found, wanted)
	r.Precision.Value = measure.Precision(found, s.K)
	r.Success.Value = measure.Success(rank, s.K)
	r.ReciprocalRank.Value = measure.ReciprocalRank(rank)
	r.NDCG.Value = measure.NDCG(s.credits.gains, s.expected, s.K)

	// The evidence.
	var coverage keyword.Coverage
	covered := false
	if s.keywords != nil {
		s.keywords.CoverInto(&s.coverage, len(f.Candidates), s.counted)
		coverage = s.coverage
		r.KeywordCoverage.Value, _ = coverage.Value()
		r.KeywordRecall.Value, _ = coverage.Within(s.K)
		covered = keyword.Reaches(r.KeywordCoverage.Value, s.minCoverage)
		s.evidence("keyword", coverage, func(i int) (string, string) { return s.name(i), f.Candidates[i].Text })
	}
	crumb, elsewhere := s.breadcrumb()

	switch {
	case rank == 0:
		r.HitLevel = Miss
	case crumb || covered:
		r.HitLevel = Strong
	default:
		r.HitLevel = Medium
	}

	held := ""
	if rank == 0 {
		held = s.holders(coverage, elsewhere)
	}
	if rank > 0 {
		r.pass("expected_document")
		if rank <= s.K {
			r.pass("ranking")
		} else {
			r.fail("ranking", fmt.Sprintf("rank %d or better", s.K), fmt.Sprintf("rank %d", rank), fmt.Sprintf("found at rank %d, beyond k = %d", rank, s.K))
		}
	} else {
		reason := "it is not among the " + count(len(f.Candidates), "candidate")
		if wanted > 1 {
			reason = "none of them is among the " + count(len(f.Candidates), "candidate")
		}
		if len(f.Candidates) == 0 {
			reason = "nothing was found"
		}
		r.fail("expected_document", s.expectedDocuments(), s.came(), reason+held)
	}
	missing := s.missingEvidence(coverage)
	if crumb || covered {
		r.pass("evidence")
	} else {
		status := evaluation.CheckFail
		if s.minLevel == Medium {
			status = evaluation.CheckInfo // it is not asked for
		}
		expected, got := s.expectedEvidence(coverage, elsewhere)
		r.check("evidence", status, expected, got, missing)
	}
	if r.HitLevel.rank() >= s.minLevel.rank() {
		r.pass("hit_level")
	} else {
		reason := "no expected document was found" + held
		if r.HitLevel == Medium {
			reason = fmt.Sprintf("the document was found at rank %d, without its evidence; %s", rank, missing)
		}
		expected := string(s.minLevel)
		if s.minLevel == Medium {
			expected = "medium or strong"
		}
		r.fail("hit_level", expected, string(r.HitLevel), reason)
	}
}

// breadcrumb reports whether an expected breadcrumb stands on a candidate of an
// expected document. Where it stands on others only, elsewhere is the first one's
// place, from 1.
func (s *scorer) breadcrumb() (found bool, elsewhere int) {
	if len(s.breadcrumbs) == 0 {
		return false, 0
	}
	where := make([]int, len(s.breadcrumbs)) // 1 + the first candidate of an expected document
	other := make([]int, len(s.breadcrumbs)) // 1 + the first of another
	for i := range s.f.Candidates {
		c := &s.f.Candidates[i]
		if len(c.Breadcrumb) == 0 || s.credits.isCopy(i) {
			continue
		}
		have := normalised(c.Breadcrumb, &s.one)
		for b, want := range s.breadcrumbs {
			at := &other[b]
			if s.credits.expected[i] {
				at = &where[b]
			}
			if *at == 0 && containsRun(have, want) {
				*at = i + 1
			}
		}
	}
	for b := range s.breadcrumbs {
		v := evaluation.Evidence{Kind: "breadcrumb", Expected: strings.Join(s.c.ExpectedBreadcrumbs[b], " > ")}
		at := where[b]
		if v.Covered = at > 0; v.Covered {
			found = true
		} else if at = other[b]; at > 0 {
			v.Note = "the document is not an expected one"
			if elsewhere == 0 || at < elsewhere {
				elsewhere = at
			}
		}
		if at > 0 {
			v.Where = s.name(at - 1)
			v.Around = strings.Clone(strings.Join(s.f.Candidates[at-1].Breadcrumb, " > "))
		}
		s.r.Evidence = append(s.r.Evidence, v)
	}
	return found, elsewhere
}

// evidence adds the groups of a coverage; text gives a text's name, which is kept,
// and its content, which is not.
func (s *scorer) evidence(kind string, coverage keyword.Coverage, text func(i int) (where, content string)) {
	if s.r.Evidence == nil {
		s.r.Evidence = make([]evaluation.Evidence, 0, len(coverage.Groups)+len(s.breadcrumbs))
	}
	for _, g := range coverage.Groups {
		v := evaluation.Evidence{Kind: kind, Expected: g.Keyword, Covered: g.Covered}
		if g.Text >= 0 {
			where, content := text(g.Text)
			v.Where = where
			if g.Covered {
				v.By = g.Hit.Alternative
				v.Around = keyword.Snippet(content, g.Hit.Start, g.Hit.End, aroundLength)
				if g.Hit.Negated {
					v.Note = "the hit is negated in its clause"
				}
			} else if g.NearMiss != nil {
				v.By = g.NearMiss.Alternative
				v.Around = keyword.Snippet(content, g.NearMiss.Start, g.NearMiss.End, aroundLength)
				v.Note = g.NearMiss.String()
			}
		}
		s.r.Evidence = append(s.r.Evidence, v)
	}
}

// aroundLength is how many characters of a text a hit is shown with.
const aroundLength = 40

// holders says which documents, not expected ones, hold the evidence.
func (s *scorer) holders(coverage keyword.Coverage, breadcrumb int) string {
	var at []int
	add := func(i int) {
		for _, j := range at {
			if j == i {
				return
			}
		}
		at = append(at, i)
	}
	for _, g := range coverage.Groups {
		if g.Covered {
			add(g.Text)
		}
	}
	if breadcrumb > 0 {
		add(breadcrumb - 1)
	}
	if len(at) == 0 {
		return ""
	}
	names := make([]string, 0, 3)
	for _, i := range at {
		if len(names) == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, fmt.Sprintf("%s (rank %d)", s.f.Candidates[i].label(i+1), i+1))
	}
	what := "the evidence stands in "
	if len(coverage.Groups) > 0 && coverage.Covered < len(coverage.Groups) && breadcrumb == 0 {
		what = fmt.Sprintf("%d of %d keywords stand in ", coverage.Covered, len(coverage.Groups))
	}
	return "; " + what + strings.Join(names, ", ") + ", which the case does not expect"
}

func (s *scorer) expectedDocuments() string {
	if len(s.c.ExpectedDocuments) == 0 {
		return "a document of " + s.c.ExpectedSource
	}
	names := make([]string, len(s.c.ExpectedDocuments))
	for i, d := range s.c.ExpectedDocuments {
		names[i] = d.String()
	}
	return some(names, 5)
}

// came is what was found instead.
func (s *scorer) came() string {
	if len(s.f.Candidates) == 0 {
		return "nothing"
	}
	names := make([]string, len(s.f.Candidates))
	for i := range names {
		names[i] = s.f.Candidates[i].label(i + 1)
	}
	return some(names, 5)
}

func (s *scorer) expectedEvidence(coverage keyword.Coverage, elsewhere int) (expected, got string) {
	var e, g []string
	if n := len(coverage.Groups); n > 0 {
		needed := n
		if s.minCoverage < 1 {
			needed = int(math.Ceil(s.minCoverage*float64(n) - keyword.Tolerance))
		}
		e = append(e, fmt.Sprintf("%d of %s", needed, count(n, "keyword")))
		g = append(g, fmt.Sprintf("%d of %s", coverage.Covered, count(n, "keyword")))
	}
	if len(s.c.ExpectedBreadcrumbs) > 0 {
		names := make([]string, len(s.c.ExpectedBreadcrumbs))
		for i, b := range s.c.ExpectedBreadcrumbs {
			names[i] = strings.Join(b, " > ")
		}
		e = append(e, "the breadcrumb "+strings.Join(names, ", or "))
		if elsewhere > 0 {
			g = append(g, "the breadcrumb on "+s.f.Candidates[elsewhere-1].label(elsewhere))
		} else {
			g = append(g, "no such breadcrumb")
		}
	}
	return strings.Join(e, ", or "), strings.Join(g, ", ")
}

// missingEvidence says what of the evidence is not there.
func (s *scorer) missingEvidence(coverage keyword.Coverage) string {
	var parts []string
	if missing := missingKeywords(coverage); missing != "" {
		parts = append(parts, missing)
	}
	if len(s.breadcrumbs) > 0 {
		parts = append(parts, "no candidate of an expected document has the breadcrumb")
	}
	return strings.Join(parts, "; ")
}

func missingKeywords(coverage keyword.Coverage) string {
	var missing []string
	for _, g := range coverage.Groups {
		if g.Covered {
			continue
		}
		s := short(g.Keyword)
		if g.NearMiss != nil {
			s += " (" + g.NearMiss.String() + ")"
		}
		missing = append(missing, s)
	}
	if len(missing) == 0 {
		return ""
	}
	return "missing: " + some(missing, 10)
}

// routed checks how the question was taken, and from where it was answered.
func (s *scorer) routed() {
	f, r, c := s.f, &s.r, s.c
	if c.ScenarioID != "" {
		s.isolated()
	}
	if c.ExpectedSource != "" {
		ok := r.equal("source", c.ExpectedSource, f.Source, "the system searched %s, not %s")
		r.Source = measured(ok)
		if r.FollowUpSource.OK {
			r.FollowUpSource = r.Source
		}
		for i := range f.Candidates {
			if !s.credits.isCopy(i) && strings.TrimSpace(f.Candidates[i].Source) == strings.TrimSpace(c.ExpectedSource) {
				r.FirstSourceRank = i + 1
				break
			}
		}
	}
	if c.ExpectedHitType != "" {
		r.HitType = measured(r.equal("hit_type", c.ExpectedHitType, f.HitType, "the system took the question for %s, not for %s"))
	}
	if c.ExpectedPromptProfile != "" {
		r.PromptProfile = measured(r.equal("prompt_profile", c.ExpectedPromptProfile, f.PromptProfile, "the system chose %s, not %s"))
	}
	if c.MinExpectedSources > 0 {
		var documents []string
		seen := map[string]bool{}
		for i := range f.Candidates {
			if strings.TrimSpace(f.Candidates[i].Source) != strings.TrimSpace(c.ExpectedSource) || s.credits.isCopy(i) {
				continue
			}
			if id := f.Candidates[i].identity(i + 1); !seen[id] {
				seen[id] = true
				documents = append(documents, id)
			}
		}
		if len(documents) >= c.MinExpectedSources {
			r.pass("min_expected_sources")
		} else {
			got := "none"
			if len(f.Candidates) > 0 && !slices.ContainsFunc(f.Candidates, func(c Candidate) bool { return strings.TrimSpace(c.Source) != "" }) {
				got = absent
			}
			if len(documents) > 0 {
				got = fmt.Sprintf("%d: %s", len(documents), some(documents, 5))
			}
			r.fail("min_expected_sources", fmt.Sprintf("%s of %s", count(c.MinExpectedSources, "document"), c.ExpectedSource), got,
				fmt.Sprintf("the candidates hold %s of %s", count(len(documents), "different document"), c.ExpectedSource))
		}
	}
	if len(s.forbidden) > 0 {
		var found []string
		for i := range f.Candidates {
			for j := range s.forbidden {
				if s.forbidden[j].matches(&f.Candidates[i], &s.one) {
					found = append(found, fmt.Sprintf("%s at rank %d", f.Candidates[i].label(i+1), i+1))
					break
				}
			}
		}
		if len(found) == 0 {
			r.pass("forbidden_documents")
		} else {
			names := make([]string, len(c.ForbiddenDocuments))
			for i, d := range c.ForbiddenDocuments {
				names[i] = d.String()
			}
			r.fail("forbidden_documents", "none of "+some(names, 5), some(found, 5), "a document that must not come was found")
		}
	}
}

// isolated checks that no candidate comes from another scenario.
func (s *scorer) isolated() {
	want := strings.TrimSpace(s.c.ScenarioID)
	labelled := 0
	var leaks []string
	for i := range s.f.Candidates {
		c := &s.f.Candidates[i]
		got := strings.TrimSpace(c.ScenarioID)
		if got == "" {
			continue
		}
		labelled++
		if got != want {
			leaks = append(leaks, fmt.Sprintf("%s at rank %d is of %s", c.label(i+1), i+1, got))
		}
	}
	if silent := len(s.f.Candidates) - labelled; labelled > 0 && silent > 0 {
		s.r.warn("%d of %s %s of; scenario_isolation goes by the others", silent, count(len(s.f.Candidates), "candidate"),
			plural(silent, "does not say which scenario it is", "do not say which scenario they are"))
	}
	switch {
	case labelled == 0:
		if len(s.f.Candidates) > 0 {
			s.r.warn("scenario_isolation does not apply: no candidate says which scenario it is of")
		}
		return
	case len(leaks) == 0:
		s.r.pass("scenario_isolation")
	default:
		s.r.fail("scenario_isolation", "candidates of "+want+" alone", some(leaks, 5), count(len(leaks), "candidate")+" leaked from another scenario")
	}
	s.r.ScenarioIsolation = measured(len(leaks) == 0)
}

// answered checks what the answer says.
func (s *scorer) answered() {
	f, r, c := s.f, &s.r, s.c
	if !c.answerable() {
		s.refused()
	}
	var code []codeSpan
	var marks []mark
	if f.Answer != nil {
		code = codeSpans(*f.Answer)
		marks = citationMarks(*f.Answer, code)
	}
	if s.answerKeywords != nil {
		if f.Answer == nil {
			r.fail("answer_keywords", count(s.answerKeywords.Len(), "keyword")+" in the answer", absent, "the fixture records no answer")
		} else {
			s.answer.Reset(*f.Answer)
			coverage := s.answerKeywords.Cover(&s.answer)
			r.AnswerKeywordCoverage.Value, _ = coverage.Value()
			s.evidence("answer_keyword", coverage, func(int) (string, string) { return "answer", *f.Answer })
			if keyword.Reaches(r.AnswerKeywordCoverage.Value, s.minAnswer) {
				r.pass("answer_keywords")
			} else {
				n := len(coverage.Groups)
				needed := int(math.Ceil(s.minAnswer*float64(n) - keyword.Tolerance))
				r.fail("answer_keywords", fmt.Sprintf("%d of %s", needed, count(n, "keyword")), fmt.Sprintf("%d of %s", coverage.Covered, count(n, "keyword")), missingKeywords(coverage))
			}
		}
	}
	s.grounded(code, marks)
	s.cited(marks)
}

// refused checks that a question which cannot be answered is not.
func (s *scorer) refused() {
	f, r := s.f, &s.r
	hitType := strings.TrimSpace(f.HitType)
	refused := false
	for _, t := range s.noAnswer {
		if hitType != "" && hitType == strings.TrimSpace(t) {
			refused = true
		}
	}
	if f.Answer != nil && !refused {
		if strings.TrimSpace(*f.Answer) == "" {
			refused = true
		} else {
			s.answer.Reset(*f.Answer)
			refused = s.refusals.StandsIn(&s.answer, 0, len(*f.Answer))
		}
	}
	r.Unanswerable = measured(refused)
	if refused {
		r.pass("answerable")
		return
	}
	expected := "no answer: one of the hit types " + some(s.noAnswer, 5) + ", a refusal, or an empty answer"
	switch {
	case hitType == "" && f.Answer == nil:
		r.fail("answerable", expected, "nothing recorded", "neither a hit type nor an answer was recorded, so that nothing shows that the system refused")
	case f.Answer == nil:
		r.fail("answerable", expected, "hit type "+short(hitType), "the documents do not answer the question, and the hit type claims that they do")
	default:
		got := "the answer " + strconv.Quote(short(*f.Answer))
		if hitType != "" {
			got = "hit type " + short(hitType) + ", " + got
		}
		r.fail("answerable", expected, got, "the documents do not answer the question, and the system answered it")
	}
}

// grounded checks which facts of the answer stand in a candidate or in the
// question.
func (s *scorer) grounded(code []codeSpan, marks []mark) {
	f, r := s.f, &s.r
	stated := s.c.MinGroundedFacts != nil
	if f.Answer == nil {
		if stated {
			r.fail("grounded", "an answer", absent, "the fixture records no answer")
		}
		return
	}
	facts := answerFacts(*f.Answer, code, marks)
	set, facts := compileFacts(facts)
	if len(facts) == 0 {
		return
	}
	n := len(f.Candidates)
	questions := [...]*keyword.Text{keyword.NewText(s.c.Query), keyword.NewText(f.Query)}
	coverage := set.CoverFunc(n+len(questions), func(i int) *keyword.Text {
		if i < n {
			return s.text(i)
		}
		return questions[i-n]
	})
	var ungrounded []string
	for i, g := range coverage.Groups {
		if g.Covered || facts[i].named && s.isName(set.Keyword(i)) {
			continue
		}
		text := short(facts[i].text)
		if g.NearMiss != nil {
			text += " (" + g.NearMiss.String() + ")"
		}
		ungrounded = append(ungrounded, text)
	}
	n = len(facts)
	r.GroundedFacts = Measured{float64(n-len(ungrounded)) / float64(n), true}
	if !stated {
		return
	}
	if keyword.Reaches(r.GroundedFacts.Value, s.minGrounded) {
		r.pass("grounded")
		return
	}
	needed := int(math.Ceil(s.minGrounded*float64(n) - keyword.Tolerance))
	r.fail("grounded", fmt.Sprintf("%d of %s", needed, count(n, "fact")), fmt.Sprintf("%d of %s", n-len(ungrounded), count(n, "fact")),
		"in no candidate and not in the question: "+some(ungrounded, 10))
}

// compileFacts compiles the facts that have something to look for.
func compileFacts(facts []fact) (*keyword.Set, []fact) {
	keywords := make([]keyword.Keyword, 0, len(facts))
	kept := facts[:0]
	for _, f := range facts {
		k := keyword.Word(f.find)
		if f.also != "" {
			k = keyword.Keyword{Any: keyword.Words(f.find, f.also)}
		}
		if k.Validate() == nil {
			keywords = append(keywords, k)
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return nil, nil
	}
	set, err := keyword.CompileSet(keywords)
	if err != nil {
		return nil, nil // each of them compiles
	}
	return set, kept
}

// isName reports whether a keyword stands in what a candidate is called.
func (s *scorer) isName(k keyword.Keyword) bool {
	m, err := keyword.Compile(k)
	if err != nil {
		return false
	}
	for i := range s.f.Candidates {
		c := &s.f.Candidates[i]
		for _, name := range append([]string{c.DocumentID, c.ID, c.Label}, c.Breadcrumb...) {
			if name == "" {
				continue
			}
			s.one.Reset(name)
			if _, found := m.Find(&s.one); found {
				return true
			}
		}
	}
	return false
}

// cited checks that every citation points at a candidate.
func (s *scorer) cited(marks []mark) {
	f, r := s.f, &s.r
	var cited int
	var wrong []string
	position := func(p float64) bool { return p == math.Trunc(p) && p >= 1 && p <= float64(len(f.Candidates)) }
	if f.Citations != nil {
		cited = len(f.Citations)
		for _, c := range f.Citations {
			if c.ID == "" && !position(c.Position) || c.ID != "" && !s.isCandidate(c.ID) {
				wrong = append(wrong, short(c.String()))
			}
		}
		if cited == 0 && len(marks) > 0 {
			r.warn("the list of citations is empty, and the answer has the mark %s", (*f.Answer)[marks[0].start:marks[0].end])
		}
	} else {
		for _, m := range marks {
			for _, n := range m.numbers {
				cited++
				if !position(float64(n)) {
					wrong = append(wrong, "["+strconv.Itoa(n)+"]")
				}
			}
		}
	}
	if cited == 0 {
		return
	}
	if f.Answer != nil {
		r.Citation = measured(len(wrong) == 0)
	}
	if len(wrong) == 0 {
		r.pass("citations")
		return
	}
	expected := fmt.Sprintf("positions 1 to %d, or ids of candidates", len(f.Candidates))
	if len(f.Candidates) == 0 {
		expected = "no citation"
	}
	r.fail("citations", expected, some(wrong, 5), fmt.Sprintf("%d of %s %s to none of the %s", len(wrong), count(cited, "citation"), plural(len(wrong), "points", "point"), count(len(f.Candidates), "candidate")))
}

func (s *scorer) isCandidate(id string) bool {
	m := documentMatcher{id: strings.TrimSpace(id)}
	for i := range s.f.Candidates {
		if m.matches(&s.f.Candidates[i], &s.one) {
			return true
		}
	}
	return false
}

// followed scores the turns of a conversation.
func (s *scorer) followed() {
	f, r := s.f, &s.r
	rewritten := strings.TrimSpace(f.RewrittenQuery)
	if r.FollowUpRewritten.OK {
		r.FollowUpRewritten = measured(rewritten != "" && rewritten != strings.TrimSpace(s.c.Query))
	}
	if s.rewriteKeywords == nil {
		return
	}
	n := s.rewriteKeywords.Len()
	expected := count(n, "keyword") + " in the rewritten question"
	if rewritten == "" {
		r.fail("rewrite_keywords", expected, absent, "the fixture records no rewritten question")
		return
	}
	s.one.Reset(f.RewrittenQuery)
	coverage := s.rewriteKeywords.Cover(&s.one)
	s.evidence("rewrite_keyword", coverage, func(int) (string, string) { return "rewritten_query", f.RewrittenQuery })
	carried := coverage.Covered == n
	if r.FollowUpContextCarried.OK {
		r.FollowUpContextCarried = measured(carried)
	}
	if carried {
		r.pass("rewrite_keywords")
		return
	}
	r.fail("rewrite_keywords", expected, strconv.Quote(short(f.RewrittenQuery)), "the context was not carried; "+missingKeywords(coverage))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func count(n int, noun string) string {
	return strconv.Itoa(n) + " " + plural(n, noun, noun+"s")
}

// some lists the first texts, and how many there are more.
func some(texts []string, most int) string {
	if len(texts) > most {
		return strings.Join(texts[:most], ", ") + fmt.Sprintf(" and %d more", len(texts)-most)
	}
	return strings.Clone(strings.Join(texts, ", ")) // one text may be the fixture's
}

// short is the beginning of a text, on one line, for messages.
func short(s string) string {
	return keyword.Snippet(s, 0, 0, 80)
}

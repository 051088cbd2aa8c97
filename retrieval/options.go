package retrieval

import (
	"fmt"
	"slices"

	"github.com/karat-eval/karat/evaluation/keyword"
)

// Options are what, besides cases and fixtures, decides a report, and how it is
// made. The zero value is useful.
type Options struct {
	// K is the rank down to which recall@k and its like look, 1 or more; 0 means
	// 5.
	K int
	// MinKeywordCoverage is the share of the expected keywords that is enough
	// where a case does not say, in (0, 1]; 0 means 1.
	MinKeywordCoverage float64
	// MinHitLevel is the hit level that is enough where a case does not say:
	// Strong (which "" means too) or Medium.
	MinHitLevel HitLevel
	// NoAnswerHitTypes are the hit types that claim nothing, where a case does
	// not say; nil means insufficient_context, no_answer, source_boundary,
	// scenario_boundary and refused.
	NoAnswerHitTypes []string
	// RefusalPhrases are looked for in answers to questions that cannot be
	// answered, besides those that the package knows.
	RefusalPhrases []keyword.Keyword

	// Name names the suite in its report; "" means the name of its folder.
	Name string
	// Workers is how many fixtures are evaluated at once; 0 means one for each
	// processor. It never changes a report.
	Workers int
	// Strict makes a fixture that no case claims an error. It is a warning
	// otherwise.
	Strict bool
	// MaxFixtureBytes is the size of the largest fixture that is read; 0 means
	// 64 MiB. A larger one makes its case an error.
	MaxFixtureBytes int64
	// MaxCases is how many cases a set may have; 0 means 1,000,000.
	MaxCases int
}

// noAnswerHitTypes are the hit types by which a system says that it does not
// answer.
var noAnswerHitTypes = []string{"insufficient_context", "no_answer", "source_boundary", "scenario_boundary", "refused"}

// rules are options with their defaults, and what is compiled from them.
type rules struct {
	Options
	names    names
	refusals *keyword.Set
	sets     keyword.Cache // of the cases
	// ownNoAnswer tells that the hit types are not the usual ones.
	ownNoAnswer bool
}

func (o Options) rules() (*rules, error) {
	r := &rules{Options: o, refusals: refusals}
	if r.K == 0 {
		r.K = 5
	}
	if r.K < 1 {
		return nil, fmt.Errorf("k is %d; 1 or more is allowed", r.K)
	}
	if r.MinKeywordCoverage == 0 {
		r.MinKeywordCoverage = 1
	}
	if err := keyword.ValidateMinimum(r.MinKeywordCoverage); err != nil {
		return nil, fmt.Errorf("min_keyword_coverage: %w", err)
	}
	if r.MinHitLevel == "" {
		r.MinHitLevel = Strong
	}
	if r.MinHitLevel.rank() == 0 {
		return nil, fmt.Errorf("min_hit_level: %q is neither strong nor medium", r.MinHitLevel)
	}
	if r.NoAnswerHitTypes == nil {
		r.NoAnswerHitTypes = noAnswerHitTypes
	}
	r.ownNoAnswer = !slices.Equal(r.NoAnswerHitTypes, noAnswerHitTypes)
	if len(o.RefusalPhrases) > 0 {
		set, err := keyword.CompileSet(append(slices.Clone(refusalPhrases), o.RefusalPhrases...))
		if err != nil {
			return nil, fmt.Errorf("refusal phrases: %w", err)
		}
		r.refusals = set
	}
	r.names = metricNames(r.K)
	return r, nil
}

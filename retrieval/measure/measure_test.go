package measure_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/retrieval/measure"
)

const unj = measure.Unjudged

func TestScoresWorkedByHand(t *testing.T) {
	t.Parallel()
	graded := []int{3, 2, 1}
	tests := []struct {
		name, measure string
		list, judged  []int
		want          float64
		steps         string
	}{
		{"nothing retrieved", "AP", nil, []int{1}, 0, "0, not an exception"},
		{"nothing retrieved nDCG", "nDCG@5", nil, []int{1}, 0, "0/1"},
		{"nothing relevant", "nDCG", []int{0}, []int{0}, 0, "no ideal: 0, never NaN"},
		{"nothing relevant Bpref", "Bpref", []int{0}, []int{0}, 0, "0, never NaN"},
		{"nothing judged", "AP", []int{unj}, nil, 0, "0"},
		{"precision of a short list", "P@5", []int{1, unj}, []int{1}, 0.2, "1/5, divided by the cutoff"},
		{"recall of 100 in 500", "R@100", ones(100), ones(500), 0.2, "100/500"},
		{"capped recall of 100 in 500", "RCap@100", ones(100), ones(500), 1, "100/min(100, 500)"},
		{"F of P=1/2 and R=1/3", "F@4", []int{1, 0, 1, 0}, []int{1, 1, 1, 1, 1, 1, 0, 0}, 0.4, "2·(1/2)(1/3)/(1/2+1/3)"},
		{"F with beta 2", "F(beta=2)@4", []int{1, 0, 1, 0}, []int{1, 1, 1, 1, 1, 1, 0, 0}, 5.0 / 14, "5·(1/6)/(4/2+1/3)"},
		{"SetF with beta 2", "SetF(beta=2)", []int{1, 0, 1, 0}, []int{1, 1, 1, 1, 1, 1, 0, 0}, 0.375, "3·(1/6)/(2/2+1/3): beta not squared"},
		{"ERR of one top grade", "ERR@10", []int{4}, []int{4}, 15.0 / 16, "(2^4-1)/2^4"},
		{"ERR of two grades", "ERR@10", []int{1, 2}, []int{2, 1}, 1.0/16 + 15.0/16*3.0/16/2, "1/16 + (1-1/16)·(3/16)/2"},
		{"ERR on a scale to 2", "ERR(max_rel=2)@10", []int{1, 2}, []int{2, 1}, 0.25 + 0.75*0.75/2, "1/4 + (3/4)(3/4)/2"},
		{"ERR above its scale", "ERR(max_rel=2)@1", []int{3}, []int{3}, 0.75, "grade 3 counts as 2"},
		{"RBP graded", "RBP(p=0.9)", graded, graded, 0.187, "0.1·(1 + 0.9·2/3 + 0.81/3)"},
		{"RBP binary from grade 2", "RBP(p=0.5,rel=2)", graded, graded, 0.75, "0.5·(1 + 0.5)"},
		{"Bpref with one nonrelevant ahead", "Bpref", []int{0, 1, 1}, []int{1, 1, 0, 0, 0}, 0.5, "each 1 - 1/min(3, 2)"},
		{"Bpref with few nonrelevant", "Bpref", []int{0, 1, 1}, []int{1, 1, 0}, 0, "each 1 - 1/min(1, 2)"},
		{"Bpref passes over unjudged and negative", "Bpref", []int{unj, -1, 1}, []int{1, -1, 0}, 1, "no judged nonrelevant ahead"},
		{"infAP judged through", "infAP", []int{1, 0, 1}, []int{1, 1, 0}, (1 + 1.0/3 + 2.0/3*(1.00001/2.00002)) / 2, "1 and 1/3 + 2/3·(2/2)·(1+e)/(1+1+2e)"},
		{"infAP with a sampled one", "infAP", []int{-1, 1}, []int{1, -1}, 0.5 + 0.5*0.5, "1/2 + 1/2·(1/1)·(e/2e)"},
		{"infAP with an unpooled one", "infAP", []int{unj, 1}, []int{1}, 0.5, "1/2 + 1/2·(0/1)·…"},
		{"IPrec cut by 0.9", "IPrec@0.4", []int{1, unj, 1, unj, 1}, []int{1, 1, 1}, 2.0 / 3, "int(0.4·3+0.9)=2: max(2/3, 3/5); 10.0 rounds to 1"},
		{"11pt of 9.0.8", "11pt", []int{1, unj, 1, unj, 1}, []int{1, 1, 1}, (4*1 + 4*(2.0/3) + 3*0.6) / 11, "int(p·3+0.9) = 0,1,1,1 | 2,2,2,2 (0.7·3+0.9 is just under 3) | 3,3,3"},
		{"nDCG over the full ideal", "nDCG", []int{1}, []int{1, 1, 1}, 1 / (1 + 1/math.Log2(3) + 0.5), "ideal of three"},
		{"nDCG to one", "nDCG@1", []int{1}, []int{1, 1, 1}, 1, "ideal of one"},
		{"nDCG does not hear rel=", "nDCG(rel=3)", graded, graded, 1, "rel= does not touch it"},
		{"nDCG of huge exponential grades", "nDCG(gain=exp)", []int{5000, 5001}, []int{5000, 5001}, (0.5 + 1/math.Log2(3)) / (1 + 0.5/math.Log2(3)), "2^5000 overflows; the ratio is that of 1 and 2"},
		{"negative is judged", "Judged@2", []int{-1, unj}, []int{-1, 1}, 0.5, "one of two"},
		{"Judged of a short list", "Judged@10", []int{1}, []int{1}, 1, "one of one"},
		{"unjudged of a short list", "Unj@10", []int{unj}, []int{1}, 0.1, "one, divided by the cutoff"},
		{"rel=2", "AP(rel=2)", []int{1, 2}, []int{2, 1}, 0.5, "the only relevant one stands second"},
		{"judged only", "P(judged_only=True)@1", []int{unj, 1}, []int{1}, 1, "the unjudged is dropped"},
		{"RR beyond its cutoff", "RR@2", []int{0, 0, 1}, []int{1, 0, 0}, 0, "rank 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := measure.Parse(tt.measure)
			require.NoError(t, err)
			r, err := measure.NewRanking(tt.list, tt.judged)
			require.NoError(t, err)
			assert.InDelta(t, tt.want, m.Score(r), 1e-12, tt.steps)
		})
	}
}

func ones(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

func TestNamesAreReadInBothNotations(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, canonical, label string }{
		{"nDCG@10", "nDCG@10", "nDCG@10"},
		{"NDCG@10", "nDCG@10", "nDCG@10"},
		{"ndcg@10", "nDCG@10", "nDCG@10"},
		{"ndcg_cut_10", "nDCG@10", "ndcg_cut_10"},
		{"ndcg_cut.10", "nDCG@10", "ndcg_cut_10"},
		{"ndcg", "nDCG", "ndcg"},
		{"ndcg.1=1,2=3", "nDCG(gains={1:1,2:3})", "ndcg_1=1,2=3"},
		{"nDCG(gains={1:1,2:3})@5", "nDCG(gains={1:1,2:3})@5", "nDCG(gains={1:1,2:3})@5"},
		{"nDCG(dcg='exp-log2')@5", "nDCG(gain=exp)@5", "nDCG(gain=exp)@5"},
		{"nDCG(rel=2)@5", "nDCG@5", "nDCG@5"},
		{"AP(rel=2)@100", "AP(rel=2)@100", "AP(rel=2)@100"},
		{" AP( rel=2 , judged_only=True )@100 ", "AP(rel=2,judged_only=True)@100", "AP(rel=2,judged_only=True)@100"},
		{"AP(rel=1,cutoff=7)", "AP@7", "AP@7"},
		{"MAP", "AP", "AP"},
		{"map", "AP", "map"},
		{"map_cut_5", "AP@5", "map_cut_5"},
		{"map@5", "AP@5", "AP@5"},
		{"MRR@10", "RR@10", "RR@10"},
		{"recip_rank", "RR", "recip_rank"},
		{"P.5", "P@5", "P_5"},
		{"P_5", "P@5", "P_5"},
		{"recall.1000", "R@1000", "recall_1000"},
		{"recall@1000", "R@1000", "R@1000"},
		{"relative_P.1", "RCap@1", "relative_P_1"},
		{"success_1", "Success@1", "success_1"},
		{"set_F.0.5", "SetF(beta=0.5)", "set_F_0.5"},
		{"rbp", "RBP(p=0.9)", "rbp"},
		{"rbp.p=0.8", "RBP", "rbp_p=0.8"},
		{"RBP(p=0.8,rel=1)@10", "RBP(rel=1)@10", "RBP(rel=1)@10"},
		{"iprec_at_recall.0.5", "IPrec@0.5", "iprec_at_recall_0.50"},
		{"iprec_at_recall_0.50", "IPrec@0.5", "iprec_at_recall_0.50"},
		{"11pt_avg", "11pt", "11pt_avg"},
		{"gm_map", "GMAP", "gm_map"},
		{"num_rel_ret", "NumRet(rel=1)", "num_rel_ret"},
		{"num_nonrel_judged_ret", "NumNonRelJudgedRet", "num_nonrel_judged_ret"},
		{"unj.2", "Unj@2", "unj_2"},
		{"ERR(max_rel=3)@20", "ERR(max_rel=3)@20", "ERR(max_rel=3)@20"},
		{"F(beta=2)@10", "F(beta=2)@10", "F(beta=2)@10"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := measure.Parse(tt.name)
			require.NoError(t, err)
			assert.Equal(t, tt.canonical, m.String())
			assert.Equal(t, tt.label, m.Label())
			again, err := measure.Parse(m.String())
			require.NoError(t, err, "the canonical name must be readable")
			assert.Equal(t, m.String(), again.String())
		})
	}
}

func TestFamiliesOfTrecEvalMeanSeveralMeasures(t *testing.T) {
	t.Parallel()
	labels := func(name string) []string {
		list, err := measure.ParseList(name)
		require.NoError(t, err)
		var out []string
		for _, m := range list {
			out = append(out, m.Label())
		}
		return out
	}
	assert.Empty(t, cmp.Diff([]string{"P_5", "P_10"}, labels("P.5,10")))
	assert.Empty(t, cmp.Diff([]string{"success_1", "success_5", "success_10"}, labels("success")))
	assert.Equal(t, "iprec_at_recall_0.00 iprec_at_recall_0.10 iprec_at_recall_0.20 iprec_at_recall_0.30 iprec_at_recall_0.40 "+
		"iprec_at_recall_0.50 iprec_at_recall_0.60 iprec_at_recall_0.70 iprec_at_recall_0.80 iprec_at_recall_0.90 iprec_at_recall_1.00",
		strings.Join(labels("iprec_at_recall"), " "))
	assert.Equal(t, "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank", strings.Join(labels("official")[:9], " "))
	assert.Empty(t, cmp.Diff([]string{"iprec_at_recall_0.10", "iprec_at_recall_0.101", "iprec_at_recall_0.104"}, labels("iprec_at_recall.0.1,0.101,0.104")))
	assert.Len(t, labels("official"), 29)
	assert.Len(t, labels("P"), 9)
}

func TestWrongNamesSayWhatIsAllowed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"ndgc@10", `unknown measure "ndgc@10": near: nDCG@10`},
		{"ndgc(judged_only=True)@10", `unknown measure "ndgc(judged_only=True)@10": near: nDCG(judged_only=True)@10`},
		{"ndgc(judged_only=Maybe)@10", `unknown measure "ndgc(judged_only=Maybe)@10": near: nDCG, ndcg`},
		{"ndgc_cut_10", `unknown measure "ndgc_cut_10": near: ndcg_cut_10, map_cut_10`},
		{"ndgc_cut.5,10", `unknown measure "ndgc_cut.5,10": near: ndcg_cut.5,10, map_cut.5,10`},
		{"hit@5", `unknown measure "hit@5": near: Success@5`},
		{"mapp", `unknown measure "mapp": near: map, AP, GMAP`},
		{"ndcg_10", `unknown measure "ndcg_10": near: nDCG@10`},
		{"precison", `unknown measure "precison": near: Precision`},
		{"mpa", `unknown measure "mpa": near: map`},
		{"precison@5", `unknown measure "precison@5": near: Precision@5`},
		{"map,nDCG@10", `measure "map,nDCG@10": these are 2 names: give them one at a time`},
		{"nDCG@10, P(rel=2)@5", `measure "nDCG@10, P(rel=2)@5": these are 2 names: give them one at a time`},
		{"AP@100(rel=2)", `measure "AP@100(rel=2)": the cutoff stands behind the parameters: "AP(rel=2)@100"`},
		{"P@3000000000", `measure "P@3000000000": cutoff "3000000000": must be a whole number in [1, 2147483647]`},
		{"P", `measure "P": names 9 measures, one is wanted, such as P_5`},
		{"R", `measure "R": needs a cutoff, such as R@10`},
		{"IPrec", `measure "IPrec": needs a recall, such as IPrec@0.5`},
		{"IPrec@1.5", `measure "IPrec@1.5": recall "1.5": must be a number in [0, 1]`},
		{"P@0", `measure "P@0": cutoff "0": must be a whole number in [1, 2147483647]`},
		{"P@-1", `measure "P@-1": cutoff "-1": must be a whole number in [1, 2147483647]`},
		{"P@ten", `measure "P@ten": cutoff "ten": must be a whole number in [1, 2147483647]`},
		{"P.0", `measure "P.0": cutoff "0": must be a whole number in [1, 2147483647]`},
		{"Rprec@5", `measure "Rprec@5": Rprec takes no cutoff`},
		{"AP(rel=0)", `measure "AP(rel=0)": rel="0": must be a whole number in [1, 2147483647]`},
		{"AP(rel=2", `measure "AP(rel=2": a closing parenthesis is missing`},
		{"AP(rel=2)10", `measure "AP(rel=2)10": "10" behind the parentheses: only a cutoff, such as @10, may stand there`},
		{"AP(rel=2,rel=3)", `measure "AP(rel=2,rel=3)": "rel" is given twice`},
		{"AP(rel)", `measure "AP(rel)": "rel": a parameter is written name=value`},
		{"AP(p=0.5)", `measure "AP(p=0.5)": unknown parameter "p": AP takes [@k], rel=, judged_only=`},
		{"NumQ(rel=1)", `measure "NumQ(rel=1)": unknown parameter "rel": NumQ takes none`},
		{"RBP(p=1)", `measure "RBP(p=1)": p="1": must be a number between 0 and 1, both excluded`},
		{"RBP(p=NaN)", `measure "RBP(p=NaN)": p="NaN": must be a number between 0 and 1, both excluded`},
		{"SetF(beta=-1)", `measure "SetF(beta=-1)": beta="-1": must be a number in [0, 1000000]`},
		{"nDCG(gain=log)", `measure "nDCG(gain=log)": gain="log": must be linear or exp`},
		{"ndcg.1=x", `measure "ndcg.1=x": gain "1=x": must be grade=gain, a grade from 0 on and a gain in [0, 1e9]`},
		{"nDCG(gains={1:1,1:2})", `measure "nDCG(gains={1:1,1:2})": grade 1 has two gains`},
		{"AP@", `measure "AP@": nothing behind the @`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := measure.Parse(tt.name)
			assert.EqualError(t, err, tt.want)
		})
	}
	_, err := measure.Parse("xyzzy")
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), `unknown measure "xyzzy": the measures are AP, nDCG, RR, P, R, RCap,`), err)
	_, err = measure.Parse("")
	require.ErrorContains(t, err, `unknown measure "": the measures are AP, nDCG,`)
	_, err = measure.Parse("\x1b[31m\u202e")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "\x1b", "input never reaches a terminal as an escape")
	assert.NotContains(t, err.Error(), "\u202e")
}

func TestEveryDefinitionNamesItsSourceAndIsReadableByEachName(t *testing.T) {
	t.Parallel()
	for _, d := range measure.Definitions() {
		assert.NotEmpty(t, d.Source, d.Name)
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			_, err := measure.ParseList(name)
			if err != nil {
				_, err = measure.ParseList(name + "@1")
			}
			assert.NoError(t, err, name)
		}
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	parse := func(name string) measure.Measure {
		m, err := measure.Parse(name)
		require.NoError(t, err)
		return m
	}
	assert.Equal(t, 0.5, parse("AP").Summarize([]float64{1, 0, 0.5}))
	assert.InDelta(t, math.Sqrt(0.5*0.00001), parse("GMAP").Summarize([]float64{0.5, 0}), 1e-15, "a zero counts as 0.00001")
	assert.Equal(t, 7.0, parse("NumRel").Summarize([]float64{3, 4}))
	assert.Equal(t, 0.0, parse("NumRel").Summarize(nil))
	assert.True(t, math.IsNaN(parse("AP").Summarize(nil)), "no queries have no mean")
}

func TestTheZeroMeasureIsHarmless(t *testing.T) {
	t.Parallel()
	var m measure.Measure
	r, err := measure.NewRanking([]int{1}, []int{1})
	require.NoError(t, err)
	assert.Equal(t, 0.0, m.Score(r))
	assert.Equal(t, "", m.String())
	assert.Equal(t, measure.Neither, m.Info().Better)
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"nDCG@10", "AP(rel=2)@100", "ndcg.1=1,2=3", "P.5,10", "iprec_at_recall.0.1", "nDCG(gains={0:1})", "(", "@", "rbp.p=.5", "11pt"} {
		f.Add(name)
	}
	ranking, err := measure.NewRanking([]int{1, unj, 0, 3, -1}, []int{1, 0, 3, -1, 2})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		list, err := measure.ParseList(name)
		for _, m := range list {
			v := m.Score(ranking)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%q scores %v", name, v)
			}
			again, err := measure.Parse(m.String())
			if err != nil || again.String() != m.String() {
				t.Errorf("%q: canonical %q is read as %q (%v)", name, m, again, err)
			}
		}
		if err == nil && len(list) == 0 {
			t.Errorf("%q: neither a measure nor an error", name)
		}
	})
}

func BenchmarkScore(b *testing.B) {
	list := make([]int, 1000)
	judged := []int{2, 1, 1}
	for i := range list {
		list[i] = unj
	}
	list[2], list[17], list[400] = 1, 2, 1
	r, err := measure.NewRanking(list, judged)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"nDCG@10", "RR", "R@1000", "AP"} {
		m, err := measure.Parse(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Score(r)
			}
		})
	}
}

package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/karat-eval/karat/internal/stats"
)

// The bits below came out alike on 386, on amd64 without and with fused multiply-add (GOAMD64=v3). That the numbers are
// right is for the other tests; this one holds that they never depend on the processor or the version of Go.
func TestBitsAreTheSameOnEveryProcessor(t *testing.T) {
	before, after := make([]float64, 50), make([]float64, 50)
	for i := range before {
		before[i] = float64(i*i%17) / 16
		after[i] = float64(i*i*i%23) / 21
	}
	r := compare(t, before, after, stats.Options{Seed: 5})
	want := []uint64{
		0xbf8d9f7390d2a6cd, // mean, -0.0144643
		0xbfc11eb851eb8a3d, // low, -0.13375
		0x3fbb69d0369ce148, // high, 0.107083
		0x3fc8c1beed565a00, // sign test, 0.193413
		0x3fea476ab739fa6b, // randomisation, 0.821218
		0x3fa793168345d149, // McNemar 40 to 61, 0.0460441
		0x3dbaa653ee300a8e, // McNemar 900 to 1207, 2.42378e-11
		0x3fca8040c65cc69b, // McNemar 49,800 to 50,200, 0.207039
	}
	var got []uint64
	for _, v := range []float64{
		r.MeanDiff, r.Low, r.High, r.PSign, r.PRandomization,
		stats.McNemar(40, 61), stats.McNemar(900, 1207), stats.McNemar(49_800, 50_200),
	} {
		got = append(got, math.Float64bits(v))
	}
	assert.Equal(t, want, got)
}

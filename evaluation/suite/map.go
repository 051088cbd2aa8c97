package suite

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Map holds fixtures in memory, by the ids of their cases.
type Map map[string][]byte

// Each is the method of [Source].
func (m Map) Each(ctx context.Context, w Walk, fn func(i int, data []byte, problem error)) ([]string, error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(w.Workers, 1))
	if w.Workers <= 0 {
		g.SetLimit(runtime.GOMAXPROCS(0))
	}
	for i, id := range w.IDs {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			data, problem := m.Get(id)
			fn(i, data, problem)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	cases := make(map[string]bool, len(w.IDs)+len(w.Others))
	for _, id := range w.IDs {
		cases[id] = true
	}
	for _, id := range w.Others {
		cases[id] = true
	}
	var warnings []string
	for id := range m {
		if !cases[id] {
			warnings = append(warnings, fmt.Sprintf("fixture %q belongs to no case", id))
		}
	}
	slices.Sort(warnings)
	if w.Strict && len(warnings) > 0 {
		return nil, fmt.Errorf("%s", warnings[0])
	}
	return warnings, nil
}

// Get is the method of [Source].
func (m Map) Get(id string) ([]byte, error) {
	data, ok := m[id]
	if !ok {
		return nil, ErrNoFixture
	}
	return data, nil
}

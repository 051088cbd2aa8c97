package input

import (
	"sync"
	"sync/atomic"
)

// parallel calls fn for the ranges from 0 to n, each of size or less, from
// several goroutines where there are several ranges.
func parallel(n, size, workers int, fn func(from, to int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(workers, (n+size-1)/size) {
		wait.Go(func() {
			for {
				from := int(next.Add(int64(size))) - size
				if from >= n {
					return
				}
				fn(from, min(from+size, n))
			}
		})
	}
	wait.Wait()
}

//go:build race

package keyword_test

// underRace says that the race detector is on: a process starts many times slower,
// and what these tests start is no better watched by starting it more often.
const underRace = true

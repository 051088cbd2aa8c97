//go:build race

package keyword_test

// underRace says that the race detector is on.
const underRace = true

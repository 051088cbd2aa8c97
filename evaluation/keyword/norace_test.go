//go:build !race

package keyword_test

const underRace = false

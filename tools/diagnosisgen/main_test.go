package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	_ "github.com/sebdah/goldie/v2" // registers -update
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSameFlagsGiveTheSameBytes(t *testing.T) {
	var first, second, cases bytes.Buffer
	c := config{cases: 20, calls: 3, bytes: 120, seed: 7}
	require.NoError(t, generate(c, &cases, &first))
	require.NoError(t, generate(c, &bytes.Buffer{}, &second))
	assert.Equal(t, first.String(), second.String())
	assert.Equal(t, 20, strings.Count(cases.String(), "\n"))
	assert.Equal(t, 20, strings.Count(first.String(), "\n"))
	assert.True(t, utf8.Valid(first.Bytes()))
}

func TestWrongSizesAreRefused(t *testing.T) {
	for _, c := range []config{{calls: 1, bytes: 100}, {cases: 1, bytes: 100}, {cases: 1, calls: 1}} {
		assert.Error(t, write(t.TempDir(), c))
	}
	assert.Error(t, write("", config{cases: 1, calls: 1, bytes: 100}))
}

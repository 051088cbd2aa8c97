package main

import (
	"bytes"
	"flag"
	"strings"
	"testing"
)

// "go test ./... -update" is passed to every package; nothing here is updated.
var _ = flag.Bool("update", false, "no effect")

func TestTheSameFlagsGiveTheSameBytesOfTheAskedSize(t *testing.T) {
	t.Parallel()
	c := config{queries: 7, depth: 20, judged: 3, found: 1, ties: 4, digits: 3, shuffle: true, seed: 5}
	var qrels, run, qrels2, run2 bytes.Buffer
	if err := generate(c, &qrels, &run); err != nil {
		t.Fatal(err)
	}
	if err := generate(c, &qrels2, &run2); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(qrels.Bytes(), qrels2.Bytes()) || !bytes.Equal(run.Bytes(), run2.Bytes()) {
		t.Error("two runs differ")
	}
	if got := strings.Count(run.String(), "\n"); got != 140 {
		t.Errorf("%d rows, want 140", got)
	}
	if got := strings.Count(qrels.String(), "\n"); got != 21 {
		t.Errorf("%d judgments, want 21", got)
	}
	if err := write("", c); err == nil {
		t.Error("no folder is no error")
	}
}

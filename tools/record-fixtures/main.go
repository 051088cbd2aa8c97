// Record-fixtures records the fixtures of the golden retrieval set from a real
// search, so that they hold what a search engine returns and not what an
// author hoped for.
//
// It splits the documents under testdata/knowledge by heading, indexes the
// chunks with bleve (BM25, CJK analyser), searches for each case of
// testdata/retrieval/cases.yaml as testdata/retrieval/recordings.yaml says, and
// writes testdata/retrieval/fixtures/<case id>.json. What a search cannot give
// (the answer, the routing, the durations) is written by hand in
// recordings.yaml. The same input gives the same bytes.
//
// Usage:
//
//	cd tools && go run ./record-fixtures [-testdata DIR] [-out DIR]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "record-fixtures:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("record-fixtures", flag.ContinueOnError)
	testdata := flags.String("testdata", filepath.Join("..", "testdata"), "folder with knowledge/ and retrieval/")
	out := flags.String("out", "", "folder for the fixtures (default TESTDATA/retrieval/fixtures)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(*testdata, "retrieval", "fixtures")
	}

	fixtures, err := record(*testdata)
	if err != nil {
		return err
	}
	if err := write(*out, fixtures); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "recorded %d fixtures into %s\n", len(fixtures), filepath.ToSlash(*out))
	return nil
}

// Package generator is what the commands share that write a set and its
// fixtures of any size, as two files of one folder.
package generator

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Pair names the two files.
type Pair struct{ First, Second string }

// Main is a command's main function: it reads the flags, which the command has
// defined but for -dir, and calls write with the folder. An error ends the
// command with status 1.
func (p Pair) Main(command string, write func(dir string) error) {
	dir := flag.String("dir", "", fmt.Sprintf("folder to write %s and %s into (needed)", p.First, p.Second))
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, command+":", err)
		os.Exit(1)
	}
}

// Write creates the files in a folder, which is made where there is none, and
// calls generate to fill them. What cannot be written is reported at the end, so
// that generate need not look.
func (p Pair) Write(dir string, generate func(first, second io.Writer) error) error {
	if dir == "" {
		return errors.New("-dir is needed")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	first, err := os.Create(filepath.Join(dir, p.First))
	if err != nil {
		return err
	}
	second, err := os.Create(filepath.Join(dir, p.Second))
	if err != nil {
		return errors.Join(err, first.Close())
	}
	a, b := bufio.NewWriterSize(first, 1<<20), bufio.NewWriterSize(second, 1<<20)
	err = generate(a, b)
	return errors.Join(err, a.Flush(), b.Flush(), first.Close(), second.Close())
}

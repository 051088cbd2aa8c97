package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// openInput opens a file that a user named, for reading; its errors are in the
// words that those of other inputs have.
func openInput(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file or folder", name)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("%s: %w", name, at.Err)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: a file is needed, found a folder", name)
	}
	return f, nil
}

//go:build unix && !aix && !solaris

package atomicfile

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock waits for the file's lock. A file system without locks does without:
// single writers need none.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL):
			return nil
		}
		return err
	}
}

// writable reports why no file can be made in a folder, where that is so.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// syncFolder makes the new name last. Where that is not possible, the content
// still does.
func syncFolder(root *os.Root) {
	if dir, err := root.Open("."); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

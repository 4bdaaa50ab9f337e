//go:build unix

package pebblestore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// lockShared takes a shared lock on a lock file that this process can only read. It locks nothing
// if the file is missing.
func lockShared(name string) (io.Closer, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	lock := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) { // both mean that it is locked
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

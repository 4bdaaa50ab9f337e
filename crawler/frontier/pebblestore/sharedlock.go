//go:build unix

package pebblestore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// lockShared locks a lock file that may only be read, against whoever may write
// it. Where there is no such file, or the file system knows no locks, nobody
// can have the store open for writing, and nothing is locked.
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
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) { // both mean that it is taken
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

//go:build unix

package disktest

import (
	"os/signal"
	"syscall"
	"testing"
)

// Full lets no file of this process grow beyond a size in bytes while call runs. A write that
// would fails with EFBIG.
func Full(t *testing.T, size uint64, call func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ) // so that the write fails instead
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = size
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}()
	call()
}

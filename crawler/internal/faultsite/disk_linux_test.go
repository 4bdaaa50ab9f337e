package faultsite_test

import (
	"fmt"
	"syscall"
	"testing"
)

// A smallDisk is a disk in memory that can be made as small as its files.
type smallDisk struct{ dir string }

// roomy is its size unless it is to be full.
const roomy = 16 << 30

// newSmallDisk returns an empty disk, or nil where this process may not mount one.
func newSmallDisk(t *testing.T) *smallDisk {
	t.Helper()
	d := &smallDisk{t.TempDir()}
	if syscall.Mount("tmpfs", d.dir, "tmpfs", 0, fmt.Sprintf("size=%d", int64(roomy))) != nil {
		return nil
	}
	t.Cleanup(func() { _ = syscall.Unmount(d.dir, syscall.MNT_DETACH) })
	return d
}

// fill leaves almost no space.
func (d *smallDisk) fill(t *testing.T) {
	t.Helper()
	var err error
	for range 10 { // more may be written meanwhile
		var now syscall.Statfs_t
		must(t, syscall.Statfs(d.dir, &now))
		if err = d.resize(int64(now.Blocks-now.Bfree)*now.Bsize + 64<<10); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// empty makes space again.
func (d *smallDisk) empty(t *testing.T) {
	t.Helper()
	must(t, d.resize(roomy))
}

func (d *smallDisk) resize(size int64) error {
	return syscall.Mount("tmpfs", d.dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", size))
}

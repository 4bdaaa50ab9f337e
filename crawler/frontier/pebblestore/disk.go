package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A disk is the file system of the database.
//
// With durability Process it flushes nothing. Each commit is one write, which the operating
// system keeps when the process is killed. (pebble.NoSync would write in the background and
// acknowledge writes that a kill loses.)
//
// After a write error or corruption the database would retry forever or end the process. So the
// first failure calls fail, and from then on calls of the database never return. Nothing more is
// written, so the directory can be opened again.
type disk struct {
	vfs.FS
	flush bool
	fail  func(error)
	state atomic.Int32
}

// The states of a disk. While the database is being opened, it returns read errors itself. A
// write error fails the store, because the database would retry forever.
const (
	opening int32 = iota
	armed
	broken
)

func (d *disk) arm() { d.state.CompareAndSwap(opening, armed) }

// stop stops all writes.
func (d *disk) stop(why error) {
	d.state.Store(broken)
	d.fail(why)
}

// done checks the result of a write and stops the disk if it failed.
func (d *disk) done(err error) error {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.stop(fmt.Errorf("cannot write: %w", err))
	}
	d.check()
	return err
}

// check blocks forever if the disk is broken.
func (d *disk) check() {
	if d.state.Load() == broken {
		select {}
	}
}

// Lock does nothing: the directory has the lock.
func (d *disk) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (d *disk) file(f vfs.File, err error) (vfs.File, error) {
	if err := d.done(err); err != nil {
		return nil, err
	}
	return &diskFile{f, d}, nil
}

// Create is part of vfs.FS.
func (d *disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	d.check()
	return d.file(d.FS.Create(name, c))
}

// OpenReadWrite is part of vfs.FS.
func (d *disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	d.check()
	return d.file(d.FS.OpenReadWrite(name, c, opts...))
}

// ReuseForWrite is part of vfs.FS.
func (d *disk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	d.check()
	return d.file(d.FS.ReuseForWrite(from, to, c))
}

// OpenDir is part of vfs.FS.
func (d *disk) OpenDir(name string) (vfs.File, error) {
	f, err := d.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d}, nil
}

// Rename is part of vfs.FS.
func (d *disk) Rename(from, to string) error {
	d.check()
	return d.done(d.FS.Rename(from, to))
}

// Link is part of vfs.FS.
func (d *disk) Link(from, to string) error {
	d.check()
	return d.done(d.FS.Link(from, to))
}

// Remove is part of vfs.FS.
func (d *disk) Remove(name string) error {
	d.check()
	return d.done(d.FS.Remove(name))
}

// RemoveAll is part of vfs.FS.
func (d *disk) RemoveAll(name string) error {
	d.check()
	return d.done(d.FS.RemoveAll(name))
}

// Unwrap is part of vfs.FS.
func (d *disk) Unwrap() vfs.FS { return d.FS }

// A diskFile is a file of a disk.
type diskFile struct {
	vfs.File
	disk *disk
}

// Write is part of vfs.File.
func (f *diskFile) Write(p []byte) (int, error) {
	f.disk.check()
	n, err := f.File.Write(p)
	return n, f.disk.done(err)
}

// WriteAt is part of vfs.File.
func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	f.disk.check()
	n, err := f.File.WriteAt(p, off)
	return n, f.disk.done(err)
}

// Preallocate does nothing. The database would reserve 36 MB for each log, however small the
// crawl. A log grows with each commit anyway, so a flush is not cheaper with reserved space.
func (f *diskFile) Preallocate(int64, int64) error { return nil }

// Sync is part of vfs.File.
func (f *diskFile) Sync() error {
	if !f.disk.flush {
		return nil
	}
	return f.disk.done(f.File.Sync())
}

// SyncData is part of vfs.File.
func (f *diskFile) SyncData() error {
	if !f.disk.flush {
		return nil
	}
	return f.disk.done(f.File.SyncData())
}

// SyncTo is part of vfs.File.
func (f *diskFile) SyncTo(length int64) (fullSync bool, err error) {
	if !f.disk.flush {
		return false, nil
	}
	full, err := f.File.SyncTo(length)
	return full, f.disk.done(err)
}

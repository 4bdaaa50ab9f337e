package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A disk is the file system as the database sees it.
//
// Where power cuts are no concern it flushes nothing: each commit is then
// one write, which the operating system keeps when the process is killed.
// (pebble.NoSync would leave the write to the background, and acknowledge what
// a kill loses.)
//
// When a file cannot be written, or what is read is not what was written, the
// store has to tell its callers, and the database must not go on as if nothing
// had been: it would retry for ever, or end the process. So the first failure
// is told to fail, and whoever in the database is concerned or comes later does
// not return from the disk. Nothing is written from then on, so that the
// directory can be opened again.
type disk struct {
	vfs.FS
	flush bool
	fail  func(error)
	state atomic.Int32
}

// The states of a disk. While the database is being opened, what cannot be read
// is its to report; what cannot be written ends the opening, which would try it
// again for ever.
const (
	opening int32 = iota
	armed
	broken
)

func (d *disk) arm() { d.state.CompareAndSwap(opening, armed) }

// stop ends all writing.
func (d *disk) stop(why error) {
	d.state.Store(broken)
	d.fail(why)
}

// done looks at the result of a change and stops everything when it failed.
func (d *disk) done(err error) error {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.stop(fmt.Errorf("cannot write: %w", err))
	}
	d.check()
	return err
}

// check does not return when the disk is broken.
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

// A diskFile is a file that may be written.
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

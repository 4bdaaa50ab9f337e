// Package powercut simulates power cuts. It records the files and names that package durable syncs,
// and returns a directory as it would be after the cut. It does not see syncs of other code, such
// as a database.
package powercut

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// A Disk records the synced content of a directory.
type Disk struct {
	t    testing.TB
	root string

	mu    sync.Mutex
	files []*file
	names map[string]map[string]*file // by directory and name
	syncs int
}

// A file is one that has reached the disk, whatever its name is now.
type file struct {
	open    *os.File // so that no other file takes its place with the same identity
	info    os.FileInfo
	content []byte
}

// Watch begins to keep what reaches the disk below root, until the test ends. What is
// there by then has reached it. Only one Disk can watch at a time.
func Watch(t testing.TB, root string) *Disk {
	t.Helper()
	d := &Disk{t: t, root: root, names: make(map[string]map[string]*file)}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		d.synced(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	d.syncs = 0
	durable.Synced = d.synced
	t.Cleanup(func() {
		durable.Synced = nil
		for _, f := range d.files {
			_ = f.open.Close()
		}
	})
	return d
}

// Syncs returns how many files and directories were brought to the disk.
func (d *Disk) Syncs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.syncs
}

// synced keeps a file or a directory as it is now.
func (d *Disk) synced(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.syncs++
	f := d.file(path)
	if f == nil {
		return
	}
	if !f.info.IsDir() {
		var err error
		if f.content, err = os.ReadFile(path); err != nil {
			d.t.Error(err)
		}
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		d.t.Error(err)
	}
	names := make(map[string]*file)
	for _, entry := range entries {
		if f := d.file(filepath.Join(path, entry.Name())); f != nil {
			names[entry.Name()] = f
		}
	}
	d.names[filepath.Clean(path)] = names
}

// file returns the file at a path, or nil if there is none any more.
func (d *Disk) file(path string) *file {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		d.t.Error(err)
		return nil
	}
	for _, f := range d.files {
		if os.SameFile(f.info, info) {
			return f
		}
	}
	f := &file{info: info}
	if f.open, err = os.Open(path); err != nil {
		d.t.Error(err)
		return nil
	}
	d.files = append(d.files, f)
	return f
}

// Cut returns a directory that holds what would be left of the root now. Directories that
// durable does not write are kept as they are: kept says which, by their path from the
// root.
func (d *Disk) Cut(kept ...string) string {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.t.TempDir()
	err := d.write(d.root, left)
	for _, path := range kept {
		from, to := filepath.Join(d.root, path), filepath.Join(left, path)
		err = errors.Join(err, os.RemoveAll(to), os.CopyFS(to, os.DirFS(from)))
	}
	if err != nil {
		d.t.Error(err) // and no Fatal: a crawl may ask in a goroutine of its own
	}
	return left
}

// write writes what is left of a directory into another.
func (d *Disk) write(dir, to string) error {
	for name, f := range d.names[dir] {
		path := filepath.Join(to, name)
		if !f.info.IsDir() {
			if err := os.WriteFile(path, f.content, 0o600); err != nil {
				return err
			}
			continue
		}
		if err := errors.Join(os.Mkdir(path, 0o700), d.write(filepath.Join(dir, name), path)); err != nil {
			return err
		}
	}
	return nil
}

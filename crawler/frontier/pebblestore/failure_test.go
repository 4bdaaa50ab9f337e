//go:build unix

package pebblestore

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// failing returns the logger of a disk in use, and a function that returns its failure.
func failing(state int32) (l logger, failures func() []error) {
	var all []error
	d := &disk{fail: func(err error) { all = append(all, err) }}
	d.state.Store(state)
	return logger{slog.New(slog.DiscardHandler), d}, func() []error { return all }
}

// After a fatal error the store fails and the database does nothing more.
func TestFatal(t *testing.T) {
	if alone(t) { // since it never returns
		return
	}
	l, failures := failing(armed)
	returned := make(chan struct{})
	failed := make(chan struct{})
	inner := l.disk.fail
	l.disk.fail = func(err error) { inner(err); close(failed) }
	go func() {
		l.Fatalf("the %s is lost", "manifest")
		close(returned)
	}()
	select {
	case <-failed:
	case <-time.After(5 * time.Second):
		t.Fatal("no failure was reported")
	}
	select {
	case <-returned:
		t.Error("it returns")
	case <-time.After(100 * time.Millisecond):
	}
	if all := failures(); len(all) != 1 || all[0].Error() != "the manifest is lost" {
		t.Errorf("%v", all)
	}
}

// Corrupt data makes the store fail. While it is being opened, the reader returns the error.
func TestCorruption(t *testing.T) {
	info := pebble.DataCorruptionInfo{Path: "000001.sst", Details: errors.New("checksum")}
	l, failures := failing(armed)
	l.corruption(info)
	if all := failures(); len(all) != 1 || !errors.Is(all[0], ErrDamaged) || l.disk.state.Load() != broken {
		t.Errorf("%v", all)
	}
	l, failures = failing(opening)
	if l.corruption(info); len(failures()) > 0 || l.disk.state.Load() != opening {
		t.Errorf("while it is being opened: %v", failures())
	}
}

// A store whose manifest is lost is not created anew over its data.
func TestLostManifest(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	addURLs(t, s, "http://a.test/1")
	closeStore(t, s)
	for _, pattern := range []string{"marker.manifest*", "MANIFEST-*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%v, %v", names, err)
		}
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := list(t, dir)
	if _, err := Open(dir, nil); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "manifest is lost") {
		t.Errorf("Open = %v", err)
	}
	if after := list(t, dir); after != before {
		t.Errorf("%s has %s, and had %s", dir, after, before)
	}
}

// On an unreadable disk no file can be opened, and no directory listed.
type unreadable struct {
	vfs.FS
	err    error
	noList bool
}

func (d unreadable) List(name string) ([]string, error) {
	if d.noList {
		return nil, &fs.PathError{Op: "open", Path: name, Err: d.err}
	}
	return d.FS.List(name)
}

func (d unreadable) Open(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: d.err}
}

// A store whose files cannot be opened is not damaged, but one with missing files is.
func TestUnreadableFilesAreNotDamage(t *testing.T) {
	if alone(t) { // since the database leaves goroutines behind
		return
	}
	dir := t.TempDir()
	closeStore(t, open(t, dir, nil))
	for err, damaged := range map[error]bool{syscall.EMFILE: false, syscall.EACCES: false, syscall.EIO: false, syscall.ENOENT: true} {
		for _, noList := range []bool{false, true} {
			d, fault := openDirectory(dir)
			if fault != nil {
				t.Fatal(fault)
			}
			d.fs = unreadable{vfs.Default, err, noList}
			got := errors.Join(newStore((*Options)(nil).withDefaults(), d).open(), d.Close())
			if !errors.Is(got, err) || errors.Is(got, ErrDamaged) != damaged || !strings.Contains(got.Error(), dir) {
				t.Errorf("%v, no list %t: open = %v", err, noList, got)
			}
		}
	}
	closeStore(t, open(t, dir, nil))
}

// The database leaves most descriptors for the connections of the crawl.
func TestLeavesDescriptors(t *testing.T) {
	if alone(t) { // since it lowers the limit of the process
		return
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ limit, want int }{{400, 100}, {160, 40}} {
		limit.Cur = uint64(c.limit)
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		opts := (*Options)(nil).withDefaults()
		if got := databaseOptions(&opts, new(disk)).MaxOpenFiles; got != c.want {
			t.Errorf("%d files of %d, want %d", got, c.limit, c.want)
		}
	}
}

// unlisted is a database that lists no records.
type unlisted struct{ pebble.Reader }

func (unlisted) NewIter(*pebble.IterOptions) (*pebble.Iterator, error) { return nil, syscall.EIO }

// A database that cannot be read does not count as empty.
func TestUnreadableDatabaseIsNotEmpty(t *testing.T) {
	db := database{Reader: unlisted{}}
	if empty, err := db.empty(); empty || !errors.Is(err, syscall.EIO) {
		t.Errorf("empty %t, %v", empty, err)
	}
}

// flushed is a file that counts its flushes.
type flushed struct {
	vfs.File
	n int
}

func (f *flushed) Sync() error                { f.n++; return io.ErrShortWrite }
func (f *flushed) SyncData() error            { f.n++; return io.ErrShortWrite }
func (f *flushed) SyncTo(int64) (bool, error) { f.n++; return true, io.ErrShortWrite }

// With durability Power the store flushes all files and returns errors of it; with Process it
// flushes nothing.
func TestFlush(t *testing.T) {
	if alone(t) { // since a failure blocks its caller
		return
	}
	for _, flush := range []bool{true, false} {
		for name, call := range map[string]func(f *diskFile) error{
			"Sync":     func(f *diskFile) error { return f.Sync() },
			"SyncData": func(f *diskFile) error { return f.SyncData() },
			"SyncTo":   func(f *diskFile) error { _, err := f.SyncTo(1); return err },
		} {
			failed := make(chan error, 1)
			file := new(flushed)
			f := &diskFile{file, &disk{flush: flush, fail: func(err error) { failed <- err }}}
			if !flush {
				if err := call(f); err != nil || file.n > 0 {
					t.Errorf("%s: flushed %d times, %v", name, file.n, err)
				}
				continue
			}
			go func() { _ = call(f) }()
			select {
			case err := <-failed:
				if !errors.Is(err, io.ErrShortWrite) {
					t.Errorf("%s fails with %v", name, err)
				}
			case <-time.After(5 * time.Second):
				t.Errorf("%s is not flushed, or its failure is not reported", name)
			}
		}
	}
}

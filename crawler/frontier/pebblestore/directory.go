package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/politecrawl/politecrawl/crawler/internal/descriptors"
)

const (
	lockName  = "LOCK"
	ownerName = "OWNER" // the process that has the lock
)

// A directory is where a store lies, locked.
type directory struct {
	path  string
	lock  io.Closer
	owner string // the file that names the process; empty: others may have the lock too
	fs    vfs.FS // of the database
	disk  *disk
}

// openDirectory locks a directory that has a store or is to have one.
func openDirectory(dir string) (*directory, error) {
	if err := makeDirectory(vfs.Default, dir); err != nil {
		return nil, err
	}
	return lockDirectory(dir, false)
}

// makeDirectory is MkdirAll for a directory that a power cut does not take away.
func makeDirectory(on vfs.FS, dir string) error {
	if _, err := on.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := makeDirectory(on, parent); err != nil {
		return err
	}
	if err := on.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := on.OpenDir(parent)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// lockDirectory locks a directory that is there. For who only reads it need not be
// one that can be written.
func lockDirectory(dir string, readOnly bool) (*directory, error) {
	// One path for one directory: the lock of a process holds for the whole
	// process, and inside it the name counts.
	path, err := filepath.Abs(dir)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, err
	}
	if err := ours(path); err != nil {
		return nil, err
	}
	d := &directory{path: dir, fs: vfs.Default}
	lock, owner := filepath.Join(path, lockName), filepath.Join(path, ownerName)
	d.lock, err = vfs.Default.Lock(lock)
	if readOnly && forbidden(err) {
		if d.lock, err = lockShared(lock); err == nil {
			return d, nil
		}
	}
	if err != nil {
		if pathError, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, pathError
		}
		return nil, &InUseError{Dir: dir, PID: readOwner(owner)}
	}
	d.owner = owner
	return d, nil
}

// sign writes which process has the lock. A directory that is refused is left as it
// was, so this comes after all checks.
func (d *directory) sign() error {
	if d.owner == "" {
		return nil
	}
	return os.WriteFile(d.owner, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}

// forbidden reports whether a file could not be opened for writing because this
// process may not, or nobody.
func forbidden(err error) bool {
	// Without a path it is the lock that is refused, which may be EACCES too.
	_, ok := errors.AsType[*fs.PathError](err)
	return ok && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS))
}

func readOwner(name string) (pid int) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		return 0
	}
	return pid
}

// ours returns ErrForeign when the directory has files that are none of a
// store.
func ours(path string) error {
	files, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, f := range files {
		known := false
		for _, pattern := range []string{lockName, ownerName, "*.log", "*.sst", "*.blob", "*.dbtmp", "MANIFEST-*", "OPTIONS-*", "marker.*", "temporary.*", "CURRENT"} {
			if ok, err := filepath.Match(pattern, f.Name()); err == nil && ok {
				known = true
			}
		}
		if !known || f.IsDir() {
			return fmt.Errorf("%w: %s has %s", ErrForeign, path, f.Name())
		}
	}
	return nil
}

// Lock locks the directory dir as an open store does, and creates it if it is missing, without a
// store. Use it to keep two processes from writing the same files beside dir while their frontier
// is elsewhere. The error is an *InUseError while another process holds the lock.
func Lock(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	d, err := lockDirectory(dir, false)
	if err != nil {
		return nil, err
	}
	if err := d.sign(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close gives the lock back.
func (d *directory) Close() error {
	if d.lock == nil {
		return nil
	}
	lock := d.lock
	d.lock = nil
	return lock.Close()
}

// exists returns ErrForeign when there is no database in a directory.
func exists(dir string) error {
	if err := ours(dir); err != nil {
		return err
	}
	switch desc, err := pebble.Peek(dir, vfs.Default); {
	case err != nil || desc.Exists:
		return nil // who opens it says what is wrong
	case hasData(vfs.Default, dir):
		return lostManifest(dir)
	}
	return fmt.Errorf("%w: nothing in %s", ErrForeign, dir)
}

// lostManifest is the error for a database without the file that names its files.
func lostManifest(dir string) error {
	return damaged(dir, errors.New("its manifest is lost"))
}

// hasData reports whether there are files that come into being only when a
// database is complete.
func hasData(on vfs.FS, dir string) bool {
	names, err := on.List(dir)
	return err == nil && slices.ContainsFunc(names, func(name string) bool {
		ext := filepath.Ext(name)
		return ext == ".log" || ext == ".sst"
	})
}

// database opens the database. When the disk fails, now or later on, fail is
// called, and this may never return.
func (d *directory) database(opts *Options, readOnly bool, fail func(error)) (*pebble.DB, error) {
	desc, err := pebble.Peek(d.path, d.fs)
	switch {
	case err != nil && strings.Contains(err.Error(), "unknown format"):
		return nil, fmt.Errorf("%w: %s: %w", ErrFormat, d.path, err)
	case err != nil:
		return nil, d.unopened(err)
	case !desc.Exists && hasData(d.fs, d.path):
		return nil, lostManifest(d.path)
	}
	d.disk = &disk{FS: d.fs, flush: opts.Durability == Power, fail: fail}
	o := databaseOptions(opts, d.disk)
	o.ReadOnly, o.DisableTableStats = readOnly, readOnly
	db, err := pebble.Open(d.path, o)
	if err != nil {
		return nil, d.unopened(err)
	}
	return db, nil
}

// unopened is why the database could not be opened. What the system says of files is no
// damage, unless there are none.
func (d *directory) unopened(err error) error {
	if _, ok := errors.AsType[syscall.Errno](err); ok && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("opening %s: %w", d.path, err)
	}
	return damaged(d.path, err)
}

const databaseFormat = pebble.FormatNewest

// maxOpenFiles is how many files the database keeps open at the most.
const maxOpenFiles = 1000

func databaseOptions(opts *Options, disk *disk) *pebble.Options {
	log := logger{opts.Logger, disk}
	return &pebble.Options{
		FS:                 disk,
		FormatMajorVersion: databaseFormat,
		CacheSize:          cacheBytes,
		MemTableSize:       opts.memTable,
		MaxOpenFiles:       min(maxOpenFiles, descriptors.Limit()/4), // of which it takes more where it has to
		Logger:             log,
		EventListener: &pebble.EventListener{
			BackgroundError:   func(err error) { log.Errorf("%v", err) },
			DataCorruption:    log.corruption,
			PossibleAPIMisuse: func(info pebble.PossibleAPIMisuseInfo) { log.Errorf("%v", info) },
		},
	}
}

// A logger is told what the database has to say.
type logger struct {
	log  *slog.Logger
	disk *disk
}

// Infof is part of pebble.Logger.
func (l logger) Infof(format string, args ...any) { l.log.Debug(fmt.Sprintf(format, args...)) }

// Errorf is part of pebble.Logger.
func (l logger) Errorf(format string, args ...any) { l.log.Warn(fmt.Sprintf(format, args...)) }

// Fatalf is called where the database cannot go on. It must not return.
func (l logger) Fatalf(format string, args ...any) {
	l.disk.stop(fmt.Errorf(format, args...))
	l.disk.check()
}

// corruption is called where what is read is not what was written. While the
// database is being opened, whoever reads reports it.
func (l logger) corruption(info pebble.DataCorruptionInfo) {
	l.Errorf("%v", info)
	if l.disk.state.Load() != opening {
		l.disk.stop(fmt.Errorf("%w: %v", ErrDamaged, info))
	}
}

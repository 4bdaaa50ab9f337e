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

// A directory is the locked directory of a store.
type directory struct {
	path  string
	lock  io.Closer
	owner string // path of the file with the process id; empty if the lock is shared
	fs    vfs.FS // of the database
	disk  *disk
}

// openDirectory creates a directory if needed and locks it.
func openDirectory(dir string) (*directory, error) {
	if err := makeDirectory(vfs.Default, dir); err != nil {
		return nil, err
	}
	return lockDirectory(dir, false)
}

// makeDirectory is MkdirAll, and syncs so that the directory survives a power failure.
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

// lockDirectory locks an existing directory. With readOnly the directory need not be writable.
func lockDirectory(dir string, readOnly bool) (*directory, error) {
	// The lock holds for the whole process, and pebble compares paths inside it. So each
	// directory needs a single path.
	path, err := filepath.Abs(dir)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, err
	}
	if err := checkFiles(path); err != nil {
		return nil, err
	}
	d := &directory{path: dir, fs: vfs.Default}
	lock, owner := filepath.Join(path, lockName), filepath.Join(path, ownerName)
	d.lock, err = vfs.Default.Lock(lock)
	if readOnly && notWritable(err) {
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

// writeOwner writes the id of this process. It is called after all checks, since a rejected
// directory must not change.
func (d *directory) writeOwner() error {
	if d.owner == "" {
		return nil
	}
	return os.WriteFile(d.owner, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}

// notWritable reports whether a file could not be opened for lack of permission, or because the
// file system is read-only.
func notWritable(err error) bool {
	// An error without a path comes from the lock, which can also return EACCES.
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

// checkFiles returns ErrNotFrontier if the directory has other files than those of a store.
func checkFiles(path string) error {
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
			return fmt.Errorf("%w: %s has %s", ErrNotFrontier, path, f.Name())
		}
	}
	return nil
}

// Lock locks the directory dir like Open, but opens no store. It creates a missing directory. Use
// it for a crawl whose frontier is elsewhere, to keep other processes from writing its files. The
// error is an *InUseError if the directory is locked.
func Lock(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	d, err := lockDirectory(dir, false)
	if err != nil {
		return nil, err
	}
	if err := d.writeOwner(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close releases the lock.
func (d *directory) Close() error {
	if d.lock == nil {
		return nil
	}
	lock := d.lock
	d.lock = nil
	return lock.Close()
}

// checkExists returns ErrNotFrontier if the directory has no database.
func checkExists(dir string) error {
	if err := checkFiles(dir); err != nil {
		return err
	}
	switch desc, err := pebble.Peek(dir, vfs.Default); {
	case err != nil || desc.Exists:
		return nil // opening it returns the error
	case hasData(vfs.Default, dir):
		return lostManifest(dir)
	}
	return fmt.Errorf("%w: nothing in %s", ErrNotFrontier, dir)
}

// lostManifest is the error for a database without manifest.
func lostManifest(dir string) error {
	return damaged(dir, errors.New("its manifest is lost"))
}

// hasData reports whether the directory has files that exist only in a complete database.
func hasData(on vfs.FS, dir string) bool {
	names, err := on.List(dir)
	return err == nil && slices.ContainsFunc(names, func(name string) bool {
		ext := filepath.Ext(name)
		return ext == ".log" || ext == ".sst"
	})
}

// database opens the database. After a disk error, now or later, it calls fail and may never
// return.
func (d *directory) database(opts *Options, readOnly bool, fail func(error)) (*pebble.DB, error) {
	desc, err := pebble.Peek(d.path, d.fs)
	switch {
	case err != nil && strings.Contains(err.Error(), "unknown format"):
		return nil, fmt.Errorf("%w: %s: %w", ErrFormat, d.path, err)
	case err != nil:
		return nil, d.openError(err)
	case !desc.Exists && hasData(d.fs, d.path):
		return nil, lostManifest(d.path)
	}
	d.disk = &disk{FS: d.fs, flush: opts.Durability == Power, fail: fail}
	o := databaseOptions(opts, d.disk)
	o.ReadOnly, o.DisableTableStats = readOnly, readOnly
	db, err := pebble.Open(d.path, o)
	if err != nil {
		return nil, d.openError(err)
	}
	return db, nil
}

// openError returns the error for a database that could not be opened. Errors of the system are
// no damage, except a missing file.
func (d *directory) openError(err error) error {
	if _, ok := errors.AsType[syscall.Errno](err); ok && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("opening %s: %w", d.path, err)
	}
	return damaged(d.path, err)
}

const databaseFormat = pebble.FormatNewest

// maxOpenFiles is the maximum number of files that the database keeps open.
const maxOpenFiles = 1000

func databaseOptions(opts *Options, disk *disk) *pebble.Options {
	log := logger{opts.Logger, disk}
	return &pebble.Options{
		FS:                 disk,
		FormatMajorVersion: databaseFormat,
		CacheSize:          cacheBytes,
		MemTableSize:       opts.memTable,
		MaxOpenFiles:       min(maxOpenFiles, descriptors.Limit()/4), // a soft limit
		Logger:             log,
		EventListener: &pebble.EventListener{
			BackgroundError:   func(err error) { log.Errorf("%v", err) },
			DataCorruption:    log.corruption,
			PossibleAPIMisuse: func(info pebble.PossibleAPIMisuseInfo) { log.Errorf("%v", info) },
		},
	}
}

// A logger logs the messages of the database.
type logger struct {
	log  *slog.Logger
	disk *disk
}

// Infof is part of pebble.Logger.
func (l logger) Infof(format string, args ...any) { l.log.Debug(fmt.Sprintf(format, args...)) }

// Errorf is part of pebble.Logger.
func (l logger) Errorf(format string, args ...any) { l.log.Warn(fmt.Sprintf(format, args...)) }

// Fatalf is called for a fatal error of the database. It must not return.
func (l logger) Fatalf(format string, args ...any) {
	l.disk.stop(fmt.Errorf(format, args...))
	l.disk.check()
}

// corruption is called for data with a wrong checksum. While the database is being opened, the
// reader returns the error.
func (l logger) corruption(info pebble.DataCorruptionInfo) {
	l.Errorf("%v", info)
	if l.disk.state.Load() != opening {
		l.disk.stop(fmt.Errorf("%w: %v", ErrDamaged, info))
	}
}

package logstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// The files of a store.
const (
	logName   = "log"
	indexName = "index" // of a store that was closed
	lockName  = "LOCK"
	ownerName = "OWNER" // the process that has the lock
	newSuffix = ".new"  // of a log or index that is being written
)

// A directory is the locked directory of a store.
type directory struct {
	path string
	lock *flock.Flock
}

// lockDirectory creates a directory if needed and locks it.
func lockDirectory(dir string) (*directory, error) {
	if err := durable.MkdirAll(dir); err != nil {
		return nil, err
	}
	if err := checkFiles(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o644))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, &InUseError{Dir: dir, PID: readOwner(dir)}
	}
	return &directory{dir, lock}, nil
}

// checkUnlocked returns an *InUseError if a process has the directory open. It needs no permission to
// write, and keeps no lock.
func checkUnlocked(dir string) error {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_RDONLY))
	unlocked, err := lock.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !unlocked:
		return &InUseError{Dir: dir, PID: readOwner(dir)}
	}
	return lock.Close()
}

// writeOwner writes the id of this process. It is called after all checks, since a rejected
// directory must not change.
func (d *directory) writeOwner() error {
	return os.WriteFile(filepath.Join(d.path, ownerName), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}

func readOwner(dir string) (pid int) {
	text, _ := os.ReadFile(filepath.Join(dir, ownerName))
	pid, _ = strconv.Atoi(strings.TrimSpace(string(text))) // 0 if it cannot be read
	return pid
}

// checkFiles returns ErrNotFrontier if the directory has other files than those of a store, and
// ErrFormat if it has those of a database, which stores once were.
func checkFiles(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(files, func(f fs.DirEntry) bool { return strings.HasPrefix(f.Name(), "MANIFEST-") }) {
		return formatError(dir, lastDatabase)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), newSuffix)
		if f.IsDir() || !slices.Contains([]string{logName, indexName, lockName, ownerName}, name) {
			return fmt.Errorf("%w: %s has %s", ErrNotFrontier, dir, f.Name())
		}
	}
	return nil
}

// Lock locks the directory dir like Open, but opens no store. It creates a missing directory. Use
// it for a crawl whose frontier is elsewhere, to keep other processes from writing its files. The
// error is an *InUseError if the directory is locked.
func Lock(dir string) (io.Closer, error) {
	d, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	if err := d.writeOwner(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close releases the lock.
func (d *directory) Close() error { return d.lock.Close() }

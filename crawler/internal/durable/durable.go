// Package durable syncs files and directories to disk, so that they survive a crash or a
// power cut of the machine.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Synced is called with the name of each synced file and directory, unless it is nil. Package
// powercut sets it to simulate power cuts in tests.
var Synced func(name string)

// File syncs a file to disk.
func File(f *os.File) error {
	if err := f.Sync(); err != nil {
		return err
	}
	if Synced != nil {
		Synced(f.Name())
	}
	return nil
}

// Dir syncs the names in a directory to disk. Otherwise a synced file may be missing after a power
// cut.
func Dir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(File(dir), dir.Close())
}

// Rename renames a file within its directory, and syncs its new name to disk.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return Dir(filepath.Dir(to))
}

// MkdirAll creates a directory and its missing parents, and syncs their names to disk.
func MkdirAll(path string) error {
	var grown []string // directories that get a new name
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		grown = append(grown, filepath.Dir(at))
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	for _, dir := range grown {
		if err := Dir(dir); err != nil {
			return err
		}
	}
	return nil
}

// Package durable brings files and their names to the disk, so that they outlive a
// crash or a power cut of the machine.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Synced is called with each file and directory that has reached the disk. Nil: nobody is.
// Package powercut sets it to simulate power cuts in tests.
var Synced func(name string)

// File returns when the bytes of a file have reached the disk.
func File(f *os.File) error {
	if err := f.Sync(); err != nil {
		return err
	}
	if Synced != nil {
		Synced(f.Name())
	}
	return nil
}

// Dir returns when the names in a directory have reached the disk. A file whose bytes
// have, and whose name has not, is not there after the machine went down.
func Dir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(File(dir), dir.Close())
}

// Rename renames a file within its directory, and returns when its new name has reached
// the disk.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return Dir(filepath.Dir(to))
}

// MkdirAll makes a directory and its parents where they are missing, and returns when
// their names have reached the disk.
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

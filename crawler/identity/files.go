package identity

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// empty removes all that is in a directory, and the directory itself if it was missing before.
func empty(dir string, wasMissing bool) error {
	if wasMissing {
		return os.RemoveAll(dir)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// isWritten reports whether all files are as they must be.
func isWritten(files map[string][]byte) bool {
	for name, text := range files {
		if !has(name, text) {
			return false
		}
	}
	return true
}

// has reports whether a file has a text, or with nil whether there is no file.
func has(name string, text []byte) bool {
	old, err := os.ReadFile(name)
	if text == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && bytes.Equal(old, text)
}

// replace writes a file beside its place, and moves it there. With nil it removes the file.
func replace(name string, text []byte, mode fs.FileMode) (err error) {
	if has(name, text) {
		return nil
	}
	if text == nil {
		return os.Remove(name)
	}
	if err := durable.MkdirAll(filepath.Dir(name)); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(text)
	if err := errors.Join(err, file.Chmod(mode), durable.File(file), file.Close()); err != nil {
		return err
	}
	return durable.Rename(file.Name(), name)
}

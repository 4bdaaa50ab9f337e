package jsonlines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// A File is a JSON lines file that is open for appending. It is safe for concurrent use, except Close.
type File struct {
	path string

	mu     sync.Mutex // guards file and length, and the order of writes
	file   *os.File   // nil until the first line creates it
	length int64
}

// Open opens a file for appending, and truncates it to counted bytes. The caller syncs its name.
func Open(path string, counted int64) (*File, error) {
	if err := RefuseSymlink(path); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	length, err := Truncate(file, counted)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &File{file: file, path: path, length: length}, nil
}

// OpenLater is like Open, but does not create a missing file. The first line creates it.
func OpenLater(path string, counted int64) (*File, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return &File{path: path}, nil
	}
	return Open(path, counted)
}

// create creates a file that was opened by OpenLater, and syncs its name.
func (l *File) create() error {
	created, err := Open(l.path, 0)
	if err != nil {
		return err
	}
	if err := durable.Dir(filepath.Dir(l.path)); err != nil {
		return errors.Join(err, created.Close())
	}
	l.file = created.file
	return nil
}

// Truncate truncates a file to counted bytes and to complete lines, so that the next line is not
// appended to an incomplete one. It returns the file's length.
func Truncate(file *os.File, counted int64) (length int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	length, err = CompleteLength(file, min(info.Size(), counted))
	if err != nil || length == info.Size() {
		return length, err
	}
	return length, file.Truncate(length)
}

// Append appends complete lines, as Line makes them, and returns their offset. When it returns, the kernel has them.
func (l *File) Append(text []byte) (at int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(text) == 0 {
		return l.length, nil
	}
	if l.file == nil {
		if err := l.create(); err != nil {
			return 0, err
		}
	}
	if _, err := l.file.Write(text); err != nil {
		// Remove the incomplete write, so that later lines are intact.
		return 0, errors.Join(err, l.file.Truncate(l.length))
	}
	at = l.length
	l.length += int64(len(text))
	return at, nil
}

// Length returns the length of the file in bytes.
func (l *File) Length() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.length
}

// Sync syncs all appended lines to disk.
func (l *File) Sync() error {
	l.mu.Lock()
	file := l.file
	l.mu.Unlock()
	if file == nil {
		return nil
	}
	return durable.File(file) // without mu: lines may be appended meanwhile
}

// Close closes the file. Call it after the last write.
func (l *File) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// RefuseSymlink returns an error if path is a symbolic link, since a crawl writes only inside its
// directory.
func RefuseSymlink(path string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return fmt.Errorf("%q is a symbolic link, which a crawl does not follow; remove it", path)
	}
	return nil
}

// CompleteLength returns how many of the first length bytes of a file are complete lines.
// It reads backwards from there.
func CompleteLength(r io.ReaderAt, length int64) (int64, error) {
	var buf [4096]byte
	for end := length; end > 0; {
		start := max(end-int64(len(buf)), 0)
		part := buf[:end-start]
		if _, err := r.ReadAt(part, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

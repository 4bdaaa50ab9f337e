package jsonlines

import (
	"errors"
	"math"
	"path/filepath"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// A Log is a file of JSON lines of which every complete line counts. It is safe for
// concurrent use.
type Log struct {
	mu    sync.Mutex // guards lines, and the order of writes
	lines *File
}

// OpenLog opens or creates a log to append to it. It removes an incomplete last line, and
// syncs the names in the directory.
func OpenLog(name string) (*Log, error) {
	l, err := Open(name, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	if err := durable.Dir(filepath.Dir(name)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Log{lines: l}, nil
}

// Append appends complete lines, as Line makes them, and returns their offset. When it
// returns, the kernel has them.
func (l *Log) Append(lines []byte) (at int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at = l.lines.length
	return at, l.lines.Append(lines)
}

// Length returns how long the file is.
func (l *Log) Length() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.length
}

// Sync returns when everything appended has reached the disk.
func (l *Log) Sync() error { return l.lines.Sync() }

// Close closes the file.
func (l *Log) Close() error { return l.lines.Close() }

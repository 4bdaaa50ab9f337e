package jsonlines

import (
	"errors"
	"math"
	"path/filepath"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// A Log is a JSON lines file in which every complete line is valid. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex // guards lines, and the order of writes
	lines *File
}

// OpenLog opens or creates a log for appending. It removes an incomplete last line, and
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

// Length returns the length of the file in bytes.
func (l *Log) Length() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.length
}

// Sync syncs all appended lines to disk.
func (l *Log) Sync() error { return l.lines.Sync() }

// Close closes the file.
func (l *Log) Close() error { return l.lines.Close() }

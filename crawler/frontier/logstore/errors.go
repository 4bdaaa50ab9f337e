package logstore

import (
	"errors"
	"fmt"
)

var (
	// ErrInUse means that another process, or this one, has the store open. The error is an
	// *InUseError.
	ErrInUse = errors.New("in use")

	// ErrNotFrontier means that a directory contains files that do not belong to a store.
	ErrNotFrontier = errors.New("not a frontier")

	// ErrFormat means that another version of this package wrote the store.
	ErrFormat = errors.New("written by another version")

	// ErrDamaged means that the log is corrupt. The error names the first damaged byte; what is
	// before it can be read with OpenReadOnly.
	ErrDamaged = errors.New("damaged frontier")
)

// An InUseError names the process that has a store open. It matches ErrInUse (errors.Is).
type InUseError struct {
	Dir string
	PID int // process id; 0 if unknown
}

func (e *InUseError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("%v: %s is open in %s", ErrInUse, e.Dir, who)
}

// Unwrap returns ErrInUse.
func (e *InUseError) Unwrap() error { return ErrInUse }

// damaged returns ErrDamaged for a place in a log.
func damaged(path string, at int64, what string) error {
	return fmt.Errorf("%w: %s, byte %d: %s", ErrDamaged, path, at, what)
}

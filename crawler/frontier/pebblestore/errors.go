package pebblestore

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrInUse says that another has the store open. The error is an
	// *InUseError.
	ErrInUse = errors.New("in use")

	// ErrForeign says that a directory holds something else than a store.
	ErrForeign = errors.New("not a frontier")

	// ErrFormat says that a store was written by another version of this
	// package.
	ErrFormat = errors.New("written by another version")

	// ErrDamaged says that a store is not as it was left. What is lost cannot
	// be told, so that it is better crawled again.
	ErrDamaged = errors.New("damaged frontier")
)

// An InUseError says who has a store open. It is ErrInUse for errors.Is.
type InUseError struct {
	Dir string
	PID int // of the process; 0: it did not say
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

// damaged is ErrDamaged for the store at a path, with its cause.
func damaged(path string, cause error) error {
	return fmt.Errorf("%w: %s: %w", ErrDamaged, path, firstLine{cause})
}

// A firstLine is an error of the database, which adds lines for its programmers.
type firstLine struct{ error }

func (e firstLine) Error() string {
	line, _, _ := strings.Cut(e.error.Error(), "\n")
	return line
}

func (e firstLine) Unwrap() error { return e.error }

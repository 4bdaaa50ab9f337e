package pebblestore

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrInUse means that another process, or this one, has the store open. The error is an
	// *InUseError.
	ErrInUse = errors.New("in use")

	// ErrNotFrontier means that a directory contains files that do not belong to a store.
	ErrNotFrontier = errors.New("not a frontier")

	// ErrFormat means that another version of this package wrote the store.
	ErrFormat = errors.New("written by another version")

	// ErrDamaged means that files of the store are missing or corrupt. An unknown part of the
	// data is lost, so crawl again in a new directory.
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

// damaged returns ErrDamaged with the path of the store and the cause.
func damaged(path string, cause error) error {
	return fmt.Errorf("%w: %s: %w", ErrDamaged, path, firstLine{cause})
}

// A firstLine is an error of the database without its stack trace.
type firstLine struct{ error }

func (e firstLine) Error() string {
	line, _, _ := strings.Cut(e.error.Error(), "\n")
	return line
}

func (e firstLine) Unwrap() error { return e.error }

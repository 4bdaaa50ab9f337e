package jsonlines

import (
	"errors"
	"fmt"
	"strings"
)

// A DamagedError means that a file or some of its lines cannot be read.
type DamagedError struct {
	File  string
	Lines []int // numbers of the unreadable lines, from 1; empty if it is not a JSON lines file
	Err   error // error of the file or of the first of Lines
}

func (e *DamagedError) Error() string {
	if len(e.Lines) == 0 {
		return fmt.Sprintf("%q: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%q is damaged: %s", e.File, e.Text())
}

// Unwrap returns e.Err.
func (e *DamagedError) Unwrap() error { return e.Err }

// Text says which lines cannot be read, and why.
func (e *DamagedError) Text() string {
	return fmt.Sprintf("%s cannot be read (%v)", linesText(e.Lines), e.Err)
}

func (e *DamagedError) add(line int, err error) {
	if e.Err == nil {
		e.Err = err
	}
	e.Lines = append(e.Lines, line)
}

// maxLinesText is the maximum number of line numbers in a text.
const maxLinesText = 5

// linesText names lines by their numbers.
func linesText(numbers []int) string {
	var b strings.Builder
	b.WriteString("line")
	if len(numbers) > 1 {
		b.WriteString("s")
	}
	for i, n := range numbers[:min(len(numbers), maxLinesText)] {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, " %d", n)
	}
	if more := len(numbers) - maxLinesText; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// Readable returns err, unless it is a [*DamagedError], for callers that need only the
// readable lines.
func Readable(err error) error {
	if _, ok := errors.AsType[*DamagedError](err); ok {
		return nil
	}
	return err
}

// BadLine returns an error for the function that Each calls: the line is valid JSON, but its values
// are invalid. Each reports it as damaged.
func BadLine(err error) error { return &badLine{err} }

type badLine struct{ error }

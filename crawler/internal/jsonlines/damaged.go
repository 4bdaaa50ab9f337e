package jsonlines

import (
	"errors"
	"fmt"
	"strings"
)

// A DamagedError says that a file cannot be read. For a file of JSON lines it names the
// lines that cannot be read.
type DamagedError struct {
	File  string
	Lines []int // their numbers, from 1; none: the file is no file of lines
	Err   error // what is wrong, with the first of them
}

func (e *DamagedError) Error() string {
	if len(e.Lines) == 0 {
		return fmt.Sprintf("%q: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%q is damaged: %s", e.File, e.Text())
}

// Unwrap returns what is wrong with the first line.
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

// maxLinesText is how many numbers of lines a text repeats.
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

// BadLine returns an error for the function that Each calls: the line is valid JSON but
// makes no sense. Each reports it as damaged.
func BadLine(err error) error { return &badLine{err} }

type badLine struct{ error }

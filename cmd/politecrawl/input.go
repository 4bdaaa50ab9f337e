package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
)

// stdinName is how a command line names standard input.
const stdinName = "-"

// inWords is the name of an input as a person is told of it.
func inWords(name string) string {
	if name == stdinName {
		return "standard input"
	}
	return name
}

// readInput returns the content of a file or of standard input.
func readInput(name string, stdin io.Reader) ([]byte, error) {
	if name == stdinName {
		body, err := io.ReadAll(stdin)
		if err != nil {
			return nil, failed("standard input: %w", err)
		}
		return body, nil
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, misuse("%w; %s", quoted(err), readable)
	}
	return body, nil
}

// readable is what to do about a file that cannot be opened.
const readable = "name a file that can be read"

// quoted puts the name of a file or directory into quotes, within an error about
// it: it may hold spaces, or be the one that was not meant.
func quoted(err error) error {
	if about, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s %q: %w", about.Op, about.Path, about.Err)
	}
	return err
}

// An inputLine is one line of a list.
type inputLine struct {
	number int // from 1
	text   string
}

// lines yields what a list of URLs holds, one a line; blank lines and lines that
// begin with # are passed over, and so is a byte order mark before the first.
func lines(r io.Reader) iter.Seq2[inputLine, error] {
	return func(yield func(inputLine, error) bool) {
		scanner := bufio.NewScanner(r)
		number := 0
		for scanner.Scan() {
			number++
			text := scanner.Text()
			if number == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			text = strings.TrimSpace(text)
			if text == "" || text[0] == '#' {
				continue
			}
			if !yield(inputLine{number, text}, nil) {
				return
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(inputLine{}, fmt.Errorf("line %d is too long for a URL", number+1))
		case err != nil:
			yield(inputLine{}, err)
		}
	}
}

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
)

// Stdin is the argument that means standard input.
const Stdin = "-"

// InputName returns the name of an input for a message.
func InputName(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return name
}

// ReadInput returns the content of a file or of standard input.
func ReadInput(name string, stdin io.Reader) ([]byte, error) {
	if name == Stdin {
		body, err := io.ReadAll(stdin)
		if err != nil {
			return nil, Failed("standard input: %w", err)
		}
		return body, nil
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, Misuse("%w; %s", QuotePath(err), FileHint)
	}
	return body, nil
}

// FileHint says what to do about a file that cannot be opened.
const FileHint = "name a file that you can read"

// A Line is one line of a list.
type Line struct {
	Number int // from 1
	Text   string
}

// Lines yields the lines of a list of URLs. It skips blank lines, lines that begin with #,
// and a byte order mark.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
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
			if !yield(Line{number, text}, nil) {
				return
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(Line{}, fmt.Errorf("line %d is too long for a URL", number+1))
		case err != nil:
			yield(Line{}, err)
		}
	}
}

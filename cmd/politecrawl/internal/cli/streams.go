// Package cli holds what the commands of politecrawl share: streams, exit codes, output
// formats, arguments, help and completion.
package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Streams are the standard streams that a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Notice writes a line for a person to standard error, without passwords, since others may
// see it too. There is nobody to tell when that fails.
func (s *Streams) Notice(line string) {
	_, _ = fmt.Fprintln(s.Err, Escape(secret.RedactText(line)))
}

// Complain writes an error that does not end the command yet.
func (s *Streams) Complain(err error) {
	for line := range strings.Lines(err.Error()) {
		s.Notice("politecrawl: " + strings.TrimSuffix(line, "\n"))
	}
}

// Package cli has the common parts of the commands of politecrawl: streams, exit codes,
// output formats, arguments, help and completion.
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

// Notice writes a line to standard error, without passwords. It ignores errors.
func (s *Streams) Notice(line string) {
	_, _ = fmt.Fprintln(s.Err, Escape(secret.RedactText(line)))
}

// Complain writes an error that does not end the command.
func (s *Streams) Complain(err error) {
	for line := range strings.Lines(err.Error()) {
		s.Notice("politecrawl: " + strings.TrimSuffix(line, "\n"))
	}
}

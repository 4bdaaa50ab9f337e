package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// Format is how results are written: the value of --format.
type Format string

// The formats.
const (
	Text Format = "text"
	JSON Format = "json"
	CSV  Format = "csv"
)

// AddFlag gives cmd the flag --format, for text, JSON and others that it can write.
func (f *Format) AddFlag(cmd *cobra.Command, others ...Format) {
	Choice(cmd, f, "format", "print results in this format", append([]Format{Text, JSON}, others...)...)
}

// Print writes results to standard output.
func (s *Streams) Print(text string) error {
	_, err := io.WriteString(s.Out, text)
	return resultsError(err)
}

// PrintJSON writes v to standard output as one line.
func (s *Streams) PrintJSON(v any) error {
	text, err := Marshal(v)
	if err != nil {
		return err
	}
	return s.Print(text + "\n")
}

// PrintAs writes v to standard output in a format: as JSON, or else as its text.
func (s *Streams) PrintAs(format Format, v any, text string) error {
	if format == JSON {
		return s.PrintJSON(v)
	}
	return s.Print(text)
}

// Buffered returns streams with a buffered standard output, for commands that print more
// than fits into memory. flush writes the rest.
func (s *Streams) Buffered() (buffered *Streams, flush func() error) {
	out := bufio.NewWriterSize(s.Out, 1<<16)
	flush = func() error { return resultsError(out.Flush()) }
	return &Streams{In: s.In, Out: out, Err: s.Err}, flush
}

func resultsError(err error) error {
	if err == nil {
		return nil
	}
	return Failed("cannot write the results: %w", err)
}

// Marshal returns v as JSON without escapes for &, < and >, which are common in URLs.
func Marshal(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", Failed("cannot write the results as JSON: %w", err)
	}
	return string(safejson.Escape(bytes.TrimSuffix(b.Bytes(), []byte("\n")))), nil
}

// A Color is the code of a color on a terminal.
type Color string

// The colors.
const (
	Plain  Color = ""
	Green  Color = "32"
	Red    Color = "31"
	Yellow Color = "33"
	Faint  Color = "2"
)

// A Painter returns text in a color.
type Painter func(Color, string) string

// Painter returns the Painter for standard output. It colors text only on a terminal, and
// not if the user has set NO_COLOR (https://no-color.org).
func (s *Streams) Painter() Painter { return PainterFor(s.Out) }

// PainterFor returns the Painter for text that is written to w.
func PainterFor(w io.Writer) Painter {
	if !IsTerminal(w) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return func(_ Color, text string) string { return text }
	}
	return ANSI
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Width returns the width of standard output in characters.
func (s *Streams) Width() int {
	if file, ok := s.Out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// ANSI colors text by the escape sequences that terminals know.
func ANSI(c Color, text string) string {
	if c == Plain {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// A Page is a text that is being written for people.
type Page struct {
	strings.Builder
	Paint Painter
	Names int // width of the names of fields
}

// Printf writes formatted text.
func (p *Page) Printf(format string, args ...any) { fmt.Fprintf(&p.Builder, format, args...) }

// Field writes a line with its name before it. An empty name continues the field above.
func (p *Page) Field(name, format string, args ...any) {
	p.Printf("  %-*s  %s\n", p.Names, name, fmt.Sprintf(format, args...))
}

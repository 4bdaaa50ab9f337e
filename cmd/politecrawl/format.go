package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/politecrawl/politecrawl/crawler/output/jsontext"
)

// outputFormat is the value of --format.
type outputFormat string

const (
	formatText outputFormat = "text"
	formatJSON outputFormat = "json"
	formatCSV  outputFormat = "csv"
)

// flag gives cmd the flag --format, for text, JSON and others that it can write.
func (f *outputFormat) flag(cmd *cobra.Command, others ...outputFormat) {
	choice(cmd, f, "format", "how results are written", append([]outputFormat{formatText, formatJSON}, others...)...)
}

// print writes results to standard output.
func (p *program) print(text string) error {
	if _, err := io.WriteString(p.out, text); err != nil {
		return failed("cannot write the results: %w", err)
	}
	return nil
}

// printJSON writes v to standard output as one line.
func (p *program) printJSON(v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	return p.print(text + "\n")
}

// marshal returns v as JSON in which &, < and > stand for themselves: URLs are
// full of them and nobody puts this into a page.
func marshal(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", failed("cannot write the results as JSON: %w", err)
	}
	return string(jsontext.Tame(bytes.TrimSuffix(b.Bytes(), []byte("\n")))), nil
}

// A colour is the terminal's code for one.
type colour string

const (
	plain  colour = ""
	green  colour = "32"
	red    colour = "31"
	yellow colour = "33"
	faint  colour = "2"
)

// A painter returns text in a colour.
type painter func(colour, string) string

// painter returns how text is coloured on standard output: not at all unless that
// is a terminal whose user has not asked for plain text (https://no-color.org).
func (p *program) painter() painter { return painterOf(p.out) }

func painterOf(w io.Writer) painter {
	if !isTerminal(w) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return func(_ colour, text string) string { return text }
	}
	return ansi
}

// isTerminal tells whether somebody watches what is written to w.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// width returns how many characters a line of standard output may have.
func (p *program) width() int {
	if file, ok := p.out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// ansi colours text by the escape sequences that terminals know.
func ansi(c colour, text string) string {
	if c == plain {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Escape escapes control characters and invalid UTF-8 in text, so that a terminal does not
// interpret them.
func Escape(text string) string {
	quoted := strconv.QuoteToGraphic(text)
	return unquoted.Replace(quoted[1 : len(quoted)-1])
}

// unquoted writes what only a quoted text needs to escape as itself.
var unquoted = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// Clip shortens text to at most that many characters.
func Clip(text string, most int) string {
	if characters := []rune(text); len(characters) > most {
		return string(characters[:most-1]) + "…"
	}
	return text
}

// OneLine returns text with each run of white space as one space.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// ErrorText returns the text of err on one line, without users and passwords. It returns an
// empty string for nil.
func ErrorText(err error) string {
	if err == nil {
		return ""
	}
	return OneLine(secret.RedactText(err.Error()))
}

// QuotePath quotes the path in an error about a file or directory, because it may contain
// spaces.
func QuotePath(err error) error {
	if about, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s %q: %w", about.Op, about.Path, about.Err)
	}
	return err
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// ShellWord writes s so that a shell reads it as one word.
func ShellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

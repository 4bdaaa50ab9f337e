// Package crawldir explains errors in the directory of a crawl, and what to do about them.
package crawldir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The names of the state file and of the frontier in the directory of a crawl.
const (
	StateFile      = "crawl.json"
	FrontierFolder = "frontier"
)

// HoldsCrawl reports whether dir has the state file of a crawl.
func HoldsCrawl(dir string) bool { return exists(filepath.Join(dir, StateFile)) }

// HoldsFrontier reports whether dir has a frontier. It does not read the URLs.
func HoldsFrontier(dir string) bool {
	err := logstore.Check(filepath.Join(dir, FrontierFolder))
	return err == nil || errors.Is(err, logstore.ErrInUse)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// IsDirectory reports whether name is a directory.
func IsDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// ResumeError says what to do when the crawl in dir cannot be resumed. The flag is the one
// that names dir.
func ResumeError(flag, dir string, err error) error {
	above := filepath.Join(dir, "..")
	none := errors.Is(err, output.ErrNoCrawl)
	switch {
	case (none || errors.Is(err, syscall.ENOTDIR)) && exists(dir) && HoldsCrawl(above):
		return cli.Misuse("--%s: %q is part of the crawl in %q; give that directory: --%s %s", flag, dir, above, flag, cli.ShellWord(above))
	case IsBadJSON(err), none && HoldsFrontier(dir):
		return DamagedState("--"+flag, dir, ResumeCommand(flag, dir), err)
	case none:
		return cli.Misuse("--%s: %w; start a crawl with: politecrawl crawl URL… --output %s", flag, err, cli.ShellWord(dir))
	}
	return cli.Misuse("--%s: %w", flag, cli.QuotePath(err))
}

// ResumeCommand returns the command that resumes or recrawls a crawl after its crawl.json
// was rewritten. The flag is "resume" or "recrawl".
func ResumeCommand(flag, dir string) string {
	return fmt.Sprintf("politecrawl crawl --%s %s, with flags for all settings that are not the default", flag, cli.ShellWord(dir))
}

// IsBadJSON reports whether err says that a file is damaged.
func IsBadJSON(err error) bool {
	_, damaged := errors.AsType[*output.DamagedError](err)
	return damaged
}

package crawldir

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// WithOutput returns the command line that writes the results of directories into the directory to.
func WithOutput(command string, dirs []string, to string) string {
	words := []string{"politecrawl " + command}
	for _, dir := range dirs {
		words = append(words, cli.ShellWord(dir))
	}
	return strings.Join(append(words, "--output "+to), " ")
}

// End reads the number of remaining URLs from the frontier of a crawl. It returns nil if the
// directory has no readable frontier, like the directory of one of several workers.
func End(dir string) *report.CrawlEnd {
	view, err := logstore.OpenReadOnly(filepath.Join(dir, FrontierFolder))
	switch {
	case errors.Is(err, logstore.ErrInUse):
		return &report.CrawlEnd{End: report.EndRunning}
	case err != nil:
		return nil
	}
	counts, err := view.Counts()
	if err := errors.Join(err, view.Close()); err != nil {
		return nil
	}
	return &report.CrawlEnd{Remaining: counts.Pending + counts.Scheduled}
}

// ReadError explains why a command cannot read the results of directories, and what to do. An
// interruption needs no explanation.
func ReadError(command string, dirs []string, err error) error {
	if errors.Is(err, context.Canceled) {
		return cli.ExitWith(cli.ExitInterrupted)
	}
	for _, dir := range dirs {
		if !IsDirectory(dir) {
			return cli.Misuse("%s: no directory %q; name the output directory of a crawl", command, dir)
		}
		if _, unread := crawler.LoadConfig(dir); IsBadJSON(unread) || errors.Is(unread, output.ErrNoCrawl) && HoldsFrontier(dir) {
			return DamagedState(command, dir, "politecrawl "+command+" "+cli.ShellWord(dir), unread)
		}
	}
	switch {
	case errors.Is(err, output.ErrNoCrawl):
		return cli.Misuse("%s: %w; name the output directory of a crawl", command, err)
	case errors.Is(err, report.ErrNotOneCrawl), errors.Is(err, output.ErrVersion):
		return cli.Misuse("%s: %w", command, err)
	}
	return cli.Failed("%s: %w", command, err)
}

// WriteError explains why a command cannot write its files, and what to do. The files are "the
// report", for example. An interruption needs no explanation.
func WriteError(command, files string, dirs []string, err error) error {
	if errors.Is(err, context.Canceled) {
		return cli.ExitWith(cli.ExitInterrupted)
	}
	const good = "; the files of the crawl are unchanged"
	err = cli.QuotePath(err)
	if remedy := Remedy(err); remedy != "" && !errors.Is(err, syscall.EROFS) {
		return cli.Failed("%s: %w%s; %s, or write %s elsewhere: %s", command, err, good, remedy, files, WithOutput(command, dirs, "DIR"))
	}
	return cli.Misuse("%s: %w%s; write %s elsewhere: %s", command, err, good, files, WithOutput(command, dirs, "DIR"))
}

// exhaustions are the resources that a machine or a process may run out of, and what to do
// then. The crawl loses nothing.
var exhaustions = []struct {
	is     []error
	remedy string
}{
	{[]error{syscall.ENOSPC, syscall.EDQUOT, sqlite.ErrFull}, "free space on that disk"},
	{[]error{syscall.EFBIG}, "allow larger files (ulimit -f)"},
	{[]error{sqlite.ErrIO}, "allow larger files (ulimit -f), or check that disk"},
	{[]error{syscall.EMFILE}, "allow more open files (ulimit -n), or use a smaller --concurrency"},
	{[]error{syscall.ENFILE}, "close files on this machine, or raise its limit"},
	{[]error{syscall.ENOMEM, syscall.ENOBUFS}, "give this process more memory, or use a smaller --concurrency"},
	{[]error{syscall.EROFS}, "mount that file system with write access"},
	{[]error{syscall.EIO}, "check that disk"},
}

// Remedy says what to do about an error of resource exhaustion. It returns an empty string for
// any other error. It recognizes some of these errors only by their text.
func Remedy(err error) (remedy string) {
	for _, s := range exhaustions {
		for _, is := range s.is {
			if errors.Is(err, is) || strings.HasSuffix(err.Error(), ": "+is.Error()) {
				return s.remedy
			}
		}
	}
	return ""
}

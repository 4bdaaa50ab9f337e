package crawldir

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// NewState is the smallest crawl.json with which a crawl can be resumed.
const NewState = `{"version":2,"config":{"urls":["START URL"]}}`

// DamagedState returns the error for a crawl.json that is missing or damaged. The command
// is the one that failed; again is the command to run when the file is restored.
func DamagedState(command, dir, again string, err error) error {
	file := filepath.Join(dir, StateFile)
	if damaged, ok := errors.AsType[*output.DamagedError](err); ok {
		err = damaged.Err // without the name of the file
	}
	if !HoldsFrontier(dir) {
		return cli.Failed("%s: %q is damaged, and the crawl cannot be resumed without it; crawl again into a new directory (%w)", command, file, err)
	}
	what := "is missing"
	if !errors.Is(err, output.ErrNoCrawl) {
		what = fmt.Sprintf("is damaged (%v)", err)
	}
	return cli.Failed("%s: %q %s; the frontier, with all queued URLs, is still there. Restore the file from a backup, or write %s into it, with the start URLs of the crawl; then run: %s",
		command, file, what, NewState, again)
}

// IsDamagedFrontier reports whether err says that the frontier in dir is damaged or
// missing. It returns false for a shared crawl, which has its frontier on Redis.
func IsDamagedFrontier(dir string, err error) bool {
	if errors.Is(err, crawler.ErrFrontierLost) {
		saved, err := crawler.LoadConfig(dir)
		return err == nil && saved.Sharing.Frontier == ""
	}
	return errors.Is(err, logstore.ErrDamaged)
}

// DamagedFrontier returns the error for a damaged or missing frontier of the crawl in dir.
func DamagedFrontier(dir string, err error) error {
	saved, unread := crawler.LoadConfig(dir)
	if unread != nil {
		return cli.Failed("%w; crawl again into a new directory", err)
	}
	queue := "is lost"
	if view, unread := logstore.OpenReadOnly(filepath.Join(dir, FrontierFolder)); unread == nil && errors.Is(err, logstore.ErrDamaged) {
		queue = fmt.Sprintf("can be read only in part (politecrawl frontier export %s)", cli.ShellWord(dir))
		_ = view.Close()
	}
	return cli.Failed("%w. The results are intact (politecrawl report %s); the queue of URLs %s. Restore %q from a backup, or crawl again into another directory with the settings in %q: politecrawl crawl %s --output NEW",
		err, cli.ShellWord(dir), queue, filepath.Join(dir, FrontierFolder), filepath.Join(dir, StateFile), startWords(saved.URLs))
}

// maxStartWords is how many start URLs a command repeats.
const maxStartWords = 3

// startWords writes the start URLs of a crawl for a command, if they are few.
func startWords(urls []string) string {
	if len(urls) == 0 || len(urls) > maxStartWords {
		return "URL…"
	}
	var words []string
	for _, url := range urls {
		words = append(words, cli.ShellWord(url))
	}
	return strings.Join(words, " ")
}

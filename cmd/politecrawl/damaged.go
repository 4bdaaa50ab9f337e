package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// newState is the least that a crawl.json has to hold.
const newState = `{"version":1,"config":{"urls":["START URL"]}}`

// damagedState is the error for a crawl.json that is gone or cannot be understood. The
// command is what the user wanted to do, and again is how, once there is such a file.
func damagedState(command, dir, again string, err error) error {
	file := filepath.Join(dir, output.StateFile)
	if !holdsFrontier(dir) {
		return cli.Failed("%s: %q is damaged, and the crawl cannot resume without it; crawl again into a new directory (%w)", command, file, cli.WithoutPrefix(err))
	}
	what := "is missing"
	if !errors.Is(err, output.ErrNone) {
		what = fmt.Sprintf("is damaged (%v)", cli.WithoutPrefix(err))
	}
	return cli.Failed("%s: %q %s; the frontier, which knows what is done and what is left, is still good. Put that file back from a copy, or write %s into it, with the start URLs of the crawl; then: %s",
		command, file, what, newState, again)
}

// resumeCommand resumes or recrawls a crawl whose crawl.json was written anew.
func resumeCommand(flag, dir string) string {
	return fmt.Sprintf("politecrawl crawl --%s %s, with the settings that are not the default as flags", flag, cli.ShellWord(dir))
}

// holdsFrontier tells whether the frontier of a crawl in dir can be read.
func holdsFrontier(dir string) bool {
	view, err := pebblestore.Inspect(filepath.Join(dir, frontierFolder))
	if err != nil {
		return errors.Is(err, pebblestore.ErrInUse)
	}
	return view.Close() == nil
}

// isDamagedFrontier tells whether the frontier of a crawl is damaged or gone. What processes
// share is on Redis, and not among it.
func isDamagedFrontier(dir string, err error) bool {
	if errors.Is(err, crawler.ErrFrontierLost) {
		saved, err := crawler.Saved(dir)
		return err == nil && saved.Frontier == ""
	}
	return errors.Is(err, pebblestore.ErrDamaged)
}

// damagedFrontier is the error for a crawl in dir whose frontier is damaged or gone.
func damagedFrontier(dir string, err error) error {
	saved, unread := crawler.Saved(dir)
	if unread != nil {
		return cli.Failed("%w; what is lost cannot be told, so crawl again into a new directory", cli.WithoutPrefix(err))
	}
	return cli.Failed("%w. What the crawl has found is still good (politecrawl report %s); the list of URLs left to request is lost. Put %q back from a copy, or crawl again into another directory, with the settings that are in %q: politecrawl crawl %s --output NEW",
		cli.WithoutPrefix(err), cli.ShellWord(dir), filepath.Join(dir, frontierFolder), filepath.Join(dir, output.StateFile), startWords(saved.URLs))
}

// maxStartWords is how many start URLs a command repeats.
const maxStartWords = 3

// startWords writes the start URLs of a crawl for a command, where they are few.
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

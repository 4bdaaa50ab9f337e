package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/logging"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A herald tells a person on standard error what a crawl is up to: that it has
// begun, and what should be known while it runs. It is safe for concurrent use.
type herald struct {
	*cli.Streams
	quiet  bool
	log    logging.Config
	listen listening
	seen   map[string]string // flags that hold a secret, and the variables that could
}

// begun says that the crawl has begun.
func (h *herald) begun(cfg crawler.Config, opts crawler.Options) {
	if h.quiet {
		return
	}
	what := "crawling " + humanize.Count(hostsOf(cfg.URLs), "host")
	switch {
	case opts.Resume:
		what = "going on with the crawl of " + humanize.Count(hostsOf(cfg.URLs), "host")
	case opts.Recrawl:
		what = "crawling " + humanize.Count(hostsOf(cfg.URLs), "host") + " again"
	}
	if cfg.Frontier != "" {
		what += fmt.Sprintf(" with all who have joined %q on %s", cfg.Join, cfg.Frontier)
	}
	h.Notice(fmt.Sprintf("%s into %q; Ctrl-C finishes what is in flight", what, cfg.Output))
	for _, flag := range slices.Sorted(maps.Keys(h.seen)) {
		h.note(fmt.Sprintf("the secret in %s is seen by other users of this machine, in its list of processes; set %s in its place", flag, h.seen[flag]))
	}
}

// note says what is good to know and no failure.
func (h *herald) note(line string) {
	if h.quiet {
		return
	}
	h.Notice("note: " + line)
}

// lost says what files have lost, in any case: it is in no file any more.
func (h *herald) lost(lost []output.Loss) {
	for _, l := range lost {
		h.Complain(errors.New(l.String()))
	}
}

// hostsOf counts the hosts of URLs.
func hostsOf(urls []string) int {
	hosts := map[frontier.Host]bool{}
	for _, raw := range urls {
		if h, err := frontier.HostOf(strings.ToLower(raw)); err == nil {
			hosts[h] = true
		}
	}
	return len(hosts)
}

// notAllowed says of start URLs that they are refused: as an error where there was nothing
// else to do, or in vain.
func (h *herald) notAllowed(text string, inVain bool) error {
	switch {
	case text == "":
	case inVain:
		return cli.Failed("%s", text)
	default:
		h.note(text)
	}
	return nil
}

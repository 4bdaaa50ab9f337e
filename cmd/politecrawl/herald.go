package main

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A herald tells a person on standard error what a crawl is up to: that it has
// begun, and what should be known while it runs. It is safe for concurrent use.
type herald struct {
	*program
	quiet  bool
	log    logging
	listen listening
}

// begun says that the crawl has begun.
func (h *herald) begun(cfg crawler.Config, opts crawler.Options) {
	if h.quiet {
		return
	}
	what := "crawling " + number(hostsOf(cfg.URLs), "host")
	switch {
	case opts.Resume:
		what = "going on with the crawl of " + number(hostsOf(cfg.URLs), "host")
	case opts.Recrawl:
		what = "crawling " + number(hostsOf(cfg.URLs), "host") + " again"
	}
	if cfg.Frontier != "" {
		what += fmt.Sprintf(" with all who have joined %q on %s", cfg.Join, cfg.Frontier)
	}
	h.notice(fmt.Sprintf("%s into %q; Ctrl-C finishes what is in flight", what, cfg.Output))
}

// note says what is good to know and no failure.
func (h *herald) note(line string) {
	if h.quiet {
		return
	}
	h.notice("note: " + line)
}

// hostsOf counts the hosts of URLs, each with its scheme and port.
func hostsOf(urls []string) int {
	origins := map[robotsext.Origin]bool{}
	for _, raw := range urls {
		if u, err := originURL(raw); err == nil {
			if origin, err := robotsext.OriginOf(u); err == nil {
				origins[origin] = true
			}
		}
	}
	return len(origins)
}

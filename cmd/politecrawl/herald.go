package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A herald tells a person on standard error what a crawl is up to: that it has
// begun, and what should be known while it runs. It is safe for concurrent use.
type herald struct {
	*program
	quiet bool

	line string // what is said at the beginning; empty before begin
	once sync.Once
}

// settling is how long a crawl may take to find that its directory cannot be
// written. Before that it cannot be said to have begun.
const settling = 100 * time.Millisecond

// begin says that the crawl has begun, unless it ends at once. The caller calls
// done when it has ended.
func (h *herald) begin(cfg crawler.Config) (done func()) {
	if h.quiet {
		return func() {}
	}
	h.line = fmt.Sprintf("crawling %s into %q; Ctrl-C finishes what is in flight", number(hostsOf(cfg.URLs), "host"), cfg.Output)
	timer := time.AfterFunc(settling, h.begun)
	return func() { timer.Stop() }
}

func (h *herald) begun() { h.once.Do(func() { h.notice(h.line) }) }

// note says what is good to know and no failure.
func (h *herald) note(line string) {
	if h.quiet {
		return
	}
	if h.line != "" {
		h.begun() // a crawl that speaks has begun
	}
	h.notice("note: " + line)
}

// warn says what is odd about where the settings came from.
func (h *herald) warn(s *settings) {
	for _, w := range s.warnings {
		h.note(w)
	}
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

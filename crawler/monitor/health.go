package monitor

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	// responseTime is the time in which a frontier must respond.
	responseTime = 10 * time.Second

	// stuckAfter is the time without progress after which a crawl counts as stuck. Reading a
	// sitemap may take long, and counts as no progress.
	stuckAfter = 10 * time.Minute
)

// health holds what /healthz depends on.
type health struct {
	responseAt time.Time // last response of the frontier
	progressAt time.Time // last change, or last time when the crawl was idle
	state      progress
}

// progress changes when a crawl does something.
type progress struct {
	counts   frontier.Counts
	pages    int
	rejected int
	robots   int
	sitemaps int
}

// update records the status of a crawl.
func (h *health) update(s *crawler.Status, now time.Time) {
	h.responseAt = now
	state := progress{counts: s.Frontier.Counts, pages: s.Pages, robots: s.Robots, sitemaps: s.Sitemaps}
	for n := range maps.Values(s.Rejected) {
		state.rejected += n
	}
	idle := s.Frontier.InFlight == 0 && (s.Paused || s.NextDue.After(now))
	if idle || state != h.state {
		h.progressAt, h.state = now, state
	}
}

var (
	errSilent = errors.New("the frontier does not respond")
	errStuck  = errors.New("stuck: nothing has changed although URLs can be fetched")
)

// well returns why the crawl is unhealthy. A crawl that has not started or has ended is healthy.
func (w *watcher) well(now time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.crawl == nil || w.ended != nil:
		return nil
	case now.Sub(w.health.responseAt) > responseTime:
		return fmt.Errorf("%w for %v", errSilent, now.Sub(w.health.responseAt).Round(time.Second))
	case now.Sub(w.health.progressAt) > stuckAfter:
		return fmt.Errorf("%w for %v", errStuck, now.Sub(w.health.progressAt).Round(time.Second))
	}
	return nil
}

// serveHealth serves /healthz. It needs no token, so it reveals nothing else.
func (w *watcher) serveHealth(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err := w.well(time.Now()); err != nil {
		rw.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(rw, err)
		return
	}
	fmt.Fprintln(rw, "ok")
}

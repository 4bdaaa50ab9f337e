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
	// answerTime is how long a frontier may take to say how it is.
	answerTime = 10 * time.Second

	// defaultStuck is longer than a sitemap file may take to be read, which changes
	// nothing until it has been.
	defaultStuck = 10 * time.Minute
)

// health is what tells whether a crawl is well.
type health struct {
	answered time.Time // when the frontier last did
	moved    time.Time // when something last changed, or need not have
	state    progress
}

// progress is what changes when a crawl does something.
type progress struct {
	counts   frontier.Counts
	pages    int
	rejected int
	robots   int
	sitemaps int
}

// see takes in how a crawl is getting on.
func (h *health) see(s *crawler.Status, now time.Time) {
	h.answered = now
	state := progress{counts: s.Frontier.Counts, pages: s.Pages, robots: s.Robots, sitemaps: s.Sitemaps}
	for n := range maps.Values(s.Rejected) {
		state.rejected += n
	}
	idle := s.Frontier.Leased == 0 && (s.Paused || s.NextDue.After(now))
	if idle || state != h.state {
		h.moved, h.state = now, state
	}
}

var (
	errSilent = errors.New("the frontier does not answer")
	errStuck  = errors.New("stuck: nothing has changed, and something could")
)

// well returns why the crawl is not well. One that has not begun, or has ended, is.
func (w *watch) well(now time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.crawl == nil || w.ended != nil:
		return nil
	case now.Sub(w.health.answered) > answerTime:
		return fmt.Errorf("%w for %v", errSilent, now.Sub(w.health.answered).Round(time.Second))
	case now.Sub(w.health.moved) > w.stuck:
		return fmt.Errorf("%w, for %v", errStuck, now.Sub(w.health.moved).Round(time.Second))
	}
	return nil
}

// serveHealth answers /healthz. Nobody has to show a token for it, so it says no more
// than this.
func (w *watch) serveHealth(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err := w.well(time.Now()); err != nil {
		rw.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(rw, err)
		return
	}
	fmt.Fprintln(rw, "ok")
}

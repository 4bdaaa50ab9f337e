package crawler

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const (
	// maxSlow is the longest delay that failures alone lead to (ROB-POL-05).
	maxSlow = time.Minute

	// leastSlow is the delay that a host without one gets when it fails.
	leastSlow = 100 * time.Millisecond
)

// pace decides how long each host is left alone between two requests. The delay
// in force stands in the frontier's host record, where it survives a restart;
// here is only kept, for the hosts that are being spared, what it goes back to.
type pace struct {
	cfg      *Config
	frontier frontier.Frontier
	slowest  longest // of all hosts so far

	mu    sync.Mutex                      // guards base and hours
	base  map[frontier.Host]time.Duration // of the hosts that are slower than they ask to be
	hours map[frontier.Host][]robotstxt.Window
}

func newPace(cfg *Config, f frontier.Frontier) *pace {
	p := &pace{cfg: cfg, frontier: f, base: make(map[frontier.Host]time.Duration), hours: make(map[frontier.Host][]robotstxt.Window)}
	p.slowest.observe(cfg.Delay)
	return p
}

// asked sets the delay of a host to what its robots.txt asks for, within bounds.
// A host that is being spared stays so.
func (p *pace) asked(ctx context.Context, host frontier.Host, group *robotstxt.Group) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.hours, host)
	delay := p.cfg.Delay
	if group != nil {
		delay = max(delay, min(group.CrawlDelay(), p.cfg.MaxCrawlDelay))
		if hours := group.VisitTimes(); len(hours) > 0 {
			p.hours[host] = hours
		}
	}
	p.slowest.observe(delay)
	if _, spared := p.base[host]; spared {
		p.base[host] = delay
		return nil
	}
	// The request for robots.txt has just ended. Where several may be in flight,
	// others are waiting for no more than that.
	return p.frontier.UpdateHost(ctx, host, frontier.HostUpdate{Delay: &delay, BlockUntil: time.Now().Add(delay)})
}

// closed tells whether it is outside the visiting hours of a host, and until
// when (Visit-time, ROB-EXT-02).
func (p *pace) closed(host frontier.Host, now time.Time) (until time.Time, closed bool) {
	p.mu.Lock()
	hours := p.hours[host]
	p.mu.Unlock()
	for _, w := range hours {
		if w.Contains(now) {
			return time.Time{}, false
		}
		opens := now.UTC().Truncate(24 * time.Hour).Add(w.From)
		if !opens.After(now) {
			opens = opens.Add(24 * time.Hour)
		}
		if until.IsZero() || opens.Before(until) {
			until = opens
		}
	}
	return until, len(hours) > 0
}

// answered learns from an answer. One that says when to come back keeps every
// request from the host until then (ROB-POL-04). Failures double the delay of the
// whole host, good answers take a tenth off again until it is back where it was
// (ROB-POL-05). Refusals such as 403 and 404 say nothing about the load
// (ROB-POL-06).
func (p *pace) answered(ctx context.Context, host frontier.Host, status int, header http.Header) error {
	if err := p.heed(ctx, host, status, header); err != nil {
		return err
	}
	failed := status == http.StatusTooManyRequests || status == http.StatusInternalServerError || status == http.StatusServiceUnavailable
	p.mu.Lock()
	defer p.mu.Unlock()
	base, spared := p.base[host]
	if !failed && (!spared || status >= 400) {
		return nil
	}
	rec, err := p.frontier.Host(ctx, host)
	if err != nil {
		return err
	}
	if !spared {
		base = rec.Delay
	}
	delay := rec.Delay
	if failed {
		delay = max(delay, min(max(2*delay, leastSlow), maxSlow))
		p.base[host] = base
	} else if delay -= delay / 10; delay <= max(base, leastSlow) {
		delay = base
		delete(p.base, host)
	}
	p.slowest.observe(delay)
	return p.frontier.UpdateHost(ctx, host, frontier.HostUpdate{Delay: &delay})
}

// after is what an outcome asks for beyond the host's delay: that a slow server
// is left alone for as long as it took to answer (ROB-POL-07). Without a delay
// there is no pace to keep.
func (p *pace) after(took time.Duration) time.Duration {
	if p.cfg.Delay == 0 {
		return requested
	}
	return max(requested, time.Duration(p.cfg.ResponseFactor*float64(took)))
}

// heed obeys Retry-After, on the answers that may have it: 429, 503 and
// redirects.
func (p *pace) heed(ctx context.Context, host frontier.Host, status int, header http.Header) error {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable && status/100 != 3 {
		return nil
	}
	now := time.Now()
	wait := robotsext.RetryAfter(header, now)
	if wait <= 0 {
		return nil
	}
	return p.frontier.UpdateHost(ctx, host, frontier.HostUpdate{BlockUntil: now.Add(wait)})
}

// longest remembers the longest delay of any host.
type longest struct{ d atomic.Int64 }

func (l *longest) get() time.Duration { return time.Duration(l.d.Load()) }

func (l *longest) observe(d time.Duration) {
	for {
		old := l.d.Load()
		if int64(d) <= old || l.d.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

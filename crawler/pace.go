package crawler

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const (
	// maxSlow is the longest delay that failures alone lead to (ROB-POL-05).
	maxSlow = time.Minute

	// leastSlow is the delay that a host without one gets when it fails. It has
	// recovered at a tenth of that.
	leastSlow = 100 * time.Millisecond
)

// pace decides how long each host is left alone between two requests. The delay
// in force stands in the frontier's host record, where it survives a restart;
// here is only kept which hosts are slower than they ask to be.
type pace struct {
	cfg      *Config
	frontier frontier.Frontier
	resumed  bool    // hosts may be spared that are not in spared
	shared   bool    // others spare hosts too
	changed  bool    // hosts may have been set by other settings
	slowest  longest // of all hosts so far
	log      *slog.Logger

	// group returns the rules of a robots.txt for this crawler.
	group func(*robotsext.Record) *robotstxt.Group

	mu      sync.Mutex // guards all below
	spared  map[frontier.Host]bool
	asks    map[frontier.Host]time.Time // where shared: when the frontier was asked whether others spare it
	renewed map[frontier.Host]bool      // where changed: those that were set by this process
}

func newPace(cfg *Config, f frontier.Frontier, resumed bool) *pace {
	p := &pace{cfg: cfg, frontier: f, resumed: resumed, log: slog.New(slog.DiscardHandler), spared: make(map[frontier.Host]bool), renewed: make(map[frontier.Host]bool)}
	p.slowest.observe(cfg.Delay)
	return p
}

// wanted is the delay that a robots.txt asks for, within bounds.
func (p *pace) wanted(group *robotstxt.Group) time.Duration {
	if group == nil {
		return p.cfg.Delay
	}
	return max(p.cfg.Delay, min(group.CrawlDelay(), p.cfg.MaxCrawlDelay))
}

// wantedOf is the delay that a host asks for: the longest that any robots.txt of its
// origins does. Group is that of the origin o, which rec may not have yet.
func (p *pace) wantedOf(rec frontier.HostRecord, o robotsext.Origin, group *robotstxt.Group) time.Duration {
	delay := p.wanted(group)
	for other := range rec.Robots {
		if other == string(o) {
			continue
		}
		r, err := recordIn(rec, robotsext.Origin(other))
		if err != nil {
			continue // it is read again before a URL of that origin is asked for
		}
		r.File = robotstxt.Parse(r.Body, robotsOptions(p.cfg))
		delay = max(delay, p.wanted(p.group(r)))
	}
	return delay
}

// asked sets the delay of a host to what the robots.txt of the origin o asks for, and
// those of its other origins. A host that is being spared stays so.
func (p *pace) asked(ctx context.Context, o robotsext.Origin, group *robotstxt.Group) error {
	host := weburl.ServerOf(string(o))
	p.mu.Lock()
	defer p.mu.Unlock()
	rec, err := p.frontier.Host(ctx, host)
	if err != nil {
		return err
	}
	delay := p.wantedOf(rec, o, group)
	p.slowest.observe(delay)
	if rec.Delay > delay {
		// A process has slowed the host down, or another of its origins asks for this
		// delay and its record is not in the frontier yet.
		p.spared[host] = true
		delay = rec.Delay
	}
	// The request for robots.txt has just ended. Where several may be in flight,
	// others are waiting for no more than that.
	return p.frontier.UpdateHost(ctx, host, frontier.HostUpdate{Delay: &delay, MaxInFlight: p.cfg.PerHost, BlockUntil: time.Now().Add(delay)})
}

// renew sets a host as the settings are now, where they are not those that the host
// was set by. It tells whether the host has to wait for longer than it has.
func (p *pace) renew(ctx context.Context, v *visit) (wait bool, err error) {
	host := v.lease.Host
	if !p.changed {
		return false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.renewed[host] {
		return false, nil
	}
	p.renewed[host] = true
	rec, err := p.frontier.Host(ctx, host)
	if err != nil {
		return false, err
	}
	update := frontier.HostUpdate{MaxInFlight: p.cfg.PerHost}
	if delay := p.wantedOf(rec, v.origin, v.group); delay > rec.Delay {
		wait = true
		update.Delay, update.BlockUntil = &delay, time.Now().Add(delay)
		p.slowest.observe(delay)
	} // one that is longer goes down as that of a host that was spared
	return wait, p.frontier.UpdateHost(ctx, host, update)
}

// closedUntil tells whether it is outside the visiting hours that a robots.txt
// asks for, and until when (Visit-time, ROB-EXT-02).
func closedUntil(group *robotstxt.Group, now time.Time) (until time.Time, closed bool) {
	if group == nil {
		return time.Time{}, false
	}
	hours := group.VisitTimes()
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

// answered learns from the status of a response. Failures double the delay of the
// whole host, good responses take a tenth off again until it is back where it was
// (ROB-POL-05). Refusals such as 403 and 404 say nothing about the load
// (ROB-POL-06).
func (p *pace) answered(ctx context.Context, v *visit, status int) error {
	host := v.lease.Host
	failed := status == http.StatusTooManyRequests || status == http.StatusInternalServerError || status == http.StatusServiceUnavailable
	p.mu.Lock()
	defer p.mu.Unlock()
	if !failed && (status >= 400 || !p.mayBeSpared(host)) {
		return nil
	}
	rec, err := p.frontier.Host(ctx, host)
	if err != nil {
		return err
	}
	base, delay := p.wantedOf(rec, v.origin, v.group), rec.Delay
	switch {
	case failed:
		delay = max(delay, min(max(2*delay, leastSlow), maxSlow))
		p.spared[host] = true
		p.log.Info("host slowed down", "host", host, "status", status, "delay", delay)
	case delay <= base:
		delete(p.spared, host)
		return nil
	default:
		if delay -= delay / 10; delay <= max(base, leastSlow/10) {
			delay = base
			delete(p.spared, host)
			p.log.Info("host has recovered", "host", host, "delay", delay)
		}
	}
	p.slowest.observe(delay)
	return p.frontier.UpdateHost(ctx, host, frontier.HostUpdate{Delay: &delay})
}

// sparedByOthers is how often the frontier is asked whether somebody else spares a host,
// which costs a round trip; a host recovers the more slowly.
const sparedByOthers = 30 * time.Second

// mayBeSpared tells whether a host may be slower than it asks to be. The lock is held.
func (p *pace) mayBeSpared(host frontier.Host) bool {
	if p.spared[host] || p.resumed && !p.shared {
		return true
	}
	if !p.shared || time.Since(p.asks[host]) < sparedByOthers {
		return false
	}
	if p.asks == nil || len(p.asks) >= maxAsks {
		p.asks = make(map[frontier.Host]time.Time)
	}
	p.asks[host] = time.Now()
	return true
}

// maxAsks bounds the memory for when hosts were asked about.
const maxAsks = 100_000

// after is what an outcome asks for beyond the host's delay: that a slow server
// is left alone for as long as it took to answer (ROB-POL-07). Without a delay
// there is no pace to keep.
func (p *pace) after(took time.Duration) time.Duration {
	if p.cfg.Delay == 0 {
		return requested
	}
	return max(requested, time.Duration(p.cfg.ResponseFactor*float64(took)))
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

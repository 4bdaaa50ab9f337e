// Package politeness decides when a server may be requested next: by the delay that its
// robots.txt asks for, by how it responds, by its visiting hours, and by the requests in flight
// on its address.
//
// Only the frontier has clocks. This package says how long a delay is and which server has to
// wait until when; the frontier hands out a server's URLs accordingly.
package politeness

import (
	"context"
	"encoding/json"
	"fmt"
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
	// Requested, as an outcome's HostDelay, says that a request was made. The
	// delay itself is in the host's record.
	Requested = time.Nanosecond

	// MaxSlowed is the longest delay that failures alone lead to (ROB-POL-05).
	MaxSlowed = time.Minute

	// minSlowed is the delay that a host without one gets when it fails. It has
	// recovered at a tenth of that.
	minSlowed = 100 * time.Millisecond
)

// Options are the settings of Delays.
type Options struct {
	Delay          time.Duration // between two requests to a server, at the least
	MaxCrawlDelay  time.Duration // the longest Crawl-delay that is obeyed as written
	ResponseFactor float64       // a server waits this many times as long as its response took
	MaxInFlight    int           // requests in flight on one server

	Resumed bool // an earlier process may have slowed servers down
	Changed bool // and may have set delays by other settings

	// Recheck is how often the frontier is asked whether another process has slowed a server
	// down, which costs a round trip. Zero: no other process does.
	Recheck time.Duration

	// Group returns the rules for this crawler of a record that was read from the frontier.
	Group func(*robotsext.Record) *robotstxt.Group

	Logger *slog.Logger
}

// Delays decides how long each server waits between two requests. The delay in force is in
// the frontier's host record, where it survives a restart; delays knows only which servers
// are slower than they ask to be. It is safe for concurrent use.
type Delays struct {
	opts     Options
	frontier frontier.Frontier
	longest  atomic.Int64 // delay of all servers so far; read without the lock

	mu      sync.Mutex // guards all below
	slowed  map[frontier.Host]bool
	checked map[frontier.Host]time.Time // when the frontier was asked whether others have slowed it down
	renewed map[frontier.Host]bool      // those whose delay this process has set by its settings
}

// NewDelays returns the delays of servers whose clocks the frontier f keeps.
func NewDelays(f frontier.Frontier, opts Options) *Delays {
	d := &Delays{opts: opts, frontier: f, slowed: make(map[frontier.Host]bool), renewed: make(map[frontier.Host]bool)}
	d.noteLongest(opts.Delay)
	return d
}

// RequestedDelay returns the delay that a robots.txt requests, within the limits.
func (d *Delays) RequestedDelay(group *robotstxt.Group) time.Duration {
	if group == nil {
		return d.opts.Delay
	}
	return max(d.opts.Delay, min(group.CrawlDelay(), d.opts.MaxCrawlDelay))
}

// requestedDelay returns the longest delay that the robots.txt files of a host's origins
// request. Group is that of the origin o, which rec may not have yet.
func (d *Delays) requestedDelay(rec frontier.HostRecord, o robotsext.Origin, group *robotstxt.Group) time.Duration {
	delay := d.RequestedDelay(group)
	for other := range rec.Robots {
		if other == string(o) {
			continue
		}
		r, err := ReadRecord(rec, robotsext.Origin(other))
		if err != nil {
			continue // it is read again before a URL of that origin is requested
		}
		delay = max(delay, d.RequestedDelay(d.opts.Group(r)))
	}
	return delay
}

// Learn sets the delay of a host to the longest that the robots.txt files of its origins
// request. A slowed-down host stays so.
func (d *Delays) Learn(ctx context.Context, o robotsext.Origin, group *robotstxt.Group) error {
	host := weburl.ServerOf(string(o))
	d.mu.Lock()
	defer d.mu.Unlock()
	rec, err := d.frontier.Host(ctx, host)
	if err != nil {
		return err
	}
	delay := d.requestedDelay(rec, o, group)
	d.noteLongest(delay)
	if rec.Delay > delay {
		// A process has slowed the host down, or another of its origins asks for this
		// delay and its record is not in the frontier yet.
		d.slowed[host] = true
		delay = rec.Delay
	}
	// The request for robots.txt has just ended. Where several may be in flight,
	// others are waiting for no more than that.
	return d.frontier.UpdateHost(ctx, host, frontier.HostUpdate{Delay: &delay, MaxInFlight: d.opts.MaxInFlight, BlockUntil: time.Now().Add(delay)})
}

// Renew sets the delay of a host by the current settings, if it has a delay from earlier
// ones. It reports whether the host has to wait longer.
func (d *Delays) Renew(ctx context.Context, host frontier.Host, o robotsext.Origin, group *robotstxt.Group) (wait bool, err error) {
	if !d.opts.Changed {
		return false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.renewed[host] {
		return false, nil
	}
	d.renewed[host] = true
	rec, err := d.frontier.Host(ctx, host)
	if err != nil {
		return false, err
	}
	update := frontier.HostUpdate{MaxInFlight: d.opts.MaxInFlight}
	if delay := d.requestedDelay(rec, o, group); delay > rec.Delay {
		wait = true
		update.Delay, update.BlockUntil = &delay, time.Now().Add(delay)
		d.noteLongest(delay)
	} // a longer one goes down as that of a host that was slowed down
	return wait, d.frontier.UpdateHost(ctx, host, update)
}

// ClosedUntil reports whether now is outside the Visit-time of a robots.txt, and until when
// (ROB-EXT-02).
func ClosedUntil(group *robotstxt.Group, now time.Time) (until time.Time, closed bool) {
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

// Observe adjusts the delay of a host to the status of a response. Failures double it; good
// responses reduce it by a tenth until it is back to normal (ROB-POL-05). Refusals such as
// 403 and 404 say nothing about the load (ROB-POL-06).
func (d *Delays) Observe(ctx context.Context, host frontier.Host, o robotsext.Origin, group *robotstxt.Group, status int) error {
	failed := status == http.StatusTooManyRequests || status == http.StatusInternalServerError || status == http.StatusServiceUnavailable
	d.mu.Lock()
	defer d.mu.Unlock()
	if !failed && (status >= 400 || !d.mayBeSlowed(host)) {
		return nil
	}
	rec, err := d.frontier.Host(ctx, host)
	if err != nil {
		return err
	}
	base, delay := d.requestedDelay(rec, o, group), rec.Delay
	switch {
	case failed:
		delay = max(delay, min(max(2*delay, minSlowed), MaxSlowed))
		d.slowed[host] = true
		d.opts.Logger.Info("host slowed down", "host", host, "status", status, "delay", delay)
	case delay <= base:
		delete(d.slowed, host)
		return nil
	default:
		if delay -= delay / 10; delay <= max(base, minSlowed/10) {
			delay = base
			delete(d.slowed, host)
			d.opts.Logger.Info("host has recovered", "host", host, "delay", delay)
		}
	}
	d.noteLongest(delay)
	return d.frontier.UpdateHost(ctx, host, frontier.HostUpdate{Delay: &delay})
}

// mayBeSlowed reports whether a host may be slowed down. The lock is held.
func (d *Delays) mayBeSlowed(host frontier.Host) bool {
	if d.slowed[host] || d.opts.Resumed && d.opts.Recheck == 0 {
		return true
	}
	if d.opts.Recheck == 0 || time.Since(d.checked[host]) < d.opts.Recheck {
		return false
	}
	if d.checked == nil || len(d.checked) >= maxChecked {
		d.checked = make(map[frontier.Host]time.Time)
	}
	d.checked[host] = time.Now()
	return true
}

// maxChecked bounds the memory for when hosts were asked about.
const maxChecked = 100_000

// After returns how long a host waits at least after a request of a duration: a slow server
// waits in proportion (ROB-POL-07). Without a delay there is no rate to keep.
func (d *Delays) After(took time.Duration) time.Duration {
	if d.opts.Delay == 0 {
		return Requested
	}
	return max(Requested, time.Duration(d.opts.ResponseFactor*float64(took)))
}

// Longest returns the longest delay of any server so far.
func (d *Delays) Longest() time.Duration { return time.Duration(d.longest.Load()) }

// noteLongest notes a delay. The lock is held, except by NewDelays.
func (d *Delays) noteLongest(delay time.Duration) {
	d.longest.Store(max(d.longest.Load(), int64(delay)))
}

// ReadRecord returns the robots.txt of an origin from the record of its host; nil: there is
// none.
func ReadRecord(host frontier.HostRecord, o robotsext.Origin) (*robotsext.Record, error) {
	robots, ok := host.Robots[string(o)]
	if !ok {
		return nil, nil
	}
	rec := new(robotsext.Record)
	if err := json.Unmarshal(robots.Data, rec); err != nil {
		return nil, fmt.Errorf("robots.txt of %s in the frontier: %w", o, err)
	}
	return rec, nil
}

// LastReached returns when the robots.txt of an origin was fetched, by the clock of the
// process that fetched it. It is zero if it never was, or was unreachable since.
func LastReached(ctx context.Context, f frontier.Frontier, o robotsext.Origin) (time.Time, error) {
	h, err := f.Host(ctx, weburl.ServerOf(string(o)))
	if err != nil {
		return time.Time{}, err
	}
	rec, err := ReadRecord(h, o)
	if err != nil || rec == nil || !rec.FailingSince.IsZero() {
		return time.Time{}, err
	}
	return rec.FetchedAt, nil
}

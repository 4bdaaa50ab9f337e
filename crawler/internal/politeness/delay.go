// Package politeness decides when a server may be requested next. The decision depends on the
// Crawl-delay of its robots.txt, its responses, its Visit-time, and the requests in flight on
// its IP address.
//
// The frontier has the clocks. This package sets delays and waiting times, and the frontier
// leases the URLs of a server accordingly.
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
	// Requested, as the HostDelay of an outcome, says that a request was made. The frontier
	// applies the delay of the host's record.
	Requested = time.Nanosecond

	// MaxSlowed is the maximum delay that failures cause (ROB-POL-05).
	MaxSlowed = time.Minute

	// minSlowed is the delay of a failing host that had none. The host has recovered at a
	// tenth of it.
	minSlowed = 100 * time.Millisecond
)

// Options are the settings of Delays.
type Options struct {
	Delay          time.Duration // minimum between two requests to a server
	MaxCrawlDelay  time.Duration // maximum of the Crawl-delay; a longer one is reduced to it
	ResponseFactor float64       // the delay is at least the response time multiplied by this
	MaxInFlight    int           // requests in flight on one server
	Undelayed      frontier.Host // a server without delay; empty if none

	Resumed bool // an earlier process may have slowed servers down
	Changed bool // an earlier process may have set delays by other settings

	// Recheck is the interval of checks whether another process has slowed a server down. A check
	// costs a round trip to the frontier. It is 0 if no other process works on the crawl.
	Recheck time.Duration

	Token  string             // the product token
	Robots *robotstxt.Options // for parsing stored records

	Logger *slog.Logger
}

// Delays decides the delay between two requests to a server. The frontier stores the current
// delay in the host's record, where it survives a restart. Delays knows only which servers are
// slowed down. It is safe for concurrent use.
type Delays struct {
	opts     Options
	frontier frontier.Frontier
	longest  atomic.Int64 // the longest delay so far; read without the lock

	mu      sync.Mutex // guards all below
	slowed  map[frontier.Host]bool
	checked map[frontier.Host]time.Time // time of the last check whether others have slowed it down
	renewed map[frontier.Host]bool      // hosts with the delay that the settings of this process give
}

// NewDelays returns the delays of the servers in the frontier f.
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
	if host := d.opts.Undelayed; host != "" && weburl.ServerOf(string(o)) == host {
		return 0
	}
	delay := d.RequestedDelay(group)
	for other := range rec.Robots {
		if other == string(o) {
			continue
		}
		r, err := ReadRecord(rec, robotsext.Origin(other))
		if err != nil {
			continue // robots.txt is requested again before a URL of that origin
		}
		delay = max(delay, d.RequestedDelay(robotstxt.Parse(r.Body, d.opts.Robots).Group(d.opts.Token)))
	}
	return delay
}

// Learn sets the delay of a host to the longest that the robots.txt files of its origins
// request. A host that is slowed down stays slowed down.
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
	if rec.Delay > delay && host != d.opts.Undelayed {
		// Another process has slowed the host down, or another of its origins requests this
		// delay and has no record in the frontier yet.
		d.slowed[host] = true
		delay = rec.Delay
	}
	// The request for robots.txt has just ended. If several requests may be in flight, others
	// wait only for this one.
	return d.frontier.UpdateHost(ctx, host, frontier.HostUpdate{Delay: &delay, MaxInFlight: d.opts.MaxInFlight, BlockUntil: time.Now().Add(delay)})
}

// Renew replaces a delay from earlier settings with that of the current settings. It reports
// whether the host has to wait longer.
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
	} // a longer delay decreases as after failures
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
	failed := Slows(status)
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

// Slows reports whether a status slows its host down.
func Slows(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusInternalServerError || status == http.StatusServiceUnavailable
}

// mayBeSlowed reports whether a host may be slowed down already. The lock is held.
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

// maxChecked limits the size of checked.
const maxChecked = 100_000

// After returns the minimum delay after a request that took a duration: it is proportional to
// the response time (ROB-POL-07). It is 0 for a host without a delay.
func (d *Delays) After(took time.Duration) time.Duration {
	if d.opts.Delay == 0 {
		return Requested
	}
	return max(Requested, time.Duration(d.opts.ResponseFactor*float64(took)))
}

// Longest returns the longest delay of any server so far.
func (d *Delays) Longest() time.Duration { return time.Duration(d.longest.Load()) }

// noteLongest updates longest. The lock is held, except in NewDelays.
func (d *Delays) noteLongest(delay time.Duration) {
	d.longest.Store(max(d.longest.Load(), int64(delay)))
}

// ReadRecord returns the robots.txt of an origin from the record of its host, or nil if there is
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

// KnownRobots returns the record of the host of an origin, and the robots.txt of the origin in it, or nil if there is
// none.
func KnownRobots(ctx context.Context, f frontier.Frontier, o robotsext.Origin) (host frontier.HostRecord, rec *robotsext.Record, err error) {
	if host, err = f.Host(ctx, weburl.ServerOf(string(o))); err == nil {
		rec, err = ReadRecord(host, o)
	}
	return host, rec, err
}

// LastReached returns when the robots.txt of an origin was fetched, by the clock of the
// process that fetched it. It is zero if it never was, or was unreachable since.
func LastReached(ctx context.Context, f frontier.Frontier, o robotsext.Origin) (time.Time, error) {
	_, rec, err := KnownRobots(ctx, f, o)
	if err != nil || rec == nil || !rec.FailingSince.IsZero() {
		return time.Time{}, err
	}
	return rec.FetchedAt, nil
}

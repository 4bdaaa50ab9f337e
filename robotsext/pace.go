package robotsext

import (
	"context"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

// Pace makes c wait between two pages of an origin for as long as the group that
// binds this crawler asks by Crawl-delay, but no longer than longest; zero
// longest means that only the cap of Options.Parse holds, by default 30 s. It is
// for collectors that Attach has been called on. colly's LimitRule, which knows a
// delay for each domain but not what the site asks, holds beside it.
//
// The delay is from the start of one request to the start of the next, the
// request for robots.txt included (ROB-POL-02, ROB-FET-19), over all collectors
// that this Robots paces. Waiting is done in an OnRequest callback: before the
// page's timeout begins, after the callbacks that were registered before, and in
// an asynchronous collector without holding up others. Redirects are not waited
// for. Clones have no callbacks, so Pace them too.
func (r *Robots) Pace(c *colly.Collector, longest time.Duration) {
	c.OnRequest(func(req *colly.Request) {
		ctx := c.Context
		if s := sealOf(ctx); s != nil {
			ctx = context.WithValue(s.parent, shellKey{}, s.gate.shell)
		}
		if r.Check(ctx, req.URL) != nil {
			return // the gate will say so
		}
		rec, err := r.Record(ctx, req.URL)
		if err != nil {
			return
		}
		delay := r.Group(rec).CrawlDelay()
		if longest > 0 {
			delay = min(delay, longest)
		}
		start := r.pacer.reserve(rec.Origin, rec.FetchedAt, r.now(), delay)
		wait := time.NewTimer(start.Sub(r.now()))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done(): // the request fails by that, without our help
		}
	})
}

// pacer knows when the next page of each origin is due.
type pacer struct {
	mu  sync.Mutex // guards due
	due map[Origin]time.Time
}

// maxPaced is the number of origins from which on those that are due are
// forgotten.
const maxPaced = 10_000

// reserve returns when a page of o may be requested, and makes the one after it
// wait for delay more. asked is when robots.txt was.
func (p *pacer) reserve(o Origin, asked, now time.Time, delay time.Duration) time.Time {
	if delay == 0 {
		return now
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.due) >= maxPaced {
		for other, due := range p.due {
			if due.Before(now) {
				delete(p.due, other)
			}
		}
	}
	start := now
	for _, earliest := range []time.Time{asked.Add(delay), p.due[o]} {
		if earliest.After(start) {
			start = earliest
		}
	}
	if p.due == nil {
		p.due = make(map[Origin]time.Time)
	}
	p.due[o] = start.Add(delay)
	return start
}

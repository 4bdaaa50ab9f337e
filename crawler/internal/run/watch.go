package run

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A signal says that something has changed. It holds one event.
type signal chan struct{}

func (s signal) send() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// watch ends the crawl when no URL remains, or none that is worth waiting for. It
// checks after outcomes, and when the next URL is due.
func (c *Crawl) watch(leases context.Context) {
	rest, longest := c.parts.Member.IdleCheckInterval()
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		wait, err := c.stopIfOver()
		if err != nil {
			c.parts.Lifecycle.Fail(err)
		}
		due.Reset(max(min(wait, longest), minIdlePause))
		select {
		case <-leases.Done():
			return
		case <-c.wakeIdle:
			select {
			case <-leases.Done():
			case <-time.After(rest):
			}
		case <-due.C:
		}
	}
}

// minIdlePause is the least time between two checks without an outcome.
const minIdlePause = 100 * time.Millisecond

// stopIfOver stops the crawl if it is over, and otherwise returns when to check again.
func (c *Crawl) stopIfOver() (again time.Duration, err error) {
	c.parts.Lifecycle.Stop(c.parts.Limits.Exceeded()) // other processes' pages count too
	stats, err := c.parts.Frontier.Stats(c.parts.Lifecycle.CommitCtx)
	if err != nil {
		return 0, err
	}
	c.parts.Lifecycle.SetStats(stats)
	switch {
	case stats.Finished():
		if over, err := c.parts.Member.Finished(c.parts.Lifecycle.CommitCtx); !over || err != nil {
			return 0, err
		}
		c.parts.Lifecycle.Stop(plan.Finished)
		return 0, nil
	case stats.NextDue.IsZero():
		return time.Hour, nil // until a lease ends, which sends the signal
	}
	wait := time.Until(stats.NextDue)
	if stats.InFlight > 0 || wait <= 0 || c.Paused() {
		return wait, nil
	}
	if wait <= c.set.MaxWait {
		return wait, nil
	}
	paced, err := c.hasPacedURL(wait)
	if paced || err != nil {
		return wait, err
	}
	now, err := c.parts.Frontier.Stats(c.parts.Lifecycle.CommitCtx)
	if err != nil || now.Counts != stats.Counts { // a worker leased a URL meanwhile, which was not listed
		return 0, err
	}
	c.parts.Lifecycle.Stop(plan.Deferred)
	return wait, nil
}

// hasPacedURL reports whether a URL waits only for the delay of its host or for its retry. The
// crawl waits for these however long that takes. All other URLs wait for a robots.txt or for a
// host that allows no request now. wait is the time until the next URL is due.
func (c *Crawl) hasPacedURL(wait time.Duration) (bool, error) {
	list, ok := c.parts.Frontier.(frontier.Lister)
	if !ok {
		return wait <= max(c.parts.Delays.Longest(), visit.LongestRetry), nil
	}
	if err := c.forgetRecovered(); err != nil {
		return false, err
	}
	paced := make(map[robotsext.Origin]bool)
	for item, err := range list.Waiting(c.parts.Lifecycle.CommitCtx) {
		if err != nil {
			return false, err
		}
		o := weburl.OriginOf(item.URL)
		if _, known := paced[o]; known {
			continue
		}
		if paced[o], err = c.isPaced(item.Host, o); paced[o] || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// isPaced reports whether the URLs of an origin wait only for the delay of its host or for their
// retries.
func (c *Crawl) isPaced(h frontier.Host, o robotsext.Origin) (bool, error) {
	host, err := c.parts.Frontier.Host(c.parts.Lifecycle.CommitCtx, h)
	if err != nil {
		return false, err
	}
	soon := time.Now().Add(max(host.Delay, politeness.AddressPause))
	rec, err := politeness.ReadRecord(host, o)
	switch {
	case host.BlockedUntil.After(soon):
		return false, nil
	case err == nil && blocked.IsOutage(rec) && c.parts.Scope.HoldsServer(h): // if it cannot be read, robots.txt is requested again
		return !rec.RetryAt.After(soon), nil
	}
	return c.parts.Results.Deferred.Get(o) == nil, nil // checks of other servers are retried during an outage
}

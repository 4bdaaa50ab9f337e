package crawler

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// A signal says that something has changed. It holds one event.
type signal chan struct{}

func (s signal) send() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// watchIdle ends the crawl when no URL remains, or none that is worth waiting for. It
// checks after outcomes, and when the next URL is due.
func (c *Crawler) watchIdle(leases context.Context) {
	rest, longest := c.member.IdleCheckInterval()
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		wait, err := c.checkIdle()
		if err != nil {
			c.lifecycle.Fail(err)
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

// checkIdle stops the crawl if it is over, and otherwise returns when to check again.
func (c *Crawler) checkIdle() (again time.Duration, err error) {
	c.checkLimits() // other processes' pages count too
	stats, err := c.frontier.Stats(c.lifecycle.CommitCtx)
	if err != nil {
		return 0, err
	}
	c.lifecycle.SetStats(stats)
	switch {
	case stats.Finished():
		if over, err := c.member.Finished(c.lifecycle.CommitCtx); !over || err != nil {
			return 0, err
		}
		c.lifecycle.Stop(EndFinished)
		return 0, nil
	case stats.NextDue.IsZero():
		return time.Hour, nil // until a lease ends, which sends the signal
	}
	wait := time.Until(stats.NextDue)
	if stats.InFlight > 0 || wait <= 0 || c.pauses.active() {
		return wait, nil
	}
	patience, err := c.patience(stats)
	if err == nil && wait > patience {
		c.lifecycle.Stop(EndDeferred)
	}
	return wait, err
}

// patience is how long the crawl waits without work: max-wait, and at least the delay of
// any host, or the retry of a page if one remains.
func (c *Crawler) patience(stats frontier.Stats) (time.Duration, error) {
	wait := max(c.cfg.Limits.MaxWait, c.member.LongestDelay(c.network.delays.Longest(), max(c.cfg.Politeness.MaxCrawlDelay, politeness.MaxSlowed)))
	left := stats.Pending + stats.Scheduled
	if err := c.forgetRecovered(); err != nil {
		return 0, err
	}
	origins, _ := c.record.Deferred.All()
	waiting := make(map[frontier.Host]int) // origins of each host
	for _, o := range origins {
		waiting[weburl.ServerOf(string(o))]++
	}
	for h, n := range waiting {
		rec, err := c.frontier.Host(c.lifecycle.CommitCtx, h)
		if err != nil {
			return 0, err
		}
		if len(rec.Robots) <= n { // otherwise some of its URLs may be of a reachable origin
			left -= rec.Pending + rec.Scheduled
		}
	}
	if left > 0 {
		wait = max(wait, retryBase<<maxBackoff)
	}
	return wait, nil
}

package crawler

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// A signal says that something has changed. It holds one: more say nothing new.
type signal chan struct{}

func (s signal) send() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// watchIdle ends the crawl when nothing is left, or nothing that it would wait for.
// It looks after outcomes, and when what it waits for is due.
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

// minIdlePause is the least time between two looks that nothing has caused.
const minIdlePause = 100 * time.Millisecond

// current stops the crawl when it is over, and else returns when to look again.
func (c *Crawler) checkIdle() (again time.Duration, err error) {
	c.checkLimits() // what others fetch counts too
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
		return time.Hour, nil // for leases to end, which is a change
	}
	wait := time.Until(stats.NextDue)
	if stats.Leased > 0 || wait <= 0 || c.pauses.active() {
		return wait, nil
	}
	patience, err := c.patience(stats)
	if err == nil && wait > patience {
		c.lifecycle.Stop(EndDeferred)
	}
	return wait, err
}

// patience is how long the crawl waits with nothing to do: max-wait, and at least
// as long as the turn of a host takes, or the retry of a page while one is left.
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
		if len(rec.Robots) <= n { // else some of its URLs may be of an origin that can be asked
			left -= rec.Pending + rec.Scheduled
		}
	}
	if left > 0 {
		wait = max(wait, retryBase<<maxBackoff)
	}
	return wait, nil
}

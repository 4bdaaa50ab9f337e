package crawler

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Status is the current state of a crawl.
type Status struct {
	// Summary contains the results so far. Its End is empty while the crawl runs.
	Summary
	// Frontier counts the known URLs by state.
	Frontier frontier.Stats
	// Paused is true between [Crawler.Pause] and [Crawler.Resume].
	Paused bool
}

// Status returns the current state of the crawl. It can be called concurrently, from the call of
// [Options.OnStart] until Run returns. It fails if the frontier has failed or is closed.
func (c *Crawler) Status() (*Status, error) {
	end, _, _ := c.lifecycle.Ending()
	stats, err := c.run.Counts()
	if err != nil {
		return nil, err
	}
	s := &Status{Summary: *c.summary(), Frontier: stats, Paused: c.run.Paused()}
	s.End = end
	s.Remaining, s.Hosts, s.NextDue = stats.Pending+stats.Scheduled+stats.InFlight, stats.Hosts, time.Time{}
	if s.Remaining > 0 {
		s.NextDue = stats.NextDue
	}
	s.Waiting = c.run.Waiting()
	return s, nil
}

// Host returns the record of a host: its queue, the time of its next request, and the robots.txt
// files of its origins. See [frontier.HostOf]. Host can be called whenever Status can, and fails
// in the same cases.
func (c *Crawler) Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error) {
	return c.run.Host(ctx, host)
}

package crawler

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Status is how a crawl is getting on.
type Status struct {
	// Summary is what it has done so far. Its End is empty until it is known
	// why the crawl ends.
	Summary
	// Frontier counts the URLs it knows of by what has become of them.
	Frontier frontier.Stats
	// Paused says that no URL is handed out; see [Crawler.Pause].
	Paused bool
}

// Status returns how the crawl is getting on. It can be called from
// [Options.OnStart] until Run returns, by any goroutine. The error is that of a
// frontier which is closed or has failed.
func (c *Crawler) Status() (*Status, error) {
	end, last, _ := c.lifecycle.Ending()
	stats, err := c.member.Counts(c.lifecycle.CommitCtx, last)
	if err != nil {
		return nil, err
	}
	s := &Status{Summary: c.tally.summary(), Frontier: stats, Paused: c.pauses.active()}
	s.End = end
	s.Left, s.Hosts, s.NextDue = stats.Pending+stats.Scheduled+stats.Leased, stats.Hosts, time.Time{}
	if s.Left > 0 {
		s.NextDue = stats.NextDue
	}
	s.Shared = sharedBy(&c.cfg, c.cfg.Cluster.WorkerName, c.member.Peers())
	hosts, _ := c.record.Deferred.All()
	for _, h := range hosts {
		s.Waiting = append(s.Waiting, string(h))
	}
	return s, nil
}

// Host returns what the crawl knows of a host (see [frontier.HostOf]): its clock, its queue,
// the robots.txt files of its origins. When it can be called and what the error is, is as
// with Status.
func (c *Crawler) Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error) {
	return c.frontier.Host(ctx, host)
}

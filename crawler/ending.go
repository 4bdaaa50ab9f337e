package crawler

import (
	"context"
	"errors"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// finish writes the remaining skipped and deferred URLs, closes everything and returns the
// summary.
func (c *Crawler) finish() (*Summary, error) {
	end, last, fault := c.lifecycle.Ending()
	c.releaseLimits()
	var listed record.Listed
	err, abandoned := fault, c.lifecycle.CommitCtx.Err() != nil // by a user who did not want to wait for Redis
	if fault == nil && !abandoned {                             // otherwise nothing can be written
		if err = c.forgetRecovered(); err == nil {
			listed, err = c.record.WriteRejected(end == EndDeferred, c.blockOf)
			c.tally.addListed(&listed)
		}
		abandoned = errors.Is(err, context.Canceled) && c.lifecycle.CommitCtx.Err() != nil
	}
	if abandoned {
		end, fault, err = EndInterrupted, nil, nil
		c.board.Show("the crawl was aborted before everything was written; resume it to complete it")
	}
	if err == nil {
		err = c.record.Flush()
	}
	stats, statsErr := c.frontier.Stats(c.lifecycle.CommitCtx)
	if statsErr != nil {
		stats = last
		if fault == nil && c.lifecycle.CommitCtx.Err() == nil {
			err = errors.Join(err, statsErr)
		}
	}
	c.lifecycle.SetStats(stats) // Status returns them as long as the sinks are open
	left := stats.Pending + stats.Scheduled + stats.InFlight
	if err == nil {
		c.state.RejectedIncomplete = c.summary().RejectedIncomplete
		c.state.Ended = &ending{End: end, Remaining: left, Written: c.record.Written(), Uncommitted: c.lifecycle.CommitCtx.Err() != nil}
		err = crawldir.SaveState(c.cfg.Output.Dir, c.state)
	}
	err = errors.Join(err, c.close())
	hosts, noted := c.record.Deferred.All()
	c.tally.count(func(s *Summary) {
		s.End = end
		for _, h := range hosts {
			s.Waiting = append(s.Waiting, string(h))
			s.WaitingReasons = append(s.WaitingReasons, noted[h].Rejection.Detail)
		}
		s.Remaining = left
		s.Hosts = stats.Hosts
		if s.Remaining > 0 {
			if s.NextDue = stats.NextDue; end == EndDeferred && listed.Next.After(s.NextDue) { // its host may be due later
				s.NextDue = listed.Next
			}
		}
	})
	sum := c.summary()
	sum.Shared = sharedBy(&c.cfg, c.cfg.Sharing.WorkerName, c.member.Peers())
	if err != nil {
		sum.End = EndFailed
	}
	c.logEnd(&sum, err)
	return &sum, err
}

// abortGrace is how long outcomes are reported to a remote frontier after an Abort.
const abortGrace = 5 * time.Second

// releaseLimits reports the progress of this process to the others and returns its unused
// share of the limits. If that fails, it happens when the crawl is resumed.
func (c *Crawler) releaseLimits() {
	ctx, cancel := context.WithTimeout(c.lifecycle.CommitCtx, abortGrace)
	defer cancel()
	err := c.member.Sync(ctx)
	if err := errors.Join(err, c.limits.SyncCounters(ctx, true)); err != nil {
		c.log.Warn("could not return unused page quota", "error", err)
	}
}

// close closes what open has opened.
func (c *Crawler) close() error {
	c.lifecycle.Close()
	var errs []error
	if c.network.client != nil {
		c.network.client.CloseIdleConnections() // those of the pages too: they share a transport
	}
	c.member.Close()
	if c.record != nil {
		errs = append(errs, c.record.Close()) // before the frontier: a sink may read it
	}
	if c.frontier != nil {
		errs = append(errs, c.frontier.Close())
	}
	return errors.Join(errs...)
}

// blockOf returns what keeps the URLs of an origin from being requested.
func (c *Crawler) blockOf(h frontier.Host, o robotsext.Origin) (record.Block, error) {
	host, err := c.frontier.Host(c.lifecycle.CommitCtx, h)
	if err != nil {
		return record.Block{}, err
	}
	rec, err := politeness.ReadRecord(host, o)
	if err != nil {
		return record.Block{}, err
	}
	b := record.Block{Until: host.Due, Reason: "the delay of its host has not passed"}
	if host.BlockedUntil.After(time.Now()) {
		b = record.Block{Until: host.BlockedUntil, Reason: "its host sent Retry-After or is down, and that time has not passed"}
	}
	switch {
	case rec == nil:
	case rec.Outcome == robotsext.OutcomeUnreachable:
		b.Until = latest(b.Until, rec.RetryAt)
	default:
		rec.File = robotstxt.Parse(rec.Body, nil)
		if opens, closed := politeness.ClosedUntil(c.network.robots.Group(rec), time.Now()); closed {
			b = record.Block{Until: latest(b.Until, opens), Reason: "it is outside the Visit-time of its robots.txt"}
		}
	}
	return b, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

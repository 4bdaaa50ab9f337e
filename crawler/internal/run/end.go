package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A Result is how a crawl ended, with what it knows beyond the lines that it has recorded.
type Result struct {
	End            plan.End
	Remaining      int       // URLs still to be fetched
	Hosts          int       // with URLs of the crawl
	NextDue        time.Time // of the remaining URLs; zero if none remain
	Waiting        []string  // origins with an unreachable robots.txt
	WaitingReasons []string  // in the order of Waiting
}

// End writes the remaining skipped and deferred URLs, and closes everything.
func (c *Crawl) End() (*Result, error) {
	end, last, fault := c.parts.Lifecycle.Ending()
	c.releaseLimits()
	var listed results.Listed
	err, abandoned := fault, c.parts.Lifecycle.CommitCtx.Err() != nil // by a user who did not want to wait for Redis
	if fault == nil && !abandoned {                                   // otherwise nothing can be written
		if err = c.forgetRecovered(); err == nil {
			listed, err = c.parts.Results.WriteRejected(end == plan.Deferred, c.blockOf)
			c.tally.AddListed(&listed)
		}
		abandoned = errors.Is(err, context.Canceled) && c.parts.Lifecycle.CommitCtx.Err() != nil
	}
	if abandoned {
		end, fault, err = plan.Interrupted, nil, nil
		c.parts.Board.Show("the crawl was aborted before everything was written; resume it to complete it")
	}
	if err == nil {
		err = c.parts.Results.Flush()
	}
	stats, statsErr := c.parts.Frontier.Stats(c.parts.Lifecycle.CommitCtx)
	if statsErr != nil {
		stats = last
		if fault == nil && c.parts.Lifecycle.CommitCtx.Err() == nil {
			err = errors.Join(err, statsErr)
		}
	}
	c.parts.Lifecycle.SetStats(stats) // Status returns them as long as the sinks are open
	result := &Result{End: end, Remaining: stats.Pending + stats.Scheduled + stats.InFlight, Hosts: stats.Hosts}
	if err == nil {
		c.stateMu.Lock()
		c.state.RejectedIncomplete = c.state.RejectedIncomplete || c.parts.Results.Skipped.Full()
		c.state.Ended = &Ended{End: end, Remaining: result.Remaining, Written: c.parts.Results.Written(), Uncommitted: c.parts.Lifecycle.CommitCtx.Err() != nil}
		err = results.SaveState(c.set.Results.Dir, c.state)
		c.stateMu.Unlock()
	}
	err = errors.Join(err, c.Close())
	hosts, noted := c.parts.Results.Deferred.All()
	for _, h := range hosts {
		result.Waiting = append(result.Waiting, string(h))
		result.WaitingReasons = append(result.WaitingReasons, noted[h].Rejection.Detail)
	}
	if result.Remaining > 0 {
		if result.NextDue = stats.NextDue; end == plan.Deferred && listed.Next.After(stats.NextDue) { // its host may be due later
			result.NextDue = listed.Next
		}
	}
	if err != nil {
		result.End = plan.Failed
	}
	return result, err
}

// AbortGrace is how long outcomes are reported to a remote frontier after an Abort.
const AbortGrace = 5 * time.Second

// releaseLimits reports the progress of this process to the others and returns its unused
// share of the limits. If that fails, it happens when the crawl is resumed.
func (c *Crawl) releaseLimits() {
	ctx, cancel := context.WithTimeout(c.parts.Lifecycle.CommitCtx, AbortGrace)
	defer cancel()
	err := c.parts.Member.Sync(ctx)
	if err := errors.Join(err, c.parts.Limits.SyncCounters(ctx, true)); err != nil {
		c.parts.Log.Warn("could not return unused page quota", "error", err)
	}
}

// Close closes what Open has opened.
func (c *Crawl) Close() error {
	c.parts.Lifecycle.Close()
	var errs []error
	if c.parts.Client != nil {
		c.parts.Client.CloseIdleConnections() // those of the pages too: they share a transport
	}
	c.parts.Member.Close()
	if c.parts.Results != nil {
		errs = append(errs, c.parts.Results.Close()) // before the frontier: a sink may read it
	}
	if c.parts.Frontier != nil {
		errs = append(errs, c.parts.Frontier.Close())
	}
	return errors.Join(errs...)
}

// blockOf returns what keeps the URLs of an origin from being requested.
func (c *Crawl) blockOf(o robotsext.Origin) (results.Block, error) {
	host, rec, err := politeness.KnownRobots(c.parts.Lifecycle.CommitCtx, c.parts.Frontier, o)
	if err != nil {
		return results.Block{}, err
	}
	b := results.Block{Until: host.Due, Reason: "the delay of its host has not passed"}
	if host.BlockedUntil.After(time.Now()) {
		b = results.Block{Until: host.BlockedUntil, Reason: "its host sent Retry-After or is down, and that time has not passed"}
	}
	switch {
	case rec == nil:
	case rec.Outcome == robotsext.OutcomeUnreachable:
		b.Until = slices.MaxFunc([]time.Time{b.Until, rec.RetryAt}, time.Time.Compare)
	default:
		rec.File = robotstxt.Parse(rec.Body, nil)
		if opens, closed := politeness.ClosedUntil(c.parts.Robots.Group(rec), time.Now()); closed {
			b = results.Block{Until: slices.MaxFunc([]time.Time{b.Until, opens}, time.Time.Compare), Reason: "it is outside the Visit-time of its robots.txt"}
		}
	}
	return b, nil
}

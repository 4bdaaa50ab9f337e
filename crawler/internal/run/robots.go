package run

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// robotsCache keeps the robots.txt of an origin in the record of its host in the frontier,
// so that it survives a restart and is shared with the frontier.
type robotsCache struct{ c *Crawl }

// Load implements robotsext.Cache.
func (r robotsCache) Load(ctx context.Context, o robotsext.Origin) (*robotsext.Record, error) {
	_, rec, err := politeness.KnownRobots(ctx, r.c.parts.Frontier, o)
	if rec == nil || err != nil {
		return nil, err
	}
	if (rec.FetchedAt.Before(r.c.state.StartedAt) || r.c.parts.Results.Refetch(o)) && rec.ExpiresAt.After(rec.FetchedAt) {
		rec.ExpiresAt = rec.FetchedAt // it stays in use while the site is unreachable
	}
	return rec, nil
}

// forgetRecovered removes deferred hosts if their robots.txt was reached meanwhile, for example by
// another process.
func (c *Crawl) forgetRecovered() error {
	hosts, noted := c.parts.Results.Deferred.All()
	for _, h := range hosts {
		at, err := politeness.LastReached(c.parts.Lifecycle.CommitCtx, c.parts.Frontier, h)
		if err != nil {
			return err
		}
		if at.IsZero() || at.Equal(noted[h].ReachedAt) {
			continue // it was not reached since
		}
		if err := c.parts.Results.Deferred.Resume(h, noted[h]); err != nil {
			return err
		}
	}
	return nil
}

// Store implements robotsext.Cache. It does not keep what the guard refused: stored, the error
// would look as if the host may respond later.
func (r robotsCache) Store(ctx context.Context, rec *robotsext.Record) error {
	if blocked.IsRefused(rec) {
		return nil
	}
	// The retry time of an unreachable site is stored even after the crawl has failed, unless
	// that failure is why the site was unreachable.
	if r.c.parts.Lifecycle.HasFailed() && (rec.Outcome != robotsext.OutcomeUnreachable || rec.Status == 0) {
		return fmt.Errorf("robots.txt of %s: the crawl has failed", rec.Origin)
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("robots.txt of %s: %w", rec.Origin, err)
	}
	return r.c.parts.Frontier.UpdateHost(ctx, weburl.ServerOf(string(rec.Origin)), frontier.HostUpdate{
		Robots: map[string]frontier.Robots{string(rec.Origin): {FailingSince: rec.FailingSince, Data: data}},
	})
}

// onRobots is called with each fetched robots.txt before it decides about any URL. It sets
// the delay of the host, and queues the sitemaps of hosts that belong to the crawl.
func (c *Crawl) onRobots(rec *robotsext.Record) {
	c.parts.Lifecycle.WhileOpen(func() error {
		if !blocked.IsUnrequested(rec) {
			c.tally.AddRobots()
		}
		c.logRobots(rec)
		return c.applyRobots(rec)
	})
	_ = c.slots.Rest(c.parts.Lifecycle.Working, weburl.ServerOf(string(rec.Origin))) // it ends early only with the crawl
}

func (c *Crawl) applyRobots(rec *robotsext.Record) error {
	if rec.Outcome == robotsext.OutcomeUnreachable {
		// Nothing is known of its URLs yet. Each is deferred when it is leased; see package visit.
		return c.parts.Recorder.Robots(rec)
	}
	var group *robotstxt.Group
	if rec.File != nil {
		group = c.parts.Robots.Group(rec)
	}
	if err := c.parts.Delays.Learn(c.parts.Lifecycle.CommitCtx, rec.Origin, group); err != nil {
		return err
	}
	if !c.parts.Scope.HoldsServer(weburl.ServerOf(string(rec.Origin))) {
		if err := c.parts.Member.Sync(c.parts.Lifecycle.CommitCtx); err != nil { // it may have joined the crawl meanwhile
			return err
		}
	}
	if err := c.parts.Discovery.SeedSitemaps(rec); err != nil {
		return err
	}
	return c.parts.Recorder.Robots(rec)
}

// logRobots logs the result of fetching a robots.txt, and when it is requested again.
func (c *Crawl) logRobots(rec *robotsext.Record) {
	if blocked.IsRefused(rec) {
		c.parts.Log.Info("host skipped", "host", rec.Origin, "reason", output.BlockedAddress, "error", blocked.Text(rec.Err))
		return
	}
	if rec.Outcome == robotsext.OutcomeUnreachable {
		c.parts.Log.Warn("robots.txt unreachable", "host", rec.Origin, "status", rec.Status, "error", rec.Err,
			"since", rec.FailingSince, "next", rec.RetryAt)
		return
	}
	c.parts.Log.Info("robots.txt read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "next", rec.ExpiresAt)
}

// onChange logs that the outcome or the rules of a robots.txt have changed.
func (c *Crawl) onChange(before, after *robotsext.Record) {
	c.parts.Log.Info("robots.txt changed", "host", after.Origin, "before", before.Outcome.String(), "outcome", after.Outcome.String(), "status", after.Status)
}

// onTDMRep keeps a tdmrep.json that was requested, before it is used.
func (c *Crawl) onTDMRep(rec *robotsext.Record) {
	c.parts.Lifecycle.WhileOpen(func() error { return c.parts.Results.KeepVersion(rec) })
	problem := rec.TDMRepProblem()
	if problem != "" {
		c.parts.Board.Showf("the tdmrep.json of %s says nothing about pages: %s", rec.Origin, secret.RedactText(problem))
	}
	c.parts.Log.Info("tdmrep.json read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "error", rec.Err, "problem", problem)
}

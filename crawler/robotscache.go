package crawler

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// robotsCache keeps the robots.txt of an origin in the record of its host in the frontier,
// so that it survives a restart and is shared with the frontier.
type robotsCache struct {
	frontier frontier.Frontier
	failed   func() bool                 // the crawl has failed: the record may not have been applied
	refetch  func(robotsext.Origin) bool // this record must be requested again before it expires; nil: none
	since    time.Time                   // start of the recrawl: older records are requested again
}

// Load implements robotsext.Cache.
func (c *robotsCache) Load(ctx context.Context, o robotsext.Origin) (*robotsext.Record, error) {
	host, err := c.frontier.Host(ctx, weburl.ServerOf(string(o)))
	if err != nil {
		return nil, err
	}
	rec, err := politeness.ReadRecord(host, o)
	if rec == nil || err != nil {
		return nil, err
	}
	if (rec.FetchedAt.Before(c.since) || c.refetch != nil && c.refetch(o)) && rec.ExpiresAt.After(rec.FetchedAt) {
		rec.ExpiresAt = rec.FetchedAt // it stays in use while the site is unreachable
	}
	return rec, nil
}

// forgetRecovered removes deferred hosts whose robots.txt was reached meanwhile, for
// example by another process.
func (c *Crawler) forgetRecovered() error {
	hosts, noted := c.record.Deferred.All()
	for _, h := range hosts {
		at, err := politeness.LastReached(c.lifecycle.CommitCtx, c.frontier, h)
		if err != nil {
			return err
		}
		if at.IsZero() || at.Equal(noted[h].ReachedAt) {
			continue // it was not reached since
		}
		if err := c.record.Deferred.Resume(h, noted[h]); err != nil {
			return err
		}
	}
	return nil
}

// Store implements robotsext.Cache. It does not keep what the guard refused: stored, the
// error would look like that of a host that may respond later.
func (c *robotsCache) Store(ctx context.Context, rec *robotsext.Record) error {
	if blocked.IsRefused(rec) {
		return nil
	}
	// The retry time of an unreachable site is stored even after the crawl has failed, unless
	// that failure is why the site was unreachable.
	if c.failed() && (rec.Outcome != robotsext.OutcomeUnreachable || rec.Status == 0) {
		return fmt.Errorf("robots.txt of %s: the crawl has failed", rec.Origin)
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("robots.txt of %s: %w", rec.Origin, err)
	}
	return c.frontier.UpdateHost(ctx, weburl.ServerOf(string(rec.Origin)), frontier.HostUpdate{
		Robots: map[string]frontier.Robots{string(rec.Origin): {FailingSince: rec.FailingSince, Data: data}},
	})
}

// onRobots is called with each fetched robots.txt before it decides about any URL. It sets
// the delay of the host, and queues the sitemaps of hosts that belong to the crawl.
func (c *Crawler) onRobots(rec *robotsext.Record) {
	c.lifecycle.WhileOpen(func() error {
		if !blocked.IsUnrequested(rec) {
			c.tally.count(func(s *Summary) { s.Robots++ })
		}
		logRobots(c.log, rec)
		return c.applyRobots(rec)
	})
	_ = c.network.slots.Rest(c.lifecycle.Working, weburl.ServerOf(string(rec.Origin))) // it ends early only with the crawl
}

func (c *Crawler) applyRobots(rec *robotsext.Record) error {
	if rec.Outcome == robotsext.OutcomeUnreachable {
		// Nothing is known of its URLs yet. Each is deferred when it is leased; see package visit.
		return c.recorder.Robots(rec)
	}
	var group *robotstxt.Group
	if rec.File != nil {
		group = c.network.robots.Group(rec)
	}
	if err := c.network.delays.Learn(c.lifecycle.CommitCtx, rec.Origin, group); err != nil {
		return err
	}
	if !c.scope.HoldsServer(weburl.ServerOf(string(rec.Origin))) {
		if err := c.member.Sync(c.lifecycle.CommitCtx); err != nil { // it may have joined the crawl meanwhile
			return err
		}
	}
	if err := c.discovery.SeedSitemaps(rec); err != nil {
		return err
	}
	return c.recorder.Robots(rec)
}

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
)

// robotsCache keeps the robots.txt of an origin beside the clock of its host in the
// frontier, so that all who share the frontier share it, and a restart does not lose it.
type robotsCache struct {
	frontier frontier.Frontier
	failed   func() bool                 // the crawl has: what a record asks for may not have been taken in
	refetch  func(robotsext.Origin) bool // this record has to be asked for again, though it is not old; nil: none has
	since    time.Time                   // when this round of the crawl began: an older record is asked for again
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
		rec.ExpiresAt = rec.FetchedAt // it still serves while the site cannot be asked
	}
	return rec, nil
}

// forgetRecovered forgets the hosts whose robots.txt was reached since this process could not, as
// by another process.
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

// Store implements robotsext.Cache. What the guard refused is not kept: stored, the
// error would be a text like that of any host which may answer later.
func (c *robotsCache) Store(ctx context.Context, rec *robotsext.Record) error {
	if blocked.IsRefused(rec) {
		return nil
	}
	// Of a site that cannot be asked there is nothing to take in, and when to come back is
	// to be known also after a failure of ours, unless that is why it could not be asked.
	if c.failed() && (rec.Outcome != robotsext.Unreachable || rec.Status == 0) {
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

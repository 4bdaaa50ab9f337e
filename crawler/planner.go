package crawler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/plancount"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// Planner predicts a crawl. It requests robots.txt files and sitemaps, but no pages, and writes
// no files. If a sitemap has pages of another host, it also sends HEAD requests to the start
// URLs, because the crawl includes the hosts to which they redirect. It runs the code of the crawl with the same delays and limits, so it makes the
// same decision about each URL.
//
// A planner needs 20 to 40 bytes of memory for each URL. It stores 64-bit hashes: two URLs with
// the same hash count as one. For ten million
// URLs the probability of a collision is 3 in a million.
type Planner struct {
	c       *Crawler
	counter *plancount.Counter
}

// NewPlanner returns a planner for the crawl that cfg describes. It uses only
// Options.Transport, Logger, OnNotice and Formats. It makes no request. It fails with [ErrConfig]
// if cfg is not valid.
func NewPlanner(cfg Config, opts *Options) (*Planner, error) {
	if opts != nil && (opts.Resume || opts.Recrawl || opts.Frontier != nil) {
		return nil, fmt.Errorf("%w: a plan is of a new crawl", ErrConfig)
	}
	c, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	if c.credentials, err = newCredentials(&c.cfg); err != nil {
		return nil, err
	}
	if err := c.openIdentity(); err != nil {
		return nil, err
	}
	c.formats = nil // nothing is written
	planned := planned(c)
	p := &Planner{c: c, counter: plancount.New(planned)}
	c.frontier, c.recorder = p.counter.Frontier, p.counter
	c.record = record.New(record.Config{
		Frontier: c.frontier, Lifecycle: c.lifecycle, Scope: c.scope, Log: c.log,
	})
	c.network.delays = c.newDelays()
	c.network.slots = politeness.NewSlots(c.frontier, c.network.delays, c.lifecycle, c.leases.duration)
	c.discovery = c.newDiscovery()
	planned.Delays, planned.Discovery = c.network.delays, c.discovery
	c.fetcher, c.network.observer = planFetcher{}, p.counter
	if err := c.connect(); err != nil {
		return nil, err
	}
	return p, nil
}

// planned returns the settings and parts of the crawl that a plan needs.
func planned(c *Crawler) *plancount.Crawl {
	return &plancount.Crawl{
		Workers: c.cfg.Limits.Concurrency, PerHost: c.cfg.Politeness.PerHost, PerIP: c.cfg.Politeness.PerIP,
		MaxPages: c.cfg.Limits.MaxPages, MaxHostPages: c.cfg.Limits.MaxHostPages, MaxTime: c.cfg.Limits.MaxTime,
		MaxSitemaps: c.cfg.Sitemaps.MaxFiles, Token: c.token,
		Frontier: frontier.Options{
			Delay: c.cfg.Politeness.Delay, MaxInFlight: c.cfg.Politeness.PerHost, LeaseTime: leaseTime(&c.cfg),
		},
		Lifecycle: c.lifecycle, Addresses: c.network.addresses,
	}
}

// Run reads robots.txt files and sitemaps until none remains, or until each remaining one would
// have to wait longer than Limits.MaxWait. When ctx ends, Run aborts the requests in flight. The
// Plan contains the results so far, even if Run fails.
func (p *Planner) Run(ctx context.Context) (*plan.Plan, error) {
	c := p.c
	defer c.lifecycle.Abort()
	leases, stopLeases := c.lifecycle.Leases(ctx)
	defer stopLeases()
	defer context.AfterFunc(ctx, c.Abort)()
	if err := c.discovery.SeedStart(); err != nil {
		return nil, err
	}
	c.work(leases)
	if ctx.Err() != nil {
		c.lifecycle.Stop(EndInterrupted)
	}
	c.lifecycle.Close() // a robots.txt that nobody waits for any more changes nothing
	end, _, fault := c.lifecycle.Ending()
	sum := c.tally.summary()
	planned := &plan.Plan{
		End: end, StartedAt: sum.StartedAt, BlockedStartURLs: sum.BlockedStartURLs,
		Robots: sum.Robots, Sitemaps: sum.Sitemaps, Entries: sum.Entries,
	}
	err := p.counter.Sum(planned)
	return planned, errors.Join(fault, err, c.close())
}

// PlanStatus is the current state of a planner.
type PlanStatus struct {
	Hosts             int       // hosts whose robots.txt was requested
	Sitemaps          int       // sitemap files that were read
	SitemapsRemaining int       // known sitemap files that were not read yet
	URLs              int       // URLs found so far
	Waiting           []string  // origins whose robots.txt is unreachable
	NextDue           time.Time // time of the next request; zero: one is in flight
}

// Status returns the current state of the planner. It can be called at any time until Run
// returns.
func (p *Planner) Status() (*PlanStatus, error) {
	stats, err := p.c.frontier.Stats(p.c.lifecycle.CommitCtx)
	if err != nil {
		return nil, err
	}
	s := &PlanStatus{Sitemaps: p.c.tally.summary().Sitemaps}
	if stats.InFlight == 0 {
		s.NextDue = stats.NextDue
	}
	s.URLs, s.Hosts = p.counter.Progress()
	s.SitemapsRemaining = stats.Pending + stats.Scheduled + stats.InFlight
	hosts, _ := p.c.record.Deferred.All()
	for _, h := range hosts {
		s.Waiting = append(s.Waiting, string(h))
	}
	return s, nil
}

// planFetcher fetches no page. Only the robots.txt of its host is requested.
type planFetcher struct{}

// Wants implements visit.Fetcher.
func (planFetcher) Wants() bool { return false }

// Fetch implements visit.Fetcher.
func (planFetcher) Fetch(fetch.Request) (*fetch.Response, error) {
	return nil, errors.New("a plan fetches no page")
}

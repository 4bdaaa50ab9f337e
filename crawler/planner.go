package crawler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/plancount"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// Planner predicts a crawl. It requests robots.txt files and sitemaps, but no pages, and writes
// no files. If a sitemap has pages of another host, it also sends HEAD requests to the start
// URLs, because the crawl includes the hosts to which they redirect. It runs the code of the crawl
// with the same delays and limits, so it makes the same decision about each URL.
//
// A planner needs 20 to 40 bytes of memory for each URL. It stores 64-bit hashes: two URLs with
// the same hash count as one. For ten million URLs the probability of a collision is 3 in a million.
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
	set := c.settings
	set.Results = results.Config{} // nothing is written
	if _, err := c.openSecrets(&set); err != nil {
		return nil, err
	}
	p := &Planner{c: c, counter: plancount.New(plancount.Settings{
		Limits: set.Limits, PerIP: cfg.Politeness.PerIP, MaxTime: set.MaxTime, MaxSitemaps: set.Visit.Discover.MaxSitemaps, Token: set.Visit.Token,
		Frontier: frontier.Options{Delay: set.Delays.Delay, MaxInFlight: set.Delays.MaxInFlight, LeaseTime: set.Visit.LeaseTime},
	})}
	if err := c.run.Plan(set, p.counter.Frontier, p.counter); err != nil {
		return nil, err
	}
	c.warnOfNetwork()
	return p, nil
}

// Run reads robots.txt files and sitemaps until none remains, or until each remaining one would
// have to wait longer than Limits.MaxWait. When ctx ends, Run aborts the requests in flight. The
// Plan contains the results so far, even if Run fails.
func (p *Planner) Run(ctx context.Context) (*plan.Plan, error) {
	c := p.c
	defer c.lifecycle.Abort()
	defer context.AfterFunc(ctx, c.Abort)()
	if err := c.run.SeedStart(); err != nil {
		return nil, err
	}
	c.work(ctx)
	c.lifecycle.Close() // a robots.txt that arrives later changes nothing
	end, _, fault := c.lifecycle.Ending()
	sum := c.tally.summary()
	planned := &plan.Plan{
		End: end, StartedAt: sum.StartedAt, BlockedStartURLs: sum.BlockedStartURLs,
		Robots: sum.Robots, Sitemaps: sum.Sitemaps, Entries: sum.Entries,
	}
	err := p.counter.Sum(planned)
	return planned, errors.Join(fault, err, c.run.Close())
}

// PlanStatus is the current state of a planner.
type PlanStatus struct {
	Hosts             int       // hosts whose robots.txt was requested
	Sitemaps          int       // sitemap files that were read
	SitemapsRemaining int       // known sitemap files that were not read yet
	URLs              int       // URLs found so far
	Waiting           []string  // origins with an unreachable robots.txt
	NextDue           time.Time // time of the next request; zero if one is in flight
}

// Status returns the current state of the planner. It can be called at any time until Run
// returns.
func (p *Planner) Status() (*PlanStatus, error) {
	stats, err := p.counter.Frontier.Stats(p.c.lifecycle.CommitCtx)
	if err != nil {
		return nil, err
	}
	s := &PlanStatus{Sitemaps: p.c.tally.summary().Sitemaps}
	if stats.InFlight == 0 {
		s.NextDue = stats.NextDue
	}
	s.URLs, s.Hosts = p.counter.Progress()
	s.SitemapsRemaining = stats.Pending + stats.Scheduled + stats.InFlight
	s.Waiting = p.c.run.Waiting()
	return s, nil
}

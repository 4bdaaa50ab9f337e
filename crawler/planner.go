package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Planner says what a crawl would do, from robots.txt and sitemaps alone: it asks
// for no page. It is the crawl itself as far as those two go, with its gate, its
// delays, its limits and its patience, so what it says of a URL is what the crawl
// decides. Only the frontier is another one, which keeps sitemaps and counts pages,
// and nothing is written anywhere.
//
// It holds of each URL a 64-bit hash and what has become of it, 20 to 40 bytes;
// the sitemaps themselves pass through. Two URLs of the same hash are taken for
// one: among ten million the chance that there are any is 3 in a million.
type Planner struct {
	c      *Crawler
	census *census
}

// NewPlanner returns a planner for the crawl that cfg describes. Of the options it
// heeds Transport, Logger, Notice and Formats (which cfg may name). It fails with
// [ErrConfig] where [New] does, and has asked for nothing yet.
func NewPlanner(cfg Config, opts *Options) (*Planner, error) {
	if opts != nil && (opts.Resume || opts.Recrawl || opts.Frontier != nil) {
		return nil, fmt.Errorf("%w: a plan is of a new crawl", ErrConfig)
	}
	c, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	c.formats = nil // nothing is written
	p := &Planner{c: c, census: newCensus(c)}
	c.frontier = &plannedFrontier{Frontier: frontier.NewMemory(&frontier.Options{
		Delay: cfg.Delay, MaxInFlight: cfg.PerHost, LeaseTime: leaseTime(&cfg),
	}), census: p.census}
	c.record = record.New(record.Config{
		Frontier: c.frontier, CommitCtx: c.books, ScopeKey: c.scope.Key, Log: c.log, Notice: c.notice,
	})
	c.delays = c.newDelays()
	c.slots = politeness.NewSlots(c.frontier, c.delays, c.leaseTime)
	c.skip, c.keep = p.census.leave, p.census.learn
	c.sent = p.census.request
	if err := c.connect(); err != nil {
		return nil, err
	}
	c.fetch = nil // which alone could ask for a page
	return p, nil
}

// Run reads robots.txt and sitemaps until all are read or, as a crawl would have to,
// those that are left would have to be waited for longer than MaxWait. When ctx ends
// the requests in flight are broken off. The Plan is what is known then, also beside
// an error, which is of the planner's own side.
func (p *Planner) Run(ctx context.Context) (*Plan, error) {
	c := p.c
	defer c.abort()
	leases, leave := context.WithCancel(ctx)
	defer leave()
	c.ending.Lock()
	c.leave = leave
	c.ending.Unlock()
	defer context.AfterFunc(ctx, c.Abort)()
	if err := c.seedStart(); err != nil {
		return nil, err
	}
	var workers sync.WaitGroup
	for range c.cfg.Workers {
		workers.Go(func() {
			if err := p.work(leases); err != nil {
				c.fail(err)
			}
		})
	}
	c.watch(leases)
	workers.Wait()
	if ctx.Err() != nil {
		c.stop(EndInterrupted)
	}
	c.learning.Lock()
	c.closed = true // a robots.txt that nobody waits for any more changes nothing
	c.learning.Unlock()
	plan, err := p.plan()
	c.ending.Lock()
	err = errors.Join(c.fault, err)
	c.ending.Unlock()
	return plan, errors.Join(err, c.close())
}

// PlanStatus is how a planner is getting on.
type PlanStatus struct {
	Hosts        int // of which robots.txt was asked for
	Sitemaps     int // read
	SitemapsLeft int // known and not read yet
	URLs         int
	Waiting      []string  // hosts whose robots.txt cannot be reached
	NextDue      time.Time // when a request can be made next; zero: one is under way
}

// Status returns how the planner is getting on. It can be called at any time until
// Run returns.
func (p *Planner) Status() (*PlanStatus, error) {
	stats, err := p.c.frontier.Stats(p.c.books)
	if err != nil {
		return nil, err
	}
	s := &PlanStatus{Sitemaps: p.c.tally.summary().Sitemaps}
	if stats.Leased == 0 {
		s.NextDue = stats.NextDue
	}
	p.census.mu.Lock()
	defer p.census.mu.Unlock()
	s.URLs, s.Hosts = len(p.census.fates), p.census.asked()
	s.SitemapsLeft = stats.Pending + stats.Scheduled + stats.Leased
	hosts, _ := p.c.record.Deferred.All()
	for _, h := range hosts {
		s.Waiting = append(s.Waiting, string(h))
	}
	return s, nil
}

// work takes what is to be asked for from the frontier, as [Crawler.work] does, until
// leases ends.
func (p *Planner) work(leases context.Context) error {
	c := p.c
	for {
		got, err := c.frontier.Lease(leases, frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, For: leaseTime(&c.cfg)})
		if err != nil {
			if leases.Err() != nil {
				return nil
			}
			return err
		}
		for _, lease := range got {
			v := &visit{lease: lease}
			outcome := v.deferred()
			if leases.Err() == nil {
				if outcome, err = p.visit(v); err != nil {
					return err
				}
			}
			if _, err := c.frontier.Finish(c.books, []frontier.Outcome{outcome}, nil); err != nil {
				return err
			}
			c.stir()
		}
	}
}

// visit deals with a sitemap as the crawl does, and with a start URL as far as the
// robots.txt of its host.
func (p *Planner) visit(v *visit) (frontier.Outcome, error) {
	var err error
	if v.prov, err = provenance.Decode(v.lease.Meta); err != nil {
		return frontier.Outcome{}, err
	}
	if !v.prov.IsSitemap() {
		return p.probe(v)
	}
	outcome, err := p.c.visit(v)
	for _, file := range v.lines.Found().Sitemaps {
		p.census.file(file)
	}
	return outcome, err
}

// probe has the robots.txt of a host asked for, in the turn of a page of it.
func (p *Planner) probe(v *visit) (frontier.Outcome, error) {
	c := p.c
	var err error
	if v.u, err = url.Parse(v.lease.URL); err != nil {
		return frontier.Outcome{}, err
	}
	if v.origin, err = robotsext.OriginOf(v.u); err != nil {
		return frontier.Outcome{}, err
	}
	release, ok := c.addresses.Acquire(c.working, v.lease.Host)
	if !ok {
		return v.deferred(), c.frontier.UpdateHost(c.books, v.lease.Host, frontier.HostUpdate{BlockUntil: time.Now().Add(politeness.AddressPause)})
	}
	defer release()
	noted := c.record.Deferred.Get(v.origin)
	ctx, slot := politeness.WithSlot(c.working, v.lease.Host)
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Done}
	why := c.robots.Check(ctx, v.u)
	if blocked, ok := errors.AsType[*robotsext.BlockedError](why); why == nil || ok && blocked.Reason == robotsext.Disallowed {
		err = c.record.Deferred.Resume(v.origin, noted)
	} else {
		outcome, err = c.refused(v, why)
	}
	if took, spent := slot.Used(); spent {
		outcome.HostDelay = c.delays.After(took)
		err = errors.Join(err, c.waitForServer(slot, why))
	}
	return outcome, err
}

// plannedFrontier keeps the sitemaps, and of each origin one page, for whose sake its
// robots.txt is asked for. The other pages are counted.
type plannedFrontier struct {
	frontier.Frontier
	census *census
}

// Add implements frontier.Frontier.
func (f *plannedFrontier) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	added, kept, places := make([]bool, len(items)), []frontier.Item{}, []int{}
	for i, item := range items {
		t, err := provenance.Decode(item.Meta)
		if err != nil {
			return nil, err
		}
		ask := t.IsSitemap()
		if !ask {
			added[i], ask = f.census.add(item, t)
		}
		if ask {
			kept, places = append(kept, item), append(places, i)
		}
	}
	if len(kept) == 0 {
		return added, nil
	}
	fresh, err := f.Frontier.Add(ctx, kept)
	if err != nil {
		return nil, err
	}
	for k, i := range places {
		added[i] = fresh[k]
	}
	return added, nil
}

package run

import (
	"net/http"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// connect creates what sends requests, and what decides when. It sends nothing.
func (c *Crawl) connect() (err error) {
	delays := c.set.Delays
	delays.Changed, delays.Recheck, delays.Logger = c.state.DelayChanged, c.Member.RecheckSlowed(), c.Log
	c.Delays = politeness.NewDelays(c.Frontier, delays)
	c.slots = politeness.NewSlots(c.Frontier, c.Delays, c.Lifecycle, c.set.LeaseTime)
	crawl := fetch.Crawl{Lifecycle: c.Lifecycle, Pacer: c.slots, Leases: c.Member, Observer: c.observer}
	if slices.ContainsFunc(c.set.Results.Formats, func(f output.Format) bool { return f.Exchanges }) {
		crawl.Archive = c.Results
	}
	robots := c.set.Robots
	robots.Transport = fetch.NewTransport(crawl, c.set.Requests)
	robots.Fetch.Wait = c.slots.Wait
	robots.Cache.Backend = &robotsCache{frontier: c.Frontier, lifecycle: c.Lifecycle, since: c.state.StartedAt, record: c.Results}
	robots.Logger, robots.OnRecord, robots.OnTDMRep, robots.OnChange = c.Log, c.onRobots, c.onTDMRep, c.onChange
	if c.Robots, err = robotsext.New(c.set.Requests.UserAgent, &robots); err != nil {
		return err
	}
	if c.Fetcher == nil { // else it is a plan
		c.Fetcher = crawlFetcher{fetch.New(c.Lifecycle.Working, c.set.Requests, c.Robots)}
	}
	c.client = &http.Client{
		Transport:     c.Robots.Transport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.Visitor = c.newVisitor()
	return nil
}

// crawlFetcher requests the pages of a crawl.
type crawlFetcher struct{ *fetch.Fetcher }

// Wants implements visit.Fetcher.
func (crawlFetcher) Wants() bool { return true }

// onTDMRep keeps a tdmrep.json that was requested, before it is used.
func (c *Crawl) onTDMRep(rec *robotsext.Record) {
	c.Lifecycle.WhileOpen(func() error { return c.Results.KeepVersion(rec) })
	problem := rec.TDMRepProblem()
	if problem != "" {
		c.Board.Showf("the tdmrep.json of %s says nothing about pages: %s", rec.Origin, secret.RedactText(problem))
	}
	c.Log.Info("tdmrep.json read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "error", rec.Err, "problem", problem)
}

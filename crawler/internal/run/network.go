package run

import (
	"net/http"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// connect creates what sends requests, and what decides when. It sends nothing.
func (c *Crawl) connect() (err error) {
	delays := c.set.Delays
	delays.Changed, delays.Recheck, delays.Logger = c.state.DelayChanged, c.parts.Member.RecheckSlowed(), c.parts.Log
	c.parts.Delays = politeness.NewDelays(c.parts.Frontier, delays)
	c.slots = politeness.NewSlots(c.parts.Frontier, c.parts.Delays, c.parts.Lifecycle, c.set.Visit.LeaseTime)
	crawl := fetch.Crawl{Lifecycle: c.parts.Lifecycle, Pacer: c.slots, Leases: c.parts.Member, Observer: c.counter}
	if slices.ContainsFunc(c.set.Results.Formats, func(f output.Format) bool { return f.Exchanges }) {
		crawl.Archive = c.parts.Results
	}
	robots := c.set.Robots
	robots.Transport = fetch.NewTransport(crawl, c.set.Visit.Requests)
	robots.Fetch.Wait = c.slots.Wait
	robots.Cache.Backend = &robotsCache{frontier: c.parts.Frontier, lifecycle: c.parts.Lifecycle, since: c.state.StartedAt, record: c.parts.Results}
	robots.Logger, robots.OnRecord, robots.OnTDMRep, robots.OnChange = c.parts.Log, c.onRobots, c.onTDMRep, c.onChange
	if c.parts.Robots, err = robotsext.New(c.set.Visit.Requests.UserAgent, &robots); err != nil {
		return err
	}
	if c.counter == nil {
		c.parts.Fetcher = fetch.New(c.parts.Lifecycle.Working, c.set.Visit.Requests, c.parts.Robots)
	}
	c.parts.Client = &http.Client{
		Transport:     c.parts.Robots.Transport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.visitor = visit.New(c.set.Visit, &c.parts)
	return nil
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

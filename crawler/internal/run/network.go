package run

import (
	"net/http"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// connect creates what sends requests, and what decides when. It sends nothing.
func (c *Crawl) connect() (err error) {
	delays := c.set.Delays
	delays.Changed, delays.Recheck, delays.Logger = c.state.DelayChanged, c.Member.RecheckSlowed(), c.Log
	delays.Group = func(rec *robotsext.Record) *robotstxt.Group {
		rec.File = robotstxt.Parse(rec.Body, c.set.Robots.Parse)
		return c.Robots.Group(rec)
	}
	c.Delays = politeness.NewDelays(c.Frontier, delays)
	c.slots = politeness.NewSlots(c.Frontier, c.Delays, c.set.LeaseTime)
	hooks := fetch.Hooks{Delay: c.slots.PauseBefore, Responded: c.obeyRetryAfter, Fail: c.Lifecycle.Fail, Lease: c.Member.WithinLease}
	if p, ok := c.Recorder.(interface {
		Request(*http.Request, time.Duration, error)
	}); ok {
		hooks.Sent = p.Request
	}
	if slices.ContainsFunc(c.set.Record.Formats, func(f output.Format) bool { return f.Exchanges }) {
		hooks.Record = c.Record.Exchange
	}
	robots := c.set.Robots
	robots.Transport = fetch.NewTransport(c.Lifecycle.Working, c.set.Requests, hooks)
	robots.Fetch.Wait = c.slots.Wait
	robots.Cache.Backend = &robotsCache{frontier: c.Frontier, failed: c.Lifecycle.HasFailed, since: c.state.StartedAt, refetch: c.Record.Refetch}
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

// obeyRetryAfter blocks the server of a response with Retry-After (ROB-POL-04). The time
// counts from the end of the response, when the caller calls ended.
func (c *Crawl) obeyRetryAfter(req *http.Request, resp *http.Response) (ended func()) {
	wait, host, recorded := c.slots.RetryAfter(req, resp)
	if wait == 0 {
		return func() {}
	}
	c.Log.Info("host sent Retry-After", "host", host, "status", resp.StatusCode, "next", time.Now().Add(wait))
	if recorded {
		return func() {}
	}
	block := func() {
		c.Lifecycle.WhileOpen(func() error {
			return c.Frontier.UpdateHost(c.Lifecycle.CommitCtx, host, frontier.HostUpdate{BlockUntil: time.Now().Add(wait)})
		})
	}
	block()
	return block
}

// onTDMRep keeps a tdmrep.json that was requested, before it is used.
func (c *Crawl) onTDMRep(rec *robotsext.Record) {
	c.Lifecycle.WhileOpen(func() error { return c.Record.KeepVersion(rec) })
	problem := rec.TDMRepProblem()
	if problem != "" {
		c.Board.Showf("the tdmrep.json of %s says nothing about pages: %s", rec.Origin, secret.RedactText(problem))
	}
	c.Log.Info("tdmrep.json read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "error", rec.Err, "problem", problem)
}

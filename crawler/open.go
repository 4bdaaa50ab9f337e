package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// frontierDir is the name of the frontier in the directory of a crawl.
const frontierDir = "frontier"

// open opens the directory and the frontier, brings what an earlier process left
// back, and puts the start URLs in. When it fails everything is closed again.
func (c *Crawler) open() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	c.frontier = c.opts.Frontier // closed with the rest, also when it comes to nothing
	if c.opts.Transport == nil {
		if err := fetch.CheckDescriptors(c.cfg.Workers); err != nil {
			return err
		}
	}
	begin := c.begin
	switch {
	case c.opts.Recrawl:
		begin = c.beginAgain
	case c.opts.Resume:
		begin = c.goOn
	}
	if err := begin(); err != nil {
		return err
	}
	c.recorder = crawlRecorder{c.record}
	if err := c.restoreRobots(); err != nil {
		return err
	}
	if err := c.record.OpenSinks(len(c.state.Lost) > 0); err != nil {
		return err
	}
	c.delays = c.newDelays()
	c.slots = politeness.NewSlots(c.frontier, c.delays, c.leaseTime)
	if err := c.connect(); err != nil {
		return err
	}
	if err := c.restore(); err != nil {
		return err
	}
	if err := c.restoreRefused(); err != nil {
		return err
	}
	if err := c.limits.Settle(c.life.commitCtx, false); err != nil {
		return err
	}
	if err := c.seedStart(); err != nil {
		return err
	}
	return c.readmit()
}

// begin makes the directory of a new crawl.
func (c *Crawler) begin() error {
	if err := output.Vacant(c.cfg.Output, c.formats...); err != nil {
		if held := c.held(); held != nil {
			return held
		}
		return err
	}
	if err := durable.MkdirAll(c.cfg.Output); err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	if err := c.openFrontier(); err != nil {
		return err
	}
	c.state = &state{Version: stateVersion, Config: c.cfg.WithoutSecrets(), Shared: c.member.ID()}
	c.record = c.newRecorder()
	return c.record.Create(c.state)
}

// newRecorder returns what writes the crawl down.
func (c *Crawler) newRecorder() *record.Recorder {
	return record.New(record.Config{
		Dir: c.cfg.Output, Formats: c.formats, Available: c.opts.Formats, Power: c.cfg.Durability == DurablePower, Resume: c.opts.Resume,
		Frontier: c.frontier, CommitCtx: c.life.commitCtx, ScopeKey: c.scope.Key, Log: c.log, Notice: c.notice,
		OnPage: c.tally.page, OnReject: c.tally.reject,
		OnUnlisted: func() { c.tally.count(func(s *Summary) { s.Unlisted = true }) },
		OnDamage:   func(l output.Loss) { c.tally.count(func(s *Summary) { s.Lost = append(s.Lost, l) }) },
		OnLoss: func(lost []output.Loss) error {
			c.noteLosses(c.state, lost)
			return output.SaveState(c.cfg.Output, c.state)
		},
	})
}

// unused returns an error when the frontier of the directory or the journal is that of an
// earlier crawl, whose other files somebody has removed: what that crawl had done would be
// taken for done.
func (c *Crawler) unused() error {
	stats, err := c.frontier.Stats(c.life.commitCtx)
	if err != nil {
		return err
	}
	if stats.Added > 0 {
		return fmt.Errorf("%w: %q has the frontier of one in it; name another directory or remove this one", output.ErrExists, c.cfg.Output)
	}
	if info, err := os.Stat(filepath.Join(c.cfg.Output, record.JournalFile)); err == nil && info.Size() > 0 {
		return fmt.Errorf("%w: %q has %s in it; name another directory or remove this one", output.ErrExists, c.cfg.Output, record.JournalFile)
	}
	return nil
}

// openFrontier opens the frontier, and says with whom the crawl shares it.
func (c *Crawler) openFrontier() error {
	switch {
	case c.frontier != nil:
	case c.cfg.Frontier != "":
		return c.joinCluster()
	default:
		if err := c.openEmbedded(); err != nil {
			return err
		}
	}
	c.member = &cluster.Alone{Frontier: c.frontier, MaxTime: c.cfg.MaxTime, Handler: handler{c}}
	return nil
}

// openEmbedded opens the frontier in the directory. Its lock is that of the whole directory.
func (c *Crawler) openEmbedded() error {
	opts := &pebblestore.Options{
		Delay: c.cfg.Delay, MaxInFlight: c.cfg.PerHost, LeaseTime: c.leaseTime, Logger: c.log,
	}
	if c.cfg.Durability == DurablePower {
		opts.Durability = pebblestore.Power
	}
	store, err := pebblestore.Open(filepath.Join(c.cfg.Output, frontierDir), opts)
	if err != nil {
		return err // and no typed nil in c.frontier
	}
	c.frontier = store
	if c.opts.Resume || c.opts.Recrawl {
		return nil
	}
	return c.unused()
}

// held returns who has the frontier of the directory open, as an error.
func (c *Crawler) held() error {
	view, err := pebblestore.Inspect(filepath.Join(c.cfg.Output, frontierDir))
	switch {
	case errors.Is(err, pebblestore.ErrInUse):
		return err
	case err == nil:
		return view.Close()
	}
	return nil
}

// connect makes what talks to the network. Nothing is sent yet.
func (c *Crawler) connect() error {
	requests := fetch.Config{
		UserAgent: c.cfg.UserAgent,
		Timeout:   c.cfg.Timeout, FirstByteTimeout: c.cfg.FirstByteTimeout, StallTimeout: c.cfg.StallTimeout,
		MaxBody: c.cfg.MaxBody, Workers: c.cfg.Workers, PerHost: c.cfg.PerHost,
		Proxies: c.cfg.Proxies, Guard: c.guard, Resolver: c.resolver, Base: c.opts.Transport,
	}
	hooks := fetch.Hooks{Delay: c.slots.PauseBefore, Responded: c.obeyRetryAfter, Sent: c.sent, Record: c.recordExchange(), Fail: c.life.fail, Lease: c.member.WithinLease}
	c.tellOfProxies()
	c.tellOfWide()
	var err error
	c.robots, err = robotsext.New(c.cfg.UserAgent, &robotsext.Options{
		Transport: fetch.NewTransport(c.life.working, requests, hooks),
		Fetch:     robotsext.FetchOptions{Wait: c.slots.Wait, Timeout: c.cfg.RobotsTimeout},
		Outage:    robotsext.OutageOptions{RetryMin: c.cfg.RobotsRetry},
		Cache:     robotsext.CacheOptions{Backend: &robotsCache{frontier: c.frontier, failed: c.life.failed, since: c.roundBegan, again: c.record.Refetch}},
		Logger:    c.log,
		OnRecord:  c.learned,
		OnChange:  c.logChange,
		Parse:     robotsOptions(&c.cfg),
	})
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	if c.pages == nil { // else it is a plan
		c.pages = crawlFetcher{fetch.New(c.life.working, requests, c.robots)}
	}
	c.sitemaps = &http.Client{
		Transport:     c.robots.Transport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return nil
}

// newDelays returns the delays of the crawl's servers.
func (c *Crawler) newDelays() *politeness.Delays {
	opts := politeness.Options{
		Delay: c.cfg.Delay, MaxCrawlDelay: c.cfg.MaxCrawlDelay, ResponseFactor: c.cfg.ResponseFactor, MaxInFlight: c.cfg.PerHost,
		Resumed: c.opts.Resume || c.opts.Recrawl, Changed: c.repaced, Recheck: c.member.RecheckSlowed(), Logger: c.log,
		Group: func(rec *robotsext.Record) *robotstxt.Group {
			rec.File = robotstxt.Parse(rec.Body, robotsOptions(&c.cfg))
			return c.robots.Group(rec)
		},
	}
	return politeness.NewDelays(c.frontier, opts)
}

// robotsOptions is how a crawl reads robots.txt.
func robotsOptions(cfg *Config) *robotstxt.Options {
	return &robotstxt.Options{MaxCrawlDelay: cfg.MaxCrawlDelay, RequestRateDelay: true}
}

// recordExchange returns what takes the exchanges; nil: no format wants them.
func (c *Crawler) recordExchange() func(*output.Exchange) {
	if !slices.ContainsFunc(c.formats, func(f output.Format) bool { return f.Exchanges }) {
		return nil
	}
	return c.record.Exchange
}

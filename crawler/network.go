package crawler

import (
	"net"
	"net/http"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A network has what sends requests, and what decides when.
type network struct {
	robots    *robotsext.Robots
	client    *http.Client // for sitemaps; pages have a fetcher
	delays    *politeness.Delays
	slots     *politeness.Slots
	addresses *politeness.Addresses
	resolver  *net.Resolver      // nil: the machine's
	identity  *identity.Identity // signs the requests; nil: they are not signed
	dns       identity.DNS       // of Fetch.CheckDNS
	observer  fetch.Observer     // of the requests; nil: there is none
}

// connect creates the network. It sends nothing.
func (c *Crawler) connect() error {
	requests := fetch.Config{
		UserAgent: c.cfg.Fetch.UserAgent, Contact: c.cfg.Fetch.Contact, Types: c.types,
		Timeout: c.cfg.Fetch.Timeout, FirstByteTimeout: c.cfg.Fetch.FirstByteTimeout, StallTimeout: c.cfg.Fetch.StallTimeout,
		MaxBody: c.cfg.Fetch.MaxBody, Workers: c.cfg.Limits.Concurrency, PerHost: c.cfg.Politeness.PerHost,
		Proxies: c.cfg.Fetch.Proxies, Guard: c.guard, Resolver: c.network.resolver, Base: c.opts.Transport, Local: c.localRequests(), Credentials: c.credentials,
	}
	if c.network.identity != nil {
		requests.Signer = c.network.identity
	}
	crawl := fetch.Crawl{Lifecycle: c.lifecycle, Pacer: c.network.slots, Leases: c.member, Observer: c.network.observer}
	c.warnOfNetwork()
	if slices.ContainsFunc(c.formats, func(f output.Format) bool { return f.Exchanges }) {
		crawl.Archive = c.record
	}
	var err error
	c.network.robots, err = robotsext.New(c.cfg.Fetch.UserAgent, &robotsext.Options{
		Transport: fetch.NewTransport(crawl, requests),
		Fetch:     robotsext.FetchOptions{Wait: c.network.slots.Wait, Timeout: c.cfg.Robots.Timeout},
		Outage:    robotsext.OutageOptions{RetryMin: c.cfg.Robots.Retry},
		Cache:     robotsext.CacheOptions{Backend: &robotsCache{frontier: c.frontier, failed: c.lifecycle.HasFailed, since: c.state.StartedAt, refetch: c.record.Refetch}},
		Logger:    c.log,
		OnRecord:  c.onRobots,
		OnTDMRep:  c.onTDMRep,
		OnChange:  func(before, after *robotsext.Record) { logChange(c.log, before, after) },
		Parse:     robotsOptions(&c.cfg),
	})
	if err != nil {
		return err
	}
	if c.fetcher == nil { // else it is a plan
		c.fetcher = crawlFetcher{fetch.New(c.lifecycle.Working, requests, c.network.robots)}
	}
	c.network.client = &http.Client{
		Transport:     c.network.robots.Transport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.visitor = c.newVisitor()
	return nil
}

// crawlFetcher requests the pages of a crawl.
type crawlFetcher struct{ *fetch.Fetcher }

// Wants implements visit.Fetcher.
func (crawlFetcher) Wants() bool { return true }

// localRequests returns what sends the requests to the local site, by server; nil: there is none.
func (c *Crawler) localRequests() map[string]http.RoundTripper {
	if c.opts.Local == nil {
		return nil
	}
	return map[string]http.RoundTripper{string(c.opts.Local.Server): c.opts.Local.Transport}
}

// newDelays returns the delays of the crawl's servers.
func (c *Crawler) newDelays() *politeness.Delays {
	opts := politeness.Options{
		Delay: c.cfg.Politeness.Delay, MaxCrawlDelay: c.cfg.Politeness.MaxCrawlDelay, ResponseFactor: c.cfg.Politeness.ResponseFactor, MaxInFlight: c.cfg.Politeness.PerHost,
		Resumed: c.opts.Resume || c.opts.Recrawl, Changed: c.state.DelayChanged, Recheck: c.member.RecheckSlowed(), Logger: c.log,
		Token: c.token, Robots: robotsOptions(&c.cfg),
	}
	if c.opts.Local != nil {
		opts.Undelayed = c.opts.Local.Server
	}
	return politeness.NewDelays(c.frontier, opts)
}

// robotsOptions are the options for parsing robots.txt.
func robotsOptions(cfg *Config) *robotstxt.Options {
	return &robotstxt.Options{MaxCrawlDelay: cfg.Politeness.MaxCrawlDelay, RequestRateDelay: true}
}

package crawler

import (
	"cmp"
	"net/http"

	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// newSettings returns the settings of a run. It uses neither the disk nor the network.
func newSettings(cfg *Config, opts *Options) (set run.Settings, err error) {
	token, tokenErr := robotstxt.ProductToken(cfg.Fetch.UserAgent)
	since, sinceErr := parseSince(cfg.Sitemaps.Since)
	fields, fieldsErr := fieldRules(cfg.Output.Extract)
	types, typesErr := fetch.ParseTypes(cfg.Fetch.Types)
	purposes, files, purposesErr := cfg.Usage.purposes()
	addresses, addressesErr := newGuard(cfg, opts)
	formats, formatsErr := results.ChooseFormats(cfg.Output.AlsoWrite, opts.Formats)
	drop, dropErr := params.New(cfg.Scope.DropParams)
	if len(cfg.Scope.DropParams) == 0 {
		drop = nil
	}
	if err := cmp.Or(tokenErr, sinceErr, dropErr, fieldsErr, typesErr, purposesErr, addressesErr, formatError(formatsErr)); err != nil {
		return set, err
	}
	set = run.Settings{
		Recrawl: opts.Recrawl, Local: opts.Local != nil, KeepGenerations: cfg.Output.KeepGenerations,
		Workers: cfg.Limits.Concurrency, MaxWait: cfg.Limits.MaxWait, MaxTime: cfg.Limits.MaxTime, TrapPages: cfg.Limits.TrapPages,
		Limits: quota.Limits{
			MaxPages: cfg.Limits.MaxPages, MaxHostPages: cfg.Limits.MaxHostPages, MaxBytes: cfg.Limits.MaxBytes,
			Workers: cfg.Limits.Concurrency, MaxInFlight: cfg.Politeness.PerHost,
		},
		Results: results.Config{
			Dir: cfg.Output.Dir, Formats: formats, Available: opts.Formats, Power: cfg.Output.Durability == DurablePower, Resume: opts.Resume, Unused: cfg.unusedFiles(),
		},
		Delays: politeness.Options{
			Delay: cfg.Politeness.Delay, MaxCrawlDelay: cfg.Politeness.MaxCrawlDelay, ResponseFactor: cfg.Politeness.ResponseFactor, MaxInFlight: cfg.Politeness.PerHost,
			Resumed: opts.Resume || opts.Recrawl, Token: token, Robots: robotsOptions(cfg),
		},
		Robots: robotsext.Options{
			Fetch: robotsext.FetchOptions{Timeout: cfg.Robots.Timeout}, Outage: robotsext.OutageOptions{RetryMin: cfg.Robots.Retry}, Parse: robotsOptions(cfg),
		},
		Visit: visit.Settings{
			Discover: discover.Settings{
				Start: cfg.URLs, AnyHost: cfg.Scope.Kind != ScopeHost && cfg.Scope.Kind != ScopePath, MaxHosts: cfg.Limits.MaxHosts,
				Checks: cfg.Scope.checkSettings(), Nofollow: cfg.Robots.ObeyNofollow, CleanParam: cfg.Scope.CleanParam, Params: drop,
				ProbeSitemap: cfg.Sitemaps.Probe, MaxSitemaps: cfg.Sitemaps.MaxFiles, MaxEntries: cfg.Sitemaps.MaxEntries,
				Order: discover.Order(cfg.Sitemaps.Order), Since: since,
			},
			Requests: fetch.Config{
				UserAgent: cfg.Fetch.UserAgent, Contact: cfg.Fetch.Contact, Types: types,
				Timeout: cfg.Fetch.Timeout, FirstByteTimeout: cfg.Fetch.FirstByteTimeout, StallTimeout: cfg.Fetch.StallTimeout,
				MaxBody: cfg.Fetch.MaxBody, MaxRecorded: cfg.Output.WARCMax, Spool: cfg.Output.Dir, Workers: cfg.Limits.Concurrency, PerHost: cfg.Politeness.PerHost,
				Proxies: cfg.Fetch.Proxies, Guard: addresses, Base: opts.Transport,
			},
			Token: token, Retries: cfg.Fetch.Retries, LeaseTime: leaseTime(cfg),
			Noindex: cfg.Robots.ObeyNoindex, Fields: fields, Headers: canonicalNames(cfg.Output.KeepHeader),
			Links: cfg.Output.Links != LinksNone, LinkTexts: cfg.Output.Links == LinksFull, MaxLinks: cfg.Limits.MaxLinks,
			SitemapsOnly: cfg.Sitemaps.Only, Purposes: purposes, FilePurposes: files, RefuseUnknown: cfg.Usage.Unknown == UnknownRefuse,
		},
	}
	if cfg.Output.Archive {
		set.Visit.Discover.Checks.Archive, set.Visit.Rest = true, cfg.Output.WARCMax
	}
	if local := opts.Local; local != nil {
		set.Visit.Discover.Local = discover.Local{Server: local.Server, Dir: local.Dir, Sitemap: local.Sitemap}
		set.Delays.Undelayed = local.Server
		set.Visit.Requests.Local = map[string]http.RoundTripper{string(local.Server): local.Transport}
	}
	return set, nil
}

// robotsOptions are the options for parsing robots.txt.
func robotsOptions(cfg *Config) *robotstxt.Options {
	return &robotstxt.Options{MaxCrawlDelay: cfg.Politeness.MaxCrawlDelay, RequestRateDelay: true}
}

// unusedFiles returns the names of the JSON lines files that the settings do not need.
func (c *Config) unusedFiles() (names []string) {
	if c.Output.Links == LinksNone {
		names = append(names, results.Links.Name())
	}
	if len(c.Scope.Check) == 0 {
		names = append(names, results.Checks.Name())
	}
	if !c.Scope.checks(CheckFragments) {
		names = append(names, results.Anchors.Name())
	}
	return names
}

// canonicalNames returns the names of header fields as [http.Header] has them.
func canonicalNames(names []string) []string {
	canonical := make([]string, len(names))
	for i, name := range names {
		canonical[i] = http.CanonicalHeaderKey(name)
	}
	return canonical
}

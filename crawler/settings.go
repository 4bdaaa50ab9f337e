package crawler

import (
	"net/http"

	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
)

// newDiscovery returns what decides about the URLs that the crawl finds.
func (c *Crawler) newDiscovery() *discover.Discovery {
	cfg := &c.cfg
	set := discover.Settings{
		Start: cfg.URLs, AnyHost: cfg.Scope.Kind != ScopeHost && cfg.Scope.Kind != ScopePath, MaxHosts: cfg.Limits.MaxHosts,
		Checks: cfg.Scope.checkSettings(), Nofollow: cfg.Robots.ObeyNofollow, CleanParam: cfg.Scope.CleanParam,
		ProbeSitemap: cfg.Sitemaps.Probe, MaxSitemaps: cfg.Sitemaps.MaxFiles, MaxEntries: cfg.Sitemaps.MaxEntries,
		Order: discover.Order(cfg.Sitemaps.Order), Since: c.since,
	}
	if len(cfg.Scope.DropParams) > 0 {
		set.Params = c.params
	}
	if local := c.opts.Local; local != nil {
		set.Local = discover.Local{Server: local.Server, Dir: local.Dir, Sitemap: local.Sitemap}
	}
	return discover.New(set, discover.Crawl{
		Scope: c.scope, Frontier: c.frontier, Member: c.member, Record: c.record, Recorder: c.recorder,
		Guard: c.guard, Credentials: c.credentials, Lifecycle: c.lifecycle, Board: c.board, Log: c.log,
	})
}

// newVisitor returns what visits the URLs of the crawl.
func (c *Crawler) newVisitor() *visit.Visitor {
	cfg := &c.cfg
	return visit.New(visit.Settings{
		Token: c.token, UserAgent: cfg.Fetch.UserAgent, Timeout: cfg.Fetch.Timeout, Retries: cfg.Fetch.Retries, LeaseTime: c.leases.duration,
		Noindex: cfg.Robots.ObeyNoindex, Types: c.types, Fields: c.fields, Headers: canonicalNames(cfg.Output.KeepHeader),
		Links: cfg.Output.Links != LinksNone, LinkTexts: cfg.Output.Links == LinksFull, MaxLinks: cfg.Limits.MaxLinks,
		TrapPages: cfg.Limits.TrapPages, StartURLs: len(cfg.URLs), Only: cfg.Sitemaps.Only, MaxEntries: cfg.Sitemaps.MaxEntries,
		Checks: cfg.Scope.checkSettings(), Purposes: c.purposes, Files: c.files, RefuseUnknown: cfg.Usage.Unknown == UnknownRefuse,
	}, visit.Crawl{
		Frontier: c.frontier, Member: c.member, Robots: c.network.robots, Client: c.network.client, Fetcher: c.fetcher, Committer: c.recorder,
		Delays: c.network.delays, Addresses: c.network.addresses, Limits: c.limits, Traps: c.traps, Discovery: c.discovery,
		Record: c.record, Credentials: c.credentials, Lifecycle: c.lifecycle, Board: c.board,
		Causes: notice.NewHosts(c.board, "other hosts have problems too; the report names them"),
		Unread: notice.NewHosts(c.board, "other sites name such files too, which the crawl does not read; the log names them"),
		Log:    c.log,
	})
}

// canonicalNames returns the names of header fields as [http.Header] has them.
func canonicalNames(names []string) []string {
	canonical := make([]string, len(names))
	for i, name := range names {
		canonical[i] = http.CanonicalHeaderKey(name)
	}
	return canonical
}

// crawlRecorder records a crawl in its directory.
type crawlRecorder struct{ *record.Recorder }

// Skip implements recorder.
func (r crawlRecorder) Skip(urls []record.SkippedURL) error { return r.Recorder.Skip(urls) }

// TakeScope implements recorder.
func (r crawlRecorder) TakeScope(u weburl.URL, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error {
	return r.Skipped.TakeScope(u, match, give)
}

// TakeListed implements recorder.
func (r crawlRecorder) TakeListed(o robotsext.Origin, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error {
	return r.Skipped.TakeListed(o, match, give)
}

// Robots implements recorder. It ignores a robots.txt that was not requested.
func (r crawlRecorder) Robots(rec *robotsext.Record) error {
	if blocked.IsUnrequested(rec) {
		return nil
	}
	return r.Recorder.Robots(blocked.ForOutput(rec))
}

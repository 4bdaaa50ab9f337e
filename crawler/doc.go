// Package crawler is a polite web crawler.
//
// It obeys robots.txt for every URL and every redirect, and waits between requests to a host.
// It fetches each URL once and loses none. It reports which URLs it fetched, which it skipped,
// and why.
//
// Every URL takes the same path:
//
//	start URL ─┐
//	Sitemap ───┤  canonical form, scope, seen?     host that is due first
//	link ──────┴─► frontier.Add ──► host queue ──► frontier.Lease ─┐
//	                   ▲                                           ▼
//	                   │                              robots.Decide(ctx, u)
//	                   │                               │ first time for the origin:
//	                   │      sitemaps, delay ◄────────┤ fetch, status, parse, cache
//	                   │                               │
//	                   │          disallowed / later ◄─┴────► allowed
//	                   │                     │                  ▼
//	                   │                     │       fetch (colly; robotsext checks again)
//	                   │                     │                  ▼
//	                   │                     │       X-Robots-Tag, meta robots
//	                   │   links, unless     │                  ▼
//	                   └── nofollow ◄────────┼───────────── extract
//	                                         ▼                  ▼
//	                        frontier.Finish(outcome + links)  JSON Lines files, sinks
//	                        host due again = end + delay      (written first)
//
// A sitemap may have 50,000 entries. The crawl sorts them and adds them to the frontier, in batches,
// before the lease of the sitemap ends.
//
// A URL that is only checked ([Scope.Check]) takes the same path under a key of its own, and ends
// with a line in checks.jsonl.
//
// Package robotsext decides whether a URL may be requested. Package guard decides which
// addresses may be connected to. Package frontier decides which URL is next, and when. Every request
// to a host needs a request slot from the frontier: for robots.txt, a sitemap or a page.
//
// # Use
//
//	cfg := crawler.Default()
//	cfg.URLs, cfg.Output.Dir = []string{"https://example.com/"}, "example"
//	cfg.Fetch.UserAgent = "examplebot/1.0 (+https://example.com/bot)"
//	c, err := crawler.New(cfg, nil)
//	…
//	sum, err := c.Run(ctx)
//
// The directory example then contains the results as JSON Lines files. Package output reads them,
// and package report turns them into a report. [Options.Formats] adds the formats of the
// packages csvout, sqlite and warc.
//
// [Crawler.Status] returns the state of a running crawl. [Crawler.Pause], [Crawler.Resume],
// [Crawler.Stop] and [Crawler.Abort] control it. [Options.Resume] resumes a crawl that was
// stopped or killed, and [Options.Recrawl] fetches the pages of a crawl again. Both use the
// configuration that [LoadConfig] returns. A [Planner] predicts a crawl. Processes on several
// machines can share a crawl; see [JoinConfig] and package shared.
//
// README.md in this directory lists the log messages, the limits that protect a crawl from a site,
// the state after a kill, and the cost of a crawl. ARCHITECTURE.md shows how the packages are built.
// See also THREATS.md (hostile sites), POLITENESS.md (delays) and SHARED.md (shared crawls).
package crawler

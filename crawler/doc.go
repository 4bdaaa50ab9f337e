// Package crawler is a polite web crawler, built to be read.
//
// It obeys robots.txt for every URL and every redirect, and waits between two requests to a
// host. It loses no URL, requests none twice, and reports what it fetched, what it skipped,
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
//	                   │                     │       fetch (colly; the gate checks again)
//	                   │                     │                  ▼
//	                   │                     │       X-Robots-Tag, meta robots
//	                   │   links, unless     │                  ▼
//	                   └── nofollow ◄────────┼───────────── extract
//	                                         ▼                  ▼
//	                        frontier.Finish(outcome + links)  lines of JSON, sinks
//	                        host due again = end + delay      (these first)
//
// worker.go processes each URL from its lease to its commit. The steps in admission.go,
// response.go and sitemap.go decide; the worker skips, waits, retries and commits. The entries
// of a sitemap are the exception: they go into the frontier while it is read, since it may list
// 50,000. Package robotsext decides whether a URL may be requested, package guard which
// addresses may be connected to, and package frontier which URL is next, and when. The frontier
// has the only clock of a host. Each request slot is for one request: to robots.txt, a sitemap
// or a page.
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
// The results are lines of JSON in the directory example. Package output reads them, package
// report makes a page of them, and [Options.Formats] adds other formats: csvout, sqlite, warc.
//
// [Crawler.Status] reports on a running crawl, and [Crawler.Pause], [Crawler.Resume],
// [Crawler.Stop] and [Crawler.Abort] control it. [Options.Resume] resumes a crawl, after kill
// -9 too, with the configuration that [LoadConfig] returns. [Options.Recrawl] requests everything
// again that has changed. A [Planner] predicts a crawl. Processes on several machines can share
// a crawl; see [JoinConfig] and package shared.
//
// README.md in this directory lists the log messages and the limits on what a site can make a
// crawl do, and says how a kill is survived and what a crawl costs. See also THREATS.md
// (hostile sites), POLITENESS.md (delays) and SHARED.md (shared crawls).
package crawler

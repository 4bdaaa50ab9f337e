// Package crawler is a polite crawler of web sites, built to be read.
//
// A crawler requests pages of a site, reads the links in them, and requests those too. What
// makes it a good one is what it does besides: it asks robots.txt first and obeys it, for
// every URL and every redirect; it lets time pass between two requests to a host; it loses no
// URL, requests none twice, and can say afterwards what it found, what it skipped, and why.
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
// worker.go carries each URL from its lease to its commit. The steps in admission.go,
// response.go and sitemap.go decide; the worker skips, waits, retries and commits. Only the
// entries of a sitemap go into the frontier while it is read, since it may list 50,000.
// Package robotsext decides whether a URL may be requested, package guard which addresses may
// be connected to, and package frontier which URL is next, and when: it has the only clock of
// a host, and one request slot of a host is one request, to robots.txt, a sitemap or a page.
// The packages below internal each know one thing that a step has to know.
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
// report makes a page of them, and [Options.Formats] writes other formats: csvout, sqlite, warc.
//
// While a crawl runs, [Crawler.Status] tells how it is getting on, and [Crawler.Pause],
// [Crawler.Continue], [Crawler.Stop] and [Crawler.Abort] hold and end it. [Options.Resume]
// resumes it, after kill -9 too, with the configuration that [Saved] returns, and
// [Options.Recrawl] requests everything again that has changed. A [Planner] says beforehand
// what a crawl would do. Processes on several machines share a crawl; see [Joined] and package
// shared.
//
// README.md in this directory has the messages of the log, the limits on what a site can make
// a crawl do, how a kill is survived, and what a crawl costs; THREATS.md, POLITENESS.md and
// SHARED.md tell about hostile sites, polite delays and shared crawls.
package crawler

// Package crawler is a polite crawler of web sites, built to be read.
//
// A crawler keeps asking a site for pages, reads the links in them, and asks for
// those too. What makes it a good one is what it does besides: it asks
// robots.txt first and obeys it, for every URL and every redirect; it lets time
// pass between two requests to a host; it loses no URL, asks for none twice, and
// can say afterwards what it found, what it left alone, and why.
//
// Every URL takes the same path:
//
//	start URL ─┐
//	Sitemap ───┤  canonical form, scope, seen?     host that is due first
//	link ──────┴─► frontier.Add ──► host queue ──► frontier.Lease ─┐
//	                   ▲                                           ▼
//	                   │                              robots.Check(ctx, u)
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
//	                        frontier.Finish(outcome + links)  pages.jsonl
//	                        host due again = end + delay
//
// The files follow it: seed.go puts URLs in, worker.go takes one from lease to
// outcome, fetch.go asks colly for it, links.go takes up what it leads to, and
// crawler.go starts the workers and sees when there is nothing left to do.
//
// Who decides what:
//
//   - package robotsext: whether a URL may be asked for.
//   - package frontier: which URL is next, and when. It has the only clock of a
//     host, and one turn of a host is one request: to robots.txt, a sitemap or a
//     page. A redirect is not followed on the spot; its target is a URL like any
//     other.
//   - this package: which URLs belong to the crawl, and what becomes of an answer.
//
// The output is a directory: see package output.
package crawler

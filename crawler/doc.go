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
// outcome, fetch.go asks colly for it, links.go takes up what it leads to, ledger.go
// writes down what came of it, and crawler.go starts the workers and sees when there
// is nothing left to do.
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
//
// # What a crawl outlives
//
// A crawl may end at any moment, by kill -9 too, and goes on with [Options.Resume].
// There are three places in which something stands, and each is written before what
// relies on it:
//
//   - A robots.txt: its Sitemap lines go into the frontier, then its record goes into
//     the host's record there. Killed in between, it is asked for again.
//   - A page: what it leads to outside of the crawl goes into the journal, its line
//     into pages.jsonl, and then the end of its lease, its links and the length of
//     pages.jsonl into the frontier, in one write. Killed before that, the page is
//     fetched again, and what pages.jsonl has beyond its length is cut off.
//   - A sitemap: its entries go into the frontier as they come, the end of its lease
//     after the last. Killed before, it is read again; the frontier knows each entry
//     once.
//
// The clocks of hosts stand in the frontier. A host that was ever asked is not asked
// before its delay has passed since the crawl went on, because nobody can know when
// the last request to it has ended.
package crawler

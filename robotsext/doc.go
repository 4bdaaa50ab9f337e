// Package robotsext answers one question for every request of a crawler: may
// this URL be fetched?
//
// # The subject
//
// A site says which of its URLs robots may fetch in a file, /robots.txt, at the
// root of its origin: of one scheme, one host and one port. RFC 9309 says how the
// file is found and what it means, Google's documentation how the largest crawler
// reads it. Reading the file is the smaller part (package robotstxt). The larger
// part is knowing what holds when there is no file to read: a site that answers
// 404 has no rules, but one that answers 500 has rules that nobody knows, and
// until somebody does, nothing may be fetched. So a verdict has three values:
// allowed, disallowed, and later.
//
// # Use
//
// With colly it takes one line; see Attach for what it changes in a collector:
//
//	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
//	…
//	c := colly.NewCollector(robots.Attach)
//
// With net/http it is a RoundTripper, Transport. Everybody else calls Decide
// before each request, redirects included. Check is the same as an error.
//
//	d, err := robots.Decide(ctx, u)
//	switch {
//	case err != nil: // ctx is over, or no robots.txt applies to u
//	case d.Verdict == robotsext.Allowed: // fetch u, at the pace of d.Group.CrawlDelay()
//	case d.Verdict == robotsext.Disallowed: // d.Rule says by which line
//	case d.Verdict == robotsext.Later: // not before d.RetryAt
//	}
//
// # What is promised
//
// No request reaches a site before its robots.txt outcome is known, none that a
// rule disallows, none while robots.txt is unreachable. What is judged is what is
// sent, dot segments removed. A robots.txt is fetched once however many
// goroutines ask, is used for as long as the site says, within bounds, and is
// never read as "allow" because it was forgotten.
//
// # Defaults
//
//	redirects of robots.txt   5, across hosts; then as 404
//	size read                 500 KiB, decoded, cut at a line
//	time for one fetch        30 s, waiting for a turn not counted
//	lifetime of an outcome    24 h; Cache-Control and Expires within 5 min and 24 h
//	unreachable               5xx, 429, 407, network and framing errors, bad redirects
//	next try                  after 1 min, doubling to 1 h (10 min for 503), Retry-After up to 24 h
//	Retry-After               obeyed with any status, for robots.txt, sitemaps and Robots.Pace
//	after 30 days of that     the last good copy; if there never was one, all allowed
//	no robots.txt             any other 4xx
//	sitemaps                  1,000 files a walk, one a second or as Crawl-delay says, 5 min for each
//	sitemap not answered      5xx, 408, 429, network errors: asked again 3 times, an hour's waiting in all
//	records in memory         100,000 and about 512 MiB, least recently used go first
//	addresses                 any that can be connected to; Options.Guard: public ones alone
//
// A record costs 5.5 KB of memory with a file of 600 bytes, which is typical, and
// 13 KB on average of real ones (BenchmarkRecordMemory): 100,000 are between half
// a GiB and 1.3 GiB. What must survive the process goes into a Cache, such as
// NewFileCache; Google's and older readings of a long outage are an OutageProfile.
//
// # What colly does not make possible
//
// A refusal of a single URL before OnRequest runs and the URL is marked as
// visited: call Check first. Comparing errors by ==: use errors.Is. Checking what
// colly serves from its CacheDir: that was fetched before. Noticing SetClient before
// colly's own request for robots.txt, or on a clone: call Attach again after it.
// Silencing a clone that lost its gate to a transport that ignores contexts, or any
// in colly v2.1.0, which has no contexts: the same. Request.ProxyURL stays empty
// with a proxy switcher.
package robotsext

// Package demosite serves a small website on loopback that tests whether a crawler is polite.
//
// The site has about two hundred pages on eight hosts. Each page says what it tests and how a
// polite crawler treats it, so people can read the site in a browser. The site records every
// request. Judge reports the violations:
//
//	site, err := demosite.Start(nil)
//	// crawl site.StartURLs()
//	report := site.Judge(20*time.Millisecond, "politecrawl")
//
// The hosts are on 127.0.0.1 to 127.0.0.8, with the same port on each:
//
//	rules        groups of robots.txt, precedence of rules, escapes and queries,
//	             redirects, meta robots, X-Robots-Tag and rel, content other than HTML,
//	             a spider trap
//	sitemaps     a Crawl-delay; a sitemap index and gzip-compressed sitemaps, some of
//	             them disallowed or missing; pages that only sitemaps list
//	wildcards    * and $ in rules; a robots.txt with a byte order mark, CR LF and
//	             mistakes; its sitemap is on the host "rules"
//	unavailable  a robots.txt that responds with 503 and Retry-After at first
//	norobots     no robots.txt (404), so everything is allowed; pages that respond with
//	             404, 410 and 500, and one with 503 and Retry-After at first
//	redirected   a robots.txt behind two redirects, on the host "rules"
//	disallowed   Disallow: /
//	external     out of scope: it must get no request
//
// The site is always the same, except for its addresses. The code of each page declares which
// line of robots.txt matches its URL, and which links the page has. Judge and Expected use
// these declarations. They parse no robots.txt and no HTML, and share no code with the crawler.
//
// With a delay of 20 ms between requests to a host, a complete crawl takes six to ten seconds.
// Most of this time goes into a hundred requests to the host "sitemaps", with its Crawl-delay
// of 50 ms, and into the retries of a page of the host "norobots".
package demosite

// Package demosite is a small web site on loopback that tests the politeness of a crawler.
//
// The site serves some two hundred pages on eight hosts. Each page says what it tests and what
// a polite crawler does with it, so the site can be read in a browser like a textbook. It
// records every request, and Judge reports what a polite crawler would not have done:
//
//	site, err := demosite.Start(nil)
//	// crawl site.StartURLs()
//	report := site.Judge(20*time.Millisecond, "politecrawl")
//
// The hosts are on 127.0.0.1 to 127.0.0.8, with the same port on each:
//
//	rules        groups of robots.txt, precedence of rules, escapes and queries,
//	             redirects of every kind, meta robots, X-Robots-Tag and rel,
//	             content that is not HTML, an endless calendar
//	sitemaps     a Crawl-delay; a sitemap index with gzip-compressed sitemaps, some
//	             disallowed or missing, and pages that only those list
//	wildcards    * and $ in rules; a robots.txt with a byte order mark, CR LF and
//	             mistakes; its sitemap is on the host rules
//	unavailable  a robots.txt that answers 503 with Retry-After at first
//	norobots     no robots.txt (404), so all is allowed; pages that answer 404, 410,
//	             500, and 503 once with Retry-After
//	redirected   a robots.txt behind two redirects, kept on the host rules
//	disallowed   Disallow: /
//	external     not a start URL, so out of scope: it must get no request
//
// The site is the same each time it is started, except for its addresses. Each URL declares
// the line of robots.txt that decides about it, for crawlers with the product token politecrawl
// and for all others, and the links of its page. Judge and Expected use these declarations.
// They parse neither robots.txt nor HTML, and share no code with the crawler.
//
// With a delay of 20 ms between requests to a host, a complete crawl takes six to ten
// seconds. Most of it are a hundred requests to sitemaps, with a Crawl-delay of 50 ms, and the
// retries of a page of norobots that fails.
package demosite

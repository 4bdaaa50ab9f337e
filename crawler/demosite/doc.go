// Package demosite is a small web site on loopback on which a polite crawler is
// shown, and judged.
//
// A crawler's manners show in what it does not do, so they can only be judged
// from the other side. The site serves some two hundred pages on eight hosts;
// each page says what it tests and what a polite crawler does with it, so that
// the site can be read in a browser like a text book. It records every request,
// and Judge finds in the record what a polite crawler would not have done:
//
//	site, err := demosite.Start(nil)
//	// crawl site.StartURLs()
//	report := site.Judge(20*time.Millisecond, "politecrawl")
//
// The hosts are on 127.0.0.1 to 127.0.0.8, with the same port on each:
//
//	townhall   groups of robots.txt, precedence of its lines, escapes and
//	           queries, redirects of every kind, meta robots, X-Robots-Tag and
//	           rel, content that is not HTML, a calendar without end
//	library    a Crawl-delay; a sitemap index with gzip-compressed sitemaps, some
//	           closed or lost, and pages that only those list
//	market     * and $ in rules; a robots.txt with a byte order mark, CR LF and
//	           mistakes in it; its sitemap lies at the townhall
//	ferry      a robots.txt that answers 503 with Retry-After before it recovers
//	park       no robots.txt (404): all is allowed; pages that answer 404, 410,
//	           500, and 503 once with Retry-After
//	museum     a robots.txt behind two redirects, kept at the townhall
//	vault      Disallow: /
//	elsewhere  no start URL, so out of scope: it must not be asked for anything
//
// The site is the same octet for octet each time it is started, but for its
// addresses. It knows by construction what is allowed: each URL declares the
// line of robots.txt that decides about it, for crawlers with the product token
// politecrawl and for all others, and the links that it has. From that, and not
// by reading robots.txt or HTML, Judge and Expected know what is right; they
// share no code, and so no mistake, with the crawler that they look at.
//
// With a delay of 20 ms between the requests to a host, a complete crawl takes
// six to ten seconds: a hundred requests to the library, at its Crawl-delay of
// 50 ms, and the tries of a page in the park that fails take the longest.
package demosite

package demosite

import "github.com/politecrawl/politecrawl/crawler/internal/testserver"

// A Finding is a request that a polite crawler must not or should not send. Its Kind says why, such
// as "too soon"; Request is the request, and Earlier the one that makes it a finding, if any. Its
// String describes it in one line.
type Finding = testserver.Finding

// A Report describes a crawl as the site saw it.
type Report struct {
	Requests        int            // number of all requests
	Robots          map[string]int // requests for /robots.txt, by origin
	RobotsRedirects int            // requests for redirect targets of robots.txt
	Sitemaps        int            // requests for sitemap files
	SitemapsRead    int            // sitemap requests that returned a sitemap
	SitemapsMissing int            // sitemap requests with status 404 or 410
	Pages           int            // all other requests
	Retries         int            // requests among Pages for a URL that was requested before

	// Violations are requests that a polite crawler must not send, in the order of requests.
	Violations []Finding

	// Warnings are requests that a polite crawler should not send, in the order of requests.
	Warnings []Finding

	// Missing are expected URLs that were not requested, sorted. An incomplete crawl has some.
	Missing []string
}

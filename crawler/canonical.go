package crawler

import "github.com/politecrawl/politecrawl/crawler/internal/weburl"

// Canonical returns the one form under which the crawl knows a URL: scheme and
// host in lower case, the host in punycode, no default port, no dot segments, no
// user info, no fragment; path and query otherwise as written (ROB-MAT-25).
// It fails on what is not an http or https URL.
func Canonical(raw string) (string, error) {
	u, err := weburl.Parse(raw)
	return u.Canonical, err
}

package crawler

import (
	"fmt"
	"time"
)

// SitemapOrder is the order in which the sitemap entries of a host are fetched.
type SitemapOrder string

const (
	// ByLastMod fetches the most recently changed pages first. Entries without a date, or
	// with a date in the future, are last. The order is exact within a sitemap file, of which the
	// crawl reads 50,000 entries, the protocol's limit. Between files, dates may count as equal if their
	// ages differ by less than an hour, or an eighth.
	// Pages that were found by a link before the sitemap was read have the priority of links, and a recrawl
	// requests known pages in the order of the previous crawl.
	ByLastMod SitemapOrder = "lastmod"
	// ByPriority fetches the entries with the highest priority first.
	ByPriority SitemapOrder = "priority"
	// AsListed keeps the order of the sitemap files.
	AsListed SitemapOrder = "none"
)

func (o SitemapOrder) valid() bool { return o == ByLastMod || o == ByPriority || o == AsListed }

// checkRecrawled returns an error if a recrawl has a later Since than the crawl before it. It requests every
// page of that crawl again, so the date would have no effect on them.
func (s *Sitemaps) checkRecrawled(before *Sitemaps) error {
	since, _ := parseSince(s.Since) // it is valid
	was, _ := parseSince(before.Since)
	if since.IsZero() || !was.IsZero() && !since.After(was) {
		return nil
	}
	return &ConfigError{Key: "since", Problem: fmt.Errorf(
		"a recrawl requests every page of the previous crawl again, also those unchanged since %s; omit it, or crawl into a new directory to request only the others", s.Since)}
}

// parseSince parses a date or a time. Empty is the zero time.
func parseSince(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is neither a date like 2026-01-31 nor a time like 2026-01-31T12:00:00Z", s)
}

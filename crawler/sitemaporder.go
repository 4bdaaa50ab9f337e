package crawler

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
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

// entryOrder gives sitemap entries their priority, and says which are skipped as unchanged.
type entryOrder struct {
	by    SitemapOrder
	now   time.Time // when the crawl began
	since time.Time // zero: all
}

// levels is the number of frontier priorities for sitemap entries, from
// provenance.PriorityEntry on.
const levels = provenance.PriorityLink - provenance.PriorityEntry

// priority returns the frontier priority of an entry.
func (o *entryOrder) priority(e sitemap.Entry) uint8 {
	level := 0
	switch {
	case o.by == ByPriority:
		level = int((1 - e.Priority) * (levels - 1))
	case o.by == ByLastMod && o.dateOf(e).IsZero():
		level = levels - 1
	case o.by == ByLastMod:
		// A level is an hour, or an eighth of a power of two: the older a page, the less its
		// exact date matters. The last level with a date begins after 26 years.
		hours := uint(o.now.Sub(e.LastMod) / time.Hour)
		doublings := max(bits.Len(hours)-4, 0)
		level = min(8*doublings+int(hours>>doublings), levels-2)
	}
	return provenance.PriorityEntry + uint8(level)
}

// dateOf returns the lastmod of a page; zero if it has none, or one in the future. Sitemaps have none: they
// keep their order.
func (o *entryOrder) dateOf(e sitemap.Entry) time.Time {
	if e.Sitemap || e.LastMod.After(o.now) {
		return time.Time{}
	}
	return e.LastMod
}

// sort puts the entries of a sitemap into the order in which they are added: the frontier keeps it within a
// priority.
func (o *entryOrder) sort(entries []sitemap.Entry) {
	if o.by == ByLastMod {
		slices.SortStableFunc(entries, func(a, b sitemap.Entry) int { return o.dateOf(b).Compare(o.dateOf(a)) })
	}
}

// isUnchanged reports whether the lastmod of an entry says that it has not changed since the
// time in question. An entry without a date may have changed.
func (o *entryOrder) isUnchanged(lastMod time.Time) bool {
	return !lastMod.IsZero() && lastMod.Before(o.since)
}

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

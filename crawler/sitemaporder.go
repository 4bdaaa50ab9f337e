package crawler

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// SitemapOrder is the order in which the sitemap entries of a host are fetched.
type SitemapOrder string

const (
	// ByLastMod fetches the most recently changed pages first. Entries without a date, or
	// with a date in the future, are last.
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
	case o.by == ByLastMod && (e.LastMod.IsZero() || e.LastMod.After(o.now)):
		level = levels - 1
	case o.by == ByLastMod:
		// Each level is twice as old as the one before: what changed in the
		// last hour is first, and among years-old pages nobody can choose.
		level = min(bits.Len(uint(o.now.Sub(e.LastMod)/time.Hour)), levels-2)
	}
	return provenance.PriorityEntry + uint8(level)
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

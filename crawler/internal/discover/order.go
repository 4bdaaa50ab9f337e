package discover

import (
	"math/bits"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// Order is the order in which the sitemap entries of a host are fetched.
type Order string

// The orders, as crawler.SitemapOrder describes them.
const (
	ByLastMod  Order = "lastmod"
	ByPriority Order = "priority"
	AsListed   Order = "none"
)

// entryOrder gives sitemap entries their priority, and says which are skipped as unchanged.
type entryOrder struct {
	by    Order
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

package crawler

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// SitemapOrder says which entries of sitemaps are fetched first on their host.
type SitemapOrder string

const (
	// ByLastMod is the last changed first: ROB-SMP-16. Entries without a date,
	// or with one that is still to come, are last.
	ByLastMod SitemapOrder = "lastmod"
	// ByPriority is by the priority that the site gives them (ROB-SMP-17).
	ByPriority SitemapOrder = "priority"
	// AsListed is the order in which they stand in the files.
	AsListed SitemapOrder = "none"
)

func (o SitemapOrder) valid() bool { return o == ByLastMod || o == ByPriority || o == AsListed }

// entryOrder decides when the entries of sitemaps come to their turn, and which do
// not.
type entryOrder struct {
	by    SitemapOrder
	now   time.Time // when the crawl began
	since time.Time // zero: all
}

// levels is how many priorities of the frontier the entries of sitemaps have,
// from provenance.PriorityEntry on.
const levels = provenance.PriorityLink - provenance.PriorityEntry

// priority is that of an entry in the frontier.
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

// isUnchanged tells whether an entry says that it has not changed since the time that
// matters. One without a date may have.
func (o *entryOrder) isUnchanged(e sitemap.Entry) bool {
	return !e.LastMod.IsZero() && e.LastMod.Before(o.since)
}

// parseSince reads a date or a time, as since has it. Empty is the zero time.
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

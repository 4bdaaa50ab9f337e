package discover

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

const (
	// MaxNested is how deep indexes may be nested (ROB-SMP-20).
	MaxNested = 2

	// maxSitemapURL is the longest URL of a sitemap file, in bytes. The line of each entry
	// repeats it.
	maxSitemapURL = 2048

	// SeedBatch is how many URLs are added to the frontier at once.
	SeedBatch = 500
)

// addSitemap adds a sitemap file that a robots.txt or an index lists.
func (f *Found) addSitemap(url string, t provenance.Provenance) error {
	a, err := weburl.Parse(url)
	if err != nil {
		return nil
	}
	if len(a.Canonical) > maxSitemapURL {
		f.d.Log.Warn("sitemap skipped", "url", a.Canonical[:escape.MaxBytes], "host", t.SitemapOf, "found_on", t.FoundOn, "line", 0)
		return nil
	}
	item := t.Item(a.Canonical, a.Server)
	known, err := f.d.Frontier.Known(f.d.Lifecycle.CommitCtx, []frontier.Key{item.Key()})
	if err != nil {
		return err
	}
	if known[0] || !f.d.Sitemaps.Take(t.SitemapOf) {
		return nil // a sitemap that is listed again counts once
	}
	f.Items = append(f.Items, item)
	return nil
}

// SeedEntries adds the entries of a sitemap to the frontier in their order, in batches, and returns their
// lines. It skips entries outside the scope of the sitemap, unless their own robots.txt lists it
// (ROB-SMP-25). Unread are the robots.txt files that decide about entries, and are not known yet. Refusal
// says why no entry counts, and is nil if some do.
func (d *Discovery) SeedEntries(doc *Document, scope sitemap.Scope, entries []sitemap.Entry) (lines []*output.Entry, unread *Found, refusal, err error) {
	listed := &crossListing{
		d: d, doc: doc, hashes: append(doc.Prov.Listed(doc.URL), d.redirecting(doc.URL)...),
		origins: make(map[robotsext.Origin]*robotsListing), indexed: make(map[robotsext.Origin]bool),
	}
	d.order.sort(entries)
	pages, refused := 0, 0
	for batch := range slices.Chunk(entries, SeedBatch) {
		found := d.NewFound()
		for _, entry := range batch {
			if !entry.Sitemap {
				pages++
			}
			var why error
			if !scope.Accepts(entry) {
				if why, err = listed.judge(entry); err != nil {
					return nil, nil, nil, err
				}
			}
			if why != nil {
				refused++
				refusal = cmp.Or(refusal, why)
			}
			line, err := found.addEntry(doc, entry, why)
			if err != nil {
				return nil, nil, nil, err
			}
			if line != nil {
				lines = append(lines, line)
			}
		}
		if err := d.seed(found); err != nil {
			return nil, nil, nil, err
		}
	}
	if unread = listed.unread(); pages == 0 || len(unread.Items) > 0 || refused < pages {
		refusal = nil
	}
	return lines, unread, refusal, nil
}

// skipOtherHostSitemap skips a sitemap of another host that an index must not list, up to the limit
// on sitemaps.
func (f *Found) skipOtherHostSitemap(url string, t provenance.Provenance, refusal error) {
	a, err := weburl.Parse(url)
	if err != nil || len(a.Canonical) > maxSitemapURL || !f.d.Sitemaps.TakeOtherHost(t.SitemapOf, a.Canonical) {
		return
	}
	item := t.Item(a.Canonical, a.Server)
	if !f.skipBlocked(item, a, t) {
		f.skip(item, a, t, output.NotAuthorized, refusal.Error())
	}
}

// addEntry adds an entry of a sitemap: a page, or a sitemap in an index. It skips an entry for which the
// sitemap is not authorized (ROB-SMP-18); refusal says why. Line is that of a page in entries.jsonl, or
// nil.
func (f *Found) addEntry(doc *Document, entry sitemap.Entry, refusal error) (*output.Entry, error) {
	t := provenance.Provenance{Source: provenance.Sitemap, FoundOn: provenance.Referrer(doc.URL), LastMod: entry.LastMod, Recrawl: doc.Prov.Recrawl}
	if entry.Sitemap || errors.Is(refusal, errUnread) {
		t.Listing = doc.Prov.Listed(doc.URL)
	}
	if entry.Sitemap {
		t.SitemapOf, t.IndexDepth = doc.Prov.SitemapOf, doc.Prov.IndexDepth+1
		why := refusal
		if why == nil && t.IndexDepth > MaxNested {
			why = fmt.Errorf("indexes nest more than %d deep", MaxNested)
		}
		if why == nil {
			return nil, f.addSitemap(entry.Loc, t)
		}
		loc := secret.RedactURL(entry.Loc)
		f.d.Lifecycle.Notice("sitemap skipped", fmt.Sprintf("sitemap %s, line %d: %s is not read: %v", doc.URL, entry.Line, loc, why),
			"url", loc, "host", doc.Prov.SitemapOf, "found_on", doc.URL, "line", entry.Line, "error", why)
		if refusal != nil {
			f.skipOtherHostSitemap(entry.Loc, t, refusal)
		}
		return nil, nil
	}
	a, err := weburl.Parse(entry.Loc)
	if err != nil && f.skipTooLong("", entry.Loc, t, err) {
		return nil, nil
	}
	if err != nil {
		shown := ClippedRef(entry.Loc)
		f.skip(frontier.Item{URL: shown.Canonical}, shown, t, output.InvalidURL, err.Error())
		return nil, nil
	}
	a.Canonical = f.d.CleanURL(a.Canonical, nil)
	item := t.Item(a.Canonical, a.Server)
	item.Priority = f.d.order.priority(entry)
	switch {
	case f.skipBlocked(item, a, t):
	case refusal != nil:
		f.skip(item, a, t, output.NotAuthorized, refusal.Error())
	case !f.d.Scope.Holds(a):
		f.skip(item, a, t, output.OutOfScope, "")
	case f.d.order.isUnchanged(entry.LastMod):
		f.skip(item, a, t, output.BeforeSince, "")
	default:
		f.addWithinBounds(item, a, t)
	}
	return &output.Entry{URL: a.Canonical, Sitemap: doc.URL, LastMod: entry.LastMod}, nil
}

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
	since time.Time // zero means all
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

// dateOf returns the lastmod of a page, or zero if it has none, or one in the future. Sitemaps have none:
// they keep their order.
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

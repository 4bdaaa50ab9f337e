package discover

import (
	"errors"
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
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
	key := provenance.SitemapKey(a.Canonical)
	known, err := f.d.Frontier.Known(f.d.Lifecycle.CommitCtx, []string{key})
	if err != nil {
		return err
	}
	if known[0] || !f.d.Sitemaps.Take(t.SitemapOf) {
		return nil // a sitemap that is listed again counts once
	}
	f.Items = append(f.Items, frontier.Item{URL: key, Host: a.Server, Priority: provenance.PrioritySitemap, Meta: t.Encode()})
	return nil
}

// SeedEntries adds the entries of a sitemap to the frontier in their order, in batches, and returns their lines.
// It skips those for which the sitemap is not authorized: neither is its scope, nor by their robots.txt
// (ROB-SMP-25). Unread are the robots.txt files that decide about entries, and are not known yet. None says
// why no entry counts; nil: some do.
func (d *Discovery) SeedEntries(doc *Document, scope sitemap.Scope, entries []sitemap.Entry) (lines []*output.Entry, unread *Found, none, err error) {
	listed := newCrossListing(d, doc)
	d.order.sort(entries)
	pages := 0
	for batch := range slices.Chunk(entries, SeedBatch) {
		found := d.NewFound()
		for _, entry := range batch {
			if !entry.Sitemap {
				pages++
			}
			var refusal error
			if !scope.Accepts(entry) {
				if refusal, err = listed.refuse(entry); err != nil {
					return nil, nil, nil, err
				}
			}
			line, err := found.addEntry(doc, entry, refusal)
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
	if unread = listed.unread(); pages > 0 && len(unread.Items) == 0 {
		none = listed.explain(pages)
	}
	return lines, unread, none, nil
}

// skipOtherHostSitemap skips a sitemap of another host that an index must not list, up to the limit
// on sitemaps.
func (f *Found) skipOtherHostSitemap(url string, t provenance.Provenance, refusal error) {
	a, err := weburl.Parse(url)
	if err != nil || len(a.Canonical) > maxSitemapURL || !f.d.Sitemaps.TakeOtherHost(t.SitemapOf, a.Canonical) {
		return
	}
	item := frontier.Item{URL: provenance.SitemapKey(a.Canonical), Host: a.Server, Priority: provenance.PrioritySitemap, Meta: t.Encode()}
	if !f.skipBlocked(item, a, t) {
		f.skip(item, a, t, output.NotAuthorized, refusal.Error())
	}
}

// addEntry adds an entry of a sitemap: a page, or a sitemap in an index. It skips an entry for which the
// sitemap is not authorized (ROB-SMP-18); refusal says why. Line is that of a page, for entries.jsonl; nil: there is none.
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
		f.d.Log.Warn("sitemap skipped", "url", loc, "host", doc.Prov.SitemapOf, "found_on", doc.URL, "line", entry.Line, "error", why)
		f.d.Board.Showf("sitemap %s, line %d: %s is not read: %v", doc.URL, entry.Line, loc, why)
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
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: f.d.order.priority(entry), Meta: t.Encode()}
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

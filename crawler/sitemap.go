package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

const (
	// sitemapTime limits the time for one sitemap file, which may be 50 MiB.
	sitemapTime = 5 * time.Minute

	// maxNested is how deep indexes may be nested (ROB-SMP-20).
	maxNested = 2

	// maxSitemapURL is the longest URL of a sitemap file, in bytes. The line of each entry
	// repeats it.
	maxSitemapURL = 2048

	// seedBatch is how many sitemap entries are added to the frontier at once.
	seedBatch = 500
)

// addSitemap adds a sitemap file that a robots.txt or an index lists.
func (f *discoveries) addSitemap(url string, t provenance.Provenance) error {
	a, err := weburl.Parse(url)
	if err != nil {
		return nil
	}
	if len(a.Canonical) > maxSitemapURL {
		f.d.log.Warn("sitemap skipped", "url", a.Canonical[:escape.MaxBytes], "host", t.SitemapOf, "found_on", t.FoundOn, "line", 0)
		return nil
	}
	item := frontier.Item{Kind: provenance.KindSitemap, URL: a.Canonical, Host: a.Server, Priority: provenance.PrioritySitemap, Meta: t.Encode()}
	known, err := f.d.frontier.Known(f.d.lifecycle.CommitCtx, []frontier.Key{item.Key()})
	if err != nil {
		return err
	}
	if known[0] || !f.d.sitemaps.Take(t.SitemapOf) {
		return nil // a sitemap that is listed again counts once
	}
	f.items = append(f.items, item)
	return nil
}

// fetchSitemap fetches one sitemap file and adds its entries to the frontier. After a kill it
// is read again from the start; the frontier ignores entries that it knows.
func (w *worker) fetchSitemap(v *visit) (d decision, err error) {
	c := w.c
	if v.prov.FoundOn == "" && v.url == c.discovery.localSitemap {
		v.prov.FoundOn = v.url[:strings.LastIndex(v.url, "/")+1] // unlike a probed file it exists: the report names its faults
	}
	if c.discovery.sitemaps.Exhausted(v.prov.SitemapOf) {
		return decision{verdict: skip, skipped: output.Rejection{Reason: output.MaxSitemapEntries, Detail: c.discovery.sitemaps.ExceededText(v.prov.SitemapOf)}}, nil
	}
	// The listing in robots.txt authorizes the sitemap for its host, on whatever host it is.
	// Without it, a sitemap could send the crawl anywhere. Other origins may list it too; see crossListing.
	scope, err := sitemap.NewScope(sitemap.Listed, v.url, string(v.prov.SitemapOf))
	if err != nil {
		return skipFor(output.InvalidURL, err), nil
	}
	ctx, cancel := context.WithTimeout(fetch.ForSitemap(c.lifecycle.Working, v.url), sitemapTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url, nil)
	if err != nil {
		return skipFor(output.InvalidURL, err), nil
	}
	req.Header.Set("User-Agent", c.cfg.Fetch.UserAgent)
	req.Header.Set("Accept-Encoding", "gzip") // which package sitemap decodes, within limits
	began := time.Now()
	resp, err := c.network.client.Do(req)
	if err != nil {
		return w.decideFailure(v, time.Since(began), err)
	}
	defer func() { _ = resp.Body.Close() }()
	v.hostDelay = c.network.delays.After(time.Since(began))

	if err := w.observe(v, resp.StatusCode); err != nil {
		return d, err
	}
	line := v.sitemapLine(resp.StatusCode, began)
	if location := redirection.Location(resp.StatusCode, resp.Header); location != "" {
		found := c.discovery.redirect(v, location)
		if found != nil && len(found.items) > 0 {
			if err := c.discovery.alias(v, found.items[0].URL); err != nil {
				return d, err
			}
		}
		return decision{verdict: done, found: found}, crawldir.Sitemaps.Add(&v.lines, line)
	}
	if d := w.retry(v, resp.StatusCode, nil); d.verdict == retry {
		return d, nil
	}
	if resp.StatusCode/100 != 2 {
		if v.prov.FoundOn != "" { // robots.txt or an index lists it
			c.log.Warn("sitemap missing", "url", v.url, "host", v.prov.SitemapOf, "status", resp.StatusCode)
			c.notice(fmt.Sprintf("sitemap %s: status %d", v.u, resp.StatusCode))
		}
		return decision{verdict: done}, crawldir.Sitemaps.Add(&v.lines, line)
	}
	listed := newCrossListing(c.discovery, v)
	d = decision{verdict: done, sitemap: line}
	err = c.discovery.seedEntries(v, resp, scope, listed, line)
	took := time.Since(began)
	v.hostDelay = c.network.delays.After(took)
	switch {
	case errors.Is(err, sitemap.Unreadable):
		if d, err = w.decideFailure(v, took, err); err != nil || d.verdict == retry || d.verdict == wait { // entries read so far remain queued
			return d, err
		}
	case err != nil:
		return d, err
	default:
		if err := crawldir.Sitemaps.Add(&v.lines, line); err != nil {
			return d, err
		}
	}
	d.found = listed.unread()
	if why := listed.explain(line.Pages); why != nil && line.Pages > 0 && len(d.found.items) == 0 { // sitemaps have notices of their own
		c.notice(fmt.Sprintf("sitemap %s: no entry counts: %v", v.u, why))
	}
	return d, nil
}

// sitemapLine returns the line of sitemaps.jsonl about v.
func (v *visit) sitemapLine(status int, began time.Time) *output.Sitemap {
	return &output.Sitemap{
		URL: v.url, Status: status, Origin: string(v.prov.SitemapOf),
		FoundOn: v.prov.FoundOn, IndexDepth: v.prov.IndexDepth, FetchedAt: began.UTC(),
	}
}

// seedEntries adds the entries of a sitemap to the frontier, and counts them in its line.
// Errors in the file are reported; entries before them count.
func (d *discovery) seedEntries(v *visit, resp *http.Response, scope sitemap.Scope, listed *crossListing, line *output.Sitemap) error {
	var entries []sitemap.Entry
	for entry, err := range sitemap.Read(resp.Body, &sitemap.Options{URL: v.url}) {
		if errors.Is(err, sitemap.Unreadable) {
			if failure := d.addEntries(v, scope, listed, entries); failure != nil {
				return failure
			}
			return err
		}
		if err != nil {
			err = secret.RedactError(err)
			d.log.Warn("sitemap error", "url", v.url, "host", v.prov.SitemapOf, "error", err)
			line.Detail = err.Error()
			d.notice(fmt.Sprintf("sitemap %s: %s", v.u, line.Detail))
			break
		}
		if !entry.Sitemap && !d.sitemaps.TakePage(v.prov.SitemapOf) {
			line.Reason, line.Detail = output.MaxSitemapEntries, d.sitemaps.ExceededText(v.prov.SitemapOf)
			d.log.Warn("too many sitemap entries", "url", v.url, "host", v.prov.SitemapOf, "limit", d.cfg.Sitemaps.MaxEntries)
			d.notice(fmt.Sprintf("sitemap %s, line %d: %s; what follows is not read", v.u, entry.Line, line.Detail))
			break
		}
		if entry.Sitemap {
			line.Sitemaps++
		} else {
			line.Pages++
			v.entries++
		}
		entry.Alternates, entry.Images, entry.Videos, entry.News = nil, nil, nil, nil // they take memory
		entries = append(entries, entry)
	}
	return d.addEntries(v, scope, listed, entries)
}

// addEntries adds the entries of a sitemap to the frontier in their order, in batches.
func (d *discovery) addEntries(v *visit, scope sitemap.Scope, listed *crossListing, entries []sitemap.Entry) error {
	d.order.sort(entries)
	for batch := range slices.Chunk(entries, seedBatch) {
		found := newDiscoveries(d)
		for _, entry := range batch {
			var refusal error
			if !scope.Accepts(entry) {
				var err error
				if refusal, err = listed.refuse(entry); err != nil {
					return err
				}
			}
			if err := found.addEntry(v, entry, refusal); err != nil {
				return err
			}
		}
		if err := d.seed(found); err != nil {
			return err
		}
	}
	return nil
}

// skipOtherHostSitemap skips a sitemap of another host that an index must not list, up to the limit
// on sitemaps.
func (f *discoveries) skipOtherHostSitemap(url string, t provenance.Provenance, refusal error) {
	a, err := weburl.Parse(url)
	if err != nil || len(a.Canonical) > maxSitemapURL || !f.d.sitemaps.TakeOtherHost(t.SitemapOf, a.Canonical) {
		return
	}
	item := frontier.Item{Kind: provenance.KindSitemap, URL: a.Canonical, Host: a.Server, Priority: provenance.PrioritySitemap, Meta: t.Encode()}
	if !f.skipBlocked(item, a, t) {
		f.skip(item, a, t, output.NotAuthorized, refusal.Error())
	}
}

// addEntry adds an entry of a sitemap: a page, or a sitemap in an index. It skips an entry for which the
// sitemap is not authorized (ROB-SMP-18); refusal says why.
func (f *discoveries) addEntry(v *visit, entry sitemap.Entry, refusal error) error {
	t := provenance.Provenance{Source: provenance.Sitemap, FoundOn: provenance.Referrer(v.url), LastMod: entry.LastMod, Recrawl: v.prov.Recrawl}
	if entry.Sitemap || errors.Is(refusal, errUnread) {
		t.Listing = v.prov.Listed(v.url)
	}
	if entry.Sitemap {
		t.SitemapOf, t.IndexDepth = v.prov.SitemapOf, v.prov.IndexDepth+1
		why := refusal
		if why == nil && t.IndexDepth > maxNested {
			why = fmt.Errorf("indexes nest more than %d deep", maxNested)
		}
		if why == nil {
			return f.addSitemap(entry.Loc, t)
		}
		loc := secret.RedactURL(entry.Loc)
		f.d.log.Warn("sitemap skipped", "url", loc, "host", v.prov.SitemapOf, "found_on", v.url, "line", entry.Line, "error", why)
		f.d.notice(fmt.Sprintf("sitemap %s, line %d: %s is not read: %v", v.u, entry.Line, loc, why))
		if refusal != nil {
			f.skipOtherHostSitemap(entry.Loc, t, refusal)
		}
		return nil
	}
	a, err := weburl.Parse(entry.Loc)
	if err != nil && f.skipTooLong("", entry.Loc, t, err) {
		return nil
	}
	if err != nil {
		shown := clippedRef(entry.Loc)
		f.skip(frontier.Item{URL: shown.Canonical}, shown, t, output.InvalidURL, err.Error())
		return nil
	}
	a.Canonical = f.d.cleanURL(a.Canonical, nil)
	if err := crawldir.Entries.Add(&v.lines, &output.Entry{URL: a.Canonical, Sitemap: v.url, LastMod: entry.LastMod}); err != nil {
		return err
	}
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: f.d.order.priority(entry), Meta: t.Encode()}
	switch {
	case f.skipBlocked(item, a, t):
	case refusal != nil:
		f.skip(item, a, t, output.NotAuthorized, refusal.Error())
	case !f.d.scope.Holds(a):
		f.skip(item, a, t, output.OutOfScope, "")
	case f.d.order.isUnchanged(entry.LastMod):
		f.skip(item, a, t, output.BeforeSince, "")
	default:
		f.addWithinBounds(item, a, t)
	}
	return nil
}

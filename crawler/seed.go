package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

const (
	// sitemapTime bounds the reading of one sitemap file, which may be 50 MiB.
	sitemapTime = 5 * time.Minute

	// maxNested is how deep an index may stand in an index (ROB-SMP-20).
	maxNested = 2

	// seedBatch is how many entries of a sitemap go into the frontier at once.
	seedBatch = 500
)

// seedStart brings the start URLs into the scope and the frontier.
func (c *Crawler) seedStart() error {
	var items []frontier.Item
	for _, raw := range c.cfg.URLs {
		a, err := resolve("", raw)
		if err != nil {
			return err
		}
		c.scope.join(a)
		t := trail{source: fromStart, start: true}
		items = append(items, frontier.Item{URL: a.url, Host: a.host, Priority: priorityStart, Meta: t.encode()})
	}
	_, err := c.frontier.Add(c.books, items)
	return err
}

// learned is called with each robots.txt that was fetched, before any URL is
// judged by it: the host gets its delay, and the Sitemap lines of a host that
// belongs to the crawl become seeds.
func (c *Crawler) learned(rec *robotsext.Record) {
	c.tally.count(func(s *Summary) { s.Robots++ })
	if err := c.learn(rec); err != nil {
		c.fail(err)
	}
}

func (c *Crawler) learn(rec *robotsext.Record) error {
	about := *rec
	about.Body, about.Copy = nil, nil // they stand in a file of their own
	if err := c.dir.Robots(string(rec.Origin), rec.Body, &about); err != nil {
		return err
	}
	if rec.File == nil {
		return nil
	}
	host := frontier.Host(rec.Origin)
	delay := max(c.cfg.Delay, min(c.robots.Group(rec).CrawlDelay(), c.cfg.MaxCrawlDelay))
	c.slowest.observe(delay)
	if err := c.frontier.UpdateHost(c.books, host, frontier.HostUpdate{Delay: &delay}); err != nil {
		return err
	}
	origin, err := resolve("", string(rec.Origin)+"/")
	if err != nil || !c.scope.holds(origin) {
		return nil // the host of a sitemap, not of pages
	}
	var items []frontier.Item
	for _, line := range rec.File.Sitemaps {
		t := trail{source: fromSitemap, via: string(rec.Origin) + "/robots.txt", listed: rec.Origin}
		if item, ok := sitemapItem(line.URL, t); ok {
			items = append(items, item)
		}
	}
	_, err = c.frontier.Add(c.books, items)
	return err
}

// sitemapKey is what the frontier knows a sitemap by. A fragment never reaches
// the wire; this one keeps a sitemap apart from a page of the same URL, and from
// the same file listed by another host, whose entries are other ones.
func sitemapKey(url string, listed robotsext.Origin) string {
	return url + "#sitemap-of=" + string(listed)
}

func sitemapItem(url string, t trail) (frontier.Item, bool) {
	a, err := resolve("", url)
	if err != nil {
		return frontier.Item{}, false
	}
	return frontier.Item{
		URL: sitemapKey(a.url, t.listed), Host: a.host, Priority: prioritySitemap, Meta: t.encode(),
	}, true
}

// readSitemap fetches one sitemap file and puts its entries into the frontier
// while they arrive. Killed half-way, it is read again from the start, and what
// it added before stays added once.
func (c *Crawler) readSitemap(ctx context.Context, v *visit) (frontier.Outcome, error) {
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Done, HostDelay: requested}
	ctx, cancel := context.WithTimeout(ctx, sitemapTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.u.String(), nil)
	if err != nil {
		return outcome, err
	}
	req.Header.Set("User-Agent", c.cfg.UserAgent)
	resp, err := c.sitemaps.Do(req)
	if err != nil {
		return c.noSitemap(v, outcome, err)
	}
	defer func() { _ = resp.Body.Close() }()

	if location := resp.Header.Get("Location"); location != "" && resp.StatusCode/100 == 3 {
		outcome.Links, err = c.redirected(v, location)
		return outcome, err
	}
	if temporary(resp.StatusCode) {
		if err := c.heed(v.lease.Host, resp.Header); err != nil {
			return outcome, err
		}
		if c.retry(v, &outcome) {
			return outcome, nil
		}
	}
	if resp.StatusCode/100 != 2 {
		c.notice(fmt.Sprintf("sitemap %s: status %d", v.u, resp.StatusCode))
		return outcome, nil
	}
	c.tally.count(func(s *Summary) { s.Sitemaps++ })
	return outcome, c.seedEntries(v, resp)
}

// seedEntries reads the entries of a sitemap into the frontier. What is wrong
// with the file is told to the person; what stood before it counts.
func (c *Crawler) seedEntries(v *visit, resp *http.Response) error {
	// The listing in robots.txt proves that the host vouches for the sitemap,
	// wherever that lies; without it a sitemap could send the crawl anywhere.
	scope, err := sitemap.NewScope(sitemap.Listed, v.u.String(), string(v.trail.listed))
	if err != nil {
		return err
	}
	found := newFinds(c)
	for entry, err := range sitemap.Read(resp.Body, nil) {
		if err != nil {
			c.notice(fmt.Sprintf("sitemap %s: %v", v.u, err))
			break
		}
		found.entry(v, entry, scope.Covers(entry))
		if len(found.items)+len(found.left) >= seedBatch {
			if err := c.seed(found); err != nil {
				return err
			}
			found = newFinds(c)
		}
	}
	return c.seed(found)
}

// entry takes up an entry of a sitemap: a page, or a sitemap below an index.
// What the sitemap may not speak for is left aside (ROB-SMP-18).
func (f *finds) entry(v *visit, entry sitemap.Entry, covered bool) {
	t := trail{source: fromSitemap, via: v.u.String()}
	if entry.Sitemap {
		t.listed, t.nested = v.trail.listed, v.trail.nested+1
		if item, ok := sitemapItem(entry.Loc, t); ok && covered && t.nested <= maxNested {
			f.items = append(f.items, item)
		}
		return
	}
	a, err := resolve("", entry.Loc)
	if err != nil {
		return
	}
	item := frontier.Item{URL: a.url, Host: a.host, Priority: priorityEntry, Meta: t.encode()}
	switch {
	case !covered:
		f.leave(item, t, output.NotEntitled)
	case !f.c.scope.holds(a):
		f.leave(item, t, output.OutOfScope)
	default:
		f.items = append(f.items, item)
	}
}

func (c *Crawler) seed(found *finds) error {
	if err := found.settle(); err != nil {
		return err
	}
	added, err := c.frontier.Add(c.books, found.items)
	if err != nil {
		return err
	}
	c.tally.count(func(s *Summary) {
		for i, isNew := range added {
			if t, err := decodeTrail(found.items[i].Meta); isNew && err == nil && !t.sitemap() {
				s.Entries++
			}
		}
	})
	return nil
}

// noSitemap deals with a sitemap that gave no answer. That never changes what
// may be crawled (ROB-SMP-24).
func (c *Crawler) noSitemap(v *visit, outcome frontier.Outcome, err error) (frontier.Outcome, error) {
	if _, ok := errors.AsType[*robotsext.BlockedError](err); ok {
		return c.refused(v, err)
	}
	if c.working.Err() != nil {
		outcome.Result = frontier.Defer
		return outcome, nil
	}
	if c.retry(v, &outcome) {
		return outcome, nil
	}
	outcome.Result = frontier.Drop
	return outcome, c.reject(v.rejection(output.Failed, err))
}

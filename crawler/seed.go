package crawler

import (
	"maps"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// seedStart adds the start URLs to the scope and the frontier.
func (d *discovery) seedStart() error {
	var items []frontier.Item
	for _, raw := range d.cfg.URLs {
		a, err := weburl.Parse(raw)
		if err != nil {
			return err
		}
		known, err := d.announce(a)
		if err != nil {
			return err
		}
		if d.scope.Join(a) && known {
			if err := d.seedJoined(a); err != nil {
				return err
			}
		}
		t := provenance.Provenance{Source: provenance.Start, FromStart: true}
		items = append(items, frontier.Item{URL: a.Canonical, Host: a.Server, Priority: provenance.PriorityStart, Meta: t.Encode()})
	}
	return d.add(items)
}

// add adds URLs to the frontier.
func (d *discovery) add(items []frontier.Item) error {
	_, err := d.frontier.Add(d.lifecycle.CommitCtx, items)
	return err
}

// onRobots is called with each fetched robots.txt before it decides about any URL. It sets
// the delay of the host, and queues the sitemaps of hosts that belong to the crawl.
func (c *Crawler) onRobots(rec *robotsext.Record) {
	c.lifecycle.WhileOpen(func() error {
		if !blocked.IsUnrequested(rec) {
			c.tally.count(func(s *Summary) { s.Robots++ })
		}
		logRobots(c.log, rec)
		return c.applyRobots(rec)
	})
	_ = c.network.slots.Rest(c.lifecycle.Working, weburl.ServerOf(string(rec.Origin))) // it ends early only with the crawl
}

func (c *Crawler) applyRobots(rec *robotsext.Record) error {
	if rec.Outcome == robotsext.OutcomeUnreachable {
		// Nothing is known of its URLs yet. Each is deferred when it is leased; see worker.decideRefusal.
		return c.recorder.Robots(rec)
	}
	var group *robotstxt.Group
	if rec.File != nil {
		group = c.network.robots.Group(rec)
	}
	if err := c.network.delays.Learn(c.lifecycle.CommitCtx, rec.Origin, group); err != nil {
		return err
	}
	if !c.discovery.scope.HoldsServer(weburl.ServerOf(string(rec.Origin))) {
		if err := c.member.Sync(c.lifecycle.CommitCtx); err != nil { // it may have joined the crawl meanwhile
			return err
		}
	}
	if err := c.discovery.seedSitemaps(rec); err != nil {
		return err
	}
	return c.recorder.Robots(rec)
}

// seedJoined queues the sitemaps of a host that has joined the crawl, from the robots.txt
// files that were read before.
func (d *discovery) seedJoined(a weburl.URL) error {
	host, err := d.frontier.Host(d.lifecycle.CommitCtx, a.Server)
	if err != nil {
		return err
	}
	for _, origin := range slices.Sorted(maps.Keys(host.Robots)) {
		rec, err := politeness.ReadRecord(host, robotsext.Origin(origin))
		if err != nil {
			return err
		}
		if rec.Outcome == robotsext.OutcomeUnreachable {
			continue
		}
		rec.File = robotstxt.Parse(rec.Body, nil)
		if err := d.seedSitemaps(rec); err != nil {
			return err
		}
	}
	return nil
}

// seedSitemaps queues the sitemaps that a robots.txt lists, if its host belongs to the
// crawl, and the entries of its origin in sitemaps that were read before.
func (d *discovery) seedSitemaps(rec *robotsext.Record) error {
	if !d.scope.HoldsServer(weburl.ServerOf(string(rec.Origin))) {
		return nil
	}
	var lines []string
	if rec.File != nil {
		for _, line := range rec.File.Sitemaps {
			lines = append(lines, line.URL)
		}
	}
	t := provenance.Provenance{Source: provenance.Sitemap, FoundOn: rec.Origin.RobotsURL(), SitemapOf: rec.Origin, Recrawl: int(d.recrawl.Load())}
	if len(lines) == 0 && d.cfg.Sitemaps.Probe {
		lines, t.FoundOn = []string{string(rec.Origin) + "/sitemap.xml"}, "" // it may not exist
	}
	found := newDiscoveries(d)
	for _, url := range lines {
		if err := found.addSitemap(url, t); err != nil {
			return err
		}
	}
	if weburl.ServerOf(string(rec.Origin)) == d.local && d.localSitemap != "" && !slices.Contains(lines, d.localSitemap) {
		t.FoundOn = ""
		if err := found.addSitemap(d.localSitemap, t); err != nil {
			return err
		}
	}
	if err := d.seed(found); err != nil {
		return err
	}
	return d.queueListed(rec)
}

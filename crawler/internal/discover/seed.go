package discover

import (
	"cmp"
	"maps"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// SeedStart adds the start URLs to the scope and the frontier.
func (d *Discovery) SeedStart() error {
	var items []frontier.Item
	for _, raw := range d.set.Start {
		a, err := weburl.Parse(raw)
		if err != nil {
			return err
		}
		known, err := d.announce(a)
		if err != nil {
			return err
		}
		if d.Scope.Join(a) && known {
			if err := d.seedJoined(a); err != nil {
				return err
			}
		}
		t := provenance.Provenance{Source: provenance.Start, FromStart: true}
		items = append(items, frontier.Item{URL: a.Canonical, Host: a.Server, Priority: provenance.PriorityStart, Meta: t.Encode()})
	}
	return d.add(items)
}

// seedJoined queues the sitemaps of a host that has joined the crawl, from the robots.txt
// files that were read before.
func (d *Discovery) seedJoined(a weburl.URL) error {
	host, err := d.Frontier.Host(d.Lifecycle.CommitCtx, a.Server)
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
		if err := d.SeedSitemaps(rec); err != nil {
			return err
		}
	}
	return nil
}

// SeedSitemaps queues the sitemaps that a robots.txt lists, if its host belongs to the
// crawl, and the entries of its origin in sitemaps that were read before.
func (d *Discovery) SeedSitemaps(rec *robotsext.Record) error {
	if !d.Scope.HoldsServer(weburl.ServerOf(string(rec.Origin))) {
		return nil
	}
	var lines []string
	if rec.File != nil {
		for _, line := range rec.File.Sitemaps {
			lines = append(lines, line.URL)
		}
	}
	t := provenance.Provenance{Source: provenance.Sitemap, FoundOn: rec.Origin.RobotsURL(), SitemapOf: rec.Origin, Recrawl: d.Recrawl()}
	if len(lines) == 0 && d.set.ProbeSitemap {
		lines, t.FoundOn = []string{string(rec.Origin) + "/sitemap.xml"}, "" // it may not exist
	}
	found := d.NewFound()
	for _, url := range lines {
		if err := found.addSitemap(url, t); err != nil {
			return err
		}
	}
	if weburl.ServerOf(string(rec.Origin)) == d.set.Local.Server && d.set.Local.Sitemap != "" && !slices.Contains(lines, d.set.Local.Sitemap) {
		t.FoundOn = ""
		if err := found.addSitemap(d.set.Local.Sitemap, t); err != nil {
			return err
		}
	}
	if err := d.seed(found); err != nil {
		return err
	}
	return d.QueueListed(rec)
}

// RestoreJoined brings the host or directory of a URL back into the scope.
func (d *Discovery) RestoreJoined(url string) error {
	a, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	if d.Scope.Join(a) {
		d.addRoot(a)
	}
	return nil
}

// SeedRestored queues the sitemaps of hosts that joined the crawl. An earlier process may
// have been killed before that.
func (d *Discovery) SeedRestored() error {
	for _, root := range d.Added() {
		a, err := weburl.Parse(root)
		if err != nil {
			return err
		}
		if err := d.seedJoined(a); err != nil {
			return err
		}
	}
	return nil
}

// RequeueSkipped queues skipped URLs that belong to the crawl now: because its limits were
// changed, or because it was killed before it queued them.
func (d *Discovery) RequeueSkipped() error {
	var failed error
	err := d.Results.Skipped.Take(func(l results.SkippedURL) bool {
		switch l.Rejection.Reason {
		case output.OutOfScope:
			return d.Scope.Holds(l.URL)
		case output.MaxDepth:
			return !d.Scope.TooDeep(l.Rejection.Depth)
		case output.TooLong, output.RepeatedSegment:
			t, err := provenance.Decode(l.Item.Meta) // missing for a URL that is only listed by its beginning
			reason, _ := d.Scope.Exceeded(l.URL.Canonical, t)
			return err == nil && reason == ""
		case output.Excluded:
			return escape.Detail(d.Scope.Excluded(l.URL.Canonical)) != l.Rejection.Detail // another expression may exclude it now
		case output.MaxHosts:
			admitted, err := d.hosts.Admit(d.Lifecycle.CommitCtx, d.Frontier, l.URL.Server)
			failed = cmp.Or(failed, err)
			return admitted
		case output.BlockedAddress:
			return d.CheckHost(l.URL) == nil
		}
		return false
	}, d.queueSkipped)
	return cmp.Or(failed, err)
}

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
		items = append(items, t.Item(a.Canonical, a.Server))
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

// joinRedirectTarget brings the host or directory that a start URL redirects to into the
// scope, and reports it. A directory that contains one in the scope does not join: a redirect
// from /docs/ to /login must not add the whole host.
func (d *Discovery) joinRedirectTarget(a weburl.URL) error {
	if d.Scope.Widens(a) {
		d.Log.Info("directory does not join the crawl", "host", a.Server, "url", a.Canonical)
		d.noticeWider.Do(func() {
			d.Board.Show("a start URL redirects to " + a.Canonical + ", above a directory of the crawl; only this page is fetched from there")
		})
		return nil
	}
	if _, err := d.announce(a); err != nil {
		return err
	}
	news, err := d.JoinHost(a)
	if err != nil {
		return err
	}
	d.hosts.Join(a.Server)
	if news {
		d.addRoot(a)
		d.Log.Info("host joins the crawl", "host", a.Server, "url", a.Canonical)
		line := "a start URL redirects to " + d.Scope.Root(a) + ", which belongs to the crawl from here on"
		if !d.Credentials.Empty() && !d.Credentials.Has(a.Origin) {
			line += "; your headers, passwords and cookies are not sent there (header-for, basic-auth)"
		}
		d.Board.Show(line)
	}
	return nil
}

// announce tells other processes what a adds to the scope, unless they know.
// Known says that another process may have fetched the robots.txt of the host.
func (d *Discovery) announce(a weburl.URL) (known bool, err error) {
	if d.Scope.Holds(a) {
		return false, nil
	}
	return d.Member.Announce(d.Lifecycle.CommitCtx, d.Scope.Root(a))
}

// JoinHost brings the host of a, or its directory, into the scope. It queues the URLs there
// that were skipped so far, and the sitemaps of the host if its robots.txt was read before.
func (d *Discovery) JoinHost(a weburl.URL) (news bool, err error) {
	taken, news, err := d.growScope(a)
	if err != nil || !news {
		return news, err
	}
	if err := d.seedJoined(a); err != nil {
		return news, err
	}
	return news, d.queueSkipped(taken)
}

// growScope brings the host or directory of a into the scope and returns the skipped URLs
// that are in scope now.
func (d *Discovery) growScope(a weburl.URL) (taken []results.SkippedURL, news bool, err error) {
	d.scopeMu.Lock()
	defer d.scopeMu.Unlock()
	if news = d.Scope.Join(a); !news {
		return nil, false, nil
	}
	if err := d.Results.AddJoined(a.Canonical); err != nil {
		return nil, news, err
	}
	err = d.Recorder.TakeScope(a, func(l results.SkippedURL) bool {
		return l.Rejection.Reason == output.OutOfScope && d.Scope.Holds(l.URL)
	}, func(some []results.SkippedURL) error { // all at once: they may be queued only after scopeMu is released
		taken = append(taken, some...)
		return nil
	})
	return taken, news, err
}

// queueSkipped adds skipped URLs to the frontier, unless they are skipped for another
// reason.
func (d *Discovery) queueSkipped(taken []results.SkippedURL) error {
	found := d.NewFound()
	for _, l := range taken {
		t, err := provenance.Decode(l.Item.Meta)
		if err != nil {
			return err
		}
		switch {
		case l.Rejection.Reason == output.BlockedAddress && t.Source == provenance.Sitemap:
			// Neither the sitemap nor the robots.txt that lists it can be at this address:
			// they could not have been read.
			found.skip(l.Item, l.URL, t, output.NotAuthorized, "")
		case t.FromStart && d.Scope.Excluded(l.URL.Canonical) == "": // a start URL redirects there
			if err := d.joinRedirectTarget(l.URL); err != nil {
				return err
			}
			found.Items = append(found.Items, l.Item)
		case d.Scope.Holds(l.URL):
			found.addInScope(l.Item, l.URL, t)
		case l.Rejection.Reason == output.BlockedAddress:
			found.skip(l.Item, l.URL, t, output.OutOfScope, "")
		default:
			found.skipped = append(found.skipped, l)
		}
	}
	return d.seed(found)
}

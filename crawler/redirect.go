package crawler

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// redirect decides about the target of a redirect. It goes back to the frontier like any
// URL: scope, robots.txt and delay apply to it. Nil: it is not a URL.
func (d *discovery) redirect(v *visit, location string) *discoveries {
	found := newDiscoveries(d)
	to, err := redirection.Resolve(v.url, location)
	switch {
	case errors.Is(err, weburl.ErrTooLong):
		found.skipTooLong(v.url, location, provenance.Provenance{Source: provenance.Link, Depth: v.prov.Depth + 1, FoundOn: provenance.Referrer(v.url)}, err)
		return found
	case err != nil:
		return nil // it leads to no page
	}
	a, t := to.URL, v.prov.Redirected(v.url, v.cookies)
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: v.lease.Priority, Meta: t.Encode()}
	switch {
	case t.IsSitemap():
		item.Kind = provenance.KindSitemap
	case a.Origin == v.origin && d.cleanURL(a.Canonical, v.file) != a.Canonical:
		// As a page it would be skipped as a duplicate of the URL that redirects to it.
		item.Kind = provenance.KindRedirect
	}
	if d.repeats(a, t) {
		provenance.Repeat(&item, t.Hops, t.Recrawl)
	}
	switch {
	case t.Hops > redirection.Max:
		found.skip(item, a, t, output.TooManyRedirects, fmt.Sprintf("more than %d", redirection.Max))
	case !t.IsSitemap() && !t.FromStart && !d.scope.Holds(a):
		found.skip(item, a, t, output.OutOfScope, "")
		found.addCheck(a, t, useRedirect, checkMode(useRedirect))
	case found.skipBlocked(item, a, t):
	case t.IsSitemap():
		found.items = append(found.items, item)
	case t.FromStart:
		if excluded := d.scope.Excluded(a.Canonical); excluded != "" {
			found.skip(item, a, t, output.Excluded, excluded)
			break
		}
		found.joinHost = &a
		found.items = append(found.items, item)
	default:
		found.addWithinBounds(item, a, t)
	}
	return found
}

// repeats reports whether a URL is to be requested again: its redirects, whose provenance is t, have led
// back to it and set cookies. Many sites show a page only then.
func (d *discovery) repeats(a weburl.URL, t provenance.Provenance) bool {
	if len(t.Cookies) == 0 {
		return false
	}
	u, err := url.Parse(a.Canonical)
	return err == nil && t.Repeats(a.Canonical, d.credentials.CookieHash(u))
}

// shownLocation returns the Location of a redirect from url as the files have it: absolute, with its
// fragment. One that is not a URL is as the site sends it.
func shownLocation(url, location string) string {
	if to, err := redirection.Resolve(url, location); err == nil {
		location = to.String()
	}
	return escape.Clip(secret.RedactText(secret.RedactURL(location)), weburl.MaxLength)
}

// joinRedirectTarget brings the host or directory that a start URL redirects to into the
// scope, and reports it. A directory that contains one in the scope does not join: a redirect
// from /docs/ to /login must not add the whole host.
func (d *discovery) joinRedirectTarget(a weburl.URL) error {
	if d.scope.Widens(a) {
		d.log.Info("directory does not join the crawl", "host", a.Server, "url", a.Canonical)
		d.noticeWider.Do(func() {
			d.notice("a start URL redirects to " + a.Canonical + ", above a directory of the crawl; only this page is fetched from there")
		})
		return nil
	}
	if _, err := d.announce(a); err != nil {
		return err
	}
	news, err := d.joinHost(a)
	if err != nil {
		return err
	}
	d.hosts.Join(a.Server)
	if news {
		d.tally.count(func(s *Summary) { s.AddedHosts = append(s.AddedHosts, d.scope.Root(a)) })
		d.log.Info("host joins the crawl", "host", a.Server, "url", a.Canonical)
		line := "a start URL redirects to " + d.scope.Root(a) + ", which belongs to the crawl from here on"
		if !d.credentials.Empty() && !d.credentials.Has(a.Origin) {
			line += "; your headers, passwords and cookies are not sent there (header-for, basic-auth)"
		}
		d.notice(line)
	}
	return nil
}

// announce tells other processes what a adds to the scope, unless they know.
// Known says that another process may have fetched the robots.txt of the host.
func (d *discovery) announce(a weburl.URL) (known bool, err error) {
	if d.scope.Holds(a) {
		return false, nil
	}
	return d.member.Announce(d.lifecycle.CommitCtx, d.scope.Root(a))
}

// joinHost brings the host of a, or its directory, into the scope. It queues the URLs there
// that were skipped so far, and the sitemaps of the host if its robots.txt was read before.
func (d *discovery) joinHost(a weburl.URL) (news bool, err error) {
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
func (d *discovery) growScope(a weburl.URL) (taken []record.SkippedURL, news bool, err error) {
	d.scopeMu.Lock()
	defer d.scopeMu.Unlock()
	if news = d.scope.Join(a); !news {
		return nil, false, nil
	}
	if err := d.record.AddJoined(a.Canonical); err != nil {
		return nil, news, err
	}
	err = d.recorder.TakeScope(a, func(l record.SkippedURL) bool {
		return l.Rejection.Reason == output.OutOfScope && d.scope.Holds(l.URL)
	}, func(some []record.SkippedURL) error { // all at once: they may be queued only after scopeMu is released
		taken = append(taken, some...)
		return nil
	})
	return taken, news, err
}

// queueSkipped adds skipped URLs to the frontier, unless they are skipped for another
// reason.
func (d *discovery) queueSkipped(taken []record.SkippedURL) error {
	found := newDiscoveries(d)
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
		case t.FromStart && d.scope.Excluded(l.URL.Canonical) == "": // a start URL redirects there
			if err := d.joinRedirectTarget(l.URL); err != nil {
				return err
			}
			found.items = append(found.items, l.Item)
		case d.scope.Holds(l.URL):
			found.addInScope(l.Item, l.URL, t)
		case l.Rejection.Reason == output.BlockedAddress:
			found.skip(l.Item, l.URL, t, output.OutOfScope, "")
		default:
			found.skipped = append(found.skipped, l)
		}
	}
	return d.seed(found)
}

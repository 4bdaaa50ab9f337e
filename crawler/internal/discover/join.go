package discover

import (
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

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

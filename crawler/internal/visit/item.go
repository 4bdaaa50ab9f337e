package visit

import (
	"cmp"
	"net/url"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A kind is what a URL is requested as.
type kind uint8

const (
	page    kind = iota
	sitemap      // a file of a sitemap
	check        // only to learn whether it works
	listing      // a robots.txt, only to learn which sitemaps it lists
	start        // a start URL of a plan, only to learn where it redirects to
)

// An item is a leased URL.
type item struct {
	lease  frontier.Lease
	kind   kind
	prov   provenance.Provenance
	u      *url.URL         // as it will be sent
	url    string           // u as a text
	origin robotsext.Origin // of u; its robots.txt applies
}

// document returns what URLs are found in. Adm is what is known of the item.
func (it *item) document(adm *admitted) *discover.Document {
	return &discover.Document{URL: it.url, Origin: it.origin, Prov: it.prov, Robots: adm.file(), Priority: it.lease.Priority, Cookies: adm.cookies}
}

// decode decodes a lease. It skips a lease that cannot be decoded: somebody may have
// edited the files of the frontier. It also skips a URL that the settings of a resumed crawl
// exclude, although it was queued before.
func (v *Visitor) decode(lease frontier.Lease) (it item, out outcome) {
	it.lease = lease
	var metaErr error
	it.prov, metaErr = provenance.Decode(lease.Meta)
	it.kind = kindOf(lease.URL, &it.prov)
	u, err := url.Parse(lease.URL)
	if err != nil {
		it.u, it.url = &url.URL{Opaque: lease.URL}, lease.URL
		return it, skipFor(output.InvalidURL, err)
	}
	it.u = u
	u.Fragment = "" // it distinguishes the key of a sitemap from that of a page
	it.url = u.String()
	it.origin, err = robotsext.OriginOf(u)
	if err := cmp.Or(metaErr, err); err != nil {
		return it, skipFor(output.InvalidURL, err)
	}
	if why := v.Discovery.OutsideLocal(lease.Host, u.Path); why != "" {
		return it, skipWith(output.OutOfScope, why)
	}
	excluded := v.Discovery.Scope.Excluded
	switch it.kind {
	case sitemap, listing:
		excluded = nil
	case check:
		excluded = v.Discovery.Scope.ExcludedCheck
	}
	if excluded != nil {
		if why := excluded(it.url); why != "" {
			return it, skipWith(output.Excluded, why)
		}
	}
	it.prov.Recrawl = v.Discovery.JoinRecrawl(it.prov.Recrawl)
	return it, outcome{}
}

func kindOf(key string, p *provenance.Provenance) kind {
	switch {
	case p.IsCheck():
		return check
	case p.IsSitemap():
		return sitemap
	case provenance.IsRobotsKey(key):
		return listing
	case provenance.IsStartKey(key):
		return start
	}
	return page
}

// holdsServer reports whether the server of the item belongs to the crawl.
func (v *Visitor) holdsServer(it *item) bool {
	return v.Discovery.Scope.HoldsServer(weburl.ServerOf(string(it.origin)))
}

// isOutsideCheck reports whether a URL of a server outside the crawl is only checked, or is a sitemap.
func (v *Visitor) isOutsideCheck(it *item) bool {
	return (it.kind == check || it.kind == sitemap) && !v.holdsServer(it)
}

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

// An item is a leased URL.
type item struct {
	lease  frontier.Lease
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
	if metaErr != nil { // what it is for is not known
		it.lease.Kind = ""
	}
	u, err := url.Parse(lease.URL)
	if err != nil {
		it.u, it.url = &url.URL{Opaque: lease.URL}, lease.URL
		return it, skipFor(output.InvalidURL, err)
	}
	it.u = u
	u.Fragment = "" // that an earlier version gave to a sitemap
	it.url = u.String()
	it.origin, err = robotsext.OriginOf(u)
	if err := cmp.Or(metaErr, err); err != nil {
		return it, skipFor(output.InvalidURL, err)
	}
	if why := v.Discovery.OutsideLocal(lease.Host, u.Path); why != "" {
		return it, skipWith(output.OutOfScope, why)
	}
	var why string
	switch kind := it.lease.Kind; {
	case provenance.IsCheck(kind):
		why = v.Discovery.Scope.ExcludedCheck(it.url)
	case kind != provenance.KindSitemap && kind != provenance.KindListing:
		why = v.Discovery.Scope.Excluded(it.url)
	}
	if why != "" {
		return it, skipWith(output.Excluded, why)
	}
	return it, outcome{}
}

// holdsServer reports whether the server of the item belongs to the crawl.
func (v *Visitor) holdsServer(it *item) bool {
	return v.Discovery.Scope.HoldsServer(weburl.ServerOf(string(it.origin)))
}

// isOutsideCheck reports whether a URL of a server outside the crawl is only checked, or is a sitemap.
func (v *Visitor) isOutsideCheck(it *item) bool {
	return (provenance.IsCheck(it.lease.Kind) || it.lease.Kind == provenance.KindSitemap) && !v.holdsServer(it)
}

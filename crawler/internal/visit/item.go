package visit

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
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
	if metaErr != nil { // its purpose is not known
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
		why = v.Scope.ExcludedCheck(it.url)
	case provenance.IsPage(kind):
		why = v.Scope.Excluded(it.url)
	}
	if why != "" {
		return it, skipWith(output.Excluded, why)
	}
	return it, outcome{}
}

// holdsServer reports whether the server of the item belongs to the crawl.
func (v *Visitor) holdsServer(it *item) bool {
	return v.Scope.HoldsServer(weburl.ServerOf(string(it.origin)))
}

// isOutsideCheck reports whether a URL of a server outside the crawl is only checked, or is a sitemap.
func (v *Visitor) isOutsideCheck(it *item) bool {
	return (provenance.IsCheck(it.lease.Kind) || it.lease.Kind == provenance.KindSitemap) && !v.holdsServer(it)
}

// A verdict is what a stage decides about a URL.
type verdict uint8

const (
	proceed verdict = iota // to the next stage
	skip                   // the URL, with a line in rejected.jsonl
	wait                   // until the URL is due again: it returns to the frontier unchanged
	retry                  // the request, later
	done                   // the URL is finished
)

// An outcome is what a stage decides about a URL, and what it has found. Commit acts on it.
type outcome struct {
	verdict verdict

	// rejection has, for skip, the reason and its details, and for wait because of robots.txt, why
	// that is unreachable. Commit adds the URL and its provenance.
	rejection output.Rejection

	// until is, for wait and retry, when the URL is due again. Zero means at the next request slot of its
	// host. cause is the error or the status because of which it waits.
	until time.Time
	cause error

	host hostOutcome

	response *fetch.Response // to a request for the URL; nil if none was sent
	granted  bool            // a page was taken from the limits

	page    *reading        // that was read, also if it must not be used; nil if none
	entries *sitemapFile    // of a sitemap that was read, at least in part; nil if none
	found   *discover.Found // the URLs found; nil if none
	lines   results.Batch   // for files of the crawl, unless the URL is leased again
}

// hostOutcome is what the requests for a URL mean for its host.
type hostOutcome struct {
	delay  time.Duration // how long it waits at least; 0 if no request was made
	until  time.Time     // until when it must not be requested; zero if its delay applies
	status int           // of the response, to which its delay adapts; 0 if none
}

// statusError is a temporary status for which a URL is retried.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

// skipFor skips a URL for a reason; detail may be nil.
func skipFor(reason output.Reason, detail error) outcome {
	out := outcome{verdict: skip, rejection: output.Rejection{Reason: reason}}
	if detail != nil {
		out.rejection.Detail = escape.Detail(detail.Error())
	}
	return out
}

// skipWith skips a URL for a reason with our own text.
func skipWith(reason output.Reason, detail string) outcome {
	return skipFor(reason, errors.New(detail))
}

// waitUntil has a URL wait; the zero time: for the next request slot of its host.
func waitUntil(t time.Time) outcome { return outcome{verdict: wait, until: t} }

// leaseLost makes an outcome that of a URL with a lost lease. Another process may have the URL, so nothing is
// recorded but the exchanges, the entries of a sitemap and what was learned of the host.
func (o *outcome) leaseLost() {
	*o = outcome{verdict: wait, host: o.host, granted: o.granted, entries: o.entries, response: o.response}
}

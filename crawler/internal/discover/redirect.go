package discover

import (
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Redirect decides about the target of a redirect. It goes back to the frontier like any
// URL: scope, robots.txt and delay apply to it. Nil: it is not a URL.
func (d *Discovery) Redirect(doc *Document, location string) *Found {
	found := d.NewFound()
	to, err := redirection.Resolve(doc.URL, location)
	switch {
	case errors.Is(err, weburl.ErrTooLong):
		found.skipTooLong(doc.URL, location, doc.linked(), err)
		return found
	case err != nil:
		return nil // it leads to no page
	}
	a, t := to.URL, doc.Prov.Redirected(doc.URL, doc.Cookies)
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: doc.Priority, Meta: t.Encode()}
	switch {
	case t.IsSitemap():
		item.Kind = provenance.KindSitemap
	case a.Origin == doc.Origin && d.CleanURL(a.Canonical, doc.Robots) != a.Canonical:
		// As a page it would be skipped as a duplicate of the URL that redirects to it.
		item.Kind = provenance.KindRedirect
	}
	if d.repeats(a, t) {
		provenance.Repeat(&item, t.Hops, t.Recrawl)
	}
	switch {
	case t.Hops > redirection.Max:
		found.skip(item, a, t, output.TooManyRedirects, fmt.Sprintf("more than %d", redirection.Max))
	case !t.IsSitemap() && !t.FromStart && !d.Scope.Holds(a):
		found.skip(item, a, t, output.OutOfScope, "")
		found.AddCheck(a, t, UseRedirect, CheckMode(UseRedirect))
	case found.skipBlocked(item, a, t):
	case t.IsSitemap():
		found.Items = append(found.Items, item)
	case t.FromStart:
		if excluded := d.Scope.Excluded(a.Canonical); excluded != "" {
			found.skip(item, a, t, output.Excluded, excluded)
			break
		}
		found.joinHost = &a
		found.Items = append(found.Items, item)
	default:
		found.addWithinBounds(item, a, t)
	}
	return found
}

// LocationText returns the Location of a redirect from url as the files have it: absolute, with its
// fragment. One that is not a URL is as the site sends it.
func LocationText(url, location string) string {
	if to, err := redirection.Resolve(url, location); err == nil {
		location = to.String()
	}
	return escape.Clip(secret.RedactText(secret.RedactURL(location)), weburl.MaxLength)
}

package discover

import (
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Redirect decides about the target of a redirect. It goes back to the frontier like any URL:
// scope, robots.txt and delay apply to it. Redirect returns nil if it is not a URL.
func (d *Discovery) Redirect(doc *Document, location string) *Found {
	found := d.NewFound()
	to, err := redirection.Resolve(doc.URL, location)
	switch {
	case errors.Is(err, weburl.ErrTooLong):
		found.skipTooLong(doc.URL, location, doc.Linked(), err)
		return found
	case err != nil:
		return nil // it leads to no page
	}
	a, t := to.URL, doc.Prov.Redirected(doc.URL, doc.Cookies)
	item, sitemap := t.Item(a.Canonical, a.Server), t.IsSitemap()
	item.Priority = doc.Priority
	if !sitemap && a.Origin == doc.Origin && d.CleanURL(a.Canonical, doc.Robots) != a.Canonical {
		// As a page it would be skipped as a duplicate of the URL that redirects to it.
		item.Kind = provenance.KindRedirect
	}
	d.markRepeated(&item, a, t)
	switch {
	case t.Hops > redirection.Max:
		found.skip(item, a, t, output.TooManyRedirects, fmt.Sprintf("more than %d", redirection.Max))
	case !sitemap && !t.FromStart && !d.Scope.Holds(a):
		found.skip(item, a, t, output.OutOfScope, "")
		found.AddCheck(a, t, UseRedirect, false)
	case found.skipBlocked(item, a, t):
	case sitemap:
		found.Items, found.aliasOf = append(found.Items, item), doc
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

package discover

import (
	"errors"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Found are the URLs that one document leads to. Discovery.Admit applies it.
type Found struct {
	Items   []frontier.Item // URLs for the frontier
	d       *Discovery
	skipped []results.SkippedURL // those with reason MaxHosts only if their host is not admitted
	checks  []frontier.Item      // URLs to check; Admit adds them to Items, or returns a line

	joinHost *weburl.URL // its host or directory joins the crawl; nil if none
	aliasOf  *Document   // a sitemap that redirects to the only item; nil if none
}

// NewFound returns a Found with items for the frontier.
func (d *Discovery) NewFound(items ...frontier.Item) *Found { return &Found{d: d, Items: items} }

// AddLink adds a URL found in a page; meta is t encoded. Unfollowed is why the link must not be
// followed, or "".
func (f *Found) AddLink(a weburl.URL, t provenance.Provenance, meta []byte, unfollowed string) {
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: provenance.PriorityLink, Meta: meta}
	switch {
	case unfollowed != "":
		f.skip(item, a, t, output.Nofollow, unfollowed)
	case !f.d.Scope.Holds(a): // before the address: nothing is missed there
		f.skip(item, a, t, output.OutOfScope, "")
	case f.skipBlocked(item, a, t):
	default:
		f.addInScope(item, a, t)
	}
}

// addInScope adds a URL that belongs to the crawl, unless it is too deep.
func (f *Found) addInScope(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	if f.d.Scope.TooDeep(t.Depth) {
		f.skip(item, a, t, output.MaxDepth, "")
		return
	}
	f.addWithinBounds(item, a, t)
}

// addWithinBounds adds a URL that belongs to the crawl, unless it exceeds a limit on single
// URLs.
func (f *Found) addWithinBounds(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	reason, detail := f.d.Scope.Exceeded(a.Canonical, t)
	switch {
	case reason != "":
		f.skip(item, a, t, reason, detail)
	case !f.d.set.AnyHost:
		f.Items = append(f.Items, item)
	default:
		f.skip(item, a, t, output.MaxHosts, "")
	}
}

// SkipInvalid skips a reference that is not a valid URL but was meant to be one: err says why. Beginning is that
// of a URL that is too long. Unfollowed is as in AddLink.
func (f *Found) SkipInvalid(doc *Document, ref string, beginning weburl.URL, err error, unfollowed string) {
	t := doc.Linked()
	if beginning.Canonical != "" {
		f.skipBeginning(beginning, t, err)
		return
	}
	shown, reason, detail := ClippedRef(ref), output.InvalidURL, err.Error()
	if unfollowed != "" {
		reason, detail = output.Nofollow, unfollowed
	}
	f.skip(frontier.Item{URL: shown.Canonical}, shown, t, reason, detail)
}

// Linked returns the provenance of a link in the document.
func (doc *Document) Linked() provenance.Provenance {
	return provenance.Provenance{Source: provenance.Link, Depth: doc.Prov.Depth + 1, FoundOn: provenance.Referrer(doc.URL), Recrawl: doc.Prov.Recrawl}
}

// skipTooLong skips a URL that is too long to be parsed, if err says so.
func (f *Found) skipTooLong(base, ref string, t provenance.Provenance, err error) bool {
	if !errors.Is(err, weburl.ErrTooLong) {
		return false
	}
	a, ok := weburl.Truncated(base, ref)
	if ok {
		f.skipBeginning(a, t, err)
	}
	return ok
}

// skipBlocked skips a URL if its host is an address that the guard refuses, and reports whether it
// did.
func (f *Found) skipBlocked(item frontier.Item, a weburl.URL, t provenance.Provenance) bool {
	err := f.d.CheckHost(a)
	if err != nil {
		f.skip(item, a, t, output.BlockedAddress, blocked.Text(err))
	}
	return err != nil
}

// skipBeginning skips a URL that is too long. Only its beginning is listed.
func (f *Found) skipBeginning(a weburl.URL, t provenance.Provenance, err error) {
	f.skip(frontier.Item{URL: a.Canonical}, a, t, output.TooLong, err.Error()+"; the URL is shortened")
}

// ClippedRef returns an invalid reference as the output shows it.
func ClippedRef(ref string) weburl.URL {
	ref = secret.RedactInvalidURL(ref)
	return weburl.URL{Canonical: escape.Clip(ref, escape.MaxBytes)}
}

func (f *Found) skip(item frontier.Item, a weburl.URL, t provenance.Provenance, reason output.Reason, detail string) {
	f.skipped = append(f.skipped, results.SkippedURL{Item: item, URL: a, Rejection: output.Rejection{
		URL: a.Canonical, Reason: reason, Depth: t.Depth, FoundOn: t.FoundOn, Source: t.Source.String(), Detail: escape.Detail(detail),
	}})
}

// Admit skips the URLs that are to be skipped, and returns those that belong into the
// frontier, and the lines of checks that max-hosts refused. It skips first, so that at the end of the crawl a
// URL in both is known to be in the frontier. A nil Found is empty.
func (d *Discovery) Admit(found *Found) ([]frontier.Item, []*output.Check, error) {
	if found == nil {
		return nil, nil, nil
	}
	if found.joinHost != nil {
		if d.Scope.ByPath() { // the directories of others decide too whether it joins
			if err := d.Member.Sync(d.Lifecycle.CommitCtx); err != nil {
				return nil, nil, err
			}
		}
		if err := d.joinRedirectTarget(*found.joinHost); err != nil {
			return nil, nil, err
		}
	}
	if found.aliasOf != nil {
		if err := d.alias(found.aliasOf, found.Items[0].URL); err != nil {
			return nil, nil, err
		}
	}
	if err := d.skip(found); err != nil {
		return nil, nil, err
	}
	refused, err := d.admitChecks(found)
	return found.Items, refused, err
}

// skip skips URLs, except those that have come into scope meanwhile.
func (d *Discovery) skip(found *Found) error {
	d.scopeMu.RLock() // the scope must not grow between the check and Skip
	defer d.scopeMu.RUnlock()
	pending := found.skipped
	found.skipped = nil
	for _, l := range pending {
		if l.Rejection.Reason == output.OutOfScope && d.Scope.Holds(l.URL) {
			t, err := provenance.Decode(l.Item.Meta)
			if err != nil {
				return err
			}
			found.addInScope(l.Item, l.URL, t)
			continue
		}
		found.skipped = append(found.skipped, l)
	}
	pending = found.skipped
	found.skipped = pending[:0]
	for _, l := range pending {
		if l.Rejection.Reason == output.MaxHosts {
			admitted, err := d.hosts.Admit(d.Lifecycle.CommitCtx, d.Frontier, l.URL.Server)
			if err != nil {
				return err
			}
			if admitted {
				found.Items = append(found.Items, l.Item)
				continue
			}
		}
		found.skipped = append(found.skipped, l)
	}
	return d.Recorder.Skip(found.skipped)
}

// seed adds URLs to the frontier at once, before their document is finished.
func (d *Discovery) seed(found *Found) error {
	items, _, err := d.Admit(found)
	if err != nil {
		return err
	}
	return d.add(items)
}

// add adds URLs to the frontier.
func (d *Discovery) add(items []frontier.Item) error {
	_, err := d.Frontier.Add(d.Lifecycle.CommitCtx, items)
	return err
}

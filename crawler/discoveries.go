package crawler

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/politecrawl/politecrawl/crawler/errtext"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/shown"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// maxDetail is how much is repeated of a site's own words in each line about a URL, in
// bytes: an error quotes an answer of 256 KiB, and a rule of robots.txt may have 500 KB and
// match all that there is.
const maxDetail = 1 << 10

// links turns the links of a page into items for the frontier, and leaves aside
// what does not belong to the crawl. They are listed unless the content of the page
// is to be withheld.
func (d *discovery) links(v *visit, read *pageLinks, nofollow *robotstag.Rule, page *output.Page) ([]frontier.Item, error) {
	if page.Links, page.LinksLeft = read.total, read.left; read.cutBy != "" {
		page.CutBy = append(page.CutBy, read.cutBy)
		d.log.Warn("too many links", "url", page.URL, "links", page.Links, "left", page.LinksLeft, "limit", read.cutBy)
	}
	found := newDiscoveries(d)
	found.items = make([]frontier.Item, 0, len(read.links))
	to := make([]string, 0, len(read.links))
	for i := range read.links {
		link := &read.links[i]
		if link.err != nil {
			found.invalid(v, read.url, link.ref, link.err)
			continue
		}
		to = append(to, link.Canonical)
		if !d.cfg.Sitemaps.Only {
			found.link(link.URL, read.prov, read.meta, d.nofollow(nofollow, link.rel))
		}
	}
	if d.cfg.Output.Links && len(to) > 0 && page.Withheld == "" {
		if err := v.lines.Links(&output.Links{URL: v.u.String(), To: to}); err != nil {
			return nil, err
		}
	}
	err := found.settle() // which may add to the items
	return found.items, err
}

// discoveries collects what one document leads to.
type discoveries struct {
	d       *discovery
	items   []frontier.Item
	skipped []record.SkippedURL
	err     error // of the frontier, the first
}

func newDiscoveries(d *discovery) *discoveries { return &discoveries{d: d} }

// link takes up a URL found in a page; meta is t encoded. The reason why the link is
// not to be followed, if there is one, is for a person.
func (f *discoveries) link(a weburl.URL, t provenance.Provenance, meta []byte, unfollowed string) {
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: provenance.PriorityLink, Meta: meta}
	switch {
	case unfollowed != "":
		f.leave(item, a, t, output.Nofollow, unfollowed)
	case f.barred(item, a, t):
	case !f.d.scope.Holds(a):
		f.leave(item, a, t, output.OutOfScope, "")
	default:
		f.inScope(item, a, t)
	}
}

// inScope takes up a URL that belongs to the crawl, unless it is too deep.
func (f *discoveries) inScope(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	if f.d.scope.TooDeep(t.Depth) {
		f.leave(item, a, t, output.TooDeep, "")
		return
	}
	f.bounded(item, a, t)
}

// bounded takes up a URL that belongs to the crawl, unless it is beyond a limit of
// what the crawl takes up at all.
func (f *discoveries) bounded(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	if reason, detail := f.d.beyond(a, t, &f.err); reason != "" {
		f.leave(item, a, t, reason, detail)
		return
	}
	f.items = append(f.items, item)
}

// beyond says which limit keeps a URL out, and how; empty: none does.
func (d *discovery) beyond(a weburl.URL, t provenance.Provenance, failed *error) (output.Reason, string) {
	if reason, detail := d.scope.Bound(a.Canonical, t); reason != "" {
		return reason, detail
	}
	if d.cfg.Scope.Kind == ScopeHost {
		return "", "" // its hosts were named
	}
	ok, err := d.hosts.Admit(d.life.commitCtx, d.frontier, a.Server)
	if *failed = cmp.Or(*failed, err); !ok {
		return output.TooManyHosts, ""
	}
	return "", ""
}

// invalid lists a link that was meant to lead to a page and cannot. Others, such
// as mailto: and javascript:, lead to none.
func (f *discoveries) invalid(v *visit, base, ref string, err error) {
	t := provenance.Provenance{Source: provenance.Link, Depth: v.prov.Depth + 1, Via: provenance.ViaOf(v.u.String())}
	if f.overlong(base, ref, t, err) {
		return
	}
	if !weburl.IsWeb(ref) {
		return
	}
	shown := shownOf(ref)
	f.leave(frontier.Item{URL: shown.Canonical}, shown, t, output.Invalid, err.Error())
}

// overlong lists a URL that is too long to be read, if err says so, by how it begins.
func (f *discoveries) overlong(base, ref string, t provenance.Provenance, err error) bool {
	if !errors.Is(err, weburl.ErrTooLong) {
		return false
	}
	a, ok := weburl.Beginning(base, ref)
	if ok {
		f.leave(frontier.Item{URL: a.Canonical}, a, t, output.TooLong, "this is how it begins: "+err.Error())
	}
	return ok
}

// shownOf is a reference that is no URL as it stands in the output.
func shownOf(ref string) weburl.URL {
	ref = secret.Doubtful(ref)
	return weburl.URL{Canonical: shown.Clip(ref, shown.MaxBytes)}
}

func (f *discoveries) leave(item frontier.Item, a weburl.URL, t provenance.Provenance, reason output.Reason, detail string) {
	f.skipped = append(f.skipped, record.SkippedURL{Item: item, URL: a, Rejection: output.Rejection{
		URL: a.Canonical, Reason: reason, Depth: t.Depth, Via: t.Via, Source: t.Source.String(), Detail: shown.Clip(errtext.Plain(detail), maxDetail),
	}})
}

// settle skips what is to be skipped, unless the frontier knows it by another
// way. It comes before the items reach the frontier, so that what is in both is
// known to be there when the crawl ends.
func (f *discoveries) settle() error {
	if f.err != nil {
		return f.err
	}
	f.d.joining.RLock() // the scope does not grow between the last look and Add
	defer f.d.joining.RUnlock()
	pending := f.skipped
	f.skipped = nil
	for _, l := range pending {
		if l.Rejection.Reason == output.OutOfScope && f.d.scope.Holds(l.URL) {
			t, err := provenance.Decode(l.Item.Meta)
			if err != nil {
				return err
			}
			f.inScope(l.Item, l.URL, t)
			continue
		}
		f.skipped = append(f.skipped, l)
	}
	return cmp.Or(f.err, f.d.recorder.Skip(f.skipped))
}

// redirected takes up the target of a redirect. It goes back to the frontier
// like any URL: its own scope, robots.txt and delay hold for it.
func (d *discovery) redirected(v *visit, location string) ([]frontier.Item, error) {
	a, err := weburl.Resolve(v.u.String(), location)
	if errors.Is(err, weburl.ErrTooLong) {
		found := newDiscoveries(d)
		found.invalid(v, v.u.String(), location, err)
		return nil, found.settle()
	}
	if err != nil {
		return nil, nil // it leads to no page
	}
	t := v.prov
	t.FromEntry = t.IsEntry()
	t.Source, t.Hops, t.Via = provenance.Redirect, t.Hops+1, provenance.ViaOf(v.u.String())
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: v.lease.Priority, Meta: t.Encode()}
	if t.IsSitemap() {
		item.URL = provenance.SitemapKey(a.Canonical, t.SitemapOf)
	}
	if v.prov.MayBeTrap() {
		d.traps.Redirected(v.lease.Host, v.lease.URL)
	}
	found := newDiscoveries(d)
	switch {
	case t.Hops > maxHops:
		found.leave(item, a, t, output.TooManyHops, fmt.Sprintf("more than %d", maxHops))
	case found.barred(item, a, t):
	case t.FromStart:
		if err := d.join(a); err != nil {
			return nil, err
		}
		d.hosts.Join(a.Server)
		found.items = append(found.items, item)
	case t.IsSitemap():
		found.items = append(found.items, item)
	case d.scope.Holds(a):
		found.bounded(item, a, t)
		if a.Origin == v.origin && d.cleaned(a.Canonical, v.file) != a.Canonical {
			// It may have been left alone for the URL that leads to it.
			if again, ok := d.frontier.(frontier.Revisiter); ok {
				if _, err := again.Revisit(d.life.commitCtx, []frontier.Item{item}); err != nil {
					return nil, err
				}
			}
		}
	default:
		found.leave(item, a, t, output.OutOfScope, "")
	}
	err = found.settle() // which may add to the items
	return found.items, err
}

// join brings the host that a start URL led to into the scope, and says so.
func (d *discovery) join(a weburl.URL) error {
	if _, err := d.announce(a); err != nil {
		return err
	}
	news, err := d.bringIn(a)
	if err != nil {
		return err
	}
	if news {
		d.tally.count(func(s *Summary) { s.Joined = append(s.Joined, string(a.Origin)) })
		d.log.Info("host joins the crawl", "host", a.Server, "url", a.Canonical)
		d.notice("a start URL redirects to " + string(a.Origin) + ", which belongs to the crawl from here on")
	}
	return nil
}

// announce tells other processes that the host of a belongs to the crawl, unless they know.
// Known says that one may have fetched the robots.txt of the host before.
func (d *discovery) announce(a weburl.URL) (known bool, err error) {
	if d.scope.Holds(a) {
		return false, nil
	}
	return d.member.Announce(d.life.commitCtx, string(a.Origin)+"/")
}

// bringIn brings the host of a into the scope, with the URLs of it that were left aside
// until now, and its sitemaps if its robots.txt was read before.
func (d *discovery) bringIn(a weburl.URL) (news bool, err error) {
	taken, news, err := d.grow(a)
	if err != nil || !news {
		return news, err
	}
	if err := d.seedJoined(a); err != nil {
		return news, err
	}
	return news, d.takeUp(taken)
}

// grow brings the host of a into the scope and returns what was left aside and
// belongs to it now.
func (d *discovery) grow(a weburl.URL) (taken []record.SkippedURL, news bool, err error) {
	d.joining.Lock()
	defer d.joining.Unlock()
	if news = d.scope.Join(a); !news {
		return nil, false, nil
	}
	if err := d.record.AddJoined(a.Canonical); err != nil {
		return nil, news, err
	}
	if !d.record.Skipped.MayHold(a) {
		return nil, news, nil
	}
	err = d.record.Skipped.Take(func(l record.SkippedURL) bool {
		return l.Rejection.Reason == output.OutOfScope && d.scope.Holds(l.URL)
	}, func(some []record.SkippedURL) error { // all at once: they may be taken up only when scope may be read again
		taken = append(taken, some...)
		return nil
	})
	return taken, news, err
}

// isHTML tells whether a body is a page with links in it.
func isHTML(contentType string, body []byte) bool {
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	media = strings.TrimSpace(media)
	return media == "text/html" || media == "application/xhtml+xml"
}

// toUTF8 decodes a page whose encoding stands in the page itself. One that the
// header names was decoded on arrival, by colly, unless a byte order mark tells better.
func toUTF8(body []byte, contentType string) []byte {
	marked := bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
	if !marked && strings.Contains(strings.ToLower(contentType), "charset") {
		return body
	}
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" || !certain && utf8.Valid(body) {
		return body
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return decoded
}

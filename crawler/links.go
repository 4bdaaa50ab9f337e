package crawler

import (
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// The priorities of URLs by where they come from: what the person asked for,
// then what the site says it has, then what is found on the way.
const (
	priorityStart   = 0
	prioritySitemap = 32 // sitemap files: the sooner read, the better the order of the rest
	priorityEntry   = 64 // to priorityLink, by the order of sitemap entries
	priorityLink    = 96
)

// links turns the links of a page into items for the frontier, and leaves aside
// what does not belong to the crawl.
func (c *Crawler) links(v *visit, doc *extract.Document, nofollow *robotstag.Rule) ([]frontier.Item, error) {
	if c.cfg.OnlySitemaps {
		return nil, nil
	}
	base := v.u.String()
	if doc.Base != "" {
		if b, err := resolve(base, doc.Base); err == nil {
			base = b.url
		}
	}
	found := newFinds(c)
	seen := make(map[string]bool, len(doc.Links))
	for _, link := range doc.Links {
		a, err := resolve(base, link.URL)
		if err != nil || seen[a.url] {
			continue // mailto:, javascript:, a typing error: nothing to fetch
		}
		why := c.why(nofollow, link.Rel)
		seen[a.url] = why == "" // a second link may be followed where the first was not
		found.link(a, trail{source: fromLink, depth: v.trail.depth + 1, via: v.u.String()}, why)
	}
	return found.items, found.settle()
}

// finds collects what one document leads to.
type finds struct {
	c     *Crawler
	items []frontier.Item
	left  []left
}

// left is a URL to be left aside, unless the frontier knows it by another way.
type left struct {
	rejection output.Rejection
	item      frontier.Item
}

func newFinds(c *Crawler) *finds { return &finds{c: c} }

// link takes up a URL found in a page. The reason why the link is not to be
// followed, if there is one, is for a person.
func (f *finds) link(a address, t trail, unfollowed string) {
	item := frontier.Item{URL: a.url, Host: a.host, Priority: priorityLink, Meta: t.encode()}
	switch {
	case unfollowed != "":
		f.leave(item, t, output.Nofollow)
		f.left[len(f.left)-1].rejection.Detail = unfollowed
	case !f.c.scope.holds(a):
		f.leave(item, t, output.OutOfScope)
	case f.c.cfg.MaxDepth >= 0 && t.depth > f.c.cfg.MaxDepth:
		f.leave(item, t, output.TooDeep)
	default:
		f.items = append(f.items, item)
	}
}

func (f *finds) leave(item frontier.Item, t trail, reason output.Reason) {
	f.left = append(f.left, left{item: item, rejection: output.Rejection{
		URL: item.URL, Reason: reason, Depth: t.depth, Via: t.via, Source: t.source.String(),
	}})
}

// settle puts aside what is to be left. It comes before the items reach the
// frontier, so that a URL in both is not listed as left alone.
func (f *finds) settle() error {
	if len(f.left) > 0 {
		urls := make([]string, len(f.left))
		for i, l := range f.left {
			urls[i] = l.item.URL
		}
		known, err := f.c.frontier.Known(f.c.books, urls)
		if err != nil {
			return err
		}
		for i, l := range f.left {
			if known[i] {
				continue
			}
			if err := f.c.aside.put(l.rejection, l.item); err != nil {
				return err
			}
		}
	}
	for _, item := range f.items {
		f.c.aside.drop(item.URL)
	}
	return nil
}

// redirected takes up the target of a redirect. It goes back to the frontier
// like any URL: its own scope, robots.txt and delay hold for it.
func (c *Crawler) redirected(v *visit, location string) ([]frontier.Item, error) {
	a, err := resolve(v.u.String(), location)
	if err != nil {
		return nil, nil // it leads to no page
	}
	t := v.trail
	t.source, t.hops, t.via = fromRedirect, t.hops+1, v.u.String()
	item := frontier.Item{URL: a.url, Host: a.host, Priority: v.lease.Priority, Meta: t.encode()}
	if t.sitemap() {
		item.URL = sitemapKey(a.url, t.listed)
	}
	found := newFinds(c)
	switch {
	case t.hops > maxHops:
		found.leave(item, t, output.TooManyHops)
	case t.start:
		if err := c.join(a); err != nil {
			return nil, err
		}
		found.items = append(found.items, item)
	case t.sitemap() || c.scope.holds(a):
		found.items = append(found.items, item)
	default:
		found.leave(item, t, output.OutOfScope)
	}
	return found.items, found.settle()
}

// join brings the host that a start URL led to into the scope, says so, and
// takes up the URLs of it that were left aside until now.
func (c *Crawler) join(a address) error {
	if !c.scope.join(a) {
		return nil
	}
	c.tally.count(func(s *Summary) { s.Joined = append(s.Joined, string(a.host)) })
	c.notice("a start URL redirects to " + string(a.host) + ", which belongs to the crawl from here on")
	items := c.aside.take(func(url string) bool {
		waiting, err := resolve("", url)
		return err == nil && c.scope.holds(waiting)
	})
	_, err := c.frontier.Add(c.books, items)
	return err
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
// header names was decoded on arrival, by colly.
func toUTF8(body []byte, contentType string) []byte {
	if strings.Contains(strings.ToLower(contentType), "charset") {
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

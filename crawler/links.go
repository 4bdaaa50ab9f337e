package crawler

import (
	"errors"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// The limits that cut off links, as limits_reached of pages.jsonl names them.
const (
	limitMaxLinks  = "max-links"
	limitLinkBytes = "link-bytes" // maxLinkBytes
)

// maxLinkBytes limits the memory of a page's links in the frontier, each with the URL of
// the page. With a base URL of 8 KB, a page of 100 KB could need a hundred MB. Other
// spellings of a URL count too, since they take as long to read.
const maxLinkBytes = 16 << 20

// pageLinks collects the distinct URLs that a page links to. It keeps at most max-links of
// them, however often and in however many spellings the page repeats them.
type pageLinks struct {
	d    *discovery
	v    *visit
	prov provenance.Provenance // of each link
	meta []byte                // prov, encoded: all links of the page share it

	self weburl.URL // of the page; links to its origin have the same parts
	site string     // that origin, with a slash

	*linkIndex
	to   []output.Link // valid links, as links.jsonl lists them; nil if it does not
	size int           // see maxLinkBytes

	resources    []resource     // what the page uses, if assets are checked
	resourceURLs map[string]int // their URLs, with the position in resources; -1: not there

	ids, targets []string        // as in anchors.jsonl, if fragments are checked
	knownAnchors map[string]bool // ids, and targets, which have a #
	anchorBytes  int             // see maxLinkBytes

	unlisted bool // the page must have no line in links.jsonl and anchors.jsonl

	total   int    // links of the page, repeated ones too
	skipped int    // of these, those to URLs that were not kept
	limit   string // the limit that was met first; empty: none
}

// A linkIndex has the distinct links of one page at a time.
type linkIndex struct {
	links []pageLink
	byURL map[string]int // places in links
}

// linkIndexes are used again, since they would be a seventh of what a crawl allocates.
var linkIndexes = sync.Pool{New: func() any {
	return &linkIndex{links: make([]pageLink, 0, usualLinks), byURL: make(map[string]int, usualLinks)}
}}

// usualLinks is the number of links up to which lists do not grow.
const usualLinks = 32

// maxReused is the maximum number of links in an index that is used again.
const maxReused = 1000

// release empties the index for another page.
func (x *linkIndex) release() {
	if len(x.links) > maxReused {
		return
	}
	clear(x.links)
	clear(x.byURL)
	x.links = x.links[:0]
	linkIndexes.Put(x)
}

// pageLink is a URL that a page links to.
type pageLink struct {
	weburl.URL
	rel  string // of the first link to it, or of one that may be followed
	kind string // the element of the first link to it

	ref   string // the reference, where it is not a URL
	err   error  // why it is not
	asset bool   // it is not a URL, and the page uses it
}

// The places of references that are not in links.
const (
	notPage = -1 - iota // such as mailto:
	notKept
)

// newPageLinks returns an empty list for a page, to be released at the end.
func newPageLinks(d *discovery, v *visit) *pageLinks {
	l := &pageLinks{
		d: d, v: v, linkIndex: linkIndexes.Get().(*linkIndex),
		prov: provenance.Provenance{Source: provenance.Link, Depth: v.prov.Depth + 1, FoundOn: provenance.Referrer(v.url), Recrawl: v.prov.Recrawl},
	}
	l.meta = l.prov.Encode()
	l.self, _ = weburl.Of(v.url)
	l.site = string(l.self.Origin) + "/"
	if d.cfg.Output.Links != LinksNone {
		l.to = make([]output.Link, 0, usualLinks)
	}
	return l
}

// readLinks reads a page. It returns the links apart from the document.
func (d *discovery) readLinks(v *visit, page extract.Page) (*extract.Document, *pageLinks) {
	l := newPageLinks(d, v)
	on := &extract.Handlers{Link: l.add, LinkTexts: d.cfg.Output.Links == LinksFull, Restart: func() {
		l.release()
		*l = *newPageLinks(d, v)
	}}
	if d.cfg.Scope.checks(CheckAssets) || d.cfg.Scope.checks(CheckExternal) {
		on.Resource = l.addResource
	}
	if d.cfg.Scope.checks(CheckFragments) {
		on.ID = l.addID
	}
	return extract.Read(page, on), l
}

// add adds the next link of the page.
func (l *pageLinks) add(link extract.Link) {
	l.total++
	switch place := l.indexOf(&link); {
	case place == notKept:
		l.skipped++
	case place >= 0:
		kept := &l.links[place]
		l.addTarget(kept, link.Ref)
		if l.d.nofollowReason(nil, kept.rel) != "" {
			kept.rel = link.Rel
		}
	}
}

// indexOf returns the index of a link in links. It adds a new one.
func (l *pageLinks) indexOf(read *extract.Link) int {
	key := read.URL
	if read.Err != nil {
		if key = read.Ref; !meansPage(key, read.URL) {
			return notPage
		}
	}
	if place, known := l.byURL[key]; known {
		return place
	}
	if l.size > maxLinkBytes {
		return l.cut(limitLinkBytes)
	}
	link := pageLink{rel: read.Rel, kind: read.Kind, ref: read.Ref, err: read.Err}
	if strings.HasPrefix(read.URL, l.site) {
		link.URL = l.self
		link.Canonical = read.URL
	} else {
		link.URL, _ = weburl.Of(read.URL)
	}
	if read.Err != nil {
		l.size += escape.MaxBytes + len(l.meta)
	} else {
		var file *robotstxt.File
		if link.Origin == l.v.origin {
			file = l.v.file
		}
		l.size += len(link.Canonical) + len(l.meta)
		if key = l.d.cleanURL(link.Canonical, file); key != link.Canonical {
			link.Canonical = key
			if place, known := l.byURL[key]; known {
				return place
			}
		}
	}
	if most := l.d.cfg.Limits.MaxLinks; most > 0 && len(l.links) >= most {
		return l.cut(limitMaxLinks)
	}
	place := len(l.links)
	l.byURL[key] = place
	l.links = append(l.links, link)
	switch kind := l.d.cfg.Output.Links; {
	case kind == LinksNone || errors.Is(link.err, weburl.ErrTooLong):
	case kind == LinksFull:
		l.to = append(l.to, output.Link{URL: link.listed(), Text: read.Text, Rel: escape.Clip(read.Rel, escape.MaxBytes), Kind: read.Kind})
	default:
		l.to = append(l.to, output.Link{URL: link.listed()})
	}
	return place
}

// listed returns the URL as links.jsonl has it: an invalid one as written.
func (link *pageLink) listed() string {
	if link.err != nil {
		return clippedRef(link.ref).Canonical
	}
	return link.Canonical
}

// cut notes that a limit cut off a URL.
func (l *pageLinks) cut(limit string) int {
	if l.limit == "" {
		l.limit = limit
	}
	return notKept
}

// meansPage reports whether an invalid reference was meant to lead to a page. A URL that is too long
// has a beginning.
func meansPage(ref, beginning string) bool { return beginning != "" || weburl.IsWeb(ref) }

// links decides about the links of a page. They are written to links.jsonl unless the
// content of the page is withheld.
func (d *discovery) links(v *visit, read *pageLinks, nofollow *robotstag.Rule, page *output.Page) (*discoveries, error) {
	if page.Links, page.LinksSkipped = read.total, read.skipped; read.limit != "" {
		page.LimitsReached = append(page.LimitsReached, read.limit)
		d.log.Warn("too many links", "url", page.URL, "links", page.Links, "skipped", page.LinksSkipped, "limit", read.limit)
	}
	found := newDiscoveries(d)
	found.items = make([]frontier.Item, 0, len(read.links))
	for i := range read.links {
		link := &read.links[i]
		if link.err != nil {
			unfollowed := ""
			if !link.asset {
				unfollowed = d.nofollowReason(nofollow, link.rel)
			}
			found.skipInvalid(v, link, unfollowed)
			continue
		}
		if !d.cfg.Sitemaps.Only {
			found.addLink(link.URL, read.prov, read.meta, d.nofollowReason(nofollow, link.rel))
		}
		if !d.scope.Holds(link.URL) { // nofollow does not matter: a check follows nothing
			found.addCheck(link.URL, read.prov, link.kind, provenance.KindCheckHead)
		}
	}
	if page.Withheld != "" {
		read.to, read.unlisted = nil, true
	}
	if err := read.addAnchors(page); err != nil {
		return nil, err
	}
	return found, read.addResources(found, v, read.to)
}

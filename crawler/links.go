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

// maxSpellings limits how many references of a page are remembered as written. A forgotten
// one is resolved again.
const maxSpellings = 20_000

// pageLinks collects the distinct URLs that a page links to. It keeps at most max-links of
// them, however often and in however many spellings the page repeats them.
type pageLinks struct {
	d    *discovery
	v    *visit
	prov provenance.Provenance // of each link
	meta []byte                // prov, encoded: all links of the page share it

	base      string           // that refs resolves against, as the page writes it
	baseKnown bool             // base is known to be that of the whole page
	url       string           // of base
	refs      *weburl.Resolver // nil: no link was read yet

	*linkIndex
	to   []output.Link // valid links, as links.jsonl lists them; nil if it does not
	size int           // see maxLinkBytes

	resources    []resource     // what the page uses, if assets are checked
	resourceRefs map[string]int // their references as written, with the position in resources; -1: not there
	resourceURLs map[string]int // their URLs, with the position in resources

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
	links    []pageLink
	byURL    map[string]int // places in links
	spelling map[string]int // the same by reference, without the fragment; notPage and notKept too
	large    bool           // spelling was full, and keeps its size
}

// linkIndexes are used again, since they would be a seventh of what a crawl allocates.
var linkIndexes = sync.Pool{New: func() any {
	return &linkIndex{links: make([]pageLink, 0, usualLinks), byURL: make(map[string]int, usualLinks), spelling: make(map[string]int, usualLinks)}
}}

// usualLinks is the number of links up to which lists do not grow.
const usualLinks = 32

// maxReused is the maximum number of links in an index that is used again.
const maxReused = 1000

// release empties the index for another page.
func (x *linkIndex) release() {
	if x.large || max(len(x.links), len(x.spelling)) > maxReused {
		return
	}
	clear(x.links)
	clear(x.byURL)
	clear(x.spelling)
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

// What spelling has for references that are not in links.
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
	return l
}

// readLinks parses a page in UTF-8. It returns the links apart from the document.
func (d *discovery) readLinks(v *visit, text []byte) (*extract.Document, *pageLinks) {
	l := newPageLinks(d, v)
	doc := extract.ParseFunc(text, l.handlers())
	if doc.Base != l.base && (l.total > 0 || l.refs != nil) { // it comes after the first links, but applies to them too
		l.release()
		l = newPageLinks(d, v)
		l.base, l.baseKnown = doc.Base, true
		doc = extract.ParseFunc(text, l.handlers())
	}
	return doc, l
}

// handlers returns the functions that collect what the settings need.
func (l *pageLinks) handlers() extract.Handlers {
	on := extract.Handlers{Link: l.add, LinkTexts: l.d.cfg.Output.Links == LinksFull}
	if l.d.cfg.Scope.checks(CheckAssets) || l.d.cfg.Scope.checks(CheckExternal) {
		on.Resource = l.addResource
	}
	if l.d.cfg.Scope.checks(CheckFragments) {
		on.ID = l.addID
	}
	return on
}

// add adds the next link of the page.
func (l *pageLinks) add(base string, link extract.Link) {
	if l.total++; l.refs == nil && !l.init(base) {
		return
	}
	ref, _, found := strings.Cut(link.URL, "#")
	if found && ref != "" && ref[len(ref)-1] <= ' ' {
		ref = link.URL // white space before a fragment belongs to the URL
	}
	place, known := l.spelling[ref]
	if !known {
		place = l.indexOf(ref, link)
		if len(l.spelling) >= maxSpellings {
			l.large = true
			clear(l.spelling)
		}
		l.spelling[ref] = place
	}
	switch {
	case place == notKept:
		l.skipped++
	case place >= 0:
		if found {
			l.addTarget(&l.links[place], link.URL)
		}
		if kept := &l.links[place]; l.d.nofollowReason(nil, kept.rel) != "" {
			kept.rel = link.Rel
		}
	}
}

// init prepares to resolve links.
func (l *pageLinks) init(base string) bool {
	if !l.baseKnown {
		l.base = base
	}
	l.url = baseURL(l.v.url, l.base)
	var err error
	if l.refs, err = weburl.NewResolver(l.url, nil); err != nil {
		l.d.log.Warn("links not read", "url", l.url, "error", err)
		return false
	}
	if l.d.cfg.Output.Links != LinksNone {
		l.to = make([]output.Link, 0, usualLinks)
	}
	return true
}

// indexOf returns the index of a reference in links. It adds a new one.
func (l *pageLinks) indexOf(ref string, first extract.Link) int {
	if l.size > maxLinkBytes {
		return l.cut(limitLinkBytes)
	}
	a, err := l.refs.Resolve(ref)
	link := pageLink{URL: a, rel: first.Rel, kind: first.Kind}
	if err != nil {
		l.size += escape.MaxBytes + len(l.meta)
		if !l.meansPage(ref, err) {
			return notPage
		}
		link.Canonical, link.ref, link.err = ref, ref, err
	} else {
		var file *robotstxt.File
		if a.Origin == l.v.origin {
			file = l.v.file
		}
		link.Canonical = l.d.cleanURL(a.Canonical, file)
		l.size += len(link.Canonical) + len(l.meta)
	}
	if place, known := l.byURL[link.Canonical]; known {
		return place
	}
	if most := l.d.cfg.Limits.MaxLinks; most > 0 && len(l.links) >= most {
		return l.cut(limitMaxLinks)
	}
	place := len(l.links)
	l.byURL[link.Canonical] = place
	l.links = append(l.links, link)
	switch kind := l.d.cfg.Output.Links; {
	case kind == LinksNone || errors.Is(err, weburl.ErrTooLong):
	case kind == LinksFull:
		l.to = append(l.to, output.Link{URL: link.listed(), Text: first.Text, Rel: escape.Clip(first.Rel, escape.MaxBytes), Kind: first.Kind})
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

// meansPage reports whether an invalid reference was meant to lead to a page.
func (l *pageLinks) meansPage(ref string, err error) bool {
	if errors.Is(err, weburl.ErrTooLong) {
		if _, ok := weburl.Truncated(l.url, ref); ok {
			return true
		}
	}
	return weburl.IsWeb(ref)
}

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
			found.skipInvalid(v, read.url, link.ref, link.err, unfollowed)
			continue
		}
		if !d.cfg.Sitemaps.Only {
			found.addLink(link.URL, read.prov, read.meta, d.nofollowReason(nofollow, link.rel))
		}
		if !d.scope.Holds(link.URL) { // nofollow does not matter: a check follows nothing
			found.addCheck(link.URL, read.prov, link.kind, provenance.CheckHead)
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

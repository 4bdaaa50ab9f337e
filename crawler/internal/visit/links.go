package visit

import (
	"cmp"
	"errors"
	"math"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
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
	v    *Visitor
	doc  *discover.Document
	prov provenance.Provenance // of each link
	meta []byte                // prov, encoded: all links of the page share it

	self weburl.URL // of the page; links to its origin have the same parts
	site string     // that origin, with a slash

	*linkIndex
	to   []output.Link // valid links, as links.jsonl lists them; nil if it does not
	size int           // see maxLinkBytes

	resources    []resource     // what the page uses, if assets are checked
	maxResources int            // how many of them are checked
	resourceURLs map[string]int // their URLs, with the position in resources; -1 if not there

	ids, targets []string        // as in anchors.jsonl, if fragments are checked
	knownAnchors map[string]bool // ids, and targets, which have a #
	anchorBytes  int             // see maxLinkBytes

	unlisted bool // the page must have no line in links.jsonl and anchors.jsonl

	total   int    // links of the page, repeated ones too
	skipped int    // of these, those to URLs that were not kept
	limit   string // the limit that was met first; empty if none
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
	text  string // of an asset
}

// The places of references that are not in links.
const (
	notPage = -1 - iota // such as mailto:
	notKept
)

// newPageLinks returns an empty list for a page, to be released at the end.
func (v *Visitor) newPageLinks(doc *discover.Document) *pageLinks {
	l := &pageLinks{
		v: v, doc: doc, linkIndex: linkIndexes.Get().(*linkIndex),
		maxResources: cmp.Or(v.set.MaxLinks, math.MaxInt),
		prov:         doc.Linked(),
	}
	l.meta = l.prov.Encode()
	l.self, _ = weburl.Of(doc.URL)
	l.site = string(l.self.Origin) + "/"
	switch {
	case doc.Prov.IsCheck(): // only its resources count
		l.maxResources = doc.Prov.Uses
	case v.set.Links:
		l.to = make([]output.Link, 0, usualLinks)
	}
	return l
}

// extractPage reads a page. It returns the links apart from the document.
func (v *Visitor) extractPage(doc *discover.Document, page extract.Page) (*extract.Document, *pageLinks) {
	l := v.newPageLinks(doc)
	on := &extract.Handlers{LinkTexts: v.set.LinkTexts, Requisites: v.set.Discover.Checks.Archive, Restart: func() {
		l.release()
		*l = *v.newPageLinks(doc)
	}}
	if !doc.Prov.IsCheck() { // links of a frame are not followed
		on.Link = l.add
	}
	if v.set.Discover.Checks.Assets || v.set.Discover.Checks.External {
		on.Resource = l.addResource
	}
	if v.set.Discover.Checks.Fragments {
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
		if l.v.Discovery.NofollowReason(nil, kept.rel) != "" {
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
		if link.Origin == l.doc.Origin {
			file = l.doc.Robots
		}
		l.size += len(link.Canonical) + len(l.meta)
		if key = l.v.Discovery.CleanURL(link.Canonical, file); key != link.Canonical {
			link.Canonical = key
			if place, known := l.byURL[key]; known {
				return place
			}
		}
	}
	if most := l.v.set.MaxLinks; most > 0 && len(l.links) >= most {
		return l.cut(limitMaxLinks)
	}
	place := len(l.links)
	l.byURL[key] = place
	l.links = append(l.links, link)
	switch {
	case !l.v.set.Links || errors.Is(link.err, weburl.ErrTooLong):
	case l.v.set.LinkTexts:
		l.to = append(l.to, output.Link{URL: link.listed(), Text: read.Text, Rel: escape.Clip(read.Rel, escape.MaxBytes), Kind: read.Kind})
	default:
		l.to = append(l.to, output.Link{URL: link.listed()})
	}
	return place
}

// listed returns the URL as links.jsonl has it: an invalid one as written.
func (link *pageLink) listed() string {
	if link.err != nil {
		return discover.ClippedRef(link.ref).Canonical
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

// addLinks adds the links of a page to its outcome. They are written to links.jsonl unless the
// content of the page is withheld. Upgrade says that the page has upgrade-insecure-requests.
func (v *Visitor) addLinks(out *outcome, read *pageLinks, nofollow *robotstag.Rule, upgrade bool) error {
	page := out.page.Page
	if page.Links, page.LinksSkipped = read.total, read.skipped; read.limit != "" {
		page.LimitsReached = append(page.LimitsReached, read.limit)
		v.Log.Warn("too many links", "url", page.URL, "links", page.Links, "skipped", page.LinksSkipped, "limit", read.limit)
	}
	found := v.Discovery.NewFound()
	found.Items = make([]frontier.Item, 0, len(read.links))
	out.found = found
	for i := range read.links {
		link := &read.links[i]
		unfollowed := ""
		if !link.asset {
			unfollowed = v.Discovery.NofollowReason(nofollow, link.rel)
		}
		if link.err != nil {
			found.SkipInvalid(read.doc, link.ref, link.URL, link.err, unfollowed)
			continue
		}
		if !v.set.SitemapsOnly {
			found.AddLink(link.URL, read.prov, read.meta, unfollowed)
		}
		if !v.Scope.Holds(link.URL) { // nofollow does not matter: a check follows nothing
			found.AddCheck(link.URL, read.prov, link.kind, false)
		}
	}
	if page.Withheld != "" {
		read.to, read.unlisted = nil, true
	}
	if err := read.addAnchors(out); err != nil {
		return err
	}
	if err := read.addResources(out, upgrade); err != nil {
		return err
	}
	found.AddTargets(page, read.prov)
	return nil
}

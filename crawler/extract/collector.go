package extract

import (
	"bytes"
	"errors"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
)

// maxTitle bounds a title, in bytes; what is longer is cut there. A title is
// shown to people, and a page may hold megabytes of it.
const maxTitle = 1024

// maxTitleText is how much of a title element is read, in bytes: white space and entities may make
// it longer than what it says.
const maxTitleText = 64 << 10

// A collector makes a Document of the elements and the text of a page, in document order. Two
// readers call it: one reads tokens, the other a tree.
type collector struct {
	page *Page
	on   *Handlers
	doc  *Document
	text arena

	attrs  attributes // of the element that starts
	svg    bool       // that element is one of SVG
	head   bool       // that element is in the head
	module bool       // that element is a script of the type module
	line   int        // of its tag, or of the text of a style sheet; 0 if not counted
	passed int        // how many bytes of the page are before that place
	shadow int        // how many shadow roots are open
	silent int        // how many open elements have invisible text

	shows bool // the page has a link, or an element that browsers show

	refreshes bool // the page has a refresh: browsers ignore others

	base     baseElement
	baseSeen bool             // its place was passed
	refs     *weburl.Resolver // nil if the page has no URL
	resolved bool             // a reference or the base element was read
	foreign  bool             // the base URL is neither http nor https

	hasTitle   bool
	words      wordCounter
	heading    passage // the first h1
	headings   int     // how many h1 elements are open around the place; 0 when heading has ended
	hasHeading bool
	lastLink   Link
	linkText   passage // of lastLink; not open: it was reported
	inside     []Link  // links in the text of lastLink, such as an iframe in an a element
}

// A baseElement is the first base element that has href.
type baseElement struct {
	found bool
	ref   string
	late  bool // a reference before it was resolved without it
}

// newCollector returns a collector. Base is what an earlier reading of the page has found.
func newCollector(page *Page, doc *Document, on *Handlers, base baseElement) *collector {
	c := &collector{page: page, on: on, doc: doc, base: base}
	if c.base.late = false; base.found {
		c.resolver()
	}
	c.refresh("header", page.Header.Get("Refresh"))
	if on.Lines {
		c.line = 1
	}
	return c
}

// moveTo counts the lines up to the place that has this many bytes behind it, if Handlers.Lines is set.
func (c *collector) moveTo(rest int) {
	if c.on.Lines {
		at := len(c.doc.Text) - rest
		c.line += bytes.Count(c.doc.Text[c.passed:at], newline)
		c.passed = at
	}
}

var newline = []byte{'\n'}

// mark records the line of the first element of a kind.
func (c *collector) mark(line *int) {
	if *line == 0 {
		*line = c.line
	}
}

// start reads the start tag of an element; c.attrs has its attributes.
func (c *collector) start(e *element) {
	c.boundary(e)
	c.module = e.tag == tagScript && !c.svg && equalFold(bytes.Trim(c.attrs.kind, asciiSpace), "module")
	if c.on.ID != nil && c.shadow == 0 {
		c.anchor(e)
	}
	if c.on.Resource != nil {
		c.resources(e)
	}
	c.shows = c.shows || e.kind&shown != 0
	if c.svg {
		if e.tag == tagA {
			c.startLink(c.svgHref())
		}
		return
	}
	switch e.tag {
	case tagImg:
		c.image()
	case tagScript:
		c.doc.hasScripts = c.doc.hasScripts || isScriptType(c.attrs.kind)
	case tagA:
		c.startLink(c.attrs.href)
	case tagArea:
		c.link("area", c.attrs.href)
	case tagFrame:
		if c.attrs.srcdoc == nil && len(trimReference(c.attrs.src)) > 0 {
			c.link("frame", c.attrs.src)
		}
	case tagH1:
		c.startHeading()
	case tagHead:
		c.mark(&c.doc.Lines.Head)
	case tagTitle:
		c.mark(&c.doc.Lines.Title)
	case tagHTML:
		if c.doc.Lang == "" {
			c.doc.Lang = c.text.keep(clip(bytes.Trim(c.attrs.lang, asciiSpace), maxTitle))
		}
	case tagLink:
		c.relation()
	case tagBase:
		if c.attrs.href == nil || c.shadow > 0 {
			return
		}
		if c.baseSeen = true; !c.base.found {
			c.base.found, c.base.ref = true, string(c.attrs.href)
			if c.base.late = c.resolved; !c.base.late {
				c.resolver()
			}
		}
	case tagMeta:
		if c.shadow == 0 {
			c.meta()
		}
	}
}

// end ends an element.
func (c *collector) end(e *element) {
	c.boundary(e)
	switch {
	case e.tag == tagA:
		c.endLink()
	case e.tag == tagH1 && c.headings > 0:
		if c.headings--; c.headings == 0 {
			c.endHeading()
		}
	}
}

// resolver returns the resolver of references. It sets the base URL of the document.
func (c *collector) resolver() *weburl.Resolver {
	if c.resolved {
		return c.refs
	}
	base := c.page.URL
	if c.base.found {
		switch a, err := weburl.Resolve(base, c.base.ref); {
		case err == nil:
			base = a.Canonical
		case errors.Is(err, robotsext.ErrUnsupportedScheme):
			// Browsers ignore the base URL data: or javascript:, but not ftp: or mailto:.
			scheme, _, _ := strings.Cut(strings.ToLower(trimReference(c.base.ref)), ":")
			c.foreign = scheme != "data" && scheme != "javascript"
		}
	}
	c.doc.Base, c.resolved = base, true
	c.refs, _ = weburl.NewResolver(base, c.doc.encoding) // it fails if the page has no URL
	return c.refs
}

// resolve returns the absolute URL of a reference.
func (c *collector) resolve(ref string) (url string, err error) {
	refs := c.resolver()
	if c.foreign {
		var ok bool
		if ref, ok = weburl.Absolute(ref); !ok {
			return "", robotsext.ErrUnsupportedScheme
		}
	}
	return resolve(refs, c.doc.Base, ref)
}

var errNoURL = errors.New("the page has no URL")

// resolve returns the absolute URL of a reference, or the beginning of one that is too long.
func resolve(refs *weburl.Resolver, base, ref string) (url string, err error) {
	if refs == nil {
		return "", errNoURL
	}
	if url, err = refs.Resolve(ref); errors.Is(err, weburl.ErrTooLong) {
		a, _ := weburl.Truncated(base, ref)
		url = a.Canonical
	}
	return url, err
}

// titleText takes the text of a title element.
func (c *collector) titleText(text string) {
	if c.hasTitle || c.shadow > 0 {
		return
	}
	c.hasTitle = true
	// Only white space of ASCII: browsers show the rest.
	var title passage
	title.collapse([]byte(text), maxTitleText)
	c.doc.Title = string(clip(bytes.TrimSuffix(title.text, space), maxTitle))
}

// startLink reads an a element. Its link is reported when its text ends, and the links inside it after that.
func (c *collector) startLink(href []byte) {
	c.endLink()
	if href == nil {
		return
	}
	c.shows = true
	if link := c.newLink("a", href); c.on.LinkTexts {
		c.lastLink, c.linkText.open = link, true
	} else {
		c.on.Link(link)
	}
}

// link reports a link in ref, an attribute that the element may not have.
func (c *collector) link(kind string, ref []byte) {
	if ref != nil {
		c.shows = c.shows || kind != "link"
		c.report(c.newLink(kind, ref))
	}
}

// report reports a link, after that around it.
func (c *collector) report(link Link) {
	if c.linkText.open && len(c.inside) < maxInside {
		c.inside = append(c.inside, link)
		return
	}
	c.endLink()
	c.on.Link(link)
}

func (c *collector) newLink(kind string, ref []byte) Link {
	link := Link{Ref: c.text.keep(trimReference(ref)), Rel: c.text.keep(c.attrs.rel), Kind: kind, Line: c.line}
	link.URL, link.Err = c.resolve(link.Ref)
	return link
}

// svgHref returns the reference of an element of SVG.
func (c *collector) svgHref() []byte {
	if c.attrs.href != nil {
		return c.attrs.href
	}
	return c.attrs.xlinkHref
}

// relation reads a link element: the canonical URL, versions for other languages, and pages of the
// site, which are links like any other.
func (c *collector) relation() {
	href := c.attrs.href
	if len(href) == 0 || c.shadow > 0 { // HTML processes link elements of the document tree only
		return
	}
	r := relationOf(c.attrs.rel)
	if r&relAlternate != 0 && c.attrs.hreflang != nil && len(c.doc.Hreflang) < maxMeta {
		if url, err := c.resolve(string(href)); err == nil {
			c.doc.Hreflang = append(c.doc.Hreflang, Hreflang{Lang: c.text.keep(clip(bytes.Trim(c.attrs.hreflang, asciiSpace), maxTitle)), URL: url})
			if c.on.Lines {
				c.doc.Lines.Hreflang = append(c.doc.Lines.Hreflang, c.line)
			}
		}
	}
	switch {
	case r&relCanonical != 0:
		if c.head && c.doc.Canonical == "" { // search engines ignore one in the body
			if url, err := c.resolve(string(href)); err == nil {
				c.doc.Canonical, c.doc.Lines.Canonical = url, c.line
			}
		}
	case r&relSeries != 0, r.namesPage(c.attrs.kind):
		c.link("link", href)
	}
}

// meta reads a meta element: robots directives for the caller, the description, a refresh, which is
// a link, and the upgrade of insecure requests.
func (c *collector) meta() {
	switch content := c.attrs.content; {
	case equalFold(c.attrs.equiv, "refresh"):
		c.refresh("meta", string(content))
		return
	case c.head && equalFold(c.attrs.equiv, "content-security-policy"):
		c.doc.UpgradeInsecure = c.doc.UpgradeInsecure || upgradesInsecure(string(content))
		return
	}
	name := bytes.Trim(c.attrs.name, asciiSpace)
	if c.doc.Description == "" && equalFold(name, "description") {
		c.mark(&c.doc.Lines.Description)
		c.doc.Description = oneLine(string(c.attrs.content[:min(len(c.attrs.content), maxTitleText)]), maxTitle)
	}
	if len(name) > 0 && len(c.attrs.content) > 0 && len(c.doc.Meta) < maxMeta {
		c.doc.Meta = append(c.doc.Meta, Meta{Name: strings.ToLower(c.text.keep(name)), Content: c.text.keep(c.attrs.content)})
		if c.on.Lines {
			c.doc.Lines.Meta = append(c.doc.Lines.Meta, c.line)
		}
	}
}

// refresh reports the target of the first refresh as a link. Browsers resolve it when they read it, so
// a later base element does not count.
func (c *collector) refresh(kind, value string) {
	ref, ok := refreshTarget(value)
	if !ok || c.refreshes {
		return
	}
	if c.refreshes = true; ref == "" {
		return
	}
	c.shows = true
	link := Link{Ref: ref, Kind: kind, Line: c.line}
	if c.baseSeen {
		link.URL, link.Err = c.resolve(ref)
	} else {
		refs, _ := weburl.NewResolver(c.page.URL, c.doc.encoding)
		link.URL, link.Err = resolve(refs, c.page.URL, ref)
	}
	c.report(link)
}

// upgradesInsecure reports whether a Content-Security-Policy has the browser request http URLs as
// https (Upgrade Insecure Requests, section 3.1).
func upgradesInsecure(policies ...string) bool {
	for _, policy := range policies {
		for directive := range strings.FieldsFuncSeq(policy, func(r rune) bool { return r == ';' || r == ',' }) {
			if name := strings.Fields(directive); len(name) > 0 && strings.EqualFold(name[0], "upgrade-insecure-requests") {
				return true
			}
		}
	}
	return false
}

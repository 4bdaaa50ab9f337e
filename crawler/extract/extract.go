// Package extract reads pages as browsers read them: their links, the files that they use, title,
// base and canonical URL, directives, and facts such as the first heading and the number of words.
// [Rules] extract the fields that a user selects with CSS.
//
// Read follows the standards of the web: MIME Sniffing and Encoding decide what the bytes are, HTML
// and XML what the elements are, and URL what the references lead to. Every URL is absolute. Scripts
// are not run, so the content of noscript is a part of the page.
//
// Two readers find the elements. Building a tree is the most expensive part of a fast crawl, so the
// tokens of a page are read first, with the open elements on a stack. Where the effect of a tag
// depends on rules for misplaced elements, the page is read again by the parser of
// golang.org/x/net/html, which builds the tree of the HTML standard. A fuzz test holds the results
// of both equal. A page that is too large or nested too deeply for a tree is read by its tokens alone.
//
// Where nothing declares an encoding, an XHTML page is UTF-8. An HTML page is UTF-8 if it, or its first
// 1,024 bytes, is valid UTF-8 with characters outside ASCII, and windows-1252 otherwise.
package extract

import (
	"net/http"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"

	"github.com/politecrawl/politecrawl/crawler/internal/charset"
	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
)

// A Page is an HTML or XHTML page to read.
type Page struct {
	URL    string      // of the response, absolute
	Header http.Header // of the response: Content-Type, Refresh, Content-Security-Policy; nil if none
	Body   []byte      // without content codings
}

// Document contains the extracted parts of a page, in document order.
type Document struct {
	Encoding  string // name in the Encoding standard, in lower case
	Text      []byte // of the page, in UTF-8
	Malformed error  // the first error of an XHTML page, which was read to there; nil if it is well-formed

	Title     string // white space collapsed; empty if none
	Base      string // absolute URL that references are resolved against
	Canonical string // absolute URL of the first link rel=canonical with a valid one in the head; empty if none
	Meta      []Meta // the first thousand meta elements that have both a name and a content attribute
	Links     []Link // if Read has no handlers

	H1          string     // text of the first h1, white space collapsed; empty if none
	H1Count     int        // number of h1 elements
	Description string     // content of the first meta name=description that has one, white space collapsed
	Lang        string     // lang of the html element
	Words       int        // number of words in the visible text
	Hreflang    []Hreflang // link rel=alternate with hreflang, the first thousand

	// ImagesWithoutAlt is the number of img elements without an alt attribute. Images in noscript, with
	// the role none or presentation, or with aria-hidden do not count.
	ImagesWithoutAlt int

	// NeedsScripts reports whether the page has scripts, and browsers show nothing without them: outside
	// noscript it has no text, image, form field or link.
	NeedsScripts bool

	UpgradeInsecure bool // browsers request the http URLs of the page as https

	Lines Lines // if Handlers.Lines is set

	hasScripts bool
	frames     []string // documents in srcdoc attributes, with Handlers.Requisites
	encoding   encoding.Encoding
	xml        bool
}

// IsPage reports whether browsers show a response as a page: HTML, or XML with XHTML as its root element.
func IsPage(header http.Header, body []byte) bool {
	t := mimetype.Of(header, body)
	return t.IsHTML() || t.IsXHTML() || t.IsXML() && isXHTML(charset.Determine(body, t.Charset(), true).Decode(body))
}

// Lines are the lines, from 1, where elements of a page start, or 0 if it has no such element.
type Lines struct {
	Head, Title, H1 int // the first of each
	Description     int // the first meta name=description
	Canonical       int // the link of Document.Canonical

	Meta, Hreflang []int // those of Document.Meta and Document.Hreflang
}

// decode returns a document without its parts.
func decode(page *Page) Document {
	t := mimetype.Of(page.Header, page.Body)
	e := charset.Determine(page.Body, t.Charset(), t.IsXML())
	return Document{Encoding: e.Name(), Text: e.Decode(page.Body), encoding: e.Output().Encoding, xml: t.IsXML()}
}

// maxMeta is how many meta elements, hreflang links and srcdoc documents are kept. Pages usually have about twenty.
const maxMeta = 1000

// Meta is a meta element: <meta name="robots" content="nofollow">.
type Meta struct {
	Name    string // lower case
	Content string
}

// Link is a reference to another document.
type Link struct {
	URL  string // absolute, without a fragment; the beginning of one that is too long; if empty, Err says why
	Ref  string // as written, white space trimmed
	Err  error  // why the reference leads to no page
	Rel  string // the rel attribute; empty if none
	Kind string // the element: a, area, frame (iframe too), link or meta; header: the field Refresh
	Text string // of an a element: at most 200 bytes, white space collapsed
	Line int    // where the element starts, from 1; 0 if Handlers.Lines is not set, or Kind is header
}

// Handlers are called for items that may be too numerous to list: a hostile page may have a million
// links. They must not read other pages.
type Handlers struct {
	// Link, unless nil, is called for each link. Without LinkTexts, links and resources have no Text, which takes less time.
	Link      func(Link)
	LinkTexts bool

	// Resource, unless nil, is called for each resource that the page uses, such as an image.
	Resource func(Resource)

	// Requisites adds resources that are needed to show the page: frames, what documents in srcdoc attributes
	// use, and what modules import. Modules have the kind module then, frames the kind iframe, and preloaded
	// stylesheets the kind stylesheet. A srcdoc attribute in such a document is not read.
	Requisites bool

	// ID, unless nil, is called for each id of an element and each name of an a element.
	ID func(id string)

	// Lines adds the lines of what is found. A tree has no lines: with them, an HTML page is read by its tokens
	// alone, so misplaced elements count where they are written.
	Lines bool

	// Restart, unless nil, is called when the page is read again from its start, by another reader
	// or with another base URL. Everything that the others were called with is void.
	Restart func()
}

// Read reads a page. It never fails: invalid HTML is read as in a browser, and an incomplete page
// is read to its end. With nil handlers, it lists the links.
func Read(page Page, on *Handlers) *Document {
	var links []Link
	switch {
	case on == nil:
		on = &Handlers{LinkTexts: true, Link: func(link Link) { links = append(links, link) }, Restart: func() { links = nil }}
	case on.Restart == nil || on.Link == nil:
		some := *on
		on = &some
		if on.Link == nil {
			on.Link = func(Link) {}
		}
		if on.Restart == nil {
			on.Restart = func() {}
		}
	}
	doc := read(&page, on, false)
	doc.Links = links
	return doc
}

// read reads a page by its tokens, and by its tree where they do not suffice. Tests set onlyTree, which
// skips the tokens, to compare the two.
func read(page *Page, on *Handlers, onlyTree bool) *Document {
	decoded := decode(page)
	decoded.UpgradeInsecure = upgradesInsecure(page.Header.Values("Content-Security-Policy")...)
	doc := readDecoded(page, decoded, on, onlyTree)
	readWithoutNoscript(page, &decoded, doc)
	for _, text := range doc.frames { // after the page, since each may need one of the few trees
		frame := &Page{URL: doc.Base, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(text)}
		readDecoded(frame, decode(frame), &Handlers{Link: func(Link) {}, Resource: on.Resource, Requisites: true, Restart: func() {}}, onlyTree)
	}
	return doc
}

// readDecoded reads a page whose text is known.
func readDecoded(page *Page, decoded Document, on *Handlers, onlyTree bool) *Document {
	if decoded.xml {
		trees <- struct{}{}
		defer func() { <-trees }()
		var root *html.Node
		root, decoded.Malformed = parseXML(decoded.Text, on.Lines)
		doc, _ := collect(page, decoded, on, baseElement{}, treeReader(root))
		return doc
	}
	doc, base := (*Document)(nil), baseElement{}
	if !onlyTree {
		doc, base = collect(page, decoded, on, base, func(c *collector) bool { return c.readTokens(on.Lines) })
	}
	if doc == nil {
		doc = readPageTree(page, decoded, on)
	}
	if doc == nil {
		doc, _ = collect(page, decoded, on, base, func(c *collector) bool { return c.readTokens(true) })
	}
	return doc
}

// collect reads a page, and again if its base element follows a reference. It returns nil if read is not sure of what
// the tags mean. Base is what an earlier reading has found, and then what this one has found.
func collect(page *Page, decoded Document, on *Handlers, base baseElement, read func(*collector) (sure bool)) (*Document, baseElement) {
	for {
		doc := decoded
		c := newCollector(page, &doc, on, base)
		sure := read(c)
		if sure && !c.base.late {
			c.finish()
			return &doc, c.base
		}
		on.Restart()
		if base = c.base; !sure {
			return nil, base
		}
	}
}

// Package extract extracts links, title, base and meta elements from HTML pages, facts such as the
// first heading and the number of words, and fields that a user selects with CSS.
//
// Parsing HTML is the most expensive part of a fast crawl. So [Parse] reads a page once and builds
// no tree. It parses common tags itself, and uses the tokenizer of
// golang.org/x/net/html for everything else. The tests compare the result with the tokenizer.
//
// Parse returns text as written in the page. The caller resolves relative URLs and interprets
// directives, since it knows the URL of the page and the product token.
//
// [Rules] extract fields. They build a tree, so a crawl with rules is slower.
package extract

import (
	"golang.org/x/net/html"
)

// Document contains the extracted parts of a page, in document order.
type Document struct {
	Title     string // white space collapsed; empty: none
	Base      string // href of the first base element, unresolved; empty: none
	Canonical string // href of the first link rel=canonical, unresolved; empty: none
	Meta      []Meta // the first thousand meta elements that have both a name and a content attribute
	Links     []Link

	// Policy is the content of the meta elements with http-equiv=Content-Security-Policy, joined by commas.
	Policy string

	H1          string     // text of the first h1, white space collapsed; empty: none
	H1Count     int        // number of h1 elements
	Description string     // content of the first meta name=description that has one, white space collapsed
	Lang        string     // lang of the html element
	Words       int        // number of words in the visible text
	Hreflang    []Hreflang // link rel=alternate with hreflang, the first thousand
}

// maxMeta is how many meta elements and hreflang links are kept. Pages usually have about twenty.
const maxMeta = 1000

// Meta is a meta element: <meta name="robots" content="nofollow">.
type Meta struct {
	Name    string // lower case
	Content string
}

// Link is a reference to another document.
type Link struct {
	URL  string // as written, white space trimmed; may be relative
	Rel  string // the rel attribute; empty: none
	Kind string // the element: a, area, frame (iframe too), link or meta
	Text string // of an a element: at most 200 bytes, white space collapsed
}

// Handlers are called for items that may be too numerous to list: a hostile page may have a million
// links. The base that they get is the href of the first base element so far; empty: none.
type Handlers struct {
	// Link is called for each link. Without LinkTexts, links have no Text, which takes less time.
	Link      func(base string, link Link)
	LinkTexts bool

	// Resource is called for each resource that the page uses, such as an image. Nil: not called.
	Resource func(base string, resource Resource)

	// ID is called for each id of an element and each name of an a element. Nil: not called.
	ID func(id string)
}

// Parse parses a page in UTF-8. It never fails: invalid HTML is parsed as in a browser, and an
// incomplete page is read to its end.
func Parse(body []byte) *Document {
	var links []Link
	doc := ParseFunc(body, Handlers{LinkTexts: true, Link: func(_ string, link Link) { links = append(links, link) }})
	doc.Links = links
	return doc
}

// ParseFunc is like Parse, but calls handlers instead of listing links.
func ParseFunc(body []byte, on Handlers) *Document {
	p := parser{doc: &Document{}, on: on, rest: source{page: body}}
	p.tokens = html.NewTokenizer(&p.rest)
	for {
		if !p.raw && len(p.tokens.Buffered()) == 0 {
			p.plain()
		}
		raw := p.raw
		p.raw = false
		switch p.tokens.Next() {
		case html.ErrorToken:
			return p.finish()
		case html.TextToken:
			if !raw {
				p.visible(p.tokens.Raw())
			}
		case html.StartTagToken:
			p.startTag(false)
		case html.SelfClosingTagToken:
			p.startTag(true)
		case html.EndTagToken:
			name, _ := p.tokens.TagName()
			p.endTag(name)
		}
	}
}

// A parser collects a Document. It alternates between two readers of rest: the tokenizer,
// when it is called for a token, and plain, between two tokens.
type parser struct {
	doc    *Document
	on     Handlers
	rest   source
	tokens *html.Tokenizer
	attrs  attributes
	text   arena

	raw      bool // the tokenizer will read what follows as the text of an element
	hasTitle bool
	svg      int // how many svg elements are open

	templates int // how many template elements are open, whose content is not shown

	words      wordCounter
	heading    passage // the first h1
	hasHeading bool
	inHeading  int // how many blocks are open in it
	lastLink   Link
	linkText   passage // of lastLink; not open: it was reported
	linkBase   string  // base before lastLink
	inside     []insideLink
}

// An insideLink is a link in the text of another one, such as an iframe in an a element.
type insideLink struct {
	Link
	base string
}

// startTag reads the tag that the tokenizer is at.
func (p *parser) startTag(closed bool) {
	name, more := p.tokens.TagName()
	switch p.raw = isRawText(name); {
	case string(name) == "noscript", // a crawler runs no scripts, so this is for it
		closed && p.svg > 0: // drawings are XML: what closes itself has no text, even a title
		p.raw = false
		p.tokens.NextIsNotRawText()
	case p.raw && string(name) != "title" && string(name) != "style": // element reads these
		p.skip(name)
	}
	p.attrs = attributes{}
	if p.reads(name) {
		for more {
			var key, value []byte
			key, value, more = p.tokens.TagAttr()
			p.attrs.set(key, value)
		}
	}
	p.element(name, closed)
}

// isRawText tells whether the tokenizer reads what follows such a tag as text, up
// to the end tag.
func isRawText(name []byte) bool {
	switch string(name) {
	case "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}

// Package extract reads what a crawler needs out of an HTML page: its links, its
// title, its base and its robots meta elements, and what else a person asks for
// by CSS selectors.
//
// Links are needed of every page, and on a crawl at full speed, reading HTML is
// what costs the most. So [Parse] goes over the bytes once and builds no tree.
// The tokenizer of golang.org/x/net/html is the judge of what the bytes mean, but
// it is not asked about the many of which there is no doubt: text, and tags
// written the way nearly all are. Those are passed by, or read, on the way to the
// next one that it is needed for (plain.go); the tests hold the result against
// that of the tokenizer alone.
//
// What Parse returns is raw, as written in the page: references are not
// resolved, directives not interpreted. Both need knowledge (the page's URL, the
// crawler's product token) that belongs to the caller.
//
// [Rules] are for fields of the user's own. They need the tree, with goquery, and
// cost what Parse saves; a crawl without such rules never builds one.
package extract

import (
	"golang.org/x/net/html"
)

// Document is what one page says, in the order in which it says it.
type Document struct {
	Title     string // white space collapsed; empty: none
	Base      string // href of the first base element, unresolved; empty: none
	Canonical string // href of the first link rel=canonical, unresolved; empty: none
	Meta      []Meta // meta elements with a name and a content, the first thousand
	Links     []Link
}

// maxMeta is how many meta elements are kept. Pages have twenty.
const maxMeta = 1000

// Meta is a meta element: <meta name="robots" content="nofollow">.
type Meta struct {
	Name    string // lower case
	Content string
}

// Link is a reference to another document.
type Link struct {
	URL string // as written, white space trimmed; may be relative
	Rel string // the rel attribute; empty: none
}

// Parse reads a page in UTF-8. It never fails: HTML has no errors, and what a
// page says before it breaks off still counts.
func Parse(body []byte) *Document {
	var links []Link
	doc := ParseFunc(body, func(_ string, link Link) { links = append(links, link) })
	doc.Links = links
	return doc
}

// ParseFunc is Parse for pages of strangers, who may put a million links on one: it calls
// take with each link, and the Base that was read before it, and keeps none itself.
func ParseFunc(body []byte, take func(base string, link Link)) *Document {
	p := parser{doc: &Document{}, take: take, rest: source{page: body}}
	p.tokens = html.NewTokenizer(&p.rest)
	for {
		if !p.raw && len(p.tokens.Buffered()) == 0 {
			p.plain()
		}
		p.raw = false
		switch p.tokens.Next() {
		case html.ErrorToken:
			return p.doc
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

// A parser collects a Document. The page is read from two sides in turn, never at
// once: the tokenizer takes its bytes from rest when it is asked for a token, and
// between two tokens, where it holds none back, plain may move rest on.
type parser struct {
	doc    *Document
	take   func(base string, link Link)
	rest   source
	tokens *html.Tokenizer
	attrs  attributes
	text   arena

	raw      bool // the tokenizer will read what follows as the text of an element
	hasTitle bool
	svg      int // how many svg elements are open
}

// startTag reads the tag that the tokenizer is at.
func (p *parser) startTag(closed bool) {
	name, more := p.tokens.TagName()
	switch p.raw = isRawText(name); {
	case string(name) == "noscript", // a crawler runs no scripts, so this is for it
		closed && p.svg > 0: // drawings are XML: what closes itself has no text, even a title
		p.raw = false
		p.tokens.NextIsNotRawText()
	case p.raw && string(name) != "title":
		p.skip(name)
	}
	p.attrs = attributes{}
	if isRead(name) {
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

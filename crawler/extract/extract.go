// Package extract reads what a crawler needs out of an HTML page: its links, its
// title, its base and its robots meta elements.
//
// It goes over the bytes once with the tokenizer of golang.org/x/net/html and
// builds no tree: on a crawl, tokenizing HTML is what costs the most, and a tree
// doubles it. What it returns is raw, as written in the page: references are not
// resolved, directives not interpreted. Both need knowledge (the page's URL, the
// crawler's product token) that belongs to the caller.
package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Document is what one page says, in the order in which it says it.
type Document struct {
	Title     string // white space collapsed; empty: none
	Base      string // href of the first base element, unresolved; empty: none
	Canonical string // href of the first link rel=canonical, unresolved; empty: none
	Meta      []Meta // meta elements with a name and a content
	Links     []Link
}

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

// maxTitle bounds a title, in bytes; what is longer is cut there. A title is
// shown to people, and a page may hold megabytes of it.
const maxTitle = 1024

// Parse reads a page in UTF-8. It never fails: HTML has no errors, and what a
// page says before it breaks off still counts.
func Parse(body []byte) *Document {
	p := parser{tokens: html.NewTokenizer(bytes.NewReader(body)), doc: &Document{}}
	for {
		switch p.tokens.Next() {
		case html.ErrorToken:
			return p.doc
		case html.StartTagToken:
			p.element(false)
		case html.SelfClosingTagToken:
			p.element(true)
		case html.EndTagToken:
			if name, _ := p.tokens.TagName(); p.svg > 0 && atom.Lookup(name) == atom.Svg {
				p.svg--
			}
		}
	}
}

type parser struct {
	tokens   *html.Tokenizer
	doc      *Document
	hasTitle bool
	svg      int // how many svg elements are open
}

// element looks at one start tag. Attributes are only read where they matter:
// on most elements of most pages they do not.
func (p *parser) element(closed bool) {
	name, more := p.tokens.TagName()
	tag := atom.Lookup(name)
	if closed && p.svg > 0 {
		// Drawings are XML: what closes itself has no text, even a title.
		p.tokens.NextIsNotRawText()
	}
	switch tag {
	case atom.Svg:
		if !closed {
			p.svg++
		}
	case atom.Noscript:
		p.tokens.NextIsNotRawText() // a crawler runs no scripts, so this is for it
	case atom.Title:
		if p.svg == 0 {
			p.title()
		}
	case atom.A, atom.Area, atom.Base, atom.Link, atom.Meta, atom.Iframe, atom.Frame:
		if more {
			p.attributes(tag)
		}
	}
}

// title reads the text that follows. The tokenizer gives the content of a title
// element as one text token. Only the first counts.
func (p *parser) title() {
	if p.hasTitle || p.tokens.Next() != html.TextToken {
		return
	}
	p.hasTitle = true
	title := strings.Join(strings.Fields(string(p.tokens.Text())), " ")
	if len(title) > maxTitle {
		title = strings.ToValidUTF8(title[:maxTitle], "")
	}
	p.doc.Title = title
}

func (p *parser) attributes(tag atom.Atom) {
	var href, rel, name, content, equiv string
	var hasHref bool
	for more := true; more; {
		var key, value []byte
		key, value, more = p.tokens.TagAttr()
		switch string(key) {
		case "href", "src":
			if (string(key) == "src") == (tag == atom.Iframe || tag == atom.Frame) {
				href, hasHref = strings.TrimSpace(string(value)), true
			}
		case "rel":
			rel = string(value)
		case "name":
			name = strings.ToLower(strings.TrimSpace(string(value)))
		case "content":
			content = string(value)
		case "http-equiv":
			equiv = strings.ToLower(strings.TrimSpace(string(value)))
		}
	}
	switch tag {
	case atom.Base:
		if p.doc.Base == "" {
			p.doc.Base = href
		}
	case atom.Link:
		p.link(href, rel)
	case atom.Meta:
		p.meta(name, equiv, content)
	default:
		if hasHref {
			p.doc.Links = append(p.doc.Links, Link{URL: href, Rel: rel})
		}
	}
}

// link takes what a link element points to: the canonical URL is a hint, and
// pages before and after this one in a series are links like any other.
func (p *parser) link(href, rel string) {
	if href == "" {
		return
	}
	for value := range strings.FieldsSeq(rel) {
		switch strings.ToLower(value) {
		case "canonical":
			if p.doc.Canonical == "" {
				p.doc.Canonical = href
			}
			return
		case "next", "prev":
			p.doc.Links = append(p.doc.Links, Link{URL: href, Rel: rel})
			return
		}
	}
}

// meta takes robots directives for the caller, and a refresh as a link.
func (p *parser) meta(name, equiv, content string) {
	if equiv == "refresh" {
		if target, ok := refreshTarget(content); ok {
			p.doc.Links = append(p.doc.Links, Link{URL: target})
		}
		return
	}
	if name != "" && content != "" {
		p.doc.Meta = append(p.doc.Meta, Meta{Name: name, Content: content})
	}
}

// refreshTarget reads the URL of `5; url=/next`, which may be quoted.
func refreshTarget(content string) (string, bool) {
	_, rest, ok := strings.Cut(content, ";")
	if !ok {
		_, rest, ok = strings.Cut(content, ",")
	}
	rest = strings.TrimSpace(rest)
	if !ok || len(rest) < 4 || !strings.EqualFold(rest[:3], "url") {
		return "", false
	}
	value, ok := strings.CutPrefix(strings.TrimSpace(rest[3:]), "=")
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	return value, ok && value != ""
}

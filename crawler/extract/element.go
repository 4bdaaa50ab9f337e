package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// maxTitle bounds a title, in bytes; what is longer is cut there. A title is
// shown to people, and a page may hold megabytes of it.
const maxTitle = 1024

// maxTitleText is how much of a title element is looked at: white space, and what is
// written in escapes, may make it longer than what it says.
const maxTitleText = 64 << 10

// attributes are those that matter of an element; nil: it does not have it.
type attributes struct {
	href, src, rel, name, content, equiv, lang, hreflang, shadow []byte
	id, srcset, imageSrcset, poster, data, kind                  []byte
	style, xlinkHref                                             []byte
}

// set takes an attribute. Where one is given twice, the first counts.
func (a *attributes) set(key, value []byte) {
	var field *[]byte
	switch string(key) {
	case "href":
		field = &a.href
	case "src":
		field = &a.src
	case "rel":
		field = &a.rel
	case "name":
		field = &a.name
	case "content":
		field = &a.content
	case "http-equiv":
		field = &a.equiv
	case "lang":
		field = &a.lang
	case "hreflang":
		field = &a.hreflang
	case "shadowrootmode":
		field = &a.shadow
	case "id":
		field = &a.id
	case "srcset":
		field = &a.srcset
	case "imagesrcset":
		field = &a.imageSrcset
	case "poster":
		field = &a.poster
	case "data":
		field = &a.data
	case "type":
		field = &a.kind
	case "style":
		field = &a.style
	case "xlink:href":
		field = &a.xlinkHref
	default:
		return
	}
	if *field == nil {
		if value == nil {
			value = []byte{}
		}
		*field = value
	}
}

// reads tells whether the attributes of an element are read.
func (p *parser) reads(name []byte) bool {
	return p.on.ID != nil || p.on.Resource != nil || isRead(name)
}

// isRead tells whether the attributes of an element are always read.
func isRead(name []byte) bool {
	switch string(name) {
	case "a", "area", "base", "link", "meta", "iframe", "frame", "html", "template":
		return true
	}
	return false
}

// element reads an element whose attributes are p.attrs.
func (p *parser) element(name []byte, closed bool) {
	p.boundary(name, false)
	if p.on.ID != nil && p.templates == 0 {
		p.anchor(name)
	}
	if p.on.Resource != nil && p.templates == 0 {
		p.resources(name)
	}
	switch string(name) {
	case "a":
		p.endLink()
		p.link("a", p.attrs.href)
	case "area":
		p.link("area", p.attrs.href)
	case "iframe", "frame":
		p.link("frame", p.attrs.src)
	case "h1":
		p.startHeading()
	case "html":
		if p.doc.Lang == "" {
			p.doc.Lang = p.text.keep(clip(bytes.TrimSpace(p.attrs.lang), maxTitle))
		}
	case "base":
		if p.doc.Base == "" {
			p.doc.Base = p.text.keep(bytes.TrimSpace(p.attrs.href))
		}
	case "link":
		p.relation()
	case "meta":
		p.meta()
	case "title":
		if p.svg == 0 {
			p.title()
		}
	case "style":
		if p.raw {
			p.style()
		}
	case "svg":
		if !closed {
			p.svg++
		}
	case "template":
		if p.templates > 0 || p.attrs.shadow == nil {
			p.templates++
		}
	}
}

// endTag ends what the element with the name has begun.
func (p *parser) endTag(name []byte) {
	p.boundary(name, true)
	if len(name) == 1 && name[0] == 'a' {
		p.endLink()
	}
	switch {
	case p.svg > 0 && string(name) == "svg":
		p.svg--
	case p.templates > 0 && string(name) == "template":
		p.templates--
	}
}

// title takes the text that follows. The tokenizer gives the content of a title
// element as one text token. Only the first counts.
func (p *parser) title() {
	if p.hasTitle {
		return
	}
	if end := rawEnd(p.rest.page, []byte("title")); end > maxTitleText && len(p.tokens.Buffered()) == 0 {
		p.keepTitle(html.UnescapeString(string(p.rest.page[:maxTitleText])))
		p.rest.page, p.rest.given = p.rest.page[end:], 0
		return
	}
	p.raw = false
	if p.tokens.Next() == html.TextToken {
		p.keepTitle(string(p.tokens.Text()))
	}
}

// keepTitle takes the text of a title.
func (p *parser) keepTitle(text string) {
	p.hasTitle = true
	p.doc.Title = oneLine(text, maxTitle)
}

// link takes a reference in ref, an attribute that the element may not have. A link of an a
// element is reported when its text ends, and the links inside it after that.
func (p *parser) link(kind string, ref []byte) {
	if ref == nil {
		return
	}
	link := Link{URL: p.text.keep(bytes.TrimSpace(ref)), Rel: p.text.keep(p.attrs.rel), Kind: kind}
	if kind == "a" && p.on.LinkTexts {
		p.lastLink, p.linkBase, p.linkText.open = link, p.doc.Base, true
		return
	}
	if p.linkText.open && len(p.inside) < maxInside {
		p.inside = append(p.inside, insideLink{link, p.doc.Base})
		return
	}
	p.endLink()
	p.on.Link(p.doc.Base, link)
}

// relation reads a link element: the canonical URL, versions for other languages, and pages of the
// site, which are links like any other.
func (p *parser) relation() {
	href := bytes.TrimSpace(p.attrs.href)
	if len(href) == 0 {
		return
	}
	if p.attrs.hreflang != nil {
		p.alternate(href)
	}
	for value := range bytes.FieldsSeq(p.attrs.rel) {
		switch {
		case equalFold(value, "canonical"):
			if p.doc.Canonical == "" {
				p.doc.Canonical = p.text.keep(href)
			}
			return
		case equalFold(value, "next"), equalFold(value, "prev"):
			p.link("link", href)
			return
		}
	}
	if p.attrs.namesPage() {
		p.link("link", href)
	}
}

// pageRelations are the relations of link elements, besides next and prev, that name pages for
// readers: those of HTML (living standard, 4.6.7) and of HTML 4.01 (6.12), and older names for them.
// SCHEMA.md of package output documents them.
var pageRelations = map[string]bool{
	"author": true, "help": true, "license": true, "privacy-policy": true, "search": true, "terms-of-service": true,
	"appendix": true, "bookmark": true, "chapter": true, "contents": true, "copyright": true, "glossary": true,
	"index": true, "section": true, "start": true, "subsection": true,
	"begin": true, "end": true, "first": true, "home": true, "last": true, "previous": true, "toc": true, "top": true, "up": true,
}

// namesPage reports whether a link element names a page by one of pageRelations. Files of another
// type, such as a description of a search engine, are no pages, nor are alternates such as feeds.
func (a *attributes) namesPage() bool {
	if len(a.rel) == 0 || linkKind(a.rel) != "link" {
		return false
	}
	kind, _, _ := bytes.Cut(a.kind, []byte(";"))
	if kind = bytes.TrimSpace(kind); len(kind) > 0 && !equalFold(kind, "text/html") && !equalFold(kind, "application/xhtml+xml") {
		return false
	}
	page := false
	for value := range bytes.FieldsSeq(a.rel) {
		word := strings.ToLower(string(value))
		if word == "alternate" {
			return false
		}
		page = page || pageRelations[word]
	}
	return page
}

// alternate takes a link element with hreflang, if it is an alternate.
func (p *parser) alternate(href []byte) {
	for value := range bytes.FieldsSeq(p.attrs.rel) {
		if equalFold(value, "alternate") && len(p.doc.Hreflang) < maxMeta {
			p.doc.Hreflang = append(p.doc.Hreflang, Hreflang{Lang: p.text.keep(clip(bytes.TrimSpace(p.attrs.hreflang), maxTitle)), URL: p.text.keep(href)})
			return
		}
	}
}

// maxPolicy is the number of bytes after which further policies are not read.
const maxPolicy = 16 << 10

// meta takes robots directives for the caller, the description, and a refresh as a link.
func (p *parser) meta() {
	if equalFold(p.attrs.equiv, "content-security-policy") && len(p.doc.Policy) < maxPolicy {
		p.doc.Policy += string(p.attrs.content) + ","
	}
	if equalFold(bytes.TrimSpace(p.attrs.equiv), "refresh") {
		if target := refreshTarget(p.attrs.content); len(target) > 0 {
			p.attrs.rel = nil
			p.link("meta", target)
		}
		return
	}
	name := bytes.TrimSpace(p.attrs.name)
	if p.doc.Description == "" && equalFold(name, "description") {
		p.doc.Description = oneLine(string(p.attrs.content[:min(len(p.attrs.content), maxTitleText)]), maxTitle)
	}
	if len(name) > 0 && len(p.attrs.content) > 0 && len(p.doc.Meta) < maxMeta {
		p.doc.Meta = append(p.doc.Meta, Meta{Name: strings.ToLower(p.text.keep(name)), Content: p.text.keep(p.attrs.content)})
	}
}

// refreshTarget reads the URL of `5; url=/next`, which may be quoted. It is empty
// where there is none.
func refreshTarget(content []byte) []byte {
	_, rest, ok := bytes.Cut(content, []byte(";"))
	if !ok {
		_, rest, _ = bytes.Cut(content, []byte(","))
	}
	rest = bytes.TrimSpace(rest)
	if len(rest) < 4 || !equalFold(rest[:3], "url") {
		return nil
	}
	value, ok := bytes.CutPrefix(bytes.TrimSpace(rest[3:]), []byte("="))
	if !ok {
		return nil
	}
	return bytes.Trim(bytes.TrimSpace(value), `"'`)
}

// equalFold is strings.EqualFold between the two kinds of text.
func equalFold(b []byte, s string) bool { return len(b) == len(s) && strings.EqualFold(string(b), s) }

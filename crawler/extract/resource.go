package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// Resource is a file that a page or a stylesheet uses.
type Resource struct {
	URL      string // as written, white space trimmed; may be relative
	Kind     string // the element, the relation of a link element, or css; SCHEMA.md of package output lists all
	Imported bool   // by @import: another stylesheet
}

// resources reports what an element uses. The content of a template is not part of the page.
func (p *parser) resources(name []byte) {
	a := &p.attrs
	if bytes.IndexByte(a.style, '(') >= 0 { // as in url()
		p.styleResources(a.style)
	}
	switch string(name) {
	case "img", "source":
		p.resource(string(name), a.src)
		p.srcset(string(name), a.srcset)
	case "script", "audio", "track", "embed":
		p.resource(string(name), a.src)
	case "video":
		p.resource("video", a.src)
		p.resource("poster", a.poster)
	case "object":
		p.resource("object", a.data)
	case "input":
		if equalFold(a.kind, "image") {
			p.resource("input", a.src)
		}
	case "link":
		kind := linkKind(a.rel)
		if isPage := kind == "link" && (a.hreflang != nil || a.namesPage()); kind != "" && !isPage {
			p.resource(kind, a.href)
			p.srcset(kind, a.imageSrcset)
		}
	case "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th":
		p.resource("background", a.background)
	case "image", "feimage", "use": // of SVG
		if a.href == nil {
			a.href = a.xlinkHref
		}
		p.resource(string(name), a.href)
	}
}

// style reports what the style element uses that the tokenizer is at.
func (p *parser) style() {
	if p.on.Resource == nil || p.templates > 0 {
		p.skip([]byte("style"))
		return
	}
	if len(p.tokens.Buffered()) == 0 {
		end := rawEnd(p.rest.page, []byte("style"))
		p.styleResources(p.rest.page[:end])
		p.rest.page, p.rest.given = p.rest.page[end:], 0
		return
	}
	p.raw = false
	if p.tokens.Next() == html.TextToken {
		p.styleResources(p.tokens.Raw())
	}
}

// styleResources reports what the styles in a page use.
func (p *parser) styleResources(text []byte) {
	StylesheetFunc(text, func(r Resource) { p.on.Resource(p.doc.Base, r) })
}

// linkKinds are the kinds of resources that a link element can name, the strongest last. An empty one
// is no resource.
var linkKinds = [...]string{"link", "", "preload", "manifest", "icon", "stylesheet"}

// linkWords are the values of rel that decide the kind: indexes of linkKinds. The target of canonical,
// next and prev is a page. The others without a kind name endpoints and servers.
var linkWords = map[string]int{
	"canonical": 1, "next": 1, "prev": 1, "preconnect": 1, "dns-prefetch": 1, "pingback": 1, "profile": 1, "edituri": 1,
	"wlwmanifest": 1, "webmention": 1, "micropub": 1, "microsub": 1, "hub": 1, "authorization_endpoint": 1,
	"token_endpoint": 1, "indieauth-metadata": 1,
	"preload": 2, "modulepreload": 2,
	"manifest": 3,
	"icon":     4, "apple-touch-icon": 4, "apple-touch-icon-precomposed": 4, "apple-touch-startup-image": 4, "mask-icon": 4, "fluid-icon": 4,
	"stylesheet": 5,
}

// linkKind returns the kind of resource that a link element names; empty: none. Rel is a set, and a
// browser obeys each of its words: a stylesheet that is preloaded too is a stylesheet. An element
// without a relation is a mistake, or has the rev attribute of old pages.
func linkKind(rel []byte) string {
	kind := 0
	for word := range words(rel) {
		kind = max(kind, linkWords[word])
		if strings.HasPrefix(word, "schema.") { // a namespace of Dublin Core
			kind = max(kind, linkWords["profile"])
		}
	}
	return linkKinds[kind]
}

// resource reports a resource in ref, an attribute that the element may not have. It ignores an
// empty one, a fragment and a data: URL.
func (p *parser) resource(kind string, ref []byte) {
	if ref = trimReference(ref); isResource(ref) {
		p.on.Resource(p.doc.Base, Resource{URL: p.text.keep(ref), Kind: kind})
	}
}

// isResource reports whether a reference may lead to a resource.
func isResource(ref []byte) bool {
	return len(ref) > 0 && ref[0] != '#' && (len(ref) < len("data:") || !equalFold(ref[:len("data:")], "data:"))
}

// srcset reports the resources in the value of a srcset attribute.
func (p *parser) srcset(kind string, value []byte) {
	if len(value) == 0 {
		return
	}
	for ref := range srcsetURLs(string(value)) {
		p.resource(kind, []byte(ref))
	}
}

// anchor reports the id of an element, and the name of an a element.
func (p *parser) anchor(name []byte) {
	if len(p.attrs.id) > 0 {
		p.on.ID(p.text.keep(p.attrs.id))
	}
	if len(name) == 1 && name[0] == 'a' && len(p.attrs.name) > 0 && !bytes.Equal(p.attrs.name, p.attrs.id) {
		p.on.ID(p.text.keep(p.attrs.name))
	}
}

// Fragment returns the fragment of a reference that leads to an element, as written. It is empty
// if there is none, and for fragments that a browser or a script interprets: #top, text
// directives, and routes such as #/ and #!.
func Fragment(ref string) string {
	_, fragment, _ := strings.Cut(ref, "#")
	fragment, _, _ = strings.Cut(fragment, ":~:")
	if fragment == "" || strings.EqualFold(fragment, "top") || fragment[0] == '!' || fragment[0] == '/' {
		return ""
	}
	return fragment
}

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
		if equalFold(bytes.TrimSpace(a.kind), "image") {
			p.resource("input", a.src)
		}
	case "link":
		if kind := linkKind(a.rel); kind != "" && a.hreflang == nil && !a.namesPage() {
			p.resource(kind, a.href)
			p.srcset(kind, a.imageSrcset)
		}
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

// linkKind returns the kind of resource that a link element names; empty: none. The target of
// canonical, next or prev is a page, and the other values here name endpoints, servers or namespaces. An
// element without a relation is a mistake, or has the rev attribute of old pages.
func linkKind(rel []byte) string {
	for value := range bytes.FieldsSeq(rel) {
		switch word := strings.ToLower(string(value)); word {
		case "stylesheet", "manifest":
			return word
		case "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon", "fluid-icon":
			return "icon"
		case "preload", "modulepreload":
			return "preload"
		case "canonical", "next", "prev", "preconnect", "dns-prefetch", "pingback", "profile", "edituri", "wlwmanifest",
			"webmention", "micropub", "microsub", "hub", "authorization_endpoint", "token_endpoint", "indieauth-metadata":
			return ""
		default:
			if strings.HasPrefix(word, "schema.") { // of Dublin Core: a namespace
				return ""
			}
		}
	}
	return "link"
}

// resource reports a resource in ref, an attribute that the element may not have. It ignores an
// empty one, a fragment and a data: URL.
func (p *parser) resource(kind string, ref []byte) {
	if ref = bytes.TrimSpace(ref); isResource(ref) {
		p.on.Resource(p.doc.Base, Resource{URL: p.text.keep(ref), Kind: kind})
	}
}

// isResource reports whether a reference may lead to a resource.
func isResource(ref []byte) bool {
	return len(ref) > 0 && ref[0] != '#' && (len(ref) < len("data:") || !equalFold(ref[:len("data:")], "data:"))
}

// srcset reports the resources in the value of a srcset attribute.
func (p *parser) srcset(kind string, srcset []byte) {
	for rest := srcset; ; {
		rest = bytes.TrimLeft(rest, " \t\n\r\f,")
		if len(rest) == 0 {
			return
		}
		end := bytes.IndexAny(rest, " \t\n\r\f")
		if end < 0 {
			end = len(rest)
		}
		ref := rest[:end]
		rest = rest[end:]
		if bare := bytes.TrimRight(ref, ","); len(bare) < len(ref) {
			p.resource(kind, bare) // without a descriptor
			continue
		}
		p.resource(kind, ref)
		rest = rest[descriptorEnd(rest):]
	}
}

// descriptorEnd returns the length of the descriptors of an image in srcset: up to the next comma
// outside parentheses.
func descriptorEnd(b []byte) int {
	depth := 0
	for i, c := range b {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			return i
		}
	}
	return len(b)
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

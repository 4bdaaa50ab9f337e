package extract

import (
	"bytes"
	"strings"
)

// Resource is a file that a page or a stylesheet uses.
type Resource struct {
	URL      string // as that of a Link
	Ref      string // as written, white space trimmed
	Err      error  // why the reference leads to no file
	Kind     string // the element, the relation of a link element, or css; SCHEMA.md of package output lists all
	Imported bool   // by @import: another stylesheet
}

// resources reports what an element uses.
func (c *collector) resources(e *element) {
	a := &c.attrs
	if bytes.IndexByte(a.style, '(') >= 0 { // as in url()
		c.styleText(a.style)
	}
	if c.svg {
		switch e.name {
		case "image", "feimage", "use", "script":
			c.resource(e.name, c.svgHref())
		}
		return
	}
	switch e.name {
	case "img", "source":
		c.resource(e.name, a.src)
		c.srcset(e.name, a.srcset)
	case "script", "audio", "track", "embed":
		c.resource(e.name, a.src)
	case "video":
		c.resource("video", a.src)
		c.resource("poster", a.poster)
	case "object":
		c.resource("object", a.data)
	case "input":
		if equalFold(bytes.TrimSpace(a.kind), "image") {
			c.resource("input", a.src)
		}
	case "link":
		if kind := linkKind(a.rel); kind != "" && a.hreflang == nil && !a.namesPage() {
			c.resource(kind, a.href)
			c.srcset(kind, a.imageSrcset)
		}
	}
}

// ReadStylesheet calls f for each resource of a stylesheet: the targets of url() and @import. The page
// is that of the stylesheet.
func ReadStylesheet(page Page, f func(Resource)) {
	doc := decodeStylesheet(&page)
	c := newCollector(&page, &doc, &Handlers{Link: func(Link) {}, Resource: f}, baseElement{})
	c.styleText(doc.Text)
}

// styleText reports what the text of a style sheet in the page uses.
func (c *collector) styleText(text []byte) {
	if c.on.Resource != nil {
		stylesheet(text, func(ref string, imported bool) { c.addResource("css", ref, imported) })
	}
}

// addResource reports a resource.
func (c *collector) addResource(kind, ref string, imported bool) {
	r := Resource{Ref: ref, Kind: kind, Imported: imported}
	r.URL, r.Err = c.resolve(ref)
	c.on.Resource(r)
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
func (c *collector) resource(kind string, ref []byte) {
	if ref = trimReference(ref); isResource(ref) {
		c.addResource(kind, c.text.keep(ref), false)
	}
}

// isResource reports whether a reference may lead to a resource.
func isResource(ref []byte) bool {
	return len(ref) > 0 && ref[0] != '#' && (len(ref) < len("data:") || !equalFold(ref[:len("data:")], "data:"))
}

// srcset reports the resources in the value of a srcset attribute.
func (c *collector) srcset(kind string, srcset []byte) {
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
			c.resource(kind, bare) // without a descriptor
			continue
		}
		c.resource(kind, ref)
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
func (c *collector) anchor(e *element) {
	if len(c.attrs.id) > 0 {
		c.on.ID(c.text.keep(c.attrs.id))
	}
	if e.tag == tagA && !c.svg && len(c.attrs.name) > 0 && !bytes.Equal(c.attrs.name, c.attrs.id) {
		c.on.ID(c.text.keep(c.attrs.name))
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

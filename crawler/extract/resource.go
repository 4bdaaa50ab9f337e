package extract

import (
	"bytes"
	"slices"
	"strings"
)

// Resource is a file that a page or a stylesheet uses.
type Resource struct {
	URL      string // as that of a Link
	Ref      string // as written, white space trimmed
	Err      error  // why the reference leads to no file
	Text     string // alt of an img element, with Handlers.LinkTexts: at most 200 bytes, white space collapsed
	Kind     string // the element, the relation of a link element, or css; SCHEMA.md of package output lists all
	Imported bool   // by @import: another stylesheet
	Line     int    // where the element starts, or of the reference in a stylesheet, from 1; 0 if Handlers.Lines is not set
}

// resources reports what an element uses.
func (c *collector) resources(e *element) {
	a := &c.attrs
	if bytes.IndexByte(a.style, '(') >= 0 { // as in url()
		c.styleText(a.style, false)
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
		r := Resource{Kind: e.name}
		if c.on.LinkTexts && e.name == "img" {
			r.Text = c.altText()
		}
		c.reference(r, a.src)
		c.srcset(r, a.srcset)
	case "script":
		switch {
		case c.module && c.on.Requisites:
			c.resource("module", a.src)
		case isScriptType(a.kind):
			c.resource("script", a.src)
		}
	case "iframe", "frame":
		switch {
		case !c.on.Requisites:
		case a.srcdoc == nil:
			c.resource("iframe", a.src)
		case len(c.doc.frames) < maxMeta:
			c.doc.frames = append(c.doc.frames, c.text.keep(a.srcdoc))
		}
	case "audio", "track", "embed":
		c.resource(e.name, a.src)
	case "video":
		c.resource("video", a.src)
		c.resource("poster", a.poster)
	case "object":
		c.resource("object", a.data)
	case "input":
		if equalFold(a.kind, "image") {
			c.resource("input", a.src)
		}
	case "link":
		r := relationOf(a.rel)
		kind := r.resourceKind()
		if isPage := kind == "link" && (a.hreflang != nil || r.namesPage(a.kind)); kind != "" && !isPage {
			switch {
			case kind == "preload" && c.on.Requisites && r&relModule != 0:
				kind = "module"
			case kind == "preload" && c.on.Requisites && equalFold(a.as, "style"):
				kind = "stylesheet"
			}
			c.resource(kind, a.href)
			c.srcset(Resource{Kind: kind}, a.imageSrcset)
		}
	case "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th":
		c.resource("background", a.background)
	}
}

// isScriptType reports whether browsers request a script of this type. Others are data for programs.
func isScriptType(kind []byte) bool {
	switch kind = bytes.Trim(kind, asciiSpace); {
	case len(kind) == 0, equalFold(kind, "module"):
		return true
	}
	return slices.Contains(scriptTypes, lowerASCII(kind))
}

// scriptTypes are the types of JavaScript (MIME Sniffing, section 4.6).
var scriptTypes = strings.Fields("application/ecmascript application/javascript application/x-ecmascript application/x-javascript " +
	"text/ecmascript text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 text/javascript1.3 text/javascript1.4 " +
	"text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript")

// ReadStylesheet calls f for each resource of a stylesheet, with its line: the targets of url() and
// @import. The page is that of the stylesheet.
func ReadStylesheet(page Page, f func(Resource)) {
	doc := decodeText(&page)
	c := newCollector(&page, &doc, &Handlers{Link: func(Link) {}, Resource: f, Lines: true}, baseElement{})
	c.styleText(doc.Text, true)
}

// styleText reports what the text of a style sheet in the page uses. In a source, each line of the text is
// one of the page.
func (c *collector) styleText(text []byte, source bool) {
	if c.on.Resource == nil {
		return
	}
	for r := range sheetResources(text) {
		if !source || !c.on.Lines {
			r.Line = 0
		}
		c.addResource(r)
	}
}

// addResource reports a resource, and counts its line from the place.
func (c *collector) addResource(r Resource) {
	r.Line += c.line
	r.URL, r.Err = c.resolve(r.Ref)
	c.on.Resource(r)
}

// resource reports a resource in ref, an attribute that the element may not have. It ignores an
// empty one, a fragment and a data: URL.
func (c *collector) resource(kind string, ref []byte) { c.reference(Resource{Kind: kind}, ref) }

// reference is resource for a resource with more than its kind.
func (c *collector) reference(r Resource, ref []byte) {
	if ref = trimReference(ref); isResource(ref) {
		r.Ref = c.text.keep(ref)
		c.addResource(r)
	}
}

// isResource reports whether a reference may lead to a resource.
func isResource(ref []byte) bool {
	return len(ref) > 0 && ref[0] != '#' && (len(ref) < len("data:") || !equalFold(ref[:len("data:")], "data:"))
}

// srcset reports the resources in the value of a srcset attribute.
func (c *collector) srcset(r Resource, value []byte) {
	if len(value) == 0 {
		return
	}
	for ref := range srcsetURLs(string(value)) {
		c.reference(r, []byte(ref))
	}
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

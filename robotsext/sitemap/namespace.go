package sitemap

import (
	"bytes"
	"slices"
)

// space is a known namespace.
type space uint8

const (
	otherSpace space = iota // skipped
	coreSpace               // the namespace of the document itself
	sitemapSpace
	atomSpace
	imageSpace
	videoSpace
	newsSpace
	xhtmlSpace
)

// spaceOf returns the namespace of a URI. Sites misspell these URIs in many ways, so
// it compares only characteristic parts.
func spaceOf(uri []byte) space {
	has := func(part string) bool { return bytes.Contains(uri, []byte(part)) }
	switch {
	case has("sitemap-image"):
		return imageSpace
	case has("sitemap-video"):
		return videoSpace
	case has("sitemap-news"):
		return newsSpace
	case has("www.w3.org/") && has("xhtml"):
		return xhtmlSpace
	case has("/schemas/sitemap/0"): // "…/geo/schemas/sitemap/1.0" is another one
		return sitemapSpace
	case has("www.w3.org/2005/Atom"), has("purl.org/atom/ns#"):
		return atomSpace
	}
	return otherSpace
}

// conventional are the usual meanings of undeclared prefixes, which are common in
// hand-written sitemaps.
var conventional = map[string]space{"": coreSpace, "image": imageSpace, "video": videoSpace, "news": newsSpace, "xhtml": xhtmlSpace}

// maxBindings limits the prefixes in scope. An ordinary sitemap has five.
const maxBindings = 64

// binding is a prefix declared by an element at that depth.
type binding struct {
	prefix string
	space  space
	depth  int
}

// bindings are the prefixes in scope, the innermost last.
type bindings struct {
	list []binding

	// The core namespaces: the one that the root element has, and the one that it should
	// have. An RSS item may have an <atom:link> too, which is not its location.
	rootURI    string
	ownSpace   space // otherSpace if none
	rootPrefix string
	rooted     bool
}

// root sets the core namespaces for a root element. Call it before declare.
func (b *bindings) root(el elem, prefix, attrs []byte) {
	b.rooted = true
	switch el {
	case elemURLSet, elemIndex:
		b.ownSpace = sitemapSpace
	case elemFeed:
		b.ownSpace = atomSpace
	}
	b.rootPrefix = string(prefix)
	want := "xmlns"
	if len(prefix) > 0 {
		want += ":" + b.rootPrefix
	}
	for name, value := range attributes(attrs) {
		if string(name) == want {
			uri, _ := appendText(nil, value)
			b.rootURI = string(trim(uri))
		}
	}
}

// declare adds the xmlns attributes of an element at depth.
func (b *bindings) declare(attrs []byte, depth int) {
	for name, value := range attributes(attrs) {
		prefix, isDecl := bytes.CutPrefix(name, []byte("xmlns"))
		if !isDecl || len(prefix) == 1 || len(prefix) > 0 && prefix[0] != ':' || len(b.list) == maxBindings {
			continue
		}
		prefix = bytes.TrimPrefix(prefix, []byte(":"))
		uri, _ := appendText(nil, value)
		uri = trim(uri)
		sp := spaceOf(uri)
		if len(uri) == 0 || b.rootURI == string(uri) || sp != otherSpace && sp == b.ownSpace {
			sp = coreSpace
		}
		b.list = append(b.list, binding{prefix: string(prefix), space: sp, depth: depth})
	}
}

// drop removes the declarations of the element at depth.
func (b *bindings) drop(depth int) {
	n := len(b.list)
	for n > 0 && b.list[n-1].depth >= depth {
		n--
	}
	b.list = b.list[:n]
}

// find returns the namespace of a prefix.
func (b *bindings) find(prefix []byte) space {
	for _, bound := range slices.Backward(b.list) {
		if bound.prefix == string(prefix) {
			return bound.space
		}
	}
	if b.rooted && b.rootPrefix == string(prefix) {
		return coreSpace
	}
	return conventional[string(prefix)]
}

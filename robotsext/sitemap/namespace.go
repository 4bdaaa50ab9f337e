package sitemap

import (
	"bytes"
	"slices"
)

// A space is a namespace as far as it matters here.
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

// spaceOf knows a namespace by its name. Sites misspell these names in many
// ways; what is asked for is only what tells one from the other.
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
	case has("/schemas/sitemap/"):
		return sitemapSpace
	case has("www.w3.org/2005/Atom"), has("purl.org/atom/ns#"):
		return atomSpace
	}
	return otherSpace
}

// conventional is what a prefix means that is nowhere declared, as in many a
// hand-written sitemap.
func conventional(prefix []byte) space {
	switch string(prefix) {
	case "":
		return coreSpace
	case "image":
		return imageSpace
	case "video":
		return videoSpace
	case "news":
		return newsSpace
	case "xhtml":
		return xhtmlSpace
	}
	return otherSpace
}

// maxBindings bounds the prefixes in force at a time. A sitemap has five.
const maxBindings = 64

// A binding is one prefix declared by an element at that depth.
type binding struct {
	prefix string
	space  space
	depth  int
}

// bindings are the prefixes in force, the innermost last.
type bindings struct {
	list []binding

	// The core is the namespace of the root element, whatever its name, and
	// the one that such a document should have. An RSS item may have an
	// <atom:link> beside its <link>: that is not its address.
	rootURI    string
	ownSpace   space // otherSpace if it should have none
	rootPrefix string
	rooted     bool
}

// root makes the namespace of the root element the core. It comes before its
// declarations.
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
	for {
		name, value, rest, ok := nextAttr(attrs)
		if !ok {
			return
		}
		if attrs = rest; string(name) == want {
			uri, _ := appendText(nil, value)
			b.rootURI = string(trim(uri))
		}
	}
}

// declare takes the xmlns attributes of an element at depth.
func (b *bindings) declare(attrs []byte, depth int) {
	for {
		name, value, rest, ok := nextAttr(attrs)
		if !ok {
			return
		}
		attrs = rest
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

// drop forgets what the element at depth declared.
func (b *bindings) drop(depth int) {
	n := len(b.list)
	for n > 0 && b.list[n-1].depth >= depth {
		n--
	}
	b.list = b.list[:n]
}

// find returns the namespace that prefix stands for.
func (b *bindings) find(prefix []byte) space {
	for _, bound := range slices.Backward(b.list) {
		if bound.prefix == string(prefix) {
			return bound.space
		}
	}
	if b.rooted && b.rootPrefix == string(prefix) {
		return coreSpace
	}
	return conventional(prefix)
}

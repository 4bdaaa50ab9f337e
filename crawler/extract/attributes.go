package extract

import "strings"

// attributes are the attributes of an element that matter here, nil for one that it does not have.
type attributes struct {
	href, src, rel, name, content, equiv, lang, hreflang, shadow []byte
	id, srcset, imageSrcset, poster, data, kind                  []byte
	style, xlinkHref, srcdoc, background                         []byte
	alt, role, ariaHidden, as                                    []byte
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
	case "srcdoc":
		field = &a.srcdoc
	case "background":
		field = &a.background
	case "xlink:href":
		field = &a.xlinkHref
	case "alt":
		field = &a.alt
	case "role":
		field = &a.role
	case "as":
		field = &a.as
	case "aria-hidden":
		field = &a.ariaHidden
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

// equalFold is strings.EqualFold between the two kinds of text.
func equalFold(b []byte, s string) bool { return len(b) == len(s) && strings.EqualFold(string(b), s) }

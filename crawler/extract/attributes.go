package extract

import (
	"bytes"
	"strings"
)

// attributes are those that matter of an element; nil: it does not have it.
type attributes struct {
	href, src, rel, name, content, equiv, lang, hreflang, shadow []byte
	id, srcset, imageSrcset, poster, data, kind                  []byte
	style, xlinkHref, srcdoc, background                         []byte
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

// equalFold is strings.EqualFold between the two kinds of text.
func equalFold(b []byte, s string) bool { return len(b) == len(s) && strings.EqualFold(string(b), s) }

// relations are the words of a rel attribute, in any order.
type relations []byte

func (r relations) has(word string) bool {
	for value := range bytes.FieldsSeq(r) {
		if equalFold(value, word) {
			return true
		}
	}
	return false
}

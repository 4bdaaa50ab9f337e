package extract

import (
	"bytes"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
)

// A relation is what the words of a rel attribute say about a link element. The attribute is a set, and
// browsers obey each word.
type relation uint16

const (
	relAlternate relation = 1 << iota
	relCanonical
	relSeries   // the next or previous page
	relPage     // another page for readers
	relEndpoint // an endpoint, a server or a namespace: nothing that the page uses

	// relPreload is the first resource. The strongest is last: a preloaded stylesheet is a stylesheet.
	relPreload
	relModule
	relManifest
	relIcon
	relStylesheet
)

// relations have the words that mean something here. Words that lead to pages are from HTML (living
// standard, 4.6.7) and HTML 4.01 (6.12), with older names for them. SCHEMA.md of package output
// documents them.
var relations = func() map[string]relation {
	index := make(map[string]relation)
	for r, words := range map[relation]string{
		relAlternate: "alternate",
		relCanonical: "canonical",
		relSeries:    "next prev",
		relPage: "author help license privacy-policy search terms-of-service " +
			"appendix bookmark chapter contents copyright glossary index section start subsection " +
			"begin end first home last previous toc top up",
		relEndpoint: "preconnect dns-prefetch pingback profile edituri wlwmanifest webmention micropub microsub hub " +
			"authorization_endpoint token_endpoint indieauth-metadata",
		relPreload:    "preload",
		relModule:     "modulepreload",
		relManifest:   "manifest",
		relIcon:       "icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon fluid-icon",
		relStylesheet: "stylesheet",
	} {
		for word := range strings.FieldsSeq(words) {
			index[word] = r
		}
	}
	return index
}()

// relationOf reads a rel attribute.
func relationOf(rel []byte) (all relation) {
	for word := range words(rel) {
		if strings.HasPrefix(word, "schema.") { // a namespace of Dublin Core
			all |= relEndpoint
		}
		all |= relations[word]
	}
	return all
}

// resourceKind returns the kind of resource that a link element names, or "" if none. An element
// without a relation is a mistake, or has the rev attribute of old pages.
func (r relation) resourceKind() string {
	switch {
	case r&relStylesheet != 0:
		return "stylesheet"
	case r&relIcon != 0:
		return "icon"
	case r&relManifest != 0:
		return "manifest"
	case r&(relPreload|relModule) != 0:
		return "preload"
	case r&(relCanonical|relSeries|relEndpoint) != 0:
		return ""
	}
	return "link"
}

// namesPage reports whether a link element leads to a page by its relation alone. Files of a type other
// than HTML, such as a description of a search engine, are no pages, nor are alternates such as feeds.
func (r relation) namesPage(mediaType []byte) bool {
	if r&relPage == 0 || r&relAlternate != 0 || r.resourceKind() != "link" {
		return false
	}
	essence, _, _ := bytes.Cut(mediaType, []byte(";"))
	t, _ := mimetype.Parse(string(essence))
	return t.IsHTML() || t.IsXHTML() || len(bytes.Trim(mediaType, asciiSpace)) == 0
}

package crawler

import (
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
)

// directives are what a page asks of crawlers.
type directives struct {
	words    []string
	nofollow bool
}

func (c *Crawler) directives(header http.Header, doc *extract.Document) directives {
	var d directives
	take := func(content string) {
		for word := range strings.SplitSeq(strings.ToLower(content), ",") {
			word = strings.TrimSpace(word)
			d.words = append(d.words, word)
			d.nofollow = d.nofollow || word == "nofollow" || word == "none"
		}
	}
	for _, line := range header.Values("X-Robots-Tag") {
		take(line)
	}
	for _, meta := range doc.Meta {
		if meta.Name == "robots" {
			take(meta.Content)
		}
	}
	return d
}

// followed tells whether a link with these rel values is followed (ROB-PAG-08).
func followed(rel string) bool {
	for value := range strings.FieldsFuncSeq(strings.ToLower(rel), func(r rune) bool { return r == ' ' || r == ',' }) {
		if value == "nofollow" || value == "ugc" || value == "sponsored" {
			return false
		}
	}
	return true
}

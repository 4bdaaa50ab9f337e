package crawler

import (
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
)

// directives are what a page asks of this crawler, in its header and in the page.
type directives struct {
	words    []string // as written, in lower case
	nofollow bool
}

func (c *Crawler) directives(header http.Header, doc *extract.Document) directives {
	var d directives
	for _, line := range header.Values("X-Robots-Tag") {
		d.add(c.addressed(line))
	}
	for _, meta := range doc.Meta {
		if meta.Name == "robots" || strings.EqualFold(meta.Name, c.token) {
			d.add(meta.Content)
		}
	}
	return d
}

// addressed returns what a header line asks of this crawler: all of it, unless
// it begins with the name of one (ROB-PAG-03).
func (c *Crawler) addressed(line string) string {
	name, rest, ok := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	if !ok || strings.ContainsAny(name, ", ") || strings.HasPrefix(name, "max-") || name == "unavailable_after" {
		return line
	}
	if strings.EqualFold(name, c.token) {
		return rest
	}
	return ""
}

func (d *directives) add(list string) {
	for word := range strings.SplitSeq(strings.ToLower(list), ",") {
		if word = strings.TrimSpace(word); word != "" {
			d.words = append(d.words, word)
			d.nofollow = d.nofollow || word == "nofollow" || word == "none"
		}
	}
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

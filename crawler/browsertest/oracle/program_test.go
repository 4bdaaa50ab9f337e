package oracle

import (
	"net/http"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
)

// read returns what the program makes of a page.
func read(url string, header http.Header, body []byte) observation {
	if !extract.IsPage(header, body) {
		return observation{Error: noPage}
	}
	doc := extract.Read(extract.Page{URL: url, Header: header, Body: body}, nil)
	o := observation{Encoding: doc.Encoding, Title: doc.Title, Base: doc.Base, Canonical: distinct([]string{doc.Canonical})}
	for _, link := range doc.Links {
		switch link.Kind {
		case "a", "area", "frame":
			o.Links = append(o.Links, link.URL)
		case "link":
			if isRelated(link.Rel) {
				o.Related = append(o.Related, link.URL)
			}
		case "meta":
			o.Refresh = append(o.Refresh, link.URL)
		}
	}
	o.Links, o.Related, o.Refresh = distinct(o.Links), distinct(o.Related), distinct(o.Refresh)
	return o
}

// isRelated reports whether a link element leads to the next or previous page of a series.
func isRelated(rel string) bool {
	words := strings.FieldsFunc(strings.ToLower(rel), func(r rune) bool { return strings.ContainsRune("\t\n\f\r ", r) })
	return !slices.Contains(words, "canonical") && (slices.Contains(words, "next") || slices.Contains(words, "prev"))
}

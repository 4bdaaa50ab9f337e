package oracle

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// read returns what the program makes of a page.
func read(url string, header http.Header, body []byte) observation {
	contentType := header.Get("Content-Type")
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" || !certain && (utf8.Valid(body) && name != "iso-2022-jp" || strings.Contains(strings.ToLower(contentType), "utf-8")) {
		name = "utf-8"
	} else if decoded, err := enc.NewDecoder().Bytes(body); err == nil {
		body = decoded
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	doc := extract.Parse(body)
	o := observation{Encoding: name, Title: doc.Title, Base: url}
	if b, err := weburl.Resolve(url, doc.Base); err == nil && doc.Base != "" {
		o.Base = b.Canonical
	}
	resolve := func(ref string) string {
		u, err := weburl.Resolve(o.Base, ref)
		if err != nil {
			return ""
		}
		return u.Canonical
	}
	if doc.Canonical != "" {
		o.Canonical = resolve(doc.Canonical)
	}
	for _, link := range doc.Links {
		u := resolve(link.URL)
		switch link.Kind {
		case "link":
			o.Related = append(o.Related, u)
		case "meta":
			if o.Refresh == "" {
				o.Refresh = u
			}
		default:
			o.Links = append(o.Links, u)
		}
	}
	o.Links, o.Related = webURLs(o.Links), webURLs(o.Related)
	return o
}

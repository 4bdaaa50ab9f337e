package demosite

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
)

// lastMod is the date of every entry: a site that is the same each time has no
// other.
const lastMod = "2024-05-01"

// sitemapXML writes what a sitemap route lists.
func sitemapXML(r *route) []byte {
	outer, inner := "urlset", "url"
	if r.index {
		outer, inner = "sitemapindex", "sitemap"
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	fmt.Fprintf(&b, "<%s xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", outer)
	for _, loc := range r.entries {
		fmt.Fprintf(&b, "  <%s><loc>", inner)
		_ = xml.EscapeText(&b, []byte(loc)) // a Buffer accepts every write
		fmt.Fprintf(&b, "</loc><lastmod>%s</lastmod></%s>\n", lastMod, inner)
	}
	fmt.Fprintf(&b, "</%s>\n", outer)
	if !r.gzip {
		return b.Bytes()
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(b.Bytes()) // nor can writing to it fail here
	_ = w.Close()
	return packed.Bytes()
}

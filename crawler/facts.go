package crawler

import (
	"net/http"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// maxHreflangBytes limits the URLs of hreflang links in the line of a page. With a base URL of 8 KB,
// a page of 46 KB could need 8 MB.
const maxHreflangBytes = 64 << 10

const limitHreflang = "hreflang-bytes" // as limits_reached of pages.jsonl names it

// addFacts adds what an HTML page says about itself to its record.
func addFacts(page *output.Page, doc *extract.Document) {
	page.Title, page.H1, page.Description = doc.Title, doc.H1, doc.Description
	page.Lang, page.Words, page.Encoding = doc.Lang, doc.Words, doc.Encoding
	if doc.Malformed != nil {
		page.Malformed = escape.Detail(doc.Malformed.Error())
	}
	page.ImagesWithoutAlt, page.NeedsJavaScript = doc.ImagesWithoutAlt, doc.NeedsScripts
	if doc.H1Count > 1 {
		page.H1Count = doc.H1Count
	}
	if len(doc.Hreflang) == 0 {
		return
	}
	size := 0
	for _, t := range doc.Hreflang {
		if size += len(t.URL); size > maxHreflangBytes {
			page.LimitsReached = append(page.LimitsReached, limitHreflang)
			return
		}
		page.Hreflang = append(page.Hreflang, output.Hreflang(t))
	}
}

// canonicalNames returns the names of header fields as [http.Header] has them.
func canonicalNames(names []string) []string {
	canonical := make([]string, len(names))
	for i, name := range names {
		canonical[i] = http.CanonicalHeaderKey(name)
	}
	return canonical
}

// keptHeaders returns the headers that keep-header names, by name in lower case.
func (w *worker) keptHeaders(header http.Header) map[string]string {
	var kept map[string]string
	for _, name := range w.c.pageRules.headers {
		values := header[name]
		if len(values) == 0 {
			continue
		}
		if kept == nil {
			kept = make(map[string]string)
		}
		kept[strings.ToLower(name)] = escape.Detail(strings.Join(values, ", "))
	}
	return kept
}

// noindex returns the directive that excludes a page from an index, if it is obeyed; nil: none.
func (w *worker) noindex(d *robotstag.Directives) *robotstag.Rule {
	if !w.c.cfg.Robots.ObeyNoindex {
		return nil
	}
	return d.NoIndex(time.Now())
}

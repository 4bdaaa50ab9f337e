package crawler

import (
	"net/http"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// addFacts adds what an HTML page says about itself to its record.
func addFacts(page *output.Page, doc *extract.Document) {
	page.Title, page.H1, page.Description = doc.Title, doc.H1, doc.Description
	page.Lang, page.Words = doc.Lang, doc.Words
	if len(doc.Translations) == 0 {
		return
	}
	base := baseURL(page.URL, doc.Base)
	for _, t := range doc.Translations {
		if a, err := weburl.Resolve(base, t.URL); err == nil {
			page.Hreflang = append(page.Hreflang, output.Hreflang{Lang: t.Lang, URL: a.Canonical})
		}
	}
}

// baseURL returns the URL that the references of a page resolve against. Base is the reference
// of its base element; empty: none.
func baseURL(page, base string) string {
	if base != "" {
		if b, err := weburl.Resolve(page, base); err == nil {
			return b.Canonical
		}
	}
	return page
}

// keptHeaders returns the headers that keep-header names, by name in lower case.
func (w *worker) keptHeaders(header http.Header) map[string]string {
	var kept map[string]string
	for _, name := range w.c.cfg.Output.KeepHeader {
		values := header.Values(name)
		if len(values) == 0 {
			continue
		}
		if kept == nil {
			kept = make(map[string]string)
		}
		kept[strings.ToLower(name)] = escape.Clip(secret.RedactText(strings.Join(values, ", ")), maxDetail)
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

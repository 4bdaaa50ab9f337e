package crawler

import (
	"errors"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// directives reads the directives for this crawler in the header and, for HTML, in the
// document.
func (w *worker) directives(header http.Header, doc *extract.Document) *robotstag.Directives {
	c := w.c
	d := robotstag.New(c.pageRules.token)
	d.Header(header)
	if doc != nil {
		d.Link("canonical", doc.Canonical)
		for _, meta := range doc.Meta {
			d.Meta(meta.Name, meta.Content)
		}
	}
	return d
}

// describe adds the directives of a page to its record. The record of a page with noindex
// has no content.
func (w *worker) describe(page *output.Page, d *robotstag.Directives, doc *extract.Document) {
	for _, rule := range d.Rules() {
		page.Directives = append(page.Directives, output.Directive{Rule: secret.RedactText(rule.String()), Source: rule.Source.String()})
	}
	if rule := w.noindex(d); rule != nil {
		page.Withheld, page.Headers = rule.String(), nil
		return
	}
	page.Canonical = canonicalOf(page.URL, d)
	if doc != nil {
		addFacts(page, doc)
	}
}

// canonicalOf returns the canonical URL of a page, by its header or by itself; empty: none, or no valid
// URL. That of the header is resolved against the URL of the page (RFC 8288, section 3.2).
func canonicalOf(page string, d *robotstag.Directives) string {
	if d.Canonical() == "" {
		return ""
	}
	a, err := weburl.Resolve(page, d.Canonical())
	if err != nil {
		return ""
	}
	return secret.RedactText(a.Canonical)
}

// fieldLimit returns the limit that cut off fields of a page, as limits_reached of pages.jsonl
// names it.
func fieldLimit(err error) string {
	for limit, class := range map[string]error{"field-size": extract.ErrTooLarge, "field-tags": extract.ErrTooManyTags, "field-time": extract.ErrTooSlow} {
		if errors.Is(err, class) {
			return limit
		}
	}
	return "field-nesting"
}

// noArchiveReason returns the directive that forbids archiving a page; empty: none.
func (w *worker) noArchiveReason(d *robotstag.Directives) string {
	c := w.c
	if !c.cfg.Robots.ObeyNoindex {
		return ""
	}
	for _, rule := range []*robotstag.Rule{d.NoIndex(time.Now()), d.NoArchive()} {
		if rule != nil {
			return rule.String()
		}
	}
	return ""
}

package crawler

import (
	"errors"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
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
	page.Canonical = escape.Clip(secret.RedactText(secret.RedactURL(d.Canonical())), weburl.MaxLength)
	if doc != nil {
		w.c.discovery.addFacts(page, doc)
	}
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

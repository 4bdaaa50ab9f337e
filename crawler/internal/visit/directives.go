package visit

import (
	"cmp"
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
func (v *Visitor) directives(header http.Header, doc *extract.Document) *robotstag.Directives {
	d := robotstag.New(v.set.Token)
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
func (v *Visitor) describe(page *output.Page, d *robotstag.Directives, doc *extract.Document) {
	for _, rule := range d.Rules() {
		page.Directives = append(page.Directives, output.Directive{Rule: secret.RedactText(rule.String()), Source: rule.Source.String()})
	}
	if rule := v.noindex(d); rule != nil {
		page.Withheld, page.Headers = rule.String(), nil
		return
	}
	page.Canonical = canonicalOf(page.URL, d)
	if doc != nil {
		addFacts(page, doc)
	}
}

// canonicalOf returns the canonical URL of a page, by its header or by itself, or "" if it has no valid
// one. A URL in the header is resolved against the URL of the page (RFC 8288, section 3.2).
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

// noindex returns the directive that excludes a page from an index, if it is obeyed, or nil.
func (v *Visitor) noindex(d *robotstag.Directives) *robotstag.Rule {
	if !v.set.Noindex {
		return nil
	}
	return d.NoIndex(time.Now())
}

// noArchiveReason returns the directive that forbids archiving a page, or "" if none does.
func (v *Visitor) noArchiveReason(d *robotstag.Directives) string {
	if !v.set.Noindex {
		return ""
	}
	if rule := cmp.Or(d.NoIndex(time.Now()), d.NoArchive()); rule != nil {
		return rule.String()
	}
	return ""
}

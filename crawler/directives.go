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

// directives reads what a page asks of this crawler, in its header and, where it
// is HTML, in the document.
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

// describe writes down what a page asks for. A page that asks not to be kept is
// listed with that, and without its content.
func (w *worker) describe(page *output.Page, d *robotstag.Directives, doc *extract.Document) {
	c := w.c
	for _, rule := range d.Rules() {
		page.Directives = append(page.Directives, output.Directive{Rule: secret.RedactText(rule.String()), Source: rule.Source.String()})
	}
	page.Usage = d.Usage()
	if rule := d.NoIndex(time.Now()); rule != nil && c.cfg.Robots.ObeyNoindex {
		page.Withheld = rule.String()
		return
	}
	page.Canonical = escape.Clip(secret.RedactText(secret.RedactURL(d.Canonical())), weburl.MaxLength)
	if doc != nil {
		page.Title = doc.Title
	}
}

// cutByFields is the limit, as cut_by of pages.jsonl names it, for which a page has not all
// of its fields.
func cutByFields(err error) string {
	for limit, class := range map[string]error{"field-size": extract.ErrTooLarge, "field-tags": extract.ErrTooManyTags, "field-time": extract.ErrTooSlow} {
		if errors.Is(err, class) {
			return limit
		}
	}
	return "field-nesting"
}

// noArchive says what keeps a page from being archived; empty: nothing does.
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

package visit

import (
	"cmp"
	"errors"
	"fmt"
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

// keptHeaders returns the headers that keep-header names, by name in lower case.
func (v *Visitor) keptHeaders(header http.Header) map[string]string {
	var kept map[string]string
	for _, name := range v.set.Headers {
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

// addFields adds the fields that the user has defined. They are missing if a limit cut them off.
func (v *Visitor) addFields(page *output.Page, doc *extract.Document) {
	fields, err := v.set.Fields.Fields(doc)
	if page.Fields = fields; err != nil {
		page.LimitsReached = append(page.LimitsReached, fieldLimit(err))
		v.Lifecycle.Notice("fields not read", fmt.Sprintf("%s: fields are missing: %v", page.URL, err), "url", page.URL, "error", err)
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

// noindex returns the directive that excludes a page from an index, if it is obeyed; nil: none.
func (v *Visitor) noindex(d *robotstag.Directives) *robotstag.Rule {
	if !v.set.Noindex {
		return nil
	}
	return d.NoIndex(time.Now())
}

// noArchiveReason returns the directive that forbids archiving a page; empty: none.
func (v *Visitor) noArchiveReason(d *robotstag.Directives) string {
	if !v.set.Noindex {
		return ""
	}
	if rule := cmp.Or(d.NoIndex(time.Now()), d.NoArchive()); rule != nil {
		return rule.String()
	}
	return ""
}

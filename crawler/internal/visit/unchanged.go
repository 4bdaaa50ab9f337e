package visit

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// previousPage returns the line of a page in the previous crawl, which a 304 would leave valid. Nil: the
// page has to be read.
func (v *Visitor) previousPage(it *item) (*output.Page, error) {
	if conditional(it.lease.Validators, v.set.Types) == nil {
		return nil, nil
	}
	p, err := v.Results.PreviousPage(it.url)
	switch {
	case err != nil || p == nil:
		return nil, err
	case p.Withheld != "":
		// Its line has no content and no hash. The next response may lift a directive in a header, and
		// another worker may have fetched the page since.
		if !v.Member.FetchesAll() || !slices.ContainsFunc(p.Directives, inMeta) {
			return nil, nil
		}
	case p.Hash != hashOfBody(it.lease.Validators):
		return nil, nil // the validators are those of another response
	}
	return p, nil
}

// inMeta reports whether a noindex directive is a meta element, and so a part of the body.
func inMeta(d output.Directive) bool {
	meta := robotstag.New()
	meta.Meta("robots", d.Rule)
	source, _ := robotstag.ParseSource(d.Source)
	return source.Field == "meta" && meta.NoIndex(time.Now()) != nil
}

// readUnchanged reads a 304: the page keeps the content, the links and the permission of the fetch before it.
func (v *Visitor) readUnchanged(it *item, adm *admitted, out *outcome, previous *output.Page, header http.Header) error {
	page := out.page
	if err := v.addPermission(it, adm, out, header, nil); err != nil || page.refused != "" {
		return err
	}
	v.keepContent(page.Page, previous, header)
	if page.Withheld != "" {
		return nil
	}
	links, err := v.Results.PreviousLinks(page.URL)
	if links == nil || err != nil {
		return err
	}
	return results.Links.Add(&out.lines, links)
}

// keepContent completes the line of a page with status 304 with the content of the fetch before it. A
// directive or a header of the 304 replaces that of the same name (RFC 9111, section 3.2).
func (v *Visitor) keepContent(page, before *output.Page, header http.Header) {
	page.ContentType, page.Bytes, page.Links, page.LinksSkipped = before.ContentType, before.Bytes, before.Links, before.LinksSkipped
	page.LimitsReached = before.LimitsReached
	all := v.directives(header, nil)
	v.describe(page, all, nil)
	for _, d := range before.Directives {
		if source, _ := robotstag.ParseSource(d.Source); source.Field != "meta" && header.Get(source.Field) != "" {
			continue
		}
		page.Directives = append(page.Directives, d)
		all.Meta("robots", d.Rule)
	}
	if rule := v.noindex(all); rule != nil { // a date may have passed
		page.Withheld = rule.String()
	}
	if page.Withheld != "" {
		page.Headers, page.Canonical = nil, ""
		return
	}
	if page.Canonical == "" {
		page.Canonical = before.Canonical
	}
	page.Headers = maps.Clone(before.Headers)
	if kept := v.keptHeaders(header); page.Headers == nil {
		page.Headers = kept
	} else {
		maps.Copy(page.Headers, kept)
	}
	page.Title, page.H1, page.H1Count, page.Description, page.Lang = before.Title, before.H1, before.H1Count, before.Description, before.Lang
	page.Words, page.Hreflang, page.Fields = before.Words, before.Hreflang, before.Fields
	page.Hash, page.Encoding, page.Malformed = before.Hash, before.Encoding, before.Malformed
	page.ImagesWithoutAlt, page.NeedsJavaScript = before.ImagesWithoutAlt, before.NeedsJavaScript
}

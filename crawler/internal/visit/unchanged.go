package visit

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// previousPage returns the line of a page in the previous crawl, which a 304 would leave valid, or nil
// if the page has to be read.
func (v *Visitor) previousPage(it *item) (*output.Page, error) {
	if conditional(it.lease.Validators, v.set.Requests.Types) == nil {
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
		return nil, nil // the validators are from another response
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
// directive or a header of the 304 replaces the one with the same name (RFC 9111, section 3.2).
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

// hashContent sets the hash of a page that was fetched, and whether its body is that of the lease's
// validators. It returns the validators of the response for later conditional requests (RFC 9110 section
// 8.8). Nil means that the known ones remain, as after a 304 or an error.
//
// If the site sends no Last-Modified, the lastmod of its sitemap is used, unless it is
// later than the fetch.
func hashContent(it *item, got *fetch.Response, page *output.Page) *frontier.Validators {
	if got.Status/100 != 2 {
		return nil
	}
	sum := got.Sum()
	if got.Size > 0 && page.Withheld == "" {
		page.Hash = hashText(sum)
	}
	if got.Truncated != "" {
		sum = truncatedHash
	}
	now := &frontier.Validators{
		ETag: got.Header.Get("ETag"), LastModified: got.Header.Get("Last-Modified"), BodyHash: binary.BigEndian.AppendUint64(nil, sum),
	}
	if media := mimetype.Of(got.Header, got.Body).Essence; len(media) <= maxMediaType {
		now.BodyHash = append(now.BodyHash, media...)
	}
	page.Unchanged = sum != truncatedHash && hashOfBody(it.lease.Validators) == hashText(sum)
	if lastMod := it.prov.LastMod; now.LastModified == "" && !lastMod.IsZero() && !lastMod.After(got.Began) {
		now.LastModified = lastMod.UTC().Format(http.TimeFormat)
	}
	return now
}

// truncatedHash stands for the hash of a body that was not read to the end, which equals no other.
const truncatedHash = 0

// hashOfBody returns the hash of the body with these validators, as in pages.jsonl, or "" if unknown.
func hashOfBody(v *frontier.Validators) string {
	if v == nil || len(v.BodyHash) < hashSize {
		return ""
	}
	return hashText(binary.BigEndian.Uint64(v.BodyHash))
}

// hashSize is the size of the hash in BodyHash of validators. The media type of the body follows,
// unless an earlier version stored them.
const hashSize = 8

// maxMediaType is the maximum length of a media type by RFC 6838.
const maxMediaType = 255

func hashText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// conditional returns the header fields of a conditional request, or nil if it is not conditional.
// A page of a type that is not read must respond with its type, not with 304.
func conditional(v *frontier.Validators, types fetch.Types) http.Header {
	if v == nil || v.ETag == "" && v.LastModified == "" {
		return nil
	}
	if !types.Accept(string(v.BodyHash[min(hashSize, len(v.BodyHash)):])) {
		return nil
	}
	h := make(http.Header, 2)
	if v.ETag != "" {
		h.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		h.Set("If-Modified-Since", v.LastModified)
	}
	return h
}

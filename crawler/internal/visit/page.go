package visit

import (
	"fmt"
	"net/http"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// page visits a page.
func (v *Visitor) page(it *item, adm *admitted) (outcome, error) {
	out, err := v.admitPage(it, adm)
	if err != nil || out.verdict != proceed {
		return out, err
	}
	request := fetch.Request{URL: it.url, Rest: v.set.Rest}
	previous, err := v.previousPage(it)
	if err != nil {
		return out, err
	}
	if previous != nil {
		request.Header = conditional(it.lease.Validators, v.set.Requests.Types)
	}
	resp, failure := v.Fetcher.Fetch(request)
	if failure != nil {
		out, err = v.failed(it, resp.Took, failure)
	} else {
		out, err = v.read(it, adm, resp, previous)
		out.host = hostOutcome{delay: v.Delays.After(resp.Took), status: resp.Status}
	}
	out.response, out.granted = resp, true
	return out, err
}

// A reading is what was read from the response to a page. It has not been applied yet.
type reading struct {
	*output.Page
	text            []byte // of an HTML page, in UTF-8; nil for another type
	noArchive       string // the directive that forbids archiving its content; empty if none
	refused         string // why the crawl must not use it; empty if it may
	permissionsRead bool
	validators      *frontier.Validators // for later conditional requests; nil means those of the lease
}

// newReading describes a response for pages.jsonl.
func newReading(it *item, got *fetch.Response) *reading {
	page := &output.Page{
		URL: it.url, Status: got.Status,
		Depth: it.prov.Depth, FoundOn: it.prov.FoundOn, Source: it.prov.Source.String(),
		ContentType: escape.Clip(secret.RedactText(got.Header.Get("Content-Type")), escape.MaxBytes), Bytes: got.Size,
		FetchedAt: got.Began.UTC(), DurationMS: got.Took.Milliseconds(), Attempt: it.lease.Attempt,
		Truncated: got.Truncated, Redirects: it.prov.Redirects(),
	}
	if got.Truncated != "" {
		page.LimitsReached = []string{got.Truncated}
	}
	return &reading{Page: page}
}

// read decides about a page by its response. Previous is its line in the previous crawl, if the request has
// conditions.
func (v *Visitor) read(it *item, adm *admitted, resp *fetch.Response, previous *output.Page) (outcome, error) {
	if out := v.retryStatus(it, resp.Status); out.verdict == retry {
		return out, nil
	}
	if out := skipUnpaid(resp); out.verdict == skip {
		return out, nil
	}
	v.noticeLogin(it, resp.Status)
	if resp.OtherType != "" {
		return skipWith(output.ContentType, resp.OtherType), nil
	}
	out, err := v.readResponse(it, adm, resp, previous)
	switch {
	case err != nil:
		return out, err
	case out.page.refused != "":
		refused := skipWith(output.Usage, out.page.refused)
		refused.page, refused.lines = out.page, out.lines
		return refused, nil
	}
	out.page.validators = hashContent(it, resp, out.page.Page)
	v.logPage(out.page.Page, resp.Took)
	return out, nil
}

// noticeLogin reports that the server of a page requires a login.
func (v *Visitor) noticeLogin(it *item, status int) {
	if status != http.StatusUnauthorized {
		return
	}
	line := "%s requires a login (status 401): give it with --basic-auth or another flag for credentials"
	if v.Credentials.Has(it.origin) {
		line = "%s refuses the login (status 401): correct --basic-auth, or the other credentials"
	}
	v.causes.Show(string(it.lease.Host), "login", fmt.Sprintf(line, it.origin))
}

// readResponse reads a response: its directives, and its content or the target of its redirect.
func (v *Visitor) readResponse(it *item, adm *admitted, got *fetch.Response, previous *output.Page) (out outcome, err error) {
	directives := v.directives(got.Header, nil)
	page := newReading(it, got)
	page.noArchive = v.noArchiveReason(directives)
	out.verdict, out.page = done, page
	if got.Status != http.StatusNotModified && v.noindex(directives) == nil {
		page.Headers = v.keptHeaders(got.Header)
	}
	if location := redirection.Location(got.Status, got.Header); location != "" {
		page.Location = discover.LocationText(it.url, location)
		out.found = v.Discovery.Redirect(it.document(adm), location)
		return out, nil
	}
	switch page.Unchanged = previous != nil && got.Status == http.StatusNotModified; {
	case page.Unchanged:
		err = v.readUnchanged(it, adm, &out, previous, got.Header)
	case got.Status/100 == 2:
		err = v.readContent(it, adm, &out, got)
	}
	return out, err
}

// readContent reads the content of a response into an outcome: what it permits, its directives, its facts, and
// its links.
func (v *Visitor) readContent(it *item, adm *admitted, out *outcome, got *fetch.Response) error {
	page := out.page
	var doc *extract.Document
	var links *pageLinks
	if extract.IsPage(got.Header, got.Body) {
		doc, links = v.extractPage(it.document(adm), extract.Page{URL: it.url, Header: got.Header, Body: got.Body})
		page.text = doc.Text
		defer links.release()
	}
	if err := v.addPermission(it, adm, out, got.Header, doc); err != nil || page.refused != "" {
		return err
	}
	directives := v.directives(got.Header, doc)
	v.describe(page.Page, directives, doc)
	page.noArchive = v.noArchiveReason(directives)
	if doc == nil {
		return nil
	}
	if page.Withheld == "" {
		v.addFields(page.Page, doc)
	}
	return v.addLinks(out, links, directives.NoFollow(), doc.UpgradeInsecure)
}

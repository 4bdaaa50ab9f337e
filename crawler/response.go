package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/errtext"
	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/shown"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

const (
	// maxHops bounds a chain of page redirects.
	maxHops = 10

	// retryBase is the time before the first retry of a page. It doubles, up
	// to maxBackoff times.
	retryBase  = time.Second
	maxBackoff = 6
)

// received decides about a page by the response to its request, or by what kept the response
// away.
func (w *worker) received(v *visit, resp *fetch.Response, failure error) (decision, error) {
	c := w.c
	if failure != nil {
		return w.failed(v, resp.Took, failure)
	}
	v.hostDelay = c.network.delays.After(resp.Took)
	if err := c.network.delays.Observe(c.life.commitCtx, v.lease.Host, v.origin, v.group, resp.Status); err != nil {
		return decision{}, err
	}
	if d := w.retry(v, resp.Status, nil); d.verdict == retry {
		return d, nil
	}
	page := newPage(v, resp)
	links, err := w.read(v, resp, page)
	if err != nil {
		return decision{}, err
	}
	d := decision{verdict: done, links: links, validators: validators(v, resp, page)}
	v.page = page
	w.logPage(page, resp.Took)
	return d, nil
}

// failed decides about a URL whose request brought no response, or only a part of it, and took
// so long.
func (w *worker) failed(v *visit, took time.Duration, err error) (decision, error) {
	c := w.c
	if _, ok := errors.AsType[*robotsext.BlockedError](err); ok || errors.Is(err, guard.ErrRefused) {
		return w.refused(v, err) // the record has expired since it was asked, or the name has another address
	}
	if c.life.working.Err() != nil || c.life.failed() { // aborted, or nothing can be requested any more
		return waitUntil(time.Time{}), nil
	}
	v.hostDelay = c.network.delays.After(took)
	if d := w.retry(v, 0, err); d.verdict == retry {
		return d, nil
	}
	return skipFor(output.Failed, fetch.Cause(err)), nil
}

// retry requests a URL again that failed, by a temporary status or an error, while an attempt
// is left (ROB-POL-08). Otherwise the response counts as it is.
func (w *worker) retry(v *visit, status int, err error) decision {
	if err == nil && !isTemporary(status) || v.lease.Attempt > w.c.cfg.Fetch.Retries {
		return decision{}
	}
	backoff := retryBase << min(v.lease.Attempt-1, maxBackoff)
	return decision{verdict: retry, until: time.Now().Add(backoff), cause: err, status: status}
}

// isTemporary tells whether a URL with this status is retried.
func isTemporary(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// newPage describes a response for pages.jsonl.
func newPage(v *visit, got *fetch.Response) *output.Page {
	page := &output.Page{
		URL: v.u.String(), Status: got.Status,
		Depth: v.prov.Depth, Via: v.prov.Via, Source: v.prov.Source.String(),
		ContentType: shown.Clip(secret.Users(got.Header.Get("Content-Type")), shown.MaxBytes), Bytes: len(got.Body),
		FetchedAt: got.Began.UTC(), Millis: got.Took.Milliseconds(), Attempt: v.lease.Attempt,
		Truncated: got.Truncated,
	}
	if got.Truncated != "" {
		page.CutBy = []string{got.Truncated}
	}
	return page
}

// read reads a response: its directives, its fields, and what it leads to, the target of a
// redirect or links.
func (w *worker) read(v *visit, got *fetch.Response, page *output.Page) ([]frontier.Item, error) {
	c := w.c
	v.noCopy = w.noCopy(w.directives(got.Header, nil))
	if location := got.Header.Get("Location"); location != "" && got.Status >= 300 && got.Status < 400 {
		page.Location = shown.Clip(secret.Users(secret.Reference(location)), weburl.MaxLength)
		return c.found.redirected(v, location)
	}
	if got.Status < 200 || got.Status >= 300 {
		return nil, nil
	}
	var doc *extract.Document
	var links *pageLinks
	kind, text := got.Header.Get("Content-Type"), []byte(nil)
	if isHTML(kind, got.Body) {
		text = toUTF8(got.Body, kind)
		doc, links = c.found.readLinks(v, text)
	}
	directives := w.directives(got.Header, doc)
	w.describe(page, directives, doc)
	v.noCopy = w.noCopy(directives)
	if doc == nil {
		return nil, nil
	}
	if page.Withheld == "" {
		var err error
		if page.Fields, err = c.reading.fields.Fields(text); err != nil {
			page.CutBy = append(page.CutBy, cutByFields(err))
			c.log.Warn("fields not read", "url", page.URL, "error", err)
			c.notice(fmt.Sprintf("%s: fields are missing: %s", page.URL, errtext.Of(err)))
		}
	}
	items, err := c.found.links(v, links, directives.NoFollow(), page)
	if err != nil {
		return nil, err
	}
	return items, w.countPage(v, text, items)
}

// archive gives the exchange of a page to the sinks, without its content where a directive
// asks for that. Nil: there is none.
func (w *worker) archive(v *visit, e *output.Exchange) {
	if e == nil {
		return
	}
	withheld := v.noCopy
	if v.page == nil && w.c.cfg.Robots.ObeyNoindex {
		withheld = cmp.Or(withheld, "unread") // nobody has seen what it asks for
	}
	if withheld != "" {
		e.Body, e.Withheld = nil, withheld
	}
	w.c.record.Exchange(e)
}

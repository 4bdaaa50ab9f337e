package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

const (
	// retryBase is the time before the first retry of a page. It doubles up to maxBackoff
	// times.
	retryBase  = time.Second
	maxBackoff = 6
)

// decideResponse decides about a page by the response, or by the error of its request.
func (w *worker) decideResponse(v *visit, resp *fetch.Response, failure error) (decision, error) {
	c := w.c
	if failure != nil {
		return w.decideFailure(v, resp.Took, failure)
	}
	v.hostDelay = c.network.delays.After(resp.Took)
	if err := w.observe(v, resp.Status); err != nil {
		return decision{}, err
	}
	if d := w.retry(v, resp.Status, nil); d.verdict == retry {
		return d, nil
	}
	if d := skipUnpaid(resp); d.verdict == skip {
		return d, nil
	}
	w.notifyLogin(v, resp.Status)
	if resp.OtherType != "" {
		return skipWith(output.ContentType, resp.OtherType), nil
	}
	page, found, err := w.readPage(v, resp)
	if err != nil {
		return decision{}, err
	}
	if page.refused != "" {
		d := skipWith(output.Usage, page.refused)
		d.withheld = page.Page
		return d, nil
	}
	page.validators = validators(v, resp, page.Page)
	w.logPage(page.Page, resp.Took)
	return decision{verdict: done, page: page, found: found}, nil
}

// decideFailure decides about a URL whose request failed after a time, without a complete
// response.
func (w *worker) decideFailure(v *visit, took time.Duration, err error) (decision, error) {
	c := w.c
	if _, ok := errors.AsType[*robotsext.BlockedError](err); ok || errors.Is(err, guard.ErrRefused) {
		return w.decideRefusal(v, err), nil // the record has expired meanwhile, or the name resolves to another address
	}
	v.hostDelay = c.network.delays.After(took)
	if c.lifecycle.Working.Err() != nil || c.lifecycle.HasFailed() || errors.Is(err, frontier.ErrLeaseLost) { // the site is not the cause
		return waitUntil(time.Time{}), nil
	}
	outage, failed := w.checkOutage(v, err)
	if failed != nil || outage.verdict == wait {
		return outage, failed
	}
	d := w.retry(v, 0, err)
	if d.verdict == proceed {
		d = skipFor(output.Failed, fetch.Cause(err))
	}
	d.hostUntil = outage.hostUntil
	return d, nil
}

// checkOutage requests the robots.txt of a URL whose connection failed. If that fails too, the site
// is down: its URLs wait for its robots.txt, and the request was no attempt. The second time that a
// URL finds its site down, it is. If the server is overloaded, its host waits in any case.
func (w *worker) checkOutage(v *visit, failure error) (decision, error) {
	c := w.c
	if !fetch.IsUnanswered(failure) || w.isOutsideCheck(v) && !fetch.IsAtProxy(failure) {
		return decision{}, nil
	}
	ctx, slot := politeness.WithUsedSlot(c.lifecycle.Working, v.lease.Host)
	c.network.robots.Expire(v.u)
	rec, err := c.network.robots.Record(ctx, v.u)
	took, _ := slot.Used()
	v.hostDelay = max(v.hostDelay, c.network.delays.After(took))
	if err != nil || c.lifecycle.HasFailed() {
		return waitUntil(time.Time{}), nil
	}
	var d decision
	until, busy := slot.Busy(nil)
	switch {
	case c.lifecycle.Working.Err() != nil || errors.Is(rec.Err, frontier.ErrLeaseLost):
		d = waitUntil(time.Time{}) // this process has ended the request
	case !blocked.IsOutage(rec) || rec.FailingSince.IsZero(): // it responds, or its Retry-After forbids the request
	case !c.outages.add(v.lease.Key().String()): // it may be what takes the site down
	default:
		d = w.waitForRobots(v, rec.Err, rec.RetryAt)
		if !busy { // or no origin of the host responds; other processes have to know
			if busy, err = c.isDown(v.lease.Host); err != nil {
				return decision{}, err
			}
		}
	}
	if busy {
		d.hostUntil = latest(until, rec.RetryAt)
	}
	return d, nil
}

// isDown reports whether the robots.txt of each known origin of a host is unreachable.
func (c *Crawler) isDown(h frontier.Host) (bool, error) {
	host, err := c.frontier.Host(c.lifecycle.CommitCtx, h)
	for _, r := range host.Robots {
		if r.FailingSince.IsZero() {
			return false, err
		}
	}
	return err == nil, err
}

// retry retries a URL after a temporary status or an error, while attempts remain
// (ROB-POL-08). Otherwise the response counts as it is.
func (w *worker) retry(v *visit, status int, err error) decision {
	if err == nil && !isTemporary(status) || v.lease.Attempt > w.c.cfg.Fetch.Retries {
		return decision{}
	}
	backoff := retryBase << min(v.lease.Attempt-1, maxBackoff)
	return decision{verdict: retry, until: time.Now().Add(backoff), cause: err, status: status}
}

// isTemporary reports whether a URL with this status is retried.
func isTemporary(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// newPage describes a response for pages.jsonl.
func newPage(v *visit, got *fetch.Response) *output.Page {
	page := &output.Page{
		URL: v.url, Status: got.Status,
		Depth: v.prov.Depth, FoundOn: v.prov.FoundOn, Source: v.prov.Source.String(),
		ContentType: escape.Clip(secret.RedactText(got.Header.Get("Content-Type")), escape.MaxBytes), Bytes: len(got.Body),
		FetchedAt: got.Began.UTC(), DurationMS: got.Took.Milliseconds(), Attempt: v.lease.Attempt,
		Truncated: got.Truncated, Redirects: v.prov.Redirects(),
	}
	if got.Truncated != "" {
		page.LimitsReached = []string{got.Truncated}
	}
	return page
}

// A reading is what was read from a response. It has not been applied yet.
type reading struct {
	*output.Page
	text       []byte               // of an HTML page, in UTF-8; nil: another type
	noArchive  string               // the directive that forbids archiving its content; empty: none
	refused    string               // why the crawl must not use it; empty: it may
	judged     bool                 // whether its permissions were read
	validators *frontier.Validators // for later conditional requests; nil: those of the lease
}

// record returns the page for pages.jsonl; nil: there is none.
func (r *reading) record() *output.Page {
	if r == nil {
		return nil
	}
	return r.Page
}

// readPage reads a response: its directives, its fields, and its links or the target of its
// redirect.
func (w *worker) readPage(v *visit, got *fetch.Response) (*reading, *discoveries, error) {
	c := w.c
	directives := w.directives(got.Header, nil)
	page := &reading{Page: newPage(v, got), noArchive: w.noArchiveReason(directives)}
	if got.Status != http.StatusNotModified && w.noindex(directives) == nil {
		page.Headers = w.keptHeaders(got.Header)
	}
	if location := redirection.Location(got.Status, got.Header); location != "" {
		page.Location = shownLocation(v.url, location)
		return page, c.discovery.redirect(v, location), nil
	}
	if page.Unchanged = v.previous != nil && got.Status == http.StatusNotModified; page.Unchanged {
		return page, nil, w.readUnchanged(v, page, got.Header)
	}
	if got.Status < 200 || got.Status >= 300 {
		return page, nil, nil
	}
	var doc *extract.Document
	var links *pageLinks
	if extract.IsPage(got.Header, got.Body) {
		doc, links = c.discovery.readLinks(v, extract.Page{URL: v.url, Header: got.Header, Body: got.Body})
		page.text = doc.Text
		defer links.release()
		v.upgrade = doc.UpgradeInsecure
	}
	if err := w.addPermission(v, page, got.Header, doc); err != nil || page.refused != "" {
		return page, nil, err
	}
	directives = w.directives(got.Header, doc)
	w.describe(page.Page, directives, doc)
	page.noArchive = w.noArchiveReason(directives)
	if doc == nil {
		return page, nil, nil
	}
	if page.Withheld == "" {
		var err error
		if page.Fields, err = c.pageRules.fields.Fields(doc); err != nil {
			page.LimitsReached = append(page.LimitsReached, fieldLimit(err))
			c.log.Warn("fields not read", "url", page.URL, "error", err)
			c.notice(fmt.Sprintf("%s: fields are missing: %v", page.URL, err))
		}
	}
	found, err := c.discovery.links(v, links, directives.NoFollow(), page.Page)
	if err == nil {
		found.addTargets(page.Page, links.prov)
	}
	return page, found, err
}

// withhold removes the content from the exchange of a page if a directive asks for that, or if the
// crawl must not use it. Content whose directives or permissions were not read, such as that of an
// error, may be forbidden too.
func (w *worker) withhold(e *output.Exchange, d *decision) {
	purposes := len(w.c.pageRules.purposes) > 0
	switch {
	case d.skipped.Reason == output.Usage:
		e.Withheld = d.skipped.Detail
	case d.page != nil && (d.page.judged || !purposes):
		e.Withheld = d.page.noArchive
	case w.c.cfg.Robots.ObeyNoindex, purposes:
		e.Withheld = "unread"
	}
	if e.Withheld != "" {
		e.Body = nil
	}
}

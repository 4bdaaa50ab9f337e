package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

const (
	// leaseTime is how long a worker may take over one URL before the frontier
	// gives it to another: longer than all its time limits together.
	leaseTime = 15 * time.Minute

	// maxHops bounds a chain of page redirects.
	maxHops = 10

	// requested, as an outcome's HostDelay, says that a request was made. The
	// delay itself stands in the host's record.
	requested = time.Nanosecond

	// retryBase is the time before the first retry of a page. It doubles, up
	// to maxBackoff times.
	retryBase  = time.Second
	maxBackoff = 6
)

// visit is one lease on its way through a worker.
type visit struct {
	lease frontier.Lease
	trail trail
	u     *url.URL // as it will be sent
}

// work takes URLs from the frontier and deals with them, one after the other,
// until leases ends.
func (c *Crawler) work(leases context.Context) error {
	for {
		got, err := c.frontier.Lease(leases, frontier.LeaseRequest{Max: 1, PerHost: 1, For: leaseTime, Wait: -1})
		if err != nil {
			if leases.Err() != nil {
				return nil
			}
			return err
		}
		for _, lease := range got {
			outcome, err := c.visit(lease)
			if err != nil {
				return err
			}
			if err := c.finish(outcome); err != nil {
				return err
			}
		}
	}
}

// finish gives a lease back and lets the watch look whether anything is left.
func (c *Crawler) finish(outcome frontier.Outcome) error {
	errs, err := c.frontier.Finish(c.books, []frontier.Outcome{outcome})
	if err != nil {
		return err
	}
	for _, err := range errs {
		// A lost lease was dealt with by another worker; its links are stored.
		if err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			return err
		}
	}
	c.look()
	return nil
}

// visit takes one URL from lease to outcome. It reads like the drawing in the
// package comment. The error is of our own side (a full disk, a closed
// frontier); what the site does wrong is an outcome.
func (c *Crawler) visit(lease frontier.Lease) (frontier.Outcome, error) {
	t, err := decodeTrail(lease.Meta)
	if err != nil {
		return frontier.Outcome{}, err
	}
	u, err := url.Parse(lease.URL)
	if err != nil {
		return frontier.Outcome{}, fmt.Errorf("crawler: %w", err)
	}
	u.Fragment = "" // what tells a sitemap's key from a page's
	v := &visit{lease: lease, trail: t, u: u}

	ctx, turn := withTurn(c.working, lease.Host)
	err = c.robots.Check(ctx, u)
	switch {
	case turn.spent():
		// The host has had its request: robots.txt. Its rules, delay and
		// sitemaps are known now; the URL itself waits for the next turn.
		return c.afterRobots(v, err)
	case err != nil:
		return c.refused(v, err)
	case t.sitemap():
		return c.readSitemap(ctx, v)
	default:
		return c.fetchPage(v)
	}
}

// afterRobots gives the URL back after a turn that went to robots.txt.
func (c *Crawler) afterRobots(v *visit, err error) (frontier.Outcome, error) {
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Defer}
	if err != nil {
		if outcome, err = c.refused(v, err); err != nil {
			return outcome, err
		}
	}
	outcome.HostDelay = requested
	return outcome, nil
}

// refused deals with a URL that may not be asked for: now, or at all.
func (c *Crawler) refused(v *visit, err error) (frontier.Outcome, error) {
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop}
	blocked, ok := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case ok && blocked.Reason == robotsext.Later:
		r := v.rejection(output.Later, blocked.Err)
		r.RobotsURL = blocked.RobotsURL
		outcome.Result, outcome.NotBefore = frontier.Defer, blocked.RetryAt
		return outcome, c.aside.put(r, frontier.Item{})
	case ok:
		r := v.rejection(output.Disallowed, nil)
		r.RobotsURL, r.Group = blocked.RobotsURL, blocked.Group
		if rule := blocked.Rule; rule != nil {
			r.Rule, r.Line = rule.String(), rule.Line
		}
		return outcome, c.reject(r)
	case errors.Is(err, context.Canceled):
		outcome.Result = frontier.Defer
		return outcome, nil
	default:
		return outcome, c.reject(v.rejection(output.Invalid, err))
	}
}

// fetchPage asks for a page and deals with its answer.
func (c *Crawler) fetchPage(v *visit) (frontier.Outcome, error) {
	if !c.pages.take() {
		c.stop(EndMaxPages)
		return frontier.Outcome{Lease: v.lease.ID, Result: frontier.Defer}, nil
	}
	got, err := c.fetch.fetch(v.u.String())
	outcome, isPage, err := c.answered(v, got, err)
	if c.pages.done(isPage) {
		c.stop(EndMaxPages)
	}
	return outcome, err
}

// answered turns what came back into an outcome, and writes the page's line
// before the frontier hears of it: a crash in between fetches a page twice and
// loses none.
func (c *Crawler) answered(v *visit, got *reply, err error) (_ frontier.Outcome, isPage bool, _ error) {
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Done, HostDelay: requested}
	if _, ok := errors.AsType[*robotsext.BlockedError](err); ok {
		outcome, err := c.refused(v, err) // the record expired since it was asked
		return outcome, false, err
	}
	if err != nil {
		if c.working.Err() != nil { // aborted: the URL is as it was
			outcome.Result = frontier.Defer
			return outcome, false, nil
		}
		if c.retry(v, &outcome) {
			return outcome, false, nil
		}
		outcome.Result = frontier.Drop
		return outcome, false, c.reject(v.rejection(output.Failed, err))
	}
	if temporary(got.status) {
		if err := c.heed(v.lease.Host, got.header); err != nil {
			return outcome, false, err
		}
		if c.retry(v, &outcome) {
			return outcome, false, nil
		}
	}
	page := c.page(v, got)
	outcome.Links, err = c.found(v, got, page)
	if err != nil {
		return outcome, false, err
	}
	c.aside.drop(page.URL)
	c.tally.count(func(s *Summary) { s.Pages++; s.Statuses[page.Status]++ })
	return outcome, true, c.dir.Page(page)
}

// temporary tells whether a status says to ask again later.
func temporary(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500
}

// heed keeps every request from a host that said when to come back
// (ROB-POL-04).
func (c *Crawler) heed(host frontier.Host, header http.Header) error {
	now := time.Now()
	wait := robotsext.RetryAfter(header, now)
	if wait <= 0 {
		return nil
	}
	return c.frontier.UpdateHost(c.books, host, frontier.HostUpdate{BlockUntil: now.Add(wait)})
}

// retry asks for another attempt where one is left (ROB-POL-08).
func (c *Crawler) retry(v *visit, outcome *frontier.Outcome) bool {
	if v.lease.Attempt > c.cfg.Retries {
		return false
	}
	outcome.Result = frontier.Retry
	outcome.NotBefore = time.Now().Add(retryBase << min(v.lease.Attempt-1, maxBackoff))
	return true
}

// page describes an answer for pages.jsonl.
func (c *Crawler) page(v *visit, got *reply) *output.Page {
	return &output.Page{
		URL: v.u.String(), Status: got.status,
		Depth: v.trail.depth, Via: v.trail.via, Source: v.trail.source.String(),
		ContentType: got.header.Get("Content-Type"), Bytes: len(got.body),
		FetchedAt: got.began.UTC(), Millis: got.took.Milliseconds(), Attempt: v.lease.Attempt,
	}
}

// found reads what a page leads to: the target of a redirect, or its links.
func (c *Crawler) found(v *visit, got *reply, page *output.Page) ([]frontier.Item, error) {
	if location := got.header.Get("Location"); location != "" && got.status >= 300 && got.status < 400 {
		page.Location = location
		return c.redirected(v, location)
	}
	if got.status < 200 || got.status >= 300 {
		return nil, nil
	}
	var doc *extract.Document
	if kind := got.header.Get("Content-Type"); isHTML(kind, got.body) {
		doc = extract.Parse(toUTF8(got.body, kind))
	}
	asked := c.directives(got.header, doc)
	c.describe(page, asked, doc)
	if doc == nil {
		return nil, nil
	}
	page.Links = len(doc.Links)
	return c.links(v, doc, asked.NoFollow())
}

// rejection describes v for rejected.jsonl.
func (v *visit) rejection(reason output.Reason, detail error) output.Rejection {
	r := output.Rejection{
		URL: v.u.String(), Reason: reason,
		Depth: v.trail.depth, Via: v.trail.via, Source: v.trail.source.String(),
	}
	if detail != nil {
		r.Detail = detail.Error()
	}
	return r
}

// reject writes a URL that will not be fetched any more.
func (c *Crawler) reject(r output.Rejection) error {
	c.aside.drop(r.URL)
	return c.writeRejection(&r)
}

func (c *Crawler) writeRejection(r *output.Rejection) error {
	c.tally.count(func(s *Summary) { s.Rejected[r.Reason]++ })
	return c.dir.Reject(r)
}

package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/errtext"
	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/shown"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
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

// visit is one lease on its way through a worker.
type visit struct {
	lease  frontier.Lease
	prov   provenance.Provenance
	u      *url.URL         // as it will be sent
	origin robotsext.Origin // of u, whose robots.txt binds
	file   *robotstxt.File  // that robots.txt; nil: there is none
	group  *robotstxt.Group // its rules for this crawler; nil: none

	// What is to be written down of it, together with its outcome.
	page   *output.Page
	lines  output.Batch
	noCopy string // the directive for which its content is not archived; empty: none
}

// work takes URLs from the frontier and deals with them, one after the other,
// until leases ends.
func (c *Crawler) work(leases context.Context) error {
	for {
		waiting, err := c.pauses.ready(leases)
		if err != nil {
			return nil
		}
		got, err := c.frontier.Lease(waiting, frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, For: c.leaseTime})
		if err != nil {
			if waiting.Err() != nil {
				continue
			}
			return err
		}
		for _, lease := range got {
			v := &visit{lease: lease}
			c.member.Hold(&lease)
			outcome := v.deferred() // as it stays when it was on its way when a pause or the end came
			if waiting.Err() == nil {
				if outcome, err = c.visit(v); err != nil {
					return err
				}
			}
			if c.member.Release(lease.ID) {
				// Another process has it: this one says nothing of it.
				outcome = frontier.Outcome{Lease: lease.ID, Result: frontier.Defer, HostDelay: politeness.Requested}
				v.page, v.lines = nil, output.Batch{}
			}
			if err := c.record.Commit(outcome, v.page, v.lines); err != nil {
				return err
			}
			c.stir()
		}
	}
}

// visit takes one URL from lease to outcome. It reads like the drawing in the
// package comment. The error is of our own side (a full disk, a closed
// frontier); what the site does wrong is an outcome.
func (c *Crawler) visit(v *visit) (frontier.Outcome, error) {
	var err error
	if v.prov, err = provenance.Decode(v.lease.Meta); err != nil {
		return frontier.Outcome{}, err
	}
	if v.u, err = url.Parse(v.lease.URL); err != nil {
		v.u = &url.URL{Opaque: v.lease.URL} // somebody has edited the files
		return frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop}, c.reject(v, v.rejection(output.Invalid, err))
	}
	v.u.Fragment = "" // what tells a sitemap's key from a page's
	if v.origin, err = robotsext.OriginOf(v.u); err != nil {
		return frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop}, c.reject(v, v.rejection(output.Invalid, err))
	}

	release, ok := c.addresses.Acquire(c.working, v.lease.Host)
	if !ok {
		return v.deferred(), c.frontier.UpdateHost(c.books, v.lease.Host, frontier.HostUpdate{BlockUntil: time.Now().Add(politeness.AddressPause)})
	}
	defer release()
	noted := c.record.Deferred.Get(v.origin)
	ctx, slot := politeness.WithSlot(c.working, v.lease.Host)
	err = c.robots.Check(ctx, v.u)
	took, spent := slot.Used()
	if !waits(err) && ctx.Err() == nil {
		if err := c.record.Deferred.Resume(v.origin, noted); err != nil {
			return frontier.Outcome{}, err
		}
	}
	switch {
	case spent:
		// The host has had its request: robots.txt. Its rules, delay and
		// sitemaps are known now; the URL itself waits for the next turn.
		return c.afterRobots(v, slot, took, err)
	case err != nil:
		return c.refused(v, err)
	}
	if wait, err := c.outOfTurn(ctx, v); wait || err != nil {
		return v.deferred(), err
	}
	if outcome, isAlias, err := c.alias(v); isAlias || err != nil {
		return outcome, err
	}
	if v.prov.IsSitemap() {
		return c.readSitemap(v)
	}
	return c.fetchPage(v)
}

// outOfTurn tells whether the turn of a lease has passed, or not come yet: it was
// handed out before another lease of the host fetched robots.txt, whose delay
// holds from then on, or the host is not to be visited at this hour.
func (c *Crawler) outOfTurn(ctx context.Context, v *visit) (bool, error) {
	rec, err := c.robots.Record(ctx, v.u)
	if err != nil {
		return true, nil // the next turn will show the same
	}
	// A time ahead of ours is by the clock of another machine, and says nothing.
	if leased := v.lease.Expires.Add(-c.leaseTime); rec.FetchedAt.After(leased) && !rec.FetchedAt.After(time.Now()) {
		return true, nil
	}
	if rec.File != nil {
		v.file, v.group = rec.File, c.robots.Group(rec)
	}
	if wait, err := c.delays.Renew(c.books, v.lease.Host, v.origin, v.group); wait || err != nil {
		return true, err
	}
	until, closed := politeness.ClosedUntil(v.group, time.Now())
	if !closed {
		return false, nil
	}
	return true, c.frontier.UpdateHost(c.books, v.lease.Host, frontier.HostUpdate{BlockUntil: until})
}

// deferred gives the URL back as it was.
func (v *visit) deferred() frontier.Outcome {
	return frontier.Outcome{Lease: v.lease.ID, Result: frontier.Defer}
}

// afterRobots gives the URL back after a turn that went to robots.txt, and how long
// that took.
func (c *Crawler) afterRobots(v *visit, slot *politeness.Slot, took time.Duration, why error) (outcome frontier.Outcome, err error) {
	outcome = v.deferred()
	if why != nil {
		if outcome, err = c.refused(v, why); err != nil {
			return outcome, err
		}
	}
	outcome.HostDelay = c.delays.After(took)
	return outcome, c.waitForServer(slot, why)
}

// refused deals with a URL that may not be asked for: now, or at all.
func (c *Crawler) refused(v *visit, err error) (frontier.Outcome, error) {
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop}
	blocked, ok := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case errors.Is(err, guard.ErrRefused):
		return outcome, c.bar(v, err)
	case c.failed():
		return v.deferred(), nil // what it was refused for may be our fault
	case ok && blocked.Reason == robotsext.Later:
		// The URLs of other origins of the host go on. The first of this one that comes
		// after that has its robots.txt asked for again.
		r := v.rejection(output.Later, blocked.Err)
		r.RobotsURL = blocked.RobotsURL
		seen, err := c.reached(v.origin)
		if err == nil {
			err = c.record.Deferred.Add(v.origin, r, seen)
		}
		outcome.Result, outcome.NotBefore = frontier.Defer, blocked.RetryAt
		return outcome, err
	case ok:
		r := v.rejection(output.Disallowed, nil)
		r.RobotsURL, r.Group = blocked.RobotsURL, blocked.Group
		if rule := blocked.Rule; rule != nil {
			r.Rule, r.Line = shown.Clip(secret.Users(rule.String()), maxDetail), rule.Line
		}
		return outcome, c.reject(v, r)
	case c.working.Err() != nil:
		return v.deferred(), nil
	default:
		return outcome, c.reject(v, v.rejection(output.Invalid, err))
	}
}

// crowdedPause is how long a lease waits when the last pages of a limit are in
// flight, since one of them may turn out to be none.
const crowdedPause = 50 * time.Millisecond

// fetchPage asks for a page and deals with its answer.
func (c *Crawler) fetchPage(v *visit) (frontier.Outcome, error) {
	if outcome, trapped, err := c.trapped(v); trapped || err != nil {
		return outcome, err
	}
	share, err := c.limits.Take(c.books, c.frontier, v.lease.Host)
	if err != nil {
		return frontier.Outcome{}, err
	}
	switch share {
	case quota.Granted:
	case quota.HostSpent:
		return frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop}, c.reject(v, v.rejection(output.HostFull, nil))
	default:
		c.heedLimits()
		outcome := v.deferred()
		outcome.NotBefore = time.Now().Add(crowdedPause)
		return outcome, nil
	}
	var outcome frontier.Outcome
	got, err := c.fetch.Fetch(fetch.Request{URL: v.u.String(), Header: conditional(v.lease.Validators)})
	if err != nil {
		outcome, err = c.unanswered(v, got.Took, err)
	} else {
		outcome, err = c.answered(v, got)
	}
	c.archive(v, got.Exchange)
	bytes := 0
	if v.page != nil {
		bytes = v.page.Bytes
	}
	err = errors.Join(err, c.limits.Done(c.books, v.lease.Host, v.page != nil, bytes))
	c.heedLimits()
	return outcome, err
}

// archive gives the exchange of a page to the sinks, without its content where a directive
// asks for that. Nil: there is none.
func (c *Crawler) archive(v *visit, e *output.Exchange) {
	if e == nil {
		return
	}
	withheld := v.noCopy
	if v.page == nil && c.cfg.ObeyNoindex {
		withheld = cmp.Or(withheld, "unread") // nobody has seen what it asks for
	}
	if withheld != "" {
		e.Body, e.Withheld = nil, withheld
	}
	c.record.Exchange(e)
}

// unanswered deals with a request that brought no answer, or only a part of it, and
// took so long.
func (c *Crawler) unanswered(v *visit, took time.Duration, err error) (frontier.Outcome, error) {
	if _, ok := errors.AsType[*robotsext.BlockedError](err); ok || errors.Is(err, guard.ErrRefused) {
		return c.refused(v, err) // the record expired since it was asked, or the name has another address
	}
	if c.working.Err() != nil || c.failed() { // aborted, or nobody can be asked any more
		return v.deferred(), nil
	}
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop, HostDelay: c.delays.After(took)}
	if c.retry(v, &outcome) {
		c.logRetry(v, &outcome, 0, err)
		return outcome, nil
	}
	return outcome, c.reject(v, v.rejection(output.Failed, fetch.Cause(err)))
}

// answered turns an answer into an outcome and the page's line.
func (c *Crawler) answered(v *visit, got *fetch.Response) (frontier.Outcome, error) {
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Done, HostDelay: c.delays.After(got.Took)}
	if err := c.delays.Observe(c.books, v.lease.Host, v.origin, v.group, got.Status); err != nil {
		return outcome, err
	}
	if temporary(got.Status) && c.retry(v, &outcome) {
		c.logRetry(v, &outcome, got.Status, nil)
		return outcome, nil
	}
	page := c.page(v, got)
	links, err := c.found(v, got, page)
	if err != nil {
		return outcome, err
	}
	outcome.Links, outcome.Validators = links, c.validators(v, got, page)
	v.page = page
	c.logPage(page, got.Took)
	return outcome, nil
}

// temporary tells whether a URL with this status is retried.
func temporary(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
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
func (c *Crawler) page(v *visit, got *fetch.Response) *output.Page {
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

// found reads what a page leads to: the target of a redirect, or its links.
func (c *Crawler) found(v *visit, got *fetch.Response, page *output.Page) ([]frontier.Item, error) {
	v.noCopy = c.noCopy(c.directives(got.Header, nil))
	if location := got.Header.Get("Location"); location != "" && got.Status >= 300 && got.Status < 400 {
		page.Location = shown.Clip(secret.Users(secret.Reference(location)), weburl.MaxLength)
		return c.redirected(v, location)
	}
	if got.Status < 200 || got.Status >= 300 {
		return nil, nil
	}
	var doc *extract.Document
	var links *pageLinks
	kind, text := got.Header.Get("Content-Type"), []byte(nil)
	if isHTML(kind, got.Body) {
		text = toUTF8(got.Body, kind)
		doc, links = c.readLinks(v, text)
	}
	asked := c.directives(got.Header, doc)
	c.describe(page, asked, doc)
	v.noCopy = c.noCopy(asked)
	if doc == nil {
		return nil, nil
	}
	if page.Withheld == "" {
		var err error
		if page.Fields, err = c.fields.Fields(text); err != nil {
			page.CutBy = append(page.CutBy, cutByFields(err))
			c.log.Warn("fields not read", "url", page.URL, "error", err)
			c.notice(fmt.Sprintf("%s: fields are missing: %s", page.URL, errtext.Of(err)))
		}
	}
	items, err := c.links(v, links, asked.NoFollow(), page)
	if err != nil {
		return nil, err
	}
	return items, c.countPage(v, text, items)
}

// rejection describes v for rejected.jsonl.
func (v *visit) rejection(reason output.Reason, detail error) output.Rejection {
	r := output.Rejection{
		URL: v.u.String(), Reason: reason,
		Depth: v.prov.Depth, Via: v.prov.Via, Source: v.prov.Source.String(),
	}
	if detail != nil {
		r.Detail = shown.Clip(errtext.Of(detail), maxDetail)
	}
	return r
}

// reject writes a URL that will not be fetched any more.
func (c *Crawler) reject(v *visit, r output.Rejection) error {
	c.tally.reject(r.Reason, 1)
	c.logRejection(&r, v.lease.Attempt)
	if v.prov.IsSitemap() { // a recrawl will ask for it as one
		line := v.sitemapLine(0, time.Now())
		line.Detail = cmp.Or(r.Detail, string(r.Reason))
		if err := v.lines.Sitemap(line); err != nil {
			return err
		}
	}
	return v.lines.Reject(&r)
}

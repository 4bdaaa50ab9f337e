package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// parseLease decodes a lease. It skips a lease that cannot be decoded: somebody may have
// edited the files of the frontier. It also skips a URL that the settings of a resumed crawl
// exclude, although it was queued before.
func (w *worker) parseLease(v *visit) decision {
	var metaErr error
	v.prov, metaErr = provenance.Decode(v.lease.Meta)
	u, err := url.Parse(v.lease.URL)
	if err != nil {
		v.u, v.url = &url.URL{Opaque: v.lease.URL}, v.lease.URL
		return skipFor(output.InvalidURL, err)
	}
	v.u = u
	v.u.Fragment = "" // that an earlier version gave to a sitemap
	v.url = v.u.String()
	v.origin, err = robotsext.OriginOf(v.u)
	if err := cmp.Or(metaErr, err); err != nil {
		return skipFor(output.InvalidURL, err)
	}
	if d := w.c.discovery; d.isOutsideLocal(v.lease.Host, v.u.Path) {
		return skipWith(output.OutOfScope, "only "+d.localDir+" is served here")
	}
	excluded := w.c.discovery.scope.Excluded
	if v.prov.IsCheck() {
		excluded = w.c.discovery.scope.ExcludedCheck
	}
	if why := excluded(v.url); why != "" && !v.prov.IsSitemap() && v.lease.Kind != provenance.KindRobots {
		return skipWith(output.Excluded, why)
	}
	return decision{}
}

// checkRobots decides by robots.txt, which may have to be requested first. That uses the
// request slot of the lease, so the URL itself waits for the next slot.
func (w *worker) checkRobots(v *visit) decision {
	c := w.c
	ctx, slot := politeness.WithSlot(c.lifecycle.Working, v.lease.Host)
	verdict, refusal := c.network.robots.Decide(ctx, v.u)
	if rec := verdict.Record; w.isOutsideOutage(v, rec) && rec.Status == 0 && rec.Failures < v.lease.Attempt {
		if _, err := c.network.robots.Refresh(ctx, v.u); err == nil {
			verdict, refusal = c.network.robots.Decide(ctx, v.u)
		}
	}
	if refusal == nil {
		refusal = verdict.Err(v.u)
	}
	if refusal == nil && verdict.Record == nil { // the URL of a robots.txt: its rules do not bind, its delay does
		rec, err := c.network.robots.Record(ctx, v.u)
		if err != nil {
			return waitUntil(time.Time{})
		}
		verdict.Record, verdict.Group = rec, c.network.robots.Group(rec)
	}
	rec := verdict.Record
	if rec != nil && c.discovery.scope.HoldsServer(v.lease.Host) { // another process may have requested it
		if err := c.discovery.queueListed(rec); err != nil {
			c.lifecycle.Fail(err)
			return waitUntil(time.Time{})
		}
	}
	var d decision
	switch {
	case !w.pages.Wants() && !v.prov.IsSitemap() && (refusal == nil && v.lease.Kind != provenance.KindStart || verdict.Verdict == robotsext.Disallowed):
		d.verdict = done
	case refusal != nil && w.isOutsideOutage(v, rec):
		if rec.Status != 0 {
			d = skipFor(output.RobotsUnreachable, rec.Err)
		} else if d = w.retry(v, 0, rec.Err); d.verdict == proceed {
			d = skipFor(output.Failed, rec.Err)
		}
	case refusal != nil:
		d = w.decideRefusal(v, refusal)
	case rec != nil && rec.File != nil:
		v.file, v.group, v.robots = rec.File, verdict.Group, rec
	}
	d.reached = !blocked.IsOutage(rec) && ctx.Err() == nil
	took, used := slot.Used()
	if used {
		v.hostDelay = c.network.delays.After(took)
		if until, busy := slot.Busy(refusal); busy && !c.lifecycle.HasFailed() { // after a failure nothing is recorded
			d.hostUntil = until
		}
	}
	if d.verdict == proceed && (used || rec != nil && w.isStale(v, rec.FetchedAt)) {
		d.verdict = wait
	}
	return d
}

// isOutsideOutage reports whether a URL is only checked, or is a sitemap, and the robots.txt of its
// server, outside the crawl, is unreachable. Nothing waits for such a server. Without any response,
// its robots.txt is requested again like a page, before the URL is broken; after a status such as 503
// the URL is unverified.
func (w *worker) isOutsideOutage(v *visit, rec *robotsext.Record) bool {
	c := w.c
	if !blocked.IsOutage(rec) || fetch.IsAtProxy(rec.Err) || c.lifecycle.Working.Err() != nil || c.lifecycle.HasFailed() || errors.Is(rec.Err, frontier.ErrLeaseLost) {
		return false
	}
	return w.isOutsideCheck(v)
}

// isOutsideCheck reports whether a URL of a server outside the crawl is only checked, or is a sitemap.
func (w *worker) isOutsideCheck(v *visit) bool {
	return (v.prov.IsCheck() || v.prov.IsSitemap()) && !w.c.discovery.scope.HoldsServer(weburl.ServerOf(string(v.origin)))
}

// isStale reports whether a lease was issued before another lease of the host fetched
// robots.txt or tdmrep.json, whose delay applies since then. A time in the future is that of
// another machine's clock, and is ignored.
func (w *worker) isStale(v *visit, fetchedAt time.Time) bool {
	return fetchedAt.After(v.lease.Expires.Add(-w.c.leases.duration)) && !fetchedAt.After(time.Now())
}

// decideRefusal decides about a URL that must not be requested, now or at all.
func (w *worker) decideRefusal(v *visit, err error) decision {
	c := w.c
	refusal, ok := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case errors.Is(err, guard.ErrRefused):
		return w.skipBlockedAddress(v, err)
	case c.lifecycle.HasFailed():
		return waitUntil(time.Time{}) // the refusal may be caused by our own failure
	case ok && refusal.Reason == robotsext.Later && (c.lifecycle.Working.Err() != nil || errors.Is(err, frontier.ErrLeaseLost)):
		return waitUntil(time.Time{}) // this process has ended the request for robots.txt
	case ok && refusal.Reason == robotsext.Later:
		// URLs of other origins of the host are not affected. The first URL of this origin that
		// is due requests its robots.txt again.
		return w.waitForRobots(v, refusal.Err, refusal.RetryAt)
	case ok:
		d := skipFor(output.Disallowed, nil)
		d.skipped.RobotsURL, d.skipped.Group = refusal.RobotsURL, refusal.Group
		if rule := refusal.Rule; rule != nil {
			d.skipped.Rule, d.skipped.Line = escape.Detail(rule.String()), rule.Line
		}
		return d
	case c.lifecycle.Working.Err() != nil:
		return waitUntil(time.Time{})
	}
	return skipFor(output.InvalidURL, err)
}

// waitForRobots has a URL wait until its robots.txt, which is unreachable, is requested again.
func (w *worker) waitForRobots(v *visit, why error, until time.Time) decision {
	r := skipFor(output.RobotsUnreachable, why).skipped
	r.RobotsURL = v.origin.RobotsURL()
	return decision{verdict: wait, until: until, unreachable: &r, cause: why}
}

// skipBlockedAddress skips a URL if the guard refused its address, that of its robots.txt,
// or that of a redirect of the robots.txt.
func (w *worker) skipBlockedAddress(v *visit, err error) decision {
	d := skipWith(output.BlockedAddress, blocked.Text(err))
	d.skipped.Addr = blocked.Addr(err)
	if target := w.robotsTarget(v, err); target != "" {
		d.skipped.RobotsURL = v.origin.RobotsURL()
		d.skipped.Detail, d.skipped.Addr = "its robots.txt redirects to "+target+": "+d.skipped.Detail, netip.Addr{}
	}
	return d
}

// checkDue decides whether the host of the URL is due. It may have to wait longer under
// changed settings, or be outside its Visit-time.
func (w *worker) checkDue(v *visit) (decision, error) {
	c := w.c
	if later, err := c.network.delays.Renew(c.lifecycle.CommitCtx, v.lease.Host, v.origin, v.group); later || err != nil {
		return waitUntil(time.Time{}), err
	}
	if until, closed := politeness.ClosedUntil(v.group, time.Now()); closed {
		return decision{verdict: wait, hostUntil: until}, nil
	}
	return decision{}, nil
}

// skipDuplicate skips a URL that is another spelling of a page, now that its robots.txt is
// known.
func (w *worker) skipDuplicate(v *visit) decision {
	if v.prov.IsSitemap() || v.prov.Source != provenance.Link && v.prov.Source != provenance.Sitemap {
		return decision{}
	}
	clean := w.c.discovery.cleanURL(v.lease.URL, v.file)
	if clean == v.lease.URL {
		return decision{}
	}
	item := v.lease.Item
	item.URL = clean
	return decision{
		verdict: skip, skipped: output.Rejection{Reason: output.DuplicateURL, Detail: "for " + clean},
		found: &discoveries{d: w.c.discovery, items: []frontier.Item{item}},
	}
}

// checkTrap skips a URL whose pattern is closed.
func (w *worker) checkTrap(v *visit) decision {
	if !v.prov.MayBeTrap() {
		return decision{}
	}
	name, pages, closed := w.c.discovery.traps.Closed(v.lease.Host, v.lease.URL)
	if !closed {
		return decision{}
	}
	detail := fmt.Sprintf("%s: after %d pages the pattern shows nothing new and leads to ever more URLs (trap-pages %d)", name, pages, w.c.cfg.Limits.TrapPages)
	return decision{verdict: skip, skipped: output.Rejection{Reason: output.Trap, Detail: detail}}
}

// quotaPause is how long a lease waits while the last pages of a limit are in flight, since
// one of them may fail.
const quotaPause = 50 * time.Millisecond

// takeQuota takes a page from the limits. finishQuota completes it.
func (w *worker) takeQuota(v *visit) (decision, error) {
	c := w.c
	share, err := c.limits.Take(c.lifecycle.CommitCtx, c.frontier, v.lease.Host)
	switch {
	case err != nil || share == quota.Granted:
		v.granted = err == nil
		return decision{}, err
	case share == quota.HostSpent:
		return skipFor(output.MaxHostPages, nil), nil
	}
	c.checkLimits()
	return waitUntil(time.Now().Add(quotaPause)), nil
}

// finishQuota counts what a page used of the limits, if takeQuota granted it.
func (w *worker) finishQuota(v *visit, d decision) error {
	c := w.c
	if !v.granted {
		return nil
	}
	size := 0
	page := d.withheld
	if d.page != nil {
		page = d.page.Page
	}
	if page != nil {
		size = page.BytesRead()
	}
	err := c.limits.Done(c.lifecycle.CommitCtx, v.lease.Host, page != nil, size)
	c.checkLimits()
	return err
}

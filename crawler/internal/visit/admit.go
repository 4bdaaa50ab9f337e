package visit

import (
	"errors"
	"net/netip"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// admitted is what is known of a URL before it is requested.
type admitted struct {
	robots    *robotsext.Record   // of its origin; nil if it is not known
	group     *robotstxt.Group    // its rules for this crawler; nil if none
	recovered *results.Deferral   // the deferral of its origin that ends, because robots.txt was reached again; nil if none
	site      robotsext.SiteUsage // what the files of the site say about its use; set by admitUsage
	cookies   uint64              // a hash of those that the request has; 0 if the crawl keeps none
}

// file returns the rules of the robots.txt, or nil if there are none.
func (a *admitted) file() *robotstxt.File {
	if a.robots == nil {
		return nil
	}
	return a.robots.File
}

// admit decides whether a URL may be requested now: by its robots.txt, and by when its host is due.
func (v *Visitor) admit(it *item) (admitted, outcome, error) {
	adm, out := v.admitRobots(it)
	if it.lease.Kind == provenance.KindListing {
		out = v.finishListing(it, &adm, out)
	}
	if out.verdict != proceed {
		return adm, out, nil
	}
	adm.cookies = v.Credentials.CookieHash(it.u)
	out, err := v.admitDue(it, &adm)
	return adm, out, err
}

// admitRobots decides by robots.txt, which may have to be requested first. That uses the
// request slot of the lease, so the URL itself waits for the next slot.
func (v *Visitor) admitRobots(it *item) (adm admitted, out outcome) {
	outage := v.Results.Deferred.Get(it.origin)
	ctx, slot := politeness.WithSlot(v.Lifecycle.Working, it.lease.Host)
	verdict, refusal := v.Robots.Decide(ctx, it.u)
	if rec := verdict.Record; v.isOutsideOutage(it, rec) && rec.Status == 0 && rec.Failures < it.lease.Attempt {
		if _, err := v.Robots.Refresh(ctx, it.u); err == nil {
			verdict, refusal = v.Robots.Decide(ctx, it.u)
		}
	}
	if refusal == nil {
		refusal = verdict.Err(it.u)
	}
	if refusal == nil && verdict.Record == nil { // the URL of a robots.txt: its rules do not bind, its delay does
		rec, err := v.Robots.Record(ctx, it.u)
		if err != nil {
			return adm, waitUntil(time.Time{})
		}
		verdict.Record, verdict.Group = rec, v.Robots.Group(rec)
	}
	rec := verdict.Record
	adm.robots, adm.group = rec, verdict.Group
	if !blocked.IsOutage(rec) && ctx.Err() == nil {
		adm.recovered = outage
	}
	switch {
	case v.Fetcher == nil && it.lease.Kind != provenance.KindSitemap && (refusal == nil && it.lease.Kind != provenance.KindStart || verdict.Verdict == robotsext.Disallowed):
		out.verdict = done
	case refusal != nil && v.isOutsideOutage(it, rec):
		if rec.Status != 0 {
			out = skipFor(output.RobotsUnreachable, rec.Err)
		} else if out = v.retry(it, rec.Err); out.verdict == proceed {
			out = skipFor(output.Failed, rec.Err)
		}
	case refusal != nil:
		out = v.refused(it, refusal)
	}
	host, used := v.hostAfter(slot, refusal)
	out.host = host
	if out.verdict == proceed && (used || rec != nil && v.isStale(it, rec.FetchedAt)) {
		out.verdict = wait
	}
	return adm, out
}

// hostAfter returns what the request in a slot means for its host; used is false if there was none. Refusal
// is the error of robots.txt, if it was requested.
func (v *Visitor) hostAfter(slot *politeness.Slot, refusal error) (host hostOutcome, used bool) {
	took, used := slot.Used()
	if !used {
		return host, false
	}
	host.delay = v.Delays.After(took)
	if until, busy := slot.Busy(refusal); busy && !v.Lifecycle.HasFailed() { // after a failure nothing is recorded
		host.until = until
	}
	return host, true
}

// isOutsideOutage reports whether a URL is only checked, or is a sitemap, and the robots.txt of its
// server, outside the crawl, is unreachable. Nothing waits for such a server. Without any response,
// its robots.txt is requested again like a page, before the URL is broken. After a status such as 503
// the URL is unverified.
func (v *Visitor) isOutsideOutage(it *item, rec *robotsext.Record) bool {
	if !blocked.IsOutage(rec) || fetch.IsAtProxy(rec.Err) || v.hasEnded() || errors.Is(rec.Err, frontier.ErrLeaseLost) {
		return false
	}
	return v.isOutsideCheck(it)
}

// hasEnded reports whether the crawl has been aborted or has failed, which may be why a request failed.
func (v *Visitor) hasEnded() bool { return v.Lifecycle.Working.Err() != nil || v.Lifecycle.HasFailed() }

// isStale reports whether a lease was issued before another lease of the host fetched robots.txt or
// tdmrep.json, whose delay applies since then. A time in the future is from the clock of another
// machine, and is ignored.
func (v *Visitor) isStale(it *item, fetchedAt time.Time) bool {
	return fetchedAt.After(it.lease.Expires.Add(-v.set.LeaseTime)) && !fetchedAt.After(time.Now())
}

// refused decides about a URL that must not be requested, now or at all.
func (v *Visitor) refused(it *item, err error) outcome {
	refusal, ok := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case errors.Is(err, guard.ErrRefused):
		return v.skipBlockedAddress(it, err)
	case v.Lifecycle.HasFailed():
		return waitUntil(time.Time{}) // the refusal may be caused by our own failure
	case ok && refusal.Reason == robotsext.Later && (v.Lifecycle.Working.Err() != nil || errors.Is(err, frontier.ErrLeaseLost)):
		return waitUntil(time.Time{}) // this process has ended the request for robots.txt
	case ok && refusal.Reason == robotsext.Later:
		// URLs of other origins of the host are not affected. The first URL of this origin that
		// is due requests its robots.txt again.
		return waitForRobots(it, refusal.Err, refusal.RetryAt)
	case ok:
		out := skipFor(output.Disallowed, nil)
		out.rejection.RobotsURL, out.rejection.Group = refusal.RobotsURL, refusal.Group
		if rule := refusal.Rule; rule != nil {
			out.rejection.Rule, out.rejection.Line = escape.Detail(rule.String()), rule.Line
		}
		return out
	case v.Lifecycle.Working.Err() != nil:
		return waitUntil(time.Time{})
	}
	return skipFor(output.InvalidURL, err)
}

// waitForRobots has a URL wait until its robots.txt, which is unreachable, is requested again.
func waitForRobots(it *item, why error, until time.Time) outcome {
	out := skipFor(output.RobotsUnreachable, why)
	out.verdict, out.until, out.cause = wait, until, why
	out.rejection.RobotsURL = it.origin.RobotsURL()
	return out
}

// skipBlockedAddress skips a URL if the guard refused the address of the URL, its robots.txt or a
// redirect of the robots.txt.
func (v *Visitor) skipBlockedAddress(it *item, err error) outcome {
	out := skipWith(output.BlockedAddress, blocked.Text(err))
	out.rejection.Addr = blocked.Addr(err)
	if target := v.robotsTarget(it, err); target != "" {
		out.rejection.RobotsURL = it.origin.RobotsURL()
		out.rejection.Detail, out.rejection.Addr = "its robots.txt redirects to "+target+": "+out.rejection.Detail, netip.Addr{}
	}
	return out
}

// robotsTarget returns the URL at which the guard ended the redirects of a robots.txt, or "" if it
// did not.
func (v *Visitor) robotsTarget(it *item, err error) string {
	if _, ok := errors.AsType[*robotsext.BlockedError](err); !ok {
		return ""
	}
	rec, err := v.Robots.Record(v.Lifecycle.Working, it.u)
	if err != nil || len(rec.RedirectChain) < 2 || !blocked.IsRefused(rec) {
		return ""
	}
	return rec.RedirectChain[len(rec.RedirectChain)-1]
}

// finishListing ends an item that serves to learn what its robots.txt lists, when that is known or
// cannot be.
func (v *Visitor) finishListing(it *item, adm *admitted, out outcome) outcome {
	rec, err := v.Robots.Record(v.Lifecycle.Working, it.u)
	if err != nil { // the crawl is being aborted
		return outcome{verdict: wait, host: out.host}
	}
	adm.robots = rec
	return outcome{verdict: done, host: out.host}
}

// admitDue decides whether the host of the URL is due. It may have to wait longer under
// changed settings, or be outside its Visit-time.
func (v *Visitor) admitDue(it *item, adm *admitted) (outcome, error) {
	if later, err := v.Delays.Renew(v.Lifecycle.CommitCtx, it.lease.Host, it.origin, adm.group); later || err != nil {
		return waitUntil(time.Time{}), err
	}
	if until, closed := politeness.ClosedUntil(adm.group, time.Now()); closed {
		return outcome{verdict: wait, host: hostOutcome{until: until}}, nil
	}
	return outcome{}, nil
}

// admitPage decides about a page by what applies only to pages: other spellings of one, traps, what the files
// of its site permit, and the limits.
func (v *Visitor) admitPage(it *item, adm *admitted) (outcome, error) {
	if out := v.skipDuplicate(it, adm); out.verdict != proceed {
		return out, nil
	}
	if out := v.skipTrapped(it); out.verdict != proceed {
		return out, nil
	}
	if out := v.admitUsage(it, adm, v.set.FilePurposes); out.verdict != proceed {
		return out, nil
	}
	return v.reserve(it)
}

// skipDuplicate skips a URL that is another spelling of a page, now that its robots.txt is
// known.
func (v *Visitor) skipDuplicate(it *item, adm *admitted) outcome {
	clean := v.Discovery.DuplicateOf(it.lease.URL, it.prov, adm.file())
	if clean == "" {
		return outcome{}
	}
	again := it.lease.Item
	again.URL = clean
	return outcome{verdict: skip, rejection: output.Rejection{Reason: output.DuplicateURL, Detail: "for " + clean}, found: v.Discovery.NewFound(again)}
}

// skipTrapped skips a URL of a closed pattern.
func (v *Visitor) skipTrapped(it *item) outcome {
	if !it.prov.MayBeTrap() {
		return outcome{}
	}
	why := v.Traps.Closed(it.lease.Host, it.lease.URL)
	if why == "" {
		return outcome{}
	}
	return outcome{verdict: skip, rejection: output.Rejection{Reason: output.Trap, Detail: why}}
}

// quotaPause is how long a lease waits while the last pages of a limit are in flight, since
// one of them may fail.
const quotaPause = 50 * time.Millisecond

// reserve takes a page from the limits. Commit releases it.
func (v *Visitor) reserve(it *item) (outcome, error) {
	share, err := v.Limits.Take(v.Lifecycle.CommitCtx, v.Frontier, it.lease.Host)
	switch {
	case err != nil || share == quota.Granted:
		return outcome{granted: err == nil}, err
	case share == quota.HostSpent:
		return skipFor(output.MaxHostPages, nil), nil
	}
	return waitUntil(time.Now().Add(quotaPause)), nil
}

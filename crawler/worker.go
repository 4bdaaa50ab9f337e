package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A worker leases URLs from the frontier, one after the other, and processes each up to its
// commit. Its steps in admission.go, response.go and sitemap.go decide. Only act skips,
// defers and retries a URL, and only process commits it. The entries of a sitemap are
// queued or skipped while it is read.
//
// Its contexts end one after the other: waiting when a pause begins, leases when the crawl
// stops, Working when requests in flight are aborted. CommitCtx outlives them.
type worker struct {
	c        *Crawler
	pages    pageFetcher
	recorder recorder
}

// A pageFetcher requests pages. That of a plan requests none.
type pageFetcher interface {
	// Wants reports whether pages are requested at all. If not, a page is done when its
	// robots.txt allows it.
	Wants() bool
	// Fetch returns a response with the duration of the request even if it fails.
	Fetch(fetch.Request) (*fetch.Response, error)
}

// A recorder records what a crawl does. That of a plan counts instead.
type recorder interface {
	// Commit records the outcome of a URL, and then reports it to the frontier.
	Commit(frontier.Outcome, *output.Page, crawldir.Batch) error
	// Skip records URLs that are skipped.
	Skip([]record.SkippedURL) error
	// TakeScope and TakeListed remove matching URLs that were skipped, and pass them to give: those in the
	// scope of a URL, or on an origin, see record.Skipped.
	TakeScope(u weburl.URL, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error
	TakeListed(o robotsext.Origin, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error
	// Robots records a robots.txt that was requested.
	Robots(*robotsext.Record) error
}

// crawlFetcher requests the pages of a crawl.
type crawlFetcher struct{ *fetch.Fetcher }

// Wants implements pageFetcher.
func (crawlFetcher) Wants() bool { return true }

// crawlRecorder records a crawl in its directory.
type crawlRecorder struct{ *record.Recorder }

// TakeScope implements recorder.
func (r crawlRecorder) TakeScope(u weburl.URL, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error {
	return r.Skipped.TakeScope(u, match, give)
}

// TakeListed implements recorder.
func (r crawlRecorder) TakeListed(o robotsext.Origin, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error {
	return r.Skipped.TakeListed(o, match, give)
}

// Robots implements recorder. It ignores a robots.txt that was not requested.
func (r crawlRecorder) Robots(rec *robotsext.Record) error {
	if blocked.IsUnrequested(rec) {
		return nil
	}
	return r.Recorder.Robots(blocked.ForOutput(rec))
}

// A visit is the processing of one leased URL.
type visit struct {
	lease  frontier.Lease
	prov   provenance.Provenance
	u      *url.URL            // as it will be sent
	url    string              // u as a text
	origin robotsext.Origin    // of u; its robots.txt applies
	file   *robotstxt.File     // that robots.txt; nil: there is none
	group  *robotstxt.Group    // its rules for this crawler; nil: none
	robots *robotsext.Record   // the fetch of that robots.txt
	site   robotsext.SiteUsage // what the files of the site say about the use of u

	// lines are written with its outcome, unless it is to be leased again.
	lines crawldir.Batch

	response *fetch.Response     // to the request for a page or a check; nil: none was sent
	exchange *output.Exchange    // of the request for a page; nil: archives get none
	previous *output.Page        // in the previous crawl, if the request for the page has conditions
	granted  bool                // a page was taken from the limits
	entries  int                 // of a sitemap, taken from its limit
	trap     *trap.ClosedPattern // that the page has closed; nil: none

	// cookies is a hash of those that the request has; 0: the crawl keeps none.
	cookies uint64

	// upgrade says that the page has upgrade-insecure-requests.
	upgrade bool

	// hostDelay is how long the host waits at least after the requests that were made.
	// Zero: none was.
	hostDelay time.Duration

	check *output.Check // the line of a URL that is only checked; nil: none yet
}

// run processes URLs until leases ends. An error is one of the crawl itself, such as a full
// disk or a closed frontier. Errors of a site are decisions.
func (w *worker) run(leases context.Context) error {
	c := w.c
	for {
		waiting, err := c.pauses.ready(leases)
		if err != nil {
			return nil
		}
		got, err := c.frontier.Lease(waiting, frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, Duration: c.leases.duration})
		if err != nil {
			if waiting.Err() != nil {
				continue
			}
			return err
		}
		for _, lease := range got { // one at the most
			if err := w.process(waiting, lease); err != nil {
				return err
			}
		}
	}
}

// process takes a URL from its lease to its commit. If waiting ended before the lease
// arrived, the URL is returned unchanged.
func (w *worker) process(waiting context.Context, lease frontier.Lease) (err error) {
	c := w.c
	c.member.Hold(&lease)
	defer c.member.Release(lease.ID)
	v, d := &visit{lease: lease}, waitUntil(time.Time{})
	defer func() { v.response.Release() }() // what is recorded has no part of the body
	if waiting.Err() == nil {
		if d, err = w.decide(v); err != nil {
			return errors.Join(err, w.finishQuota(v, decision{}))
		}
	}
	if c.member.Lost(lease.ID) { // another process may have the URL: report nothing
		v.exchange, d = nil, decision{verdict: wait, hostUntil: d.hostUntil}
	}
	outcome, err := w.act(v, d)
	if err != nil {
		return err
	}
	page := d.page.record()
	if err := w.recorder.Commit(outcome, page, v.lines); err != nil {
		return err
	}
	c.tally.add(page, v.lines.Results())
	c.wakeIdle.send()
	if v.trap == nil {
		return nil
	}
	// After the commit: a crawl that is killed in between fetches the page again, and must not
	// skip it as part of the trap.
	return c.record.AddTrap(v.trap)
}

// decide runs one step after the other, until one has decided. It follows the drawing in
// the package comment.
func (w *worker) decide(v *visit) (decision, error) {
	c := w.c
	if d := w.parseLease(v); d.verdict != proceed {
		return d, nil
	}
	if err := c.joinRecrawl(&v.prov); err != nil {
		return decision{}, err
	}
	if v.prov.IsCheck() {
		if d, err := w.skipKnownCheck(v); err != nil || d.verdict != proceed {
			return d, err
		}
	}
	release, free := c.network.addresses.Acquire(c.lifecycle.Working, v.lease.Host)
	if !free {
		return decision{verdict: wait, hostUntil: time.Now().Add(politeness.AddressPause)}, nil
	}
	defer release()
	outage := c.record.Deferred.Get(v.origin)
	d := w.checkRobots(v)
	if d.reached {
		if err := c.record.Deferred.Resume(v.origin, outage); err != nil {
			return d, err
		}
	}
	if v.lease.Kind == provenance.KindRobots {
		return w.learnListing(v, d)
	}
	if d.verdict != proceed {
		return d, nil
	}
	if d, err := w.checkDue(v); err != nil || d.verdict != proceed {
		return d, err
	}
	v.cookies = c.discovery.credentials.CookieHash(v.u)
	if v.prov.IsCheck() {
		if d := w.checkSiteUsage(v); d.verdict != proceed {
			return d, nil
		}
		return w.checkURL(v)
	}
	if d := w.skipDuplicate(v); d.verdict != proceed {
		return d, nil
	}
	if v.prov.IsSitemap() {
		return w.fetchSitemap(v)
	}
	if v.lease.Kind == provenance.KindStart {
		return w.probeStart(v)
	}
	if d := w.checkTrap(v); d.verdict != proceed {
		return d, nil
	}
	if d := w.checkSiteUsage(v); d.verdict != proceed {
		return d, nil
	}
	if d, err := w.takeQuota(v); err != nil || d.verdict != proceed {
		return d, err
	}
	request := fetch.Request{URL: v.url}
	if request.Header = conditional(v.lease.Validators, c.pageRules.types); request.Header != nil {
		previous, err := c.previousPage(v)
		if err != nil {
			return decision{}, err
		}
		if v.previous = previous; previous == nil {
			request.Header = nil
		}
	}
	resp, failure := w.pages.Fetch(request)
	v.response = resp
	v.exchange = resp.Exchange
	return w.decideResponse(v, resp, failure)
}

// act applies the decision about a URL, and returns the outcome for the frontier. First
// come the archive and the limits, then the links, then the verdict: whether links are new
// decides whether the page closes a trap.
func (w *worker) act(v *visit, d decision) (outcome frontier.Outcome, err error) {
	c := w.c
	outcome = frontier.Outcome{Lease: v.lease.ID, NotBefore: d.until, HostDelay: v.hostDelay}
	if v.exchange != nil {
		w.withhold(v.exchange, &d)
		c.record.Exchange(v.exchange)
	}
	if err := w.finishQuota(v, d); err != nil {
		return outcome, err
	}
	if d.found != nil {
		if outcome.Links, err = c.discovery.admit(d.found); err != nil {
			return outcome, err
		}
		if err := w.refuseChecks(v, d.found.refused); err != nil {
			return outcome, err
		}
	}
	if d.verdict == wait || d.verdict == retry { // the next attempt reads all again
		c.discovery.sitemaps.GiveBack(v.prov.SitemapOf, v.entries)
		v.lines = crawldir.Batch{}
	}
	switch d.verdict {
	case skip:
		outcome.Result = frontier.Drop
		err = w.skip(v, d.skipped)
	case wait:
		outcome.Result = frontier.Defer
		err = w.noteOutage(v, &d)
	case retry:
		outcome.Result = frontier.Retry
		w.logRetry(v, d)
	case done:
		outcome.Result = frontier.Done
		if d.page != nil {
			outcome.Validators = d.page.validators
			v.trap, err = w.countPage(v, d.page, outcome.Links)
		}
		if d.sitemap != nil {
			w.logSitemap(d.sitemap)
		}
		if d.check != nil {
			c.limits.CountBytes(d.check.Bytes)
			c.checkLimits()
		}
	default:
		err = fmt.Errorf("no step has decided about %s", v.u.Redacted())
	}
	if err != nil || d.hostUntil.IsZero() {
		return outcome, err
	}
	return outcome, c.frontier.UpdateHost(c.lifecycle.CommitCtx, v.lease.Host, frontier.HostUpdate{BlockUntil: d.hostUntil})
}

// noteOutage records that the URLs of an origin wait for its robots.txt, if that is why one waits.
func (w *worker) noteOutage(v *visit, d *decision) error {
	why := d.unreachable
	if why == nil {
		return nil
	}
	w.c.notifyOutage(v.origin, why.Detail, d.until, d.cause)
	seen, err := politeness.LastReached(w.c.lifecycle.CommitCtx, w.c.frontier, v.origin)
	if err != nil {
		return err
	}
	return w.c.record.Deferred.Add(v.origin, *why, seen)
}

// skip records a URL that is skipped for good.
func (w *worker) skip(v *visit, r output.Rejection) error {
	c := w.c
	if v.prov.IsCheck() {
		return w.skipCheck(v, &r)
	}
	r.URL, r.Depth, r.FoundOn, r.Source = v.url, v.prov.Depth, v.prov.FoundOn, v.prov.Source.String()
	if r.Reason == output.BlockedAddress && v.prov.Source == provenance.Start {
		w.blockStart(BlockedStart{URL: r.URL, Addr: r.Addr, Reason: r.Detail})
	}
	w.notifyStart(v, &r)
	record.LogSkipped(c.log, &r, v.lease.Attempt)
	if v.prov.IsSitemap() { // a recrawl will request it as one
		line := v.sitemapLine(0, time.Now())
		line.Detail = cmp.Or(r.Detail, string(r.Reason))
		if err := crawldir.Sitemaps.Add(&v.lines, line); err != nil {
			return err
		}
	}
	return crawldir.Rejected.Add(&v.lines, &r)
}

package visit

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// commit acts on the outcome of a URL, and records it. What the site has shown comes first, then the archive
// and the limits, then the URLs found. The verdict follows: whether the URLs are new decides whether the page
// closes a trap. The lease is finished last: a crawl that is killed before that visits the URL again. It
// returns what was recorded: the page, nil if there is none, and lines of other files.
func (v *Visitor) commit(it *item, adm *admitted, out *outcome) (*output.Page, *output.Results, error) {
	if err := v.learn(it, adm, out); err != nil {
		return nil, nil, err
	}
	exchanges := v.withholdBodies(it, adm, out)
	if err := v.releasePage(it, out); err != nil {
		return nil, nil, err
	}
	links, err := v.add(it, adm, out)
	if err != nil {
		return nil, nil, err
	}
	if out.entries != nil && v.Member.Lost(it.lease.ID) { // while they were added, which may take long
		out.leaseLost()
	}
	result := frontier.Outcome{Lease: it.lease.ID, NotBefore: out.until, HostDelay: out.host.delay, Links: links}
	closed, err := v.conclude(it, out, &result)
	if err != nil {
		return nil, nil, err
	}
	if !out.host.until.IsZero() {
		if err := v.Frontier.UpdateHost(v.Lifecycle.CommitCtx, it.lease.Host, frontier.HostUpdate{BlockUntil: out.host.until}); err != nil {
			return nil, nil, err
		}
	}
	if out.page != nil && out.page.permissionsRead && adm.file() != nil { // of a robots.txt that another process requested
		if err := v.Results.KeepVersion(adm.robots); err != nil {
			return nil, nil, err
		}
	}
	var page *output.Page
	if out.page != nil && out.verdict == done {
		page = out.page.Page
	}
	out.lines.Results().Exchanges = exchanges // with the lease, so that a killed crawl has them once
	if err := v.Recorder.Commit(result, page, out.lines); err != nil {
		return nil, nil, err
	}
	if closed != nil {
		// After the commit: a crawl that is killed in between fetches the page again, and must not
		// skip it as part of the trap.
		err = v.Results.AddTrap(closed)
	}
	return page, out.lines.Results(), err
}

// learn acts on what the site has shown: its robots.txt is known, and how it responds.
func (v *Visitor) learn(it *item, adm *admitted, out *outcome) error {
	if adm.recovered != nil {
		if err := v.Results.Deferred.Resume(it.origin, adm.recovered); err != nil {
			return err
		}
	}
	if adm.robots != nil && (it.lease.Kind == provenance.KindListing || v.Scope.HoldsServer(it.lease.Host)) { // another process may have requested it
		if err := v.Discovery.QueueListed(adm.robots); err != nil {
			return err
		}
	}
	if out.host.status == 0 {
		return nil
	}
	return v.adaptDelay(it, adm, out.host.status)
}

// adaptDelay adjusts the delay of a host to the status of a response, and reports how long the host is not
// requested if it is slowed down.
func (v *Visitor) adaptDelay(it *item, adm *admitted, status int) error {
	host := it.lease.Host
	err := v.Delays.Observe(v.Lifecycle.CommitCtx, host, it.origin, adm.group, status)
	if err != nil || !politeness.Slows(status) || !v.holdsServer(it) {
		return err
	}
	rec, err := v.Frontier.Host(v.Lifecycle.CommitCtx, host)
	if err != nil {
		return err
	}
	next := slices.MaxFunc([]time.Time{rec.BlockedUntil, time.Now().Add(rec.Delay)}, time.Time.Compare) // the time of Retry-After, if it is later
	v.causes.Show(string(host), fmt.Sprint(status), fmt.Sprintf("%s sent status %d: its delay is raised to %v, and the next request is at %s", it.origin, status, rec.Delay, notice.Clock(next)))
	return nil
}

// withholdBodies returns the exchanges of a page or check, without the bodies that an archive must not have. A body that
// was not read may forbid that.
func (v *Visitor) withholdBodies(it *item, adm *admitted, out *outcome) []*output.Exchange {
	if out.response == nil {
		return nil
	}
	all := out.response.Exchanges
	if !v.set.Noindex && len(v.set.Purposes) == 0 { // nothing forbids it
		return all
	}
	for i, e := range all {
		if e.Body == nil {
			continue
		}
		switch {
		case out.rejection.Reason == output.Usage:
			e.Withheld = out.rejection.Detail
		case i < len(all)-1 || out.response.Header == nil || it.lease.Kind == provenance.KindCheckGet:
			e.Withheld = "unread"
		default:
			e.Withheld = v.archiveRefusal(adm, out)
		}
		if e.Withheld != "" {
			_ = e.Body.Close()
			e.Body = nil
		}
	}
	return all
}

// archiveRefusal returns the directive or the purpose that keeps the last response out of an archive, or "" if none
// does. It judges by what was read of the response.
func (v *Visitor) archiveRefusal(adm *admitted, out *outcome) string {
	resp, isPart := out.response, out.verdict != done
	if out.page != nil && out.page.permissionsRead && resp.Dropped == 0 {
		return out.page.noArchive
	}
	t, declared := mimetype.Declared(resp.Header)
	isPage := extract.IsPage(resp.Header, resp.Body)
	var doc *extract.Document
	switch {
	case (resp.OtherType != "" || resp.Undecoded) && (!declared || t.IsHTML() || t.IsXML()), // it may be a page
		isPage && resp.Dropped > 0,                  // which the archive has too
		isPage && isPart && len(v.set.Purposes) > 0: // the rest may say something about them
		return "unread"
	case isPage:
		doc = extract.Read(extract.Page{Header: resp.Header, Body: resp.Body}, &extract.Handlers{})
	}
	return cmp.Or(v.noArchiveReason(v.directives(resp.Header, doc)), v.refusal(adm, resp, doc))
}

// releasePage counts, once, what a page used of the limits, if reserve granted it. It stops the crawl at a limit.
func (v *Visitor) releasePage(it *item, out *outcome) (err error) {
	if out.granted {
		out.granted = false
		size := 0
		if out.response != nil { // also of a page that failed
			size = int(out.response.Dropped)
		}
		if out.page != nil {
			size += out.page.BytesRead()
		}
		err = v.Limits.Done(v.Lifecycle.CommitCtx, it.lease.Host, out.page != nil, size)
	}
	v.Lifecycle.Stop(v.Limits.Exceeded())
	return err
}

// add skips or admits the URLs that were found, and returns those for the frontier. The entries of a sitemap are
// added at once, in batches.
func (v *Visitor) add(it *item, adm *admitted, out *outcome) ([]frontier.Item, error) {
	if out.entries != nil {
		if err := v.seedSitemap(it, adm, out); err != nil {
			return nil, err
		}
	}
	items, refused, err := v.Discovery.Admit(out.found)
	if err != nil {
		return nil, err
	}
	for _, line := range refused {
		if err := results.Checks.Add(&out.lines, line); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// conclude skips, defers, retries or finishes a URL. It returns the pattern that the page has closed, or nil.
func (v *Visitor) conclude(it *item, out *outcome, result *frontier.Outcome) (closed *trap.ClosedPattern, err error) {
	switch out.verdict {
	case skip:
		result.Result = frontier.Drop
		return nil, v.skip(it, out)
	case wait:
		result.Result = frontier.Defer
		v.forgetLines(it, out)
		return nil, v.deferOrigin(it, out)
	case retry:
		result.Result = frontier.Retry
		v.forgetLines(it, out)
		v.logRetry(it, out)
		return nil, nil
	case done:
		result.Result = frontier.Done
		return v.finish(it, out, result)
	}
	return nil, fmt.Errorf("no stage has decided about %s", it.u.Redacted())
}

// forgetLines forgets what was read of a URL that is leased again, since the next attempt reads it again.
func (v *Visitor) forgetLines(it *item, out *outcome) {
	if out.entries != nil {
		v.Discovery.Sitemaps.GiveBack(it.prov.SitemapOf, out.entries.line.Pages)
	}
	out.lines = results.Batch{}
}

// finish counts a URL that is finished.
func (v *Visitor) finish(it *item, out *outcome, result *frontier.Outcome) (*trap.ClosedPattern, error) {
	for _, line := range out.lines.Results().Checks {
		v.Limits.CountBytes(line.Bytes)
		v.Lifecycle.Stop(v.Limits.Exceeded())
	}
	if out.page == nil {
		return nil, nil
	}
	result.Validators = out.page.validators
	return v.judgeTrap(it, out.page, result.Links)
}

// deferOrigin records that the URLs of an origin wait for its robots.txt, if that is why one waits.
func (v *Visitor) deferOrigin(it *item, out *outcome) error {
	why := out.rejection
	if why.Reason == "" {
		return nil
	}
	v.ShowOutage(it.origin, why.Detail, out.until, out.cause)
	seen, err := politeness.LastReached(v.Lifecycle.CommitCtx, v.Frontier, it.origin)
	if err != nil {
		return err
	}
	return v.Results.Deferred.Add(it.origin, why, seen)
}

// skip records a URL that is skipped finally.
func (v *Visitor) skip(it *item, out *outcome) error {
	r := &out.rejection
	if provenance.IsCheck(it.lease.Kind) {
		return v.skipCheck(it, out)
	}
	r.URL, r.Depth, r.FoundOn, r.Source = it.url, it.prov.Depth, it.prov.FoundOn, it.prov.Source.String()
	v.noticeStart(it, r)
	results.LogSkipped(v.Log, r, it.lease.Attempt)
	if it.lease.Kind == provenance.KindSitemap { // a recrawl will request it as one
		line := it.sitemapLine(0, time.Now())
		line.Detail = cmp.Or(r.Detail, string(r.Reason))
		if err := results.Sitemaps.Add(&out.lines, line); err != nil {
			return err
		}
	}
	return results.Rejected.Add(&out.lines, r)
}

// noticeStart reports that robots.txt disallows a start URL or its redirect target, that the
// requests for it failed, or that it is at a blocked address.
func (v *Visitor) noticeStart(it *item, r *output.Rejection) {
	host := string(it.lease.Host)
	switch {
	case r.Reason == output.BlockedAddress && it.prov.Source == provenance.Start:
		v.Log.Warn("start URL blocked", "url", r.URL, "error", r.Detail)
		if len(v.set.Discover.Start) > 1 {
			v.Board.Show(r.URL + " is skipped: " + r.Detail + "; see allow-addr")
		}
	case !it.prov.FromStart:
	case r.Reason == output.Disallowed:
		v.causes.Show(host, r.Rule, fmt.Sprintf("%s is skipped: line %d of %s says %q", it.url, r.Line, r.RobotsURL, r.Rule))
	case r.Reason == output.Failed:
		v.causes.Show(host, "failed", fmt.Sprintf("%s failed: %s", it.url, r.Detail))
	}
}

// logRetry logs that a URL is retried, with the status of the response or the error.
func (v *Visitor) logRetry(it *item, out *outcome) {
	why := slog.String("error", escape.Detail(out.cause.Error()))
	if status, ok := errors.AsType[statusError](out.cause); ok {
		why = slog.Int("status", int(status))
	}
	v.Log.LogAttrs(v.Lifecycle.CommitCtx, slog.LevelInfo, "retrying URL",
		slog.String("url", it.url), why, slog.Int("attempt", it.lease.Attempt), slog.Time("next", out.until))
}

// logPage logs that a page was fetched.
func (v *Visitor) logPage(page *output.Page, took time.Duration) {
	v.Log.LogAttrs(v.Lifecycle.CommitCtx, slog.LevelDebug, "page fetched", slog.String("url", page.URL), slog.Int("status", page.Status),
		slog.Int("bytes", page.BytesRead()), slog.Duration("duration", took), slog.Int("attempt", page.Attempt))
}

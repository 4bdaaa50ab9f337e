package visit

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

const (
	// retryBase is the time before the first retry of a page. It doubles up to maxBackoff
	// times.
	retryBase  = time.Second
	maxBackoff = 6
)

// LongestRetry is the longest time before a retry.
const LongestRetry = retryBase << maxBackoff

// failed decides about a URL after its request failed, without a complete response.
func (v *Visitor) failed(it *item, took time.Duration, err error) (out outcome, crawlErr error) {
	if _, ok := errors.AsType[*robotsext.BlockedError](err); ok || errors.Is(err, guard.ErrRefused) {
		return v.refused(it, err), nil // the record has expired meanwhile, or the name resolves to another address
	}
	delay := v.Delays.After(took)
	if v.hasEnded() || errors.Is(err, frontier.ErrLeaseLost) { // the site is not the cause
		out = waitUntil(time.Time{})
		out.host.delay = delay
		return out, nil
	}
	outage, crawlErr := v.checkOutage(it, err)
	outage.host.delay = max(outage.host.delay, delay)
	if crawlErr != nil || outage.verdict == wait {
		return outage, crawlErr
	}
	if out = v.retry(it, err); out.verdict == proceed {
		out = skipFor(output.Failed, fetch.Cause(err))
	}
	out.host = outage.host
	return out, nil
}

// checkOutage requests the robots.txt of a URL after its connection failed. If that fails too, the site is
// down: its URLs wait for its robots.txt. The request was no attempt, unless the URL finds its site down
// for the second time. If the server is overloaded, its host waits in any case.
func (v *Visitor) checkOutage(it *item, failure error) (out outcome, err error) {
	if !fetch.IsUnanswered(failure) || v.isOutsideCheck(it) && !fetch.IsAtProxy(failure) {
		return outcome{}, nil
	}
	ctx, slot := politeness.WithUsedSlot(v.Lifecycle.Working, it.lease.Host)
	v.Robots.Expire(it.u)
	rec, err := v.Robots.Record(ctx, it.u)
	took, _ := slot.Used()
	delay := v.Delays.After(took)
	if err != nil || v.Lifecycle.HasFailed() {
		out = waitUntil(time.Time{})
		out.host.delay = delay
		return out, nil
	}
	until, busy := slot.Busy(nil)
	switch {
	case v.Lifecycle.Working.Err() != nil || errors.Is(rec.Err, frontier.ErrLeaseLost):
		out = waitUntil(time.Time{}) // this process has ended the request
	case !blocked.IsOutage(rec) || rec.FailingSince.IsZero(): // it responds, or its Retry-After forbids the request
	case !v.outages.Add(it.lease.Key().String()): // it may be what takes the site down
	default:
		out = waitForRobots(it, rec.Err, rec.RetryAt)
		if !busy { // or no origin of the host responds; other processes have to know
			if busy, err = v.isDown(it.lease.Host); err != nil {
				return outcome{}, err
			}
		}
	}
	out.host.delay = delay
	if busy {
		out.host.until = slices.MaxFunc([]time.Time{until, rec.RetryAt}, time.Time.Compare)
	}
	return out, nil
}

// isDown reports whether the robots.txt of each known origin of a host is unreachable.
func (v *Visitor) isDown(h frontier.Host) (bool, error) {
	host, err := v.Frontier.Host(v.Lifecycle.CommitCtx, h)
	for _, r := range host.Robots {
		if r.FailingSince.IsZero() {
			return false, err
		}
	}
	return err == nil, err
}

// retryStatus retries a URL after a temporary status, while attempts remain (ROB-POL-08). Otherwise the
// response counts as it is.
func (v *Visitor) retryStatus(it *item, status int) outcome {
	if status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500 {
		return v.retry(it, statusError(status))
	}
	return outcome{}
}

// retry retries a URL after a temporary status or an error, while attempts remain.
func (v *Visitor) retry(it *item, cause error) outcome {
	if cause == nil || it.lease.Attempt > v.set.Retries {
		return outcome{}
	}
	backoff := retryBase << min(it.lease.Attempt-1, maxBackoff)
	return outcome{verdict: retry, until: time.Now().Add(backoff), cause: cause}
}

// ShowOutage tells the operator that an origin waits for its robots.txt until a time, with the error why.
func (v *Visitor) ShowOutage(o robotsext.Origin, detail string, until time.Time, err error) {
	line := fmt.Sprintf("%s is unreachable: %s; it is requested again at %s", o.RobotsURL(), detail, notice.Clock(until))
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
		line += "; if you trust the CA, name the file of its certificate in SSL_CERT_FILE"
	}
	v.causes.Show(string(weburl.ServerOf(string(o))), "outage", line)
}

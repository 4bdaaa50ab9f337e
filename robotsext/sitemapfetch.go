package robotsext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
	"github.com/politecrawl/politecrawl/robotsext/internal/lookup"
	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// maxSitemapRedirects limits the redirects of one sitemap, as browsers limit those of a page.
const maxSitemapRedirects = 20

// open requests a file and follows redirects. Each request waits for a request slot,
// and the robots.txt of its own origin must allow it (ROB-SMP-04). A redirect to another
// file of the walk gives nil: that file is read once (ROB-SMP-25).
func (w *sitemapWalk) open(ctx context.Context, u *url.URL, j *sitemapJob) (*download, error) {
	var requested []string
	for hop := range maxSitemapRedirects + 1 {
		address := addressOf(u.String())
		if slices.Contains(requested, address) {
			return nil, ErrRedirectLoop
		}
		requested = append(requested, address)
		if known, err := w.redirected(j, address); known || err != nil {
			return nil, err
		}
		j.end = u
		release, err := w.acquireSlot(ctx, u, hop > 0)
		if err != nil {
			return nil, err
		}
		if hop == 0 {
			j.Attempts++
		}
		d, next, err := w.download(ctx, u, j, release)
		if d != nil || err != nil {
			return d, err
		}
		u = next
	}
	return nil, fmt.Errorf("more than %d redirects", maxSitemapRedirects)
}

// download requests u and starts to receive the body of the response, or returns the target
// of a redirect. It calls release at the end of the response.
func (w *sitemapWalk) download(ctx context.Context, u *url.URL, j *sitemapJob, release func()) (d *download, next *url.URL, err error) {
	ctx, started := newDownload(ctx, w.robots.lookup.Fetch.Timeout, w.options.Timeout)
	var body io.ReadCloser
	defer func() {
		if body == nil { // also if the transport panics
			started.stop()
			release()
		}
	}()
	if body, next, err = w.request(ctx, u, j); body == nil {
		return nil, next, err
	}
	go started.receive(ctx, body, release)
	return started, nil, nil
}

// redirected notes that j leads to an address, and reports whether that is another file of the walk.
func (w *sitemapWalk) redirected(j *sitemapJob, address string) (known bool, err error) {
	switch other := w.known[address]; other {
	case nil:
		w.know(j, address)
	case j:
	default:
		for up := j.parent; up != nil; up = up.parent {
			if up == other {
				loop := &sitemap.Finding{Kind: sitemap.Loop, Text: other.URL}
				w.report(j, *loop)
				return true, fmt.Errorf("%w: it redirects: %w", ErrSitemapUseless, loop)
			}
		}
		other.addresses = append(other.addresses, j.addresses...) // what lists j lists the other
		return true, nil
	}
	return false, nil
}

// acquireSlot waits until u may be requested. Call release when the response has been
// received. For the target of a redirect it also waits for Retry-After, because a
// retry would meet the same redirect again.
func (w *sitemapWalk) acquireSlot(ctx context.Context, u *url.URL, redirected bool) (release func(), err error) {
	d, err := w.robots.Decide(ctx, u)
	if err != nil {
		return nil, err
	}
	if d.Verdict != Allowed {
		return nil, w.refusal(d.refusal(u.Redacted()))
	}
	o, delay, err := w.robots.crawlDelay(ctx, u, d)
	if err != nil {
		return nil, err
	}
	switch wait := w.robots.lookup.Limiter.RetryAfter(o); {
	case redirected && wait <= w.retryBudget:
		w.retryBudget -= wait
	case wait > 0:
		return nil, &temporaryError{err: fmt.Errorf("%s sent Retry-After, which has not passed yet", o), retryAt: time.Now().Add(wait), notSent: true}
	}
	done, err := w.robots.lookup.Limiter.WaitForCaller(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("waiting for a request slot: %w", err)
	}
	if err := w.robots.lookup.Limiter.Await(ctx, o, max(w.options.Delay, w.robots.lookup.Limiter.SetDelay(o, delay))); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// refusal marks a refusal as temporary if it is, unless Options.Guard is its cause.
func (w *sitemapWalk) refusal(err error) error {
	var blocked *BlockedError
	if errors.As(err, &blocked) && blocked.Reason == Later && !errors.Is(err, guard.ErrRefused) {
		return &temporaryError{err: blocked, retryAt: time.Now().Add(blocked.RetryAt.Sub(w.robots.lookup.Now()))}
	}
	return err
}

// failure marks the error of a request without a response as temporary.
func (w *sitemapWalk) failure(ctx context.Context, err error, j *sitemapJob) error {
	if errors.Is(err, guard.ErrRefused) {
		return err
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &temporaryError{err: err, retryAt: w.nextTry(j, nil)}
}

// request sends one request, with the transport and the cookies of the collector that ctx
// belongs to. It returns the body of the response, the target of a redirect, or an error.
func (w *sitemapWalk) request(ctx context.Context, u *url.URL, j *sitemapJob) (body io.ReadCloser, next *url.URL, err error) {
	j.Status = 0
	if open := w.robots.options.Fetch.Schemes[u.Scheme]; open != nil {
		body, err := w.requestFetcher(ctx, open, u)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = w.failure(ctx, err, j)
		}
		return body, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("User-Agent", w.robots.lookup.UserAgent)
	req.Header.Set("Accept", "application/xml,text/xml,text/plain,*/*;q=0.8")
	req.Header.Set("Accept-Encoding", "gzip") // stored compressed to save memory
	jar := hook.Jar(ctx)
	if jar != nil {
		for _, cookie := range jar.Cookies(u) {
			req.AddCookie(cookie)
		}
	}
	resp, err := w.robots.gate(roundtrip.Func(w.robots.hook.RoundTrip)).RoundTrip(req)
	if err != nil {
		if errors.As(err, new(*BlockedError)) { // the rules have changed
			return nil, nil, w.refusal(err)
		}
		return nil, nil, w.failure(ctx, err, j)
	}
	if cookies := resp.Cookies(); jar != nil && len(cookies) > 0 {
		jar.SetCookies(u, cookies)
	}
	j.Status = resp.StatusCode
	if 200 <= resp.StatusCode && resp.StatusCode <= 299 {
		return resp.Body, nil, nil
	}
	defer resp.Body.Close()
	roundtrip.Drain(resp)
	err = fmt.Errorf("status %d", resp.StatusCode)
	switch what := lookup.Dispose(resp.StatusCode); {
	case what == lookup.Follow:
		next, redirect := lookup.Location(u, resp.Header)
		if redirect != nil {
			return nil, nil, fmt.Errorf("%w: %w", err, redirect)
		}
		return nil, next, nil
	case what == lookup.ServerError, resp.StatusCode == http.StatusRequestTimeout: // temporary
		return nil, nil, &temporaryError{err: err, retryAt: w.nextTry(j, resp.Header)}
	}
	return nil, nil, err
}

// requestFetcher sends a request by a scheme other than http and https.
func (w *sitemapWalk) requestFetcher(ctx context.Context, open Fetcher, u *url.URL) (file io.ReadCloser, err error) {
	o, err := OriginOf(u)
	if err != nil {
		return nil, err
	}
	end := w.robots.lookup.Limiter.Begin(o)
	defer func() {
		if file == nil { // also if open panics
			end()
		}
	}()
	if file, err = open(ctx, u); err != nil {
		return nil, err
	}
	return roundtrip.OnClose(file, end), nil
}

// nextTry returns the time of the next try; h is the header of the response, or nil.
func (w *sitemapWalk) nextTry(j *sitemapJob, h http.Header) time.Time {
	now := time.Now()
	return now.Add(max(w.robots.lookup.Backoff(j.tries, j.Status), RetryAfter(h, now)))
}

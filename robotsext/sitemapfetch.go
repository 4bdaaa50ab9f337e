package robotsext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// maxSitemapRedirects is how many redirects of one sitemap are followed.
const maxSitemapRedirects = 5

// open requests a file, and where the answers point to. Each request waits for
// its turn and is checked by the robots.txt of its own origin (ROB-SMP-04).
func (w *sitemapWalk) open(ctx context.Context, u *url.URL, j *sitemapJob) (*download, error) {
	for hop := range maxSitemapRedirects + 1 {
		release, err := w.turn(ctx, u, hop > 0)
		if err != nil {
			return nil, err
		}
		if hop == 0 {
			j.Attempts++
		}
		requested, d := newDownload(ctx, w.silence, w.options.Timeout)
		body, next, err := w.ask(requested, u, j)
		if body != nil {
			go d.receive(requested, body, release)
			return d, nil
		}
		d.stop()
		release()
		if err != nil {
			return nil, err
		}
		u = next
	}
	return nil, fmt.Errorf("more than %d redirects", maxSitemapRedirects)
}

// turn waits until u may be requested. release is to be called when the answer
// has been received. A Retry-After is waited for here if u is the target of a
// redirect, which another try would only meet again.
func (w *sitemapWalk) turn(ctx context.Context, u *url.URL, redirected bool) (release func(), err error) {
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
	switch wait := w.robots.pacer.retryAfter(o); {
	case redirected && wait <= w.patience:
		w.patience -= wait
	case wait > 0:
		return nil, &passing{err: fmt.Errorf("%s sent Retry-After, and that has not passed", o), at: time.Now().Add(wait), untested: true}
	}
	done, err := w.robots.pacer.waitForCaller(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("waiting for a turn: %w", err)
	}
	if err := w.robots.pacer.await(ctx, o, max(w.options.Delay, w.robots.pacer.setDelay(o, delay))); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// refusal makes a failure that may pass of a refusal for the time being, other than by
// Options.Guard.
func (w *sitemapWalk) refusal(err error) error {
	var blocked *BlockedError
	if errors.As(err, &blocked) && blocked.Reason == Later && !errors.Is(err, guard.ErrRefused) {
		return &passing{err: blocked, at: time.Now().Add(blocked.RetryAt.Sub(w.now()))}
	}
	return err
}

// failure makes a failure that may pass of a request that got no answer.
func (w *sitemapWalk) failure(ctx context.Context, err error, j *sitemapJob) error {
	if errors.Is(err, guard.ErrRefused) {
		return err
	}
	return &passing{err: causeOr(ctx, err), at: w.again(j, nil)}
}

// ask makes one request. It returns the body of an answer that has one to be
// read, or where the answer points to, or why there is neither.
func (w *sitemapWalk) ask(ctx context.Context, u *url.URL, j *sitemapJob) (body io.ReadCloser, next *url.URL, err error) {
	j.Status = 0
	if open := w.robots.schemes[u.Scheme]; open != nil {
		body, err := w.askFetcher(ctx, open, u)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = w.failure(ctx, err, j)
		}
		return body, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("User-Agent", w.robots.userAgent)
	req.Header.Set("Accept", "application/xml,text/xml,text/plain,*/*;q=0.8")
	req.Header.Set("Accept-Encoding", "gzip") // kept as it comes: it is less to keep
	resp, err := w.robots.Transport(nil).RoundTrip(req)
	if err != nil {
		if errors.As(err, new(*BlockedError)) { // the rules are new
			return nil, nil, w.refusal(err)
		}
		return nil, nil, w.failure(ctx, err, j)
	}
	j.Status = resp.StatusCode
	if 200 <= resp.StatusCode && resp.StatusCode <= 299 {
		return resp.Body, nil, nil
	}
	defer resp.Body.Close()
	drain(resp)
	err = fmt.Errorf("status %d", resp.StatusCode)
	switch what := dispose(resp.StatusCode); {
	case what == follow:
		next, redirect := location(u, resp.Header)
		if redirect != nil {
			return nil, nil, fmt.Errorf("%w: %w", err, redirect)
		}
		return nil, next, nil
	case what == serverError, resp.StatusCode == http.StatusRequestTimeout: // 5xx, 429, and what is no response
		return nil, nil, &passing{err: err, at: w.again(j, resp.Header)}
	}
	return nil, nil, err
}

// askFetcher is a request by a scheme other than http and https.
func (w *sitemapWalk) askFetcher(ctx context.Context, open Fetcher, u *url.URL) (io.ReadCloser, error) {
	o, err := OriginOf(u)
	if err != nil {
		return nil, err
	}
	end := w.robots.pacer.begin(o)
	file, err := open(ctx, u)
	if err != nil {
		end()
		return nil, err
	}
	return releasingBody{file, end}, nil
}

// again is when a file that failed may be asked for again; h is of an answer,
// nil for none.
func (w *sitemapWalk) again(j *sitemapJob, h http.Header) time.Time {
	now := time.Now()
	return now.Add(max(w.backoff.after(j.tries, j.Status), RetryAfter(h, now)))
}

// causeOr is why ctx ended, or err if it has not.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

package robotsext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// answer is what one fetch of a robots.txt came to, redirects included.
type answer struct {
	origin    Origin
	outcome   Outcome
	status    int         // of the last answer, 0 for none
	err       error       // why the outcome is Unreachable
	unsent    bool        // it is because Options.Fetch.Wait failed: no fault of the site
	body      []byte      // outcome Rules
	truncated bool        // body was cut at the size limit
	header    http.Header // of the last answer
	transit   time.Duration
	chain     []string // the URLs requested
}

func (a *answer) unreachable(err error) { a.outcome, a.err = Unreachable, err }

// maxRedirects is how many redirects in a row are followed (ROB-FET-05).
const maxRedirects = 5

// fetch asks once for the robots.txt of o. It never fails: trouble is the
// outcome Unreachable. What ctx carries is there for Options.Transport; only
// Options.Fetch.Timeout ends the fetch.
func (r *Robots) fetch(ctx context.Context, o Origin) *answer {
	ctx, limit := withTimeLimit(ctx, r.timeout)
	defer limit.stop()
	a := &answer{origin: o}
	u, err := url.Parse(o.RobotsURL())
	if err != nil {
		a.unreachable(err)
		return a
	}
	if fetcher := r.fetchers[u.Scheme]; fetcher != nil {
		r.fetchBy(ctx, limit, fetcher, u, a)
	} else {
		r.fetchHTTP(ctx, limit, u, a)
	}
	if ctx.Err() != nil && a.outcome == Unreachable {
		// Said in our words, so that nobody takes our deadline for the caller's.
		a.err, a.unsent = context.Cause(ctx), false
	}
	return a
}

// fetchHTTP asks u, and where the answers point to.
func (r *Robots) fetchHTTP(ctx context.Context, limit *timeLimit, u *url.URL, a *answer) {
	for range maxRedirects + 1 {
		next, done := r.hop(ctx, limit, u, a)
		if done {
			return
		}
		if slices.Contains(a.chain, next.String()) {
			break // a loop: the same end as too many redirects (ROB-FET-07)
		}
		u = next
	}
	a.outcome = AllowAll // too many redirects count as 404
}

// hop makes one request of a fetch. It either settles a or returns the URL that
// the answer points to.
func (r *Robots) hop(ctx context.Context, limit *timeLimit, u *url.URL, a *answer) (next *url.URL, done bool) {
	a.chain = append(a.chain, u.String())
	a.status, a.header = 0, nil
	release, err := r.turn(ctx, limit, u)
	if err != nil {
		a.unreachable(fmt.Errorf("robotsext: waiting for a turn: %w", err))
		a.unsent = true
		return nil, true
	}
	defer release()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		a.unreachable(err)
		return nil, true
	}
	// Nothing else: no condition, no range, no cookie, no credential
	// (ROB-FET-01, ROB-FET-18). Naming the coding keeps the transport from
	// decoding on its own, without a limit.
	var reused atomic.Bool // the connection had carried another request
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { reused.Store(info.Reused) },
	}))
	req.Header.Set("User-Agent", r.userAgent)
	req.Header.Set("Accept", "text/plain,*/*;q=0.8")
	req.Header.Set("Accept-Encoding", "gzip")
	sent := time.Now()
	resp, err := r.roundTrip(req)
	if err != nil {
		a.unreachable(err)
		return nil, true
	}
	defer resp.Body.Close()
	a.status, a.header, a.transit = resp.StatusCode, resp.Header, time.Since(sent)
	if o, err := OriginOf(u); err == nil {
		defer r.hold(o, RetryAfter(resp.Header, r.now()))
	}
	what := dispose(resp.StatusCode, r.uniform4xx)
	if resp.StatusCode == http.StatusRequestTimeout && resp.ProtoMajor == 1 && reused.Load() {
		what = serverError // the site may have timed out the idle connection, which says nothing of the file
	}
	if what == follow {
		next, err := location(u, resp.Header)
		if err != nil {
			a.unreachable(fmt.Errorf("robotsext: status %d: %w", resp.StatusCode, err))
			return nil, true
		}
		drain(resp)
		return next, false
	}
	switch what {
	case useBody, usePart:
		a.body, a.truncated, err = readBody(resp, r.maxBytes)
		if err != nil {
			a.unreachable(err)
			return nil, true
		}
		a.outcome = Rules
	case noRules:
		a.outcome = Rules
	case noFile:
		a.outcome = AllowAll
		drain(resp)
	default:
		a.unreachable(fmt.Errorf("robotsext: status %d", resp.StatusCode))
		drain(resp)
	}
	return nil, true
}

// location is where a redirect answer to a request for u points: an http or
// https URL without what belongs to the page that is looked at (the fragment) or
// to whoever asks (user name and password).
func location(u *url.URL, h http.Header) (*url.URL, error) {
	value := h.Get("Location")
	if value == "" {
		return nil, errors.New("redirect without a Location")
	}
	next, err := u.Parse(value)
	if err != nil {
		return nil, fmt.Errorf("redirect: %w", secret.Error(err))
	}
	o, err := OriginOf(next)
	if err == nil && next.Scheme != "http" && next.Scheme != "https" {
		err = fmt.Errorf("%w %q", ErrUnsupportedScheme, next.Scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("redirect to %q: %w", secret.Reference(value), err)
	}
	return url.Parse(string(o) + next.RequestURI()) // which has no user
}

// Fetcher opens the robots.txt at u, whose scheme is neither http nor https
// (ROB-LOC-10). An error that is fs.ErrNotExist says that there is no such file,
// which allows everything; any other error, also of reading, says that it is
// unreachable. The context ends when Options.Fetch.Timeout is over.
type Fetcher func(ctx context.Context, u *url.URL) (io.ReadCloser, error)

func (r *Robots) fetchBy(ctx context.Context, limit *timeLimit, open Fetcher, u *url.URL, a *answer) {
	a.chain = []string{u.String()}
	release, err := r.turn(ctx, limit, u)
	if err != nil {
		a.unreachable(fmt.Errorf("robotsext: waiting for a turn: %w", err))
		a.unsent = true
		return
	}
	defer release()
	file, err := open(ctx, u)
	if errors.Is(err, fs.ErrNotExist) {
		a.outcome = AllowAll
		return
	}
	if err != nil {
		a.unreachable(err)
		return
	}
	defer file.Close()
	if a.body, a.truncated, err = readLimited(file, r.maxBytes); err != nil {
		a.unreachable(err)
		return
	}
	a.outcome = Rules
}

// turn waits, off the clock of the fetch, until u may be requested (ROB-FET-17).
// The request counts as under way until release is called (ROB-FET-19). A
// Retry-After, such as that of the redirect to u, is waited for if it is not
// longer than a fetch may take: askers wait too, and may have no time limit.
func (r *Robots) turn(ctx context.Context, limit *timeLimit, u *url.URL) (release func(), err error) {
	o, err := OriginOf(u)
	if err != nil {
		return nil, err
	}
	if r.retryAfter(o) > r.timeout {
		return nil, errRetryAfter
	}
	limit.pause()
	defer limit.resume()
	done, err := r.waitFor(ctx, u)
	if err != nil {
		return nil, err
	}
	if err := r.await(ctx, o, r.delayOf(o)); err != nil {
		done()
		return nil, err
	}
	end := r.begin(o)
	return func() { end(); done() }, nil
}

// waitFor is Options.Fetch.Wait.
func (r *Robots) waitFor(ctx context.Context, u *url.URL) (done func(), err error) {
	if r.wait != nil {
		done, err = r.wait(ctx, u)
	}
	if done == nil {
		done = func() {}
	}
	return done, err
}

// timeLimit ends a context after a time that can be stopped like a chess clock.
type timeLimit struct {
	mu     sync.Mutex
	left   time.Duration // when last started
	since  time.Time     // start of the current run
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func withTimeLimit(ctx context.Context, d time.Duration) (context.Context, *timeLimit) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &timeLimit{left: d, since: time.Now(), cancel: cancel}
	l.timer = time.AfterFunc(d, func() {
		cancel(fmt.Errorf("robotsext: no whole answer within %s", d))
	})
	return ctx, l
}

func (l *timeLimit) pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer.Stop() {
		l.left -= time.Since(l.since)
	}
}

func (l *timeLimit) resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = time.Now()
	l.timer.Reset(max(l.left, 0))
}

func (l *timeLimit) stop() {
	l.timer.Stop()
	l.cancel(nil)
}

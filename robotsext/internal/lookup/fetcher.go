package lookup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// file is what a Lookup fetches from each origin, such as its robots.txt.
type file struct {
	path     string
	maxBytes int
	parse    func(*record.Record)                        // sets the File of a record, or what else its Body says
	check    func(ctx context.Context, u *url.URL) error // whether u may be requested; nil means always, as for robots.txt
}

// name returns the name of the file for messages.
func (f file) name() string { return path.Base(f.path) }

// fetchResult is the result of fetching one robots.txt or tdmrep.json, including redirects.
type fetchResult struct {
	origin    record.Origin
	outcome   record.Outcome
	status    int         // of the last response, 0 for none
	err       error       // why the outcome is Unreachable
	unsent    bool        // the program prevented or canceled the request, so this says nothing about the site
	broken    bool        // the connection failed, so a retry may succeed
	body      []byte      // outcome Rules
	truncated bool        // body was cut at the size limit
	header    http.Header // of the last response
	transit   time.Duration
	chain     []string // the URLs requested
}

func (res *fetchResult) unreachable(err error) { res.outcome, res.err = record.OutcomeUnreachable, err }

// fetch fetches the robots.txt of o. On failure the outcome is Unreachable. Ctx passes
// values to Options.Transport; only Options.Fetch.Timeout ends the fetch.
func (l *Lookup) fetch(ctx context.Context, o record.Origin) *fetchResult {
	ctx, limit := withTimeLimit(ctx, l.Fetch.Timeout)
	defer limit.stop()
	res := &fetchResult{origin: o}
	u, err := url.Parse(string(o) + l.file.path)
	if err != nil {
		res.unreachable(err)
		return res
	}
	l.follow(ctx, limit, u, res)
	switch {
	case res.outcome != record.OutcomeUnreachable:
	case ctx.Err() != nil:
		// Our own error, so that our deadline is not mistaken for the caller's.
		res.err, res.unsent = context.Cause(ctx), false
	case errors.Is(res.err, context.Canceled):
		res.unsent = true // Options.Transport canceled the request itself
	}
	return res
}

// follow requests u and follows redirects. It retries once if a connection fails, because the
// next one may work, for example through another proxy. The site may have received the first
// request, so the retry waits for a request slot of its own, like any request.
func (l *Lookup) follow(ctx context.Context, limit *timeLimit, u *url.URL, res *fetchResult) {
	retried := false
	for range record.MaxRedirects + 1 {
		next, done := l.hop(ctx, limit, u, res)
		if res.broken && !retried {
			retried = true
			failed := *res
			res.chain, res.err, res.broken = slices.Clone(res.chain[:len(res.chain)-1]), nil, false
			if next, done = l.hop(ctx, limit, u, res); res.unsent {
				*res = failed // the program prevented only the retry
			}
		}
		if done {
			return
		}
		if slices.Contains(res.chain, next.String()) {
			break // a loop: the same end as too many redirects (ROB-FET-07)
		}
		u = next
	}
	res.outcome = record.OutcomeAllowAll // too many redirects count as 404
}

// hop sends one request. It either completes res or returns the target of a redirect.
func (l *Lookup) hop(ctx context.Context, limit *timeLimit, u *url.URL, res *fetchResult) (next *url.URL, done bool) {
	if l.refused(ctx, limit, u, res) {
		return nil, true
	}
	release, err := l.acquireSlot(ctx, limit, u)
	if err != nil {
		res.unreachable(fmt.Errorf("waiting for a request slot: %w", err))
		// A redirect with a long Retry-After is the site's reason, and counts as a failed fetch.
		res.unsent = len(res.chain) == 0 || !errors.Is(err, errRetryAfter)
		return nil, true
	}
	defer func() { release() }()
	res.chain = append(res.chain, u.String())
	res.status, res.header = 0, nil
	if open := l.Fetch.Schemes[u.Scheme]; open != nil {
		l.open(ctx, open, u, res)
		return nil, true
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		res.unreachable(err)
		return nil, true
	}
	// Nothing else: no condition, no range, no cookie, no credential
	// (ROB-FET-01, ROB-FET-18). Naming the coding keeps the transport from
	// decoding on its own, without a limit.
	var reused atomic.Bool // the connection had carried another request
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { reused.Store(info.Reused) },
	}))
	req.Header.Set("User-Agent", l.UserAgent)
	req.Header.Set("Accept", "text/plain,*/*;q=0.8")
	req.Header.Set("Accept-Encoding", "gzip")
	sent := time.Now()
	var failure error // of the transport, not of the signer or the wait
	resp, err := roundtrip.Send(l.Signer, roundtrip.Func(func(req *http.Request) (resp *http.Response, err error) {
		resp, failure = roundtrip.Complete(l.RoundTrip(req))
		return resp, failure
	}), req, func(ctx context.Context) error {
		release()
		var err error
		if release, err = l.acquireSlot(ctx, limit, u); err != nil {
			release = func() {}
		}
		return err
	})
	if err != nil {
		res.unreachable(err)
		res.broken = l.mayRecover(ctx, u, failure)
		return nil, true
	}
	defer resp.Body.Close()
	res.status, res.header, res.transit = resp.StatusCode, resp.Header, time.Since(sent)
	if o, err := record.OriginOf(u); err == nil {
		defer l.Limiter.noteRetryAfter(o, RetryAfter(resp.Header, l.Now()))
	}
	what := Dispose(resp.StatusCode)
	if resp.StatusCode == http.StatusRequestTimeout && resp.ProtoMajor == 1 && reused.Load() {
		what = ServerError // the site may have closed the idle connection
	}
	if what == Follow {
		next, err := Location(u, resp.Header)
		if err != nil {
			res.unreachable(fmt.Errorf("status %d: %w", resp.StatusCode, err))
			return nil, true
		}
		roundtrip.Drain(resp)
		return next, false
	}
	switch what {
	case UseBody:
		raw := &countingReader{r: resp.Body, limit: maxEncoded(l.file.maxBytes)}
		res.body, res.truncated, err = readBody(resp, raw, l.file.maxBytes)
		if err != nil {
			res.unreachable(err)
			res.broken = l.mayRecover(ctx, u, raw.err)
			return nil, true
		}
		res.outcome = record.OutcomeRules
	case NoRules:
		res.outcome = record.OutcomeRules
	case NoFile:
		res.outcome = record.OutcomeAllowAll
		roundtrip.Drain(resp)
	default:
		res.unreachable(fmt.Errorf("status %d", resp.StatusCode))
		roundtrip.Drain(resp)
	}
	return nil, true
}

// mayRecover reports whether a request to u whose connection failed with err may succeed on
// another connection.
func (l *Lookup) mayRecover(ctx context.Context, u *url.URL, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, context.Canceled) ||
		slices.ContainsFunc(l.Permanent, func(permanent error) bool { return errors.Is(err, permanent) }) {
		return false
	}
	var dns *net.DNSError
	// The name may also be a proxy's, and the next proxy may be another.
	return !errors.As(err, &dns) || !dns.IsNotFound || dns.Name != u.Hostname()
}

// refused completes res if u must not be requested. It may request a robots.txt first.
func (l *Lookup) refused(ctx context.Context, limit *timeLimit, u *url.URL, res *fetchResult) bool {
	if l.file.check == nil {
		return false
	}
	limit.pause()
	defer limit.resume()
	switch err := l.file.check(ctx, u); {
	case err == nil:
		return false
	case errors.Is(err, ErrDisallowed):
		res.outcome, res.err = record.OutcomeAllowAll, ErrDisallowed
	default:
		res.unreachable(err)
		res.unsent = len(res.chain) == 0 // else it is a redirect, which the site has sent
	}
	return true
}

// Location returns the http or https URL that a redirect of u points to, without
// fragment, user name and password.
func Location(u *url.URL, h http.Header) (*url.URL, error) {
	value := h.Get("Location")
	if value == "" {
		return nil, errors.New("redirect without a Location")
	}
	next, err := u.Parse(value)
	if err != nil {
		return nil, fmt.Errorf("redirect to an invalid URL %q", secret.RedactInvalidURL(value))
	}
	o, err := record.OriginOf(next)
	if err == nil && next.Scheme != "http" && next.Scheme != "https" {
		err = fmt.Errorf("%w %q", record.ErrUnsupportedScheme, next.Scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("redirect to %q: %w", secret.RedactURL(value), err)
	}
	return url.Parse(string(o) + next.RequestURI()) // which has no user
}

// open reads u by the fetcher of its scheme.
func (l *Lookup) open(ctx context.Context, open record.Fetcher, u *url.URL, res *fetchResult) {
	body, err := open(ctx, u)
	if errors.Is(err, fs.ErrNotExist) {
		res.outcome = record.OutcomeAllowAll
		return
	}
	if err == nil {
		defer body.Close()
		res.body, res.truncated, err = readLimited(body, l.file.maxBytes)
	}
	if err != nil {
		res.unreachable(err)
		return
	}
	res.outcome = record.OutcomeRules
}

// acquireSlot waits until u may be requested (ROB-FET-17); the fetch timeout is paused
// meanwhile. The request counts as in flight until release is called (ROB-FET-19). It
// fails if a Retry-After is longer than a fetch may take, since callers wait too.
func (l *Lookup) acquireSlot(ctx context.Context, limit *timeLimit, u *url.URL) (release func(), err error) {
	o, err := record.OriginOf(u)
	if err != nil {
		return nil, err
	}
	if l.Limiter.RetryAfter(o) > l.Fetch.Timeout {
		return nil, errRetryAfter
	}
	limit.pause()
	defer limit.resume()
	done, err := l.Limiter.WaitForCaller(ctx, u)
	if err != nil {
		return nil, err
	}
	if err := l.Limiter.Await(ctx, o, l.Limiter.DelayOf(o)); err != nil {
		done()
		return nil, err
	}
	end := l.Limiter.Begin(o)
	return func() { end(); done() }, nil
}

// timeLimit ends a context after a time, and can be paused.
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
		cancel(fmt.Errorf("no complete response within %s", d))
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

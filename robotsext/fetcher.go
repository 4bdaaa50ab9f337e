package robotsext

import (
	"context"
	"errors"
	"fmt"
	"io"
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

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// robotsFetcher fetches the file of an origin at one path, such as robots.txt. It has no cache.
type robotsFetcher struct {
	path       string // of the file
	transports *transports
	schemes    map[string]Fetcher
	limiter    *limiter
	signer     Signer // nil: requests are not signed
	userAgent  string
	timeout    time.Duration // of one fetch
	maxBytes   int
	now        func() time.Time

	check func(ctx context.Context, u *url.URL) error // whether u may be requested; nil: always, as for robots.txt
}

func newRobotsFetcher(opts *Options, userAgent string, t *transports, p *limiter) *robotsFetcher {
	maxBytes := robotstxt.DefaultMaxBytes
	if opts.Parse != nil && opts.Parse.MaxBytes > 0 {
		maxBytes = opts.Parse.MaxBytes
	}
	return &robotsFetcher{
		path:       robotsPath,
		transports: t,
		schemes:    opts.Fetch.Schemes,
		limiter:    p,
		signer:     opts.Signer,
		userAgent:  userAgent,
		timeout:    opts.Fetch.timeout(),
		maxBytes:   maxBytes,
		now:        p.now,
	}
}

// name returns the name of the file for messages.
func (f *robotsFetcher) name() string { return path.Base(f.path) }

// fetchResult is the result of fetching one robots.txt or tdmrep.json, including redirects.
type fetchResult struct {
	origin    Origin
	outcome   Outcome
	status    int         // of the last response, 0 for none
	err       error       // why the outcome is Unreachable
	unsent    bool        // the program prevented or canceled the request, so the site is not at fault
	broken    bool        // the connection failed, so a retry may succeed
	body      []byte      // outcome Rules
	truncated bool        // body was cut at the size limit
	header    http.Header // of the last response
	transit   time.Duration
	chain     []string // the URLs requested
}

func (res *fetchResult) unreachable(err error) { res.outcome, res.err = OutcomeUnreachable, err }

// maxRedirects limits redirects in a row (ROB-FET-05).
const maxRedirects = 5

// fetch fetches the robots.txt of o. On failure the outcome is Unreachable. Ctx passes
// values to Options.Transport; only Options.Fetch.Timeout ends the fetch.
func (f *robotsFetcher) fetch(ctx context.Context, o Origin) *fetchResult {
	ctx, limit := withTimeLimit(ctx, f.timeout)
	defer limit.stop()
	res := &fetchResult{origin: o}
	u, err := url.Parse(string(o) + f.path)
	if err != nil {
		res.unreachable(err)
		return res
	}
	if open := f.schemes[u.Scheme]; open != nil {
		f.fetchBy(ctx, limit, open, u, res)
	} else {
		f.fetchHTTP(ctx, limit, u, res)
	}
	switch {
	case res.outcome != OutcomeUnreachable:
	case ctx.Err() != nil:
		// Our own error, so that our deadline is not mistaken for the caller's.
		res.err, res.unsent = context.Cause(ctx), false
	case errors.Is(res.err, context.Canceled):
		res.unsent = true // Options.Transport canceled the request itself
	}
	return res
}

// fetchHTTP requests u and follows redirects. It retries once if a connection fails, because the
// next one may work, for example through another proxy. The site may have received the first
// request, so the retry waits for a request slot of its own, like any request.
func (f *robotsFetcher) fetchHTTP(ctx context.Context, limit *timeLimit, u *url.URL, res *fetchResult) {
	retried := false
	for range maxRedirects + 1 {
		next, done := f.hop(ctx, limit, u, res)
		if res.broken && !retried {
			retried = true
			failed := *res
			res.chain, res.err, res.broken = slices.Clone(res.chain[:len(res.chain)-1]), nil, false
			if next, done = f.hop(ctx, limit, u, res); res.unsent {
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
	res.outcome = OutcomeAllowAll // too many redirects count as 404
}

// hop sends one request. It either completes res or returns the target of a redirect.
func (f *robotsFetcher) hop(ctx context.Context, limit *timeLimit, u *url.URL, res *fetchResult) (next *url.URL, done bool) {
	if f.refused(ctx, limit, u, res) {
		return nil, true
	}
	release, err := f.acquireSlot(ctx, limit, u)
	if err != nil {
		res.unreachable(fmt.Errorf("waiting for a request slot: %w", err))
		// A redirect with a long Retry-After is the site's reason, and counts as a failed fetch.
		res.unsent = len(res.chain) == 0 || !errors.Is(err, errRetryAfter)
		return nil, true
	}
	defer func() { release() }()
	res.chain = append(res.chain, u.String())
	res.status, res.header = 0, nil
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
	req.Header.Set("User-Agent", f.userAgent)
	req.Header.Set("Accept", "text/plain,*/*;q=0.8")
	req.Header.Set("Accept-Encoding", "gzip")
	sent := time.Now()
	var failure error // of the transport, not of the signer or the wait
	resp, err := send(f.signer, roundTripper(func(req *http.Request) (resp *http.Response, err error) {
		resp, failure = f.transports.roundTrip(req)
		return resp, failure
	}), req, func(ctx context.Context) error {
		release()
		var err error
		if release, err = f.acquireSlot(ctx, limit, u); err != nil {
			release = func() {}
		}
		return err
	})
	if err != nil {
		res.unreachable(err)
		res.broken = mayRecover(ctx, u, failure)
		return nil, true
	}
	defer resp.Body.Close()
	res.status, res.header, res.transit = resp.StatusCode, resp.Header, time.Since(sent)
	if o, err := OriginOf(u); err == nil {
		defer f.limiter.noteRetryAfter(o, RetryAfter(resp.Header, f.now()))
	}
	what := dispose(resp.StatusCode)
	if resp.StatusCode == http.StatusRequestTimeout && resp.ProtoMajor == 1 && reused.Load() {
		what = serverError // the site may have closed the idle connection
	}
	if what == follow {
		next, err := location(u, resp.Header)
		if err != nil {
			res.unreachable(fmt.Errorf("status %d: %w", resp.StatusCode, err))
			return nil, true
		}
		drain(resp)
		return next, false
	}
	switch what {
	case useBody, usePart:
		raw := &countingReader{r: resp.Body, limit: maxEncoded(f.maxBytes)}
		res.body, res.truncated, err = readBody(resp, raw, f.maxBytes)
		if err != nil {
			res.unreachable(err)
			res.broken = mayRecover(ctx, u, raw.err)
			return nil, true
		}
		res.outcome = OutcomeRules
	case noRules:
		res.outcome = OutcomeRules
	case noFile:
		res.outcome = OutcomeAllowAll
		drain(resp)
	default:
		res.unreachable(fmt.Errorf("status %d", resp.StatusCode))
		drain(resp)
	}
	return nil, true
}

// mayRecover reports whether a request to u whose connection failed with err may succeed on
// another connection.
func mayRecover(ctx context.Context, u *url.URL, err error) bool {
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, context.Canceled):
		return false
	case errors.Is(err, guard.ErrRefused), errors.Is(err, ErrProxy), errors.Is(err, errUnguarded):
		return false
	}
	var dns *net.DNSError
	// The name may also be that of a proxy, and the next proxy may be another.
	return !errors.As(err, &dns) || !dns.IsNotFound || dns.Name != u.Hostname()
}

// refused completes res if u must not be requested. It may request a robots.txt first.
func (f *robotsFetcher) refused(ctx context.Context, limit *timeLimit, u *url.URL, res *fetchResult) bool {
	if f.check == nil {
		return false
	}
	limit.pause()
	defer limit.resume()
	var refusal *BlockedError
	switch err := f.check(ctx, u); {
	case err == nil:
		return false
	case errors.As(err, &refusal) && refusal.Reason == Disallowed:
		res.outcome, res.err = OutcomeAllowAll, errDisallowed
	default:
		res.unreachable(err)
		res.unsent = len(res.chain) == 0 // else it is a redirect, which the site has sent
	}
	return true
}

// errDisallowed is the error of a file that robots.txt disallows, or to whose end of redirects it does.
var errDisallowed = errors.New("disallowed by robots.txt")

// location returns the http or https URL that a redirect of u points to, without
// fragment, user name and password.
func location(u *url.URL, h http.Header) (*url.URL, error) {
	value := h.Get("Location")
	if value == "" {
		return nil, errors.New("redirect without a Location")
	}
	next, err := u.Parse(value)
	if err != nil {
		return nil, fmt.Errorf("redirect to an invalid URL %q", secret.RedactInvalidURL(value))
	}
	o, err := OriginOf(next)
	if err == nil && next.Scheme != "http" && next.Scheme != "https" {
		err = fmt.Errorf("%w %q", ErrUnsupportedScheme, next.Scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("redirect to %q: %w", secret.RedactURL(value), err)
	}
	return url.Parse(string(o) + next.RequestURI()) // which has no user
}

// Fetcher opens a robots.txt, tdmrep.json or sitemap, or returns fs.ErrNotExist.
type Fetcher func(ctx context.Context, u *url.URL) (io.ReadCloser, error)

func (f *robotsFetcher) fetchBy(ctx context.Context, limit *timeLimit, open Fetcher, u *url.URL, res *fetchResult) {
	if f.refused(ctx, limit, u, res) {
		return
	}
	res.chain = []string{u.String()}
	release, err := f.acquireSlot(ctx, limit, u)
	if err != nil {
		res.unreachable(fmt.Errorf("waiting for a request slot: %w", err))
		res.unsent = true
		return
	}
	defer release()
	file, err := open(ctx, u)
	if errors.Is(err, fs.ErrNotExist) {
		res.outcome = OutcomeAllowAll
		return
	}
	if err != nil {
		res.unreachable(err)
		return
	}
	defer file.Close()
	if res.body, res.truncated, err = readLimited(file, f.maxBytes); err != nil {
		res.unreachable(err)
		return
	}
	res.outcome = OutcomeRules
}

// acquireSlot waits until u may be requested (ROB-FET-17); the fetch timeout is paused
// meanwhile. The request counts as in flight until release is called (ROB-FET-19). It
// fails if a Retry-After is longer than a fetch may take, since callers wait too.
func (f *robotsFetcher) acquireSlot(ctx context.Context, limit *timeLimit, u *url.URL) (release func(), err error) {
	o, err := OriginOf(u)
	if err != nil {
		return nil, err
	}
	if f.limiter.retryAfter(o) > f.timeout {
		return nil, errRetryAfter
	}
	limit.pause()
	defer limit.resume()
	done, err := f.limiter.waitForCaller(ctx, u)
	if err != nil {
		return nil, err
	}
	if err := f.limiter.await(ctx, o, f.limiter.delayOf(o)); err != nil {
		done()
		return nil, err
	}
	end := f.limiter.begin(o)
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

package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// Config configures a [Transport] and a [Fetcher].
type Config struct {
	UserAgent        string        // of pages
	Contact          string        // the email address in From, which all requests have; empty: none have it
	Types            Types         // of pages to read
	Timeout          time.Duration // for one page, from connecting to the last byte
	FirstByteTimeout time.Duration // until a response begins; 0: no limit
	StallTimeout     time.Duration // in which a body must deliver 1 KiB; 0: no limit
	MaxBody          int           // maximum bytes of a page to read
	Workers          int           // maximum requests in flight
	PerHost          int           // maximum requests in flight to one host
	Proxies          []string      // URLs; all requests to a host use one of them; empty: those of the environment

	Credentials *credentials.Store // added to requests; nil: none
	Signer      robotsext.Signer   // signs requests; nil: none are signed

	Guard    *guard.Guard  // allows or blocks addresses
	Resolver *net.Resolver // nil: that of the machine

	// Base replaces the transport that is made from PerHost, Proxies, Guard and Resolver. Nil:
	// it is not replaced.
	Base http.RoundTripper

	// Local sends the requests to some servers instead, by the key of package serverkey. Nil: none.
	Local map[string]http.RoundTripper
}

// Hooks are functions of the crawl that a [Transport] calls. Those that may be nil say so.
type Hooks struct {
	// Delay waits until the host of a URL is due. It is called before a request is repeated. It
	// fails if ctx ends before that, without waiting if ctx has a deadline.
	Delay func(ctx context.Context, u *url.URL) error

	// Lease calls abort with an error if the lease of the request's host ends during the
	// request. If Lease returns an error, the request is not sent. Done is called when the
	// request ends. Nil: leases never end during a request.
	Lease func(req *http.Request, abort func(error)) (done func(), err error)

	// Responded is called with each response when it begins, and ended when its body is
	// closed. It reads Retry-After.
	Responded func(req *http.Request, resp *http.Response) (ended func())

	// Sent is called for each request that was sent: when the response begins, or with the
	// error if there is none. Nil: not called.
	Sent func(req *http.Request, took time.Duration, err error)

	// Record receives each exchange except those of pages, which are in the [Response]. Nil:
	// exchanges are not recorded.
	Record func(*output.Exchange)

	// Fail is called when requests cannot be signed, and when no connection can be opened because the
	// process, or the machine, has no file descriptor left.
	Fail func(error)
}

// Transport sends all requests of a crawl. It cancels them when the crawl is aborted, and corrects
// responses that http.Client would reject.
type Transport struct {
	ctx   context.Context
	base  http.RoundTripper
	proxy func(*http.Request) (*url.URL, error) // of base; nil: unknown
	hooks Hooks
	stall time.Duration // zero: no limit
	conns http2Conns

	credentials *credentials.Store // nil: none
	signer      robotsext.Signer   // nil: none
	contact     string             // in From; empty: none
	types       Types
}

// NewTransport returns a Transport whose requests end when ctx does.
func NewTransport(ctx context.Context, cfg Config, hooks Hooks) *Transport {
	base, proxy := newBase(&cfg)
	return &Transport{
		ctx: ctx, base: &idleCloser{withLocal(base, cfg.Local), hooks.Sent, hooks.Fail}, proxy: proxy, hooks: hooks, stall: cfg.StallTimeout,
		credentials: cfg.Credentials, signer: cfg.Signer, contact: cfg.Contact, types: cfg.Types,
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.signer == nil {
		return t.exchange(req)
	}
	sent := false
	resp, err := t.signer.Send(sendFunc(func(req *http.Request) (*http.Response, error) {
		sent = true
		return t.exchange(req)
	}), req, func(ctx context.Context) error { return t.hooks.Delay(ctx, req.URL) })
	switch {
	case err == nil:
		resp.Request = req
	case !sent: // the site is not at fault
		t.hooks.Fail(err)
	}
	return resp, err
}

// sendFunc is a function as http.RoundTripper.
type sendFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f sendFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// exchange sends one request.
func (t *Transport) exchange(req *http.Request) (*http.Response, error) {
	began := time.Now()
	ctx, cancel := context.WithCancelCause(req.Context())
	abort := func() { cancel(nil) }
	unlink := context.AfterFunc(t.ctx, abort)
	end := func() { unlink(); abort() }
	if t.hooks.Lease != nil {
		done, err := t.hooks.Lease(req, func(why error) { cancel(&abortError{why}) })
		if err != nil {
			end()
			return nil, err
		}
		end = func() { done(); unlink(); abort() }
	}
	s := &sender{ctx: ctx, delay: func() error { return t.hooks.Delay(ctx, req.URL) }, cancel: cancel, conns: &t.conns}
	page := pageOf(req)
	content := isContent(req, page)
	out := req.WithContext(s.withTrace())
	out.Header = req.Header.Clone()
	encoded := acceptCodings(out)
	if t.contact != "" {
		out.Header.Set("From", t.contact)
	}
	t.credentials.Apply(out, content)
	rec, out := t.record(out, page)
	resp, err := s.send(t.base, out)
	if err == nil {
		err = t.check(out, resp)
	}
	if err != nil {
		err = explain(ctx, err, began, false)
		s.done(true)
		end()
		return nil, err
	}
	if content {
		t.credentials.Keep(req, resp)
	}
	if t.hooks.Responded != nil {
		ended, endAll := t.hooks.Responded(req, resp), end
		end = func() { ended(); endAll() }
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	resp.Body = s.track(resp)
	if t.stall > 0 && resp.Body != http.NoBody {
		resp.Body = newStallBody(resp.Body, t.stall, abort)
	}
	body, size := resp.Body, resp.ContentLength // as the site sends it
	if rec != nil {
		rec.responded(out, resp)
	}
	if encoded {
		decode(resp, page)
	}
	resp.Request = req
	resp.Body = &endingBody{ReadCloser: resp.Body, end: end, explain: func(err error) error { return explain(ctx, err, began, true) }}
	correctLocation(resp, content)
	if page != nil {
		page.readBody(resp, t.types, body, size)
	}
	return resp, nil
}

// check returns an error if resp is not a valid response of the site, and closes its body.
func (t *Transport) check(req *http.Request, resp *http.Response) error {
	var err error
	switch {
	case resp.StatusCode == http.StatusProxyAuthRequired && t.proxyResponds(req):
		err = errProxyAuth
	case resp.StatusCode < 200: // nothing else would end the connection after a 101
		err = fmt.Errorf("the response has an invalid status: %03d", resp.StatusCode)
	default:
		return nil
	}
	_ = resp.Body.Close()
	return err
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *Transport) CloseIdleConnections() { closeIdle(t.base) }

// correctLocation hides a Location that net/url cannot parse from http.Client, which would return an
// error instead of the response. That of a robots.txt is rewritten if browsers can parse it.
func correctLocation(resp *http.Response, content bool) {
	location := resp.Header.Get("Location")
	if location == "" {
		return
	}
	if _, err := resp.Request.URL.Parse(location); err == nil {
		return
	}
	if content {
		redirection.Hide(resp.Header)
	} else if u, err := weburl.Resolve(resp.Request.URL.String(), location); err == nil {
		resp.Header.Set("Location", u.Canonical)
	} else {
		resp.Header.Del("Location")
	}
}

// endingBody calls end when the body is closed, and explains read errors.
type endingBody struct {
	io.ReadCloser
	end     func()
	explain func(error) error
}

func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	return n, b.explain(err)
}

// Close closes the body and ends the request.
func (b *endingBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// Config configures a [Transport] and a [Fetcher].
type Config struct {
	UserAgent        string        // of pages
	Contact          string        // the email address in From of all requests; empty means no From
	Types            Types         // of pages to read
	Timeout          time.Duration // for one page, from connecting to the last byte
	FirstByteTimeout time.Duration // until a response begins; 0 means no limit
	StallTimeout     time.Duration // in which a body must deliver 1 KiB; 0 means no limit
	MaxBody          int           // maximum bytes of a page to read
	MaxRecorded      int64         // maximum bytes of a body to record
	Spool            string        // the directory for large bodies that are recorded
	Workers          int           // maximum requests in flight
	PerHost          int           // maximum requests in flight to one host
	Proxies          []string      // URLs; all requests to a host use one of them; empty means those of the environment

	Credentials *credentials.Store // added to requests; nil if none
	Signer      robotsext.Signer   // signs requests; nil means none are signed

	Guard    *guard.Guard  // allows or blocks addresses
	Resolver *net.Resolver // nil means that of the machine

	// Base replaces the transport that is made from PerHost, Proxies, Guard and Resolver, unless it
	// is nil.
	Base http.RoundTripper

	// Local sends the requests to some servers instead, by the key of package serverkey.
	Local map[string]http.RoundTripper
}

// Crawl is the crawl that a [Transport] sends requests for.
type Crawl struct {
	// Lifecycle ends the requests when the crawl is aborted. It fails when requests cannot be signed, and
	// when no connection can be opened because the process, or the machine, has no file descriptor left.
	Lifecycle *lifecycle.Lifecycle
	Pacer     Pacer
	Leases    Leases   // nil means that leases never end during a request
	Observer  Observer // nil if there is none
	Archive   Archive  // nil means that exchanges are not recorded
}

// A Pacer decides when a host may be requested.
type Pacer interface {
	// PauseBefore waits until the host of a URL is due, before a request is repeated. It fails if
	// ctx ends before that, without waiting if ctx has a deadline.
	PauseBefore(ctx context.Context, u *url.URL) error
	// RetryAfter obeys the Retry-After of a response that begins. It returns the time for which to
	// Block the host when the response ends, or 0.
	RetryAfter(req *http.Request, resp *http.Response) time.Duration
	Block(u *url.URL, wait time.Duration)
}

// Leases know which hosts this process may request.
type Leases interface {
	// WithinLease calls abort if the lease of a URL's host ends before ctx, the context of a request.
	// If it returns an error, the request is not sent.
	WithinLease(ctx context.Context, u *url.URL, abort func(error)) error
}

// An Observer gets each request that was sent: when the response begins, or with the error if there
// is none.
type Observer interface {
	Request(req *http.Request, took time.Duration, err error)
}

// An Archive gets each exchange, except for pages: theirs are in the [Response].
type Archive interface{ Exchange(e *output.Exchange) }

// Transport sends all requests of a crawl. It cancels them when the crawl is aborted, and corrects
// responses that http.Client would reject.
type Transport struct {
	crawl   Crawl
	cfg     Config
	base    http.RoundTripper
	proxied *http.Transport // which base uses; nil if unknown
	conns   http2Conns
	noticed sync.Once // that the archive has only a part of a body
}

// NewTransport returns a Transport for a crawl.
func NewTransport(crawl Crawl, cfg Config) *Transport {
	base, proxied := newBase(&cfg, crawl.Archive != nil)
	removeSpooled(cfg.Spool)
	if len(cfg.Local) > 0 {
		base = &localTransport{base, cfg.Local}
	}
	return &Transport{crawl: crawl, cfg: cfg, base: &idleCloser{base, crawl}, proxied: proxied}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.cfg.Signer == nil {
		return t.exchange(req)
	}
	sent := false
	resp, err := t.cfg.Signer.Send(sendFunc(func(req *http.Request) (*http.Response, error) {
		sent = true
		return t.exchange(req)
	}), req, func(ctx context.Context) error { return t.crawl.Pacer.PauseBefore(ctx, req.URL) })
	switch {
	case err == nil:
		resp.Request = req
	case !sent: // the site has not failed
		t.crawl.Lifecycle.Fail(err)
	}
	return resp, err
}

// sendFunc is a function as http.RoundTripper.
type sendFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f sendFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// exchange sends one request.
func (t *Transport) exchange(req *http.Request) (*http.Response, error) {
	s := newSender(t, req)
	if t.crawl.Leases != nil {
		if err := t.crawl.Leases.WithinLease(s.ctx, req.URL, s.abort); err != nil {
			s.end()
			return nil, err
		}
	}
	page := pageOf(req)
	content := isContent(req, page)
	out := req.WithContext(s.withTrace())
	out.Header = req.Header.Clone()
	encoded := acceptCodings(out)
	if t.cfg.Contact != "" {
		out.Header.Set("From", t.cfg.Contact)
	}
	t.cfg.Credentials.Apply(out, content)
	resp, err := s.send(t.base, out)
	if err == nil {
		err = t.check(out, resp)
	}
	if err != nil {
		err = explain(s.ctx, err, s.began, false)
		s.done(true)
		s.end()
		return nil, err
	}
	if content {
		t.cfg.Credentials.Keep(req, resp)
	}
	s.retryAfter = t.crawl.Pacer.RetryAfter(req, resp)
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	resp.Body = s.track(resp)
	if t.cfg.StallTimeout > 0 && resp.Body != http.NoBody {
		resp.Body = newStallBody(resp.Body, t.cfg.StallTimeout, s)
	}
	s.recording.responded(out, resp)
	body, size := resp.Body, resp.ContentLength // as the site sends it
	if encoded {
		decode(resp, page)
	}
	resp.Request = req
	resp.Body = &endingBody{resp.Body, s}
	correctLocation(resp, content)
	if page != nil {
		page.readBody(resp, t.cfg.Types, body, size)
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
// error instead of the response. The Location of a robots.txt is rewritten if browsers can parse it.
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

// endingBody ends its request when the body is closed, explains read errors, and lets a recording have the rest of the
// body after them.
type endingBody struct {
	io.ReadCloser
	sender *sender
}

func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.sender.recording.drain()
	}
	return n, explain(b.sender.ctx, err, b.sender.began, true)
}

// Close closes the body and ends the request.
func (b *endingBody) Close() error {
	b.sender.end()
	return b.ReadCloser.Close()
}

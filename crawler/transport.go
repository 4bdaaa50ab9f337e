package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/descriptors"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxIdle is how many connections are kept between requests, at the least, where there
// are descriptors for them: of that many hosts, each of which is asked again after its
// delay, none has to be connected to for every request.
const maxIdle = 2048

// How long a connection and its handshake may take, at the most: the time of the page,
// sitemap or robots.txt that it is for goes on.
const (
	connectTime   = 10 * time.Second
	handshakeTime = 10 * time.Second
)

// maxHeader is how many bytes the head of an answer may have, one with interim answers
// before it together with these. Servers send less than 8 KiB; browsers take 256.
const maxHeader = 256 << 10

// newTransport returns a transport for crawling, but for its dialer: it keeps one
// connection to a host, or as many as may be in flight there.
func newTransport(cfg *Config) *http.Transport {
	return &http.Transport{
		Proxy:                  proxies(cfg.Proxies),
		OnProxyConnectResponse: tunnelled,
		TLSHandshakeTimeout:    min(handshakeTime, cfg.Timeout),
		ResponseHeaderTimeout:  cfg.FirstByteTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           idleConnections(cfg.Workers, descriptors.Limit()),
		MaxIdleConnsPerHost:    cfg.PerHost,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// transport returns what sends the requests of a crawl, and which proxy it chooses; nil: it
// does not tell.
func (c *Crawler) transport() (sends http.RoundTripper, proxy func(*http.Request) (*url.URL, error)) {
	if c.opts.Transport == nil {
		own := newTransport(&c.cfg)
		return &http1Fallback{
			base:  c.guard.Transport(own, c.dialer()),
			http1: c.guard.Transport(withoutHTTP2(own), c.dialer()),
		}, own.Proxy
	}
	if given, ok := c.opts.Transport.(*http.Transport); ok {
		return &http1Fallback{base: given, http1: withoutHTTP2(given)}, given.Proxy
	}
	return c.opts.Transport, nil
}

// dialer makes the connections of a crawl, as far as its guard lets it.
func (c *Crawler) dialer() *net.Dialer {
	return &net.Dialer{Timeout: min(connectTime, c.cfg.Timeout), KeepAlive: 30 * time.Second, Resolver: c.resolver}
}

// wire sends the requests of a crawl, below everything else. It ends them when
// the crawl is aborted, and puts right what would stop the layers above from
// seeing an answer as it is. It also holds what a site may do to whoever reads its
// answer: see unpack.go and stall.go.
type wire struct {
	base    http.RoundTripper
	working context.Context
	pause   func(context.Context, *url.URL)       // lets the delay of the host of a URL pass
	stall   time.Duration                         // the time in which a body has to get on; zero: it may take its time
	proxy   func(*http.Request) (*url.URL, error) // as base has it; nil: not known
	record  func(*output.Exchange)                // takes what has gone over it, but for pages; nil: nobody wants that, nor those

	// retryAfter obeys that of a response, whose end it is told of; nil: nobody does.
	retryAfter func(*http.Request, *http.Response) (ended func())

	unpacker unpacker
	lines    lines

	// within bounds a request by the lease of its host; nil: leases last.
	within func(req *http.Request, lose func()) (done func(), err error)
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	ctx, cancel := context.WithCancelCause(req.Context())
	unlink := context.AfterFunc(w.working, func() { cancel(nil) })
	end := func() { unlink(); cancel(nil) }
	if w.within != nil {
		done, err := w.within(req, func() { cancel(nil) })
		if err != nil {
			end()
			return nil, err
		}
		end = func() { done(); unlink(); cancel(nil) }
	}
	l := &line{ctx: ctx, pause: func(ctx context.Context) { w.pause(ctx, req.URL) }, giveUp: cancel, lines: &w.lines}
	page, _ := req.Context().Value(responseKey{}).(*response)
	out, packed := w.unpacker.ask(req.WithContext(l.traced(ctx)))
	var rec *recording
	if w.record != nil {
		rec, out = record(out, w.record)
		if page != nil {
			rec.page, rec.done = true, func(e *output.Exchange) { page.Exchange = e }
		}
		rec.proxied = w.proxyOf(out) != nil
	}
	resp, err := l.send(w.base, out)
	if err == nil && resp.StatusCode == http.StatusProxyAuthRequired && w.answersForProxy(out) {
		err = errProxyAsks
		_ = resp.Body.Close()
	}
	if err == nil && resp.StatusCode < 200 {
		err = fmt.Errorf("what came is no answer: its status is %03d", resp.StatusCode)
		_ = resp.Body.Close() // after 101 nothing else would end it, no time limit either
	}
	if err != nil {
		if errors.Is(context.Cause(ctx), errRefusedAgain) {
			err = errRefusedAgain
		}
		err = explained(ctx, err, began, false)
		l.done(true)
		end()
		return nil, err
	}
	if w.retryAfter != nil {
		ended, endAll := w.retryAfter(req, resp), end
		end = func() { ended(); endAll() }
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	resp.Body = l.over(resp)
	if w.stall > 0 && resp.Body != http.NoBody {
		resp.Body = newStallBody(resp.Body, w.stall, func() { cancel(nil) })
	}
	if rec != nil {
		rec.answered(out, resp)
	}
	if packed {
		w.unpacker.unpack(resp, page)
	}
	resp.Request = req
	resp.Body = &endingBody{ReadCloser: resp.Body, end: end, explain: func(err error) error { return explained(ctx, err, began, true) }}
	readableLocation(resp)
	return resp, nil
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (w *wire) CloseIdleConnections() { (&http.Client{Transport: w.base}).CloseIdleConnections() }

// readableLocation rewrites a Location that browsers can read and net/url cannot:
// http.Client would make an error of it, and the answer would be lost.
func readableLocation(resp *http.Response) {
	location := resp.Header.Get("Location")
	if location == "" {
		return
	}
	if _, err := resp.Request.URL.Parse(location); err == nil {
		return
	}
	if a, err := weburl.Resolve(resp.Request.URL.String(), location); err == nil {
		resp.Header.Set("Location", a.Canonical)
	} else {
		resp.Header.Del("Location")
	}
}

// endingBody calls end when the body is closed, and puts words on what breaks it off.
type endingBody struct {
	io.ReadCloser
	end     func()
	explain func(error) error
}

// Read implements io.Reader.
func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	return n, b.explain(err)
}

// Close closes the body and tells of its end.
func (b *endingBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

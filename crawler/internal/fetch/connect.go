package fetch

import (
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/descriptors"
)

// maxIdle is how many connections are kept between requests, at the least, where there
// are descriptors for them: of that many hosts, each of which is requested again after its
// delay, none has to be connected to for every request.
const maxIdle = 2048

// How long a connection and its handshake may take, at the most. The time limit of the page,
// sitemap or robots.txt holds beside them.
const (
	connectTime   = 10 * time.Second
	handshakeTime = 10 * time.Second
)

// maxHeader is how many bytes the header of a response may have, together with the interim
// responses before it. Servers send less than 8 KiB; browsers take 256.
const maxHeader = 256 << 10

// newHTTPTransport returns a transport for crawling, but for its dialer: it keeps as many
// connections to a host as may have a request in flight.
func newHTTPTransport(cfg *Config) *http.Transport {
	return &http.Transport{
		Proxy:                  proxies(cfg.Proxies),
		OnProxyConnectResponse: onProxyConnectResponse,
		TLSHandshakeTimeout:    min(handshakeTime, cfg.Timeout),
		ResponseHeaderTimeout:  cfg.FirstByteTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           idleConnections(cfg.Workers, descriptors.Limit()),
		MaxIdleConnsPerHost:    cfg.PerHost,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// newDialer returns a dialer, whose connections the guard has yet to allow.
func newDialer(cfg *Config) *net.Dialer {
	return &net.Dialer{Timeout: min(connectTime, cfg.Timeout), KeepAlive: 30 * time.Second, Resolver: cfg.Resolver}
}

// newBase returns the transport that connects to servers, and its proxy function; nil: it
// is not known.
func newBase(cfg *Config) (base http.RoundTripper, proxy func(*http.Request) (*url.URL, error)) {
	if cfg.Base == nil {
		own := newHTTPTransport(cfg)
		return &http1Fallback{
			base:  cfg.Guard.Transport(own, newDialer(cfg)),
			http1: cfg.Guard.Transport(withoutHTTP2(own), newDialer(cfg)),
		}, own.Proxy
	}
	if given, ok := cfg.Base.(*http.Transport); ok {
		return &http1Fallback{base: given, http1: withoutHTTP2(given)}, given.Proxy
	}
	return cfg.Base, nil
}

// closeIdle closes the idle connections of a transport, if it can.
func closeIdle(t http.RoundTripper) { (&http.Client{Transport: t}).CloseIdleConnections() }

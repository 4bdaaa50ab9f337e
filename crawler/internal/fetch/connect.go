package fetch

import (
	"net"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/descriptors"
)

// maxIdle is the number of idle connections to keep, if there are enough file descriptors. A crawl of
// at most this many hosts can reuse its connections after the delay of each host.
const maxIdle = 2048

// Time limits of a connection and its handshake. The time limit of the page, sitemap or
// robots.txt applies too.
const (
	connectTime   = 10 * time.Second
	handshakeTime = 10 * time.Second
)

// maxHeader is the maximum size in bytes of a response header with the interim responses
// before it. Servers send less than 8 KiB; browsers take 256.
const maxHeader = 256 << 10

// Buffers of a connection in bytes, which it keeps while it is idle; the default is 4 KiB each. A
// typical header fits into one, and bodies are read past the buffer. A larger request takes several
// writes.
const (
	readBuffer  = 2 << 10
	writeBuffer = 1 << 10
)

// newHTTPTransport returns a transport for crawling, without a dialer. It keeps as many idle
// connections to a host as the host may have requests in flight.
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
		ReadBufferSize:         readBuffer,
		WriteBufferSize:        writeBuffer,
	}
}

// newDialer returns a dialer. The caller adds the guard that checks its addresses.
func newDialer(cfg *Config) *net.Dialer {
	return &net.Dialer{Timeout: min(connectTime, cfg.Timeout), KeepAlive: 30 * time.Second, Resolver: cfg.Resolver}
}

// newBase returns the transport that connects to servers, and the one with its proxies, if known. With record, it records
// what its connections receive.
func newBase(cfg *Config, record bool) (base http.RoundTripper, proxied *http.Transport) {
	switch given := cfg.Base.(type) {
	case nil:
		own := newHTTPTransport(cfg)
		return newFallback(own, cfg, record), own
	case *http.Transport:
		return &fallback{base: given, http1: withoutHTTP2(given)}, given
	}
	return cfg.Base, nil
}

// closeIdle closes the idle connections of a transport, if it can.
func closeIdle(t http.RoundTripper) { (&http.Client{Transport: t}).CloseIdleConnections() }

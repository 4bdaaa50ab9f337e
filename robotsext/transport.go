package robotsext

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// transports sends requests without checks: through Options.Transport, or through the
// transport of the collector for which the request is sent.
type transports struct {
	base  base // of Options.Transport
	set   bool // Options.Transport is set
	guard *guard.Guard
	log   *slog.Logger

	proxied   func() http.RoundTripper // sends through a proxy for collectors whose transport cannot
	unguarded sync.Once                // a transport that cannot be guarded was logged

	mu         sync.Mutex      // guards the rest
	shared     *http.Transport // http.DefaultTransport when it was used last
	sharedBase base
}

func newTransports(opts *Options, log *slog.Logger) *transports {
	t := &transports{set: opts.Transport != nil, guard: opts.Guard, log: log}
	t.base = t.newBase(opts.Transport)
	t.proxied = sync.OnceValue(func() http.RoundTripper { return t.guarded(newTransport()).proxied() })
	return t
}

// newTransport returns the default transport. It keeps as many connections to a host
// as a small pool of workers uses.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            newDialer().DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           1000,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

func newDialer() *net.Dialer {
	return &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
}

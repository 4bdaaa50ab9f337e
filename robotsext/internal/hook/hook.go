// Package hook checks the requests of colly collectors. It wraps the transport of a collector in a
// gate, and answers colly's own request for robots.txt. It seals the collector's context, so a
// collector that has lost its gate requests no page. For that it reads and replaces private fields
// of a collector: README.md says which methods of colly would replace them.
package hook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
)

// Checker decides about the requests of attached collectors. A context that it gets has the values of
// the collector's context, and leads to the collector's transport; see Open.
type Checker interface {
	// Pass sends req through base if robots.txt allows it. It uses check for the check and send
	// for the request. Nil means the context of req.
	Pass(check, send context.Context, req *http.Request, base http.RoundTripper) (*http.Response, error)
	// CheckHost returns why colly, which has sent req for a robots.txt, must not visit the host.
	CheckHost(ctx context.Context, req *http.Request) error
	// Prefetch fetches the robots.txt for a request of a collector with IgnoreRobotsTxt, for
	// which colly asks for none.
	Prefetch(ctx context.Context, u *url.URL)
	// Allows reports whether u is known to be allowed, without a request.
	Allows(u *url.URL) bool
}

// Config is what a Hook needs besides a Checker.
type Config struct {
	UserAgent string            // replaces colly's default
	Transport http.RoundTripper // robotsext.Options.Transport
	Guard     *guard.Guard      // robotsext.Options.Guard
	Log       *slog.Logger
}

// Hook attaches collectors to a Checker, and sends requests without checks: through the transport of
// a collector or of Config.
type Hook struct {
	Config

	checker      Checker
	attached     sync.Map  // the gate of each attached collector, both by weak.Pointer: it keeps neither in memory
	collyWarning sync.Once // a colly whose clients cannot be read was logged

	base      base                     // of Config.Transport
	proxied   func() http.RoundTripper // sends through a proxy for collectors whose transport cannot
	unguarded sync.Once                // a transport that cannot be guarded was logged

	mu         sync.Mutex      // guards the rest
	shared     *http.Transport // http.DefaultTransport when it was used last
	sharedBase base
}

// New returns a Hook for a checker.
func New(checker Checker, c Config) *Hook {
	h := &Hook{Config: c, checker: checker}
	h.base = h.newBase(c.Transport)
	h.proxied = sync.OnceValue(func() http.RoundTripper { return h.guarded(newTransport()).proxied() })
	return h
}

// The errors of requests that are not sent.
var (
	ErrDetached        = errors.New("the collector's transport was replaced, so robots.txt is not checked: call Attach again after SetClient")
	ErrContextReplaced = errors.New("the collector's context was replaced: set the context before Attach, and call Attach before Clone")
	ErrUncheckable     = errors.New("request cannot be checked against robots.txt")
	ErrProxy           = errors.New("SetProxy needs Options.Transport to be nil or an *http.Transport")
	// ErrUnguarded is the error of collectors whose transport cannot be guarded.
	ErrUnguarded = errors.New("the collector's transport cannot be guarded: remove its dial functions, or do not set robotsext.Options.Guard")
)

// IsChecked reports whether robots.txt applies to URLs with scheme. Requests with other
// schemes, such as file, are not checked. An empty scheme is an error of the URL.
func IsChecked(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "":
		return true
	}
	return false
}

// Base returns the transport of Config, or the default one, without a check.
func (h *Hook) Base() http.RoundTripper { return h.base.transport }

// Pass sends req through base if the Checker allows it.
func (h *Hook) Pass(req *http.Request, base http.RoundTripper) (*http.Response, error) {
	s := sealOf(req.Context())
	if s == nil {
		return h.checker.Pass(req.Context(), nil, req, base)
	}
	// The program replaced the transport of an attached collector by one that calls Pass.
	return s.pass(req, h.checker, s.gate.current(), base)
}

// RoundTrip sends req without a check through the transport of the collector that it belongs to,
// or else through Config's.
func (h *Hook) RoundTrip(req *http.Request) (*http.Response, error) {
	if s := shellIn(req.Context()); s != nil {
		return roundtrip.Complete(s.send(req))
	}
	return roundtrip.Complete(h.base.transport.RoundTrip(req))
}

// Open returns the context that methods of robotsext use for ctx. The context of a
// collector does not end while its gate is missing. Its requests use the collector's
// transport and proxy, unless ctx has another shell.
func Open(ctx context.Context) (opened context.Context, release func()) {
	s := sealOf(ctx)
	if s == nil {
		return ctx, func() {}
	}
	opened, release = s.open(ctx)
	if release == nil {
		release = func() {}
	}
	if shellIn(ctx) == nil {
		if s.gate.private.known() {
			s.gate.restore("http") // no request of the collector may have followed WithTransport
		}
		opened = context.WithValue(opened, shellKey{}, s.gate.current())
	}
	return opened, release
}

// IsAttached reports whether a request with ctx is one that an attached collector sends.
func IsAttached(ctx context.Context) bool { return shellIn(ctx) != nil }

// Jar returns the cookie jar of the collector that ctx belongs to, or nil if none.
func Jar(ctx context.Context) http.CookieJar {
	if s := shellIn(ctx); s != nil {
		return s.gate.watched.programJar()
	}
	return nil
}

// BeforeRequest calls f before each page that c requests, with a context and the URL of the page.
// For pages of CacheDir it calls f too in colly before v2.3.0.
func BeforeRequest(c *colly.Collector, f func(context.Context, *url.URL)) {
	collector := privateOf(c)
	call := func(req *colly.Request) {
		ctx := context.Background()
		if set := collector.context(); set != nil {
			ctx = *set
		}
		if sealOf(ctx) == nil && collector.known() {
			ctx = context.WithValue(ctx, shellKey{}, shellOf(collector.client().Transport))
		}
		f(ctx, released(req.URL))
	}
	// OnRequestHeaders is called only for requests that are sent, but within the slot of a
	// LimitRule, so that other hosts may have to wait too. Without a cache OnRequest is better.
	ok := collector.onSend(func(req *colly.Request) {
		if c.CacheDir != "" {
			call(req)
		}
	})
	c.OnRequest(func(req *colly.Request) {
		if !ok || c.CacheDir == "" {
			call(req)
		}
	})
}

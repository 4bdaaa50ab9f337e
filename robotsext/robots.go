package robotsext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
	"github.com/politecrawl/politecrawl/robotsext/internal/lookup"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Robots checks the requests of one crawler. It is safe for concurrent use.
type Robots struct {
	options Options // of New
	tokens  []string

	hook   *hook.Hook     // of collectors
	lookup *lookup.Lookup // of robots.txt

	tdmrepOnce sync.Once      // the first use creates tdmrep, so that other programs do not contain it
	tdmrep     *lookup.Lookup // of tdmrep.json

	log        *slog.Logger
	redirects  refusedRedirects
	warnings   warnings
	lastOrigin atomic.Pointer[lastOrigin]

	tokenAgent   atomic.Pointer[string] // the last User-Agent with a product token
	tokenWarning sync.Once              // a User-Agent without product token was logged
}

// New returns a Robots for the crawler that sends userAgent. It fails if neither
// userAgent nor Options.Tokens has a product token. Opts may be nil.
func New(userAgent string, opts *Options) (*Robots, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if !httpguts.ValidHeaderFieldValue(userAgent) {
		return nil, fmt.Errorf("user agent %q cannot be sent in a header", userAgent)
	}
	tokens, err := identity(userAgent, opts)
	if err != nil {
		return nil, err
	}
	log := cmp.Or(opts.Logger, slog.Default())
	clock := opts.Now
	if clock == nil {
		clock = time.Now
	}
	r := &Robots{
		options: *opts,
		tokens:  tokens,
		log:     log,
	}
	r.hook = hook.New(checker{r}, hook.Config{UserAgent: userAgent, Transport: opts.Transport, Guard: opts.Guard, Log: log})
	r.lookup = lookup.New(lookup.Config{
		UserAgent: userAgent,
		RoundTrip: r.hook.RoundTrip,
		Permanent: []error{guard.ErrRefused, ErrProxy, hook.ErrUnguarded},
		Signer:    opts.Signer,
		Parse:     opts.Parse,
		Fetch:     opts.Fetch,
		Cache:     opts.Cache,
		Outage:    opts.Outage,
		OnRecord:  opts.OnRecord,
		OnChange:  opts.OnChange,
		Log:       log,
		// Wall-clock times only: records may come from another process, or from before the
		// machine slept.
		Now: func() time.Time { return clock().Round(0) },
	})
	r.options.Sitemaps = opts.Sitemaps.withDefaults()
	return r, nil
}

// identity returns the product tokens that select the group.
func identity(userAgent string, opts *Options) ([]string, error) {
	if opts.Tokens == nil {
		token, err := robotstxt.ProductToken(userAgent)
		if err != nil {
			return nil, fmt.Errorf("user agent: %w", err)
		}
		return []string{token}, nil
	}
	if len(opts.Tokens) == 0 {
		return nil, errors.New("Options.Tokens is empty")
	}
	for _, token := range opts.Tokens {
		if name, err := robotstxt.ProductToken(token); err != nil || name != token {
			return nil, fmt.Errorf("Options.Tokens: %q is %w: it has letters, digits, dots, - and _ only", token, robotstxt.ErrToken)
		}
	}
	return slices.Clone(opts.Tokens), nil
}

// Tokens returns the product tokens of the crawler, from Options or the user agent.
func (r *Robots) Tokens() []string { return slices.Clone(r.tokens) }

// Record returns the record of u's origin, fetched if necessary.
func (r *Robots) Record(ctx context.Context, u *url.URL) (*Record, error) {
	return r.record(ctx, u, false)
}

// Refresh fetches robots.txt again. If that fails, a record that has not expired stays in use.
func (r *Robots) Refresh(ctx context.Context, u *url.URL) (*Record, error) {
	return r.record(ctx, u, true)
}

func (r *Robots) record(ctx context.Context, u *url.URL, force bool) (*Record, error) {
	o, err := r.originOf(u)
	if err != nil {
		return nil, err
	}
	return resolve(ctx, r.lookup, o, force)
}

// resolve returns the record of o in l. With a collector's context, the collector sends the requests.
func resolve(ctx context.Context, l *lookup.Lookup, o Origin, force bool) (*Record, error) {
	ctx, release := hook.Open(ctx)
	defer release()
	return l.Resolve(ctx, o, force)
}

// Expire makes the record of u's origin expire, so that robots.txt is requested again before the
// next URL. Call it when the site has stopped responding. A record of an outage stays in use until
// its RetryAt.
func (r *Robots) Expire(u *url.URL) {
	if o, err := r.originOf(u); err == nil {
		r.lookup.Expire(o)
	}
}

// Group returns the group of rec that applies to this crawler, never nil.
func (r *Robots) Group(rec *Record) *robotstxt.Group {
	switch {
	case rec.File == nil:
		return &noGroup
	case r.options.IgnoreWildcardGroup:
		return rec.File.NamedGroup(r.tokens...)
	}
	return rec.File.Group(r.tokens...)
}

// CloseIdleConnections closes idle connections of the transport.
func (r *Robots) CloseIdleConnections() { r.gate(nil).CloseIdleConnections() }

// originOf is OriginOf limited to schemes for which robots.txt can be fetched.
func (r *Robots) originOf(u *url.URL) (Origin, error) {
	o, err := r.cachedOrigin(u)
	if err != nil {
		return "", err
	}
	if scheme, _, _ := strings.Cut(string(o), ":"); scheme != "http" && scheme != "https" && r.options.Fetch.Schemes[scheme] == nil {
		return "", fmt.Errorf("%w %q: Options.Fetch.Schemes has no fetcher for it", ErrUnsupportedScheme, scheme)
	}
	return o, nil
}

// lastOrigin is an origin that was computed for a URL with scheme and host.
type lastOrigin struct {
	scheme, host string
	origin       Origin
}

// cachedOrigin is OriginOf. Several functions ask for the origin of a request.
func (r *Robots) cachedOrigin(u *url.URL) (Origin, error) {
	if last := r.lastOrigin.Load(); last != nil && last.scheme == u.Scheme && last.host == u.Host {
		return last.origin, nil
	}
	o, err := OriginOf(u)
	if err == nil {
		r.lastOrigin.Store(&lastOrigin{u.Scheme, u.Host, o})
	}
	return o, err
}

type userFetchKey struct{}

// WithUserFetch returns a context whose requests are not checked. Use it only for
// requests that a user has triggered.
func WithUserFetch(ctx context.Context) context.Context {
	return context.WithValue(ctx, userFetchKey{}, true)
}

func isUserFetch(ctx context.Context) bool { return ctx.Value(userFetchKey{}) != nil }

package robotsext

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Robots knows, for one crawler, which URLs may be fetched. It is safe for
// concurrent use, and one Robots is best shared by all collectors and clients of
// a program: then each robots.txt is fetched once.
type Robots struct {
	userAgent    string
	tokens       []string
	ignoreGlobal bool

	base     base // of Options.Transport
	guard    *guard.Guard
	fetchers map[string]Fetcher
	wait     func(context.Context, *url.URL) (func(), error)
	timeout  time.Duration

	retryMin, retryMax time.Duration
	life               lifetimes
	profile            OutageProfile
	isAvailable        func(Origin) bool
	uniform4xx, probe  bool
	refuseInGate       bool

	table     *table
	cache     Cache
	unstored  unstored
	parseOpts *robotstxt.Options
	maxBytes  int

	sitemaps SitemapOptions // with defaults

	log      *slog.Logger
	nameless sync.Once // a User-Agent without product token was logged
	unread   sync.Once // a colly whose clients cannot be read was logged
	onRecord func(*Record)
	onChange func(before, after *Record)
	now      func() time.Time
}

// New makes a Robots for the crawler that sends userAgent as its User-Agent, as
// in "examplebot/1.0 (+https://example.com/bot)". It fails if no product token
// can be found in it, and Options.Tokens names none either: a crawler without a
// name cannot be addressed by any robots.txt.
func New(userAgent string, opts *Options) (*Robots, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if !httpguts.ValidHeaderFieldValue(userAgent) {
		return nil, fmt.Errorf("robotsext: user agent %q cannot be sent in a header", userAgent)
	}
	tokens, err := identity(userAgent, opts)
	if err != nil {
		return nil, err
	}
	maxAge := or(opts.Cache.MaxAge, defaultLifetime)
	maxRecords := or(opts.Cache.MaxRecords, defaultMaxRecords)
	r := &Robots{
		userAgent:    userAgent,
		tokens:       tokens,
		ignoreGlobal: opts.IgnoreGlobal,
		guard:        opts.Guard,
		fetchers:     opts.Fetch.Schemes,
		wait:         opts.Fetch.Wait,
		timeout:      or(opts.Fetch.Timeout, 30*time.Second),
		retryMin:     or(opts.Outage.RetryMin, min(time.Minute, or(opts.Outage.RetryMax, time.Minute))),
		retryMax:     or(opts.Outage.RetryMax, max(time.Hour, opts.Outage.RetryMin)),
		life:         lifetimes{floor: max(or(opts.Cache.MinAge, min(5*time.Minute, maxAge)), 0), ceiling: maxAge},
		profile:      opts.Outage.Profile,
		isAvailable:  opts.Outage.Available,
		uniform4xx:   opts.Outage.Uniform4xx,
		probe:        opts.Outage.ProbeMissing,
		refuseInGate: opts.RefuseInGate,
		table:        newTable(maxRecords, or(opts.Cache.MaxBytes, defaultMaxBytes)),
		cache:        opts.Cache.Backend,
		unstored:     unstored{most: maxRecords},
		parseOpts:    opts.Parse,
		maxBytes:     robotstxt.DefaultMaxBytes,
		sitemaps:     opts.Sitemaps.withDefaults(),
		log:          opts.Logger,
		onRecord:     opts.OnRecord,
		onChange:     opts.OnChange,
	}
	clock := opts.Now
	if clock == nil {
		clock = time.Now
	}
	// Records are compared by the time of day, also with those of another
	// process, or from before the machine slept.
	r.now = func() time.Time { return clock().Round(0) }
	if opts.Parse != nil && opts.Parse.MaxBytes > 0 {
		r.maxBytes = opts.Parse.MaxBytes
	}
	r.base = r.ownBase(opts.Transport)
	if r.log == nil {
		r.log = slog.Default()
	}
	return r, nil
}

// identity is the list of product tokens by which groups are chosen.
func identity(userAgent string, opts *Options) ([]string, error) {
	if opts.Tokens == nil {
		token, err := robotstxt.ProductToken(userAgent)
		if err != nil {
			return nil, fmt.Errorf("robotsext: user agent: %w", err)
		}
		return []string{token}, nil
	}
	if len(opts.Tokens) == 0 {
		return nil, errors.New("robotsext: Options.Tokens is empty")
	}
	wide := opts.Parse != nil && opts.Parse.WideTokens
	for _, token := range opts.Tokens {
		// A wide token may be anything that a User-agent line can hold.
		if !robotstxt.ValidToken(token) && (!wide || token == "" || strings.ContainsAny(token, " \t/*#:")) {
			return nil, fmt.Errorf("robotsext: Options.Tokens: %w in %q: it has letters, - and _ only", robotstxt.ErrToken, token)
		}
	}
	return slices.Clone(opts.Tokens), nil
}

// Record returns what is known of the robots.txt that u's origin has, and
// fetches it if need be. An origin whose robots.txt is unreachable has a record
// too; the error is that of ctx, or that u has no origin.
func (r *Robots) Record(ctx context.Context, u *url.URL) (*Record, error) {
	o, err := r.originOf(u)
	if err != nil {
		return nil, err
	}
	return r.record(ctx, o, false)
}

// Refresh is Record with a fetch in any case, though one that is under way
// serves. If it comes to no conclusion while the record before is still fresh,
// that one stays (ROB-STA-06).
func (r *Robots) Refresh(ctx context.Context, u *url.URL) (*Record, error) {
	o, err := r.originOf(u)
	if err != nil {
		return nil, err
	}
	return r.record(ctx, o, true)
}

// Group is the group of rec that binds this crawler. It is empty, not nil, when
// there is none.
func (r *Robots) Group(rec *Record) *robotstxt.Group {
	switch {
	case rec.File == nil:
		return &robotstxt.Group{}
	case r.ignoreGlobal:
		return rec.File.NamedGroup(r.tokens...)
	}
	return rec.File.Group(r.tokens...)
}

// CloseIdleConnections closes the connections that are kept open for a next
// request.
func (r *Robots) CloseIdleConnections() {
	type closer interface{ CloseIdleConnections() }
	if c, ok := r.base.transport.(closer); ok {
		c.CloseIdleConnections()
	}
}

// originOf is OriginOf for the schemes that robots.txt can be fetched by.
func (r *Robots) originOf(u *url.URL) (Origin, error) {
	o, err := OriginOf(u)
	if err != nil {
		return "", err
	}
	if scheme, _, _ := strings.Cut(string(o), ":"); scheme != "http" && scheme != "https" && r.fetchers[scheme] == nil {
		return "", fmt.Errorf("%w %q: Options.Fetch.Schemes has none for it", ErrUnsupportedScheme, scheme)
	}
	return o, nil
}

// parse gives rec its File, if it has rules and no File yet.
func (r *Robots) parse(rec *Record) {
	if rec.Copy != nil && rec.Copy.File == nil {
		rec.Copy.File = robotstxt.Parse(rec.Copy.Body, r.parseOpts)
	}
	switch {
	case rec.Outcome != Rules || rec.File != nil:
	case rec.Copy != nil:
		rec.File = rec.Copy.File
	default:
		rec.File = robotstxt.Parse(rec.Body, r.parseOpts)
	}
}

type userFetchKey struct{}

// WithUserFetch marks requests as made for a person who asked for just this page
// (a translation, a subscribed feed, a malware check), to whom robots.txt does
// not apply: they are not checked (ROB-GEN-03). Nothing sets the mark by itself. A
// collector carries it in the context that it has before Attach.
func WithUserFetch(ctx context.Context) context.Context {
	return context.WithValue(ctx, userFetchKey{}, true)
}

func isUserFetch(ctx context.Context) bool { return ctx.Value(userFetchKey{}) != nil }

package robotsext

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// Options changes how a Robots works. The zero value, like nil, is good for a
// polite crawler, and so is the zero value of each group.
type Options struct {
	// Tokens is the crawler's identity: product tokens, most specific first; the
	// first that has a group in a robots.txt decides (ROB-UA-04). Nil: the token
	// found in the user agent by robotstxt.ProductToken.
	Tokens []string
	// IgnoreGlobal leaves out the groups for "*": only a group that names the
	// crawler binds it (ROB-UA-09). It is for crawlers that the site's owner has
	// sent for, and for nobody else.
	IgnoreGlobal bool
	// Parse is how files are read. Nil: by the specification. MaxBytes is also
	// how much of a body is received, so it cannot be negative here.
	Parse *robotstxt.Options

	// Transport sends the requests for robots.txt and is the default base of
	// Robots.Transport; a collector's pages go through it too. It sees the
	// values of the context under which a record was first asked for. Nil: a
	// transport of its own, with proxies from the environment.
	Transport http.RoundTripper
	// Guard says which addresses may be connected to, by the transport that takes
	// the place of a nil Transport: for robots.txt and its redirects, sitemaps, and
	// the pages of collectors and of Robots.Transport(nil). A robots.txt at an
	// address that it refuses is unreachable, and the error is a guard.ErrRefused.
	// Proxies are connected to in any case; see guard.Guard.Transport. It cannot be
	// set together with Transport, which has to be guarded by who makes it, like
	// Fetch.Schemes (ftpfetch.Options.Guard). Nil: no guard, every address is
	// connected to, that of your own machine included.
	Guard *guard.Guard

	Fetch    FetchOptions
	Cache    CacheOptions
	Outage   OutageOptions
	Sitemaps SitemapOptions

	// RefuseInGate has collectors refuse a page whose robots.txt is unreachable
	// where they refuse one that is disallowed: in the request for the page, so
	// that OnError is told the whole URL and Request.Retry is the way on, rather
	// than by an error of Visit alone, which colly's queue drops. OnRequest has
	// run by then, and the URL is marked as visited. Default: false.
	RefuseInGate bool

	// Logger gets warnings about what the caller should mend, and each fetch at
	// debug level. Nil: slog.Default.
	Logger *slog.Logger
	// OnRecord is called after each fetch, before anyone who waits for it gets
	// the record; after one that failed while the record before is fresh, with
	// that one. OnChange is called after it if the meaning is not that of the
	// record before: another outcome, or other rules for some crawler. Both run
	// while the origin's askers wait, and must not ask for the same origin.
	OnRecord func(*Record)
	OnChange func(before, after *Record)

	// Now is the clock by which records grow old. Nil: time.Now.
	Now func() time.Time
}

// FetchOptions says how robots.txt files and sitemaps are requested.
type FetchOptions struct {
	// Timeout limits one fetch of robots.txt with its redirects. Zero: 30 s.
	Timeout time.Duration
	// Wait is called before each request of a robots.txt fetch, and before each
	// for a sitemap, and returns when u may be requested; the function it
	// returns, which may be nil, is called when the request is over. The time it
	// takes does not count against Timeout. The ctx of a robots.txt fetch does
	// not end while it runs, even if nobody waits for the record any more: Wait
	// has to know its own end. If it fails, those who wait for the record are told
	// to come again within a minute; the site is not held to be unreachable. Here
	// a crawler takes its turn at the server of u (see package server). Nil: no
	// waiting.
	Wait func(ctx context.Context, u *url.URL) (done func(), err error)
	// Schemes opens robots.txt and sitemaps of schemes other than http and https,
	// of which "ftp" is the one that has an Origin; see package ftpfetch. Nil:
	// none, and such URLs are refused with ErrUnsupportedScheme.
	Schemes map[string]Fetcher
}

// CacheOptions says for how long records are used, and where they are kept.
type CacheOptions struct {
	// MinAge and MaxAge bound how long an outcome is used without a new fetch,
	// whatever the site's Cache-Control or Expires says. Where it says nothing
	// that is 24 h, or MaxAge if that is less. Zero: 5 minutes and 24 h.
	// Negative MinAge: no lower bound.
	MinAge, MaxAge time.Duration
	// MaxRecords and MaxBytes bound the records in memory by their number and by
	// an estimate of their size: about 5.5 KB with a file of 600 bytes, which is
	// typical, and 13 KB on average of real files, so that 100,000 take between
	// half a GiB and 1.3 GiB. Zero: 100,000 and 512 MiB.
	MaxRecords int
	MaxBytes   int64
	// Backend keeps records beyond this Robots. Nil: in memory only.
	Backend Cache
}

// OutageOptions says what holds while robots.txt is unreachable, and when it is
// requested again.
type OutageOptions struct {
	// RetryMin and RetryMax bound the time to the next fetch after one that came
	// to no conclusion: it doubles from the one to the other. After a 503 it
	// stays below 10 minutes. Sitemaps waits no longer than RetryMax in all for
	// what has to be fetched again. Zero: 1 minute and 1 hour. More than 24 h
	// counts as 24 h.
	RetryMin, RetryMax time.Duration
	// Profile says what a long outage comes to mean. Zero: RFC9309.
	Profile OutageProfile
	// Available says whether a site is available apart from its robots.txt, which
	// the profile Google asks 30 days into an outage. Nil: it is if a page
	// request by Transport or a collector got an answer other than 429 and 5xx
	// in the last 24 h.
	Available func(Origin) bool
}

// SitemapOptions says how Robots.Sitemaps and Robots.Sitemap read.
type SitemapOptions struct {
	// Policy says which entries of a sitemap are yielded. Zero: sitemap.Listed.
	Policy sitemap.Policy
	// Probe has Sitemaps request /sitemap.xml where robots.txt names no sitemap,
	// or is not there (ROB-SMP-10). Default: false.
	Probe bool
	// MaxFiles limits the files that one call reads. Zero: 1,000.
	MaxFiles int
	// Delay is the least time from the end of a request to a server to the start
	// of one for a sitemap there. A longer Crawl-delay takes its place. Zero: 1 s.
	// Negative: none.
	Delay time.Duration
	// Timeout limits how long one file may take to arrive, however long its
	// reader takes. Zero: 5 minutes. Within it, Fetch.Timeout limits the wait for
	// anything to arrive.
	Timeout time.Duration
	// OnFile is called for each file that Sitemaps is done with: it was read, as
	// far as that goes, or given up. OnFinding is called for whatever is wrong
	// within a file, in file order, OutOfScope and SitemapLoop included. Both run
	// between two entries, in the goroutine that ranges over them. Nil: no call.
	OnFile    func(SitemapFile)
	OnFinding func(file string, f sitemap.Finding)
}

func (o FetchOptions) timeout() time.Duration { return or(o.Timeout, 30*time.Second) }

// withDefaults returns o with a value in place of every zero.
func (o SitemapOptions) withDefaults() SitemapOptions {
	o.MaxFiles = or(o.MaxFiles, 1000)
	o.Delay = max(or(o.Delay, time.Second), 0)
	o.Timeout = or(o.Timeout, 5*time.Minute)
	if o.OnFile == nil {
		o.OnFile = func(SitemapFile) {}
	}
	if o.OnFinding == nil {
		o.OnFinding = func(string, sitemap.Finding) {}
	}
	return o
}

func (o *Options) validate() error {
	for _, f := range []struct {
		name string
		d    time.Duration
	}{
		{"Fetch.Timeout", o.Fetch.Timeout}, {"Cache.MaxAge", o.Cache.MaxAge}, {"Sitemaps.Timeout", o.Sitemaps.Timeout},
		{"Outage.RetryMin", o.Outage.RetryMin}, {"Outage.RetryMax", o.Outage.RetryMax},
	} {
		if f.d < 0 {
			return fmt.Errorf("Options.%s is negative", f.name)
		}
	}
	switch {
	case o.Guard != nil && o.Transport != nil:
		return errors.New("Options.Guard is for a transport of this package's own; guard that in Options.Transport by Guard.Transport")
	case o.Outage.RetryMax != 0 && o.Outage.RetryMin > o.Outage.RetryMax:
		return errors.New("Options.Outage.RetryMin is greater than RetryMax")
	case o.Cache.MinAge > or(o.Cache.MaxAge, defaultLifetime):
		return errors.New("Options.Cache.MinAge is greater than MaxAge")
	case o.Cache.MaxRecords < 0 || o.Cache.MaxBytes < 0 || o.Sitemaps.MaxFiles < 0:
		return errors.New("a limit in Options is negative")
	case o.Parse != nil && o.Parse.MaxBytes < 0:
		return errors.New("Options.Parse.MaxBytes is negative, but a fetch needs a limit")
	case o.Outage.Profile > Pre2019:
		return fmt.Errorf("unknown Options.Outage.Profile %d", o.Outage.Profile)
	case o.Sitemaps.Policy > sitemap.Any:
		return fmt.Errorf("unknown Options.Sitemaps.Policy %d", o.Sitemaps.Policy)
	}
	for scheme := range o.Fetch.Schemes {
		if scheme != "ftp" {
			return fmt.Errorf("Options.Fetch.Schemes: %w %q", ErrUnsupportedScheme, scheme)
		}
	}
	return nil
}

// or returns v unless it is zero.
func or[T comparable](v, zero T) T {
	var none T
	if v == none {
		return zero
	}
	return v
}

package robotsext

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/internal/lookup"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// Options configure a Robots. README.md describes them.
type Options struct {
	Tokens              []string           // product tokens, most specific first; nil means that of the user agent
	IgnoreWildcardGroup bool               // ignore the group of "*"; only for crawlers of the site's owner
	Exempt              func(Origin) bool  // origins whose URLs are not checked; only for hosts of one's own; nil means none
	Parse               *robotstxt.Options // parser options; nil means the defaults
	Transport           http.RoundTripper  // for robots.txt, sitemaps and pages; nil means one with proxies from the environment
	Guard               *guard.Guard       // addresses that may be connected to; nil means all; if set, Transport must be nil
	Signer              Signer             // signs all requests; nil means that none are signed
	Fetch               FetchOptions
	Cache               CacheOptions
	Outage              OutageOptions
	Sitemaps            SitemapOptions
	ReportInOnError     bool         // report an unreachable robots.txt to OnError instead of the caller of Visit; for colly's queue
	Logger              *slog.Logger // nil means slog.Default()
	// OnRefused is called for each refused request of Attach and Transport, before colly or
	// net/http gets the error; several calls may run at once. CheckLink, Check and Decide do not call it.
	OnRefused func(*BlockedError)
	// OnRecord is called after each fetch, OnChange if the outcome, rules or sitemaps changed.
	// Requests to the origin wait for both; neither may call Robots for the same origin.
	OnRecord func(*Record)
	OnTDMRep func(*Record) // called after each fetch of a tdmrep.json; its record has no File
	OnChange func(before, after *Record)
	Now      func() time.Time // clock for the age of records; nil means time.Now
}

// SitemapOptions configure Robots.Sitemaps and Robots.Sitemap.
type SitemapOptions struct {
	Policy    sitemap.Policy                       // which entries are yielded; zero means sitemap.Listed
	Strict    bool                                 // also find what an XML parser or sitemaps.org rejects, as sitemap.Options.Strict
	Probe     bool                                 // request /sitemap.xml if robots.txt lists no sitemap
	MaxFiles  int                                  // per call; zero means 1,000
	Delay     time.Duration                        // minimum between requests to a server; zero means 1 s, negative none; Crawl-delay may increase it
	Timeout   time.Duration                        // for one file; zero means 5 minutes
	OnFile    func(SitemapFile)                    // called after each file unless nil
	OnFinding func(file string, f sitemap.Finding) // called for each finding unless nil
}

// withDefaults replaces zero values with the defaults.
func (o SitemapOptions) withDefaults() SitemapOptions {
	o.MaxFiles = cmp.Or(o.MaxFiles, 1000)
	o.Delay = max(cmp.Or(o.Delay, time.Second), 0)
	o.Timeout = cmp.Or(o.Timeout, 5*time.Minute)
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
		{"Options.Fetch.Timeout", o.Fetch.Timeout}, {"Options.Cache.MaxAge", o.Cache.MaxAge}, {"Options.Sitemaps.Timeout", o.Sitemaps.Timeout},
		{"Options.Outage.RetryMin", o.Outage.RetryMin}, {"Options.Outage.RetryMax", o.Outage.RetryMax},
	} {
		if f.d < 0 {
			return fmt.Errorf("%s is negative", f.name)
		}
	}
	switch {
	case o.Guard != nil && o.Transport != nil:
		return errors.New("Options.Guard and Options.Transport are both set: use Guard.Transport as Options.Transport")
	case o.Outage.RetryMax != 0 && o.Outage.RetryMin > o.Outage.RetryMax:
		return errors.New("Options.Outage.RetryMin is greater than RetryMax")
	case o.Cache.MinAge > cmp.Or(o.Cache.MaxAge, lookup.DefaultLifetime):
		return errors.New("Options.Cache.MinAge is greater than MaxAge")
	case o.Cache.MaxRecords < 0 || o.Cache.MaxBytes < 0 || o.Sitemaps.MaxFiles < 0:
		return errors.New("a limit in Options is negative")
	case o.Parse != nil && o.Parse.MaxBytes < 0:
		return errors.New("Options.Parse.MaxBytes is negative, but a fetch needs a limit")
	case o.Outage.Profile > ProfilePre2019:
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

package crawler

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// DefaultUserAgent is what the crawler calls itself unless told otherwise. Its
// product token, the name that robots.txt files are searched for, is politecrawl.
const DefaultUserAgent = "politecrawl/0.1 (+https://github.com/politecrawl/politecrawl)"

// Config is everything that decides what a crawl does. It is plain data: the
// keys are the same words in a configuration file, in the environment (with
// POLITECRAWL_ before them) and as flags. Start from [Default] and change what
// should differ; a zero Config is not valid. No time is longer than a year.
type Config struct {
	// URLs are the start URLs. Each brings its host into the scope.
	URLs []string `json:"urls"`

	// Output is the directory the crawl writes. It is made if it is missing and
	// must not hold another crawl.
	Output string `json:"output"`

	// Workers is how many URLs are worked on at a time, over all hosts.
	Workers int `json:"workers"`

	// Delay is the least time from the end of one request to the start of the
	// next on the same host (ROB-POL-02). A longer Crawl-delay of the host's
	// robots.txt, up to MaxCrawlDelay, takes its place. Zero is allowed.
	Delay time.Duration `json:"delay"`

	// PerIP is how many requests may be in flight on one IP address, of whatever
	// hosts; 0 is no limit. Above the limit hosts take turns.
	PerIP int `json:"per-ip"`

	// PerHost is how many requests may be in flight on one host, which is a server:
	// http://h, https://h and http://h. are one. Above 1 the delay counts from start
	// to start.
	PerHost int `json:"per-host"`

	// MaxCrawlDelay is the longest Crawl-delay that is obeyed as written; a
	// longer one is cut to it (ROB-EXT-01).
	MaxCrawlDelay time.Duration `json:"max-crawl-delay"`

	// ResponseFactor keeps a host waiting for at least this many times as long
	// as its last answer took, from 0 to 100, so that a slow server is asked less
	// often (ROB-POL-07). It has no effect where Delay is zero.
	ResponseFactor float64 `json:"response-factor"`

	// MaxPages ends the crawl after so many pages; 0 is no limit.
	MaxPages int `json:"max-pages"`

	// MaxHostPages is how many pages are fetched of each host; 0 is no limit.
	MaxHostPages int `json:"max-host-pages"`

	// TrapPages is how many pages of one pattern of URLs (as /calendar?month) are fetched
	// of a host in any case. Beyond that, those that lead to ever more of their like have
	// to show something new now and then. 0 is no limit. It is for what links lead to;
	// see traps.go.
	TrapPages int `json:"trap-pages"`

	// MaxHosts is how many hosts the crawl takes up, with a scope in which there may be
	// others than those of the start URLs; 0 is no limit.
	MaxHosts int `json:"max-hosts"`

	// MaxBytes ends the crawl after pages of so many bytes, decoded; 0 is no
	// limit. The pages in flight then are finished.
	MaxBytes int64 `json:"max-bytes"`

	// MaxDepth leaves alone what is more than so many links away from a start
	// URL or a sitemap entry; -1 is no limit, 0 is these alone.
	MaxDepth int `json:"max-depth"`

	// MaxTime ends the crawl after so long; 0 is no limit.
	MaxTime time.Duration `json:"max-time"`

	// MaxWait ends the crawl when nothing is left but URLs of hosts that could
	// not be asked (robots.txt unreachable, Retry-After) and the next of them
	// is due later than this.
	MaxWait time.Duration `json:"max-wait"`

	// Scope says which URLs belong to the crawl: ScopeHost, ScopeDomain or
	// ScopeAny.
	Scope Scope `json:"scope"`

	// UserAgent is sent with every request. Its product token chooses the group
	// of each robots.txt.
	UserAgent string `json:"user-agent"`

	// Timeout is for one page, from connecting to the last byte received.
	Timeout time.Duration `json:"timeout"`

	// FirstByteTimeout is how long an answer may take to begin once the request has
	// been sent: a page's, a sitemap's, a robots.txt's. 0 is no limit but Timeout.
	FirstByteTimeout time.Duration `json:"first-byte-timeout"`

	// StallTimeout breaks off an answer that has brought less than 1 KiB in so long,
	// and is not over. 0 is no limit but Timeout.
	StallTimeout time.Duration `json:"stall-timeout"`

	// MaxBody is how many bytes of a page are read; the rest is left unread.
	MaxBody int `json:"max-body"`

	// MaxLinks is how many distinct URLs are taken up that a page links to; 0 is no limit.
	// Links to others are counted.
	MaxLinks int `json:"max-links"`

	// MaxURL is the longest URL that is taken up, in bytes. RFC 9110 asks everybody to
	// understand 8,000.
	MaxURL int `json:"max-url"`

	// MaxParams is how many query parameters a URL may have that is taken up; 0 is no
	// limit.
	MaxParams int `json:"max-params"`

	// MaxRepeats is how often a part of a path may stand there in a row in a URL that
	// is found by a link, as three times in /a/b/a/b/a/b; 0 is no limit.
	MaxRepeats int `json:"max-repeats"`

	// Retries is how often a page that failed (network error, 408, 429, 5xx) is asked
	// for again (ROB-POL-08).
	Retries int `json:"retries"`

	// Proxies are the URLs of proxies; each host is asked through one of them.
	// Empty: the environment decides (HTTPS_PROXY, NO_PROXY and so on). Users and
	// passwords in them are not written down; see [Config.WithoutSecrets].
	Proxies []string `json:"proxy"`

	// AllowAddr are IP addresses and networks (127.0.0.1, 10.0.0.0/8) that may be
	// connected to although they are not public. All others that are not are
	// refused, whatever name or redirect leads to them; see package guard. A proxy
	// of Proxies or the environment needs no leave.
	AllowAddr []string `json:"allow-addr"`

	// Links lists in links.jsonl what each page links to.
	Links bool `json:"links"`

	// Write names formats in which the crawl is written down beside the lines of
	// JSON; see [Options.Formats].
	Write []string `json:"write"`

	// Extract are rules for fields of pages.jsonl, each NAME=RULE; see
	// [extract.Rule].
	Extract []string `json:"extract"`

	// DropParams are names of query parameters that do not change a page, which
	// links and sitemap entries lose: sid, utm_*.
	DropParams []string `json:"drop-params"`

	// CleanParam also drops those that the host's robots.txt names in
	// Clean-param lines (ROB-EXT-03).
	CleanParam bool `json:"clean-param"`

	// SitemapOrder says which entries of sitemaps come first: ByLastMod,
	// ByPriority or AsListed.
	SitemapOrder SitemapOrder `json:"sitemap-order"`

	// Since leaves alone the entries of sitemaps that say that they have not
	// changed since this date (2026-01-31) or time (RFC 3339); empty: none.
	Since string `json:"since"`

	// OnlySitemaps fetches the start URLs and what sitemaps list, and follows no
	// links.
	OnlySitemaps bool `json:"only-sitemaps"`

	// ProbeSitemap asks for /sitemap.xml on hosts whose robots.txt names no
	// sitemap (ROB-SMP-10).
	ProbeSitemap bool `json:"probe-sitemap"`

	// MaxSitemaps is how many sitemap files are read for one host.
	MaxSitemaps int `json:"max-sitemaps"`

	// MaxSitemapEntries is how many pages are taken from the sitemaps of one host, all
	// together; 0 is no limit.
	MaxSitemapEntries int `json:"max-sitemap-entries"`

	// ObeyNoindex keeps the content of pages that ask for it out of the output;
	// they are listed either way (ROB-PAG-06).
	ObeyNoindex bool `json:"obey-noindex"`

	// ObeyNofollow leaves links alone that the page, or the link itself, asks
	// not to follow (ROB-PAG-06, ROB-PAG-08).
	ObeyNofollow bool `json:"obey-nofollow"`

	// RobotsTimeout is for one fetch of a robots.txt with its redirects
	// (ROB-FET-17).
	RobotsTimeout time.Duration `json:"robots-timeout"`

	// Durability is what the crawl outlives, and can go on after: DurableProcess or
	// DurablePower.
	Durability Durability `json:"durability"`

	// Frontier is where processes share a crawl: the address of a Redis or Valkey
	// server, of some of a Cluster, or of Sentinels, as [redisstore.Open] takes it,
	// without a password. Empty: the crawl is this process's alone, and its frontier
	// stands in Output.
	Frontier string `json:"frontier"`

	// Join is the name of the crawl that is shared. The first process makes it, with
	// all settings that the others then have too, but for those of the process itself;
	// see [Joined].
	Join string `json:"join"`

	// Worker is the name of this process in a crawl that is shared. Empty: that of the
	// machine with a random ending. It is kept with Output.
	Worker string `json:"worker"`

	// FrontierPrefix stands before all keys in Redis.
	FrontierPrefix string `json:"frontier-prefix"`

	// FrontierPasswordFile is a file with the password for Redis. Empty: it is in the
	// environment variable [redisstore.PasswordVariable], or there is none.
	FrontierPasswordFile string `json:"frontier-password-file"`

	// ExpectedURLs is how many URLs a crawl that is shared may come to know. With more
	// of them each takes more memory in Redis. It counts when the crawl is made.
	ExpectedURLs int `json:"expected-urls"`

	// RobotsRetry is the time to the first new try after a robots.txt could not
	// be reached; it doubles from there (ROB-CAC-13).
	RobotsRetry time.Duration `json:"robots-retry"`
}

// Scope says which URLs belong to a crawl.
type Scope = scope.Kind

// The scopes.
const (
	// ScopeHost is the servers of the start URLs: the same host name, with a dot
	// behind it or not, http and https alike, and the same port unless it is a
	// default one.
	ScopeHost = scope.Host
	// ScopeDomain is the registrable domains of the start URLs with all their
	// sub-domains (example.co.uk for www.example.co.uk), on any port.
	ScopeDomain = scope.Domain
	// ScopeAny is every URL that is found. Set limits with it.
	ScopeAny = scope.Any
)

// Durability says which accidents a crawl can go on after.
type Durability string

const (
	// DurableProcess is the end of the process at any moment, also by SIGKILL.
	DurableProcess Durability = "process"
	// DurablePower is also the end of the machine, by a crash or a power cut. All
	// that is reported as done waits for the disk first.
	DurablePower Durability = "power"
)

func (d Durability) valid() bool { return d == DurableProcess || d == DurablePower }

// Default returns the configuration that is used where nothing else is said: one
// request a second to each host, robots.txt obeyed, no limit on the number of
// pages.
func Default() Config {
	return Config{
		Output:            "crawl",
		Workers:           16,
		Delay:             time.Second,
		PerHost:           1,
		MaxCrawlDelay:     30 * time.Second,
		ResponseFactor:    1,
		MaxDepth:          -1,
		MaxWait:           2 * time.Minute,
		Scope:             scope.Host,
		UserAgent:         DefaultUserAgent,
		Timeout:           30 * time.Second,
		FirstByteTimeout:  20 * time.Second,
		StallTimeout:      10 * time.Second,
		MaxBody:           10 << 20,
		MaxLinks:          10_000,
		MaxURL:            8000,
		MaxParams:         100,
		MaxRepeats:        3,
		TrapPages:         10_000,
		MaxHosts:          100_000,
		MaxSitemapEntries: 10_000_000,
		Retries:           3,
		Links:             true,
		SitemapOrder:      ByLastMod,
		MaxSitemaps:       1000,
		ObeyNoindex:       true,
		ObeyNofollow:      true,
		RobotsTimeout:     30 * time.Second,
		RobotsRetry:       time.Minute,
		Durability:        DurableProcess,
		Join:              "default",
		FrontierPrefix:    "politecrawl",
		ExpectedURLs:      10_000_000,
	}
}

// maxDuration is the longest time that a key may say, a year, and maxResponseFactor the
// largest factor. The crawl multiplies and adds them, and a time.Duration ends at 292 years.
const (
	maxDuration       = 365 * 24 * time.Hour
	maxResponseFactor = 100
)

// ErrConfig is the class of every error that [Config.Validate] returns.
var ErrConfig = errors.New("crawler: bad configuration")

// Validate returns nil, or an [ErrConfig] that names every bad key, one a line,
// and what it should be.
func (c Config) Validate() error {
	var bad []error
	check := func(ok bool, key, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Errorf("%w: %s: %s", ErrConfig, key, fmt.Sprintf(format, args...)))
		}
	}
	check(len(c.URLs) > 0, "urls", "there is no start URL")
	for _, raw := range c.URLs {
		if err := checkStart(raw); err != nil {
			check(false, "urls", "%v", err)
		}
	}
	check(c.Output != "", "output", "is empty; name the directory to write")
	check(c.Workers >= 1, "workers", "%d is less than 1", c.Workers)
	check(c.PerHost >= 1, "per-host", "%d is less than 1", c.PerHost)
	check(c.PerIP >= 0, "per-ip", "%d is negative; 0 is no limit", c.PerIP)
	for _, raw := range c.Proxies {
		if err := checkProxy(raw); err != nil {
			check(false, "proxy", "%v", err)
		}
	}
	for _, text := range c.AllowAddr {
		if _, err := guard.ParsePrefix(text); err != nil {
			check(false, "allow-addr", "%s", strings.TrimPrefix(err.Error(), "guard: "))
		}
	}
	if _, err := fieldRules(c.Extract); err != nil {
		for line := range strings.Lines(err.Error()) { // one for each rule
			check(false, "extract", "%s", strings.TrimPrefix(strings.TrimSpace(line), "extract: "))
		}
	}
	if _, err := params.New(c.DropParams); err != nil {
		check(false, "drop-params", "%s", strings.TrimPrefix(err.Error(), "params: "))
	}
	check(c.Delay >= 0, "delay", "%v is negative", c.Delay)
	check(c.MaxCrawlDelay >= 0, "max-crawl-delay", "%v is negative", c.MaxCrawlDelay)
	check(c.ResponseFactor >= 0 && c.ResponseFactor <= maxResponseFactor, "response-factor", "%v is not a number from 0 to %d", c.ResponseFactor, maxResponseFactor)
	check(c.MaxDepth >= -1, "max-depth", "%d is less than -1, which is no limit", c.MaxDepth)
	check(c.MaxPages >= 0, "max-pages", "%d is negative; 0 is no limit", c.MaxPages)
	check(c.MaxHostPages >= 0, "max-host-pages", "%d is negative; 0 is no limit", c.MaxHostPages)
	check(c.TrapPages >= 0, "trap-pages", "%d is negative; 0 is no limit", c.TrapPages)
	check(c.MaxHosts >= 0, "max-hosts", "%d is negative; 0 is no limit", c.MaxHosts)
	check(c.MaxBytes >= 0, "max-bytes", "%d is negative; 0 is no limit", c.MaxBytes)
	check(c.MaxTime >= 0, "max-time", "%v is negative; 0 is no limit", c.MaxTime)
	check(c.MaxWait >= 0, "max-wait", "%v is negative", c.MaxWait)
	check(c.Scope.Valid(), "scope", "%q is none of host, domain, any", string(c.Scope))
	check(c.Timeout > 0, "timeout", "%v is not a time to wait", c.Timeout)
	check(c.FirstByteTimeout >= 0, "first-byte-timeout", "%v is negative; 0 is no limit", c.FirstByteTimeout)
	check(c.StallTimeout >= 0, "stall-timeout", "%v is negative; 0 is no limit", c.StallTimeout)
	check(c.MaxBody > 0, "max-body", "%d is not a number of bytes to read", c.MaxBody)
	check(c.MaxLinks >= 0, "max-links", "%d is negative; 0 is no limit", c.MaxLinks)
	check(c.MaxURL > 0 && c.MaxURL <= weburl.MaxLength, "max-url", "%d is not a number of bytes from 1 to %d", c.MaxURL, weburl.MaxLength)
	check(c.MaxParams >= 0, "max-params", "%d is negative; 0 is no limit", c.MaxParams)
	check(c.MaxRepeats >= 0, "max-repeats", "%d is negative; 0 is no limit", c.MaxRepeats)
	check(c.Retries >= 0, "retries", "%d is negative", c.Retries)
	check(c.SitemapOrder.valid(), "sitemap-order", "%q is none of lastmod, priority, none", string(c.SitemapOrder))
	if _, err := parseSince(c.Since); err != nil {
		check(false, "since", "%v", err)
	}
	check(c.MaxSitemaps >= 0, "max-sitemaps", "%d is negative; 0 is to read none", c.MaxSitemaps)
	check(c.MaxSitemapEntries >= 0, "max-sitemap-entries", "%d is negative; 0 is no limit", c.MaxSitemapEntries)
	check(c.RobotsTimeout > 0, "robots-timeout", "%v is not a time to wait", c.RobotsTimeout)
	check(c.RobotsRetry > 0, "robots-retry", "%v is not a time to wait", c.RobotsRetry)
	for _, d := range []struct {
		key  string
		time time.Duration
	}{
		{"delay", c.Delay}, {"max-crawl-delay", c.MaxCrawlDelay}, {"max-time", c.MaxTime}, {"max-wait", c.MaxWait},
		{"timeout", c.Timeout}, {"first-byte-timeout", c.FirstByteTimeout}, {"stall-timeout", c.StallTimeout},
		{"robots-timeout", c.RobotsTimeout}, {"robots-retry", c.RobotsRetry},
	} {
		check(d.time <= maxDuration, d.key, "%v is longer than %v", d.time, maxDuration)
	}
	check(c.Durability.valid(), "durability", "%q is none of process, power", string(c.Durability))
	if _, err := c.crawl(); err != nil {
		bad = append(bad, err)
	}
	check(c.ExpectedURLs > 0, "expected-urls", "%d is not a number of URLs", c.ExpectedURLs)
	check(httpguts.ValidHeaderFieldValue(c.UserAgent), "user-agent", "%q holds a line end or another control character, which no field of a request can", c.UserAgent)
	if _, err := robotstxt.ProductToken(c.UserAgent); err != nil {
		check(false, "user-agent", "%q holds no product token (letters, - and _) that a robots.txt could name", c.UserAgent)
	}
	return errors.Join(bad...)
}

// fieldRules compiles the rules of extract.
func fieldRules(texts []string) (*extract.Rules, error) {
	rules := make(map[string]extract.Rule, len(texts))
	for _, text := range texts {
		name, rule, err := extract.ParseField(text)
		if err != nil {
			return nil, err
		}
		if _, twice := rules[name]; twice {
			return nil, fmt.Errorf("field %q has two rules", name)
		}
		rules[name] = rule
	}
	return extract.NewRules(rules)
}

// formatError words what is wrong with key write.
func formatError(err error) error {
	if bad, ok := errors.AsType[*record.FormatError](err); ok {
		return fmt.Errorf("%w: write: %w", ErrConfig, bad)
	}
	return err
}

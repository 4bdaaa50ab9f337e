package crawler

import (
	"encoding/json"
	"time"
)

// DefaultUserAgent is what the crawler calls itself unless told otherwise. Its
// product token, the name that robots.txt files are searched for, is politecrawl.
const DefaultUserAgent = "politecrawl/0.1 (+https://github.com/politecrawl/politecrawl)"

// Config is everything that decides what a crawl does. It is plain data. Start from
// [Default] and change what should differ; a zero Config is not valid. No time is longer
// than a year.
//
// Each field of a group has a key, which is the same word as a flag, in a configuration
// file, in crawl.json and, after POLITECRAWL_, in the environment. Keys know no groups: in
// JSON they stand side by side.
type Config struct {
	URLs       []string // start URLs; each brings its host into the scope
	Output     Output
	Limits     Limits
	Politeness Politeness
	Scope      Scope
	Robots     Robots
	Sitemaps   Sitemaps
	Fetch      Fetch
	Cluster    Cluster
}

// configKeys is the form of a Config in JSON.
type configKeys struct {
	URLs *[]string `json:"urls"`
	*Output
	*Limits
	*Politeness
	*Scope
	*Robots
	*Sitemaps
	*Fetch
	*Cluster
}

func (c *Config) keys() *configKeys {
	return &configKeys{&c.URLs, &c.Output, &c.Limits, &c.Politeness, &c.Scope, &c.Robots, &c.Sitemaps, &c.Fetch, &c.Cluster}
}

// MarshalJSON implements [json.Marshaler].
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.keys()) }

// UnmarshalJSON implements [json.Unmarshaler]. Keys that are missing keep their values.
func (c *Config) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, c.keys()) }

// Output says what a crawl writes, and where.
type Output struct {
	// Dir is the directory of the crawl. It is made if it is missing and must not hold
	// another crawl.
	Dir string `json:"output"`

	// Links lists in links.jsonl what each page links to.
	Links bool `json:"links"`

	// AlsoWrite names formats in which the crawl is written beside the lines of JSON; see
	// [Options.Formats].
	AlsoWrite []string `json:"also-write"`

	// Extract are rules for fields of pages.jsonl, each NAME=RULE; see
	// [extract.Rule].
	Extract []string `json:"extract"`

	// Durability says which accidents the crawl survives and can resume after:
	// DurableProcess or DurablePower.
	Durability Durability `json:"durability"`
}

// Limits bound how much a crawl does: at a time, in all, for each host and for each page.
type Limits struct {
	// Workers is the number of URLs that are processed at a time, over all hosts.
	Workers int `json:"workers"`

	// MaxPages ends the crawl after so many pages; 0 is no limit.
	MaxPages int `json:"max-pages"`

	// MaxHostPages is the number of pages that are fetched from each host; 0 is no limit.
	MaxHostPages int `json:"max-host-pages"`

	// MaxHosts is the number of hosts that the crawl visits, with a scope in which there
	// may be others than those of the start URLs; 0 is no limit.
	MaxHosts int `json:"max-hosts"`

	// MaxBytes ends the crawl after pages of so many bytes, decoded; 0 is no limit. Pages
	// in flight then are finished.
	MaxBytes int64 `json:"max-bytes"`

	// MaxTime ends the crawl after so long; 0 is no limit.
	MaxTime time.Duration `json:"max-time"`

	// MaxWait ends the crawl when all URLs left are of hosts that cannot be requested yet
	// (robots.txt unreachable, Retry-After) and the next of them is due later than this.
	MaxWait time.Duration `json:"max-wait"`

	// MaxLinks is the number of distinct URLs that are followed from one page; 0 is no
	// limit. Links to other hosts count.
	MaxLinks int `json:"max-links"`

	// TrapPages is the number of pages of one URL pattern (as /calendar?month) that are
	// fetched from a host in any case. Beyond it, pages that lead to ever more of the same
	// pattern must show something new now and then. 0 is no limit. It applies to URLs that
	// links lead to.
	TrapPages int `json:"trap-pages"`
}

// Politeness says how fast a crawl requests from one server.
type Politeness struct {
	// Delay is the least time from the end of one request to the start of the
	// next on the same host (ROB-POL-02). A longer Crawl-delay of the host's
	// robots.txt, up to MaxCrawlDelay, takes its place. Zero is allowed.
	Delay time.Duration `json:"delay"`

	// MaxCrawlDelay is the longest Crawl-delay that is obeyed as written; a
	// longer one is cut to it (ROB-EXT-01).
	MaxCrawlDelay time.Duration `json:"max-crawl-delay"`

	// ResponseFactor makes a host wait at least this many times as long as its last
	// response took, from 0 to 100, so that a slow server gets fewer requests
	// (ROB-POL-07). It has no effect where Delay is zero.
	ResponseFactor float64 `json:"response-factor"`

	// PerHost is the number of requests that may be in flight on one host, which is a
	// server: http://h, https://h and http://h. are one. Above 1 the delay counts from
	// start to start.
	PerHost int `json:"per-host"`

	// PerIP is the number of requests that may be in flight on one IP address, over all
	// its hosts; 0 is no limit. Above the limit hosts take turns.
	PerIP int `json:"per-ip"`
}

// Scope says which of the URLs that are found belong to a crawl, and which are the same
// page.
type Scope struct {
	// Kind is ScopeHost, ScopeDomain or ScopeAny.
	Kind ScopeKind `json:"scope"`

	// MaxDepth skips URLs that are more than so many links away from a start URL or a
	// sitemap entry; -1 is no limit, 0 is these alone.
	MaxDepth int `json:"max-depth"`

	// MaxURL is the longest URL that is accepted, in bytes. RFC 9110 asks everybody to
	// understand 8,000.
	MaxURL int `json:"max-url"`

	// MaxParams is the number of query parameters that an accepted URL may have; 0 is no
	// limit.
	MaxParams int `json:"max-params"`

	// MaxRepeats is how often a part of a path may repeat in a row in a URL that is found
	// by a link, as three times in /a/b/a/b/a/b; 0 is no limit.
	MaxRepeats int `json:"max-repeats"`

	// DropParams are names of query parameters that do not change a page: sid, utm_*.
	// They are removed from links and sitemap entries.
	DropParams []string `json:"drop-params"`

	// CleanParam also removes the parameters that the host's robots.txt names in
	// Clean-param lines (ROB-EXT-03).
	CleanParam bool `json:"clean-param"`
}

// Robots says how robots.txt is fetched, and which robots directives of pages are obeyed.
// That robots.txt is obeyed is not a setting.
type Robots struct {
	// ObeyNoindex keeps the content of pages that ask for it out of the output;
	// they are listed either way (ROB-PAG-06).
	ObeyNoindex bool `json:"obey-noindex"`

	// ObeyNofollow does not follow links that the page, or the link itself, asks
	// not to follow (ROB-PAG-06, ROB-PAG-08).
	ObeyNofollow bool `json:"obey-nofollow"`

	// Timeout is for one fetch of a robots.txt with its redirects (ROB-FET-17).
	Timeout time.Duration `json:"robots-timeout"`

	// Retry is the time to the first retry of a robots.txt that was unreachable; it
	// doubles from there (ROB-CAC-13).
	Retry time.Duration `json:"robots-retry"`
}

// Sitemaps says which sitemaps are read, and what is fetched of them first.
type Sitemaps struct {
	// Order says which entries come first: ByLastMod, ByPriority or AsListed.
	Order SitemapOrder `json:"sitemap-order"`

	// Since skips entries that say that they have not changed since this date
	// (2026-01-31) or time (RFC 3339); empty: none.
	Since string `json:"since"`

	// Only fetches the start URLs and the entries of sitemaps, and follows no links.
	Only bool `json:"only-sitemaps"`

	// Probe requests /sitemap.xml on hosts whose robots.txt names no sitemap
	// (ROB-SMP-10).
	Probe bool `json:"probe-sitemap"`

	// MaxFiles is the number of sitemap files that are read for one host.
	MaxFiles int `json:"max-sitemaps"`

	// MaxEntries is the number of pages that are taken from the sitemaps of one host, all
	// together; 0 is no limit.
	MaxEntries int `json:"max-sitemap-entries"`
}

// Fetch says how a page is requested: as whom, by which way, and for how long.
type Fetch struct {
	// UserAgent is sent with every request. Its product token chooses the group
	// of each robots.txt.
	UserAgent string `json:"user-agent"`

	// Timeout is for one page, from connecting to the last byte received.
	Timeout time.Duration `json:"timeout"`

	// FirstByteTimeout is the longest time from the end of a request to the start of its
	// response: of a page, a sitemap, a robots.txt. 0 is no limit but Timeout.
	FirstByteTimeout time.Duration `json:"first-byte-timeout"`

	// StallTimeout aborts a response that delivers less than 1 KiB in this time and is
	// not complete. 0 is no limit but Timeout.
	StallTimeout time.Duration `json:"stall-timeout"`

	// MaxBody is the number of bytes of a page that are read; the rest is left unread.
	MaxBody int `json:"max-body"`

	// Retries is how often a page that failed (network error, 408, 429, 5xx) is requested
	// again (ROB-POL-08).
	Retries int `json:"retries"`

	// Proxies are the URLs of proxies; each host is requested through one of them.
	// Empty: the environment decides (HTTPS_PROXY, NO_PROXY and so on). Users and
	// passwords in them are not written down; see [Config.WithoutSecrets].
	Proxies []string `json:"proxy"`

	// AllowAddr are IP addresses and networks (127.0.0.1, 10.0.0.0/8) that may be
	// connected to although they are not public. All others that are not are
	// refused, whatever name or redirect leads to them; see package guard. A proxy
	// of Proxies or the environment needs no leave.
	AllowAddr []string `json:"allow-addr"`
}

// Cluster says where processes share a crawl, and as which of its workers one joins. It has
// no effect where Frontier is empty.
type Cluster struct {
	// Frontier is where processes share a crawl: the address of a Redis or Valkey
	// server, of some servers of a Redis Cluster, or of Sentinels, as [redisstore.Open]
	// takes it, without a password. Empty: this process crawls alone, with a frontier in
	// Output.Dir.
	Frontier string `json:"frontier"`

	// CrawlName is the name of the crawl that is shared. The first process makes it, with
	// all settings that the others then have too, but for those of the process itself;
	// see [Joined].
	CrawlName string `json:"crawl-name"`

	// WorkerName is the name of this process. Empty: that of the machine with a random
	// ending. It is kept in Output.Dir.
	WorkerName string `json:"worker-name"`

	// Prefix stands before all keys in Redis.
	Prefix string `json:"frontier-prefix"`

	// PasswordFile is a file with the password for Redis. Empty: it is in the
	// environment variable [redisstore.PasswordVariable], or there is none.
	PasswordFile string `json:"frontier-password-file"`

	// ExpectedURLs is the number of URLs that the crawl may come to know. With more
	// of them each takes more memory in Redis. It counts when the crawl is made.
	ExpectedURLs int `json:"expected-urls"`
}

// ScopeKind says how far a crawl goes from its start URLs.
type ScopeKind string

// The kinds of scope.
const (
	// ScopeHost is the servers of the start URLs: the same host name, with a dot
	// behind it or not, http and https alike, and the same port unless it is a
	// default one.
	ScopeHost ScopeKind = "host"
	// ScopeDomain is the registrable domains of the start URLs with all their
	// sub-domains (example.co.uk for www.example.co.uk), on any port.
	ScopeDomain ScopeKind = "domain"
	// ScopeAny is every URL that is found. Set limits with it.
	ScopeAny ScopeKind = "any"
)

// Durability says which accidents a crawl can resume after.
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
		Output: Output{
			Dir:        "crawl",
			Links:      true,
			Durability: DurableProcess,
		},
		Limits: Limits{
			Workers:   16,
			MaxHosts:  100_000,
			MaxWait:   2 * time.Minute,
			MaxLinks:  10_000,
			TrapPages: 10_000,
		},
		Politeness: Politeness{
			Delay:          time.Second,
			MaxCrawlDelay:  30 * time.Second,
			ResponseFactor: 1,
			PerHost:        1,
		},
		Scope: Scope{
			Kind:       ScopeHost,
			MaxDepth:   -1,
			MaxURL:     8000,
			MaxParams:  100,
			MaxRepeats: 3,
		},
		Robots: Robots{
			ObeyNoindex:  true,
			ObeyNofollow: true,
			Timeout:      30 * time.Second,
			Retry:        time.Minute,
		},
		Sitemaps: Sitemaps{
			Order:      ByLastMod,
			MaxFiles:   1000,
			MaxEntries: 10_000_000,
		},
		Fetch: Fetch{
			UserAgent:        DefaultUserAgent,
			Timeout:          30 * time.Second,
			FirstByteTimeout: 20 * time.Second,
			StallTimeout:     10 * time.Second,
			MaxBody:          10 << 20,
			Retries:          3,
		},
		Cluster: Cluster{
			CrawlName:    "default",
			Prefix:       "politecrawl",
			ExpectedURLs: 10_000_000,
		},
	}
}

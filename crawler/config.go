package crawler

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
)

// DefaultUserAgent is the default of Fetch.UserAgent. Its product token is politecrawl.
const DefaultUserAgent = "politecrawl/0.1 (+https://github.com/politecrawl/politecrawl)"

// Config is the configuration of a crawl. Start from [Default] and change fields; the zero Config
// is not valid. No duration may exceed a year.
//
// Each setting has a key: Limits.MaxPages has the key max-pages, the flag --max-pages and the
// environment variable POLITECRAWL_MAX_PAGES. In JSON all keys are in one object, and durations
// are strings such as "1m30s".
type Config struct {
	URLs        []string // start URLs; they define the scope: their hosts, domains or directories
	Output      Output
	Limits      Limits
	Politeness  Politeness
	Scope       Scope
	Robots      Robots
	Usage       Usage
	Sitemaps    Sitemaps
	Fetch       Fetch
	Credentials Credentials
	Sharing     Sharing
}

// Default returns the default configuration: one request per second to each host, the hosts of
// the start URLs, and no limit on pages.
func Default() Config {
	var c Config
	for _, s := range c.settings() {
		s.reset()
	}
	return c
}

// json returns a pointer to the value of a setting in its form in JSON.
func (s *setting) json() any {
	if d, ok := s.field.(*time.Duration); ok {
		return (*cluster.Duration)(d)
	}
	return s.field
}

// MarshalJSON implements [json.Marshaler].
func (c Config) MarshalJSON() ([]byte, error) {
	values := make(map[string]any)
	for _, s := range c.settings() {
		values[s.key] = s.json()
	}
	return json.Marshal(values)
}

// UnmarshalJSON implements [json.Unmarshaler]. Keys that are missing keep their values.
func (c *Config) UnmarshalJSON(text []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for _, s := range c.settings() {
		if value, ok := values[s.key]; ok {
			if err := json.Unmarshal(value, s.json()); err != nil {
				return fmt.Errorf("%s: %w", s.key, err)
			}
		}
	}
	return nil
}

// Output configures what a crawl writes, and where.
type Output struct {
	// Dir is the directory of the crawl (default "crawl"). It is created if it is missing.
	// It must not contain another crawl.
	Dir string

	// Links is LinksPlain (default), LinksFull or LinksNone.
	Links LinkList

	// KeepHeader names the response headers that pages.jsonl has (default last-modified, etag,
	// content-language, cache-control and server). Set-Cookie is not allowed, since its value
	// may be a secret.
	KeepHeader []string

	// AlsoWrite names formats to write in addition to the JSON Lines files; see
	// [Options.Formats]. Default: none.
	AlsoWrite []string

	// Archive writes an archive that replays (default false). It adds the format warc to AlsoWrite and
	// CheckAssets to Scope.Check. It requests assets and frames with GET and receives them whole, until a limit
	// such as Limits.MaxPages ends the crawl.
	Archive bool

	// Extract are rules for additional fields of pages.jsonl, in the form NAME=RULE; see
	// [extract.Rule]. Default: none.
	Extract []string

	// Durability is DurableProcess (default) or DurablePower.
	Durability Durability

	// KeepGenerations is the number of earlier crawls of the directory whose pages a recrawl keeps, as
	// pages.1.jsonl and so on (default 0: all). Archives such as WARC stay, since later ones refer to their
	// records.
	KeepGenerations int

	// WARCPrefix starts the names of WARC files (default "crawl"). It has letters, digits, '.', '_' and '-', at
	// most 40. In a shared crawl, the name of the worker follows.
	WARCPrefix string

	// WARCSize is the number of bytes at which a WARC file ends (default 1,000,000,000). Its last records are whole.
	WARCSize int64

	// WARCDigest is the algorithm of the digests in WARC files: sha1 (default), as common tools expect, or sha256.
	WARCDigest string

	// WARCMax is the maximum number of bytes of an archived body (default 64 MiB). A notice says when one is cut.
	WARCMax int64
}

// Limits are limits of the whole crawl, of each host and of each page.
type Limits struct {
	// Concurrency is the number of URLs that are processed concurrently, on all hosts together
	// (default 16).
	Concurrency int

	// MaxPages ends the crawl after this many pages. 0 (default) means no limit.
	MaxPages int

	// MaxHostPages limits the pages fetched from each host. 0 (default) means no limit.
	MaxHostPages int

	// MaxHosts limits the number of hosts if the scope is a domain or any host (default
	// 100,000). 0 means no limit.
	MaxHosts int

	// MaxBytes ends the crawl when all pages, and stylesheets and pages that are only checked, have
	// this many bytes together, decoded. With Output.Archive, all bytes received for the archive count.
	// 0 (default) means no limit. Pages in flight are finished.
	MaxBytes int64

	// MaxTime ends the crawl after this time. 0 (default) means no limit.
	MaxTime time.Duration

	// MaxWait ends the crawl when each remaining URL would have to wait longer than this
	// (default 2m). A URL waits for a site that is down, an unreachable robots.txt, Retry-After
	// or Visit-time.
	MaxWait time.Duration

	// MaxLinks limits the distinct URLs that are followed from one page, including URLs on
	// other hosts (default 10,000). It also limits the URLs that are checked because the page or
	// its stylesheets use them. 0 means no limit.
	MaxLinks int

	// TrapPages is the number of pages of one URL pattern, such as /calendar?month, before
	// the crawl checks for a spider trap (default 10,000). It skips the pattern if recent
	// pages have no new content but ever more links. Only URLs found by links count. 0 means
	// no check.
	TrapPages int
}

// Politeness limits the request rate to one server.
type Politeness struct {
	// Delay is the minimum time from the end of one request to a host to the start of the
	// next (default 1s). A longer Crawl-delay in robots.txt replaces it, up to MaxCrawlDelay.
	// 0 means no delay.
	Delay time.Duration

	// MaxCrawlDelay is the upper limit for Crawl-delay (default 30s). It replaces a longer
	// Crawl-delay.
	MaxCrawlDelay time.Duration

	// ResponseFactor slows down requests to a slow server: the delay is at least this many
	// times the duration of its last response (default 1). It is between 0 and 100. If Delay
	// is 0, it has no effect.
	ResponseFactor float64

	// PerHost limits the concurrent requests to one host (default 1). http://h, https://h and
	// http://h. are one host. If it is above 1, Delay is the time from the start of one
	// request to the start of the next.
	PerHost int

	// PerIP limits the concurrent requests to one IP address, for all its hosts together.
	// 0 (default) means no limit.
	PerIP int
}

// Scope says which URLs belong to a crawl, and which query parameters to ignore.
type Scope struct {
	// Kind is ScopeHost (default), ScopePath, ScopeDomain or ScopeAny.
	Kind ScopeKind

	// Include are regular expressions (see package regexp). A URL must match at least one of
	// them. They apply to the whole canonical URL of a page, including start URLs, but not to
	// sitemaps or robots.txt. Default: none, which includes every URL.
	Include []string

	// Exclude are regular expressions like Include. URLs that match one are skipped, even if
	// they match Include. Default: none.
	Exclude []string

	// Check says what to request only to learn whether it works: CheckAssets, CheckExternal,
	// CheckFragments, CheckCanonical, CheckHreflang, or CheckAll. Default: nothing.
	Check []string

	// ForbidHost are hosts, such as staging.example.com or localhost:8080, to which no page may link and
	// whose assets no page may use: the report has an error for each URL. Subdomains count too, except
	// hosts of start URLs. Without a port, a host stands for all ports. Default: none.
	ForbidHost []string

	// MaxDepth is the maximum number of links from a start URL or a sitemap entry.
	// -1 (default) means no limit.
	MaxDepth int

	// MaxURL is the maximum length of a URL in bytes (default 8000, as RFC 9110 recommends).
	MaxURL int

	// MaxParams is the maximum number of query parameters of a URL (default 100). 0 means
	// no limit.
	MaxParams int

	// MaxRepeats is how often path segments may repeat in a row in a linked URL (default 3),
	// as in /a/b/a/b/a/b. 0 means no limit.
	MaxRepeats int

	// DropParams are query parameters that do not change a page, such as sid or utm_*. They
	// are removed from links and sitemap entries. Default: none.
	DropParams []string

	// CleanParam also removes the parameters that robots.txt names in Clean-param lines
	// (default false).
	CleanParam bool
}

// Robots configures fetches of robots.txt, and which directives of pages the crawl obeys. It
// always obeys robots.txt.
type Robots struct {
	// ObeyNoindex leaves title and content of noindex pages out of the results (default
	// true). Their URLs are always listed.
	ObeyNoindex bool

	// ObeyNofollow skips nofollow links and all links of nofollow pages (default true).
	ObeyNofollow bool

	// Timeout is the timeout for one fetch of a robots.txt, with its redirects (default 30s).
	Timeout time.Duration

	// Retry is the time until the first retry of an unreachable robots.txt (default 1m). It
	// doubles with each retry.
	Retry time.Duration
}

// Sitemaps says which sitemaps the crawl reads, and which of their entries it fetches first.
type Sitemaps struct {
	// Order is the order of entries: ByLastMod (default), ByPriority or AsListed.
	Order SitemapOrder

	// Since skips entries whose lastmod is before this date (2026-01-31) or time (RFC 3339).
	// Empty (default) skips no entries. A recrawl cannot set it or make it later, since it requests all pages
	// of the previous crawl again.
	Since string

	// Only fetches the start URLs and the entries of sitemaps, and follows no links
	// (default false).
	Only bool

	// Probe requests /sitemap.xml on hosts whose robots.txt names no sitemap (default
	// false).
	Probe bool

	// MaxFiles is the maximum number of sitemap files for one host (default 1000). 0 means
	// that no sitemaps are read.
	MaxFiles int

	// MaxEntries is the maximum number of pages from all sitemaps of one host (default
	// 10,000,000). 0 means no limit.
	MaxEntries int
}

// Fetch configures how pages are requested.
type Fetch struct {
	// UserAgent is the User-Agent of all requests (default [DefaultUserAgent]). Its product
	// token selects the group in each robots.txt.
	UserAgent string

	// Contact is an email address at which site owners can reach you. All requests send it as
	// the header From. It is empty by default.
	Contact string

	// Identity is the directory of the identity that signs all requests; see package identity. Its
	// name must be the product token of UserAgent. If it is empty (default), requests are not signed.
	Identity string

	// CheckDNS checks this machine's names in DNS at the start; faults are notices (default false).
	CheckDNS bool

	// Types are the media types of pages to read, such as text/html, or text/* for all types of
	// text. The body of another type is not used. Empty (default) means all types.
	Types []string

	// Timeout is the timeout for one page, including the connection (default 30s).
	Timeout time.Duration

	// FirstByteTimeout is the timeout from the end of a request to the start of its response
	// (default 20s). It applies to pages, sitemaps and robots.txt. If it is 0, only Timeout applies.
	FirstByteTimeout time.Duration

	// StallTimeout aborts a response that delivers less than 1 KiB in this time (default
	// 10s). If it is 0, only Timeout applies.
	StallTimeout time.Duration

	// MaxBody is the maximum number of bytes that the crawl reads of a page (default 10 MiB).
	// It ignores the rest.
	MaxBody int

	// Retries is the number of retries of a failed page: network error, 408, 429 or 5xx
	// (default 3).
	Retries int

	// Proxies are the URLs of proxies. All requests to a host use the same proxy. If there are
	// none (default), environment variables such as HTTPS_PROXY apply. Users and passwords are
	// not stored; see [Config.WithoutSecrets].
	Proxies []string

	// AllowAddr are allowed IP addresses and networks that are not public, such as 127.0.0.1
	// or 10.0.0.0/8. Connections to all other non-public addresses are refused; see package
	// guard. Proxies need no entry. Default: none.
	AllowAddr []string
}

// Credentials authenticate requests. Each is sent to certain origins (scheme, host and
// port) and to no other, wherever a redirect, link or sitemap leads. robots.txt is requested
// without passwords and cookies. Outputs, archives and logs have no credentials, and crawl.json
// has only their names; see [Config.WithoutSecrets]. Default: none.
type Credentials struct {
	// Header are header fields for the origins of the start URLs, in the form "Name: value". A
	// shared crawl needs HeaderFor and BasicAuth instead of Header, Netrc and CookieFile, since
	// other processes can add start URLs.
	Header []string

	// HeaderFor are header fields for other origins, in the form "ORIGIN Name: value".
	HeaderFor []string

	// BasicAuth are users and passwords of origins for Basic authentication (RFC 7617), in the
	// form "https://user:password@host".
	BasicAuth []string

	// Netrc reads users and passwords of the hosts of start URLs from the file that the
	// environment variable NETRC names, or from ~/.netrc.
	Netrc bool

	// CookieFile is a file of cookies in the Netscape format, for the origins of the start
	// URLs.
	CookieFile string

	// Cookies keeps the cookies that each origin of a start URL sets, at most 50 of 4 KiB. It
	// sends them back to the origin until the end of the process.
	Cookies bool
}

// Sharing configures how processes share a crawl. If Frontier is empty, it has no effect.
type Sharing struct {
	// Frontier is the address of the shared frontier, without a password. It names a Redis or
	// Valkey server, servers of a Redis Cluster, or Sentinels; see [redisstore.Open]. If it is
	// empty (default), the crawl is not shared, and its frontier is in Output.Dir.
	Frontier string

	// CrawlName is the name of the shared crawl (default "default"). The first process
	// creates it with its settings. The others use these settings; see [JoinConfig].
	CrawlName string

	// WorkerName is the name of this process (default: the name of the machine with a random
	// suffix). It is stored in Output.Dir.
	WorkerName string

	// Prefix is the prefix of all keys in Redis (default "politecrawl").
	Prefix string

	// PasswordFile is a file with the password for Redis. If it is empty (default), the password
	// is in the environment variable [redisstore.PasswordVariable], if that is set.
	PasswordFile string

	// ExpectedURLs is the expected number of URLs of the crawl (default 10,000,000). Each URL
	// above it needs more memory in Redis. It has an effect only when the crawl is created.
	ExpectedURLs int
}

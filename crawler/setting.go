package crawler

import (
	"cmp"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// A setting is a field of a [Config]: its row in the table of [Config.settings].
type setting struct {
	key   string
	field any               // a pointer
	reset func()            // sets the default
	check func(p *problems) // adds what is wrong with the value

	pages, delays bool // see rereads and reschedules
	own           bool // see ofProcess
	requeue       output.Reason
}

// value returns the setting of a field with its default and checks.
func value[T any](key string, field *T, standard T, checks ...func(T) error) setting {
	return setting{key: key, field: field, reset: func() { *field = standard }, check: func(p *problems) {
		for _, check := range checks {
			p.add(key, check(*field))
		}
	}}
}

// items returns the setting of a list whose items are checked one by one.
func items(key string, field *[]string, standard []string, check func(string) error) setting {
	s := value(key, field, standard)
	s.check = func(p *problems) {
		for _, item := range *field {
			p.add(key, check(item))
		}
	}
	return s
}

// rereads says that a resumed crawl reads unchanged pages again if the value has changed.
func (s setting) rereads() setting {
	s.pages = true
	return s
}

// reschedules says that hosts of a resumed crawl get another delay if the value has changed.
func (s setting) reschedules() setting {
	s.delays = true
	return s
}

// requeues says that a resumed crawl queues the URLs again that were skipped for a reason, if the
// value has changed; a number, if it was raised.
func (s setting) requeues(reason output.Reason) setting {
	s.requeue = reason
	return s
}

// ofProcess says that each process of a shared crawl has its own value.
func (s setting) ofProcess() setting {
	s.own = true
	return s
}

// settings returns the table of the settings, each with its key, field, default and checks, and with
// what a change means for a crawl that is resumed.
func (c *Config) settings() []setting {
	return []setting{
		items("urls", &c.URLs, nil, checkStart),

		value("output", &c.Output.Dir, "crawl", func(dir string) error { return require(dir != "", "is empty; name the directory to write") }).ofProcess(),
		value("links", &c.Output.Links, LinksPlain, oneOf(LinksNone, LinksPlain, LinksFull)).rereads(),
		items("keep-header", &c.Output.KeepHeader, []string{"last-modified", "etag", "content-language", "cache-control", "server"}, checkKeptHeader).rereads(),
		value("also-write", &c.Output.AlsoWrite, nil).ofProcess(),
		value("archive", &c.Output.Archive, false),
		value("extract", &c.Output.Extract, nil, valid(fieldRules)).rereads(),
		value("durability", &c.Output.Durability, DurableProcess, oneOf(DurableProcess, DurablePower)).ofProcess(),
		value("keep-generations", &c.Output.KeepGenerations, 0, orZero[int]("keeps all")).ofProcess(),
		value("warc-prefix", &c.Output.WARCPrefix, "crawl", func(text string) error {
			return require(warcPrefix.MatchString(text), "%q is no prefix: only letters, digits, '.', '_' and '-', at most 40, and first a letter or digit", text)
		}).ofProcess(),
		value("warc-size", &c.Output.WARCSize, 1_000_000_000, func(n int64) error { return require(n > 0, "%d is not a number of bytes", n) }).ofProcess(),
		value("warc-digest", &c.Output.WARCDigest, "sha1", oneOf("sha1", "sha256")).ofProcess(),
		value("warc-max", &c.Output.WARCMax, 64<<20, func(n int64) error { return require(n > 0, "%d is not a number of bytes to record", n) }).ofProcess(),

		value("concurrency", &c.Limits.Concurrency, 16, positiveCount).ofProcess(),
		value("max-pages", &c.Limits.MaxPages, 0, limit),
		value("max-host-pages", &c.Limits.MaxHostPages, 0, limit).requeues(output.MaxHostPages),
		value("max-hosts", &c.Limits.MaxHosts, 100_000, limit),
		value("max-bytes", &c.Limits.MaxBytes, 0, limit),
		value("max-time", &c.Limits.MaxTime, 0, limit),
		value("max-wait", &c.Limits.MaxWait, 2*time.Minute, notNegative),
		value("max-links", &c.Limits.MaxLinks, 10_000, limit),
		value("trap-pages", &c.Limits.TrapPages, 10_000, limit).requeues(output.Trap),

		value("delay", &c.Politeness.Delay, time.Second, notNegative).reschedules(),
		value("max-crawl-delay", &c.Politeness.MaxCrawlDelay, 30*time.Second, notNegative).reschedules(),
		value("response-factor", &c.Politeness.ResponseFactor, 1, func(f float64) error {
			return require(f >= 0 && f <= 100, "%v is not a number from 0 to 100", f)
		}),
		value("per-host", &c.Politeness.PerHost, 1, positiveCount).reschedules(),
		value("per-ip", &c.Politeness.PerIP, 0, limit).ofProcess(),

		value("scope", &c.Scope.Kind, ScopeHost, oneOf(ScopeHost, ScopePath, ScopeDomain, ScopeAny)),
		value("include", &c.Scope.Include, nil, valid(scope.ParsePatterns)).requeues(output.Excluded),
		value("exclude", &c.Scope.Exclude, nil, valid(scope.ParsePatterns)).requeues(output.Excluded),
		items("check", &c.Scope.Check, nil, oneOf(checkKinds...)),
		value("forbid-host", &c.Scope.ForbidHost, nil, valid(weburl.ParseHosts)),
		value("max-depth", &c.Scope.MaxDepth, -1, func(n int) error { return require(n >= -1, "%d is less than -1, which means no limit", n) }),
		value("max-url", &c.Scope.MaxURL, 8000, func(n int) error {
			return require(n > 0 && n <= weburl.MaxLength, "%d is not a number of bytes from 1 to %d", n, weburl.MaxLength)
		}),
		value("max-params", &c.Scope.MaxParams, 100, limit),
		value("max-repeats", &c.Scope.MaxRepeats, 3, limit),
		value("drop-params", &c.Scope.DropParams, nil, valid(params.New)),
		value("clean-param", &c.Scope.CleanParam, false),

		value("obey-noindex", &c.Robots.ObeyNoindex, true).rereads(),
		value("obey-nofollow", &c.Robots.ObeyNofollow, true),
		value("robots-timeout", &c.Robots.Timeout, 30*time.Second, positive),
		value("robots-retry", &c.Robots.Retry, time.Minute, positive),

		items("purpose", &c.Usage.Purposes, nil, valid(usage.ParsePurpose)),
		value("unknown", &c.Usage.Unknown, UnknownAllow, oneOf(UnknownAllow, UnknownRefuse), func(unknown UnknownUsage) error {
			return require(unknown == UnknownAllow || len(c.Usage.Purposes) > 0, "has no effect without a purpose; set purpose too")
		}),
		value("permissions", &c.Usage.Permissions, false),

		value("sitemap-order", &c.Sitemaps.Order, ByLastMod, oneOf(ByLastMod, ByPriority, AsListed)),
		value("since", &c.Sitemaps.Since, "", valid(parseSince)),
		value("only-sitemaps", &c.Sitemaps.Only, false),
		value("probe-sitemap", &c.Sitemaps.Probe, false),
		value("max-sitemaps", &c.Sitemaps.MaxFiles, 1000, orZero[int]("is to read none")),
		value("max-sitemap-entries", &c.Sitemaps.MaxEntries, 10_000_000, limit),

		value("user-agent", &c.Fetch.UserAgent, DefaultUserAgent, checkUserAgent),
		value("contact", &c.Fetch.Contact, "", checkContact),
		value("identity", &c.Fetch.Identity, "").ofProcess(),
		value("check-dns", &c.Fetch.CheckDNS, false, func(on bool) error {
			return require(!on || c.Fetch.Identity != "", "needs an identity, since the names must be under its domain; set identity too")
		}),
		value("types", &c.Fetch.Types, nil, valid(fetch.ParseTypes)).requeues(output.ContentType),
		value("timeout", &c.Fetch.Timeout, 30*time.Second, positive),
		value("first-byte-timeout", &c.Fetch.FirstByteTimeout, 20*time.Second, limit),
		value("stall-timeout", &c.Fetch.StallTimeout, 10*time.Second, limit),
		value("max-body", &c.Fetch.MaxBody, 10<<20, func(n int) error { return require(n > 0, "%d is not a number of bytes to read", n) }),
		value("retries", &c.Fetch.Retries, 3, notNegative),
		items("proxy", &c.Fetch.Proxies, nil, checkProxy).ofProcess(),
		items("allow-addr", &c.Fetch.AllowAddr, nil, valid(guard.ParsePrefix)),

		items("header", &c.Credentials.Header, nil, func(text string) error { return c.checkHeader(credentials.ParseHeader(text)) }).ofProcess(),
		items("header-for", &c.Credentials.HeaderFor, nil, func(text string) error {
			_, name, value, err := credentials.ParseHeaderFor(text)
			return c.checkHeader(name, value, err)
		}).ofProcess(),
		items("basic-auth", &c.Credentials.BasicAuth, nil, func(text string) error {
			_, _, err := credentials.ParseBasicAuth(text)
			return err
		}).ofProcess(),
		value("netrc", &c.Credentials.Netrc, false).ofProcess(),
		value("cookie-file", &c.Credentials.CookieFile, "").ofProcess(),
		value("cookies", &c.Credentials.Cookies, false).ofProcess(),

		value("frontier", &c.Sharing.Frontier, "", checkFrontier).ofProcess(),
		value("crawl-name", &c.Sharing.CrawlName, "default", c.Sharing.checkName).ofProcess(),
		value("frontier-prefix", &c.Sharing.Prefix, "politecrawl", c.Sharing.checkName).ofProcess(),
		value("worker-name", &c.Sharing.WorkerName, "", func(name string) error { return c.Sharing.checkName(cmp.Or(name, "any")) }).ofProcess(),
		value("frontier-password-file", &c.Sharing.PasswordFile, "").ofProcess(),
		value("expected-urls", &c.Sharing.ExpectedURLs, 10_000_000, func(n int) error { return require(n > 0, "%d is not a number of URLs", n) }).ofProcess(),
	}
}

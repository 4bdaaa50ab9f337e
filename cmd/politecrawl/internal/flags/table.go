package flags

import (
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/logging"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// groups returns the groups of the help with their rows, each bound to its field in v. The order
// is that of the help, of the manual pages, of configs/crawl.yaml and of "config show". In a
// group, the rows of --help stand before those of --help-all.
func (v *Values) groups() []group {
	c := &v.Config
	return []group{
		{"Input", []Row{
			{Name: "urls", Field: &c.URLs, Is: KeyOnly, Usage: "start URLs"},
			{Name: "url-file", Old: "seeds", Field: &v.URLFile, Is: FlagOnly, Usage: "read more start URLs from `FILE`, one per line; -: standard input"},
			{Name: "config", Short: "c", Field: &v.File, Is: FlagOnly, Usage: "read settings from `FILE` (.yaml, .toml, .json)"},
			{Name: "resume", Field: &v.Resume, Is: FlagOnly | Resumes, Usage: "resume the stopped or killed crawl in `DIR`"},
			{Name: "recrawl", Field: &v.Recrawl, Is: FlagOnly | Resumes, Usage: "request the URLs of the crawl in `DIR` again, conditionally"},
			{Name: "continue", Field: &v.Continue, Is: FlagOnly | Resumes | Rare, Usage: "resume the crawl in --output if there is one, otherwise start it"},
		}},
		{"Scope", []Row{
			{Name: "scope", Field: words(&c.Scope.Kind, "host|path|domain|any"), Usage: "crawl start hosts, start directories, domains, or any host"},
			{Name: "include", Field: &c.Scope.Include, Is: Lines, Usage: "fetch only URLs that match the regular expression `RE`; repeatable"},
			{Name: "exclude", Field: &c.Scope.Exclude, Is: Lines, Usage: "skip URLs that match the regular expression `RE`; repeatable"},
			{Name: "max-depth", Field: &c.Scope.MaxDepth, Is: NoPlan, Usage: "stay within `N` links of a start URL or sitemap entry; -1: no limit"},
			{Name: "check", Field: &c.Scope.Check, Is: Commas | NoPlan, Usage: "check `KIND`: assets, external, fragments, canonical, hreflang, all (default none)"},
			{Name: "forbid-host", Field: &c.Scope.ForbidHost, Is: Rare | NoPlan, Usage: "report links and assets on `HOST` as errors; repeatable (default none)"},
			{Name: "drop-params", Field: &c.Scope.DropParams, Is: Rare, Usage: "remove query parameter `NAME` from links (sid, utm_*); repeatable"},
			{Name: "clean-param", Field: &c.Scope.CleanParam, Is: Rare, Usage: "remove query parameters that robots.txt lists in Clean-param"},
			{Name: "max-url", Field: &c.Scope.MaxURL, Is: Rare, Usage: "accept URLs of at most `N` bytes"},
			{Name: "max-params", Field: &c.Scope.MaxParams, Is: Rare, Usage: "accept URLs with at most `N` query parameters; 0: no limit"},
			{Name: "max-repeats", Field: &c.Scope.MaxRepeats, Is: Rare | NoPlan, Usage: "allow `N` repeats of a path segment in a row; 0: no limit"},
			{Name: "max-links", Field: &c.Limits.MaxLinks, Is: Rare | NoPlan, Usage: "follow at most `N` links of a page; 0: no limit"},
			{Name: "types", Field: &c.Fetch.Types, Is: Rare | Commas | NoPlan, Usage: "read only pages of `TYPE`, or a list such as text/html,text/* (default: all)"},
		}},
		{"Politeness", []Row{
			{Name: "delay", Short: "d", Field: &c.Politeness.Delay, Usage: "wait at least `DURATION` between two requests to a host"},
			{Name: "concurrency", Old: "workers", Field: &c.Limits.Concurrency, Usage: "process `N` URLs at a time, on all hosts together"},
			{Name: "user-agent", Field: &c.Fetch.UserAgent, Is: LongDefault, Usage: "send `STRING` as the User-Agent header (default: politecrawl/0.1 and its URL)"},
			{Name: "contact", Field: &c.Fetch.Contact, Is: Rare, Usage: "send the email address `EMAIL` as From with every request (default: no From)"},
			{Name: "identity", Field: &c.Fetch.Identity, Is: Rare, Usage: "sign all requests with the identity in `DIR` (default: they are not signed)"},
			{Name: "check-dns", Field: &c.Fetch.CheckDNS, Is: Rare | NoPlan, Usage: "check whether the DNS of this machine fits --identity"},
			{Name: "max-crawl-delay", Field: &c.Politeness.MaxCrawlDelay, Is: Rare, Usage: "obey a Crawl-delay of up to `DURATION`; reduce longer ones to it"},
			{Name: "per-host", Field: &c.Politeness.PerHost, Is: Rare, Usage: "allow `N` requests in flight to a host"},
			{Name: "per-ip", Field: &c.Politeness.PerIP, Is: Rare, Usage: "allow `N` requests in flight to an IP address (default 0: no limit)"},
			{Name: "response-factor", Field: &c.Politeness.ResponseFactor, Is: Rare, Usage: "wait at least `F` times the host's last response time"},
		}},
		{"Limits", []Row{
			{Name: "max-pages", Short: "n", Field: &c.Limits.MaxPages, Usage: "stop after `N` pages (default 0: no limit)"},
			{Name: "max-time", Field: &c.Limits.MaxTime, Usage: "stop after `DURATION`, when requests under way end (default 0s: no limit)"},
			{Name: "max-host-pages", Field: &c.Limits.MaxHostPages, Is: Rare, Usage: "fetch at most `N` pages of a host (default 0: no limit)"},
			{Name: "max-bytes", Field: &c.Limits.MaxBytes, Is: Rare, Usage: "stop after `N` bytes of pages and of what checks read (default 0: no limit)"},
			{Name: "max-hosts", Field: &c.Limits.MaxHosts, Is: Rare, Usage: "visit at most `N` hosts; 0: no limit"},
			{Name: "max-body", Field: &c.Fetch.MaxBody, Is: Rare | NoPlan, Usage: "read at most `N` bytes of a page"},
			{Name: "max-wait", Field: &c.Limits.MaxWait, Is: Rare, Usage: "wait at most `DURATION` if no remaining host allows a request"},
			{Name: "trap-pages", Field: &c.Limits.TrapPages, Is: Rare | NoPlan, Usage: "detect a spider trap after `N` pages of a URL pattern; 0: never"},
		}},
		{"Output", []Row{
			{Name: "output", Short: "o", Field: &c.Output.Dir, Is: NoPlan, Usage: "write the crawl into `DIR`, which must not hold another crawl"},
			{Name: "also-write", Old: "write", Field: &c.Output.AlsoWrite, Is: Commas | NoPlan, Usage: "also write `FORMAT`: csv, sqlite, warc, or a list such as csv,warc (default: none)"},
			{Name: "extract", Field: &c.Output.Extract, Is: Lines | NoPlan, Usage: "add a field to pages.jsonl: `NAME=SELECTOR`, such as price=.price; repeatable"},
			{Name: "links", Field: words(&c.Output.Links, "true|false|full"), Bare: string(crawler.LinksPlain), Is: Rare | NoPlan, Usage: "list the links of each page in links.jsonl; full: with details"},
			{Name: "keep-header", Field: &c.Output.KeepHeader, Is: Rare | Commas | LongDefault | NoPlan, Usage: "keep the response header `NAME` in pages.jsonl (default: etag, server, …)"},
			{Name: "durability", Field: words(&c.Output.Durability, "process|power"), Is: Rare | NoPlan, Usage: "survive a killed process, or a power cut too"},
			{Name: "keep-generations", Field: &c.Output.KeepGenerations, Is: Rare | NoPlan, Usage: "recrawl: keep the pages of the last `N` crawls before it; 0: all"},
		}},
		{"Sitemaps", []Row{
			{Name: "only-sitemaps", Field: &c.Sitemaps.Only, Usage: "fetch start URLs and sitemap entries; follow no links"},
			{Name: "since", Field: &c.Sitemaps.Since, Is: Rare, Usage: "skip sitemap entries unchanged since `DATE` (default: skip none)"},
			{Name: "sitemap-order", Field: words(&c.Sitemaps.Order, "lastmod|priority|none"), Is: Rare, Usage: "fetch sitemap entries in this order"},
			{Name: "probe-sitemap", Field: &c.Sitemaps.Probe, Is: Rare, Usage: "request /sitemap.xml if robots.txt lists no sitemap"},
			{Name: "max-sitemaps", Field: &c.Sitemaps.MaxFiles, Is: Rare, Usage: "read at most `N` sitemaps of a host"},
			{Name: "max-sitemap-entries", Field: &c.Sitemaps.MaxEntries, Is: Rare, Usage: "fetch at most `N` sitemap entries of a host; 0: no limit"},
		}},
		{"Robots", []Row{
			{Name: "obey-noindex", Field: &c.Robots.ObeyNoindex, Is: NoPlan, Usage: "write no content or links of noindex pages; follow their links"},
			{Name: "obey-nofollow", Field: &c.Robots.ObeyNofollow, Is: NoPlan, Usage: "skip links marked nofollow, ugc or sponsored"},
			{Name: "purpose", Field: &c.Usage.Purposes, Is: Commas | NoPlan, Usage: "skip pages that disallow `PURPOSE`, such as train-ai; repeatable"},
			{Name: "unknown", Field: words(&c.Usage.Unknown, "allow|refuse"), Is: Rare | NoPlan, Usage: "use or skip pages that say nothing about a purpose"},
			{Name: "permissions", Field: &c.Usage.Permissions, Is: Rare | NoPlan, Usage: "request the tdmrep.json of each origin for permissions.jsonl"},
			{Name: "audit", Field: &v.Audit, Is: FlagOnly | Rare | NoPlan, Usage: "audit your own site: as --obey-nofollow=false --obey-noindex=false"},
			{Name: "robots-timeout", Field: &c.Robots.Timeout, Is: Rare, Usage: "stop a robots.txt request after `DURATION`, redirects included"},
			{Name: "robots-retry", Field: &c.Robots.Retry, Is: Rare, Usage: "retry an unreachable robots.txt after `DURATION`, then double it"},
		}},
		{"Sharing", []Row{
			{Name: "frontier", Field: &c.Sharing.Frontier, Is: Locates | NoPlan, Usage: "share the crawl through the Redis server at `URL`, such as redis://host:port"},
			{Name: "crawl-name", Old: "join", Field: &c.Sharing.CrawlName, Is: NoPlan, Usage: "join or start the shared crawl `NAME`"},
			{Name: "worker-name", Old: "worker", Field: &c.Sharing.WorkerName, Is: Rare | NoPlan, Usage: "name this worker `NAME` (default: the machine's name and a suffix)"},
			{Name: "frontier-prefix", Field: &c.Sharing.Prefix, Is: Locates | Rare | NoPlan, Usage: "begin all Redis keys with `PREFIX`"},
			{Name: "frontier-password-file", Field: &c.Sharing.PasswordFile, Is: Locates | Rare | NoPlan, Usage: "read the Redis password from `FILE` (default: $" + redisstore.PasswordVariable + ")"},
			{Name: "expected-urls", Field: &c.Sharing.ExpectedURLs, Is: Rare | NoPlan, Usage: "prepare Redis for `N` URLs; URLs beyond N take more memory each"},
		}},
		{"Network", []Row{
			{Name: "timeout", Field: &c.Fetch.Timeout, Usage: "stop the request for a page after `DURATION`"},
			{Name: "proxy", Field: &c.Fetch.Proxies, Is: Secret, Usage: "send requests through the proxy `URL`; repeatable (default: $HTTPS_PROXY, …)"},
			{Name: AllowAddr, Field: &c.Fetch.AllowAddr, Is: Commas, Usage: "allow connections to the non-public `NETWORK`, such as 10.0.0.0/8; repeatable"},
			{Name: "retries", Field: &c.Fetch.Retries, Is: Rare, Usage: "retry a failed page or sitemap `N` times"},
			{Name: "first-byte-timeout", Field: &c.Fetch.FirstByteTimeout, Is: Rare, Usage: "wait at most `DURATION` for a response to start; 0s: no limit"},
			{Name: "stall-timeout", Field: &c.Fetch.StallTimeout, Is: Rare, Usage: "abort a response slower than 1 KiB in `DURATION`; 0s: no limit"},
		}},
		{"Credentials", []Row{
			{Name: "header", Field: &c.Credentials.Header, Is: Rare | Lines | Secret, Usage: "send `FIELD` to start origins, such as \"X-Key: 1\"; repeatable"},
			{Name: "header-for", Field: &c.Credentials.HeaderFor, Is: Rare | Lines | Secret, Usage: "send `FIELD` to another origin: \"https://host X-Key: 1\"; repeatable"},
			{Name: BasicAuth, Field: &c.Credentials.BasicAuth, Is: Rare | Secret, Usage: "log in with the user and password in `URL`, https://me:pw@host; repeatable"},
			{Name: "netrc", Field: &c.Credentials.Netrc, Is: Rare, Usage: "log in to start origins with the credentials in $NETRC or ~/.netrc"},
			{Name: "cookie-file", Field: &c.Credentials.CookieFile, Is: Rare, Usage: "send the cookies in `FILE` (Netscape format) to start origins"},
			{Name: "cookies", Field: &c.Credentials.Cookies, Is: Rare, Usage: "keep cookies of start origins while the crawl runs"},
		}},
		{"Observability", []Row{
			{Name: "listen", Field: &v.Listen.Addr, Is: FlagOnly | Runs, Usage: "serve a live page, /metrics and /healthz at `HOST:PORT`"},
			{Name: "log", Field: cli.NewChoice(&v.Log.Format, logging.Text, logging.JSON, logging.Off), Is: ThisRun, Usage: "write a log in this format"},
			{Name: ListenToken, Field: &v.Listen.Token, Is: FlagOnly | Runs | Rare, Usage: "require `TOKEN` at --listen (default: $" + TokenVariable + ")"},
			{Name: "log-level", Field: cli.NewChoice(&v.Log.Level, "debug", "info", "warn", "error"), Is: ThisRun | Rare, Usage: "log events of this level and above"},
			{Name: "log-file", Field: &v.Log.File, Is: ThisRun | Rare, Usage: "append the log to `FILE` (default: standard error)"},
			{Name: "pprof", Field: &v.Listen.Pprof, Is: FlagOnly | Runs | Rare, Usage: "serve Go profiles at --listen, below /debug/pprof/"},
		}},
	}
}

package crawler

import "time"

// Default returns the default configuration: one request per second to each host, the hosts of
// the start URLs, and no limit on pages.
func Default() Config {
	return Config{
		Output: Output{
			Dir:        "crawl",
			Links:      LinksPlain,
			KeepHeader: []string{"last-modified", "etag", "content-language", "cache-control", "server"},
			Durability: DurableProcess,
		},
		Limits: Limits{
			Concurrency: 16,
			MaxHosts:    100_000,
			MaxWait:     2 * time.Minute,
			MaxLinks:    10_000,
			TrapPages:   10_000,
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
		Usage: Usage{
			Unknown: UnknownAllow,
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
		Sharing: Sharing{
			CrawlName:    "default",
			Prefix:       "politecrawl",
			ExpectedURLs: 10_000_000,
		},
	}
}

// Package monitor serves a live page, Prometheus metrics and a health check of a running crawl.
// Buttons on the page pause and stop the crawl.
//
//	server, err := monitor.Listen("127.0.0.1:8080", nil)
//	...
//	defer server.Close()
//	c, err := crawler.New(cfg, &crawler.Options{
//		Formats: []output.Format{server.Format()},  // receives results
//		OnStart: func() { server.SetCrawl(c) },     // shows the status
//	})
//	sum, err := c.Run(ctx)
//	server.Finish(sum)
//
// # Paths
//
//	/              the page: numbers, hosts with delays and queues, recent pages, skipped
//	               URLs, errors, robots.txt files
//	/events        updates of the page, as server-sent events
//	/metrics       metrics for Prometheus
//	/healthz       status 200 if the crawl is healthy, else 503 and the reason
//	/pause, /resume, /stop
//	               control the crawl (POST only); requests in flight are finished first
//	/debug/pprof/  profiles, with Options.Pprof
//
// # Cost
//
// The crawl never waits for a viewer. Each page costs it about a microsecond. Once a second the
// server reads the status and sends changes to all viewers, which takes about a tenth of a
// millisecond. A slow viewer misses updates.
//
// Memory does not grow with the number of hosts and pages. Metric labels contain no URL, host or
// other text from sites.
//
// # Health
//
// A crawl is healthy if its frontier responds and the crawl is not stuck. It is stuck if URLs are
// due or in flight, but nothing has changed for ten minutes. A crawl that is paused, or waits
// until a host is due, is healthy.
//
// # Access
//
//   - Without a token, the server listens on loopback addresses only. It rejects requests of
//     other web pages in the operator's browser: it checks the headers Host (DNS rebinding),
//     Sec-Fetch-Site and Origin. Commands need a CSRF token, which only its own page knows. All
//     programs on the same machine have access, unless you set a token.
//   - With a token, every path except /healthz requires it, as "Authorization: Bearer". In a
//     browser, add "?token=" to the URL once: the server replaces it with a cookie. The token is
//     not encrypted: use TLS or a tunnel on an untrusted network.
//   - The server accepts at most 64 connections at a time, and 24 per remote address (64 bits
//     of an IPv6 address). It closes incomplete requests after 2 seconds and idle connections
//     after 10 seconds. So clients without a token cannot exhaust the file descriptors of the
//     crawl, but three such addresses can together occupy all 64 connections and lock viewers out.
//   - The page loads resources from its own origin only, cannot be framed, and shows strings from
//     sites as plain text.
package monitor

// Package monitor serves a live page, metrics for Prometheus and a health check of a running
// crawl. The page can pause and stop the crawl.
//
//	server, err := monitor.Listen("127.0.0.1:8080", nil)
//	...
//	defer server.Close()
//	c, err := crawler.New(cfg, &crawler.Options{
//		Formats: []output.Format{server.Format()}, // its results
//		OnStart:   func() { server.Begin(c) },       // its status
//	})
//	sum, err := c.Run(ctx)
//	server.End(sum)
//
// # What is served
//
//	/              the page: numbers, hosts with delays and queues, recent pages, skipped
//	               URLs, errors, robots.txt files
//	/events        updates of the page, as server-sent events
//	/metrics       metrics for Prometheus
//	/healthz       200 while the crawl is healthy, else 503 and the reason
//	/pause, /resume, /stop
//	               POST only; requests in flight finish first
//	/debug/pprof/  profiles, with Options.Pprof
//
// # Cost
//
// A crawl never waits for a viewer. Results are counted and listed under a lock that is not
// held during network I/O. Once a second one goroutine reads the status and encodes the
// events for all viewers. Each viewer receives the events that have changed; a slow viewer
// misses updates. A page costs the crawl about a microsecond, a second with viewers about a
// tenth of a millisecond.
//
// Memory is bounded, whatever the number of hosts and pages. No metric label holds a URL, a
// host or other text that a site can choose.
//
// # Health
//
// A crawl is healthy when its frontier responds and it is not stuck. It is stuck when URLs
// can be fetched, or are being fetched, but nothing has changed for [Options.StuckAfter]. A
// crawl that is paused or waits for a due host is healthy.
//
// # Access
//
//   - Without a token, the server listens on a loopback address only. It detects foreign web
//     pages in the operator's browser by the Host header (DNS rebinding), by Sec-Fetch-Site
//     and Origin, and, for commands, by a secret that only its own page knows. Programs on
//     the same machine have access: set a token where that matters.
//   - With a token, every path but /healthz needs it: as "Authorization: Bearer" or, in a
//     browser, once as "?token=" in the URL, which the server replaces by a cookie. The
//     token is not encrypted: use TLS or a tunnel on an untrusted network.
//   - The server accepts at most 64 connections at a time, so that clients without a token
//     cannot exhaust the crawl's file descriptors. It closes connections above 24 per remote
//     address (64 bits of an IPv6 address), incomplete requests after 2 seconds and idle
//     connections after 10. Three such addresses can still keep viewers waiting.
//   - The page loads from its own origin only, cannot be framed, and shows texts of sites as
//     plain text.
package monitor

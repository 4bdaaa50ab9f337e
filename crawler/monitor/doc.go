// Package monitor lets a person and their tools watch a crawl while it runs, and pause
// or stop it: a live page, metrics for Prometheus, and a health check.
//
//	server, err := monitor.Listen("127.0.0.1:8080", nil)
//	...
//	defer server.Close()
//	c, err := crawler.New(cfg, &crawler.Options{
//		Formats: []output.Format{server.Format()}, // what it finds
//		Begun:   func() { server.Begin(c) },       // how it is getting on
//	})
//	sum, err := c.Run(ctx)
//	server.End(sum)
//
// # What is served
//
//	/              the page: numbers, hosts with their clocks and queues, recent pages,
//	               rejections and faults, each robots.txt
//	/events        updates of the page: server-sent events
//	/metrics       for Prometheus
//	/healthz       200 while the crawl is well, else 503 and a line that says why
//	/pause, /continue, /stop
//	               by POST; requests in flight are finished first
//	/debug/pprof/  on option
//
// # Cost
//
// A crawl never waits for a viewer. It hands over what it found, which is counted and
// listed under a lock that nobody holds while talking to the network. Once a second one
// goroutine asks the crawl for its status and encodes what all viewers see, in parts. Each
// viewer is sent the parts that have changed; a slow one misses updates. A page costs the
// crawl about a microsecond, a second with viewers about a tenth of a millisecond.
//
// Everything is bounded, whatever the number of hosts and pages. No label of a metric holds
// a URL, a host or anything else that a site can choose.
//
// # Health
//
// A crawl is well when its frontier answers and it is not stuck. It is stuck when something
// can be fetched, or is being fetched, and nothing has changed for [Options.StuckAfter]. A
// crawl that is paused, or waits for a host to be due, is well.
//
// # Access
//
//   - Without a token, only a loopback address is listened on. A foreign web page in the
//     operator's browser is told by the Host header (DNS rebinding), by Sec-Fetch-Site and
//     Origin, and, for commands, by a secret that only our own page knows. Programs on the
//     same machine are not kept out: set a token where that matters.
//   - With a token, every path but /healthz needs it: as "Authorization: Bearer" or, in a
//     browser, once as "?token=" in the URL, which is traded for a cookie. The token is sent
//     as it is: use TLS or a tunnel on a network that is not trusted.
//   - At most 64 connections are served at a time, so that those without a token cannot
//     exhaust the crawl's descriptors, and at most 24 of one remote address (of 64 bits of
//     an IPv6 address); more are closed at once. Connections without a whole request are
//     closed after 2 seconds, idle ones after 10. Three such addresses can still keep
//     viewers waiting.
//   - The page may load from its own origin alone, may not be framed, and shows what sites
//     wrote as text.
package monitor

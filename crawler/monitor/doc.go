// Package monitor lets a person and their tools watch a crawl while it runs, and hold
// or end it: a live page, metrics for Prometheus, and an answer to "is it well?".
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
//	/              the page: numbers, hosts with their clocks and queues, what was
//	               fetched, left alone and went wrong of late, each robots.txt
//	/events        what moves the page: server-sent events
//	/metrics       for Prometheus
//	/healthz       200 while the crawl is well, else 503 and a line that says why
//	/pause, /continue, /stop
//	               by POST; what is in flight is finished first
//	/debug/pprof/  on option
//
// # What a crawl costs to watch
//
// A crawl must not wait for whoever looks at it. It hands over what it found, which
// is counted and put into short lists under a lock that nobody holds while they talk
// to the network. Once a second one goroutine asks the crawl how it is getting on and
// writes what all viewers are to see, in parts, as JSON that is made once. Each viewer
// is sent the parts that have changed since it was last sent any: one that is slow
// misses what came in between, and is never owed more than the parts as they are now.
// With no viewer nothing is written before the end, and only the numbers are kept. A
// page costs the crawl about a microsecond, a second with viewers about a tenth of a
// millisecond.
//
// URLs that the crawl skips where it finds them, such as those out of scope, are counted and
// shown at once, although they stand in no file before it ends. One that is fetched after all
// is taken off again, and counted as withdrawn.
//
// All that is kept is bounded, however many hosts and pages there are. So are the
// metrics: no label holds a URL, a host or anything else that a site can choose. A
// status that HTTP does not know is "other".
//
// # What well means
//
// A crawl is well when its frontier answers, and it is not stuck: something can be
// fetched, or is being fetched, and yet nothing has changed for [Options.StuckAfter].
// A crawl that is paused, or waits for a host to be due, is well.
//
// # Who may watch
//
// A crawl can be stopped here, and what is shown may be nobody else's business. So:
//
//   - Without a token only a loopback address is listened on. A web page that the
//     operator happens to visit can still make their browser send requests to it; those
//     are told by the Host header (a name of the page's own, made to point here:
//     DNS rebinding), by Sec-Fetch-Site and Origin, and, where something would change,
//     by a secret of this process that only its own page knows. Programs on the same
//     machine are not kept out: whoever has an account there can read the page, and
//     with it the secret, and so stop the crawl. Set a token where that matters.
//   - With a token every path but /healthz asks for it, as "Authorization: Bearer"
//     or, for a browser, once as "?token=" in the URL, which is traded for a cookie.
//     The token travels as it is: put TLS or a tunnel in front where the network is not
//     to be trusted.
//   - At most 64 connections are served at a time, so that those who have no token
//     cannot take from the crawl the descriptors that it needs, and at most 24 of one
//     remote address (of 64 bits of an IPv6 address), so that one of them cannot keep
//     /healthz from answering the others. More of the same address are closed at once. A
//     connection without a whole request is closed after 2 seconds, one between two
//     requests after 10. Three such addresses can still keep viewers waiting.
//   - The page may load from its own origin alone, may not be framed, and shows what
//     sites wrote as text.
package monitor

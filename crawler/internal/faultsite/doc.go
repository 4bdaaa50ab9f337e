// Package faultsite is a web site that misbehaves in every way that its authors could
// think of, for testing crawlers.
//
// What a crawler reads comes from strangers: servers that hang up, stall, lie about
// lengths and types, break every rule of HTTP and TLS, or do their worst to whoever reads
// them. A crawler has to bear each of these, in bounded time and memory, has to write down
// what happened so that a person understands it, and has to go on with everything else, no
// less politely than before. This package is the other side of that: [Faults] is a table of
// faults, each with what it is and what a crawler should make of it, and [Start] serves
// them on loopback, each on a host of its own.
//
//	site, err := faultsite.Start(&faultsite.Options{
//		Hosts: []faultsite.Host{{Fault: "reset-in-body", Kind: faultsite.Page}, {Kind: faultsite.Sound}},
//		Delay: time.Second,
//	})
//	// crawl site.StartURLs()
//	report := site.Report()
//
// A fault befalls a page, a robots.txt or a sitemap; everything else of its host is
// sound:
//
//	/robots.txt   closes /closed/, and lists the sitemap on hosts where a sitemap is
//	              faulty, or nothing is
//	/sitemap.xml  lists /listed, /after and a page that is closed
//	/             links to /fault on hosts with a faulty page, to /after, to a page that
//	              is closed, and into the chain
//	/fault        the faulty page; when all is well with it, it links to /behind
//	/p/0, /p/1 …  the chain: each page links to the two after it. It is as long as
//	              Options.Pages say, and on hosts with a faulty page every fourth is
//
// Faults of connections and of TLS befall, in place of a page or a sitemap, each third
// connection: the others carry one answer each, so that it is the one for /fault, or for
// the sitemap, if a client asks for one thing after the other.
//
// The site is the judge, too: it has a clock for each host ([demosite.Clock]), and its
// [Report] tells of every request that came too soon, at the same time as another, before
// robots.txt was answered, while it could not be had, or for what it closes. It judges
// requests when they are over, and keeps no more than the last of them, so that a crawl
// may go on for as long as anybody likes. Of a request that its client gave up nobody on
// this side knows when that was: only that the next began long enough after it had begun
// is looked at there.
package faultsite

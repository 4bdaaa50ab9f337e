// Package faultsite serves a website that misbehaves, to test crawlers.
//
// Servers hang up, stall, send wrong lengths and types, and break the rules of HTTP and TLS. Some
// are hostile. A crawler has to handle every such response in limited time and memory. It has to
// record what happened, and to continue with all other URLs, as politely as before.
//
// [Faults] is a table of faults: what the server does, and how a crawler should handle it. [Start]
// serves the faults on loopback, each on its own host.
//
//	site, err := faultsite.Start(&faultsite.Options{
//		Hosts: []faultsite.Host{{Fault: "reset-in-body", Kind: faultsite.Page}, {Kind: faultsite.Healthy}},
//		Delay: time.Second,
//	})
//	// crawl site.StartURLs()
//	report := site.Report()
//
// A fault affects a page, a robots.txt or a sitemap. Everything else on its host is healthy:
//
//	/robots.txt   disallows /closed/; names the sitemap if the sitemap is faulty, or the
//	              host healthy
//	/sitemap.xml  lists /listed, /after and a disallowed page
//	/             links to /fault (if pages are faulty), to /after, to a disallowed page
//	              and to the chain
//	/fault        the faulty page; if it can be read, it links to /behind
//	/p/0, /p/1 …  the chain: each page links to the next two. Its length is Options.Pages.
//	              If pages are faulty, every fourth page of the chain is
//
// Faults of connections and of TLS affect every third connection to a host with a faulty page or
// sitemap. The other connections carry one response each. So a client that sends one request after
// the other meets the fault with its request for /fault or the sitemap.
//
// The site checks the requests to each host with a [testserver.DelayChecker]. Its [Report] has all
// violations: requests that came too soon or concurrently, before robots.txt, while robots.txt was
// unreachable, or for a disallowed URL. The site checks a request when it has ended, and keeps only
// the last ones, so a crawl may take any time. If a client aborts a request, the site does not
// know when. Then it only checks the time between the starts.
package faultsite

// Package report says what a crawl found: in report.html for people, in report.json
// for programs.
//
// A report answers four questions. What is there? What is broken? What did robots.txt
// keep the crawl from? Do the sitemaps tell the truth? Below the answers stands the
// evidence: status codes, depths and times, broken links with the pages that lead there,
// chains of redirects, the line of robots.txt behind each disallowed URL, outages and
// changes of each robots.txt, duplicates, and what pages ask of crawlers.
//
//	r, err := report.Make([]string{"example"}, nil) // the directory of a crawl
//	…
//	err = r.WriteFiles("example")
//
// SCHEMA.md describes each field of report.json, and so of [Report].
//
// # Sitemaps against the site
//
// A sitemap lists what its site wants to have indexed. A listed URL should be there, be
// allowed by robots.txt, allow indexing, and be its own canonical URL. Pages should link
// to it, and its date should lie in the past. Each [Discrepancy] is one way in which a
// sitemap and its site disagree.
//
// A crawl that has not seen everything cannot say that no page links to a URL. So each
// discrepancy has the reasons that make it inconclusive: the crawl was stopped or limited,
// a robots.txt or sitemap could not be read, a file of the crawl is missing. Without such
// a reason, the list is complete.
//
// # Many workers, one crawl
//
// Workers that share a crawl each write a directory of their own. [Make] reads these
// together, and the report is the one that a single worker would have led to. SCHEMA.md
// says which line counts where several directories have one.
//
// # Cost
//
// Make streams the files twice, those of several directories once more. It keeps some
// 40 bytes for each URL and the rows that lists will have; counts are exact. A crawl of
// 100,000 pages with two million links takes three seconds and 70 MB (BenchmarkMake).
//
// # Trust
//
// Nothing that a site wrote is trusted. Every text goes through html/template and is shown
// with its control characters escaped. A policy lets the page run its own script and style,
// by their hashes, and load nothing else.
package report

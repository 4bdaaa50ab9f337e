// Package report generates the report of a crawl: report.html for people, and report.json for
// programs.
//
// A report lists what is wrong with a site, as findings by rule: broken links, redirect chains,
// problems with titles and with canonical and hreflang links, and differences between the sitemaps
// and the site. FINDINGS.md explains the rules. A report also has numbers of pages and origins,
// disallowed URLs by line of robots.txt, outages of robots.txt and changes to it, duplicates, robots
// directives of pages, and what the pages may be used for.
//
//	r, err := report.Generate(ctx, []string{"example"}, nil) // the directory of a crawl
//	…
//	err = r.WriteFiles(ctx, "example")
//
// report.html has at most Options.Rows URLs. With Options.AllURLs, [Report.Serve] shows all URLs of a crawl.
//
// SCHEMA.md describes the fields of report.json. [Report] has the same fields.
//
// # Sitemaps and the site
//
// A URL in a sitemap should exist, be allowed by robots.txt, be indexable, and be its own
// canonical URL. Pages should link to it, and its date should be in the past.
//
// An incomplete crawl cannot show that no page links to a URL. So [Findings] have Caveats, reasons
// why they may be incomplete or wrong: the crawl was stopped or limited, a robots.txt or sitemap
// could not be read, or a file of the crawl is missing. Without Caveats the list is complete.
//
// # Several workers
//
// Each worker of a shared crawl writes its own directory. [Generate] merges them into one report,
// as if a single worker had done the crawl. SCHEMA.md says which line counts if several
// directories have a line for the same URL.
//
// # Writing sitemaps
//
// [FindIndexable] finds the pages that a search engine may list, and [Indexable.WriteSitemaps] writes
// a sitemap of them for each origin.
//
// # Cost
//
// Generate reads the files twice, or three times if there are several directories. It reads
// links.jsonl once, again to find URLs of findings that only links have, and again if more than a
// million links lead to URLs that may be findings. It reads anchors.jsonl up to four times. It needs
// about 50 bytes of memory per URL, 16 more per URL that was only checked, 8 per id of an element,
// per hreflang link and per link to a URL that may be a finding, 300 and the texts per row of the table
// of URLs, and the rows of the lists. For report.html it keeps two million links, with 32 MB of URLs. A
// crawl of a million pages with 20 million links takes 19 seconds on two cores in BenchmarkGenerate,
// which also generates its directory and peaks at 730 MB. Chromium shows the first row of a page with
// 100,000 URLs in 0.6 seconds, and a frame in 17 ms while they scroll (BenchmarkURLs of browsertest).
//
// [FindIndexable] keeps every indexable page in memory. A million pages take six seconds and 370 MB.
//
// # Security
//
// All text from sites is untrusted. report.html escapes it with html/template, and also escapes
// control characters; its script writes text nodes only. Its content security policy allows only its
// own script and style, by their hashes, and no network access, but for requests to the server of a
// served page. Cells of an exported CSV file are
// not formulas, as in package csvout.
package report

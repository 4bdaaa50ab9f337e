// Package report makes the report of a crawl: report.html for people, report.json for
// programs.
//
// A report has four topics: pages, broken URLs and redirects, robots.txt and skipped URLs,
// and sitemaps. It lists broken links with the pages that link to them, redirect chains, the
// robots.txt line behind each disallowed URL, robots.txt outages and changes, duplicates, and
// robots directives of pages.
//
//	r, err := report.Generate([]string{"example"}, nil) // the directory of a crawl
//	…
//	err = r.WriteFiles("example")
//
// SCHEMA.md describes each field of report.json, and so of [Report].
//
// # Sitemaps and the site
//
// A URL in a sitemap should exist, be allowed by robots.txt, be indexable, and be its own
// canonical URL. Pages should link to it, and its date should be in the past. Each
// [Discrepancy] is one way in which the sitemaps and the site differ.
//
// An incomplete crawl cannot prove that no page links to a URL. So each discrepancy has the
// reasons that make it inconclusive: the crawl was stopped or limited, a robots.txt or sitemap
// could not be read, or a file of the crawl is missing. Without such a reason, its list is
// complete.
//
// # Several workers
//
// Workers of a shared crawl write a directory each. [Generate] reads them together and makes the
// report that a single worker would have led to. SCHEMA.md says which line counts if several
// directories have one about the same URL.
//
// # Cost
//
// Generate reads the files twice, and those of several directories once more. It keeps about 40
// bytes per URL and the rows of the lists; counts are exact. A crawl of 100,000 pages with two
// million links takes three seconds and 70 MB (BenchmarkGenerate).
//
// # Security
//
// The page treats all text from sites as untrusted. It goes through html/template, with
// control characters escaped. A content security policy allows only the page's own script and
// style, by their hashes, and no network access.
package report

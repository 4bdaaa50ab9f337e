// Package compare says what changed between two crawls of a site: findings that are new or
// fixed, pages that vanished or that search engines no longer index, what a changed robots.txt
// means, which URLs the sitemaps no longer list, and which pages have other content. What one of
// the crawls did not read counts as neither new nor fixed.
//
//	before, err := compare.Open("last-week")
//	if err != nil { … }
//	after, err := compare.Open("today")
//	if err != nil { … }
//	c := compare.Compare(before, after)
//
// If each crawl has one origin and the origins differ, such as a test server and the real site,
// pages with the same path are the same page.
//
// SCHEMA.md describes a [Comparison] as JSON, and all rules of changes.
package compare

// Package visit takes one URL from its lease to its commit.
//
// A page, a sitemap and a check take the same path:
//
//	decode   what the lease is for                                  item.go
//	admit    robots.txt, and whether the host is due                admit.go
//	visit    a page, a sitemap or a check: one request              page.go, sitemap.go, check.go
//	read     what the response says                                 the same, and a file for each topic
//	commit   acts on what the stages have returned                  commit.go
//
// A stage takes values and returns an [outcome]; what reads a page fills one. The first stage that decides ends the
// path. Only commit skips, defers, retries and records a URL, adds to the frontier what it leads to, and finishes
// its lease. A request that failed is in failure.go.
//
// To add a stage, write a function that takes an item and what is known of it and returns an outcome, and call
// it in Visitor.admit, or in page, sitemap or check. To add something that a page says, read it in a
// file of its own and add it to Visitor.readContent.
package visit

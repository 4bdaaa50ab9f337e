// Package visit takes one URL from its lease to its commit.
//
// A page, a sitemap and a check take the same path:
//
//	decode   what the lease is for                                  item.go
//	admit    robots.txt, whether the host is due, limits            admit.go, usage.go
//	fetch    the only stage that requests the URL itself            package fetch
//	read     what the response says                                 page.go, sitemap.go, check.go
//	commit   acts on what the stages have returned                  commit.go
//
// A stage takes values and returns what it found: an [outcome]. The first stage that decides ends the path.
// Only commit skips, defers, retries and records a URL, and adds to the frontier what it leads to. A response
// that failed is in failure.go.
//
// To add a stage, write a function that takes an item and what is known of it and returns an outcome, and call
// it in Visitor.process or in the list of one of the three kinds. To add something that a page says, read it in a
// file of its own and add it to Visitor.readContent.
package visit

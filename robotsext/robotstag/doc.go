// Package robotstag parses the rules of a page for crawlers: X-Robots-Tag headers, robots meta
// elements and rel attributes.
//
// # Rules of a page
//
// robots.txt says which URLs a crawler may fetch. The page itself says how a crawler may use
// it, in a response header or in the document:
//
//	X-Robots-Tag: noindex, examplebot: nofollow
//
//	<meta name="robots" content="max-snippet:50">
//	<meta name="examplebot" content="unavailable_after: 2030-12-31">
//
// The two are independent. A crawler does not fetch a page that robots.txt disallows, so it
// never sees the rules of the page. To keep a page out of an index, its owner must allow
// crawling it.
//
// Two rules matter to a crawler: noindex (do not index this page) and nofollow (do not follow
// its links); "none" means both. The other rules restrict search results: nosnippet,
// max-snippet and so on. A rule applies to all crawlers, or to one by its product token. All
// rules for a crawler apply together: the most restrictive one decides, and no rule cancels
// another. [Directives] collects the rules of one page. Its methods return the rule that
// decides, with the header or element that contains it.
//
// The rel attribute of a link concerns only that link ([ParseRel]). A crawler may still follow
// other links to the same page.
//
// # Supported formats
//
// The package parses the rules that Google documents, noai and noimageai, in upper or lower
// case, with or without spaces between their parts. It also parses the draft header Robots-Tag
// (draft-illyes-repext), a successor of X-Robots-Tag. The caller parses the HTML and passes
// names and values. The package does no I/O, and reads at most 64 KiB of the headers of a page
// and 64 KiB of its meta elements.
//
// Package usage combines the rules that bear on use with other signals, such as Content-Usage.
package robotstag

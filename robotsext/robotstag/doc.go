// Package robotstag reads what a page asks of crawlers: X-Robots-Tag headers, robots meta
// elements and rel attributes.
//
// # Two questions
//
// robots.txt says which URLs a crawler may fetch. What it may do with a fetched page, the page
// says itself, in a response header or in the document:
//
//	X-Robots-Tag: noindex, examplebot: nofollow
//
//	<meta name="robots" content="max-snippet:50">
//	<meta name="examplebot" content="unavailable_after: 2030-12-31">
//
// The two are independent. A crawler does not fetch a page that robots.txt disallows, so it
// never sees what the page asks for: to keep a page out of an index, its owner must allow
// crawling it. And no page can allow what robots.txt disallows.
//
// # What a page can ask for
//
// Two rules matter to a crawler: noindex, do not keep this page, and nofollow, do not follow
// its links; "none" is both. The other rules restrict search results: nosnippet, max-snippet
// and so on. A rule applies to all crawlers, or to one by its product token. All rules for a
// crawler add up. The most restrictive one holds, and no rule cancels another. [Directives]
// collects the rules of one page. Each of its answers is the rule that decides, with the header
// or element that has it.
//
// The rel attribute of a link is about that link alone ([ParseRel]). Its target may still be
// reached through other links.
//
// # What the package reads
//
// It reads the rules that Google documents, with names and dates in any case, with or without
// space, and two drafts: the header Robots-Tag (draft-illyes-repext), a successor of
// X-Robots-Tag, and Content-Usage (draft-ietf-aipref-attach), which says what the content may
// be used for. The caller parses the HTML and passes names and values. The package does no
// I/O, and reads at most 64 KiB of the headers of a page and 64 KiB of its meta elements.
package robotstag

// Package robotstag reads what a page asks of the crawlers that have fetched it:
// X-Robots-Tag headers, robots meta elements, rel attributes and what belongs to
// them.
//
// # Two questions
//
// robots.txt answers one question: may this URL be fetched? What is done with a
// page once it is fetched is another one, and a page answers it for itself, in the
// header of the response or in the document:
//
//	X-Robots-Tag: noindex, examplebot: nofollow
//
//	<meta name="robots" content="max-snippet:50">
//	<meta name="examplebot" content="unavailable_after: 2030-12-31">
//
// The two do not mix. A page that robots.txt forbids is not fetched, so what it
// asks for is never seen: whoever wants a page out of an index has to let it be
// crawled (ROB-PAG-01). And no word of a page allows what robots.txt forbids.
//
// # What a page can ask for
//
// Two rules matter to a crawler: noindex, do not keep this page, and nofollow, do
// not follow its links; "none" is both. The others are about showing the page in
// search results: nosnippet, max-snippet and so on. A rule may be for everyone or
// for one crawler by its product token. All that is addressed to a crawler adds up,
// and where two rules disagree the more restrictive one holds, wherever each comes
// from; no rule takes another one back (ROB-PAG-05). [Directives] collects the
// rules of one page and answers the questions; each answer is the rule behind it,
// with the place where it stands.
//
// A single link can be excepted by its rel attribute ([ParseRel]). It says nothing
// about the page it leads to, which may be reached in another way.
//
// # What it reads
//
// The rules are those that Google documents, the names and dates as people write
// them: in any case, with or without space. Two drafts are read as well: the header
// Robots-Tag (draft-illyes-repext), which is to follow X-Robots-Tag, and
// Content-Usage (draft-ietf-aipref-attach), which tells what the content may be used
// for. The package does not read HTML; whoever does hands over the pairs it finds.
// It does no I/O, and looks at no more than 64 KiB of the headers of a page and as
// much of its meta elements.
package robotstag

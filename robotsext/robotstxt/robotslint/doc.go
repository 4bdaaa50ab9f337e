// Package robotslint finds mistakes in robots.txt files and says how to fix them.
//
// A robots.txt file is never refused. Crawlers skip what they cannot parse (RFC 9309 section
// 2.2), and the author never hears of it. Most mistakes are of one of these sorts.
//
// Lines without effect. A field needs its exact name and a colon: "Disalow: /x",
// "Disallow /x" and "Noindex: /x" do nothing. A path begins with / or *: "Disallow: private/"
// and "Disallow: https://…" do nothing. A sitemap needs a whole URL. Invisible characters, such
// as a byte order mark inside the file, spoil a line. Crawlers may ignore what follows the
// first 500 KiB.
//
// Rules for nobody, or for another crawler. A rule before the first User-agent line applies
// to nobody. A crawler is named by its product token, letters with - and _ alone:
// "Mozilla/5.0 (compatible; ExampleBot)" names Mozilla. A crawler that has a group ignores
// the group of "*", even if its own is empty. An empty line does not end a group; the next
// User-agent line after a rule does. In
//
//	User-agent: ExampleBot
//	Crawl-delay: 5
//
//	User-agent: *
//	Disallow: /
//
// the last line applies to ExampleBot too.
//
// Rules with another meaning. Only * and a $ at the very end are special in a path: there
// are no regular expressions. A # begins a comment anywhere.
//
// Needless rules. The longest rule that matches decides, so a rule may never decide, because
// another one is longer wherever it matches ("Allow: /" beside "Disallow: /*"), or it may
// repeat another ("Disallow: /a/b" beside "Disallow: /a"). A rule is reported as needless
// only if no verdict on any URL for any crawler changes without it and all others that are
// reported.
//
// # Findings
//
// Lint returns findings by line. A finding has a kind that scripts can rely on, a severity,
// the id of a requirement of the specification, a message and a fix. An Error is a line that
// does not do what it was written for. A Warning is a line that works for some crawlers only,
// by luck, or in vain. A Note is no fault. A clean file has no findings.
//
// A file of 500 KiB takes some tens of milliseconds, a hostile one a few tenths of a second:
// the search for needless rules stops after a limited number of steps. FINDINGS.md counts the
// findings in files of real sites.
package robotslint

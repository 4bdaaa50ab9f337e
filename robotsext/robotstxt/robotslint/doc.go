// Package robotslint finds mistakes in robots.txt files and says how to fix them.
//
// Crawlers never reject a robots.txt file. They skip lines that they cannot parse (RFC 9309
// section 2.2), and the author receives no error. Most mistakes are of these kinds:
//
// Lines without effect. A field needs its exact name and a colon: "Disalow: /x",
// "Disallow /x" and "Noindex: /x" do nothing. A path begins with / or *: "Disallow: private/"
// and "Disallow: https://…" do nothing. A sitemap needs an absolute URL. Invisible characters, such
// as a byte order mark inside the file, make a line invalid. Crawlers may ignore everything
// after the first 500 KiB.
//
// Rules for no crawler, or for another one. A rule before the first User-agent line applies
// to no crawler. A User-agent line names a crawler by its product token, which has only
// letters, - and _: "Mozilla/5.0 (compatible; ExampleBot)" names Mozilla. A crawler that has a group ignores
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
// Preferences without effect. Content-Usage and Content-Signal say what pages may be used for, each
// with labels and values of its own. They belong to a group: a crawler that has a group ignores the
// preferences of the group of "*".
//
// Rules with another meaning. Only * and a $ at the very end are special in a path: there
// are no regular expressions. A # begins a comment anywhere.
//
// Redundant rules. The longest rule that matches decides. A rule never decides if a longer one
// matches all its URLs: "Allow: /" beside "Disallow: /*". A rule is also redundant if a shorter one
// with the same verdict matches all its URLs: "Disallow: /a/b" beside "Disallow: /a". If you remove
// all rules that are reported as duplicate, redundant or overruled, no verdict changes for any
// URL and crawler.
//
// # Findings
//
// Lint returns findings by line. A finding has a kind that scripts can rely on, a severity,
// the id of a requirement in ../testdata/spec.md, a message and a fix. A fix that begins with
// "write" and a line, or with "remove", disallows nothing that Google's parser, which accepts
// misspelled fields, allows now; any other fix needs a decision. A longer name that begins with the name
// of a field, such as Disallow-AI, is another field, and has no fix. An Error is a line that
// does not do what its author intended. A Warning is a line that may be a mistake: only some
// crawlers obey it, or it is redundant. A Note is information, not a mistake. A clean file has no findings.
//
// A file of 500 KiB takes tens of milliseconds, a hostile one a few tenths of a second: the
// search for redundant rules stops after a limited number of steps. FINDINGS.md counts the
// findings in files of real sites.
package robotslint

// Package robotslint finds what is wrong with robots.txt files and says how to put
// it right.
//
// # What goes wrong
//
// A robots.txt file is never refused. Whatever a crawler cannot make sense of it
// skips (RFC 9309 section 2.2), and whoever wrote the file hears nothing of it.
// So a file that says something else than was meant can stand for years. This is
// how it comes about, most of it in files of well-known sites:
//
// Lines that nobody reads. A field is recognised by its exact name and a colon:
// "Disalow: /x", "Disallow /x" and "Noindex: /x" do nothing. A path begins with /
// or *: "Disallow: private/", "Disallow: .gif$" and "Disallow: https://…" do
// nothing. A sitemap has a whole URL. What an editor does not show, a byte order
// mark in the middle of a file, a no-break space before a field, spoils the line.
// Of a file that is longer than 500 KiB the end need not be read.
//
// Rules for nobody, or for somebody else. A rule before the first User-agent line
// binds nobody. A crawler is named by its product token, letters with - and _
// alone: "Mozilla/5.0 (compatible; ExampleBot)" addresses Mozilla. A crawler that
// has a group of its own does not care for that of "*", even if its own is empty.
// And it is not an empty line that ends a group, but the next User-agent line after
// a rule: in
//
//	User-agent: ExampleBot
//	Crawl-delay: 5
//
//	User-agent: *
//	Disallow: /
//
// the last line is for ExampleBot too.
//
// Rules that mean something else. * and a $ at the very end are all that has a
// meaning in a path: there are no regular expressions, and no comments without #,
// which on its part begins one anywhere. Dots, spaces and braces stand in URLs as
// browsers write them.
//
// Rules that no URL needs. The longest rule that matches decides, an Allow before
// a Disallow of the same length, the order is of no matter. So a rule may never
// have a say, because another is longer wherever it matches ("Allow: /" beside
// "Disallow: /*"), or it may say what is said already ("Disallow: /a/b" below
// "Disallow: /a"). The former is a contradiction that the author did not see, the
// latter makes files long and is best left out. Here a rule is called needless
// only if it is certain that the verdict on every URL, for every crawler, is the
// same without it, and also without all others that are called so; see the proof
// in shadow.go.
//
// # Findings
//
// Lint returns findings by line. Each has a kind, which is a word that scripts can
// rely on, a severity, the id of the requirement that it rests on, what is wrong
// in a sentence, and a fix. Of a clean file there is nothing to say.
//
// An Error is a line that does not do what it was written for. A Warning is one that
// does it for some crawlers, or by luck, or in vain. A Note is no fault.
//
// Much of it is found by package robotstxt as it parses (File.Findings); what no
// parser needs to know is found here. The whole takes some tens of milliseconds for
// a file of 500 KiB, a few tenths of a second for a hostile one: the search for
// needless rules has a bound on its steps, beyond which rules are left in peace.
//
// # How often
//
// In robots.txt files of real sites there were these findings. The table is
// counted, and held against this text, by
//
//	go -C robotsext test -run TestCorpus -v ./robotstxt/robotslint
//
//	of 499 files 268 are clean
//
//	kind                 severity files findings
//	agent-cut            error        9       21
//	agent-cut            note        28       79
//	agent-cut            warning     33      544
//	bad-agent            error        2       22
//	bad-agent            note        10       13
//	bad-sitemap-url      error        2        2
//	crawl-delay-capped   warning      4       18
//	cut-by-hash          warning      3       10
//	duplicate-rule       warning     27       85
//	duplicate-sitemap    note         6       12
//	empty-group          warning     16       16
//	empty-rule           warning      8        8
//	full-url             error        4      264
//	html                 error       22       22
//	inner-dollar         warning      1        1
//	inner-space          warning      5        5
//	invisible-character  warning      1        1
//	joined-groups        warning     19       46
//	lone-cr              note         1        1
//	misspelt-field       error        1        1
//	no-effect            warning     21      202
//	no-slash             error        7       13
//	not-utf8             warning      1        1
//	overruled-rule       error        2        2
//	rare-field           note         8        8
//	regular-expression   error        1        1
//	relative-sitemap     error        3       13
//	repeated-agent       note         4        5
//	repeated-group       note        25      387
//	rule-before-group    error        2       82
//	two-fields           error        1        1
//	unescaped-character  warning      1        1
//	unknown-field        warning      1        4
//	unreachable-group    warning     14      144
//	unreachable-rule     warning    112     1164
//
// More than half of the files are clean. About half of the others have rules that no URL
// needs: lists that grew by one line at a time.
package robotslint

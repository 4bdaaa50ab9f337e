// Package robotstxt reads robots.txt files and tells which URLs they allow.
//
// # The file
//
// A robots.txt file lies at the root of a web site and says which of its pages
// crawlers are asked to leave alone. RFC 9309 defines it. It is a text of lines
// "field: value"; what follows a # is a comment:
//
//	User-agent: *            # for every crawler that is not named below
//	Disallow: /search
//	Disallow: /*.pdf$
//	Allow: /search/about
//
//	User-agent: ExampleBot   # for two crawlers
//	User-agent: OtherBot
//	Disallow: /
//
//	Sitemap: https://example.com/sitemap.xml
//
// One or more User-agent lines and the rules after them are a group. A crawler
// is known by its product token, here ExampleBot, and obeys the rules of all
// groups that name it; when none does, those of "*". It never obeys both:
// ExampleBot does not care what is said of /search. When a crawler has several
// names, from special to general (Googlebot-Image, Googlebot), the first that
// the file knows counts.
//
// A rule is the beginning of a path, query included. In it, * stands for
// anything, and $ at the end for the end of the URL. Of the rules that match a
// URL the longest decides, wherever in the file it stands: /search/about is
// longer than /search and so wins. Between an Allow and a Disallow of the same
// length, Allow does. What no rule matches is allowed.
//
// A path can be written in more than one way: /a%7Eb, /a%7eb and /a~b are the
// same page. Rule and URL are therefore compared in a canonical form, octet by
// octet. Octets that a URL cannot hold, such as { | and in a path [, are escaped,
// escapes of unreserved characters (letters, digits, - . _ ~) are decoded, the
// others are written in upper case, and dot segments are removed from the URL.
// Reserved characters stay apart from their escapes, /a%2Fb is not /a/b, but in a
// query either form of : / ? @ [ ] ' will do. The length of a rule is that of its
// canonical form.
//
// Lines that make no sense are skipped, as are fields with other names. A file
// never fails to parse: whoever wrote it will not see the error. What is odd
// about it is kept in File.Findings.
//
// A file speaks for one authority, that is scheme, host and port, alone. Fetching
// it, and what to do when there is none, is not the business of this package but
// of robotsext.
//
// # Use
//
// Parse a file once and ask it as often as there are URLs:
//
//	f := robotstxt.Parse(body, nil)
//	v := f.Check("https://example.com/search?q=x", "ExampleBot")
//	if !v.Allowed {
//		log.Printf("line %d: %v", v.Rule.Line, v.Rule)
//	}
//
// A File does not change and may be used by many goroutines.
//
// # Cost
//
// Parse takes each line apart in one pass, after quick looks at the whole body for
// its encoding and line ends, copies it once, and hardly allocates otherwise; what
// it costs is proportional to the size of the body, however its lines are
// arranged. The rules of a group are put in order of precedence when somebody
// first asks for them, and then tried one after the other. A group that goes on
// being asked gets an index by the literal beginnings of its rules as soon as
// that has cost as much as making one: from then on a verdict looks at those
// rules alone that may match, and costs about as much for a file of ten thousand
// rules as for one of ten. It allocates nothing if the URL is canonical.
//
// Rules with a star before their end are the ones that have to be tried, those
// of a matching beginning one after the other. A digest of the path rules most
// of them out, patterns that are repeated count once, and there is no
// backtracking and no regular expression, so a rule costs at most about one look
// through the path, however many stars it has, and a verdict at most the number
// of such rules times the length of the path. A hostile file of the default size
// comes to some 20,000 rules. For a short path they take some ten microseconds where
// the digest rules them out, and one or two milliseconds where it does not.
//
// The benchmarks set this package beside github.com/temoto/robotstxt. This is what
//
//	make bench MODULES=robotsext PKG=./robotstxt BENCHTIME=150ms COUNT=5
//
// came to on one core of an AMD EPYC, with Go 1.26. Parse is parsing alone, First
// is parsing and one verdict, Agents a file that is half User-agent lines and half
// rules. Match is a verdict on a file that has been asked before: honest is 500 KiB
// of rules that differ early, wildcards 500 KiB of short rules with stars, stars 254
// rules of 1,000 stars and a path of 2,000 octets. Growth is one rule of 100 stars on
// longer and longer paths, and one of more and more stars on a path of 16,000. The
// corpus is 499 real files, 1.5 MB. Where there is nothing for temoto it would take
// seconds.
//
//	                                   ours     temoto   ratio    allocs  of temoto
//	Parse/typical                    3.2 µs    35.1 µs    11.1        20        659
//	Parse/honest                   251.5 µs    6.98 ms    27.8         4      90687
//	Parse/honest-CR                332.6 µs    6.80 ms    20.5         4      90688
//	Parse/wildcards                339.1 µs   61.87 ms   182.4         4     917180
//	Parse/corpus                    2.03 ms   25.75 ms    12.7      4791     343171
//	First/typical                    4.9 µs    41.7 µs     8.5        25        659
//	First/honest                    1.28 ms    7.86 ms     6.1         9      90689
//	First/corpus                    3.84 ms   29.34 ms     7.6      7896     343225
//	Agents/16K                      46.6 µs    4.77 ms   102.2        24      10447
//	Agents/32K                     110.5 µs   26.61 ms   240.8        29      22403
//	Agents/64K                     190.7 µs   99.80 ms   523.3        31      45474
//	Agents/128K                    293.4 µs
//	Agents/256K                     1.00 ms
//	Agents/500K                     2.41 ms
//	Match/typical                     71 ns     2.0 µs    28.5         0          0
//	Match/honest                      65 ns    33.8 µs   519.4         0          0
//	Match/wildcards                 16.7 µs   22.32 ms  1334.1         0          0
//	Match/wildcards-all-tried       1.62 ms  104.27 ms    64.4         0          2
//	Match/stars                      7.9 µs
//	Match/stars-2000-a               2.0 µs
//	Match/rules-10                    43 ns      25 ns     0.6         0          0
//	Match/rules-10000                 60 ns    23.6 µs   395.6         0          0
//	Check/typical                    118 ns     2.4 µs    20.1         0          2
//	Growth/length-1000               1.7 µs
//	Growth/length-2000               2.7 µs
//	Growth/length-4000               4.8 µs
//	Growth/length-8000               8.9 µs
//	Growth/length-16000             17.0 µs
//	Growth/stars-32                 16.7 µs
//	Growth/stars-64                 16.8 µs
//	Growth/stars-128                17.2 µs
//	Growth/stars-256                17.8 µs
//	Growth/stars-512                19.3 µs
//
// With few rules temoto's prefixes are quicker than an index. Google's parser in
// C++ was measured against temoto elsewhere: it parses real files 8 times as fast,
// so this package is ahead of it by half, and it keeps no matcher, so that every
// verdict costs a parse.
//
// # Choices
//
// The default is the specification: RFC 9309, and where it is silent the current
// description of Google's crawlers. Ids such as ROB-MAT-03 in the documentation
// are those of its requirements, in testdata/spec.md; D1 and so on are the
// decisions where sources disagree.
//
//	what                             by default               otherwise
//	what is read of a body           512,000 bytes            Options.MaxBytes
//	a line cut by that limit         dropped
//	product tokens                   in any case
//	tokens with digits or dots       only A-Z a-z - _ count   Options.WideTokens
//	several tokens                   first that has a group
//	misspelt fields, missing colon   ignored                  Options.Lenient
//	a Sitemap line between agents    no effect
//	a relative sitemap               ignored
//	a path without leading slash     ignored                  Options.AssumeSlash
//	the length of /fish*             6
//	Allow: /d/index.html             that page alone
//	a file that is not UTF-8         compared as it is
//	Crawl-delay                      at most 30 s             Options.MaxCrawlDelay
//	Request-rate                     no delay                 Options.RequestRateDelay
//	fields without a meaning         10,000 kept              Options.MaxExtensions
//	/robots.txt                      always allowed
//	all of it as Google's parser     no                       Options.GoogleParser
//
// Crawl-delay, Request-rate, Visit-time, Clean-param, Content-Usage and
// Content-Signal are read and can be asked for; they never change a verdict.
package robotstxt

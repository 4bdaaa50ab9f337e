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
// Only rules with a star before their end are tried one after the other. A digest
// of the path rules most of them out, and nothing is ever tried again, so a verdict
// costs at most the number of such rules times the length of the path.
//
// COST.md beside this file has measurements.
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

// Package robotstxt parses robots.txt files and says which URLs they allow.
//
// # The file
//
// A robots.txt file is at the root of a website. It says which pages crawlers may fetch
// (RFC 9309). Its lines have the form "field: value", and comments begin with #:
//
//	User-agent: *            # every crawler that is not named below
//	Disallow: /search
//	Disallow: /*.pdf$
//	Allow: /search/about
//
//	User-agent: ExampleBot   # two crawlers
//	User-agent: OtherBot
//	Disallow: /
//
//	Sitemap: https://example.com/sitemap.xml
//
// A group is one or more User-agent lines and the rules after them. A crawler has a product
// token, here ExampleBot, and obeys the rules of all groups with that token. If there is
// none, it obeys the group of "*", but never both: ExampleBot ignores the rule for /search.
// A crawler may have several tokens, the most specific first (Googlebot-Image, Googlebot).
// The first token that has a group counts.
//
// The value of a rule is a prefix of the path and query of a URL. A * matches any
// characters, a $ at the end matches the end of the URL. The longest rule that matches
// decides, regardless of order. If an Allow and a Disallow have the same length, Allow
// wins. A URL that no rule matches is allowed.
//
// Rules and URLs are compared in a canonical form, so that /a%7Eb, /a%7eb and /a~b are one
// path. Octets that a URL cannot contain are escaped, escapes of unreserved characters
// (letters, digits, - . _ ~) are decoded, other escapes become upper case, and dot segments
// of the URL are removed. Reserved characters differ from their escapes: /a%2Fb is not
// /a/b. In a query, however, : / ? @ [ ] ' equal their escapes. The length of a rule is
// the length of its canonical form, with two exceptions (RankedRule.Length).
//
// Parse never fails. It skips invalid lines and lists them in File.Findings. A file applies
// to one origin: scheme, host and port. Package robotsext fetches files and decides what
// applies without one.
//
// # Use
//
// Parse a file once, and check each URL:
//
//	f := robotstxt.Parse(body, nil)
//	v := f.Check("https://example.com/search?q=x", "ExampleBot/1.0")
//	if v.Err != nil {
//		return v.Err // no crawler can have this name
//	}
//	if !v.Allowed {
//		log.Printf("line %d: %v", v.Rule.Line, v.Rule)
//	}
//
// A File is immutable and safe for concurrent use. The package follows the
// specification in testdata/spec.md: RFC 9309, and the documentation of Google's crawlers
// on points that the RFC leaves open. [Options] has the alternatives; Options.GoogleParser
// reproduces Google's parser. Crawl-delay, Request-rate, Visit-time, Clean-param,
// Content-Usage and Content-Signal are parsed, and never change a verdict. COST.md
// gives the time of parsing and matching.
package robotstxt

// Package robotsdiff finds the URLs whose verdict differs between two versions of a
// robots.txt file, for each agent, with the lines that decide.
//
// A line diff says little about verdicts. A change of order, merged groups, or a rule
// that another one overrules may change nothing. One missing letter may disallow a
// whole site:
//
//	User-agent: *            User-agent: *
//	Disallow: /cart/         Disallow: /cart
//	Disallow: /search        Allow: /search/help
//	Allow: /search/help      Disallow: /search
//
// Here the second file also disallows /cart itself and /carthage. [Compare] reports
// the pattern /cart, allowed before and disallowed now, except for /cart/, which both
// files disallow.
//
// # Algorithm
//
// In each file the longest rule of the agent's group that matches a URL decides. A
// verdict differs if one of these rules is an Allow and the other a Disallow. So Compare
// takes each pair of such rules, one of each file, and computes the patterns of the
// URLs that both match: for /*x and /a*y these are /a*x*y and /a*y*x. It then checks
// that the pair decides. For that it tests one URL of the pattern, in which each * is
// replaced with a character that no rule contains. A third rule that matches this URL
// matches the whole pattern. Pairs of rules that both files contain need no test, so
// the comparison of an edited file is fast.
//
// Each such pattern becomes a [Change]. Its exceptions are the parts of the pattern
// that keep their verdict or that another Change reports. A Change that a wider one
// includes is omitted.
//
// # Limits
//
// If no rule has several forms, the result is exact: the verdict on a URL has changed
// if and only if a Pattern matches it and none of its exceptions does. A rule has
// several forms if different canonical paths match it in the same way:
//
//   - after a ? or *, it has one of : / ? @ ' or the escape of one, which are equal in a query;
//   - it has a dot after a slash, since only a query keeps dot segments.
//
// For such rules each changed URL still matches a Change with its verdicts, but an
// exception may match too much.
//
// Compare does not detect
//
//   - changes to URLs whose query escapes only some of these characters;
//   - effects of rules with half an escape, such as /*%2 or *2F;
//   - that /robots.txt itself is always allowed: a pattern may match it;
//   - changes for crawlers that ignore "*" (robotstxt.File.NamedGroup) or have several tokens:
//     look at the changes for each token;
//   - changes to fields other than Allow, Disallow, Crawl-delay and Sitemap.
//
// Options.MaxSteps limits the work, so that two files of 500 KiB take at most a few
// seconds. If the limit is reached, Diff.Complete is false. That can happen if each
// file has about 100 rules with several wildcards that the other lacks, or about 30 if
// Allow and Disallow are mixed.
package robotsdiff

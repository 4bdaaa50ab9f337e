// Package robotsdiff tells which URLs have got another verdict when a robots.txt
// file was changed, for which agents, and by which lines.
//
// Comparing lines tells little about that. Rules can be put into another order,
// groups be merged or split, a rule be added that another one outweighs, and
// nothing changes; or one letter is lost, and a whole site is closed:
//
//	User-agent: *            User-agent: *
//	Disallow: /cart/         Disallow: /cart
//	Disallow: /search        Allow: /search/help
//	Allow: /search/help      Disallow: /search
//
// Here the second file forbids, beyond what the first one does, what begins with
// /cart: /cart itself, /carthage. Compare reports the pattern /cart, allowed
// before and disallowed now, except for /cart/, which was disallowed before.
//
// # How it is found
//
// What an agent may fetch is settled by the rules of its group: of those that
// match, the longest. So a URL has changed when the rule that decides it in the
// old group says something else than the one that decides it in the new. For each
// pair of such rules the search takes the URLs that both match, which are those
// of a few patterns: /*x and /a*y meet in /a*x*y and /a*y*x. Whether one of
// them is really decided by the two is seen by asking both files about a single
// URL, in which each star has become a character that stands in no rule: a third
// rule that matches this URL cannot help matching all of the pattern. Rules that
// both files have need not be paired with each other, so that little is to be
// done for a file that was edited.
//
// Each find becomes a Change, with the parts of it as exceptions that have kept
// their verdict or are reported by themselves. A find that says nothing beyond a
// wider one is left out.
//
// # What it sees and what not
//
// Where no rule has more than one form, a URL has changed if and only if it is
// matched by the Pattern of a Change and by none of its exceptions. More than one
// form have rules in which, behind a question mark or a star that may stand for
// it, there is one of : / ? @ ' or its escape, since in a query either will do;
// and those with a dot after a slash, since a path has no dot segments but a
// query may. With such rules each URL that has changed is still matched by a
// Change of the same verdicts, but an exception may claim too much. Not seen are
//
//   - changes of URLs that escape some of these characters in their query, and
//     leave others as they are;
//   - what hangs on a rule that has half of an escape, such as /*%2 or *2F;
//   - that /robots.txt itself is allowed whatever the rules say: a pattern that
//     matches it, even it alone, is reported without that exception;
//   - crawlers that do not obey "*" (robotstxt.File.NamedGroup), and those with
//     several names: ask for each name;
//   - fields other than Allow, Disallow, Crawl-delay and Sitemap.
//
// Files of many different wildcards may have more meets than can be looked at.
// The search then gives up, and Diff.Complete is false. Of rules such as /*a*b that
// only one of the files has, it looks at 100 in each as long as all of them are
// Disallow. Where they are mixed with Allow every one is an exception of every
// other: with a dozen in each file it comes to the end, with 30 it does not. Rules that
// both files have count for little. All of the work is counted, by Options.MaxSteps,
// so that no two files of 500 KiB take more than a few seconds.
package robotsdiff

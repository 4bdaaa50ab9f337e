// Package robotsext answers one question for every request of a crawler: may this
// URL be fetched?
//
// A site says which URLs robots may fetch in /robots.txt, at the root of its origin (RFC
// 9309). Package robotstxt parses the file. Package robotsext fetches it and decides what
// applies if that fails. If robots.txt returns 404, the site has no rules. If it
// returns 500, the rules are unknown and nothing may be fetched yet. The verdict is
// one of three: allowed, disallowed, later.
//
// With colly, use [Robots.Attach]; with net/http, [Robots.Transport]. Other programs call
// [Robots.Decide] or [Robots.Check] before each request and each redirect.
//
//	d, err := robots.Decide(ctx, u)
//	switch {
//	case err != nil: // ctx has ended, or u cannot be checked, such as file:///x
//	case d.Verdict == robotsext.Allowed: // fetch u, with a delay of d.Group.CrawlDelay()
//	case d.Verdict == robotsext.Disallowed: // by the line d.Rule
//	case d.Verdict == robotsext.Later: // not before d.RetryAt
//	}
//
// A page is requested only after its robots.txt allows it. README.md lists the defaults,
// POLICIES.md the reasons, package record the fields of a [Record].
package robotsext

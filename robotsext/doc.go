// Package robotsext answers one question for every request of a crawler: may this
// URL be fetched?
//
// A site says which URLs robots may fetch in /robots.txt, at the root of its origin (RFC
// 9309). Package robotstxt reads the file. The larger part is to know what holds without
// it: a site that answers 404 has no rules, but the rules of one that answers 500 are
// unknown, and until they are known nothing may be fetched. So a verdict is one of
// three: allowed, disallowed, later.
//
// With colly, see Attach; with net/http, Transport. Others call Decide, or Check, before
// each request, redirects included.
//
//	d, err := robots.Decide(ctx, u)
//	switch {
//	case err != nil: // ctx is over, or no robots.txt applies to u
//	case d.Verdict == robotsext.Allowed: // fetch u, at the pace of d.Group.CrawlDelay()
//	case d.Verdict == robotsext.Disallowed: // d.Rule says by which line
//	case d.Verdict == robotsext.Later: // not before d.RetryAt
//	}
//
// No request is sent before robots.txt is known, or against it. README.md has the
// defaults, POLICIES.md the reasons.
package robotsext

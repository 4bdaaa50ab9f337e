package testserver

import (
	"fmt"
	"strings"
)

// Kind is the kind of a [Finding].
type Kind string

// The kinds of violations.
const (
	BeforeRobots     Kind = "before robots.txt"      // a page or sitemap was requested before the robots.txt of its host
	WhileUnreachable Kind = "robots.txt unreachable" // a page or sitemap was requested while robots.txt responded with 5xx or 429
	DisallowedURL    Kind = "disallowed"             // the URL is disallowed by robots.txt
	InTrap           Kind = "disallowed spider trap" // the URL is disallowed, and belongs to the spider trap
	Overlap          Kind = "concurrent requests"    // another request to the host was in flight
	TooSoon          Kind = "too soon"               // the delay, or the Crawl-delay of the host, was not over
	BeforeRetryAfter Kind = "before Retry-After"     // the Retry-After of the host was not over
	OutsideScope     Kind = "out of scope"           // the host is out of scope
	WrongHost        Kind = "wrong host"             // the Host header does not name the host
)

// The kinds of warnings: requests that a polite crawler should avoid.
const (
	MissingToken        Kind = "without product token" // the User-Agent does not contain the product token
	BehindNofollow      Kind = "behind nofollow"       // every link to the URL is nofollow
	UnauthorizedSitemap Kind = "not authorized"        // only a sitemap of another host lists the URL
	Unlinked            Kind = "unlinked"              // no link that a polite crawler follows leads to the URL
	Repeated            Kind = "repeated"              // the URL was requested before, and had a response
)

// A Finding is a request that a polite crawler must not or should not send.
type Finding struct {
	Kind    Kind
	Request Request

	// Earlier is the earlier request that makes this one a finding, such as the one still in
	// flight, or the one for robots.txt. Its Number is 0 if there is none.
	Earlier Request

	Detail string
}

// String describes the finding in one line.
func (v Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", v.Kind, v.Request)
	if v.Earlier.Number != 0 {
		fmt.Fprintf(&b, " after %s", v.Earlier)
	}
	if v.Detail != "" {
		fmt.Fprintf(&b, " (%s)", v.Detail)
	}
	return b.String()
}

package demosite

import (
	"fmt"
	"strings"
)

// Kind is a kind of Violation.
type Kind string

// What no polite crawler does.
const (
	BeforeRobots     Kind = "before robots.txt"      // a page or sitemap before a response to the host's robots.txt (ROB-FET-02)
	WhileUnreachable Kind = "robots.txt unreachable" // a page or sitemap while robots.txt answered 5xx or 429 (ROB-STA-02)
	DisallowedURL    Kind = "disallowed"             // a URL that robots.txt closes (ROB-GEN-04)
	InTrap           Kind = "in the trap"            // the same, in the part without end
	Overlap          Kind = "two at once"            // a request before the response to another one of the host had ended (ROB-POL-01)
	TooSoon          Kind = "too soon"               // less than the delay, or the host's Crawl-delay, after that end (ROB-POL-02)
	BeforeRetryAfter Kind = "before Retry-After"     // a request to a host before its Retry-After (ROB-POL-04)
	OutsideScope     Kind = "out of scope"           // a request to a host outside the crawl
	UnknownHost      Kind = "under an unknown name"  // a Host header that is not the host's: other rules would hold for it (ROB-LOC-02)
)

// What a polite crawler should not do either: advice, not violations.
const (
	MissingToken        Kind = "without product token" // a User-Agent without the token (ROB-FET-04)
	BehindNofollow      Kind = "behind nofollow"       // a page that only nofollow links and pages lead to (ROB-PAG-06, ROB-PAG-08)
	UnauthorizedSitemap Kind = "not authorized"        // a page that only a sitemap of another host lists (ROB-SMP-18)
	Unlinked            Kind = "unlinked"              // a URL that no link leads to that a polite crawler follows
	Repeated            Kind = "repeated"              // a URL that had a response before
)

// A Violation is one request that a polite crawler would not have sent.
type Violation struct {
	Kind    Kind
	Request Request // the one at fault
	// Earlier is the request that it should have waited for or that should
	// have taught better: the one still being answered, the one before, the
	// robots.txt. Its Number is 0 where there is none.
	Earlier Request
	Detail  string
}

func (v Violation) String() string {
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

// String names a request: its number, what was asked for, the answer.
func (r Request) String() string {
	status := "being answered"
	if r.Status != 0 {
		status = fmt.Sprint(r.Status)
	}
	return fmt.Sprintf("#%d %s %s [%s]", r.Number, r.Method, r.URL(), status)
}

// A Report is what the site saw of a crawl.
type Report struct {
	Requests        int            // all of them
	Robots          map[string]int // requests for /robots.txt, by origin
	RobotsRedirects int            // requests for what a robots.txt redirects to
	Sitemaps        int            // requests for sitemap files
	SitemapsRead    int            // those of them that were answered with one
	SitemapsMissing int            // those of them that were answered 404 or 410
	Pages           int            // requests for anything else
	Retries         int            // those of them for a URL that had been asked for before
	// Violations are what must not happen, in the order of the requests.
	Violations []Violation
	// Advice is what should not happen. A strict test wants none of it either.
	Advice []Violation
	// Missing are URLs that a complete crawl would have asked for and this one
	// has not, sorted. A crawl that was stopped has them without fault.
	Missing []string
}

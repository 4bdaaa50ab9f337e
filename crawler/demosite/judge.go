package demosite

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// Judge checks all requests so far and reports the violations of the crawler with this product
// token. The delay is the time that it should leave between two requests to a host.
//
// Requests of all clients are judged. There is no tolerance for the delay: a response ends before the
// site sends its last part, so no client can see that end too early.
func (s *Site) Judge(delay time.Duration, token string) Report {
	return s.judge(s.record.all(), delay, token)
}

func (s *Site) judge(requests []testserver.Request, delay time.Duration, token string) Report {
	j := judge{
		site: s, requests: requests, delay: delay, token: token, audience: audienceOf(token),
		ledgers: map[*host]*ledger{}, wanted: map[string]bool{}, rejected: map[string]Rejection{},
		report: Report{Requests: len(requests), Robots: map[string]int{}},
	}
	for _, h := range s.hosts {
		j.ledgers[h] = &ledger{asked: map[string]bool{}, answered: map[*route]testserver.Request{}}
	}
	expected := s.Expected(token)
	wanted := slices.Concat(expected.Pages, expected.Sitemaps)
	for _, u := range wanted {
		j.wanted[u] = true
	}
	for _, r := range expected.Rejected {
		j.rejected[r.URL] = r
	}
	j.readRobots()
	asked := map[string]bool{}
	for _, r := range requests {
		j.see(r)
		asked[canonicalURL(r.URL())] = true
	}
	for _, u := range wanted {
		if !asked[u] {
			j.report.Missing = append(j.report.Missing, u)
		}
	}
	slices.Sort(j.report.Missing)
	return j.report
}

// judge checks the requests in the order of their starts.
type judge struct {
	site     *Site
	requests []testserver.Request
	delay    time.Duration
	token    string
	audience audience
	ledgers  map[*host]*ledger
	wanted   map[string]bool      // URLs to fetch
	rejected map[string]Rejection // by URL
	report   Report
}

// ledger is the state of the judge for one host.
type ledger struct {
	robots   []testserver.Request // responses to requests for its robots.txt and redirect targets
	clock    testserver.DelayChecker
	asked    map[string]bool               // URLs of pages
	answered map[*route]testserver.Request // first request with a final response
}

// readRobots collects the robots.txt responses of each host. Redirect targets may be on other
// hosts.
func (j *judge) readRobots() {
	for _, r := range j.requests {
		h := j.site.at(r.Origin)
		if r.Method != http.MethodGet || !h.named(r.Host) {
			continue
		}
		if route := h.find(r.URI); route != nil && route.class == robots {
			l := j.ledgers[route.robotsOf]
			l.robots = append(l.robots, r)
		}
	}
}

// see checks one request.
func (j *judge) see(r testserver.Request) {
	h := j.site.at(r.Origin)
	route := h.find(r.URI)
	l := j.ledgers[h]

	if h.outside {
		j.violation(testserver.OutsideScope, r, testserver.Request{}, "")
		return
	}
	if !h.named(r.Host) {
		j.violation(testserver.WrongHost, r, testserver.Request{}, r.Host)
	}
	j.report.Violations = append(j.report.Violations, l.clock.Check(r, j.minDelay(h, l, r))...)
	l.clock.Add(r)
	if route == nil || route.class != robots {
		j.permission(h, l, r, route)
	}
	if !strings.Contains(strings.ToLower(r.UserAgent), strings.ToLower(j.token)) {
		j.warn(testserver.MissingToken, r, testserver.Request{}, r.UserAgent)
	}
	j.count(l, r, route)
}

// minDelay returns the required delay before a request. Crawl-delay counts once the rules are
// known.
func (j *judge) minDelay(h *host, l *ledger, r testserver.Request) time.Duration {
	if _, known := l.rulesAt(r.Start); known {
		return max(j.delay, h.crawlDelay(j.audience))
	}
	return j.delay
}

// permission checks whether a request was allowed, unless it is for a robots.txt. A nil route
// is a URL that the site does not have.
func (j *judge) permission(h *host, l *ledger, r testserver.Request, route *route) {
	told, known := l.rulesAt(r.Start)
	switch {
	case known:
	case told.Number != 0 && unreachable(told):
		j.violation(testserver.WhileUnreachable, r, told, "")
	default:
		j.violation(testserver.BeforeRobots, r, told, "")
	}
	if route != nil && !route.allowed(j.audience) {
		kind := testserver.DisallowedURL
		if route.trap {
			kind = testserver.InTrap
		}
		rule := route.rule(j.audience)
		j.violation(kind, r, told, fmt.Sprintf("line %d, %s", lineOf(h.rules, rule, j.audience), rule))
		return
	}
	u := canonicalURL(r.URL())
	switch rejected := j.rejected[u]; {
	case j.wanted[u]:
	case rejected.Reason == reasonNofollow:
		j.warn(testserver.BehindNofollow, r, testserver.Request{}, "")
	case rejected.Reason == reasonNotAuthorized:
		j.warn(testserver.UnauthorizedSitemap, r, testserver.Request{}, "")
	default:
		j.warn(testserver.Unlinked, r, testserver.Request{}, "")
	}
}

// count adds a request to the totals, and checks whether it was needed.
func (j *judge) count(l *ledger, r testserver.Request, route *route) {
	switch {
	case route == nil || route.class == page || route.class == document || route.class == redirect:
		j.report.Pages++
		if u := canonicalURL(r.URL()); l.asked[u] {
			j.report.Retries++
		} else {
			l.asked[u] = true
		}
	case route.class == sitemap:
		j.report.Sitemaps++
		switch r.Status {
		case http.StatusOK:
			j.report.SitemapsRead++
		case http.StatusNotFound, http.StatusGone:
			j.report.SitemapsMissing++
		}
	case route.uri == "/robots.txt":
		j.report.Robots[r.Origin]++
	default:
		j.report.RobotsRedirects++
	}
	if route == nil || r.Method != http.MethodGet || r.Status == 0 || unreachable(r) {
		return
	}
	first, ok := l.answered[route]
	if !ok {
		l.answered[route] = r
		return
	}
	j.warn(testserver.Repeated, r, first, "")
}

func (j *judge) violation(k testserver.Kind, r, earlier testserver.Request, detail string) {
	j.report.Violations = append(j.report.Violations, Finding{Kind: k, Request: r, Earlier: earlier, Detail: detail})
}

func (j *judge) warn(k testserver.Kind, r, earlier testserver.Request, detail string) {
	j.report.Warnings = append(j.report.Warnings, Finding{Kind: k, Request: r, Earlier: earlier, Detail: detail})
}

// rulesAt reports whether the rules of the host were known at a time. The request is the one
// with the rules, or else the last one without. Known rules stay valid if a later request for
// robots.txt fails (ROB-STA-06).
func (l *ledger) rulesAt(t time.Time) (told testserver.Request, known bool) {
	for _, r := range l.robots {
		switch {
		case r.End.IsZero() || r.End.After(t):
		case r.Status >= 300 && r.Status < 400:
			if told.Number == 0 {
				told = r
			}
		case !unreachable(r):
			told, known = r, true
		case !known:
			told = r
		}
	}
	return told, known
}

// unreachable reports whether a response to a robots.txt request allows no other request for
// now (spec table STA, with ROB-POL-04).
func unreachable(r testserver.Request) bool {
	return r.Status >= 500 || r.Status == http.StatusTooManyRequests || r.Status == http.StatusProxyAuthRequired
}

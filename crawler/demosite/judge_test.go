package demosite

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// A fault is an expected violation: its kind, and the numbers of both requests.
type fault struct {
	kind             testserver.Kind
	request, earlier int
}

func faults(report Report) []fault {
	var list []fault
	for _, v := range slices.Concat(report.Violations, report.Warnings) {
		list = append(list, fault{v.Kind, v.Request.Number, v.Earlier.Number})
	}
	return list
}

// Each case is a client with one violation, or with almost one.
func TestJudgeCatches(t *testing.T) {
	type visit func(path string, change ...func(*http.Request))
	ask := func(paths ...string) func(visit) {
		return func(v visit) {
			for _, p := range paths {
				v(p)
			}
		}
	}
	head := func(r *http.Request) { r.Method = http.MethodHead }
	as := func(agent string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("User-Agent", agent) }
	}
	cases := []struct {
		name  string
		token string // namedToken if empty
		delay time.Duration
		do    func(visit) // paths begin with the name of a host
		want  []fault
	}{
		{"ROB-FET-02/page first", "", 0, ask("rules/notices/", "rules/robots.txt"),
			[]fault{{testserver.BeforeRobots, 1, 0}}},
		{"ROB-FET-02/sitemap first", "", 0, ask("rules/sitemap.xml"), []fault{{testserver.BeforeRobots, 1, 0}}},
		{"ROB-FET-02/robots.txt first", "", 0, ask("rules/robots.txt", "rules/notices/"), nil},
		{"ROB-FET-02/another host's robots.txt", "", 0, ask("rules/robots.txt", "wildcards/stalls"), []fault{{testserver.BeforeRobots, 2, 0}}},
		{"ROB-FET-02/HEAD of robots.txt", "", 0, func(v visit) { v("rules/robots.txt", head); v("rules/") },
			[]fault{{testserver.BeforeRobots, 2, 0}}},
		{"ROB-FET-06/robots.txt redirect not followed", "", 0, ask("redirected/robots.txt", "redirected/"),
			[]fault{{testserver.BeforeRobots, 2, 1}}},
		{"ROB-FET-06/robots.txt redirects followed", "", 0,
			ask("redirected/robots.txt", "redirected/moved/robots.txt", "rules/policies/redirected.txt", "redirected/"), nil},
		{"ROB-STA-01/no robots.txt", "", 0, ask("norobots/robots.txt", "norobots/missing"), nil},
		{"ROB-STA-02/robots.txt unreachable", "", 0, ask("unavailable/robots.txt", "unavailable/"),
			[]fault{{testserver.BeforeRetryAfter, 2, 1}, {testserver.WhileUnreachable, 2, 1}}},
		{"ROB-GEN-04/disallowed", "", 0, ask("rules/robots.txt", "rules/private/minutes"), []fault{{testserver.DisallowedURL, 2, 1}}},
		{"ROB-GEN-04/disallowed, in other escapes", "", 0, ask("rules/robots.txt", "rules/files/%7ebob/diary"),
			[]fault{{testserver.DisallowedURL, 2, 1}}},
		{"ROB-GEN-04/disallowed, by HEAD", "", 0, func(v visit) { v("rules/robots.txt"); v("rules/private/", head) },
			[]fault{{testserver.DisallowedURL, 2, 1}}},
		{"ROB-GEN-04/disallowed, and unknown to be", "", 0, ask("disallowed/gold"), []fault{{testserver.BeforeRobots, 1, 0}, {testserver.DisallowedURL, 1, 0}}},
		{"ROB-SMP-04/disallowed sitemap", "", 0, ask("sitemaps/robots.txt", "sitemaps/reserve/sitemap.xml.gz"),
			[]fault{{testserver.TooSoon, 2, 1}, {testserver.DisallowedURL, 2, 1}}},
		{"ROB-UA-01/closed to us alone", "", 0, ask("rules/robots.txt", "rules/lab/bench"), []fault{{testserver.DisallowedURL, 2, 1}}},
		{"ROB-UA-01/closed to us alone, by another", "examplebot", 0, func(v visit) {
			v("rules/robots.txt", as("ExampleBot/1"))
			v("rules/lab/bench", as("ExampleBot/1"))
		}, nil},
		{"ROB-UA-06/closed to *", "examplebot", 0, func(v visit) {
			v("rules/robots.txt", as("examplebot"))
			v("rules/members/", as("examplebot"))
		}, []fault{{testserver.DisallowedURL, 2, 1}}},
		{"ROB-GEN-04/trap", "", 0, ask("rules/robots.txt", "rules/trap/?day=1", "rules/trap/?day=8"),
			[]fault{{testserver.InTrap, 2, 1}, {testserver.InTrap, 3, 1}}},
		{"ROB-POL-02/too soon", "", time.Minute, ask("rules/robots.txt", "rules/", "wildcards/robots.txt"),
			[]fault{{testserver.TooSoon, 2, 1}}},
		{"ROB-POL-02/too soon for the Crawl-delay", "", 0, ask("sitemaps/robots.txt", "sitemaps/", "sitemaps/shelves/1"),
			[]fault{{testserver.TooSoon, 2, 1}, {testserver.TooSoon, 3, 2}}},
		{"ROB-POL-04/before Retry-After", "", 0, ask("norobots/robots.txt", "norobots/busy", "norobots/paths/1", "norobots/paths/2"),
			[]fault{{testserver.BeforeRetryAfter, 3, 2}, {testserver.BeforeRetryAfter, 4, 2}}},
		{"ROB-POL-04/robots.txt before Retry-After", "", 0, ask("unavailable/robots.txt", "unavailable/robots.txt"),
			[]fault{{testserver.BeforeRetryAfter, 2, 1}}},
		{"out of scope", "", 0, ask("external/robots.txt", "external/"), []fault{{testserver.OutsideScope, 1, 0}, {testserver.OutsideScope, 2, 0}}},
		{"ROB-LOC-02/under an unknown name", "", 0, func(v visit) {
			v("rules/robots.txt", func(r *http.Request) { r.Host = "localhost" })
			v("rules/")
		}, []fault{{testserver.WrongHost, 1, 0}, {testserver.BeforeRobots, 2, 0}}},
		{"ROB-FET-04/nameless", "", 0, func(v visit) { v("rules/robots.txt", as("Mozilla/5.0")); v("rules/") },
			[]fault{{testserver.MissingToken, 1, 0}}},
		{"ROB-PAG-08/behind nofollow", "", 0, ask("rules/robots.txt", "rules/hidden/by-rel", "rules/hidden/by-header-name"),
			[]fault{{testserver.BehindNofollow, 2, 0}, {testserver.BehindNofollow, 3, 0}}},
		{"ROB-PAG-03/behind a nofollow for another", "examplebot", 0, func(v visit) {
			v("rules/robots.txt", as("examplebot"))
			v("rules/hidden/by-header-name", as("examplebot"))
		}, nil},
		{"ROB-SMP-18/listed by another host's sitemap", "", 0, ask("wildcards/robots.txt", "wildcards/only-in-sitemap/scales"), nil},
		{"ROB-SMP-18/listed by a stranger", "", 0, ask("sitemaps/robots.txt", "sitemaps/not-for-another-host-to-list"),
			[]fault{{testserver.TooSoon, 2, 1}, {testserver.UnauthorizedSitemap, 2, 0}}},
		{"ROB-SMP-04/found in a closed sitemap", "", 0, ask("wildcards/robots.txt", "wildcards/only-in-closed-sitemap"),
			[]fault{{testserver.Unlinked, 2, 0}}},
		{"ROB-MAT-25/link read wrongly", "", 0, ask("rules/robots.txt", "rules/kinds/based/place"), []fault{{testserver.Unlinked, 2, 0}}},
		{"once more", "", 0, ask("rules/robots.txt", "rules/caf%C3%A9/menu", "rules/caf%c3%a9/menu", "rules/robots.txt"),
			[]fault{{testserver.Repeated, 3, 2}, {testserver.Repeated, 4, 1}}},
		{"once more after an error", "", 0, ask("norobots/robots.txt", "norobots/broken", "norobots/broken"), nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, &Options{latency: -1, CrawlDelay: time.Minute}) // which no request of a busy machine keeps by chance
			c := client(t)
			tc.do(func(path string, change ...func(*http.Request)) {
				name, rest, _ := strings.Cut(path, "/")
				send(t, c, http.MethodGet, s.Origin(name)+"/"+rest, change...)
			})
			token := tc.token
			if token == "" {
				token = namedToken
			}
			report := s.Judge(tc.delay, token)
			if got := faults(report); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v\n%v\n%v", got, tc.want, report.Violations, report.Warnings)
			}
		})
	}
}

// A request is sent while another one is in flight.
func TestJudgeCatchesOverlap(t *testing.T) {
	s := serve(t, quick())
	c := client(t)
	town := s.Origin("rules")
	send(t, c, http.MethodGet, town+"/robots.txt")
	slow := make(chan struct{})
	go func() {
		defer close(slow)
		send(t, c, http.MethodGet, town+"/kinds/slow")
	}()
	for len(s.record.all()) < 2 {
		time.Sleep(time.Millisecond)
	}
	send(t, c, http.MethodGet, town+"/notices/")
	if got, want := faults(s.Judge(0, namedToken)), []fault{{testserver.Overlap, 3, 2}}; !slices.Equal(got, want) {
		t.Errorf("while being answered: got %v, want %v", got, want)
	}
	<-slow
	send(t, c, http.MethodGet, town+"/")
	if got, want := faults(s.Judge(0, namedToken)), []fault{{testserver.Overlap, 3, 2}}; !slices.Equal(got, want) {
		t.Errorf("afterwards: got %v, want %v", got, want)
	}
}

// Requests with exact times show the limits of each rule.
func TestJudgeLimits(t *testing.T) {
	s := serve(t, quick())
	const delay = 20 * time.Millisecond
	crawlDelay := quick().CrawlDelay
	start := time.Now()
	// entry is one request with its times after the start of the record.
	type entry struct {
		host, uri  string
		start, end time.Duration
		status     int
		retryAfter time.Duration
	}
	const ms = time.Millisecond
	robots := entry{host: "rules", uri: "/robots.txt", end: ms}
	cases := []struct {
		name    string
		delay   time.Duration
		entries []entry
		want    []fault
	}{
		{"the delay, exactly", delay, []entry{robots, {host: "rules", uri: "/", start: 21 * ms, end: 22 * ms}}, nil},
		{"a nanosecond less", delay, []entry{robots, {host: "rules", uri: "/", start: 21*ms - 1, end: 22 * ms}},
			[]fault{{testserver.TooSoon, 2, 1}}},
		{"from the end, not the start", delay,
			[]entry{{host: "rules", uri: "/robots.txt", end: 15 * ms}, {host: "rules", uri: "/", start: 30 * ms, end: 31 * ms}},
			[]fault{{testserver.TooSoon, 2, 1}}},
		{"other hosts do not count", delay, []entry{robots, {host: "wildcards", uri: "/robots.txt", start: 1, end: 2}}, nil},
		{"one begins as the other ends", 0, []entry{robots, {host: "rules", uri: "/", start: ms, end: 2 * ms}}, nil},
		{"one begins before the other ends", 0, []entry{robots, {host: "rules", uri: "/notices/", start: 2 * ms, end: 4 * ms},
			{host: "rules", uri: "/", start: 4*ms - 1, end: 5 * ms}}, []fault{{testserver.Overlap, 3, 2}}},
		{"a long one covers several", 0, []entry{robots, {host: "rules", uri: "/notices/", start: 2 * ms, end: 9 * ms},
			{host: "rules", uri: "/", start: 3 * ms, end: 4 * ms}, {host: "rules", uri: "/groups/", start: 5 * ms, end: 6 * ms}},
			[]fault{{testserver.Overlap, 3, 2}, {testserver.Overlap, 4, 2}}},
		{"a page as robots.txt ends", 0, []entry{robots, {host: "rules", uri: "/", start: ms - 1, end: 2 * ms}},
			[]fault{{testserver.Overlap, 2, 1}, {testserver.BeforeRobots, 2, 0}}},
		{"the Crawl-delay, exactly", 0, []entry{{host: "sitemaps", uri: "/robots.txt", end: ms},
			{host: "sitemaps", uri: "/", start: ms + crawlDelay, end: 8 * ms}}, nil},
		{"less than the Crawl-delay", 0, []entry{{host: "sitemaps", uri: "/robots.txt", end: ms},
			{host: "sitemaps", uri: "/", start: ms + crawlDelay - 1, end: 8 * ms}}, []fault{{testserver.TooSoon, 2, 1}}},
		{"a Crawl-delay that nobody knows yet", 0, []entry{{host: "sitemaps", uri: "/robots.txt", end: ms, status: 503},
			{host: "sitemaps", uri: "/robots.txt", start: 2 * ms, end: 3 * ms}}, nil},
		{"more than the Crawl-delay is asked", delay, []entry{{host: "sitemaps", uri: "/robots.txt", end: ms},
			{host: "sitemaps", uri: "/", start: ms + crawlDelay, end: 8 * ms}}, []fault{{testserver.TooSoon, 2, 1}}},
		{"Retry-After, exactly", 0, []entry{{host: "unavailable", uri: "/robots.txt", end: ms, status: 503, retryAfter: time.Second},
			{host: "unavailable", uri: "/robots.txt", start: ms + time.Second, end: 2 * time.Second}}, nil},
		{"a nanosecond before Retry-After", 0, []entry{{host: "unavailable", uri: "/robots.txt", end: ms, status: 503, retryAfter: time.Second},
			{host: "unavailable", uri: "/robots.txt", start: ms + time.Second - 1, end: 2 * time.Second}}, []fault{{testserver.BeforeRetryAfter, 2, 1}}},
		{"429 is no answer", 0, []entry{{host: "unavailable", uri: "/robots.txt", end: ms, status: 429},
			{host: "unavailable", uri: "/", start: 2 * ms, end: 3 * ms}}, []fault{{testserver.WhileUnreachable, 2, 1}}},
		{"403 is one", 0, []entry{{host: "unavailable", uri: "/robots.txt", end: ms, status: 403},
			{host: "unavailable", uri: "/", start: 2 * ms, end: 3 * ms}}, nil},
		{"rules outlive a failed refresh", 0, []entry{{host: "unavailable", uri: "/robots.txt", end: ms},
			{host: "unavailable", uri: "/robots.txt", start: 2 * ms, end: 3 * ms, status: 500},
			{host: "unavailable", uri: "/", start: 4 * ms, end: 5 * ms}}, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var requests []testserver.Request
			for i, e := range tc.entries {
				origin := s.Origin(e.host)
				if e.status == 0 {
					e.status = http.StatusOK
				}
				requests = append(requests, testserver.Request{
					Number: i + 1, Start: start.Add(e.start), End: start.Add(e.end), Origin: origin,
					Host: strings.TrimPrefix(origin, "http://"), Method: http.MethodGet, URI: e.uri,
					UserAgent: agent, Status: e.status, RetryAfter: e.retryAfter,
				})
			}
			if got := faults(s.judge(requests, tc.delay, namedToken)); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// A violation names both requests and the line.
func TestViolationString(t *testing.T) {
	s := serve(t, quick())
	c := client(t)
	town := s.Origin("rules")
	send(t, c, http.MethodGet, town+"/robots.txt")
	send(t, c, http.MethodHead, town+"/private/x")
	send(t, c, http.MethodGet, town+"/private/minutes")
	report := s.Judge(0, namedToken)
	if len(report.Violations) != 1 {
		t.Fatalf("got %v", report.Violations)
	}
	want := "disallowed: #3 GET " + town + "/private/minutes [200] after #1 GET " + town +
		"/robots.txt [200] (line 15, Disallow: /private/)"
	if got := report.Violations[0].String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

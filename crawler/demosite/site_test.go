package demosite

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// plainBody returns the body of a route without its addresses.
func plainBody(t *testing.T, s *Site, r *route) string {
	t.Helper()
	body := r.content()
	if r.gzip {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", r.url(), err)
		}
		if body, err = io.ReadAll(z); err != nil {
			t.Fatalf("%s: %v", r.url(), err)
		}
	}
	text := string(body)
	for _, h := range s.hosts {
		text = strings.ReplaceAll(text, h.origin, "{"+h.name+"}")
	}
	return text
}

func TestSiteIsTheSameEachTime(t *testing.T) {
	a, b := serve(t, nil), serve(t, nil)
	for i, h := range a.hosts {
		if got, want := len(b.hosts[i].routes), len(h.routes); got != want {
			t.Fatalf("%s: %d routes, then %d", h.name, want, got)
		}
		for k, r := range h.routes {
			again := b.hosts[i].routes[k]
			if again.uri != r.uri || plainBody(t, a, r) != plainBody(t, b, again) {
				t.Errorf("%s%s differs: %s", h.name, r.uri, again.uri)
			}
		}
	}
}

func TestEveryPageHasATitleOfItsOwn(t *testing.T) {
	s := serve(t, quick())
	titles := map[string]string{}
	for _, h := range s.hosts {
		for _, r := range h.routes {
			if r.class != page {
				continue
			}
			key := h.name + ": " + r.title
			if other, ok := titles[key]; ok && (r.copyOf == "" || r.copyOf != h.find(other).copyOf) {
				t.Errorf("%s and %s are both %q", other, r.uri, key)
			}
			titles[key] = r.uri
			if r.shows == "" || r.polite == "" {
				t.Errorf("%s does not say what it is for", r.url())
			}
		}
	}
}

// Each URL is declared once, with a line of the robots.txt of its host.
func TestDeclarationsAgreeWithRobots(t *testing.T) {
	s := serve(t, quick())
	for _, h := range s.hosts {
		seen := map[string]bool{}
		for _, r := range h.routes {
			if seen[r.uri] {
				t.Errorf("%s is declared twice", r.url())
			}
			seen[r.uri] = true
			for _, a := range []audience{us, others} {
				if rule := r.rule(a); rule != "" && lineOf(h.rules, rule, a) == 0 {
					t.Errorf("%s: no line %q for audience %d", r.url(), rule, a)
				}
			}
		}
	}
}

var (
	anchorHref = regexp.MustCompile(`<a href="([^"]*)"`)
	notLinks   = regexp.MustCompile(`(?s)<!--.*?-->|<script.*?</script>|<textarea.*?</textarea>`)
)

// A page has the links that it declares. Each link within the site leads to a page.
func TestLinksAreServedAsDeclared(t *testing.T) {
	s := serve(t, quick())
	for _, h := range s.hosts {
		for _, r := range h.routes {
			if r.location != "" {
				checkTarget(t, s, r.url(), r.location)
			}
			for _, entry := range r.entries {
				if strings.HasPrefix(entry, "http") {
					checkTarget(t, s, "", entry)
				}
			}
			if r.class != page {
				continue
			}
			want := append([]string{"/", s.StartURLs()[0]}, r.inText...)
			for _, l := range r.links {
				want = append(want, l.href)
			}
			if h.name == "rules" && r.uri == "/" {
				for _, other := range s.hosts {
					want = append(want, other.origin+"/")
				}
			}
			var got []string
			for _, m := range anchorHref.FindAllSubmatch(notLinks.ReplaceAll(r.content(), nil), -1) {
				got = append(got, html.UnescapeString(string(m[1])))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: serves %v, declares %v", r.url(), got, want)
			}
			base := r.url()
			if r.base != "" {
				base = h.origin + r.base
			}
			for _, href := range want {
				checkTarget(t, s, base, href)
			}
		}
	}
}

// checkTarget checks that a reference to the site leads to a page.
func checkTarget(t *testing.T, s *Site, base, href string) {
	t.Helper()
	origin, uri, ok := resolve(base, href)
	if at := s.at(origin); ok && at != nil && at.find(uri) == nil {
		t.Errorf("%s: %q leads to no page", base, href)
	}
}

// The numbers that the demo prints.
func TestExpected(t *testing.T) {
	s := serve(t, nil)
	e := s.Expected(namedToken)
	reasons := map[string]int{}
	for _, r := range e.Rejected {
		reasons[r.Reason]++
		if (r.Reason == reasonDisallowed) != (r.Line > 0) {
			t.Errorf("%+v: a line, and only then, for what is disallowed", r)
		}
		if slices.Contains(e.Pages, r.URL) {
			t.Errorf("%s is both expected and rejected", r.URL)
		}
	}
	if len(e.Pages) != 233 || len(e.Sitemaps) != 9 {
		t.Errorf("%d pages, %d sitemaps", len(e.Pages), len(e.Sitemaps))
	}
	if want := map[string]int{reasonDisallowed: 40, reasonNofollow: 9, reasonOutOfScope: 5, reasonNotAuthorized: 4}; !equal(reasons, want) {
		t.Errorf("rejected %v, want %v", reasons, want)
	}
	if e.Robots[s.Origin("unavailable")] != 3 || e.Robots[s.Origin("disallowed")] != 1 || len(e.Robots) != 7 {
		t.Errorf("robots %v", e.Robots)
	}
	for _, u := range []string{
		s.Origin("rules") + "/members/", s.Origin("rules") + "/caf%C3%A9/menu", s.Origin("sitemaps") + "/only-by-redirect",
		s.Origin("rules") + "/kinds/other/place", s.Origin("redirected") + "/only-in-sitemap/lantern",
	} {
		if !slices.Contains(e.Pages, u) {
			t.Errorf("%s is not expected", u)
		}
	}
	others := s.Expected("examplebot")
	for u, want := range map[string]bool{"/members/": false, "/lab/bench": true, "/hidden/by-name": true, "/hidden/by-meta": false} {
		if slices.Contains(others.Pages, s.Origin("rules")+u) != want {
			t.Errorf("examplebot: %s: want %t", u, want)
		}
	}
}

func equal(a, b map[string]int) bool {
	for k := range b {
		if a[k] != b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestServe(t *testing.T) {
	s := serve(t, &Options{latency: -1})
	c := client(t)
	cases := []struct {
		name, method, host, path string
		status                   int
		field, value             string
	}{
		{"page", "GET", "rules", "/", 200, "Content-Type", "text/html; charset=utf-8"},
		{"escaped", "GET", "rules", "/caf%c3%a9/", 200, "", ""},
		{"long page", "GET", "rules", "/kinds/long", 200, "", ""},
		{"long page, HEAD", "HEAD", "rules", "/kinds/long", 200, "", ""},
		{"redirect", "GET", "rules", "/go/sitemaps", 302, "Location", s.Origin("sitemaps") + "/only-by-redirect"},
		{"directive", "GET", "rules", "/directives/header-by-name", 200, "X-Robots-Tag", "politecrawl: nofollow"},
		{"trap", "GET", "rules", "/trap/?day=99", 200, "", ""},
		{"unknown", "GET", "rules", "/phantom/comment", 404, "", ""},
		{"post", "POST", "rules", "/", 405, "Allow", "GET, HEAD"},
		{"no robots.txt", "GET", "norobots", "/robots.txt", 404, "", ""},
		{"unavailable 1", "GET", "unavailable", "/robots.txt", 503, "Retry-After", "1"},
		{"unavailable 2", "GET", "unavailable", "/robots.txt", 503, "Retry-After", "1"},
		{"unavailable 3", "GET", "unavailable", "/robots.txt", 200, "Content-Type", "text/plain; charset=utf-8"},
		{"busy 1", "GET", "norobots", "/busy", 503, "Retry-After", "1"},
		{"busy 2", "GET", "norobots", "/busy", 200, "", ""},
	}
	for i, tc := range cases {
		resp, body := send(t, c, tc.method, s.Origin(tc.host)+tc.path)
		if resp == nil {
			t.Fatalf("%s: no answer", tc.name)
		}
		if resp.StatusCode != tc.status || (tc.field != "" && resp.Header.Get(tc.field) != tc.value) {
			t.Errorf("%s: %d %v", tc.name, resp.StatusCode, resp.Header)
		}
		if r := s.at(s.Origin(tc.host)).find(tc.path); r != nil && tc.status == 200 && tc.method == "GET" && !bytes.Equal(body, r.content()) {
			t.Errorf("%s: %d bytes, want %d", tc.name, len(body), len(r.content()))
		}
		got := s.record.all()[i]
		if got.Number != i+1 || got.URI != tc.path || got.Method != tc.method || got.Status != tc.status ||
			got.UserAgent != agent || got.Remote == "" || got.End.Before(got.Start) {
			t.Errorf("%s: recorded %+v", tc.name, got)
		}
	}
}

func TestAddresses(t *testing.T) {
	s := serve(t, quick())
	first, err := url.Parse(s.StartURLs()[0])
	must(t, err)
	if len(s.StartURLs()) != 7 || first.Hostname() != "127.0.0.1" {
		t.Errorf("start URLs %v", s.StartURLs())
	}
	if s.Origin("nowhere") != "" {
		t.Error("an origin for a host that is not there")
	}

	// A machine that has one loopback address only.
	alone := serve(t, alone())
	seen := map[string]bool{}
	for _, h := range alone.hosts {
		u, err := url.Parse(h.origin)
		if err != nil || u.Hostname() != "127.0.0.1" || seen[u.Port()] {
			t.Errorf("%s is at %s", h.name, h.origin)
		}
		seen[u.Port()] = true
		if resp, _ := send(t, client(t), http.MethodGet, h.origin+"/"); resp == nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s is not served", h.origin)
		}
	}
}

func TestCanonical(t *testing.T) {
	for uri, want := range map[string]string{
		"/%7e%41%2D":    "/~A-",
		"/a%2fb?c=%c3":  "/a%2Fb?c=%C3",
		"/%zz%4":        "/%zz%4",
		"/a b\x80é\x7f": "/a%20b%80%C3%A9%7F",
		"/a#b":          "/a",
	} {
		if got := canonical(uri); got != want {
			t.Errorf("%q: %q, want %q", uri, got, want)
		}
	}
}

// The robots.txt texts that are generated.
func TestRobotsTexts(t *testing.T) {
	s := serve(t, quick())
	for host, want := range map[string][]string{
		"wildcards": {byteOrderMark + "User-agent: auctionbot", "Disallow: /basket\r\n"},
		"sitemaps":  {"User-agent: *\nCrawl-delay: 0.01\n", "User-agent: politecrawl\nCrawl-delay: 0.005\n"},
	} {
		for _, part := range want {
			if text := string(s.at(s.Origin(host)).find("/robots.txt").content()); !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %q", host, part, text)
			}
		}
	}
}

// The response to a client that has gone ends.
func TestClientLeaves(t *testing.T) {
	s := serve(t, &Options{latency: time.Hour})
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.StartURLs()[0], nil)
	must(t, err)
	go func() {
		for len(s.record.all()) == 0 {
			time.Sleep(time.Millisecond)
		}
		leave()
	}()
	if _, err := client(t).Do(req); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for deadline := time.Now().Add(time.Minute); s.record.all()[0].End.IsZero(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the site goes on answering")
		}
	}
}

func TestStartRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.3:0")
	if err != nil {
		t.Fatal("this test needs the loopback address 127.0.0.3:", err)
	}
	defer func() { _ = taken.Close() }()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	number, err := strconv.Atoi(port)
	must(t, err)
	for _, tc := range []struct {
		name, says string
		opts       Options
		isTaken    bool
	}{
		{"port in use", "choose another port, or 0", Options{Port: number}, true},
		{"port out of range", "invalid port", Options{Port: 70000}, false},
		{"negative crawl delay", "negative", Options{CrawlDelay: -1}, false},
	} {
		s, err := Start(&tc.opts)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || errors.Is(err, ErrPortTaken) != tc.isTaken || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := Start(nil)
	must(t, err)
	transport := &http.Transport{}
	send(t, &http.Client{Transport: transport}, http.MethodGet, s.StartURLs()[0])
	transport.CloseIdleConnections()
	must(t, s.Close())
	if len(s.record.all()) != 1 {
		t.Errorf("%d requests after Close", len(s.record.all()))
	}
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

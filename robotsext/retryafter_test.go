package robotsext_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// retryAfter is a response with a Retry-After of so many seconds.
func retryAfter(status, seconds int, location string) reply {
	r := reply{status: status, header: http.Header{"Retry-After": {fmt.Sprint(seconds)}}}
	if location != "" {
		r.header.Set("Location", location)
	}
	return r
}

// Requests of this package to a server wait for the Retry-After of any response.
func TestRetryAfterIsObeyed(t *testing.T) {
	there := func(r reply, body string) []reply { r.body = body; return []reply{r} }
	for _, test := range []walk{
		{
			name: "robots.txt that is there, before a sitemap",
			answers: map[string][]reply{
				"/robots.txt": there(retryAfter(200, 60, ""), "Sitemap: "+siteA+"/1.xml\n"),
				"/1.xml":      ok(urlset(siteA + "/a")),
			},
			pages: []string{"/a"},
			sent:  []string{"0 /robots.txt", "61 /1.xml"},
		},
		{
			name: "sitemap that is there, before the next",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
				"/1.xml":      there(retryAfter(200, 60, ""), urlset(siteA+"/a")),
				"/2.xml":      ok(urlset(siteA + "/b")),
			},
			pages: []string{"/a", "/b"},
			sent:  []string{"0 /robots.txt", "2 /1.xml", "63 /2.xml"},
		},
		{
			name: "redirect of a sitemap",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/1.xml"),
				"/1.xml":      {retryAfter(302, 60, "/2.xml")},
				"/2.xml":      ok(urlset(siteA + "/a")),
			},
			pages: []string{"/a"},
			sent:  []string{"0 /robots.txt", "2 /1.xml", "63 /2.xml"},
		},
		{
			name: "redirect of a sitemap, longer than a walk waits",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/1.xml"),
				"/1.xml":      {retryAfter(302, 7200, "/2.xml")},
			},
			errs: []string{"/1.xml"},
			sent: []string{"0 /robots.txt", "2 /1.xml"},
		},
	} {
		test.name = "ROB-POL-04/" + test.name
		test.run(t)
	}
	for name, test := range map[string]struct {
		wait   int
		target string
		sent   string
	}{
		"redirect of robots.txt":                   {20, "/r.txt", "21 /r.txt"},
		"redirect of robots.txt to another origin": {3600, "http://b.example/r.txt", "1 http://b.example/r.txt"},
	} {
		onWeb(t, "ROB-POL-04/"+name, map[string][]reply{
			"/robots.txt": {retryAfter(301, test.wait, test.target)},
			test.target:   ok("User-agent: *\nDisallow: /private\n"),
		}, func(t *testing.T, w *web) {
			rec := recordFor(t, w.robots(robotsext.Options{}), rootA)
			wantOutcome(t, rec, robotsext.OutcomeRules)
			w.wantSent("0 /robots.txt", test.sent)
		})
	}
	onWeb(t, "ROB-POL-04/page, from its end", map[string][]reply{
		"/robots.txt": ok("User-agent: *\nAllow: /\n"),
		"/a":          {retryAfter(200, 60, "")},
		"/b":          ok("page"),
	}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		resp, err := (&http.Client{Transport: r.Transport(nil)}).Get(siteA + "/a")
		wantOK(t, err)
		time.Sleep(100 * time.Second) // the body takes its time
		_ = resp.Body.Close()
		c := colly.NewCollector(r.Attach)
		r.ObeyCrawlDelay(c, 0)
		wantOK(t, c.Visit(siteA+"/b"))
		w.wantSent("0 /robots.txt", "1 /a", "162 /b")
	})
	robots := ok("User-agent: *\nDisallow: /private\n")[0]
	robots.header = http.Header{"Cache-Control": {"max-age=300"}}
	onWeb(t, "ROB-POL-04/page, before robots.txt is fetched again", map[string][]reply{
		"/robots.txt": {robots, robots},
		"/a":          {retryAfter(404, 3600, "")},
	}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		_, err := send(t, r, newRequest(t, "GET", siteA+"/a", ""))
		wantOK(t, err)
		time.Sleep(10 * time.Minute)
		want := w.start.Add(3602 * time.Second)
		if blocked := wantLater(t, r.Check(t.Context(), rootA)); !blocked.RetryAt.Equal(want) {
			t.Errorf("to be asked again at %s, want %s", blocked.RetryAt, want)
		}
		time.Sleep(time.Until(want))
		wantOK(t, r.Check(t.Context(), rootA))
		w.wantSent("0 /robots.txt", "1 /a", "3602 /robots.txt")
	})
	slow := retryAfter(200, 3600, "")
	slow.header.Set("Cache-Control", "max-age=300")
	onWeb(t, "ROB-POL-04/robots.txt that is there, before it is fetched again", map[string][]reply{"/robots.txt": {slow, slow}}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		wantOK(t, r.Check(t.Context(), rootA))
		time.Sleep(10 * time.Minute)
		wantLater(t, r.Check(t.Context(), rootA))
		w.wantSent("0 /robots.txt")
	})
}

// ROB-POL-04: a redirect whose Retry-After is longer than a fetch may take is a failed fetch.
// It is kept, with the request that was made and the time that the site asked for.
func TestRedirectWithLongRetryAfter(t *testing.T) {
	h := newHost(t, robotsext.Options{}, reply{status: 302, header: http.Header{"Location": {"/other.txt"}, "Retry-After": {"7200"}}})
	for range 2 {
		rec := h.record()
		if rec.Outcome != robotsext.OutcomeUnreachable || len(rec.RedirectChain) != 1 || !rec.RetryAt.Equal(h.clock.now().Add(2*time.Hour)) || len(h.asked) != 1 {
			t.Errorf("%s, chain %q, next try %v, %d requests", rec.Outcome, rec.RedirectChain, rec.RetryAt, len(h.asked))
		}
	}
}

package robotsext_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// sitemapTransport serves a sitemap behind a redirect. It logs each request with its cookies.
func sitemapTransport(name string, log *[]string) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		line := name + " " + req.URL.Path
		for _, c := range req.Cookies() {
			line += " " + c.String()
		}
		*log = append(*log, line)
		switch req.URL.Path {
		case "/robots.txt":
			answer := robotsListing(siteA + "/1.xml")[0]
			answer.header = http.Header{"Set-Cookie": {"robots=1"}}
			return answer.RoundTrip(req)
		case "/1.xml":
			answer := redirect("/2.xml")
			answer.header.Set("Set-Cookie", "hop=1")
			return answer.RoundTrip(req)
		case "/2.xml":
			return reply{status: 200, body: urlset(siteA + "/a"), header: http.Header{"Set-Cookie": {"map=1"}}}.RoundTrip(req)
		}
		return reply{status: 200, body: "a page"}.RoundTrip(req)
	})
}

// With the context of a collector, sitemaps use its transport, proxy and cookies, and
// robots.txt does not use the cookies.
func TestSitemapsOfCollector(t *testing.T) {
	jar := func() http.CookieJar {
		jar, err := cookiejar.New(nil)
		wantOK(t, err)
		jar.SetCookies(rootA, []*http.Cookie{{Name: "jar", Value: "1"}})
		return jar
	}
	cookies := []string{"own /robots.txt", "own /1.xml", "own /2.xml hop=1", "own /a hop=1 map=1"}
	withJar := []string{"own /robots.txt", "own /1.xml jar=1", "own /2.xml jar=1 hop=1", "own /a jar=1 hop=1 map=1"}
	none := []string{"own /robots.txt", "own /1.xml", "own /2.xml", "own /a"}
	for _, test := range []struct {
		name          string
		before, after func(c *colly.Collector, own http.RoundTripper)
		want          []string
	}{
		{"transport before Attach", func(c *colly.Collector, own http.RoundTripper) { c.WithTransport(own) }, nil, cookies},
		{"transport after Attach", nil, func(c *colly.Collector, own http.RoundTripper) { c.WithTransport(own) }, cookies},
		{"client", func(c *colly.Collector, own http.RoundTripper) { c.SetClient(&http.Client{Transport: own, Jar: jar()}) }, nil, withJar},
		{"jar after Attach", func(c *colly.Collector, own http.RoundTripper) { c.WithTransport(own) }, func(c *colly.Collector, _ http.RoundTripper) {
			cookieJar, _ := jar().(*cookiejar.Jar)
			c.SetCookieJar(cookieJar)
		}, withJar},
		{"no cookies", func(c *colly.Collector, own http.RoundTripper) { c.WithTransport(own); c.DisableCookies() }, nil, none},
		{"no cookies after Attach", func(c *colly.Collector, own http.RoundTripper) { c.WithTransport(own) }, func(c *colly.Collector, _ http.RoundTripper) { c.DisableCookies() }, none},
	} {
		t.Run("ROB-FET-18/"+test.name, func(t *testing.T) {
			var log []string
			r := newRobots(t, &robotsext.Options{
				Transport: sitemapTransport("ours", &log),
				Sitemaps:  robotsext.SitemapOptions{Delay: -1},
			})
			c := colly.NewCollector()
			if test.before != nil {
				test.before(c, sitemapTransport("own", &log))
			}
			r.Attach(c)
			if test.after != nil {
				test.after(c, sitemapTransport("own", &log))
			}
			for page, err := range r.Sitemaps(c.Context, rootA) {
				wantOK(t, err)
				wantOK(t, c.Visit(page.Loc))
			}
			if !slices.Equal(log, test.want) {
				t.Errorf("sent %q, want %q", log, test.want)
			}
		})
	}
	t.Run("ROB-FET-18/without a collector", func(t *testing.T) {
		var log []string
		r := newRobots(t, &robotsext.Options{Transport: sitemapTransport("ours", &log), Sitemaps: robotsext.SitemapOptions{Delay: -1}})
		_, errs := gather(r.Sitemaps(t.Context(), rootA))
		wantErrors(t, errs)
		if want := []string{"ours /robots.txt", "ours /1.xml", "ours /2.xml"}; !slices.Equal(log, want) {
			t.Errorf("sent %q, want %q", log, want)
		}
	})
	t.Run("proxy", func(t *testing.T) {
		s := newSite(t, nil)
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			switch req.URL.Path {
			case "/robots.txt":
				fmt.Fprintf(w, "Sitemap: %s/map.xml\n", s.URL)
			case "/map.xml":
				fmt.Fprint(w, urlset(s.URL+"/a"))
			}
		})
		p := newProxy(t)
		r := newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}})
		c := colly.NewCollector(r.Attach)
		wantOK(t, c.SetProxy(p.URL))
		ctx, cancel := context.WithCancel(c.Context)
		defer cancel()
		pages, errs := gather(r.Sitemaps(ctx, s.url("/")))
		wantErrors(t, errs)
		if got, want := p.seen(), []string{s.URL + "/robots.txt", s.URL + "/map.xml"}; !slices.Equal(got, want) || len(pages) != 1 {
			t.Errorf("the proxy saw %q, want %q; pages %q", got, want, pages)
		}
	})
}

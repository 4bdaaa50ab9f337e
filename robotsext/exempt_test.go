package robotsext_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// exempt returns options for which the sites are exempt.
func exempt(sites ...*site) *robotsext.Options {
	return &robotsext.Options{Exempt: func(o robotsext.Origin) bool {
		return slices.ContainsFunc(sites, func(s *site) bool { return string(o) == s.URL })
	}}
}

// The robots.txt of an exempt origin is not requested, whatever it would say.
func TestExemptOriginIsNotChecked(t *testing.T) {
	for name, robots := range map[string]http.HandlerFunc{"disallowed": text("User-agent: *\nDisallow: /\n"), "unreachable": status(500)} {
		for how, drive := range drives {
			t.Run(name+"/"+how, func(t *testing.T) {
				own, other := newSite(t, robots), newSite(t, text(private))
				c := colly.NewCollector(newRobots(t, exempt(own)).Attach)
				errs := drive(t, c,
					action{"GET", own.URL + "/a"}, action{"HEAD", own.URL + "/b"}, action{"GET", other.URL + "/to?" + own.URL + "/c"},
					action{"GET", other.URL + "/private"}, action{"GET", own.URL + "/to?" + other.URL + "/private/target"})
				own.wantPages(t, "GET /a", "HEAD /b", "GET /c", "GET /to?"+other.URL+"/private/target")
				own.wantCount(t, robotsLine, 0)
				other.wantPages(t, "GET /to?"+own.URL+"/c")
				other.wantCount(t, robotsLine, 1)
				for _, err := range errs {
					wantDisallowed(t, err, 2)
				}
				if len(errs) == 0 {
					t.Error("no error of the other site")
				}
			})
		}
		t.Run(name+"/other functions", func(t *testing.T) {
			own := newSite(t, robots)
			r := newRobots(t, exempt(own))
			d, err := r.Decide(t.Context(), own.url("/private"))
			if err != nil || d.Verdict != robotsext.Allowed || d.Group == nil || d.Record != nil {
				t.Errorf("decision %+v, error %v", d, err)
			}
			wantOK(t, r.Check(t.Context(), own.url("/private")))
			wantOK(t, r.Permit(t.Context(), own.url("/private"), usage.TrainAI, usage.TDM))
			wantOK(t, get(t, r.Transport(nil), own.URL+"/private"))
			c := colly.NewCollector(r.Attach)
			r.ObeyCrawlDelay(c, 0)
			wantOK(t, c.Visit(own.URL+"/a"))
			own.wantAsked(t, "GET /private", "GET /a")
		})
	}
}

// A Host header of another site makes that site's robots.txt count, and is not exempt.
func TestExemptOriginWithHostHeader(t *testing.T) {
	own, other := newSite(t, status(500)), newSite(t, text(private))
	host := map[string]string{"Host": other.Listener.Addr().String()}
	c := colly.NewCollector(newRobots(t, exempt(own)).Attach, colly.Headers(host))
	wantOK(t, c.Visit(own.URL+"/a"))
	wantDisallowed(t, c.Visit(own.URL+"/private"), 2)
	own.wantAsked(t, "GET /a")
	other.wantAsked(t, robotsLine)
}

// Without its robots.txt, an exempt origin has no Crawl-delay; Retry-After still applies.
func TestExemptOriginHasNoCrawlDelay(t *testing.T) {
	onWeb(t, "ROB-POL-04", map[string][]reply{
		"/robots.txt": ok("Crawl-delay: 20"), "/a": ok(""), "/b": ok(""), "/busy": {retryAfter(503, 120, "")},
	}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{Exempt: func(o robotsext.Origin) bool { return o == siteA }})
		c := colly.NewCollector(r.Attach)
		r.ObeyCrawlDelay(c, 0)
		for _, u := range []string{siteA + "/a", "http://A.example:80/busy", siteA + "/b"} {
			_ = c.Visit(u)
		}
		w.wantSent("0 /a", "1 /busy", "122 /b")
	})
}

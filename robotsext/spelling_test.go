package robotsext_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// TestEverySpellingIsChecked shows that a rule keeps colly with Attach, and a client
// with Transport, from a link that is spelt like it, raw or escaped.
func TestEverySpellingIsChecked(t *testing.T) {
	var links []string
	rules := "User-agent: *\n"
	for i, octet := range strings.Split("\"<>^`{|}[] é", "") {
		escape := url.PathEscape(octet)
		for j, inRule := range []string{octet, escape, strings.ToLower(escape)} {
			for k, place := range []string{"a%sb", "?a%sb"} {
				dir := fmt.Sprintf("/%d-%d-%d/", i, j, k)
				rules += "Disallow: " + dir + fmt.Sprintf(place, inRule) + "\n"
				for _, inLink := range []string{octet, escape, strings.ToLower(escape)} {
					links = append(links, dir+fmt.Sprintf(place, inLink)+"/1")
				}
			}
		}
	}
	rules += "Disallow: /q?z='\nDisallow: /r?z=%27\nDisallow: /it's\n"
	links = append(links, "/q?z='", "/q?z=%27", "/r?z='", "/r?z=%27", "/it's")
	t.Run("ROB-MAT-28/colly", func(t *testing.T) {
		s := newSite(t, text(rules))
		c := colly.NewCollector(newRobots(t, nil).Attach, colly.AllowURLRevisit())
		for _, link := range links {
			if err := c.Visit(s.URL + link); !errors.Is(err, colly.ErrRobotsTxtBlocked) {
				t.Errorf("%s: error %v", link, err)
			}
		}
		s.wantAsked(t, robotsLine)
	})
	t.Run("ROB-MAT-28/net/http", func(t *testing.T) {
		s := newSite(t, text(rules))
		client := &http.Client{Transport: newRobots(t, nil).Transport(nil)}
		for _, link := range links {
			resp, err := client.Do(&http.Request{URL: s.url(link)})
			if err == nil {
				_ = resp.Body.Close()
			}
			if blocked, ok := errors.AsType[*robotsext.BlockedError](err); !ok || blocked.Reason != robotsext.Disallowed {
				t.Errorf("%s: error %v", link, err)
			}
		}
		s.wantAsked(t, robotsLine)
	})
	t.Run("ROB-MAT-28/another spelling is another page", func(t *testing.T) {
		s := newSite(t, text("User-agent: *\nDisallow: /a{\nDisallow: /it's\nDisallow: /a/b\n"))
		client := &http.Client{Transport: newRobots(t, nil).Transport(nil)}
		want := []string{robotsLine}
		for _, link := range []string{"/a", "/a%257B", "/it%27s|'", "/a%2Fb|"} {
			resp, err := client.Do(&http.Request{URL: s.url(link)})
			wantOK(t, err)
			_ = resp.Body.Close()
			want = append(want, "GET "+strings.ReplaceAll(link, "|", "%7C"))
		}
		s.wantAsked(t, want...)
	})
}

// TestCollyRespellsPath shows what colly makes of a path with a raw |, and that
// CleanURL keeps it from that.
func TestCollyRespellsPath(t *testing.T) {
	s := newSite(t, text("User-agent: *\nDisallow: /it's|a%2Fb/private\n"))
	c := colly.NewCollector(newRobots(t, nil).Attach)
	clean := func(path string) string {
		u, err := robotsext.CleanURL(s.url(path))
		wantOK(t, err)
		return u.String()
	}
	for _, link := range []string{s.URL + "/it's|a%2Fb", clean("/it's|a%2Fb")} {
		wantOK(t, c.Visit(link))
	}
	if err := c.Visit(clean("/it's|a%2Fb/private")); !errors.Is(err, colly.ErrRobotsTxtBlocked) {
		t.Errorf("ROB-MAT-28: error %v", err)
	}
	s.wantAsked(t, robotsLine, "GET /it%27s%7Ca/b", "GET /it's%7Ca%2Fb")
}

package robotsext_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/temoto/robotstxt"

	"github.com/politecrawl/politecrawl/robotsext"
)

const allowed, disallowed, later = robotsext.Allowed, robotsext.Disallowed, robotsext.Later

// TestDiffersFromCollyCheck compares robotsext with colly's own check, and with
// github.com/temoto/robotstxt, on which that check is built. The test server records what
// each requested.
func TestDiffersFromCollyCheck(t *testing.T) {
	tests := []struct {
		id     string
		robots http.HandlerFunc
		visit  string // path; with a method before it if that is not GET
		want   robotsext.Verdict
		// What the peers make of it. temoto is 0 where it has no part in it.
		colly, temoto robotsext.Verdict
	}{
		{"ROB-STA-02/500 is not allow", status(500), "/a", later, allowed, 0},
		{"ROB-STA-03/503 is not allow", status(503), "/a", later, allowed, 0},
		{"ROB-STA-01/429 is not allow", status(429), "/a", later, allowed, 0},
		{"ROB-FET-15/short body", cutShort, "/a", later, disallowed, 0},
		{"ROB-MAT-04/tie", text(lines("User-agent: *⏎Disallow: /folder⏎Allow: /folder")), "/folder", allowed, disallowed, disallowed},
		{"ROB-MAT-03/longest path, not longest regexp", text(lines("User-agent: *⏎Disallow: /*.h.m⏎Allow: /ppp.h.m")), "/ppp.h.m", allowed, disallowed, disallowed},
		{"ROB-MAT-17/escape in the rule", text(lines("User-agent: *⏎Disallow: /foo/%62%61%7A")), "/foo/baz", disallowed, allowed, allowed},
		{"ROB-MAT-17/hex case", text(lines("User-agent: *⏎Disallow: /%e3%83%84")), "/%E3%83%84", disallowed, allowed, allowed},
		{"ROB-MAT-15/UTF-8", text(lines("User-agent: *⏎Disallow: /ツ")), "/%E3%83%84", disallowed, allowed, allowed},
		{"ROB-MAT-12/query order", text(lines("User-agent: *⏎Disallow: /a?z=1&b=2")), "/a?z=1&b=2", disallowed, allowed, disallowed},
		{"ROB-MAT-12/query escapes", text(lines("User-agent: *⏎Disallow: /a?u=http://h")), "/a?u=http://h", disallowed, allowed, disallowed},
		{"ROB-MAT-14/empty query", text(lines("User-agent: *⏎Disallow: /a$⏎Allow: /")), "/a?", allowed, disallowed, allowed},
		{"ROB-MAT-07/dollar inside", text(lines("User-agent: *⏎Disallow: /a$b")), "/a$b", disallowed, allowed, allowed},
		{"ROB-UA-05/prefix of the name", text(lines("User-agent: test⏎Disallow: /")), "/a", allowed, disallowed, disallowed},
		{"ROB-UA-03/version in the file", text(lines("User-agent: testbot/1.2⏎Disallow: /")), "/a", disallowed, allowed, allowed},
		{"ROB-FMT-03/rule before any group", text(lines("Disallow: /x⏎User-agent: *⏎Disallow: /y")), "/a", allowed, disallowed, disallowed},
		{"ROB-GRP-12/delay between names", text(lines("User-agent: testbot⏎Crawl-delay: 5⏎User-agent: b⏎Disallow: /a")), "/a", disallowed, allowed, allowed},
		{"ROB-GEN-04/HEAD", text(private), "HEAD /private", disallowed, allowed, 0},
		{"ROB-GEN-04/redirect", text(private), "/to?/private", disallowed, allowed, 0},
		{"ROB-MAT-25/dot segments", text(private), "/to?/a/%2e%2e/private", disallowed, allowed, 0},
	}
	for _, test := range tests {
		t.Run(test.id, func(t *testing.T) {
			if got := visitWith(t, test.robots, test.visit, newRobots(t, nil).Attach); got != test.want {
				t.Errorf("robotsext: %s, want %s", got, test.want)
			}
			own := func(c *colly.Collector) { c.IgnoreRobotsTxt, c.UserAgent = false, agent }
			if got := visitWith(t, test.robots, test.visit, own); got != test.colly || got == test.want {
				t.Errorf("colly's own check: %s, expected it to be wrong by %s", got, test.colly)
			}
			if test.temoto == 0 {
				return
			}
			if got := temotoSays(t, test.robots, test.visit); got != test.temoto {
				t.Errorf("temoto/robotstxt: %s, expected %s", got, test.temoto)
			}
		})
	}
}

// visitWith visits a path of a site with a collector, and has the site tell what
// came of it.
func visitWith(t *testing.T, robots http.HandlerFunc, visit string, prepare func(*colly.Collector)) robotsext.Verdict {
	t.Helper()
	s := newSite(t, robots)
	c := colly.NewCollector(prepare)
	var err error
	if path, ok := strings.CutPrefix(visit, "HEAD "); ok {
		err = c.Head(s.URL + path)
	} else {
		err = c.Visit(s.URL + visit)
	}
	blocked, _ := errors.AsType[*robotsext.BlockedError](err)
	last := ""
	if pages := s.pages(); len(pages) > 0 {
		last = pages[len(pages)-1]
	}
	switch {
	case blocked != nil && blocked.Reason == robotsext.Later:
		return later
	case err == nil:
		return allowed
	case last == "" || blocked != nil:
		return disallowed
	}
	t.Fatalf("visit of %s: %v, last page asked for %s", visit, err, last)
	return 0
}

// temotoSays asks the peer alone, without colly's rewriting of queries.
func temotoSays(t *testing.T, robots http.HandlerFunc, path string) robotsext.Verdict {
	t.Helper()
	s := newSite(t, robots)
	resp, err := http.Get(s.URL + "/robots.txt")
	wantOK(t, err)
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	data, err := robotstxt.FromResponse(resp)
	if err != nil || !data.TestAgent(path, agent) {
		return disallowed // a caller that gets an error has no choice
	}
	return allowed
}

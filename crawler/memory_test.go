package crawler

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
)

// What is kept of where a URL was found does not grow with that.
func TestViaIsCut(t *testing.T) {
	long := "/" + strings.Repeat("x", 3000)
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<a href="` + long + `">long</a>`, long: `<a href="/next">next</a><a href="http://elsewhere.test/">out</a>`, "/next": "next",
	})
	got := run(t, testConfig(t, s.url+"/"), nil)
	want := (s.url + long)[:provenance.MaxVia] + "…"
	if via := got.refusal(t, "http://elsewhere.test/").Via; via != want {
		t.Errorf("left alone, found in %.50s… of %d bytes", via, len(via))
	}
	for _, p := range got.pages {
		if p.URL == s.url+"/next" && p.Via != want || p.URL == s.url+long && p.Via != s.url+"/" {
			t.Errorf("%.50s… found in %.50s… of %d bytes", p.URL, p.Via, len(p.Via))
		}
	}
	if len(got.pages) != 3 {
		t.Errorf("%d pages", len(got.pages))
	}
}

// A sitemap whose URL is longer than one may be is not read: each of its entries would
// repeat it.
func TestLongSitemapURL(t *testing.T) {
	long := "/" + strings.Repeat("x", maxSitemapURL) + ".txt"
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}" + long + "\nSitemap: {site}/short.txt\n", long: "{site}/of-long\n", "/short.txt": "{site}/of-short\n",
		"/": "start", "/of-long": "no", "/of-short": "yes",
	})
	got := run(t, testConfig(t, s.url+"/"), nil)
	if s.count(long) > 0 || s.count("/of-short") != 1 || got.Sitemaps != 1 {
		t.Errorf("%+v", got.Summary)
	}
}

// Of a page with very many links as many are looked at as it takes to see that it leads on.
func TestTrapCheckStopsAtTheFirstNewLink(t *testing.T) {
	const host = "a.test"
	f := &counting{Memory: frontier.NewMemory(nil)}
	c := &Crawler{found: &discovery{traps: trap.New(1)}, frontier: f, life: lifecycle.New(slog.New(slog.DiscardHandler))}
	for range 2 { // the pattern has had its free pages
		c.found.traps.Fetched(host, "http://"+host+"/?id=1")
	}
	var links []frontier.Item
	for i := range 2 * maxLeads {
		links = append(links, frontier.Item{URL: fmt.Sprintf("http://%s/?id=%d", host, i), Host: host})
	}
	if leads, err := (&worker{c: c}).leadsOn(links); !leads || err != nil || f.asked > maxLeads {
		t.Errorf("%t, %v: %d URLs were looked at", leads, err, f.asked)
	}
}

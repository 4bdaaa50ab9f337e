package crawler

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
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

// However many URLs were left aside, some at a time are held when they are taken up.
func TestAsideInParts(t *testing.T) {
	j, err := openJournal(filepath.Join(t.TempDir(), journalFile), false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.close() }()
	const n = 2*asideBatch + 7
	s := newAside(j, scope.New(ScopeHost, scope.Bounds{}).Key)
	var all []left
	for i := range n {
		a := weburl.URL{Canonical: fmt.Sprintf("http://h%d.test/", i), Server: frontier.Host(fmt.Sprintf("h%d.test", i)), Hostname: fmt.Sprintf("h%d.test", i)}
		all = append(all, left{at: a, rejection: output.Rejection{URL: a.Canonical, Reason: output.OutOfScope, Depth: 1}})
	}
	if err := s.put(all); err != nil {
		t.Fatal(err)
	}
	if !s.mayHold(all[n-1].at) || s.mayHold(weburl.URL{Server: "other.test", Hostname: "other.test"}) {
		t.Error("it does not know whose URLs it holds")
	}
	seen, parts := make(map[string]bool), 0
	give := func(some []left) error {
		parts++
		for _, l := range some {
			seen[l.rejection.URL] = true
		}
		if len(some) > asideBatch {
			t.Errorf("%d at a time", len(some))
		}
		return s.put(some[:1]) // which may be left aside again meanwhile, and is not met again
	}
	if err := s.take(func(left) bool { return true }, give); err != nil || len(seen) != n || parts != 3 {
		t.Errorf("%v: %d URLs in %d parts", err, len(seen), parts)
	}
	if len(s.urls) != 3 {
		t.Errorf("%d are still there", len(s.urls))
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
func TestLeadsInParts(t *testing.T) {
	const host = "a.test"
	f := &counting{Frontier: frontier.NewMemory(nil)}
	c := &Crawler{traps: trap.New(1), frontier: f, books: t.Context()}
	for range 2 { // the pattern has had its free pages
		c.traps.Fetched(host, "http://"+host+"/?id=1")
	}
	var links []frontier.Item
	for i := range 2 * maxLeads {
		links = append(links, frontier.Item{URL: fmt.Sprintf("http://%s/?id=%d", host, i), Host: host})
	}
	if leads, err := c.leadsOn(links); !leads || err != nil || f.asked > maxLeads {
		t.Errorf("%t, %v: %d URLs were looked at", leads, err, f.asked)
	}
}

// Pages may link to ever more places that do not belong to the crawl; what is kept of
// them has an end, which is told once. What is known already is still kept better.
func TestAsideIsBounded(t *testing.T) {
	j, err := openJournal(filepath.Join(t.TempDir(), journalFile), false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.close() }()
	s := newAside(j, scope.New(ScopeHost, scope.Bounds{}).Key)
	told := 0
	s.most, s.full = 10, func() { told++ }
	for i := range 30 {
		for _, depth := range []int{2, 1} {
			a := weburl.URL{Canonical: fmt.Sprintf("http://h%d.test/", i), Server: frontier.Host(fmt.Sprintf("h%d.test", i)), Hostname: fmt.Sprintf("h%d.test", i)}
			if err := s.put([]left{{at: a, rejection: output.Rejection{URL: a.Canonical, Reason: output.OutOfScope, Depth: depth}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var depths []int
	if err := s.each(func(e *entry) error { depths = append(depths, e.Left.Depth); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(s.urls) != 10 || len(s.away) != 10 || told != 1 || !slices.Equal(depths, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) {
		t.Errorf("%d URLs and %d hosts are kept, depths %v, told %d times", len(s.urls), len(s.away), depths, told)
	}
}

package compare_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// quick is a fast crawl.
func quick(t *testing.T, urls ...string) crawler.Config {
	t.Helper()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir = urls, filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Politeness.ResponseFactor, cfg.Fetch.Retries, cfg.Limits.MaxWait = 0, 0, 0, 0
	cfg.Robots.Retry, cfg.Fetch.AllowAddr = time.Minute, []string{"127.0.0.0/8"}
	return cfg
}

func runCrawl(t *testing.T, cfg crawler.Config, opts *crawler.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c, err := crawler.New(cfg, opts)
	if err == nil {
		_, err = c.Run(ctx)
	}
	if err != nil || ctx.Err() != nil {
		t.Fatal(err, ctx.Err())
	}
}

// recrawled crawls a site twice, and returns both crawls: before is a copy of the first.
func recrawled(t *testing.T, cfg crawler.Config, again func(*crawler.Config)) (before, after *compare.Crawl) {
	t.Helper()
	return crawledTwice(t, cfg, again, &crawler.Options{Recrawl: true})
}

func crawledTwice(t *testing.T, cfg crawler.Config, again func(*crawler.Config), opts *crawler.Options) (before, after *compare.Crawl) {
	t.Helper()
	runCrawl(t, cfg, nil)
	first := filepath.Join(t.TempDir(), "first")
	if err := os.CopyFS(first, os.DirFS(cfg.Output.Dir)); err != nil {
		t.Fatal(err)
	}
	again(&cfg)
	if opts == nil {
		cfg.Output.Dir = filepath.Join(t.TempDir(), "second")
	}
	runCrawl(t, cfg, opts)
	second := filepath.Join(t.TempDir(), "second")
	if err := os.CopyFS(second, os.DirFS(cfg.Output.Dir)); err != nil {
		t.Fatal(err)
	}
	return open(t, withoutDurations(t, first)), open(t, withoutDurations(t, second))
}

var duration = regexp.MustCompile(`"duration_ms":\d+`)

// withoutDurations removes from a crawl how long requests took, which differs each time.
func withoutDurations(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "pages.jsonl")
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, duration.ReplaceAllFunc(text, func(field []byte) []byte {
			return fmt.Appendf(nil, "%-*s", len(field), `"duration_ms":0`) // a shorter file would have lost data
		}), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func sameConfig(*crawler.Config) {}

func wantNoDifference(t *testing.T, before, after *compare.Crawl) {
	t.Helper()
	for name, c := range map[string]*compare.Comparison{"old, new": compare.Compare(before, after), "new, old": compare.Compare(after, before)} {
		for _, f := range c.Findings {
			t.Errorf("%s: %s: new %+v, fixed %+v", name, f.ID, f.New, f.Fixed)
		}
		if c.BodiesChanged != 0 || len(c.Changes) != 0 {
			t.Errorf("%s: %d changed bodies, changes %q", name, c.BodiesChanged, rows(c))
		}
		t.Logf("%s: notes %q", name, c.Notes)
	}
}

// wantAllCompared holds that two crawls that read everything have been compared completely.
func wantAllCompared(t *testing.T, before, after *compare.Crawl) {
	t.Helper()
	wantNoDifference(t, before, after)
	if c := compare.Compare(before, after); c.NotCompared.Findings > 0 || len(c.Notes) > 0 && c.NotCompared.Pages == 0 {
		t.Errorf("%+v, notes %q", c.NotCompared, c.Notes)
	}
}

// A recrawl of a site that has not changed does not differ from the crawl, whatever the site is and
// however its server says that a page is unchanged.
func TestRecrawlOfUnchangedSiteHasNoDifference(t *testing.T) {
	t.Run("demo site", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it takes long, since hosts of the site ask to wait")
		}
		site, err := demosite.Start(&demosite.Options{CrawlDelay: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = site.Close() }()
		cfg := quick(t, site.StartURLs()...)
		cfg.Robots.Retry, cfg.Limits.MaxWait, cfg.Fetch.Retries, cfg.Scope.Check = 100*time.Millisecond, time.Minute, 3, []string{"all"}
		before, after := recrawled(t, cfg, sameConfig)
		wantAllCompared(t, before, after)
		cfg.Output.Dir = filepath.Join(t.TempDir(), "crawl")
		before, after = crawledTwice(t, cfg, sameConfig, nil)
		wantAllCompared(t, before, after)
	})
	for name, hosts := range repeatableFaults() {
		t.Run("fault site, "+name, func(t *testing.T) {
			if testing.Short() {
				hosts = hosts[:len(hosts)/4]
			}
			log.SetOutput(io.Discard) // net/http shows there what sites send unasked
			defer log.SetOutput(os.Stderr)
			site, err := faultsite.Start(&faultsite.Options{Hosts: hosts})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = site.Close() }()
			cfg := quick(t, site.StartURLs()...)
			cfg.Fetch.MaxBody, cfg.Scope.Check = 4<<20, []string{"all"}
			before, after := recrawled(t, cfg, sameConfig)
			wantNoDifference(t, before, after)
		})
	}
	for _, folder := range []string{"debian-policy/policy.html", "git-doc"} {
		t.Run("documentation, "+folder, func(t *testing.T) {
			if testing.Short() {
				t.Skip("it crawls the documentation of a Debian package")
			}
			root := http.Dir("/usr/share/doc/" + folder)
			index, err := root.Open("index.html")
			switch {
			case err != nil && os.Getenv("CI") == "":
				t.Skip("the Debian package with this documentation is not installed: ", err)
			case err != nil:
				t.Fatal(err)
			}
			_ = index.Close()
			server := httptest.NewServer(http.FileServer(root)) // it sends Last-Modified
			defer server.Close()
			// With checks a recrawl reads every page; without, those that the server calls unchanged are not sent.
			for _, checks := range [][]string{nil, {"all"}} {
				cfg := quick(t, server.URL+"/")
				cfg.Scope.Check = checks
				before, after := recrawled(t, cfg, sameConfig)
				wantAllCompared(t, before, after)
				if n := notModified(t, cfg.Output.Dir); (n > 0) != (checks == nil) {
					t.Errorf("checks %q: %d pages have status 304", checks, n)
				}
			}
			cfg := quick(t, server.URL+"/")
			before, after := crawledTwice(t, cfg, sameConfig, nil)
			wantAllCompared(t, before, after)
		})
	}
}

// notModified returns the number of pages of a crawl that have status 304.
func notModified(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	for p, err := range output.Read[output.Page](dir) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Status == http.StatusNotModified {
			n++
		}
	}
	return n
}

// repeatableFaults are the hosts of the site of faults whose responses do not depend on the time or
// on earlier requests: faults of connections and of TLS affect every third connection, and endless
// responses end by a timeout. A crawl with an unreachable robots.txt does not finish, so these hosts
// have a crawl of their own.
func repeatableFaults() map[string][]faultsite.Host {
	hosts := make(map[string][]faultsite.Host)
	faults := make(map[string]*faultsite.Fault)
	for _, f := range faultsite.Faults() {
		faults[f.Name] = f
	}
	for _, h := range faultsite.AllHosts() {
		switch f := faults[h.Fault]; {
		case f == nil:
			hosts["finished"], hosts["not finished"] = append(hosts["finished"], h), append(hosts["not finished"], h)
		case f.Endless || f.InConnection():
		case f.Want(h.Kind).Outcome == faultsite.Unreachable:
			hosts["not finished"] = append(hosts["not finished"], h)
		default:
			hosts["finished"] = append(hosts["finished"], h)
		}
	}
	return hosts
}

// etagSite serves pages with an ETag of their text, and a sitemap of one of them.
func etagSite(t *testing.T, pages map[string]string) (url string, intercept *func(http.ResponseWriter, *http.Request) bool) {
	t.Helper()
	intercept = new(func(http.ResponseWriter, *http.Request) bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if *intercept != nil && (*intercept)(w, r) {
			return
		}
		text, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		tag := fmt.Sprintf("%q", fmt.Sprint(len(text), r.URL.Path))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if strings.HasSuffix(r.URL.Path, ".txt") {
			w.Header().Set("Content-Type", "text/plain")
		}
		_, _ = fmt.Fprint(w, strings.ReplaceAll(text, "{site}", "http://"+r.Host))
	}))
	t.Cleanup(server.Close)
	return server.URL, intercept
}

// faultyPages are pages with findings of each kind that depends on the content of several pages.
func faultyPages() map[string]string {
	return map[string]string{
		"/robots.txt":  "User-agent: *\nDisallow: /private\nSitemap: {site}/sitemap.xml\n",
		"/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{site}/b</loc><lastmod>2025-01-01</lastmod></url><url><loc>{site}/lonely</loc><lastmod>2025-01-01</lastmod></url></urlset>`,
		"/":            `<title>Home</title><meta name=description content=x><h1>Home</h1><a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a> <a href=/gone>g</a> <a href=/private>p</a> <a href=/moved#x>m</a><img src=/lost.png>`,
		"/a":           `no title, no h1`,
		"/b":           `<title>Page</title><link rel=canonical href=/gone><h1>B</h1>`,
		"/c":           `<title>Page</title><h1>C</h1><link rel=alternate hreflang=de href=/de><a href=/deep>d</a><a href="/a#none">n</a>`,
		"/de":          `<title>Page</title><h1>DE</h1>`,
		"/deep":        `<title>Deep</title><h1>Deep</h1><a href=/de>de</a><a href=/gone2>g</a>`,
		"/lonely":      `<title>Lonely</title><h1>L</h1>`,
	}
}

// Whatever a recrawl of an unchanged site does not read, nothing counts as new or fixed for it.
func TestUnreadPagesAreNoDifference(t *testing.T) {
	hide := func(status int, paths ...string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !slices.Contains(paths, r.URL.Path) {
				return false
			}
			w.WriteHeader(status)
			return true
		}
	}
	for _, tt := range []struct {
		name   string
		again  func(*crawler.Config)
		hidden func(http.ResponseWriter, *http.Request) bool
		fresh  bool // the second crawl is no recrawl
	}{
		{name: "same, with checks", again: sameConfig},
		{name: "same, no recrawl", again: sameConfig, fresh: true},
		{name: "304", again: sameConfig},
		{name: "limit of pages", again: func(c *crawler.Config) { c.Limits.MaxPages = 2 }},
		{name: "limit of depth", again: func(c *crawler.Config) { c.Scope.MaxDepth = 1 }, fresh: true},
		{name: "limit of pages per host", again: func(c *crawler.Config) { c.Limits.MaxHostPages = 3 }},
		{name: "excluded", again: func(c *crawler.Config) { c.Scope.Exclude = []string{"/c$"} }},
		{name: "robots.txt unavailable", again: sameConfig, hidden: hide(503, "/robots.txt")},
		{name: "checks not made", again: func(c *crawler.Config) { c.Scope.Check = nil }},
		{name: "since", again: func(c *crawler.Config) { c.Sitemaps.Since = "2026-01-01" }, fresh: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, intercept := etagSite(t, faultyPages())
			cfg := quick(t, url+"/")
			if cfg.Scope.Check = []string{"all"}; tt.name == "304" { // with checks every page is read
				cfg.Scope.Check = nil
			}
			opts := &crawler.Options{Recrawl: true}
			if tt.fresh { // a recrawl knows all URLs already
				opts = nil
			}
			before, after := crawledTwice(t, cfg, func(c *crawler.Config) {
				tt.again(c)
				*intercept = tt.hidden
			}, opts)
			c := compare.Compare(before, after)
			for _, f := range c.Findings {
				if f.ID != "robots-unreachable" { // which is what happened
					t.Errorf("%s: new %+v, fixed %+v", f.ID, f.New, f.Fixed)
				}
			}
			if len(c.Changes) != 0 || c.BodiesChanged != 0 {
				t.Errorf("%d changed bodies, changes %q", c.BodiesChanged, rows(c))
			}
			if n := c.NotCompared.Findings + c.NotCompared.Pages; (n == 0) != (tt.name == "304" || strings.HasPrefix(tt.name, "same")) {
				t.Errorf("%d are not compared: %q", n, c.Notes)
			}
			if tt.name == "304" && notModified(t, cfg.Output.Dir) == 0 {
				t.Error("no page has status 304")
			}
			t.Logf("notes %q", c.Notes)
		})
	}
}

package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestMaxHostPages(t *testing.T) {
	s := chain(t, 8)
	other := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/1">1</a>`, "/1": "1"})
	cfg := testConfig(t, s.url+"/0", other.url+"/")
	cfg.Limits.MaxHostPages = 3
	got := runCrawl(t, cfg, nil)
	if r := got.refusal(t, s.url+"/3"); r.Reason != output.MaxHostPages || r.FoundOn != s.url+"/2" {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(got.paths(s.url), []string{"/0", "/1", "/2"}) || len(got.paths(other.url)) != 2 || got.End != EndFinished {
		t.Errorf("%+v, pages %+v", got.Summary, got.pages)
	}
	// What was fetched before counts.
	got = resume(t, cfg, nil)
	if got.Pages != 5 || len(s.asked()) != 3 {
		t.Errorf("%+v, asked %v", got.Summary, s.asked())
	}
	// With more allowed, what was skipped for that comes back.
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxHostPages = 5 })
	if r := got.refusal(t, s.url+"/5"); r.Reason != output.MaxHostPages || got.Pages != 7 || got.Rejected[output.MaxHostPages] != 1 {
		t.Errorf("%+v, %+v", got.Summary, r)
	}
	cfg.Limits.MaxHostPages = 5
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxHostPages = 0 })
	if got.Rejected[output.MaxHostPages] != 0 || len(got.paths(s.url)) != 8 || len(s.asked()) != 8 {
		t.Errorf("%+v, asked %v", got.Summary, s.asked())
	}
}

func TestMaxBytes(t *testing.T) {
	pages := map[string]string{}
	for i := range 8 {
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<a href="/%d">next</a>%s`, i+1, strings.Repeat("x", 1000))
	}
	s := newSite(t, "127.0.0.1", pages)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxBytes = 2500
	got := runCrawl(t, cfg, nil)
	if got.End != EndMaxBytes || got.Pages != 3 || got.Bytes < 2500 || got.Remaining != 1 {
		t.Errorf("%+v", got.Summary)
	}
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxBytes = 4500 })
	if got.End != EndMaxBytes || got.Pages != 5 {
		t.Errorf("%+v", got.Summary)
	}
}

// Duplicates are marked, also of pages that an earlier process fetched.
func TestDuplicates(t *testing.T) {
	same := "<p>the same</p>"
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<a href="/1">1</a>`, "/1": same, "/2": same, "/3": "<p>another</p>", "/4": same,
		"/5": `<meta name="robots" content="noindex"><p>x</p>`, "/6": `<meta name="robots" content="noindex"><p>x</p>`, "/7": "", "/8": "",
	})
	var starts []string
	for i := range 9 {
		starts = append(starts, fmt.Sprintf("%s/%d", s.url, i))
	}
	cfg := testConfig(t, starts[1:]...)
	cfg.Limits.MaxPages, cfg.Limits.Concurrency = 2, 1
	runCrawl(t, cfg, nil)
	got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 0 })
	for _, p := range got.pages {
		want := ""
		if p.URL == s.url+"/2" || p.URL == s.url+"/4" {
			want = s.url + "/1"
		}
		if p.DuplicateOf != want {
			t.Errorf("%s is a duplicate of %q, want %q", p.URL, p.DuplicateOf, want)
		}
		if hashed := p.Bytes > 0 && p.Withheld == ""; (p.Hash != "") != hashed {
			t.Errorf("%+v has hash %q", p, p.Hash)
		}
	}
	if got.Duplicates != 2 || got.Pages != 8 {
		t.Errorf("%+v", got.Summary)
	}
}

func TestDepth(t *testing.T) {
	pages := map[string]string{"/": `<a href="/1">1</a>`}
	for i := 1; i < 6; i++ {
		pages[fmt.Sprint("/", i)] = fmt.Sprintf(`<a href="/%d">next</a><a href="/">top</a><a href="/1">one</a>`, i+1)
	}
	for depth, want := range map[int][]string{
		0:  {"/"},
		2:  {"/", "/1", "/2"},
		-1: {"/", "/1", "/2", "/3", "/4", "/5", "/6"},
	} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			s := newSite(t, "127.0.0.1", pages)
			cfg := testConfig(t, s.url)
			cfg.Scope.MaxDepth = depth
			got := runCrawl(t, cfg, nil)
			got.wantPages(t, s, want...)
			if depth < 0 {
				return
			}
			if len(got.rejected) != 1 {
				t.Errorf("rejected %+v, want the first URL that is too deep and nothing else", got.rejected)
			}
			if r := got.refusal(t, fmt.Sprintf("%s/%d", s.url, depth+1)); r.Reason != output.MaxDepth {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestMaxPagesIsMetExactly(t *testing.T) {
	var links strings.Builder
	pages := map[string]string{}
	for i := range 60 {
		fmt.Fprintf(&links, `<a href="/%d">%d</a>`, i, i)
		pages[fmt.Sprint("/", i)] = "page"
	}
	pages["/"] = links.String()
	var sites []string
	for i := range 4 {
		sites = append(sites, newSite(t, fmt.Sprint("127.0.0.", i+1), pages).url)
	}
	for _, limit := range []int{1, 7, 50} {
		cfg := testConfig(t, sites...)
		cfg.Limits.MaxPages, cfg.Politeness.PerHost = limit, 4
		if got := runCrawl(t, cfg, nil); got.Pages != limit || got.End != EndMaxPages || got.Remaining == 0 || len(got.rejected) > 0 {
			t.Errorf("max-pages %d: %d pages, end %q, %d left", limit, got.Pages, got.End, got.Remaining)
		}
	}
}

func TestMaxTime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", nil)
		s.mux.HandleFunc("/{n...}", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<a href="%sx">endless</a>`, r.URL.Path)
		})
		cfg := testConfig(t, s.url)
		cfg.Limits.MaxTime, cfg.Politeness.Delay = 300*time.Millisecond, 10*time.Millisecond
		got := runCrawl(t, cfg, nil)
		if got.End != EndMaxTime || got.Pages == 0 || got.Remaining != 1 {
			t.Errorf("end %q after %d pages with %d left", got.End, got.Pages, got.Remaining)
		}
	})
}

// A sitemap that is retried counts once.
func TestMaxSitemapsCountsOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var asked atomic.Int32
		pages := map[string]string{"/robots.txt": "Sitemap: {site}/index.xml\n", "/": "start"}
		for i := range 6 {
			pages[fmt.Sprintf("/m%d.txt", i)] = fmt.Sprintf("{site}/p%d\n", i)
			pages[fmt.Sprintf("/p%d", i)] = "page"
		}
		s := newSite(t, "127.0.0.1", pages)
		s.handle("/index.xml", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/xml")
			_, _ = fmt.Fprint(w, "<sitemapindex>")
			for i := range 6 {
				if i == 4 && asked.Add(1) == 1 {
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				}
				_, _ = fmt.Fprintf(w, "<sitemap><loc>http://%s/m%d.txt</loc></sitemap>", r.Host, i)
			}
			_, _ = fmt.Fprint(w, "</sitemapindex>")
		})
		cfg := testConfig(t, s.url+"/")
		cfg.Sitemaps.MaxFiles, cfg.Fetch.Retries = 7, 3
		if got := runCrawl(t, cfg, nil); len(got.paths(s.url)) != 7 || len(got.notices) > 0 {
			t.Errorf("pages %v, notices %q", got.paths(s.url), got.notices)
		}
	})
}

// Of endless hosts only max-hosts are queued. Known hosts are not affected.
func TestMaxHosts(t *testing.T) {
	// One machine that serves every name of a domain, through which all goes.
	proxy := newSite(t, "127.0.0.1", nil)
	proxy.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var n int
		_, _ = fmt.Sscanf(r.Host, "h%d.trap.test", &n)
		_, _ = fmt.Fprintf(w, `<a href="http://h%d.trap.test/">next</a><a href="http://h%d.trap.test/">one more</a><a href="/a">a</a>`, 2*n+1, 2*n+2)
	})
	proxy.mux.HandleFunc("/robots.txt", http.NotFound)
	cfg := testConfig(t, "http://h0.trap.test/")
	cfg.Limits.MaxPages = 200 // else it would not come to an end
	cfg.Fetch.Proxies, cfg.Scope.Kind, cfg.Limits.MaxHosts = []string{proxy.url}, ScopeDomain, 10
	got := runCrawl(t, cfg, nil)
	if got.Hosts != 10 || got.Pages != 20 || got.Rejected[output.MaxHosts] != 11 {
		t.Errorf("%+v", got.Summary)
	}
	if len(got.notices) != 1 || !strings.Contains(got.notices[0], "max-hosts") {
		t.Errorf("notices %q", got.notices)
	}
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxHosts = 12 })
	if got.Hosts != 12 || got.Pages != 24 || got.Rejected[output.MaxHosts] != 13 {
		t.Errorf("%+v", got.Summary)
	}
}

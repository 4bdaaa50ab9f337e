package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// ROB-SMP-04, ROB-SMP-23: a sitemap and its entries are requested only if robots.txt allows it.
// Others are listed with the rule.
func TestROB_SMP_23(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /closed\nSitemap: {site}/closed/map.xml\nSitemap: {site}/map.txt\n",
		"/map.txt":    "{site}/a\n{site}/closed/b\n",
		"/":           "start", "/a": "a", "/closed/map.xml": "never", "/closed/b": "never",
	})
	got := runCrawl(t, testConfig(t, s.url), nil)
	got.wantPages(t, s, "/", "/a")
	for _, path := range []string{"/closed/map.xml", "/closed/b"} {
		if r := got.refusal(t, s.url+path); r.Rule != "Disallow: /closed" || r.Line != 2 || r.Source != "sitemap" || s.count(path) > 0 {
			t.Errorf("%+v", r)
		}
	}
}

// ROB-SMP-10: /sitemap.xml is requested only with probe-sitemap, and only if robots.txt names no
// sitemap.
func TestROB_SMP_10(t *testing.T) {
	pages := map[string]string{
		"/": "start", "/sitemap.xml": "<urlset><url><loc>{site}/only</loc></url></urlset>", "/only": "x",
	}
	for probe, want := range map[bool][]string{false: {"/"}, true: {"/", "/only"}} {
		s := newSite(t, "127.0.0.1", pages)
		cfg := testConfig(t, s.url)
		cfg.Sitemaps.Probe = probe
		if diff := cmp.Diff(want, runCrawl(t, cfg, nil).paths(s.url)); diff != "" {
			t.Errorf("probe %v (-want +got):\n%s", probe, diff)
		}
	}
	none := newSite(t, "127.0.0.1", map[string]string{"/": "start"})
	cfg := testConfig(t, none.url)
	cfg.Sitemaps.Probe = true
	if got := runCrawl(t, cfg, nil); len(got.notices)+len(got.rejected) > 0 || none.count("/sitemap.xml") != 1 {
		t.Errorf("a probe that found nothing: notices %q, rejected %+v", got.notices, got.rejected)
	}
	named := newSite(t, "127.0.0.1", map[string]string{"/": "start", "/robots.txt": "Sitemap: {site}/other.txt", "/other.txt": "{site}/"})
	cfg = testConfig(t, named.url)
	cfg.Sitemaps.Probe = true
	if runCrawl(t, cfg, nil); named.count("/sitemap.xml") != 0 {
		t.Error("/sitemap.xml was probed on a host that names another")
	}
}

// ROB-SMP-24: a failed sitemap does not affect pages. A sitemap that fails temporarily is read
// finally.
func TestROB_SMP_24(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{
			"/robots.txt": "Sitemap: {site}/gone.xml\nSitemap: {site}/flaky.txt\nSitemap: {site}/cut.txt\nSitemap: {site}/page\n",
			"/":           "start", "/page": "<html>not a sitemap</html>", "/late": "late", "/early": "early",
		})
		var failed, cut atomic.Bool
		s.handle("/flaky.txt", func(w http.ResponseWriter, r *http.Request) {
			if !failed.Swap(true) {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			_, _ = fmt.Fprintf(w, "http://%s/late\n", r.Host)
		})
		s.handle("/cut.txt", func(w http.ResponseWriter, r *http.Request) {
			if !cut.Swap(true) {
				w.Header().Set("Content-Length", "1000")
			}
			_, _ = fmt.Fprintf(w, "http://%s/early\n", r.Host)
		})
		cfg := testConfig(t, s.url)
		cfg.Fetch.Retries = 2
		got := runCrawl(t, cfg, nil)
		got.wantPages(t, s, "/", "/early", "/late")
		if s.count("/flaky.txt") != 2 || s.count("/cut.txt") != 2 || s.count("/gone.xml") != 1 || got.Robots != 2 || got.Sitemaps != 3 { // gone.xml is none; cut.txt has robots.txt requested again
			t.Errorf("%d sitemaps, asked for %v", got.Sitemaps, s.asked())
		}
		if len(got.notices) != 3 || !strings.Contains(strings.Join(got.notices, " "), "gone.xml: status 404") {
			t.Errorf("notices %q, want one for each of two bad sitemaps, and one for status 500", got.notices)
		}
		if again := resume(t, cfg, nil); again.Sitemaps != got.Sitemaps {
			t.Errorf("%d sitemaps, before %d", again.Sitemaps, got.Sitemaps)
		}
	})
}

// The delay after a sitemap follows its response time, not the pause before the robots.txt that is
// requested after its failure (ROB-POL-07).
func TestDelayAfterBrokenSitemap(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "Sitemap: {site}/cut.txt\n", "/": "start"})
		s.handle("/cut.txt", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = fmt.Fprintf(w, "http://%s/early\n", r.Host)
		})
		cfg := testConfig(t, s.url)
		cfg.Politeness.Delay, cfg.Politeness.ResponseFactor = 10*time.Second, 3
		runCrawl(t, cfg, nil)
		requests := s.requests()
		if len(requests) != 5 { // robots.txt is requested again after the failure
			t.Fatalf("%+v", requests)
		}
		for i, r := range requests[1:] {
			if gap := r.began.Sub(requests[i].end); gap < cfg.Politeness.Delay || gap > cfg.Politeness.Delay+time.Second {
				t.Errorf("%s was requested %v after %s, want %v", r.uri, gap, requests[i].uri, cfg.Politeness.Delay)
			}
		}
	})
}

func TestSitemapOptions(t *testing.T) {
	const day = "2020-01-01"
	pages := map[string]string{
		"/robots.txt": "Sitemap: {site}/map.xml.gz\n",
		"/":           `<a href="/linked">l</a><a href="/old">o</a>`, "/linked": "l", "/old": "o", "/older": "o", "/new": "n", "/undated": "u",
	}
	entries := urlset("/older 2011", "/old 2019-05-05", "/undated", "/new 2026-01-01T00:00:00Z")
	tests := []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"none", func(*Config) {}, []string{"/", "/map.xml.gz", "/new", "/old", "/older", "/undated", "/linked"}},
		{"since", func(c *Config) { c.Sitemaps.Since = day }, []string{"/", "/map.xml.gz", "/new", "/undated", "/linked", "/old"}},
		{"only sitemaps", func(c *Config) { c.Sitemaps.Only = true }, []string{"/", "/map.xml.gz", "/new", "/old", "/older", "/undated"}},
		{"no sitemaps", func(c *Config) { c.Sitemaps.MaxFiles = 0 }, []string{"/", "/linked", "/old"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", pages)
			s.page("/map.xml.gz", string(packed(t, []byte(strings.ReplaceAll(entries, "{site}", s.url)))))
			cfg := testConfig(t, s.url)
			cfg.Limits.Concurrency = 1
			tt.change(&cfg)
			got := runCrawl(t, cfg, nil)
			if diff := cmp.Diff(sorted(tt.want), sorted(s.asked())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.name == "since" {
				if r := got.refusal(t, s.url+"/older"); r.Reason != output.BeforeSince {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// The directives of a page are listed with their source. Noindex withholds the content.
func TestROB_PAG_06(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":      `<title>front</title><meta name="robots" content="noindex, max-snippet: 50"><a href="/plain">p</a>`,
		"/plain": `<title>plain</title><meta name="otherbot" content="noindex">`,
	})
	for obey, title := range map[bool]string{true: "", false: "front"} {
		cfg := testConfig(t, s.url)
		cfg.Robots.ObeyNoindex = obey
		for _, p := range runCrawl(t, cfg, nil).pages {
			switch {
			case p.URL == s.url+"/plain" && (p.Title != "plain" || p.Withheld != "" || len(p.Directives) != 0):
				t.Errorf("a page that asks another crawler: %+v", p)
			case p.URL == s.url+"/" && (p.Title != title || (p.Withheld == "noindex") != obey || len(p.Directives) != 2 || p.Directives[0].Source == ""):
				t.Errorf("obey-noindex %v: %+v", obey, p)
			}
		}
	}
}

func TestObeyNofollowIsAnOption(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<a href="/meta">m</a><a href="/rel" rel="nofollow">r</a>`, "/meta": `<meta name=robots content=none><a href="/under">u</a>`,
	})
	cfg := testConfig(t, s.url)
	cfg.Robots.ObeyNofollow = false
	runCrawl(t, cfg, nil).wantPages(t, s, "/", "/meta", "/rel", "/under")
}

// ROB-PAG-01: directives of a disallowed page have no effect: it is not fetched and not listed as
// a page, and its nofollow applies to no links.
func TestROB_PAG_01(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /closed\n",
		"/":           `<a href="/closed">c</a><a href="/open">o</a>`,
		"/closed":     `<meta name="robots" content="noindex, nofollow"><a href="/open">o</a><a href="/behind">b</a>`,
		"/open":       `<title>open</title>`, "/behind": "never",
	})
	got := runCrawl(t, testConfig(t, s.url), nil)
	if diff := cmp.Diff([]string{"/", "/open"}, got.paths(s.url)); diff != "" || s.count("/closed") != 0 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := got.refusal(t, s.url+"/closed"); r.Reason != output.Disallowed || len(got.rejected) != 1 {
		t.Errorf("rejected %+v", got.rejected)
	}
}

// Entries of sitemaps above max-sitemap-entries are not read, which is reported.
func TestMaxSitemapEntries(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		pages := map[string]string{"/robots.txt": "Sitemap: {site}/1.txt\nSitemap: {site}/2.txt\nSitemap: {site}/3.txt\n", "/": "start"}
		for file := 1; file <= 3; file++ {
			for i := range 4 {
				path := fmt.Sprintf("/%d-%d", file, i)
				pages[fmt.Sprintf("/%d.txt", file)] += "{site}" + path + "\n"
				pages[path] = "page"
			}
		}
		s := newSite(t, "127.0.0.1", pages)
		cfg := testConfig(t, s.url+"/")
		cfg.Sitemaps.MaxEntries, cfg.Limits.Concurrency = 6, 1
		got := runCrawl(t, cfg, nil)
		if got.Entries != 6 || got.Sitemaps != 2 || got.Pages != 7 {
			t.Errorf("%+v", got.Summary)
		}
		if r := got.refusal(t, s.url+"/3.txt"); r.Reason != output.MaxSitemapEntries || !strings.Contains(r.Detail, "more than 6 pages") || s.count("/3.txt") > 0 {
			t.Errorf("%+v", r)
		}
		for _, line := range readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl") {
			if cut := line.URL == s.url+"/2.txt"; cut && (line.Pages != 2 || !strings.Contains(line.Detail, "max-sitemap-entries")) {
				t.Errorf("%+v", line)
			}
		}
		if len(got.notices) != 1 || !strings.Contains(got.notices[0], "/2.txt, line 3:") {
			t.Errorf("notices %q", got.notices)
		}
		// What an earlier process has taken counts, and so does nothing that is read again.
		got = resume(t, cfg, nil)
		if got.Entries != 6 || got.Pages != 7 {
			t.Errorf("%+v", got.Summary)
		}
		cfg.Output.Dir += "-again"
		cfg.Sitemaps.MaxEntries, cfg.Fetch.Retries = 8, 3
		var asked atomic.Int32
		s.handle("/4.txt", func(w http.ResponseWriter, r *http.Request) {
			for i := range 4 {
				_, _ = fmt.Fprintf(w, "http://%s/1-%d\n", r.Host, i)
			}
			if asked.Add(1) < 3 {
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
		})
		other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "Sitemap: " + s.url + "/4.txt\n", "/": "start"})
		cfg.URLs = []string{other.url + "/"}
		if got = runCrawl(t, cfg, nil); got.Entries != 4 || asked.Load() != 3 {
			t.Errorf("%+v, asked %d times", got.Summary, asked.Load())
		}
		if entries := readOutput[output.Entry](t, cfg, "entries.jsonl"); len(entries) != 4 {
			t.Errorf("%d lines in %s, want those of the last attempt", len(entries), "entries.jsonl")
		}
	})
}

// The entries of sitemaps that fail count, since they are queued.
func TestMaxSitemapEntriesOfBrokenSitemaps(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": "", "/robots.txt": "Sitemap: {site}/0.txt\nSitemap: {site}/1.txt\nSitemap: {site}/2.txt\n"})
		for i := range 3 {
			s.handle(fmt.Sprintf("/%d.txt", i), func(w http.ResponseWriter, r *http.Request) {
				for k := range 4 {
					_, _ = fmt.Fprintf(w, "http://%s/%d-%d\n", r.Host, i, k)
				}
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
		}
		cfg := testConfig(t, s.url+"/")
		cfg.Sitemaps.MaxEntries, cfg.Limits.Concurrency = 4, 1
		if got := runCrawl(t, cfg, nil); got.Pages != 5 || got.Rejected[output.Failed] != 1 || got.Rejected[output.MaxSitemapEntries] != 2 {
			t.Errorf("%+v", got.Summary)
		}
	})
}

// Nested sitemap indexes are read up to a depth.
func TestNestedIndexes(t *testing.T) {
	pages := map[string]string{"/robots.txt": "Sitemap: {site}/0.xml\n", "/": "start"}
	for i := range 10 {
		pages[fmt.Sprintf("/%d.xml", i)] = fmt.Sprintf("<sitemapindex><sitemap><loc>{site}/%d.xml</loc></sitemap></sitemapindex>", i+1)
	}
	s := newSite(t, "127.0.0.1", pages)
	got := runCrawl(t, testConfig(t, s.url+"/"), nil)
	if got.Sitemaps != 1+discover.MaxNested || s.count(fmt.Sprintf("/%d.xml", discover.MaxNested)) != 1 || s.count(fmt.Sprintf("/%d.xml", discover.MaxNested+1)) != 0 {
		t.Errorf("%d sitemaps were read, asked %q", got.Sitemaps, s.asked())
	}
	if len(got.notices) != 1 || !strings.Contains(got.notices[0], "indexes nest more than 2 deep") {
		t.Errorf("notices %q", got.notices)
	}
}

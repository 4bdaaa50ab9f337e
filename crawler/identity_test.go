package crawler

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Ignored parameters are removed from found URLs, but not from start URLs.
func TestDropParams(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\n",
		"/map.txt":    "{site}/c?utm_source=map\n",
		"/":           `<a href="/a?sid=1">1</a><a href="/a?sid=2&amp;x=1">2</a><a href="/a?x=1&amp;sid=3">3</a><a href="/a?utm_x=1">4</a>`,
		"/a":          "a", "/c": "c",
	})
	cfg := testConfig(t, s.url+"/?sid=9")
	cfg.Scope.DropParams = []string{"sid", "utm_*"}
	got := runCrawl(t, cfg, nil)
	if diff := cmp.Diff([]string{"/?sid=9", "/a", "/a?x=1", "/c"}, got.paths(s.url)); diff != "" || len(got.rejected) > 0 {
		t.Errorf("rejected %+v, pages (-want +got):\n%s", got.rejected, diff)
	}
}

// ROB-EXT-03: with clean-param, the parameters in Clean-param lines are removed, also from URLs
// that were found before robots.txt was fetched.
func TestROB_EXT_03(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{
		"/robots.txt": "User-agent: *\nClean-param: ref /books\n", "/books": "books", "/music": "music",
	})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<a href="` + other.url + `/books?ref=1">1</a><a href="` + other.url + `/books?ref=2">2</a><a href="` + other.url + `/music?ref=1">3</a>`,
	})
	for clean, want := range map[bool][]string{false: {"/books?ref=1", "/books?ref=2", "/music?ref=1"}, true: {"/books", "/music?ref=1"}} {
		cfg := testConfig(t, s.url+"/", other.url+"/music?ref=1")
		cfg.Scope.CleanParam = clean
		got := runCrawl(t, cfg, nil)
		got.wantPages(t, other, want...)
		if !clean {
			continue
		}
		for _, path := range []string{"/books?ref=1", "/books?ref=2"} {
			if r := got.refusal(t, other.url+path); r.Reason != output.DuplicateURL || r.Detail != "for "+other.url+"/books" {
				t.Errorf("%+v", r)
			}
		}
	}
}

func TestExtract(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":        `<h1> A  shop </h1><p class=price>7 €</p><img src=a.png><img src=b.png><a href=/b>b</a><a href=/private>p</a>`,
		"/b":       "nothing of all that",
		"/private": `<meta name=robots content=noindex><h1>not to be kept</h1>`,
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Output.Extract = []string{"name=h1", "price=.price", "images=img@src[]"}
	got := runCrawl(t, cfg, nil)
	for _, p := range got.pages {
		var want map[string]any
		if p.URL == s.url+"/" {
			want = map[string]any{"name": "A shop", "price": "7 €", "images": []any{"a.png", "b.png"}}
		}
		if diff := cmp.Diff(want, p.Fields); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.URL, diff)
		}
	}
}

// ROB-EXT-03: a URL that is another spelling of a page is fetched once if a redirect leads to it.
func TestRedirectToAnAlias(t *testing.T) {
	for _, tt := range []struct {
		name     string
		robots   string
		listed   string // in the sitemap
		start    string
		status   int // of the alias
		asked    int // requests for the alias
		rejected map[output.Reason]int
	}{
		{name: "that was skipped", listed: "/a?ref=1", start: "/", status: 200, asked: 1},
		{name: "that waits", listed: "/a\n{site}/a?ref=1", start: "/", status: 200, asked: 1},
		{name: "of a start URL", listed: "/a?ref=1", start: "/a", status: 200, asked: 1},
		{name: "that is disallowed", robots: "Disallow: /a?ref\n", listed: "/b", start: "/a", rejected: map[output.Reason]int{output.Disallowed: 1}},
		{name: "that fails", listed: "/b", start: "/a", status: 500, asked: 2},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			pages := map[string]string{"/": "", "/b": "", "/robots.txt": "User-agent: *\nClean-param: ref\n" + tt.robots + "Sitemap: {site}/map.txt\n", "/map.txt": "{site}" + tt.listed + "\n{site}/0"}
			for i := range 4 {
				pages[fmt.Sprintf("/to/%d", i)] = fmt.Sprintf(`<a href="/%d"></a><a href="/to/%d"></a>`, i+1, i+1)
			}
			s := newSite(t, "127.0.0.1", pages)
			asked := 0
			s.handle("/a", func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RawQuery == "" {
					redirect("/a?ref=1")(w, r)
					return
				}
				asked++
				w.WriteHeader(tt.status)
			})
			s.handle("/0", redirect("/to/0"))
			for i := range 4 {
				s.handle(fmt.Sprintf("/%d", i+1), redirect("/a?ref=1"))
			}
			cfg := testConfig(t, s.url+tt.start)
			cfg.Scope.CleanParam, cfg.Limits.Concurrency, cfg.Fetch.Retries = true, 1, 1
			got := runCrawl(t, cfg, nil)
			delete(got.Rejected, output.DuplicateURL)
			if diff := cmp.Diff(tt.rejected, got.Rejected, cmpopts.EquateEmpty()); diff != "" || asked != tt.asked || s.count("/4") != 1 {
				t.Errorf("%d requests for the alias, requested %q, rejected (-want +got):\n%s", asked, s.asked(), diff)
			}
		}))
	}
}

// ROB-EXT-03: a redirect that adds an ignored parameter is followed as it is. A recrawl requests such a page
// again, with its validators.
func TestRecrawlOfARedirectToAnAlias(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a"></a><a href="/b"></a>`, "/robots.txt": ""})
		var round atomic.Int32
		var conditional atomic.Bool
		for _, path := range []string{"/a", "/b"} {
			s.handle(path, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.RawQuery == "":
					redirect(path+"?sid=1")(w, r)
				case path == "/b" && round.Load() == 0:
					http.Error(w, "not now", http.StatusServiceUnavailable)
				default:
					conditional.Store(conditional.Load() || r.Header.Get("If-None-Match") != "")
					w.Header().Set("ETag", `"1"`)
					_, _ = io.WriteString(w, "page")
				}
			})
		}
		cfg := testConfig(t, s.url+"/")
		cfg.Scope.DropParams, cfg.Fetch.Retries = []string{"sid"}, 0
		runCrawl(t, cfg, nil)
		round.Store(1)
		got := again(t, cfg, Options{Recrawl: true})
		if a, b := s.count("/a?sid=1"), s.count("/b?sid=1"); a != 2 || b != 2 || !conditional.Load() || got.Pages != 5 {
			t.Errorf("%d and %d requests, conditional %t, pages %q", a, b, conditional.Load(), got.paths(s.url))
		}
	})
}

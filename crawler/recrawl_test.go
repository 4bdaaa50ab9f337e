package crawler

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// A recrawl sends conditional requests for all URLs, as the new robots.txt allows. It reports unchanged pages and
// finds new ones.
func TestRecrawl(t *testing.T) {
	t.Parallel()
	var second atomic.Bool // the site has changed
	s := newSite(t, "127.0.0.1", map[string]string{
		"/map.xml": `<urlset><url><loc>{site}/dated</loc><lastmod>2020-05-01T00:00:00Z</lastmod></url>
			<url><loc>{site}/future</loc><lastmod>2999-01-01</lastmod></url></urlset>`,
		"/future":  "no validator at all",
		"/deep":    "deep",
		"/opens":   "disallowed at first",
		"/closes":  "disallowed later",
		"/private": "private",
		"/new":     "new",
	})
	s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		rules := "Disallow: /opens\n"
		if second.Load() {
			rules = "Disallow: /closes\n"
		}
		page(200, "Sitemap: {site}/map.xml\nUser-agent: *\nDisallow: /private\n"+rules, "Cache-Control", "no-cache")(w, r)
	})
	conditional := func(path, body, etag, modified string) {
		s.handle(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			body, etag := body, etag
			if second.Load() && path == "/changes" {
				body, etag = `changed <a href="/new">new</a>`, `"2"`
			}
			if etag != "" {
				w.Header().Set("ETag", etag)
			}
			if modified != "" {
				w.Header().Set("Last-Modified", modified)
			}
			if since := r.Header.Get("If-Modified-Since"); etag != "" && r.Header.Get("If-None-Match") == etag || modified != "" && since == modified ||
				path == "/dated" && since == "Fri, 01 May 2020 00:00:00 GMT" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = fmt.Fprint(w, body)
		})
	}
	conditional("/", `<a href="/changes">c</a><a href="/opens">o</a><a href="/closes">l</a><a href="/modified">m</a><a href="/private">p</a><a href="http://elsewhere.invalid/">e</a>`, `"1"`, "")
	conditional("/changes", `<a href="/deep">deep</a>`, `"1"`, "")
	conditional("/modified", "modified", "", "Mon, 02 Nov 2026 10:00:00 GMT")
	conditional("/dated", "dated by the sitemap alone", "", "")

	cfg := testConfig(t, s.url+"/")
	first := runCrawl(t, cfg, nil)
	if first.Pages != 7 || first.Statuses[200] != 7 || first.Unchanged != 0 || first.Sitemaps != 1 {
		t.Fatalf("%+v", first.Summary)
	}
	for _, r := range s.requests() {
		if r.conditional {
			t.Errorf("a first crawl sent a conditional request for %s", r.uri)
		}
	}
	second.Store(true)
	got := again(t, cfg, Options{Recrawl: true})

	status := make(map[string]string)
	for _, p := range got.pages {
		status[p.URL[len(s.url):]] = fmt.Sprint(p.Status, " ", p.Unchanged)
	}
	want := map[string]string{
		"/": "304 true", "/changes": "200 false", "/modified": "304 true", "/dated": "304 true",
		"/future": "200 true", "/deep": "200 true", "/new": "200 false", "/opens": "200 false",
	}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Errorf("pages: status and unchanged (-want +got):\n%s", diff)
	}
	if got.Statuses[304] != 3 || got.Unchanged != 5 || got.Pages != 8 || got.Sitemaps != 1 || got.End != EndFinished {
		t.Errorf("%+v", got.Summary)
	}
	for _, path := range []string{"/private", "/closes"} {
		if r := got.refusal(t, s.url+path); r.Reason != output.Disallowed {
			t.Errorf("%+v", r)
		}
	}
	if r := got.refusal(t, "http://elsewhere.invalid/"); r.Reason != output.OutOfScope { // its page was not modified
		t.Errorf("%+v", r)
	}
	if s.count("/private") != 0 || s.count("/map.xml") != 2 {
		t.Errorf("asked for %v", s.asked())
	}
	for _, name := range []string{"pages.1.jsonl", "rejected.1.jsonl", "sitemaps.1.jsonl", "links.1.jsonl", "robots.1.jsonl"} {
		if _, err := os.Stat(filepath.Join(cfg.Output.Dir, name)); err != nil {
			t.Error(err)
		}
	}
	// And once more, of the recrawl.
	if third := again(t, cfg, Options{Recrawl: true}); third.Pages != 8 || third.Statuses[304] != 4 || third.Unchanged != 8 {
		t.Errorf("%+v", third.Summary)
	}
}

// A page with status 304 keeps its links over several recrawls. A page whose links are not known
// is requested without conditions: a limit truncated them, or the page failed in the previous
// crawl.
func TestUnchangedPagesKeepTheirLinks(t *testing.T) {
	t.Parallel()
	s := newSite(t, "127.0.0.1", nil)
	for path, body := range map[string]string{
		"/": `<a href="/leaf">l</a><a href="/gone">g</a><a href="/cut">c</a><a href="/changes">c</a><a href="/fails">v</a>`, "/leaf": "no link",
		"/cut": strings.Repeat(`<a href="/gone">g</a>`, 3) + `<a href="/1">1</a><a href="/2">2</a><a href="/3">3</a><a href="/4">4</a><a href="/5">5</a>`, "/changes": `<a href="/leaf">l</a>`,
	} {
		s.handle(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("ETag", `"1"`)
			if r.Header.Get("If-None-Match") != "" && path != "/changes" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = fmt.Fprint(w, body)
		})
	}
	var fails atomic.Bool
	s.handle("/fails", func(w http.ResponseWriter, r *http.Request) {
		switch w.Header().Set("Content-Type", "text/html"); {
		case fails.Load():
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("If-None-Match") != "":
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", `"1"`)
			_, _ = fmt.Fprint(w, `<a href="/leaf">l</a>`)
		}
	})
	s.handle("/gone", status(http.StatusNotFound))
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.MaxLinks, cfg.Scope.MaxDepth = 5, 1
	runCrawl(t, cfg, nil)
	for round := range 2 {
		fails.Store(round == 0)
		saved := savedConfig(t, cfg)
		saved.Limits.MaxPages = 2
		runCrawl(t, saved, &Options{Recrawl: true})
		saved.Limits.MaxPages = 0
		if got := runCrawl(t, saved, &Options{Resume: true}); got.Statuses[304] != 2 {
			t.Fatalf("%+v", got.Summary)
		}
		links := make(map[string][]string)
		for l, err := range output.Read[output.Links](cfg.Output.Dir) {
			must(t, err)
			page := strings.TrimPrefix(l.URL, s.url)
			if _, twice := links[page]; twice {
				t.Errorf("%s has two lines of links", page)
			}
			links[page] = []string{}
			for _, to := range targets(*l) {
				links[page] = append(links[page], strings.TrimPrefix(to, s.url))
			}
		}
		want := map[string][]string{
			"/": {"/leaf", "/gone", "/cut", "/changes", "/fails"}, "/leaf": {}, "/changes": {"/leaf"}, "/cut": {"/gone", "/1", "/2", "/3", "/4"},
		}
		if round == 1 {
			want["/fails"] = []string{"/leaf"}
		}
		if diff := cmp.Diff(want, links); diff != "" {
			t.Errorf("links after recrawl %d (-want +got):\n%s", round+1, diff)
		}
	}
	saved := savedConfig(t, cfg)
	saved.Output.Links = LinksNone
	runCrawl(t, saved, &Options{Recrawl: true})
	if _, err := os.Stat(filepath.Join(cfg.Output.Dir, "links.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("links.jsonl of a crawl that writes no links: %v", err)
	}
}

// A recrawl requests all pages again, whatever their date: a later Since would have no effect.
func TestRecrawlWithSince(t *testing.T) {
	for _, tt := range []struct {
		before, now string
		refused     bool
		pages       int
	}{
		{"", "2026-01-01", true, 3},
		{"2026-01-01", "2026-06-01", true, 2},
		{"2026-01-01", "2026-01-01T00:00:01Z", true, 2},
		{"2026-01-01", "2026-01-01T00:00:00Z", false, 2},
		{"2026-01-01", "2020-01-01", false, 3},
		{"2026-01-01", "", false, 3},
		{"", "", false, 3},
	} {
		t.Run(tt.before+" then "+tt.now, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{
				"/robots.txt": "Sitemap: {site}/map.xml\n", "/": "start", "/old": "old", "/new": "new",
				"/map.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{site}/old</loc><lastmod>2025-01-01</lastmod></url>
					<url><loc>{site}/new</loc><lastmod>2026-02-01</lastmod></url></urlset>`,
			})
			cfg := testConfig(t, s.url+"/")
			cfg.Sitemaps.Since = tt.before
			runCrawl(t, cfg, nil)
			cfg.Sitemaps.Since = tt.now
			c := newCrawler(t, cfg, &Options{Recrawl: true})
			sum, err := c.Run(t.Context())
			if tt.refused {
				if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "since: ") || results.Rotated(cfg.Output.Dir, 1) {
					t.Errorf("error %v, rotated %t", err, results.Rotated(cfg.Output.Dir, 1))
				}
				cfg.Sitemaps.Since = tt.before
				sum = runCrawl(t, cfg, &Options{Recrawl: true}).Summary
			} else {
				must(t, err)
			}
			if sum.Pages != tt.pages {
				t.Errorf("%d pages, want %d", sum.Pages, tt.pages)
			}
		})
	}
}

// A recrawl keeps the pages of as many earlier crawls as keep-generations says, of the previous crawl all
// lines, and all other files.
func TestKeepGenerations(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": "start"})
	cfg := testConfig(t, s.url+"/")
	cfg.Output.AlsoWrite = []string{"csv", "warc"}
	formats := []output.Format{csvout.Format(nil), sqlite.Format(nil), warc.Format(nil)}
	runCrawl(t, cfg, &Options{Formats: formats})
	other := []string{"pages.1.txt", "pages.lost-1.csv", "notes.1.csv", "pages.01.jsonl", "1.jsonl"}
	for _, name := range other {
		writeFile(t, filepath.Join(cfg.Output.Dir, name), "kept")
	}
	writeFile(t, filepath.Join(cfg.Output.Dir, sqlite.File), "of a format that is no longer used")
	generations := func(name string) (numbers []int) {
		for n := range 10 {
			if _, err := os.Stat(filepath.Join(cfg.Output.Dir, results.RotatedName(name, n))); err == nil {
				numbers = append(numbers, n)
			}
		}
		return numbers
	}
	for i, tt := range []struct {
		keep        int
		pages, rest []int
	}{{0, []int{1}, []int{1}}, {0, []int{1, 2}, []int{2}}, {0, []int{1, 2, 3}, []int{3}}, {2, []int{3, 4}, []int{4}}, {2, []int{4, 5}, []int{5}}, {1, []int{6}, []int{6}}, {0, []int{6, 7}, []int{7}}} {
		cfg.Output.KeepGenerations = tt.keep
		runCrawl(t, cfg, &Options{Formats: formats, Recrawl: true})
		for name, want := range map[string][]int{"pages.jsonl": tt.pages, "robots.jsonl": tt.rest, "permissions.jsonl": tt.rest} {
			if got := generations(name); !slices.Equal(got, want) {
				t.Errorf("recrawl %d: %s: generations %v, want %v", i+1, name, got, want)
			}
		}
	}
	if got := warcFiles(t, cfg.Output.Dir); len(got) != 8 {
		t.Errorf("WARC files %q", got)
	}
	if got := generations("pages.csv"); len(got) != 0 {
		t.Errorf("CSV: generations %v", got)
	}
	if _, err := os.Stat(filepath.Join(cfg.Output.Dir, sqlite.File)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a database of the first crawl: %v", err)
	}
	for _, name := range other {
		if _, err := os.Stat(filepath.Join(cfg.Output.Dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// warcFiles returns the paths of the WARC files in a directory, in the order of writing.
func warcFiles(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	must(t, err)
	return names
}

// A recrawl starts a new archive, and leaves all others as they are, also if it is killed and another process
// begins to write an archive when it resumes. What is not committed is removed from an archive. A new crawl fails if there is one.
func TestRecrawlKeepsArchives(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/1">1</a>`, "/1": "1"})
	cfg := testConfig(t, s.url+"/")
	formats := []output.Format{warc.Format(nil)}
	cfg.Output.AlsoWrite = []string{"warc"}
	must(t, os.MkdirAll(cfg.Output.Dir, 0o700))
	own := filepath.Join(cfg.Output.Dir, "somebody-else.warc.gz")
	writeFile(t, own, "kept")
	if _, err := newCrawler(t, cfg, &Options{Formats: formats}).Run(t.Context()); !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), filepath.Base(own)) {
		t.Errorf("a new crawl: %v", err)
	}
	must(t, os.Remove(own))
	runCrawl(t, cfg, &Options{Formats: formats})
	writeFile(t, own, "kept")
	kept := make(map[string]string)
	check := func(when string, more int) {
		t.Helper()
		now := warcFiles(t, cfg.Output.Dir)
		if len(now) != len(kept)+more {
			t.Errorf("%s: files %q, before %d", when, now, len(kept))
		}
		for name, content := range kept {
			if string(contentOf(t, name)) != content {
				t.Errorf("%s: %s was changed", when, name)
			}
		}
		for _, name := range now {
			kept[name] = string(contentOf(t, name))
		}
	}
	kill := func() { // it leaves a record that is not committed, and half of another one
		t.Helper()
		all := warcFiles(t, cfg.Output.Dir)
		last := all[len(all)-2]
		writeFile(t, last, kept[last]+kept[last][:len(kept[last])/2])
	}
	check("first crawl", 2)
	kill()
	runCrawl(t, cfg, &Options{Formats: formats, Recrawl: true})
	check("recrawl", 1)
	kill()
	cfg.Output.AlsoWrite, cfg.Limits.MaxPages = nil, 1
	runCrawl(t, cfg, &Options{Formats: formats, Recrawl: true})
	check("recrawl without an archive", 0)
	cfg.Output.AlsoWrite, cfg.Limits.MaxPages = []string{"warc"}, 0
	runCrawl(t, cfg, &Options{Formats: formats, Resume: true})
	check("resumed with an archive", 1)
	kill()
	cfg.Output.AlsoWrite = nil
	runCrawl(t, cfg, &Options{Formats: formats, Resume: true})
	check("resumed without an archive", 0)
}

// A stopped recrawl is resumed with Resume, and keeps its results.
func TestResumeOfRecrawl(t *testing.T) {
	t.Parallel()
	const n = 6
	s := chain(t, n)
	cfg := testConfig(t, s.url+"/0")
	runCrawl(t, cfg, nil).whole(t, s, n)
	saved := savedConfig(t, cfg)
	saved.Limits.MaxPages = 2
	if part := runCrawl(t, saved, &Options{Recrawl: true}); part.End != EndMaxPages || part.Pages != 2 {
		t.Fatalf("%+v", part.Summary)
	}
	saved.Limits.MaxPages = 0
	runCrawl(t, saved, &Options{Resume: true}).whole(t, s, n)
	for i := range n {
		if path := fmt.Sprintf("/%d", i); s.count(path) != 2 {
			t.Errorf("%s was asked for %d times", path, s.count(path))
		}
	}
	// A recrawl that was killed before it had brought everything back.
	state, _, err := loadState(cfg.Output.Dir)
	must(t, err)
	state.Recrawls, state.RecrawlPending, state.StartedAt = state.Recrawls+1, true, time.Now()
	must(t, results.SaveState(cfg.Output.Dir, state))
	runCrawl(t, saved, &Options{Resume: true}).whole(t, s, n)
	if s.count("/0") != 3 {
		t.Errorf("the front page was asked for %d times", s.count("/0"))
	}
}

// ROB-POL-02 applies between two crawls too.
func TestRecrawlKeepsDelays(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := chain(t, 1)
		cfg := testConfig(t, s.url+"/0")
		cfg.Politeness.Delay = 500 * time.Millisecond
		runCrawl(t, cfg, nil)
		again(t, cfg, Options{Recrawl: true})
		requests := s.requests()
		wantSpaced(t, requests, cfg.Politeness.Delay)
		if len(requests) != 4 { // robots.txt is asked for by each
			t.Errorf("requests %+v", requests)
		}
	})
}

// A recrawl requests sitemaps as sitemaps, whatever their last outcome was.
func TestRecrawlOfSitemaps(t *testing.T) {
	var second atomic.Bool
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/fails.txt\nSitemap: {site}/moves.txt\nUser-agent: *\nDisallow: /no\nSitemap: {site}/no.txt\n",
		"/":           "start", "/a": "a", "/b": "b", "/to.txt": "{site}/a\n", "/other.txt": "{site}/b\n",
	})
	s.handle("/fails.txt", func(w http.ResponseWriter, r *http.Request) {
		if !second.Load() {
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, "http://%s/from-fails\n", r.Host)
	})
	s.page("/from-fails", "page")
	s.handle("/moves.txt", func(w http.ResponseWriter, r *http.Request) {
		to := "/to.txt"
		if second.Load() {
			to = "/other.txt"
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	cfg := testConfig(t, s.url+"/")
	if first := runCrawl(t, cfg, nil); !slices.Equal(first.paths(s.url), []string{"/", "/a"}) {
		t.Fatalf("pages %v", first.paths(s.url))
	}
	second.Store(true)
	got := again(t, cfg, Options{Recrawl: true})
	got.wantPages(t, s, "/", "/a", "/b", "/from-fails")
	if r := got.refusal(t, s.url+"/no.txt"); r.Reason != output.Disallowed || s.count("/no.txt") > 0 {
		t.Errorf("%+v", r)
	}
}

// A recrawl keeps the links of unchanged pages even if their file is deleted meanwhile.
func TestUnchangedPagesKeepLinksOfADeletedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be deleted on Windows")
	}
	s := newSite(t, "127.0.0.1", nil)
	cfg := testConfig(t, s.url+"/")
	s.handle("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == "" {
			_, _ = io.WriteString(w, `<a href="/a">a</a>`)
			return
		}
		must(t, os.Remove(filepath.Join(cfg.Output.Dir, "links.1.jsonl")))
		w.WriteHeader(http.StatusNotModified)
	})
	runCrawl(t, cfg, nil)
	runCrawl(t, savedConfig(t, cfg), &Options{Recrawl: true})
	links := readOutput[output.Links](t, cfg, "links.jsonl")
	if len(links) != 1 || !slices.Equal(targets(links[0]), []string{s.url + "/a"}) {
		t.Errorf("links %+v", links)
	}
}

package crawler

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

// taggedSite serves pages with an ETag, and answers 304 to a request that has it. Again changes the header of
// a 304. If nil, it has only the ETag.
func taggedSite(t *testing.T, pages map[string]string, again func(path string, h http.Header)) *site {
	s := newSite(t, "127.0.0.1", nil)
	for path, body := range pages {
		s.handle(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", fmt.Sprintf(`"%x"`, len(body)))
			if strings.HasSuffix(path, "-in-header") {
				w.Header().Set("X-Robots-Tag", "noindex")
			}
			if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
				if again != nil {
					again(path, w.Header())
				}
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if strings.HasSuffix(path, ".txt") {
				w.Header().Set("Content-Type", "text/plain")
			}
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "{site}", s.url))
		})
	}
	return s
}

// wholePages are the pages of a generation that must not depend on whether the server sent the content again.
func wholePages(t *testing.T, cfg Config) []output.Page {
	t.Helper()
	pages := readOutput[output.Page](t, cfg, "pages.jsonl")
	slices.SortFunc(pages, func(a, b output.Page) int { return cmp.Compare(a.URL, b.URL) })
	return pages
}

// pageOf returns the page of a URL.
func pageOf(t *testing.T, c *crawl, url string) output.Page {
	t.Helper()
	i := slices.IndexFunc(c.pages, func(p output.Page) bool { return p.URL == url })
	if i < 0 {
		t.Fatalf("no page %s in %+v", url, c.pages)
	}
	return c.pages[i]
}

// ofFetch are the fields that say how a page was fetched.
var ofFetch = cmpopts.IgnoreFields(output.Page{}, "Status", "FetchedAt", "DurationMS", "Attempt", "Unchanged")

// A recrawl is whole: pages that answer 304 keep all that the fetch before them found, in each format, over several
// recrawls and if they are stopped and resumed.
func TestRecrawlOfUnchangedSiteIsWhole(t *testing.T) {
	const head = `<html lang=de><title>T</title><meta name=description content=d><h1>A</h1><h1>B</h1><link rel=canonical href=/other>`
	s := taggedSite(t, map[string]string{
		"/": head + `<link rel=alternate hreflang=en href=/en><a href=/a rel=next>one</a><a href=/copy>2</a><a href=/index-no>3</a><a href=/plain.txt>4</a>
			<a href=/no-in-header>5</a><a href=/gone>6</a><a href=/empty>7</a><a href=/app>8</a><img src=/i.png><p>eight words`,
		"/a": `<title>same</title><meta name=robots content="noai, nofollow"><a href=/out>out</a>`, "/copy": `<title>same</title><meta name=robots content="noai, nofollow"><a href=/out>out</a>`,
		"/index-no": `<meta name=robots content=noindex><title>secret</title><a href=/a>a</a>`, "/plain.txt": "text", "/no-in-header": "<title>secret</title>", "/empty": "", "/app": "<script src=/app.js></script>",
	}, nil)
	cfg := testConfig(t, s.url+"/")
	cfg.Output.AlsoWrite, cfg.Output.Links, cfg.Output.Extract, cfg.Limits.Concurrency = []string{"csv", "sqlite"}, LinksFull, []string{"name=h1", "all=a[]"}, 1
	formats := []output.Format{csvout.Format(nil), sqlite.Format(nil)}
	runCrawl(t, cfg, &Options{Formats: formats})
	rows := func() (table []string) {
		for _, name := range []string{"pages.csv", "links.csv", "permissions.csv"} {
			lines, err := csv.NewReader(bytes.NewReader(contentOf(t, filepath.Join(cfg.Output.Dir, name)))).ReadAll()
			must(t, err)
			for _, line := range lines[1:] {
				for i, column := range lines[0] {
					if !slices.Contains([]string{"status", "fetched_at", "duration_ms", "attempt", "unchanged"}, column) {
						table = append(table, name+" "+line[0]+" "+column+" "+line[i])
					}
				}
			}
		}
		db, err := sql.Open("sqlite", filepath.Join(cfg.Output.Dir, sqlite.File))
		must(t, err)
		for _, query := range []string{
			"SELECT 'title ' || url || ' ' || title || ' ' || coalesce(h1, '') || words || coalesce(hash, '') FROM pages", "SELECT from_url || ' ' || to_url || ' ' || concat_ws('|', text, rel, kind) FROM links",
			"SELECT url || ' ' || train_ai FROM permissions", "SELECT 'untitled ' || url FROM untitled_pages", "SELECT 'unlisted ' || url FROM unlisted_pages", "SELECT 'broken ' || from_url || ' ' || to_url FROM broken_links",
		} {
			found, err := db.QueryContext(t.Context(), query)
			must(t, err)
			for found.Next() {
				var line string
				must(t, found.Scan(&line))
				table = append(table, line)
			}
			must(t, found.Err())
		}
		must(t, db.Close())
		slices.Sort(table)
		return table
	}
	links := func() (lines []output.Links) {
		lines = slices.DeleteFunc(readOutput[output.Links](t, cfg, "links.jsonl"), func(l output.Links) bool { return len(l.To) == 0 })
		slices.SortFunc(lines, func(a, b output.Links) int { return cmp.Compare(a.URL, b.URL) })
		return lines
	}
	pages, table, list, permitted := wholePages(t, cfg), rows(), links(), permissionsOf(t, cfg, s)
	for round := range 2 {
		saved := savedConfig(t, cfg)
		saved.Limits.MaxPages = 3 * round // 0 means at once
		runCrawl(t, saved, &Options{Recrawl: true, Formats: formats})
		if saved.Limits.MaxPages = 0; round > 0 {
			runCrawl(t, saved, &Options{Resume: true, Formats: formats})
		}
		now := wholePages(t, cfg)
		if diff := gocmp.Diff(pages, now, ofFetch); diff != "" {
			t.Errorf("recrawl %d: pages (-first +now):\n%s", round+1, diff)
		}
		for _, p := range now {
			if path := p.URL[len(s.url):]; (p.Status == http.StatusNotModified) != slices.Contains([]string{"/", "/a", "/app", "/copy", "/index-no", "/plain.txt"}, path) {
				t.Errorf("recrawl %d: %s has status %d", round+1, path, p.Status)
			}
		}
		if diff := gocmp.Diff(table, rows()); diff != "" {
			t.Errorf("recrawl %d: rows (-first +now):\n%s", round+1, diff)
		}
		if diff := gocmp.Diff(list, links()); diff != "" {
			t.Errorf("recrawl %d: links (-first +now):\n%s", round+1, diff)
		}
		if diff := gocmp.Diff(permitted, permissionsOf(t, cfg, s), cmpopts.IgnoreFields(output.Permission{}, "FetchedAt")); diff != "" {
			t.Errorf("recrawl %d: permissions (-first +now):\n%s", round+1, diff)
		}
	}
}

// RFC 9111, section 3.2: a header of a 304 replaces the earlier one. A date may pass between two crawls.
func TestHeaderOfUnchangedPage(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		header     http.Header
		change     func(*output.Page) // of the line of the first crawl
	}{
		{"nothing", "", nil, func(*output.Page) {}},
		{"a kept header", "", http.Header{"Server": {"new"}, "Cache-Control": {"no-cache"}}, func(p *output.Page) {
			p.Headers["server"], p.Headers["cache-control"] = "new", "no-cache"
		}},
		{"noindex", "", http.Header{"X-Robots-Tag": {"noindex"}}, func(p *output.Page) {
			*p = output.Page{ContentType: p.ContentType, Bytes: p.Bytes, Links: 1, Withheld: "noindex", Directives: []output.Directive{{Rule: "noindex", Source: "1st X-Robots-Tag header"}, p.Directives[0]}}
		}},
		{"another directive", "", http.Header{"X-Robots-Tag": {"noarchive"}}, func(p *output.Page) {
			p.Directives = []output.Directive{{Rule: "noarchive", Source: "1st X-Robots-Tag header"}, p.Directives[0]}
		}},
		{"canonical", "", http.Header{"Link": {"</new>; rel=canonical"}}, func(p *output.Page) { p.Canonical = strings.Replace(p.Canonical, "/old", "/new", 1) }},
		{"a date", `<meta name=robots content="unavailable_after: 2000-01-02">`, nil, func(p *output.Page) {
			*p = output.Page{ContentType: p.ContentType, Bytes: p.Bytes, Links: 1, Withheld: "unavailable_after: 2000-01-02T00:00:00Z", Directives: p.Directives}
		}},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			s := taggedSite(t, map[string]string{"/": `<title>T</title><meta name=robots content=noai><link rel=canonical href=/old><a href=/ >self</a>` + tt.body}, func(_ string, h http.Header) {
				maps.Copy(h, tt.header)
			})
			cfg := testConfig(t, s.url+"/")
			want := runCrawl(t, cfg, nil).pages[0]
			time.Sleep(48 * time.Hour)
			got := runCrawl(t, cfg, &Options{Recrawl: true}).pages[0]
			tt.change(&want)
			if diff := gocmp.Diff(want, got, ofFetch, cmpopts.IgnoreFields(output.Page{}, "URL", "Source")); diff != "" || got.Status != http.StatusNotModified {
				t.Errorf("status %d (-want +got):\n%s", got.Status, diff)
			}
			if lines := readOutput[output.Links](t, cfg, "links.jsonl"); (len(lines) == 0) != (want.Withheld != "") {
				t.Errorf("links %+v", lines)
			}
		}))
	}
}

// A page is read again if its line in the previous crawl is not what a 304 would stand for.
func TestUnknownPageIsReadAgain(t *testing.T) {
	for name, change := range map[string]func(line string) string{
		"of an earlier release": func(line string) string {
			url, _, _ := strings.Cut(line, `,"status"`)
			return url + `,"status":304,"title":"","depth":0,"found_on":"","source":"start","content_type":"text/html","bytes":0,"links":0,"fetched_at":"2026-01-01T00:00:00Z","duration_ms":1,"attempt":1,"unchanged":true}`
		},
		"of another response": func(line string) string {
			before, after, _ := strings.Cut(line, `"hash":"`)
			return before + `"hash":"0000000000000000` + after[16:]
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := taggedSite(t, map[string]string{"/": `<a href=/page>`, "/page": `<title>T</title><h1>H</h1><a href=/>back</a><p>` + strings.Repeat("word ", 100)}, nil)
			cfg := testConfig(t, s.url+"/")
			cfg.Output.KeepHeader = []string{"etag", "x-long"}
			s.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "Sitemap: "+s.url+"/map.txt\n") })
			s.handle("/map.txt", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s.url+"/page\n") })
			first := runCrawl(t, cfg, nil)
			file := filepath.Join(cfg.Output.Dir, "pages.jsonl")
			var lines []string
			for line := range strings.Lines(string(contentOf(t, file))) {
				if strings.Contains(line, s.url+`/page"`) {
					changed := change(strings.TrimSpace(line))
					line = changed + strings.Repeat(" ", max(0, len(line)-len(changed)-1)) + "\n"
				}
				lines = append(lines, line)
			}
			writeFile(t, file, strings.Join(lines, ""))
			second := runCrawl(t, cfg, &Options{Recrawl: true})
			want, got := pageOf(t, first, s.url+"/page"), pageOf(t, second, s.url+"/page")
			if diff := gocmp.Diff(want, got, ofFetch, cmpopts.IgnoreFields(output.Page{}, "Source", "FoundOn", "Depth")); diff != "" || got.Status != http.StatusOK {
				t.Errorf("status %d (-want +got):\n%s", got.Status, diff)
			}
			if s.count("/page") != 2 {
				t.Errorf("%d requests", s.count("/page"))
			}
			third := runCrawl(t, cfg, &Options{Recrawl: true})
			if last := pageOf(t, third, s.url+"/page"); last.Status != http.StatusNotModified || last.Title != "T" {
				t.Errorf("next recrawl: %+v", last)
			}
		})
	}
}

// After a change of a setting for reading pages, a recrawl reads every page again, and the next one does not.
func TestSettingsForReadingPagesChange(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"extract":     func(c *Config) { c.Output.Extract = []string{"name=h1"} },
		"keep-header": func(c *Config) { c.Output.KeepHeader = []string{"etag"} },
		"links":       func(c *Config) { c.Output.Links = LinksFull },
		"user-agent":  func(c *Config) { c.Fetch.UserAgent = "otherbot/1.0 (+https://example.com/bot)" },
		"noindex":     func(c *Config) { c.Robots.ObeyNoindex = false },
		"none":        func(c *Config) { c.Fetch.UserAgent += " again" },
	} {
		for _, resumed := range []bool{false, true} {
			if resumed && name != "extract" && name != "none" {
				continue // one setting stands for all
			}
			t.Run(fmt.Sprint(name, " resumed ", resumed), func(t *testing.T) {
				s := taggedSite(t, map[string]string{"/": `<h1>H</h1><a href=/a>a</a>`, "/a": "a", "/b": "b"}, nil)
				cfg := testConfig(t, s.url+"/", s.url+"/b")
				cfg.Limits.MaxPages = 2
				runCrawl(t, cfg, nil)
				if cfg.Limits.MaxPages = 0; resumed {
					change(&cfg)
				}
				runCrawl(t, cfg, &Options{Resume: true})
				change(&cfg)
				for round := range 2 {
					unchanged := runCrawl(t, cfg, &Options{Recrawl: true}).Statuses[http.StatusNotModified]
					if want := name == "none" || round == 1; (unchanged == 3) != want || unchanged != 0 && !want {
						t.Errorf("recrawl %d: %d pages with status 304", round+1, unchanged)
					}
				}
			})
		}
	}
}

// A worker of a shared crawl reads the pages that others have fetched before: its files lack their content.
func TestSharedRecrawlIsWhole(t *testing.T) {
	pages := map[string]string{"/": ""}
	for i := range 12 {
		pages["/"] += fmt.Sprintf("<a href=/%d>%[1]d</a>", i)
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf("<title>page %d</title>", i)
	}
	recrawled, joined := make(chan struct{}), make(chan struct{}) // by w1; by w2
	first := sync.OnceFunc(func() { close(recrawled) })
	s := taggedSite(t, pages, func(string, http.Header) {
		first()
		<-joined
	})
	cfg := sharedConfig(t, s.url+"/")
	cfg.Politeness.Delay = 20 * time.Millisecond
	one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
	runCrawl(t, one, nil)
	var work sync.WaitGroup
	work.Go(func() { runCrawl(t, one, &Options{Recrawl: true}) })
	<-recrawled
	work.Go(func() { runCrawl(t, two, &Options{OnStart: func() { close(joined) }}) })
	work.Wait()
	for _, cfg := range []Config{one, two} {
		pages := readOutput[output.Page](t, cfg, "pages.jsonl")
		if len(pages) == 0 {
			t.Errorf("worker %s has no pages", cfg.Sharing.WorkerName)
		}
		for _, p := range pages {
			if want := cfg.Sharing.WorkerName == "w1"; (p.Status == http.StatusNotModified) != want || p.Hash == "" || p.Title == "" && p.URL != s.url+"/" {
				t.Errorf("worker %s: %+v", cfg.Sharing.WorkerName, p)
			}
		}
	}
}

// Bytes of a 304 do not count for the limits and the summary, also when the recrawl is resumed.
func TestUnchangedPagesCountNoBytes(t *testing.T) {
	s := taggedSite(t, map[string]string{"/": "<a href=/a>a", "/a": strings.Repeat("a", 5000)}, nil)
	cfg := testConfig(t, s.url+"/")
	first := runCrawl(t, cfg, nil)
	cfg.Limits.MaxBytes, cfg.Limits.MaxPages = 4000, 1
	runCrawl(t, cfg, &Options{Recrawl: true})
	cfg.Limits.MaxPages = 0
	if got := runCrawl(t, cfg, &Options{Resume: true}); first.Bytes != 5012 || got.Bytes != 0 || got.Pages != 2 || got.End != EndFinished {
		t.Errorf("%d bytes, then %+v", first.Bytes, got.Summary)
	}
}

// Bodies that were not read to the end may differ in the rest.
func TestTruncatedBodiesAreNotCompared(t *testing.T) {
	const limit = 1000
	for _, tt := range []struct {
		name          string
		before, after int
		unchanged     bool
	}{
		{"grows beyond the limit", limit + 100, limit + 200, false},
		{"is the same, beyond the limit", limit + 100, limit + 100, false},
		{"grows over the limit", limit, limit + 1, false},
		{"shrinks to the limit", limit + 1, limit, false},
		{"is the same, at the limit", limit, limit, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var size atomic.Int64
			size.Store(int64(tt.before))
			s := newSite(t, "127.0.0.1", map[string]string{"/": "<a href=/a.txt>a</a><a href=/b.txt>b</a>"})
			for path, more := range map[string]int{"/a.txt": 0, "/b.txt": 1} {
				s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/plain")
					_, _ = io.WriteString(w, strings.Repeat("x", int(size.Load())+more))
				})
			}
			cfg := testConfig(t, s.url+"/")
			cfg.Fetch.MaxBody = limit
			for round := range 2 {
				got := runCrawl(t, cfg, &Options{Recrawl: round == 1})
				if p := pageOf(t, got, s.url+"/a.txt"); p.Unchanged != (tt.unchanged && round == 1) || p.DuplicateOf != "" {
					t.Errorf("round %d: unchanged %t, duplicate of %q", round, p.Unchanged, p.DuplicateOf)
				}
				if p := pageOf(t, got, s.url+"/b.txt"); p.Unchanged || p.DuplicateOf != "" || p.Hash == "" {
					t.Errorf("round %d, the other: %+v", round, p)
				}
				size.Store(int64(tt.after))
			}
		})
	}
}

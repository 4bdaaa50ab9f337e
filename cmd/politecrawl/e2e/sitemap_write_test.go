package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A response is what an indexSite serves for a path.
type response struct {
	status int // 0: 200
	header map[string]string
	body   string
}

// An indexSite has pages of every kind. It answers conditional requests with 304, and counts these.
type indexSite struct {
	url string

	mu        sync.Mutex
	responses map[string]response
	unchanged int
}

// The dates of the pages of an indexSite.
const (
	changed     = "Fri, 01 May 2009 10:00:00 GMT"
	changedText = "2009-05-01T10:00:00Z"
)

func newIndexSite(t *testing.T) *indexSite {
	t.Helper()
	s := &indexSite{responses: map[string]response{
		"/robots.txt":  {body: "User-agent: *\nDisallow: /private/\nSitemap: {site}/map.txt.xml\n", header: map[string]string{"Content-Type": "text/plain"}},
		"/map.txt.xml": {body: `<urlset><url><loc>{site}/listed</loc><lastmod>2019-05-05</lastmod></url><url><loc>{site}/dated</loc><lastmod>2019-05-05</lastmod></url></urlset>`},
		"/": {body: `<a href="/a?x=1&amp;y='2'"> <a href="/über"> <a href="/noindex"> <a href="/noindex-header"> <a href="/copy"> <a href="/self">
			<a href="/moved"> <a href="/private/x"> <a href="/gone"> <a href="/error"> <a href="/file"> <a href="/dated"> <a href="/generated">`},
		"/a":              {body: "<p>a</p>"},
		"/über":           {body: "<p>über</p>"},
		"/listed":         {body: "<p>listed</p>"},
		"/noindex":        {body: `<meta name=robots content=noindex>`},
		"/noindex-header": {body: "<p>noindex</p>", header: map[string]string{"X-Robots-Tag": "noindex"}},
		"/copy":           {body: `<link rel=canonical href="/a">`},
		"/self":           {body: `<link rel=canonical href="{site}/self">`},
		"/moved":          {status: 301, header: map[string]string{"Location": "/target"}},
		"/target":         {body: "<p>target</p>"},
		"/private/x":      {body: "<p>private</p>"},
		"/error":          {status: 410, body: "<p>error</p>"},
		"/file":           {body: "%PDF-1.4", header: map[string]string{"Content-Type": "application/pdf"}},
		"/dated":          {body: "<p>dated</p>", header: map[string]string{"Last-Modified": changed}},
		"/generated":      {body: "<p>generated</p>", header: map[string]string{"Last-Modified": "now"}},
	}}
	s.url = clitest.Server(t, s.serve).URL
	return s
}

func (s *indexSite) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.responses[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("ETag", fmt.Sprintf("%q", r.URL.Path))
	for name, value := range found.header {
		if value == "now" {
			value = time.Now().UTC().Format(http.TimeFormat)
		}
		w.Header().Set(name, value)
	}
	if found.status == 0 && r.Header.Get("If-None-Match") != "" {
		s.unchanged++
		clear(w.Header())
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(max(found.status, http.StatusOK))
	_, _ = fmt.Fprint(w, strings.ReplaceAll(found.body, "{site}", s.url))
}

// writtenSitemap reads a sitemap: the dates by the URLs, of which the site's own part is cut off.
func writtenSitemap(t *testing.T, site, path string) map[string]string {
	t.Helper()
	if got := run(t, "sitemap", "--check", path); got.Code != cli.ExitDone || got.Out+got.Stderr != "" {
		t.Errorf("%s: %+v", path, got)
	}
	entries := make(map[string]string)
	for e, err := range sitemap.Read(strings.NewReader(readText(t, path)), nil) {
		if err != nil {
			t.Fatal(err)
		}
		date := ""
		if !e.LastMod.IsZero() {
			date = e.LastMod.Format(time.RFC3339)
		}
		entries[strings.TrimPrefix(e.Loc, site)] = date
	}
	return entries
}

// A sitemap has the indexable pages of a crawl, also if a recrawl found them unchanged.
func TestSitemapWrite(t *testing.T) {
	site := newIndexSite(t)
	dir, to := filepath.Join(t.TempDir(), "crawl"), filepath.Join(t.TempDir(), "public")
	done(t, "crawl", site.url+"/", "--output", dir, "--delay", "0s", "--retries", "0", "--quiet")
	got := done(t, "sitemap", "write", dir, "--output", to)
	path := filepath.Join(to, "sitemap.xml")
	want := fmt.Sprintf("8 of 15 fetched pages indexable\n  sitemap     %s: 8 URLs\n  robots.txt  add to %s/robots.txt: Sitemap: %s/sitemap.xml\n", path, site.url, site.url)
	if diff := cmp.Diff(want, got.Out); diff != "" || got.Stderr != "" {
		t.Errorf("standard error %q, standard output (-want +got):\n%s", got.Stderr, diff)
	}
	pages := map[string]string{
		"/": "", "/a?x=1&y=%272%27": "", "/%C3%BCber": "", "/listed": "2019-05-05T00:00:00Z", "/self": "", "/target": "", "/dated": changedText, "/generated": "",
	}
	wantSitemap := func(pages map[string]string) {
		t.Helper()
		clitest.WantEqual(t, "the result", pages, writtenSitemap(t, site.url, path))
	}
	wantSitemap(pages)
	first := readText(t, path)

	for range 2 {
		site.unchanged = 0
		done(t, "crawl", "--recrawl", dir, "--quiet")
		if site.unchanged < len(pages) {
			t.Fatalf("%d responses with status 304", site.unchanged)
		}
		done(t, "sitemap", "write", dir, "--output", to)
		clitest.WantEqual(t, "after a recrawl", first, readText(t, path))
	}

	site.responses["/a"] = response{status: 410}
	site.responses["/dated"] = response{status: 302, header: map[string]string{"Location": "/self"}}
	done(t, "crawl", "--recrawl", dir, "--quiet")
	done(t, "sitemap", "write", dir, "--output", to)
	maps.DeleteFunc(pages, func(path, _ string) bool { return strings.HasPrefix(path, "/a") || path == "/dated" })
	wantSitemap(pages)

	done(t, "sitemap", "write", dir, "--gzip")
	if !clitest.Exists(filepath.Join(dir, "sitemap.xml.gz")) {
		t.Error("no sitemap in the directory of the crawl")
	}
	old, part := filepath.Join(to, "sitemap-1.xml"), filepath.Join(to, "sitemap-2.xml.gz")
	for _, name := range []string{old, part} {
		clitest.OK(t, os.WriteFile(name, nil, 0o600))
	}
	clitest.WantParts(t, done(t, "sitemap", "write", dir, "--output", to).Out, "  unused      files of an earlier sitemap, which you can remove: "+old+" "+part+"\n")
	done(t, "report", dir) // which the sitemap does not disturb
	done(t, "crawl", "--recrawl", dir, "--quiet")
}

// Workers of one crawl give one sitemap.
func TestSitemapWriteOfSeveralDirectories(t *testing.T) {
	const site = "https://a.example"
	page := func(path string, second int, p output.Page) output.Page {
		p.URL, p.Status, p.Source, p.ContentType = site+path, 200, "link", "text/html"
		p.FetchedAt = time.Date(2026, 5, 4, 12, 0, second, 0, time.UTC)
		return p
	}
	root := t.TempDir()
	var dirs []string
	for i, pages := range [][]any{
		{page("/1", 1, output.Page{}), page("/both", 2, output.Page{}), page("/hidden", 3, output.Page{})},
		{page("/2", 1, output.Page{}), page("/both", 1, output.Page{}), page("/hidden", 4, output.Page{Withheld: "noindex"})},
	} {
		dir := filepath.Join(root, fmt.Sprint("w", i+1))
		clitest.WriteCrawl(t, dir, map[string]any{
			"version": 2, "config": map[string]any{"urls": []string{site + "/"}, "links": true, "frontier": "redis://127.0.0.1:1", "crawl-name": "x"},
			"ended": map[string]any{"end": "finished", "remaining": 0},
		}, map[string][]any{"pages.jsonl": pages})
		dirs = append(dirs, dir)
	}
	all := append([]string{"sitemap", "write"}, dirs...)
	run(t, all...).WantRefusal(t, cli.ExitMisuse, "several directories need --output: politecrawl sitemap write ", " --output public")
	to := filepath.Join(root, "all")
	if got := done(t, append(all, "--output", to)...); got.Stderr != "" {
		t.Errorf("%+v", got)
	}
	want := map[string]string{"/1": "", "/2": "", "/both": ""}
	clitest.WantEqual(t, "the result", want, writtenSitemap(t, site, filepath.Join(to, "sitemap.xml")))
	one := done(t, "sitemap", "write", dirs[0], "--output", filepath.Join(root, "one"))
	clitest.WantParts(t, one.Stderr, "sitemap write: the sitemap may lack pages: the crawl may have had other workers")
}

func TestInterruptedSitemapWriteWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crawl")
	clitest.WriteCrawl(t, dir, map[string]any{"version": 2, "config": map[string]any{}}, map[string][]any{
		"pages.jsonl": {output.Page{URL: "https://a.example/", Status: 200, Source: "start", ContentType: "text/html"}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr clitest.Buffer
	streams := &cli.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr}
	if code := streams.Run(ctx, program(streams), []string{"sitemap", "write", dir}); code != cli.ExitInterrupted || out.String() != "" || stderr.String() != "" {
		t.Errorf("exit code %d: %q, %q", code, out.String(), stderr.String())
	}
	if clitest.Exists(filepath.Join(dir, "sitemap.xml")) {
		t.Error("a sitemap is written")
	}
}

func TestSitemapWriteRefusals(t *testing.T) {
	run(t, "sitemap", "write").WantRefusal(t, cli.ExitMisuse, "sitemap write: give the output directory of a crawl")
	run(t, "sitemap", "write", "absent").WantRefusal(t, cli.ExitMisuse, `sitemap write: no directory "absent"; name the output directory of a crawl`)
	run(t, "sitemap", "write", t.TempDir()).WantRefusal(t, cli.ExitMisuse, "sitemap write: ", "holds no crawl", "name the output directory of a crawl")

	crawl := func(end string, remaining int, pages ...any) string {
		dir := filepath.Join(t.TempDir(), "crawl")
		clitest.WriteCrawl(t, dir, map[string]any{"version": 2, "config": map[string]any{}, "ended": map[string]any{"end": end, "remaining": remaining}}, map[string][]any{"pages.jsonl": pages})
		return dir
	}
	page := output.Page{URL: "https://a.example/", Status: 200, Source: "start", ContentType: "text/html"}
	t.Run("no page", func(t *testing.T) {
		gone := page
		gone.Status = 404
		dir := crawl("finished", 0, gone)
		run(t, "sitemap", "write", dir).WantRefusal(t, cli.ExitFailed, "sitemap write: the crawl has no indexable page, of 1 fetched page; no sitemap was written")
		if clitest.Exists(filepath.Join(dir, "sitemap.xml")) {
			t.Error("a sitemap was written")
		}
	})
	t.Run("a directory is in the way", func(t *testing.T) {
		dir := crawl("finished", 0, page)
		path := filepath.Join(dir, "sitemap.xml")
		clitest.OK(t, os.Mkdir(path, 0o700))
		run(t, "sitemap", "write", dir).WantRefusal(t, cli.ExitMisuse, path, "write the sitemap elsewhere: politecrawl sitemap write ")
	})
	t.Run("output is a file", func(t *testing.T) {
		file := clitest.WriteFile(t, "file", "mine")
		run(t, "sitemap", "write", crawl("finished", 0, page), "--output", file).WantRefusal(t, cli.ExitMisuse, file, "write the sitemap elsewhere: politecrawl sitemap write ")
	})
	t.Run("not finished", func(t *testing.T) {
		dir := crawl("max-pages", 7, page)
		got := run(t, "sitemap", "write", dir)
		if got.Code != cli.ExitFailed || got.Stderr != "politecrawl: sitemap write: the sitemap may lack pages: the crawl is not finished: 7 URLs remain\n" {
			t.Errorf("%+v", got)
		}
		if entries := slices.Collect(maps.Keys(writtenSitemap(t, "https://a.example", filepath.Join(dir, "sitemap.xml")))); len(entries) != 1 {
			t.Errorf("entries %q", entries)
		}
	})
}

package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// endlessBodies has what sites have sent of bodies without end, by URI.
type endlessBodies struct {
	mu   sync.Mutex
	sent map[string]int
}

// handle serves a body without end that begins with front. An empty kind: no Content-Type.
func (e *endlessBodies) handle(s *site, path, kind, front string) {
	s.handle(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{kind}
		if kind == "" {
			w.Header()["Content-Type"] = nil // not even what net/http finds
		}
		piece := []byte(front + strings.Repeat("x", 1<<10))
		for r.Context().Err() == nil {
			n, err := w.Write(piece)
			e.mu.Lock()
			e.sent[r.RequestURI] += n
			e.mu.Unlock()
			if err != nil {
				return
			}
			piece = []byte(strings.Repeat("x", 1<<10))
		}
	})
}

const (
	picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	linked  = `<a href="/endless.pdf">1</a><a href="/picture">2</a><a href="/sniffed.html">3</a><a href="/plain">4</a>` +
		`<a href="/empty">5</a><a href="/missing">6</a><a href="/moved">7</a><a href="/odd">8</a>`
)

// With types, the body of another type is not read: the site could send only what fits the
// buffers of the connection. Without a Content-Type, the beginning decides.
func TestTypes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": linked})
		endless := &endlessBodies{sent: make(map[string]int)}
		endless.handle(s, "/endless.pdf", "Application/PDF; version=1.7", "%PDF")
		endless.handle(s, "/picture", "", picture)
		endless.handle(s, "/odd", "application/odd, text/\u202ehtml", "")
		send := func(path, kind, body string, status int) {
			s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if kind != "" {
					w.Header().Set("Content-Type", kind)
				}
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			})
		}
		send("/robots.txt", "application/octet-stream", "Sitemap: "+s.url+"/map.xml\n", 200)
		send("/map.xml", "application/xml", "<urlset><url><loc>"+s.url+"/listed.zip</loc></url></urlset>", 200)
		send("/listed.zip", "application/zip", "PK", 200)
		send("/sniffed.html", "", "<!doctype html><title>found</title>"+strings.Repeat("<p>text\n", 10_000), 200)
		send("/plain", "text/plain", "text", 200)
		send("/empty", "", "", 200)
		send("/missing", "application/json", "{}", 404)
		s.handle("/moved", redirect("/endless.pdf?moved"))

		cfg := testConfig(t, s.url+"/")
		cfg.Fetch.Types, cfg.Fetch.Retries, cfg.Limits.MaxPages = []string{"TEXT/html", "text/*"}, 3, 7
		got := runCrawl(t, cfg, nil)
		got.wantPages(t, s, "/", "/empty", "/missing", "/moved", "/plain", "/sniffed.html")
		for _, p := range got.pages {
			if strings.HasSuffix(p.URL, "/sniffed.html") && (p.Title != "found" || p.Bytes < 80_000) {
				t.Errorf("%+v", p)
			}
		}
		want := map[string]string{
			"/endless.pdf": "application/pdf", "/endless.pdf?moved": "application/pdf", "/picture": "image/png", "/listed.zip": "application/zip",
			"/odd": "application/odd",
		}
		for path, kind := range want {
			if r := got.refusal(t, s.url+path); r.Reason != output.ContentType || r.Detail != kind || s.count(path) != 1 {
				t.Errorf("%d requests, %+v", s.count(path), r)
			}
		}
		if got.Rejected[output.ContentType] != len(want) || got.End != EndFinished {
			t.Errorf("%+v", got.Summary)
		}
		endless.mu.Lock()
		defer endless.mu.Unlock()
		for path, n := range endless.sent {
			if n > 512<<10 {
				t.Errorf("%s: %d bytes sent", path, n)
			}
		}
	})
}

// Pages of another type do not count for the limit, and a resumed crawl that reads more types
// requests them again.
func TestTypesChangedOnResume(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a.pdf">1</a><a href="/b.png">2</a><a href="/to-c">3</a>`})
		for path, kind := range map[string]string{"/a.pdf": "application/pdf", "/b.png": "image/png", "/c.pdf": "application/pdf"} {
			s.handle(path, page(200, "content", "Content-Type", kind))
		}
		s.handle("/to-c", redirect("/c.pdf"))
		cfg := testConfig(t, s.url+"/")
		cfg.Fetch.Types, cfg.Limits.MaxPages = []string{"text/html"}, 3
		if got := runCrawl(t, cfg, nil); got.End != EndFinished || got.Pages != 2 || got.Rejected[output.ContentType] != 3 {
			t.Fatalf("%+v", got.Summary)
		}
		if got := resume(t, cfg, nil); got.Pages != 2 || got.Rejected[output.ContentType] != 3 {
			t.Fatalf("%+v", got.Summary)
		}
		got := resume(t, cfg, func(c *Config) { c.Fetch.Types, c.Limits.MaxPages = []string{"text/html", "application/*"}, 0 })
		got.wantPages(t, s, "/", "/a.pdf", "/c.pdf", "/to-c")
		if r := got.refusal(t, s.url+"/b.png"); r.Reason != output.ContentType || len(got.rejected) != 1 || s.count("/b.png") != 1 {
			t.Errorf("%+v", got.rejected)
		}
	})
}

// A recrawl that reads fewer types requests pages of the others without conditions. A 304 would not
// say their type, and list them.
func TestRecrawlWithFewerTypes(t *testing.T) {
	for _, links := range []LinkList{LinksPlain, LinksNone} {
		t.Run(fmt.Sprintf("links %v", links), bubbled(func(t *testing.T) {
			s := newSite(t, "127.0.0.1", nil)
			for path, page := range map[string][2]string{
				"/":      {"text/html; charset=utf-8", `<a href="/a.pdf">1</a><a href="/b.html">2</a><a href="/picture">3</a><a href="/long">4</a>`},
				"/a.pdf": {"application/pdf", "%PDF"}, "/b.html": {"", "<!doctype html>"}, "/picture": {"", picture}, "/long": {"text/" + strings.Repeat("x", 300), "text"},
			} {
				s.handle(path, func(w http.ResponseWriter, r *http.Request) {
					w.Header()["Content-Type"] = nil
					w.Header().Set("ETag", `"1"`)
					if r.Header.Get("If-None-Match") != "" {
						w.WriteHeader(http.StatusNotModified)
						return
					}
					if page[0] != "" {
						w.Header().Set("Content-Type", page[0])
					}
					_, _ = w.Write([]byte(page[1]))
				})
			}
			cfg := testConfig(t, s.url+"/")
			cfg.Output.Links = links
			if got := runCrawl(t, cfg, nil); got.Pages != 5 {
				t.Fatalf("%+v", got.Summary)
			}
			cfg.Fetch.Types = []string{"text/html"}
			for i := range 3 { // the first 304 has no Content-Type either
				got := runCrawl(t, cfg, &Options{Recrawl: true})
				if diff := cmp.Diff([]string{"/", "/b.html"}, got.paths(s.url)); diff != "" || got.Statuses[304] != 2 || got.Rejected[output.ContentType] != 3 {
					t.Errorf("recrawl %d: %+v, pages (-want +got):\n%s", i+1, got.Summary, diff)
				}
			}
			cfg.Fetch.Types = []string{"text/*"}
			if got := runCrawl(t, cfg, &Options{Recrawl: true}); got.Pages != 3 || got.Unchanged != 3 || got.Statuses[304] != 2 {
				t.Errorf("%+v", got.Summary)
			}
		}))
	}
}

// A recrawl requests pages again that were skipped for their type, a price or a license.
func TestRecrawlOfSkippedResponses(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a.pdf">1</a><a href="/paid">2</a><a href="/licensed">3</a>`})
		s.handle("/a.pdf", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "application/pdf") })
		s.handle("/paid", status(http.StatusPaymentRequired))
		s.handle("/licensed", page(401, "", "WWW-Authenticate", "License"))
		cfg := testConfig(t, s.url+"/")
		cfg.Fetch.Types = []string{"text/html"}
		runCrawl(t, cfg, nil)
		got := again(t, cfg, Options{Recrawl: true})
		var reasons []output.Reason
		for _, r := range got.rejected {
			reasons = append(reasons, r.Reason)
		}
		slices.Sort(reasons)
		if diff := cmp.Diff([]output.Reason{output.ContentType, output.LicenseRequired, output.PaymentRequired}, reasons); diff != "" {
			t.Errorf("reasons (-want +got):\n%s", diff)
		}
		for _, path := range []string{"/a.pdf", "/paid", "/licensed"} {
			if n := s.count(path); n != 2 {
				t.Errorf("%s: %d requests", path, n)
			}
		}
	})
}

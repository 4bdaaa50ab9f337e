package report_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A place is a URL of the fault site: what leads to it, its response, and what the report of
// a complete crawl says about it.
type place struct {
	path   string
	linked bool   // from the front page
	listed string // its lastmod in a sitemap, or "-" for none; empty: no sitemap lists it

	status   int    // 0: 200
	header   string // one field
	head     string // markup
	links    string // hrefs, separated by spaces
	body     string // in place of a page of its own
	location string
	fault    func(w http.ResponseWriter) // before the response

	reason output.Reason // why it is skipped; empty: it is fetched
	kinds  []string
}

// A place without kinds has no fault.
var places = []place{
	// Listed and linked, as it should be.
	{path: "/fine", linked: true, listed: "2024-05-01", links: "/gone /fine"},
	{path: "/today", linked: true, listed: "{today}"},
	{path: "/canonical-itself", linked: true, listed: "-", head: `<link rel="canonical" href="canonical-itself#top">`},
	{path: "/behind-a-redirect", listed: "-"}, // linked by way of /to-it
	{path: "/to-it", linked: true, status: 302, location: "/behind-a-redirect"},

	{path: "/orphan", listed: "2024-05-01", kinds: []string{"not-linked"}},
	{path: "/linked-by-itself", listed: "-", links: "/linked-by-itself", kinds: []string{"not-linked"}},

	{path: "/unlisted", linked: true, links: "/unlisted/below", kinds: []string{"not-listed"}},
	{path: "/unlisted/below", links: "/unlisted/deeper", kinds: []string{"not-listed"}},
	{path: "/unlisted/deeper", kinds: []string{"not-listed"}},
	{path: "/unlisted.pdf", linked: true, header: "Content-Type: application/pdf", body: "%PDF-1.4"},
	{path: "/unlisted-noindex", linked: true, head: `<meta name="robots" content="noindex">`},
	{path: "/unlisted-copy", linked: true, head: `<link rel="canonical" href="/fine">`},

	{path: "/private/listed", listed: "-", reason: output.Disallowed, kinds: []string{"disallowed"}},
	{path: "/private/linked", linked: true, reason: output.Disallowed},
	{path: "/private/behind-a-redirect", reason: output.Disallowed},
	{path: "/open-no-more", linked: true, kinds: []string{"not-listed"}}, // until robots.txt changes

	{path: "/moved", listed: "-", status: 301, location: "/fine", kinds: []string{"redirected"}},
	{path: "/gone", listed: "-", linked: true, status: 404, kinds: []string{"broken"}},
	{path: "/error", listed: "-", status: 500, kinds: []string{"broken"}},
	{path: "/silent", listed: "-", fault: hangUp, reason: output.Failed, kinds: []string{"broken"}},
	{path: "/gone-unlisted", linked: true, status: 410},

	{path: "/noindex-in-meta", listed: "-", linked: true, head: `<meta name="robots" content="noindex">`, kinds: []string{"noindex"}},
	{path: "/noindex-in-header", listed: "-", linked: true, header: "X-Robots-Tag: noindex", kinds: []string{"noindex"}},
	{path: "/noindex-for-others", listed: "-", linked: true, header: "X-Robots-Tag: otherbot: noindex"},
	{path: "/canonical-elsewhere", listed: "-", linked: true, head: `<link rel="canonical" href="/fine">`, kinds: []string{"canonical-elsewhere"}},

	{path: "/future", linked: true, listed: "2199-01-01", kinds: []string{"invalid-lastmod"}},
	{path: "/ancient", linked: true, listed: "1970-01-01", kinds: []string{"invalid-lastmod"}},
	{path: "/fine?sid=1", listed: "-", reason: output.DuplicateURL, kinds: []string{"not-fetched"}}, // for /fine, by Clean-param

	{path: "/twin-1", linked: true, listed: "-", body: "<title>A twin</title>"},
	{path: "/twin-2", linked: true, listed: "-", body: "<title>A twin</title>"},
	{path: "/printed", linked: true, listed: "-", body: `<title>Printed</title><link rel="canonical" href="/printed">`},
	{path: "/printed?print=1", linked: true, body: `<title>Printed</title><link rel="canonical" href="/printed">`},

	{path: "/chain-1", linked: true, status: 301, location: "/chain-2"},
	{path: "/chain-2", status: 302, location: "chain-3"},
	{path: "/chain-3", status: 307, location: "/chain-end"},
	{path: "/chain-end", listed: "-"},
	{path: "/loop-1", linked: true, status: 302, location: "/loop-2"},
	{path: "/loop-2", status: 302, location: "/loop-1"},
	{path: "/to-gone", linked: true, status: 308, location: "/gone"},
	{path: "/to-nothing", linked: true, status: 303},
	{path: "/to-private", linked: true, status: 301, location: "/private/behind-a-redirect"},

	{path: "/snippet", linked: true, listed: "-", header: "X-Robots-Tag: max-snippet: 20", head: `<meta name="robots" content="max-snippet: 20">`},
	{path: "/usage", linked: true, listed: "-", header: "Content-Usage: train-ai=n"},
	{path: "/nofollowed", reason: output.Nofollow},
}

// hangUp closes the connection without a response.
func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// faultSite is a site with a case of everything that a report covers. Its main host has the
// places. The bare host has no sitemaps, and its robots.txt fails once and redirects. The
// foreign host must not receive a request.
type faultSite struct {
	main, bare, foreign string // without a slash at the end

	mu        sync.Mutex       // guards all below
	rules     string           // more lines of the robots.txt of main
	fails     int              // requests for the robots.txt of bare that fail, or for ever: -1
	lost      int              // the status of a sitemap of main that has nothing in it
	etag      string           // of the front page of main; empty: it has none
	onRequest func(uri string) // called with each request to main
}

func startFaultSite(t *testing.T) *faultSite {
	t.Helper()
	s := &faultSite{fails: 1, lost: http.StatusNotFound}
	serve := func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	s.foreign = serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the foreign host received a request for %s", r.RequestURI)
	}))
	s.main = serve(s.mainHost())
	s.bare = serve(s.bareHost())
	return s
}

func (s *faultSite) mainHost() http.Handler {
	byURI := make(map[string]*place)
	for i := range places {
		byURI[places[i].path] = &places[i]
	}
	files := map[string]func() string{
		"/": s.front, "/robots.txt": s.robots, "/sitemap.xml": s.index,
		"/sitemap-1.xml": func() string { return s.sitemap(0) }, "/sitemap-2.xml": func() string { return s.sitemap(1) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requested(r.RequestURI)
		if r.RequestURI == "/" && s.unchanged(w, r) {
			return
		}
		if write, ok := files[r.RequestURI]; ok {
			_, _ = fmt.Fprint(w, write()) // the server knows HTML when it sees it
			return
		}
		if r.RequestURI == "/sitemap-moved.xml" {
			http.Redirect(w, r, "/sitemap-2.xml", http.StatusMovedPermanently)
			return
		}
		if p, ok := byURI[r.RequestURI]; ok {
			p.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		w.WriteHeader(s.lost) // /lost.xml, since nothing leads anywhere else
	})
}

// unchanged answers 304 to a client that has the front page, unless that has no ETag.
func (s *faultSite) unchanged(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.etag == "" {
		return false
	}
	w.Header().Set("ETag", s.etag)
	if r.Header.Get("If-None-Match") != s.etag {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

func (s *faultSite) requested(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.onRequest != nil {
		s.onRequest(uri)
	}
}

func (p *place) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if p.fault != nil {
		p.fault(w)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if name, value, ok := strings.Cut(p.header, ": "); ok {
		w.Header().Set(name, value)
	}
	if p.location != "" {
		w.Header().Set("Location", p.location)
	}
	w.WriteHeader(p.answer())
	if p.body != "" {
		_, _ = fmt.Fprint(w, p.body)
		return
	}
	_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title>%s%s", p.path, p.head, anchors(strings.Fields(p.links)...))
}

func (p *place) answer() int {
	if p.status == 0 {
		return http.StatusOK
	}
	return p.status
}

func anchors(hrefs ...string) string {
	var b strings.Builder
	for _, href := range hrefs {
		fmt.Fprintf(&b, "<p><a href=\"%s\">a link</a></p>\n", html.EscapeString(href))
	}
	return b.String()
}

func (s *faultSite) front() string {
	text := "<!doctype html><title>The site of faults</title>" + anchors(s.foreign+"/", "http://[") + `<a rel="nofollow" href="/nofollowed">not to be followed</a>`
	for _, p := range places {
		if p.linked {
			text += anchors(p.path)
		}
	}
	return text
}

func (s *faultSite) robots() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("User-agent: *\nDisallow: /private/ # for members\nDisalow: /typo\nClean-param: sid\n%s\nSitemap: %[2]s/sitemap.xml\nSitemap: %[2]s/lost.xml\n", s.rules, s.main)
}

func (s *faultSite) index() string {
	return fmt.Sprintf(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>%[1]s/sitemap-1.xml</loc></sitemap><sitemap><loc>%[1]s/sitemap-moved.xml</loc></sitemap></sitemapindex>`, s.main)
}

// sitemap lists every other listed place. The first one also lists the front page, a URL that
// it is not authorized for, and a page of the second one.
func (s *faultSite) sitemap(nth int) string {
	var b strings.Builder
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	entry := func(url, lastmod string) {
		fmt.Fprintf(&b, "<url><loc>%s</loc>", html.EscapeString(url))
		if lastmod != "-" {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", strings.ReplaceAll(lastmod, "{today}", time.Now().UTC().Format(time.DateOnly)))
		}
		b.WriteString("</url>\n")
	}
	if nth == 0 {
		entry(s.main+"/", "-")
		entry(s.foreign+"/listed", "-")
		entry(s.main+"/twin-2", "-")
		entry(s.main+"/twin-1", "-")
	}
	n := 0
	for _, p := range places {
		if p.listed != "" {
			if n++; n%2 == nth {
				entry(s.main+p.path, p.listed)
			}
		}
	}
	b.WriteString("</urlset>")
	return b.String()
}

func (s *faultSite) bareHost() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.fails != 0 {
			s.fails--
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		http.Redirect(w, r, "/rules/robots.txt", http.StatusFound)
	})
	mux.HandleFunc("/rules/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "User-agent: politecrawl\nDisallow: /shed/\nDisallow: /shed/left/\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, "<!doctype html><title>"+r.RequestURI+"</title>"+anchors("/page", "/shed/1", "/shed/2", "/shed/left/3"))
	})
	return mux
}

// set changes something about the site while it is served.
func (s *faultSite) set(change func(*faultSite)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

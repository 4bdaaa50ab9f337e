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

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// No page ends a crawl.
func TestBaseThatIsTooLong(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":  `<base href="http://[::1]/` + strings.Repeat("é", 3000) + `"><a href="/lost">lost</a>`,
		"/b": "b",
	})
	if got := run(t, testConfig(t, s.url+"/", s.url+"/b"), nil); got.End != EndFinished || got.Pages < 2 {
		t.Errorf("%+v", got.Summary)
	}
}

// A frontier of the caller's is used as it is.
func TestOwnFrontier(t *testing.T) {
	s := chain(t, 3)
	run(t, testConfig(t, s.url+"/0"), &Options{Frontier: frontier.NewMemory(nil)}).whole(t, s, 3)
}

// Where a page says how it changed and nobody has asked, it is not unchanged.
func TestUnrequested304IsNotUnchanged(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	if got := run(t, testConfig(t, s.url+"/"), nil); got.Unchanged != 0 || got.Statuses[304] != 1 {
		t.Errorf("%+v", got.Summary)
	}
}

// A host that joins the scope after its robots.txt was read brings its sitemaps.
func TestJoinBringsSitemaps(t *testing.T) {
	www := newSite(t, "127.0.0.2", map[string]string{
		"/robots.txt": "Sitemap: {site}/own.txt\n", "/own.txt": "{site}/listed\n", "/listed": "listed", "/": "www", "/shared.txt": "",
	})
	read := make(chan struct{})
	www.handle("/map.txt", func(http.ResponseWriter, *http.Request) { close(read) })
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "Sitemap: " + www.url + "/map.txt\n", "/": "start"})
	bare := newSite(t, "127.0.0.3", nil)
	bare.handle("/", func(w http.ResponseWriter, r *http.Request) {
		<-read // www's robots.txt is known
		http.Redirect(w, r, www.url+"/", http.StatusFound)
	})
	got := run(t, testConfig(t, s.url+"/", bare.url+"/"), nil)
	if diff := cmp.Diff([]string{"/", "/listed"}, got.paths(www.url)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// A skipped URL is judged by the shortest way to it.
func TestSkippedURLKeepsTheShortestWay(t *testing.T) {
	www := newSite(t, "127.0.0.2", map[string]string{"/": "www", "/x": "x"})
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/1">1</a>`, "/1": `<a href="` + www.url + `/x">far</a>`})
	bare := newSite(t, "127.0.0.3", map[string]string{"/near": `<a href="` + www.url + `/x">near</a>`})
	bare.handle("/", func(w http.ResponseWriter, r *http.Request) {
		waitFor(func() bool { return s.count("/1") > 0 && bare.count("/near") > 0 }) // both ways were found
		time.Sleep(50 * time.Millisecond)
		http.Redirect(w, r, www.url+"/", http.StatusFound)
	})
	cfg := testConfig(t, s.url+"/", bare.url+"/near", bare.url+"/")
	cfg.Scope.MaxDepth, cfg.Politeness.PerHost = 1, 2
	if got := run(t, cfg, nil); !slices.Contains(got.paths(www.url), "/x") {
		t.Errorf("pages %v, rejected %+v", got.paths(www.url), got.rejected)
	}
}

// ROB-EXT-03: an alias that its page redirects back to is a page after all.
func TestAliasThatIsRedirectedTo(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nClean-param: ref\nSitemap: {site}/map.txt\n", "/map.txt": "{site}/a?ref=1\n", "/": "start",
	})
	s.redirectUnless("/a", "ref=1")
	cfg := testConfig(t, s.url+"/")
	cfg.Scope.CleanParam = true
	if got := run(t, cfg, nil); !slices.Equal(got.paths(s.url), []string{"/", "/a", "/a?ref=1"}) {
		t.Errorf("pages %v", got.paths(s.url))
	}
}

// ROB-EXT-03: such a page is fetched once, however many redirects lead to it.
func TestAliasThatManyRedirectTo(t *testing.T) {
	pages := map[string]string{
		"/robots.txt": "User-agent: *\nClean-param: ref\nSitemap: {site}/map.txt\n", "/map.txt": "{site}/a?ref=1\n", "/": "start",
	}
	for i := range 5 {
		pages["/"] += fmt.Sprintf(`<a href="/%d">`, i)
	}
	s := newSite(t, "127.0.0.1", pages)
	s.redirectUnless("/a", "ref=1")
	for i := range 5 {
		s.handle(fmt.Sprintf("/%d", i), http.RedirectHandler("/a?ref=1", http.StatusFound).ServeHTTP)
	}
	cfg := testConfig(t, s.url+"/")
	cfg.Scope.CleanParam, cfg.Limits.Workers = true, 1
	if got := run(t, cfg, nil); got.Pages != 8 || s.count("/a?ref=1") != 1 {
		t.Errorf("requested %q", s.asked())
	}
}

// A sitemap that is tried again, and its list that is read again, count once.
func TestMaxSitemapsCountsOnce(t *testing.T) {
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
	if got := run(t, cfg, nil); len(got.paths(s.url)) != 7 || len(got.notices) > 0 {
		t.Errorf("pages %v, notices %q", got.paths(s.url), got.notices)
	}
}

// A recrawl asks for sitemaps as such, whatever came of them the last time.
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
	if first := run(t, cfg, nil); !slices.Equal(first.paths(s.url), []string{"/", "/a"}) {
		t.Fatalf("pages %v", first.paths(s.url))
	}
	second.Store(true)
	got := again(t, cfg, Options{Recrawl: true})
	if diff := cmp.Diff([]string{"/", "/a", "/b", "/from-fails"}, got.paths(s.url)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if r := got.refusal(t, s.url+"/no.txt"); r.Reason != output.Disallowed || s.count("/no.txt") > 0 {
		t.Errorf("%+v", r)
	}
}

// ROB-POL-07 holds for every request, whatever it was for.
func TestROB_POL_07_everyRequest(t *testing.T) {
	t.Parallel()
	const slow = 400 * time.Millisecond
	s := newSite(t, "127.0.0.1", map[string]string{"/": "start"})
	for path, body := range map[string]string{"/robots.txt": "Sitemap: %s/map.txt\n", "/map.txt": "%s/\n"} {
		s.handle(path, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(slow) // the site is slow; nothing waits for this to be over
			_, _ = fmt.Fprintf(w, body, "http://"+r.Host)
		})
	}
	cfg := testConfig(t, s.url+"/")
	cfg.Politeness.Delay, cfg.Politeness.ResponseFactor = 10*time.Millisecond, 1
	run(t, cfg, nil)
	requests := s.requests()
	for i, r := range requests[:len(requests)-1] {
		if took, gap := r.end.Sub(r.began), requests[i+1].began.Sub(r.end); gap < took*9/10 {
			t.Errorf("%s took %v, and %s came %v later", r.uri, took, requests[i+1].uri, gap)
		}
	}
}

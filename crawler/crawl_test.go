package crawler

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestMain is also the processes that tests and benchmarks start.
func TestMain(m *testing.M) {
	for env, serve := range map[string]func(string) error{
		benchSiteEnv: numbered(serveBenchSite), hostsEnv: numbered(serveHosts), crawlEnv: crawlAsChild,
	} {
		if arg := os.Getenv(env); arg != "" {
			if err := serve(arg); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	goleak.VerifyTestMain(m)
}

// numbered reads the argument of a process as a number.
func numbered(serve func(int) error) func(string) error {
	return func(arg string) error {
		n, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		return serve(n)
	}
}

// ROB-GEN-07: links of pages, and pages of sitemaps, are crawled like the start.
func TestROB_GEN_07(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/index.xml\nUser-agent: *\nDisallow: /no\nAllow: /no/but\n",
		"/index.xml":  `<sitemapindex><sitemap><loc>{site}/deep/map.xml</loc></sitemap></sitemapindex>`,
		"/deep/map.xml": `<urlset><url><loc>{site}/listed</loc></url><url><loc>{site}/no/listed</loc></url>
			<url><loc>http://other.invalid/</loc></url></urlset>`,
		"/":         `<title> Front  page </title><a href="a">a</a><a href="/a#part">again</a><a href="/no/link">no</a><a href="mailto:x@y">mail</a>`,
		"/a":        `<a href="/b">b</a><a href="http://other.invalid/x">elsewhere</a>`,
		"/b":        `<a href="/">back</a><a href="/gone">gone</a>`,
		"/listed":   `<a href="/no/but">but</a>`,
		"/no/but":   `the end`,
		"/no/link":  `never`,
		"/unlinked": `never`,
	})
	got := run(t, testConfig(t, s.url), nil)

	want := []string{"/", "/a", "/b", "/gone", "/listed", "/no/but"}
	if diff := cmp.Diff(want, got.paths(s.url)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	asked := s.asked()
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"/", "/a", "/b", "/deep/map.xml", "/gone", "/index.xml", "/listed", "/no/but"}, asked); diff != "" {
		t.Errorf("the site was asked for (-want +got):\n%s", diff)
	}
	if got.End != EndFinished || got.Left != 0 || got.Robots != 1 || got.Sitemaps != 2 || got.Entries != 3 {
		t.Errorf("summary %+v", got.Summary)
	}
	for _, p := range got.pages {
		switch p.URL {
		case s.url + "/":
			if p.Title != "Front page" || p.Source != "start" || p.Via != "" || p.Depth != 0 || p.Status != 200 {
				t.Errorf("front page: %+v", p)
			}
		case s.url + "/b":
			if p.Source != "link" || p.Via != s.url+"/a" || p.Depth != 2 {
				t.Errorf("page behind two links: %+v", p)
			}
		case s.url + "/listed":
			if p.Source != "sitemap" || p.Via != s.url+"/deep/map.xml" {
				t.Errorf("page of a sitemap: %+v", p)
			}
		case s.url + "/gone":
			if p.Status != 404 {
				t.Errorf("missing page: %+v", p)
			}
		}
	}
	for _, path := range []string{"/no/link", "/no/listed"} {
		r := got.refusal(t, s.url+path)
		want := output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /no", Line: 3, RobotsURL: s.url + "/robots.txt"}
		if r.Reason != want.Reason || r.Rule != want.Rule || r.Line != want.Line || r.RobotsURL != want.RobotsURL {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if r := got.refusal(t, "http://other.invalid/x"); r.Reason != output.OutOfScope {
		t.Errorf("a link to another host: %+v", r)
	}
	if r := got.refusal(t, "http://other.invalid/"); r.Reason != output.NotEntitled {
		t.Errorf("ROB-SMP-18: a sitemap that lists another host: %+v", r)
	}
	var links []string
	for _, l := range readOutput[output.Links](t, Config{Output: Output{Dir: got.Output}}, "links.jsonl") {
		links = append(links, strings.TrimPrefix(l.URL, s.url)+" "+strings.ReplaceAll(strings.Join(l.To, " "), s.url, ""))
	}
	slices.Sort(links)
	if diff := cmp.Diff([]string{"/ /a /no/link", "/a /b http://other.invalid/x", "/b / /gone", "/listed /no/but"}, links); diff != "" {
		t.Errorf("%s (-want +got):\n%s", "links.jsonl", diff)
	}
	if files, err := os.ReadDir(got.Output + "/robots"); err != nil || len(files) != 2 {
		t.Errorf("robots/ holds %v, %v", files, err)
	}
}

// ROB-GEN-04 and the rules for redirects: a target is a URL of its own.
func TestROB_GEN_04_redirects(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private\n", "/": "other", "/private": "never",
	})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private\n",
		"/": `<a href="/to-private">1</a><a href="/to-page">2</a><a href="/loop">3</a>
			<a href="/to-other">4</a><a href="/to-other-private">5</a><a href="/chain/0">6</a><a href="/nowhere">7</a>`,
		"/page": "a page", "/private": "never",
	})
	redirect := func(from, to string) {
		s.handle(from, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	redirect("/to-private", "/private")
	redirect("/to-page", "page#x")
	redirect("/loop", "/loop")
	redirect("/to-other", other.url+"/")
	redirect("/to-other-private", other.url+"/private")
	redirect("/nowhere", "mailto:a@b")
	s.mux.HandleFunc("/chain/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		http.Redirect(w, r, fmt.Sprintf("/chain/%d", n+1), http.StatusFound)
	})
	got := run(t, testConfig(t, s.url, other.url), nil)

	for _, s := range []*site{s, other} {
		if s.count("/private") > 0 {
			t.Errorf("%s/private was requested", s.url)
		}
		if r := got.refusal(t, s.url+"/private"); r.Reason != output.Disallowed || r.Source != "redirect" {
			t.Errorf("%+v", r)
		}
	}
	if s.count("/page") != 1 || s.count("/loop") != 1 || other.count("/") != 1 {
		t.Errorf("asked %v and %v", s.asked(), other.asked())
	}
	if n := len(slices.DeleteFunc(s.asked(), func(u string) bool { return !strings.HasPrefix(u, "/chain/") })); n != maxHops+1 {
		t.Errorf("an endless chain was followed for %d requests, want %d", n, maxHops+1)
	}
	if r := got.refusal(t, fmt.Sprintf("%s/chain/%d", s.url, maxHops+1)); r.Reason != output.TooManyHops {
		t.Errorf("end of the chain: %+v", r)
	}
}

func TestStartRedirectJoinsTheScope(t *testing.T) {
	www := newSite(t, "127.0.0.2", map[string]string{
		"/": `<a href="/more">more</a>`, "/more": "more", "/early": "linked before the host belonged to the crawl",
	})
	blog := newSite(t, "127.0.0.3", map[string]string{"/": `<a href="` + www.url + `/early">early</a>`})
	bare := newSite(t, "127.0.0.1", nil)
	var blogSeen atomic.Bool
	bare.handle("/", func(w http.ResponseWriter, r *http.Request) {
		for deadline := time.Now().Add(5 * time.Second); !blogSeen.Load() && time.Now().Before(deadline); {
			blogSeen.Store(blog.count("/") > 0)
		}
		http.Redirect(w, r, www.url+"/", http.StatusMovedPermanently)
	})
	got := run(t, testConfig(t, bare.url, blog.url), nil)

	if diff := cmp.Diff([]string{"/", "/early", "/more"}, got.paths(www.url)); diff != "" {
		t.Errorf("pages of the host a start URL led to (-want +got):\n%s", diff)
	}
	if len(got.Joined) != 1 || len(got.notices) != 1 || !strings.Contains(got.notices[0], www.url) {
		t.Errorf("joined %v, notices %q", got.Joined, got.notices)
	}
	if len(got.rejected) != 0 {
		t.Errorf("rejected %+v", got.rejected)
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
			got := run(t, cfg, nil)
			if diff := cmp.Diff(want, got.paths(s.url)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if depth < 0 {
				return
			}
			if len(got.rejected) != 1 {
				t.Errorf("rejected %+v, want the first URL that is too deep and nothing else", got.rejected)
			}
			if r := got.refusal(t, fmt.Sprintf("%s/%d", s.url, depth+1)); r.Reason != output.TooDeep {
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
		if got := run(t, cfg, nil); got.Pages != limit || got.End != EndMaxPages || got.Left == 0 {
			t.Errorf("max-pages %d: %d pages, end %q, %d left", limit, got.Pages, got.End, got.Left)
		}
	}
}

func TestMaxTime(t *testing.T) {
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
	got := run(t, cfg, nil)
	if got.End != EndMaxTime || got.Pages == 0 || got.Left != 1 {
		t.Errorf("end %q after %d pages with %d left", got.End, got.Pages, got.Left)
	}
}

// ROB-POL-08: a permanent failure is asked for as often as Retries says, and then
// listed as it is.
func TestROB_POL_08(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/broken">b</a><a href="/cut">c</a>`})
	s.handle("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	s.handle("/cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	cfg := testConfig(t, s.url)
	cfg.Fetch.Retries = 1
	got := run(t, cfg, nil)
	if s.count("/broken") != 2 {
		t.Errorf("/broken was asked for %d times, want 2", s.count("/broken"))
	}
	if i := slices.IndexFunc(got.pages, func(p output.Page) bool { return p.URL == s.url+"/broken" }); i < 0 ||
		got.pages[i].Status != 500 || got.pages[i].Attempt != 2 {
		t.Errorf("pages %+v", got.pages)
	}
	if r := got.refusal(t, s.url+"/cut"); r.Reason != output.Failed || r.Detail == "" {
		t.Errorf("%+v", r)
	}
}

// ROB-POL-04: nothing is sent to a host before the time it asked for.
func TestROB_POL_04(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/busy">1</a><a href="/other">2</a>`, "/other": "x"})
	var again atomic.Bool
	s.handle("/busy", func(w http.ResponseWriter, _ *http.Request) {
		if !again.Swap(true) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	cfg := testConfig(t, s.url)
	cfg.Fetch.Retries = 3
	got := run(t, cfg, nil)
	requests := s.requests()
	for i, r := range requests {
		if r.uri == "/busy" && i+1 < len(requests) {
			if gap := requests[i+1].began.Sub(r.end); gap < time.Second {
				t.Errorf("%s was asked for %v after Retry-After: 1", requests[i+1].uri, gap)
			}
			break
		}
	}
	if got.Pages != 3 || got.Statuses[200] != 3 || s.count("/busy") != 2 {
		t.Errorf("%+v, requests %+v", got.Summary, requests)
	}
}

// ROB-POL-03: an unreachable robots.txt holds its URLs back and loses none.
func TestROB_POL_03(t *testing.T) {
	var failures atomic.Int32
	failures.Store(2)
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	s.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		if failures.Add(-1) >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	cfg := testConfig(t, s.url)
	cfg.Limits.MaxWait = time.Minute
	got := run(t, cfg, nil)
	if got.End != EndFinished || got.Pages != 2 || got.Robots != 3 || len(got.rejected) != 0 {
		t.Errorf("%+v, rejected %+v", got.Summary, got.rejected)
	}
	for i, r := range s.requests()[:3] {
		if r.uri != "/robots.txt" {
			t.Errorf("request %d, while robots.txt was unreachable, was for %s", i, r.uri)
		}
	}
}

func TestLaterEndsTheCrawlWhenItIsTooFarAway(t *testing.T) {
	good := newSite(t, "127.0.0.1", map[string]string{"/": "good"})
	bad := newSite(t, "127.0.0.2", nil)
	bad.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	cfg := testConfig(t, bad.url, good.url)
	cfg.Robots.Retry, cfg.Limits.MaxWait = time.Hour, 10*time.Second
	got := run(t, cfg, nil)
	if got.End != EndLater || got.Pages != 1 || got.Left != 1 || time.Until(got.NextDue) < 50*time.Minute {
		t.Errorf("%+v", got.Summary)
	}
	r := got.refusal(t, bad.url+"/")
	if r.Reason != output.Later || r.RobotsURL != bad.url+"/robots.txt" || !strings.Contains(r.Detail, "500") {
		t.Errorf("%+v", r)
	}
	if len(bad.asked()) != 0 {
		t.Errorf("asked for %v", bad.asked())
	}
}

func TestNofollowAndAnotherWay(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":     `<a href="/meta">m</a><a href="/rel">r</a>`,
		"/meta": `<meta name="robots" content="nofollow"><a href="/only-meta">1</a><a href="/both">2</a><a href="/">0</a>`,
		"/rel":  `<a rel="ugc nofollow" href="/only-rel">1</a><a rel=sponsored href="/both">2</a><a href="/both">3</a>`,
		"/both": `reached`, "/only-meta": "never", "/only-rel": "never",
	})
	got := run(t, testConfig(t, s.url), nil)
	if diff := cmp.Diff([]string{"/", "/both", "/meta", "/rel"}, got.paths(s.url)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, path := range []string{"/only-meta", "/only-rel"} {
		if r := got.refusal(t, s.url+path); r.Reason != output.Nofollow {
			t.Errorf("%+v", r)
		}
	}
	if len(got.rejected) != 2 {
		t.Errorf("rejected %+v", got.rejected)
	}
}

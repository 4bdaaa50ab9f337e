package crawler

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// handlerTransport is an http.RoundTripper that calls a handler.
type handlerTransport struct{ http.Handler }

func (t handlerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	in := req.Clone(req.Context())
	in.RequestURI = req.URL.RequestURI()
	t.ServeHTTP(rec, in)
	return rec.Result(), nil
}

// localSite returns a site without a server, and the options of a crawl of it. Its sitemap is in its directory,
// unless the path of the directory is empty.
func localSite(server, dir string, pages map[string]string) (*site, *Options) {
	s := &site{mux: http.NewServeMux()}
	for path, body := range pages {
		s.page(path, body)
	}
	local := &LocalSite{Server: weburl.ServerOf(server), Dir: dir, Transport: handlerTransport{http.HandlerFunc(s.serve)}}
	if dir != "" {
		local.Sitemap = server + dir + "sitemap.xml"
	}
	return s, &Options{Local: local}
}

// Requests to the server of a local site go to it by both schemes, without delay. Other servers keep
// their delay.
func TestLocalSite(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		other := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/1">1</a>`, "/1": "one"})
		local, opts := localSite("https://www.example.com", "", map[string]string{
			"/robots.txt": "User-agent: *\nCrawl-delay: 20\nDisallow: /private\nSitemap: https://www.example.com/sitemap.xml\n",
			"/":           `<a href="/1">1</a><a href="http://www.example.com/2">2</a><a href="/private">p</a>`, "/1": "one", "/2": "two", "/3": "three",
			"/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/3</loc></url></urlset>`,
		})
		cfg := testConfig(t, "https://www.example.com/")
		cfg.Politeness.Delay = 10 * time.Second
		began := time.Now()
		got := runCrawl(t, cfg, opts)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the local site took %v", took)
		}
		uris := local.asked() // the robots.txt of each scheme lists the sitemap, which is read once
		slices.Sort(uris)
		if want := []string{"/", "/1", "/2", "/3", "/sitemap.xml"}; !slices.Equal(uris, want) || got.Pages != 4 {
			t.Errorf("requests %v, want %v; %d pages", uris, want, got.Pages)
		}
		if got.Rejected[output.Disallowed] != 1 {
			t.Errorf("rejected: %v", got.Rejected)
		}

		cfg = testConfig(t, "https://www.example.com/", other.url+"/")
		cfg.Politeness.Delay = 10 * time.Second
		began = time.Now()
		runCrawl(t, cfg, opts)
		if took := time.Since(began); took < 20*time.Second || other.count("/1") != 1 {
			t.Errorf("the other site took %v for %v", took, other.asked())
		}
	})
}

// A crawl of a local site goes on only with that site: its requests would reach the real one.
func TestLocalSiteIsNotTheRealOne(t *testing.T) {
	web := newSite(t, "127.0.0.1", map[string]string{"/": "real"})
	local, first := localSite(web.url, "", map[string]string{"/": "local"})
	cfg := testConfig(t, web.url+"/")
	runCrawl(t, cfg, first)
	for _, opts := range []Options{{Resume: true}, {Recrawl: true}} {
		refuses(t, cfg, &opts, ErrConfig, "crawl the site again")
		opts.Local = first.Local
		runCrawl(t, cfg, &opts)
	}
	if asked := web.asked(); len(asked) > 0 {
		t.Errorf("the real site received %v", asked)
	}
	if n := local.count("/"); n != 2 {
		t.Errorf("%d requests for the page of the local site, want 2", n)
	}
}

// The sitemap of a local site is read once, whether robots.txt lists it or not, and was found in its folder, even if
// a sitemap is probed at the same URL. One that is disallowed is not requested, so it may not exist.
func TestSitemapOfLocalSite(t *testing.T) {
	for _, tt := range []struct {
		dir, front string
		probe      bool
	}{
		{"/", "start", true}, {"/dir/", "start", true}, {"/dir/", `<a href="http://www.example.com/dir/">by http</a>`, false},
	} {
		dir, url := tt.dir, "https://www.example.com"+tt.dir
		for robots, foundOn := range map[string]string{
			"": url, "Sitemap: " + url + "sitemap.xml\n": "https://www.example.com/robots.txt", "Sitemap: " + url + "other.xml\n": url, "User-agent: *\nDisallow: " + dir + "sitemap.xml\n": "",
		} {
			local, opts := localSite("https://www.example.com", dir, map[string]string{
				"/robots.txt": robots, dir: tt.front, dir + "3": "three",
				dir + "sitemap.xml": strings.ReplaceAll(urlset("3"), "{site}", url), dir + "other.xml": urlset(),
			})
			cfg := testConfig(t, url)
			cfg.Sitemaps.Probe = tt.probe
			got := runCrawl(t, cfg, opts)
			want := 1
			if foundOn == "" {
				want = 0
			}
			if local.count(dir+"sitemap.xml") != want || local.count(dir+"3") != want {
				t.Errorf("%q: requests %v; %+v", robots, local.asked(), got)
			}
			lines := slices.DeleteFunc(readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl"), func(s output.Sitemap) bool { return s.URL != url+"sitemap.xml" })
			if len(lines) != 1 || lines[0].FoundOn != foundOn {
				t.Errorf("%q: found on %q: %+v", robots, foundOn, lines)
			}
		}
	}
}

// The guard blocks the addresses of other hosts beside a local site, but not the links of the local
// site to itself, even if its name is that of loopback.
func TestGuardBesideLocalSite(t *testing.T) {
	for _, origin := range []string{"https://www.example.com", "http://localhost", "http://127.0.0.1"} {
		cfg := testConfig(t, origin+"/", "http://10.0.0.1/")
		cfg.Scope.Kind, cfg.Fetch.AllowAddr = ScopeAny, nil
		_, opts := localSite(origin, "", map[string]string{"/": `<a href="/a">a</a><a href="http://127.0.0.1:1/">other port</a>`, "/a": "a"})
		got := runCrawl(t, cfg, opts)
		if got.Rejected[output.BlockedAddress] != 2 || got.Pages != 2 {
			t.Errorf("%s: %d pages, rejected: %v", origin, got.Pages, got.Rejected)
		}
	}
}

// A local site may be a directory of its server. The rest of the server is not requested, whatever
// the scope is.
func TestLocalDirectory(t *testing.T) {
	for _, kind := range []ScopeKind{ScopeHost, ScopePath, ScopeAny} {
		local, opts := localSite("https://www.example.com", "/dir/", map[string]string{"/dir/": `<a href="/dir/a">a</a><a href="/dir">d</a><a href="/">h</a><a href="/directory/">o</a><img src="/logo.png"><img src="/dir/logo.png">`})
		opts.Local.Sitemap = ""
		cfg := testConfig(t, "https://www.example.com/dir/")
		cfg.Scope.Kind = kind
		_, checks := checkedCrawl(t, cfg, opts, CheckAll)
		uris := local.asked()
		slices.Sort(uris)
		if want := []string{"/dir", "/dir/", "/dir/a", "/dir/logo.png"}; !slices.Equal(slices.Compact(uris), want) { // HEAD, then GET
			t.Errorf("%s: requests %q, want %q", kind, uris, want)
		}
		if c := checks["https://www.example.com/logo.png"]; c.Result != output.CheckUnverified || c.Reason != output.OutOfScope || c.Detail == "" {
			t.Errorf("%s: %+v", kind, c)
		}
	}
}

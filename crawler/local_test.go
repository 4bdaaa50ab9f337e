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

// Requests to the server of a local site go to it by both schemes, without delay. Other servers keep
// their delay.
func TestLocalSite(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		other := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/1">1</a>`, "/1": "one"})
		local := &site{mux: http.NewServeMux()}
		for path, body := range map[string]string{
			"/robots.txt": "User-agent: *\nCrawl-delay: 20\nDisallow: /private\nSitemap: https://www.example.com/sitemap.xml\n",
			"/":           `<a href="/1">1</a><a href="http://www.example.com/2">2</a><a href="/private">p</a>`, "/1": "one", "/2": "two", "/3": "three",
			"/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/3</loc></url></urlset>`,
		} {
			local.page(path, body)
		}
		cfg := testConfig(t, "https://www.example.com/")
		cfg.Politeness.Delay = 10 * time.Second
		began := time.Now()
		opts := &Options{Local: &LocalSite{Server: "www.example.com", Transport: handlerTransport{http.HandlerFunc(local.serve)}}}
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
	web, local := newSite(t, "127.0.0.1", map[string]string{"/": "real"}), &site{mux: http.NewServeMux()}
	local.page("/", "local")
	cfg := testConfig(t, web.url+"/")
	site := &LocalSite{Server: weburl.ServerOf(web.url), Transport: handlerTransport{http.HandlerFunc(local.serve)}}
	runCrawl(t, cfg, &Options{Local: site})
	for _, opts := range []Options{{Resume: true}, {Recrawl: true}} {
		refuses(t, cfg, &opts, ErrConfig, "crawl the site again")
		opts.Local = site
		runCrawl(t, cfg, &opts)
	}
	if asked := web.asked(); len(asked) > 0 {
		t.Errorf("the real site received %v", asked)
	}
	if n := local.count("/"); n != 2 {
		t.Errorf("%d requests for the page of the local site, want 2", n)
	}
}

// The sitemap of a local site is read once, whether robots.txt lists it or not.
func TestSitemapOfLocalSite(t *testing.T) {
	for _, robots := range []string{"", "Sitemap: https://www.example.com/dir/sitemap.xml\n", "Sitemap: https://www.example.com/dir/other.xml\n", "User-agent: *\nDisallow: /dir/sitemap.xml\n"} {
		local := &site{mux: http.NewServeMux()}
		for path, body := range map[string]string{
			"/robots.txt": robots, "/dir/": `<a href="http://www.example.com/dir/">by http</a>`, "/dir/3": "three",
			"/dir/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/dir/3</loc></url></urlset>`,
			"/dir/other.xml":   `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`,
		} {
			local.page(path, body)
		}
		got := runCrawl(t, testConfig(t, "https://www.example.com/dir/"), &Options{Local: &LocalSite{
			Server: "www.example.com", Dir: "/dir/", Sitemap: "https://www.example.com/dir/sitemap.xml", Transport: handlerTransport{http.HandlerFunc(local.serve)},
		}})
		want := 1
		if strings.Contains(robots, "Disallow") {
			want = 0
		}
		if local.count("/dir/sitemap.xml") != want || local.count("/dir/3") != want {
			t.Errorf("%q: requests %v; %+v", robots, local.asked(), got)
		}
	}
}

// The sitemap of a local site was found in its folder, even if no robots.txt lists it and a sitemap is probed at the same
// URL. One that is disallowed was not requested, so it may not exist.
func TestSitemapOfLocalSiteIsNotProbed(t *testing.T) {
	for _, dir := range []string{"/", "/dir/"} {
		for _, disallowed := range []bool{false, true} {
			local, url := &site{mux: http.NewServeMux()}, "https://www.example.com"+dir
			local.page(dir, "start")
			want, requests := output.Sitemap{URL: url + "sitemap.xml", FoundOn: url}, 1
			if disallowed {
				local.page("/robots.txt", "User-agent: *\nDisallow: "+dir+"sitemap.xml\n")
				want.FoundOn, requests = "", 0
			}
			cfg := testConfig(t, url)
			cfg.Sitemaps.Probe = true
			runCrawl(t, cfg, &Options{Local: &LocalSite{
				Server: "www.example.com", Dir: dir, Sitemap: want.URL, Transport: handlerTransport{http.HandlerFunc(local.serve)},
			}})
			lines := slices.DeleteFunc(readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl"), func(s output.Sitemap) bool { return s.URL != want.URL })
			if len(lines) != 1 || lines[0].FoundOn != want.FoundOn || local.count(dir+"sitemap.xml") != requests {
				t.Errorf("%s, disallowed %t: %+v, requests %v", dir, disallowed, lines, local.asked())
			}
		}
	}
}

// The guard blocks the addresses of other hosts beside a local site, but not the links of the local
// site to itself, even if its name is that of loopback.
func TestGuardBesideLocalSite(t *testing.T) {
	local := &site{mux: http.NewServeMux()}
	local.page("/", `<a href="/a">a</a><a href="http://127.0.0.1:1/">other port</a>`)
	local.page("/a", "a")
	for _, origin := range []string{"https://www.example.com", "http://localhost", "http://127.0.0.1"} {
		cfg := testConfig(t, origin+"/", "http://10.0.0.1/")
		cfg.Scope.Kind, cfg.Fetch.AllowAddr = ScopeAny, nil
		got := runCrawl(t, cfg, &Options{Local: &LocalSite{Server: weburl.ServerOf(origin), Transport: handlerTransport{http.HandlerFunc(local.serve)}}})
		if got.Rejected[output.BlockedAddress] != 2 || got.Pages != 2 {
			t.Errorf("%s: %d pages, rejected: %v", origin, got.Pages, got.Rejected)
		}
	}
}

// A local site may be a directory of its server. The rest of the server is not requested, whatever
// the scope is.
func TestLocalDirectory(t *testing.T) {
	for _, kind := range []ScopeKind{ScopeHost, ScopePath, ScopeAny} {
		local := &site{mux: http.NewServeMux()}
		local.page("/dir/", `<a href="/dir/a">a</a><a href="/dir">d</a><a href="/">h</a><a href="/directory/">o</a><img src="/logo.png"><img src="/dir/logo.png">`)
		cfg := testConfig(t, "https://www.example.com/dir/")
		cfg.Scope.Kind = kind
		_, checks := checkedCrawl(t, cfg, &Options{Local: &LocalSite{Server: "www.example.com", Dir: "/dir/", Transport: handlerTransport{http.HandlerFunc(local.serve)}}}, CheckAll)
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

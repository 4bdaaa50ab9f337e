package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// archiveTo returns options with a format that stands in for WARC.
func archiveTo(kept *keeping) *Options {
	f := kept.format()
	f.Name = "warc"
	return &Options{Formats: []output.Format{f}}
}

// archiveTypes are the media types of test files by the ends of their names; others are HTML.
var archiveTypes = map[string]string{
	".css": "text/css", ".js": "text/javascript", ".png": "image/png", ".woff2": "font/woff2", ".mp4": "video/mp4", ".svg": "image/svg+xml",
	".webmanifest": "application/manifest+json", ".vtt": "text/vtt", ".txt": "text/plain",
}

// newArchiveSite serves files, each with the media type of its name.
func newArchiveSite(t *testing.T, address string, files map[string]string) *site {
	s := newSite(t, address, nil)
	for name, body := range files {
		s.handle(name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", archiveTypes[path.Ext(name)])
			if archiveTypes[path.Ext(name)] == "" {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
			}
			_, _ = fmt.Fprint(w, body)
		})
	}
	return s
}

// archived crawls with Output.Archive, and returns the requests to the sites, sorted; those to all but the first one
// have its number before the path. Each URL is requested once, by GET, or not at all.
func archived(t *testing.T, cfg Config, opts *Options, sites ...*site) ([]string, map[string]output.Check) {
	t.Helper()
	cfg.Output.Archive = true
	if opts == nil {
		opts = archiveTo(new(keeping))
	}
	got := runCrawl(t, cfg, opts)
	return requestedOnce(t, sites...), checksOf(t, cfg, got)
}

// requestedOnce returns the paths that were requested, and complains of those that were not requested by one GET.
func requestedOnce(t *testing.T, sites ...*site) []string {
	t.Helper()
	var all []string
	for i, s := range sites {
		for _, line := range s.linesOf(func(request) bool { return true }) {
			method, uri, _ := strings.Cut(line, " ")
			if i > 0 {
				uri = fmt.Sprint(i, uri)
			}
			if method != http.MethodGet || slices.Contains(all, uri) {
				t.Errorf("%s %s, want one GET", method, uri)
			}
			all = append(all, uri)
		}
	}
	return sorted(all)
}

// A file that was fetched as a page is requested again where pages use it as an asset that has assets of its own.
func TestArchiveReadsFilesThatWerePages(t *testing.T) {
	s := newArchiveSite(t, "127.0.0.1", map[string]string{
		"/": `<a href=/a.css>x</a><a href=/a.svg>x</a><a href=/two>x</a>`, "/two": `<link rel=stylesheet href=/a.css><object data=/a.svg></object><iframe src=/></iframe>`,
		"/a.css": `p { background: url(b.png) }`, "/a.svg": `<svg xmlns="http://www.w3.org/2000/svg"><image href="c.png"/></svg>`,
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Output.Archive, cfg.Limits.Concurrency = true, 1
	runCrawl(t, cfg, archiveTo(new(keeping)))
	want := []string{"GET /", "GET /a.css", "GET /a.css", "GET /a.svg", "GET /a.svg", "GET /b.png", "GET /c.png", "GET /two"}
	if diff := cmp.Diff(want, sorted(s.linesOf(func(request) bool { return true }))); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// An archive has what pages need to be shown: each file is requested once by GET, whichever pages and hosts need it.
func TestArchiveRequestsWhatPagesNeed(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"img and srcset", `<img src=/a.png srcset="/b.png 1x, {1}/c.png 2x">`, "/a.png /b.png 1/c.png"},
		{"picture", `<picture><source srcset="/a.png, /b.png 2x"><img src=/c.png></picture>`, "/a.png /b.png /c.png"},
		{"input", `<input type=image src=/a.png><input type=text src=/b.png>`, "/a.png"},
		{"media", `<video poster=/a.png src=/a.mp4><source src=/b.mp4><track src=/a.vtt></video><audio src=/c.mp4>`, "/a.mp4 /a.png /a.vtt /b.mp4 /c.mp4"},
		{"object and embed", `<object data=/a.png></object><embed src=/a.mp4>`, "/a.mp4 /a.png"},
		{"documents in objects", `<object data={1}/frame></object><embed src=/drawing.svg>`, "/drawing.svg /in.png 1/frame 1/frame.css 1/frame.png"},
		{"stylesheets", `<link rel=stylesheet href=/a.css>`, "/a.css /b.css /bg.png /c.css /d.png 1/font.woff2"},
		{"a preloaded stylesheet", `<link rel=preload as=style href=/a.css onload="this.rel='stylesheet'">`, "/a.css /b.css /bg.png /c.css /d.png 1/font.woff2"},
		{"style elements and attributes", `<style>@import "/c.css"; p { background: url(/a.png) }</style><p style="background: url('{1}/b.png')">`, "/a.png /c.css /d.png 1/b.png"},
		{"an image in CSS that is CSS", `<style>p { background: url(/a.css) }</style>`, "/a.css"},
		{"scripts", `<script src=/a.js></script><script src={1}/b.js type=module></script><script type=text/x-data src=/c.js></script>`, "/a.js 1/b.js"},
		{"modules", `<script type=module src=/main.js></script><script type=module>import "{1}/b.js"</script><link rel=modulepreload href=/c.js>`, "/main.js /lib/dep.js /lib/dep2.js 1/b.js /c.js /d.js"},
		{"classic scripts", `<script src=/old.js></script><link rel=preload as=script href=/old.js>`, "/old.js"},
		{"icons", `<link rel=icon href=/a.png><link rel=apple-touch-icon href=/b.png><link rel="shortcut icon" href=/c.png>`, "/a.png /b.png /c.png"},
		{"preload", `<link rel=preload as=font href=/font.woff2><link rel=modulepreload href=/a.js><link rel=preload as=image imagesrcset="/b.png 2x" href=/a.png>`, "/a.js /a.png /b.png /font.woff2"},
		{"manifest", `<link rel=manifest href=/app.webmanifest>`, "/app.webmanifest"},
		{"SVG", `<svg><image href=/a.png /><image xlink:href=/b.png /><use href="/sprite.svg#a"/><use href="/sprite.svg#b"/><use href="#c"/></svg>`, "/a.png /b.png /sprite.svg"},
		{"background", `<body background=/a.png><table><td background=/b.png></table>`, "/a.png /b.png"},
		{"other schemes", `<img src=data:image/png,x><img src=blob:http://a.test/1><iframe src=about:blank></iframe><iframe src="javascript:1"></iframe><embed src=mailto:x>`, ""},
		{"in noscript", `<noscript><img src=/a.png></noscript>`, "/a.png"},
		{"redirects", `<img src=/moved.png><link rel=stylesheet href=/moved.css>`, "/moved.png 1/end.png /moved.css /c.css /d.png"},
		{"shared by pages", `<img src=/a.png><a href=/two>2</a><a href=/three>3</a>`, "/a.png /three /two"},
		{"linked and shown", `<a href=/a.png><img src=/a.png></a>`, "/a.png"},
		{"also in a link element", `<link rel=prefetch href=/a.png><img src=/a.png><link itemprop=image href=/b.png><video poster=/b.png></video>`, "/a.png /b.png"},
		{"frames in scope", `<iframe src=/two></iframe><iframe src=/three></iframe>`, "/a.png /three /two"},
		{"framesets", `<frameset><frame src=/two><frame src={1}/frame></frameset>`, "/a.png /two 1/frame 1/frame.css 1/frame.png"},
		{"frames out of scope", `<iframe src={1}/frame></iframe>`, "1/frame 1/frame.css 1/frame.png"},
		{"frames that are links before", `<a href={1}/frame>x</a><iframe src={1}/frame></iframe>`, "1/frame 1/frame.css 1/frame.png"},
		{"links out of scope", `<a href={1}/frame>x</a><link rel=license href={1}/l><link rel=canonical href={1}/c>`, ""},
		{"frames in frames", `<iframe src={1}/outer></iframe>`, "1/outer 1/frame 1/frame.css 1/frame.png"},
		{"frames with redirects", `<iframe src={1}/moved></iframe>`, "1/moved 1/frame 1/frame.css 1/frame.png"},
		{"frames with documents", `<base href=/dir/><iframe srcdoc='<img src=&quot;a.png&quot;><a href=/never>x</a><iframe src=/frame></iframe><iframe srcdoc="<img src=&amp;quot;b.png&amp;quot;>"></iframe>' src=/never></iframe>`, "/dir/a.png /frame"},
		{"missing", `<img src=/missing.png>`, "/missing.png"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			other := newArchiveSite(t, "127.0.0.2", map[string]string{
				"/frame": `<link rel=stylesheet href=frame.css><img src=/frame.png><a href=/never>x</a>`, "/outer": `<iframe src=/frame></iframe><a href=/never>x</a>`,
				"/frame.css": "", "/never": `<img src=/never.png>`,
			})
			other.handle("/moved", redirect("/frame"))
			s := newArchiveSite(t, "127.0.0.1", map[string]string{
				"/": strings.ReplaceAll(tt.page, "{1}", other.url), "/two": `<img src=/a.png>`, "/three": `<img src=/a.png>`, "/a.png": "",
				"/a.css": `@import "b.css"; @import url(c.css) print; @font-face { src: url(` + other.url + `/font.woff2) }`, "/b.css": `p { background: url(bg.png) }`, "/c.css": `p { background: url(d.png) }`,
				"/main.js": `import "./lib/dep.js"; import x from "x"`, "/lib/dep.js": `export * from "./dep2.js"; import "../main.js"`, "/c.js": `import("/d.js")`,
				"/drawing.svg": `<svg xmlns="http://www.w3.org/2000/svg"><image href="in.png"/></svg>`, "/old.js": `import("/d.js")`,
			})
			s.handle("/moved.png", redirect(other.url+"/end.png"))
			s.handle("/moved.css", redirect("/c.css"))
			cfg := testConfig(t, s.url+"/")
			if tt.name == "frames that are links before" {
				cfg.Scope.Check = []string{CheckExternal}
			}
			got, _ := archived(t, cfg, nil, s, other)
			want := append(strings.Fields(tt.want), "/")
			if diff := cmp.Diff(sorted(want), got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// Link elements for programs, such as that of a feed, are checked by HEAD. Nothing shows these files.
func TestArchiveOnlyChecksFeeds(t *testing.T) {
	s := newArchiveSite(t, "127.0.0.1", map[string]string{
		"/": `<link rel=alternate type=application/rss+xml href=/feed><link rel=search type=application/opensearchdescription+xml href=/search><link rel=prefetch as=style href=/next.css>`, "/feed": "", "/search": "", "/next.css": "",
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Output.Archive = true
	runCrawl(t, cfg, archiveTo(new(keeping)))
	if got, want := s.sent(), []string{"GET /", "HEAD /feed", "HEAD /next.css", "HEAD /search"}; !slices.Equal(sorted(got), want) {
		t.Errorf("requests %q, want %q", got, want)
	}
}

// What a page needs is requested although it is queued as a page too, if its type or a limit may exclude that page.
func TestArchiveRequestsWhatIsNoPage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"types", func(c *Config) { c.Fetch.Types = []string{"text/html"} }, []string{"/", "/a.png", "/a.png", "/frame", "/frame", "/in.png"}},
		{"max-host-pages", func(c *Config) { c.Limits.MaxHostPages = 1 }, []string{"/", "/a.png", "/frame", "/in.png"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newArchiveSite(t, "127.0.0.1", map[string]string{"/": `<a href=/a.png><img src=/a.png></a><iframe src=/frame></iframe>`, "/a.png": "", "/frame": `<img src=/in.png>`, "/in.png": ""})
			cfg := testConfig(t, s.url+"/")
			cfg.Output.Archive, cfg.Limits.Concurrency = true, 1
			tt.change(&cfg)
			checks := checksOf(t, cfg, runCrawl(t, cfg, archiveTo(new(keeping))))
			if got := sorted(s.asked()); !slices.Equal(got, tt.want) {
				t.Errorf("requests %q, want %q", got, tt.want)
			}
			for _, path := range []string{"/a.png", "/frame", "/in.png"} {
				if checks[s.url+path].Result != output.CheckOK {
					t.Errorf("%s: %+v", path, checks[s.url+path])
				}
			}
		})
	}
}

// An archive has no bodies that a directive or a purpose forbids, and nothing that such a frame uses is requested.
func TestArchiveObeysDirectivesAndPurposes(t *testing.T) {
	const body = "BODY"
	noarchive := "<!doctype html><meta name=robots content=noarchive>" + body
	other := newArchiveSite(t, "127.0.0.2", map[string]string{
		"/noarchive": noarchive, "/reserved": `<meta name=tdm-reservation content=1><img src=/never.png>` + body, "/frame": `<img src=/a.png>`, "/a.png": "",
		"/.well-known/tdmrep.json": `[{"location": "/no.png", "tdm-reservation": 1}]`, "/no.png": body, "/never.png": body, "/link": noarchive, "/error": noarchive,
	})
	other.handle("/untyped", page(200, noarchive, "Content-Type", ""))
	other.handle("/headless", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
		_, _ = fmt.Fprint(w, noarchive)
	})
	s := newArchiveSite(t, "127.0.0.1", map[string]string{"/": strings.ReplaceAll(
		`<img src={1}/untyped><img src={1}/no.png><img src={1}/error><iframe src={1}/noarchive></iframe><iframe src={1}/reserved></iframe><iframe src={1}/frame></iframe><a href={1}/link>x</a><a href={1}/headless>x</a>`, "{1}", other.url)})
	cfg := testConfig(t, s.url+"/")
	cfg.Usage.Purposes, cfg.Scope.Check, cfg.Output.Archive = []string{"tdm"}, []string{CheckExternal}, true
	kept := new(keeping)
	got := runCrawl(t, cfg, archiveTo(kept))
	checks := checksOf(t, cfg, got)
	for _, path := range []string{"/no.png", "/reserved"} {
		if c := checks[other.url+path]; c.Result != output.CheckUnverified || c.Reason != output.Usage || c.Detail == "" {
			t.Errorf("%s: %+v", path, c)
		}
	}
	if other.count("/no.png")+other.count("/never.png") > 0 || other.count("/a.png") != 1 {
		t.Errorf("requests %q", other.asked())
	}
	for _, l := range readOutput[output.Links](t, cfg, "links.jsonl") {
		if l.URL == other.url+"/reserved" {
			t.Errorf("%+v", l)
		}
	}
	withheld := map[string]string{"/untyped": "noarchive", "/noarchive": "noarchive", "/error": "noarchive", "/reserved": `tdm: disallowed by "1", meta tdm-reservation`, "/link": "", "/frame": ""}
	for _, e := range kept.Exchanges {
		path := strings.TrimPrefix(e.URL, other.url)
		if want, known := withheld[path]; known && e.Withheld != want {
			t.Errorf("%s: withheld %q, want %q", path, e.Withheld, want)
		}
		if b, _ := e.Body.(output.BytesBody); strings.Contains(string(b), body) {
			t.Errorf("%s is archived", path)
		}
		delete(withheld, path)
	}
	if len(withheld) > 0 {
		t.Errorf("no exchange of %v", withheld)
	}
}

// A page that was not read, or not decoded, may forbid archiving: its body is withheld unless directives are not obeyed.
func TestArchiveWithholdsWhatWasNotRead(t *testing.T) {
	noarchive := []byte("<!doctype html><meta name=robots content=noarchive>" + strings.Repeat("<p>text", 100))
	packed := encode(t, "gzip", noarchive)
	s := newSite(t, "127.0.0.1", nil)
	for _, path := range []string{"/page", "/page-untyped", "/unknown", "/unknown-error", "/unknown-untyped", "/cut", "/short", "/invalid", "/image", "/image-unknown"} {
		name, kind, _ := strings.Cut(path[1:], "-")
		s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
			header, body, status := w.Header(), noarchive, http.StatusOK
			header["Content-Type"] = []string{"text/html"}
			switch name {
			case "unknown":
				header.Set("Content-Encoding", "compress")
			case "cut", "short", "invalid":
				header.Set("Content-Encoding", "gzip")
				body = packed[:len(packed)/2]
			case "image":
				header.Set("Content-Type", "image/png")
			}
			switch {
			case name == "short": // the connection ends too early
				header.Set("Content-Length", fmt.Sprint(len(packed)))
			case name == "invalid":
				body = slices.Concat(body, []byte("invalid"))
			case kind == "untyped":
				header["Content-Type"] = nil
			case kind == "error":
				status = http.StatusNotFound
			case kind == "unknown":
				header.Set("Content-Encoding", "compress")
			}
			w.WriteHeader(status)
			_, _ = w.Write(body)
		})
	}
	all := []string{"/unknown", "/unknown-error", "/unknown-untyped", "/cut", "/short", "/invalid", "/image-unknown"}
	for _, tt := range []struct {
		name  string
		set   func(*Config)
		paths []string
		kept  []string
	}{
		{"directives", func(*Config) {}, all, []string{"/image-unknown"}},
		{"a purpose", func(c *Config) { c.Robots.ObeyNoindex, c.Usage.Purposes = false, []string{"search"} }, all, []string{"/image-unknown"}},
		{"neither", func(c *Config) { c.Robots.ObeyNoindex = false }, all, all},
		{"types", func(c *Config) { c.Fetch.Types = []string{"application/pdf"} }, []string{"/page", "/page-untyped", "/image"}, []string{"/image"}},
		{"types, and directives are not obeyed", func(c *Config) { c.Fetch.Types, c.Robots.ObeyNoindex = []string{"application/pdf"}, false }, []string{"/page", "/image"}, []string{"/image", "/page"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := testConfig(t)
			for _, path := range tt.paths {
				cfg.URLs = append(cfg.URLs, s.url+path)
			}
			tt.set(&cfg)
			found := new(keeping)
			runCrawl(t, cfg, &Options{Formats: []output.Format{found.format()}})
			got := make(map[string]string) // reasons
			var kept []string
			for _, e := range found.Exchanges {
				path := strings.TrimPrefix(e.URL, s.url)
				if slices.Contains(tt.paths, path) {
					if got[path] = e.Withheld; e.Body != nil {
						kept = append(kept, path)
					}
				}
			}
			if !slices.Equal(sorted(kept), sorted(tt.kept)) || len(got) != len(tt.paths) {
				t.Errorf("kept %q, want %q; reasons %q", kept, tt.kept, got)
			}
			for path, why := range got {
				if want := "unread"; !slices.Contains(kept, path) && why != want {
					t.Errorf("%s: withheld %q, want %q", path, why, want)
				}
			}
		})
	}
}

// A frame in scope that the crawl does not fetch as a page is read like one outside.
func TestArchiveReadsFramesThatAreNoPages(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"max-depth":     func(c *Config) { c.Scope.MaxDepth = 0 },
		"include":       func(c *Config) { c.Scope.Include = []string{"/$"} },
		"only-sitemaps": func(c *Config) { c.Sitemaps.Only = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newArchiveSite(t, "127.0.0.1", map[string]string{"/": `<iframe src=/frame></iframe>`, "/frame": `<img src=/a.png><a href=/never>x</a>`})
			cfg := testConfig(t, s.url+"/")
			change(&cfg)
			got, checks := archived(t, cfg, nil, s)
			if want := []string{"/", "/a.png", "/frame"}; !slices.Equal(got, want) || checks[s.url+"/frame"].Kind != "iframe" {
				t.Errorf("requests %q, want %q; %+v", got, want, checks[s.url+"/frame"])
			}
		})
	}
}

// What a page needs is received to its end, also beyond max-body, and before further pages, which are received to their
// end too. Its bytes count.
func TestArchiveRequestsWholeFiles(t *testing.T) {
	large := strings.Repeat("x", 16<<20) // more than buffers hold
	s := newArchiveSite(t, "127.0.0.1", map[string]string{"/": `<a href=/page>p</a><img src=/a.png>`})
	var mu sync.Mutex
	var sent []string
	for _, path := range []string{"/page", "/a.png"} {
		s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if n, err := fmt.Fprint(w, large); n == len(large) && err == nil {
				mu.Lock()
				defer mu.Unlock()
				sent = append(sent, path)
			}
		})
	}
	cfg := testConfig(t, s.url+"/")
	cfg.Fetch.MaxBody, cfg.Limits.Concurrency = 1000, 1
	_, checks := archived(t, cfg, nil, s)
	if c := checks[s.url+"/a.png"]; c.Bytes != len(large) || c.ContentType != "text/html" || c.Result != output.CheckOK {
		t.Errorf("%+v, want %d bytes", c, len(large))
	}
	if want := []string{"/a.png", "/page"}; !slices.Equal(sent, want) {
		t.Errorf("received %q, want %q", sent, want)
	}
}

// Bytes beyond max-body count for max-bytes too.
func TestArchiveCountsAllBytes(t *testing.T) {
	files := map[string]string{"/": `<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a>`}
	for i := range 4 {
		files[fmt.Sprint("/", i+1)] = strings.Repeat("x", 100_000)
	}
	s := newArchiveSite(t, "127.0.0.1", files)
	cfg := testConfig(t, s.url+"/")
	cfg.Fetch.MaxBody, cfg.Limits.MaxBytes, cfg.Limits.Concurrency = 1000, 150_000, 1
	if got, _ := archived(t, cfg, nil, s); len(got) != 3 {
		t.Errorf("requests %q, want 3", got)
	}
}

// A file that ends too early is requested again.
func TestArchiveRetriesCutFiles(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<img src=/a.png>`})
		s.handle("/a.png", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			n := 100
			if s.count("/a.png") == 1 {
				n = 50
			}
			_, _ = fmt.Fprint(w, strings.Repeat("x", n))
		})
		cfg := testConfig(t, s.url+"/")
		cfg.Output.Archive, cfg.Fetch.Retries, cfg.Limits.MaxWait = true, 1, time.Minute
		got := runCrawl(t, cfg, archiveTo(new(keeping)))
		if c := checksOf(t, cfg, got)[s.url+"/a.png"]; c.Bytes != 100 || s.count("/a.png") != 2 {
			t.Errorf("%d requests, %+v", s.count("/a.png"), c)
		}
	})
}

// robots.txt and the delays of hosts hold for what pages need. What is disallowed is listed with the rule, and what
// max-hosts excludes with that reason.
func TestArchiveIsPolite(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const robots = "User-agent: *\nDisallow: /no\nCrawl-delay: 3\n"
		other := newArchiveSite(t, "127.0.0.2", map[string]string{"/robots.txt": robots, "/frame": `<img src=/a.png><img src=/no.png>`, "/b.css": `p { background: url(/no-bg.png) }`})
		third := newArchiveSite(t, "127.0.0.3", map[string]string{"/a.png": ""})
		s := newArchiveSite(t, "127.0.0.1", map[string]string{
			"/robots.txt": robots, "/no.png": "", "/a.png": "", "/moved.png": "",
			"/": strings.NewReplacer("{1}", other.url, "{2}", third.url).Replace(
				`<img src=/no.png><img src=/a.png><iframe src={1}/frame></iframe><iframe src={1}/no-frame></iframe><link rel=stylesheet href={1}/b.css><img src={2}/a.png>`),
		})
		cfg := testConfig(t, s.url+"/")
		cfg.Limits.MaxHosts, cfg.Limits.MaxWait = 2, time.Minute
		got, checks := archived(t, cfg, nil, s, other, third)
		if want := []string{"/", "/a.png", "1/a.png", "1/b.css", "1/frame"}; !slices.Equal(got, want) {
			t.Errorf("requests %q, want %q", got, want)
		}
		for _, url := range []string{s.url + "/no.png", other.url + "/no.png", other.url + "/no-frame", other.url + "/no-bg.png"} {
			site, _, _ := strings.Cut(url, "/no")
			if c := checks[url]; c.Result != output.CheckUnverified || c.Reason != output.Disallowed || c.Detail != "Disallow: /no, line 2 of "+site+"/robots.txt" {
				t.Errorf("%s: %+v", url, c)
			}
		}
		wantSpaced(t, s.requests(), 3*time.Second)
		wantSpaced(t, other.requests(), 3*time.Second)
		if len(checks) != 9 || checks[third.url+"/a.png"].Reason != output.MaxHosts {
			t.Errorf("%d checks: %+v", len(checks), checks)
		}
	})
}

// What one page needs is limited by max-links, with its stylesheets and frames, and frames in frames end.
func TestArchiveIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name, page, frame string
		links, least, max int
	}{
		{"images", strings.Repeat("<img src=/%d.png>", 300), "", 100, 100, 100},
		{"frames in frames", "<iframe src={1}/%d></iframe>", "<iframe src=/%d></iframe>", 10_000, 5, 13},
		{"frames in frames without limit", "<iframe src={1}/%d></iframe>", "<iframe src=/%d></iframe>", 0, 5, 13},
		{"frames with many frames", "<iframe src={1}/%d></iframe>", strings.Repeat("<iframe src=/%d></iframe>", 8), 200, 50, 200},
		{"frames with images", strings.Repeat("<iframe src={1}/%d></iframe>", 4), strings.Repeat("<img src=/%d.png>", 100), 80, 60, 84},
	} {
		t.Run(tt.name, func(t *testing.T) {
			numbered := func(text string) string {
				for strings.Contains(text, "%d") {
					text = strings.Replace(text, "%d", fmt.Sprint(counter.Add(1)), 1)
				}
				return text
			}
			other := newSite(t, "127.0.0.2", nil)
			other.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = fmt.Fprint(w, numbered(tt.frame))
			})
			s := newArchiveSite(t, "127.0.0.1", map[string]string{"/": numbered(strings.ReplaceAll(tt.page, "{1}", other.url))})
			cfg := testConfig(t, s.url+"/")
			cfg.Limits.MaxLinks = tt.links
			got, checks := archived(t, cfg, nil, s, other)
			if n := len(got) - 1; n < tt.least || n > tt.max || n != len(checks) {
				t.Errorf("%d requests of %d checks, want %d to %d", n, len(checks), tt.least, tt.max)
			}
		})
	}
}

// Classic scripts use nothing of the limit of a page: its stylesheets have it.
func TestScriptsLeaveLimitToStylesheets(t *testing.T) {
	files := map[string]string{"/": `<link rel=stylesheet href=/a.css>` + strings.Repeat("<script src=/%d.js></script>", 100), "/a.css": strings.Repeat("p { background: url(/%d.png) }", 50)}
	for name, text := range files {
		for i := 0; strings.Contains(text, "%d"); i++ {
			text = strings.Replace(text, "%d", fmt.Sprint(i), 1)
		}
		files[name] = text
	}
	s := newArchiveSite(t, "127.0.0.1", files)
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.MaxLinks = 200
	if got, _ := archived(t, cfg, nil, s); len(got) != 152 {
		t.Errorf("%d requests, want 152", len(got))
	}
}

// counter counts the URLs of endless pages.
var counter atomic.Int64

// Workers of a shared crawl request what pages need once together. One that joins needs no setting of its own.
func TestSharedArchive(t *testing.T) {
	t.Parallel()
	files, want := map[string]string{"/shared.png": ""}, []string{"/", "/shared.png"}
	for i := range 20 {
		files["/"] += fmt.Sprintf("<a href=/%d>x</a>", i)
		files[fmt.Sprintf("/%d", i)] = fmt.Sprintf("<img src=/shared.png><img src=/%d.png>", i)
		want = append(want, fmt.Sprintf("/%d", i), fmt.Sprintf("/%d.png", i))
	}
	s := newArchiveSite(t, "127.0.0.1", files)
	cfg := sharedConfig(t, s.url+"/")
	cfg.Output.Archive, cfg.Politeness.Delay = true, time.Millisecond
	togetherWith(t, *archiveTo(new(keeping)), workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2"))
	if diff := cmp.Diff(sorted(want), requestedOnce(t, s)); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	joins := Default()
	joins.Sharing, joins.Output.AlsoWrite, joins.Fetch.AllowAddr = cfg.Sharing, []string{"csv"}, cfg.Fetch.AllowAddr
	joined, err := JoinConfig(t.Context(), joins, nil)
	if err != nil || !joined.Output.Archive || !joined.Scope.checks(CheckAssets) {
		t.Errorf("%+v, %v", joined, err)
	}
	joins.Output.Archive = true // which includes checks
	if _, err := JoinConfig(t.Context(), joins, func(key string) bool { return key == "archive" || key == "check" }); err != nil {
		t.Error(err)
	}
}

// Archive includes the format WARC and the check of assets, which may be named too. The caller's lists stay as they are.
func TestArchiveIncludesWARCAndAssets(t *testing.T) {
	formats, checks := append(make([]string, 0, 2), "csv"), append(make([]string, 0, 2), CheckExternal)
	for _, tt := range []struct{ formats, checks, wantFormats, wantChecks []string }{
		{nil, nil, []string{"warc"}, []string{CheckAssets}},
		{[]string{"warc", "csv"}, []string{CheckAll}, []string{"warc", "csv"}, []string{CheckAll}},
		{formats, checks, []string{"csv", "warc"}, []string{CheckExternal, CheckAssets}},
	} {
		cfg := Default()
		cfg.Output.Archive, cfg.Output.AlsoWrite, cfg.Scope.Check = true, tt.formats, tt.checks
		cfg.addArchive()
		if !slices.Equal(cfg.Output.AlsoWrite, tt.wantFormats) || !slices.Equal(cfg.Scope.Check, tt.wantChecks) {
			t.Errorf("%q, %q, want %q, %q", cfg.Output.AlsoWrite, cfg.Scope.Check, tt.wantFormats, tt.wantChecks)
		}
	}
	if formats[:2][1]+checks[:2][1] != "" {
		t.Errorf("%q, %q", formats[:2], checks[:2])
	}
	cfg := testConfig(t, "http://127.0.0.1/")
	cfg.Output.Archive = true
	_, err := New(cfg, nil)
	if bad, ok := errors.AsType[*ConfigError](err); !ok || bad.Key != "also-write" {
		t.Errorf("%v", err)
	}
}

package crawler

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// checkedCrawl crawls with checks, and returns the lines of checks.jsonl by URL.
func checkedCrawl(t *testing.T, cfg Config, opts *Options, kinds ...string) (*crawl, map[string]output.Check) {
	t.Helper()
	cfg.Scope.Check = kinds
	got := run(t, cfg, opts)
	return got, checksOf(t, cfg, got)
}

// checksOf returns the lines of checks.jsonl by URL.
func checksOf(t *testing.T, cfg Config, got *crawl) map[string]output.Check {
	t.Helper()
	checks, counted := make(map[string]output.Check), make(map[output.CheckResult]int)
	for _, line := range readOutput[output.Check](t, cfg, "checks.jsonl") {
		if _, twice := checks[line.URL]; twice {
			t.Errorf("checks.jsonl has two lines about %s", line.URL)
		}
		checks[line.URL] = line
		counted[line.Result]++
	}
	if !maps.Equal(counted, got.Checks) {
		t.Errorf("the summary counts %v, checks.jsonl has %v", got.Checks, counted)
	}
	return checks
}

// sent returns the requests to a site as method and URI, without robots.txt and without the GET that
// follows a HEAD if that had no success.
func (s *site) sent() []string {
	return s.linesOf(func(r request) bool { return r.header.Get("Range") == "" })
}

// linesOf returns the requests for which a function returns true, as method and URI, without
// robots.txt.
func (s *site) linesOf(wanted func(request) bool) []string {
	var lines []string
	for _, r := range s.requests() {
		if r.uri != "/robots.txt" && wanted(r) {
			lines = append(lines, r.method+" "+r.uri)
		}
	}
	return lines
}

// Each element and stylesheet leads to one request of what it uses, on whatever host.
func TestCheckAssets(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"})
	for name, tt := range map[string]struct {
		page string
		want map[string]string // kind by path
	}{
		"img":        {`<img src=/1><img src=/1#x><img srcset="/2 1x, {other}/3 2x">`, map[string]string{"/1": "img", "/2": "img", "{other}/3": "img"}},
		"picture":    {`<picture><source srcset=/1><img src=/2></picture>`, map[string]string{"/1": "source", "/2": "img"}},
		"script":     {`<script src={other}/1></script>`, map[string]string{"{other}/1": "script"}},
		"stylesheet": {`<link rel=stylesheet href=/1>`, map[string]string{"/1": "stylesheet"}},
		"icon":       {`<link rel=icon href=/1><link rel=manifest href=/2>`, map[string]string{"/1": "icon", "/2": "manifest"}},
		"media":      {`<video src=/1 poster=/2><source src=/3><track src=/4></video><audio src=/5></audio>`, map[string]string{"/1": "video", "/2": "poster", "/3": "source", "/4": "track", "/5": "audio"}},
		"object":     {`<object data=/1></object><embed src=/2><input type=image src=/3>`, map[string]string{"/1": "object", "/2": "embed", "/3": "input"}},
		"base":       {`<img src=1><base href="/dir/">`, map[string]string{"/dir/1": "img"}},
		"disallowed": {`<img src={other}/no>`, map[string]string{"{other}/no": "img"}},
		"a page":     {`<a href=/page>p</a><img src=/page>`, nil},
		"data":       {`<img src=data:,x><img src=mailto:x>`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": strings.ReplaceAll(tt.page, "{other}", other.url), "/page": "p"})
			before := len(other.sent())
			_, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, CheckAssets)
			got, want := make(map[string]string), make(map[string]string)
			for url, c := range checks {
				got[url] = c.Kind
				if c.FoundOn != s.url+"/" {
					t.Errorf("found on %s: %+v", c.FoundOn, c)
				}
			}
			for path, kind := range tt.want {
				url, isOther := strings.ReplaceAll(path, "{other}", other.url), strings.HasPrefix(path, "{other}")
				if !isOther {
					url = s.url + path
				}
				want[url] = kind
				if n := len(slices.DeleteFunc(s.sent(), func(sent string) bool { return !strings.HasSuffix(sent, " "+path) })); !isOther && n != 1 {
					t.Errorf("%s was requested %d times: %v", path, n, s.sent())
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			for _, sent := range other.sent()[before:] {
				if strings.HasSuffix(sent, "/no") {
					t.Errorf("disallowed: %s", sent)
				}
			}
		})
	}
}

// A stylesheet is read, and what it uses is checked, also that of imported stylesheets.
func TestCheckStylesheets(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<link rel=stylesheet href=/a.css>`, "/a.css": `@import "css/b.css"; a{background:url(1.png)}`, "/css/b.css": `@import url(/a.css); b{background:url('2.png')}`,
	})
	cfg := testConfig(t, s.url+"/")
	_, checks := checkedCrawl(t, cfg, nil, CheckAssets)
	if got, want := sorted(s.sent()), sorted([]string{"GET /", "GET /a.css", "GET /css/b.css", "HEAD /1.png", "HEAD /css/2.png"}); !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
	if c := checks[s.url+"/css/2.png"]; c.Kind != "css" || c.FoundOn != s.url+"/css/b.css" || c.Result != output.CheckBroken || c.Status != http.StatusNotFound {
		t.Errorf("%+v", c)
	}
	resources := make(map[string][]output.Link)
	for _, l := range readOutput[output.Links](t, cfg, "links.jsonl") {
		resources[strings.TrimPrefix(l.URL, s.url)] = l.Resources
	}
	want := map[string][]output.Link{
		"/":          {{URL: s.url + "/a.css", Kind: "stylesheet"}},
		"/a.css":     {{URL: s.url + "/css/b.css", Kind: "css"}, {URL: s.url + "/1.png", Kind: "css"}},
		"/css/b.css": {{URL: s.url + "/a.css", Kind: "css"}, {URL: s.url + "/css/2.png", Kind: "css"}},
	}
	if diff := cmp.Diff(want, resources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
}

// Stylesheets that import others endlessly end with a reason, however many each imports: what the
// stylesheets of a page use is limited by max-links.
func TestCheckEndlessStylesheets(t *testing.T) {
	for _, tt := range []struct{ linked, imports, links, want int }{
		{1, 1, 64, 5}, {1, 1, 0, 12}, {3, 4, 100, 60}, {20, 20, 100, 100},
	} {
		t.Run(fmt.Sprintf("%d import %d", tt.linked, tt.imports), func(t *testing.T) {
			page := ""
			for i := range tt.linked {
				page += fmt.Sprintf("<link rel=stylesheet href=/css/%d>", i)
			}
			s := newSite(t, "127.0.0.1", map[string]string{"/": page})
			s.mux.HandleFunc("/css/", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/css")
				for i := range tt.imports {
					_, _ = fmt.Fprintf(w, "@import '%s.%d';", r.URL.Path, i)
				}
			})
			cfg := testConfig(t, s.url+"/")
			cfg.Limits.MaxLinks = tt.links
			_, checks := checkedCrawl(t, cfg, nil, CheckAssets)
			cut := 0
			for _, c := range checks {
				if c.Detail == "it uses more URLs than are checked (max-links)" {
					cut++
				}
			}
			if n := len(checks) - tt.linked; n > tt.want || n < tt.want/2 || cut == 0 {
				t.Errorf("%d imported stylesheets are checked, want at most %d; %d say why there are no more", n, tt.want, cut)
			}
		})
	}
}

// What checks read counts for max-bytes, also after a resume. Images are not read.
func TestCheckedBytesAreLimited(t *testing.T) {
	page := "<img src=/1.png>"
	for i := range 10 {
		page += fmt.Sprintf("<link rel=stylesheet href=/css/%d>", i)
	}
	s := newSite(t, "127.0.0.1", map[string]string{"/": page, "/1.png": strings.Repeat("i", 1000)})
	s.mux.HandleFunc("/css/", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Repeat("/", 1000)) })
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.MaxBytes, cfg.Limits.Concurrency = 4000, 1
	got, _ := checkedCrawl(t, cfg, nil, CheckAssets)
	read := func() (n int) {
		for _, sent := range s.sent() {
			if strings.HasPrefix(sent, "GET /css/") {
				n++
			}
		}
		return n
	}
	if got.End != EndMaxBytes || read() != 4 || got.Bytes < 4000 || got.Bytes >= 5000 {
		t.Errorf("%s after %d stylesheets, %d bytes", got.End, read(), got.Bytes)
	}
	cfg.Scope.Check = []string{CheckAssets}
	if got := resume(t, cfg, func(c *Config) { c.Limits.MaxBytes = 6000 }); got.End != EndMaxBytes || read() != 6 {
		t.Errorf("resumed: %s after %d stylesheets, %d bytes", got.End, read(), got.Bytes)
	}
}

// The status of an external URL decides the result. If HEAD has no success, one GET for the first byte
// decides.
func TestCheckExternalByStatus(t *testing.T) {
	for _, tt := range []struct {
		head, get int // status by method
		want      output.CheckResult
		requests  string
	}{
		{200, 0, output.CheckOK, "HEAD"},
		{204, 0, output.CheckOK, "HEAD"},
		{302, 200, output.CheckOK, "HEAD GET"}, // to an error
		{302, 404, output.CheckBroken, "HEAD GET"},
		{304, 200, output.CheckOK, "HEAD GET"},
		{304, 304, output.CheckBroken, "HEAD GET"},
		{400, 206, output.CheckOK, "HEAD GET"},
		{401, 200, output.CheckOK, "HEAD GET"},
		{401, 401, output.CheckUnverified, "HEAD GET"},
		{402, 402, output.CheckUnverified, "HEAD GET"},
		{403, 200, output.CheckOK, "HEAD GET"},
		{403, 403, output.CheckUnverified, "HEAD GET"},
		{404, 200, output.CheckOK, "HEAD GET"},
		{404, 404, output.CheckBroken, "HEAD GET"},
		{405, 200, output.CheckOK, "HEAD GET"},
		{405, 404, output.CheckBroken, "HEAD GET"},
		{406, 200, output.CheckOK, "HEAD GET"},
		{410, 200, output.CheckOK, "HEAD GET"},
		{410, 410, output.CheckBroken, "HEAD GET"},
		{429, 206, output.CheckOK, "HEAD GET"},
		{429, 429, output.CheckUnverified, "HEAD GET"},
		{500, 200, output.CheckOK, "HEAD GET"},
		{500, 500, output.CheckBroken, "HEAD GET"},
		{501, 200, output.CheckOK, "HEAD GET"},
		{503, 200, output.CheckOK, "HEAD GET"},
		{520, 200, output.CheckOK, "HEAD GET"},
		{999, 999, output.CheckUnverified, "HEAD GET"},
		{0, 200, output.CheckOK, "HEAD GET"}, // 0: the connection ends
		{0, 0, output.CheckBroken, "HEAD GET"},
		{-1, 200, output.CheckOK, "HEAD GET"}, // -1: no response
	} {
		t.Run(fmt.Sprintf("%d, %d", tt.head, tt.get), func(t *testing.T) {
			other := newSite(t, "127.0.0.2", nil)
			other.handle("/x", func(w http.ResponseWriter, r *http.Request) {
				status := tt.head
				if r.Method == http.MethodGet {
					if status = tt.get; r.Header.Get("Range") != "bytes=0-0" {
						t.Errorf("Range %q", r.Header.Get("Range"))
					}
				}
				if status < 0 {
					<-r.Context().Done()
					return
				}
				if status == 0 {
					conn, _, err := http.NewResponseController(w).Hijack()
					if err == nil {
						_ = conn.Close()
					}
					return
				}
				if status == http.StatusFound {
					w.Header().Set("Location", "/error") // where /x has a 404
				}
				w.Header().Set("Content-Encoding", "gzip") // of a body that HEAD does not have
				w.WriteHeader(status)
			})
			s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + other.url + `/x">x</a>`, "/2": ""})
			cfg := testConfig(t, s.url+"/")
			if tt.head < 0 {
				cfg.Fetch.FirstByteTimeout = time.Second
			}
			got, checks := checkedCrawl(t, cfg, nil, CheckExternal)
			var methods []string
			for _, r := range other.requests() {
				if r.uri != "/robots.txt" {
					methods = append(methods, r.method)
				}
			}
			if sent := strings.Join(slices.Compact(methods), " "); sent != tt.requests || tt.head > 0 && len(slices.Compact(slices.Clone(methods))) != len(methods) {
				t.Errorf("requests %v, want %s", other.sent(), tt.requests)
			}
			if c := checks[other.url+"/x"]; c.Result != tt.want || c.Kind != "a" || c.FoundOn != s.url+"/" || c.FetchedAt.IsZero() {
				t.Errorf("%+v, want %s", c, tt.want)
			}
			if r := got.refusal(t, other.url+"/x"); r.Reason != output.OutOfScope {
				t.Errorf("as a page: %+v", r)
			}
		})
	}
}

// Redirects are followed hop by hop under the robots.txt of each host, and end at a loop, at a URL
// of the crawl, and after too many.
func TestCheckRedirects(t *testing.T) {
	third := newSite(t, "127.0.0.3", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n", "/end": "e"})
	other := newSite(t, "127.0.0.2", nil)
	s := newSite(t, "127.0.0.1", map[string]string{"/page": "p"})
	for from, to := range map[string]string{
		"/a": third.url + "/end", "/b": third.url + "/no", "/c": "/d", "/d": "/c", "/home": s.url + "/page", "/bad": "http://[",
	} {
		other.handle(from, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		})
	}
	other.handle("/n/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/n/x", http.StatusFound) })
	other.mux.HandleFunc("/long/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/long/"))
		http.Redirect(w, r, fmt.Sprintf("/long/%d", n+1), http.StatusFound)
	})
	links := `<a href=/page>p</a><a href=/leaves>q</a>`
	for _, path := range []string{"/a", "/b", "/c", "/home", "/bad", "/long/"} {
		links += `<a href="` + other.url + path + `">x</a>`
	}
	s.page("/", links)
	s.handle("/leaves", redirect(third.url+"/gone"))
	_, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, CheckExternal)
	for url, want := range map[string]output.Check{
		other.url + "/a":       {Result: output.CheckRedirected, Location: third.url + "/end"},
		third.url + "/end":     {Result: output.CheckOK, FoundOn: other.url + "/a", Kind: "a"},
		third.url + "/no":      {Result: output.CheckUnverified, Reason: output.Disallowed, FoundOn: other.url + "/b"},
		other.url + "/c":       {Result: output.CheckRedirected, Location: other.url + "/d"},
		other.url + "/d":       {Result: output.CheckRedirected, Location: other.url + "/c"},
		other.url + "/home":    {Result: output.CheckRedirected, Location: s.url + "/page"},
		other.url + "/bad":     {Result: output.CheckBroken},
		third.url + "/gone":    {Result: output.CheckBroken, FoundOn: s.url + "/leaves", Kind: "redirect"},
		other.url + "/long/20": {Result: output.CheckBroken, Location: other.url + "/long/21", Reason: output.TooManyRedirects},
	} {
		c, ok := checks[url]
		if !ok || c.Result != want.Result || c.Location != want.Location || c.Reason != want.Reason || want.FoundOn != "" && c.FoundOn != want.FoundOn || want.Kind != "" && c.Kind != want.Kind {
			t.Errorf("%s: %+v, want %+v", url, c, want)
		}
	}
	if _, ok := checks[s.url+"/page"]; ok || s.count("/page") != 1 {
		t.Errorf("/page was requested %d times", s.count("/page"))
	}
	if third.count("/no") > 0 || third.count("/end") != 1 {
		t.Errorf("requests %v", third.sent())
	}
}

// Exclude holds for checks, include and nofollow do not: a check follows nothing. Passwords are not
// sent to other origins.
func TestCheckObeysSettings(t *testing.T) {
	both := []string{"HEAD /1", "HEAD /2"}
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"default", func(*Config) {}, both},
		{"exclude", func(c *Config) { c.Scope.Exclude = []string{"/1$"} }, both[1:]},
		{"include", func(c *Config) { c.Scope.Include = []string{"^http://127.0.0.1"} }, both},
		{"blocked address", func(c *Config) { c.Fetch.AllowAddr = []string{"127.0.0.1"} }, nil},
		{"max-hosts", func(c *Config) { c.Limits.MaxHosts = 1 }, nil},
		{"max-pages", func(c *Config) { c.Limits.MaxPages = 2 }, both},
		{"password", func(c *Config) { c.Credentials.Header = []string{"X-Key: secret"} }, both},
		{"no links.jsonl", func(c *Config) { c.Output.Links = LinksNone }, both},
	} {
		t.Run(tt.name, func(t *testing.T) {
			other := newSite(t, "127.0.0.2", nil)
			s := newSite(t, "127.0.0.1", map[string]string{"/": fmt.Sprintf(`<a href=%s/1>1</a><a rel=nofollow href=%[1]s/2>2</a>`, other.url)})
			cfg := testConfig(t, s.url+"/")
			tt.change(&cfg)
			_, checks := checkedCrawl(t, cfg, nil, CheckExternal)
			if got := sorted(other.sent()); !slices.Equal(got, tt.want) {
				t.Errorf("requests %q, want %q", got, tt.want)
			}
			for _, r := range other.requests() {
				if r.header.Get("X-Key") != "" {
					t.Errorf("%s has a password", r.uri)
				}
			}
			c := checks[other.url+"/1"]
			switch tt.name {
			case "blocked address":
				if c.Result != output.CheckUnverified || c.Reason != output.BlockedAddress || len(other.requests()) > 0 {
					t.Errorf("%+v, requests %v", c, other.requests())
				}
			case "max-hosts":
				if c.Result != output.CheckUnverified || c.Reason != output.MaxHosts {
					t.Errorf("%+v", c)
				}
			}
		})
	}
}

// Nothing waits for the robots.txt of a server outside the crawl: its URLs are unverified.
func TestCheckDoesNotWaitForRobots(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/x": "x"})
	other.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + other.url + `/x">x</a>`})
	got, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, CheckExternal)
	if c := checks[other.url+"/x"]; c.Result != output.CheckUnverified || c.Reason != output.RobotsUnreachable || c.Detail == "" || got.End != EndFinished {
		t.Errorf("%s: %+v", got.End, c)
	}
	if other.count("/x") != 0 {
		t.Errorf("requests %q", other.sent())
	}
}

// Link elements that lead to pages, such as license, are links. Others are checked as files that a
// page uses.
func TestCheckLinkElements(t *testing.T) {
	for _, tt := range []struct {
		kinds       []string
		here, there []string
	}{
		{[]string{CheckAssets}, []string{"GET /help", "HEAD /icon", "HEAD /opensearch.xml"}, []string{"HEAD /icon", "HEAD /me.png"}},
		{[]string{CheckExternal}, []string{"GET /help"}, []string{"HEAD /license", "HEAD /me.png"}},
		{[]string{CheckAssets, CheckExternal}, []string{"GET /help", "HEAD /icon", "HEAD /opensearch.xml"}, []string{"HEAD /icon", "HEAD /license", "HEAD /me.png"}},
		{[]string{CheckCanonical}, []string{"GET /help"}, nil},
	} {
		t.Run(strings.Join(tt.kinds, " "), func(t *testing.T) {
			other := newSite(t, "127.0.0.2", nil)
			s := newSite(t, "127.0.0.1", map[string]string{"/": strings.ReplaceAll(`<link rel=help href=/help><link rel="nofollow index" href=/index><link rel=search type=application/opensearchdescription+xml href=/opensearch.xml><link rel=icon href=/icon>
				<link rel=icon href={other}/icon><link rel=license href={other}/license><link rel=me href={other}/me.png><img src={other}/me.png>`, "{other}", other.url)})
			_, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, tt.kinds...)
			if here, there := sorted(s.sent()[1:]), sorted(other.sent()); !slices.Equal(here, tt.here) || !slices.Equal(there, tt.there) {
				t.Errorf("requests %q and %q, want %q and %q", here, there, tt.here, tt.there)
			}
			if c, checked := checks[other.url+"/license"]; checked && (c.Kind != "link" || c.Result != output.CheckBroken) {
				t.Errorf("%+v", c)
			}
		})
	}
}

// Links of a nofollow page are checked, but URLs of the crawl there are not requested.
func TestCheckOfNofollowPage(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"})
	s := newSite(t, "127.0.0.1", map[string]string{"/": strings.ReplaceAll(`<meta name=robots content=nofollow><a href={other}/1>1</a><a href={other}/no>2</a><a href=/3>3</a>`, "{other}", other.url)})
	got, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, CheckExternal)
	if sent := other.sent(); !slices.Equal(sent, []string{"HEAD /1"}) || checks[other.url+"/1"].Result != output.CheckBroken || checks[other.url+"/no"].Reason != output.Disallowed {
		t.Errorf("requests %q, %+v", sent, checks)
	}
	if r := got.refusal(t, s.url+"/3"); r.Reason != output.Nofollow || s.count("/3") > 0 {
		t.Errorf("%+v", r)
	}
}

// The robots.txt of a server outside the crawl is requested again like a page if there was no
// response, once for all URLs of the server, before these are broken. Each attempt consists of
// two requests if the connections fail.
func TestCheckRetriesRobots(t *testing.T) {
	for _, tt := range []struct {
		name              string
		failures, retries int // of requests for robots.txt
		want              output.CheckResult
		requests          int
	}{
		{"one connection ends", 1, 2, output.CheckOK, 2},
		{"three connections end", 3, 2, output.CheckOK, 4},
		{"no connection works", 10, 2, output.CheckBroken, 6},
		{"one connection ends, no retries", 1, 0, output.CheckOK, 2},
		{"no retries", 10, 0, output.CheckBroken, 2},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			other := newSite(t, "127.0.0.2", map[string]string{"/1": "", "/2": "", "/3": ""})
			requests := 0
			other.handle("/robots.txt", func(http.ResponseWriter, *http.Request) {
				if requests++; requests <= tt.failures {
					panic(http.ErrAbortHandler)
				}
			})
			s := newSite(t, "127.0.0.1", map[string]string{"/": strings.ReplaceAll(`<a href={other}/1>1</a><a href={other}/2>2</a><a href={other}/3>3</a>`, "{other}", other.url)})
			cfg := testConfig(t, s.url+"/")
			cfg.Fetch.Retries, cfg.Robots.Retry = tt.retries, time.Minute
			got, checks := checkedCrawl(t, cfg, nil, CheckExternal)
			for _, path := range []string{"/1", "/2", "/3"} {
				if c := checks[other.url+path]; c.Result != tt.want {
					t.Errorf("%+v, want %s", c, tt.want)
				}
			}
			if requests != tt.requests || got.End != EndFinished || time.Duration(got.Duration) > 10*time.Second {
				t.Errorf("%d requests for robots.txt, want %d; %s after %v", requests, tt.requests, got.End, time.Duration(got.Duration))
			}
		}))
	}
}

// A stylesheet is read even if the page preloads it first.
func TestCheckPreloadedStylesheet(t *testing.T) {
	for name, page := range map[string]string{
		"same reference": `<link rel=preload as=style href=/a.css><link rel=stylesheet href=/a.css>`,
		"other spelling": `<link rel=preload as=style href=a.css><link rel=stylesheet href=/a.css>`,
		"repeated":       `<link rel=stylesheet href=/a.css><link rel=preload as=style href=/a.css><link rel=stylesheet href=/a.css>`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": page, "/a.css": `a{background:url(1.png)}`})
			_, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, CheckAssets)
			if c := checks[s.url+"/1.png"]; c.Result != output.CheckBroken || s.count("/a.css") != 1 {
				t.Errorf("%+v; requests %q", c, s.sent())
			}
		})
	}
}

// A server may refuse to send the first byte of an empty resource. The resource exists.
func TestCheckOfEmptyResource(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<img src=/empty.png>`})
	s.handle("/empty.png", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	})
	_, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, CheckAssets)
	if c := checks[s.url+"/empty.png"]; c.Result != output.CheckOK || c.Status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("%+v", c)
	}
}

// A link to a server that accepts no connection is broken, and the crawl does not wait for it.
func TestCheckOfDeadServer(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + closed.Addr().String()
	_ = closed.Close()
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + dead + `/1">1</a><a href="` + dead + `/2">2</a>`})
	cfg := testConfig(t, s.url+"/")
	got, checks := checkedCrawl(t, cfg, nil, CheckExternal)
	for _, path := range []string{"/1", "/2"} {
		if c := checks[dead+path]; c.Result != output.CheckBroken || c.Reason != output.Failed || c.Detail == "" {
			t.Errorf("%+v", c)
		}
	}
	if got.End != EndFinished || len(checks) != 2 {
		t.Errorf("%s: %+v", got.End, checks)
	}
}

// A recrawl requests its pages without conditions and checks what they still use.
func TestRecrawlChecksAgain(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	image := "/1.png"
	s.handle("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+image+`"`)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<img src=/both.png><img src=%s>`, image)
	})
	cfg := testConfig(t, s.url+"/")
	checkedCrawl(t, cfg, nil, CheckAssets)
	image = "/2.png"
	got := again(t, cfg, Options{Recrawl: true})
	if checks := checksOf(t, cfg, got); len(checks) != 2 || checks[s.url+"/2.png"].URL == "" || checks[s.url+"/both.png"].URL == "" {
		t.Errorf("%v", checks)
	}
	if sent := sorted(s.sent()); !slices.Equal(sent, []string{"GET /", "GET /", "HEAD /1.png", "HEAD /2.png", "HEAD /both.png", "HEAD /both.png"}) {
		t.Errorf("requests %v", sent)
	}
	for _, r := range s.requests() {
		if r.conditional {
			t.Errorf("%s is conditional", r.uri)
		}
	}
}

// anchors.jsonl has the ids of each page, and the links to ids of the crawl's pages.
func TestCheckFragments(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":  `<p id=a><p id=a><a name=b href="/2#x">1</a><a href="/2#x">2</a><a href="#a">3</a><a href="/2#%C3%A9">4</a><a href="#top">5</a><a href="#">6</a><a href="http://127.0.0.9/#y">7</a><a href="/2#!/r">8</a>`,
		"/2": `no anchors`, "/3": "",
	})
	cfg := testConfig(t, s.url+"/")
	checkedCrawl(t, cfg, nil, CheckFragments)
	got := readOutput[output.Anchors](t, cfg, "anchors.jsonl")
	want := []output.Anchors{
		{URL: s.url + "/", IDs: []string{"a", "b"}, Targets: []string{s.url + "/2#x", s.url + "/#a", s.url + "/2#%C3%A9"}},
		{URL: s.url + "/2", IDs: []string{}, Targets: []string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := sorted(s.sent()); !slices.Equal(got, []string{"GET /", "GET /2"}) {
		t.Errorf("requests %q", got)
	}
}

// A page with too many ids has no line in anchors.jsonl, since an incomplete one would make links
// seem broken.
func TestTooManyIDs(t *testing.T) {
	page := func(ids int) string {
		text := &strings.Builder{}
		for i := range ids {
			fmt.Fprintf(text, "<p id=p%d>", i)
		}
		return text.String()
	}
	s := newSite(t, "127.0.0.1", map[string]string{"/": "<a href=/few#x><a href=/many#x>", "/few": page(40_000), "/many": page(60_000)})
	cfg := testConfig(t, s.url+"/")
	got, _ := checkedCrawl(t, cfg, nil, CheckFragments)
	ids := make(map[string]int)
	for _, a := range readOutput[output.Anchors](t, cfg, "anchors.jsonl") {
		ids[strings.TrimPrefix(a.URL, s.url)] = len(a.IDs)
	}
	if diff := cmp.Diff(map[string]int{"/": 0, "/few": 40_000}, ids); diff != "" {
		t.Errorf("ids of pages (-want +got):\n%s", diff)
	}
	for _, p := range got.pages {
		if want := p.URL == s.url+"/many"; slices.Contains(p.LimitsReached, "anchor-bytes") != want {
			t.Errorf("%s: limits reached %q", p.URL, p.LimitsReached)
		}
	}
}

// Canonical URLs and versions for other languages that the crawl does not fetch are read.
func TestCheckCanonicalAndHreflang(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{
		"/c": `<meta name=robots content=noindex><link rel=canonical href=/d>`, "/de": `<link rel=alternate hreflang=en href=/en>`,
	})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":   fmt.Sprintf(`<link rel=canonical href=%s/c><link rel=alternate hreflang=de href=%[1]s/de><link rel=alternate hreflang=en href=/><link rel=alternate hreflang=fr href=/fr><a href=/fr>f</a><a href=%[1]s/de>d</a>`, other.url),
		"/fr": `<link rel=canonical href=/fr>`,
	})
	cfg := testConfig(t, s.url+"/")
	_, checks := checkedCrawl(t, cfg, nil, CheckAll)
	if c := checks[other.url+"/c"]; c.Kind != "canonical" || c.Noindex != "noindex" || c.Canonical != other.url+"/d" || c.Result != output.CheckOK {
		t.Errorf("%+v", c)
	}
	want := []output.Hreflang{{Lang: "en", URL: other.url + "/en"}}
	if c := checks[other.url+"/de"]; !slices.Equal(c.Hreflang, want) {
		t.Errorf("%+v", c)
	}
	if got := sorted(other.sent()); !slices.Equal(got, []string{"GET /c", "GET /de"}) {
		t.Errorf("requests %q", got)
	}
	if got := sorted(s.sent()); !slices.Equal(got, []string{"GET /", "GET /fr"}) {
		t.Errorf("requests %q", got)
	}
}

// Archives have no exchanges of checks, and types do not apply to them.
func TestChecksAreNotArchived(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<img src=/1><link rel=stylesheet href=/a.css>`, "/1": "1"})
	s.handle("/a.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		_, _ = fmt.Fprint(w, "a{b:url(/1)}")
	})
	kept := &keeping{}
	cfg := testConfig(t, s.url+"/")
	cfg.Fetch.Types = []string{"text/html"}
	_, checks := checkedCrawl(t, cfg, &Options{Formats: []output.Format{kept.format()}}, CheckAssets)
	var archived []string
	for _, e := range kept.Exchanges {
		archived = append(archived, strings.TrimPrefix(e.URL, s.url))
	}
	if slices.Sort(archived); !slices.Equal(archived, []string{"/", "/robots.txt"}) || len(kept.Pages) != 1 {
		t.Errorf("archived %q", archived)
	}
	if c := checks[s.url+"/a.css"]; c.Result != output.CheckOK || c.ContentType != "text/css" {
		t.Errorf("%+v", c)
	}
}

// One host with many assets keeps its delay.
func TestAssetsKeepTheDelay(t *testing.T) {
	page := ""
	for i := range 30 {
		page += fmt.Sprintf("<img src=/%d>", i)
	}
	s := newSite(t, "127.0.0.1", map[string]string{"/": page})
	cfg := testConfig(t, s.url+"/")
	cfg.Politeness.Delay = 20 * time.Millisecond
	if _, checks := checkedCrawl(t, cfg, nil, CheckAssets); len(checks) != 30 {
		t.Errorf("%d checks", len(checks))
	}
	wantSpaced(t, s.requests(), cfg.Politeness.Delay)
}

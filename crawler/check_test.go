package crawler

import (
	"fmt"
	"maps"
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
	got := runCrawl(t, cfg, opts)
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

// A page leads to one check of each URL that the settings ask for, on whatever host. Exclude holds for checks;
// include and nofollow do not, since a check follows nothing.
func TestChecksOfAPage(t *testing.T) {
	both := []string{"a {other}/1", "a {other}/2"}
	const links = `<a href={other}/1>1</a><a rel=nofollow href={other}/2>2</a>`
	const elements = `<link rel=help href=/help><link rel="nofollow index" href=/index><link rel=search type=application/opensearchdescription+xml href=/opensearch.xml>
		<link rel=icon href=/icon><link rel=icon href={other}/icon><link rel=license href={other}/license><link rel=me href={other}/me.png><img src={other}/me.png>`
	assets := []string{"icon /icon", "link /opensearch.xml", "icon {other}/icon", "img {other}/me.png"}
	for _, tt := range []struct {
		name, kinds, page string
		want              []string // kind and URL, and the result unless it is broken
		change            func(*Config)
	}{
		{"img", CheckAssets, `<img src=/1><img src=/1#x><img srcset="/2 1x, {other}/3 2x">`, []string{"img /1", "img /2", "img {other}/3"}, nil},
		{"picture", CheckAssets, `<picture><source srcset=/1><img src=/2></picture>`, []string{"source /1", "img /2"}, nil},
		{"script", CheckAssets, `<script src={other}/1></script>`, []string{"script {other}/1"}, nil},
		{"stylesheet", CheckAssets, `<link rel=stylesheet href=/1>`, []string{"stylesheet /1"}, nil},
		{"icon", CheckAssets, `<link rel=icon href=/1><link rel=manifest href=/2>`, []string{"icon /1", "manifest /2"}, nil},
		{"media", CheckAssets, `<video src=/1 poster=/2><source src=/3><track src=/4></video><audio src=/5></audio>`, []string{"video /1", "poster /2", "source /3", "track /4", "audio /5"}, nil},
		{"object", CheckAssets, `<object data=/1></object><embed src=/2><input type=image src=/3>`, []string{"object /1", "embed /2", "input /3"}, nil},
		{"base", CheckAssets, `<img src=1><base href="/dir/">`, []string{"img /dir/1"}, nil},
		{"disallowed", CheckAssets, `<img src={other}/no>`, []string{"img {other}/no unverified disallowed"}, nil},
		{"a page", CheckAssets, `<a href=/page>p</a><img src=/page>`, nil, nil},
		{"data", CheckAssets, `<img src=data:,x><img src=mailto:x>`, nil, nil},
		{"a stylesheet that is preloaded", CheckAssets, `<link rel=preload as=style href=/a.css><link rel=stylesheet href=/a.css>`, []string{"stylesheet /a.css ok", "css /1.png"}, nil},
		{"preloaded in another spelling", CheckAssets, `<link rel=preload as=style href=a.css><link rel=stylesheet href=/a.css>`, []string{"stylesheet /a.css ok", "css /1.png"}, nil},
		{"repeated", CheckAssets, `<link rel=stylesheet href=/a.css><link rel=preload as=style href=/a.css><link rel=stylesheet href=/a.css>`, []string{"stylesheet /a.css ok", "css /1.png"}, nil},

		{"link elements that are assets", CheckAssets, elements, assets, nil},
		{"link elements that lead to pages", CheckExternal, elements, []string{"link {other}/license", "link {other}/me.png"}, nil},
		{"link elements of both kinds", CheckAssets + " " + CheckExternal, elements, append([]string{"link {other}/license", "link {other}/me.png"}, assets[:3]...), nil},
		{"link elements that are neither", CheckCanonical, elements, nil, nil},

		{"external links", CheckExternal, links, both, nil},
		{"exclude", CheckExternal, links, both[1:], func(c *Config) { c.Scope.Exclude = []string{"/1$"} }},
		{"include", CheckExternal, links, both, func(c *Config) { c.Scope.Include = []string{"^http://127.0.0.1"} }},
		{"blocked address", CheckExternal, links, []string{"a {other}/1 unverified blocked-address", "a {other}/2 unverified blocked-address"}, func(c *Config) { c.Fetch.AllowAddr = []string{"127.0.0.1"} }},
		{"max-hosts", CheckExternal, links, []string{"a {other}/1 unverified max-hosts", "a {other}/2 unverified max-hosts"}, func(c *Config) { c.Limits.MaxHosts = 1 }},
		{"max-pages", CheckExternal, links, both, func(c *Config) { c.Limits.MaxPages = 2 }},
		{"password", CheckExternal, links, both, func(c *Config) { c.Credentials.Header = []string{"X-Key: secret"} }},
		{"no links.jsonl", CheckExternal, links, both, func(c *Config) { c.Output.Links = LinksNone }},
		{"nofollow page", CheckExternal, `<meta name=robots content=nofollow><a href={other}/1>1</a><a href={other}/no>2</a><a href=/never>3</a>`, []string{"a {other}/1", "a {other}/no unverified disallowed"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"})
			s := newSite(t, "127.0.0.1", map[string]string{"/": strings.ReplaceAll(tt.page, "{other}", other.url), "/page": "p", "/help": "h", "/a.css": `a{background:url(1.png)}`, "/never": "never"})
			cfg := testConfig(t, s.url+"/")
			if tt.change != nil {
				tt.change(&cfg)
			}
			got, checks := checkedCrawl(t, cfg, nil, strings.Fields(tt.kinds)...)
			var lines, want []string
			for _, p := range got.pages {
				want = append(want, "GET "+strings.TrimPrefix(p.URL, s.url))
			}
			for _, c := range checks {
				url := strings.TrimPrefix(strings.ReplaceAll(c.URL, other.url, "{other}"), s.url)
				lines = append(lines, strings.TrimSuffix(strings.TrimSpace(fmt.Sprintln(c.Kind, url, c.Result, c.Reason)), " broken"))
				switch {
				case c.Kind == "stylesheet":
					want = append(want, "GET "+url)
				case c.Result != output.CheckUnverified:
					want = append(want, "HEAD "+url)
				}
				if c.FoundOn != s.url+"/" && c.Kind != "css" {
					t.Errorf("found on %s: %+v", c.FoundOn, c)
				}
			}
			if diff := cmp.Diff(sorted(tt.want), sorted(lines)); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			sent := s.sent()
			for _, line := range other.sent() {
				sent = append(sent, strings.Replace(line, " ", " {other}", 1))
			}
			if diff := cmp.Diff(sorted(want), sorted(sent)); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			for _, r := range other.requests() {
				if r.header.Get("X-Key") != "" {
					t.Errorf("%s has a password", r.uri)
				}
			}
		})
	}
}

// A stylesheet is read, and what it uses is checked, also that of imported stylesheets. The delay of the host
// applies.
func TestCheckStylesheets(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<link rel=stylesheet href=/a.css>`, "/a.css": `@import "css/b.css"; a{background:url(1.png)}`, "/css/b.css": `@import url(/a.css); b{background:url('2.png')}`,
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Politeness.Delay = 20 * time.Millisecond
	_, checks := checkedCrawl(t, cfg, nil, CheckAssets)
	wantSpaced(t, s.requests(), cfg.Politeness.Delay)
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
	const ends, silent = 0, -1 // instead of a status
	tests := []struct {
		head, get int // status by method
		want      output.CheckResult
	}{
		{200, ends, output.CheckOK}, {204, ends, output.CheckOK},
		{302, 200, output.CheckOK}, {302, 404, output.CheckBroken}, // to an error
		{304, 200, output.CheckOK}, {304, 304, output.CheckBroken},
		{400, 206, output.CheckOK},
		{401, 200, output.CheckOK}, {401, 401, output.CheckUnverified},
		{402, 402, output.CheckUnverified},
		{403, 200, output.CheckOK}, {403, 403, output.CheckUnverified},
		{404, 200, output.CheckOK}, {404, 404, output.CheckBroken},
		{405, 200, output.CheckOK}, {405, 404, output.CheckBroken},
		{405, 416, output.CheckOK}, // it is empty, and exists
		{406, 200, output.CheckOK},
		{410, 200, output.CheckOK}, {410, 410, output.CheckBroken},
		{429, 206, output.CheckOK}, {429, 429, output.CheckUnverified},
		{500, 200, output.CheckOK}, {500, 500, output.CheckBroken},
		{501, 200, output.CheckOK}, {503, 200, output.CheckOK}, {520, 200, output.CheckOK},
		{999, 999, output.CheckUnverified},
		{ends, 200, output.CheckOK}, {ends, ends, output.CheckBroken},
		{silent, 200, output.CheckOK},
	}
	inBubble(t, func(t *testing.T) {
		other, page := newSite(t, "127.0.0.2", nil), `<a href=http://127.0.0.3:1/dead>x</a>`
		for _, tt := range tests {
			path := fmt.Sprintf("/%d/%d", tt.head, tt.get)
			page += `<a href="` + other.url + path + `">x</a>`
			other.handle(path, func(w http.ResponseWriter, r *http.Request) {
				status := tt.head
				if r.Method == http.MethodGet {
					if status = tt.get; r.Header.Get("Range") != "bytes=0-0" {
						t.Errorf("Range %q", r.Header.Get("Range"))
					}
				}
				switch status {
				case silent:
					<-r.Context().Done()
					return
				case ends:
					if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
						_ = conn.Close()
					}
					return
				case http.StatusFound:
					w.Header().Set("Location", "/error") // where the site has a 404
				}
				w.Header().Set("Content-Encoding", "gzip") // of a body that HEAD does not have
				w.WriteHeader(status)
			})
		}
		s := newSite(t, "127.0.0.1", map[string]string{"/": page})
		cfg := testConfig(t, s.url+"/")
		cfg.Fetch.FirstByteTimeout, cfg.Limits.MaxWait = time.Second, 24*time.Hour
		got, checks := checkedCrawl(t, cfg, nil, CheckExternal)
		for _, tt := range tests {
			path := fmt.Sprintf("/%d/%d", tt.head, tt.get)
			requests := []string{"HEAD " + path}
			if tt.head/100 != 2 {
				requests = append(requests, "GET "+path)
			}
			sent := other.linesOf(func(r request) bool { return r.uri == path })
			if tt.head == ends { // a request on a reused connection is repeated at once
				sent = slices.Compact(sent)
			}
			if !slices.Equal(sent, requests) {
				t.Errorf("requests %q, want %q", sent, requests)
			}
			if c := checks[other.url+path]; c.Result != tt.want || c.Kind != "a" || c.FoundOn != s.url+"/" || c.FetchedAt.IsZero() {
				t.Errorf("%+v, want %s", c, tt.want)
			}
			if r := got.refusal(t, other.url+path); r.Reason != output.OutOfScope {
				t.Errorf("as a page: %+v", r)
			}
		}
		if c := checks["http://127.0.0.3:1/dead"]; c.Result != output.CheckBroken || c.Reason != output.Failed || c.Detail == "" {
			t.Errorf("%+v", c)
		}
	})
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

// Nothing waits for the robots.txt of a server outside the crawl: its URLs are unverified.
func TestCheckDoesNotWaitForRobots(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/x": "x"})
	other.handle("/robots.txt", status(http.StatusServiceUnavailable))
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + other.url + `/x">x</a>`})
	got, checks := checkedCrawl(t, testConfig(t, s.url+"/"), nil, CheckExternal)
	if c := checks[other.url+"/x"]; c.Result != output.CheckUnverified || c.Reason != output.RobotsUnreachable || c.Detail == "" || got.End != EndFinished {
		t.Errorf("%s: %+v", got.End, c)
	}
	if other.count("/x") != 0 {
		t.Errorf("requests %q", other.sent())
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

// Archives have the exchanges of checks, and types do not apply to them.
func TestChecksAreArchived(t *testing.T) {
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
	if slices.Sort(archived); !slices.Equal(archived, []string{"/", "/1", "/a.css", "/robots.txt"}) || len(kept.Pages) != 1 {
		t.Errorf("archived %q", archived)
	}
	if c := checks[s.url+"/a.css"]; c.Result != output.CheckOK || c.ContentType != "text/css" {
		t.Errorf("%+v", c)
	}
}

package crawler

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// secretWord is in each credential of the tests, and secretUser is the Basic authentication.
const secretWord, secretUser = "hunter2", "bWU6aHVudGVyMg=="

func hasSecret(text string) bool {
	return strings.Contains(text, secretWord) || strings.Contains(text, secretUser)
}

// withCredentials adds credentials of each kind for the start origin.
func withCredentials(t *testing.T, cfg *Config) {
	t.Helper()
	u, err := url.Parse(cfg.URLs[0])
	must(t, err)
	file := filepath.Join(t.TempDir(), "cookies.txt")
	must(t, os.WriteFile(file, []byte("# Netscape HTTP Cookie File\n"+u.Hostname()+"\tFALSE\t/\tFALSE\t0\tfile\t"+secretWord+"\n"), 0o600))
	cfg.Credentials = Credentials{
		Header: []string{"X-Key: " + secretWord}, BasicAuth: []string{u.Scheme + "://me:" + secretWord + "@" + u.Host},
		CookieFile: file, Cookies: true,
	}
	cfg.Scope.Kind = ScopeAny
}

// credentialsOf names the credentials that a request has.
func credentialsOf(r request) string {
	var has []string
	for name, values := range r.header {
		if hasSecret(strings.Join(values, " ")) {
			has = append(has, name)
		}
	}
	if strings.Contains(r.header.Get("Cookie"), "session=") {
		has = append(has, "session")
	}
	return strings.Join(has, " ")
}

// wantCredentials checks that each request for content of the start origin has all credentials,
// its robots.txt those that are neither a password nor a cookie, and other origins none.
func wantCredentials(t *testing.T, start, other []request) {
	t.Helper()
	for _, r := range start {
		has := credentialsOf(r)
		if strings.HasSuffix(r.uri, "/robots.txt") {
			if has != "X-Key" {
				t.Errorf("%s has %q", r.uri, has)
			}
			continue
		}
		for _, name := range []string{"X-Key", "Authorization", "Cookie"} {
			if !strings.Contains(has, name) {
				t.Errorf("%s of the start origin lacks %s", r.uri, name)
			}
		}
	}
	for _, r := range other {
		if has := credentialsOf(r); has != "" {
			t.Errorf("%s of another origin has %s", r.uri, has)
		}
	}
}

// wantSecretsUnwritten checks that no file of a crawl contains a credential.
func wantSecretsUnwritten(t *testing.T, cfg Config, got *crawl) {
	t.Helper()
	must(t, filepath.WalkDir(cfg.Output.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if hasSecret(string(text)) {
			t.Errorf("%s contains a credential", path)
		}
		return err
	}))
	if text := fmt.Sprint(got.notices); hasSecret(text) {
		t.Errorf("notices: %s", text)
	}
}

// Credentials reach the origin of the start URL, and no other origin that a document leads to.
func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	const own, host, port = `<a href="/own">own</a>`, "127.0.0.2", "127.0.0.1"
	for _, tt := range []struct {
		name    string
		robots  string // of the start origin; {other} is the other origin
		page    string
		other   string // its address
		reaches bool   // a request to the other origin follows
	}{
		{"redirect", "", "redirect", host, true},
		{"redirect to another port", "", "redirect", port, true},
		{"redirect of robots.txt", "redirect", own, host, true},
		{"redirect of robots.txt to another port", "redirect", own, port, true},
		{"sitemap on another host", "Sitemap: {other}/map.txt\n", own, host, true},
		{"sitemap on another port", "Sitemap: {other}/map.txt\n", own, port, true},
		{"link", "", own + `<a href="{other}/">other</a>`, host, true},
		{"link to another port", "", own + `<a href="{other}/">other</a>`, port, true},
		{"frame", "", own + `<iframe src="{other}/"></iframe>`, host, true},
		{"canonical URL", "", own + `<link rel="canonical" href="{other}/">`, port, false},
		{"meta refresh", "", own + `<meta http-equiv="refresh" content="0; url={other}/">`, port, true},
		{"base", "", `<base href="{other}/"><a href="{own}/own">own</a><a href="/">other</a>`, host, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			other := newSite(t, tt.other, map[string]string{"/": "other", "/map.txt": "{site}/\n"})
			start := newSite(t, "127.0.0.1", nil)
			serve := func(path, text string) {
				start.handle(path, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Set-Cookie", "session="+secretWord)
					if text == "redirect" {
						http.Redirect(w, r, other.url+path, http.StatusFound)
						return
					}
					w.Header().Set("Content-Type", "text/html")
					_, _ = io.WriteString(w, strings.NewReplacer("{other}", other.url, "{own}", start.url).Replace(text))
				})
			}
			serve("/robots.txt", tt.robots)
			serve("/", tt.page)
			serve("/own", "own")
			cfg := testConfig(t, start.url+"/")
			withCredentials(t, &cfg)
			var kept keeping
			got := runCrawl(t, cfg, &Options{Formats: []output.Format{kept.format()}})
			for _, e := range kept.Exchanges {
				if text := string(e.Request) + string(e.Response); hasSecret(text) || !strings.Contains(text, "User-Agent: ") {
					t.Errorf("an archive has\n%s", text)
				}
			}
			wantCredentials(t, start.requests(), other.requests())
			wantSecretsUnwritten(t, cfg, got)
			if tt.reaches != (len(other.requests()) > 0) {
				t.Errorf("the other origin saw %d requests", len(other.requests()))
			}
			if own := start.requests(); tt.page != "redirect" && !strings.Contains(credentialsOf(own[len(own)-1]), "session") {
				t.Errorf("%+v lacks the cookie that the first page has set", own[len(own)-1])
			}
		})
	}
}

// serveTLS serves a site with TLS, and returns its URL and a transport that trusts it.
func serveTLS(t *testing.T, s *site) (string, *http.Transport) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	return server.URL, server.Client().Transport.(*http.Transport).Clone()
}

// Credentials for https are not sent over http, nor to the proxy that connects to the site.
func TestCredentialsOfHTTPS(t *testing.T) {
	t.Parallel()
	plain := newSite(t, "127.0.0.1", map[string]string{"/": "plain"})
	var mu sync.Mutex
	var connects []request
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connects = append(connects, request{uri: r.RequestURI, header: r.Header.Clone()})
		mu.Unlock()
		if r.Method != http.MethodConnect {
			http.Error(w, "for https only", http.StatusBadGateway)
			return
		}
		site, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(site, client); _ = site.Close() }()
		go func() { _, _ = io.Copy(client, site); _ = client.Close() }()
	}))
	t.Cleanup(proxy.Close)
	for _, through := range []string{"", proxy.URL} {
		start := &site{mux: http.NewServeMux()}
		start.handle("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.url+"/", http.StatusFound) })
		address, transport := serveTLS(t, start)
		transport.Proxy = func(r *http.Request) (*url.URL, error) {
			if through == "" || r.URL.Scheme == "http" {
				return nil, nil
			}
			return url.Parse(through)
		}
		cfg := testConfig(t, address+"/")
		withCredentials(t, &cfg)
		got := runCrawl(t, cfg, &Options{Transport: transport})
		wantCredentials(t, start.requests(), plain.requests())
		if len(start.requests()) != 2 || got.Pages != 2 {
			t.Errorf("%d requests, %+v", len(start.requests()), got.Summary)
		}
	}
	if len(connects) == 0 || len(plain.requests()) == 0 {
		t.Errorf("%d requests to the proxy, %d over http", len(connects), len(plain.requests()))
	}
	wantCredentials(t, nil, connects)
}

// The other scheme of the same host, and the host with a dot at the end, are other origins.
func TestCredentialsOfSimilarOrigins(t *testing.T) {
	s := &fakeServer{pages: map[string]http.HandlerFunc{
		"https://example.com/":  page(200, `<a href="http://example.com/a">plain</a><a href="https://example.com./a">dot</a><a href="/b">own</a>`),
		"https://example.com/b": page(200, "own"), "http://example.com/a": page(200, "plain"), "https://example.com./a": page(200, "dot"),
	}}
	cfg := testConfig(t, "https://example.com/")
	withCredentials(t, &cfg)
	runCrawl(t, cfg, &Options{Transport: s})
	var start, other []request
	for _, r := range s.requests() {
		if strings.HasPrefix(r.uri, "https://example.com/") {
			start = append(start, r)
		} else {
			other = append(other, r)
		}
	}
	wantCredentials(t, start, other)
	if len(start) != 3 || len(other) != 4 { // with the robots.txt of each origin
		t.Errorf("%d and %d requests", len(start), len(other))
	}
}

// A resumed crawl and the processes of a shared crawl send credentials to the same origins.
func TestCredentialsOfResumedAndSharedCrawls(t *testing.T) {
	t.Parallel()
	sites := func(t *testing.T) (start, other *site) {
		other = newSite(t, "127.0.0.2", map[string]string{"/": "other"})
		links := ""
		for i := range 20 {
			links += fmt.Sprintf(`<a href="/%d">own</a>`, i)
		}
		start = newSite(t, "127.0.0.1", map[string]string{"/": links + `<a href="` + other.url + `/">other</a>`})
		for i := range 20 {
			start.page(fmt.Sprintf("/%d", i), "own")
		}
		return start, other
	}
	t.Run("resumed", func(t *testing.T) {
		t.Parallel()
		start, other := sites(t)
		cfg := testConfig(t, start.url+"/")
		withCredentials(t, &cfg)
		cfg.Limits.MaxPages = 3
		runCrawl(t, cfg, nil)
		cfg.Limits.MaxPages = 0
		got := runCrawl(t, cfg, &Options{Resume: true})
		wantCredentials(t, start.requests(), other.requests())
		wantSecretsUnwritten(t, cfg, got)
		if len(start.requests()) != 22 || len(other.requests()) != 2 {
			t.Errorf("%d and %d requests", len(start.requests()), len(other.requests()))
		}
	})
	t.Run("shared", func(t *testing.T) {
		t.Parallel()
		start, other := sites(t)
		cfg := sharedConfig(t, start.url+"/")
		withCredentials(t, &cfg)
		cfg.Credentials.HeaderFor = []string{start.url + " X-Key: " + secretWord, start.url + " Cookie: a=" + secretWord}
		cfg.Credentials.Header, cfg.Credentials.CookieFile = nil, ""
		together(t, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2"))
		wantCredentials(t, start.requests(), other.requests())
		if len(start.requests()) != 22 || len(other.requests()) != 2 {
			t.Errorf("%d and %d requests", len(start.requests()), len(other.requests()))
		}
	})
}

// HeaderFor and BasicAuth name origins that are not those of start URLs; netrc logs in to the
// hosts of start URLs.
func TestCredentialsOfNamedOrigins(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/": "other"})
	start := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + other.url + `/">other</a>`})
	netrc := filepath.Join(t.TempDir(), "netrc")
	must(t, os.WriteFile(netrc, []byte("machine 127.0.0.1 login me password start\nmachine 127.0.0.2 login me password other\n"), 0o600))
	t.Setenv("NETRC", netrc)
	cfg := testConfig(t, start.url+"/")
	cfg.Scope.Kind = ScopeAny
	cfg.Credentials = Credentials{HeaderFor: []string{other.url + " X-Key: 1"}, Netrc: true}
	runCrawl(t, cfg, nil)
	for _, s := range []*site{start, other} {
		for _, r := range s.requests() {
			user, password, _ := (&http.Request{Header: r.header}).BasicAuth()
			if want := map[bool]string{true: "1"}[s == other]; r.header.Get("X-Key") != want {
				t.Errorf("%s%s has X-Key %q, want %q", s.url, r.uri, r.header.Get("X-Key"), want)
			}
			if want := map[bool]string{true: "me start"}[s == start && r.uri == "/"]; strings.TrimSpace(user+" "+password) != want {
				t.Errorf("%s%s has the user %q %q, want %q", s.url, r.uri, user, password, want)
			}
		}
	}
}

// A start URL that redirects to another origin gets a notice, since that origin gets no
// credentials.
func TestRedirectedStartWithCredentials(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/": "other"})
	start := newSite(t, "127.0.0.1", nil)
	start.handle("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.url+"/", http.StatusFound) })
	for header, want := range map[string]bool{"X-Key: 1": true, "": false} {
		cfg := testConfig(t, start.url+"/")
		if header != "" {
			cfg.Credentials.Header = []string{header}
		}
		if got := runCrawl(t, cfg, nil); strings.Contains(fmt.Sprint(got.notices), "are not sent there") != want {
			t.Errorf("with %q: notices %q", header, got.notices)
		}
	}
}

func TestNoticeOfUnusedCookieFile(t *testing.T) {
	for host, want := range map[string]int{"127.0.0.1": 0, "elsewhere.test": 1} {
		site := newSite(t, "127.0.0.1", map[string]string{"/": "text"})
		cfg := testConfig(t, site.url+"/")
		cfg.Credentials.CookieFile = filepath.Join(t.TempDir(), "cookies.txt")
		must(t, os.WriteFile(cfg.Credentials.CookieFile, []byte(host+"\tFALSE\t/\tFALSE\t0\tfile\t"+secretWord+"\n"), 0o600))
		notices := runCrawl(t, cfg, nil).notices
		if len(notices) != want || want > 0 && !strings.Contains(notices[0], `cookies.txt" has no cookie for the start URLs`) {
			t.Errorf("cookie of %s: notices %q", host, notices)
		}
	}
}

// Files of credentials that cannot be read end the crawl before it creates anything.
func TestBadCredentialFiles(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad")
	must(t, os.WriteFile(bad, []byte("[{\"domain\": \"hunter2\"}]\n"), 0o600))
	t.Setenv("NETRC", bad)
	for key, change := range map[string]func(*Credentials){
		"cookie-file": func(c *Credentials) { c.CookieFile = bad },
		"netrc":       func(c *Credentials) { c.Netrc = true },
	} {
		for _, missing := range []bool{false, true} {
			if missing {
				must(t, os.RemoveAll(bad))
			}
			cfg := testConfig(t, "http://127.0.0.1:1/")
			change(&cfg.Credentials)
			_, err := newCrawler(t, cfg, nil).Run(t.Context())
			bad, ok := errors.AsType[*ConfigError](err)
			if !ok || bad.Key != key || strings.Contains(err.Error(), secretWord) || !missing && !strings.Contains(err.Error(), "line 1") {
				t.Errorf("%s: %v", key, err)
			}
			if _, err := os.Stat(cfg.Output.Dir); err == nil {
				t.Errorf("%s: the crawl has a directory", key)
			}
			must(t, os.WriteFile(filepath.Join(dir, "bad"), []byte("[{\"domain\": \"hunter2\"}]\n"), 0o600))
		}
	}
}

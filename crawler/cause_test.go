package crawler

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// noticesOf returns the notices of a crawl about the sites of its start URLs, which it masks.
func noticesOf(t *testing.T, cfg Config) []string {
	t.Helper()
	got := runCrawl(t, cfg, nil)
	for i := range got.notices {
		for _, start := range cfg.URLs {
			got.notices[i] = strings.ReplaceAll(got.notices[i], strings.TrimSuffix(start, "/"), "SITE")
		}
	}
	return got.notices
}

// statusWith returns a response with a status and header fields, names and values in turn.
func statusWith(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}
}

// clockAt returns a time after the start of a bubble as notices have it.
func clockAt(d time.Duration) string {
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Local().Format("2006-01-02 15:04:05 -07:00")
}

// The cause of a problem is reported once for each host, when it is known.
func TestCausesAreReportedOnce(t *testing.T) {
	links := `<a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>`
	for _, tt := range []struct {
		name  string
		serve func(s *site)
		edit  func(cfg *Config)
		want  []string
	}{
		{"none", func(s *site) { s.page("/", links) }, nil, nil},
		{"disallowed start", func(s *site) { s.page("/robots.txt", "User-agent: *\n\nDisallow: /\n") }, nil,
			[]string{`SITE/ is skipped: line 3 of SITE/robots.txt says "Disallow: /"`}},
		{"disallowed link", func(s *site) { s.page("/robots.txt", "User-agent: *\nDisallow: /a\n"); s.page("/", links) }, nil, nil},
		{"login", func(s *site) { s.page("/", links); s.handle("/a", status(401)); s.handle("/b", status(401)) }, nil,
			[]string{"SITE requires a login (status 401): give it with --basic-auth or another flag for credentials"}},
		{"refused login", func(s *site) { s.handle("/", status(401)) }, func(cfg *Config) { cfg.Credentials.Header = []string{"Authorization: Basic eDp5"} },
			[]string{"SITE refuses the login (status 401): correct --basic-auth, or the other credentials"}},
		{"license", func(s *site) { s.handle("/", statusWith(401, "WWW-Authenticate", "License")) }, nil, nil},
		{"Retry-After", func(s *site) {
			s.page("/", links)
			s.handle("/a", statusWith(429, "Retry-After", "20"))
			s.handle("/b", status(429))
		},
			func(cfg *Config) { cfg.Politeness.Delay, cfg.Limits.MaxWait = time.Second, time.Hour },
			[]string{"SITE sent status 429: its delay is raised to 2s, and the next request is at " + clockAt(22*time.Second)}},
		{"overload", func(s *site) { s.page("/", links); s.handle("/a", status(503)) },
			func(cfg *Config) { cfg.Politeness.Delay, cfg.Limits.MaxWait = time.Second, time.Hour },
			[]string{"SITE sent status 503: its delay is raised to 2s, and the next request is at " + clockAt(4*time.Second)}},
		{"robots.txt", func(s *site) { s.handle("/robots.txt", statusWith(503, "Retry-After", "3600")) }, nil,
			[]string{"SITE/robots.txt is unreachable: status 503; it is requested again at " + clockAt(time.Hour)}},
		{"missing pages", func(s *site) { s.page("/", links) }, nil, nil},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			s := newSite(t, "127.0.0.2", nil)
			tt.serve(s)
			cfg := testConfig(t, s.url+"/")
			if tt.edit != nil {
				tt.edit(&cfg)
			}
			if got := noticesOf(t, cfg); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		}))
	}
}

// A resumed crawl says at once which outages have not passed, and says nothing of those that have.
func TestResumedCrawlReportsOutages(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var up atomic.Bool
		s := newSite(t, "127.0.0.2", map[string]string{"/": "home"})
		s.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
			if !up.Load() {
				statusWith(503, "Retry-After", "3600")(w, nil)
			}
		})
		cfg := testConfig(t, s.url+"/")
		const unreachable = "SITE/robots.txt is unreachable: status 503; it is requested again at "
		for i, want := range []struct {
			pause    time.Duration
			notice   string
			requests int
		}{
			{0, unreachable + clockAt(1*time.Hour), 1},
			{0, unreachable + clockAt(1*time.Hour), 1},
			{time.Hour, unreachable + clockAt(2*time.Hour), 2},
			{0, unreachable + clockAt(2*time.Hour), 2},
			{time.Hour, "", 3},
		} {
			time.Sleep(want.pause)
			up.Store(want.notice == "")
			got := runCrawl(t, cfg, &Options{Resume: i > 0}).notices
			if text := strings.ReplaceAll(strings.Join(got, "; "), s.url, "SITE"); text != want.notice || s.count("/robots.txt") != want.requests {
				t.Errorf("run %d: %q, want %q; %d requests for robots.txt", i, text, want.notice, s.count("/robots.txt"))
			}
		}
	})
}

// A host that cannot be connected to, one without a name and one with an unknown certificate say so.
func TestCausesOfConnections(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	for url, want := range map[string]string{
		closed.URL:               "SITE/robots.txt is unreachable: the connection was refused; it is requested again at ",
		"http://no-such.invalid": `SITE/robots.txt is unreachable: no such host: "no-such.invalid"; it is requested again at `,
		secure.URL:               "SITE/robots.txt is unreachable: the certificate is not trusted: ",
	} {
		cfg := testConfig(t, url+"/")
		cfg.Robots.Retry = time.Hour
		got := noticesOf(t, cfg)
		if len(got) != 1 || !strings.HasPrefix(got[0], want) || strings.HasSuffix(got[0], " in SSL_CERT_FILE") != (url == secure.URL) {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// A host that goes down during the crawl says so, and a broken response does not.
func TestCauseOfFailedPage(t *testing.T) {
	s := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/cut">c</a><a href="/a">a</a>`})
	s.handle("/cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if got := noticesOf(t, testConfig(t, s.url+"/")); len(got) > 0 {
		t.Errorf("broken response: %q", got)
	}
	const failed = "SITE failed: the connection was closed before a response"
	if got := noticesOf(t, testConfig(t, s.url+"/cut")); !slices.Equal(got, []string{failed}) {
		t.Errorf("broken start URL: %q, want %q", got, failed)
	}
	var down *httptest.Server
	down = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_ = down.Listener.Close() // a second time after the test
			w.Header().Set("Connection", "close")
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write([]byte(`<a href="/a">a</a><a href="/b">b</a>`))
	}))
	t.Cleanup(down.Close)
	const want = "SITE/robots.txt is unreachable: the connection was refused; it is requested again at "
	if got := noticesOf(t, testConfig(t, down.URL+"/")); len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("no connection: %q, want %q", got, want)
	}
}

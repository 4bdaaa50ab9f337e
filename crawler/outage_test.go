package crawler

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A flaky site has a front page with links to others, and records when each path is requested. Some
// requests fail.
type flaky struct {
	fails func(path string) error // nil means the site responds

	mu    sync.Mutex // guards the fields below
	began time.Time
	log   []flakyRequest
}

type flakyRequest struct {
	at    time.Duration // since the first request
	path  string
	error bool
}

const flakyPages = 9 // besides the front page

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log == nil {
		f.began = time.Now()
	}
	err := f.fails(r.URL.Path)
	f.log = append(f.log, flakyRequest{time.Since(f.began), r.URL.Path, err != nil})
	if err != nil {
		return nil, err
	}
	return answering(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
		case "/":
			for i := range flakyPages {
				_, _ = fmt.Fprintf(w, `<a href="/%d">x</a>`, i)
			}
		default:
			_, _ = fmt.Fprint(w, r.URL.Path)
		}
	}).RoundTrip(r)
}

// since returns the time since the first request. The caller is fails.
func (f *flaky) since() time.Duration { return time.Since(f.began) }

// crawl crawls the site with a delay of a second.
func (f *flaky) crawl(t *testing.T, cfg Config, resume bool) *crawl {
	t.Helper()
	cfg.Politeness.Delay = time.Second
	return runCrawl(t, cfg, &Options{Transport: f, Resume: resume})
}

// connectionErrors are the errors of a site that is down.
var connectionErrors = map[string]error{
	"refused": &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED},
	"reset":   &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET},
	"closed":  io.EOF,
	"timeout": &net.OpError{Op: "dial", Net: "tcp", Err: timeoutError{}},
	"no name": &net.DNSError{Err: "server misbehaving", Name: "a.test", IsTemporary: true},
	"no CA":   &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// ROB-POL-03: a site that is down for less than a minute gets no request in this minute, and
// no URL fails, even without retries. The operator is notified of the cause once.
func TestOutageOfASite(t *testing.T) {
	for name, down := range connectionErrors {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{}
				f.fails = func(string) error {
					if f.since() >= 5*time.Second && f.since() < 55*time.Second {
						return down
					}
					return nil
				}
				cfg := testConfig(t, "http://a.test/")
				cfg.Limits.MaxWait, cfg.Robots.Retry = 2*time.Minute, Default().Robots.Retry
				got := f.crawl(t, cfg, false)
				if got.End != EndFinished || len(got.pages) != 1+flakyPages || len(got.rejected) > 0 {
					t.Errorf("%s, %d pages, %+v", got.End, len(got.pages), got.rejected)
				}
				if len(got.notices) != 1 || !strings.HasPrefix(got.notices[0], "http://a.test/robots.txt is unreachable: ") ||
					strings.HasSuffix(got.notices[0], " in SSL_CERT_FILE") != (name == "no CA") {
					t.Errorf("notices %q", got.notices)
				}
				for _, p := range got.pages {
					if p.Attempt != 1 {
						t.Errorf("%s was fetched at attempt %d: an outage is not an attempt", p.URL, p.Attempt)
					}
				}
				var failed []string
				for _, r := range f.log {
					if r.error {
						failed = append(failed, r.path)
					}
				}
				if len(failed) != 3 || failed[1] != "/robots.txt" || failed[2] != "/robots.txt" { // it is requested twice if the connection fails
					t.Errorf("requests during the outage: %q, want a page and its robots.txt", failed)
				}
			})
		})
	}
}

// The pause doubles. When max-wait is too short, the crawl ends as deferred with the time of the next
// request, and is resumed later.
func TestLongOutageOfASite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{}
		f.fails = func(string) error {
			if f.since() >= 5*time.Second && f.since() < 2*time.Minute {
				return connectionErrors["refused"]
			}
			return nil
		}
		cfg := testConfig(t, "http://a.test/")
		cfg.Limits.MaxWait, cfg.Robots.Retry = 30*time.Second, 10*time.Second
		got := f.crawl(t, cfg, false)
		left := 1 + flakyPages - len(got.pages)
		if got.End != EndDeferred || got.Remaining != left || got.Rejected[output.RobotsUnreachable] != left || !slices.Equal(got.Waiting, []string{"http://a.test"}) {
			t.Errorf("%+v", got.Summary)
		}
		for _, r := range got.rejected {
			if r.Detail != "the connection was refused" || r.RetryAt.Sub(got.NextDue).Abs() > time.Second || time.Until(r.RetryAt) < cfg.Limits.MaxWait {
				t.Errorf("%+v, want the next request at %v", r, got.NextDue)
			}
		}
		var robots []time.Duration
		for _, r := range f.log {
			if r.error && r.path == "/robots.txt" {
				robots = append(robots, r.at)
			}
		}
		var pauses []time.Duration // every second request is the other half of the same fetch
		for i := 2; i < len(robots); i += 2 {
			pauses = append(pauses, (robots[i] - robots[i-1]).Round(5*time.Second))
		}
		if !slices.Equal(pauses, []time.Duration{10 * time.Second, 20 * time.Second}) {
			t.Errorf("pauses %v, want 10s and 20s: the next one is longer than max-wait", pauses)
		}
		time.Sleep(2 * time.Minute)
		if got = f.crawl(t, cfg, true); got.End != EndFinished || len(got.pages) != 1+flakyPages || len(got.rejected) > 0 {
			t.Errorf("resumed: %s, %d pages, %+v", got.End, len(got.pages), got.rejected)
		}
	})
}

// An outage is reported once for each host, whatever its errors are.
func TestOutageIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{}
		f.fails = func(string) error {
			switch at := f.since(); {
			case at >= 5*time.Second && at < 15*time.Second:
				return connectionErrors["refused"]
			case at >= 18*time.Second:
				return connectionErrors["timeout"]
			}
			return nil
		}
		cfg := testConfig(t, "http://a.test/")
		cfg.Limits.MaxWait, cfg.Robots.Retry = 15*time.Second, 10*time.Second
		if got := f.crawl(t, cfg, false); got.End != EndDeferred || len(got.notices) != 1 {
			t.Errorf("%s, notices %q", got.End, got.notices)
		}
	})
}

// A crawl ends whatever requests of a site fail: each URL is fetched, or fails after its attempts.
func TestSiteThatBreaksConnections(t *testing.T) {
	const breaks = "/3"
	// takesDown breaks the connection of one URL, after which the site is down for some time.
	takesDown := func(down time.Duration) func(f *flaky, path string, n int) bool {
		var until time.Duration
		return func(f *flaky, path string, _ int) bool {
			if path == breaks {
				until = f.since() + down
			}
			return path == breaks || f.since() < until
		}
	}
	for _, tt := range []struct {
		name   string
		start  string
		breaks func(f *flaky, path string, n int) bool // the n-th request for robots.txt, or for pages
		pages  int                                     // that are fetched
		failed int                                     // URLs
		most   int                                     // requests for a URL that fails; the first may be taken for an outage
	}{
		{"one of many", "/", takesDown(0), flakyPages, 1, 2},
		{"the only one", breaks, takesDown(0), 0, 1, 2},
		{"one takes the site down", "/", takesDown(2500 * time.Millisecond), flakyPages, 1, 3},
		{"the only one takes the site down", breaks, takesDown(2500 * time.Millisecond), 0, 1, 3},
		{"every page", "/", func(_ *flaky, path string, _ int) bool { return path != "/robots.txt" }, 0, 1, 2},
		{"every page but the first", "/", func(_ *flaky, path string, _ int) bool { return path != "/robots.txt" && path != "/" }, 1, flakyPages, 3},
		{"every second page", "/", func(_ *flaky, path string, n int) bool { return path != "/robots.txt" && n%2 == 0 }, 1 + flakyPages, 0, 3},
		{"every page, and robots.txt after each outage", "/", func(_ *flaky, path string, n int) bool {
			return path != "/" && (path != "/robots.txt" || n%3 != 1) // a request that fails is sent twice
		}, 1, flakyPages, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, n, requests := &flaky{}, map[bool]int{}, map[string]int{}
				f.fails = func(path string) error {
					robots := path == "/robots.txt"
					n[robots]++
					requests[path]++
					if tt.breaks(f, path, n[robots]) {
						return io.EOF
					}
					return nil
				}
				cfg := testConfig(t, "http://a.test"+tt.start)
				cfg.Fetch.Retries, cfg.Limits.MaxWait, cfg.Robots.Retry = 1, time.Minute, time.Second
				got := f.crawl(t, cfg, false)
				if got.End != EndFinished || len(got.pages) != tt.pages || got.Rejected[output.Failed] != tt.failed || len(got.rejected) != tt.failed {
					t.Errorf("%s, %d pages, %+v", got.End, len(got.pages), got.rejected)
				}
				for _, r := range got.rejected {
					if n := requests[strings.TrimPrefix(r.URL, "http://a.test")]; n > tt.most || tt.failed == 1 && n != tt.most {
						t.Errorf("%d requests for %s, want %d", n, r.URL, tt.most)
					}
				}
			})
		})
	}
}

// A host whose robots.txt has status 503 after a connection error gets no request before its Retry-After,
// for none of its origins, also if the URL has shown that before.
func TestOverloadAfterConnectionError(t *testing.T) {
	const breaks, pause = "http://a.test/break", 10 * time.Second
	for _, tt := range []struct {
		name    string
		start   string // besides the pages by https
		retries int
	}{
		{name: "page that is retried", start: breaks, retries: 2},
		{name: "page without attempts", start: breaks},
		{name: "check"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex // guards the variables below
				var previous string
				var busy []time.Time
				network := roundTrip(func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					defer mu.Unlock()
					if n := len(busy); n > 0 && time.Since(busy[n-1]) < pause {
						t.Errorf("%s was requested %v after status 503", r.URL, time.Since(busy[n-1]))
					}
					after := previous
					switch previous = r.URL.String(); {
					case previous == breaks:
						return nil, io.EOF
					case after == breaks && previous == "http://a.test/robots.txt":
						busy = append(busy, time.Now())
						return answering(page(503, "", "Retry-After", "10")).RoundTrip(r)
					}
					return answering(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Type", "text/html")
						_, _ = io.WriteString(w, `<img src="`+breaks+`">`)
						if n := len(r.URL.Path); n <= flakyPages { // each page links to the next
							_, _ = fmt.Fprintf(w, `<a href="%s">x</a>`, "/"+strings.Repeat("x", n))
						}
					}).RoundTrip(r)
				})
				cfg := testConfig(t, "https://a.test/")
				if tt.start == "" {
					cfg.Scope.Check = []string{CheckAssets}
				} else {
					cfg.URLs = append(cfg.URLs, tt.start)
				}
				cfg.Fetch.Retries, cfg.Limits.MaxWait, cfg.Politeness.Delay = tt.retries, time.Hour, time.Second
				got := runCrawl(t, cfg, &Options{Transport: network})
				if got.End != EndFinished || len(got.pages) != 1+flakyPages || len(busy) < 2 {
					t.Errorf("%s, %d pages, status 503 at %v, %+v", got.End, len(got.pages), busy, got.rejected)
				}
			})
		})
	}
}

// A proxy that stops makes no URL fail, nor a link that is only checked. The reason names the proxy.
func TestDeadProxy(t *testing.T) {
	for _, after := range []int64{0, 3} { // requests
		t.Run(fmt.Sprintf("after %d requests", after), func(t *testing.T) {
			var n atomic.Int64
			var proxy *httptest.Server
			stopped := make(chan struct{})
			proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close")
				if r.URL.Path == "/" {
					_, _ = io.WriteString(w, `<a href="/1">1</a><a href="/2">2</a><a href="http://b.test/">b</a>`)
				}
				if n.Add(1) == after {
					go func() { proxy.Close(); close(stopped) }()
					_ = proxy.Listener.Close()
				}
			}))
			address := proxy.Listener.Addr().String()
			if after == 0 {
				proxy.Close()
				close(stopped)
			}
			cfg := testConfig(t, "http://a.test/")
			cfg.Fetch.Proxies, cfg.Fetch.AllowAddr, cfg.Scope.Check, cfg.Robots.Retry = []string{proxy.URL}, nil, []string{CheckExternal}, time.Hour
			cfg.Limits.Concurrency = 1
			got := runCrawl(t, cfg, nil)
			<-stopped
			want := "the proxy " + address + ": the connection was refused"
			for _, line := range got.notices {
				if !strings.Contains(line, "/robots.txt is unreachable: "+want+"; ") {
					t.Errorf("notice %q, want %q", line, want)
				}
			}
			if len(got.notices) == 0 || got.End != EndDeferred || got.Rejected[output.Failed] > 0 || got.Checks[output.CheckBroken] > 0 || len(got.rejected) == 0 {
				t.Errorf("%+v", got.Summary)
			}
			for _, r := range got.rejected {
				if r.Reason == output.OutOfScope {
					continue
				}
				if r.Reason != output.RobotsUnreachable || r.Detail != want {
					t.Errorf("%+v, want %q", r, want)
				}
			}
		})
	}
}

// Workers of a shared crawl pause together while their site is down, and no URL fails.
func TestSharedOutage(t *testing.T) {
	t.Parallel()
	const n, retry = 24, time.Second
	var mu sync.Mutex // guards the variables below
	var broken []time.Time
	up := false // again, since a worker has seen the outage
	s := newSite(t, "127.0.0.1", nil)
	serve := func(path, body string) {
		s.handle(path, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if !up && (path == "/8" || len(broken) > 0) {
				broken = append(broken, time.Now())
				panic(http.ErrAbortHandler)
			}
			page(200, body)(w, r)
		})
	}
	var links strings.Builder
	for i := range n {
		fmt.Fprintf(&links, `<a href="/%d">x</a>`, i)
		serve(fmt.Sprintf("/%d", i), "page")
	}
	serve("/", links.String())
	serve("/robots.txt", "User-agent: *\nDisallow: /no\n")
	cfg := sharedConfig(t, s.url+"/")
	cfg.Politeness.Delay, cfg.Limits.MaxWait, cfg.Robots.Retry = 20*time.Millisecond, time.Minute, retry
	pages := 0
	seen := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		up = up || strings.Contains(line, "/robots.txt is unreachable: ")
	}
	for _, c := range togetherWith(t, Options{OnNotice: seen}, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")) {
		pages += c.Pages
		if c.End != EndFinished || len(c.rejected) > 0 {
			t.Errorf("%s, %+v", c.End, c.rejected)
		}
	}
	if pages != n+1 || len(broken) > 6 { // a page and its robots.txt, each of which may be repeated over a new connection
		t.Errorf("%d pages, and %d requests during the outage", pages, len(broken))
	}
	last := broken[len(broken)-1]
	for _, r := range s.requests() {
		if gap := r.began.Sub(last); gap > 0 && gap < retry-100*time.Millisecond {
			t.Errorf("%s was requested %v after the outage was seen, want %v", r.uri, gap, retry)
		}
	}
}

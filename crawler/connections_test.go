package crawler

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/descriptors"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// A crawl closes all its connections at its end.
func TestConnectionsAreClosedAtEnd(t *testing.T) {
	var open, all atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "User-agent: *\nAllow: /\n")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
			all.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	server.Start()
	defer server.Close()
	runCrawl(t, testConfig(t, server.URL+"/a", server.URL+"/b"), nil)
	waitFor(func() bool { return open.Load() == 0 })
	if open.Load() > 0 || all.Load() == 0 {
		t.Errorf("%d of %d connections are open", open.Load(), all.Load())
	}
}

// http2Site starts an HTTP/2 server and returns it with a transport that trusts it.
func http2Site(t *testing.T, cfg *Config, handler http.Handler) (*httptest.Server, *http.Transport) {
	t.Helper()
	server := &httptest.Server{Listener: listen(t, "127.0.0.1"), Config: &http.Server{Handler: handler}}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, trusting(t, cfg, server)
}

// trusting returns a transport that trusts a TLS server.
func trusting(t *testing.T, cfg *Config, server *httptest.Server) *http.Transport {
	transport := connected(t, cfg, nil).Transport.(*http.Transport)
	transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	transport.ForceAttemptHTTP2 = true
	return transport
}

// An aborted response does not affect other URLs of the host.
func TestUnreadResponseIsHarmless(t *testing.T) {
	const slow = 3
	for _, left := range []string{"/large", "/sitemap.xml"} {
		t.Run(left[1:], bubbled(func(t *testing.T) {
			cfg := testConfig(t)
			cfg.Politeness.PerHost, cfg.Limits.Concurrency, cfg.Fetch.MaxBody = slow+1, slow+1, 1<<20
			var mu sync.Mutex
			asked := make(map[string]int)
			var waiting sync.WaitGroup // for the slow ones to be asked for
			waiting.Add(slow)
			given := make(chan struct{}) // closed when the client has left the answer
			server, transport := http2Site(t, &cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked[r.URL.Path]++
				first := asked[r.URL.Path] == 1
				mu.Unlock()
				w.Header().Set("Content-Type", "text/html")
				switch {
				case r.URL.Path == "/robots.txt":
					if left == "/sitemap.xml" {
						_, _ = fmt.Fprintf(w, "Sitemap: https://%s%s\n", r.Host, left)
					}
				case r.URL.Path == "/":
					for i := range slow {
						_, _ = fmt.Fprintf(w, `<a href="/slow/%d">slow</a>`, i)
					}
					if left == "/large" {
						_, _ = fmt.Fprintf(w, `<a href="%s">large</a>`, left)
					}
				case r.URL.Path == left && first:
					waiting.Wait()
					if left == "/sitemap.xml" {
						w.WriteHeader(http.StatusNotFound)
					}
					for r.Context().Err() == nil {
						_, _ = io.WriteString(w, strings.Repeat("x", 1<<10))
					}
					close(given)
				case first:
					waiting.Done()
					<-given
					select {
					case <-r.Context().Done(): // its connection was closed
					case <-time.After(100 * time.Millisecond): // it was not, for this long
					}
				}
			}))
			cfg.URLs = []string{server.URL}
			got := runCrawl(t, cfg, &Options{Transport: transport})
			mu.Lock()
			defer mu.Unlock()
			for path, n := range asked {
				if n != 1 {
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
			for i := range slow {
				if path := fmt.Sprint("/slow/", i); asked[path] != 1 || !strings.Contains(fmt.Sprint(got.paths(server.URL)), path) {
					t.Errorf("%s: asked for %d times, pages %v", path, asked[path], got.paths(server.URL))
				}
			}
			for _, r := range got.rejected {
				t.Errorf("%s: %s: %s", r.URL, r.Reason, r.Detail)
			}
		}))
	}
}

// A site that requires HTTP/1.1 gets it. The rejected request is sent again after the delay, and
// later requests do not try HTTP/2.
func TestHTTP1Required(t *testing.T) {
	const delay = 100 * time.Millisecond
	reset := func(code http2.ErrCode) func(*http2.Framer, uint32, int) bool {
		return func(f *http2.Framer, stream uint32, _ int) bool { return f.WriteRSTStream(stream, code) == nil }
	}
	goAway := func(code http2.ErrCode) func(*http2.Framer, uint32, int) bool {
		return func(f *http2.Framer, _ uint32, _ int) bool {
			_ = f.WriteGoAway(0, code, nil)
			return false
		}
	}
	for _, tt := range []struct {
		name    string
		respond func(f *http2.Framer, stream uint32, nth int) (stay bool) // to each request over HTTP/2
		want    []string
	}{
		{"stream reset", reset(http2.ErrCodeHTTP11Required), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
		{"GOAWAY", goAway(http2.ErrCodeHTTP11Required), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
		{"GOAWAY, after a response", func(f *http2.Framer, stream uint32, nth int) bool {
			if nth > 1 { // net/http tries once more over HTTP/2, and the page is retried
				return goAway(http2.ErrCodeHTTP11Required)(f, stream, nth)
			}
			notFound := []byte{0x8d} // RFC 7541, appendix A
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: notFound, EndStream: true, EndHeaders: true}) == nil
		}, []string{"HTTP/2", "HTTP/2", "HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}}, // robots.txt again, then the pages
		{"stream reset, inadequate security", reset(http2.ErrCodeInadequateSecurity), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
		{"GOAWAY, inadequate security", goAway(http2.ErrCodeInadequateSecurity), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			var mu sync.Mutex
			var protocols []string
			var last time.Time
			came := func(protocol string) (nth int) {
				mu.Lock()
				defer mu.Unlock()
				if gap := time.Since(last); gap < delay {
					t.Errorf("a request came after %v, the delay is %v", gap, delay)
				}
				protocols, last = append(protocols, protocol), time.Now()
				return len(protocols)
			}
			cfg := testConfig(t)
			server, transport := framedSite(t, &cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				came(r.Proto)
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, `<a href="/a">a</a>`)
			}), func(conn *tls.Conn) {
				serveFrames(conn, func(f *http2.Framer, stream uint32) bool { return tt.respond(f, stream, came("HTTP/2")) })
			})
			cfg.URLs, cfg.Politeness.Delay, cfg.Fetch.Retries = []string{server.URL}, delay, 1
			got := runCrawl(t, cfg, &Options{Transport: transport})
			mu.Lock()
			defer mu.Unlock()
			if got.Statuses[200] != 2 || len(got.rejected) != 0 || !slices.Equal(protocols, tt.want) {
				t.Errorf("%+v, rejected %+v, protocols %q, want %q", got.Summary, got.rejected, protocols, tt.want)
			}
		}))
	}
}

// framedSite starts a server with a handler for HTTP/1.1 and another for each HTTP/2 connection.
// It returns the server with a transport that trusts it.
func framedSite(t *testing.T, cfg *Config, http1 http.Handler, http2 func(conn *tls.Conn)) (*httptest.Server, *http.Transport) {
	t.Helper()
	server := &httptest.Server{Listener: listen(t, "127.0.0.1"), Config: &http.Server{Handler: http1}}
	server.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) { http2(conn) },
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, trusting(t, cfg, server)
}

// serveFrames serves an HTTP/2 connection. It calls respond for each request, until respond
// returns that the connection is over.
func serveFrames(conn io.ReadWriteCloser, respond func(f *http2.Framer, stream uint32) (stay bool)) {
	defer func() { _ = conn.Close() }()
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(conn, conn)
	if f.WriteSettings() != nil {
		return
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() && f.WriteSettingsAck() != nil {
				return
			}
		case *http2.HeadersFrame:
			if !respond(f, frame.StreamID) {
				return
			}
		}
	}
}

// A connSite is a site that responds by the number of a request on its connection.
type connSite struct {
	url string

	mu   sync.Mutex
	seen []connRequest
}

// A connRequest is a request to a connSite.
type connRequest struct {
	path       string
	conn       int // number of its connection
	nth        int // on that
	began, end time.Time
}

// newConnSite starts a site. The function respond returns the raw response, and whether to close
// the connection.
func newConnSite(t *testing.T, respond func(r connRequest) (text string, closed bool)) *connSite {
	t.Helper()
	listener := listen(t, "127.0.0.1")
	t.Cleanup(func() { _ = listener.Close() })
	s := &connSite{url: "http://" + listener.Addr().String()}
	go func() {
		for n := 1; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			go s.serve(conn, n, respond)
		}
	}()
	return s
}

func (s *connSite) serve(conn net.Conn, number int, respond func(r connRequest) (string, bool)) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for nth := 1; ; nth++ {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		r := connRequest{path: req.URL.Path, conn: number, nth: nth, began: time.Now()}
		text, closed := respond(r)
		r.end = time.Now()
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		if _, err := io.WriteString(conn, text); err != nil || closed {
			return
		}
	}
}

// requests returns the requests to the site.
func (s *connSite) requests() []connRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// wantRequests checks the requests, the numbers of their connections, and the delays.
func (s *connSite) wantRequests(t *testing.T, delay time.Duration, want ...string) {
	t.Helper()
	var got []string
	var last time.Time
	for _, r := range s.requests() {
		got = append(got, fmt.Sprint(r.path, " ", r.conn))
		if gap := r.began.Sub(last); gap < delay {
			t.Errorf("%s came after %v, the delay is %v", r.path, gap, delay)
		}
		last = r.end
	}
	if !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
}

// sent returns a raw response; each of the fields ends with a line end.
func sent(status, fields, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), fields, body)
}

// A 408 on a reused connection means that the site has closed an idle connection: the request is sent again over
// a new one, after the delay. A 408 that arrives before the request has no effect. One on a new connection is a
// temporary failure: the page is retried, each time over a new connection, and not before the time of Retry-After.
func TestRequestTimeout(t *testing.T) {
	const delay = 100 * time.Millisecond
	late, page := sent("408 Request Timeout", "", "too late"), sent("200 OK", "", `<a href="/a">a</a><a href="/private">private</a>`)
	onReused := func(timeout string, closed bool) func(connRequest) (string, bool) {
		return func(r connRequest) (string, bool) {
			switch {
			case r.nth > 1:
				return timeout, closed
			case r.path == "/robots.txt":
				return sent("301 Moved Permanently", "Location: /r.txt\r\n", ""), false
			case r.path == "/r.txt":
				return sent("200 OK", "", "User-agent: *\nDisallow: /private\n"), false
			}
			return page, false
		}
	}
	reused := []string{"/robots.txt 1", "/r.txt 1", "/r.txt 2", "/ 2", "/ 3", "/a 3", "/a 4"}
	for _, tt := range []struct {
		name     string
		respond  func(connRequest) (text string, closed bool)
		retries  int
		statuses map[int]int
		requests []string
		retried  int           // index of the first request that is a retry of the crawl; 0 if none
		pause    time.Duration // before that, and the next ones
	}{
		{"reused connection, kept", onReused(late, false), 0, map[int]int{200: 2}, reused, 0, 0},
		{"reused connection, closed", onReused(sent("408 Request Timeout", "Connection: close\r\n", "too late"), true), 0, map[int]int{200: 2}, reused, 0, 0},
		{"reused connection, closed, unsaid", onReused(sent("408 Request Timeout", "", ""), true), 0, map[int]int{200: 2}, reused, 0, 0},
		{"idle connection", func(connRequest) (string, bool) {
			return sent("200 OK", "", `<a href="/a">a</a>`) + sent("408 Request Timeout", "Connection: close\r\n", ""), true
		}, 0, map[int]int{200: 2}, []string{"/robots.txt 1", "/ 2", "/a 3"}, 0, 0},
		{"new connection", func(r connRequest) (string, bool) {
			if r.path == "/a" {
				return late, false
			}
			return sent("200 OK", "", `<a href="/a">a</a>`), false
		}, 2, map[int]int{200: 1, 408: 1}, []string{"/robots.txt 1", "/ 1", "/a 1", "/a 2", "/a 3", "/a 4"}, 4, time.Second},
		{"Retry-After", func(r connRequest) (string, bool) {
			if r.nth > 1 {
				return sent("408 Request Timeout", "Retry-After: 2\r\n", "too late"), false
			}
			return sent("200 OK", "", "page"), false
		}, 1, map[int]int{200: 1}, []string{"/robots.txt 1", "/ 1", "/ 2"}, 2, 2 * time.Second},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			s := newConnSite(t, tt.respond)
			cfg := testConfig(t, s.url)
			cfg.Politeness.Delay, cfg.Fetch.Retries, cfg.Limits.MaxWait = delay, tt.retries, time.Minute
			got := runCrawl(t, cfg, nil)
			if !maps.Equal(got.Statuses, tt.statuses) || slices.ContainsFunc(got.pages, func(p output.Page) bool { return p.Status == 408 && p.Attempt != 3 }) {
				t.Errorf("%+v, pages %+v", got.Summary, got.pages)
			}
			s.wantRequests(t, delay, tt.requests...)
			requests := s.requests()
			for i := tt.retried; i > 0 && i < len(requests); i++ {
				if gap := requests[i].began.Sub(requests[i-1].end); gap < tt.pause {
					t.Errorf("%s was retried after %v", requests[i].path, gap)
				}
			}
		}))
	}
}

// The retry after a 408 uses a new connection, not another idle one.
func TestRequestTimeoutWithManyIdleConnections(t *testing.T) {
	const idle = 3
	var together sync.WaitGroup // so that each has a connection of its own
	together.Add(idle)
	s := newConnSite(t, func(r connRequest) (string, bool) {
		if r.path == "/first" {
			together.Done()
			together.Wait()
		}
		if r.nth > 1 {
			return sent("408 Request Timeout", "", "too late"), false
		}
		return sent("200 OK", "", "page"), false
	})
	life := lifecycle.New(slog.New(slog.DiscardHandler), nil)
	slots := politeness.NewSlots(frontier.NewMemory(nil), politeness.NewDelays(nil, politeness.Options{}), life, 0)
	w := fetch.NewTransport(fetch.Crawl{Lifecycle: life, Pacer: slots}, fetch.Config{
		Timeout: time.Minute, Workers: idle, PerHost: idle, Guard: guard.New(netip.MustParsePrefix("127.0.0.0/8")),
	})
	t.Cleanup(w.CloseIdleConnections)
	status := func(path string) int {
		resp, err := w.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil))
		if err != nil {
			t.Error(err)
			return 0
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	var first sync.WaitGroup
	for range idle {
		first.Go(func() { status("/first") })
	}
	first.Wait()
	if got := status("/second"); got != http.StatusOK {
		t.Errorf("status %d", got)
	}
	if last := s.requests()[idle:]; len(last) != 2 || last[0].nth != 2 || last[1].conn != idle+1 {
		t.Errorf("requests %+v", last)
	}
}

// An HTTP/2 connection with a 408 is closed when its other requests are done.
func TestRequestTimeoutOverHTTP2(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		cfg := testConfig(t)
		var mu sync.Mutex
		var from []string
		server, transport := http2Site(t, &cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if from = append(from, r.RemoteAddr); r.URL.Path == "/late" && len(from) < 3 {
				w.WriteHeader(http.StatusRequestTimeout)
			}
		}))
		cfg.URLs, cfg.Fetch.Retries = []string{server.URL + "/late"}, 1
		if got := runCrawl(t, cfg, &Options{Transport: transport}); got.Statuses[200] != 1 {
			t.Errorf("%+v", got.Summary)
		}
		if len(from) != 3 || from[0] != from[1] || from[1] == from[2] {
			t.Errorf("requests from %q", from)
		}
	})
}

// spent is a transport without file descriptors for a path.
type spent struct {
	http.RoundTripper
	path string
}

func (s *spent) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == s.path {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	}
	return s.RoundTripper.RoundTrip(req)
}

// A crawl without file descriptors fails and reports that. It blames no site: no URL fails, and
// no robots.txt is unreachable. When descriptors are available, the crawl continues at once.
func TestNoDescriptorsLeft(t *testing.T) {
	for _, path := range []string{"/robots.txt", "/", "/a"} {
		t.Run(path, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "", "/": `<a href="/a">a</a>`, "/a": "a"})
			cfg := testConfig(t, s.url+"/")
			cfg.Robots.Retry = time.Hour
			c := newCrawler(t, cfg, &Options{Transport: &spent{&http.Transport{DisableKeepAlives: true}, path}})
			sum, err := c.Run(t.Context())
			if !errors.Is(err, syscall.EMFILE) || sum.End != EndFailed || sum.Robots > 1 || path == "/robots.txt" && sum.Robots > 0 {
				t.Fatalf("%+v, %v", sum, err)
			}
			if lines := readOutput[output.Rejection](t, cfg, "rejected.jsonl"); len(lines) > 0 {
				t.Errorf("failed: %+v", lines)
			}
			got := resume(t, cfg, nil)
			if got.End != EndFinished || got.Pages != 2 || len(got.rejected) > 0 {
				t.Errorf("%+v, rejected %+v", got.Summary, got.rejected)
			}
		})
	}
}

// A crawl with more concurrency than file descriptors is refused, and creates no files.
func TestTooManyWorkersForTheDescriptors(t *testing.T) {
	cfg := testConfig(t, "http://127.0.0.1:1/")
	cfg.Limits.Concurrency = descriptors.Limit() // each needs more than one
	c := newCrawler(t, cfg, nil)
	if sum, err := c.Run(t.Context()); sum != nil || err == nil || !strings.Contains(err.Error(), "raise the limit") {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := os.Stat(cfg.Output.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want none", cfg.Output.Dir, err)
	}
}

package crawler

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// A connSite is a site that responds by the number of a request on its connection.
type connSite struct {
	url string

	mu   sync.Mutex
	seen []connRequest
}

// A connRequest is a request as a connSite saw it.
type connRequest struct {
	path       string
	conn       int // number of its connection
	nth        int // on that
	began, end time.Time
}

// newConnSite starts a site. respond returns what is sent, as it is, and whether the
// connection is closed then.
func newConnSite(t *testing.T, respond func(r connRequest) (text string, closed bool)) *connSite {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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

// requests returns what the site saw.
func (s *connSite) requests() []connRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// wantRequests wants these requests, each with the number of its connection, and the delay
// before each.
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

// sent is a response as it is sent; fields end with a line end each.
func sent(status, fields, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), fields, body)
}

// A 408 in place of a response says that the site has timed out an idle connection. The
// request is sent again, over a new one, after the delay; what comes then is the response.
func TestRequestTimeoutOnReusedConnection(t *testing.T) {
	const delay = 100 * time.Millisecond
	page := sent("200 OK", "", `<a href="/a">a</a><a href="/private">private</a>`)
	for _, tt := range []struct {
		name    string
		timeout string // in place of a response
		closed  bool   // after it
	}{
		{"connection kept", sent("408 Request Timeout", "", "too late"), false},
		{"connection closed", sent("408 Request Timeout", "Connection: close\r\n", "too late"), true},
		{"connection closed, unsaid", sent("408 Request Timeout", "", ""), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newConnSite(t, func(r connRequest) (string, bool) {
				switch {
				case r.nth > 1:
					return tt.timeout, tt.closed
				case r.path == "/robots.txt":
					return sent("301 Moved Permanently", "Location: /r.txt\r\n", ""), false
				case r.path == "/r.txt":
					return sent("200 OK", "", "User-agent: *\nDisallow: /private\n"), false
				}
				return page, false
			})
			cfg := testConfig(t, s.url)
			cfg.Politeness.Delay = delay
			got := run(t, cfg, nil)
			if got.Statuses[200] != 2 || got.Statuses[408] != 0 || got.Rejected[output.Disallowed] != 1 {
				t.Errorf("%+v", got.Summary)
			}
			s.wantRequests(t, delay, "/robots.txt 1", "/r.txt 1", "/r.txt 2", "/ 2", "/ 3", "/a 3", "/a 4")
		})
	}
}

// One that arrives before the request costs nothing at all.
func TestRequestTimeoutOnIdleConnection(t *testing.T) {
	const delay = 100 * time.Millisecond
	s := newConnSite(t, func(connRequest) (string, bool) {
		return sent("200 OK", "", `<a href="/a">a</a>`) + sent("408 Request Timeout", "Connection: close\r\n", ""), true
	})
	cfg := testConfig(t, s.url)
	cfg.Politeness.Delay = delay
	if got := run(t, cfg, nil); got.Statuses[200] != 2 {
		t.Errorf("%+v", got.Summary)
	}
	s.wantRequests(t, delay, "/robots.txt 1", "/ 2", "/a 3")
}

// Where a new connection brings the same, it is a failure that may pass: the page is retried
// as after any other, each time over a new connection.
func TestRequestTimeoutIsRetried(t *testing.T) {
	const delay = 100 * time.Millisecond
	s := newConnSite(t, func(r connRequest) (string, bool) {
		if r.path == "/a" {
			return sent("408 Request Timeout", "", "too late"), false
		}
		return sent("200 OK", "", `<a href="/a">a</a>`), false
	})
	cfg := testConfig(t, s.url)
	cfg.Politeness.Delay, cfg.Fetch.Retries = delay, 2
	got := run(t, cfg, nil)
	if i := slices.IndexFunc(got.pages, func(p output.Page) bool { return p.URL == s.url+"/a" }); i < 0 || got.pages[i].Status != 408 || got.pages[i].Attempt != 3 {
		t.Errorf("pages %+v", got.pages)
	}
	s.wantRequests(t, delay, "/robots.txt 1", "/ 1", "/a 1", "/a 2", "/a 3", "/a 4")
	for i, r := range s.requests() {
		if i > 3 && r.began.Sub(s.requests()[i-1].end) < retryBase {
			t.Errorf("retry %d came too soon", i-3)
		}
	}
}

// A 408 that says when to come back is not answered by a request before that.
func TestRequestTimeoutWithRetryAfter(t *testing.T) {
	s := newConnSite(t, func(r connRequest) (string, bool) {
		if r.nth > 1 {
			return sent("408 Request Timeout", "Retry-After: 2\r\n", "too late"), false
		}
		return sent("200 OK", "", "page"), false
	})
	cfg := testConfig(t, s.url)
	cfg.Fetch.Retries, cfg.Limits.MaxWait = 1, time.Minute
	if got := run(t, cfg, nil); got.Statuses[200] != 1 {
		t.Errorf("%+v", got.Summary)
	}
	s.wantRequests(t, 0, "/robots.txt 1", "/ 1", "/ 2")
	if requests := s.requests(); len(requests) == 3 && requests[2].began.Sub(requests[1].end) < 2*time.Second {
		t.Errorf("requested again after %v", requests[2].began.Sub(requests[1].end))
	}
}

// A new connection is meant, not another one that has been idle as long.
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
	w := fetch.NewTransport(t.Context(), fetch.Config{
		Timeout: time.Minute, Workers: idle, PerHost: idle, Guard: guard.New(netip.MustParsePrefix("127.0.0.0/8")),
	}, fetch.Hooks{Delay: func(context.Context, *url.URL) {}, Fail: func(err error) { t.Error(err) }})
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

// Over HTTP/2 the connection has other requests on it, and is closed when they are done.
func TestRequestTimeoutOverHTTP2(t *testing.T) {
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
	if got := run(t, cfg, &Options{Transport: transport}); got.Statuses[200] != 1 {
		t.Errorf("%+v", got.Summary)
	}
	if len(from) != 3 || from[0] != from[1] || from[1] == from[2] {
		t.Errorf("requests from %q", from)
	}
}

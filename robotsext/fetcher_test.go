package robotsext_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// fetched is the record of s, freshly fetched with default options.
func fetched(t *testing.T, s *site) *robotsext.Record {
	t.Helper()
	return recordFor(t, newRobots(t, nil), s.url("/page"))
}

func wantOutcome(t *testing.T, rec *robotsext.Record, want robotsext.Outcome) {
	t.Helper()
	if rec.Outcome != want {
		t.Errorf("outcome %v (status %d, %v), want %v", rec.Outcome, rec.Status, rec.Err, want)
	}
}

func TestRequest(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", "Thu, 01 Oct 2026 00:00:00 GMT")
		w.Header().Set("Set-Cookie", "a=b; Path=/")
		fmt.Fprint(w, private)
	})
	clock := newClock()
	r := newRobots(t, &robotsext.Options{Now: clock.now})
	u := s.url("/a/b?x#y")
	u.User = url.UserPassword("user", "secret")
	for range 2 {
		wantOK(t, r.Check(t.Context(), u))
		clock.advance(25 * time.Hour)
	}
	s.wantAsked(t, robotsLine, robotsLine)
	for i, req := range s.seen {
		for id, names := range map[string][]string{
			"ROB-FET-01": {"If-None-Match", "If-Modified-Since", "Range"},
			"ROB-FET-18": {"Cookie", "Authorization"},
			"ROB-LOC-13": {"Authorization"},
		} {
			t.Run(fmt.Sprintf("%s/request %d", id, i+1), func(t *testing.T) {
				for _, name := range names {
					if v := req.Header.Get(name); v != "" {
						t.Errorf("%s: %s", name, v)
					}
				}
			})
		}
		t.Run(fmt.Sprintf("ROB-FET-04/request %d", i+1), func(t *testing.T) {
			if got := req.Header.Get("User-Agent"); got != agent || !strings.Contains(got, "testbot") {
				t.Errorf("User-Agent %q", got)
			}
		})
	}
}

// cutShort says that its body is longer than it is.
func cutShort(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, "User-agent: *\nAllow: /\n")
}

// hangUp closes the connection after what it writes there.
func hangUp(written string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprint(conn, written)
		_ = conn.Close()
	}
}

func TestInvalidAnswers(t *testing.T) {
	for name, robots := range map[string]http.HandlerFunc{
		"no answer": hangUp(""),
		"not HTTP":  hangUp("hello\r\n\r\n"),
		"truncated": cutShort,
		"chunk error": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "User-agent: *\nAllow: /\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"header of 300 KB": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
			}
			fmt.Fprint(w, private)
		},
	} {
		t.Run("ROB-FET-15/"+name, func(t *testing.T) {
			wantOutcome(t, fetched(t, newSite(t, robots)), robotsext.OutcomeUnreachable)
		})
	}
	t.Run("ROB-FET-15/refused", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		wantOK(t, err)
		addr := l.Addr().String()
		_ = l.Close()
		wantLater(t, newRobots(t, nil).Check(t.Context(), mustParse(t, "http://"+addr+"/")))
	})
	t.Run("ROB-FET-15/TLS", func(t *testing.T) {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		defer s.Close()
		r := newRobots(t, &robotsext.Options{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}})
		wantLater(t, r.Check(t.Context(), mustParse(t, s.URL)))
	})
}

func TestTimeout(t *testing.T) {
	var held atomic.Int32 // turns
	turn := func(context.Context, *url.URL) (func(), error) {
		time.Sleep(time.Hour)
		held.Add(1)
		return func() { held.Add(-1) }, nil
	}
	for name, test := range map[string]struct {
		wait     func(context.Context, *url.URL) (func(), error)
		response func(req *http.Request) (*http.Response, error)
		outcome  robotsext.Outcome
		took     time.Duration
	}{
		"drip": {nil, func(req *http.Request) (*http.Response, error) {
			return reply{status: 200, open: (&endless{wait: time.Second, next: func(int) string { return "#" }}).open}.RoundTrip(req)
		}, robotsext.OutcomeUnreachable, 30 * time.Second},
		"redirects included": {nil, func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(12 * time.Second):
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
			return redirect(req.URL.Path + "x").RoundTrip(req)
		}, robotsext.OutcomeUnreachable, 30 * time.Second},
		"waiting for a turn is free": {turn, func(req *http.Request) (*http.Response, error) {
			if n := held.Load(); n != 1 {
				t.Errorf("%d turns held during a request", n)
			}
			time.Sleep(10 * time.Second)
			if req.URL.Path == "/robots.txt" {
				return redirect("/r.txt").RoundTrip(req)
			}
			return robotsReply.RoundTrip(req)
		}, robotsext.OutcomeRules, 2*time.Hour + 20*time.Second},
		"time runs on after a turn": {turn, reply{hang: true}.RoundTrip, robotsext.OutcomeUnreachable, time.Hour + 30*time.Second},
	} {
		inBubble(t, "ROB-FET-17/"+name, func(t *testing.T) {
			requests := 0
			r := newRobots(t, &robotsext.Options{
				Fetch: robotsext.FetchOptions{Wait: test.wait},
				Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
					requests++
					return test.response(req)
				}),
			})
			start := time.Now()
			rec := recordFor(t, r, rootA)
			wantOutcome(t, rec, test.outcome)
			if err := fmt.Sprint(rec.Err); rec.Err != nil && (errors.Is(rec.Err, context.DeadlineExceeded) || !strings.Contains(err, "30s")) {
				t.Errorf("error %s, want our own deadline told from the caller's", err)
			}
			if took := time.Since(start); took != test.took || held.Load() != 0 || requests > 3 {
				t.Errorf("took %s and %d requests, want %s; %d turns never ended", took, requests, test.took, held.Load())
			}
		})
	}
	t.Run("no turn", func(t *testing.T) {
		refused := errors.New("closed")
		r := newRobots(t, &robotsext.Options{
			Fetch:     robotsext.FetchOptions{Wait: func(context.Context, *url.URL) (func(), error) { return nil, refused }},
			Transport: roundTripper(func(*http.Request) (*http.Response, error) { t.Error("sent"); return nil, refused }),
		})
		if blocked := wantLater(t, r.Check(t.Context(), mustParse(t, "http://example.com/"))); !errors.Is(&blocked, refused) {
			t.Errorf("error %v", blocked.Err)
		}
	})
}

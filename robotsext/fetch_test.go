package robotsext_test

import (
	"bytes"
	"compress/gzip"
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
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// fetched is the record of s, freshly fetched with default options.
func fetched(t *testing.T, s *site) *robotsext.Record {
	t.Helper()
	rec, err := newRobots(t, nil).Record(t.Context(), s.url("/page"))
	if err != nil {
		t.Fatal(err)
	}
	return rec
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
		if err := r.Check(t.Context(), u); err != nil {
			t.Fatal(err)
		}
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

// chain serves a number of redirects before end, and counts requests.
func chain(t *testing.T, hops int, end http.HandlerFunc) *site {
	s := newSite(t, nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.mu.Lock()
		n := len(s.seen)
		s.seen = append(s.seen, req)
		s.mu.Unlock()
		if n < hops {
			http.Redirect(w, req, fmt.Sprintf("/private/%d", n), http.StatusMovedPermanently)
			return
		}
		end(w, req)
	})
	return s
}

func TestRedirects(t *testing.T) {
	t.Run("ROB-FET-05/five", func(t *testing.T) {
		rec := fetched(t, chain(t, 5, text(private)))
		wantOutcome(t, rec, robotsext.Rules)
		if len(rec.Chain) != 6 {
			t.Errorf("chain %q, want 6 URLs", rec.Chain)
		}
	})
	t.Run("ROB-FET-05/six", func(t *testing.T) {
		s := chain(t, 6, text(private))
		wantOutcome(t, fetched(t, s), robotsext.AllowAll)
		if n := len(s.asked()); n != 6 {
			t.Errorf("%d requests, want 6", n)
		}
	})
	t.Run("ROB-FET-06/other origin", func(t *testing.T) {
		target := newSite(t, text("User-agent: *\nDisallow: /x\n"))
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, target.URL+"/robots.txt", http.StatusFound)
		})
		r := newRobots(t, nil)
		wantDisallowed(t, r.Check(t.Context(), s.url("/x")), 2)
		target.wantAsked(t, robotsLine)
		wantDisallowed(t, r.Check(t.Context(), target.url("/x")), 2)
		target.wantAsked(t, robotsLine, robotsLine) // asked for its own
	})
	t.Run("ROB-FET-07/loop", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/robots.txt", http.StatusFound)
		})
		wantOutcome(t, fetched(t, s), robotsext.AllowAll)
		if n := len(s.asked()); n > 6 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("ROB-FET-07/loop of two", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/to?/robots.txt", http.StatusFound)
		})
		wantOutcome(t, fetched(t, s), robotsext.AllowAll)
		s.wantAsked(t, robotsLine, "GET /to?/robots.txt")
	})
	for _, code := range []int{300, 301, 302, 303, 307, 308, 399} {
		t.Run(fmt.Sprintf("ROB-FET-08/%d", code), func(t *testing.T) {
			s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "r.txt#x")
				w.WriteHeader(code)
			})
			wantOutcome(t, fetched(t, s), robotsext.Rules)
			s.wantAsked(t, robotsLine, "GET /r.txt")
		})
	}
	t.Run("ROB-FET-08/credentials", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Location", "http://user:secret@"+req.Host+"/r.txt")
			w.WriteHeader(301)
		})
		wantOutcome(t, fetched(t, s), robotsext.Rules)
		if v := s.seen[1].Header.Get("Authorization"); v != "" {
			t.Errorf("Authorization: %s", v)
		}
	})
	t.Run("ROB-FET-09/into a disallowed path", func(t *testing.T) {
		s := chain(t, 1, text(private))
		wantOutcome(t, fetched(t, s), robotsext.Rules)
		s.wantAsked(t, robotsLine, "GET /private/0")
	})
	t.Run("ROB-FET-10/404 at the end", func(t *testing.T) {
		wantOutcome(t, fetched(t, chain(t, 2, status(404))), robotsext.AllowAll)
	})
	t.Run("ROB-FET-10/500 at the end", func(t *testing.T) {
		rec := fetched(t, chain(t, 2, status(500)))
		wantOutcome(t, rec, robotsext.Unreachable)
		if rec.Status != 500 {
			t.Errorf("status %d", rec.Status)
		}
	})
	t.Run("ROB-FET-10/dead end", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "http://127.0.0.1:1/", http.StatusFound)
		})
		rec := fetched(t, s)
		wantOutcome(t, rec, robotsext.Unreachable)
		if rec.Status != 0 || rec.Err == nil {
			t.Errorf("status %d, error %v", rec.Status, rec.Err)
		}
	})
	t.Run("ROB-FET-11/refresh", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Refresh", "0; url=/other.txt")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<meta http-equiv="refresh" content="0; url=/other.txt">`+"\n"+private)
		})
		wantOutcome(t, fetched(t, s), robotsext.Rules)
		s.wantAsked(t, robotsLine)
	})
}

func TestContent(t *testing.T) {
	t.Run("ROB-FET-12/type", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "User-agent: *\nDisallow: /")
		})
		wantDisallowed(t, newRobots(t, nil).Check(t.Context(), s.url("/")), 2)
	})
	coded := func(coding string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) {
			if got := req.Header.Get("Accept-Encoding"); got != "gzip" {
				t.Errorf("Accept-Encoding: %q", got)
			}
			w.Header().Set("Content-Encoding", coding)
			_, _ = w.Write(body)
		}
	}
	packed := zip([]byte(private))
	broken := slices.Clone(packed)
	broken[len(broken)-6] ^= 0xff
	for _, test := range []struct {
		name, coding string
		body         []byte
		want         robotsext.Outcome
	}{
		{"gzip", "gzip", packed, robotsext.Rules},
		{"x-gzip", "X-GZip", packed, robotsext.Rules},
		{"identity", "identity", []byte(private), robotsext.Rules},
		{"gzip without a body", "gzip", nil, robotsext.Rules},
		{"corrupt", "gzip", broken, robotsext.Unreachable},
		{"cut", "gzip", packed[:len(packed)-9], robotsext.Unreachable},
		{"not gzip", "gzip", []byte(private), robotsext.Unreachable},
		{"not offered", "br", []byte(private), robotsext.Unreachable},
		{"unknown", "zz", []byte(private), robotsext.Unreachable},
		{"twice", "gzip, gzip", zip(packed), robotsext.Unreachable},
	} {
		t.Run("ROB-FET-13/"+test.name, func(t *testing.T) {
			rec := fetched(t, newSite(t, coded(test.coding, test.body)))
			wantOutcome(t, rec, test.want)
			if test.want == robotsext.Rules && len(test.body) > 0 && string(rec.Body) != private {
				t.Errorf("body %q", rec.Body)
			}
		})
	}
	t.Run("ROB-FET-13/bomb", func(t *testing.T) {
		rec := fetched(t, newSite(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for block := bytes.Repeat([]byte("Disallow: /\n"), 1<<16); ; {
				if _, err := z.Write(block); err != nil {
					return
				}
			}
		}))
		wantOutcome(t, rec, robotsext.Rules)
		if len(rec.Body) > 512_000 || !rec.Truncated {
			t.Errorf("%d bytes kept, truncated %v", len(rec.Body), rec.Truncated)
		}
	})
	t.Run("ROB-FET-13/empty members without end", func(t *testing.T) {
		nothing := zip(nil)
		rec := fetched(t, newSite(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			for block := bytes.Repeat(nothing, 1000); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}))
		wantOutcome(t, rec, robotsext.Unreachable)
	})
}

func zip(b []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, _ = z.Write(b)
	_ = z.Close()
	return buf.Bytes()
}

func TestSizeLimit(t *testing.T) {
	// filler ends at byte n with a whole line.
	filler := func(n int) string {
		return strings.Repeat("#"+strings.Repeat("-", 998)+"\n", n/1000) + strings.Repeat("#", max(n%1000-1, 0)) + "\n"
	}
	head := "User-agent: *\n"
	at := func(offset int, rest string) string { return head + filler(offset-len(head)) + rest }
	t.Run("ROB-FET-14/endless", func(t *testing.T) {
		rec := fetched(t, newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, private)
			for {
				if _, err := io.WriteString(w, filler(100_000)); err != nil {
					return
				}
			}
		}))
		wantOutcome(t, rec, robotsext.Rules)
		if len(rec.Body) > 512_000 || len(rec.Body) < 511_000 || !rec.Truncated {
			t.Errorf("%d bytes kept, truncated %v", len(rec.Body), rec.Truncated)
		}
	})
	for _, test := range []struct {
		id, body string
		disallow bool
		cut      bool
	}{
		{"ROB-FMT-14/live", at(511_000, "Disallow: /x\n") + filler(2000), true, true},
		{"ROB-FMT-14/dead", at(513_000, "Disallow: /x\n"), false, true},
		{"ROB-FMT-15/cut inside a line", at(511_992, "Disallow: /x/long\n"), false, true},
		{"ROB-FMT-15/line ends at the limit", at(512_000-len("Disallow: /x\n"), "Disallow: /x\n") + "more\n", true, true},
		{"ROB-FMT-15/line end is just behind", at(512_000-len("Disallow: /x"), "Disallow: /x\n"), true, true},
		{"ROB-FMT-15/file ends at the limit", at(512_000-len("Disallow: /x"), "Disallow: /x"), true, false},
	} {
		t.Run(test.id, func(t *testing.T) {
			s := newSite(t, text(test.body))
			r := newRobots(t, nil)
			rec, err := r.Record(t.Context(), s.url("/"))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Check(t.Context(), s.url("/x/long")) != nil; got != test.disallow || rec.Truncated != test.cut {
				t.Errorf("disallowed %v, truncated %v; want %v, %v (%d of %d bytes)", got, rec.Truncated, test.disallow, test.cut, len(rec.Body), len(test.body))
			}
		})
	}
	for name, after := range map[string]int{"after the limit": 600 << 10, "before the limit": 400 << 10} {
		t.Run("ROB-FET-16/"+name, func(t *testing.T) {
			rec := fetched(t, newSite(t, func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, private, filler(after))
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}))
			want := robotsext.Rules
			if after < 512_000 {
				want = robotsext.Unreachable
			}
			wantOutcome(t, rec, want)
		})
	}
}

func TestInvalidAnswers(t *testing.T) {
	for name, robots := range outages {
		if name == "500" || name == "503" || name == "429" {
			continue
		}
		t.Run("ROB-FET-15/"+name, func(t *testing.T) {
			s := newSite(t, robots)
			r := newRobots(t, &robotsext.Options{Timeout: 50 * time.Millisecond})
			rec, err := r.Record(t.Context(), s.url("/"))
			if err != nil {
				t.Fatal(err)
			}
			wantOutcome(t, rec, robotsext.Unreachable)
			if name == "timeout" && (errors.Is(rec.Err, context.DeadlineExceeded) || !strings.Contains(rec.Err.Error(), "50ms")) {
				t.Errorf("error %v, want our own deadline told from the caller's", rec.Err)
			}
		})
	}
	t.Run("ROB-FET-15/refused", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
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
	t.Run("ROB-FET-15/not HTTP", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			fmt.Fprint(conn, "hello\r\n\r\n")
			_ = conn.Close()
		})
		wantOutcome(t, fetched(t, s), robotsext.Unreachable)
	})
}

func TestTimeout(t *testing.T) {
	t.Run("ROB-FET-17/drip", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			drip := roundTripper(func(req *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: &dripBody{ctx: req.Context()}}, nil
			})
			start := time.Now()
			rec := recordBy(t, drip)
			wantOutcome(t, rec, robotsext.Unreachable)
			if took := time.Since(start); took != 30*time.Second {
				t.Errorf("took %s, want 30s", took)
			}
		})
	})
	t.Run("ROB-FET-17/redirects included", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			slow := roundTripper(func(req *http.Request) (*http.Response, error) {
				n++
				select {
				case <-time.After(12 * time.Second):
				case <-req.Context().Done():
					return nil, req.Context().Err()
				}
				return reply{status: 302, header: http.Header{"Location": {fmt.Sprintf("/%d", n)}}}.RoundTrip(req)
			})
			start := time.Now()
			wantOutcome(t, recordBy(t, slow), robotsext.Unreachable)
			if took := time.Since(start); took != 30*time.Second || n != 3 {
				t.Errorf("took %s and %d requests, want 30s and 3", took, n)
			}
		})
	})
	t.Run("ROB-FET-17/waiting for a turn is free", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			inTurn := 0
			opts := &robotsext.Options{
				Timeout: 3 * time.Second,
				Wait: func(_ context.Context, u *url.URL) (func(), error) {
					time.Sleep(time.Hour)
					mu.Lock()
					defer mu.Unlock()
					inTurn++
					return func() { mu.Lock(); inTurn--; mu.Unlock() }, nil
				},
				Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
					mu.Lock()
					if inTurn != 1 {
						t.Errorf("%d turns held during a request", inTurn)
					}
					mu.Unlock()
					time.Sleep(time.Second)
					if req.URL.Path == "/robots.txt" {
						return reply{status: 302, header: http.Header{"Location": {"/r.txt"}}}.RoundTrip(req)
					}
					return robotsReply.RoundTrip(req)
				}),
			}
			rec, err := newRobots(t, opts).Record(t.Context(), mustParse(t, "http://example.com/"))
			if err != nil {
				t.Fatal(err)
			}
			wantOutcome(t, rec, robotsext.Rules)
			if inTurn != 0 {
				t.Errorf("%d turns never ended", inTurn)
			}
		})
	})
	t.Run("ROB-FET-17/time runs on after a turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			opts := &robotsext.Options{
				Timeout: 3 * time.Second,
				Wait:    func(context.Context, *url.URL) (func(), error) { time.Sleep(time.Hour); return nil, nil },
				Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
					<-req.Context().Done()
					return nil, req.Context().Err()
				}),
			}
			start := time.Now()
			rec, err := newRobots(t, opts).Record(t.Context(), mustParse(t, "http://example.com/"))
			if err != nil {
				t.Fatal(err)
			}
			wantOutcome(t, rec, robotsext.Unreachable)
			if took := time.Since(start); took != time.Hour+3*time.Second {
				t.Errorf("took %s", took)
			}
		})
	})
	t.Run("no turn", func(t *testing.T) {
		refused := errors.New("closed")
		r := newRobots(t, &robotsext.Options{
			Wait:      func(context.Context, *url.URL) (func(), error) { return nil, refused },
			Transport: roundTripper(func(*http.Request) (*http.Response, error) { t.Error("sent"); return nil, refused }),
		})
		if blocked := wantLater(t, r.Check(t.Context(), mustParse(t, "http://example.com/"))); !errors.Is(&blocked, refused) {
			t.Errorf("error %v", blocked.Err)
		}
	})
}

// dripBody gives a byte each second for ever.
type dripBody struct{ ctx context.Context }

func (d *dripBody) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = '#'
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (d *dripBody) Close() error { return nil }

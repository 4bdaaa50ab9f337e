package robotsext_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

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
		{"gzip", "gzip", packed, robotsext.OutcomeRules},
		{"x-gzip", "X-GZip", packed, robotsext.OutcomeRules},
		{"identity", "identity", []byte(private), robotsext.OutcomeRules},
		{"gzip without a body", "gzip", nil, robotsext.OutcomeRules},
		{"corrupt", "gzip", broken, robotsext.OutcomeUnreachable},
		{"cut", "gzip", packed[:len(packed)-9], robotsext.OutcomeUnreachable},
		{"not gzip", "gzip", []byte(private), robotsext.OutcomeUnreachable},
		{"not offered", "br", []byte(private), robotsext.OutcomeUnreachable},
		{"unknown", "zz", []byte(private), robotsext.OutcomeUnreachable},
		{"twice", "gzip, gzip", zip(packed), robotsext.OutcomeUnreachable},
	} {
		t.Run("ROB-FET-13/"+test.name, func(t *testing.T) {
			rec := fetched(t, newSite(t, coded(test.coding, test.body)))
			wantOutcome(t, rec, test.want)
			if test.want == robotsext.OutcomeRules && len(test.body) > 0 && string(rec.Body) != private {
				t.Errorf("body %q", rec.Body)
			}
		})
	}
	t.Run("ROB-FET-13/gzip without a body, in chunks", func(t *testing.T) {
		rec := fetched(t, newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_ = http.NewResponseController(w).Flush()
		}))
		wantOutcome(t, rec, robotsext.OutcomeRules)
	})
	t.Run("ROB-FET-15/gzip that breaks off before its first byte", func(t *testing.T) {
		rec := fetched(t, newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Length", "100")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}))
		wantOutcome(t, rec, robotsext.OutcomeUnreachable)
	})
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
		wantOutcome(t, rec, robotsext.OutcomeRules)
		if len(rec.Body) > 512_000 || !rec.Truncated {
			t.Errorf("%d bytes kept, truncated %v", len(rec.Body), rec.Truncated)
		}
	})
	t.Run("ROB-FET-13/empty members without end", func(t *testing.T) {
		nothing := zip(nil)
		var sent atomic.Int64
		rec := fetched(t, newSite(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			for block := bytes.Repeat(nothing, 1000); sent.Load() < 64<<20; {
				n, err := w.Write(block)
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		}))
		wantOutcome(t, rec, robotsext.OutcomeUnreachable)
		// What the sockets hold is sent and not read.
		if n := sent.Load(); n > 32<<20 || !strings.Contains(rec.Err.Error(), "too long") {
			t.Errorf("error %v after %d bytes", rec.Err, n)
		}
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
		wantOutcome(t, rec, robotsext.OutcomeRules)
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
			rec := recordFor(t, r, s.url("/"))
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
			want := robotsext.OutcomeRules
			if after < 512_000 {
				want = robotsext.OutcomeUnreachable
			}
			wantOutcome(t, rec, want)
		})
	}
}

// A RoundTripper must give a body, but some forget to.
func TestNilBody(t *testing.T) {
	for status, want := range map[int]robotsext.Outcome{200: robotsext.OutcomeRules, 404: robotsext.OutcomeAllowAll, 500: robotsext.OutcomeUnreachable} {
		t.Run(fmt.Sprintf("ROB-STA-01/%d", status), func(t *testing.T) {
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{}}, nil
			})})
			rec := recordFor(t, r, mustParse(t, "http://example.com/"))
			wantOutcome(t, rec, want)
		})
	}
}

// A transport that returns neither a response nor an error fails, as in http.Client.
func TestTransportWithoutResponse(t *testing.T) {
	const want = "neither a response nor an error"
	answers := map[string]http.RoundTripper{ // by path; others get nothing
		"http://robots.example/robots.txt": nil,
		"http://page.example/robots.txt":   robotsReply,
	}
	r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		if answer := answers[req.URL.String()]; answer != nil {
			return answer.RoundTrip(req)
		}
		return nil, nil //nolint:nilnil // what this is about
	})})
	rec := recordFor(t, r, mustParse(t, "http://robots.example/"))
	wantOutcome(t, rec, robotsext.OutcomeUnreachable)
	if !strings.Contains(rec.Err.Error(), want) {
		t.Errorf("robots.txt: error %v, want %q", rec.Err, want)
	}
	if err := colly.NewCollector(r.Attach).Visit("http://page.example/a"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("page: error %v, want %q", err, want)
	}
}

// A body without rules is not read to its end, whatever its status.
func TestUnneededBodyIsNotRead(t *testing.T) {
	for code, want := range map[int]robotsext.Outcome{302: robotsext.OutcomeAllowAll, 404: robotsext.OutcomeAllowAll, 500: robotsext.OutcomeUnreachable} {
		t.Run(fmt.Sprintf("ROB-STA-01/%d without end", code), func(t *testing.T) {
			var sent atomic.Int64
			rec := fetched(t, newSite(t, func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("Location", "/robots.txt")
				w.WriteHeader(code)
				for piece := bytes.Repeat([]byte("x"), 32<<10); sent.Load() < 64<<20; {
					n, err := w.Write(piece)
					sent.Add(int64(n))
					if err != nil {
						return
					}
				}
			}))
			wantOutcome(t, rec, want)
			if n := sent.Load(); n > 32<<20 { // what the sockets hold is sent and not read
				t.Errorf("%d bytes were sent", n)
			}
		})
	}
}

// A short body that says nothing is read, so that its connection carries the next request.
func TestConnectionIsKept(t *testing.T) {
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(status(404))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	r := newRobots(t, nil)
	for range 3 {
		_, err := r.Refresh(t.Context(), mustParse(t, s.URL))
		wantOK(t, err)
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

package robotsext_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestContent(t *testing.T) {
	t.Run("ROB-FET-12/type", func(t *testing.T) {
		wantOutcome(t, recordBy(t, reply{status: 200, header: http.Header{"Content-Type": {"image/png"}}, body: private}), robotsext.OutcomeRules)
	})
	coded := func(coding, body string) reply {
		return reply{status: 200, header: http.Header{"Content-Encoding": {coding}}, body: body}
	}
	gzipped := http.Header{"Content-Encoding": {"gzip"}}
	packed := string(zip([]byte(private)))
	broken := []byte(packed)
	broken[len(broken)-6] ^= 0xff
	for _, test := range []struct {
		id     string
		answer reply
		want   robotsext.Outcome
	}{
		{"ROB-FET-13/gzip", coded("gzip", packed), robotsext.OutcomeRules},
		{"ROB-FET-13/x-gzip", coded("X-GZip", packed), robotsext.OutcomeRules},
		{"ROB-FET-13/identity", coded("identity", private), robotsext.OutcomeRules},
		{"ROB-FET-13/corrupt", coded("gzip", string(broken)), robotsext.OutcomeUnreachable},
		{"ROB-FET-13/cut", coded("gzip", packed[:len(packed)-9]), robotsext.OutcomeUnreachable},
		{"ROB-FET-13/not gzip", coded("gzip", private), robotsext.OutcomeUnreachable},
		{"ROB-FET-13/not offered", coded("br", private), robotsext.OutcomeUnreachable},
		{"ROB-FET-13/unknown", coded("zz", private), robotsext.OutcomeUnreachable},
		{"ROB-FET-13/twice", coded("gzip, gzip", string(zip([]byte(packed)))), robotsext.OutcomeUnreachable},
		{"ROB-FET-15/gzip that breaks off before its first byte", cutOff("", gzipped, io.ErrUnexpectedEOF), robotsext.OutcomeUnreachable},
	} {
		t.Run(test.id, func(t *testing.T) {
			rec := recordBy(t, roundTripper(func(req *http.Request) (*http.Response, error) {
				if got := req.Header.Get("Accept-Encoding"); got != "gzip" {
					t.Errorf("Accept-Encoding: %q", got)
				}
				return test.answer.RoundTrip(req)
			}))
			if wantOutcome(t, rec, test.want); test.want == robotsext.OutcomeRules && string(rec.Body) != private {
				t.Errorf("body %q", rec.Body)
			}
		})
	}
	for name, answer := range map[string]reply{"gzip without a body": coded("gzip", ""), "gzip without a body, in chunks": cutOff("", gzipped, io.EOF)} {
		t.Run("ROB-FET-13/"+name, func(t *testing.T) {
			if rec := recordBy(t, answer); rec.Outcome != robotsext.OutcomeRules || len(rec.Body) != 0 {
				t.Errorf("%s, body %q", rec.Outcome, rec.Body)
			}
		})
	}
	t.Run("ROB-FET-13/empty members without end", func(t *testing.T) {
		members := &endless{next: func(int) string { return strings.Repeat(string(zip(nil)), 1000) }}
		rec := recordBy(t, reply{status: 200, header: gzipped, open: members.open})
		if wantOutcome(t, rec, robotsext.OutcomeUnreachable); !strings.Contains(rec.Err.Error(), "encoded body too long") || members.closed != 1 {
			t.Errorf("error %v, closed %d times", rec.Err, members.closed)
		}
	})
	t.Run("ROB-FET-13/bomb", func(t *testing.T) {
		rec := recordBy(t, coded("gzip", string(zip(bytes.Repeat([]byte("Disallow: /\n"), 1<<18)))))
		if wantOutcome(t, rec, robotsext.OutcomeRules); len(rec.Body) > 512_000 || !rec.Truncated {
			t.Errorf("%d bytes kept, truncated %v", len(rec.Body), rec.Truncated)
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
		body := &endless{next: func(int) string { return filler(100_000) }}
		rec := recordBy(t, reply{status: 200, open: body.open})
		wantOutcome(t, rec, robotsext.OutcomeRules)
		if len(rec.Body) > 512_000 || len(rec.Body) < 511_000 || !rec.Truncated || body.closed != 1 {
			t.Errorf("%d bytes kept, truncated %v, closed %d times", len(rec.Body), rec.Truncated, body.closed)
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
			h := newHost(t, robotsext.Options{}, reply{status: 200, body: test.body})
			rec := h.record()
			if got := h.check("/x/long") != nil; got != test.disallow || rec.Truncated != test.cut {
				t.Errorf("disallowed %v, truncated %v; want %v, %v (%d of %d bytes)", got, rec.Truncated, test.disallow, test.cut, len(rec.Body), len(test.body))
			}
		})
	}
	for name, test := range map[string]struct {
		after int
		want  robotsext.Outcome
	}{"after the limit": {600_000, robotsext.OutcomeRules}, "before the limit": {400_000, robotsext.OutcomeUnreachable}} {
		t.Run("ROB-FET-16/"+name, func(t *testing.T) {
			wantOutcome(t, recordBy(t, cutOff(private+filler(test.after), nil, io.ErrUnexpectedEOF)), test.want)
		})
	}
}

// A RoundTripper must give a body, but some forget to: http.Client takes that for an empty one. One that
// gives neither a response nor an error fails, as in http.Client.
func TestBareTransport(t *testing.T) {
	const failure = "neither a response nor an error"
	for name, test := range map[string]struct {
		robots, page bool // are answered, without a body
		visit        string
	}{
		"ROB-STA-01/no body":       {true, true, ""},
		"ROB-FET-15/no robots.txt": {false, true, failure},
		"no page":                  {true, false, failure},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				if robots := req.URL.Path == "/robots.txt"; robots && test.robots || !robots && test.page {
					return &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Request: req}, nil
				}
				return nil, nil //nolint:nilnil // what this is about
			})})
			for _, err := range []error{get(t, r.Transport(nil), siteA+"/a"), colly.NewCollector(r.Attach).Visit(siteA + "/a")} {
				if (err == nil) != (test.visit == "") || err != nil && !strings.Contains(err.Error(), test.visit) {
					t.Errorf("error %v, want %q", err, test.visit)
				}
			}
			want := robotsext.OutcomeRules
			if !test.robots {
				want = robotsext.OutcomeUnreachable
			}
			wantOutcome(t, recordFor(t, r, rootA), want)
		})
	}
}

// A body without rules is not read to its end, whatever its status.
func TestUnneededBodyIsNotRead(t *testing.T) {
	for code, want := range map[int]robotsext.Outcome{302: robotsext.OutcomeAllowAll, 404: robotsext.OutcomeAllowAll, 500: robotsext.OutcomeUnreachable} {
		t.Run(fmt.Sprintf("ROB-STA-01/%d without end", code), func(t *testing.T) {
			body := &endless{next: func(int) string { t.Error("it is read"); return "x" }}
			rec := recordBy(t, reply{status: code, header: http.Header{"Location": {"/robots.txt"}}, open: body.open})
			if wantOutcome(t, rec, want); body.closed != 1 {
				t.Errorf("closed %d times", body.closed)
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

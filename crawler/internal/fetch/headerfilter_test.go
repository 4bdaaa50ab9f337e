package fetch

import (
	"bufio"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

func TestHeaderFilter(t *testing.T) {
	long := "X-Long: " + strings.Repeat("x", 10<<10) + "\r\n"
	for name, tt := range map[string]struct{ in, want string }{
		"without a colon":          {"HTTP/1.1 200 OK\r\nA: 1\r\nstray line\r\nB: 2\r\n\r\nbody\r\nline", "HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\nbody\r\nline"},
		"no name":                  {"HTTP/1.1 200 OK\n: x\nB: 2\n\n", "HTTP/1.1 200 OK\nB: 2\n\n"},
		"invalid name":             {"HTTP/1.1 200 OK\r\nX\xe9: 1\r\nB: 2\r\n\r\n", "HTTP/1.1 200 OK\r\nB: 2\r\n\r\n"},
		"control characters":       {"HTTP/1.1 200 OK\r\nA: 1\x01\x7f2\t3\r\n\r\n", "HTTP/1.1 200 OK\r\nA: 1  2\t3\r\n\r\n"},
		"field before the first":   {"HTTP/1.1 200 OK\r\n A: 1\r\nB: 2\r\n\r\n", "HTTP/1.1 200 OK\r\nB: 2\r\n\r\n"},
		"folded line":              {"HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\nstray\r\n 3\r\n\r\n", "HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\n\r\n"},
		"interim response":         {"HTTP/1.1 103 x\r\nA: 1\r\nx\r\n\r\nHTTP/1.1 200 OK\r\ny\r\n\r\nbody", "HTTP/1.1 103 x\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody"},
		"longer than the buffer":   {"HTTP/1.1 200 OK\r\n" + long + "\r\n", "HTTP/1.1 200 OK\r\n" + long + "\r\n"},
		"stray line, also longer":  {"HTTP/1.1 200 OK\r\n" + strings.Repeat("x", 10<<10) + ": y\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"},
		"connection that is ended": {"HTTP/1.1 200 OK\r\nA: 1\r\nB", "HTTP/1.1 200 OK\r\nA: 1\r\n"},
	} {
		got, err := io.ReadAll(filtered(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
}

func filtered(in string) io.Reader {
	return &headerFilter{in: bufio.NewReader(strings.NewReader(in))}
}

// FuzzHeaderFilter: no line of a filtered header is rejected, unless it has a NUL, and nothing changes
// in a response that net/http accepts.
func FuzzHeaderFilter(f *testing.F) {
	for _, in := range []string{"HTTP/1.1 200 OK\r\nA: 1\r\nstray\r\n\r\nbody", "HTTP/1.1 200 OK\nContent-Length: 3\nA : 1\n x\n\nabcd", "HTTP/1.0 100\r\n\r\n"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := readAll(filtered(in))
		if err != nil && isMalformedHeader(err) && !strings.Contains(in, "\x00") {
			t.Fatalf("%q: %v", in, err)
		}
		want, wantErr := readAll(strings.NewReader(in))
		if wantErr == nil && (err != nil || got.body != want.body || !maps.EqualFunc(got.header, want.header, func(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") })) {
			t.Fatalf("%q: %q, %v; want %q", in, got, err, want)
		}
	})
}

type response struct {
	header http.Header
	body   string
}

func readAll(in io.Reader) (response, error) {
	resp, err := http.ReadResponse(bufio.NewReader(in), nil)
	if err != nil {
		return response{}, err
	}
	body, _ := io.ReadAll(resp.Body)
	return response{resp.Header, string(body)}, nil
}

// A filtered connection is checked by the guard like any other.
func TestFilteredConnections(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nstray\r\nContent-Length: 4\r\n\r\npage")
		_ = conn.Close()
	}))
	defer server.Close()
	own := server.Client().Transport.(*http.Transport)
	for name, g := range map[string]*guard.Guard{"allowed": guard.New(netip.MustParsePrefix("127.0.0.0/8")), "refused": guard.New()} {
		resp, err := (&http.Client{Transport: wrapConns(withoutHTTP2(own), &Config{Guard: g, Timeout: time.Minute}, newHeaderFilter)}).Get(server.URL)
		if allowed := name == "allowed"; (err == nil) != allowed {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if string(body) != "page" || err != nil || len(resp.Header) != 1 {
			t.Errorf("%q, %v, %v", body, err, resp.Header)
		}
		_ = resp.Body.Close()
	}
}

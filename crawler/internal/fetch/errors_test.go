package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An error says which time limit was exceeded, and how long that was.
func TestDescribeTimeout(t *testing.T) {
	mute := func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }() // up to when ours is closed
		return ours, nil
	}
	unreachable := func(limit time.Duration) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, _ string) (net.Conn, error) {
			select {
			case <-time.After(limit):
			case <-ctx.Done():
			}
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
		}
	}
	for _, test := range []struct {
		name    string
		timeout time.Duration // of the settings
		page    time.Duration // what is left of it
		url     string
		proxy   []string
		dial    func(context.Context, string, string) (net.Conn, error)
		says    string
	}{
		{"handshake", 30 * time.Second, 30 * time.Second, "https://a.example/", nil, mute, "no TLS handshake within 10s"},
		{"handshake, by timeout", 2 * time.Second, 30 * time.Second, "https://a.example/", nil, mute, "no TLS handshake within 2s"},
		{"connection", 2 * time.Second, 30 * time.Second, "http://a.example/", nil, unreachable(2 * time.Second), "no connection within 2s"},
		{"connection to a proxy", 30 * time.Second, 30 * time.Second, "https://a.example/", []string{"http://b.example:1"}, unreachable(10 * time.Second), "the proxy: no connection within 10s"},
		{"page, connecting", 30 * time.Second, time.Second, "http://a.example/", nil, unreachable(10 * time.Second), "no complete response within 1s"},
		{"first byte", 30 * time.Second, 30 * time.Second, "http://a.example/", nil, mute, "no response within 20s (first-byte-timeout)"},
		{"page", 30 * time.Second, 3 * time.Second, "http://dial.example/", nil, mute, "no complete response within 3s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := newHTTPTransport(&Config{Timeout: test.timeout, FirstByteTimeout: 20 * time.Second, Proxies: test.proxy})
				transport.DialContext = test.dial
				if test.proxy == nil {
					transport.Proxy = nil // no proxy of the environment
				}
				ctx, cancel := context.WithTimeout(t.Context(), test.page)
				defer cancel()
				if err := get(ctx, testTransport(t, transport), test.url); err == nil || err.Error() != test.says {
					t.Errorf("%v, want: %s", err, test.says)
				}
				time.Sleep(time.Minute) // net/http goes on connecting
			})
		})
	}
}

// A missing proxy does not count as a site that is down.
func TestDeadProxy(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_ = gone.Close()
	for _, scheme := range []string{"http", "socks5"} {
		for _, to := range []string{"http", "https"} {
			cfg := Config{Timeout: time.Minute, Proxies: []string{scheme + "://" + gone.Addr().String()}}
			err := get(t.Context(), testTransport(t, newHTTPTransport(&cfg)), to+"://a.example/")
			if want := "the proxy " + gone.Addr().String() + ": the connection was refused"; err == nil || err.Error() != want || !IsAtProxy(err) {
				t.Errorf("%s to %s: %v, want: %s", scheme, to, err, want)
			}
		}
	}
}

// Nor does a SOCKS proxy that refuses to connect.
func TestProxyThatRefuses(t *testing.T) {
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = proxy.Close() })
	go func() {
		for {
			conn, err := proxy.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(conn, make([]byte, 3))                  // version, methods
			_, _ = conn.Write([]byte{5, 0})                            // no password needed
			_, _ = io.ReadFull(conn, make([]byte, 7+len("a.example"))) // where to
			_, _ = conn.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})    // refused (RFC 1928, section 6)
			_ = conn.Close()
		}
	}()
	cfg := Config{Timeout: time.Minute, Proxies: []string{"socks5://" + proxy.Addr().String()}}
	err = get(t.Context(), testTransport(t, newHTTPTransport(&cfg)), "http://a.example/")
	if want := "the proxy: connection refused"; err == nil || err.Error() != want {
		t.Errorf("%v, want: %s", err, want)
	}
}

// Errors of HTTP/2 for which net/http has no types are described in words.
func TestHTTP2ErrorTexts(t *testing.T) {
	closed := "the connection was closed before a response"
	for text, want := range map[string]string{
		"http2: client connection lost":                                             closed,
		"http2: client conn could not be established":                               closed,
		"http2: client conn not usable":                                             closed,
		"http2: client conn is closed":                                              closed,
		"http2: Transport received GOAWAY from server ErrCode:ENHANCE_YOUR_CALM":    closed,
		"http2: Transport received Server's graceful shutdown GOAWAY":               closed,
		"http2: frame too large":                                                    "the response is not valid HTTP/2: frame too large",
		"http2: response header list larger than advertised limit":                  "the header of the response is larger than 256 KiB",
		"request header list larger than peer's advertised limit":                   "the header of the request is larger than the site allows",
		"stream error: stream ID 1; INTERNAL_ERROR; received from peer":             "the request was reset before a response (HTTP/2: INTERNAL_ERROR)",
		"stream error: stream ID 1; PROTOCOL_ERROR; malformed response from server": "the response is not valid HTTP/2: stream error: stream ID 1; PROTOCOL_ERROR; malformed response from server",
	} {
		if got := explain(t.Context(), errors.New(text), time.Now(), false).Error(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A site that responds in plain text where it should speak TLS is described as such.
func TestNoTLS(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	cfg := Config{Timeout: time.Minute}
	err := get(t.Context(), testTransport(t, newHTTPTransport(&cfg)), strings.Replace(server.URL, "http:", "https:", 1))
	if _, ok := errors.AsType[tls.RecordHeaderError](err); !ok || err.Error() != "the server does not speak TLS" {
		t.Errorf("%v", err)
	}
}

// Only an error of the connection may mean that a site is down.
func TestIsUnanswered(t *testing.T) {
	for err, want := range map[error]bool{
		&net.OpError{Op: "dial", Err: errors.New("no route to host")}:                 true,
		&net.DNSError{Err: "no such host", IsNotFound: true}:                          true,
		&transportError{"the connection was closed before a response", io.EOF}:        true,
		&transportError{"TLS: handshake failure", errors.New("remote error: tls: x")}: true,
		fmt.Errorf("%w: 3 bytes in 1s", errStalled):                                   true,
		errProxyAuth:                              true,
		context.DeadlineExceeded:                  true,
		&codingError{"gzip", io.ErrUnexpectedEOF}: false,
		&transportError{"the response is not valid HTTP", errors.New("malformed HTTP response")}: false,
		errors.New("the response has an invalid status: 042"):                                    false,
	} {
		if got := IsUnanswered(&url.Error{Op: "Get", URL: "http://a.test/", Err: err}); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

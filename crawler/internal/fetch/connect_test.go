package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/descriptors"
)

// piped is the transport of a crawl, over pipes in place of a network: serve gets the
// other end of each.
func piped(cfg *Config, serve func(net.Conn)) *http.Transport {
	t := newHTTPTransport(cfg)
	t.Proxy = nil
	t.DialContext = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go serve(far)
		return near, nil
	}
	return t
}

// get requests a URL, and closes the response.
func get(ctx context.Context, t http.RoundTripper, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// A connection to a server that never answers the TLS handshake ends in time: no later than a page
// may take.
func TestHandshakeTime(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{time.Minute: handshakeTime, 3 * time.Second: 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			began := time.Now()
			err := get(ctx, piped(&Config{Timeout: timeout, Workers: 1}, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }), "https://a.example/")
			if took := time.Since(began); err == nil || took != want {
				t.Errorf("timeout %v: error %v after %v, want %v", timeout, err, took, want)
			}
		})
	}
}

// So does a connection to a host without an answer: here its name server does not respond.
func TestConnectTime(t *testing.T) {
	mute := func(sleep time.Duration) *net.Resolver {
		return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(sleep)
			return nil, errors.New("no name server")
		}}
	}
	_, _ = mute(0).LookupHost(t.Context(), "a.example.") // net must not keep anything of a bubble
	for timeout, want := range map[time.Duration]time.Duration{time.Minute: connectTime, 3 * time.Second: 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			_, err := newDialer(&Config{Timeout: timeout, Resolver: mute(time.Hour)}).DialContext(t.Context(), "tcp", "a.example.:80")
			if took := time.Since(began); err == nil || took != want {
				t.Errorf("timeout %v: error %v after %v, want %v", timeout, err, took, want)
			}
			time.Sleep(2 * time.Hour) // until the remaining clients have given up
		})
	}
}

// As many idle connections are kept as there are descriptors for, and to one host as many as it may
// have requests in flight. None is kept for long.
func TestConnectionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		cfg := &Config{Timeout: time.Minute, PerHost: 2, Workers: 4}
		transport := piped(cfg, func(conn net.Conn) {
			open.Add(1)
			defer open.Add(-1)
			for in := bufio.NewReader(conn); ; {
				if _, err := http.ReadRequest(in); err != nil {
					return // closed
				}
				time.Sleep(time.Second)
				_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			}
		})
		kept := func(want int) {
			t.Helper()
			synctest.Wait()
			if n := int(open.Load()); n != want {
				t.Errorf("%d connections are kept, want %d", n, want)
			}
		}
		ask := func(url string) {
			if err := get(t.Context(), transport, url); err != nil {
				t.Error(err)
			}
		}
		for range 5 {
			go ask("http://a.example/")
		}
		time.Sleep(2 * time.Second)
		kept(2)
		most := idleConnections(cfg.Workers, descriptors.Limit())
		for i := range most + 10 {
			go ask(fmt.Sprintf("http://%d.example/", i))
		}
		time.Sleep(2 * time.Second)
		kept(most)
		time.Sleep(31 * time.Second)
		kept(0)
	})
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

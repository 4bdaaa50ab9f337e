package hook

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
)

// piped is the transport that a Robots has of its own, over pipes in place of a network:
// serve gets the other end of each.
func piped(serve func(net.Conn)) *http.Transport {
	t := newTransport()
	t.Proxy = nil
	t.DialContext = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go serve(far)
		return near, nil
	}
	return t
}

// TestHandshakeTime: a server that takes the connection and says nothing of TLS is left
// in good time.
func TestHandshakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := piped(func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
		defer transport.CloseIdleConnections()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example/robots.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		resp, err := transport.RoundTrip(req.WithContext(ctx))
		if err == nil {
			resp.Body.Close()
		}
		if took := time.Since(began); err == nil || took != 10*time.Second {
			t.Errorf("error %v after %v", err, took)
		}
	})
}

// TestConnectTime: a host that does not answer, here its name server, is left in good
// time.
func TestConnectTime(t *testing.T) {
	mute := func(sleep time.Duration) *net.Resolver {
		return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(sleep)
			return nil, errors.New("no name server")
		}}
	}
	_, _ = mute(0).LookupHost(t.Context(), "a.example.") // what net keeps of it is not to be of a bubble
	synctest.Test(t, func(t *testing.T) {
		d := newDialer()
		d.Resolver = mute(time.Hour)
		began := time.Now()
		conn, err := d.DialContext(t.Context(), "tcp", "a.example.:80")
		if err == nil {
			conn.Close()
		}
		if took := time.Since(began); err == nil || took != 10*time.Second {
			t.Errorf("error %v after %v", err, took)
		}
		time.Sleep(2 * time.Hour) // until those who still ask have given up
	})
}

// TestIdleConnections: of many hosts that were asked a bounded number of connections is
// kept, and none for long.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		transport := piped(func(conn net.Conn) {
			open.Add(1)
			defer open.Add(-1)
			for in := bufio.NewReader(conn); ; {
				if _, err := http.ReadRequest(in); err != nil {
					return // closed
				}
				fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			}
		})
		for i := range 1100 {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%d.example/robots.txt", i), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		synctest.Wait()
		if n := open.Load(); n != 1000 {
			t.Errorf("%d connections are kept", n)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if n := open.Load(); n != 0 {
			t.Errorf("%d connections are kept after half a minute", n)
		}
		transport.CloseIdleConnections()
	})
}

package hook

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A host that does not connect or says nothing of TLS is left in good time.
func TestConnectTime(t *testing.T) {
	if connect, handshake := newDialer().Timeout, newTransport().TLSHandshakeTimeout; connect != 10*time.Second || handshake != 10*time.Second {
		t.Errorf("%s to connect, %s for TLS", connect, handshake)
	}
}

// TestIdleConnections: of many hosts that were asked a bounded number of connections is
// kept, and none for long.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		serve := func(conn net.Conn) {
			open.Add(1)
			defer open.Add(-1)
			for in := bufio.NewReader(conn); ; {
				if _, err := http.ReadRequest(in); err != nil {
					return // closed
				}
				fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			}
		}
		transport := newTransport()
		transport.Proxy = nil
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go serve(far)
			return near, nil
		}
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

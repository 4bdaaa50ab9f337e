package monitor

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// Whoever can reach the address cannot take more than their share of the descriptors.
func TestConnectionsAreBounded(t *testing.T) {
	s, err := Listen("127.0.0.1:0", &Options{Token: "long and random"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	address := s.URL()[len("http://") : len(s.URL())-1]

	// asked is a connection with a request on it.
	asked := func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	// answer waits for one.
	answer := func(conn net.Conn, wait time.Duration) error {
		t.Helper()
		if err := conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}

	const long = 5 * time.Second
	var first net.Conn
	for range maxConnections { // stay open, with an answer each
		conn := asked()
		if err := answer(conn, long); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = conn
		}
	}
	more := asked()
	if err := answer(more, 200*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("connection %d was served: %v", maxConnections+1, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := answer(more, long); err != nil {
		t.Errorf("with a place free: %v", err)
	}
}

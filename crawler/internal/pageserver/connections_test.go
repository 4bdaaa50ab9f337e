package pageserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newServer returns a server of a guarded page that has /healthz.
func newServer() *http.Server {
	healthy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	g := NewGuard(Access{Listened: ":0", Token: "a-token-that-is-hard-to-guess", Open: "/healthz"})
	return New(g.Protect(healthy), slog.New(slog.DiscardHandler))
}

// serveWithoutTimeouts serves on all addresses of this machine and closes no idle connection, so
// that tests do not depend on timing.
func serveWithoutTimeouts(t *testing.T) (port string) {
	t.Helper()
	listener, err := Listen(":0", true)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer()
	s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout = 0, 0, 0
	var active sync.WaitGroup
	active.Go(func() { _ = s.Serve(listener) })
	t.Cleanup(func() {
		_ = s.Close()
		active.Wait()
	})
	_, port, err = net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// connect opens a connection from an address of this machine. Reads time out.
func connect(t *testing.T, from, port string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// request requests /healthz on a connection, which stays open.
func request(conn net.Conn) error {
	if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// A remote address with many idle connections does not block others.
func TestHealthzAnswersWhileAnotherAddressHoldsConnections(t *testing.T) {
	port := serveWithoutTimeouts(t)
	var open []net.Conn
	for range MaxPerAddress {
		open = append(open, connect(t, "127.0.0.2", port))
	}
	for range 4 * maxConnections {
		conn := connect(t, "127.0.0.2", port)
		if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("a connection above the limit is not closed: %v", err)
		}
	}
	if err := request(connect(t, "127.0.0.3", port)); err != nil {
		t.Errorf("another address: %v", err)
	}
	for _, conn := range open { // they were served all the time
		if err := request(conn); err != nil {
			t.Fatalf("a connection within the limit: %v", err)
		}
	}

	if err := open[0].Close(); err != nil {
		t.Fatal(err)
	}
	for { // until the server has noticed
		err := request(connect(t, "127.0.0.2", port))
		if err == nil {
			break
		}
		if errors.Is(err, os.ErrDeadlineExceeded) || t.Context().Err() != nil {
			t.Fatalf("with a place free: %v", err)
		}
	}
}

// The number of connections is limited, for one and for many remote addresses.
func TestConnectionsAreBounded(t *testing.T) {
	port := serveWithoutTimeouts(t)
	var first net.Conn
	for i := range maxConnections { // stay open, with an answer each
		conn := connect(t, fmt.Sprintf("127.0.1.%d", 1+i/MaxPerAddress), port)
		if err := request(conn); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = conn
		}
	}
	more := connect(t, "127.0.0.3", port)
	if err := more.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if err := request(more); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("connection %d was served: %v", maxConnections+1, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := more.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(more), nil)
	if err != nil {
		t.Fatalf("with a place free: %v", err)
	}
	resp.Body.Close()
}

func TestRemoteNetwork(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.2:80":                    "127.0.0.2/32",
		"[::ffff:127.0.0.2]:80":           "127.0.0.2/32",
		"[2001:db8:1:2:3:4:5:6]:80":       "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff:ffff::9]:443": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80":               "fe80::/64",
	} {
		if got := remoteNetwork(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr))).String(); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}

// A pipeListener has connections in memory, so that a bubble can control the time.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error { close(l.done); return nil }

func (pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// Idle connections, and those with incomplete requests, are closed.
func TestSilentConnectionsAreClosed(t *testing.T) {
	const ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
	for _, tt := range []struct {
		name, sent string
		after      time.Duration
	}{
		{"nothing is sent", "", headerTime},
		{"the header has no end", ask, headerTime},
		{"the body has no end", "POST /stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n", readTime},
		{"after an answer nothing is sent", ask + "\r\n", idleTime},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				l := pipeListener{make(chan net.Conn), make(chan struct{})}
				var active sync.WaitGroup
				active.Go(func() { _ = s.Serve(l) })
				near, far := net.Pipe()
				l.conns <- far
				began := time.Now()
				go func() { _, _ = near.Write([]byte(tt.sent)) }()
				if _, err := io.Copy(io.Discard, near); err != nil {
					t.Errorf("read: %v", err)
				}
				if took := time.Since(began); took > tt.after+time.Second {
					t.Errorf("it was closed after %v, want %v", took, tt.after)
				}
				_ = near.Close()
				_ = s.Close()
				active.Wait()
			})
		})
	}
	if headerTime > 2*time.Second || readTime > 5*time.Second || idleTime > 10*time.Second {
		t.Errorf("a connection can be held for %v, %v, %v", headerTime, readTime, idleTime)
	}
}
